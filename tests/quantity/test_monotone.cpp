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

TEST_CASE("integers are followed one by one where the formula has steps") {
    check_holds(ask("t5_bucket(n, 32, 128)", "nondecreasing", "n = { from = 0, to = 1000 }"));
    check_fails(ask("floor(n/2)", "increasing", "n = { from = 0, to = 9 }"), 0, 0);
    check_fails(ask("n % 10", "increasing", "n = { from = 0, to = 99 }"), 9, 0);
    // Two equal irrational values.
    check_holds(ask("sqrt(2)*floor(n/2)", "nondecreasing", "n = { from = 0, to = 9 }"));
}

TEST_CASE("a formula with steps is refused over reals, as are a missing direction and an unnamed variable") {
    CHECK_THAT(refusal(monotone_kind(), "formula = 'floor(x)'\ndirection = 'increasing'\nover = { x = [0, 1] }"),
               Contains("study.toml:1:12") && Contains("steps"));
    CHECK_THAT(refusal(monotone_kind(), "formula = 'x'\nover = { x = [0, 1] }"), Contains("direction"));
    CHECK_THAT(refusal(monotone_kind(), "formula = 'x*y'\ndirection = 'increasing'\nover = { x = [0, 1], y = [0, 1] }"),
               Contains("the key 'in'"));
    CHECK_THAT(refusal(monotone_kind(), "formula='x'\ndirection='increasing'\nover = { x = [0, 1] }\nin = 'z'"),
               Contains("no variable of 'over'"));
}

}  // namespace
}  // namespace farfield::quantity
