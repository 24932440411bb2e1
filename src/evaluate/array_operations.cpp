#include <algorithm>
#include <cmath>
#include <limits>

#include <farfield/numerics/convolution.hpp>
#include <farfield/numerics/interval.hpp>
#include <farfield/numerics/sum.hpp>

#include "evaluate/array_work.hpp"
#include "evaluate/weights.hpp"
#include "numerics/parallel.hpp"

namespace farfield::evaluate {

namespace {

using Rows = std::vector<device::Row>;

using numerics::infinity;

constexpr std::size_t at_once = 256;
constexpr std::size_t piece_of_extremes = 65536;

/// Processes the numbers from `begin` on, one after the other.
void look_at_each(std::span<const double> x, std::size_t begin, Extremes& found) {
    for (std::size_t i = begin; i < begin + x.size(); ++i) {
        const double value = x[i - begin];
        if (!std::isfinite(value)) {
            found.first_not_finite = std::min(found.first_not_finite, i);
            if (std::isnan(value)) found.first_nan = std::min(found.first_nan, i);
            if (value == found.least) found.at_least = std::min(found.at_least, i);
            if (value == found.greatest) found.at_greatest = std::min(found.at_greatest, i);
        }
        if (value < found.least) {
            found.least = value;
            found.at_least = i;
        }
        if (value > found.greatest) {
            found.greatest = value;
            found.at_greatest = i;
        }
    }
}

/// Whether all numbers of a block are finite and within the extremes found so far; each lane compares its own numbers.
bool changes_nothing(const double* block, const Extremes& found) {
    constexpr std::size_t lanes = 8;
    double least[lanes], greatest[lanes], zero[lanes];
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        least[lane] = greatest[lane] = block[lane];
        zero[lane] = 0;
    }
    for (std::size_t i = 0; i < at_once; i += lanes)
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const double value = block[i + lane];
            least[lane] = value < least[lane] ? value : least[lane];
            greatest[lane] = value > greatest[lane] ? value : greatest[lane];
            zero[lane] += value * 0;  // NaN if a number is not finite
        }
    bool is_within = true;
    for (std::size_t lane = 0; lane < lanes; ++lane)
        is_within = is_within && zero[lane] == 0 && least[lane] >= found.least && greatest[lane] <= found.greatest;
    return is_within;
}

Extremes extremes_of(std::span<const double> x, std::size_t begin) {
    Extremes found;
    std::size_t at = 0;
    for (; at + at_once <= x.size(); at += at_once)
        if (!changes_nothing(x.data() + at, found)) look_at_each(x.subspan(at, at_once), begin + at, found);
    look_at_each(x.subspan(at), begin + at, found);
    return found;
}

/// Combines the results of the part before and the part after.
Extremes joined(const Extremes& a, const Extremes& b) {
    Extremes both = a;
    if (b.least < a.least || a.at_least == nowhere) {
        both.least = b.least;
        both.at_least = b.at_least;
    }
    if (b.greatest > a.greatest || a.at_greatest == nowhere) {
        both.greatest = b.greatest;
        both.at_greatest = b.at_greatest;
    }
    both.first_nan = std::min(a.first_nan, b.first_nan);
    both.first_not_finite = std::min(a.first_not_finite, b.first_not_finite);
    return both;
}

Extremes extremes_on_host(std::span<const double> x) {
    std::vector<Extremes> pieces((x.size() + piece_of_extremes - 1) / piece_of_extremes);
    numerics::in_parallel(pieces.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t piece = begin; piece < end; ++piece) {
            const std::size_t from = piece * piece_of_extremes;
            pieces[piece] = extremes_of(x.subspan(from, std::min(piece_of_extremes, x.size() - from)), from);
        }
    });
    Extremes found;
    for (const Extremes& piece : pieces) found = joined(found, piece);
    return found;
}

Steps steps_on_host(std::span<const double> x) {
    Steps found;
    numerics::Accumulator variation;
    for (std::size_t i = 0; i + 1 < x.size(); ++i) {
        const double step = x[i] == x[i + 1] ? 0 : x[i + 1] - x[i];
        variation.add(std::abs(step));
        if (step < 0) ++found.falls;
        if (!(step > 0)) continue;
        if (found.rises == 0) found.first_rise = i;
        ++found.rises;
        found.largest_rise = std::max(found.largest_rise, step);
    }
    found.variation = variation.total();
    return found;
}

Softmax softmax_on_host(std::span<const double> x, bool with_sums) {
    std::vector<double> weights(x.size());
    std::vector<double> sums(with_sums ? x.size() : 0);
    const RowSums whole = softmax_row(x, weights, sums);
    return {whole, Array(std::move(weights)), Array(std::move(sums))};
}

}  // namespace

Extremes extremes(const Array& x) {
    return folded(
        x, [](Operations& operations, const device::Row& row) { return operations.extremes(row); }, extremes_on_host);
}

std::size_t first_nan(const Array& x) {
    return folded(
        x,
        [](Operations& operations, const device::Row& row) {
            return std::min(operations.extremes(row).first_nan, row.count);
        },
        [](std::span<const double> numbers) { return first_nan(numbers); });
}

std::size_t first_not_finite(const Array& x) {
    // A range with two finite ends is finite.
    if (const std::optional<Range> range = x.range();
        range && std::isfinite(range->from) && std::isfinite(range->at(range->count)))
        return x.size();
    return folded(
        x,
        [](Operations& operations, const device::Row& row) {
            return std::min(operations.extremes(row).first_not_finite, row.count);
        },
        [](std::span<const double> numbers) {
            const auto bad = std::find_if(numbers.begin(), numbers.end(), [](double n) { return !std::isfinite(n); });
            return static_cast<std::size_t>(bad - numbers.begin());
        });
}

std::size_t first_above(const Array& x, double limit) {
    return folded(
        x, [&](Operations& operations, const device::Row& row) { return operations.first_above(row, limit); },
        [&](std::span<const double> numbers) {
            const auto above = std::find_if(numbers.begin(), numbers.end(), [&](double n) { return n > limit; });
            return above == numbers.end() ? nowhere : static_cast<std::size_t>(above - numbers.begin());
        });
}

double sum(const Array& x) {
    return folded(
        x, [](Operations& operations, const device::Row& row) { return operations.sum(row); },
        [](std::span<const double> numbers) { return numerics::compensated_sum(numbers); });
}

Steps steps(const Array& x) {
    return folded(
        x,
        [](Operations& operations, const device::Row& row) {
            const device::Steps found = operations.steps(row);
            return Steps{found.rises, found.falls, found.first_rise, found.largest_rise, found.variation.total()};
        },
        steps_on_host);
}

RowSums sum_row(const Array& x, double scale, double next) {
    return folded(
        x, [&](Operations& operations, const device::Row& row) { return operations.weights(row, scale, next); },
        [&](std::span<const double> numbers) { return sum_row(numbers, scale, next); });
}

Softmax softmax(const Array& x) {
    if (!x.is_on_device()) return softmax_on_host(x.here(), false);
    const RowSums whole = sum_row(x, 1, -infinity);
    return {whole,
            made(
                {x},
                [&](Operations& operations, const Rows& rows, double* result) {
                    operations.share_out(rows[0], whole.shift, 1 / whole.total, result);
                },
                [](const std::vector<Array>& arrays) {
                    std::vector<double> weights(arrays[0].size());
                    softmax_row(arrays[0].here(), weights, {});
                    return weights;
                }),
            {}};
}

Softmax softmax_with_sums(const Array& x) {
    if (!x.is_on_device()) return softmax_on_host(x.here(), true);
    Softmax found = softmax(x);
    found.sums = running_sums(found.row);
    return found;
}

Array running_sums(const Array& x) {
    return made(
        {x}, [](Operations& operations, const Rows& rows, double* result) { operations.running_sums(rows[0], result); },
        [](const std::vector<Array>& arrays) {
            std::vector<double> sums(arrays[0].size());
            running_sums(arrays[0].here(), sums);
            return sums;
        });
}

Array mix(const Array& x, double factor, double first) {
    return made({x}, [=](Operations& operations, const Rows& rows, double* result) {
        operations.mix(rows[0], factor, first, result);
    });
}

Array subtract(const Array& a, const Array& b) {
    return made({a, b}, [](Operations& operations, const Rows& rows, double* result) {
        operations.subtract(rows[0], rows[1], result);
    });
}

Array convolve(const Array& a, const Array& b) {
    return made(
        {a, b},
        [](Operations& operations, const Rows& rows, double* result) { operations.convolve(rows[0], rows[1], result); },
        [](const std::vector<Array>& arrays) { return numerics::convolve(arrays[0].here(), arrays[1].here()); });
}

Array mean_of_rows(const std::vector<Array>& rows) {
    return made(rows, [](Operations& operations, const Rows& all, double* result) { operations.mean(all, result); });
}

namespace {

void unite(Store& store, Operations& operations, const std::vector<std::uint64_t>& set,
           const std::vector<long long>& shifts, std::vector<std::uint64_t>& united) {
    const Memory from = copied(store, set);
    const Memory by = copied(store, shifts);
    const Memory to(store, std::max<std::size_t>(set.size(), 1) * sizeof(std::uint64_t));
    operations.unite_shifted(from.as<std::uint64_t>(), set.size(), by.as<long long>(), shifts.size(),
                             to.as<std::uint64_t>());
    store.copy_out(united.data(), to.pointer(), united.size() * sizeof(std::uint64_t));
}

}  // namespace

std::vector<std::uint64_t> united_shifts(const std::vector<std::uint64_t>& set, const std::vector<long long>& shifts) {
    std::vector<std::uint64_t> united(set.size());
    Device* const device = OnDevice::current();
    const bool is_done = device != nullptr && device->operate(set.size() * shifts.size(), [&](Workplace& place) {
        unite(place.store(), place.operations(), set, shifts, united);
    });
    if (is_done) return united;
    HostStore store;
    unite(store, *host_operations(store, nullptr), set, shifts, united);
    return united;
}

}  // namespace farfield::evaluate
