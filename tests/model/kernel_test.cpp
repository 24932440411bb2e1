#include "model/kernel/kernels.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

using namespace farfield::model;

namespace {

template <class Real>
std::vector<Real> waves(std::size_t count, double pace) {
    std::vector<Real> values;
    for (std::size_t i = 0; i < count; ++i) {
        values.push_back(static_cast<Real>(std::sin(pace * static_cast<double>(i + 1))));
    }
    return values;
}

struct Shape {
    std::size_t rows;
    std::size_t columns;
    std::size_t depth;
};

/// The largest difference to sums in double, for a as it is and transposed, with and without all that may be added.
template <class Real>
double product_error(const Kernels<Real>& kernel, const Shape& s, bool transposed, bool everything) {
    const std::vector<Real> a = waves<Real>(s.rows * s.depth, 0.37);
    const std::vector<Real> b = waves<Real>(s.depth * s.columns, 0.61);
    const std::vector<Real> bias = waves<Real>(s.columns + kernel.panel, 0.11);
    const std::vector<Real> slope = waves<Real>(s.rows * s.columns, 0.23);
    const std::vector<Real> start = waves<Real>(s.rows * s.columns, 0.91);
    std::vector<Real> packed((s.columns + kernel.panel) * s.depth);
    std::vector<Real> c = start;
    kernel.pack({b.data(), s.columns, 1, s.depth, s.columns, packed.data()});
    const std::size_t a_row = transposed ? 1 : s.depth;
    const std::size_t a_column = transposed ? s.rows : 1;
    kernel.product({s.rows, s.columns, s.depth, a.data(), a_row, a_column, packed.data(), kernel.panel,
                    s.depth * kernel.panel, c.data(), s.columns, everything ? bias.data() : nullptr, everything,
                    everything ? slope.data() : nullptr});
    double worst = 0;
    for (std::size_t m = 0; m < s.rows; ++m) {
        for (std::size_t n = 0; n < s.columns; ++n) {
            const std::size_t at = m * s.columns + n;
            double sum = everything ? static_cast<double>(start[at]) + static_cast<double>(bias[n]) : 0;
            for (std::size_t k = 0; k < s.depth; ++k) {
                sum += static_cast<double>(a[m * a_row + k * a_column]) * static_cast<double>(b[k * s.columns + n]);
            }
            if (everything) sum *= static_cast<double>(slope[at]);
            const double difference = std::fabs(static_cast<double>(c[at]) - sum);
            if (!(difference <= worst)) worst = difference;
        }
    }
    return worst;
}

template <class Real>
void check_products(double unit) {
    for (const Kernels<Real>* const kernel : all_kernels<Real>()) {
        for (const Shape& s : {Shape{1, 1, 1}, {7, 5, 3}, {13, 33, 17}, {32, 64, 16}, {195, 40, 300}, {6, 16, 700}}) {
            for (const bool transposed : {false, true}) {
                for (const bool everything : {false, true}) {
                    INFO(kernel->name << " " << s.rows << " x " << s.columns << " x " << s.depth);
                    // A sum of n terms below 1 errs by at most n units of the last place of its partial sums.
                    const auto depth = static_cast<double>(s.depth) + 2;
                    CHECK(product_error(*kernel, s, transposed, everything) <= unit * depth * depth);
                }
            }
        }
    }
}

template <class Real>
double gelu_error(const Kernels<Real>& kernel) {
    std::vector<Real> x;
    for (int i = -2000; i <= 2000; ++i) x.push_back(static_cast<Real>(i / 100.0));
    std::vector<Real> y = x;
    std::vector<Real> slopes(x.size());
    kernel.gelu(y.data(), slopes.data(), y.size());
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const auto v = static_cast<double>(x[i]);
        const double root = std::sqrt(2 / M_PI);
        const double t = std::tanh(root * (v + 0.044715 * v * v * v));
        const double slope = 0.5 * (1 + t) + 0.5 * v * (1 - t * t) * root * (1 + 3 * 0.044715 * v * v);
        const double error =
            std::max(std::fabs(static_cast<double>(y[i]) - 0.5 * v * (1 + t)) / std::max(1.0, std::fabs(v)),
                     std::fabs(static_cast<double>(slopes[i]) - slope));
        if (!(error <= worst)) worst = error;
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
        if (!(error <= worst)) worst = error;
    }
    return worst;
}

}  // namespace

TEST_CASE("products of every vector width are the sums of products") {
    check_products<float>(6e-8);
    check_products<double>(1.2e-16);
}

TEST_CASE("gelu and its slope are right for every vector width") {
    for (const Kernels<float>* const kernel : all_kernels<float>()) CHECK(gelu_error(*kernel) < 2e-6);
    for (const Kernels<double>* const kernel : all_kernels<double>()) CHECK(gelu_error(*kernel) < 1e-14);
}

TEST_CASE("cross-entropy and its slopes are right for every vector width") {
    for (const std::size_t columns : {1, 2, 11, 64, 257}) {
        for (const Kernels<float>* const kernel : all_kernels<float>()) {
            CHECK(cross_entropy_error(*kernel, columns) < 2e-6);
        }
        for (const Kernels<double>* const kernel : all_kernels<double>()) {
            CHECK(cross_entropy_error(*kernel, columns) < 1e-14);
        }
    }
}
