#include <catch2/catch.hpp>
#include <cmath>

#include "compute.hpp"
#include "quantity/kinds.hpp"

namespace farfield::quantity {
namespace {

using Catch::Contains;

core::Result ask(const std::string& formula, const std::string& direction, const std::string& over,
                 const std::string& more = "") {
    return compute(monotone_kind(),
                   "formula = '" + formula + "'\ndirection = '" + direction + "'\nover = { " + over + " }\n" + more);
}

void check_holds(const core::Result& result) {
    CHECK(result.find("holds")->number == 1);
    CHECK(result.find("holds")->rigour == core::Rigour::exact);
    CHECK_FALSE(result.find("first_counterexample")->number);
}

void check_fails(const core::Result& result, double first, double tolerance) {
    CHECK(result.find("holds")->number == 0);
    const core::Cell* counterexample = result.find("first_counterexample");
    REQUIRE(counterexample->number);
    INFO("first counterexample " << *counterexample->number);
    CHECK(std::abs(*counterexample->number - first) <= tolerance);
}

TEST_CASE("a decay over a range of reals is proved") {
    check_holds(ask("exp(-x/30)", "decreasing", "x = [0, 1000]"));
    check_holds(ask("1/(1 + x/30)", "decreasing", "x = [0, 1000]"));
    check_holds(ask("-r*log(1 + n)", "decreasing", "n = [0, 8192], r = [0.1, 2]", "in = 'n'"));
}

TEST_CASE("the cosine falls up to pi and not beyond") {
    check_holds(ask("cos(x)", "decreasing", "x = [0, 3.141592653589793]"));
    check_fails(ask("cos(x)", "decreasing", "x = [0, 4]"), std::acos(-1.0), 1e-6);
}

TEST_CASE("a zero of the slope breaks neither direction, a flat stretch breaks the strict one") {
    check_holds(ask("x^3", "nondecreasing", "x = [-1, 1]"));
    check_holds(ask("-x^2", "decreasing", "x = [0, 1]"));
    check_holds(ask("max(x, 1)", "nondecreasing", "x = [0, 2]"));
    check_fails(ask("max(x, 1)", "increasing", "x = [0, 2]"), 0, 0);
}

TEST_CASE("the penalty d exp(-d/rho) rises up to rho = 30 and falls from there") {
    check_holds(ask("x*exp(-x/30)", "increasing", "x = [0, 29.999]"));
    check_fails(ask("x*exp(-x/30)", "nondecreasing", "x = [0, 100]"), 30, 1e-3);
    check_fails(ask("n*exp(-n/30)", "nondecreasing", "n = { from = 0, to = 100 }"), 30, 0);
}

TEST_CASE("values far apart refute what slopes leave open") {
    // By the definitions: remainders fall back, steps are flat, 0^x is 1 at 0 and 0 beyond.
    struct Question {
        const char* formula;
        const char* direction;
        const char* over;
    };
    const auto [formula, direction, over] = GENERATE(
        Question{"x % 1", "increasing", "x = [0, 1]"}, Question{"x - floor(x)", "nondecreasing", "x = [0, 3]"},
        Question{"atan2(x, -1)", "decreasing", "x = [-1, 1]"}, Question{"fp16(x)", "increasing", "x = [0, 10]"},
        Question{"0^x", "decreasing", "x = [0, 1]"}, Question{"x % 1 + y", "increasing", "x = [0, 1], y = [0, 1]"});
    INFO(formula << " " << direction);
    const core::Result result = ask(formula, direction, over, "in = 'x'");
    CHECK(result.find("holds")->number == 0);
    const core::Cell* first = result.find("first_counterexample");
    REQUIRE(first->enclosure);
    CHECK(first->enclosure->contains(*first->number));
}

TEST_CASE("a formula that rises, or has no value somewhere, is not refuted by values far apart") {
    CHECK_FALSE(ask("x % 1", "increasing", "x = [0, 0.999]", "boxes = 20000").find("holds")->number);
    CHECK_FALSE(ask("1/x", "decreasing", "x = [-1, 1]", "boxes = 20000").find("holds")->number);
}

TEST_CASE("integers are followed one by one if the formula has steps") {
    check_holds(ask("t5_bucket(n, 32, 128)", "nondecreasing", "n = { from = 0, to = 1000 }"));
    check_fails(ask("floor(n/2)", "increasing", "n = { from = 0, to = 9 }"), 0, 0);
    check_fails(ask("n % 10", "increasing", "n = { from = 0, to = 99 }"), 9, 0);
    // Two equal irrational values.
    check_holds(ask("sqrt(2)*floor(n/2)", "nondecreasing", "n = { from = 0, to = 9 }"));
}

void check_undecided(const core::Result& result) {
    CHECK_FALSE(result.find("holds")->number);
    CHECK_FALSE(result.find("first_counterexample")->number);
}

TEST_CASE("a kink is not a smooth point: 30x^2 + x - 40|x - 0.5| is 8 at 0.5 and 7.4 at 0.6") {
    check_fails(ask("30*x^2 + x - 40*abs(x - 0.5)", "increasing", "x = [0, 1]"), 0.5, 1e-15);
    check_holds(ask("x + 0.5*abs(x - 0.3) + max(x, 2*x)", "increasing", "x = [-1, 1]"));
    check_fails(ask("min(x, 1 - x)", "nondecreasing", "x = [0, 1]"), 0.5, 1e-15);
}

TEST_CASE("a pole between the values of a grid is detected: (n - 0.5)^-1 is -2 at 0 and 2 at 1") {
    check_fails(ask("(n - 0.5)^(-p)", "decreasing", "n = { to = 10 }, p = { from = 1, to = 3, step = 2 }", "in = 'n'"),
                0, 0);
    check_holds(ask("(n + 0.5)^(-p)", "decreasing", "n = { to = 10 }, p = { from = 1, to = 3, step = 2 }", "in = 'n'"));
    check_undecided(ask("1/(x - 0.5)", "decreasing", "x = [0, 1]", "boxes = 20000"));
}

TEST_CASE("jumps are detected: 0^x is 1 at 0 and 0 above") {
    check_fails(ask("n^x", "nondecreasing", "x = [0, 2], n = { to = 5 }", "in = 'x'"), 0, 1e-300);
    check_holds(ask("n^x", "nondecreasing", "x = [0, 2], n = { from = 1, to = 5 }", "in = 'x'"));
    check_fails(ask("if(x < 0.5, x, x - 1)", "nondecreasing", "x = [0, 1]"), 0.5, 1e-15);
    check_holds(ask("floor(x)", "nondecreasing", "x = [0, 5]"));
    check_fails(ask("floor(x)", "increasing", "x = [0, 5]"), 0, 1);
}

TEST_CASE("the enclosure of a first counterexample at a jump contains the jump") {
    const auto check_between = [](const core::Result& result, double below, double above) {
        CHECK(result.find("holds")->number == 0);
        const auto& first = result.find("first_counterexample")->enclosure;
        REQUIRE(first);
        CHECK(first->lo == below);
        CHECK(first->hi == above);
    };
    // 1/3 lies between two doubles, and so does 0.7. The jump of the last formula is at 1, a double.
    const double third = 1.0 / 3, seven = 0.7;
    check_between(ask("if(x < 1/3, x, x - 0.5)", "increasing", "x = [0, 1]"), third, std::nextafter(third, 1));
    check_between(ask("if(x < 0.7, x, x - 0.5)", "increasing", "x = [0, 1]"), seven, std::nextafter(seven, 1));
    check_between(ask("x - floor(x)", "nondecreasing", "x = [0.2, 1.5]"), std::nextafter(1, 0), 1);
}

TEST_CASE("the stated directions of operators decide where derivatives vanish or have no value") {
    check_holds(ask("x^3", "increasing", "x = [0, 1]"));
    check_holds(ask("sqrt(x)", "increasing", "x = [0, 1]"));
    check_holds(ask("sqrt(x) + n", "increasing", "x = [0, 1], n = { to = 3 }", "in = 'x'"));
    check_undecided(ask("sqrt(x)", "increasing", "x = [-1, 1]", "boxes = 20000"));
}

TEST_CASE("a missing direction and an unnamed variable are refused") {
    CHECK_THAT(refusal(monotone_kind(), "formula = 'x'\nover = { x = [0, 1] }"), Contains("direction"));
    CHECK_THAT(refusal(monotone_kind(), "formula = 'x*y'\ndirection = 'increasing'\nover = { x = [0, 1], y = [0, 1] }"),
               Contains("the key 'in'"));
    CHECK_THAT(refusal(monotone_kind(), "formula='x'\ndirection='increasing'\nover = { x = [0, 1] }\nin = 'z'"),
               Contains("not a variable of 'over'"));
}

TEST_CASE("a slope or a step below the least double has a sign") {
    // The slope of 1e-330^x is 1e-330^x*log(1e-330), below 0 and above -1e-326.
    check_holds(ask("1e-330^x", "decreasing", "x = [1, 2]"));
    check_fails(ask("1e-330^x", "nondecreasing", "x = [1, 2]"), 1, 0);
    check_fails(ask("1e-330^x", "increasing", "x = [1, 2]"), 1, 0);
    check_holds(ask("1e-330*x", "increasing", "x = [0, 1]"));
    check_fails(ask("1e-330*x", "nonincreasing", "x = [0, 1]"), 0, 0);
    check_holds(ask("1e-330*sin(x)*1e9", "increasing", "x = [0, 1.5]"));
    check_fails(ask("1e-330*cos(x)", "nonincreasing", "x = [1, 4]"), std::acos(-1.0), 1e-6);
    check_holds(ask("1e-330*n", "increasing", "n = { to = 10 }"));
    check_fails(ask("1e-330*n", "nonincreasing", "n = { to = 10 }"), 0, 0);
    check_fails(ask("1e-330*(n - 3.2)^2", "decreasing", "n = { to = 10 }"), 3, 0);
}

}  // namespace
}  // namespace farfield::quantity
