// A row of numbers in the memory of the host or device, and the results of folds over it.
#pragma once

#include <cstddef>
#include <cstdint>

#include <farfield/evaluate/array_folds.hpp>
#include <farfield/evaluate/cuda/functions.cuh>
#include <farfield/numerics/double_double.hpp>

namespace farfield::device {

/// Numbers in the memory of the host or device or, if `values` is null, numbers of a range, whose index counts from
/// `first`.
struct Row {
    const double* values = nullptr;
    std::size_t count = 0;
    double from = 0;
    double step = 0;
    std::size_t first = 0;

    FARFIELD_BOTH double at(std::size_t index) const {
        return values != nullptr ? values[index] : from + step * static_cast<double>(first + index);
    }

    /// Reads the numbers index .. index + most - 1, an even count, in aligned pairs if possible.
    template <std::size_t most>
    FARFIELD_BOTH void read(std::size_t index, double* numbers) const {
        struct alignas(16) Pair {
            double one;
            double two;
        };
        const double* const start = values + index;
        if (values != nullptr && reinterpret_cast<std::size_t>(start) % sizeof(Pair) == 0) {
            const auto* const pairs = reinterpret_cast<const Pair*>(start);
            for (std::size_t i = 0; i < most / 2; ++i) {
                const Pair pair = pairs[i];
                numbers[2 * i] = pair.one;
                numbers[2 * i + 1] = pair.two;
            }
        } else {
            for (std::size_t i = 0; i < most; ++i) numbers[i] = at(index + i);
        }
    }
};

using evaluate::Extremes;
using evaluate::nowhere;
using evaluate::RowSums;
using Sum = numerics::Accumulator;

/// How a row changes from number to number.
struct Steps {
    std::size_t rises = 0;
    std::size_t falls = 0;
    std::size_t first_rise = nowhere;  ///< the index of the number before the first rise
    double largest_rise = 0;
    Sum variation;
};

/// Results over residuals r and data y with weights w: sum w r^2, sum w (y - centre)^2, and for the points of positive
/// weight the largest |r| and their number.
struct Residuals {
    Sum squares;
    Sum spread;
    double largest = 0;
    std::size_t points = 0;
};

/// The most rows whose products one fold sums.
constexpr unsigned most_factors = 8;

constexpr unsigned pairs_of(unsigned rows) {
    return rows * (rows + 1) / 2;
}

/// Rows whose weighted products are summed. An offset is subtracted from one of them.
struct Factors {
    Row rows[most_factors];
    unsigned count = 0;
    unsigned data = most_factors;  ///< the one with an offset, if any
    Row offset;                    ///< 0 if empty
    Row weights;                   ///< 1 if empty
};

/// The data of a fit, without its parameters and columns.
struct FitData {
    Row data;
    Row offset;   ///< 0 if empty
    Row weights;  ///< 1 if empty

    FARFIELD_BOTH double weight(std::size_t i) const { return weights.count != 0 ? weights.at(i) : 1; }
    /// The data minus the offset.
    FARFIELD_BOTH double wanted(std::size_t i) const {
        return offset.count != 0 ? data.at(i) - offset.at(i) : data.at(i);
    }
};

/// Columns and their parameters, passed to a kernel by value.
struct FewColumns {
    static constexpr std::size_t most = 6;
    Row rows[most];
    double parameters[most] = {};
    std::size_t count = 0;

    /// The number at `index` minus the model.
    FARFIELD_BOTH double residual(double number, std::size_t index) const {
        // Unrolled, because a row with a run-time index would be read from local memory.
        FARFIELD_UNROLLED
        for (std::size_t j = 0; j < most; ++j)
            if (j < count) number -= parameters[j] * rows[j].at(index);
        return number;
    }
};

/// Any number of columns and their parameters, in the memory of the host or device.
struct ManyColumns {
    const Row* rows = nullptr;
    const double* parameters = nullptr;
    std::size_t count = 0;

    FARFIELD_BOTH double residual(double number, std::size_t index) const {
        for (std::size_t j = 0; j < count; ++j) number -= parameters[j] * rows[j].at(index);
        return number;
    }
};

}  // namespace farfield::device
