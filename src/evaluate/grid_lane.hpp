// An exact grid as an input of programs over doubles.
#pragma once

#include <optional>
#include <span>

#include <farfield/evaluate/array.hpp>

#include "numerics/progression.hpp"

namespace farfield::evaluate {

/// The grid as a range, if from + step * index is computed without error; otherwise nothing (for steps of 0.1).
std::optional<Range> range_of(const numerics::Progression& grid);

/// The grid as a range if possible, otherwise its `points`, which must outlive the lane.
Lane lane_of(const numerics::Progression& grid, std::span<const double> points);

/// The grid as a range if possible, otherwise as stored values.
Array array_of(const numerics::Progression& grid);

}  // namespace farfield::evaluate
