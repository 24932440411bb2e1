// What every kind has in common: names, ranges of heads, unused parameters.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "quantity/compute.hpp"

namespace farfield::quantity {
namespace {

std::string refused(const std::string& kind, const std::string& toml) {
    return refusal(*find_kind(kind), toml);
}

bool says(const std::string& text, const std::string& part) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
    return text.find(part) != std::string::npos;
}

const std::string near = "distances = { to = 9 }\n";

TEST_CASE("a parameter that the evaluated formulas do not depend on is refused") {
    const std::string yarn = "scheme = \"rotary-yarn\"\nhead_dim = 64\ntrain_length = 4096\n" + near;
    // YaRN's angle depends on beta through the let names turns, first and kept; its temperature is not evaluated.
    CHECK(refused("expectation", yarn + "params = { beta = 16 }\n").empty());
    says(refused("expectation", yarn + "params = { betta = 16 }\n"), "Did you mean 'beta'?");
    const std::string alibi = "scheme = \"alibi\"\nhead = 1\nheads = 8\n" + near;
    CHECK(refused("curve", alibi + "params = { delta = 2 }\n").empty());
    // lex masks by Ltr and rotates by base, gamma and B: what reaches the last output depends on the mask alone.
    const std::string lex = "scheme = \"lex\"\nlayers = 2\nlength = 64\ntrain_length = 32\n";
    CHECK(refused("receptive-field", lex).empty());
    says(refused("receptive-field", lex + "params = { gamma = 0.5 }\n"), "'gamma' is unused");
}

TEST_CASE("a name that the formula does not depend on is refused") {
    CHECK(refused("value", "formula = \"a\"\nlet = { b = 2, a = \"b + 1\" }\n").empty());
    says(refused("value", "formula = \"b\"\nlet = { b = 2, a = \"b + 1\" }\n"), "'a' is unused");
    says(refused("value", "formula = \"1\"\nparams = { a = 2 }\n"), "'a' is unused");
    // Any formula of the quantity will do.
    CHECK(refused("identity", "left = \"x*s\"\nright = \"s*x\"\nover = { x = [0, 1] }\nlet = { s = 3 }\n").empty());
    CHECK(refused("profile", "formula = \"-n\"\nmass = \"m\"\nlet = { m = 0.5 }\n" + near).empty());
}

TEST_CASE("a name hides neither the language nor another name") {
    for (const char* name : {"pi", "e", "inf", "sum", "exp", "rounds", "about", "printed", "not"})
        says(refused("value", "formula = \"1\"\nlet = { " + std::string(name) + " = 2 }\n"),
             "'" + std::string(name) + "' is a");
    says(refused("curve", "formula = \"n\"\nlet = { n = 2 }\n" + near), "'n' is a variable here");
    says(refused("value", "formula = \"h\"\nhead = 2\nlet = { h = 2 }\n"), "'h' has a value already");
    says(refused("value", "formula = \"w\"\nparams = { w = 2 }\nlet = { w = 2 }\n"), "'w' has a value already");
    // h is a name like any other where no key gives it.
    CHECK(refused("value", "formula = \"h\"\nlet = { h = 9 }\n").empty());
    says(refused("curve", "formula = \"2*h\"\nhead = 2\nover = { h = { to = 3 } }\n"),
         "is a variable, and the key 'head'");
}

TEST_CASE("heads, layers and widths are those of a model") {
    const std::string alibi = "scheme = \"alibi\"\n" + near;
    CHECK(refused("curve", alibi + "head = 8\nheads = 8\n").empty());
    says(refused("curve", alibi + "head = 9\nheads = 8\n"), "'head' is 9; expected 1 to 8");
    for (const char* head : {"0", "-3", "1.5"}) {
        const std::string text = refused("curve", alibi + "head = " + head + "\nheads = 8\n");
        says(text, "study.toml:3:8");
        says(text, "'head' is ");
    }
    says(refused("curve", "formula = \"n*layer/R\"\nlayer = 13\nlayers = 12\n" + near), "expected 1 to 12");
    const std::string rotary = "scheme = \"rotary\"\n" + near;
    CHECK(refused("expectation", rotary + "head_dim = 6\n").empty());
    says(refused("expectation", rotary + "head_dim = 7\n"), "'head_dim' is 7");
    says(refused("expectation", rotary + "head_dim = 0\n"), "'head_dim' is 0");
    says(refused("curve", alibi + "head = 1\nheads = 7\nwidth = 64\n"), "a multiple of 'heads', 7");
}

TEST_CASE("numbers of keys are refused below their least value, and taken at it") {
    const std::string over = "over = { x = [1, 2] }\n", steps = "over = { x = { from = 1, to = 9 } }\n";
    struct Row {
        const char* kind;
        std::string toml;
        const char* key;
        const char* least;
        const char* below;
    };
    const Row rows[] = {
        {"crossing", over + "formula = 'x - 1.5'\n", "boxes", "1", "0"},
        {"extremum", over + "formula = 'x'\n", "boxes", "1", "0"},
        {"feasible", over + "condition = 'x > 0'\n", "boxes", "1", "0"},
        {"identity", over + "left = 'x'\nright = '1*x'\n", "boxes", "1", "0"},
        {"identity", over + "left = 'x'\nright = '1*x'\n", "tolerance", "0", "-0.5"},
        {"monotone", over + "formula = 'x'\ndirection = 'increasing'\n", "boxes", "1", "0"},
        {"optimum", over + "formula = 'x'\n", "boxes", "1", "0"},
        {"range", steps + "formula = 'x'\nformat = 'fp16'\n", "boxes", "1", "0"},
        {"collision", steps + "formula = 'x'\nformat = 'fp16'\n", "boxes", "1", "0"},
        {"rounding-error", over + "formula = 'x'\n", "boxes", "1", "0"},
        {"profile", "formula = '-n'\n" + near, "within", "1", "0"},
        {"cost", "length = 9\n", "window", "1", "0"},
    };
    for (const Row& row : rows) {
        INFO(row.kind << ": " << row.key);
        CHECK(refused(row.kind, row.toml + row.key + " = " + row.least).empty());
        says(refused(row.kind, row.toml + row.key + " = " + row.below),
             "'" + std::string(row.key) + "' is " + row.below);
    }
    for (const char* kind : {"curve", "expectation"})
        says(refused(kind, std::string("scheme = '") + (kind[0] == 'c' ? "alibi" : "rotary") + "'\nhead_dim = 64\n"),
             "lacks the key 'distances'");
    for (const char* kind : {"range", "collision"}) says(refused(kind, "formula = 'x'\nformat = 'fp16'\n"), "'over'");
    for (const char* kind : {"range", "collision"}) says(refused(kind, steps + "formula = 'x'\n"), "'format'");
}

TEST_CASE("kinds of formulas and of schemes take the keys of a scheme, those of results and files do not") {
    const std::vector<std::string> without = {"correlation", "fit", "laws", "resolution", "table", "ttest"};
    for (const Kind& kind : kinds()) {
        INFO(kind.name);
        CHECK(kind.takes_scheme == (std::count(without.begin(), without.end(), kind.name) == 0));
        says(refused(std::string(kind.name), "no_such_key = 1"), "unknown key 'no_such_key'");
    }
}

TEST_CASE("distances are whole, other variables need not be") {
    says(refused("curve", "formula = \"n\"\ndistances = { from = 0.5, to = 9 }\n"), "'from' of distances is 0.5");
    says(refused("curve", "formula = \"n\"\ndistances = { to = 9, step = 0.5 }\n"), "'step' of distances is 0.5");
    CHECK(refused("curve", "formula = \"x\"\nover = { x = { from = 0.5, to = 9, step = 0.25 } }\n").empty());
}

}  // namespace
}  // namespace farfield::quantity
