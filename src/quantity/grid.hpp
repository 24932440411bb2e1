// Stretches of a variable: distances, over, range.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <farfield/evaluate/evaluate.hpp>
#include <farfield/quantity/kind.hpp>

namespace farfield::quantity {

/// The values of one variable: from, from + step, ..., the last at most `to`.
struct Grid {
    std::string variable;
    evaluate::Range range;
    core::Place place;
};

/// A closed stretch [lo, hi] of the reals.
struct Stretch {
    std::string variable;
    core::Enclosure ends;
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

/// `range = { from, to }`: which rows of a series are used, ends included.
struct Limits {
    double from;
    double to;
};
std::optional<Limits> read_limits(const Declaration& declaration, std::string_view key, core::Problems& problems);

/// The values of a grid, stored.
std::vector<double> points_of(const evaluate::Range& range);

}  // namespace farfield::quantity
