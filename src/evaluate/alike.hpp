// Which rows have the same values at every point although they stand in loops that vary.
#pragma once

#include <cstdint>
#include <vector>

#include <farfield/formula/program.hpp>

namespace farfield::evaluate {

/// For each row whether it depends on nothing but the variables of loops that go round alike at every point: its values
/// at one point, in the order in which it is run, are its values at all. Of such a loop only the loop_begin is marked.
std::vector<std::uint8_t> rows_alike_at_every_point(const formula::Program& program);

}  // namespace farfield::evaluate
