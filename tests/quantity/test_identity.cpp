#include <catch2/catch.hpp>
#include <cmath>

#include "checks.hpp"
#include "compute.hpp"
#include "quantity/kinds.hpp"

namespace farfield::quantity {
namespace {

using Catch::Contains;

const core::Cell& holds(const core::Result& result) {
    return *result.find("holds");
}

const core::Enclosure& difference(const core::Result& result) {
    return *result.find("max_difference")->enclosure;
}

TEST_CASE("an identity of the reals is proved for all values") {
    const core::Result result =
        compute(identity_kind(), "left = '(a + b)*(a - b)'\nright = 'a*a - b*b'\nover = { a = [-9, 9], b = [-9, 9] }");
    CHECK(holds(result).number == 1);
    CHECK(holds(result).rigour == core::Rigour::exact);
    CHECK(difference(result) == core::Enclosure::exactly(0));
}

TEST_CASE("a difference that is not proved to be 0 is bounded, and the identity is undecided") {
    const core::Result result = compute(
        identity_kind(),
        "left = 'exp(a)*exp(b)'\nright = 'exp(a + b) + 0*floor(a)'\nover = { a = [0, 1], b = [0, 1] }\nboxes = 2000");
    if (holds(result).number) CHECK(holds(result).number == 1);
    CHECK(difference(result).contains(0));
}

TEST_CASE("a difference is found with its size: sin x = x on [0, 0.1] errs by 0.1 - sin 0.1") {
    const std::string sides = "left = 'sin(x)'\nright = 'x'\nover = { x = [0, 0.1] }\n";
    const core::Result result = compute(identity_kind(), sides);
    // x^3/6 - x^5/120 + x^7/5040 - x^9/362880 at 0.1; the next term is below 1e-18.
    const double largest = 1e-3 / 6 - 1e-5 / 120 + 1e-7 / 5040 - 1e-9 / 362880;
    CHECK(holds(result).number == 0);
    CHECK(difference(result).lo <= largest + 1e-18);
    CHECK(difference(result).hi >= largest - 1e-18);
    CHECK(difference(result).width() <= 2e-6 * largest);
    CHECK(holds(compute(identity_kind(), sides + "tolerance = 2e-4")).number == 1);
    CHECK(holds(compute(identity_kind(), sides + "tolerance = 1e-4")).number == 0);
}

TEST_CASE("on a grid the values are the grid's alone") {
    const core::Result equal =
        compute(identity_kind(), "left='floor(n/2)*2'\nright='n'\nover = { n = { from = 0, to = 8, step = 2 } }");
    CHECK(holds(equal).number == 1);
    const core::Result other =
        compute(identity_kind(), "left='floor(n/2)*2'\nright='n'\nover = { n = { from = 0, to = 9 } }");
    CHECK(holds(other).number == 0);
    CHECK(difference(other) == core::Enclosure::exactly(1));
}

TEST_CASE("an identity is undecided if a side has no value, and refuted if both have different ones") {
    const auto of = [](const std::string& left, const std::string& right, const std::string& over) {
        return compute(identity_kind(), "left = '" + left + "'\nright = '" + right + "'\nover = { x = " + over + " }");
    };
    for (const auto& [left, right] :
         {std::pair("exp(log(x))", "x"), std::pair("x/x", "1"), std::pair("log(x)", "log(x) + 0"),
          std::pair("sqrt(x)^2", "x"), std::pair("x^0.5*x^0.5", "x")}) {
        INFO(left);
        const core::Result result = of(left, right, "[-1, 1]");
        check_null(result, "holds");
        check_null(result, "max_difference");
        CHECK(holds(of(left, right, "[0.5, 2]")).number == 1);
    }
    CHECK(holds(of("1/x", "2/x", "[-1, 1]")).number == 0);
    CHECK(holds(of("sqrt(x^2)", "abs(x)", "[-1, 1]")).number == 1);
}

TEST_CASE("formulas without variables need no domain") {
    CHECK(holds(compute(identity_kind(), "left = 'sin(1)/sin(1)'\nright = '1'")).number == 1);
    CHECK(holds(compute(identity_kind(), "left = 'sin(1)/sin(1)'\nright = '2'")).number == 0);
    check_null(compute(identity_kind(), "left = '1/(sin(1) - sin(1))'\nright = '1'"), "holds");
}

TEST_CASE("an unknown name is refused with the place of the formula") {
    CHECK_THAT(refusal(identity_kind(), "left = 'y'\nright = 'x'\nover = { x = [0, 1] }"),
               Contains("unknown name 'y'"));
}

TEST_CASE("the largest difference on a grid is enclosed to a millionth, however wide doubles leave it") {
    // Doubles near 1e16 are 2 apart: in them 1e16 + 5 - 1e16 is anything from 4 to 6.
    const core::Result result =
        compute(identity_kind(), "left = 'max(1e16 + n, 3) - 1e16'\nright = '0'\nover = { n = { to = 5 } }");
    CHECK(holds(result).number == 0);
    CHECK(difference(result).contains(5));
    CHECK(difference(result).width() <= 5e-6);
}

}  // namespace
}  // namespace farfield::quantity
