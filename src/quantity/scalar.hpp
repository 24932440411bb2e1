// A number of the study that may be written as a formula: scale = "1/sqrt(64)".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <farfield/core/table.hpp>
#include <farfield/quantity/kind.hpp>

namespace farfield::quantity {

/// A number and an enclosure of the intended value.
struct Scalar {
    double number = 0;
    core::Enclosure enclosure;
    std::string text;  ///< the formula with names substituted
};

/// The number or formula without variables under `key`; nothing if it is missing or wrong (reported; NaN is wrong).
std::optional<Scalar> read_scalar(const Declaration& declaration, std::string_view key, core::Problems& problems);

}  // namespace farfield::quantity
