// Sums of waves over a range of distances, by angle addition instead of a cosine for each distance and wave.
#pragma once

#include <span>

#include <farfield/evaluate/evaluate.hpp>
#include <farfield/formula/program.hpp>

namespace farfield::evaluate {

/// f(n) = sum_m A_m exp(s_m n) cos(w_m n + p_m), at every n of a range, for any formula that can be written in this
/// form: sums, differences, products and multiples of sin, cos and exp of what is affine in n, and powers c^(affine in
/// n), where all coefficients may depend on the variables of reductions (whose bounds must not depend on n) and on
/// uniform inputs. With n = a K + b, cos(w(aK + b) + p) = cos(waK + p) cos(wb) - sin(waK + p) sin(wb), so all
/// values are one product of a (points/K x 2M) by a (2M x K) matrix, of M waves. The whole formula may have this form,
/// or parts of it outside of loops. In log(c + f(n)), f(n) g(n)/h(n) or if(f(n) > 0, a, b), the parts f, g and h are
/// computed by angle addition, block by block, and the rest like any formula.
///
/// Applied by evaluate() in double to each such part where a varying input is a range of integers below 2^53 (the first
/// that is one; 4096 points at least) and the part depends on no other, M is from 4 to 4096, finding the waves takes at
/// most an operation for each 4 points, |ln |A_m|| and ln |A_m| + s_m n are at most 600, waves die away no faster than
/// by e^9600 over the range, and the bound below is less than 1e-12 of the sum of magnitudes. Returns false, with
/// `result` untouched, where it applies to no part.
///
/// Accuracy: w_m/(2 pi) and p_m/(2 pi) are computed in 60 decimal digits from the formula's own text and kept to 2^-128
/// of a turn, so phases are reduced exactly: of each part |f - result| <= (2 M + 40 + 3 S) 2^-53 sum_m |A_m exp(s_m
/// n)|, at any |n| < 2^53, with S the lesser of 1200 and max|s_m n|, wherever that sum is above 2^-900. Of it 2 M are
/// the additions of the product, 25 the two angles and their sines and cosines, 12 the two exponentials and the
/// amplitude, 3 S the exponents, and 1 the waves left out where they are below 2^-66 of another. The digits do not
/// depend on the number of processors. Cost: 4 M operations a point, less where waves have died away, and 2 (K +
/// points/K) M sines and exponentials.
bool evaluate_linear_phase(const formula::Program& program, const Inputs& inputs, std::span<double> result);

}  // namespace farfield::evaluate
