#include "report/thin.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

namespace farfield::report {
namespace {

/// Marks the rows of [first, last) that must be kept for one column.
void keep_extremes(std::span<const double> values, std::size_t first, std::size_t last,
                   std::vector<std::size_t>& kept) {
    std::size_t least = last, greatest = last, gap = last;
    double low = 0, high = 0;
    for (std::size_t row = first; row < last; ++row) {
        const double value = values[row];
        if (std::isnan(value)) {
            if (gap == last) gap = row;
            continue;
        }
        if (least == last || value < low) {
            least = row;
            low = value;
        }
        if (greatest == last || value > high) {
            greatest = row;
            high = value;
        }
    }
    for (const std::size_t row : {least, greatest, gap}) {
        if (row != last) kept.push_back(row);
    }
}

/// Rows from `first` to below `last`.
struct Rows {
    std::size_t first = 0, last = 0;

    std::size_t count() const { return last - first; }
};

/// The rows of lines that are at least partly between the ends of the axis.
Rows shown_rows(const core::Series& series, const Thinning& thinning) {
    const std::span<const double> x = series.columns.front().values.here();
    if (series.variables != 1 || !(std::isfinite(thinning.from) || std::isfinite(thinning.to))) return {0, x.size()};
    const auto is_shown = [&](std::size_t row) {
        const double next = x[std::min(row + 1, x.size() - 1)];
        return std::min(x[row], next) <= thinning.to && std::max(x[row], next) >= thinning.from;
    };
    Rows rows = {0, x.size()};
    while (rows.first < rows.last && !is_shown(rows.first)) ++rows.first;
    while (rows.first < rows.last && !is_shown(rows.last - 1)) --rows.last;
    if (rows.first < rows.last) rows.last = std::min(rows.last + 1, x.size());
    return rows;
}

/// The start of each stretch of the rows, and the end of the last.
std::vector<std::size_t> stretches(const core::Series& series, const Rows& rows, bool log_x, std::size_t count) {
    const std::span<const double> x = series.columns.front().values.here();
    const auto along = [&](std::size_t row) { return log_x ? std::log(x[row]) : x[row]; };
    std::size_t begin = rows.first;
    while (log_x && begin < rows.last && !(x[begin] > 0)) ++begin;
    const auto is_sorted = [&] { return series.columns.front().steps || std::is_sorted(x.begin(), x.end()); };
    const bool by_row = series.variables != 1 || begin == rows.last || !is_sorted() || !std::isfinite(along(begin)) ||
                        !std::isfinite(along(rows.last - 1)) || !(along(rows.last - 1) > along(begin));
    const double from = by_row ? 0 : along(begin);
    const double width = by_row ? 0 : along(rows.last - 1) - from;
    const auto stretch_of = [&](std::size_t row) -> std::size_t {
        if (by_row) return (row - rows.first) * count / rows.count();
        if (row <= begin) return 0;
        return std::min(count - 1, static_cast<std::size_t>((along(row) - from) / width * static_cast<double>(count)));
    };
    // Rows of one stretch are contiguous; only logarithms may be out of order by a rounding.
    std::vector<std::size_t> starts = {rows.first};
    while (starts.back() < rows.last) {
        const std::size_t first = starts.back();
        const std::size_t here = stretch_of(first);
        std::size_t last = first + 1;
        if (log_x) {
            while (last < rows.last && stretch_of(last) == here) ++last;
        } else {
            std::size_t step = 1;
            while (last + step < rows.last && stretch_of(last + step) == here) {
                last += step;
                step *= 2;
            }
            std::size_t end = std::min(rows.last, last + step);
            while (last < end) {
                const std::size_t middle = last + (end - last) / 2;
                if (stretch_of(middle) == here)
                    last = middle + 1;
                else
                    end = middle;
            }
        }
        starts.push_back(last);
    }
    return starts;
}

}  // namespace

std::vector<std::size_t> thin_rows(const core::Series& series, const Thinning& thinning) {
    const Rows rows = shown_rows(series, thinning);
    std::vector<std::size_t> kept(rows.count() <= thinning.most ? rows.count() : 0);
    std::iota(kept.begin(), kept.end(), rows.first);
    if (rows.count() <= thinning.most) return kept;
    std::vector<std::size_t> columns = thinning.columns;
    for (std::size_t c = series.variables; thinning.columns.empty() && c < series.columns.size(); ++c)
        columns.push_back(c);
    // Two rows per column and stretch; gaps are rare.
    const std::size_t count =
        std::max<std::size_t>(1, (thinning.most - 2) / (2 * std::max<std::size_t>(1, columns.size())));
    const std::vector<std::size_t> starts = stretches(series, rows, thinning.log_x, count);
    kept = {rows.first, rows.last - 1};
    for (std::size_t at = 0; at + 1 < starts.size(); ++at) {
        for (const std::size_t column : columns)
            keep_extremes(series.columns[column].values.here(), starts[at], starts[at + 1], kept);
    }
    std::sort(kept.begin(), kept.end());
    kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
    return kept;
}

}  // namespace farfield::report
