// A formula of one variable in a number format: its exact value is rounded once, or every operation is rounded.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <farfield/numerics/format.hpp>

#include "quantity/box_function.hpp"
#include "quantity/selection.hpp"

namespace farfield::quantity {

/// The common settings of `range` and `collision`.
struct RoundedFormula {
    Checked formula;
    Over over;  ///< one variable
    const numerics::Format* format = nullptr;
    bool is_stepwise = false;
    std::size_t boxes = 0;  ///< the most boxes that are examined

    /// The grid of the variable; null if it is a stretch of reals.
    const numerics::Progression* grid() const { return over.grids.empty() ? nullptr : &over.grids.front().range; }
    std::string variable() const { return over.variables().front(); }
    double cost() const;
};

inline constexpr core::Key format_key = {.name = "format",
                                         .type = core::KeyType::text,
                                         .required = true,
                                         .meaning = "the number format: fp32, fp16, bf16, e4m3, e5m2"};

/// The format of the key `format`; an unknown one is a problem.
const numerics::Format* read_format(const Declaration& declaration, core::Problems& problems);

/// Keys over, format, stepwise, boxes.
std::span<const core::Key> rounded_keys();

/// Reads formula, over, format, stepwise and boxes. If the formula may be missing, its default is the variable itself.
std::optional<RoundedFormula> read_rounded(const Declaration& declaration, bool may_be_missing,
                                           core::Problems& problems);

/// A note about a place where the formula is not proved to have a value. Nothing if it has a value everywhere, or if
/// every operation is rounded, because then infinities and NaN are values.
std::optional<std::string> place_without_value(const RoundedFormula& formula, const Inputs& inputs);

/// Reports variables of which no value is a number of the format. Of a long grid, only the first values are examined.
void require_numbers_of(const numerics::Format& format, const Declaration& declaration, const Over& over,
                        core::Problems& problems);

/// The size class of a number in a format.
enum class Size { zero, subnormal, normal, overflow };
Size size_of(const numerics::Format& format, double magnitude);

/// The smallest and the largest magnitude of a value with this enclosure; [0, inf] if nothing is known.
core::Enclosure magnitudes(const core::Enclosure& value);

/// The events of a value in a format: it is not a finite number of the format; it is not zero and becomes zero; its
/// magnitude is below the smallest normal number.
enum class Event { overflow, underflow, subnormal };

/// Whether the event happens to all, none or some of the values of an enclosure.
Answer judge(Event event, const numerics::Format& format, const core::Enclosure& value);

/// The distance from a number of the format of this magnitude to the next larger one; infinite for an overflow.
double spacing(const numerics::Format& format, double magnitude);

/// The values at grid indexes first .. first + count - 1 with every operation rounded; exact by definition.
std::vector<double> stepwise_values(const RoundedFormula& formula, std::size_t first, std::size_t count);

/// The cell of a value of stepwise_values(): exact, except in fp32, whose functions are within 2 units in the last
/// place.
core::Cell stepwise_cell(const RoundedFormula& formula, const numerics::Rational& value);

}  // namespace farfield::quantity
