// Studies, and parts of them, that no result depends on.
#include <catch2/catch.hpp>

#include "study/study_support.hpp"

using namespace study_support;
using Names = std::vector<std::string>;

namespace {

Names told(const std::string& text, const study::Options& options = {}) {
    return problems_of(text, options);
}

const std::string value = "kind = 'value'\nformula = '2'\n";
const std::string curve = "kind = 'curve'\nscheme = 's'\ndistances = { to = 9 }\n";
const std::string model = "[model.m]\nlayers = 1\nheads = 2\nwidth = 8\n[corpus.x]\nbuiltin = 'kjv'\n";
const std::string training = "model = 'm'\nscheme = 'alibi'\ncorpus = 'x'\nlength = 16\nsteps = 2\n";
const std::string losses = "kind = 'perplexity'\nlengths = [16, 32]\nof = ";

}  // namespace

TEST_CASE("a study that computes nothing is refused") {
    CHECK(told("[study]\ntitle = 't'\n") == Names{"1: the study computes nothing"});
    CHECK(told("[scheme.s]\nbias = '-n'\n") == Names{"0: the study computes nothing"});
    CHECK(told("[quantity.v]\n" + value).empty());
    CHECK(told("[[claim]]\nid = 'X'\nsays = 's'\nholds = '161 + 300 == 461'\n").empty());
}

TEST_CASE("a declaration that no quantity uses is refused, unless --set removed its use") {
    CHECK(told("[quantity.v]\n" + value + "[scheme.s]\nbias = '-n'\n[scheme.r]\nextends = 's'\nmask = 'n < 5'\n") ==
          Names{"6: the scheme 'r' is unused: no quantity or training depends on it"});
    CHECK(told("[quantity.v]\n" + value + model + "[train.t]\n" + training).empty());
    CHECK(told("[quantity.v]\n" + value + model) ==
          Names{"4: the model 'm' is unused: no quantity or training depends on it",
                "8: the corpus 'x' is unused: no quantity or training depends on it"});
    CHECK(told(model + "[train.t]\n" + training + "[train.u]\n" + training +
               "start = 't'\nseeds = [0]\n[quantity.p]\n" + losses + "'u'\n")
              .empty());
    const std::string used =
        "[quantity.c]\n" + curve + "[scheme.r]\nbias = '-n'\n[scheme.s]\nextends = 'r'\nmask = 'n < 5'\n";
    CHECK(told(used).empty());
    study::Options options;
    options.set = {{"quantity.c.scheme", "'alibi'"}};
    CHECK(told("[quantity.c]\nkind = 'curve'\nscheme = 's'\nhead = 1\nheads = 8\ndistances = { to = 9 "
               "}\n[scheme.s]\nbias = '-h*n'\n",
               options)
              .empty());
}

TEST_CASE("a label's braces hold keys that are swept; others are a word in braces") {
    const auto label = [](const std::string& text) {
        return told("[quantity.v]\nkind = 'value'\nformula = 'a*b'\nparams = { c = 1 }\nlabel = '" + text +
                    "'\nsweep = { a = [1, 2], b = [3, 4] }\n");
    };
    const auto unswept = [](const std::string& key) {
        return Names{"5: '{" + key + "}' of the label: 'v[a=1,b=3]' is not swept over '" + key + "'"};
    };
    struct Row {
        const char* label;
        const char* unswept;  ///< the key that is not swept over, if there is one
        const char* unclosed;
    };
    const Row rows[] = {
        {"a {a}, {b}", "", ""}, {"{a}{b}", "", ""},      {"{}", "", ""},    {"{a b}", "", ""},
        {"{c}", "c", ""},       {"{a}{c}", "c", ""},     {"{{c}", "c", ""}, {"{{c}}", "c", ""},
        {"{a}{", "", ""},       {"{a} and {b", "", "b"}, {"{a", "", "a"},   {"a}", "", ""},
    };
    for (const Row& row : rows) {
        INFO(row.label);
        Names expected;
        if (*row.unswept) expected = unswept(row.unswept);
        if (*row.unclosed) expected = {std::string("5: the label '") + row.label + "' lacks a brace"};
        Names found = label(row.label);
        // 'c' of params is unused, which is not the label's.
        std::erase_if(found, [](const std::string& each) { return each.find("label") == std::string::npos; });
        if (found.size() > 1) found.resize(1);
        CHECK(found == expected);
    }
}

TEST_CASE("a key that is swept and that the kind does not have is named in the message") {
    const std::string row =
        "[quantity.row]\n"
        "kind = 'curve'\nformula = '-n'\ndistances = { to = 9 }\n";
    const Names found = told(row + "[quantity.r]\nkind = 'resolution'\nof = 'row'\nN = 4\nsweep = { M = [1, 2] }\n");
    REQUIRE_FALSE(found.empty());
    for (const std::string& each : found) CHECK(each.find("'M'") != std::string::npos);
}

TEST_CASE("a table that nothing reads is refused, unless the study has nothing else") {
    const std::string table = "[quantity.t]\nkind = 'table'\nrows = ['r']\ncolumns = ['x']\ncells = [[1]]\n";
    CHECK(told(table).empty());
    CHECK(told(table + "[quantity.v]\n" + value) == Names{"1: the table 't' is unused: nothing reads it"});
    CHECK(told(table + "[quantity.v]\n" + value + "[[claim]]\nid = 'X'\nsays = 's'\nholds = \"t['r', 'x'] == 1\"\n")
              .empty());
}

TEST_CASE("two quantities or trainings of the same settings are refused, whatever words they have") {
    CHECK(told("[quantity.v]\n" + value + "[quantity.w]\ndoc = 'd'\nlabel = 'l'\n" + value) ==
          Names{"4: the quantity 'w' has the settings of 'v'"});
    CHECK(told("[quantity.v]\n" + value + "[quantity.w]\nkind = 'value'\nformula = '3'\n").empty());
    CHECK(told(model + "[train.t]\n" + training + "[train.u]\n" + training + "[quantity.p]\n" + losses +
               "'t'\n[quantity.q]\n" + losses + "'u'\n") == Names{"13: the training 'u' has the settings of 't'"});
}

TEST_CASE("a name of both a quantity and a training is refused where it refers to a quantity") {
    const std::string both = model + "[train.t]\n" + training + "[quantity.t]\n" + losses + "'t'\n";
    CHECK(told(both).empty());
    CHECK(told(both + "[quantity.f]\nkind = 'fit'\nmodel = 'a*L + b'\nof = 't'\n") ==
          Names{"20: 't' is a quantity and a training"});
}

TEST_CASE("a fit of a fit by the same model is refused") {
    const std::string fit =
        "[quantity.c]\nkind = 'curve'\nformula = '-n^2'\ndistances = { to = 9 }\n[quantity.f]\nkind = 'fit'\nof = "
        "'c'\nmodel = 'a*n + b'\n[quantity.g]\nkind = 'fit'\nof = 'f'\nmodel = ";
    CHECK(told(fit + "'a * n + b'\n") == Names{"12: 'g' fits the model of 'f' to itself"});
    CHECK(told(fit + "'a*n'\n").empty());
}

TEST_CASE("a figure shows each series once, and its labels differ within a panel") {
    const std::string swept =
        "[quantity.c]\nkind = 'curve'\nformula = '-w*n'\ndistances = { to = 9 }\nsweep = { w = [1, 2] }\n[figure.f]\n";
    CHECK(told(swept + "series = ['c', 'c[w=1]']\n") == Names{"7: 'c[w=1]' is listed twice in 'series'"});
    CHECK(told(swept + "series = ['c']\nlabels = ['a', 'a']\n") == Names{"8: the label 'a' is listed twice"});
    CHECK(told(swept + "series = ['c']\nlabels = ['a', ' ']\n") == Names{"8: a label has only spaces"});
    CHECK(told(swept + "series = ['c']\nlabels = ['a', 'a']\npanels = 'series'\n").empty());
}
