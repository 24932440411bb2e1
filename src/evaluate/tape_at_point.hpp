// Evaluates a tape at a point, exactly and with rounding, by intervals of many bits.
#pragma once

#include <mpfr.h>

#include <optional>
#include <span>

#include <farfield/evaluate/rounding_error.hpp>

#include "evaluate/tape.hpp"
#include "numerics/mpfi_value.hpp"

namespace farfield::evaluate {

inline constexpr long bits_at_point = 256;

/// The nearest number of the format, which may be fp64.
double nearest_in(const numerics::Format& format, mpfr_srcptr value);

/// The format to which a rounding operator rounds.
std::optional<numerics::Format> format_of(formula::Op op);

/// The value of a literal or constant.
numerics::MpfiValue constant_of(const Operation& operation);

/// The result of RoundingError::at().
RoundingError::AtPoint at_point(const Tape& tape, const RoundingModel& model, std::span<const double> point);

}  // namespace farfield::evaluate
