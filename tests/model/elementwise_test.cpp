// What stands between the matrix products, of every instruction set, against plain loops in double.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "model/kernel_support.hpp"
#include "support/worst.hpp"

using namespace farfield;
using namespace farfield::model;

namespace {

template <class Real>
double gelu_error(const Kernels<Real>& kernel) {
    std::vector<Real> x;
    for (int i = -2000; i <= 2000; ++i) x.push_back(static_cast<Real>(i / 100.0));
    std::vector<Real> y = x;
    std::vector<Real> slopes(x.size());
    kernel.gelu(y.data(), y.data(), slopes.data(), y.size());
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const auto v = static_cast<double>(x[i]);
        const double root = std::sqrt(2 / M_PI);
        const double t = std::tanh(root * (v + 0.044715 * v * v * v));
        const double slope = 0.5 * (1 + t) + 0.5 * v * (1 - t * t) * root * (1 + 3 * 0.044715 * v * v);
        const double error =
            std::max(std::fabs(static_cast<double>(y[i]) - 0.5 * v * (1 + t)) / std::max(1.0, std::fabs(v)),
                     std::fabs(static_cast<double>(slopes[i]) - slope));
        worst = tests::worse(worst, error);
    }
    return worst;
}

template <class Real>
double cross_entropy_error(const Kernels<Real>& kernel, std::size_t columns) {
    std::vector<Real> logits = waves<Real>(columns, 1.7);
    for (Real& logit : logits) logit *= 20;
    double total = 0;
    const std::vector<Real> before = logits;
    for (const Real logit : before) total += std::exp(static_cast<double>(logit));
    const std::size_t target = columns / 2;
    const double expected = std::log(total) - static_cast<double>(before[target]);
    double worst =
        std::fabs(static_cast<double>(kernel.cross_entropy(logits.data(), columns, target, 1, true)) - expected) /
        std::max(1.0, expected);
    for (std::size_t i = 0; i < columns; ++i) {
        const double slope = std::exp(static_cast<double>(before[i])) / total - (i == target ? 1 : 0);
        const double error = std::fabs(static_cast<double>(logits[i]) - slope);
        worst = tests::worse(worst, error);
    }
    return worst;
}

/// The error of the loss if one logit of a large vocabulary is 15 above the others. Each of the others adds a few units
/// in the last place of a float to a sum of 1.
double error_of_a_large_vocabulary(const Kernels<float>& kernel) {
    constexpr std::size_t columns = 49152;
    std::vector<float> logits(columns, -15);
    logits[0] = 0;
    const double expected = std::log1p((columns - 1) * std::exp(-15.0));
    return std::fabs(static_cast<double>(kernel.cross_entropy(logits.data(), columns, 0, 1, false)) - expected);
}

struct NormReference {
    std::vector<double> sum, y, mean, inverse;
};

/// y = (x + delta - mean) inverse weight + bias.
template <class Real>
NormReference normalised(const Normalisation<Real>& n) {
    NormReference r;
    for (std::size_t row = 0; row < n.rows; ++row) {
        double mean = 0;
        double variance = 0;
        for (std::size_t i = 0; i < n.columns; ++i) {
            const std::size_t at = row * n.columns + i;
            r.sum.push_back(static_cast<double>(n.x[at]) + (n.delta != nullptr ? static_cast<double>(n.delta[at]) : 0));
            mean += r.sum[at] / static_cast<double>(n.columns);
        }
        for (std::size_t i = 0; i < n.columns; ++i) {
            variance += std::pow(r.sum[row * n.columns + i] - mean, 2) / static_cast<double>(n.columns);
        }
        r.mean.push_back(mean);
        r.inverse.push_back(1 / std::sqrt(variance + 1e-5));
        for (std::size_t i = 0; i < n.columns; ++i) {
            r.y.push_back((r.sum[row * n.columns + i] - mean) * r.inverse[row] * static_cast<double>(n.weight[i]) +
                          static_cast<double>(n.bias[i]));
        }
    }
    return r;
}

template <class Real>
double largest_difference(const std::vector<Real>& found, const std::vector<double>& expected) {
    double worst = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const double error =
            std::fabs(static_cast<double>(found[i]) - expected[i]) / std::max(1.0, std::fabs(expected[i]));
        worst = tests::worse(worst, error);
    }
    return worst;
}

template <class Real>
constexpr double unit = static_cast<double>(std::numeric_limits<Real>::epsilon());

constexpr std::size_t widths[] = {1, 5, 8, 16, 20, 32, 64, 100, 128, 256};

/// Of rows that fill 4, 8 or 16 vectors and of others.
template <class Real>
void check_norms(const Kernels<Real>& kernel, std::size_t columns, bool adds) {
    INFO(kernel.name << " " << columns << " columns");
    constexpr std::size_t rows = 7;
    const std::vector<Real> x = waves<Real>(rows * columns, 0.7);
    const std::vector<Real> more = waves<Real>(rows * columns, 1.9);
    const std::vector<Real> weight = waves<Real>(columns, 0.3);
    const std::vector<Real> bias = waves<Real>(columns, 0.9);
    std::vector<Real> sum(x.size()), y(x.size()), mean(rows), inverse(rows);
    const Normalisation<Real> n{rows,        columns,       x.data(),    adds ? more.data() : nullptr,
                                sum.data(),  weight.data(), bias.data(), y.data(),
                                mean.data(), inverse.data()};
    kernel.normalise(n);
    const NormReference expected = normalised(n);
    // A column alone has no deviation; there the inverse of the root of 1e-5, 316, magnifies every rounding.
    const double tolerance = unit<Real> * (columns == 1 ? 400 : 16);
    if (adds) CHECK(largest_difference(sum, expected.sum) <= unit<Real>);
    CHECK(largest_difference(y, expected.y) < tolerance);
    CHECK(largest_difference(mean, expected.mean) < tolerance);
    CHECK(largest_difference(inverse, expected.inverse) < tolerance);

    const std::vector<Real> dy = waves<Real>(rows * columns, 1.3);
    std::vector<Real> dx(x.size()), d_weight = weight, d_bias = bias;
    kernel.normalise_backward({rows, columns, x.data(), mean.data(), inverse.data(), weight.data(), dy.data(),
                               adds ? more.data() : nullptr, dx.data(), d_weight.data(), d_bias.data()});
    std::vector<double> by_x, by_weight(weight.begin(), weight.end()), by_bias(bias.begin(), bias.end());
    for (std::size_t row = 0; row < rows; ++row) {
        const auto s = [&](std::size_t i) {
            return (static_cast<double>(x[row * columns + i]) - static_cast<double>(mean[row])) *
                   static_cast<double>(inverse[row]);
        };
        const auto g = [&](std::size_t i) {
            return static_cast<double>(dy[row * columns + i]) * static_cast<double>(weight[i]);
        };
        double g_mean = 0;
        double gs_mean = 0;
        for (std::size_t i = 0; i < columns; ++i) {
            g_mean += g(i) / static_cast<double>(columns);
            gs_mean += g(i) * s(i) / static_cast<double>(columns);
            by_weight[i] += static_cast<double>(dy[row * columns + i]) * s(i);
            by_bias[i] += static_cast<double>(dy[row * columns + i]);
        }
        for (std::size_t i = 0; i < columns; ++i) {
            by_x.push_back(static_cast<double>(inverse[row]) * (g(i) - g_mean - s(i) * gs_mean) +
                           (adds ? static_cast<double>(more[row * columns + i]) : 0));
        }
    }
    CHECK(largest_difference(dx, by_x) < tolerance);
    CHECK(largest_difference(d_weight, by_weight) < tolerance);
    CHECK(largest_difference(d_bias, by_bias) < tolerance);
}

template <class Real>
void check_sums(const Kernels<Real>& kernel, std::size_t columns) {
    INFO(kernel.name << " " << columns << " columns");
    constexpr std::size_t rows = 9;
    const std::vector<Real> x = waves<Real>(rows * columns, 0.7);
    const std::vector<Real> start = waves<Real>(columns, 0.2);
    std::vector<Real> total = start;
    kernel.add_columns(x.data(), rows, columns, total.data());
    const Real* parts[rows];
    for (std::size_t row = 0; row < rows; ++row) parts[row] = x.data() + row * columns;
    std::vector<Real> added = start;
    std::vector<Real> written = start;
    kernel.add_parts(parts, rows, columns, Real{3}, true, added.data());
    kernel.add_parts(parts, rows, columns, Real{3}, false, written.data());
    std::vector<double> sums(columns, 0.0), with_start, scaled_with_start, scaled;
    for (std::size_t i = 0; i < columns; ++i) {
        for (std::size_t row = 0; row < rows; ++row) sums[i] += static_cast<double>(x[row * columns + i]);
        with_start.push_back(static_cast<double>(start[i]) + sums[i]);
        scaled_with_start.push_back(static_cast<double>(start[i]) + 3 * sums[i]);
        scaled.push_back(3 * sums[i]);
    }
    CHECK(largest_difference(total, with_start) < 8 * unit<Real>);
    CHECK(largest_difference(added, scaled_with_start) < 24 * unit<Real>);
    CHECK(largest_difference(written, scaled) < 24 * unit<Real>);
}

template <class Real>
void check_transposes(const Kernels<Real>& kernel, std::size_t begin, std::size_t rows, std::size_t columns) {
    INFO(kernel.name << " rows " << begin << " to " << rows << ", " << columns << " columns");
    const std::size_t from_row = columns + 3;
    const std::vector<Real> from = waves<Real>(rows * from_row, 0.7);
    const std::size_t padded = (rows + key_tile - 1) / key_tile * key_tile;
    std::vector<Real> to(columns * padded, Real{7});
    kernel.transpose({from.data(), from_row}, begin, rows, columns, to.data());
    bool same = true;
    for (std::size_t m = 0; m < padded; ++m) {
        for (std::size_t j = 0; j < columns; ++j) {
            const Real expected = begin <= m && m < rows ? from[m * from_row + j] : Real{7};
            same = same && to[(m / key_tile * columns + j) * key_tile + m % key_tile] == expected;
        }
    }
    CHECK(same);
}

template <class Real>
void check_all() {
    for (const Kernels<Real>& kernel : all_kernels<Real>(Precision::fp32)) {
        for (const std::size_t columns : widths) {
            check_norms(kernel, columns, false);
            check_norms(kernel, columns, true);
            check_sums(kernel, columns);
            for (const std::size_t rows : {1, 16, 33, 64, 150})
                for (const std::size_t begin : {0, 32, 70})
                    if (begin < rows) check_transposes(kernel, begin, rows, columns);
        }
    }
}

/// y[j] = factor (x[j] cosine[j] + x[partner(j)] sine[j]), and the transpose, whose products with any z are those of y.
template <class Real>
void check_turns(const Kernels<Real>& kernel, std::size_t dim, std::size_t wide, std::size_t rotated, bool halves,
                 bool has_factor) {
    INFO(kernel.name << ": " << rotated << " of " << dim << " in " << wide << (halves ? " by halves" : " by pairs")
                     << (has_factor ? " with factors" : ""));
    constexpr std::size_t rows = 3;
    const std::size_t from_row = dim + 5, to_row = wide + 2;
    const std::vector<Real> x = waves<Real>(rows * from_row, 0.7), z = waves<Real>(rows * to_row, 1.9);
    const std::vector<Real> cosine = waves<Real>(rows * rotated, 0.3), sine = waves<Real>(rows * rotated, 0.9);
    const std::vector<Real> factor = waves<Real>(rows, 0.4);
    std::vector<Real> y(rows * to_row, Real{7}), back(rows * from_row, Real{7});
    Turn<Real> turn{rows,     dim,           wide,        rotated,
                    halves,   cosine.data(), sine.data(), has_factor ? factor.data() : nullptr,
                    x.data(), from_row,      y.data(),    to_row};
    kernel.turn(turn);
    turn.from = z.data();
    turn.from_row = to_row;
    turn.to = back.data();
    turn.to_row = from_row;
    kernel.turn_back(turn);
    double worst = 0;
    for (std::size_t row = 0; row < rows; ++row) {
        double forth = 0, other = 0;
        for (std::size_t j = 0; j < to_row; ++j) {
            double expected = j < wide ? 0 : 7;
            const auto at = [&](std::size_t i) { return static_cast<double>(x[row * from_row + i]); };
            if (j < dim) expected = at(j);
            if (j < rotated) {
                const std::size_t partner = halves ? (j + rotated / 2) % rotated : j ^ 1;
                expected = at(j) * static_cast<double>(cosine[row * rotated + j]) +
                           at(partner) * static_cast<double>(sine[row * rotated + j]);
            }
            if (j < dim && has_factor) expected *= static_cast<double>(factor[row]);
            worst = tests::worse(worst, std::fabs(static_cast<double>(y[row * to_row + j]) - expected));
            if (j < dim) forth += expected * static_cast<double>(z[row * to_row + j]);
        }
        for (std::size_t j = 0; j < dim; ++j)
            other += static_cast<double>(x[row * from_row + j]) * static_cast<double>(back[row * from_row + j]);
        worst = tests::worse(worst, std::fabs(forth - other) / static_cast<double>(dim));
        for (std::size_t j = dim; j < from_row; ++j) CHECK(back[row * from_row + j] == Real{7});
    }
    CHECK(worst <= 4 * unit<Real>);
}

template <class Real>
void check_all_turns() {
    struct Shape {
        std::size_t dim, wide, rotated;
    };
    for (const Kernels<Real>& kernel : all_kernels<Real>(Precision::fp32))
        for (const Shape& s : {Shape{8, 16, 8},
                               {8, 16, 4},
                               {64, 64, 64},
                               {64, 64, 32},
                               {64, 64, 0},
                               {70, 80, 66},
                               {80, 80, 0},
                               {5, 16, 0},
                               {6, 16, 2},
                               {48, 48, 36}})
            for (const bool halves : {false, true})
                for (const bool has_factor : {false, true})
                    check_turns(kernel, s.dim, s.wide, s.rotated, halves, has_factor);
}

/// Against the definitions in double, of columns that are whole vectors and of others.
template <class Real>
void check_llama(const Kernels<Real>& kernel) {
    for (const std::size_t columns : widths) {
        INFO(kernel.name << " " << columns << " columns");
        constexpr std::size_t rows = 3;
        const std::vector<Real> x = waves<Real>(rows * columns, 0.7);
        const std::vector<Real> up = waves<Real>(rows * columns, 1.9);
        const std::vector<Real> weight = waves<Real>(columns, 0.3);
        std::vector<double> norms, gated;
        for (std::size_t at = 0; at < x.size(); ++at) {
            double squares = 0;
            for (std::size_t i = 0; i < columns; ++i) {
                squares += std::pow(static_cast<double>(x[at / columns * columns + i]), 2);
            }
            const auto v = static_cast<double>(x[at]);
            norms.push_back(v / std::sqrt(squares / static_cast<double>(columns) + 1e-3) *
                            static_cast<double>(weight[at % columns]));
            gated.push_back(8 * v / (1 + std::exp(-8 * v)) * static_cast<double>(up[at]));
        }
        std::vector<Real> y(x.size());
        kernel.root_mean_square({rows, columns, x.data(), weight.data(), static_cast<Real>(1e-3), y.data()});
        CHECK(largest_difference(y, norms) < 8 * unit<Real>);
        std::vector<Real> gate = x;
        for (Real& each : gate) each *= 8;
        kernel.swiglu(gate.data(), up.data(), gate.data(), gate.size());
        CHECK(largest_difference(gate, gated) < 8 * unit<Real>);
    }
}

}  // namespace

TEST_CASE("root mean square norms and gated units are right for every vector width") {
    for (const Kernels<float>& kernel : all_kernels<float>(Precision::fp32)) check_llama(kernel);
    for (const Kernels<double>& kernel : all_kernels<double>(Precision::fp32)) check_llama(kernel);
}

TEST_CASE("normalisations, sums of columns and parts, and transposes are right for every vector width") {
    check_all<float>();
    check_all<double>();
}

TEST_CASE("rotations and their transposes are those of the definition for every vector width") {
    check_all_turns<float>();
    check_all_turns<double>();
}

TEST_CASE("gelu and its slope are right for every vector width") {
    for (const Kernels<float>& kernel : all_kernels<float>(Precision::fp32)) CHECK(gelu_error(kernel) < 2e-6);
    for (const Kernels<double>& kernel : all_kernels<double>(Precision::fp32)) CHECK(gelu_error(kernel) < 1e-14);
}

TEST_CASE("cross-entropy and its slopes are right for every vector width") {
    for (const std::size_t columns : {1, 2, 11, 64, 257}) {
        for (const Kernels<float>& kernel : all_kernels<float>(Precision::fp32)) {
            CHECK(cross_entropy_error(kernel, columns) < 2e-6);
        }
        for (const Kernels<double>& kernel : all_kernels<double>(Precision::fp32)) {
            CHECK(cross_entropy_error(kernel, columns) < 1e-14);
        }
    }
}

TEST_CASE("the loss over a large vocabulary does not lose its small terms, for every vector width") {
    // A block of 512 numbers has at most 128 in a lane, each with an error of half a unit in the last place of 1.
    for (const Kernels<float>& kernel : all_kernels<float>(Precision::fp32))
        CHECK(error_of_a_large_vocabulary(kernel) < 128 * 0x1p-24);
}
