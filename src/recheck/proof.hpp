// Statements about a formula on a domain, proved by subdivision.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "recheck/evaluator.hpp"
#include "recheck/results.hpp"

namespace farfield::recheck {

/// A variable's values: all reals of [from, to], or from, from + step, ..., `count` of them.
struct Side {
    std::string variable;
    bool is_grid = false;
    Rational from;
    Rational to;
    Rational step;
    long count = 0;

    Rational at(long index) const { return from + step * Rational(index); }
    bool contains(const Rational& value) const;
};

/// The domain of `setting.over`, or of `setting.distances` (of n).
std::vector<Side> read_sides(const Quantity& quantity);

/// A point of each side.
using Point = std::vector<Rational>;

/// "yes" if left and right have values and differ by at most the tolerance on the whole domain, "no" if they differ by
/// more at a point (`hint` is tried first), and otherwise undecided.
Truth within_tolerance(const Node& left, const Node& right, const std::vector<Side>& sides, const Rational& tolerance,
                       const std::optional<Point>& hint);

struct Direction {
    int sign;
    bool is_strict;
};

/// Whether the formula is continuous and rises (sign 1) or falls (-1) in the variable everywhere, or has the opposite
/// direction somewhere, near the value `hint` of the variable.
Truth is_monotone(const Node& formula, const std::vector<Side>& sides, const std::string& variable,
                  const Direction& direction, const std::optional<Rational>& hint);

/// The largest value of the formula times the sign, to a relative accuracy of 1e-12 if possible. With a condition, the
/// largest value where it holds; `met` is a point at which it may hold.
Number extreme(const Node& formula, const std::vector<Side>& sides, int sign, const Node& where = nullptr,
               const std::optional<Point>& met = std::nullopt);

/// The integral of the formula over a side of reals, on at most `most` parts; the whole line if the formula is not
/// proved to have a value everywhere.
Interval integral(const Node& formula, const Side& side, std::size_t most);

/// The value of the side that corresponds to a recorded double: the nearest value of a grid, or an end that is not a
/// double. Throws Unprovable outside the side.
Rational on_side(const Side& side, double number);

}  // namespace farfield::recheck
