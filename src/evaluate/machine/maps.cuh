// Operations on each number of a row, or on each short part of it, independently of the others.
#pragma once

#include "evaluate/machine/row.cuh"

namespace farfield::device {

/// out_i = exp(x_i - shift) share: the softmax of a row if the sum of exp(x_i - shift) is 1/share.
struct ShareOut {
    Row x;
    double shift;
    double share;
    double* out;

    FARFIELD_BOTH void operator()(std::size_t i) const {
        const double logit = x.at(i);
        out[i] = logit == -infinite() ? 0 : ::exp(logit - shift) * share;
    }
};

/// out_i = factor x_i, plus `first` at index 0: a layer with a residual connection.
struct Mix {
    Row x;
    double factor;
    double first;
    double* out;

    FARFIELD_BOTH void operator()(std::size_t i) const { out[i] = x.at(i) * factor + (i == 0 ? first : 0); }
};

/// out_i = a_i - b_i.
struct Subtract {
    Row a;
    Row b;
    double* out;

    FARFIELD_BOTH void operator()(std::size_t i) const { out[i] = a.at(i) - b.at(i); }
};

/// The mean of rows, added up in their order.
struct Mean {
    const Row* rows;
    std::size_t count;
    double* out;

    FARFIELD_BOTH void operator()(std::size_t i) const {
        double sum = 0;
        for (std::size_t j = 0; j < count; ++j) sum += rows[j].at(i);
        out[i] = sum / static_cast<double>(count);
    }
};

/// The number of consecutive numbers (a stretch) that one thread adds up for running sums.
constexpr std::size_t numbers_a_stretch = 16;

struct SumStretches {
    Row x;
    double* out;

    FARFIELD_BOTH void operator()(std::size_t stretch) const {
        const std::size_t first = stretch * numbers_a_stretch;
        double sum = 0;
        for (std::size_t i = first; i < first + numbers_a_stretch && i < x.count; ++i) sum += x.at(i);
        out[stretch] = sum;
    }
};

/// The running sums of each stretch, added to the sum of all numbers before it. With `is_before`, a running sum does
/// not include the number at its own index.
struct RunOn {
    Row x;
    const double* before;  ///< one sum for each stretch
    bool is_before;
    double* out;

    FARFIELD_BOTH void operator()(std::size_t stretch) const {
        const std::size_t first = stretch * numbers_a_stretch;
        double sum = 0;
        for (std::size_t i = first; i < first + numbers_a_stretch && i < x.count; ++i) {
            const double number = x.at(i);
            if (is_before) out[i] = before[stretch] + sum;
            sum += number;
            if (!is_before) out[i] = before[stretch] + sum;
        }
    }
};

/// The number of matrix cells that one thread writes, and the distance between them. Adjacent threads write adjacent
/// cells.
constexpr std::size_t cells_a_thread = 8;
constexpr std::size_t cells_apart = 256;

/// out[head, q, k] from biases by distance: row q is the part of `by_distance` [heads, 2 length - 1] that begins at
/// length - 1 - q. Distances decrease along it.
struct SpreadDistances {
    const double* by_distance;
    std::size_t length;
    std::size_t cells;
    double* out;

    static constexpr std::size_t threads(std::size_t count) {
        const std::size_t tile = cells_apart * cells_a_thread;
        return (count + tile - 1) / tile * cells_apart;
    }
    FARFIELD_BOTH void operator()(std::size_t thread) const {
        std::size_t cell = thread / cells_apart * cells_apart * cells_a_thread + thread % cells_apart;
        // Divisions are slow, so they compute only the first cell's position.
        std::size_t key = cell % length;
        std::size_t query = cell / length % length;
        const double* row = by_distance + cell / length / length * (2 * length - 1) + length - 1 - query;
        for (std::size_t i = 0; i < cells_a_thread && cell < cells; ++i, cell += cells_apart) {
            out[cell] = row[key];
            for (key += cells_apart; key >= length; key -= length) {
                row = query + 1 < length ? row - 1 : row + 3 * length - 2;
                query = query + 1 < length ? query + 1 : 0;
            }
        }
    }
};

/// Word w of the union of a set of integers, 64 a word, moved up by each of the shifts; bits that leave the words are
/// lost.
struct UniteShifted {
    const std::uint64_t* set;
    std::size_t words;
    const long long* shifts;
    std::size_t count;
    std::uint64_t* out;

    FARFIELD_BOTH void operator()(std::size_t word) const {
        std::uint64_t united = 0;
        for (std::size_t i = 0; i < count; ++i) {
            // Rounds down, so that the remaining shift is from 0 to 63 bits up.
            const long long whole = shifts[i] >> 6;
            const unsigned bits = static_cast<unsigned>(shifts[i] & 63);
            const long long from = static_cast<long long>(word) - whole;
            united |= at(from) << bits;
            if (bits != 0) united |= at(from - 1) >> (64 - bits);
        }
        out[word] = united;
    }

private:
    FARFIELD_BOTH std::uint64_t at(long long word) const {
        return word >= 0 && word < static_cast<long long>(words) ? set[word] : 0;
    }
};

/// A row followed by zeros.
struct Pad {
    Row x;
    double* out;

    FARFIELD_BOTH void operator()(std::size_t i) const { out[i] = i < x.count ? x.at(i) : 0; }
};

struct Complex {
    double real;
    double imaginary;
};

/// a_i = a_i b_i scale.
struct MultiplySpectra {
    Complex* a;
    const Complex* b;
    double scale;

    FARFIELD_BOTH void operator()(std::size_t i) const {
        const Complex x = a[i];
        const Complex y = b[i];
        a[i] = {(x.real * y.real - x.imaginary * y.imaginary) * scale,
                (x.real * y.imaginary + x.imaginary * y.real) * scale};
    }
};

/// Sets numbers that are below zero because of rounding to zero.
struct NotBelowZero {
    const double* x;
    double* out;

    FARFIELD_BOTH void operator()(std::size_t i) const { out[i] = x[i] > 0 ? x[i] : 0; }
};

}  // namespace farfield::device
