// Slopes of the second implementation, against derivatives by hand.
#include "recheck/expression.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

using namespace farfield::recheck;

namespace {

struct Derivatives {
    const char* formula;
    const char* first;
    const char* second;
};

// Tables of derivatives; the product, quotient and chain rules.
const std::vector<Derivatives> smooth = {
    {"3", "0", "0"},
    {"x", "1", "0"},
    {"2 - x", "-1", "0"},
    {"x*x*x", "3*x^2", "6*x"},
    {"1/x", "-1/x^2", "2/x^3"},
    {"x/(1 + x^2)", "(1 - x^2)/(1 + x^2)^2", "2*x*(x^2 - 3)/(1 + x^2)^3"},
    {"x^1", "1", "0"},
    {"x^0", "0", "0"},
    {"x^5", "5*x^4", "20*x^3"},
    {"x^-2", "-2*x^-3", "6*x^-4"},
    {"x^2.5", "2.5*x^1.5", "3.75*x^0.5"},
    {"x^0.5", "0.5*x^-0.5", "-0.25*x^-1.5"},
    {"x^-0.5", "-0.5*x^-1.5", "0.75*x^-2.5"},
    {"2^x", "2^x*log(2)", "2^x*log(2)^2"},
    {"x^x", "x^x*(1 + log(x))", "x^x*((1 + log(x))^2 + 1/x)"},
    {"sqrt(x)", "0.5/sqrt(x)", "-0.25/x^1.5"},
    {"exp(2*x)", "2*exp(2*x)", "4*exp(2*x)"},
    {"expm1(x)", "exp(x)", "exp(x)"},
    {"log(x)", "1/x", "-1/x^2"},
    {"log1p(x)", "1/(1 + x)", "-1/(1 + x)^2"},
    {"log2(x)", "1/(x*log(2))", "-1/(x^2*log(2))"},
    {"sin(x)", "cos(x)", "-sin(x)"},
    {"cos(3*x)", "-3*sin(3*x)", "-9*cos(3*x)"},
    {"tan(x)", "1 + tan(x)^2", "2*tan(x)*(1 + tan(x)^2)"},
    {"tanh(x)", "1 - tanh(x)^2", "-2*tanh(x)*(1 - tanh(x)^2)"},
    {"erf(x)", "2/sqrt(pi)*exp(-x^2)", "-4*x/sqrt(pi)*exp(-x^2)"},
    {"sigmoid(x)", "sigmoid(x)*sigmoid(-x)", "sigmoid(x)*sigmoid(-x)*(1 - 2*sigmoid(x))"},
    {"softplus(x)", "sigmoid(x)", "sigmoid(x)*sigmoid(-x)"},
    {"Si(x)", "sin(x)/x", "cos(x)/x - sin(x)/x^2"},
    {"x*exp(x)", "(1 + x)*exp(x)", "(2 + x)*exp(x)"},
    {"sum(i, 1, 3, sin(i*x))", "cos(x) + 2*cos(2*x) + 3*cos(3*x)", "-sin(x) - 4*sin(2*x) - 9*sin(3*x)"},
    {"prod(i, 1, 2, x + i)", "2*x + 3", "2"},
    {"x % 0.7", "1", "0"},
    {"abs(-x)", "sign(x)", "0"},
    {"min(x^2, 5)", "2*x", "2"},
    {"max(x^2, -5)", "2*x", "2"},
    {"clamp(x^2, -1, 3)", "2*x", "2"},
    {"if(x < 2, x^2, 7)", "2*x", "2"},
    {"ceil(x/9)*x", "1", "0"},
    {"floor(x/9) + 0*ceil(x/9)", "0", "0"},
};

bool contains(const Value& range, const Value& point) {
    return range.lower() <= point.lower() && point.upper() <= range.upper();
}

}  // namespace

TEST_CASE("the slopes and bends on a short interval are those of the derivatives by hand") {
    // From 1.3 on 2^-40: the ranges are as narrow, up to the size of the next derivative.
    const std::string from = "1.3", to = "1.30000000000091";
    for (const Derivatives& row : smooth) {
        CAPTURE(row.formula);
        const Slope slope = differentiate(parse(row.formula), {{"x", {from, to}}}, "x");
        CHECK(slope.is_continuous);
        CHECK(slope.is_smooth);
        for (const std::string& x : {from, to}) {
            CHECK(contains(slope.first, evaluate(parse(row.first), {{"x", {x, x}}})));
            CHECK(contains(slope.second, evaluate(parse(row.second), {{"x", {x, x}}})));
        }
        CHECK(slope.first.upper() - slope.first.lower() < 1e-9);
        CHECK(slope.second.upper() - slope.second.lower() < 1e-8);
    }
}

TEST_CASE("the slopes and bends on a long interval contain the derivatives at its points") {
    for (const auto& [lo, hi] : std::vector<std::pair<double, double>>{
             {0.25, 1.5}, {0.5, 0.75}, {1, 2}, {-3, 3}, {-40, -1}, {-1e9, -1}, {-1e9, 1e9}}) {
        for (const Derivatives& row : smooth) {
            CAPTURE(row.formula, lo, hi);
            const Slope slope =
                differentiate(parse(row.formula), {{"x", {std::to_string(lo), std::to_string(hi)}}}, "x");
            if (!slope.is_smooth) continue;
            CHECK(slope.is_continuous);
            for (int i = 0; i <= 8; ++i) {
                const std::string x = std::to_string(lo + (hi - lo) * i / 8);
                for (const auto& [found, by_hand] :
                     {std::pair(slope.first, row.first), std::pair(slope.second, row.second)}) {
                    const Value value = evaluate(parse(by_hand), {{"x", {x, x}}});
                    // sin(x)/x has no value at 0, where its limit is the slope.
                    if (value.is_defined() == Truth::yes) CHECK(contains(found, value));
                }
            }
        }
    }
}

TEST_CASE("kinks are continuous and not smooth; jumps and gaps are neither") {
    const auto slope = [](const std::string& formula) {
        return differentiate(parse(formula), {{"x", {"-1", "1"}}}, "x");
    };
    for (const char* kinked : {"abs(x)", "min(x, 0)", "max(x, -x)", "clamp(x, -0.5, 0.5)", "abs(x)*x + 1",
                               "exp(abs(x))", "min(x, 0.5) + x^2"}) {
        CAPTURE(kinked);
        CHECK(slope(kinked).is_continuous);
        CHECK_FALSE(slope(kinked).is_smooth);
    }
    for (const char* broken : {"floor(x)", "sign(x)", "1/x", "x % 0.3", "if(x < 0, 0, 1)", "sqrt(x)", "log(x)",
                               "fp16(x)", "x^0.5", "x^x", "x^-1", "tan(2*x)", "atan2(x, -1)", "exp(1/x)", "0*floor(x)",
                               "argmin(i, 0, 1, i*x)", "sum(i, 0, x, i)", "abs(floor(x))"}) {
        CAPTURE(broken);
        CHECK_FALSE(slope(broken).is_continuous);
        CHECK_FALSE(slope(broken).is_smooth);
    }
    // The slopes to both sides of a kink.
    CHECK(slope("abs(x)").first.lower() == -1);
    CHECK(slope("abs(x)").first.upper() == 1);
    CHECK(slope("min(2*x, 0)").first.lower() == 0);
    CHECK(slope("min(2*x, 0)").first.upper() == 2);
    for (const auto& [formula, least, most] : std::vector<std::tuple<std::string, double, double>>{
             {"min(2*x, 0)", -2, 0}, {"max(2*x, 0)", 0, 2}, {"abs(x)", 0, 1}, {"clamp(x, -0.5, 0.25)", -0.5, 0.25}}) {
        CHECK(slope(formula).value.lower() == least);
        CHECK(slope(formula).value.upper() == most);
    }
}

TEST_CASE("the slope of a power at 0 is that of all its exponents") {
    const auto slope = [](const std::string& lo, const std::string& hi) {
        return differentiate(parse("x^y"), {{"x", {"0", "1"}}, {"y", {lo, hi}}}, "x");
    };
    // y x^(y - 1): with y from 1/2 to 3/2 it is 0 at (0, 3/2) and beyond all bounds at (0, 1/2).
    CHECK(slope("0.5", "1.5").first.lower() <= 0);
    CHECK(std::isinf(slope("0.5", "1.5").first.upper()));
    CHECK(slope("1.5", "1.75").first.lower() <= 0);
    CHECK(slope("1.5", "1.75").first.upper() == Approx(1.75));
    CHECK(slope("0.25", "0.5").first.lower() <= 0.25);
    CHECK(slope("0.25", "0.5").first.lower() > 0);
    CHECK(std::isinf(slope("0.25", "0.5").first.upper()));
    CHECK(slope("0.5", "1.5").is_continuous);
}
