// Values of a formula over a variable, or of a scheme's bias over the distance.
#include <array>
#include <string>
#include <utility>

#include "quantity/curve_input.hpp"
#include "quantity/definition.hpp"
#include "quantity/evidence.hpp"
#include "quantity/kinds.hpp"
#include "quantity/number_system_key.hpp"
#include "quantity/scheme_curve.hpp"
#include "quantity/summary.hpp"

namespace farfield::quantity {
namespace {

constexpr std::array<core::Key, 5> curve_keys = {distances_key, over_key, query_key, number_system_key, enclosures_key};

class Curve : public Prepared {
public:
    explicit Curve(Tabulation tabulation) : tabulation_(std::move(tabulation)) {}

    double cost() const override { return cost_of(tabulation_); }

    void define(const DefinitionOf&, Definition& own) const override {
        own.points = tabulation_.grid.range;
        state_infinity_of(tabulation_, own);
        state_summary(*own.points, own);
    }

    core::Result run(const Inputs&) const override {
        core::Result result;
        evaluate::Extremes extremes;
        result.series = tabulate(tabulation_, &extremes);
        summarise(view_of(*result.series, tabulation_.formula.source.at), extremes, result);
        state(result.evidence, "formula", tabulation_.formula.tree);
        return result;
    }

private:
    Tabulation tabulation_;
};

/// Other kinds read the zeros of a scheme without a bias; as a curve, they would say nothing. read_bias_curve() reports
/// a scheme that rotates.
void require_any_bias(const Declaration& declaration, core::Problems& problems) {
    const core::Entry* entry = declaration.settings.find("scheme");
    const std::string* name = entry ? entry->value.string() : nullptr;
    const scheme::Scheme* found = name ? declaration.schemes.find(*name) : nullptr;
    if (!found || found->bias || found->rotate) return;
    problems.add(entry->value.place, "scheme '" + *name + "' has no bias", "a scheme with a bias",
                 found->mask ? "kind = \"matrix\" shows its mask" : "");
}

std::unique_ptr<Prepared> prepare_curve(const Declaration& declaration, core::Problems& problems) {
    const std::size_t problems_before = problems.reports();
    std::optional<Tabulation> tabulation;
    require_any_bias(declaration, problems);
    if (!one_of(declaration, {"scheme", "formula"}, problems).empty())
        tabulation = read_tabulation(declaration, problems);
    const evaluate::NumberSystem system = read_number_system(declaration, problems);
    if (problems.reports() != problems_before || !tabulation) return nullptr;
    tabulation->system = system;
    return std::make_unique<Curve>(std::move(*tabulation));
}

}  // namespace

const Kind& curve_kind() {
    static const Kind kind = {"curve",
                              "a formula over a variable, or a scheme's bias over the distance",
                              curve_keys,
                              true,
                              prepare_curve,
                              SearchRule::none,
                              {summary_facts, row_facts}};
    return kind;
}

}  // namespace farfield::quantity
