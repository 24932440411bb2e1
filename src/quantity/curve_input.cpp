#include "quantity/curve_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "quantity/scheme_curve.hpp"

namespace farfield::quantity {
namespace {

std::optional<Tabulation> read_formula_curve(const Declaration& declaration, core::Problems& problems) {
    const std::optional<Grid> grid = read_variable(declaration, problems);
    if (!grid) return std::nullopt;
    const bool is_distance = declaration.settings.find("distances") != nullptr;
    Formula wanted;
    wanted.variables = is_distance ? std::vector<std::string>{"n", "q", "k"} : std::vector{grid->variable};
    std::optional<Checked> formula = read_formula(declaration, wanted, problems);
    if (!formula) return std::nullopt;
    if (!is_distance && declaration.settings.find("query"))
        problems.add(place_of_key(declaration, "query"), "'query' of a formula over '" + grid->variable + "'",
                     "'distances' in place of 'over'");
    const std::vector<std::string> names = formula::free_names(formula->tree);
    const bool has_positions =
        std::any_of(names.begin(), names.end(), [](const auto& name) { return name == "q" || name == "k"; });
    if (is_distance && !has_positions && declaration.settings.find("query"))
        problems.add(declaration.settings.find("query")->key_place,
                     "'query' of a formula that does not depend on q and k", "no query");
    const std::optional<long long> query = core::read_integer(declaration.settings, "query");
    if (is_distance && has_positions && !is_within_query(*grid, query, problems)) return std::nullopt;
    if (is_distance) formula->tree = along_distance(formula->tree, query);
    Tabulation tabulation;
    tabulation.formula = std::move(*formula);
    tabulation.grid = *grid;
    tabulation.enclosures = read_enclosures(declaration);
    return tabulation;
}

}  // namespace

std::vector<std::string> CurveInput::needs() const {
    const Of* of = std::get_if<Of>(&source);
    return of ? std::vector{of->name} : std::vector<std::string>{};
}

double CurveInput::cost() const {
    const Tabulation* tabulation = std::get_if<Tabulation>(&source);
    return tabulation ? cost_of(*tabulation) : 1;
}

std::optional<Grid> read_variable(const Declaration& declaration, core::Problems& problems) {
    if (one_of(declaration, {"distances", "over"}, problems) == "distances")
        return read_distances(declaration, true, problems);
    const std::optional<Over> over = read_over(declaration, problems);
    if (!over) return std::nullopt;
    if (over->grids.size() == 1 && over->stretches.empty()) return over->grids.front();
    problems.add(place_of_key(declaration, "over"), "a curve is over one variable in steps",
                 "over = { x = { from = 0, to = 100 } }");
    return std::nullopt;
}

std::optional<Tabulation> read_tabulation(const Declaration& declaration, core::Problems& problems) {
    return declaration.settings.find("scheme") ? read_bias_curve(declaration, problems)
                                               : read_formula_curve(declaration, problems);
}

void refuse_beside_of(const Declaration& declaration, core::Problems& problems) {
    for (const char* key : {"over", "distances", "query", "enclosures", "boxes"})
        if (declaration.settings.find(key))
            problems.add(place_of_key(declaration, key), fmt::format("'{}' of another quantity's curve", key),
                         "a scheme or a formula in place of 'of'");
}

void refuse_beside_reals(const Declaration& declaration, core::Problems& problems) {
    for (const char* key : {"of", "distances", "query", "range", "enclosures"})
        if (declaration.settings.find(key))
            problems.add(place_of_key(declaration, key), fmt::format("'{}' of a formula over the reals", key),
                         std::string_view(key) == "range" ? "the ends of the stretch in 'over'"
                                                          : "'over' alone, or a curve in steps");
}

std::optional<CurveInput> read_curve_input(const Declaration& declaration, core::Problems& problems) {
    const std::size_t problems_before = problems.reports();
    const std::string_view given = one_of(declaration, {"of", "formula", "scheme"}, problems);
    CurveInput input;
    input.limits = read_limits(declaration, "range", problems);
    if (given == "of") {
        refuse_beside_of(declaration, problems);
        if (std::optional<Of> of = read_of(declaration, problems)) input.source = std::move(*of);
    } else if (!given.empty()) {
        if (std::optional<Tabulation> tabulation = read_tabulation(declaration, problems))
            input.source = std::move(*tabulation);
    }
    if (problems.reports() != problems_before) return std::nullopt;
    return input;
}

}  // namespace farfield::quantity
