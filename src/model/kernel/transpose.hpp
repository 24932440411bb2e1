// Permutations of lanes within a vector, and transposition of a matrix. Only for kernel.cpp.
#pragma once

#include <utility>

#include "evaluate/kernel/vector.hpp"
#include "model/kernel/kernels.hpp"

namespace farfield::model {
namespace {

using evaluate::broadcast;
using evaluate::load;
using evaluate::store;
using evaluate::Vector;
using evaluate::width;

/// x with lanes i and i ^ step exchanged.
template <std::size_t step, class Real, std::size_t... lanes>
Vector<Real> exchanged(Vector<Real> x, std::index_sequence<lanes...>) {
    return __builtin_shufflevector(x, x, (lanes ^ step)...);
}

template <std::size_t step, class Real>
Vector<Real> exchanged(Vector<Real> x) {
    return exchanged<step, Real>(x, std::make_index_sequence<width<Real>>{});
}

/// The upper of two rows after its lanes whose number contains `step` were exchanged with the lower row's lanes whose
/// number does not.
template <std::size_t step, class Real, std::size_t... lanes>
Vector<Real> upper_of(Vector<Real> upper, Vector<Real> lower, std::index_sequence<lanes...>) {
    return __builtin_shufflevector(upper, lower, ((lanes & step) != 0 ? width<Real> + (lanes ^ step) : lanes)...);
}
template <std::size_t step, class Real, std::size_t... lanes>
Vector<Real> lower_of(Vector<Real> upper, Vector<Real> lower, std::index_sequence<lanes...>) {
    return __builtin_shufflevector(upper, lower, ((lanes & step) != 0 ? width<Real> + lanes : lanes ^ step)...);
}

/// Transposes by exchanging blocks of step x step numbers, then smaller ones.
template <class Real, std::size_t step = width<Real> / 2>
inline void transpose_square(Vector<Real> (&rows)[width<Real>]) {
    if constexpr (step > 0) {
        constexpr auto lanes = std::make_index_sequence<width<Real>>{};
#pragma GCC unroll 16
        for (std::size_t r = 0; r < width<Real>; ++r) {
            if ((r & step) != 0) continue;
            const Vector<Real> upper = rows[r];
            const Vector<Real> lower = rows[r + step];
            rows[r] = upper_of<step, Real>(upper, lower, lanes);
            rows[r + step] = lower_of<step, Real>(upper, lower, lanes);
        }
        transpose_square<Real, step / 2>(rows);
    }
}

template <class Real>
void transpose_rows(const Real* from, std::size_t rows, std::size_t columns, std::size_t from_row, Real* to,
                    std::size_t to_row) {
    constexpr std::size_t size = width<Real>;
    const std::size_t whole_rows = rows / size * size;
    const std::size_t whole_columns = columns / size * size;
    for (std::size_t m = 0; m < whole_rows; m += size) {
        for (std::size_t j = 0; j < whole_columns; j += size) {
            Vector<Real> square[size];
#pragma GCC unroll 16
            for (std::size_t r = 0; r < size; ++r) square[r] = load(from + (m + r) * from_row + j);
            transpose_square<Real>(square);
#pragma GCC unroll 16
            for (std::size_t r = 0; r < size; ++r) store<Real>(to + (j + r) * to_row + m, square[r]);
        }
    }
    for (std::size_t j = 0; j < columns; ++j) {
        for (std::size_t m = j < whole_columns ? whole_rows : 0; m < rows; ++m) {
            to[j * to_row + m] = from[m * from_row + j];
        }
    }
}

/// See Kernels::transpose.
template <class Real>
void transpose_tiles(const HeadRows<const Real>& from, std::size_t begin, std::size_t end, std::size_t columns,
                     Real* to) {
    while (begin < end) {
        const std::size_t tile = begin / key_tile;
        const std::size_t last = (tile + 1) * key_tile < end ? (tile + 1) * key_tile : end;
        transpose_rows(from[begin], last - begin, columns, from.step, to + tile * columns * key_tile + begin % key_tile,
                       key_tile);
        begin = last;
    }
}

}  // namespace
}  // namespace farfield::model
