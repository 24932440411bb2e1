#include "evaluate/grid_lane.hpp"

namespace farfield::evaluate {

std::optional<Range> range_of(const numerics::Progression& grid) {
    if (!grid.is_exact_in_doubles()) return std::nullopt;
    return Range{grid.at(0), numerics::nearest(grid.step()), grid.count()};
}

Lane lane_of(const numerics::Progression& grid, std::span<const double> points) {
    if (const std::optional<Range> range = range_of(grid)) return *range;
    return points;
}

Array array_of(const numerics::Progression& grid) {
    const std::optional<Range> range = range_of(grid);
    return range ? Array(*range) : Array(grid.points());
}

}  // namespace farfield::evaluate
