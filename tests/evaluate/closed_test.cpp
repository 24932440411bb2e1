// What is known exactly of closed formulas: rational values, and conditions that no enclosure could decide.
#include "evaluate/closed.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include <farfield/formula/parser.hpp>

namespace farfield::evaluate {
namespace {

using numerics::Integer;
using numerics::Rational;

/// x = 7/2, and the table w with w[i] = i^2 + 1 from 0 to 3.
const ExactValues given = {
    [](const std::string& name) { return name == "x" ? std::optional(Rational(7, 2)) : std::nullopt; },
    [](const std::string& table, const Rational& index) {
        const bool is_there = table == "w" && numerics::is_integer(index) && index >= 0 && index <= 3;
        return is_there ? std::optional(Rational(index * index + 1)) : std::nullopt;
    }};

std::optional<Rational> exact(const std::string& text) {
    return exact_value(formula::parse(text), given);
}

Truth truth(const std::string& text) {
    return decide_exactly(formula::parse(text), given);
}

TEST_CASE("rational values are found through roots, powers, functions, steps and loops") {
    const std::vector<std::pair<std::string, Rational>> values = {
        {"0.1 + 0.2", Rational(3, 10)},
        {"1/3 - 1/2", Rational(-1, 6)},
        {"2/3*9/4", Rational(3, 2)},
        {"(1/2)/(3/4)", Rational(2, 3)},
        {"x", Rational(7, 2)},
        {"-x", Rational(-7, 2)},
        {"abs(-x) + abs(x)", 7},
        {"w[2]*w[x - 1/2]", 50},
        {"7 % 3", 1},
        {"-7 % 3", 2},
        {"7 % -3", -2},
        {"x % (2/3)", Rational(1, 6)},
        // The first on ties; and quantifiers within conditions.
        {"argmin(i, 1, 4, 4.4)", 1},
        {"argmax(i, -3, 3, i^2)", -3},
        {"argmin(i, 0, 9, abs(i - x))", 3},
        {"argmax(i, 0, 3, w[i] % 5)", 1},
        {"if(all(i, 0, 3, w[i] == i^2 + 1), x, 0)", Rational(7, 2)},
        {"if(exists(i, 0, 3, 10*w[i] == 33), x, 0.3)", Rational(3, 10)},
        {"if(all(i, 1, 0, 1/0 == 1), 1, 2)", 1},
        {"sum(i, 0, 2, argmax(j, 0, i, 0.1*j))", 3},
        {"(2/3)^3", Rational(8, 27)},
        {"(2/3)^-3", Rational(27, 8)},
        {"(-2)^3", -8},
        {"0^0", 1},
        {"0^2", 0},
        {"8^(1/3)", 2},
        {"8^(-2/3)", Rational(1, 4)},
        {"(27/8)^(2/3)", Rational(9, 4)},
        {"1^(1/7)", 1},
        {"0^(1/2)", 0},
        {"sqrt(0)", 0},
        {"sqrt(1)", 1},
        {"sqrt(9/4)", Rational(3, 2)},
        {"sqrt(1e40)", Rational(Integer(pow(Integer(10), 20)))},
        {"3^1024 / 3^1023", 3},
        {"log2(8) + log2(1/4)", 1},
        {"log2(1)", 0},
        {"exp(0) + cos(0) + sigmoid(0)", Rational(5, 2)},
        {"log(1) + expm1(0) + log1p(0) + sin(0) + tan(0) + tanh(0) + erf(0)", 0},
        {"atan2(0, 2)", 0},
        {"min(1/3, 1/2) + max(1/3, 1/2)", Rational(5, 6)},
        {"min(x, 3)", 3},
        {"max(x, 3)", Rational(7, 2)},
        {"min(2, 2) + max(2, 2)", 4},
        {"clamp(x, 0, 3)", 3},
        {"clamp(x, 4, 5)", 4},
        {"clamp(x, 3, 4)", Rational(7, 2)},
        {"floor(x)", 3},
        {"floor(-x)", -4},
        {"ceil(x)", 4},
        {"ceil(-x)", -3},
        {"ceil(3) + floor(3)", 6},
        {"round(x)", 4},
        {"round(-x)", -4},
        {"round(5/2)", 2},
        {"round(-5/2)", -2},
        {"round(2.4)", 2},
        {"round(2.6)", 3},
        {"sign(x) + 10*sign(-x) + 100*sign(x - x)", -9},
        {"floor(exp(1))", 2},
        {"ceil(-pi)", -3},
        {"round(sqrt(2)*10)", 14},
        {"sign(sqrt(2) - 1.5)", -1},
        {"fp16(1/3)", Rational(1365, 4096)},
        {"fp16(2049)", 2048},
        {"fp16(1 + 2^-11 + 1e-30)", Rational(1025, 1024)},
        {"fp16(pi)", Rational(201, 64)},
        {"e4m3(1.1)", Rational(9, 8)},
        {"binomial(5, 2)", 10},
        {"binomial(5, -2) + binomial(5, 6)", 0},
        {"binomial(5, 5) + binomial(0, 0)", 2},
        {"binomial(2^62, 1)", Rational(Integer(Integer(1) << 62))},
        {"sum(i, 1, 4, 1/i)", Rational(25, 12)},
        {"prod(i, 2, 4, 1 - 1/i^2)", Rational(5, 8)},
        {"sum(i, 3, 2, i)", 0},
        {"prod(i, 3, 2, i)", 1},
        {"sum(i, -1, -1, i)", -1},
        {"sum(i, 1, 2, sum(j, i, 2, i*j))", 7},
        {"sum(i, 0, 256, 1)", 257},
        {"sum(x, 1, 2, x) + x", Rational(13, 2)},
        {"if(x > 3, 1, 1/0)", 1},
        {"if(x < 3, 1/0, 2)", 2},
        {"if(pi > 3 and not e > 3, 1, 2)", 1},
    };
    for (const auto& [text, value] : values) {
        INFO(text);
        CHECK(exact(text) == value);
    }
}

TEST_CASE("what is irrational, undefined, unknown or too long has no rational value") {
    for (const char* text : {"pi",
                             "e",
                             "inf",
                             "y",
                             "v[1]",
                             "binomial(1e154, -2)",
                             "binomial(2^63, 0)",
                             "binomial(-1, 0)",
                             "binomial(5, 1/2)",
                             "w[4]",
                             "w[1/2]",
                             "w[sqrt(2)]",
                             "1/0",
                             "x % 0",
                             "0^-1",
                             "sqrt(2)",
                             "sqrt(-1)",
                             "sqrt(-4)",
                             "(-8)^(1/3)",
                             "9^(1/3)",
                             "(8/9)^(1/3)",
                             "2^x",
                             "2^1025",
                             "2^-1025",
                             "log2(3)",
                             "log2(0)",
                             "log2(-2)",
                             "log2(3/4)",
                             "log2(4/3)",
                             "exp(1)",
                             "cos(1)",
                             "sigmoid(1)",
                             "log(2)",
                             "log(0)",
                             "sin(1)",
                             "tan(1)",
                             "erf(1)",
                             "expm1(1)",
                             "log1p(1)",
                             "tanh(1)",
                             "softplus(0)",
                             "atan2(0, -1)",
                             "atan2(0, 0)",
                             "atan2(1, 1)",
                             "fp16(65520)",
                             "floor(inf)",
                             "floor(1/0)",
                             "floor(log(-1))",
                             "floor(y)",
                             "sum(i, 0, 257, 1)",
                             "sum(i, 0.5, 2, 1)",
                             "sum(i, 0, 2.5, 1)",
                             "sum(i, 0, 2, 1/i)",
                             "sum(i, pi, 4, 1)",
                             "if(y > 1, 1, 1)",
                             "floor(sqrt(2)^2/2)",
                             "((((2^1024)^1024)^1024)^1024)",
                             "'text'.a",
                             "f(1)"}) {
        INFO(text);
        CHECK_FALSE(exact(text).has_value());
    }
}

TEST_CASE("conditions over exact numbers are decided") {
    for (const char* text : {"0.1 + 0.2 == 0.3",
                             "1/3 < 0.34",
                             "x <= 7/2",
                             "x >= 7/2",
                             "x != 3",
                             "not x < 3",
                             "x > 3 and x < 4",
                             "x > 4 or x > 3",
                             "sqrt(2) < 1.42",
                             "sqrt(2) > 1.41",
                             "sqrt(2) != 1.41",
                             "log(e) == 1",
                             "log(e) <= 1",
                             "log(e) >= 1",
                             "exp(log(3)) == 3",
                             "not pi == 22/7",
                             "pi < 22/7",
                             "exp(pi*sqrt(163)) < 262537412640768744",
                             "exp(pi*sqrt(163)) > 262537412640768743.99999999999",
                             "x > 3 or y > 1",
                             "not (x > 4 and y > 1)"}) {
        INFO(text);
        CHECK(truth(text) == Truth::yes);
        CHECK(truth("not (" + std::string(text) + ")") == Truth::no);
    }
    for (const char* text : {"0.1 + 0.2 != 0.3", "x < 7/2", "x > 7/2", "log(e) < 1", "log(e) > 1", "log(e) != 1",
                             "sqrt(2) == 1.41", "x > 4 and y > 1", "x > 4 or x < 3"}) {
        INFO(text);
        CHECK(truth(text) == Truth::no);
    }
    for (const char* text : {"y > 1", "x > 3 and y > 1", "x > 4 or y > 1", "not y > 1", "1/0 > 1", "log(-1) == log(-1)",
                             "x", "w[4] < sqrt(2)", "1/0 == 1/0", "y*sqrt(2) > 1"}) {
        INFO(text);
        CHECK(truth(text) == Truth::unknown);
    }
}

TEST_CASE("quantifiers and sides that are known are decided, what is open stays open") {
    for (const char* holds : {"(8 + 1) % 0.3 < min(0.1/pi, 1)", "(3 + 1) % 0.1 > sin(4)", "all(i, 0, 3, 0.1*i <= 0.3)",
                              "not exists(i, 0, 3, 0.1*i == 0.25)", "exists(i, 1, 2, i == 1 or 1/0 == 1)"})
        CHECK(truth(holds) == Truth::yes);
    for (const char* open : {"all(i, 0, 1, 1/i > 0)", "exists(i, 0, 1, i/i == 1)", "argmin(i, 1, 0, i) == 1",
                             "argmin(i, 0, 2, 1/i) == 0", "all(i, 0, 1e6, i >= 0)", "all(i, 0, y, i >= 0)",
                             // Too much work: ten thousand conditions.
                             "all(i, 0, 100, all(j, 0, 100, 0.1*i + j >= 0))"})
        CHECK(truth(open) == Truth::unknown);
}

TEST_CASE("a row of a formula's column is exact where the formula is rational there") {
    core::Series series;
    series.columns = {{"x", {-0.1, 0, 0.1, 0.2}, {}, core::Steps{"-0.1", "0.1"}}, {"value", {0, 0, 0, 0}, {}}};
    core::Column& column = series.columns[1];
    column.enclosures.assign(4, {-2, 2});
    const auto rows = [&](const std::string& formula) {
        column.formula = formula;
        std::vector<std::optional<Rational>> found;
        for (std::size_t row = 0; row < series.rows(); ++row) found.push_back(exact_row(series, column, row));
        CHECK_FALSE(exact_row(series, column, series.rows()));
        return found;
    };
    using Rows = std::vector<std::optional<Rational>>;
    CHECK(rows("x^2 + 1/3") == Rows{Rational(103, 300), Rational(1, 3), Rational(103, 300), Rational(28, 75)});
    // Without a value at 0, and irrational except at 0.
    CHECK(rows("x/x") == Rows{Rational(1), std::nullopt, Rational(1), Rational(1)});
    CHECK(rows("exp(x)") == Rows{std::nullopt, Rational(1), std::nullopt, std::nullopt});
    // Of another variable, and of none that is known.
    CHECK(rows("y") == Rows(4));
    CHECK(rows("") == Rows(4));
    // Where nothing is known, a part may lack a value. Neither is anything known without enclosures.
    column.enclosures[0] = {-INFINITY, INFINITY};
    CHECK(rows("1/3") == Rows{std::nullopt, Rational(1, 3), Rational(1, 3), Rational(1, 3)});
    column.enclosures.clear();
    CHECK(rows("1/3") == Rows(4));
    column.enclosures.assign(4, {-2, 2});
    // Without steps the coordinates are only doubles; a matrix has two of them.
    series.columns[0].steps.reset();
    CHECK(rows("x") == Rows(4));
    series.columns[0].steps = core::Steps{"-0.1", "0.1"};
    series.variables = 2;
    CHECK(rows("x") == Rows(4));
}

TEST_CASE("numbers that differ beyond 100 digits are told apart") {
    // sqrt(10^220 + 1) - 10^110 is 5*10^-111.
    CHECK(truth("sqrt(10^220 + 1) > 10^110") == Truth::yes);
    CHECK(truth("sqrt(10^220 + 1) < 10^110 + 10^-110") == Truth::yes);
    CHECK(truth("sqrt(10^220 + 1) == 10^110") == Truth::no);
}

}  // namespace
}  // namespace farfield::evaluate
