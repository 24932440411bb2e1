// The cells of a matrix of positions on a device.
#pragma once

#include <cstddef>
#include <optional>

#include "evaluate/array.hpp"

namespace farfield::quantity {

/// Query and key of each cell of [length, length].
struct CellsThere {
    evaluate::Array q;
    evaluate::Array k;
};

/// On the thread's device; nothing where there is none for so many cells.
std::optional<CellsThere> cells_there(std::size_t length);

/// Of the cells that are not -inf: the least and the greatest with the index where each stands first, the first and the
/// last in the order of the matrix, and how many there are.
struct VisibleCells {
    double least;
    double greatest;
    std::size_t at_least;
    std::size_t at_greatest;
    double first;
    double last;
    double count;
};

/// Of cells without NaN that a device has.
std::optional<VisibleCells> visible_there(const evaluate::Array& cells);

}  // namespace farfield::quantity
