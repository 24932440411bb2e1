// Attention of one head against its definition, written out in double.
#include <catch2/catch.hpp>
#include <cmath>
#include <farfield/numerics/format.hpp>
#include <limits>
#include <vector>

#include "model/kernel_support.hpp"
#include "support/worst.hpp"

using namespace farfield;
using namespace farfield::model;

namespace {

using Numbers = std::vector<double>;

double wave(std::size_t i, double pace) {
    return std::sin(pace * static_cast<double>(i + 1));
}

/// A causal mask with holes, and its tiles.
struct Mask {
    std::size_t length;
    std::vector<MaskTile> tiles;
    std::vector<std::uint32_t> first{0};
    std::vector<std::uint64_t> words;

    bool sees(std::size_t q, std::size_t k) const { return k <= q && (k + 2 * q) % 7 != 3; }

    explicit Mask(std::size_t size) : length(size) {
        for (std::size_t query = 0; query < length; query += query_tile) {
            for (std::size_t key = 0; key < std::min(length, query + query_tile); key += key_tile) {
                const std::size_t end = std::min({key + key_tile, length, query + query_tile});
                tiles.push_back({static_cast<std::uint32_t>(key), 0, static_cast<std::uint32_t>(end - key),
                                 static_cast<std::uint32_t>(words.size()), 0});
                for (std::size_t q = query; q < std::min(length, query + query_tile); ++q) {
                    std::uint64_t word = 0;
                    for (std::size_t k = key; k < end; ++k) word |= std::uint64_t{sees(q, k)} << (k - key);
                    words.push_back(word);
                }
            }
            first.push_back(static_cast<std::uint32_t>(tiles.size()));
        }
    }
    MaskView view() const { return {tiles.data(), first.data(), words.data()}; }
};

/// What attention takes and gives: q, k, v and the gradient of its output, [length, dim]; the bias by distance.
struct Inputs {
    std::size_t length;
    std::size_t dim;
    Numbers q, k, v, d_o, bias;
    double cap = 0;  ///< with one no gradient by the bias is asked for

    Inputs(std::size_t size, std::size_t width) : length(size), dim(width) {
        for (std::size_t i = 0; i < length * dim; ++i) {
            q.push_back(wave(i, 0.37) * 0.5);
            k.push_back(wave(i, 0.61));
            v.push_back(wave(i, 0.93));
            d_o.push_back(wave(i, 1.27));
        }
        for (std::size_t n = 0; n < length; ++n) bias.push_back(-0.05 * static_cast<double>(n));
    }

    /// The same seen through a rounding.
    Inputs rounded(double (*round)(double)) const {
        Inputs result = *this;
        for (Numbers* x : {&result.q, &result.k, &result.v, &result.d_o}) {
            for (double& value : *x) value = round(value);
        }
        return result;
    }
};

struct Results {
    Numbers o, lse, d_q, d_k, d_v, d_bias;
};

double dot(const Numbers& a, std::size_t i, const Numbers& b, std::size_t j, std::size_t dim) {
    double sum = 0;
    for (std::size_t c = 0; c < dim; ++c) sum += a[i * dim + c] * b[j * dim + c];
    return sum;
}

/// The product of a query and a key, below the cap.
double product(const Inputs& x, std::size_t q, std::size_t k) {
    const double plain = dot(x.q, q, x.k, k, x.dim);
    return x.cap == 0 ? plain : x.cap * std::tanh(plain / x.cap);
}

struct Expected {
    Results values;
    Results errors;  ///< what `unit` may change
};

/// `unit` is the relative error of exponentials and slopes where they are multiplied by v, q, k and the gradient of o.
Expected by_definition(const Inputs& x, const Mask& mask, double unit) {
    const std::size_t L = x.length;
    const Numbers zeros(L * x.dim, 0.0);
    Expected both{{zeros, Numbers(L), zeros, zeros, zeros, Numbers(L, 0.0)},
                  {zeros, Numbers(L, 0.0), zeros, zeros, zeros, Numbers(L, 0.0)}};
    auto& [r, error] = both;
    for (std::size_t q = 0; q < L; ++q) {
        Numbers p(L, 0.0);
        double total = 0;
        for (std::size_t k = 0; k <= q; ++k) {
            if (mask.sees(q, k)) p[k] = std::exp(product(x, q, k) + x.bias[q - k]);
            total += p[k];
        }
        r.lse[q] = total > 0 ? std::log(total) : std::numeric_limits<double>::infinity();
        for (double& value : p) value = total > 0 ? value / total : 0;
        for (std::size_t k = 0; k <= q; ++k) {
            for (std::size_t c = 0; c < x.dim; ++c) {
                r.o[q * x.dim + c] += p[k] * x.v[k * x.dim + c];
                error.o[q * x.dim + c] += unit * p[k] * std::fabs(x.v[k * x.dim + c]);
            }
        }
        const double along = dot(r.o, q, x.d_o, q, x.dim);
        // By the o that was computed, and with the gradient of o before it was rounded.
        double along_error = 0;
        for (std::size_t c = q * x.dim; c < (q + 1) * x.dim; ++c) {
            along_error += std::fabs(x.d_o[c]) * (error.o[c] + unit * std::fabs(r.o[c]));
        }
        for (std::size_t k = 0; k <= q; ++k) {
            const double share = x.cap == 0 ? 0 : product(x, q, k) / x.cap;
            const double slope = p[k] * (dot(x.d_o, q, x.v, k, x.dim) - along) * (1 - share * share);
            const double slope_error = p[k] * along_error;
            if (x.cap == 0) r.d_bias[q - k] += slope;
            error.d_bias[q - k] += slope_error;
            for (std::size_t c = 0; c < x.dim; ++c) {
                r.d_v[k * x.dim + c] += p[k] * x.d_o[q * x.dim + c];
                r.d_q[q * x.dim + c] += slope * x.k[k * x.dim + c];
                r.d_k[k * x.dim + c] += slope * x.q[q * x.dim + c];
                const double rounded = slope_error + unit * std::fabs(slope);
                error.d_v[k * x.dim + c] += unit * p[k] * std::fabs(x.d_o[q * x.dim + c]);
                error.d_q[q * x.dim + c] += rounded * std::fabs(x.k[k * x.dim + c]);
                error.d_k[k * x.dim + c] += rounded * std::fabs(x.q[q * x.dim + c]);
            }
        }
    }
    return both;
}

/// Rows `step` apart, wide enough for whole vectors.
template <class Real>
std::vector<Real> laid_out(const Numbers& x, const Inputs& inputs, std::size_t rows, std::size_t step) {
    std::vector<Real> result(rows * step, Real{0});
    for (std::size_t i = 0; i < inputs.length; ++i) {
        for (std::size_t c = 0; c < inputs.dim; ++c) result[i * step + c] = static_cast<Real>(x[i * inputs.dim + c]);
    }
    return result;
}

template <class Real>
Numbers read(const std::vector<Real>& x, const Inputs& inputs, std::size_t step) {
    Numbers result;
    for (std::size_t i = 0; i < inputs.length; ++i) {
        for (std::size_t c = 0; c < inputs.dim; ++c) result.push_back(static_cast<double>(x[i * step + c]));
    }
    return result;
}

template <class Real>
Results computed(const Kernels<Real>& kernel, const Inputs& x, const Mask& mask, std::size_t apart) {
    const std::size_t wide = (x.dim + kernel.lanes - 1) / kernel.lanes * kernel.lanes;
    const std::size_t step = wide * apart;
    const std::size_t padded = (x.length + key_tile - 1) / key_tile * key_tile;
    const std::vector<Real> q = laid_out<Real>(x.q, x, padded, step);
    const std::vector<Real> k = laid_out<Real>(x.k, x, padded, step);
    const std::vector<Real> v = laid_out<Real>(x.v, x, padded, step);
    const std::vector<Real> d_o = laid_out<Real>(x.d_o, x, padded, step);
    std::vector<Real> k_t(x.dim * padded);
    std::vector<Real> v_t(x.dim * padded);
    kernel.transpose({k.data(), step}, 0, x.length, x.dim, k_t.data());
    kernel.transpose({v.data(), step}, 0, x.length, x.dim, v_t.data());
    // A tile of keys reads the line on both sides of what a query sees.
    std::vector<Real> line(2 * padded, Real{0});
    for (std::size_t n = 0; n < x.length; ++n) line[x.length - 1 - n] = static_cast<Real>(x.bias[n]);
    std::vector<Real> d_line(line.size(), Real{0});
    std::vector<Real> o(padded * step), lse(x.length), d_q(x.length * wide + 1), d_k(padded * wide), d_v(padded * wide);
    d_q.back() = Real{7};  // behind what is written
    Head<Real> head{};
    head.length = x.length;
    head.padded = padded;
    head.dim = x.dim;
    head.wide = wide;
    head.q = {q.data(), step};
    head.k = {k.data(), step};
    head.v = {v.data(), step};
    head.k_t = k_t.data();
    head.v_t = v_t.data();
    head.mask = mask.view();
    head.bias_line = line.data();
    head.o = {o.data(), step};
    head.lse = lse.data();
    head.cap = static_cast<Real>(x.cap);
    kernel.attention(head);
    HeadBackward<Real> back{};
    back.head = head;
    back.d_o = {d_o.data(), step};
    back.d_q = d_q.data();
    back.d_k = d_k.data();
    back.d_v = d_v.data();
    if (x.cap == 0) back.d_bias_line = d_line.data();
    kernel.attention_backward(back);
    CHECK(d_q.back() == Real{7});
    Results r{read(o, x, step),   Numbers(lse.begin(), lse.end()),
              read(d_q, x, wide), read(d_k, x, wide),
              read(d_v, x, wide), {}};
    for (std::size_t n = 0; n < x.length; ++n) r.d_bias.push_back(static_cast<double>(d_line[x.length - 1 - n]));
    return r;
}

/// The largest difference beyond what is allowed for, in units of the largest number or of 1.
double excess(const Numbers& found, const Numbers& expected, const Numbers& allowed) {
    double largest = 1;
    double worst = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        if (std::isinf(expected[i]) && found[i] == expected[i]) continue;
        largest = std::max(largest, std::fabs(expected[i]));
        const double error = std::fabs(found[i] - expected[i]) - allowed[i];
        worst = tests::worse(worst, error);
    }
    return worst / largest;
}

double excess(const Results& found, const Expected& expected) {
    double worst = 0;
    for (const Numbers Results::*part :
         {&Results::o, &Results::lse, &Results::d_q, &Results::d_k, &Results::d_v, &Results::d_bias}) {
        const double error = excess(found.*part, expected.values.*part, expected.errors.*part);
        worst = tests::worse(worst, error);
    }
    return worst;
}

double as_bf16(double x) {
    return numerics::round_to(*numerics::find_format("bf16"), x);
}

struct Size {
    std::size_t length;
    std::size_t dim;
    std::size_t apart;  ///< rows, in units of their width
};
constexpr Size sizes[] = {{1, 4, 1}, {37, 5, 1}, {64, 16, 3}, {96, 32, 1}, {150, 24, 2}, {200, 40, 1}};

/// `cap` is of the products; 0: none.
template <class Real>
void check_plain(double tolerance, double cap = 0) {
    for (const Kernels<Real>& kernel : all_kernels<Real>(Precision::fp32)) {
        for (const Size& size : sizes) {
            INFO(kernel.name << ", length " << size.length << ", dim " << size.dim);
            Inputs x(size.length, size.dim);
            x.cap = cap;
            const Mask mask(size.length);
            CHECK(excess(computed(kernel, x, mask, size.apart), by_definition(x, mask, 0)) < tolerance);
        }
    }
}

}  // namespace

TEST_CASE("attention and its gradient are those of the definition for every vector width") {
    check_plain<float>(4e-6);
    check_plain<double>(8e-15);
}

TEST_CASE("products below a cap have the softmax and the gradient of the definition") {
    // From one that bends every product to one that bends none by more than 2e-3.
    for (const double cap : {0.7, 3.0, 50.0}) {
        check_plain<float>(4e-6, cap);
        check_plain<double>(8e-15, cap);
    }
}

TEST_CASE("attention in bf16 multiplies operands rounded to bf16, and adds and takes exponentials in float") {
    for (const Kernels<float>& kernel : all_kernels<float>(Precision::bf16)) {
        for (const Size& size : sizes) {
            if (size.length < 30) continue;
            INFO(kernel.name << ", length " << size.length << ", dim " << size.dim);
            const Inputs x(size.length, size.dim);
            const Mask mask(size.length);
            const Results found = computed(kernel, x, mask, size.apart);
            // Exponentials and slopes are rounded on the way, to eight binary digits.
            CHECK(excess(found, by_definition(x.rounded(as_bf16), mask, 0x1p-8)) < 4e-6);
            CHECK(excess(found, by_definition(x.rounded(as_bf16), mask, 0)) > 1e-4);
            CHECK(excess(found, by_definition(x, mask, 0x1p-8)) > 1e-4);
        }
    }
}
