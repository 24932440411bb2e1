// FPBench's format as studies. Expected formulas follow the specification FPCore 2.0 by hand.
#include <catch2/catch.hpp>

#include <random>
#include <string>

#include <farfield/core/diagnostic.hpp>
#include <farfield/study/fpcore.hpp>

#include "support/trials.hpp"

namespace farfield::study {
namespace {

std::string imported(const std::string& text) {
    return import_fpcore(text, "a.fpcore");
}

std::string refusal(const std::string& text) {
    try {
        imported(text);
    } catch (const core::UserError& error) {
        return core::format(error.diagnostics());
    }
    return {};
}

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// The formula that an expression of x and y becomes.
std::string formula(const std::string& expression) {
    const std::string study = imported("(FPCore (x y) :pre (and (<= 0 x 1) (<= 0 y 1)) " + expression + ")");
    const std::string key = "formula = \"";
    const std::size_t from = study.find(key) + key.size();
    return study.substr(from, study.find('"', from) - from);
}

TEST_CASE("an FPCore becomes a quantity with its box and precision") {
    const std::string study = imported(
        "; a comment\n(FPCore (x T)\n :name \"two words\" :cite (a b) :precision binary32\n"
        " :pre (and (<= -1.5 x 2) (<= 3 T) (< T 4e2))\n (* x T))");
    CHECK(holds(study,
                "[quantity.two_words]\nkind = \"rounding-error\"\nformula = \"x*T\"\n"
                "over = { x = [-1.5, 2], T = [3, 4e2] }\nformat = \"fp32\"\ninputs = \"real\"\n"));
}

TEST_CASE("expressions keep their meaning") {
    struct Row {
        const char* fpcore;
        const char* expected;
    };
    const Row row = GENERATE(Row{"(- x)", "-x"}, Row{"(- x y)", "x - y"}, Row{"(+ (* x x) (/ y 3))", "x*x + y/3"},
                             Row{"(let ([t (+ x 1)] [u 2]) (* t (- t u)))", "(x + 1)*(x + 1 - 2)"},
                             Row{"(let ([x y] [y x]) (- x y))", "y - x"},   // all at once
                             Row{"(let* ([x y] [y x]) (- x y))", "y - y"},  // one after the other
                             Row{"(if (< x y 1) x (sqrt y))", "if(x < y and y < 1, x, sqrt(y))"},
                             Row{"(if (or (== x 0) (not (>= y 1))) 1 2)", "if(x == 0 or not y >= 1, 1, 2)"},
                             Row{"(fmax (fabs x) (pow y 2))", "max(abs(x), y^2)"}, Row{"(atan x)", "atan2(x, 1)"},
                             Row{"(* PI E)", "pi*e"}, Row{"(+ .5 1/3)", "0.5 + 1/3"}, Row{"(exp -1e-3)", "exp(-1e-3)"});
    INFO(row.fpcore);
    CHECK(formula(row.fpcore) == row.expected);
}

TEST_CASE("names that the language has for itself are changed") {
    const std::string study =
        imported("(FPCore (e x* sin) :pre (and (<= 0 e 1) (<= 0 x* 1) (<= 0 sin 1)) (+ e (* x* sin)))");
    CHECK(holds(study, "formula = \"e_ + x_*sin_\""));
    CHECK(holds(study, "[quantity.formula]"));
    const std::string two = imported("(FPCore f (x) :pre (<= 0 x 1) x) (FPCore f (x) :pre (>= 1 x 0) x)");
    CHECK(holds(two, "[quantity.f]"));
    CHECK(holds(two, "[quantity.f_2]"));
}

TEST_CASE("conditions that are no ranges are left out and said") {
    const std::string study = imported("(FPCore (x y) :pre (and (<= 0 x 1) (<= 0 y 1) (< x y)) (- x y))");
    CHECK(holds(study, "# :pre has more than ranges, and the box is larger: (< x y)\n"));
}

TEST_CASE("what cannot be imported is refused with its place") {
    const std::string pre = " :pre (<= 0 x 1) ";
    CHECK(
        holds(refusal("(FPCore (x)" + pre + "(while (< x 1) ([x x x]) x))"), "a.fpcore:1:29: 'while' is not imported"));
    CHECK(holds(refusal("(FPCore (x)" + pre + "(fma x x x))"), "the operator 'fma' is not known"));
    CHECK(holds(refusal("(FPCore (x)" + pre + "(sqrt x x))"), "'sqrt' with 2 arguments"));
    CHECK(holds(refusal("(FPCore (x)" + pre + "(sqrt (< x 1)))"), "of the other type"));
    CHECK(holds(refusal("(FPCore (x)" + pre + "(+ x z))"), "unknown name 'z'"));
    for (const char* word : {"--3", "1/-3", "1/", "1e", "1..2", "1e5/2e", "."})
        CHECK(holds(refusal("(FPCore (x)" + pre + "(+ x " + word + "))"), "unknown name '" + std::string(word) + "'"));
    CHECK(holds(refusal("(FPCore (x)" + pre + ":precision binary80 x)"), "unknown precision 'binary80'"));
    CHECK(holds(refusal("(FPCore (x) (+ x 1))"), "no range of the argument 'x'"));
    CHECK(holds(refusal("(FPCore (x) :pre (<= 0 x) x)"), "no range of the argument 'x'"));
    CHECK(holds(refusal("(FPCore (x)" + pre + "x"), "a list that is not closed"));
    CHECK(holds(refusal("(FPCore (x)" + pre + "x])"), "closes a list of the other kind"));
    CHECK(holds(refusal("(foo)"), "not an FPCore"));
    CHECK(holds(refusal(""), "no FPCore"));
    CHECK(holds(refusal(std::string(100'000, '(')), "nested deeper"));
    std::string doubled = "x";
    for (int i = 0; i < 30; ++i) doubled = "(let ([x (+ x x)]) " + doubled + ")";
    CHECK(holds(refusal("(FPCore (x)" + pre + doubled + ")"), "more than 100000 operations"));
}

TEST_CASE("with skips, the others are imported") {
    const std::string study =
        import_fpcore("(FPCore f (x) :pre (<= 0 x 1) x)\n(FPCore (y) (while y))", "a.fpcore", true);
    CHECK(holds(study, "[quantity.f]"));
    CHECK(holds(study, "# Left out, line 2: 'while' is not imported."));
    CHECK(holds(study, "1 of 2 formulas"));
}

TEST_CASE("texts with changed characters are imported or refused") {
    const std::string text =
        "(FPCore (x y) :name \"n\" :pre (and (<= 0 x 1) (< -1/3 y 2)) (let ([t (* x y)]) (if (< t 1) t (sqrt y))))";
    std::mt19937 random(1);
    for (int trial = 0; trial < tests::trials(5000); ++trial) {
        std::string changed = text;
        for (int change = 0; change < 3; ++change)
            changed[random() % changed.size()] = "()[]\";: x1-/.e\x01\xff"[random() % 16];
        try {
            imported(changed);
        } catch (const core::UserError&) {
            continue;
        }
    }
}

}  // namespace
}  // namespace farfield::study
