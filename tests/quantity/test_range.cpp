#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "compute.hpp"
#include "quantity/kinds.hpp"

namespace farfield::quantity {
namespace {

using Catch::Contains;

core::Result ask(const std::string& formula, const std::string& format, const std::string& over,
                 const std::string& more = "") {
    return compute(range_kind(),
                   "formula = '" + formula + "'\nformat = '" + format + "'\nover = { " + over + " }\n" + more);
}

void check_exact(const core::Result& result, const char* name, double expected) {
    const core::Cell* cell = result.find(name);
    REQUIRE(cell);
    INFO(name);
    REQUIRE(cell->number);
    CHECK(*cell->number == expected);
    CHECK(cell->rigour == core::Rigour::exact);
}

TEST_CASE("powers of two overflow fp16 at 2^16 and vanish at 2^-25, which is a tie to zero") {
    const core::Result up = ask("2^n", "fp16", "n = { from = 0, to = 40 }");
    check_exact(up, "first_overflow", 16);
    check_exact(up, "last_finite", 15);
    CHECK_FALSE(up.find("first_subnormal")->number);
    const core::Result down = ask("2^-n", "fp16", "n = { from = 0, to = 40 }");
    check_exact(down, "first_subnormal", 15);
    check_exact(down, "last_positive", 24);
    check_exact(down, "first_underflow", 25);
    CHECK_FALSE(down.find("first_overflow")->number);
}

TEST_CASE("e4m3 rounds 464 down to 448 and has no number above it") {
    check_exact(ask("n", "e4m3", "n = { from = 0, to = 1000 }"), "last_finite", 464);
    check_exact(ask("-n", "e4m3", "n = { from = 0, to = 1000 }"), "first_overflow", 465);
}

TEST_CASE("xPos's largest scale overflows fp16 at the position that logarithms give") {
    // (1/3.5)^(-p/512) reaches 65520, from where fp16 rounds to infinity.
    const double expected = std::ceil(512 * std::log(65520.0) / std::log(3.5));
    const core::Result result = ask("(0.4/1.4)^(-p/512)", "fp16", "p = { from = 0, to = 100000 }");
    check_exact(result, "first_overflow", expected);
    check_exact(result, "last_finite", expected - 1);
    check_exact(ask("(0.4/1.4)^(p/512)", "fp16", "p = { from = 0, to = 100000 }"), "first_underflow",
                std::ceil(512 * 25 * std::log(2.0) / std::log(3.5)));
}

TEST_CASE("values below all doubles are told from zero") {
    const core::Result grid = ask("exp(x)", "fp16", "x = { from = -1000, to = 5 }");
    check_exact(grid, "first_underflow", -1000);
    // 2^-25 is the tie that rounds to zero.
    check_exact(grid, "first_subnormal", std::ceil(-25 * std::log(2.0)));
    check_exact(ask("max(0, x)*exp(-1000)", "fp16", "x = { from = -3, to = 5 }"), "first_underflow", 1);
    const core::Result reals = ask("x^2", "fp16", "x = [0, 1]");
    const core::Cell* first = reals.find("first_underflow");
    REQUIRE(first->enclosure);
    CHECK(first->enclosure->lo == 0);
    CHECK(first->enclosure->hi <= 0x1p-1000);
    const core::Result fast = ask("exp(x)", "fp32", "x = [-1000, 5]");
    CHECK(fast.find("first_underflow")->number == -1000);
}

TEST_CASE("over reals the threshold is enclosed") {
    const core::Result result = ask("exp(x)", "fp16", "x = [0, 20]");
    const core::Cell* first = result.find("first_overflow");
    REQUIRE(first->enclosure);
    CHECK(first->rigour == core::Rigour::rigorous);
    CHECK(std::abs(*first->number - std::log(65520.0)) <= 1e-13);
    CHECK(first->enclosure->width() <= 1e-13);
    CHECK(result.find("last_finite")->enclosure->lo <= *first->number);
}

TEST_CASE("an overflow or underflow from the start of the domain on is first at the number as written") {
    check_exact(ask("1e9*x", "fp16", "x = [0.3, 0.7]"), "first_overflow", 0.3);
    CHECK(ask("1e9*x", "fp16", "x = [0.3, 0.7]").find("first_overflow")->rational == "0.3");
    CHECK(ask("1e-20*x", "fp16", "x = [0.3, 0.7]").find("first_underflow")->rational == "0.3");
}

TEST_CASE("no more boxes are examined than requested") {
    const std::string over = "x = [0, 20]";
    CHECK_FALSE(ask("exp(x)", "fp16", over, "boxes = 2").find("first_overflow")->number);
    CHECK(ask("exp(x)", "fp16", over, "boxes = 1000").find("first_overflow")->number);
    CHECK_THAT(refusal(range_kind(), "formula='n'\nformat='fp16'\nover={ n = { to = 9 } }\nstepwise=true\nboxes=9"),
               Contains("'boxes' with 'stepwise'"));
}

TEST_CASE("the first of several crossings counts") {
    // 70000 at n = 3 alone, and from 50 on.
    check_exact(ask("n == 3 ? 70000 : 1400*n", "fp16", "n = { from = 0, to = 100 }"), "first_overflow", 3);
}

TEST_CASE("a value that is zero has not underflowed") {
    check_exact(ask("n*1e-6", "fp16", "n = { from = 0, to = 10 }"), "first_subnormal", 1);
    CHECK_FALSE(ask("n*1e-6", "fp16", "n = { from = 0, to = 10 }").find("first_underflow")->number);
    check_exact(ask("n*1e-9", "fp16", "n = { from = 0, to = 10 }"), "first_underflow", 1);
}

TEST_CASE("every operation rounded overflows within, where the value itself does not") {
    // 256*256 = 65536 is not a fp16 number; 256*256/256 is.
    const std::string over = "n = { from = 1, to = 300 }";
    check_exact(ask("n*n/n", "fp16", over, "stepwise = true"), "first_overflow", 256);
    CHECK_FALSE(ask("n*n/n", "fp16", over).find("first_overflow")->number);
    check_exact(ask("2^-n", "fp16", "n = { from = 0, to = 40 }", "stepwise = true"), "first_underflow", 25);
}

TEST_CASE("long ranges are searched, not listed") {
    // fp32 overflows from half a unit of its last place below 2^128 on.
    const double expected = static_cast<double>(std::ceil(std::cbrt(std::ldexp(1.0L, 128) - std::ldexp(1.0L, 103))));
    check_exact(ask("n*n*n", "fp32", "n = { from = 0, to = 1000000000000000 }"), "first_overflow", expected);
}

TEST_CASE("nothing is decided where the formula has no value") {
    const core::Result result = ask("log(n)", "fp16", "n = { from = -3, to = -1 }");
    CHECK_FALSE(result.find("first_overflow")->number);
    CHECK(std::any_of(result.notes.begin(), result.notes.end(), [](const auto& note) {
        return note == std::pair<std::string, std::string>("not decided", "no value at n in [-3, -1]");
    }));
    // A place without a value leaves open what happens before it, too: 1/x overflows below 0.
    for (const char* over : {"x = [-1, 1]", "n = { from = -3, to = 3 }"}) {
        const std::string variable(over, 1);
        const core::Result around = ask("1e6/" + variable, "fp16", over);
        for (const char* field : {"first_overflow", "last_finite", "first_underflow", "first_subnormal"})
            CHECK_FALSE(around.find(field)->number);
    }
}

TEST_CASE("invalid keys are refused at their place") {
    CHECK_THAT(refusal(range_kind(), "formula='n'\nformat='fp61'\nover={ n = { to = 9 } }"),
               Contains("study.toml:2:9") && Contains("Did you mean 'fp16'?"));
    CHECK_THAT(refusal(range_kind(), "formula='x'\nformat='fp16'\nover={ x = [0, 1] }\nstepwise = true"),
               Contains("a grid"));
    CHECK_THAT(refusal(range_kind(), "formula='x*y'\nformat='fp16'\nover={ x = [0, 1], y = [0, 1] }"),
               Contains("2 variables"));
}

TEST_CASE("a stepwise zero that is exactly zero is not an underflow") {
    // 100.3 - 100.3 is 0, which an enclosure of 100.3 does not show.
    const core::Result result = compute(range_kind(),
                                        "formula = 'abs(n) - n'\nformat = 'e4m3'\nstepwise = true\nover = { n = { from "
                                        "= 100, to = 101, step = 0.3 } }");
    CHECK_FALSE(result.find("first_underflow")->number);
}

TEST_CASE("where the first value may overflow already, none is stated to be the last before") {
    // log(exp(464)) is 464, e4m3's threshold, which no enclosure decides; the next value is beyond it.
    const std::string tie = "log(exp(464))";
    const core::Result grid = ask(tie + " + n", "e4m3", "n = { from = 0, to = 9 }");
    REQUIRE(grid.find("first_overflow")->enclosure);
    CHECK(grid.find("first_overflow")->enclosure->lo == 0);
    CHECK(grid.find("first_overflow")->enclosure->hi == 1);
    CHECK_FALSE(grid.find("last_finite")->number);
    const core::Result later = ask(tie + " - 3 + n", "e4m3", "n = { from = 0, to = 9 }");
    REQUIRE(later.find("last_finite")->enclosure);
    CHECK(later.find("first_overflow")->enclosure->lo == 3);
    CHECK(later.find("first_overflow")->enclosure->hi == 4);
    CHECK(later.find("last_finite")->enclosure->lo == 2);
    CHECK(later.find("last_finite")->enclosure->hi == 3);
    const core::Result line = ask(tie + " + x", "e4m3", "x = [0, 9]", "boxes = 2000");
    CHECK(line.find("first_overflow")->number);
    CHECK_FALSE(line.find("last_finite")->number);
}

}  // namespace
}  // namespace farfield::quantity
