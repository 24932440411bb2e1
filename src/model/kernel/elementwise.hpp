// The operations between matrix products. Only for kernel.cpp.
#pragma once

#include "model/kernel/product.hpp"

namespace farfield::model {
namespace {

using evaluate::Mask;

template <class Real>
constexpr Real infinity = static_cast<Real>(__builtin_inf());

/// The larger, or smaller, of two numbers by the processor's instruction if it has one; the second number if one of
/// them is NaN.
#if defined(__AVX512F__)
// With a mask of all lanes, because without one g++ 12 warns about its own header.
inline Vector<float> larger(Vector<float> a, Vector<float> b) {
    return _mm512_maskz_max_ps(0xffff, a, b);
}
inline Vector<double> larger(Vector<double> a, Vector<double> b) {
    return _mm512_maskz_max_pd(0xff, a, b);
}
inline Vector<float> smaller(Vector<float> a, Vector<float> b) {
    return _mm512_maskz_min_ps(0xffff, a, b);
}
#elif defined(__AVX2__)
inline Vector<float> larger(Vector<float> a, Vector<float> b) {
    return _mm256_max_ps(a, b);
}
inline Vector<double> larger(Vector<double> a, Vector<double> b) {
    return _mm256_max_pd(a, b);
}
inline Vector<float> smaller(Vector<float> a, Vector<float> b) {
    return _mm256_min_ps(a, b);
}
#else
inline Vector<float> larger(Vector<float> a, Vector<float> b) {
    return a > b ? a : b;
}
inline Vector<double> larger(Vector<double> a, Vector<double> b) {
    return a > b ? a : b;
}
inline Vector<float> smaller(Vector<float> a, Vector<float> b) {
    return a < b ? a : b;
}
#endif

inline Vector<double> exponential(Vector<double> x) {
    return evaluate::exp_of(x);
}

/// 1/sqrt(x), where the root is rounded to Real.
inline float inverse_root(float x) {
    return 1 / __builtin_sqrtf(x);
}
inline double inverse_root(double x) {
    return 1 / __builtin_sqrt(x);
}

/// 2^i p, lane by lane, for integers i with `shifted` = i + 1.5 * 2^23. i is at least -151 with AVX-512, which rounds
/// results that are too small, and at least -126 without.
inline Vector<float> times_power_of_two(Vector<float> p, Vector<float> i, Vector<float> shifted) {
#if defined(__AVX512F__)
    (void)shifted;
    return _mm512_maskz_scalef_ps(0xffff, p, i);
#else
    (void)i;
    using I = Vector<std::int32_t>;
    const I exponent = reinterpret_cast<I>(shifted) - reinterpret_cast<I>(broadcast(12582912.0F)) + 127;
    return p * reinterpret_cast<Vector<float> >(exponent << 23);
#endif
}

/// 2^i p(r) with x = i log 2 + r; relative error below 1e-7 from -87.3 to 88, 0 from -104 down (without AVX-512 from
/// -87.3), and e^88 from 88 on. NaN passes.
inline Vector<float> exponential(Vector<float> x) {
    using V = Vector<float>;
#if defined(__AVX512F__)
    const V floor = broadcast(-104.0F);
#else
    const V floor = broadcast(-87.3F);
#endif
    const V clamped = smaller(broadcast(88.0F), larger(floor, x));
    // Adding 1.5 * 2^23 leaves the nearest integer in the low bits.
    const V magic = broadcast(12582912.0F);
    const V shifted = multiply_add(clamped, broadcast(1.44269504F), magic);
    const V whole = shifted - magic;
    V r = multiply_add(whole, broadcast(-0.693359375F), clamped);
    r = multiply_add(whole, broadcast(2.12194440e-4F), r);
    // The best polynomial of its degree, to 3.1e-9 of exp(r).
    V p = broadcast(1.3814598566e-3F);
    p = multiply_add(p, r, broadcast(8.3687169837e-3F));
    p = multiply_add(p, r, broadcast(4.1668388054e-2F));
    p = multiply_add(p, r, broadcast(1.6666520631e-1F));
    p = multiply_add(p, r, broadcast(4.9999993448e-1F));
    p = multiply_add(p * r, r, r) + 1.0F;
    const V result = times_power_of_two(p, whole, shifted);
#if defined(__AVX512F__)
    return result;
#else
    return x < floor ? V{} : result;
#endif
}

inline float exponential_of_one(float x) {
    return exponential(broadcast(x))[0];
}
inline double exponential_of_one(double x) {
    return exponential(broadcast(x))[0];
}

/// Joins the lanes of x two by two, until each lane has the result of all.
template <class Real, class Join, std::size_t step = width<Real> / 2>
Vector<Real> joined(Vector<Real> x, Join join) {
    if constexpr (step == 0) {
        return x;
    } else {
        return joined<Real, Join, step / 2>(join(x, exchanged<step, Real>(x)), join);
    }
}

template <class Real>
Real sum_of(Vector<Real> x) {
    return joined<Real>(x, [](Vector<Real> a, Vector<Real> b) { return a + b; })[0];
}

template <class Real>
Real largest_of(Vector<Real> x) {
    return joined<Real>(x, [](Vector<Real> a, Vector<Real> b) { return larger(a, b); })[0];
}

/// The sum of term(i) over [0, count), as vectors; the last terms are added singly.
template <class Real, class Wide, class Single>
Real sum_over(std::size_t count, Wide wide, Single single) {
    Vector<Real> sums{};
    std::size_t i = 0;
    for (; i + width<Real> <= count; i += width<Real>) sums += wide(i);
    Real total = sum_of<Real>(sums);
    for (; i < count; ++i) total += single(i);
    return total;
}

/// Calls work(count) with the number of vectors in a row as a constant, if it is a common one.
template <class Real, class Work>
bool with_vectors_of(std::size_t columns, Work work) {
    const auto is = [columns](std::size_t vectors) { return columns == vectors * width<Real>; };
    if (is(4)) return work(std::integral_constant<std::size_t, 4>{}), true;
    if (is(8)) return work(std::integral_constant<std::size_t, 8>{}), true;
    if (is(16)) return work(std::integral_constant<std::size_t, 16>{}), true;
    return false;
}

template <std::size_t vectors, class Real>
Vector<Real> sum_of_all(const Vector<Real> (&x)[vectors]) {
    Vector<Real> sum{};
#pragma GCC unroll 16
    for (std::size_t v = 0; v < vectors; ++v) sum += x[v];
    return joined<Real>(sum, [](Vector<Real> a, Vector<Real> b) { return a + b; });
}

/// Rows of `vectors` vectors, which stay in registers.
template <std::size_t vectors, class Real>
void normalise_short_rows(const Normalisation<Real>& task) {
    const Normalisation<Real> n = task;  // a copy, so that writes below cannot change it
    const Real share = Real{1} / static_cast<Real>(n.columns);
    for (std::size_t row = 0; row < n.rows; ++row) {
        Vector<Real> x[vectors];
        Vector<Real> squares[vectors];
        const std::size_t begin = row * n.columns;
#pragma GCC unroll 16
        for (std::size_t v = 0; v < vectors; ++v) x[v] = load(n.x + begin + v * width<Real>);
        if (n.delta != nullptr) {
#pragma GCC unroll 16
            for (std::size_t v = 0; v < vectors; ++v) {
                x[v] += load(n.delta + begin + v * width<Real>);
                store<Real>(n.sum + begin + v * width<Real>, x[v]);
            }
        }
        const Vector<Real> mean = sum_of_all<vectors, Real>(x) * share;
#pragma GCC unroll 16
        for (std::size_t v = 0; v < vectors; ++v) {
            x[v] -= mean;
            squares[v] = x[v] * x[v];
        }
        const Real inverse = inverse_root(sum_of_all<vectors, Real>(squares)[0] * share + Real(1e-5));
#pragma GCC unroll 16
        for (std::size_t v = 0; v < vectors; ++v) {
            const std::size_t i = v * width<Real>;
            store<Real>(n.y + begin + i, x[v] * inverse * load(n.weight + i) + load(n.bias + i));
        }
        n.mean[row] = mean[0];
        n.inverse[row] = inverse;
    }
}

template <class Real>
void normalise_rows(const Normalisation<Real>& task) {
    const auto in_registers = [&task](auto vectors) { normalise_short_rows<decltype(vectors)::value>(task); };
    if (with_vectors_of<Real>(task.columns, in_registers)) return;
    const Normalisation<Real> n = task;  // see above
    const Real share = Real{1} / static_cast<Real>(n.columns);
    for (std::size_t row = 0; row < n.rows; ++row) {
        const Real* x = n.x + row * n.columns;
        if (n.delta != nullptr) {
            const Real* const delta = n.delta + row * n.columns;
            Real* const sum = n.sum + row * n.columns;
            std::size_t i = 0;
            for (; i + width<Real> <= n.columns; i += width<Real>) store<Real>(sum + i, load(x + i) + load(delta + i));
            for (; i < n.columns; ++i) sum[i] = x[i] + delta[i];
            x = sum;
        }
        const Real mean =
            sum_over<Real>(
                n.columns, [&](std::size_t i) { return load(x + i); }, [&](std::size_t i) { return x[i]; }) *
            share;
        const Real squares = sum_over<Real>(
            n.columns,
            [&](std::size_t i) {
                const Vector<Real> away = load(x + i) - mean;
                return away * away;
            },
            [&](std::size_t i) { return (x[i] - mean) * (x[i] - mean); });
        const Real inverse = inverse_root(squares * share + Real(1e-5));
        Real* const y = n.y + row * n.columns;
        std::size_t i = 0;
        for (; i + width<Real> <= n.columns; i += width<Real>) {
            store<Real>(y + i, (load(x + i) - mean) * inverse * load(n.weight + i) + load(n.bias + i));
        }
        for (; i < n.columns; ++i) y[i] = (x[i] - mean) * inverse * n.weight[i] + n.bias[i];
        n.mean[row] = mean;
        n.inverse[row] = inverse;
    }
}

template <class Real>
void root_mean_square_rows(const RootMeanSquare<Real>& task) {
    const RootMeanSquare<Real> n = task;  // see normalise_short_rows
    const Real share = Real{1} / static_cast<Real>(n.columns);
    for (std::size_t row = 0; row < n.rows; ++row) {
        const Real* const x = n.x + row * n.columns;
        Real* const y = n.y + row * n.columns;
        const Real squares = sum_over<Real>(
            n.columns, [x](std::size_t i) { return load(x + i) * load(x + i); },
            [x](std::size_t i) { return x[i] * x[i]; });
        const Real inverse = inverse_root(squares * share + n.epsilon);
        std::size_t i = 0;
        for (; i + width<Real> <= n.columns; i += width<Real>) {
            store<Real>(y + i, load(x + i) * inverse * load(n.weight + i));
        }
        for (; i < n.columns; ++i) y[i] = x[i] * inverse * n.weight[i];
    }
}

/// Like normalise_rows_backward, for rows of `vectors` vectors, which stay in registers.
template <std::size_t vectors, class Real>
void normalise_short_rows_backward(const NormalisationBackward<Real>& task) {
    const NormalisationBackward<Real> n = task;  // see normalise_short_rows
    const Real share = Real{1} / static_cast<Real>(n.columns);
    for (std::size_t row = 0; row < n.rows; ++row) {
        const std::size_t begin = row * n.columns;
        const Vector<Real> mean = broadcast(n.mean[row]);
        const Real inverse = n.inverse[row];
        Vector<Real> s[vectors];
        Vector<Real> g[vectors];
        Vector<Real> gs[vectors];
#pragma GCC unroll 16
        for (std::size_t v = 0; v < vectors; ++v) {
            const std::size_t i = v * width<Real>;
            const Vector<Real> dy = load(n.dy + begin + i);
            s[v] = (load(n.x + begin + i) - mean) * inverse;
            g[v] = dy * load(n.weight + i);
            gs[v] = g[v] * s[v];
            store<Real>(n.d_weight + i, load(n.d_weight + i) + dy * s[v]);
            store<Real>(n.d_bias + i, load(n.d_bias + i) + dy);
        }
        const Vector<Real> g_mean = sum_of_all<vectors, Real>(g) * share;
        const Vector<Real> gs_mean = sum_of_all<vectors, Real>(gs) * share;
#pragma GCC unroll 16
        for (std::size_t v = 0; v < vectors; ++v) {
            const std::size_t i = v * width<Real>;
            Vector<Real> through = inverse * (g[v] - g_mean - s[v] * gs_mean);
            if (n.base != nullptr) through += load(n.base + begin + i);
            store<Real>(n.dx + begin + i, through);
        }
    }
}

/// With s = (x - mean) inverse and g = dy weight: dx = inverse (g - mean(g) - s mean(g s)).
template <class Real>
void normalise_rows_backward(const NormalisationBackward<Real>& task) {
    const auto in_registers = [&task](auto vectors) { normalise_short_rows_backward<decltype(vectors)::value>(task); };
    if (with_vectors_of<Real>(task.columns, in_registers)) return;
    const NormalisationBackward<Real> n = task;  // see normalise_short_rows
    const Real share = Real{1} / static_cast<Real>(n.columns);
    for (std::size_t row = 0; row < n.rows; ++row) {
        const Real* const x = n.x + row * n.columns;
        const Real* const dy = n.dy + row * n.columns;
        const Real mean = n.mean[row];
        const Real inverse = n.inverse[row];
        const Real g_mean = sum_over<Real>(
                                n.columns, [&](std::size_t i) { return load(dy + i) * load(n.weight + i); },
                                [&](std::size_t i) { return dy[i] * n.weight[i]; }) *
                            share;
        const Real gs_mean =
            sum_over<Real>(
                n.columns,
                [&](std::size_t i) { return load(dy + i) * load(n.weight + i) * ((load(x + i) - mean) * inverse); },
                [&](std::size_t i) { return dy[i] * n.weight[i] * ((x[i] - mean) * inverse); }) *
            share;
        Real* const dx = n.dx + row * n.columns;
        const Real* const base = n.base != nullptr ? n.base + row * n.columns : nullptr;
        const auto one = [&](auto weight, auto x_here, auto dy_here, auto& d_weight, auto& d_bias) {
            const auto s = (x_here - mean) * inverse;
            d_weight += dy_here * s;
            d_bias += dy_here;
            return inverse * (dy_here * weight - g_mean - s * gs_mean);
        };
        std::size_t i = 0;
        for (; i + width<Real> <= n.columns; i += width<Real>) {
            Vector<Real> d_weight = load(n.d_weight + i);
            Vector<Real> d_bias = load(n.d_bias + i);
            Vector<Real> through = one(load(n.weight + i), load(x + i), load(dy + i), d_weight, d_bias);
            if (base != nullptr) through += load(base + i);
            store<Real>(n.d_weight + i, d_weight);
            store<Real>(n.d_bias + i, d_bias);
            store<Real>(dx + i, through);
        }
        for (; i < n.columns; ++i) {
            const Real through = one(n.weight[i], x[i], dy[i], n.d_weight[i], n.d_bias[i]);
            dx[i] = base != nullptr ? base[i] + through : through;
        }
    }
}

/// gelu(x) = x s with s = 1/(1 + exp(-2u)), u = sqrt(2/pi)(x + 0.044715 x^3); slope = s + x s (1 - s) 2u'.
template <class Real>
Vector<Real> gelu_of(Vector<Real> x, Vector<Real>& slope) {
    constexpr Real twice = static_cast<Real>(1.5957691216057307118);
    constexpr Real cubic = static_cast<Real>(0.044715);
    const Vector<Real> square = x * x;
    const Vector<Real> minus_two_u = -twice * x * multiply_add(broadcast(cubic), square, broadcast(Real{1}));
    const Vector<Real> s = Real{1} / (Real{1} + exponential(minus_two_u));
    const Vector<Real> y = x * s;
    const Vector<Real> inner = y * multiply_add(broadcast(3 * cubic * twice), square, broadcast(twice));
    slope = multiply_add(inner, Real{1} - s, s);
    return y;
}

template <class Real>
void gelu_of_all(const Real* x, Real* y, Real* slope, std::size_t count) {
    std::size_t i = 0;
    for (; i + width<Real> <= count; i += width<Real>) {
        Vector<Real> slopes;
        store<Real>(y + i, gelu_of<Real>(load(x + i), slopes));
        if (slope != nullptr) store<Real>(slope + i, slopes);
    }
    for (; i < count; ++i) {
        Vector<Real> slopes;
        y[i] = gelu_of<Real>(broadcast(x[i]), slopes)[0];
        if (slope != nullptr) slope[i] = slopes[0];
    }
}

template <class Real>
Vector<Real> silu_of(Vector<Real> x) {
    return x / (Real{1} + exponential(-x));
}

template <class Real>
void swiglu_of_all(const Real* gate, const Real* up, Real* y, std::size_t count) {
    std::size_t i = 0;
    for (; i + width<Real> <= count; i += width<Real>) {
        store<Real>(y + i, silu_of<Real>(load(gate + i)) * load(up + i));
    }
    for (; i < count; ++i) y[i] = silu_of<Real>(broadcast(gate[i]))[0] * up[i];
}

/// Columns [column, column + vectors * width), whose sums stay in registers.
template <std::size_t vectors, class Real>
void add_some_columns(const Real* x, std::size_t rows, std::size_t columns, std::size_t column, Real* total) {
    Vector<Real> sums[vectors];
    for (std::size_t v = 0; v < vectors; ++v) sums[v] = load(total + column + v * width<Real>);
    for (std::size_t row = 0; row < rows; ++row) {
        const Real* const from = x + row * columns + column;
        for (std::size_t v = 0; v < vectors; ++v) sums[v] += load(from + v * width<Real>);
    }
    for (std::size_t v = 0; v < vectors; ++v) store<Real>(total + column + v * width<Real>, sums[v]);
}

template <class Real>
void add_columns_of(const Real* x, std::size_t rows, std::size_t columns, Real* total) {
    std::size_t column = 0;
    const auto whole = [&](auto vectors) {
        constexpr std::size_t step = decltype(vectors)::value * width<Real>;
        for (; column + step <= columns; column += step) {
            add_some_columns<decltype(vectors)::value>(x, rows, columns, column, total);
        }
    };
    whole(std::integral_constant<std::size_t, 8>{});
    whole(std::integral_constant<std::size_t, 4>{});
    whole(std::integral_constant<std::size_t, 1>{});
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t i = column; i < columns; ++i) total[i] += x[row * columns + i];
    }
}

template <class Real>
void add_parts_of(const Real* const* parts, std::size_t count, std::size_t size, Real scale, bool add, Real* total) {
    std::size_t i = 0;
    for (; i + width<Real> <= size; i += width<Real>) {
        Vector<Real> sum{};
        for (std::size_t p = 0; p < count; ++p) sum += load(parts[p] + i);
        sum *= scale;
        store<Real>(total + i, add ? load(total + i) + sum : sum);
    }
    for (; i < size; ++i) {
        Real sum = 0;
        for (std::size_t p = 0; p < count; ++p) sum += parts[p][i];
        total[i] = add ? total[i] + scale * sum : scale * sum;
    }
}

template <class Real>
Real largest_in(const Real* x, std::size_t count) {
    Vector<Real> most = broadcast(-infinity<Real>);
    std::size_t i = 0;
    for (; i + width<Real> <= count; i += width<Real>) {
        most = larger(load(x + i), most);
    }
    Real result = largest_of<Real>(most);
    for (; i < count; ++i) result = x[i] > result ? x[i] : result;
    return result;
}

/// x becomes exp(x - most); returns the sum.
template <class Real>
Real exponentials_of_block(Real* x, std::size_t count, Real most) {
    Vector<Real> sums{};
    std::size_t i = 0;
    for (; i + width<Real> <= count; i += width<Real>) {
        const Vector<Real> here = exponential(load(x + i) - most);
        store<Real>(x + i, here);
        sums += here;
    }
    Real total = sum_of<Real>(sums);
    for (; i < count; ++i) total += x[i] = exponential_of_one(x[i] - most);
    return total;
}

/// The same for any count. The sums of blocks are added in double, because a float would lose small terms.
template <class Real>
Real exponentials_in_place(Real* x, std::size_t count, Real most) {
    constexpr std::size_t block = 512;
    double total = 0;
    for (std::size_t begin = 0; begin < count; begin += block)
        total += exponentials_of_block(x + begin, count - begin < block ? count - begin : block, most);
    return static_cast<Real>(total);
}

template <class Real>
Real cross_entropy_of(Real* logits, std::size_t columns, std::size_t target, Real scale, bool backward) {
    const Real most = largest_in(logits, columns);
    const Real chosen = logits[target];
    const Real total = exponentials_in_place(logits, columns, most);
    const Real loss = static_cast<Real>(__builtin_log(static_cast<double>(total))) + most - chosen;
    if (!backward) return loss;
    const Real share = scale / total;
    for (std::size_t i = 0; i < columns; ++i) logits[i] *= share;
    logits[target] -= scale;
    return loss;
}

template <class Real>
void adam_step(const AdamStep<Real>& s, Real* w, const Real* g, Real* m, Real* v, std::size_t count) {
    std::size_t i = 0;
    const auto one = [&s](auto weight, auto gradient, auto& first, auto& second, auto root) {
        const auto scaled = s.factor * gradient;
        first = first + s.fresh1 * (scaled - first);
        second = second + s.fresh2 * (scaled * scaled - second);
        const auto step = (first * s.correction1) / (root(second * s.correction2) + s.epsilon) + s.decay * weight;
        return weight - s.rate * step;
    };
    for (; i + width<Real> <= count; i += width<Real>) {
        Vector<Real> first = load(m + i);
        Vector<Real> second = load(v + i);
        store<Real>(w + i,
                    one(load(w + i), load(g + i), first, second, [](Vector<Real> x) { return evaluate::root_of(x); }));
        store<Real>(m + i, first);
        store<Real>(v + i, second);
    }
    for (; i < count; ++i) {
        w[i] = one(w[i], g[i], m[i], v[i], [](Real x) { return evaluate::root_of(broadcast(x))[0]; });
    }
}

}  // namespace
}  // namespace farfield::model
