#include <catch2/catch.hpp>

#include "checks.hpp"
#include "compute.hpp"
#include "quantity/kinds.hpp"

namespace farfield::quantity {
namespace {

core::Result oscillation(const std::string& formula, const std::string& rest) {
    return compute(oscillation_kind(), "formula = '" + formula + "'\n" + rest);
}

TEST_CASE("a falling line never rises") {
    const core::Result result = oscillation("-n/256", "distances = { to = 100 }");
    check_field(result, "increases", 0);
    check_field(result, "decreases", 100);
    check_null(result, "first_increase");
    check_null(result, "largest_increase");
    check_field(result, "total_variation", 100.0 / 256);
    check_field(result, "monotone", 1);
}

TEST_CASE("a saw rises once a period") {
    // n % 4: 0 1 2 3 0 1 2 3 0: three rises of 1 and a fall of 3, twice.
    const core::Result result = oscillation("n % 4", "distances = { to = 8 }");
    check_field(result, "increases", 6);
    check_field(result, "decreases", 2);
    check_field(result, "first_increase", 0);
    check_field(result, "largest_increase", 1);
    check_field(result, "total_variation", 12);
    check_field(result, "monotone", 0);
}

TEST_CASE("a constant neither rises nor falls") {
    const core::Result result = oscillation("7", "distances = { to = 8 }");
    check_field(result, "increases", 0);
    check_field(result, "decreases", 0);
    check_field(result, "monotone", 1);
}

TEST_CASE("the first rise is where the cosine turns") {
    // cos falls up to pi, so cos(4) > cos(3) is not a rise of cos(3) > cos(2); the step 3 -> 4 is the first upward.
    const core::Result result = oscillation("cos(n)", "distances = { to = 6 }");
    check_field(result, "first_increase", 3);
    check_field(result, "increases", 3);
    check_field(result, "largest_increase", std::cos(5.0) - std::cos(4.0), 1e-12);
}

TEST_CASE("a rise that rounding may hide is not certain") {
    // Both are pi on paper: enclosures of the second cannot tell a rise from a fall.
    const core::Result result = oscillation("n == 0 ? pi : 4*atan2(1, 1)", "distances = { to = 1 }");
    const core::Cell& increases = *result.find("increases");
    REQUIRE(increases.enclosure);
    CHECK(increases.enclosure->hi == 1);
    CHECK(increases.enclosure->lo == 0);
}

TEST_CASE("a range cuts the curve of another quantity") {
    const Known known = {{"row", compute(curve_kind(), "formula = 'abs(n - 5)'\ndistances = { to = 10 }")}};
    check_field(compute(oscillation_kind(), "of = 'row'", known), "increases", 5);
    check_field(compute(oscillation_kind(), "of = 'row'\nrange = { from = 2, to = 7 }", known), "increases", 2);
    CHECK_THAT(refusal(oscillation_kind(), "of = 'row'\nrange = { from = 20, to = 70 }", known),
               Catch::Contains("no point"));
    CHECK_THAT(refusal(oscillation_kind(), "of = 'tow'", known), Catch::Contains("Did you mean 'row'"));
}

TEST_CASE("where a rise or a value is not certain, no field of the rise or of the whole is certified") {
    const core::Result rise = oscillation("n == 0 ? 4*atan2(1, 1) : n == 1 ? pi + 1e-15 : 0", "distances = { to = 2 }");
    CHECK(rise.find("decreases")->enclosure);
    const core::Result hidden =
        oscillation("n == 0 ? 4*atan2(1, 1) : n == 1 ? pi + 1e-60 : 0", "distances = { to = 2 }");
    if (hidden.find("first_increase")->number) CHECK_FALSE(hidden.find("first_increase")->enclosure);
    const core::Result unknown = oscillation("n + sqrt(1e-60 + (log(8) - 3*log(2))*n)", "distances = { to = 3 }");
    CHECK(unknown.find("increases")->number == 3);
    CHECK_FALSE(unknown.find("increases")->enclosure);
    CHECK_FALSE(unknown.find("monotone")->enclosure);
    // log2(0) is not a value, whatever the steps after it.
    const core::Result none = oscillation("log2(n)", "distances = { to = 3 }");
    CHECK(none.find("first_increase")->number);
    CHECK_FALSE(none.find("first_increase")->enclosure);
}

}  // namespace
}  // namespace farfield::quantity
