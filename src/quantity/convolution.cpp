#include "quantity/convolution.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <string>

#include <unsupported/Eigen/FFT>

#include <farfield/core/error.hpp>
#include <farfield/numerics/fast/interval_functions.hpp>
#include <farfield/numerics/interval.hpp>
#include <farfield/numerics/sum.hpp>

#include "evaluate/weights.hpp"

namespace farfield::quantity {
namespace {

using numerics::Interval;

constexpr std::size_t longest_direct = 4096;
constexpr double unit = std::numeric_limits<double>::epsilon() / 2;
constexpr double smallest = std::numeric_limits<double>::denorm_min();

Interval of(const core::Enclosure& enclosure) {
    return {enclosure.lo, enclosure.hi};
}

/// A probability's enclosure: nothing below 0.
core::Enclosure probability(double lo, double hi) {
    return {std::max(lo, 0.0), hi};
}

void add_product(std::span<const double> tail, double factor, double* sums) {
    for (std::size_t i = 0; i < tail.size(); ++i) sums[i] += factor * tail[i];
}

std::vector<double> direct(const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> sums(a.size(), 0.0);
    for (std::size_t j = 0; j < a.size(); ++j)
        if (a[j] != 0) add_product(std::span(b).first(b.size() - j), a[j], sums.data() + j);
    return sums;
}

std::vector<double> ends(const Row& row, double core::Enclosure::*end) {
    std::vector<double> numbers;
    numbers.reserve(row.enclosures.size());
    for (const core::Enclosure& enclosure : row.enclosures) numbers.push_back(enclosure.*end);
    return numbers;
}

/// All terms are positive, so that n + 1 products and sums err by (n + 1) units of the sum and an underflow each.
Row convolve_directly(const Row& a, const Row& b) {
    Row product{direct(a.values, b.values), {}};
    if (!a.is_enclosed() || !b.is_enclosed()) return product;
    const std::vector<double> lo = direct(ends(a, &core::Enclosure::lo), ends(b, &core::Enclosure::lo));
    const std::vector<double> hi = direct(ends(a, &core::Enclosure::hi), ends(b, &core::Enclosure::hi));
    product.enclosures.reserve(lo.size());
    for (std::size_t n = 0; n < lo.size(); ++n) {
        const double terms = static_cast<double>(n) + 4;
        product.enclosures.push_back(probability(lo[n] * (1 - 2 * terms * unit) - terms * smallest,
                                                 hi[n] * (1 + 2 * terms * unit) + terms * smallest));
    }
    return product;
}

using Spectrum = std::vector<std::complex<double>>;

class Transform {
public:
    explicit Transform(std::size_t length) {
        while (size_ < 2 * length) size_ *= 2;
        fft_.SetFlag(Eigen::FFT<double>::HalfSpectrum);
    }

    Spectrum forward(std::vector<double> row) {
        row.resize(size_, 0.0);
        Spectrum spectrum;
        fft_.fwd(spectrum, row);
        return spectrum;
    }

    std::vector<double> back(const Spectrum& spectrum, std::size_t length) {
        std::vector<double> row;
        fft_.inv(row, spectrum, static_cast<Eigen::Index>(size_));
        row.resize(length);
        for (double& value : row) value = std::max(value, 0.0);
        return row;
    }

private:
    std::size_t size_ = 2;
    Eigen::FFT<double> fft_;
};

double norm(const std::vector<double>& row) {
    return std::sqrt(numerics::compensated_dot(row, row));
}

double largest_error(const Row& row) {
    double largest = 0;
    for (std::size_t n = 0; n < row.values.size(); ++n)
        largest = std::max({largest, row.enclosures[n].hi - row.values[n], row.values[n] - row.enclosures[n].lo});
    return largest;
}

Row convolve_by_fft(const Row& a, const Row& b, bool is_square) {
    const std::size_t length = a.values.size();
    Transform transform(length);
    Spectrum spectrum = transform.forward(a.values);
    const Spectrum other = is_square ? spectrum : transform.forward(b.values);
    for (std::size_t k = 0; k < spectrum.size(); ++k) spectrum[k] *= other[k];
    Row product{transform.back(spectrum, length), {}};
    if (!a.is_enclosed() || !b.is_enclosed()) return product;
    const double size = static_cast<double>(length);
    const double norm_a = norm(a.values);
    const double norm_b = norm(b.values);
    // Forward transforms err by the norm of the rows, the one back by that of the product, which is at most either
    // row's.
    const double rounding = 32 * unit * std::log2(2 * size) * (norm_a * norm_b + std::min(norm_a, norm_b));
    const double error_a = largest_error(a);
    const double error_b = largest_error(b);
    // Rows add up to 1 at most, so an error of one row's entries comes through no larger.
    const double error = (1 + 1e-9) * (rounding + error_a + error_b + size * error_a * error_b);
    product.enclosures.reserve(length);
    for (const double value : product.values) product.enclosures.push_back(probability(value - error, value + error));
    return product;
}

double shift_of(const evaluate::RowSums& sums) {
    if (!std::isfinite(sums.shift) || std::isnan(sums.sums.total))
        throw core::PreconditionError("softmax", "logits", "none is finite", "a finite one, and none infinite");
    return sums.shift;
}

}  // namespace

Row convolve(const Row& a, const Row& b) {
    if (a.values.size() != b.values.size())
        throw core::PreconditionError("convolve", "b", std::to_string(b.values.size()) + " distances", "as many as a");
    return a.values.size() <= longest_direct ? convolve_directly(a, b) : convolve_by_fft(a, b, &a == &b);
}

Row convolution_power(const Row& row, std::size_t layers) {
    if (layers == 0) throw core::PreconditionError("convolution_power", "layers", "0", "1 at least");
    std::size_t bit = 1;
    while (bit * 2 <= layers) bit *= 2;
    Row power = row;
    for (bit /= 2; bit > 0; bit /= 2) {
        power = convolve(power, power);
        if (layers & bit) power = convolve(power, row);
    }
    return power;
}

Row with_residual(const Row& row, double residual, const core::Enclosure& enclosure) {
    Row mixed = row;
    for (double& value : mixed.values) value *= 1 - residual;
    mixed.values[0] += residual;
    for (std::size_t n = 0; n < mixed.enclosures.size(); ++n) {
        Interval value = (numerics::point(1) - of(enclosure)) * of(row.enclosures[n]);
        if (n == 0) value = value + of(enclosure);
        mixed.enclosures[n] = probability(value.lo, value.hi);
    }
    return mixed;
}

Row softmax(std::span<const double> logits, std::span<const core::Enclosure> enclosures) {
    Row row{std::vector<double>(logits.size()), {}};
    const double shift = shift_of(evaluate::softmax_row(logits, row.values, {}));
    if (enclosures.empty()) return row;
    std::vector<Interval> weights;
    weights.reserve(enclosures.size());
    Interval sum = numerics::point(0);
    for (const core::Enclosure& enclosure : enclosures) {
        // A hidden distance has no weight at all.
        const bool is_hidden = enclosure.hi == -std::numeric_limits<double>::infinity();
        const Interval logit = of(enclosure) - numerics::point(shift);
        weights.push_back(is_hidden ? numerics::point(0) : numerics::fast::exp(logit));
        sum = sum + weights.back();
    }
    row.enclosures.reserve(weights.size());
    for (const Interval& weight : weights) {
        const Interval share = weight.hi == 0 ? weight : weight / sum;
        row.enclosures.push_back(probability(share.lo, std::min(share.hi, 1.0)));
    }
    return row;
}

Cumulated cumulated_softmax(std::span<const double> logits) {
    Cumulated both{{std::vector<double>(logits.size()), {}}, {std::vector<double>(logits.size()), {}}};
    shift_of(evaluate::softmax_row(logits, both.row.values, both.sums.values));
    return both;
}

Row cumulate(const Row& row) {
    Row sums;
    if (!row.is_enclosed()) {
        sums.values.resize(row.values.size());
        evaluate::running_sums(row.values, sums.values);
        return sums;
    }
    // Term by term, as their enclosures are summed.
    numerics::Accumulator total;
    for (const double value : row.values) {
        total.add(value);
        sums.values.push_back(total.total());
    }
    Interval bounds = numerics::point(0);
    for (const core::Enclosure& enclosure : row.enclosures) {
        bounds = bounds + of(enclosure);
        sums.enclosures.push_back({bounds.lo, bounds.hi});
    }
    return sums;
}

}  // namespace farfield::quantity
