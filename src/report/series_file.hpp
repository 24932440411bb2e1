// The files of a quantity's series.
#pragma once

#include <cstddef>
#include <farfield/core/table.hpp>
#include <functional>
#include <string>
#include <string_view>

namespace farfield::report {

/// Series with more rows are written as .npy, together with a thinned CSV.
inline constexpr std::size_t most_csv_rows = 100'000;

/// "row.csv", or "row.npy" for a long series.
std::string series_file(const core::Result& quantity);

/// "row.csv", which accompanies "row.npy" of a long series; empty for others.
std::string thinned_file(const core::Result& quantity);

/// Writes the series, a piece at a time, as NumPy's .npy: one record per row, with one little-endian double per column
/// under the column's name. Read it with numpy.load(file)["column"]. Source: the NumPy Enhancement Proposal 1 (format
/// 1.0, 3.0 for names beyond Latin letters).
void write_series_npy(const core::Series& series, const std::function<void(std::string_view)>& write);

/// The rows of the series that thin_rows keeps, as CSV.
std::string thinned_csv(const core::Series& series);

}  // namespace farfield::report
