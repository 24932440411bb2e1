#include <catch2/catch.hpp>

#include <farfield/evaluate/enclose.hpp>

#include "formula/form.hpp"

using namespace farfield;
using formula::Idle;

namespace {

struct Found {
    std::optional<Idle::Why> why;
    std::string part;
    bool operator==(const Found&) const = default;
};

Found idle(const std::string& text, const formula::Facts& facts = {}) {
    const formula::Source source{text, {}};
    const auto found = formula::find_idle(formula::parse(source), facts);
    return found ? Found{found->why, formula::written(source, found->part)} : Found{};
}

/// The same with enclosures for the comparisons that the form does not decide.
Found idle_enclosed(const std::string& text, const formula::Facts& facts = {}) {
    const formula::Source source{text, {}};
    const auto found = formula::find_idle(formula::parse(source), facts, evaluate::decide_for_all);
    return found ? Found{found->why, formula::written(source, found->part)} : Found{};
}

const Found nothing;

Found whole(Idle::Why why, const std::string& text) {
    return {why, text};
}

}  // namespace

TEST_CASE("a comparison of an expression with itself says nothing, however its terms are ordered") {
    for (const char* text :
         {"a == a", "a < a", "a.min <= a.min", "2*a == a + a", "a - a == 0", "0*a == 0", "a + 1 == 1 + a",
          "abs(a - a) == 0", "1 == 1", "pi == pi", "10 + 1 == 10 + 1", "a/a == 1", "2*(a + b)/(a + b) == 2"})
        CHECK(idle(text) == whole(Idle::Why::itself, text));
    CHECK(idle("b > 1 and c[3] == c[3]") == whole(Idle::Why::itself, "c[3] == c[3]"));
    CHECK(idle("all(n, 1, 9, c[n] == c[n])") == whole(Idle::Why::itself, "c[n] == c[n]"));
    CHECK(idle("all(n, 1, 9, n == n)") == whole(Idle::Why::itself, "n == n"));
}

TEST_CASE("expressions are the same only if both have a value at the same points: a/a has none at 0") {
    const auto is_one = [](const std::string& a, const std::string& b) {
        return formula::is_one_expression(formula::parse(a), formula::parse(b));
    };
    CHECK(is_one("2*(a + b)", "b*2 + 2*a"));
    CHECK_FALSE(is_one("a/a", "1"));
    CHECK_FALSE(is_one("2*a/a", "2"));
}

TEST_CASE("typed numbers and bound variables may be equal if they are written differently") {
    for (const char* text : {"1 + 1 == 2", "768/12 == 64", "64 == 1", "all(i, 1, 12, i*8/12 == i*(8/12))",
                             "12 == 8192 or 12 == 1", "2^10 == 1024", "all(n, 1, 9, n < 10)"})
        CHECK(idle(text) == nothing);
}

TEST_CASE("a comparison that no value changes is found: |x| is never below 0, and names obey their facts") {
    CHECK(idle("abs(a) >= 0") == whole(Idle::Why::holds, "abs(a) >= 0"));
    CHECK(idle("abs(a) > -1") == whole(Idle::Why::holds, "abs(a) > -1"));
    CHECK(idle("-1 < 2*abs(a)") == whole(Idle::Why::holds, "-1 < 2*abs(a)"));
    CHECK(idle("(a - b)^2 < 0") == whole(Idle::Why::fails, "(a - b)^2 < 0"));
    CHECK(idle("a < a + 1") == whole(Idle::Why::holds, "a < a + 1"));
    CHECK(idle("a > a + 1") == whole(Idle::Why::fails, "a > a + 1"));
    CHECK(idle("n >= 0", {formula::parse("n >= 0")}) == whole(Idle::Why::holds, "n >= 0"));
    CHECK(idle("-n > 1", {formula::parse("n >= 0")}) == whole(Idle::Why::fails, "-n > 1"));
    for (const char* text : {"abs(a) > 0", "abs(a) <= 0", "a^3 >= 0", "a^0.5 >= 0", "a/b == 1", "n >= 0"})
        CHECK(idle(text) == nothing);
    for (const char* text : {"n > 0", "n <= 0", "-n >= 0"}) CHECK(idle(text, {formula::parse("n >= 0")}) == nothing);
}

TEST_CASE("a range of typed numbers is written out as its terms") {
    for (const char* text : {"sum(i, 1, 3, a) == 3*a", "sum(i, 0, 2, c[i]) == c[2] + c[0] + c[1]",
                             "sum(i, 1, 3, i*a) >= 6*a", "prod(i, 1, 2, a) == a*a", "sum(i, 1, 1e9, a) == 1e9*a",
                             "sum(i, 2, 1, a) + a == a", "sum(i, 1, 2, sum(j, 1, i, a)) == 3*a"})
        CHECK(idle(text) == whole(Idle::Why::itself, text));
    for (const char* text : {"sum(i, 1, 3, a) == 4*a", "sum(i, 1, n, a) == 3*a", "sum(i, 1, 99, c[i]) == c[1]",
                             "sum(i, 1, 2, c[i]) == c[1] + c[3]", "prod(i, 1, 3, a) == 3*a"})
        CHECK(idle(text) == nothing);
}

TEST_CASE("a function that rises over all reals reaches none of its bounds") {
    for (const char* text :
         {"exp(a) > 0", "tanh(a) < 1", "erf(a) > -1", "2^a > 0", "e^(a + b) > 0", "sigmoid(a) < 1", "softplus(a) > 0",
          "exp(a)*exp(b) > 0", "exp(a) + abs(b) > 0", "a*a >= 0", "expm1(a) > -1"})
        CHECK(idle(text) == whole(Idle::Why::holds, text));
    for (const char* text : {"exp(a) <= 0", "2*tanh(a) + tanh(b) >= 3", "exp(a) == 0", "-exp(a) > 0"})
        CHECK(idle(text) == whole(Idle::Why::fails, text));
    // The sine takes its bounds, logarithms have none, and a negative base has other signs.
    for (const char* text : {"sin(a) < 1", "exp(a) > 1", "log(a) > 0", "(-2)^a > 0", "b^a > 0", "tanh(a) < 0.5",
                             "exp(a)*b > 0", "tanh(a) + tanh(b) > 1", "exp(a) - exp(b) > 0", "tan(a) > -1"})
        CHECK(idle(text) == nothing);
}

TEST_CASE(
    "statements of the rows about values, also under conditions on arguments, order functions with their arguments") {
    for (const char* text :
         {"floor(a) <= a",      "ceil(a) - 1 < a",     "round(a) <= a + 1",   "a % 4 < 4",
          "-1 < b % 7",         "a % -2 <= 0",         "sign(a) <= 1",        "atan2(a, b) < 4",
          "Si(a) < 2",          "clamp(a, 1, 3) <= 3", "clamp(a, 1, 3) >= 1", "t5_bucket(a, 32, 128) <= 31",
          "softplus(a) > a",    "sqrt(a) + 1 > 0",     "abs(a)^0.5 >= 0",     "pi^a > 0",
          "(1 + exp(a))^b > 0", "floor(exp(a)) > -1",  "binomial(a, b) >= 0", "argmin(i, 2, 9, c[i]) >= 2"})
        CHECK(idle(text) == whole(Idle::Why::holds, text));
    for (const char* text : {"floor(a) < a", "a % 4 < 3", "a % b < b", "a % -2 >= 0", "clamp(a, b, c) >= b",
                             "t5_bucket(a, b, c) <= 31", "round(a) <= a", "a^3 >= 0", "argmin(i, 2, 9, c[i]) > 2"})
        CHECK(idle(text) == nothing);
}

TEST_CASE("facts say which names are integers, and which numbers they are not") {
    const formula::Facts facts = {formula::parse("n == floor(n)"), formula::parse("m == floor(m)"),
                                  formula::parse("n >= 0"),        formula::parse("s != 0"),
                                  formula::parse("s == floor(s)"), formula::parse("s >= -1"),
                                  formula::parse("s <= 1")};
    for (const char* text :
         {"n == 0.5", "n + m == 1/3", "2*n == 3", "n*m == 0.1", "s == 0", "s == 2", "0.5 == s", "n > 2 and n < 3"}) {
        INFO(text);
        CHECK(idle(text, facts) == whole(Idle::Why::fails, text));
    }
    for (const char* text : {"n != 0.5", "s == 1 or s == -1", "n < 3 or n > 2.5", "n >= 1 or n == 0"}) {
        INFO(text);
        CHECK(idle(text, facts) == whole(Idle::Why::holds, text));
    }
    for (const char* text : {"n == 3", "n < 3.5", "n + m == 2", "n/2 == 0.5", "n + x == 0.5", "0.5*n + m == 0.5",
                             "s == 1", "s < 0", "n > 2 and n < 4", "2*s == 2", "x*n == 0.5"})
        CHECK(idle(text, facts) == nothing);
    CHECK(idle("n > 2 or n == 4", facts) == whole(Idle::Why::rest, "n == 4"));
    CHECK(idle("n > 2 or n >= 3", facts).why == Idle::Why::rest);
}

TEST_CASE("operators whose rows state that their values are integers do not equal fractions") {
    for (const char* text : {"floor(a) == 2.5", "ceil(a) + floor(b) == 1/3", "2*round(a) == 3", "sign(a) == 0.5",
                             "t5_bucket(a, 32, 128) == 1.5", "binomial(a, b) == 0.25", "argmax(i, 2, 9, c[i]) == 4.5"})
        CHECK(idle(text) == whole(Idle::Why::fails, text));
    CHECK(idle("floor(a) != 2.5") == whole(Idle::Why::holds, "floor(a) != 2.5"));
    for (const char* text : {"floor(a) == 2", "floor(a)/2 == 2.5", "a == 2.5", "abs(a) == 2.5", "floor(a)*b == 2.5"})
        CHECK(idle(text) == nothing);
}

TEST_CASE("an integer is not equal to an irrational number") {
    const formula::Facts facts = {formula::parse("n == floor(n)"), formula::parse("n >= 0")};
    for (const char* text : {"n == sqrt(2)", "2*n == pi", "exp(1) == n", "floor(x) == log(2)"})
        CHECK(idle_enclosed(text, facts) == whole(Idle::Why::fails, text));
    CHECK(idle_enclosed("n != sqrt(2)", facts) == whole(Idle::Why::holds, "n != sqrt(2)"));
    // sqrt(4) is 2, x may be any number, and x*n too.
    for (const char* text : {"n == sqrt(4)", "x == sqrt(2)", "x*n == sqrt(2)", "n < sqrt(2)"})
        CHECK(idle_enclosed(text, facts) == nothing);
}

TEST_CASE("a comparison of typed numbers may be a part of a condition: it states the arithmetic of a source") {
    for (const char* text : {"pi > 3", "pi > 3 and a > 1", "ceil(63/7) == 9 and a > 1", "a > 1 or sqrt(2) > 1.5",
                             "exists(i, 0, 9, i > 3 and c[i] > 2)"})
        CHECK(idle_enclosed(text) == nothing);
}

TEST_CASE("the variable of a loop is an integer of its range") {
    CHECK(idle("all(i, 0, 10, i < 20 or c[i] > 5)") == whole(Idle::Why::holds, "i < 20"));
    CHECK(idle("all(i, 0, 10, 2*i <= 20 or c[i] > 5)") == whole(Idle::Why::holds, "2*i <= 20"));
    CHECK(idle("exists(i, 1, 10, i < 1 or c[i] > 5)") == whole(Idle::Why::fails, "i < 1"));
    CHECK(idle("exists(i, 1, 10, i == 0.5 or c[i] > 5)") == whole(Idle::Why::fails, "i == 0.5"));
    CHECK(idle("all(i, 2, 9, all(j, 0, 3, i > j - 2 and c[i] > c[j]))") == whole(Idle::Why::holds, "i > j - 2"));
    CHECK(idle("all(i, 0, 9, i > 3 or i > 5 or c[i] > 5)") == whole(Idle::Why::rest, "i > 5"));
    CHECK(idle_enclosed("all(i, 1, 9, log(i) > -1 or c[i] > 5)") == whole(Idle::Why::holds, "log(i) > -1"));
    // Parts that some values of the variable alone meet, ends that are not typed numbers, and no entry at all.
    for (const char* text : {"all(i, 0, 10, i < 10 or c[i] > 5)", "exists(i, 0, 10, i == 3 or c[i] > 5)",
                             "all(i, 0, m, i < 20 or c[i] > 5)", "all(i, 0, 10, all(j, 0, i, j < 9 or c[j] > c[i]))",
                             "all(i, 0, 10, i < 20)", "all(i, 1, 12, i*8/12 == i*(8/12) and c[i] > 5)",
                             "all(i, 0, 10, i % 2 == 0 or c[i] > 5)"})
        CHECK(idle(text) == nothing);
}

TEST_CASE("facts equate names, entries of tables and numbers") {
    const formula::Facts facts = {formula::parse("a.first == a[0]"), formula::parse("a[3] <= a.max"),
                                  formula::parse("p == 5/2")};
    for (const char* text : {"a.first == a[0]", "a[0] <= a.first", "2*a.first - 2*a[0] < 1", "a.max >= a[3]",
                             "a[3] - 1 < a.max", "p == 2.5", "p < 3"})
        CHECK(idle(text, facts) == whole(Idle::Why::holds, text));
    for (const char* text : {"a.first != a[0]", "a[3] > a.max", "p == 2"})
        CHECK(idle(text, facts) == whole(Idle::Why::fails, text));
    for (const char* text : {"a.first == a[1]", "a.max > a[3]", "a.max >= a[4]", "a.first <= a.max", "q == 2.5"})
        CHECK(idle(text, facts) == nothing);
}

TEST_CASE("of a value that may be infinite, comparisons with values are known, but not those of sums and functions") {
    const formula::Facts facts = {formula::parse("c[i] >= -inf"), formula::parse("c[i] <= m"),
                                  formula::parse("m >= -inf"), formula::parse("m <= 1")};
    for (const char* text : {"c[i] <= m", "m >= c[i]", "c[i] <= 1", "c[i] < 2"})
        CHECK(idle_enclosed(text, facts) == whole(Idle::Why::holds, text));
    CHECK(idle_enclosed("exp(c[i]) == exp(c[i])", facts).why == Idle::Why::itself);
    // For c[i] = -inf, the first three hold and the others fail, in contrast to what holds of finite numbers.
    for (const char* text : {"exp(c[i]) == 0", "c[i] == c[i] - 1", "c[i] < -2e308", "exp(c[i]) > 0", "c[i] < c[i] + 1",
                             "c[i] > -1.7976931348623157e308", "c[i]/c[i] == 1", "m - c[i] <= 1e308"})
        CHECK(idle_enclosed(text, facts) == nothing);
    CHECK(idle_enclosed("exp(d) > 0", facts) == whole(Idle::Why::holds, "exp(d) > 0"));
}

TEST_CASE("the variable of a loop hides what is known of its name elsewhere, except in an index") {
    const formula::Facts facts = {formula::parse("c[i] <= m"), formula::parse("i >= 4")};
    CHECK(idle("all(i, 0, 10, c[i] <= m)", facts) == whole(Idle::Why::holds, "c[i] <= m"));
    CHECK(idle("all(i, 0, 10, i >= 4 or c[i] > 5)", facts) == nothing);
    CHECK(idle("all(j, 0, 10, i >= 4 or c[j] > 5)", facts) == whole(Idle::Why::holds, "i >= 4"));
}

TEST_CASE("facts bound the names of comparisons that are decided by enclosures") {
    const formula::Facts facts = {formula::parse("q >= 0"), formula::parse("H >= 1")};
    for (const char* text : {"log(2 + q) > 0", "1/(H + 1) < 0.6", "exp(-q) <= 1"})
        CHECK(idle_enclosed(text, facts) == whole(Idle::Why::holds, text));
    for (const char* text : {"log(2 + q) > 0.7", "1/(H + 1) < 0.4", "log(2 + x) > 0"})
        CHECK(idle_enclosed(text, facts) == nothing);
}

TEST_CASE("logarithms have the sign that their rows state") {
    const formula::Facts facts = {formula::parse("q >= 0"), formula::parse("H >= 1")};
    for (const char* text : {"log(2 + q) > 0", "-log(2 + q) < 0", "log2(2 + q) > 0", "log1p(H) > 0"})
        CHECK(idle(text, facts) == whole(Idle::Why::holds, text));
    for (const char* text : {"log(1 + q) > 0", "log(q) > 0", "log1p(q) > 0", "log(x) > 0"})
        CHECK(idle(text, facts) == nothing);
}

TEST_CASE("facts order names with numbers and with each other") {
    const formula::Facts facts = {formula::parse("a.max >= a.min"), formula::parse("p <= 1"), formula::parse("p >= 0"),
                                  formula::parse("b.max > a.max")};
    for (const char* text : {"a.max >= a.min", "a.min - 1 < a.max", "b.max > a.min", "2*a.min <= 2*a.max", "p < 2",
                             "p + a.max >= a.min", "p*p >= 0"})
        CHECK(idle(text, facts) == whole(Idle::Why::holds, text));
    CHECK(idle("a.max < a.min", facts) == whole(Idle::Why::fails, "a.max < a.min"));
    for (const char* text : {"a.max > a.min", "p < 1", "p > 0", "a.max >= 2*a.min", "c.max >= c.min"})
        CHECK(idle(text, facts) == nothing);
}

TEST_CASE("min, max and abs are ordered with their arguments") {
    for (const char* text : {"min(a, b) <= b", "max(a, b) >= a", "min(a, b) <= max(a, b)", "min(a, b) - 1 < b",
                             "abs(a) >= a", "abs(a - b) >= b - a", "min(min(a, b), c) <= a", "2*max(a, 3*b) >= 6*b",
                             "min(a, b) + max(c, d) <= b + max(c, d)"})
        CHECK(idle(text) == whole(Idle::Why::holds, text));
    CHECK(idle("min(a, b) > b") == whole(Idle::Why::fails, "min(a, b) > b"));
    for (const char* text : {"min(a, b) <= c", "max(a, b) > a", "min(a, b) < b", "min(a, b) == b", "abs(a) > a",
                             "min(a, b) >= b", "max(a, b) <= a + 1", "min(a, 2*b) <= b"})
        CHECK(idle(text) == nothing);
}

TEST_CASE("min, max, abs and remainders have a known value where the order of their arguments is known") {
    const formula::Facts facts = {formula::parse("n >= 0"), formula::parse("n == floor(n)"),
                                  formula::parse("m == floor(m)")};
    for (const char* text : {"max(-n, 0) == 0", "min(n, 0) == 0", "max(0, -n) == 0", "min(0, n) == 0", "abs(n) == n",
                             "abs(-n - 1) == n + 1", "max(x, x + 1) == x + 1", "min(x + 1, x) == x",
                             "max(-n, 0)*x == 0", "max(min(n, 0), -n) == 0", "m % 1 == 0", "(n + m) % 1 == 0"}) {
        INFO(text);
        CHECK(idle(text, facts) == whole(Idle::Why::holds, text));
    }
    for (const char* text : {"max(n, 0) == 0", "max(-x, 0) == 0", "max(-n, n) == 0", "min(-n, 0) == 0", "abs(x) == x",
                             "max(x, y) == y", "min(n, x) == 0", "max(n - 5, 0) == 0", "max(-n, 0) + x == 0",
                             "m % 2 == 0", "m % x == 0", "x % 1 == 0", "(m/2) % 1 == 0"}) {
        INFO(text);
        CHECK(idle(text, facts) == nothing);
    }
}

TEST_CASE("a loop over typed numbers is a separate statement, even next to other parts") {
    for (const char* text : {"a == 1 and all(i, 2, 64, 1/i <= 1 - 1/i)", "a > 1 and all(i, 1, 3, a > i)"})
        CHECK(idle(text) == nothing);
}

TEST_CASE("a condition that is true, or false, for all values is found") {
    for (const char* text : {"a > 1 or not a > 1", "a > 1 or a <= 1", "a < 5 or a > 4", "a < 2 or a == 2 or a > 2"})
        CHECK(idle(text) == whole(Idle::Why::holds, text));
    for (const char* text : {"a > 5 and a < 4", "a > 5 and 2*a <= 10", "a == 1 and a == 2", "a > 1 and not 1 < a"})
        CHECK(idle(text) == whole(Idle::Why::fails, text));
    for (const char* text : {"a > 1 and a < 5", "a > 1 or b > 1", "a >= 2 and a <= 2", "a == 1 or a == 2"})
        CHECK(idle(text) == nothing);
}

TEST_CASE("a comparison is found that the others imply") {
    CHECK(idle("a > 1 and a > 1") == whole(Idle::Why::rest, "a > 1"));
    CHECK(idle("a > 1 and a > 0") == whole(Idle::Why::rest, "a > 0"));
    CHECK(idle("a > 0 and 1 < a") == whole(Idle::Why::rest, "a > 0"));
    CHECK(idle("b > 0 and (a > 1 or a > 2)") == whole(Idle::Why::rest, "a > 2"));
    CHECK(idle("all(n, 1, 9, c[n] > 0) and all(n, 1, 9, c[n] > 0)").why == Idle::Why::rest);
    for (const char* text : {"a > 1 and b > 1", "a > 1 or a < 0", "(a > 1 and b > 1) or (a < 0 and b < 0)",
                             "all(n, 1, 9, c[n] > 0) and all(n, 2, 9, c[n] < 1)"})
        CHECK(idle(text) == nothing);
}

TEST_CASE("a condition of many unknowns is examined part by part") {
    std::string text = "x0 > 0";
    for (int i = 1; i < 40; ++i) text += " and x" + std::to_string(i) + " > 0";
    CHECK(idle(text) == nothing);
    CHECK(idle(text + " and y == y") == whole(Idle::Why::itself, "y == y"));
}

TEST_CASE("a distance from a number is one part, and a statement about the expression itself") {
    for (const char* text : {"abs(v - 1.4) <= 0.05 and abs(v - 1.9) <= 0.05", "abs(v - 1.4) <= 0.1*abs(1.4) and v > 9",
                             "abs(v - 1.4) <= 0.05 and v == 2", "abs(a - b) < 1 and a - b > 1"})
        CHECK(idle(text) == whole(Idle::Why::fails, text));
    for (const char* text : {"abs(v - 1) > 2 or abs(v - 1) < 3", "abs(v) > 1 or v < 5"})
        CHECK(idle(text) == whole(Idle::Why::holds, text));
    CHECK(idle("abs(v - 1.4) <= 0.05 and abs(1.41 - v) <= 0.005") == whole(Idle::Why::rest, "abs(v - 1.4) <= 0.05"));
    CHECK(idle("abs(v - 1.4) <= 0.05 or abs(v - 1.41) <= 0.005") == whole(Idle::Why::rest, "abs(v - 1.41) <= 0.005"));
    CHECK(idle("abs(v - 1.4) <= 0.05 and v < 9") == whole(Idle::Why::rest, "v < 9"));
    CHECK(idle("not abs(v - 1.4) > 0.05 and v < 9") == whole(Idle::Why::rest, "v < 9"));
    // Alone, overlapping, beside another value, and of multiples of one value.
    for (const char* text :
         {"abs(v - 1.4) <= 0.05", "abs(v) >= 1", "abs(v - 1.4) <= 0.05 and v > 1.4", "abs(v) > 1 and v > 0",
          "abs(v - 1.4) <= 0.05 and abs(v - 1.44) <= 0.05", "abs(v - 1.4) <= 0.05 and w < 9",
          "abs(v - 1.4) <= g and v < 9", "abs(2*v - 2.8) <= 0.05 and abs(3*v - 4.2) <= 0.5"})
        CHECK(idle(text) == nothing);
}

TEST_CASE("a choice between equal branches is found") {
    for (const char* text : {"if(v > 1, 2*v, v + v) < w", "sum(i, 1, 99, if(c[i] > 1, i, i)) > v"}) {
        INFO(text);
        CHECK(idle(text).why == Idle::Why::chooses);
    }
    CHECK(idle("v > 0 and if(v > 1, w < 9, w < 9)") == whole(Idle::Why::chooses, "if(v > 1, w < 9, w < 9)"));
    for (const char* text : {"if(v > 1, w < 9, w < 8)", "if(v > 1, v, 1) < w", "if(v > 1, w < 9, v < 9)"})
        CHECK(idle(text) == nothing);
}
