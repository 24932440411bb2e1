#include "quantity/scheme_curve.hpp"

#include <algorithm>
#include <farfield/quantity/scheme_values.hpp>

namespace farfield::quantity {

void require_bias_keys(const scheme::Scheme& scheme, const std::function<bool(std::string_view)>& is_given,
                       const core::Place& place, core::Problems& problems, bool has_positions) {
    if (!scheme.bias) return;
    require_keys(*scheme.bias, is_given, place, problems, has_positions);
    if (scheme.bias_scaled && !is_given("head_dim"))
        problems.add(place, "the scheme's bias is divided by the square root of the head's width",
                     "the key 'head_dim'");
}

void require_bias(const Declaration& declaration, const scheme::Scheme& scheme, core::Problems& problems) {
    const auto is_given = [&](std::string_view key) { return declaration.settings.find(key) != nullptr; };
    const std::size_t before = problems.reports();
    require_bias_keys(scheme, is_given, place_of_key(declaration, "scheme"), problems);
    if (!scheme.bias || problems.reports() != before) return;
    use_piece(declaration, *scheme.bias);
    if (scheme.bias_scaled) use_key(declaration, "head_dim");
}

formula::Node along_distance(const formula::Node& tree, std::optional<long long> query) {
    const formula::Node n = formula::make_name("n");
    if (!query) return formula::substitute(tree, {{"q", n}, {"k", formula::make_number("0")}});
    const formula::Node q = formula::make_number(std::to_string(*query));
    return formula::substitute(tree, {{"q", q}, {"k", formula::make(formula::Op::subtract, {q, n})}});
}

bool is_within_query(const Grid& distances, std::optional<long long> query, core::Problems& problems) {
    const numerics::Rational last = distances.range.exact(distances.range.count() - 1);
    if (!query || last <= *query) return true;
    problems.add(distances.place,
                 "the distances reach beyond the query, to key " + numerics::rational_text(*query - last),
                 "distances up to " + std::to_string(*query));
    return false;
}

std::optional<Tabulation> read_bias_curve(const Declaration& declaration, core::Problems& problems) {
    const std::size_t problems_before = problems.reports();
    std::optional<Selection> selection = read_scheme(declaration, problems);
    const std::optional<Grid> grid = read_distances(declaration, true, problems);
    if (const core::Entry* over = declaration.settings.find("over"))
        problems.add(over->key_place, "'over' of a scheme's curve", "'distances' alone");
    const std::optional<long long> query = core::read_integer(declaration.settings, "query");
    if (selection) require_bias(declaration, selection->scheme, problems);
    if (selection && !selection->scheme.bias && selection->scheme.rotate)
        problems.add(selection->place, "scheme '" + selection->scheme.name + "' rotates and has no bias", {},
                     "kind = \"expectation\" is of the rotation");
    if (problems.reports() != problems_before || !selection || !grid) return std::nullopt;
    if (!is_within_query(*grid, query, problems)) return std::nullopt;
    const numerics::Rational last = grid->range.exact(grid->range.count() - 1);
    use_default_length(*selection, query ? numerics::Rational(*query) : last, grid->place, problems);
    if (problems.reports() != problems_before) return std::nullopt;
    Tabulation tabulation;
    tabulation.formula.tree = along_distance(scheme::bias_formula(selection->scheme, selection->context), query);
    tabulation.formula.source = {"", selection->place};
    tabulation.grid = *grid;
    tabulation.enclosures = read_enclosures(declaration);
    return tabulation;
}

}  // namespace farfield::quantity
