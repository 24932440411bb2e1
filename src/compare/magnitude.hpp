// The magnitudes relative to which the rounding errors of a formula's value are measured.
#pragma once

#include <farfield/formula/tree.hpp>

namespace farfield::compare {

/// The formula with each sum and difference replaced by the sum of its terms' magnitudes; sines and cosines by 1, or,
/// `with_angles`, by half the angle's magnitude where that is more: sixteen units of it are sixteen roundings of the
/// angle. It is at most 2^44, because sixteen units of more would allow any sine. A difference of two names (q - k) is
/// an exact integer, and its magnitude is its own.
formula::Node magnitude_of(const formula::Node& tree, bool with_angles = false);

/// The formula with x^(-y) written as 1/x^y.
formula::Node powers_as_quotients(const formula::Node& tree);

}  // namespace farfield::compare
