// What proofs conclude of formulas with rounding operators: steps, whose derivative of training is not their slope.
#include <catch2/catch.hpp>

#include "checks.hpp"
#include "compute.hpp"
#include "quantity/kinds.hpp"

namespace farfield::quantity {
namespace {

core::Result monotone(const std::string& formula, const std::string& direction) {
    return compute(monotone_kind(), "formula = '" + formula + "'\ndirection = '" + direction +
                                        "'\nover = { x = [1, 1.01] }\nboxes = 20000");
}

TEST_CASE("rounding never decreases, and nothing more is concluded of its direction") {
    check_field(monotone("fp16(x)", "nondecreasing"), "holds", 1);
    check_field(monotone("x + bf16(x)", "increasing"), "holds", 1);
    // Flat between steps, so not strict; x less a share of fp16(x) falls at each step although 1 - 0.999 > 0.
    CHECK(monotone("fp16(x)", "increasing").find("holds")->number != 1);
    CHECK(monotone("x - 0.999*fp16(x)", "nondecreasing").find("holds")->number != 1);
    CHECK(monotone("fp16(x) - x", "nonincreasing").find("holds")->number != 1);
    CHECK(monotone("(x - fp16(x))^2", "nondecreasing").find("holds")->number != 1);
}

TEST_CASE("the error of rounding is half a spacing, not zero") {
    const core::Result result =
        compute(extremum_kind(), "formula = 'fp16(x) - x'\nover = { x = [1, 1.0009765625] }\nboxes = 2000");
    // Halfway between 1 and 1 + 2^-10 it jumps from -2^-11 to 2^-11.
    CHECK(result.find("min")->enclosure->lo <= -0x1p-11);
    CHECK(result.find("max")->enclosure->hi >= 0x1p-11 * (1 - 1e-12));
    CHECK(result.find("max")->enclosure->hi <= 0x1p-10);
}

TEST_CASE("identities") {
    const auto holds = [](const std::string& left, const std::string& right) {
        return compute(identity_kind(),
                       "left = '" + left + "'\nright = '" + right + "'\nover = { x = [-2, 3] }\nboxes = 2000")
            .find("holds")
            ->number;
    };
    CHECK(holds("fp16(-x)", "-fp16(x)") == 1);
    CHECK(holds("bf16(x) + bf16(x)", "2*bf16(x)") == 1);
    CHECK(holds("fp16(x)", "x") == 0);
    CHECK(holds("bf16(2*x + 0.1)", "2*bf16(x) + bf16(0.1)") != 1);
    CHECK(holds("fp32(fp16(x))", "fp16(x)") != 0);
}

TEST_CASE("where a format overflows there is no value") {
    check_null(compute(extremum_kind(), "formula = 'e4m3(x)'\nover = { x = [0, 500] }"), "max");
    check_field(compute(extremum_kind(), "formula = 'e4m3(x)'\nover = { x = [0, 464] }"), "max", 448);
    check_null(compute(extremum_kind(), "formula = 'atan2(fp16(x), 1)'\nover = { x = [0, 65520] }"), "max");
}

TEST_CASE("a rounded line crosses a number of the format where it leaves this number") {
    const core::Result result = compute(crossing_kind(), "formula = 'fp16(x)'\nlevel = 1\nover = { x = [0, 2] }");
    check_field(result, "count", 1);
    // 1 + 2^-11 is still rounded to 1.
    REQUIRE(result.find("first")->enclosure);
    CHECK(result.find("first")->enclosure->contains(1 + 0x1p-11));
    check_field(compute(crossing_kind(), "formula = 'bf16(n)'\nlevel = 256\nover = { n = { to = 300 } }"), "first",
                258);
}

}  // namespace
}  // namespace farfield::quantity
