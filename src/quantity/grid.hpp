// Ranges of a variable: distances, over, range.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <farfield/core/table.hpp>
#include <farfield/formula/tree.hpp>
#include <farfield/quantity/kind.hpp>

#include "numerics/progression.hpp"

namespace farfield::quantity {

/// The values of one variable: from, from + step, ..., the last at most `to`, all exact.
struct Grid {
    std::string variable;
    numerics::Progression range;
    core::Place place;
};

/// A closed interval [lo, hi] of the reals between two decimals, called a stretch.
struct Stretch {
    std::string variable;
    core::Enclosure ends;  ///< contains the stretch; a decimal end is rounded outward
    numerics::Rational lo;
    numerics::Rational hi;
    core::Place place;
};

/// A table { from, to, step } of numbers: `from` 0 and `step` 1 if missing. Reports unknown keys, an empty range, a
/// step that is not positive, and ends that are not finite.
std::optional<Grid> read_grid(const core::Value& value, std::string variable, core::Problems& problems);

/// `distances`, of the variable n. With `required`, reports a missing key at the heading.
std::optional<Grid> read_distances(const Declaration& declaration, bool required, core::Problems& problems);

/// `over = { x = ... }` as written: each variable a grid { from, to, step } or a stretch [lo, hi], in the order of the
/// file.
struct Over {
    std::vector<Grid> grids;
    std::vector<Stretch> stretches;

    std::vector<std::string> variables() const;
};
std::optional<Over> read_over(const Declaration& declaration, core::Problems& problems);

/// `range = { from, to }`: the rows of a series that are used, including both ends.
struct Limits {
    numerics::Rational from;
    numerics::Rational to;
    core::Place place;
};
std::optional<Limits> read_limits(const Declaration& declaration, std::string_view key, core::Problems& problems);
/// The problem of limits that extend beyond the first or the last point of a variable.
std::optional<core::Diagnostic> find_beyond(const Limits& limits, std::string_view variable,
                                            const numerics::Rational& first, const numerics::Rational& last);

/// The exact value of a number of the file. Nothing for inf and nan.
std::optional<numerics::Rational> exact_number(const core::Value& number);

/// An exact number as a cell, as an enclosure and as a formula.
core::Cell exact_cell(const numerics::Rational& value);
core::Enclosure enclosure_of(const numerics::Rational& value);
formula::Node exact_node(const numerics::Rational& value);

/// The grid's values as coordinates of a series.
core::Column coordinates(std::string name, const numerics::Progression& grid);

}  // namespace farfield::quantity
