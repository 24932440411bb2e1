// Fewer rows of a long series, with nothing that sticks out lost.
#pragma once

#include <cstddef>
#include <farfield/core/table.hpp>
#include <vector>

namespace farfield::report {

struct Thinning {
    std::size_t most = 4000;           ///< rows to keep at most (a few more if the series has very many columns)
    bool log_x = false;                ///< stretches of equal width on a logarithmic axis
    std::vector<std::size_t> columns;  ///< the columns that count; empty: all but the variables
};

/// Which rows to keep, ascending. The axis of the first column is cut into stretches of equal width; of each stretch
/// the rows with the least and the greatest value of each column stay, and a row without a value (NaN), so that neither
/// a peak nor a gap is lost. First and last row stay. A series that is short enough stays whole.
/// A series of two variables is cut by row number.
std::vector<std::size_t> thin_rows(const core::Series& series, const Thinning& thinning);

}  // namespace farfield::report
