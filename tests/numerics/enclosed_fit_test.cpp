#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "farfield/core/error.hpp"
#include "farfield/numerics/interval_functions.hpp"
#include "farfield/numerics/least_squares.hpp"
#include "numerics/nist.hpp"

using namespace farfield::numerics;

namespace {

using Intervals = std::vector<Interval>;

EnclosedProblem problem(const std::vector<Intervals>& columns, const Intervals& data) {
    EnclosedProblem result;
    result.columns.assign(columns.begin(), columns.end());
    result.data = data;
    return result;
}

// A decimal number of at most 15 digits, known as the double nearest to it: within half a unit in the last place.
Interval decimal(double nearest) {
    if (std::trunc(nearest) == nearest) return point(nearest);
    return {std::nextafter(nearest, -INFINITY), std::nextafter(nearest, INFINITY)};
}

// Whether an enclosure meets the numbers that round to a certified value of 15 digits.
bool agrees(const Interval& enclosure, double certified) {
    const double half_unit = std::max(std::fabs(certified), 1e-300) * 1e-14;
    return enclosure.lo <= certified + half_unit && certified - half_unit <= enclosure.hi;
}

double uniform(std::mt19937_64& random, const Interval& x) {
    return std::clamp(std::uniform_real_distribution<double>(x.lo, std::nextafter(x.hi, INFINITY))(random), x.lo, x.hi);
}

}  // namespace

TEST_CASE("enclosures of NIST's linear fits hold the certified values and are narrow") {
    struct Row {
        std::string name;
        double digits;  // wanted of the parameters' relative width
    };
    // Relative widths are about the condition number squared times 2^-52 where data or powers are no doubles.
    const std::vector<Row> rows{{"Norris", 11},  {"Pontius", 10},  {"Longley", 9},   {"Wampler1", 15},
                                {"Wampler2", 8}, {"Wampler3", 15}, {"Wampler4", 15}, {"Wampler5", 15}};
    for (const Row& row : rows) {
        const nist::Dataset set = nist::read("linear", row.name);
        std::vector<Intervals> columns(set.parameters.size(), Intervals(set.y.size(), point(1)));
        Intervals data;
        for (std::size_t i = 0; i < set.y.size(); ++i) {
            data.push_back(decimal(set.y[i]));
            for (std::size_t j = 1; j < columns.size(); ++j) {
                const Interval x = decimal(set.x[set.x.size() == 1 ? 0 : j - 1][i]);
                columns[j][i] = set.x.size() == 1 ? pow(x, point(static_cast<double>(j))) : x;
            }
        }
        const std::optional<EnclosedFit> fit = enclosed_linear_fit(problem(columns, data));
        INFO(row.name);
        REQUIRE(fit.has_value());
        for (std::size_t j = 0; j < columns.size(); ++j) {
            INFO(j << " [" << fit->parameters[j].lo << ", " << fit->parameters[j].hi << "]");
            CHECK(agrees(fit->parameters[j], set.parameters[j].certified));
            CHECK(width(fit->parameters[j]) <= std::fabs(set.parameters[j].certified) * std::pow(10, -row.digits));
        }
        CHECK(agrees(fit->r2, set.r2));
        const double spare = static_cast<double>(set.y.size() - columns.size()) / static_cast<double>(set.y.size());
        CHECK(agrees(fit->rmse / sqrt(point(spare)), set.deviation));
        CHECK((fit->max_error.lo <= fit->max_error.hi && fit->max_error.lo >= 0));
    }
}

TEST_CASE("r2 of a model with a fixed part is about the mean of the data") {
    // 0, 1, 4 by a + i^2 - i: a is the mean of 0, 1, 2, the residuals are -1, 0, 1, and the data's squares about 5/3
    // add up to 26/3.
    const std::vector<Intervals> ones{Intervals(3, point(1))};
    const Intervals data{point(0), point(1), point(4)};
    EnclosedProblem fixed = problem(ones, data);
    const Intervals offset{point(0), point(0), point(2)};
    fixed.offset = offset;
    const std::optional<EnclosedFit> fit = enclosed_linear_fit(fixed);
    REQUIRE(fit.has_value());
    CHECK(contains(fit->parameters[0], 1));
    CHECK((fit->r2.lo <= 1 - 6.0 / 26 && fit->r2.hi >= 1 - 6.0 / 26 && width(fit->r2) < 1e-15));
    const Intervals short_offset{point(0)};
    fixed.offset = short_offset;
    CHECK_THROWS_AS(enclosed_linear_fit(fixed), farfield::core::PreconditionError);
}

TEST_CASE("the fit of every problem drawn from the intervals lies in the enclosure") {
    std::mt19937_64 random(47);
    for (int round = 0; round < 60; ++round) {
        const std::size_t rows = 5 + random() % 30;
        const double radius = std::ldexp(1.0, -10 - static_cast<int>(random() % 20));
        std::vector<Intervals> columns(3);
        Intervals data;
        std::vector<double> weights;
        for (std::size_t i = 0; i < rows; ++i) {
            const double x = static_cast<double>(i) / 4;
            const auto around = [&](double value) { return Interval{value - radius, value + radius}; };
            columns[0].push_back(point(1));
            columns[1].push_back(around(std::log1p(x)));
            columns[2].push_back(around(std::sin(x)));
            data.push_back(around(2 - 0.5 * std::log1p(x) + std::uniform_real_distribution<double>(-1, 1)(random)));
            weights.push_back(static_cast<double>(random() % 3 + 1));
        }
        EnclosedProblem enclosed = problem(columns, data);
        Intervals exact_weights;
        for (const double weight : weights) exact_weights.push_back(point(weight));
        enclosed.weights = exact_weights;
        const std::optional<EnclosedFit> fit = enclosed_linear_fit(enclosed);
        REQUIRE(fit.has_value());
        for (int draw = 0; draw < 20; ++draw) {
            std::vector<std::vector<double>> drawn(3);
            std::vector<double> drawn_data;
            for (std::size_t i = 0; i < rows; ++i) {
                for (std::size_t j = 0; j < 3; ++j) drawn[j].push_back(uniform(random, columns[j][i]));
                drawn_data.push_back(uniform(random, data[i]));
            }
            LinearProblem plain;
            plain.columns.assign(drawn.begin(), drawn.end());
            plain.data = drawn_data;
            plain.weights = weights;
            const Fit found = fit_linear(plain);
            // The plain fit's own rounding, far below the radius, is allowed for.
            const auto holds = [](const Interval& x, double value) {
                return x.lo - 1e-13 <= value && value <= x.hi + 1e-13;
            };
            for (std::size_t j = 0; j < 3; ++j) REQUIRE(holds(fit->parameters[j], found.parameters[j]));
            REQUIRE(holds(fit->r2, found.r2));
            REQUIRE(holds(fit->rmse, found.rmse));
            REQUIRE(holds(fit->max_error, found.max_error));
        }
    }
}

TEST_CASE("a fit that cannot be proved gives no enclosure") {
    const Intervals ones(4, point(1));
    const Intervals data{point(1), point(2), point(4), point(3)};
    CHECK_FALSE(enclosed_linear_fit(problem({ones, ones}, data)).has_value());
    // These intervals hold dependent columns.
    const Intervals loose{{0, 2}, {0.5, 1.5}, {0, 2}, {1, 2}};
    CHECK_FALSE(enclosed_linear_fit(problem({ones, loose}, data)).has_value());
    const Intervals rising{point(0), point(1), point(2), point(3)};
    Intervals broken = data;
    broken[2] = undefined_interval();
    CHECK_FALSE(enclosed_linear_fit(problem({ones, rising}, broken)).has_value());
    broken[2] = {1, std::numeric_limits<double>::infinity()};
    CHECK_FALSE(enclosed_linear_fit(problem({ones, rising}, broken)).has_value());
    // Constant data have no spread for r2 to be a share of.
    const std::optional<EnclosedFit> constant = enclosed_linear_fit(problem({ones, rising}, ones));
    REQUIRE(constant.has_value());
    CHECK(contains(constant->parameters[0], 1.0));
    CHECK(is_undefined(constant->r2));
    CHECK_THROWS_AS(enclosed_linear_fit(problem({}, data)), farfield::core::PreconditionError);
    CHECK_THROWS_AS(enclosed_linear_fit(problem({ones, Intervals(3, point(1))}, data)),
                    farfield::core::PreconditionError);
}

TEST_CASE("weights known only by enclosures widen the fit to contain that of every weight inside") {
    // Columns 1 and n, data n^2 and weights n over n = 0..6: the normal equations are 21 a + 91 b = 441 and
    // 91 a + 441 b = 2275, so a = -12.8 and b = 7.8.
    Intervals ones;
    Intervals rising;
    Intervals data;
    Intervals weights;
    for (int n = 0; n <= 6; ++n) {
        ones.push_back(point(1));
        rising.push_back(point(n));
        data.push_back(point(n * n));
        weights.push_back({n * (1 - 1e-6), n * (1 + 1e-6)});
    }
    const std::vector<Intervals> columns{ones, rising};
    EnclosedProblem enclosed = problem(columns, data);
    enclosed.weights = weights;
    const std::optional<EnclosedFit> fit = enclosed_linear_fit(enclosed);
    REQUIRE(fit.has_value());
    CHECK(contains(fit->parameters[0], -12.8));
    CHECK(contains(fit->parameters[1], 7.8));
    CHECK(width(fit->parameters[0]) > 1e-6);
    CHECK((fit->points.lo == 6 && fit->points.hi == 6));
    // At n = 0 the residual is 12.8, the largest of all, but its weight is 0; where it may be positive, it may count.
    CHECK(fit->max_error.hi < 10);
    weights[0] = {0, 1e-9};
    const std::optional<EnclosedFit> doubtful = enclosed_linear_fit(enclosed);
    REQUIRE(doubtful.has_value());
    CHECK(doubtful->max_error.lo < 10);
    CHECK(doubtful->max_error.hi > 12.7);
    CHECK((doubtful->points.lo == 6 && doubtful->points.hi == 7));
    weights[0] = {-1e-9, 1e-9};
    CHECK_FALSE(enclosed_linear_fit(enclosed).has_value());
}
