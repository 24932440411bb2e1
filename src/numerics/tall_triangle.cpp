#include "numerics/tall_triangle.hpp"

#include <cmath>

#include "numerics/lanes/lanes.hpp"

namespace farfield::numerics {

void TallTriangle::add(double* block, std::size_t rows, std::size_t stride, const std::function<void()>& meanwhile) {
    const LaneFunctions& on_lanes = lane_functions();
    for (std::size_t j = 0; j < size_; ++j) {
        const double* const column = block + j * stride;
        const double below = on_lanes.dot(column, column, rows);
        meanwhile();
        if (below == 0) continue;
        double* const row = entries_.data() + j * size_;
        const double norm = std::sqrt(row[j] * row[j] + below);
        const double diagonal = row[j] > 0 ? -norm : norm;
        // The reflection I - 2 v v^T/(v^T v) with v = (row[j] - diagonal, column) leaves (diagonal, 0).
        const double head = row[j] - diagonal;
        const double twice_over_square = 2 / (head * head + below);
        row[j] = diagonal;
        for (std::size_t k = j + 1; k < size_; ++k) {
            double* const other = block + k * stride;
            const double factor = twice_over_square * (head * row[k] + on_lanes.dot(column, other, rows));
            row[k] -= factor * head;
            on_lanes.subtract(factor, column, other, rows);
            meanwhile();
        }
    }
}

}  // namespace farfield::numerics
