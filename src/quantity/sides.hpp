// Finds on which side of zero a formula of one variable is, stretch by stretch.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

#include <farfield/core/table.hpp>
#include <farfield/formula/tree.hpp>

#include "quantity/boxes.hpp"

namespace farfield::quantity {

enum class Side { below, on, above, unknown };

/// A stretch of the variable: reals, or indexes of a grid. At every value of it, the formula is on that side, or zero
/// if the part is not strict; it is then strictly on that side in a neighbouring part. For an unknown part, the most
/// changes of side in it or at its ends are known.
struct SidePart {
    static constexpr double unlimited = std::numeric_limits<double>::infinity();

    core::Enclosure where;
    Side side = Side::unknown;
    bool is_strict = true;
    double most_changes = 0;
};

/// The parts that the domain, of one dimension, consists of, in its order. The formula must have a value on all of it.
/// Boxes are halved until the formula's enclosure has one sign. Where the formula is monotone, by the sign of its slope
/// or by its operators, the change of sign is found by bisection instead, down to two neighbouring doubles or values of
/// the grid. Single values are decided with up to 1024 bits, and by algebra if they are zero. Stops after `most` boxes,
/// or when interrupted; the remaining boxes are unknown.
std::vector<SidePart> find_sides(const formula::Node& tree, const Domain& domain, std::size_t most,
                                 const std::function<bool()>& interrupted);

/// The side that an enclosure is on.
Side side_of(const core::Enclosure& value);

}  // namespace farfield::quantity
