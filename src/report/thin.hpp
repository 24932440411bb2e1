// Selects fewer rows of a long series without losing extremes.
#pragma once

#include <cstddef>
#include <farfield/core/table.hpp>
#include <limits>
#include <vector>

namespace farfield::report {

struct Thinning {
    std::size_t most = 4000;           ///< rows to keep at most (a few more if the series has very many columns)
    bool log_x = false;                ///< stretches of equal width on a logarithmic axis
    std::vector<std::size_t> columns;  ///< the columns that count; empty: all except the variables
    /// The ends of the axis. Rows outside are dropped, except those to which a line leads from inside or across.
    double from = -std::numeric_limits<double>::infinity();
    double to = std::numeric_limits<double>::infinity();
};

/// The rows to keep, in ascending order. The axis of the first column is divided into stretches of equal width. For
/// each stretch, the rows with the smallest and the largest value of each column are kept, and a row without a value
/// (NaN), so that neither a peak nor a gap is lost. The first and the last row are kept. Rows that are few enough are
/// all kept. A series of two variables is divided by row number.
std::vector<std::size_t> thin_rows(const core::Series& series, const Thinning& thinning);

}  // namespace farfield::report
