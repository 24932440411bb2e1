// Enclosures of sums of waves over many integers, by angle addition.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include <farfield/core/table.hpp>
#include <farfield/evaluate/evaluate.hpp>
#include <farfield/formula/program.hpp>

namespace farfield::evaluate {

/// Encloses f(n) = sum_m A_m cos(w_m n + p_m) at every n of a range of integers below 2^53, for a real program of one
/// varying input that has this form: sums, differences and products of sines and cosines of expressions affine in n,
/// with coefficients of any kind, and reductions with constant bounds. The program must have a value at each n.
/// Encloses nothing if the program has another form, more than 4096 waves, or coefficients without narrow enclosures.
///
/// A_m, w_m/(2 pi) and p_m/(2 pi) are enclosed by MPFI at 256 bits, and angles are added as multiples of 2^-128 of a
/// turn. With n = a K + b, f(n) = sum_m A_m (cos(w_m a K + p_m) cos(w_m b) - sin(w_m a K + p_m) sin(w_m b)), a product
/// of two matrices of sines and cosines. Each entry is within 2^-48 of the true one (evaluate/turn_table.hpp proves
/// 2^-51; frequencies and phases add less than 2^-56), the product of 2 M terms adds (4 M + 8) 2^-53, and the rounding
/// of the ends adds 2^-51. Therefore enclosures extend by (4.5 2^-48 + (4 M + 12) 2^-53) sum_m |A_m| to each side.
///
/// Calls `visit` for the pieces of the range, with the index of the piece's first value. Calls are concurrent, on
/// several threads, and in no fixed order. Returns false if nothing is enclosed.
bool enclose_waves(const formula::Program& program, const Range& range,
                   const std::function<void(std::size_t first, std::span<const core::Enclosure>)>& visit);

}  // namespace farfield::evaluate
