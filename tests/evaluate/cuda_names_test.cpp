// What registers are called in CUDA source, and the formulas in its comments.
#include "evaluate/cuda/names.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include <farfield/formula/parser.hpp>
#include <farfield/formula/printer.hpp>

namespace farfield::evaluate::cuda {
namespace {

/// The name that the only input of a program has in its source.
std::string name_of(const std::string& input) {
    const Names names = names_of(formula::compile(formula::make_name(input), {{}, {input}, {}}));
    REQUIRE(names.reals.size() == 1);
    return names.reals[0];
}

TEST_CASE("inputs keep their names but for what means something else in the source") {
    for (const char* kept : {"n", "max_distance", "X9", "a3", "x", "b", "k", "x_3", "x3a", "y3", "_", "integer"})
        CHECK(name_of(kept) == kept);
    for (const char* taken : {"x3", "b0", "k12", "x99", "int", "double", "Arithmetic", "gridDim", "first", "while"})
        CHECK(name_of(taken) == std::string(taken) + "_");
    CHECK(name_of("fit.a") == "fit_a_");
    CHECK(name_of("q[w=8]") == "q_w_8__");
    CHECK(name_of("é") == "___");  // two bytes
    CHECK(name_of("a/b:c@d[e`f{g") == "a_b_c_d_e_f_g_");
}

TEST_CASE("no two registers of a program have one name") {
    const formula::Program program =
        formula::compile(formula::parse("'a.b'[a.b] + a_b + sum(j, 1, 3, j*x3) + if(a_b < 1, x3, 2)"),
                         {{"a.b", "x3"}, {"a_b"}, {"a.b"}});
    const Names names = names_of(program);
    CHECK(names.reals.size() == program.real_registers);
    CHECK(names.booleans.size() == program.boolean_registers);
    REQUIRE(names.tables.size() == 1);
    std::vector<std::string> all = names.tables;
    all.insert(all.end(), names.reals.begin() + program.first_input(), names.reals.end());
    all.insert(all.end(), names.booleans.begin(), names.booleans.end());
    for (std::size_t a = 0; a < all.size(); ++a) {
        CHECK_FALSE(all[a].empty());
        for (std::size_t b = 0; b < a; ++b) CHECK(all[a] != all[b]);
    }
    for (std::size_t i = 0; i < program.first_input(); ++i) CHECK(names.reals[i].empty());
    CHECK(names.reals[program.first_input()] == "a_b_");
    CHECK(names.reals[program.first_input() + 1] == "x3_");
    CHECK(names.reals[program.first_input() + 2] == "a_b");
    CHECK(names.tables[0] == "a_b__");
}

TEST_CASE("a register's formula is the one that it was compiled from") {
    for (const char* text : {"a", "2", "pi*a", "-2^(-8*a/h)", "if(a < h and not h == 2, a, h)", "min(a, h)",
                             "clamp(a, 0, h)", "w[a]", "e + inf", "a%h"}) {
        const formula::Program program = formula::compile(formula::parse(text), {{"a", "h"}, {}, {"w"}});
        CHECK(formula_of(program, program.type, program.result) == text);
    }
    const formula::Program with_point = formula::compile(formula::parse("n*h"), {{"h"}, {"n"}, {}});
    CHECK(formula_of(with_point, with_point.type, with_point.result) == "n*h");
    const formula::Program condition = formula::compile(formula::parse("a < 1 or h > 2"), {{"a", "h"}, {}, {}});
    CHECK(formula_of(condition, condition.type, condition.result) == "a < 1 or h > 2");
    // The variable, the first register after the constants 1 and 3 and the input.
    const formula::Program loop = formula::compile(formula::parse("sum(j, 1, 3, j*a)"), {{"a"}, {}, {}});
    CHECK(formula_of(loop, loop.type, loop.result) == "sum(i3, 1, 3, i3*a)");
    for (const std::string choice : {"argmin", "argmax"}) {
        const formula::Program best =
            formula::compile(formula::parse(choice + "(j, 1, 3, a*j - j^2)"), {{"a"}, {}, {}});
        CHECK_THAT(formula_of(best, best.type, best.result),
                   Catch::Matches(choice + R"(\(i[0-9], 1, 3, a\*i[0-9] - i[0-9]\^2\))"));
    }
    const formula::Program all = formula::compile(formula::parse("all(j, 1, 3, j < a)"), {{"a"}, {}, {}});
    CHECK(formula_of(all, all.type, all.result) == "all(i3, 1, 3, i3 < a)");
}

TEST_CASE("a long formula is cut after 80 characters") {
    const auto shown = [](std::size_t length) {
        const std::string name(length, 'a');
        const formula::Program program = formula::compile(formula::make_name(name), {{name}, {}, {}});
        return formula_of(program, program.type, program.result);
    };
    CHECK(shown(80) == std::string(80, 'a'));
    CHECK(shown(81) == std::string(80, 'a') + " ...");
}

}  // namespace
}  // namespace farfield::evaluate::cuda
