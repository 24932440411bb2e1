#include <farfield/formula/printer.hpp>

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <farfield/formula/parser.hpp>
#include "support/random_formula.hpp"
#include "support/trials.hpp"

using namespace farfield::formula;
using farfield::tests::RandomFormula;
using farfield::tests::RandomOptions;

namespace {

/// Every operator of the table applied to plain names, reductions over j from 1 to m.
Node example_of(const OperatorRow& operation) {
    const Node truth = make(Op::less, {make_name("x"), make_name("y")});
    if (operation.reduction) {
        const Node body = operation.result == Type::boolean ? make(Op::less, {make_name("j"), make_name("y")})
                                                            : make(Op::add, {make_name("j"), make_name("y")});
        return make_reduction(operation.op, "j", make_number("1"), make_name("m"), body);
    }
    std::vector<Node> arguments;
    for (const char letter : operation.arguments) {
        arguments.push_back(letter == 'b' ? truth : make(Op::add, {make_name("a"), make_name("b")}));
    }
    return make(operation.op, arguments);
}

/// Whether every element of the text ends before the one around it.
bool closes_every_element(const std::string& text) {
    std::vector<std::string> open;
    for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
        const std::size_t close = text.find('>', at);
        if (close == std::string::npos) return false;
        const std::string tag = text.substr(at + 1, close - at - 1);
        if (tag.back() == '/') continue;
        if (tag.front() != '/') {
            open.push_back(tag.substr(0, tag.find(' ')));
            continue;
        }
        if (open.empty() || open.back() != tag.substr(1)) return false;
        open.pop_back();
    }
    return open.empty();
}

}  // namespace

TEST_CASE("a formula is printed with the fewest parentheses") {
    // Left: what is read. Right: the same without parentheses that change nothing (docs/formula.md's precedence).
    const std::map<std::string, std::string> expected{
        {"((a)+(b))*c", "(a + b)*c"},
        {"a-(b-c)", "a - (b - c)"},
        {"(a-b)-c", "a - b - c"},
        {"a/(b/c)", "a/(b/c)"},
        {"(a/b)/c", "a/b/c"},
        {"a/(b*c)", "a/(b*c)"},
        {"(a^b)^c", "(a^b)^c"},
        {"a^(b^c)", "a^b^c"},
        {"-(2^2)", "-2^2"},
        {"(-2)^2", "(-2)^2"},
        {"2^(-h)", "2^-h"},
        {"2^(-h^2)", "2^-h^2"},
        {"2^((-h)^2)", "2^(-h)^2"},
        {"2^(-(a*b))", "2^-(a*b)"},
        {"(2^-h)*n", "2^-h*n"},
        {"2^(-h*n)", "2^(-h*n)"},
        {"a*(-b)", "a*-b"},
        {"-(a*b)", "-(a*b)"},
        {"(-a)*b", "-a*b"},
        {"-(-a)", "--a"},
        {"not (a < b)", "not a < b"},
        {"not (a < b and c < d)", "not (a < b and c < d)"},
        {"(a < b or b < c) and c < d", "(a < b or b < c) and c < d"},
        {"a < b or (b < c and c < d)", "a < b or b < c and c < d"},
        {"a<b ? x : y", "if(a < b, x, y)"},
        {"max(a,b,c)", "max(max(a, b), c)"},
        {"sum(j,0,H-1,cos(j*n))", "sum(j, 0, H - 1, cos(j*n))"},
        {"w[t5_bucket(n,32,128)]", "w[t5_bucket(n, 32, 128)]"},
        {"'ppl-root'.delta[256]", "'ppl-root'.delta[256]"},
        {"fit.a > table['a row', \"it's\"]", "fit.a > table['a row', \"it's\"]"},
        {"1e-3*x", "1e-3*x"},
    };
    for (const auto& [text, wanted] : expected) {
        const Node tree = parse(text);
        CHECK(print(tree) == wanted);
        CHECK(equal(parse(print(tree)), tree));
    }
}

TEST_CASE("a printed formula is read back as the same tree, for every operator") {
    for (const OperatorRow& operation : operators()) {
        const Node tree = example_of(operation);
        INFO(print(tree));
        CHECK(equal(parse(print(tree)), tree));
    }
}

TEST_CASE("a printed formula is read back as the same tree, for random formulas") {
    RandomOptions options;
    options.nodes = 40;
    options.reductions = true;
    options.tables = {"weight"};
    RandomFormula random(20240601, options);
    for (int count = 0; count < farfield::tests::trials(2000); ++count) {
        const Node real = random.real();
        const Node boolean = random.boolean();
        INFO(print(real));
        INFO(print(boolean));
        REQUIRE(equal(parse(print(real)), real));
        REQUIRE(equal(parse(print(boolean)), boolean));
    }
}

TEST_CASE("numbers made from doubles are printed as formulas that read back") {
    for (const double value : {-1.5, -0.0, 1e300, 1e-300, 0.1}) {
        const Node tree = make_number(value);
        CHECK(equal(parse(print(tree)), tree));
    }
}

TEST_CASE("LaTeX has fractions, powers, roots, sums, Greek letters and upright names") {
    const std::map<std::string, std::string> expected{
        {"-2^(-8*h/H)*n", "-{2}^{\\frac{-8 \\cdot h}{H}} \\cdot n"},
        {"(a+b)/(c-d)", "\\frac{a + b}{c - d}"},
        {"(a/b)^2", "{\\left(\\frac{a}{b}\\right)}^{2}"},
        {"sqrt(x+1)", "\\sqrt{x + 1}"},
        {"sin(x)^2", "{\\left(\\sin x\\right)}^{2}"},
        {"sin(2*x)", "\\sin \\left(2 \\cdot x\\right)"},
        {"theta*gamma", "\\theta \\cdot \\gamma"},
        {"max_distance", "\\mathrm{max\\_distance}"},
        {"-r1*log(1 + r2*n)", "-r_{1} \\cdot \\ln \\left(1 + r_{2} \\cdot n\\right)"},
        {"sum(j, 1, m, a + j)", "\\sum_{j=1}^{m} \\left(a + j\\right)"},
        {"2*sum(j, 1, m, j)", "2 \\cdot \\left(\\sum_{j=1}^{m} j\\right)"},
        {"a - (b - c)", "a - \\left(b - c\\right)"},
        {"a + -b", "a + \\left(-b\\right)"},
        {"1e-3", "1 \\cdot 10^{-3}"},
        {"abs(x - y)", "\\left|x - y\\right|"},
        {"pi*inf", "\\pi \\cdot \\infty"},
        {"weight[n]", "\\mathrm{weight}_{n}"},
        {"not n < w", "\\neg \\left(n < w\\right)"},
        {"not (n < w and k < n)", "\\neg \\left(n < w \\land k < n\\right)"},
        {"not not n < w", "\\neg \\left(\\neg \\left(n < w\\right)\\right)"},
        {"not n < w and k < n", "\\neg \\left(n < w\\right) \\land k < n"},
        {"-n^2", "-{n}^{2}"},
        {"-(n + k)", "-\\left(n + k\\right)"},
    };
    for (const auto& [text, wanted] : expected) CHECK(latex(parse(text)) == wanted);
}

TEST_CASE("LaTeX of functions within functions is made in the time of its length") {
    Node tree = make_name("x");
    for (std::size_t level = 1; level < deepest_tree; ++level) tree = make(Op::sine, {tree});
    // "x", then "\\sin x", then each level in brackets.
    CHECK(latex(tree).size() == 6 + (deepest_tree - 2) * std::string("\\sin \\left(\\right)").size());
    CHECK(closes_every_element(mathml(tree)));
}

TEST_CASE("LaTeX brackets or marks ambiguous parts: brackets, signs, minus, text and several arguments") {
    const std::map<std::string, std::string> expected{
        {"a*-b", "a \\cdot \\left(-b\\right)"},
        {"(a + b)*c", "\\left(a + b\\right) \\cdot c"},
        {"(a*b)*c", "a \\cdot b \\cdot c"},
        {"a*(b*c)", "a \\cdot \\left(b \\cdot c\\right)"},
        {"(a/b)*c", "\\frac{a}{b} \\cdot c"},
        {"(a^b)^c", "{\\left({a}^{b}\\right)}^{c}"},
        {"(-a)^2", "{\\left(-a\\right)}^{2}"},
        {"--a", "-\\left(-a\\right)"},
        {"sin(-x)", "\\sin \\left(-x\\right)"},
        {"min(a, b, c)", "\\min(\\min(a, b), c)"},
        {"1e+5", "1 \\cdot 10^{5}"},
        {"2.5E3*x", "2.5 \\cdot 10^{3} \\cdot x"},
        {"(1e3)^2", "{\\left(1 \\cdot 10^{3}\\right)}^{2}"},
        {"a12", "a_{12}"},
        {"ab1", "\\mathrm{ab}_{1}"},
        {"a_1", "\\mathrm{a\\_1}"},
        {"theta1", "\\theta_{1}"},
        {"e*E", "\\mathrm{e} \\cdot E"},
        {"w[i, j]", "w_{i, j}"},
        {"f('a_b', 2)", "\\operatorname{f}(\\text{a\\_b}, 2)"},
        {"f('a\\b')", "\\operatorname{f}(\\text{a\\backslash b})"},
        {"sum(j, 1, m, -j)", "\\sum_{j=1}^{m} \\left(-j\\right)"},
        {"sum(j, 1, m, a*j)", "\\sum_{j=1}^{m} a \\cdot j"},
        {"sum(j, 1, m, j) + 1", "\\sum_{j=1}^{m} j + 1"},
        {"1 + sum(j, 1, m, j)", "1 + \\sum_{j=1}^{m} j"},
        {"prod(j1, 1, m, j1)", "\\prod_{j_{1}=1}^{m} j_{1}"},
        {"all(j, 1, m, j < n)", "\\forall\\, j \\in [1, m]\\colon j < n"},
        {"all(j, 1, m, j < n) and a < b", "\\left(\\forall\\, j \\in [1, m]\\colon j < n\\right) \\land a < b"},
        {"a < b or b < c and c < d", "a < b \\lor b < c \\land c < d"},
        {"(a < b or b < c) and c < d", "\\left(a < b \\lor b < c\\right) \\land c < d"},
    };
    for (const auto& [text, wanted] : expected) CHECK(latex(parse(text)) == wanted);
}

TEST_CASE("MathML has indices, brackets, applied functions, texts and signs") {
    const std::string start = "<math xmlns=\"http://www.w3.org/1998/Math/MathML\" display=\"block\"><mrow>";
    const std::string applied = "<mo>&#x2061;</mo>";
    const std::string fenced_x = "<mrow><mo>(</mo><mrow><mo>−</mo><mi>x</mi></mrow><mo>)</mo></mrow>";
    const std::map<std::string, std::string> expected{
        {"sin(x)", "<mi>sin</mi>" + applied + "<mi>x</mi>"},
        {"sin(-x)", "<mi>sin</mi>" + applied + fenced_x},
        {"2*sin(x)", "<mn>2</mn><mo>⋅</mo><mi>sin</mi>" + applied + "<mi>x</mi>"},
        {"log2(x)", "<msub><mi>log</mi><mn>2</mn></msub>" + applied + "<mi>x</mi>"},
        {"erf(x)", "<mi mathvariant=\"normal\">erf</mi>" + applied + "<mi>x</mi>"},
        {"a - 1.25", "<mi>a</mi><mo>−</mo><mn>1.25</mn>"},
        {"r1^2", "<msup><mrow><msub><mi>r</mi><mrow><mn>1</mn></mrow></msub></mrow><mrow><mn>2</mn></mrow></msup>"},
        {"a > b", "<mi>a</mi><mo>&gt;</mo><mi>b</mi>"},
        {"a_b", "<mi mathvariant=\"normal\">a_b</mi>"},
        {"f('a&b')", "<mi mathvariant=\"normal\">f</mi>" + applied + "<mo>(</mo><mtext>a&amp;b</mtext><mo>)</mo>"},
        {"f('a\\b')", "<mi mathvariant=\"normal\">f</mi>" + applied + "<mo>(</mo><mtext>a\\b</mtext><mo>)</mo>"},
        {"prod(j, 1, m, j)",
         "<munderover><mo>∏</mo><mrow><mi>j</mi><mo>=</mo><mn>1</mn></mrow><mrow><mi>m</mi></mrow></munderover><mi>j</"
         "mi>"},
        {"exists(j, 0, 1, j < n)",
         "<mo>∃</mo><mspace width=\"0.17em\"/><mi>j</mi><mo>∈</mo><mo>[</mo><mn>0</mn><mo>,</mo>"
         "<mn>1</mn><mo>]</mo><mo>:</mo><mi>j</mi><mo>&lt;</mo><mi>n</mi>"},
    };
    for (const auto& [text, wanted] : expected) CHECK(mathml(parse(text)) == start + wanted + "</mrow></math>");
}

TEST_CASE("MathML has fractions, powers, sums and cases") {
    const std::string start = "<math xmlns=\"http://www.w3.org/1998/Math/MathML\" display=\"block\"><mrow>";
    const std::string end = "</mrow></math>";
    CHECK(mathml(parse("x/2")) == start + "<mfrac><mrow><mi>x</mi></mrow><mrow><mn>2</mn></mrow></mfrac>" + end);
    CHECK(mathml(parse("theta^2")) == start + "<msup><mrow><mi>θ</mi></mrow><mrow><mn>2</mn></mrow></msup>" + end);
    CHECK(mathml(parse("sqrt(base)")) ==
          start + "<msqrt><mrow><mi mathvariant=\"normal\">base</mi></mrow></msqrt>" + end);
    CHECK(mathml(parse("sum(j, 1, m, j)")) ==
          start +
              "<munderover><mo>∑</mo><mrow><mi>j</mi><mo>=</mo><mn>1</mn></mrow><mrow><mi>m</mi></mrow></munderover>"
              "<mi>j</mi>" +
              end);
    CHECK(mathml(parse("x < y ? 1 : 2")) ==
          start +
              "<mrow><mo>{</mo><mtable columnalign=\"left\">"
              "<mtr><mtd><mrow><mn>1</mn></mrow></mtd><mtd><mrow><mi>x</mi><mo>&lt;</mo><mi>y</mi></mrow></mtd></mtr>"
              "<mtr><mtd><mrow><mn>2</mn></mrow></mtd><mtd><mrow><mtext>otherwise</mtext></mrow></mtd></mtr>"
              "</mtable></mrow>" +
              end);
}

TEST_CASE("MathML is made for every operator and for random formulas, each element closed") {
    RandomOptions options;
    options.reductions = true;
    options.nodes = 60;
    RandomFormula random(7, options);
    std::vector<Node> trees;
    for (const OperatorRow& operation : operators()) trees.push_back(example_of(operation));
    for (int count = 0; count < farfield::tests::trials(300); ++count) trees.push_back(random.real());
    for (const Node& tree : trees) {
        const std::string text = mathml(tree);
        INFO(text);
        CHECK(closes_every_element(text));
    }
}

TEST_CASE("a name is printed in the quotes that it needs and no others") {
    // Left: as claims read it. Right: the text that gives the same name again.
    const std::map<std::string, std::string> expected{
        {"'prof[mix=0.5]'.width", "'prof[mix=0.5]'.width"},
        {"'prof[mix=0.5]'[3]", "'prof[mix=0.5]'[3]"},
        {"'yarn-t'.value", "'yarn-t'.value"},
        {"'fit'.'a'", "fit.a"},
        {"fit.'my field'", "fit.'my field'"},
        {"\"q[x='a.b']\".v", "\"q[x='a.b']\".v"},
        {"'q[x=it''s \"so\"]'.v", "'q[x=it''s \"so\"]'.v"},
        {"'größe [m.s]'.'π2'", "'größe [m.s]'.'π2'"},
        {"'not'.a", "'not'.a"},
    };
    for (const auto& [text, printed] : expected) {
        INFO(text);
        CHECK(print(parse(text)) == printed);
        CHECK(equal(parse(print(parse(text))), parse(text)));
    }
}

TEST_CASE("a quoted name of any characters is read back as it was") {
    // Each part has brackets that match, as the names of items do; the field makes it a name rather than a text.
    const std::vector<std::string> pieces = {"a", "w=0.5", ".", "[x.y]", "'", "\"", "é", "[[0.1],2]", "-", " ", "7"};
    std::mt19937 random(16);  // NOLINT(cert-msc51-cpp): the same names at every run
    for (int trial = 0; trial < 2000; ++trial) {
        std::string name;
        for (int piece = 0; piece < 1 + trial % 6; ++piece) name += pieces[random() % pieces.size()];
        std::string quoted = "'";
        for (const char c : name) quoted += c == '\'' ? "''" : std::string(1, c);
        const Node tree = parse(quoted + "'.field + " + quoted + "'[2]");
        INFO(quoted << " printed as " << print(tree));
        CHECK(tree->children[0]->text == name + ".field");
        CHECK(equal(parse(print(tree)), tree));
    }
}
