// The operators over blocks of lanes, compiled once for each vector width and chosen at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <farfield/formula/tree.hpp>

namespace farfield::evaluate {

/// Lanes run in multiples of this: the widest vector has as many floats.
constexpr std::size_t lane_multiple = 16;

/// How many rows operators.def has, reductions included.
constexpr std::size_t operator_count = 0
#define OPERATOR(name, spelling, fixity, precedence, result, arguments, latex, meaning) +1
#define REDUCTION(name, spelling, type, empty, latex, meaning) +1
#include <farfield/formula/operators.def>
#undef OPERATOR
#undef REDUCTION
    ;

/// A condition of one lane: all bits set or none, as wide as the lane's number.
template <class Real>
using Mask = std::conditional_t<sizeof(Real) == 8, std::int64_t, std::int32_t>;

/// out = op(a, b, c) lane by lane, `lanes` a multiple of lane_multiple. Reals are Real, conditions Mask<Real>. `out`
/// may be one of the operands.
using BlockFunction = void (*)(void* out, const void* a, const void* b, const void* c, std::size_t lanes);

/// Which operands of a binary operator are one value for all lanes.
enum Uniform : std::size_t { none = 0, first = 1, second = 2 };
constexpr std::size_t uniform_variants = 3;

/// out = left right, all row-major but that `right` stands in panels: all rows of its first panel_columns columns, then
/// of the next. Of its right_rows rows the first `inner` are used. `columns` is a multiple of panel_columns. Each
/// number is one chain of fused additions from the first row of `right` to the last.
template <class Real>
struct Product {
    const Real* left;  ///< [rows, inner]
    std::size_t rows;
    std::size_t inner;
    const Real* right;  ///< [columns/panel_columns, right_rows, panel_columns]
    std::size_t right_rows;
    std::size_t columns;
    Real* out;  ///< [rows, columns]
};

/// Sums over weights: of w_i, of w_i^2, and of w_i (w_i - w_(i+1)).
struct WeightSums {
    double total = 0;
    double squares = 0;
    double falls = 0;
};

/// Softmax and what is made of it, `lanes` a multiple of lane_multiple.
struct WeightFunctions {
    /// out[i] = exp(scale x[i] - shift), which must not be above 1: within 2 ulp, NaN for NaN.
    void (*weigh)(double* out, const double* x, double scale, double shift, std::size_t lanes);
    /// The largest scale x[i].
    double (*largest)(const double* x, double scale, std::size_t lanes);
    /// Of weights[0..lanes-1], reading weights[lanes] too. Each sum is 16 sums side by side, put together in order.
    WeightSums (*sums)(const double* weights, std::size_t lanes);
};

template <class Real>
struct Kernel {
    const char* name;
    BlockFunction functions[operator_count][uniform_variants];  ///< [operator][which operand is uniform]
    /// out[i] = from + step * (index + i), computed in double.
    void (*range)(Real* out, double from, double step, double index, std::size_t lanes);
    std::size_t panel_columns;
    void (*multiply)(const Product<Real>& product);
    WeightFunctions weights;  ///< in double only

    BlockFunction at(formula::Op op, Uniform uniform) const { return functions[static_cast<std::size_t>(op)][uniform]; }
};

/// The kernels that this processor runs, the widest first; all agree to the stated accuracy, not to the last digit.
template <class Real>
std::span<const Kernel<Real>* const> kernels();

}  // namespace farfield::evaluate
