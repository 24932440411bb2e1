// Estimates of the amount of work.
#pragma once

#include <farfield/formula/tree.hpp>

namespace farfield::quantity {

/// Above this number of operations in double, nothing is started: about a day of two processors.
constexpr double most_operations = 1e14;

/// The number of boxes that an estimate assumes for a search, because most searches need few (docs/scale.md).
constexpr double usual_boxes = 1000;

/// Operations for one point of a formula. A reduction's body counts once for each integer between its bounds if these
/// are numbers, and a thousand times otherwise. Parts that do not depend on the point count too.
double operations(const formula::Node& tree);

}  // namespace farfield::quantity
