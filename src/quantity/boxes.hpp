// Boxes of variables and their subdivision.
#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <farfield/core/table.hpp>

#include "quantity/grid.hpp"

namespace farfield::quantity {

/// One variable: all reals of a stretch, or only the values of a grid.
struct Dimension {
    std::string variable;
    bool is_grid = false;
    numerics::Progression grid = {};  ///< of a grid
    core::Enclosure stretch = {};     ///< contains the stretch
    numerics::Rational lo = 0;        ///< the stretch's exact ends
    numerics::Rational hi = 0;

    /// For a stretch, whether the number lies in it; the doubles at its ends may lie outside.
    bool holds(double number) const {
        if (stretch.lo < number && number < stretch.hi) return true;
        if (!std::isfinite(number)) return false;
        return lo <= numerics::exactly(number) && numerics::exactly(number) <= hi;
    }
};

/// For each dimension, a part of it: reals, or for a grid the indexes from lo to hi.
struct Box {
    std::vector<core::Enclosure> sides;
};

class Domain {
public:
    explicit Domain(const Over& over);
    explicit Domain(std::vector<Dimension> dimensions) : dimensions_(std::move(dimensions)) {}

    const std::vector<Dimension>& dimensions() const { return dimensions_; }
    std::vector<std::string> variables() const;
    Box whole() const;
    /// Contains the values of a side; for a grid, from the value at index lo to that at index hi. A decimal is rounded
    /// outward, so that a point of a grid has width.
    core::Enclosure values(const Box& box, std::size_t dimension) const;
    /// The exact value of the end of a side: for a grid, the value at that index; for a stretch, its own decimal if the
    /// end is that of the whole stretch. exact_node() gives it as a formula.
    numerics::Rational exact(std::size_t dimension, double end) const;
    /// The exact values of a box that is a point, as replacements for a formula.
    std::vector<formula::Replacement> exact_point(const Box& point) const;
    /// Both halves across a dimension; a grid is cut between two indexes. Nothing if it cannot be cut, because one
    /// value or two neighbouring doubles are left.
    std::vector<Box> halves(const Box& box, std::size_t dimension) const;
    /// The halves across the side that is widest as a share of its dimension; a point has none.
    std::vector<Box> halves(const Box& box) const;
    bool is_point(const Box& box) const;
    /// A point near the middle of the box; for a grid, one of its indexes. If no double of a side lies in the stretch,
    /// the side itself, between two neighbouring doubles with some point of the stretch between them.
    Box centre(const Box& box) const;
    /// "x = 3, n in [4, 5]": exact, except that ends of intervals that are long fractions are rounded outward.
    std::string text(const Box& box) const;

private:
    double share(const Box& box, std::size_t dimension) const;

    std::vector<Dimension> dimensions_;
};

/// Whether a condition holds on all of a box, on none of it, or neither is known.
enum class Answer { no, yes, unknown };

/// The first place where a condition holds.
struct First {
    std::optional<Box> found;       ///< the first box, in the order of the first dimension, on all of which it holds
    std::optional<Box> unresolved;  ///< the first box left of that on which nothing could be decided
    bool is_certain() const { return !unresolved; }
};

/// Halves boxes, the leftmost first, until the condition is decided on all boxes before the first on which it holds.
/// `answers_of` maps boxes to answers. Stops after `most` boxes, or when interrupted; the remaining boxes are
/// unresolved.
First find_first(const Domain& domain, std::size_t most, const std::function<bool()>& interrupted,
                 const std::function<std::vector<Answer>(const std::vector<Box>&)>& answers_of);

/// The first variable at the place of `first`; its enclosure contains the lower end of the first unresolved box before
/// it.
core::Cell cell_of(const Domain& domain, const First& first);

}  // namespace farfield::quantity
