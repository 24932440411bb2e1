#include <farfield/formula/checker.hpp>

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

using namespace farfield;
using namespace farfield::formula;

namespace {

Scope scope() {
    Scope names({"q", "k", "n", "h", "H", "Ltr"});
    names.add({"weight", Type::real, {Type::real}});
    names.add({"table", Type::real, {Type::text, Type::text}});
    return names;
}

std::vector<core::Diagnostic> problems(const std::string& text, Type wanted = Type::real) {
    try {
        parse_checked({text, {}}, scope(), wanted);
    } catch (const core::UserError& error) {
        return error.diagnostics();
    }
    return {};
}

struct Bad {
    std::string text;
    std::string found, wanted, hint;
    std::size_t column;
};

}  // namespace

TEST_CASE("formulas of the right names and types are accepted") {
    for (const char* text :
         {"-2^(-8*h/H)*n", "weight[t5_bucket(n, 32, 128)]", "table['row', 'column']/2", "if(q < k, 1, 2)",
          "sum(j, 0, H - 1, j*n)", "sum(j, 0, 3, 1) + sum(j, 0, 3, 2)", "pi*e - inf", "n < 3 ? q : k",
          "if(all(v, 0, 3, v < n), 1, 0)", "min(q, k, n)", "sum(j, -2^63 + 1, 9223372036854775807, j)",
          "sum(j, 0, 1e30*n, j)", "sum(j, 0.5, 7/3, j)", "sum(j, sqrt(2), 1e30*weight[0], j)"}) {
        INFO(text);
        CHECK(problems(text).empty());
    }
    for (const char* text :
         {"n < 3", "not q == k and n > 0 or h != H", "exists(v, 0, 3, v == n)", "n < 3 ? q < k : k < q"}) {
        INFO(text);
        CHECK(problems(text, Type::boolean).empty());
    }
}

TEST_CASE("each misuse of a name or a type is reported with its place and a suggestion") {
    const std::vector<Bad> gallery{
        {"-2^(-8*hh/H)", "unknown name 'hh'", "", "known here: q, k, n, h, H, Ltr, weight, table. Did you mean 'h'?",
         8},
        {"1 + sine(n)", "unknown function 'sine'", "", "Did you mean 'sin'?", 5},
        {"n(2)", "unknown function 'n'", "", "A product is written with *: n*(...).", 1},
        {"weight(2)", "unknown function 'weight'", "", "An index is written in brackets: weight[...].", 1},
        {"n + (q < k)", "the right side of '+' is a condition (true or false)", "a number",
         "A condition becomes a number by if(condition, 1, 0).", 6},
        {"sin(q < k)", "the argument of 'sin' is a condition (true or false)", "a number",
         "A condition becomes a number by if(condition, 1, 0).", 5},
        {"n ? q : k", "the condition in if() or before '?' is a number", "a condition (true or false)",
         "A number becomes a condition by a comparison, such as n < w.", 1},
        {"q < k ? 1 : q < k", "the other branch is a condition (true or false)", "a number",
         "A condition becomes a number by if(condition, 1, 0).", 13},
        {"n < 3", "the formula is a condition (true or false)", "a number",
         "A condition becomes a number by if(condition, 1, 0).", 1},
        {"n + 'text'", "the right side of '+' is a text", "a number", "", 5},
        {"weight", "'weight' is a table", "an index: weight[...]", "", 1},
        {"n[2]", "'n' is a single value and has no index", "no brackets", "", 1},
        {"weight[1, 2]", "'weight' was given 2 indexes", "1", "", 1},
        {"weight['a']", "the index of 'weight' is a text", "a number", "", 8},
        {"nothing[1]", "unknown name 'nothing'", "", "known here: q, k, n, h, H, Ltr, weight, table", 1},
        {"sum(n, 0, 3, n)", "the variable 'n' of sum hides a name", "a name not yet in use", "", 1},
        {"sum(e, 0, 3, e)", "the variable 'e' of sum hides a name", "a name not yet in use", "", 1},
        {"sum(j, 0, 3, sum(j, 0, 3, j))", "the variable 'j' of sum hides a name", "a name not yet in use", "", 14},
        {"sum(j, 0, j, 1)", "unknown name 'j'", "", "known here: q, k, n, h, H, Ltr, weight, table. Did you mean 'q'?",
         11},
        {"sum(j, 0, 9223372036854775808, j)", "the bound 9223372036854775808 is beyond 2^63 - 1",
         "an integer up to 9223372036854775807", "", 11},
        {"sum(j, -10^19, 0, j)", "the bound -10^19 is beyond 2^63 - 1", "an integer up to 9223372036854775807", "", 8},
        {"(q < k) + n", "the left side of '+' is a condition (true or false)", "a number",
         "A condition becomes a number by if(condition, 1, 0).", 2},
        {"(not n) ? 1 : 2", "the argument of 'not' is a number", "a condition (true or false)",
         "A number becomes a condition by a comparison, such as n < w.", 6},
        {"q < k ? 'a' : 1", "a text cannot be chosen", "a number", "", 9},
        {"q < k ? 'a' : 'b'", "a text cannot be chosen", "a number", "", 9},
        {"q < k ? 1 : 'b'", "the other branch is a text", "a number", "", 13},
        {"sum(j, q < k, 3, j)", "the first value of sum is a condition (true or false)", "a number",
         "A condition becomes a number by if(condition, 1, 0).", 8},
        {"sum(j, 0, q < k, j)", "the last value of sum is a condition (true or false)", "a number",
         "A condition becomes a number by if(condition, 1, 0).", 11},
        {"sum(j, 0, -(-10^19), j)", "the bound --10^19 is beyond 2^63 - 1", "an integer up to 9223372036854775807", "",
         11},
        {"prod(j, 0, 10^19, j)", "the bound 10^19 is beyond 2^63 - 1", "an integer up to 9223372036854775807", "", 12},
        {"table['a']", "'table' was given 1 indexes", "2", "", 1},
        {"table['a', n]", "the index of 'table' is a number", "a text", "", 12},
        {"sum(j, 0, 3, j < n)", "the body of sum is a condition (true or false)", "a number",
         "A condition becomes a number by if(condition, 1, 0).", 14},
    };
    for (const Bad& bad : gallery) {
        INFO(bad.text);
        const std::vector<core::Diagnostic> found = problems(bad.text);
        REQUIRE(found.size() == 1);
        CHECK(found[0].found == bad.found);
        CHECK(found[0].wanted == bad.wanted);
        CHECK(found[0].hint == bad.hint);
        CHECK(found[0].place.column == bad.column);
    }
}

TEST_CASE("a bound with names in it is left to evaluation") {
    for (const char* bound : {"n", "n + 10^19", "0*n + 10^19", "0*weight[1] + 10^19", "9223372036854775807"}) {
        INFO(bound);
        CHECK(problems("sum(j, 0, " + std::string(bound) + ", j)").empty());
    }
}

TEST_CASE("a mask that is a number is refused") {
    const std::vector<core::Diagnostic> found = problems("n - 3", Type::boolean);
    REQUIRE(found.size() == 1);
    CHECK(found[0].found == "the formula is a number");
    CHECK(found[0].wanted == "a condition (true or false)");
}

TEST_CASE("all problems of a formula are reported at once, each once") {
    const std::vector<core::Diagnostic> found = problems("aa + bb*sine(cc) + (q and n)");
    CHECK(found.size() == 7);  // aa, bb, sine, cc; q and n are no conditions; what 'and' makes is not a number
}
