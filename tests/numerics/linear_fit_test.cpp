#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <farfield/numerics/processors.hpp>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "farfield/core/error.hpp"
#include "farfield/numerics/least_squares.hpp"
#include "farfield/numerics/multiprecision.hpp"
#include "numerics/nist.hpp"
#include "numerics/rational.hpp"

using namespace farfield::numerics;

namespace {

using Columns = std::vector<std::vector<double>>;

// Powers of the one predictor, or an intercept and all predictors.
Columns design(const nist::Dataset& set) {
    Columns columns(set.parameters.size(), std::vector<double>(set.y.size(), 1.0));
    for (std::size_t j = 1; j < columns.size(); ++j) {
        for (std::size_t i = 0; i < set.y.size(); ++i) {
            columns[j][i] = set.x.size() == 1 ? columns[j - 1][i] * set.x[0][i] : set.x[j - 1][i];
        }
    }
    return columns;
}

LinearProblem problem(const Columns& columns, const std::vector<double>& data) {
    LinearProblem result;
    result.columns.assign(columns.begin(), columns.end());
    result.data = data;
    return result;
}

// Rows of a straight line with noise.
struct Line {
    explicit Line(std::size_t count) : columns(2), data(count) {
        std::mt19937_64 random(3);
        columns[0].assign(count, 1.0);
        columns[1].resize(count);
        for (std::size_t i = 0; i < count; ++i) {
            columns[1][i] = std::log1p(static_cast<double>(i));
            data[i] = 0.5 - 0.8 * columns[1][i] + std::uniform_real_distribution<double>(-0.1, 0.1)(random);
        }
    }
    Columns columns;
    std::vector<double> data;
};

}  // namespace

TEST_CASE("NIST's linear problems are solved to the digits that double data allow") {
    struct Row {
        std::string name;
        double parameters, errors, summary;  // digits wanted
    };
    // Reached: 14.0, 13.5, 14.6, 7.9, 13.1, 13.2, 13.3, 11.9 and 9.9 digits of the parameters. Filip's powers are
    // rounded to doubles, which costs what its condition number, 5e9, says; so do Wampler4's and Wampler5's large
    // residuals.
    const std::vector<Row> rows{{"Norris", 13, 13, 13},   {"Pontius", 13, 13, 13},  {"Longley", 13, 13, 13},
                                {"Filip", 7, 8, 8},       {"Wampler1", 12, 12, 12}, {"Wampler2", 12, 14, 14},
                                {"Wampler3", 12, 13, 14}, {"Wampler4", 11, 13, 14}, {"Wampler5", 9, 13, 13}};
    for (const Row& row : rows) {
        const nist::Dataset set = nist::read("linear", row.name);
        const Columns columns = design(set);
        const Fit fit = fit_linear(problem(columns, set.y));
        double parameters = 16;
        double errors = 16;
        for (std::size_t j = 0; j < columns.size(); ++j) {
            parameters = std::min(parameters, nist::digits(fit.parameters[j], set.parameters[j].certified));
            errors = std::min(errors, nist::digits(fit.standard_errors[j], set.parameters[j].deviation));
        }
        const double summary = std::min(nist::digits(fit.r2, set.r2), nist::digits(fit.deviation, set.deviation));
        INFO(row.name << ": parameters " << parameters << ", standard errors " << errors << ", r2 and deviation "
                      << summary);
        CHECK(parameters >= row.parameters);
        CHECK(errors >= row.errors);
        CHECK(summary >= row.summary);
        CHECK(fit.points == set.y.size());
        CHECK(fit.rank == columns.size());
    }
}

TEST_CASE("a long fit, done in double, has 13 digits and the same ones for any number of threads") {
    const Line line(600000);
    const Fit all = fit_linear(problem(line.columns, line.data));
    // The normal equations of a line in 60 digits.
    const auto exact_sum = [&](auto term) {
        Multiprecision total(0.0, 60);
        for (std::size_t i = 0; i < line.data.size(); ++i) {
            total = total + term(Multiprecision(line.columns[1][i], 60), Multiprecision(line.data[i], 60));
        }
        return total;
    };
    using Number = const Multiprecision&;
    const Multiprecision count(static_cast<double>(line.data.size()), 60);
    const Multiprecision x = exact_sum([](Number a, Number) { return a; });
    const Multiprecision y = exact_sum([](Number, Number b) { return b; });
    const Multiprecision xx = exact_sum([](Number a, Number) { return a * a; });
    const Multiprecision xy = exact_sum([](Number a, Number b) { return a * b; });
    const double slope = ((count * xy - x * y) / (count * xx - x * x)).to_double();
    CHECK(all.parameters[1] == Approx(slope).epsilon(1e-13));
    const Multiprecision yy = exact_sum([](Number, Number b) { return b * b; });
    const double spread = (yy - y * y / count).to_double();
    double squares = 0;
    double largest = 0;
    for (std::size_t i = 0; i < line.data.size(); ++i) {
        const double residual = line.data[i] - all.parameters[0] - all.parameters[1] * line.columns[1][i];
        squares += residual * residual;
        largest = std::max(largest, std::abs(residual));
    }
    CHECK(all.max_error == Approx(largest).epsilon(1e-12));
    CHECK(all.rmse == Approx(std::sqrt(squares / static_cast<double>(line.data.size()))).epsilon(1e-12));
    CHECK(all.r2 == Approx(1 - squares / spread).epsilon(1e-12));
    std::vector<double> exact(line.data.size());
    for (std::size_t i = 0; i < exact.size(); ++i) exact[i] = 0.5 - 0.75 * line.columns[1][i];
    const Fit found = fit_linear(problem(line.columns, exact));
    CHECK(found.parameters[0] == Approx(0.5).epsilon(1e-13));
    CHECK(found.parameters[1] == Approx(-0.75).epsilon(1e-13));
    const std::size_t usual = processors();
    for (const std::size_t threads : {1, 3}) {
        set_processors(threads);
        const Fit again = fit_linear(problem(line.columns, line.data));
        CHECK(again.parameters == all.parameters);
        CHECK(again.standard_errors == all.standard_errors);
        CHECK(again.r2 == all.r2);
    }
    set_processors(usual);
}

TEST_CASE("a weight of two is a point given twice, and of zero a point left out, in linear fits") {
    const Columns columns{{1, 1, 1, 1, 1}, {0, 1, 2, 3, 9}};
    const std::vector<double> data{1, 3, 4, 8, 100};
    const std::vector<double> weights{1, 2, 1, 1, 0};
    LinearProblem weighted = problem(columns, data);
    weighted.weights = weights;
    const Columns repeated{{1, 1, 1, 1, 1}, {0, 1, 1, 2, 3}};
    const std::vector<double> repeated_data{1, 3, 3, 4, 8};
    const Fit found = fit_linear(weighted);
    const Fit expected = fit_linear(problem(repeated, repeated_data));
    for (std::size_t j = 0; j < 2; ++j) CHECK(found.parameters[j] == Approx(expected.parameters[j]).epsilon(1e-14));
    CHECK(found.r2 == Approx(expected.r2).epsilon(1e-14));
    CHECK(found.rmse == Approx(expected.rmse).epsilon(1e-14));
    CHECK(found.max_error == Approx(expected.max_error).epsilon(1e-14));
    CHECK(found.points == 4);
}

TEST_CASE("an offset shifts the model and not the spread of the data") {
    const Columns columns{{1, 1, 1, 1}};
    const std::vector<double> data{1, 2, 4, 9};
    const std::vector<double> offset{0, 1, 2, 3};
    LinearProblem shifted = problem(columns, data);
    shifted.offset = offset;
    const Fit fit = fit_linear(shifted);
    // Mean of data - offset is (1 + 1 + 2 + 6)/4; residuals -1.5, -1.5, -0.5, 3.5; data spread about 4: 9 + 4 + 0 + 25.
    CHECK(fit.parameters[0] == Approx(2.5).epsilon(1e-15));
    CHECK(fit.r2 == Approx(1 - 17.0 / 38).epsilon(1e-14));
    CHECK(fit.rmse == Approx(std::sqrt(17.0 / 4)).epsilon(1e-15));
    CHECK(fit.max_error == Approx(3.5).epsilon(1e-15));
}

TEST_CASE("fits of whole numbers over many blocks are those of exact arithmetic") {
    // Sums of products of small whole numbers are exact in 64 bits, and the normal equations are solved in rationals.
    struct Row {
        std::size_t count;
        double digits;  // with twice a double's up to two million rows times squared parameters, then in double
    };
    constexpr std::size_t size = 3;
    for (const Row& row : {Row{500, 1e-15}, Row{513, 1e-15}, Row{40000, 1e-15}, Row{230000, 1e-13}}) {
        Columns columns(size, std::vector<double>(row.count));
        std::vector<double> data(row.count);
        std::vector<double> offset(row.count);
        std::vector<double> weights(row.count);
        for (std::size_t i = 0; i < row.count; ++i) {
            columns[0][i] = 1;
            columns[1][i] = static_cast<double>(i % 7);
            columns[2][i] = static_cast<double>(i % 11);
            offset[i] = static_cast<double>(i % 3) - 1;
            weights[i] = static_cast<double>(i % 4);
            data[i] = static_cast<double>(i * i % 101) + 2 * columns[1][i] - 3 * columns[2][i];
        }
        data[row.count - 1] = -500;  // the largest residual, in the last and shortest block
        weights[row.count - 1] = 1;
        for (const bool has_weights : {false, true}) {
            for (const bool has_offset : {false, true}) {
                INFO(row.count << " rows" << (has_weights ? ", weights" : "") << (has_offset ? ", offset" : ""));
                std::int64_t products[size + 1][size + 1] = {};
                std::int64_t total = 0;
                std::int64_t points = 0;
                std::int64_t sum = 0;
                std::int64_t squares = 0;
                for (std::size_t i = 0; i < row.count; ++i) {
                    const auto weight = has_weights ? static_cast<std::int64_t>(weights[i]) : 1;
                    const auto y = static_cast<std::int64_t>(data[i]);
                    const std::int64_t shifted = y - (has_offset ? static_cast<std::int64_t>(offset[i]) : 0);
                    total += weight;
                    points += weight > 0 ? 1 : 0;
                    sum += weight * y;
                    squares += weight * y * y;
                    std::int64_t factors[size + 1] = {};
                    for (std::size_t j = 0; j < size; ++j) factors[j] = static_cast<std::int64_t>(columns[j][i]);
                    factors[size] = shifted;
                    for (std::size_t j = 0; j <= size; ++j) {
                        for (std::size_t k = 0; k <= size; ++k) products[j][k] += weight * factors[j] * factors[k];
                    }
                }
                // Gauss-Jordan elimination of [X'WX | 1 | X'Wy].
                std::vector<std::vector<Rational>> rows(size, std::vector<Rational>(2 * size + 1));
                for (std::size_t j = 0; j < size; ++j) {
                    for (std::size_t k = 0; k < size; ++k) rows[j][k] = products[j][k];
                    rows[j][size + j] = 1;
                    rows[j][2 * size] = products[j][size];
                }
                for (std::size_t j = 0; j < size; ++j) {
                    const Rational pivot = rows[j][j];
                    for (Rational& entry : rows[j]) entry /= pivot;
                    for (std::size_t other = 0; other < size; ++other) {
                        const Rational factor = rows[other][j];
                        for (std::size_t k = 0; k <= 2 * size && other != j; ++k) rows[other][k] -= factor * rows[j][k];
                    }
                }
                Rational rest = products[size][size];
                for (std::size_t j = 0; j < size; ++j) rest -= rows[j][2 * size] * products[j][size];
                const Rational spread = Rational(squares) - Rational(sum) * sum / total;
                const Rational variance = rest / (points - static_cast<std::int64_t>(size));
                Rational worst = 0;
                for (std::size_t i = 0; i<row.count; i += row.count> 1000 ? row.count - 1 : 1) {
                    Rational residual = exactly(data[i]) - (has_offset ? exactly(offset[i]) : Rational(0));
                    for (std::size_t j = 0; j < size; ++j) residual -= rows[j][2 * size] * exactly(columns[j][i]);
                    if (!has_weights || weights[i] > 0) worst = std::max(worst, Rational(abs(residual)));
                }

                LinearProblem linear = problem(columns, data);
                if (has_weights) linear.weights = weights;
                if (has_offset) linear.offset = offset;
                const Fit fit = fit_linear(linear);
                const auto near = [&](double found, double wanted) {
                    return std::fabs(found - wanted) <= row.digits * std::fabs(wanted);
                };
                for (std::size_t j = 0; j < size; ++j) {
                    INFO(j);
                    CHECK(near(fit.parameters[j], nearest(rows[j][2 * size])));
                    CHECK(near(fit.standard_errors[j], std::sqrt(nearest(variance * rows[j][size + j]))));
                }
                // The spread is summed in double over blocks of 512, with three more roundings a term.
                CHECK(std::fabs(fit.r2 - nearest(1 - rest / spread)) <= 515 * 0x1p-53 + row.digits);
                CHECK(near(fit.rmse, std::sqrt(nearest(rest / total))));
                CHECK(near(fit.deviation, std::sqrt(nearest(variance))));
                CHECK(near(fit.max_error, nearest(worst)));
                CHECK(fit.points == static_cast<std::size_t>(points));
                CHECK(fit.rank == size);
            }
        }
    }
}

TEST_CASE("a line far from 0 has the digits that its condition leaves") {
    for (const int power : {8, 16, 24, 30}) {
        const double far = std::ldexp(1, power);
        Columns columns{std::vector<double>(16, 1.0), {}};
        std::vector<double> data;
        Rational x, y, xx, xy;
        for (int i = 0; i < 16; ++i) {
            columns[1].push_back(far + i);
            data.push_back(3 * i + i % 3);
            x += exactly(columns[1].back());
            y += exactly(data.back());
            xx += exactly(columns[1].back()) * exactly(columns[1].back());
            xy += exactly(columns[1].back()) * exactly(data.back());
        }
        const Rational slope = (16 * xy - x * y) / (16 * xx - x * x);
        const double intercept = nearest((y - slope * x) / 16);
        const Fit fit = fit_linear(problem(columns, data));
        INFO("2^" << power << ", condition " << fit.condition);
        const double allowed = 0x1p-53 + fit.condition * fit.condition * 0x1p-98;
        CHECK(std::fabs(fit.parameters[0] - intercept) <= allowed * std::fabs(intercept));
        CHECK(std::fabs(fit.parameters[1] - nearest(slope)) <= allowed * nearest(slope));
    }
}

TEST_CASE("the digits of a linear fit do not depend on the units of columns, data and weights") {
    const Line line(1000);
    std::vector<double> weights(line.data.size());
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<double>(1 + i % 4);
    LinearProblem plain = problem(line.columns, line.data);
    plain.weights = weights;
    const Fit expected = fit_linear(plain);
    const auto scaled = [](std::vector<double> values, int power) {
        for (double& value : values) value = std::ldexp(value, power);
        return values;
    };
    for (const int column : {-600, 500}) {
        for (const int of_data : {-400, 300}) {
            // An even power, because the standard errors contain the root of the weights.
            for (const int of_weights : {-100, 60}) {
                const Columns columns{line.columns[0], scaled(line.columns[1], column)};
                const std::vector<double> data = scaled(line.data, of_data);
                const std::vector<double> other_weights = scaled(weights, of_weights);
                LinearProblem other = problem(columns, data);
                other.weights = other_weights;
                const Fit fit = fit_linear(other);
                INFO("2^" << column << ", 2^" << of_data << ", 2^" << of_weights);
                CHECK(fit.parameters[0] == std::ldexp(expected.parameters[0], of_data));
                CHECK(fit.parameters[1] == std::ldexp(expected.parameters[1], of_data - column));
                CHECK(fit.standard_errors[0] == std::ldexp(expected.standard_errors[0], of_data));
                CHECK(fit.standard_errors[1] == std::ldexp(expected.standard_errors[1], of_data - column));
                CHECK(fit.condition == expected.condition);
                CHECK(fit.r2 == expected.r2);
                CHECK(fit.rmse == std::ldexp(expected.rmse, of_data));
            }
        }
    }
}

TEST_CASE("dependent columns, data that are not finite and constant data are distinguished") {
    const Columns dependent{{1, 1, 1}, {2, 2, 2}};
    const std::vector<double> data{1, 2, 4};
    const Fit singular = fit_linear(problem(dependent, data));
    CHECK(singular.rank == 1);
    CHECK(std::isnan(singular.parameters[0]));
    const Columns line{{1, 1, 1}, {0, 1, 2}};
    const std::vector<double> broken{1, std::numeric_limits<double>::infinity(), 4};
    CHECK(std::isnan(fit_linear(problem(line, broken)).parameters[0]));
    const std::vector<double> constant{2, 2, 2};
    CHECK(std::isnan(fit_linear(problem(line, constant)).r2));
    CHECK(fit_linear(problem(line, constant)).parameters[0] == Approx(2).epsilon(1e-15));
    const Columns slope{{0, 1, 2}};
    CHECK(std::isnan(fit_linear(problem(slope, constant)).r2));
    const Columns exactly_enough{{1, 1}, {0, 1}};
    const std::vector<double> two{1, 3};
    CHECK(fit_linear(problem(exactly_enough, two)).parameters[1] == Approx(2).epsilon(1e-15));
    CHECK(std::isnan(fit_linear(problem(exactly_enough, two)).standard_errors[0]));
}

TEST_CASE("measures of residuals whose squares overflow or underflow are unknown") {
    const std::vector<double> ones(11, 1.0);
    for (const double unit : {1e-200, 1e200}) {
        std::vector<double> x, data;
        for (int i = 0; i < 11; ++i) {
            x.push_back(i);
            data.push_back(unit * (i + i * i / 10.0));
        }
        const Fit fit = fit_linear({{x, ones}, data});
        CHECK(fit.parameters[0] == Approx(2 * unit).epsilon(1e-14));
        for (const double each : {fit.standard_errors[0], fit.standard_errors[1], fit.rmse, fit.r2, fit.deviation})
            CHECK(std::isnan(each));
        CHECK(fit.max_error == Approx(1.5 * unit).epsilon(1e-13));
    }
}

TEST_CASE("linear fits refuse invalid problems") {
    const Columns columns{{1, 1, 1}, {0, 1, 2}};
    const std::vector<double> data{1, 2, 4};
    const std::vector<double> short_data{1, 2};
    const std::vector<double> negative{1, -1, 1};
    const std::vector<double> mostly_zero{1, 0, 0};
    CHECK_THROWS_AS(fit_linear(problem({}, data)), farfield::core::PreconditionError);
    CHECK_THROWS_AS(fit_linear(problem(columns, short_data)), farfield::core::PreconditionError);
    LinearProblem weighted = problem(columns, data);
    weighted.weights = negative;
    CHECK_THROWS_AS(fit_linear(weighted), farfield::core::PreconditionError);
    weighted.weights = mostly_zero;
    CHECK_THROWS_AS(fit_linear(weighted), farfield::core::PreconditionError);
}
