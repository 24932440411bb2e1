#include <farfield/formula/program.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <type_traits>

#include <farfield/core/error.hpp>
#include <farfield/formula/parser.hpp>

using namespace farfield::formula;

namespace {

/// The lines of a program of h, H, d (uniform), q, k, n (varying) and the table weight.
std::string lines(const std::string& text) {
    return disassemble(compile(parse(text), {{"h", "H", "d"}, {"q", "k", "n"}, {"weight"}}));
}

}  // namespace

TEST_CASE("a part that does not depend on a point is computed before all points") {
    CHECK(lines("-2^(-8*h/H)*n") ==
          "  r8 = - 8\n"
          "  r9 = * r8 h\n"
          "  r10 = / r9 H\n"
          "  r11 = ^ 2 r10\n"
          "  r12 = - r11\n"
          "for each point:\n"
          "* r13 = * r12 n\n"
          "result r13\n");
}

TEST_CASE("a subexpression that occurs twice is computed once") {
    CHECK(lines("sin(n*h)^2 + sin(n*h)") ==
          "for each point:\n"
          "* r7 = * n h\n"
          "* r8 = sin r7\n"
          "* r9 = ^ r8 2\n"
          "* r10 = + r9 r8\n"
          "result r10\n");
}

TEST_CASE("a part that does not depend on a loop's variable is computed before the loop") {
    CHECK(lines("sum(j, 0, d, cos(n*h)*10000^(-j/d))") ==
          "for each point:\n"
          "* r9 = * n h\n"
          "* r10 = cos r9\n"
          "* r15 = sum over r8 from 0 to d\n"
          "    r11 = - r8\n"
          "    r12 = / r11 d\n"
          "    r13 = ^ 10000 r12\n"
          "  * r14 = * r10 r13\n"
          "* r15 takes r14\n"
          "result r15\n");
}

TEST_CASE("a loop without points is run once for all") {
    CHECK(lines("n*sum(j, 1, d, j)") ==
          "  r8 = sum over r7 from 1 to d\n"
          "  r8 takes r7\n"
          "for each point:\n"
          "* r9 = * n r8\n"
          "result r9\n");
}

TEST_CASE("equal loops are run once, whatever is between them") {
    const std::string text = lines("sum(j, 1, d, j*n)^2 + sum(j, 1, d, j*n)");
    CHECK(text.find("sum over") == text.rfind("sum over"));
}

TEST_CASE("loops of the same text that mean different variables are kept apart") {
    // In both inner sums the body is i*j, but i belongs to another outer sum.
    const std::string text = lines("sum(i, 1, 2, sum(j, 1, 2, i*j)) + sum(i, 3, 4, sum(j, 1, 2, i*j))");
    std::size_t loops = 0;
    for (std::size_t at = text.find("over"); at != std::string::npos; at = text.find("over", at + 1)) ++loops;
    CHECK(loops == 4);
}

TEST_CASE("conditions have registers of their own and a table is looked up") {
    CHECK(lines("if(n < h and q == k, weight[n], 0)") ==
          "for each point:\n"
          "* b0 = < n h\n"
          "* b1 = == q k\n"
          "* b2 = and b0 b1\n"
          "* r7 = weight[n]\n"
          "* r8 = if b2 r7 0\n"
          "result r8\n");
}

TEST_CASE("a condition chosen by a condition becomes logic") {
    CHECK(lines("n < 0 ? q < 0 : k < 0") ==
          "for each point:\n"
          "* b0 = < n 0\n"
          "* b1 = < q 0\n"
          "* b2 = < k 0\n"
          "* b3 = and b0 b1\n"
          "* b4 = not b0\n"
          "* b5 = and b4 b2\n"
          "* b6 = or b3 b5\n"
          "result b6\n");
}

TEST_CASE("constants are kept as decimal text next to the nearest double") {
    const Program program = compile(parse("0.1*x + 0.1 + pi"), {{}, {"x"}, {}});
    CHECK(program.constant_texts == std::vector<std::string>{"0.1", "pi"});
    CHECK(program.constants[0] == 0.1);
    CHECK(program.constants.size() == 2);
    const Program named = compile(parse("inf + e + pi + x"), {{}, {"x"}, {}});
    CHECK(named.constant_texts == std::vector<std::string>{"inf", "e", "pi"});
    CHECK(named.constants == std::vector<double>{HUGE_VAL, 0x1.5bf0a8b145769p+1, 0x1.921fb54442d18p+1});
}

TEST_CASE("the rows of a program may be copied to a device as bytes") {
    CHECK(std::is_trivially_copyable_v<Instruction>);
}

TEST_CASE("a name that is not an input, a call and a text violate preconditions") {
    CHECK_THROWS_AS(lines("x"), farfield::core::PreconditionError);
    CHECK_THROWS_AS(lines("f(n)"), farfield::core::PreconditionError);
    CHECK_THROWS_AS(lines("other[n]"), farfield::core::PreconditionError);
    CHECK_THROWS_AS(lines("'text'"), farfield::core::PreconditionError);
}

TEST_CASE("31 loops may be nested") {
    const auto nested = [](int levels) {
        std::string text = "1";
        for (int level = 0; level < levels; ++level) text = "sum(v" + std::to_string(level) + ", 0, 1, " + text + ")";
        return text;
    };
    CHECK(lines(nested(31)).find("result") != std::string::npos);
    CHECK_THROWS_AS(lines(nested(32)), farfield::core::PreconditionError);
}

TEST_CASE("a loop's rows are placed as far out as the rows that they read allow") {
    // The inner bound reads i, its body j and n; sin(i) is computed once for each i.
    CHECK(lines("sum(i, 1, d, sum(j, 0, i, sin(i)*j*n))") ==
          "for each point:\n"
          "* r14 = sum over r8 from 1 to d\n"
          "    r10 = sin r8\n"
          "  * r13 = sum over r9 from 0 to r8\n"
          "      r11 = * r10 r9\n"
          "    * r12 = * r11 n\n"
          "  * r13 takes r12\n"
          "* r14 takes r13\n"
          "result r14\n");
}

TEST_CASE("values that a loop computed are not read after it") {
    // j*j of the second loop is another than that of the first, where j has its own register.
    const std::string text = lines("sum(j, 1, d, j*j) + sum(j, 2, d, j*j)");
    std::size_t products = 0;
    for (std::size_t at = text.find(" = * "); at != std::string::npos; at = text.find(" = * ", at + 1)) ++products;
    CHECK(products == 2);
}
