#include "scheme/folding.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <farfield/evaluate/evaluate.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/formula/printer.hpp>

using namespace farfield;

namespace {

std::string folded(const std::string& text) {
    return formula::print(scheme::fold_conditions(formula::parse(text)));
}

/// The formula's value at x, computed in doubles.
double at(const formula::Node& tree, double x) {
    evaluate::Inputs inputs;
    inputs.uniform = {x};
    return evaluate::evaluate(formula::compile(tree, {{"x"}, {}, {}}), inputs).front();
}

}  // namespace

TEST_CASE("a comparison of literals chooses the branch, and nothing else does") {
    // Below, at and above: what each comparison says of 1 against 2, of 2 against 2, of 2 against 1.
    const std::vector<std::pair<std::string, std::string>> comparisons = {{"<", "ynn"},  {"<=", "yyn"}, {">", "nny"},
                                                                          {">=", "nyy"}, {"==", "nyn"}, {"!=", "yny"}};
    for (const auto& [op, wanted] : comparisons) {
        INFO(op);
        std::string found;
        for (const auto& [a, b] : {std::pair("1", "2"), {"2", "2"}, {"2", "1"}})
            found += folded("if(" + std::string(a) + op + b + ", q, k)") == "q" ? 'y' : 'n';
        CHECK(found == wanted);
    }
    CHECK(folded("if(-3 < -2, q, k)") == "q");
    CHECK(folded("if(--3 < 2, q, k)") == "k");
    CHECK(folded("if(2 < inf, q, k)") == "q");
    CHECK(folded("if(-inf < 2, q, k)") == "q");
    for (const char* open : {"if(q < 2, q, k)", "if(1 + 1 < 3, q, k)", "if(abs(1) < 3, q, k)", "if(2 < pi, q, k)"})
        CHECK(folded(open) == open);
}

TEST_CASE("and, or and not of literals are three-valued") {
    CHECK(folded("if(1 < 2 and 2 < 3, q, k)") == "q");
    CHECK(folded("if(1 < 2 and 3 < 2, q, k)") == "k");
    CHECK(folded("if(3 < 2 or 2 < 3, q, k)") == "q");
    CHECK(folded("if(3 < 2 or 4 < 3, q, k)") == "k");
    CHECK(folded("if(not 3 < 2, q, k)") == "q");
    // One part that decides needs no other; one that does not leaves the condition.
    CHECK(folded("if(q < 1 and 3 < 2, q, k)") == "k");
    CHECK(folded("if(q < 1 or 2 < 3, q, k)") == "q");
    CHECK(folded("if(q < 1 and 2 < 3, q, k)") == "if(q < 1 and 2 < 3, q, k)");
    CHECK(folded("if(2 < 3 and q < 1, q, k)") == "if(2 < 3 and q < 1, q, k)");
    CHECK(folded("if(q < 1 or 3 < 2, q, k)") == "if(q < 1 or 3 < 2, q, k)");
}

TEST_CASE("conditions are folded at every depth, also in the branch taken") {
    CHECK(folded("exp(if(1 < 2, if(2 < 1, 7, q), k)) + sum(i, 0, 3, if(2 < 1, i, k))") == "exp(q) + sum(i, 0, 3, k)");
    CHECK(folded("if(q < if(1 < 2, 5, 6), q, k)") == "if(q < 5, q, k)");
}

TEST_CASE("a NaN among a table's entries is the value of its place alone") {
    const formula::Node tree = scheme::with_table(formula::parse("t[x]"), "t", {1, NAN, NAN, 2});
    CHECK(at(tree, 0) == 1);
    CHECK(std::isnan(at(tree, 1)));
    CHECK(std::isnan(at(tree, 2)));
    CHECK(at(tree, 3) == 2);
}

TEST_CASE("a lookup becomes the entry, and has no value outside the table or between its entries") {
    const std::vector<double> entries = {3, 3, -1, 0.5, 0.5, 0.5, 8};
    const formula::Node tree = scheme::with_table(formula::parse("t[x] + 1"), "t", entries);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        INFO(i);
        CHECK(at(tree, static_cast<double>(i)) == entries[i] + 1);
        CHECK(std::isnan(at(tree, static_cast<double>(i) + 0.5)));
    }
    CHECK(std::isnan(at(tree, -1)));
    CHECK(std::isnan(at(tree, 7)));
    CHECK(std::isnan(at(scheme::with_table(formula::parse("t[x]"), "t", {}), 0)));
    // Of the table's name alone, with one index.
    CHECK(formula::print(scheme::with_table(formula::parse("u[x] + t"), "t", entries)) == "u[x] + t");
    CHECK(at(scheme::with_table(formula::parse("t[t[x]]"), "t", {2, 0, 1}), 0) == 1);
}
