// One number: a formula without variables.
#include <array>

#include <farfield/evaluate/number_system.hpp>

#include "evaluate/closed.hpp"
#include "quantity/definition.hpp"
#include "quantity/evidence.hpp"
#include "quantity/kinds.hpp"
#include "quantity/no_value.hpp"
#include "quantity/number_system_key.hpp"
#include "quantity/selection.hpp"
#include "quantity/tabulate.hpp"

namespace farfield::quantity {
namespace {

constexpr std::array<core::Key, 1> value_keys = {number_system_key};

class Value : public Prepared {
public:
    explicit Value(Tabulation tabulation) : tabulation_(std::move(tabulation)) {}

    double cost() const override { return cost_of(tabulation_); }

    void define(const DefinitionOf&, Definition& own) const override {
        state_infinity_of(tabulation_, own);
        if (own.has_infinity) state_infinite({"value"}, own);
    }

    core::Result run(const Inputs&) const override {
        core::Result result;
        state(result.evidence, "formula", tabulation_.formula.tree);
        if (tabulation_.system.kind == evaluate::NumberSystem::Kind::binary64) {
            if (const auto exact = evaluate::exact_value(tabulation_.formula.tree)) {
                result.set("value", exact_cell(*exact));
                return result;
            }
        }
        const core::Series series = tabulate(tabulation_);
        const core::Column& column = series.columns[1];
        core::Cell value = cell(column.values[0], column.enclosures[0]);
        if (value.enclosure) value.rigour = series.rigour;
        if (!value.number) result.notes.emplace_back("no value", why_no_value(tabulation_.formula.tree, {}));
        // A double near a pole is no value of the formula.
        if (value.number && !value.enclosure && !column.enclosures.empty()) {
            value = core::Cell::missing();
            result.notes.emplace_back("no value", "it is not proved that each part has a value, or no bound is known");
        }
        result.set("value", std::move(value));
        return result;
    }

private:
    Tabulation tabulation_;
};

std::unique_ptr<Prepared> prepare_value(const Declaration& declaration, core::Problems& problems) {
    const std::size_t problems_before = problems.reports();
    one_of(declaration, {"formula"}, problems);
    std::optional<Checked> formula = read_formula(declaration, Formula{}, problems);
    evaluate::NumberSystem system = read_number_system(declaration, problems);
    // For a single number, use the correctly rounded emulation, on which a verdict can rest.
    if (system.kind == evaluate::NumberSystem::Kind::binary32)
        system = {evaluate::NumberSystem::Kind::low_precision, "fp32", 0};
    if (problems.reports() != problems_before || !formula) return nullptr;
    Grid once;
    once.range = {0, 1, 1};
    return std::make_unique<Value>(Tabulation{std::move(*formula), once, Enclosures::always, std::move(system)});
}

}  // namespace

const Kind& value_kind() {
    static const Kind kind = {"value", "one number: a formula without variables", value_keys, true, prepare_value};
    return kind;
}

}  // namespace farfield::quantity
