// The series of another quantity, as a kind with `of` reads it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <farfield/core/table.hpp>
#include <farfield/evaluate/array.hpp>
#include <farfield/quantity/kind.hpp>

#include "quantity/grid.hpp"

namespace farfield::quantity {

/// A quantity named by a key of another.
struct Of {
    std::string name;
    core::Place place;
};

/// The name under `key`; reports one that the study does not have, or the quantity itself. Nothing if the key is
/// missing.
std::optional<Of> read_of(const Declaration& declaration, core::Problems& problems, std::string_view key = "of");

/// A variable of a view beside its points: a column of a table.
struct Predictor {
    std::string name;
    evaluate::Array values;
    std::vector<core::Enclosure> enclosures;  ///< one for each value
};

/// The points of a curve, its values and, where known, their enclosures.
struct View {
    std::string variable;
    evaluate::Array points;
    evaluate::Array values;
    std::span<const core::Enclosure> enclosures;  ///< empty, or one for each value
    core::Rigour rigour = core::Rigour::none;
    std::optional<numerics::Progression> grid = {};  ///< the points without error, where they are a grid
    std::string formula = {};                        ///< over the variable, of the values; empty if none is known
    std::vector<Predictor> predictors = {};          ///< of a table's row

    /// A point without error: its own double where they are no grid.
    std::vector<std::string> variables() const;
    core::Enclosure enclosed_point(std::size_t index) const;
    core::Cell exact_point(std::size_t index) const;
    /// The true value of a point, where it is known to be rational.
    std::optional<numerics::Rational> exact_value(std::size_t index) const;
};

/// The curve that `of` gave, cut to `limits`. Throws core::UserError at `of` if it gave none or nothing is left.
View view_of(const Inputs& inputs, const Of& of, const std::optional<Limits>& limits = std::nullopt);

/// The same of a series at hand.
View view_of(const core::Series& series, const core::Place& place, const std::optional<Limits>& limits = std::nullopt);

}  // namespace farfield::quantity
