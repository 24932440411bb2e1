// The positions at which a rotation's angles are taken.
#pragma once

#include <optional>

#include <farfield/formula/tree.hpp>

namespace farfield::scheme {

/// The angle at position 1, as a formula of what else it depends on: of `p*base^(-2*i/d)`, `base^(-2*i/d)`.
formula::Node frequency_of(const formula::Node& angle);

/// What the frequency is multiplied by in an angle: `p - s + window` of `(p - s + window)*theta` for `theta`. It has a
/// value wherever the angle has one. Nothing if the angle is not written as such a product, or as a sum, a quotient or
/// a choice of these.
std::optional<formula::Node> position_of(const formula::Node& angle, const formula::Node& frequency);

}  // namespace farfield::scheme
