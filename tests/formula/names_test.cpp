#include <farfield/formula/names.hpp>

#include <catch2/catch.hpp>

#include <farfield/formula/parser.hpp>
#include <farfield/formula/tree.hpp>

namespace farfield::formula {
namespace {

TEST_CASE("the words of the language are reserved, each with its role") {
    for (const char* word : {"and", "or", "not"}) CHECK(reserved(word) == "a word of the language");
    for (const char* word : {"pi", "e", "inf"}) CHECK(reserved(word) == "a constant");
    for (const char* word : {"rounds", "about", "printed"}) CHECK(reserved(word) == "a function of claims");
    for (const char* word : {"sin", "if", "sum", "t5_bucket", "fp16"}) CHECK(reserved(word) == "a function");
    for (const char* word : {"x", "E", "sine", "+", ""}) CHECK(reserved(word).empty());
}

TEST_CASE("a name has letters, digits and underscores, no digit first") {
    for (const char* text : {"x", "X", "_", "_1", "a1", "max_distance", "not"}) CHECK(is_name(text));
    for (const char* text : {"", "1", "1a", "a-b", "a.b", "a ", "é"}) CHECK_FALSE(is_name(text));
}

TEST_CASE("the formats are the operators that round") {
    for (const OperatorRow& operation : operators()) {
        const bool is_format = operation.meaning.find("nearest number of the format") != std::string_view::npos;
        CHECK(is_rounding(operation.op) == is_format);
        CHECK(&row(operation.op) == &operation);
    }
}

TEST_CASE("trees are equal if kind, text, operator and children are") {
    const std::vector<std::string> texts = {"x",
                                            "y",
                                            "x + y",
                                            "x - y",
                                            "y + x",
                                            "-x",
                                            "2",
                                            "2.0",
                                            "'x'.y",
                                            "w[x]",
                                            "w[x, y]",
                                            "v[x]",
                                            "f(x)",
                                            "sum(j, 0, x, j)",
                                            "prod(j, 0, x, j)",
                                            "sum(i, 0, x, i)",
                                            "sum(j, 1, x, j)"};
    for (const std::string& a : texts) {
        for (const std::string& b : texts) CHECK(equal(parse(a), parse(b)) == (a == b));
    }
}

TEST_CASE("a tree counts its levels and nodes, replaced parts too") {
    const Node tree = parse("x*y + sin(x)");
    CHECK(tree->depth == 3);
    CHECK(tree->nodes == 6);
    const Node larger = substitute(tree, {{"x", parse("a + b")}});
    CHECK(larger->depth == 4);
    CHECK(larger->nodes == 10);
    CHECK(substitute(tree, {{"z", parse("1")}}) == tree);
    CHECK(indexed_names(parse("w[x] + v[w[y]] + x")) == std::vector<std::string>{"w", "v"});
    CHECK(free_names(parse("x + sum(x, 0, y, x*z) + y")) == std::vector<std::string>{"x", "y", "z"});
    CHECK(equal(substitute(parse("sum(j, 0, 3, j*j_*x)"), {{"x", parse("j")}}), parse("sum(j__, 0, 3, j__*j_*j)")));
}

}  // namespace
}  // namespace farfield::formula
