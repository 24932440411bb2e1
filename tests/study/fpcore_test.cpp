// FPBench's format as studies. Expected formulas follow the specification FPCore 2.0 by hand.
#include <catch2/catch.hpp>

#include <random>
#include <string>

#include <fmt/format.h>

#include <farfield/core/diagnostic.hpp>
#include <farfield/study/fpcore.hpp>

#include "study/forms.hpp"
#include "support/folder.hpp"
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

/// The formula that an expression of x and y, or of one or none of them, becomes.
std::string formula(const std::string& expression) {
    const std::string study =
        imported("(FPCore (x y) :pre (and (<= 0 x 1) (<= 0 y 1)) (if (< x y) " + expression + " 0))");
    const std::string key = "formula = \"if(x < y, ";
    const std::size_t from = study.find(key) + key.size();
    return study.substr(from, study.find(", 0)\"", from) - from);
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

TEST_CASE("names that the language reserves are changed") {
    const std::string study =
        imported("(FPCore (e x* sin) :pre (and (<= 0 e 1) (<= 0 x* 1) (<= 0 sin 1)) (+ e (* x* sin)))");
    CHECK(holds(study, "formula = \"e_ + x_*sin_\""));
    CHECK(holds(study, "[quantity.formula]"));
    const std::string two = imported("(FPCore f (x) :pre (<= 0 x 1) x) (FPCore f (x) :pre (>= 1 x 0) (- x))");
    CHECK(holds(two, "[quantity.f]"));
    CHECK(holds(two, "[quantity.f_2]"));
}

TEST_CASE("what is left out is reported: conditions that are not ranges, and a specification") {
    const std::string study = imported("(FPCore (x y) :pre (and (<= 0 x 1) (<= 0 y 1) (< x y)) (- x y))");
    CHECK(holds(study, "# :pre has more than ranges, and the box is larger: (< x y)\n"));
    CHECK(holds(imported("(FPCore (x) :pre (<= 0 x 1) :spec (* x 2) (+ x x))"), "# :spec is not read"));
}

TEST_CASE("comparisons of several arguments are chains, and different ones differ pair by pair") {
    CHECK(formula("(if (< x y 2) x y)") == "if(x < y and y < 2, x, y)");
    CHECK(formula("(if (!= x y 2) x y)") == "if(x != y and x != 2 and y != 2, x, y)");
}

TEST_CASE("unsupported input is refused with its place") {
    const std::string pre = " :pre (<= 0 x 1) ";
    const auto told = [&](const std::string& rest) { return refusal("(FPCore (x)" + pre + rest + ")"); };
    CHECK(holds(told("(while (< x 1) ([x x x]) x)"), "a.fpcore:1:29: 'while' is not imported"));
    CHECK(holds(told("(fma x x x)"), "the operator 'fma' is not known"));
    CHECK(holds(told("(sqrt x x)"), "'sqrt' with 2 arguments"));
    for (const char* each : {"(sqrt (< x 1))", "(+ x (< x 2))", "(if (and x 1) x 1)", "(fmin x (< 1 x))",
                             "(if (< x 1) x (< x 2))", "(< x (< x 1))", "(- (< x 1))", "(not x)"})
        CHECK(holds(told(each), "of the other type"));
    CHECK(holds(told(":round toPositive (+ x 1)"), "the rounding 'toPositive' is not imported; expected nearestEven"));
    CHECK(told(":round nearestEven (+ x 1)").empty());
    CHECK(holds(told("(+ x z)"), "unknown name 'z'"));
    CHECK(holds(told(":precision binary80 x"), "unknown precision 'binary80'"));
    CHECK(holds(told(":name \"a\" :name \"b\" x"), "':name' is given twice"));
    CHECK(holds(told("(let ((y x) (y 2)) y)"), "'y' is bound twice"));
    CHECK((told("(let* ((y x) (y (+ y 2))) y)").empty() && told("(let ((y x)) y)").empty()));
    CHECK(holds(refusal("(FPCore (x) (+ x 1))"), "no range of the argument 'x'"));
    CHECK(holds(refusal("(FPCore (x) :pre (<= 0 x) x)"), "no range of the argument 'x'"));
    CHECK(holds(refusal("(FPCore (x) :pre (<= 0 x 1e400) x)"), "the range of 'x' ends at 1e400"));
    CHECK(holds(refusal("(FPCore (x)" + pre + "x"), "a list that is not closed"));
    CHECK(holds(refusal("(foo)"), "not an FPCore"));
    CHECK(holds(refusal(std::string(100'000, '(')), "nested deeper"));
    std::string doubled = "x";
    for (int i = 0; i < 30; ++i) doubled = "(let ([x (+ x x)]) " + doubled + ")";
    CHECK(holds(refusal("(FPCore (x)" + pre + doubled + ")"), "more than 100000 operations"));
}

TEST_CASE("a refusal shows the line of its place, and no other") {
    for (const std::string end : {"", "\n", "\n; the end\n"}) {
        try {
            imported("; one\n (FPCore (x) :pre (<= 0 x 1)\n  (while x))" + end);
            FAIL("the text was imported");
        } catch (const core::UserError& error) {
            const core::Place& place = error.diagnostics().at(0).place;
            CHECK(place.line == 3);
            CHECK(place.column == 3);
            CHECK(place.excerpt == "  (while x))");
        }
    }
}

TEST_CASE("with skips, the others are imported") {
    const std::string study =
        import_fpcore("(FPCore f (x) :pre (<= 0 x 1) x)\n(FPCore (y) (while y))", "a.fpcore", true);
    CHECK(holds(study, "[quantity.f]"));
    CHECK(holds(study, "# Left out, line 2: 'while' is not imported."));
    CHECK(holds(study, "1 of 2 formulas"));
}

TEST_CASE("every operator of the format has its counterpart") {
    // FPCore 2.0, section 3; the language's own names are those of docs/study.md.
    const std::pair<const char*, const char*> rows[] = {
        {"(fabs x)", "abs(x)"},
        {"(sqrt x)", "sqrt(x)"},
        {"(exp x)", "exp(x)"},
        {"(log x)", "log(x)"},
        {"(log2 x)", "log2(x)"},
        {"(sin x)", "sin(x)"},
        {"(cos x)", "cos(x)"},
        {"(tan x)", "tan(x)"},
        {"(tanh x)", "tanh(x)"},
        {"(erf x)", "erf(x)"},
        {"(floor x)", "floor(x)"},
        {"(ceil x)", "ceil(x)"},
        {"(nearbyint x)", "round(x)"},
        {"(expm1 x)", "expm1(x)"},
        {"(log1p x)", "log1p(x)"},
        {"(pow x y)", "x^y"},
        {"(fmin x y)", "min(x, y)"},
        {"(fmax x y)", "max(x, y)"},
        {"(atan2 x y)", "atan2(x, y)"},
        {"(atan x)", "atan2(x, 1)"},
        {"(/ x y)", "x/y"},
        {"(+ x y)", "x + y"},
        {"(* x y)", "x*y"},
        {"(- x y)", "x - y"},
        {"(- x)", "-x"},
        {"(if (< x y) x y)", "if(x < y, x, y)"},
        {"(if (<= x y) x y)", "if(x <= y, x, y)"},
        {"(if (> x y) x y)", "if(x > y, x, y)"},
        {"(if (>= x y) x y)", "if(x >= y, x, y)"},
        {"(if (== x y) x y)", "if(x == y, x, y)"},
        {"(if (!= x y) x y)", "if(x != y, x, y)"},
        {"(if (not (< x y)) x y)", "if(not x < y, x, y)"},
        {"(if (< x y 2 3) x y)", "if(x < y and y < 2 and 2 < 3, x, y)"},
        {"(if (and (< x y)) x y)", "if(x < y, x, y)"},
        {"(if (and (< x 1) (< y 2) (< x y)) x y)", "if(x < 1 and y < 2 and x < y, x, y)"},
        {"(if (or (< x 1) (< y 2) (< x y)) x y)", "if(x < 1 or y < 2 or x < y, x, y)"},
    };
    for (const auto& [fpcore, expected] : rows) {
        INFO(fpcore);
        CHECK(formula(fpcore) == expected);
    }
}

TEST_CASE("decimal numbers and quotients of them are read in every notation") {
    const std::pair<const char*, const char*> rows[] = {
        {"0", "0"},      {"7", "7"},        {"+7", "7"},      {"-7", "-7"},   {"2.50", "2.50"},  {".5", "0.5"},
        {"5.", "5.0"},   {"-.5", "-0.5"},   {"1e3", "1e3"},   {"1E3", "1E3"}, {"12/34", "6/17"}, {"-12/34", "-(6/17)"},
        {"+1/2", "0.5"}, {".5/2.", "0.25"}, {"9e-2", "9e-2"},
    };
    for (const auto& [word, expected] : rows) {
        INFO(word);
        CHECK(formula(word) == expected);
    }
    const std::string pre = " :pre (<= 0 x 1) ";
    for (const char* word : {"+-",  "+",  "-",        "0x1p3", "0X1",  "x1", "1/x", "/2",   "1//2",   "1/2/3", "a/2",
                             "1/.", "e5", "INFINITY", "--3",   "1/-3", "1/", "1e",  "1..2", "1e5/2e", "."})
        CHECK(holds(refusal("(FPCore (x)" + pre + "(+ x " + word + "))"), "unknown name '" + std::string(word) + "'"));
}

TEST_CASE("every precision has its format; binary64 is that of a formula without one") {
    const auto format = [](const std::string& property) {
        const std::string study = imported("(FPCore (x) " + property + " :pre (<= 0 x 1) x)");
        const std::string key = "format = \"";
        const std::size_t from = study.find(key) + key.size();
        return study.substr(from, study.find('"', from) - from);
    };
    CHECK(format("") == "fp64");
    CHECK(format(":precision binary64") == "fp64");
    CHECK(format(":precision binary32") == "fp32");
    CHECK(format(":precision binary16") == "fp16");
    CHECK(format(":precision bfloat16") == "bf16");
}

TEST_CASE("the box is the intersection of the ranges in :pre; any other condition there is named") {
    struct Row {
        const char* pre;
        const char* box;
        std::vector<std::string> left_out;
    };
    const Row rows[] = {
        {"(<= 0 x 1)", "x = [0, 1]", {}},
        {"(< 0 x 1)", "x = [0, 1]", {}},
        {"(>= 1 x 0)", "x = [0, 1]", {}},
        {"(> 1 x 0)", "x = [0, 1]", {}},
        {"(and (<= -3 x) (<= x -2.5))", "x = [-3, -2.5]", {}},
        // Each range narrows the box and none widens it.
        {"(and (<= 0 x 8) (<= 2 x 5))", "x = [2, 5]", {}},
        {"(and (<= 2 x 5) (<= 0 x 8))", "x = [2, 5]", {}},
        {"(and (<= 2 x 5) (and (>= x 3) (> 4 x)))", "x = [3, 4]", {}},
        // What is no range of an argument between decimal numbers.
        {"(and (<= 0 x 1) (<= 1/3 x))", "x = [0, 1]", {"(<= 1/3 x)"}},
        {"(and (<= 0 x 1) (<= x 2/3))", "x = [0, 1]", {"(<= x 2/3)"}},
        {"(and (<= 0 x 1) (<= y x))", "x = [0, 1]", {"(<= y x)"}},
        {"(and (<= 0 x 1) (<= 0 y))", "x = [0, 1]", {"(<= 0 y)"}},
        {"(and (<= 0 x 1) (<= y 0))", "x = [0, 1]", {"(<= y 0)"}},
        {"(and (<= 0 x 1) (<= x x))", "x = [0, 1]", {"(<= x x)"}},
        {"(and (<= 0 x 1) (<= 0 (sqrt x)))", "x = [0, 1]", {"(<= 0 (sqrt x))"}},
        {"(and (<= 0 x 1) (<= (sqrt x) 1))", "x = [0, 1]", {"(<= (sqrt x) 1)"}},
        {"(and (<= 0 x 1) (!= x 0.5) (or (< x 1) (> x 2)))", "x = [0, 1]", {"(!= x 0.5)", "(or (< x 1) (> x 2))"}},
        {"(and TRUE (<= 0 x 1))", "x = [0, 1]", {"TRUE"}},
    };
    for (const Row& row : rows) {
        INFO(row.pre);
        const std::string study = imported(std::string("(FPCore (x) :pre ") + row.pre + " x)");
        CHECK(holds(study, std::string("over = { ") + row.box + " }\n"));
        std::string comments;
        for (const std::string& each : row.left_out)
            comments += "# :pre has more than ranges, and the box is larger: " + each + "\n";
        CHECK(holds(study, "\n\n" + comments + "[quantity.formula]\n"));
        CHECK((comments.empty() != holds(study, "# :pre")));
    }
    CHECK(holds(refusal("(FPCore () (+ 1 2))"), "a.fpcore:1:1: 'over' is empty"));
}

TEST_CASE("a quantity has the name of its formula, in letters, digits and single underscores, once") {
    const auto names = [](const std::string& text) {
        std::vector<std::string> found;
        const std::string study = imported(text);
        const std::string key = "[quantity.";
        for (std::size_t at = 0; (at = study.find(key, at)) != std::string::npos;) {
            at += key.size();
            found.push_back(study.substr(at, study.find(']', at) - at));
        }
        return found;
    };
    using Names = std::vector<std::string>;
    const auto named = [&](const std::string& name) {
        return names("(FPCore (x) :name \"" + name + "\" :pre (<= 0 x 1) x)");
    };
    CHECK(named("azAZ_09") == Names{"azAZ_09"});
    CHECK(named("a--b (c)") == Names{"a_b_c"});
    CHECK(named("--a--") == Names{"a"});
    CHECK(named("a_-b__") == Names{"a_b"});
    CHECK(named("???") == Names{"formula"});
    CHECK(named("0ne") == Names{"formula_0ne"});
    CHECK(named("9ine") == Names{"formula_9ine"});
    CHECK(named("sin") == Names{"sin_2"});  // the language's
    CHECK(names("(FPCore f (x) :pre (<= 0 x 1) x)") == Names{"f"});
    CHECK(names("(FPCore f (x) :name \"g\" :pre (<= 0 x 1) x)") == Names{"g"});
    const auto again = [](const char* body) { return fmt::format("(FPCore f (x) :pre (<= 0 x 1) {}) ", body); };
    CHECK(names(again("x") + again("(sin x)") + again("(cos x)")) == Names{"f", "f_2", "f_3"});
    CHECK(holds(refusal(again("x") + again("x")), "a.fpcore:1:34: the formula and the ranges of another FPCore"));
}

TEST_CASE("arguments keep their names where the language can write them") {
    // The language has e, pi and q for itself, and its names have letters and digits of ASCII and underscores.
    const std::string study = imported(
        "(FPCore (azAZ09 x* x_ e e_ 9x) :pre (and (<= 0 azAZ09 1) (<= 0 x* 2) (<= 0 x_ 3) (<= 0 e 4) (<= 0 e_ 5) "
        "(<= 0 9x 6)) (+ azAZ09 (+ x* (+ x_ (+ e (+ e_ 9x))))))");
    CHECK(holds(study,
                "over = { azAZ09 = [0, 1], x_ = [0, 2], x__ = [0, 3], e_ = [0, 4], e__ = [0, 5], x_9x = [0, 6] }\n"));
}

TEST_CASE("a refusal states what is wrong, where, and what is expected") {
    struct Row {
        const char* text;
        const char* line;  ///< the first, and that of what is wanted
        const char* wanted;
    };
    const Row rows[] = {
        {"(FPCore)", "a.fpcore:1:1: an FPCore without arguments", "(FPCore (x y) ... expression)"},
        {"(FPCore f)", "a.fpcore:1:1: an FPCore without arguments", "(FPCore (x y) ... expression)"},
        {"(FPCore f g (x) x)", "a.fpcore:1:1: an FPCore without arguments", "(FPCore (x y) ... expression)"},
        {"(FPCore \"f\" (x) x)", "a.fpcore:1:1: an FPCore without arguments", "(FPCore (x y) ... expression)"},
        {"(FPCore ((! x)) 1)", "a.fpcore:1:10: an argument with an annotation or dimensions", "a name"},
        {"(FPCore (\"x\") 1)", "a.fpcore:1:10: an argument with an annotation or dimensions", "a name"},
        {"(FPCore ())", "a.fpcore:1:1: an FPCore that does not end with one expression", "(FPCore (x y) :name"},
        {"(FPCore () 1 2)", "a.fpcore:1:1: an FPCore that does not end with one expression", "(FPCore (x y) :name"},
        {"(FPCore () :name)", "a.fpcore:1:12: unknown name ':name'", "an argument, a decimal number, PI or E"},
        {"(FPCore ()\n :precision\n real 1)", "a.fpcore:3:2: unknown precision 'real'",
         "binary64, binary32, binary16 or bfloat16"},
        {"(FPCore () \"1\")", "a.fpcore:1:12: a text", "an expression"},
        {"(FPCore () ())", "a.fpcore:1:12: a list without an operator", "(+ x y)"},
        {"(FPCore () ((sin 1)))", "a.fpcore:1:12: a list without an operator", "(+ x y)"},
        {"(FPCore () (let ([x 1]) x x))", "a.fpcore:1:12: a 'let' of another shape", "(let ([x 1]) x)"},
        {"(FPCore () (let ([x 1])))", "a.fpcore:1:12: a 'let' of another shape", "(let ([x 1]) x)"},
        {"(FPCore () (let x x))", "a.fpcore:1:12: a 'let' of another shape", "(let ([x 1]) x)"},
        {"(FPCore () (let (x) x))", "a.fpcore:1:18: a binding of another shape", "[x expression]"},
        {"(FPCore () (let ([x]) x))", "a.fpcore:1:18: a binding of another shape", "[x expression]"},
        {"(FPCore () (let ([x 1 2]) x))", "a.fpcore:1:18: a binding of another shape", "[x expression]"},
        {"(FPCore () (let ([(x) 1]) x))", "a.fpcore:1:18: a binding of another shape", "[x expression]"},
        {"(FPCore () (let ([x z]) x))", "a.fpcore:1:21: unknown name 'z'", "an argument, a decimal number, PI or E"},
        {"(FPCore () (- 1 2 3))", "a.fpcore:1:12: '-' with 3 arguments", "1 or 2"},
        {"(FPCore () (atan 1 2))", "a.fpcore:1:13: the operator 'atan' is not known", "an operator of formulas"},
        {"(FPCore () (< 1))", "a.fpcore:1:13: the operator '<' is not known", "an operator of formulas"},
        {"(FPCore () (and))", "a.fpcore:1:13: the operator 'and' is not known", "an operator of formulas"},
        {"(FPCore () (sqrt 1 2))", "a.fpcore:1:12: 'sqrt' with 2 arguments", "1"},
        {"(FPCore () (fmax 1))", "a.fpcore:1:12: 'fmax' with 1 arguments", "2"},
        {"(FPCore () (if 1 2))", "a.fpcore:1:12: 'if' with 2 arguments", "3"},
        {"(FPCore () (if 1 2 3))", "a.fpcore:1:12: 'if' of an argument of the other type", "a condition, or a number"},
        {"(FPCore () (not 1))", "a.fpcore:1:12: 'not' of an argument of the other type", "a condition, or a number"},
        {"(FPCore () (sqrt (< 1 2)))", "a.fpcore:1:12: 'sqrt' of an argument of the other type",
         "a condition, or a number"},
        {"(FPCore (x) x)", "a.fpcore:1:1: no range of the argument 'x'", "(<= low x high) in :pre"},
        {"(FPCore (x) :pre (<= x 1) x)", "a.fpcore:1:1: no range of the argument 'x'", "(<= low x high) in :pre"},
        {"(FPCore (x) :pre (<= 1 x) x)", "a.fpcore:1:1: no range of the argument 'x'", "(<= low x high) in :pre"},
        {"\n foo", "a.fpcore:2:2: not an FPCore", "(FPCore (x) ... expression)"},
        {"(FPCore () 1", "a.fpcore:1:1: a list that is not closed", "')'"},
        {"[FPCore () 1", "a.fpcore:1:1: a list that is not closed", "']'"},
        {"(FPCore () 1]", "a.fpcore:1:13: ']' closes a list of the other kind", "')'"},
        {"[FPCore () 1)", "a.fpcore:1:13: ')' closes a list of the other kind", "']'"},
        {" )", "a.fpcore:1:2: ')' without its opening", "a form"},
        {" ]", "a.fpcore:1:2: ']' without its opening", "a form"},
        {"(FPCore () \"a", "a.fpcore:1:12: a text that is not closed", "'\"'"},
        {"(FPCore () \"a\\", "a.fpcore:1:12: a text that is not closed", "'\"'"},
        {"; nothing", "a.fpcore: no FPCore that can be imported", "(FPCore (x) ... expression)"},
    };
    for (const Row& row : rows) {
        INFO(row.text);
        const std::string told = refusal(row.text);
        CHECK(told.starts_with(std::string(row.line) + "; expected " + row.wanted));
    }
    for (const char* each : {"while", "while*", "for", "for*", "tensor", "tensor*", "array", "ref", "dim", "size", "!"})
        CHECK(refusal(std::string("(FPCore () (") + each + " 1))")
                  .starts_with(std::string("a.fpcore:1:12: '") + each + "' is not imported; expected "));
    CHECK(holds(refusal("(FPCore (alpha) :pre (<= 0 alpha 1) alpah)"), "Did you mean 'alpha'?"));
}

TEST_CASE("lists are nested to 500, and formulas have 100000 nodes, and no more") {
    const auto nested = [](std::size_t depth) { return std::string(depth, '(') + "x" + std::string(depth, ')'); };
    CHECK(read_forms(nested(500), "a").size() == 1);
    CHECK_THROWS_AS(read_forms(nested(501), "a"), core::UserError);
    // a0 = x has one node, and each a[i] = a[i-1] + a[i-1] has 2^(i+1) - 1; a sum of some has sum 2^(i+1) - 1:
    // 65536 + 32768 + 1024 + 512 + 128 + 32 - 1 = 99999. A negation is one more.
    const auto formula_of = [](const std::string& body) {
        std::string bindings = "[a0 x]";
        for (int i = 1; i <= 15; ++i) bindings += fmt::format(" [a{} (+ a{} a{})]", i, i - 1, i - 1);
        return "(FPCore (x) :pre (<= 0 x 1) (let* (" + bindings + ") " + body + "))";
    };
    const std::string sum = "(+ a15 (+ a14 (+ a9 (+ a8 (+ a6 a4)))))";
    // A study's formula has fewer characters.
    CHECK(holds(refusal(formula_of("(- " + sum + ")")), "characters"));
    CHECK(holds(refusal(formula_of("(- (- " + sum + "))")), "an expression of more than 100000 operations"));
}

TEST_CASE("forms are symbols, texts and lists, each with its place and its line") {
    const std::vector<Form> forms = read_forms("a ; (not read\n (b \"c\\\"d\" [e])\r\n\tf;g", "file");
    REQUIRE(forms.size() == 3);
    CHECK(forms[0].is("a"));
    CHECK(forms[0].place.line == 1);
    CHECK(forms[0].place.excerpt == "a ; (not read");
    CHECK(forms[1].is_list);
    CHECK(forms[1].head() == "b");
    CHECK(forms[1].place.line == 2);
    CHECK(forms[1].place.column == 2);
    REQUIRE(forms[1].items.size() == 3);
    CHECK(forms[1].items[1].is_text);
    CHECK(forms[1].items[1].word == "c\"d");
    CHECK(forms[1].items[1].place.column == 5);
    CHECK_FALSE(forms[1].items[1].is("c\"d"));
    CHECK(forms[1].items[2].head() == "e");
    CHECK(forms[1].items[2].place.column == 12);
    CHECK(forms[2].is("f"));
    CHECK(forms[2].place.line == 3);
    CHECK(forms[2].place.column == 2);
    CHECK(forms[2].place.file == "file");
    CHECK(forms[2].place.excerpt == "\tf;g");
    CHECK(read_forms("", "file").empty());
    CHECK(read_forms(" ;x", "file").empty());
    CHECK(read_forms("()", "file")[0].head().empty());
    CHECK(read_forms("((a) b)", "file")[0].head().empty());
    CHECK(forms[0].head().empty());
}

// RN(355/1060) = 171/512 in bf16, and RN(RN(355)/RN(1060)) = 173/512: a division of rounded integers is another
// constant. The lowest terms are 71/212, which bf16 has. 70001 is beyond fp16.
TEST_CASE("a rational is one constant, rounded once") {
    const auto scaled = [](const std::string& constant, const std::string& precision) {
        return "(FPCore (x) :pre (<= 1 x 2) :precision " + precision + " (* x " + constant + "))";
    };
    CHECK(holds(imported(scaled("355/1060", "bfloat16")), "formula = \"x*(71/212)\""));
    CHECK(holds(imported(scaled("1/8", "binary16")), "formula = \"x*0.125\""));
    CHECK(holds(imported(scaled("70001/70000", "binary32")), "formula = \"x*(70001/70000)\""));
    CHECK(holds(refusal(scaled("70001/70000", "binary16")),
                "a.fpcore:1:54: the integers of 70001/70000 are not both numbers of fp16"));
    CHECK(holds(refusal(scaled("-257/771.5", "bfloat16")), "the integers of -257/771.5"));
}

TEST_CASE("an FPCore that no study can have is refused with the study's message") {
    CHECK(holds(refusal("(FPCore (x y) :pre (and (<= 0 x 1) (<= 0 y 1)) (+ x 1))"), "the variable 'y' is unused"));
    CHECK(holds(refusal("(FPCore (x) :pre (<= 1 x 1) x)"), "a.fpcore:1:1: "));
    const std::string skipped =
        import_fpcore("(FPCore (x) :pre (<= 0 x 1) x)\n(FPCore (x) :pre (<= 0 x 1) 3)", "a", true);
    CHECK(holds(skipped, "1 of 2 formulas"));
    CHECK(holds(skipped, "# Left out, line 2: the variable 'x' is unused"));
}

TEST_CASE("an import states its source and its number of formulas") {
    const std::string study = import_fpcore("(FPCore (x)\n :pre (<= 0 x 1) x)", "a\nb.fpcore");
    CHECK(study ==
          "# Imported from a\\nb.fpcore, FPBench's format.\n[study]\ntitle = \"Rounding errors: 1 of 1 formulas\"\n\n"
          "[quantity.formula]\nkind = \"rounding-error\"\nformula = \"x\"\nover = { x = [0, 1] }\nformat = "
          "\"fp64\"\ninputs = \"real\"\n");
    // Each formula is reported with what it lacks.
    CHECK(holds(refusal("(FPCore (x) x) (FPCore (y) y)"), "'y'"));
    CHECK(holds(refusal("(FPCore (x) x) (FPCore (y) y)"), "'x'"));
    const std::string skipped = import_fpcore("(foo)\n(FPCore (x) :pre (<= 0 x 1) x)\n(FPCore (x) (+ x z))", "a", true);
    CHECK(holds(skipped, "1 of 3 formulas"));
    CHECK(holds(skipped, "\n# Left out, line 1: not an FPCore.\n"));
    CHECK(holds(skipped,
                "\n# Left out, line 3: unknown name 'z'.\n\n# Left out, line 3: no range of the argument 'x'.\n"));
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
