#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "farfield/core/error.hpp"
#include "farfield/numerics/least_squares.hpp"
#include "numerics/nist.hpp"

using namespace farfield::numerics;

namespace {

using Columns = std::vector<std::vector<double>>;

/// The fit of columns to data by their products, summed one after the other in twice a double's digits.
Fit fit_by_products(const Columns& columns, const std::vector<double>& data) {
    std::vector<const std::vector<double>*> factors;
    for (const std::vector<double>& column : columns) factors.push_back(&column);
    const std::vector<double> ones(data.size(), 1.0);
    factors.push_back(&ones);
    factors.push_back(&data);
    FitProducts products{columns.size(), {}};
    for (std::size_t i = 0; i < factors.size(); ++i) {
        for (std::size_t j = i; j < factors.size(); ++j) {
            DoubleDouble sum;
            for (std::size_t row = 0; row < data.size(); ++row)
                sum = sum + two_product((*factors[i])[row], (*factors[j])[row]);
            products.entries.push_back(sum);
        }
    }
    return fit_linear(products, [&](std::span<const double> parameters) {
        FitResiduals found{0, 0, 0, data.size()};
        long double mean = 0, squares = 0, spread = 0;
        for (const double y : data) mean += y / static_cast<long double>(data.size());
        for (std::size_t row = 0; row < data.size(); ++row) {
            long double residual = data[row];
            for (std::size_t j = 0; j < columns.size(); ++j)
                residual -= static_cast<long double>(parameters[j]) * columns[j][row];
            squares += residual * residual;
            spread += (data[row] - mean) * (data[row] - mean);
            found.largest = std::max(found.largest, static_cast<double>(std::fabs(residual)));
        }
        found.squares = static_cast<double>(squares);
        found.spread = static_cast<double>(spread);
        return found;
    });
}

Columns design(const nist::Dataset& set) {
    Columns columns(set.parameters.size(), std::vector<double>(set.y.size(), 1.0));
    for (std::size_t j = 1; j < columns.size(); ++j) {
        for (std::size_t i = 0; i < set.y.size(); ++i) {
            columns[j][i] = set.x.size() == 1 ? columns[j - 1][i] * set.x[0][i] : set.x[j - 1][i];
        }
    }
    return columns;
}

}  // namespace

TEST_CASE("NIST's linear problems are solved from products as well as from their points") {
    struct Row {
        std::string name;
        double parameters;  // digits wanted
    };
    // Those of the fit by points, whose limits are the data's own.
    const std::vector<Row> rows{{"Norris", 13},   {"Pontius", 13},  {"Longley", 13},  {"Filip", 7},   {"Wampler1", 12},
                                {"Wampler2", 12}, {"Wampler3", 12}, {"Wampler4", 11}, {"Wampler5", 9}};
    for (const Row& row : rows) {
        const nist::Dataset set = nist::read("linear", row.name);
        const Columns columns = design(set);
        const Fit fit = fit_by_products(columns, set.y);
        double parameters = 16;
        for (std::size_t j = 0; j < columns.size(); ++j)
            parameters = std::min(parameters, nist::digits(fit.parameters[j], set.parameters[j].certified));
        INFO(row.name << ": parameters " << parameters);
        CHECK(parameters >= row.parameters);
        CHECK(fit.rank == columns.size());
        LinearProblem problem;
        problem.columns.assign(columns.begin(), columns.end());
        problem.data = set.y;
        const Fit by_points = fit_linear(problem);
        CHECK(fit.condition == Approx(by_points.condition).epsilon(1e-4));
        CHECK(fit.points == by_points.points);
        CHECK(fit.rmse == Approx(by_points.rmse).epsilon(1e-6).margin(1e-12));
        CHECK(fit.max_error == Approx(by_points.max_error).epsilon(1e-4).margin(1e-9));
    }
}

TEST_CASE("products of dependent columns and of numbers that are not finite give no parameters") {
    const std::vector<double> x{0, 1, 2, 3, 4};
    const Fit dependent = fit_by_products({x, {0, 3, 6, 9, 12}}, {1, 2, 3, 4, 9});
    CHECK(dependent.rank == 1);
    CHECK(std::isnan(dependent.parameters[0]));
    const Fit infinite = fit_by_products({x}, {1, 2, std::numeric_limits<double>::infinity(), 4, 9});
    CHECK(std::isnan(infinite.parameters[0]));
    CHECK(std::isnan(infinite.condition));
}

TEST_CASE("products that are no fit's are refused") {
    const auto none = [](std::span<const double>) { return FitResiduals{}; };
    CHECK_THROWS_AS(fit_linear({0, {{1, 0}, {1, 0}, {1, 0}}}, none), farfield::core::PreconditionError);
    CHECK_THROWS_AS(fit_linear({1, {{1, 0}, {1, 0}}}, none), farfield::core::PreconditionError);
}
