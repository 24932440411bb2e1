#include <catch2/catch.hpp>

#include <cmath>
#include <numbers>
#include <string>

#include "checks.hpp"
#include "compute.hpp"
#include "quantity/kinds.hpp"

namespace farfield::quantity {
namespace {

using Catch::Contains;

core::Cell integral(const std::string& formula, const std::string& over) {
    const core::Result result = compute(integral_kind(), "formula = '" + formula + "'\nover = { x = " + over + " }");
    return *result.find("value");
}

/// The enclosure holds the true value, within a few units of 1e-16 of it, and is as narrow as the page says.
void check_encloses(const core::Cell& found, double wanted, double width) {
    REQUIRE(found.enclosure);
    CHECK(found.enclosure->lo <= wanted + 4e-16 * std::abs(wanted));
    CHECK(found.enclosure->hi >= wanted - 4e-16 * std::abs(wanted));
    CHECK_FALSE(!(found.enclosure->width() <= width));
}

TEST_CASE("integrals of analytic formulas, by their antiderivatives") {
    check_encloses(integral("exp(x)", "[0, 1]"), std::numbers::e - 1, 3e-13);
    check_encloses(integral("x^3 - 2*x", "[-1, 2]"), 0.75, 1e-12);
    check_encloses(integral("cos(3*x)", "[0, 5]"), std::sin(15.0) / 3, 5e-13);
    check_encloses(integral("1/(1 + x^2)", "[-1, 1]"), std::numbers::pi / 2, 3e-13);
    check_encloses(integral("sum(i, 1, 8, x^i)", "[0, 1]"), 1.8289682539682539683, 3e-13);  // 1/2 + ... + 1/9
    check_encloses(integral("log(x)", "[0.1, 0.9]"), 0.9 * std::log(0.9) - 0.1 * std::log(0.1) - 0.8, 2e-13);
}

TEST_CASE("an integral of an odd function is about 0 of the sum of magnitudes") {
    const core::Cell found = integral("sin(x)", "[-2, 2]");
    REQUIRE(found.enclosure);
    CHECK(found.enclosure->contains(0));
    CHECK(found.enclosure->width() <= 4e-13);
}

TEST_CASE("decimal ends count as they are written") {
    // 0.3^2/2 - 0.1^2/2, in decimals.
    check_encloses(integral("x", "[0.1, 0.3]"), 0.04, 1e-14);
    check_encloses(integral("1", "[0.1, 0.3]"), 0.2, 1e-14);
}

TEST_CASE("kinks and jumps are enclosed by the range") {
    check_encloses(integral("abs(x - 0.3)", "[0, 1]"), 0.29, 2e-13);
    check_encloses(integral("floor(x)", "[0, 3.5]"), 4.5, 1e-12);
    check_encloses(integral("x > 1 ? 2 : 0", "[0, 3]"), 4, 1e-12);
}

TEST_CASE("the sine integral is Si") {
    // Si(2) - Si(1) = 0.65932990643551183363..., by the power series in exact rationals.
    check_encloses(integral("sin(x)/x", "[1, 2]"), 0.65932990643551183363, 2e-13);
    const core::Cell si = *compute(value_kind(), "formula = 'Si(2) - Si(1)'").find("value");
    CHECK(std::abs(*si.number - 0.65932990643551183363) <= 1e-15);
}

TEST_CASE("a formula without a value somewhere has no integral") {
    const core::Result result = compute(integral_kind(), "formula = '1/x'\nover = { x = [-1, 1] }");
    CHECK_FALSE(result.find("value")->number);
    CHECK_THAT(result.notes.back().second, Contains("to have a value at x in"));
    CHECK_FALSE(integral("sqrt(x)", "[-1, 1]").number);
}

TEST_CASE("an integral is over one interval") {
    for (const char* over : {"{ x = { from = 0, to = 3 } }", "{ x = [0, 1], y = [0, 1] }"})
        CHECK_THAT(refusal(integral_kind(), std::string("formula = 'x'\nover = ") + over),
                   Contains("over other than one interval"));
}

}  // namespace
}  // namespace farfield::quantity
