// The normal form piece by piece: its order, what it says of signs, how it reads and writes rationals, and each law on
// its own, with what looks like the law and is not.
#include "formula/normal_form.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <farfield/formula/parser.hpp>
#include <farfield/formula/printer.hpp>
#include <farfield/formula/simplify.hpp>

namespace farfield::formula::normal {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

Expr expression(const std::string& text, Mode mode = Mode::collect) {
    Algebra algebra(mode);
    return normalise(parse(text), algebra);
}

std::string simple(const std::string& text) {
    return print(simplify(parse(text)));
}

bool proved(const std::string& a, const std::string& b) {
    return proves_equal(parse(a), parse(b));
}

TEST_CASE("the order of expressions is total, and of equal ones alone they are the same") {
    const std::vector<std::string> texts = {"0",
                                            "1",
                                            "-1",
                                            "2.5",
                                            "x",
                                            "y",
                                            "2*x",
                                            "x^2",
                                            "x^3",
                                            "x*y",
                                            "x*y*z",
                                            "x + 1",
                                            "x + 2",
                                            "x + y",
                                            "sin(x)",
                                            "cos(x)",
                                            "sin(y)",
                                            "exp(x)",
                                            "2^x",
                                            "3^x",
                                            "x^y",
                                            "w[x]",
                                            "w[y]",
                                            "w[x, y]",
                                            "f(x)",
                                            "g(x)",
                                            "sum(j, 0, x, w[j])",
                                            "sum(j, 0, y, w[j])",
                                            "prod(j, 0, x, w[j])",
                                            "inf",
                                            "(x + y)^0.5",
                                            "(x + y)^1.5"};
    Algebra algebra(Mode::collect);
    std::vector<Expr> all;
    for (const std::string& text : texts) all.push_back(normalise(parse(text), algebra));
    const auto sign = [](int order) { return (order > 0) - (order < 0); };
    for (std::size_t a = 0; a < all.size(); ++a) {
        for (std::size_t b = 0; b < all.size(); ++b) {
            INFO(texts[a] << " and " << texts[b]);
            const int order = sign(algebra.compare(all[a], normalise(parse(texts[b]), algebra)));
            CHECK((order == 0) == (a == b));
            CHECK(sign(algebra.compare(all[b], all[a])) == -order);
            for (const Expr& c : all) {
                if (order < 0 && algebra.compare(all[b], c) < 0) CHECK(algebra.compare(all[a], c) < 0);
            }
        }
    }
}

TEST_CASE("higher powers and longer products come first, a constant last") {
    CHECK(simple("1 + x + x^2 + x^3") == "x^3 + x^2 + x + 1");
    CHECK(simple("x + x*y + x*y*z") == "x*y*z + x*y + x");
    CHECK(simple("3 + y + x") == "x + y + 3");
    CHECK(simple("sin(y) + sin(x)") == "sin(x) + sin(y)");
}

TEST_CASE("the known sign of an expression holds at every point") {
    struct Row {
        std::string text;
        bool positive, nonnegative, all_negative, leads_with_minus;
        Rational content;
    };
    const Rational half(1, 2);
    const std::vector<Row> rows = {
        {"0", false, true, false, false, 1},
        {"3", true, true, false, false, 3},
        {"-3", false, false, true, true, 3},
        {"x", false, false, false, false, 1},
        {"-x", false, false, true, true, 1},
        {"6*x + 4", false, false, false, false, 2},
        {"4 - 6*x", false, false, false, true, 2},
        {"-x/2 - 3/2", false, false, true, true, half},
        {"x/3 + y/4", false, false, false, false, Rational(1, 12)},
        {"x^2", false, true, false, false, 1},
        {"x^3", false, false, false, false, 1},
        {"x^-2", false, true, false, false, 1},
        {"x^2 + 1", true, true, false, false, 1},
        {"x^2 - 1", false, false, false, false, 1},
        {"x + 1", false, false, false, false, 1},
        {"sqrt(x)", false, true, false, false, 1},
        {"x^1.5*y", false, false, false, false, 1},
        {"abs(x)", false, true, false, false, 1},
        {"abs(x)*y", false, false, false, false, 1},
        {"abs(x) + y^2", false, true, false, false, 1},
        {"abs(x) + 2^y", true, true, false, false, 1},
        {"-abs(x)", false, false, true, true, 1},
        {"2^x", true, true, false, false, 1},
        {"(2/3)^x", true, true, false, false, 1},
        {"(-2)^x", false, false, false, false, 1},
        {"exp(x)", true, true, false, false, 1},
        {"pi*x^2", false, true, false, false, 1},
        {"5*pi", true, true, false, false, 5},
        {"sigmoid(x)*softplus(y)", true, true, false, false, 1},
        {"sin(x)", false, false, false, false, 1},
        {"(x^2 + y^2)^z", false, true, false, false, 1},
        {"(x^2 + 1)^z", true, true, false, false, 1},
        {"(x + 1)^z", false, false, false, false, 1},
        {"inf", false, false, false, false, 1},
        {"inf + x^2", false, false, false, false, 1},
    };
    for (const Row& row : rows) {
        INFO(row.text);
        const Expr found = expression(row.text);
        CHECK(Algebra::is_positive(found) == row.positive);
        CHECK(Algebra::is_nonnegative(found) == row.nonnegative);
        CHECK(Algebra::is_all_negative(found) == row.all_negative);
        CHECK(Algebra::leads_with_minus(found) == row.leads_with_minus);
        CHECK(Algebra::content(found) == row.content);
    }
}

TEST_CASE("an infinity anywhere in an expression is recognized") {
    for (const char* text :
         {"inf", "x + inf", "inf + x", "x*inf", "sin(inf)", "x^inf", "inf^x", "1/0", "x/0 + 1", "0*inf", "w[inf]",
          "sum(j, 0, 3, inf*j)", "(inf + x)*(y + z)", "exp(inf)", "log(inf)", "abs(-inf)"}) {
        INFO(text);
        CHECK(expression(text)->infinite);
        CHECK(expression(text, Mode::expand)->infinite);
    }
    for (const char* text : {"0", "x", "x + y", "1/x", "sin(x)"}) CHECK_FALSE(expression(text)->infinite);
}

TEST_CASE("infinities are neither cancelled nor cleared") {
    for (const char* text : {"0*inf", "0*(inf + x)", "inf*inf", "inf^0", "1^inf", "sin(-inf)", "sign(-inf)", "inf > x",
                             "x < inf", "exp(inf)", "log(inf)", "prod(j, 1, inf, 2)"}) {
        INFO(text);
        CHECK(simple(text) == text);
    }
    CHECK(simple("inf + inf") == "2*inf");
    // At x = inf the left side is true, while inf - inf is not 0.
    CHECK_FALSE(proved("if(x == inf, 1, 0)", "if(x - inf == 0, 1, 0)"));
    CHECK_FALSE(proved("if(inf == x, 1, 0)", "if(inf - x == 0, 1, 0)"));
}

TEST_CASE("only short decimals are converted to rationals") {
    // 10^120 has 399 bits and 1.3*10^120 has 400, as 2^399 = 1.29...*10^120.
    for (const char* text : {"0", "1", "0.1", "2.5e3", "1e120", "1.2e120", "1e-120"}) {
        INFO(text);
        CHECK(rational_from_decimal(text).has_value());
    }
    for (const char* text : {"1.3e120", "1e121", "1e-121", "1e300"}) {
        INFO(text);
        CHECK_FALSE(rational_from_decimal(text).has_value());
    }
    CHECK(rational_from_decimal("0.1") == Rational(1, 10));
    CHECK(rational_from_decimal("2.5e3") == Rational(2500));
}

TEST_CASE("rationals are limited to 2^501 in numerator and denominator") {
    // Numerators and denominators have at most 501 bits: the largest such value is a finite double (below 2^1024).
    const Integer most = (Integer(1) << 501) - 1;
    const Algebra algebra(Mode::collect);
    for (const Rational& value : {Rational(most), Rational(-most), Rational(1, most), Rational(most, most - 1)})
        CHECK(Algebra::constant(algebra.number(value)) == value);
    for (const Rational& value :
         {Rational(most + 1), Rational(-most - 1), Rational(1, most + 1), Rational(most, most + 1)})
        CHECK_THROWS_AS(algebra.number(value), GivenUp);
    CHECK(Algebra::constant(expression("2^500")) == Rational(Integer(1) << 500));
    CHECK(Algebra::constant(expression("0.5^500")) == Rational(1, Integer(1) << 500));
    CHECK_THROWS_AS(expression("2^501"), GivenUp);
    CHECK_THROWS_AS(expression("0.5^501"), GivenUp);
    CHECK_THROWS_AS(expression("2^500*2"), GivenUp);
}

TEST_CASE("a rational is written as its shortest decimal, if it has one that short") {
    struct Row {
        Rational value;
        std::string text;
    };
    const auto ten_to = [](unsigned exponent) { return Integer(pow(Integer(10), exponent)); };
    const std::vector<Row> rows = {
        {0, "0"},
        {7, "7"},
        {Rational(1, 2), "0.5"},
        {Rational(5, 4), "1.25"},
        {Rational(1, 5), "0.2"},
        {Rational(1, 8), "0.125"},
        {Rational(1, 25), "0.04"},
        {Rational(1, 1000), "0.001"},
        {Rational(1, 100'000'000), "0.00000001"},
        {Rational(12345, 100), "123.45"},
        {Rational(ten_to(19)), "10000000000000000000"},
        {Rational(ten_to(20)), "1e20"},
        {Rational(Integer(123 * ten_to(30))), "1.23e32"},
        {Rational(1, ten_to(30)), "1e-30"},
        {Rational(15, ten_to(31)), "1.5e-30"},
        {Rational(1, ten_to(120)), "1e-120"},
    };
    for (const Row& row : rows) {
        INFO(row.text);
        CHECK(short_decimal(row.value, 1000) == row.text);
        CHECK(short_decimal(row.value, row.text.size()) == row.text);
        // A digit less than the plain text leaves the text with an exponent, if that is shorter.
        const auto shorter = short_decimal(row.value, row.text.size() - 1);
        CHECK((!shorter || shorter->size() < row.text.size()));
    }
    CHECK(short_decimal(Rational(1, ten_to(8)), 9) == "1e-8");
    CHECK_FALSE(short_decimal(Rational(1, 3), 1000).has_value());
    CHECK_FALSE(short_decimal(Rational(7, 30), 1000).has_value());
    CHECK_FALSE(short_decimal(Rational(1, ten_to(121)), 1000).has_value());
    const Pairs formulas = {{"1/8", "0.125"},  {"-1/8", "-0.125"},   {"-1/3", "-1/3"},
                            {"-2/3", "-2/3"},  {"1/4096", "1/4096"}, {"x/4096", "x/4096"},
                            {"10^20", "1e20"}, {"-10^20", "-1e20"},  {"7/-30", "-7/30"}};
    for (const auto& [text, wanted] : formulas) CHECK(simple(text) == wanted);
}

TEST_CASE("steps, remainders and comparisons of numbers are computed") {
    const std::vector<std::pair<const char*, std::function<double(double)>>> steps = {
        {"floor", [](double x) { return std::floor(x); }},
        {"ceil", [](double x) { return std::ceil(x); }},
        {"round", [](double x) { return std::nearbyint(x); }},
        {"sign", [](double x) { return static_cast<double>((x > 0) - (x < 0)); }},
        {"abs", [](double x) { return std::abs(x); }}};
    const auto text = [](double value) { return print(make_number(value + 0.0)); };
    for (int quarters = -14; quarters <= 14; ++quarters) {
        const double x = quarters / 4.0;
        for (const auto& [name, of] : steps) {
            INFO(name << " of " << x);
            CHECK(simple(std::string(name) + "(" + text(x) + ")") == text(of(x)));
        }
        for (const double by : {-1.5, -1.0, 0.5, 1.5, 2.0}) {
            CHECK(simple("(" + text(x) + ") % (" + text(by) + ")") == text(x - by * std::floor(x / by)));
        }
        const std::vector<std::pair<const char*, bool>> comparisons = {
            {"<", x < 0.5}, {"<=", x <= 0.5}, {">", x > 0.5}, {">=", x >= 0.5}, {"==", x == 0.5}, {"!=", x != 0.5}};
        for (const auto& [sign, holds] : comparisons) {
            INFO(x << sign);
            CHECK(simple("if(" + text(x) + sign + "0.5, a, b)") == (holds ? "a" : "b"));
        }
        for (const double y : {-1.0, 0.25, 2.0}) {
            CHECK(simple("min(" + text(x) + ", " + text(y) + ")") == text(std::min(x, y)));
            CHECK(simple("max(" + text(x) + ", " + text(y) + ")") == text(std::max(x, y)));
        }
        CHECK(simple("clamp(" + text(x) + ", -1, 2)") == text(std::clamp(x, -1.0, 2.0)));
    }
}

}  // namespace
}  // namespace farfield::formula::normal
