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

TEST_CASE("an integral has a value if its enclosure proves one") {
    const Node tree = parse("integral(t, 0, x, t)");
    CHECK(defined(tree).kind == Condition::Kind::depends);
    CHECK(trend(tree, "x").rises.kind == Condition::Kind::never);
}

TEST_CASE("an integral is as regular as its ends, and as its body in all variables together") {
    const auto kind = [](const char* text, Regularity asked) { return regular(parse(text), asked, {"x"}).kind; };
    for (const Regularity asked : {Regularity::continuous, Regularity::lipschitz, Regularity::smooth}) {
        CHECK(kind("integral(t, 0, x, t)", asked) == Condition::Kind::always);
        CHECK(kind("integral(t, 0, x^2, exp(x*t))", asked) == Condition::Kind::always);
        CHECK(kind("integral(t, floor(x), 1, t)", asked) == Condition::Kind::depends);
        CHECK(kind("integral(t, 0, 1, 1/(x + t))", asked) == Condition::Kind::depends);
        CHECK(kind("integral(t, 0, 1, fp16(x*t))", asked) == Condition::Kind::never);
        // The jump is in t alone, and moves with no variable; but a proof does not know that.
        CHECK(kind("integral(t, 0, 1, x*fp16(t))", asked) == Condition::Kind::never);
        // Of another variable it is a number that has to exist.
        CHECK(regular(parse("integral(t, 0, x, t)"), asked, {"y"}).kind == Condition::Kind::depends);
    }
    // A kink.
    CHECK(kind("integral(t, 0, 1, abs(x - t))", Regularity::lipschitz) == Condition::Kind::always);
    CHECK(kind("integral(t, 0, 1, abs(x - t))", Regularity::smooth) == Condition::Kind::depends);
    // Where x + t is shown not to be 0 for every t of the range.
    const Condition pole = regular(parse("integral(t, 0, 1, 1/(x + t))"), Regularity::smooth, {"x"});
    CHECK(print(pole.tree) == "abs(integral(t, 0, 1, if(x + t != 0, 0, 0/0))) < inf");
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
