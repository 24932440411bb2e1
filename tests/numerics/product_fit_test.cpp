#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "farfield/core/error.hpp"
#include "farfield/numerics/least_squares.hpp"
#include "numerics/nist.hpp"
#include "numerics/products.hpp"

using namespace farfield::numerics;

namespace {

Fit fit_by_products(const Columns& columns, const std::vector<double>& data) {
    return fit_linear(products_of(columns, data), [&](std::span<const double> parameters) {
        return residuals_of(columns, data, data, parameters);
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

TEST_CASE("units of the columns change neither the rank nor the fit") {
    // A power of two is exact: parameters scale with it, and everything else stays the same to the last digit.
    const std::vector<double> x{0, 1, 2, 3, 4};
    const std::vector<double> y{1, 0, 2, 7, 5};
    const std::vector<double> data{1, 2, 3, 4, 9};
    const Fit plain = fit_by_products({x, y}, data);
    CHECK(plain.rank == 2);
    for (const int exponent : {-60, -40, 40, 60}) {
        std::vector<double> scaled_x = x;
        std::vector<double> scaled_y = y;
        std::vector<double> tripled = x;
        for (std::size_t i = 0; i < x.size(); ++i) {
            scaled_x[i] = std::ldexp(x[i], exponent);
            scaled_y[i] = std::ldexp(y[i], exponent);
            tripled[i] = 3 * scaled_x[i];
        }
        INFO("2^" << exponent);
        const Fit scaled = fit_by_products({scaled_x, scaled_y}, data);
        CHECK(scaled.rank == 2);
        for (std::size_t j = 0; j < 2; ++j) {
            CHECK(scaled.parameters[j] == std::ldexp(plain.parameters[j], -exponent));
            CHECK(scaled.standard_errors[j] == std::ldexp(plain.standard_errors[j], -exponent));
        }
        CHECK(scaled.r2 == plain.r2);
        CHECK(scaled.condition == plain.condition);
        CHECK(fit_by_products({scaled_x, tripled}, data).rank == 1);
    }
}

TEST_CASE("products that do not come from a fit are refused") {
    const auto none = [](std::span<const double>) { return FitResiduals{}; };
    CHECK_THROWS_AS(fit_linear({0, {{1, 0}, {1, 0}, {1, 0}}}, none), farfield::core::PreconditionError);
    CHECK_THROWS_AS(fit_linear({1, {{1, 0}, {1, 0}}}, none), farfield::core::PreconditionError);
}
