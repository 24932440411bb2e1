#include <farfield/formula/parser.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/formula/tree.hpp>
#include "formula/lexer.hpp"

using namespace farfield;
using namespace farfield::formula;

namespace {

using Pair = std::pair<std::string, std::string>;

bool same(const std::string& a, const std::string& b) {
    return equal(parse(a), parse(b));
}

/// The one problem of a text that is not a formula.
core::Diagnostic problem(const Source& source) {
    try {
        parse(source);
    } catch (const core::UserError& error) {
        REQUIRE(error.diagnostics().size() == 1);
        return error.diagnostics().front();
    }
    FAIL("this was read as a formula: " << source.text);
    return {};
}

std::string repeated(const std::string& text, std::size_t count) {
    std::string all;
    for (std::size_t done = 0; done < count; ++done) all += text;
    return all;
}

}  // namespace

TEST_CASE("operators have the precedence of the language") {
    const std::vector<Pair> laws{
        {"a + b*c", "a + (b*c)"},
        {"a - b - c", "(a - b) - c"},
        {"a/b/c", "(a/b)/c"},
        {"a/b*c", "(a/b)*c"},
        {"a % b % c", "(a % b) % c"},
        {"a*b % c", "(a*b) % c"},
        {"a^b^c", "a^(b^c)"},
        {"-2^2", "-(2^2)"},
        {"2^-h", "2^(-h)"},
        {"2^-h^2", "2^(-(h^2))"},
        {"2^-h*n", "(2^(-h))*n"},
        {"-8*h/H", "((-8)*h)/H"},
        {"-a*b", "(-a)*b"},
        {"a*-b", "a*(-b)"},
        {"a - -b", "a - (-b)"},
        {"+a", "a"},
        {"2*+a", "2*a"},
        {"2^+a", "2^a"},
        {"a + b < c*d", "(a + b) < (c*d)"},
        {"not a < b", "not (a < b)"},
        {"not a < b and c < d", "(not (a < b)) and (c < d)"},
        {"a < b and c < d or e > f", "((a < b) and (c < d)) or (e > f)"},
        {"a < b or c < d and e > f", "(a < b) or ((c < d) and (e > f))"},
        {"a < b ? c : d", "if(a < b, c, d)"},
        {"a < b ? c : d < f ? g : h", "if(a < b, c, if(d < f, g, h))"},
        {"a < b ? c < d ? x : y : z", "if(a < b, if(c < d, x, y), z)"},
        {"a < b or c < d ? x + 1 : y", "if((a < b) or (c < d), x + 1, y)"},
        {"min(a, b, c)", "min(min(a, b), c)"},
        {"max(a, b, c, d)", "max(max(max(a, b), c), d)"},
        {" a\n +\tb ", "a+b"},
    };
    for (const auto& [text, grouped] : laws) {
        INFO(text);
        CHECK(same(text, grouped));
    }
}

TEST_CASE("different groupings are different trees") {
    CHECK_FALSE(same("a - b - c", "a - (b - c)"));
    CHECK_FALSE(same("a^b^c", "(a^b)^c"));
    CHECK_FALSE(same("-2^2", "(-2)^2"));
    CHECK_FALSE(same("0.1", "0.10"));
}

TEST_CASE("numbers keep the text they were written as") {
    for (const char* text : {"3", "0.4", "1e4", ".5", "3.", "1E+2", "2.5e-3", "12345678901234567890"}) {
        const Node tree = parse(std::string(text));
        CHECK(tree->kind == Kind::number);
        CHECK(tree->text == text);
    }
    CHECK(parse("0.4")->number == 0.4);
    CHECK(parse("1e4")->number == 10000);
}

TEST_CASE("names, fields, indexes, texts and unknown functions are read as such") {
    CHECK(parse("fit.a")->text == "fit.a");
    CHECK(parse("fit.a")->kind == Kind::name);
    CHECK(parse("'ppl-root'.delta[256]")->text == "ppl-root.delta");
    CHECK(parse("'ppl[w=8]'[64]")->text == "ppl[w=8]");
    CHECK(parse("weight[n + 1]")->kind == Kind::index);
    CHECK(parse("table['row', \"it's\"]")->children[1]->text == "it's");
    CHECK(parse("rounds(x, '0.5')")->kind == Kind::call);
    CHECK(parse("rounds(x, '0.5')")->children[1]->kind == Kind::text);
}

TEST_CASE("a reduction names its variable") {
    const Node tree = parse("sum(j, 1, m, j*n)");
    CHECK(tree->kind == Kind::reduction);
    CHECK(tree->op == Op::sum);
    CHECK(tree->text == "j");
    CHECK(free_names(tree) == std::vector<std::string>{"m", "n"});
}

TEST_CASE("a node has its place in the text") {
    const Node tree = parse("a + foo*(b - 2)");
    const Node product = tree->children[1];
    CHECK(product->span.offset == 4);
    CHECK(product->span.length == 11);
    CHECK(product->children[0]->span.offset == 4);
    CHECK(product->children[0]->span.length == 3);
}

TEST_CASE("a text that is not a formula is reported with the text found and what was expected") {
    struct Bad {
        std::string text;
        std::size_t column;
        std::string found, wanted;
    };
    const std::vector<Bad> gallery{
        {"", 1, "the formula is empty", "an expression"},
        {"  ", 1, "the formula is empty", "an expression"},
        {"a +", 4, "the formula ends here", "a number, a name or '('"},
        {"(a + b", 7, "the formula ends here", "')'"},
        {"a b", 3, "'b' does not belong here", "an operator or the end of the formula"},
        {"a )", 3, "')' does not belong here", "an operator or the end of the formula"},
        {"2n", 1, "'2n' is not a number", "digits such as 0.4 or 1e4"},
        {"1.2.3", 1, "'1.2.3' is not a number", "digits such as 0.4 or 1e4"},
        {"a < b < c", 7, "comparisons are not chained", "'and' between them"},
        {"sin()", 1, "sin was given 0 arguments", "1 argument"},
        {"sin(a, b)", 1, "sin was given 2 arguments", "1 argument"},
        {"min(a)", 1, "min was given 1 argument", "at least 2 arguments"},
        {"1 + atan2(y)", 5, "atan2 was given 1 argument", "2 arguments"},
        {"sum(1, 0, 3, x)", 5, "'1' does not belong here", "sum(v, from, to, body) with v the name of a new variable"},
        {"sum(j, 0, 3)", 12, "')' does not belong here",
         "',' and the body: sum(v, from, to, body) with v the name of a new variable"},
        {"a ? b", 6, "the formula ends here", "':' and what holds otherwise"},
        {"a = b", 3, "'=' has no meaning here", ""},
        {"2**n", 2, "'**' is not an operator", "'^' for a power: 2^n"},
        {"a & b", 3, "'&' has no meaning here", ""},
        {"2 × n", 3, "'×' has no meaning here", ""},
        {"'text", 1, "this quotation has no end", "a closing '"},
        {"a + 'text", 5, "this quotation has no end", "a closing '"},
        {"weight[]", 1, "'weight[]' has no index", "an index between the brackets"},
        {"fit.", 5, "the formula ends here", "the name of a field"},
        {"and", 1, "'and' does not belong here", "a number, a name or '('"},
        {"a + not b", 5, "'not' needs parentheses here", "(not ...)"},
        {std::string("a + \x01", 5), 5, "a control character has no meaning here", ""},
    };
    for (const Bad& bad : gallery) {
        INFO(bad.text);
        const core::Diagnostic found = problem({bad.text, {}});
        CHECK(found.found == bad.found);
        CHECK(found.wanted == bad.wanted);
        CHECK(found.place.column == bad.column);
        CHECK(found.place.line == 1);
    }
}

TEST_CASE("a problem has the matching hint, and spans the offending text") {
    struct Bad {
        std::string text;
        std::string hint;
        std::size_t length;
    };
    const std::string equality = "Equality is written ==; the name of a swept item is quoted.";
    const std::vector<Bad> gallery{
        {"a = b", "A formula is written without a name and '=' before it. Equality is written ==.", 1},
        {"2*a = b", equality, 1},
        {"all(n = 0, 7, a < n)", "A range is written all(i, 0, 7, ...): variable, first, last.", 1},
        {"10\xE2\x81\xB4", "A power is written with ^: 10^4.", 3},
        {"a & b", "Write 'and'.", 1},
        {"a | b", "Write 'or', or abs(x) for an absolute value.", 1},
        {"a ! b", "Write 'not', or prod(i, 1, n, i) for a factorial.", 1},
        {"a ; b", "", 1},
        {"2 \xC3\x97 n", "A product is written with *: 2*n.", 2},  // two bytes
        {"a \xE2\x88\x92 b", "Write '-', the minus sign of ASCII.", 3},
        {"2*\xCF\x80", "Write 'pi'.", 2},
        {"\xCE\xB8", "Names have the letters of ASCII: theta.", 2},
        {"2**n", "", 2},
        {"2* *n", "", 1},
        {"n//2", "A quotient rounded down is floor(a/b).", 1},
        {"n/*2", "", 1},
        {"a AND b", "Write 'and'.", 3},
        {"1 if a else b", "A choice is written c ? a : b.", 2},
        {"np.sqrt(n)", "Write sqrt(...).", 1},
        {"np.squirt(n)", "", 1},
        {"-0,5*n", "A number has no comma: 0.5, 1000.", 1},
        {"all n in 5", "Write all(v, from, to, body), with v the name of a new variable.", 1},
        {"2n", "A product is written with *: 2*n.", 2},
        {"2.5.x1", "A product is written with *: 2*n.", 6},
        {"1e", "A product is written with *: 2*n.", 2},
        {"1e+", "A product is written with *: 2*n.", 2},
        {"a < b < c", "Write a < b and b < c.", 1},
        {"a '='", "", 3},
        {"'text", "", 5},
        {"1 + 'text", "", 5},
        {"a +", "", 1},
        {"w[ ]", "", 4},
        {"sin(a, b)", "", 9},
        {"1 + not b", "", 3},
        {"", "", 1},
    };
    for (const Bad& bad : gallery) {
        INFO(bad.text);
        const core::Diagnostic found = problem({bad.text, {}});
        CHECK(found.hint == bad.hint);
        CHECK(found.place.length == bad.length);
    }
    CHECK(problem({repeated("(", 5000), {}}).hint == "Give parts of it names with let.");
    CHECK(problem({"a" + repeated("+a", 5000), {}}).hint == "Give parts of it names with let, or write sum().");
    for (const std::string& text : {repeated("(", 5000), "a" + repeated("+a", 5000)})
        CHECK(problem({text, {}}).wanted == "at most " + std::to_string(deepest_tree) + " levels");
    CHECK(problem({repeated(" ", largest_text) + "a", {}}).wanted == "at most " + std::to_string(largest_text));
    CHECK(problem({repeated(" ", largest_text) + "a", {}}).place.length == 1);
    CHECK(parse(repeated(" ", largest_text - 1) + "a")->text == "a");
}

TEST_CASE("numbers end where no digit, point or exponent can follow") {
    const std::vector<std::pair<std::string, std::size_t>> lengths{
        {"1e5+2", 3}, {"1e-5+2", 4}, {"1E+5-2", 4}, {".5*2", 2}, {"5.*2", 2}, {"12.75/2", 5}, {"1e5-2", 3}, {"7-1", 1}};
    for (const auto& [text, length] : lengths) {
        INFO(text);
        CHECK(parse(text)->children[0]->text == text.substr(0, length));
        CHECK(parse(text)->children[0]->span.length == length);
    }
    CHECK(parse("'it''s'")->text == "it's");
    CHECK(parse("'it''s'")->span.length == 7);
    CHECK(parse("\"a\"\"b\"")->text == "a\"b");
    CHECK(parse("''")->text.empty());
    for (const char* pair : {"<=", ">=", "==", "!="}) CHECK(parse(std::string("a") + pair + "b")->span.length == 4);
}

TEST_CASE("the place of a problem is that of the user's file, with its line and a caret below") {
    const core::Place at{"mine.toml", 14, 9, 1, "bias = \"-2^(-8*h//H) * n\""};
    const core::Diagnostic found = problem({"-2^(-8*h//H) * n", at});
    CHECK(found.place.file == "mine.toml");
    CHECK(found.place.line == 14);
    CHECK(found.place.column == 9 + 9);
    CHECK(core::format(found) ==
          "mine.toml:14:18: '/' does not belong here; expected a number, a name or '('\n"
          "   bias = \"-2^(-8*h//H) * n\"\n"
          "                    ^\n"
          "   A quotient rounded down is floor(a/b).");
}

TEST_CASE("a problem in a text of several lines is shown in its own line") {
    const core::Diagnostic found = problem({"a +\n  b ! c\n+ d", {"mine.toml", 3, 5, 1, ""}});
    CHECK(found.place.line == 4);
    CHECK(found.place.column == 5);
    CHECK(found.place.excerpt == "  b ! c");
    CHECK(found.hint == "Write 'not', or prod(i, 1, n, i) for a factorial.");
}

TEST_CASE("formulas beyond the limits are refused with a clear message") {
    CHECK(problem({repeated(" ", largest_text) + "a", {}}).found == "the formula has 65537 characters");
    for (const std::string& text :
         {repeated("(", 5000) + "a" + repeated(")", 5000), repeated("-", 5000) + "a", repeated("2^", 5000) + "a",
          repeated("abs(", 5000) + "a" + repeated(")", 5000), "a" + repeated("+a", 5000), repeated("+", 5000) + "a",
          repeated("not ", 5000) + "a < b", repeated("a ? b : ", 5000) + "c", repeated("w[", 5000)}) {
        INFO(text.substr(0, 20));
        CHECK(problem({text, {}}).found == "the formula is nested too deeply");
    }
    CHECK(parse("a" + repeated(" + a", deepest_tree - 1))->depth == deepest_tree);
    CHECK(parse(repeated("abs(", deepest_tree - 1) + "a" + repeated(")", deepest_tree - 1))->depth == deepest_tree);
}

TEST_CASE("names are replaced without capture by a reduction's variable") {
    const Node tree = substitute(parse("x + sum(j, 0, 3, j*x)"), {{"x", parse("j + 1")}});
    CHECK(equal(tree, parse("j + 1 + sum(j_, 0, 3, j_*(j + 1))")));
    CHECK(equal(substitute(parse("sum(j, 0, j, j)"), {{"j", parse("2")}}), parse("sum(j, 0, 2, j)")));
}

TEST_CASE("a number is made of a decimal, a double of any kind, and nothing else") {
    for (const char* text : {"0", "7", ".5", "5.", "1e400", "1E-400", "2.5e+3"}) CHECK(make_number(text)->text == text);
    for (const char* text : {"", ".", "-1", "+1", "x1", "e5", "1x", "1e", "1e+", "0x1p3", "inf", "nan", " 1", "1 "}) {
        INFO(text);
        CHECK_THROWS_AS(make_number(text), core::PreconditionError);
    }
    CHECK(equal(make_number(-2.5), parse("-2.5")));
    CHECK(equal(make_number(-0.0), parse("-0")));
    CHECK(equal(make_number(-HUGE_VAL), parse("-inf")));
    CHECK(equal(make_number(std::nan("")), parse("0/0")));
    CHECK_THROWS_AS(make(Op::sine, {}), core::PreconditionError);
    CHECK_THROWS_AS(make(Op::add, {make_number("1")}), core::PreconditionError);
    CHECK_THROWS_AS(make(Op::sum, {make_number("1")}), core::PreconditionError);
    CHECK_THROWS_AS(make_reduction(Op::add, "j", make_number("1"), make_number("1"), make_number("1")),
                    core::PreconditionError);
}

TEST_CASE("a tree has its depth and its number of nodes, replaced parts included") {
    const Node tree = parse("x + sum(j, 0, 3, j*x)");
    CHECK(tree->depth == 4);  // +, sum, *, j
    CHECK(tree->nodes == 8);
    const Node replaced = substitute(tree, {{"x", parse("sin(y)^2")}});
    CHECK(replaced->depth == 6);  // +, sum, *, ^, sin, y
    CHECK(replaced->nodes == 14);
    CHECK(substitute(tree, {{"y", parse("2")}}) == tree);
}

TEST_CASE("a place has a length even if the text is empty") {
    CHECK(place_of({"abc", {}}, {1, 0}).length == 1);
    CHECK(place_of({"abc", {}}, {1, 2}).length == 2);
}
