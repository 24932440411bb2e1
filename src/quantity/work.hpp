// How much there is to compute.
#pragma once

#include <farfield/formula/tree.hpp>

namespace farfield::quantity {

/// Operations of a double above which nothing is begun: about a day of two processors.
constexpr double most_operations = 1e14;

/// Boxes that estimates count of a search, which mostly decides after few (docs/scale.md).
constexpr double usual_boxes = 1000;

/// Operations that one point of a formula takes, a reduction's body once for each integer between its bounds where
/// these are numbers (and a thousand times where they are not). What does not depend on the point is counted all the
/// same.
double operations(const formula::Node& tree);

}  // namespace farfield::quantity
