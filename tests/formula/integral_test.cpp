// integral as a formula: printing, slopes, what proofs may assume, and its loop.
#include <catch2/catch.hpp>

#include <string>

#include <farfield/formula/assumptions.hpp>
#include <farfield/formula/checker.hpp>
#include <farfield/formula/derivative.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/formula/printer.hpp>
#include <farfield/formula/program.hpp>
#include <farfield/formula/simplify.hpp>

using namespace farfield::formula;

TEST_CASE("an integral is printed as it is written, in LaTeX and in MathML") {
    const Node tree = parse("integral(x, 0, n - 1, a*x^2)");
    CHECK(print(tree) == "integral(x, 0, n - 1, a*x^2)");
    CHECK(latex(tree) == "\\int_{0}^{n - 1} a \\cdot {x}^{2} \\,\\mathrm{d}x");
    CHECK(mathml(tree).find("\u222b") != std::string::npos);
}

TEST_CASE("an integral is differentiated by Leibniz's rule") {
    const auto slope = [](const char* text) { return derivative(parse(text), "x"); };
    CHECK(equal(slope("integral(t, 0, x, cos(t))"), simplify(parse("cos(x)"))));
    CHECK(equal(slope("integral(t, x, 1, cos(t))"), simplify(parse("-cos(x)"))));
    CHECK(equal(slope("integral(t, 0, 1, x^2*t)"), simplify(parse("integral(t, 0, 1, 2*x*t)"))));
    CHECK(proves_equal(slope("integral(t, x, x^2, exp(x*t))"),
                       parse("exp(x^3)*2*x - exp(x^2) + integral(t, x, x^2, t*exp(x*t))")));
    // The variable of the integral is another x.
    CHECK(print(slope("integral(x, 0, 1, x^2)")) == "0");
}

TEST_CASE("of an integral nothing is assumed, but for one that depends on no variable: its enclosure shows a value") {
    const Node tree = parse("integral(t, 0, x, t)");
    CHECK(defined(tree).kind == Condition::Kind::depends);
    for (const Regularity asked : {Regularity::continuous, Regularity::lipschitz, Regularity::smooth}) {
        CHECK(regular(tree, asked, {"x"}).kind == Condition::Kind::never);
        CHECK(regular(tree, asked, {"y"}).kind == Condition::Kind::depends);
    }
    CHECK(trend(tree, "x").rises.kind == Condition::Kind::never);
}

TEST_CASE("the loop of an integral carries the body and its fourth derivative") {
    const Program program = compile(parse("integral(t, 0, 1, exp(a*t))"), {{"a"}, {}, {}});
    CHECK(has_integral(program));
    CHECK(!has_integral(compile(parse("sum(t, 0, 1, exp(a*t))"), {{"a"}, {}, {}})));
    INFO(disassemble(program));
    CHECK(disassemble(program).find("integral over") != std::string::npos);
    CHECK(disassemble(program).find("with fourth derivative") != std::string::npos);
    // What does not depend on the variable stands before the loop.
    const Instruction& first = program.rows.front();
    CHECK((first.step == Step::operation && first.depth == 0));
}

TEST_CASE("bounds of an integral need not be integers, and its body is a number") {
    farfield::core::Problems problems;
    const auto type = [&](const std::string& text) {
        const Source source{text, {}};
        return check(parse(source), Scope({"a"}), source, problems);
    };
    CHECK(type("integral(x, -0.5, 1e300, a*x)") == Type::real);
    CHECK(problems.size() == 0);
    CHECK(!type("integral(x, 0, 1, x > a)"));
    CHECK(!type("integral(a, 0, 1, a)"));
    CHECK_THROWS(parse("integral(3, 0, 9, i)"));
}
