// Boxes of variables, and a formula enclosed over them: what proofs by subdivision are made of.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <farfield/core/table.hpp>
#include <farfield/evaluate/enclose.hpp>
#include <farfield/formula/program.hpp>
#include <farfield/formula/tree.hpp>

#include "quantity/grid.hpp"

namespace farfield::quantity {

/// One variable: all reals of a stretch, or the values of a grid alone.
struct Dimension {
    std::string variable;
    bool is_grid = false;
    numerics::Progression grid = {};  ///< of a grid
    core::Enclosure stretch = {};     ///< holds the stretch
    numerics::Rational lo = 0;        ///< the stretch's exact ends
    numerics::Rational hi = 0;
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
    /// Holds the values of a side: of a grid from the value at index lo to that at index hi. A decimal is rounded
    /// outward, so that a point of a grid has width.
    core::Enclosure values(const Box& box, std::size_t dimension) const;
    /// What the end of a side stands for, without error: of a grid the value at that index, of a stretch its own
    /// decimal where the end is the whole stretch's. exact_node() makes it a formula.
    numerics::Rational exact(std::size_t dimension, double end) const;
    /// The exact values of a box that is a point, to be put into a formula.
    std::vector<formula::Replacement> exact_point(const Box& point) const;
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

/// A formula whose free names are a domain's variables, ready to be enclosed.
class BoxFunction {
public:
    BoxFunction(const formula::Node& tree, const Domain& domain);

    /// An enclosure of all values on each box; the whole line where the formula may be undefined.
    std::vector<core::Enclosure> over(const std::vector<Box>& boxes, evaluate::Enclosing how) const;
    std::vector<evaluate::Truth> decide(const std::vector<Box>& boxes, evaluate::Enclosing how) const;

private:
    evaluate::EnclosedInputs inputs(const std::vector<Box>& boxes) const;

    const Domain& domain_;
    formula::Program program_;
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

/// The first variable where `first` was found; it holds the lower end of the first box left unresolved before that.
core::Cell cell_of(const Domain& domain, const First& first);

/// Whether nothing is known of a value.
bool is_unknown(const core::Enclosure& enclosure);

/// Whether the formula is continuous wherever it is defined, so that its derivative tells its slope: no floor, ceil,
/// round, sign, %, atan2, t5_bucket or conditional, and no reduction whose bounds hold a variable.
bool is_continuous(const formula::Node& tree, const std::vector<std::string>& variables);

}  // namespace farfield::quantity
