// Boxes of variables and their subdivision.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <farfield/core/table.hpp>

#include "quantity/grid.hpp"

namespace farfield::quantity {

/// One variable: all reals of a stretch, or the values of a grid alone.
struct Dimension {
    std::string variable;
    bool is_grid = false;
    evaluate::Range grid;       ///< of a grid
    core::Enclosure stretch{};  ///< of a stretch
};

/// For each dimension a part of it: reals, or of a grid the indexes from lo to hi.
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
    /// The values of a side: of a grid from the value at index lo to that at index hi.
    core::Enclosure values(const Box& box, std::size_t dimension) const;
    /// Both halves across a dimension; a grid is cut between two indexes. Nothing if it cannot be cut: one value is
    /// left, or two neighbouring doubles.
    std::vector<Box> halves(const Box& box, std::size_t dimension) const;
    /// The halves across the side that is widest as a share of its dimension; a point has none.
    std::vector<Box> halves(const Box& box) const;
    bool is_point(const Box& box) const;
    /// The middle of the box, of a grid one of its indexes.
    Box centre(const Box& box) const;
    /// "x = 3, n in [4, 5]".
    std::string text(const Box& box) const;

private:
    double share(const Box& box, std::size_t dimension) const;

    std::vector<Dimension> dimensions_;
};

/// Whether a condition holds on all of a box, on none of it, or is not known to do either.
enum class Answer { no, yes, unknown };

/// Where a condition holds first.
struct First {
    std::optional<Box> found;       ///< the first box, in the order of the first dimension, on all of which it holds
    std::optional<Box> unresolved;  ///< the first box left of that on which nothing could be decided
    bool is_certain() const { return !unresolved; }
};

/// Halves boxes, the leftmost first, until the condition is decided on all that lie before the first on which it holds.
/// `answers_of` maps boxes to answers. Stops after `most` boxes, or when interrupted, with what is left as unresolved.
First find_first(const Domain& domain, std::size_t most, const std::function<bool()>& interrupted,
                 const std::function<std::vector<Answer>(const std::vector<Box>&)>& answers_of);

}  // namespace farfield::quantity
