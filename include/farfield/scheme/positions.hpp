// The positions and frequencies in a rotation's angle.
#pragma once

#include <optional>

#include <farfield/formula/tree.hpp>

namespace farfield::scheme {

/// The frequency: the angle at position 1, as a formula of its other variables. For `p*base^(-2*i/d)` this is
/// `base^(-2*i/d)`.
formula::Node frequency_of(const formula::Node& angle);

/// The factor of the frequency in an angle: for `(p - s + window)*theta` and the frequency `theta` this is `p - s +
/// window`. The factor has a value wherever the angle has one. Nothing if the angle is not such a product, or a sum, a
/// quotient or a conditional of such products.
std::optional<formula::Node> position_of(const formula::Node& angle, const formula::Node& frequency);

}  // namespace farfield::scheme
