// The smallest and the largest value of a curve, or of a formula over real variables.
#include <array>
#include <utility>
#include <variant>

#include "quantity/box_function.hpp"
#include "quantity/box_search.hpp"
#include "quantity/curve_input.hpp"
#include "quantity/definition.hpp"
#include "quantity/kinds.hpp"
#include "quantity/scheme_curve.hpp"
#include "quantity/summary.hpp"

namespace farfield::quantity {
namespace {

/// Searching a box for a point without a value costs less than searching it for an extreme.
constexpr std::size_t for_value = 5;

constexpr std::array<core::Key, 7> extremum_keys = {
    of_key,
    core::Key{.name = "over",
              .type = core::KeyType::table,
              .unit = "{ x = { from, to, step } } or { x = [lo, hi], ... }",
              .meaning = "a variable in steps, or real variables, each with its range"},
    distances_key,
    range_key,
    query_key,
    enclosures_key,
    core::Key{.name = "boxes",
              .type = core::KeyType::integer,
              .fallback = "40000",
              .meaning = "over real variables: largest number of boxes that are examined for each extreme",
              .least = 1,
              .most = 1e9},
};

class ExtremumOfCurve : public Prepared {
public:
    explicit ExtremumOfCurve(CurveInput input) : input_(std::move(input)) {}

    std::vector<std::string> needs() const override { return input_.needs(); }
    double cost() const override { return input_.cost(); }

    void define(const DefinitionOf& definition_of, Definition& own) const override {
        if (const Of* of = std::get_if<Of>(&input_.source)) state_summary_of(*of, input_.limits, definition_of, own);
        if (const auto* own_curve = std::get_if<Tabulation>(&input_.source)) {
            state_infinity_of(*own_curve, own);
            if (own.has_infinity) state_infinite({"min", "max", "first", "last"}, own);
        }
        const auto points = points_of(input_, definition_of);
        for (const std::string_view field : {"argmin", "argmax"})
            if (points) state_within(field, *points, own);
    }

    core::Result run(const Inputs& inputs) const override {
        core::Result result;
        with_curve(inputs, input_, [&](const View& view) { summarise(view, result); });
        return result;
    }

private:
    CurveInput input_;
};

class ExtremumOverBox : public Prepared {
public:
    ExtremumOverBox(Checked formula, const Over& over, std::size_t boxes)
        : formula_(std::move(formula)), domain_(over), boxes_(boxes) {}

    double cost() const override { return box_search_cost(formula_.tree, boxes_); }

    void define(const DefinitionOf&, Definition& own) const override {
        state_within({"argmin", "argmax"}, domain_, own);
    }

    core::Result run(const Inputs& inputs) const override {
        const BoxCondition has_value(formula::defined(formula_.tree), domain_);
        const auto without = find_without_value(has_value, domain_, for_value * boxes_, inputs.interrupted);
        core::Result result;
        for (const bool is_least : {true, false}) {
            const std::optional<Extreme> extreme =
                without ? std::nullopt : std::optional(find_extreme(formula_, domain_, is_least, boxes_));
            set(is_least ? "min" : "max", extreme, result);
        }
        result.notes.emplace_back("method", "interval subdivision");
        if (without) result.notes.emplace_back("not decided", describe(*without, domain_));
        return result;
    }

private:
    void set(const std::string& name, const std::optional<Extreme>& extreme, core::Result& result) const {
        result.set(name, extreme ? extreme->value : core::Cell::missing());
        // For one variable, its value; for several, each under its name.
        const std::vector<std::string> variables = domain_.variables();
        for (std::size_t i = 0; i < variables.size(); ++i) {
            const std::string suffix = variables.size() == 1 ? "" : "_" + variables[i];
            result.set("arg" + name + suffix, extreme ? extreme->point[i] : core::Cell::missing());
        }
    }

    Checked formula_;
    Domain domain_;
    std::size_t boxes_;
};

std::unique_ptr<Prepared> prepare_box(const Declaration& declaration, const Over& over, core::Problems& problems) {
    one_of(declaration, {"formula"}, problems);
    refuse_beside_reals(declaration, problems);
    std::optional<Checked> formula =
        read_formula(declaration, {.key = "formula", .variables = over.variables()}, problems);
    if (!over.grids.empty()) {
        problems.add(over.grids.front().place, "stepped and real variables are mixed", "one kind alone");
        return nullptr;
    }
    if (!formula) return nullptr;
    const auto boxes = core::Settings(declaration.settings, extremum_keys).count("boxes");
    return std::make_unique<ExtremumOverBox>(std::move(*formula), over, boxes);
}

std::unique_ptr<Prepared> prepare_extremum(const Declaration& declaration, core::Problems& problems) {
    core::Problems none;  // read_curve_input reports what is wrong with `over`
    const std::optional<Over> over = read_over(declaration, none);
    if (over && !over->stretches.empty()) return prepare_box(declaration, *over, problems);
    if (declaration.settings.find("boxes"))
        problems.add(place_of_key(declaration, "boxes"), "'boxes' without real variables", "over = { x = [lo, hi] }");
    std::optional<CurveInput> input = read_curve_input(declaration, problems);
    if (!input) return nullptr;
    return std::make_unique<ExtremumOfCurve>(std::move(*input));
}

}  // namespace

const Kind& extremum_kind() {
    static const Kind kind = {"extremum",       "the least and the greatest value of a curve or of a formula",
                              extremum_keys,    true,
                              prepare_extremum, SearchRule::varied,
                              {summary_facts}};
    return kind;
}

}  // namespace farfield::quantity
