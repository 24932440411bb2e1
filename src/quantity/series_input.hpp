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

/// The quantity that `key` names. Reports an unknown name, and the name of the quantity itself. Nothing if the key is
/// missing.
std::optional<Of> read_of(const Declaration& declaration, core::Problems& problems, std::string_view key = "of");

/// An additional variable of a view: a column of a table.
struct Predictor {
    std::string name;
    evaluate::Array values;
    std::vector<core::Enclosure> enclosures;  ///< one for each value
};

/// The points of a curve, its values and, if known, their enclosures.
struct View {
    std::string variable;
    evaluate::Array points;
    evaluate::Array values;
    std::span<const core::Enclosure> enclosures;  ///< empty, or one for each value
    core::Rigour rigour = core::Rigour::none;
    std::optional<numerics::Progression> grid = {};  ///< the exact points, if they are a grid
    std::string formula = {};                        ///< the formula of the values over the variable; empty if unknown
    std::vector<Predictor> predictors = {};          ///< of a table's row

    /// The exact value of a point; its double if the points are not a grid.
    std::vector<std::string> variables() const;
    core::Enclosure enclosed_point(std::size_t index) const;
    core::Cell exact_point(std::size_t index) const;
    /// The true value at a point, if it is known to be rational.
    std::optional<numerics::Rational> exact_value(std::size_t index) const;
};

/// The curve of `of`, restricted to `limits`. Throws core::UserError at `of` if there is no curve or nothing is left.
View view_of(const Inputs& inputs, const Of& of, const std::optional<Limits>& limits = std::nullopt);

/// The same for a given series.
View view_of(const core::Series& series, const core::Place& place, const std::optional<Limits>& limits = std::nullopt);

}  // namespace farfield::quantity
