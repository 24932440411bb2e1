// Compiled once for each vector width, with FARFIELD_KERNEL naming the namespace. Nothing in this file may be shared
// between widths, so it calls no function of another header except those of C.
#include "evaluate/kernel/kernel.hpp"

#include "evaluate/kernel/lanes.hpp"
#include "evaluate/kernel/variants.hpp"
#include "evaluate/kernel/weights.hpp"
#include "evaluate/shape.hpp"

namespace farfield::evaluate {
namespace {

template <class Function, class To, class A>
void over_one(void* out, const void* a, const void*, const void*, std::size_t lanes) {
    const auto* const from = static_cast<const A*>(a);
    auto* const to = static_cast<To*>(out);
    for (std::size_t i = 0; i < lanes; i += width<To>) store<To>(to + i, Function{}(load(from + i)));
}

template <class Function, class To, class A>
void over_two(void* out, const void* a, const void* b, const void*, std::size_t lanes) {
    const auto* const left = static_cast<const A*>(a);
    const auto* const right = static_cast<const A*>(b);
    auto* const to = static_cast<To*>(out);
    for (std::size_t i = 0; i < lanes; i += width<To>) store<To>(to + i, Function{}(load(left + i), load(right + i)));
}

template <class Function, class To, class A>
void first_uniform(void* out, const void* a, const void* b, const void*, std::size_t lanes) {
    const Vector<A> left = broadcast(*static_cast<const A*>(a));
    const auto* const right = static_cast<const A*>(b);
    auto* const to = static_cast<To*>(out);
    for (std::size_t i = 0; i < lanes; i += width<To>) store<To>(to + i, Function{}(left, load(right + i)));
}

template <class Function, class To, class A>
void second_uniform(void* out, const void* a, const void* b, const void*, std::size_t lanes) {
    const auto* const left = static_cast<const A*>(a);
    const Vector<A> right = broadcast(*static_cast<const A*>(b));
    auto* const to = static_cast<To*>(out);
    for (std::size_t i = 0; i < lanes; i += width<To>) store<To>(to + i, Function{}(load(left + i), right));
}

template <class Function, class To, class A, class B>
void over_three(void* out, const void* a, const void* b, const void* c, std::size_t lanes) {
    const auto* const x = static_cast<const A*>(a);
    const auto* const y = static_cast<const B*>(b);
    const auto* const z = static_cast<const B*>(c);
    auto* const to = static_cast<To*>(out);
    for (std::size_t i = 0; i < lanes; i += width<To>) {
        store<To>(to + i, Function{}(load(x + i), load(y + i), load(z + i)));
    }
}

template <class Real, Shape shape, class Function>
constexpr void fill(BlockFunction (&variants)[uniform_variants], Function) {
    using To = std::conditional_t<is_boolean(shape), Mask<Real>, Real>;
    constexpr bool from_conditions = shape == Shape::b_b || shape == Shape::b_bb;
    using From = std::conditional_t<from_conditions, Mask<Real>, Real>;
    if constexpr (arity(shape) == 1) variants[Uniform::none] = over_one<Function, To, From>;
    if constexpr (arity(shape) == 2) {
        variants[Uniform::none] = over_two<Function, To, From>;
        variants[Uniform::first] = first_uniform<Function, To, From>;
        variants[Uniform::second] = second_uniform<Function, To, From>;
    }
    if constexpr (shape == Shape::r_rrr) variants[Uniform::none] = over_three<Function, Real, Real, Real>;
    if constexpr (shape == Shape::r_brr) variants[Uniform::none] = over_three<Function, Real, Mask<Real>, Real>;
}

// Powers with the same exponent in all lanes. Common exponents need no logarithm, and have as many roundings as pow.
template <class Real, class Function>
void map(Real* to, const Real* from, std::size_t lanes, Function function) {
    for (std::size_t i = 0; i < lanes; i += width<Real>) store<Real>(to + i, function(load(from + i)));
}

template <class Real>
Vector<Real> root_as_power(Vector<Real> x) {
    using V = Vector<Real>;
    // pow(-0, 0.5) is 0 and pow(-inf, 0.5) is inf, whereas the root of -0 is -0 and that of -inf is NaN.
    return x == -Lanes<Real>::infinity ? V{} + Lanes<Real>::infinity : root_of(x) + Real{0};
}

template <class Real>
void uniform_exponent(void* out, const void* a, const void* b, const void*, std::size_t lanes) {
    using V = Vector<Real>;
    const auto* const from = static_cast<const Real*>(a);
    auto* const to = static_cast<Real*>(out);
    const Real exponent = *static_cast<const Real*>(b);
    if (exponent == 1) return map(to, from, lanes, [](V x) { return x; });
    if (exponent == 2) return map(to, from, lanes, [](V x) { return x * x; });
    if (exponent == 3) return map(to, from, lanes, [](V x) { return x * x * x; });
    if (exponent == -1) return map(to, from, lanes, [](V x) { return Real{1} / x; });
    if (exponent == Real{0.5}) return map(to, from, lanes, [](V x) { return root_as_power<Real>(x); });
    const V power = broadcast(exponent);
    map(to, from, lanes, [power](V x) { return Lanes<Real>::power(x, power); });
}

template <class Real>
void uniform_base(void* out, const void* a, const void* b, const void*, std::size_t lanes) {
    using V = Vector<Real>;
    const auto* const from = static_cast<const Real*>(b);
    auto* const to = static_cast<Real*>(out);
    const Real base = *static_cast<const Real*>(a);
    if (base == 2) return map(to, from, lanes, [](V x) { return exp2_of(x); });
    const V bases = broadcast(base);
    map(to, from, lanes, [bases](V x) { return Lanes<Real>::power(bases, x); });
}

// Division by the same number in all lanes, correctly rounded.
template <class Real>
void uniform_divisor(void* out, const void* a, const void* b, const void* c, std::size_t lanes) {
#if defined(FARFIELD_FUSED)
    if constexpr (std::is_same_v<Real, double>) {
        const double one = *static_cast<const double*>(b);
        if (UsualDivisor::is_usual(one)) {
            const UsualDivisor divisor(one);
            const Doubles plain = broadcast(one);
            return map(static_cast<double*>(out), static_cast<const double*>(a), lanes,
                       [&](Doubles x) { return UsualDivisor::are_usual(x) ? divisor.divide(x) : x / plain; });
        }
    }
#endif
    const auto divide = [](auto x, auto y) { return x / y; };
    second_uniform<decltype(divide), Real, Real>(out, a, b, c, lanes);
}

template <class Real>
void range(Real* out, double from, double step, double index, std::size_t lanes) {
    for (std::size_t i = 0; i < lanes; ++i) {
        out[i] = static_cast<Real>(from + step * (index + static_cast<double>(static_cast<std::int64_t>(i))));
    }
}

constexpr std::size_t tile_vectors = 2;

// A tile of the product stays in registers during the loop over `inner`.
template <class Real, std::size_t rows>
void multiply_tile(const Real* left, const Real* panel, std::size_t inner, Real* out, std::size_t stride) {
    constexpr std::size_t panel_columns = tile_vectors * width<Real>;
    Vector<Real> sums[rows][tile_vectors] = {};
    for (std::size_t k = 0; k < inner; ++k) {
        const Vector<Real> first = load(panel + k * panel_columns);
        const Vector<Real> second = load(panel + k * panel_columns + width<Real>);
        for (std::size_t row = 0; row < rows; ++row) {
            const Vector<Real> factor = broadcast(left[row * inner + k]);
            sums[row][0] = fused(factor, first, sums[row][0]);
            sums[row][1] = fused(factor, second, sums[row][1]);
        }
    }
    for (std::size_t row = 0; row < rows; ++row) {
        store<Real>(out + row * stride, sums[row][0]);
        store<Real>(out + row * stride + width<Real>, sums[row][1]);
    }
}

template <class Real>
void multiply(const Product<Real>& product) {
    constexpr std::size_t panel_columns = tile_vectors * width<Real>;
    for (std::size_t column = 0; column < product.columns; column += panel_columns) {
        const Real* const panel = product.right + column * product.right_rows;
        std::size_t row = 0;
        for (; row + tile_rows <= product.rows; row += tile_rows) {
            multiply_tile<Real, tile_rows>(product.left + row * product.inner, panel, product.inner,
                                           product.out + row * product.columns + column, product.columns);
        }
        for (; row < product.rows; ++row) {
            multiply_tile<Real, 1>(product.left + row * product.inner, panel, product.inner,
                                   product.out + row * product.columns + column, product.columns);
        }
    }
}

template <class Real>
constexpr Kernel<Real> make_kernel() {
    Kernel<Real> kernel{kernel_name, {}, range<Real>, tile_vectors * width<Real>, multiply<Real>, {}};
    if constexpr (std::is_same_v<Real, double>)
        kernel.weights = {ends_of, sum_weights, share_out, stream, fence_stores};
#define OPERATOR(name, spelling, fixity, precedence, result, arguments, latex, meaning) \
    fill<Real, shape_of(formula::Type::result, arguments)>(                             \
        kernel.functions[static_cast<std::size_t>(formula::Op::name)],                  \
        [](auto... values) { return Lanes<Real>::name(values...); });
#define REDUCTION(name, spelling, type, empty, latex, meaning)                \
    fill<Real, shape_of(formula::Type::type, #type[0] == 'r' ? "rr" : "bb")>( \
        kernel.functions[static_cast<std::size_t>(formula::Op::name)],        \
        [](auto... values) { return Lanes<Real>::name(values...); });
#include <farfield/formula/operators.def>
#undef OPERATOR
#undef REDUCTION
    auto& power = kernel.functions[static_cast<std::size_t>(formula::Op::power)];
    power[Uniform::first] = uniform_base<Real>;
    power[Uniform::second] = uniform_exponent<Real>;
    kernel.functions[static_cast<std::size_t>(formula::Op::divide)][Uniform::second] = uniform_divisor<Real>;
    return kernel;
}

constexpr Kernel<double> kernel_of_doubles = make_kernel<double>();
constexpr Kernel<float> kernel_of_floats = make_kernel<float>();

}  // namespace

namespace FARFIELD_KERNEL {

const Kernel<double>& kernel(double) {
    return kernel_of_doubles;
}
const Kernel<float>& kernel(float) {
    return kernel_of_floats;
}

}  // namespace FARFIELD_KERNEL
}  // namespace farfield::evaluate
