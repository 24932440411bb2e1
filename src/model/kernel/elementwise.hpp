// What stands between the products. Only for kernel.cpp.
#pragma once

#include "model/kernel/product.hpp"

namespace farfield::model {
namespace {

using evaluate::Mask;

template <class Real>
constexpr Real infinity = static_cast<Real>(__builtin_inf());

inline Vector<double> exponential(Vector<double> x) {
    return evaluate::exp_of(x);
}

/// 2^i p(r) with x = i log 2 + r; relative error below 2e-7; 0 below -87.3, and at most e^88.
inline Vector<float> exponential(Vector<float> x) {
    using V = Vector<float>;
    using I = Vector<std::int32_t>;
    const V floor = broadcast(-87.3F);
    const V ceiling = broadcast(88.0F);
    V clamped = x < floor ? floor : x;
    clamped = clamped > ceiling ? ceiling : clamped;
    // Adding 1.5 * 2^23 leaves the nearest integer in the low bits.
    const V magic = broadcast(12582912.0F);
    const V shifted = multiply_add(clamped, broadcast(1.44269504F), magic);
    const V whole = shifted - magic;
    V r = multiply_add(whole, broadcast(-0.693359375F), clamped);
    r = multiply_add(whole, broadcast(2.12194440e-4F), r);
    V p = broadcast(1.9875691500e-4F);
    p = multiply_add(p, r, broadcast(1.3981999507e-3F));
    p = multiply_add(p, r, broadcast(8.3334519073e-3F));
    p = multiply_add(p, r, broadcast(4.1665795894e-2F));
    p = multiply_add(p, r, broadcast(1.6666665459e-1F));
    p = multiply_add(p, r, broadcast(5.0000001201e-1F));
    p = multiply_add(p * r, r, r) + 1.0F;
    const I power = (reinterpret_cast<I>(shifted) - reinterpret_cast<I>(magic)) << 23;
    const V result = reinterpret_cast<V>(reinterpret_cast<I>(p) + power);
    // NaN passes: it is below nothing.
    return x < floor ? V{} : (x != x ? x : result);
}

inline float exponential_of_one(float x) {
    return exponential(broadcast(x))[0];
}
inline double exponential_of_one(double x) {
    return exponential(broadcast(x))[0];
}

template <class Real>
Real sum_of(Vector<Real> x) {
    Real total = 0;
    for (std::size_t i = 0; i < width<Real>; ++i) total += x[i];
    return total;
}

template <class Real>
Real largest_of(Vector<Real> x) {
    Real most = x[0];
    for (std::size_t i = 1; i < width<Real>; ++i) most = x[i] > most ? x[i] : most;
    return most;
}

/// sum of term(i) as vectors over [0, count), the last ones singly.
template <class Real, class Wide, class Single>
Real sum_over(std::size_t count, Wide wide, Single single) {
    Vector<Real> sums{};
    std::size_t i = 0;
    for (; i + width<Real> <= count; i += width<Real>) sums += wide(i);
    Real total = sum_of<Real>(sums);
    for (; i < count; ++i) total += single(i);
    return total;
}

template <class Real>
void normalise_rows(const Normalisation<Real>& n) {
    const auto count = static_cast<Real>(n.columns);
    for (std::size_t row = 0; row < n.rows; ++row) {
        const Real* x = n.x + row * n.columns;
        if (n.delta != nullptr) {
            const Real* const delta = n.delta + row * n.columns;
            Real* const sum = n.sum + row * n.columns;
            for (std::size_t i = 0; i < n.columns; ++i) sum[i] = x[i] + delta[i];
            x = sum;
        }
        const Real mean =
            sum_over<Real>(
                n.columns, [&](std::size_t i) { return load(x + i); }, [&](std::size_t i) { return x[i]; }) /
            count;
        const Real squares = sum_over<Real>(
            n.columns,
            [&](std::size_t i) {
                const Vector<Real> away = load(x + i) - mean;
                return away * away;
            },
            [&](std::size_t i) { return (x[i] - mean) * (x[i] - mean); });
        const Real variance = squares / count + Real(1e-5);
        const Real inverse = Real{1} / static_cast<Real>(__builtin_sqrt(static_cast<double>(variance)));
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

/// With s = (x - mean) inverse and g = dy weight: dx = inverse (g - mean(g) - s mean(g s)).
template <class Real>
void normalise_rows_backward(const NormalisationBackward<Real>& n) {
    const auto count = static_cast<Real>(n.columns);
    for (std::size_t row = 0; row < n.rows; ++row) {
        const Real* const x = n.x + row * n.columns;
        const Real* const dy = n.dy + row * n.columns;
        const Real mean = n.mean[row];
        const Real inverse = n.inverse[row];
        const Real g_mean = sum_over<Real>(
                                n.columns, [&](std::size_t i) { return load(dy + i) * load(n.weight + i); },
                                [&](std::size_t i) { return dy[i] * n.weight[i]; }) /
                            count;
        const Real gs_mean =
            sum_over<Real>(
                n.columns,
                [&](std::size_t i) { return load(dy + i) * load(n.weight + i) * ((load(x + i) - mean) * inverse); },
                [&](std::size_t i) { return dy[i] * n.weight[i] * ((x[i] - mean) * inverse); }) /
            count;
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
    const Vector<Real> two_u = twice * x * (Real{1} + cubic * square);
    const Vector<Real> s = Real{1} / (Real{1} + exponential(-two_u));
    const Vector<Real> y = x * s;
    slope = s + y * (Real{1} - s) * (twice * (Real{1} + 3 * cubic * square));
    return y;
}

template <class Real>
void gelu_in_place(Real* x, Real* slope, std::size_t count) {
    std::size_t i = 0;
    for (; i + width<Real> <= count; i += width<Real>) {
        Vector<Real> slopes;
        store<Real>(x + i, gelu_of<Real>(load(x + i), slopes));
        if (slope != nullptr) store<Real>(slope + i, slopes);
    }
    for (; i < count; ++i) {
        Vector<Real> slopes;
        x[i] = gelu_of<Real>(broadcast(x[i]), slopes)[0];
        if (slope != nullptr) slope[i] = slopes[0];
    }
}

template <class Real>
void add_columns_of(const Real* x, std::size_t rows, std::size_t columns, Real* total) {
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t i = 0; i < columns; ++i) total[i] += x[row * columns + i];
    }
}

template <class Real>
Real largest_in(const Real* x, std::size_t count) {
    Vector<Real> most = broadcast(-infinity<Real>);
    std::size_t i = 0;
    for (; i + width<Real> <= count; i += width<Real>) {
        const Vector<Real> here = load(x + i);
        most = here > most ? here : most;
    }
    Real result = largest_of<Real>(most);
    for (; i < count; ++i) result = x[i] > result ? x[i] : result;
    return result;
}

/// x becomes exp(x - most); returns the sum.
template <class Real>
Real exponentials_in_place(Real* x, std::size_t count, Real most) {
    Vector<Real> sums{};
    std::size_t i = 0;
    for (; i + width<Real> <= count; i += width<Real>) {
        const Vector<Real> here = exponential(load(x + i) - most);
        store<Real>(x + i, here);
        sums += here;
    }
    Real total = sum_of<Real>(sums);
    for (; i < count; ++i) {
        x[i] = exponential_of_one(x[i] - most);
        total += x[i];
    }
    return total;
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
        first = s.beta1 * first + (Real{1} - s.beta1) * scaled;
        second = s.beta2 * second + (Real{1} - s.beta2) * scaled * scaled;
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
