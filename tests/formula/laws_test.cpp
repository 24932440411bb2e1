// Each law of simplify() and proves_equal() beside what it must leave alone.
#include <farfield/formula/simplify.hpp>

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include <farfield/formula/parser.hpp>
#include <farfield/formula/printer.hpp>

namespace farfield::formula {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

std::string simple(const std::string& text) {
    return print(simplify(parse(text)));
}

bool proved(const std::string& a, const std::string& b) {
    return proves_equal(parse(a), parse(b));
}

TEST_CASE("formulas that are equal by the laws have the same simplified form") {
    const Pairs alike = {
        {"e", "exp(1)"},
        {"2^(n + 3)", "8*2^n"},
        {"2^(n - 1)", "0.5*2^n"},
        {"2^(n - 64)", "2^-64*2^n"},
        {"0^-2", "1/0"},
        {"0^-0.5", "1/0"},
        {"(4/9)^0.5", "2/3"},
        {"(4/9)^-1.5", "27/8"},
        {"(2/3)^-2", "9/4"},
        {"(x*y)^512", "x^512*y^512"},
        {"(x^-2)^0.5", "1/abs(x)"},
        {"(x^0.5)^3", "x^1.5"},
        {"(x^2)^1.5", "abs(x)^3"},
        {"(x^0.5)^0.5", "x^0.25"},
        {"(x^1.5)^y", "x^(1.5*y)"},
        {"(abs(x)^3)^0.5", "abs(x)^1.5"},
        {"(-x)^2", "x^2"},
        {"(-x)^3", "-x^3"},
        {"(2*x*y)^3", "8*x^3*y^3"},
        {"(4*x)^0.5", "2*sqrt(x)"},
        {"(-4*x)^0.5", "2*sqrt(-x)"},
        {"(exp(x)*y)^0.5", "exp(x/2)*sqrt(y)"},
        {"(pi*x*y)^0.5", "sqrt(pi)*sqrt(x*y)"},
        {"(2*x + 4)^2", "4*(x + 2)^2"},
        {"(-x - y)^2", "(x + y)^2"},
        {"(-x - y)^3", "-(x + y)^3"},
        {"(x + y)^2*(x + y)", "(x + y)^3"},
        {"(2*x + 2*y)*(x + y)", "2*(x + y)^2"},
        {"sqrt(x + y)*sqrt(x + y) + x", "2*x + y"},
        {"exp(2*log(x))", "x^2"},
        {"exp(y*log(x) + z)", "x^y*exp(z)"},
        {"exp(x)*exp(-x)*y", "y"},
        {"exp(log(x) + log(y))", "x*y"},
        {"log(e^3)", "3"},
        {"abs(-x)", "abs(x)"},
        {"abs(-3*x^2)", "3*x^2"},
        {"abs(-x - y)", "abs(x + y)"},
        {"abs(-2*x*y)", "2*abs(x*y)"},
        {"abs(x^2 + 1)", "x^2 + 1"},
        {"abs(x)^4", "x^4"},
        {"abs(x)^-2", "1/x^2"},
        {"sign(-x)", "-sign(x)"},
        {"sign(2*exp(x))", "1"},
        {"sign(-exp(x))", "-1"},
        {"sin(-x - y)", "-sin(x + y)"},
        {"cos(-x - y)", "cos(x + y)"},
        {"expm1(0) + log1p(0) + sin(0) + erf(0) + fp16(0)", "0"},
        {"sigmoid(0) + cos(0)", "1.5"},
        {"log2(1024)", "10"},
        {"log2(1/1024)", "-10"},
        {"floor(floor(x)) + ceil(round(x))", "floor(x) + round(x)"},
        {"max(2, 2) + min(x, x)", "x + 2"},
        {"not not x < y", "x < y"},
        {"x < y and 1 < 2", "x < y"},
        {"1 < 2 and x < y", "x < y"},
        {"1 > 2 or x < y", "x < y"},
        {"x < y or 1 > 2", "x < y"},
        {"x < y or 1 < 2", "1 < 2"},
        {"1 > 2 and x < y", "2 < 1"},
        {"x < y and x < y", "x < y"},
        {"if(not 1 < 2, x, y)", "y"},
        {"if(x != x, a, b)", "b"},
        {"sum(j, 3, 1, x)", "0"},
        {"sum(j, 1, 4, x + y)", "4*(x + y)"},
        {"sum(j, 1, 4, x^y)", "4*x^y"},
        {"sum(j, 0, m, x)", "x*max(0, m + 1)"},
        {"sum(j, 1, m, 2*j*x + 4*j)", "2*sum(j, 1, m, j*x + 2*j)"},
        {"sum(j, 1, m, -j*x - j*y)", "-sum(j, 1, m, j*x + j*y)"},
        {"sum(j, 1, m, 3*x*y^j)", "3*x*sum(j, 1, m, y^j)"},
        {"prod(j, 2, m, x)", "x^max(0, m - 1)"},
        {"sum(j, 0.5, 3, 2)", "2*sum(j, 0.5, 3, 1)"},
    };
    for (const auto& [text, other] : alike) {
        INFO(text << " and " << other);
        CHECK(simple(text) == simple(other));
        CHECK(proved(text, other));
    }
}

TEST_CASE("formulas to which no law applies do not change") {
    for (const char* text : {"2^n",
                             "2^(n + 65)",
                             "x^(n + 1)",
                             "0^x",
                             "sqrt(8)",
                             "sqrt(-4)",
                             "sqrt(2/3)",
                             "(x*y)^513",
                             "(-1)^513",
                             "sqrt(x^3)",
                             "sqrt(-x)",
                             "sqrt(2*x + 4)",
                             "sqrt(-x - y)",
                             "abs(x)^3",
                             "abs(x - y)",
                             "abs(x^3)",
                             "abs(x^2 - 1)",
                             "abs(x*y)",
                             "sign(x)",
                             "sign(x^2)",
                             "sign(x - y)",
                             "sin(x - y)",
                             "cos(x - y)",
                             "softplus(0)",
                             "expm1(x)",
                             "log1p(x)",
                             "sigmoid(x)",
                             "log(2)",
                             "log(2*x)",
                             "log(x + y)",
                             "log2(3)",
                             "log2(6)",
                             "log2(0.375)",
                             "log2(x)",
                             "log2(-8)",
                             "log2(0)",
                             "exp(log(x)^2)",
                             "floor(2*floor(x))",
                             "floor(floor(x)^2)",
                             "floor(sin(x))",
                             "floor(x)",
                             "7%0",
                             "x%3",
                             "3%x",
                             "min(y, x)",
                             "max(x, 2)",
                             "clamp(x, 0, 1)",
                             "clamp(5, 0, x)",
                             "clamp(5, x, 7)",
                             "if(x == 0, a, b)",
                             "if(0 == x, a, b)",
                             "if(0 < x, a, b)",
                             "x < y",
                             "x >= y",
                             "y < z and x < y",
                             "not x < y",
                             "sum(j, 1, 3, sin(j))",
                             "sum(j, 1, 3, 2^j)",
                             "sum(j, 1, 3, w[j])",
                             "sum(j, 1, inf, 1)",
                             "sum(j, 1, 3.5, 1)",
                             "sum(j, 0.5, 3, 1)",
                             "prod(j, 1, 2.5, 2)",
                             "prod(j, 0.5, 2, 2)",
                             "prod(j, 1, 3, j)",
                             "prod(j, 1, inf, 2)",
                             "all(j, 1, 3, x < j)",
                             "atan2(0, 1)",
                             "t5_bucket(n, 32, 128)",
                             "f(x, 'text')"}) {
        INFO(text);
        CHECK(simple(text) == text);
    }
}

TEST_CASE("the laws that serve only decisions are proved") {
    const Pairs equalities = {
        {"(x + y)^2.5", "(x^2 + 2*x*y + y^2)*sqrt(x + y)"},
        {"(x - y)*(x + y)*(x^2 + y^2)", "x^4 - y^4"},
        {"(2*x + 4)^0.5", "sqrt(2)*sqrt(x + 2)"},
        {"(2*x + 4)^-1", "0.5/(x + 2)"},
        {"(1 + x)^-2*(1 + 2*x + x^2)", "1"},
        {"(1 + x)^-3*(1 + x)^2*(2 + 2*x)", "2"},
        {"(1 - x^2)/(1 + x)^2", "(1 - x)/(1 + x)"},
        {"(x + y)/sqrt(x + y)", "sqrt(x + y)"},
        {"(x + y)^-2.5*(x + y)^2", "1/sqrt(x + y)"},
        {"sqrt(x + y)/(1 + x + y) + sqrt(x + y)*(x + y)/(1 + x + y)", "sqrt(x + y)"},
        {"1/(x - y) + 1/(y - x)", "0"},
        {"cos(1/(x - y))", "cos(1/(y - x))"},
        {"cos(1/(x + y))", "cos(1/(-x - y))"},
        {"sin((x - y)^-3)", "-sin((y - x)^-3)"},
        {"(2/3)^n*3^n", "2^n"},
        {"1009^n*2^n", "2018^n"},
        {"(1/1009)^n", "1009^-n"},
        {"(2*pi)^n", "2^n*pi^n"},
        {"log(6)", "log(2) + log(3)"},
        {"log(12/35)", "2*log(2) + log(3) - log(5) - log(7)"},
        {"log(997^2)", "2*log(997)"},
        {"log(2*1009)", "log(2) + log(1009)"},
        {"log(2/1009)", "log(2) - log(1009)"},
        {"log(x^2)", "2*log(abs(x))"},
        {"log(x^-4)", "-4*log(abs(x))"},
        {"log(sqrt(x))", "log(x)/2"},
        {"log(pi*x)", "log(pi) + log(x)"},
        {"log(exp(x)*y)", "x + log(y)"},
        {"log(-2*x)", "log(2) + log(-x)"},
        {"log(2*x + 4)", "log(2) + log(x + 2)"},
        {"if(a > b, 1, 0)", "if(b < a, 1, 0)"},
        {"if(a >= b, 1, 0)", "if(b <= a, 1, 0)"},
        {"if(a == b, 1, 0)", "if(b == a, 1, 0)"},
        {"if(a != b, 1, 0)", "if(b != a, 1, 0)"},
        {"if(2*a < 4*b, 1, 0)", "if(a < 2*b, 1, 0)"},
        {"if(-a < -b, 1, 0)", "if(b < a, 1, 0)"},
        {"if(a < b and c < d, 1, 0)", "if(c < d and a < b, 1, 0)"},
        {"if(a < b or c < d, 1, 0)", "if(c < d or a < b, 1, 0)"},
        {"min(x, y)", "min(y, x)"},
        {"max(x, y)", "max(y, x)"},
        {"sin(x - y)", "-sin(y - x)"},
        {"sign(x - y)", "-sign(y - x)"},
        {"sum(i, 0, m, sum(j, 0, i, i*j))", "sum(a, 0, m, sum(b, 0, a, a*b))"},
        {"sum(j, 0, m, j + j^2)", "sum(j, 0, m, j) + sum(j, 0, m, j^2)"},
        {"sin(x)*sin(y)", "(cos(x - y) - cos(x + y))/2"},
        {"cos(x)*cos(y)", "(cos(x - y) + cos(x + y))/2"},
        {"sin(x)*cos(y)", "(sin(x + y) + sin(x - y))/2"},
        {"sin(x)^3", "(3*sin(x) - sin(3*x))/4"},
        {"cos(x)^4", "(3 + 4*cos(2*x) + cos(4*x))/8"},
    };
    for (const auto& [left, right] : equalities) {
        INFO(left << " == " << right);
        CHECK(proved(left, right));
        CHECK_FALSE(proved(left, "(" + right + ")*2 + 1"));
    }
    // One denominator for each name.
    std::string sum = "a/(1 + a) + 1/(1 + a)";
    for (const char* name : {"b", "c", "d"})
        sum += std::string(" + ") + name + "/(1 + " + name + ") + 1/(1 + " + name + ")";
    CHECK(proved(sum, "4"));
}

TEST_CASE("an equation that only looks like a law is not proved") {
    const Pairs differences = {
        {"if(a < b, 1, 0)", "if(a <= b, 1, 0)"},
        {"if(a < b, 1, 0)", "if(b < a, 1, 0)"},
        {"if(a == b, 1, 0)", "if(a != b, 1, 0)"},
        {"if(a < b and c < d, 1, 0)", "if(a < b or c < d, 1, 0)"},
        {"min(x, y)", "max(x, y)"},
        {"cos(x - y)", "-cos(y - x)"},
        {"sin(x - y)", "sin(y - x)"},
        {"floor(-x)", "-floor(x)"},
        {"floor(x)*sin(y)", "cos(x)*sin(y)"},
        {"abs(x)^3", "x^3"},
        {"(x*y)^z", "x^z*y^z"},
        {"(x^3)^0.5", "abs(x)^1.5"},
        {"exp(log(x)^2)", "x^2"},
        {"w[x]", "w[y]"},
        {"w[x]", "v[x]"},
        {"f(x)", "f(x, x)"},
        {"f('a')", "f('b')"},
        {"sum(j, 0, m, j)", "sum(j, 0, m, m)"},
        {"sum(j, 0, m, j)", "prod(j, 0, m, j)"},
        {"sum(i, 0, m, sum(j, 0, m, i*j^2))*1", "sum(i, 0, m, sum(j, 0, m, 2*i*j))"},
        {"sum(j, 0.5, m, 2)", "2*max(0, m + 0.5)"},
    };
    for (const auto& [left, right] : differences) {
        INFO(left << " and " << right);
        CHECK_FALSE(proved(left, right));
    }
}

TEST_CASE("a formula is simplified up to the deepest tree that is read") {
    // sin(...sin(x + 0)): one level less when the 0 is gone.
    const auto nested = [](std::size_t levels) {
        Node tree = parse("x + 0");
        for (std::size_t level = 0; level < levels; ++level) tree = make(Op::sine, {tree});
        return tree;
    };
    CHECK(simplify(nested(deepest_tree - 1))->depth == deepest_tree);
    const Node deeper = nested(deepest_tree);
    CHECK(simplify(deeper) == deeper);
}

TEST_CASE("long sums and products are written without deep trees") {
    // Chains of at most 32 are as deep as they are long; longer ones stand in halves: 17 and 16 of 33, 32 and 33 of 65.
    const std::vector<std::pair<std::size_t, std::size_t>> depths = {{2, 2},   {32, 32}, {33, 18},
                                                                     {64, 33}, {65, 33}, {66, 19}};
    for (const char* sign : {" + ", "*"}) {
        for (const auto& [count, depth] : depths) {
            std::string text = "x0";
            for (std::size_t at = 1; at < count; ++at) text += sign + ("x" + std::to_string(at));
            const Node tree = simplify(parse(text));
            INFO(text);
            CHECK(tree->depth == depth);
            CHECK(tree->nodes == 2 * count - 1);
            CHECK(proves_equal(tree, parse(text)));
        }
    }
}

TEST_CASE("terms are written as people write them") {
    const Pairs written = {
        {"-x", "-x"},       {"-x - y", "-x - y"},    {"-x + y", "y - x"},    {"-2*x/3", "-2*x/3"},
        {"x^-1", "1/x"},    {"x^-0.5", "1/sqrt(x)"}, {"x^-2*y", "y/x^2"},    {"2/(3*x)", "2/(3*x)"},
        {"0.5/x", "0.5/x"}, {"(x - y)*-1", "y - x"}, {"exp(-x)", "exp(-x)"}, {"2^-x", "2^-x"},
        {"1*x", "x"},       {"x^2.5", "x^2.5"},      {"x^(1/3)", "x^(1/3)"}, {"-exp(-x)*2", "-2*exp(-x)"},
    };
    for (const auto& [text, wanted] : written) {
        INFO(text);
        CHECK(simple(text) == wanted);
    }
}

TEST_CASE("factors have a fixed order: numbers, names, indexes, operators, calls, reductions, sums") {
    const std::vector<std::string> ordered = {"2^x",
                                              "3^x",
                                              "x",
                                              "y",
                                              "v[x]",
                                              "w[x]",
                                              "w[x, y]",
                                              "sin(x)",
                                              "cos(x)",
                                              "f(x)",
                                              "f(x, y)",
                                              "g(x)",
                                              "sum(j, 0, x, w[j])",
                                              "sqrt(x + y)"};
    for (std::size_t a = 0; a < ordered.size(); ++a) {
        for (std::size_t b = a + 1; b < ordered.size(); ++b) {
            CHECK(simple(ordered[b] + "*" + ordered[a]) == ordered[a] + "*" + ordered[b]);
            CHECK(simple(ordered[a] + "*" + ordered[b]) == ordered[a] + "*" + ordered[b]);
        }
    }
}

}  // namespace
}  // namespace farfield::formula
