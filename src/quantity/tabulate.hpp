// A formula over a grid, with enclosures if they are not too expensive.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <farfield/core/table.hpp>
#include <farfield/evaluate/array.hpp>
#include <farfield/evaluate/array_folds.hpp>
#include <farfield/evaluate/enclose.hpp>
#include <farfield/evaluate/number_system.hpp>
#include <farfield/numerics/interval.hpp>

#include "quantity/grid.hpp"
#include "quantity/selection.hpp"

namespace farfield::quantity {

/// Whether values carry enclosures: `automatic` up to 200,000 points and 5e7 operations.
enum class Enclosures { automatic, always, never };

inline constexpr core::Key enclosures_key = {
    .name = "enclosures",
    .type = core::KeyType::text,
    .fallback = "auto",
    .meaning = "whether values carry enclosures, on which claims are certified; auto: up to 200,000 points",
    .choices = "auto|always|never",
};

/// Reads `enclosures = "auto" | "always" | "never"`.
Enclosures read_enclosures(const Declaration& declaration);

/// The input of tabulate(): `formula` with at most one free name, grid.variable.
struct Tabulation {
    Checked formula;
    Grid grid;
    Enclosures enclosures = Enclosures::automatic;
    evaluate::NumberSystem system = {};
    formula::Node stated = {};  ///< the formula of which `formula` is a simplified form; parts of both must have values
};

/// Columns grid.variable and "value". Enclosures come from double interval arithmetic. Those wider than 1e-9 of the
/// largest magnitude are computed with 128 bits if that takes at most 3e5 operations (or with `always`). Throws
/// core::UserError at the formula's place with the first point that is NaN. `found` gets the extremes of the values.
core::Series tabulate(const Tabulation& tabulation, evaluate::Extremes* found = nullptr);

/// Operations of tabulate().
double cost_of(const Tabulation& tabulation);

/// A series with values from the caller instead of tabulate().
core::Series make_series(std::string variable, std::vector<double> points, std::vector<double> values,
                         std::vector<core::Enclosure> enclosures);

/// Replaces by (-inf, inf) the enclosures at points where a part of the formula is not proved to have a real value,
/// such as the 1/0 of tanh(1/0), which intervals of extended reals accept. A written `inf` counts as a value.
void drop_undefined(const formula::Node& formula, const formula::Signature& signature,
                    const evaluate::EnclosedInputs& inputs, std::vector<core::Enclosure>& enclosures);

/// The interval of an enclosure; undefined if the enclosure is unbounded, because the value may then not exist.
numerics::Interval interval_of(const core::Enclosure& enclosure);

/// A value with its enclosure; without one if it is unbounded or empty. An infinity without an enclosure is missing.
core::Cell cell(double number, const core::Enclosure& enclosure);

/// Whether a value is an infinity that is not shown to be one, as of 1/0 and log(0). Without enclosures, no infinity
/// is. Of masked values, an unknown -inf is a mask.
bool has_pole(const evaluate::Array& values, std::span<const core::Enclosure> enclosures, bool are_masked = false);

/// The text of a number in a message: the shortest text that reads back.
std::string text_of(double number);

}  // namespace farfield::quantity
