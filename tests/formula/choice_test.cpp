// argmin, argmax, Si and binomial as formulas: printing, slopes, and what proofs may assume.
#include <catch2/catch.hpp>

#include <string>

#include <farfield/formula/assumptions.hpp>
#include <farfield/formula/derivative.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/formula/printer.hpp>
#include <farfield/formula/program.hpp>
#include <farfield/formula/simplify.hpp>

using namespace farfield::formula;

TEST_CASE("a choice is printed as it is written, in LaTeX and in MathML") {
    const Node tree = parse("argmin(i, 0, n - 1, (i - x)^2)");
    CHECK(print(tree) == "argmin(i, 0, n - 1, (i - x)^2)");
    CHECK(latex(tree) == "\\operatorname{argmin}_{i \\in [0, n - 1]} {\\left(i - x\\right)}^{2}");
    CHECK(mathml(tree).find("argmin") != std::string::npos);
    CHECK(latex(parse("binomial(n, k + 1)")) == "\\binom{n}{k + 1}");
    CHECK(mathml(parse("binomial(n, k)"))
              .find("<mfrac linethickness=\"0\"><mrow><mi>n</mi></mrow><mrow><mi>k</mi></mrow></mfrac>") !=
          std::string::npos);
    CHECK(latex(parse("Si(2*x)")) == "\\operatorname{Si}(2 \\cdot x)");
}

TEST_CASE("a choice is a step, Si has the slope sin(x)/x, and a binomial coefficient has none") {
    CHECK(print(derivative(parse("argmin(i, 0, 9, (i - x)^2)"), "x")) == "0");
    CHECK(print(derivative(parse("x*argmax(i, 0, 9, i*x)"), "x")) == "argmax(i, 0, 9, i*x)");
    CHECK(equal(derivative(parse("Si(x)"), "x"), parse("if(x == 0, 1, sin(x)/x)")));
    CHECK(print(derivative(parse("binomial(7, 3)*x"), "x")) == print(simplify(parse("binomial(7, 3)"))));
    // Without a value: 0/0.
    CHECK(equal(derivative(parse("binomial(n, 2)"), "n"), simplify(parse("0/0"))));
}

TEST_CASE("a choice has a value over some integers, and is never assumed to be continuous") {
    CHECK(defined(parse("argmin(i, 1, 4, i)")).kind != Condition::Kind::never);
    CHECK(!defined(parse("argmin(i, 1, 0, i)")).is_always());
    CHECK(regular(parse("argmin(i, 1, 4, x*i)"), Regularity::continuous, {"x"}).kind == Condition::Kind::never);
    CHECK(regular(parse("Si(x)"), Regularity::smooth, {"x"}).is_always());
    CHECK(regular(parse("binomial(n, 2)"), Regularity::continuous, {"n"}).kind == Condition::Kind::never);
}

TEST_CASE("the loop of a choice carries the integer and the best body, which operators of the language compute") {
    const Program program = compile(parse("argmin(i, 0, 9, cos(i*n))"), {{}, {"n"}, {}});
    const std::string text = disassemble(program);
    INFO(text);
    CHECK(text.find("argmin over") != std::string::npos);
    for (const char* operation : {" < ", " if ", " min ", " max "}) CHECK(text.find(operation) != std::string::npos);
}

TEST_CASE("the bounds and the variable of a choice are checked as those of a sum") {
    CHECK_THROWS(parse("argmin(3, 0, 9, i)"));
    CHECK_THROWS(parse("argmax(i, 0, 9)"));
}
