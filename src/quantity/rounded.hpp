// A formula of one variable whose exactly computed value is rounded once to a number format, or whose every operation
// is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <farfield/numerics/format.hpp>

#include "quantity/box_function.hpp"
#include "quantity/selection.hpp"

namespace farfield::quantity {

/// What range and collision ask about.
struct RoundedFormula {
    Checked formula;
    Over over;  ///< one variable
    const numerics::Format* format = nullptr;
    bool is_stepwise = false;
    std::size_t boxes = 0;  ///< most that are looked at

    /// The variable's grid; null if it is a stretch of reals.
    const numerics::Progression* grid() const { return over.grids.empty() ? nullptr : &over.grids.front().range; }
    std::string variable() const { return over.variables().front(); }
    double cost() const;
};

inline constexpr core::Key format_key = {.name = "format",
                                         .type = core::KeyType::text,
                                         .required = true,
                                         .meaning = "the number format: fp32, fp16, bf16, e4m3, e5m2"};

/// The format under `format`; an unknown one is a problem.
const numerics::Format* read_format(const Declaration& declaration, core::Problems& problems);

/// Keys over, format, stepwise, boxes.
std::span<const core::Key> rounded_keys();

/// Reads formula, over, format, stepwise and boxes. Where the formula may be missing, it is the variable itself.
std::optional<RoundedFormula> read_rounded(const Declaration& declaration, bool may_be_missing,
                                           core::Problems& problems);

/// A note of where the formula is not shown to have a value; nothing if it has one everywhere, or if every operation is
/// rounded: then infinities and NaN are values.
std::optional<std::string> place_without_value(const RoundedFormula& formula, const Inputs& inputs);

/// How large a number is in a format.
enum class Size { zero, subnormal, normal, overflow };
Size size_of(const numerics::Format& format, double magnitude);

/// The least and the largest magnitude of a value known so; [0, inf] if nothing is known.
core::Enclosure magnitudes(const core::Enclosure& value);

/// What may happen to a value in a format: it is not a finite number of it; it is not zero and becomes zero; its
/// magnitude lies below the smallest normal number.
enum class Event { overflow, underflow, subnormal };

/// Whether it happens to all, to none or to some of the values of an enclosure.
Answer judge(Event event, const numerics::Format& format, const core::Enclosure& value);

/// Distance from a number of the format of this magnitude to the next one up; of an overflow, infinite.
double spacing(const numerics::Format& format, double magnitude);

/// The values at grid indexes first .. first + count - 1 with every operation rounded; exact by definition.
std::vector<double> stepwise_values(const RoundedFormula& formula, std::size_t first, std::size_t count);

/// A value that stepwise_values() led to: exact, save in fp32, whose functions are within 2 units of the last place.
core::Cell stepwise_cell(const RoundedFormula& formula, const numerics::Rational& value);

}  // namespace farfield::quantity
