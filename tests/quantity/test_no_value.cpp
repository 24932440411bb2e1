// The part of a formula that a message names if the formula has no value.
#include <catch2/catch.hpp>

#include <farfield/formula/parser.hpp>

#include "quantity/no_value.hpp"

namespace farfield::quantity {
namespace {

std::string why(const std::string& formula, double n) {
    return why_no_value(formula::parse(formula), {{"n", n}});
}

const std::string usual = "0/0, inf - inf, roots and logarithms below zero have none";

TEST_CASE("the innermost part without a value is named, with what its operator needs") {
    CHECK(why("1 + 2*log(3 - n)", 4) == "log(3 - n) has no value there: log(a) needs a > 0");
    CHECK(why("0*(1/n)", 0) == "1/n has no value there: a/b needs b != 0");
    CHECK(why("e4m3(500 + n)", 0) == "e4m3(500 + n) has no value there: e4m3(a) needs abs(a) <= 464");
    CHECK(why("sum(i, 0, n/2, i)", 3) ==
          "sum(i, 0, n/2, i) has no value there: its bounds must be integers, and its body must have a value");
}

TEST_CASE("the branch of an if() that is not taken needs no value") {
    CHECK(why("if(n > 3, log(n - 9), sqrt(n - 9))", 4) == "log(n - 9) has no value there: log(a) needs a > 0");
    CHECK(why("if(n > 3, log(n - 9), sqrt(n - 9))", 3) == "sqrt(n - 9) has no value there: sqrt(a) needs a >= 0");
}

TEST_CASE("without such a part, or with a long one, the usual causes are named") {
    CHECK(why("n + 1", 4) == usual);
    CHECK(why("inf - n", 4) == "inf - n has no value there");
    CHECK(why("log(n - 1 - 2 - 3 - 4 - 5 - 6 - 7 - 8 - 9 - 10 - 11 - 12 - 13 - 14 - 15 - 16 - 17 - 18 - 19 - 20 - 21)",
              0) == usual);
    CHECK(why("t[n]", 0) == usual);
    CHECK(why("log(n) + sum(i, 1, 1e9, sin(i))", 0) == usual);
}

}  // namespace
}  // namespace farfield::quantity
