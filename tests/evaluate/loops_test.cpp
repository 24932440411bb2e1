// How far the loops of each evaluator count.
#include <catch2/catch.hpp>
#include <cmath>

#include <farfield/evaluate/enclose.hpp>
#include <farfield/evaluate/evaluate.hpp>
#include <farfield/evaluate/reference.hpp>
#include <farfield/formula/parser.hpp>

#include "evaluate/closed.hpp"

using namespace farfield;
using evaluate::Enclosing;

namespace {

formula::Program compiled(const std::string& text) {
    return formula::compile(formula::parse(text), {});
}

core::Enclosure enclosed(const std::string& text, Enclosing how) {
    return evaluate::enclose(compiled(text), {}, how).front();
}

double in(const std::string& system, const std::string& text) {
    return evaluate::evaluate(compiled(text), {}, evaluate::read_number_system(system)).front();
}

}  // namespace

TEST_CASE("enclosing loops count exactly to 2^63 - 1, and end there") {
    for (const Enclosing how : {Enclosing::fast, Enclosing::rigorous}) {
        CHECK(enclosed("sum(n, 2^62, 2^62 + 3, 1)", Enclosing::rigorous) == core::Enclosure::exactly(4));
        // 2^63 - 1024 is the last double below 2^63.
        CHECK(enclosed("sum(n, 9223372036854774784, 9223372036854774784, 1)", how) == core::Enclosure::exactly(1));
        CHECK(std::isinf(enclosed("sum(n, 9223372036854775808, 9223372036854775808, 1)", how).hi));
    }
    CHECK(enclosed("sum(n, 9223372036854775800, 9223372036854775807, 1)", Enclosing::rigorous) ==
          core::Enclosure::exactly(8));
    CHECK(enclosed("sum(n, 9223372036854775807, 9223372036854775807, n - 9223372036854775800)", Enclosing::rigorous) ==
          core::Enclosure::exactly(7));
}

TEST_CASE("a loop's variable beyond 2^53 is enclosed by fast intervals and exact at 128 bits") {
    // 2^53 + 1 over 2^53 .. 2^53 + 2: the middle one is not a double.
    const std::string text = "sum(n, 9007199254740992, 9007199254740994, if(n == 9007199254740993, 1, 0))";
    CHECK(enclosed(text, Enclosing::rigorous) == core::Enclosure::exactly(1));
    CHECK(enclosed(text, Enclosing::fast).contains(1));
    CHECK(enclosed(text, Enclosing::fast).width() > 0);
}

TEST_CASE("loops of doubles count below 2^53 and have no value beyond") {
    const std::string below = "sum(n, 9007199254740990, 9007199254740991, 1)";
    const std::string beyond = "sum(n, 9007199254740992, 9007199254740992, 1)";
    CHECK(evaluate::reference(formula::parse(below), {}) == 2);
    CHECK(std::isnan(evaluate::reference(formula::parse(beyond), {})));
    for (const char* system : {"double", "mp40"}) {
        CHECK(in(system, below) == 2);
        CHECK(std::isnan(in(system, beyond)));
    }
}

// 2049 is 2048 in fp16 and 15 is 16 in e5m2; the exact bounds give 3 and 10 steps (counted by hand).
TEST_CASE("literal bounds are not rounded to the number system") {
    CHECK(in("fp16", "sum(i, 2049, 2051, 1)") == 3);
    CHECK(in("bf16", "sum(i, 250, 259, 1)") == 10);
    CHECK(in("e5m2", "sum(i, 13, 15, 1)") == 3);
    CHECK(in("fp16", "sum(i, 65530, 65540, 1)") == 11);
    CHECK(in("float", "sum(i, 16777216, 16777217, 1)") == 2);
    CHECK(std::isnan(in("float", "argmin(i, 16777217, 16777216, 1)")));
    // So are bounds without variables: in bf16, 514 would be 512, and 256 would be 255.
    CHECK(in("bf16", "sum(i, 256, 514/2 - 1, 1)") == 1);
    CHECK(in("fp16", "sum(i, -2051, -2049, 1)") == 3);
    // As doubles, 0.3/0.1 is below 3.
    for (const char* system : {"double", "mp40", "fp16"}) CHECK(in(system, "sum(i, 1, 0.3/0.1, 1)") == 3);
    CHECK(enclosed("sum(i, 1, 0.3/0.1, 1)", Enclosing::fast) == core::Enclosure::exactly(3));
    CHECK(evaluate::reference(formula::parse("sum(i, 1, 0.3/0.1, 1)"), {}) == 3);
    // 256 + 258 + 260 + 260 in bf16, whose spacing is 2 from 256 on and 4 from 512 on: 514 is 512 (a tie), 772, 1032.
    CHECK(in("bf16", "sum(i, 257, 260, i)") == 1032);
}

// 2^p is the first integer that a larger one may be rounded to.
TEST_CASE("a bound that floats or low precision compute may be as large as integers are exact") {
    struct Row {
        const char* system;
        int first_beyond;
    };
    for (const Row& row : {Row{"float", 16777216}, {"fp16", 2048}, {"bf16", 256}, {"e4m3", 16}, {"e5m2", 8}}) {
        CAPTURE(row.system);
        const auto steps = [&](double n, const std::string& text) {
            evaluate::Inputs inputs;
            inputs.uniform = {n};
            inputs.points = 1;
            const formula::Program program = formula::compile(formula::parse(text), {{"n"}, {}, {}});
            return evaluate::evaluate(program, inputs, evaluate::read_number_system(row.system)).front();
        };
        CHECK(steps(row.first_beyond - 1, "sum(i, n - 2, n, 1)") == 3);
        CHECK(steps(1 - row.first_beyond, "sum(i, n, n + 2, 1)") == 3);
        for (const int beyond : {row.first_beyond, row.first_beyond + 1}) {
            CHECK(std::isnan(steps(beyond, "sum(i, n, n, 1)")));
            CHECK(std::isnan(steps(-beyond, "argmin(i, n, n, i)")));
            CHECK(steps(beyond, "if(all(i, n, n, i > 0), 1, 2)") == 2);
        }
    }
}

TEST_CASE("closed formulas that are rational are known as such") {
    const auto is = [](const std::string& text, const std::string& wanted) {
        const auto value = evaluate::exact_value(formula::parse(text));
        return value && numerics::rational_text(*value) == wanted;
    };
    // By hand.
    CHECK(is("0.1 + 0.2", "0.3"));
    CHECK(is("1/3", "1/3"));
    CHECK(is("(1/4)^(3/2)", "0.125"));
    CHECK(is("round(2.5) + round(3.5) + round(-0.5)", "6"));
    CHECK(is("0^0", "1"));
    CHECK(is("max(1/3, 0.3) - min(1/3, 0.3)", "1/30"));
    CHECK(is("if(sqrt(2) < 1.5, 7, log(2))", "7"));
    CHECK(is("2^1000/2^999", "2"));
    for (const char* text : {"sqrt(2)", "0/0", "1/0", "0^(-1)", "(-8)^(1/3)", "log(-1)", "log(0)", "pi", "inf", "x",
                             "2^(10^9)", "log2(3)", "sum(i, 1, 10^6, 1/i)", "sum(i, 0, 1/2, i)"}) {
        INFO(text);
        CHECK_FALSE(evaluate::exact_value(formula::parse(text)));
    }
}
