#include <catch2/catch.hpp>
#include <cmath>

#include "checks.hpp"
#include "compute.hpp"
#include "quantity/kinds.hpp"

namespace farfield::quantity {
namespace {

core::Result optimum(const std::string& formula, const std::string& rest) {
    return compute(optimum_kind(), "formula = '" + formula + "'\n" + rest);
}

/// The enclosure holds the number and is at most this wide.
void check_enclosed(const core::Result& result, const std::string& name, double expected, double width) {
    const core::Cell* cell = result.find(name);
    REQUIRE(cell);
    REQUIRE(cell->enclosure);
    CHECK(cell->enclosure->lo <= expected);
    CHECK(cell->enclosure->hi >= expected);
    CHECK(cell->enclosure->width() <= width);
}

TEST_CASE("the greatest value on a line") {
    // x e^-x is greatest at 1, by its derivative.
    const core::Result result = optimum("x*exp(-x)", "over = { x = [0, 10] }");
    check_enclosed(result, "best", std::exp(-1.0), 1e-9);
    check_enclosed(result, "at", 1, 1e-3);
    CHECK(result.find("best")->rigour == core::Rigour::rigorous);
}

TEST_CASE("two variables under a condition") {
    // The point of the line x + y = 2 nearest to the origin is (1, 1).
    const core::Result result =
        optimum("x^2 + y^2", "goal = 'least'\nwhere = 'x + y >= 2'\nover = { x = [-3, 3], y = [-3, 3] }");
    check_enclosed(result, "best", 2, 1e-4);
    check_enclosed(result, "at_x", 1, 0.1);
    check_enclosed(result, "at_y", 1, 0.1);
}

TEST_CASE("integers and reals together") {
    // n - (x - n)^2 with n <= 4: 4 at x = 4.
    const core::Result result =
        optimum("n - (x - n)^2", "where = 'n <= 4'\nover = { n = { from = 0, to = 9 }, x = [0, 8] }");
    check_enclosed(result, "best", 4, 1e-6);
    check_field(result, "at_n", 4, 0);
}

TEST_CASE("steps alone are exact") {
    const core::Result result = optimum("(n - 7)^2 + 1", "goal = 'least'\nover = { n = { from = 0, to = 20 } }");
    check_field(result, "best", 1, 0);
    check_field(result, "at", 7, 0);
    CHECK(result.find("best")->rigour == core::Rigour::exact);
}

TEST_CASE("a condition that holds nowhere, and a formula without a value") {
    CHECK(!optimum("x", "where = 'x > 9'\nover = { x = [0, 1] }").find("best")->number);
    CHECK(!optimum("log(x)", "over = { x = [-1, 1] }").find("best")->number);
}

}  // namespace
}  // namespace farfield::quantity
