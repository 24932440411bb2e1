// What a declaration alone says of a result: by hand, and of results that are computed.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <farfield/evaluate/reference.hpp>
#include <farfield/formula/names.hpp>
#include <farfield/formula/printer.hpp>

#include "formula/comparison.hpp"
#include "formula/form.hpp"
#include "quantity/compute.hpp"
#include "quantity/definition.hpp"

namespace farfield::quantity {
namespace {

using Texts = std::vector<std::string>;

const std::string row = "formula = '1/(n + 1)'\ndistances = { to = 100 }\n";

const Definition& of_nothing(std::string_view) {
    static const Definition none;
    return none;
}

/// The definition of a curve over 0, 1, ..., 100, whatever the name is.
const Definition& of_row(std::string_view) {
    static const Definition all{{}, numerics::Progression(0, 1, 101)};
    return all;
}

Definition define(const std::string& kind, const std::string& toml, const DefinitionOf& of = of_nothing) {
    Definition own;
    const bool has_of = toml.find("of = ") != std::string::npos;
    const Known known = has_of ? Known{{"row", compute(*find_kind("curve"), row)}} : Known{};
    prepared(*find_kind(kind), toml, known)->define(of, own);
    return own;
}

Texts facts_of(const std::string& kind, const std::string& toml, const DefinitionOf& of = of_nothing) {
    Texts facts;
    for (const std::string& text : define(kind, toml, of).facts)
        for (const formula::Node& fact : formula::read_facts(text)) facts.push_back(formula::print(fact));
    return facts;
}

/// A field or a row of a result; nothing if it is missing. `index` replaces a row's variable.
std::optional<double> number_of(const formula::Node& side, const core::Result& result, std::size_t index) {
    if (side->kind == formula::Kind::name) {
        const core::Cell* cell = result.find(side->text);
        return cell ? cell->number : std::nullopt;
    }
    if (side->kind == formula::Kind::index) {
        const core::Column* column = result.series ? result.series->find(side->text) : nullptr;
        if (!column) return std::nullopt;
        const formula::Node& at = side->children[0];
        const core::Cell* field = at->kind == formula::Kind::name ? result.find(at->text) : nullptr;
        if (!field && !formula::free_names(at).empty()) return column->values[index];
        const double point = field ? field->number.value() : evaluate::reference(at, {});
        const auto& points = result.series->columns[0].values;
        const auto found = std::find(points.begin(), points.end(), point);
        REQUIRE(found != points.end());
        return column->values[static_cast<std::size_t>(found - points.begin())];
    }
    if (side->kind == formula::Kind::operation && side->op == formula::Op::floor) {
        const auto inside = number_of(side->children[0], result, index);
        return inside ? std::optional(std::floor(*inside)) : std::nullopt;
    }
    evaluate::Environment fields;
    for (const std::string& name : formula::free_names(side)) {
        const core::Cell* cell = result.find(name);
        if (name == "inf") continue;
        if (!cell || !cell->number) return std::nullopt;
        fields.values[name] = *cell->number;
    }
    return evaluate::reference(side, fields);
}

/// Compares all facts with a result; how many comparisons there were.
std::size_t compare(const Kind& kind, const Definition& own, const core::Result& result) {
    Texts texts(kind.facts.begin(), kind.facts.end());
    texts.insert(texts.end(), own.facts.begin(), own.facts.end());
    std::size_t compared = 0;
    for (const std::string& text : texts)
        for (const formula::Node& fact : formula::read_facts(text)) {
            const bool is_of_rows = fact->children[0]->kind == formula::Kind::index;
            const std::size_t rows = is_of_rows ? result.series->rows() : 1;
            for (std::size_t index = 0; index < rows; ++index) {
                const auto left = number_of(fact->children[0], result, index);
                const auto right = number_of(fact->children[1], result, index);
                if (!left || !right) continue;
                INFO(kind.name << ": " << formula::print(fact) << ": " << *left << " and " << *right);
                // Sums of shares may be above 1 by their roundings.
                const bool has_room = fact->op == formula::Op::less_equal || fact->op == formula::Op::greater_equal;
                const double room = has_room ? 1e-14 * std::max(std::fabs(*left), std::fabs(*right)) : 0;
                CHECK((formula::compares(fact->op, *left, *right) || (has_room && std::fabs(*left - *right) <= room)));
                ++compared;
            }
        }
    return compared;
}

TEST_CASE("a curve's arguments are its points, and its ends are its first and its last row") {
    CHECK(facts_of("curve", row) == Texts{"argmin >= 0", "argmin <= 100", "argmin == floor(argmin)",
                                          "min == value[argmin]", "argmax >= 0", "argmax <= 100",
                                          "argmax == floor(argmax)", "max == value[argmax]", "first == value[0]",
                                          "last == value[100]"});
    CHECK(facts_of("curve", "formula = 'x'\nover = { x = { from = -0.5, to = 1, step = 0.25 } }\n") ==
          Texts{"argmin >= -0.5", "argmin <= 1", "min == value[argmin]", "argmax >= -0.5", "argmax <= 1",
                "max == value[argmax]", "first == value[-0.5]", "last == value[1]"});
}

TEST_CASE("a kind over another curve knows its points if they are known") {
    const Texts within = {"first == value[1]", "first >= 6", "first <= 20",         "first == floor(first)",
                          "last >= 6",         "last <= 20", "last == floor(last)", "count <= 15"};
    const std::string part = "of = 'row'\nlevel = 0.1\nrange = { from = 5, to = 20 }\n";
    CHECK(facts_of("crossing", part, of_row) == within);
    CHECK(facts_of("crossing", part) == Texts{"first == value[1]"});
    CHECK(facts_of("fit", "of = 'row'\nmodel = 'a + b*n'\n", of_row) == Texts{"points == 101"});
    CHECK(facts_of("fit", "of = 'row'\nmodel = 'a + b*n'\nrange = { from = 1, to = 9 }\n", of_row) ==
          Texts{"points == 9"});
    // Points of weight 0 do not count.
    CHECK(facts_of("fit", "of = 'row'\nmodel = 'a + b*n'\nweights = 'n'\n", of_row).empty());
    CHECK(define("profile", "of = 'row'\n", of_row).points->count() == 101);
}

TEST_CASE("the extremes of another curve are its own, or within them for a part of it") {
    const Texts whole = facts_of("extremum", "of = 'row'\n", of_row);
    for (const char* fact :
         {"max == row.max", "max == row.value[argmax]", "argmin == row.argmin", "first == row.first", "argmax <= 100"})
        CHECK(std::find(whole.begin(), whole.end(), fact) != whole.end());
    const Texts part = facts_of("extremum", "of = 'row'\nrange = { from = 3, to = 12 }\n", of_row);
    for (const char* fact :
         {"max <= row.max", "min == row.value[argmin]", "min >= row.min", "last == row.value[12]", "argmax <= 12"})
        CHECK(std::find(part.begin(), part.end(), fact) != part.end());
    CHECK(std::find(part.begin(), part.end(), "max == row.max") == part.end());
}

TEST_CASE("values may be infinite only if the formula says inf") {
    const std::string masked = "formula = 'if(n < 3, -n, -inf)'\ndistances = { to = 9 }\n";
    const auto has = [](const Texts& facts, const char* fact) {
        return std::find(facts.begin(), facts.end(), fact) != facts.end();
    };
    for (const char* fact : {"value[n] >= -inf", "min >= -inf", "last >= -inf"}) {
        CHECK(has(facts_of("curve", masked), fact));
        CHECK_FALSE(has(facts_of("curve", row), fact));
    }
    CHECK(has(facts_of("matrix", "scheme = 'alibi'\nheads = 8\nhead = 1\nlength = 4\n"), "value[n] >= -inf"));
    CHECK(facts_of("value", "formula = '-inf'") == Texts{"value[n] >= -inf", "value >= -inf"});
    CHECK(facts_of("value", "formula = '1/0'").empty());
    CHECK(has(facts_of("value", "formula = '300*300'\nin = 'fp16'"), "value >= -inf"));
    CHECK(has(facts_of("curve", "formula = '300*n'\ndistances = { to = 900 }\nin = 'fp16'"), "max >= -inf"));
    const DefinitionOf of_masked = [](std::string_view) -> const Definition& {
        static const Definition all{{}, numerics::Progression(0, 1, 101), true};
        return all;
    };
    CHECK(has(facts_of("extremum", "of = 'row'\n", of_masked), "min >= -inf"));
}

TEST_CASE("arguments over several variables, and over reals, lie in their domains") {
    CHECK(facts_of("optimum", "formula = '(x - 1)^2 + y'\nover = { x = [0, 2.5], y = { from = 1, to = 3 } }\n") ==
          Texts{"at_y >= 1", "at_y <= 3", "at_y == floor(at_y)", "at_x >= 0", "at_x <= 2.5"});
    CHECK(facts_of("feasible", "condition = 'x^2 < 2'\nover = { x = [0, 9] }\n") ==
          Texts{"least >= 0", "least <= 9", "greatest >= 0", "greatest <= 9"});
}

TEST_CASE("what definitions state holds of results") {
    struct Case {
        const char* kind;
        std::string toml;
        std::size_t least;  ///< so many comparisons are made at least
    };
    const std::string of = "of = 'row'\n";
    const Case cases[] = {
        {"curve", row, 200},
        {"curve", "formula = 'sin(x)'\nover = { x = { from = -2, to = 3, step = 0.1 } }\n", 100},
        {"expectation", "scheme = 'rotary'\nhead_dim = 8\ndistances = { to = 50 }\n", 100},
        {"extremum", of, 10},
        {"extremum", "formula = 'x*(1 - x)'\nover = { x = [-1, 3] }\n", 5},
        {"crossing", of + "level = 0.1\n", 8},
        {"crossing", "formula = 'cos(x)'\nover = { x = [0, 20] }\n", 6},
        {"fit", of + "model = 'a + b*n'\n", 5},
        {"profile", of + "within = 5\n", 400},
        {"oscillation", of, 8},
        {"feasible", "condition = 'x^2 < 2'\nover = { x = [0, 9] }\n", 6},
        {"optimum", "formula = '(x - 1)^2'\nover = { x = [0, 9] }\n", 2},
        {"monotone", "formula = '(x - 1)^2'\nover = { x = [0, 9] }\ndirection = 'decreasing'\n", 4},
        {"collision", "format = 'fp16'\nover = { n = { from = 0, to = 5000 } }\n", 3},
        {"range", "formula = 'x^2'\nformat = 'fp16'\nover = { x = { from = 1, to = 900 } }\n", 6},
        {"rounding-error", "formula = 'x*x + x'\nformat = 'fp16'\nover = { x = [1, 2] }\n", 4},
        {"logit-error", "scheme = 'rotary'\nhead_dim = 8\nformat = 'bf16'\npositions = [1, 30, 7]\n", 5},
        {"matrix", "formula = '-0.5*(q - k)'\nlength = 8\n", 60},
        {"receptive-field", "scheme = 'windowed'\nparams = { w = 4 }\nlength = 32\nlayers = 3\n", 6},
    };
    for (const Case& each : cases) {
        INFO(each.kind << "\n" << each.toml);
        const Kind& kind = *find_kind(each.kind);
        const Known known = each.toml.starts_with(of) ? Known{{"row", compute(*find_kind("curve"), row)}} : Known{};
        const Definition own = define(each.kind, each.toml, of_row);
        const std::size_t compared = compare(kind, own, compute(kind, each.toml, known));
        INFO("comparisons: " << compared);
        CHECK(compared >= each.least);
    }
}

}  // namespace
}  // namespace farfield::quantity
