// A curve that is either that of another quantity, or a formula of this quantity over a grid.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "quantity/series_input.hpp"
#include "quantity/tabulate.hpp"

namespace farfield::quantity {

/// The source of the points.
struct CurveInput {
    std::variant<Of, Tabulation> source;
    std::optional<Limits> limits;

    std::vector<std::string> needs() const;
    double cost() const;
};

/// The curve of `of`, or of a formula (or a scheme's bias) over `over` or `distances`, restricted to `range`.
std::optional<CurveInput> read_curve_input(const Declaration& declaration, core::Problems& problems);

/// Reports keys of an own curve that are given together with `of`, and keys of a curve in steps that are given together
/// with reals.
void refuse_beside_of(const Declaration& declaration, core::Problems& problems);
void refuse_beside_reals(const Declaration& declaration, core::Problems& problems);

/// The grid of `distances` (of n) or of `over` (of the one variable it names); exactly one of them must be given.
std::optional<Grid> read_variable(const Declaration& declaration, core::Problems& problems);

/// A formula over read_variable(), or a scheme's bias over `distances`; the keys are `scheme` or `formula`.
std::optional<Tabulation> read_tabulation(const Declaration& declaration, core::Problems& problems);

/// Calls `use` with the curve; `use` must not keep it.
template <class Use>
void with_curve(const Inputs& inputs, const CurveInput& input, Use use) {
    if (const Of* of = std::get_if<Of>(&input.source)) {
        use(view_of(inputs, *of, input.limits));
        return;
    }
    const Tabulation& tabulation = std::get<Tabulation>(input.source);
    const core::Series series = tabulate(tabulation);
    use(view_of(series, tabulation.formula.source.at, input.limits));
}

/// Keys of read_curve_input.
inline constexpr core::Key of_key = {.name = "of",
                                     .type = core::KeyType::text,
                                     .meaning = "a quantity that is a curve, in place of a scheme or a formula"};
inline constexpr core::Key over_key = {.name = "over",
                                       .type = core::KeyType::table,
                                       .unit = "{ x = { from, to, step } }",
                                       .meaning = "the variable of the formula and its values, both ends included"};
inline constexpr core::Key distances_key = {.name = "distances",
                                            .type = core::KeyType::table,
                                            .unit = "{ from, to, step }",
                                            .meaning = "values of n, both ends included"};
inline constexpr core::Key range_key = {.name = "range",
                                        .type = core::KeyType::table,
                                        .unit = "{ from, to }",
                                        .fallback = "the whole curve",
                                        .meaning = "which points are used, both ends included"};

}  // namespace farfield::quantity
