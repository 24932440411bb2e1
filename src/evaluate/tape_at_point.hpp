// A tape at a point, exact and rounded, by intervals of many bits.
#pragma once

#include <mpfr.h>

#include <optional>
#include <span>

#include <farfield/evaluate/rounding_error.hpp>

#include "evaluate/tape.hpp"
#include "numerics/mpfi_value.hpp"

namespace farfield::evaluate {

inline constexpr long bits_at_point = 256;

/// The nearest number of the format, fp64 among them.
double nearest_in(const numerics::Format& format, mpfr_srcptr value);

/// Of an operator that rounds, to what.
std::optional<numerics::Format> format_of(formula::Op op);

/// The number that a literal or constant is.
numerics::MpfiValue constant_of(const Operation& operation);

/// What RoundingError::at() gives.
RoundingError::AtPoint at_point(const Tape& tape, const RoundingModel& model, std::span<const double> point);

}  // namespace farfield::evaluate
