// Finds rows that have the same values at every point although they are in loops that vary.
#pragma once

#include <cstdint>
#include <vector>

#include <farfield/formula/program.hpp>

namespace farfield::evaluate {

/// For each row, whether it depends only on the variables of loops whose iterations are the same at every point. Its
/// values at one point, in the order of execution, are then its values at all points. Of such a loop, only the
/// loop_begin is marked.
std::vector<std::uint8_t> rows_alike_at_every_point(const formula::Program& program);

}  // namespace farfield::evaluate
