#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "checks.hpp"
#include "compute.hpp"
#include "quantity/kinds.hpp"

namespace farfield::quantity {
namespace {

using Catch::Contains;

TEST_CASE("a value is the formula's, enclosed to neighbouring doubles") {
    const core::Result result = compute(value_kind(), "formula = '1/3'");
    const core::Cell& value = *result.find("value");
    CHECK(*value.number == 1.0 / 3);
    REQUIRE(value.enclosure);
    // 1/3 is not a double: the enclosure has width, one unit in the last place of numbers in [1/4, 1/2] at most.
    CHECK(value.enclosure->lo < value.enclosure->hi);
    CHECK(value.enclosure->width() <= 0x1p-54);
    CHECK(value.rigour == core::Rigour::exact);
    CHECK(value.rational == "1/3");
    CHECK(compute(value_kind(), "formula = 'sqrt(2)'").find("value")->rigour == core::Rigour::rigorous);
}

TEST_CASE("let and params stand for numbers and formulas, each of which may use the earlier ones") {
    check_field(compute(value_kind(), "formula = 'c*w'\nparams = { w = 40 }\nlet = { a = 2, c = 'a^3 + w' }"), "value",
                1920);
}

TEST_CASE("the keys of heads and widths give h, H, d, L, Ltr, layer and R") {
    const std::string keys =
        "head = 2\nheads = 8\nhead_dim = 64\nlength = 512\ntrain_length = 128\nlayer = 3\nlayers = 12\n";
    check_field(compute(value_kind(), keys + "formula = 'h + 10*H + 100*d + 1e5*L + 1e8*Ltr + 1e11*layer + 1e12*R'"),
                "value", 12312851206482.0);
}

TEST_CASE("a value in fp16 is rounded at every operation") {
    // 1 + 2^-11 is a tie between 1 and 1 + 2^-10 and goes to the even one, 1.
    check_field(compute(value_kind(), "formula = '(1 + 2^(-11)) - 1'\nin = 'fp16'"), "value", 0);
    check_field(compute(value_kind(), "formula = '(1 + 2^(-10)) - 1'\nin = 'fp16'"), "value", 0x1p-10);
}

TEST_CASE("a value in fp32 is rounded correctly at every operation, and exact") {
    // 2e-9 is far below half a unit of the last place of 1, 2^-24.
    const core::Result sum = compute(value_kind(), "formula = 'log(1 + exp(-20))'\nin = 'float'");
    check_field(sum, "value", 0);
    CHECK(sum.find("value")->rigour == core::Rigour::exact);
    check_field(compute(value_kind(), "formula = '1/3'\nin = 'fp32'"), "value", static_cast<double>(1.0F / 3.0F));
    // e^-20 = 2.0611536181902037e-09, which is known to all digits of a double.
    check_field(compute(value_kind(), "formula = 'exp(-20)'\nin = 'float'"), "value",
                static_cast<double>(static_cast<float>(2.0611536181902037e-09)));
}

TEST_CASE("a pole has no value, though doubles make an infinity of it") {
    for (const char* formula : {"1/(3 - 3)", "log(0)", "-1/0", "0^(-2)"}) {
        INFO(formula);
        CHECK_FALSE(compute(value_kind(), std::string("formula = '") + formula + "'").find("value")->number);
    }
    const auto note_of = [](const std::string& toml) {
        const core::Result result = compute(value_kind(), toml);
        REQUIRE(result.notes.size() == 1);
        CHECK(result.notes.front().first == "no value");
        return result.notes.front().second;
    };
    CHECK(note_of("formula = '2 + 1/(3 - 3)'") == "1/(3 - 3) has no value there: a/b needs b != 0");
    CHECK(note_of("formula = 'fp16(1e6)'") == "fp16(1e6) has no value there: fp16(a) needs abs(a) < 65520");
    // In a number system that rounds, an overflow is a value.
    CHECK(compute(value_kind(), "formula = '300*300'\nin = 'fp16'").find("value")->number ==
          std::numeric_limits<double>::infinity());
    // One too large for a double has a value, which an enclosure bounds from below.
    const core::Cell large = *compute(value_kind(), "formula = 'exp(1000)'").find("value");
    REQUIRE(large.enclosure);
    CHECK(large.enclosure->lo == std::numeric_limits<double>::max());
}

TEST_CASE("a value may be infinite") {
    CHECK(compute(value_kind(), "formula = '-inf'").find("value")->number == -std::numeric_limits<double>::infinity());
}

TEST_CASE("there is no value if a part of it is not shown to have one") {
    // 1/0 is not a real number, though intervals of extended reals bound its tanh. Doubles give 1/sin(pi) as 8e15.
    for (const char* formula : {"tanh(1/0)", "clamp(1 - 2/0, -12, 2)", "sign(0^(-2))", "round(9^log2(0))", "1/sin(pi)",
                                "tan(pi/2)", "log(sin(pi))", "1/(sqrt(2)^2 - 2)", "1/fp16(1e6)", "min(fp16(1e6), 3)"}) {
        INFO(formula);
        const core::Result result = compute(value_kind(), std::string("formula = '") + formula + "'");
        CHECK_FALSE(result.find("value")->number);
        CHECK_FALSE(result.find("value")->enclosure);
        CHECK(result.notes.front().first == "no value");
    }
}

TEST_CASE("a value in more digits is the nearest double") {
    // In doubles sqrt(2)^2 - 2 is 2^-51. To 50 digits its error is below 10^-49.
    const core::Result result = compute(value_kind(), "formula = 'sqrt(2)'\nin = 'mp50'");
    CHECK(result.find("value")->number == std::numbers::sqrt2);
    CHECK(std::abs(*compute(value_kind(), "formula = 'sqrt(2)^2 - 2'\nin = 'mp50'").find("value")->number) < 1e-49);
}

TEST_CASE("a value that is not a number is refused at its formula") {
    const std::string text = refusal(value_kind(), "formula = '0*inf'");
    CHECK_THAT(text, Contains("study.toml:1:12: the formula has no value (NaN)"));
}

TEST_CASE("an unknown name, a condition and a missing formula are refused") {
    CHECK_THAT(refusal(value_kind(), "formula = '2*pj'"), Contains("'pj'") && Contains("1:14"));
    CHECK_THAT(refusal(value_kind(), "formula = '2 < 3'"), Contains("the formula is a condition"));
    CHECK_THAT(refusal(value_kind(), ""), Contains("'formula'"));
}

TEST_CASE("an unknown number system is refused") {
    CHECK_THAT(refusal(value_kind(), "formula = '1'\nin = 'fp17'"), Contains("fp17") && Contains("2:7"));
}

}  // namespace
}  // namespace farfield::quantity
