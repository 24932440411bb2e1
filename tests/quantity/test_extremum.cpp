#include <catch2/catch.hpp>

#include "checks.hpp"
#include "compute.hpp"
#include "quantity/kinds.hpp"

namespace farfield::quantity {
namespace {

using Catch::Contains;

TEST_CASE("the extremes of a grid are among its values") {
    const core::Result result = compute(extremum_kind(), "formula = '(x - 2)^2'\nover = { x = { from = -1, to = 6 } }");
    check_field(result, "min", 0);
    check_field(result, "argmin", 2);
    check_field(result, "max", 16);
    check_field(result, "argmax", 6);
}

TEST_CASE("the extremes of another curve are read in a range") {
    const Known known = {{"row", compute(curve_kind(), "formula = 'abs(n - 5)'\ndistances = { to = 10 }")}};
    const core::Result result = compute(extremum_kind(), "of = 'row'\nrange = { from = 6, to = 8 }", known);
    check_field(result, "min", 1);
    check_field(result, "argmax", 8);
}

TEST_CASE("over reals the extremes are proved and not met by chance") {
    // x e^-x has its greatest value 1/e at x = 1 and falls below its value at 0, which is 0, nowhere above 0.
    const core::Result result = compute(extremum_kind(), "formula = 'x*exp(-x)'\nover = { x = [0, 10] }");
    check_field(result, "max", std::exp(-1.0), 1e-10);
    check_field(result, "argmax", 1, 1e-4);
    check_field(result, "min", 0, 1e-12);
    check_field(result, "argmin", 0, 1e-8);
}

TEST_CASE("the six-hump camel's least value is the published -1.0316284535") {
    // Dixon and Szego 1978; minima at (0.0898, -0.7126) and its opposite. The longer digits by mpmath's findroot of
    // both derivatives.
    const core::Result result =
        compute(extremum_kind(),
                "formula = '(4 - 2.1*x^2 + x^4/3)*x^2 + x*y + (4*y^2 - 4)*y^2'\nover = { x = [-3, 3], y = [-2, 2] }");
    const core::Cell& least = *result.find("min");
    CHECK_FALSE(!(std::abs(*least.number + 1.0316284535) <= 1e-9));
    REQUIRE(least.enclosure);
    CHECK(least.enclosure->contains(-1.0316284534898773504));
    CHECK_FALSE(!(least.enclosure->width() <= 1e-6));
    const core::Cell& where = *result.find("argmin_x");
    REQUIRE(where.enclosure);
    CHECK(where.enclosure->contains(0.0898));
    CHECK(where.enclosure->contains(-0.0898));
}

TEST_CASE("a formula with steps is bounded without its slope") {
    const core::Result result = compute(extremum_kind(), "formula = 'floor(x) - x/2'\nover = { x = [0, 3.5] }");
    // Rises by 1 at integers and falls between: greatest at 3 (1.5), least just below 1, -0.5, not attained.
    check_field(result, "max", 1.5, 1e-9);
    check_field(result, "argmax", 3, 1e-4);
    CHECK(result.find("min")->enclosure->contains(-0.5));
}

TEST_CASE("fewer boxes give a wider enclosure, and are only for reals") {
    // The greatest value of x e^-x is 1/e.
    const std::string question = "formula = 'x*exp(-x)'\nover = { x = [0, 10] }\nboxes = ";
    const core::Enclosure few = *compute(extremum_kind(), question + "20").find("max")->enclosure;
    const core::Enclosure many = *compute(extremum_kind(), question + "2000").find("max")->enclosure;
    CHECK(few.contains(std::exp(-1.0)));
    CHECK(many.width() < few.width());
    CHECK_THAT(refusal(extremum_kind(), "formula = 'n'\nover = { n = { from = 0, to = 9 } }\nboxes = 20"),
               Contains("'boxes' without real variables"));
}

TEST_CASE("a monotone formula has its extremes at the ends") {
    const core::Result result = compute(extremum_kind(), "formula = 'x'\nover = { x = [0.25, 0.75] }");
    CHECK(*result.find("min")->enclosure == core::Enclosure::exactly(0.25));
    CHECK(*result.find("max")->enclosure == core::Enclosure::exactly(0.75));
    check_field(compute(extremum_kind(), "formula = 'sqrt(x) - 2*y'\nover = { x = [0, 4], y = [1, 3] }"), "min", -6);
}

TEST_CASE("all equally good points are enclosed if a monotone formula is not strictly monotone") {
    // floor(x) over [0, 1.5] is 0 up to 1, and 1 from there on.
    const core::Result steps = compute(extremum_kind(), "formula = 'floor(x)'\nover = { x = [0, 1.5] }");
    for (const char* name : {"argmin", "argmax"}) {
        REQUIRE(steps.find(name)->enclosure);
        CHECK(*steps.find(name)->enclosure == core::Enclosure{0, 1.5});
    }
    CHECK(*steps.find("max")->enclosure == core::Enclosure::exactly(1));
    // x^3 has a slope of 0, and rises all the same; y is strictly monotone only where x is not 0.
    const core::Result cube = compute(extremum_kind(), "formula = 'x^3'\nover = { x = [0, 0.3] }");
    CHECK(cube.find("argmax")->rational == "0.3");
    const core::Result plane = compute(extremum_kind(), "formula = 'x*y'\nover = { x = [0, 1], y = [0, 1] }");
    CHECK(*plane.find("argmin_y")->enclosure == core::Enclosure{0, 1});
    CHECK(*plane.find("max")->enclosure == core::Enclosure::exactly(1));
}

TEST_CASE("a greatest value beyond doubles keeps its sign") {
    // 1000^1000 is 1 with 3000 zeros.
    const core::Result result = compute(extremum_kind(), "formula = 'x^x'\nover = { x = [100, 1000] }");
    CHECK(result.find("max")->rational.substr(0, 3) == "100");
    CHECK(result.find("max")->enclosure->lo > 1e308);
}

TEST_CASE("a formula without a value somewhere has no extremes") {
    for (const char* formula : {"1/(x - 0.1)", "log(x)", "sqrt(x)", "tan(2*x)"}) {
        INFO(formula);
        const core::Result result =
            compute(extremum_kind(), "formula = '" + std::string(formula) + "'\nover = { x = [-1, 1] }");
        check_null(result, "min");
        check_null(result, "argmax");
    }
}

TEST_CASE("mixed or empty variables are refused") {
    CHECK_THAT(refusal(extremum_kind(), "formula = 'x + y'\nover = { x = [0, 1], y = { to = 4 } }"),
               Contains("are mixed"));
    CHECK_THAT(refusal(extremum_kind(), "formula = 'x'\nover = { x = [2, 1] }"), Contains("empty"));
}

}  // namespace
}  // namespace farfield::quantity
