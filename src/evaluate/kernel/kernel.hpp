// The operators over blocks of lanes, compiled once for each vector width and chosen at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <farfield/formula/tree.hpp>

namespace farfield::evaluate {

/// Numbers of lanes are multiples of this, the number of floats in the widest vector.
constexpr std::size_t lane_multiple = 16;

/// The number of rows of operators.def, including reductions.
constexpr std::size_t operator_count = std::size({
#define OPERATOR(name, spelling, fixity, precedence, result, arguments, latex, meaning) formula::Op::name,
#define REDUCTION(name, spelling, type, empty, latex, meaning) formula::Op::name,
#define CHOICE(name, ...) formula::Op::name,
#define INTEGRAL(name, ...) formula::Op::name,
#include <farfield/formula/operators.def>
#undef OPERATOR
#undef REDUCTION
});

/// A condition of one lane: all bits set or none, with the width of the lane's number.
template <class Real>
using Mask = std::conditional_t<sizeof(Real) == 8, std::int64_t, std::int32_t>;

/// out = op(a, b, c) lane by lane, `lanes` a multiple of lane_multiple. Reals are Real, conditions Mask<Real>. `out`
/// may be one of the operands.
using BlockFunction = void (*)(void* out, const void* a, const void* b, const void* c, std::size_t lanes);

/// Which operands of a binary operator have the same value in all lanes.
enum Uniform : std::size_t { none = 0, first = 1, second = 2 };
constexpr std::size_t uniform_variants = 3;

/// out = left right. All are row-major, except that `right` is stored in panels: all rows of its first panel_columns
/// columns, then those of the next. The first `inner` of its right_rows rows are used. `columns` is a multiple of
/// panel_columns. Each number is one chain of fused additions from the first row of `right` to the last.
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

/// A weight's share of the total is exp(x - shift) share; `before` is the sum of the preceding shares.
struct Shares {
    double shift = 0;
    double share = 1;
    double before = 0;
};

/// The smallest and the largest number of a row; if the row contains NaN, any of the other numbers.
struct Ends {
    double least = 0;
    double most = 0;
};

/// Softmax and quantities computed from it; `lanes` is a multiple of lane_multiple. Weights exp(y) have y <= 0 and are
/// within 2 ulp; NaN gives NaN.
struct WeightFunctions {
    Ends (*ends)(const double* x, std::size_t lanes);
    /// The sums of w_i = exp(scale x[i] - shift), reading x up to x[lanes + lane_multiple - 1]; no scale x[i] of these
    /// is below `least`. Each sum consists of 16 sums side by side, which are added in order.
    WeightSums (*sums)(const double* x, double scale, double shift, double least, std::size_t lanes);
    /// out[i] and, unless null, running[i] = before + out[0] + ... + out[i]; returns the last of these.
    double (*share_out)(double* out, double* running, const double* x, const Shares& shares, std::size_t lanes);
    /// to[0..count-1] = from[0..count-1], bypassing the caches; other threads may read them after fence().
    void (*stream)(const double* from, double* to, std::size_t count);
    void (*fence)();
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

/// The kernels that this processor can run, the widest first. All agree within the stated accuracy, but not to the last
/// digit.
template <class Real>
std::span<const Kernel<Real>* const> kernels();

}  // namespace farfield::evaluate
