#include "quantity/scalar.hpp"

#include <fmt/format.h>

#include "quantity/evidence.hpp"
#include "quantity/selection.hpp"
#include "quantity/tabulate.hpp"
#include "quantity/work.hpp"

namespace farfield::quantity {

namespace {

constexpr double most_operations_of_key = 1e8;

}  // namespace

std::optional<Scalar> read_scalar(const Declaration& declaration, std::string_view key, core::Problems& problems) {
    std::optional<Checked> formula = read_formula(declaration, Formula{.key = key}, problems);
    if (!formula) return std::nullopt;
    const double work = operations(formula->tree);
    if (work > most_operations_of_key) {
        problems.add(formula->source.at, fmt::format("'{}' would take about {:.1e} operations", key, work),
                     fmt::format("at most {:.0e}: it is computed while the study is read", most_operations_of_key));
        return std::nullopt;
    }
    Grid once;
    once.range = {0, 1, 1};
    core::Evidence stated;
    state(stated, "text", formula->tree);
    const std::string text = stated.empty() ? "" : stated.facts.front().second;
    try {
        const core::Series series =
            tabulate({.formula = std::move(*formula), .grid = once, .enclosures = Enclosures::always});
        return Scalar{series.columns[1].values[0], series.columns[1].enclosures[0], text};
    } catch (const core::UserError& error) {
        problems.add(error);
        return std::nullopt;
    }
}

}  // namespace farfield::quantity
