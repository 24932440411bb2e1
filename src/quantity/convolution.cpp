#include "quantity/convolution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <farfield/core/error.hpp>
#include <farfield/numerics/convolution.hpp>
#include <farfield/numerics/fast/interval_functions.hpp>
#include <farfield/numerics/interval.hpp>
#include <farfield/numerics/sum.hpp>

#include "numerics/lanes/lanes.hpp"
#include "numerics/parallel.hpp"
#include "quantity/tabulate.hpp"

namespace farfield::quantity {
namespace {

using numerics::Interval;

constexpr std::size_t longest_direct = 4096;
constexpr std::size_t sums_at_once = 256;
constexpr double unit = std::numeric_limits<double>::epsilon() / 2;
constexpr double smallest = std::numeric_limits<double>::denorm_min();

/// The enclosure of a probability, cut at 0.
core::Enclosure probability(double lo, double hi) {
    return {std::max(lo, 0.0), hi};
}

/// Adds in the order of a's entries, for any vector width and any number of threads.
std::vector<double> direct(const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> sums(a.size(), 0.0);
    numerics::in_parallel(sums.size(), sums_at_once, [&](std::size_t begin, std::size_t end) {
        for (std::size_t j = 0; j < end; ++j) {
            if (a[j] == 0) continue;
            const std::size_t first = std::max(begin, j);
            numerics::lane_functions().subtract(-a[j], b.data() + (first - j), sums.data() + first, end - first);
        }
    });
    return sums;
}

std::vector<double> ends(const Row& row, double core::Enclosure::*end) {
    std::vector<double> numbers;
    numbers.reserve(row.enclosures.size());
    for (const core::Enclosure& enclosure : row.enclosures) numbers.push_back(enclosure.*end);
    return numbers;
}

/// All terms are positive, so the error of n + 1 products and sums is (n + 1) units of the sum, and an underflow each.
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

/// NaN if an entry may be anything.
double largest_error(const Row& row) {
    Interval largest = numerics::point(0);
    for (std::size_t n = 0; n < row.values.size(); ++n)
        largest =
            numerics::max(largest, numerics::abs(interval_of(row.enclosures[n]) - numerics::point(row.values[n])));
    return largest.hi;
}

Row convolve_by_fft(const Row& a, const Row& b) {
    Row product{evaluate::convolve(evaluate::Array(a.values), evaluate::Array(b.values)).values(), {}};
    if (!a.is_enclosed() || !b.is_enclosed()) return product;
    const double error_a = largest_error(a);
    const double error_b = largest_error(b);
    // Rows add up to at most 1, so an error in the entries of one row does not grow.
    const double error = (1 + 1e-9) * (numerics::convolution_error_bound(a.values.here(), b.values.here()) + error_a +
                                       error_b + static_cast<double>(a.values.size()) * error_a * error_b);
    product.enclosures.reserve(a.values.size());
    for (const double value : product.values) {
        const Interval sum = numerics::point(value) + Interval{-error, error};
        product.enclosures.push_back(probability(sum.lo, sum.hi));
    }
    return product;
}

void check(const evaluate::RowSums& sums) {
    if (!std::isfinite(sums.shift) || std::isnan(sums.total))
        throw core::PreconditionError("softmax", "logits", "none is finite", "a finite one, and none infinite");
}

}  // namespace

Row convolve(const Row& a, const Row& b) {
    if (a.values.size() != b.values.size())
        throw core::PreconditionError("convolve", "b", std::to_string(b.values.size()) + " distances", "as many as a");
    if (a.values.size() <= longest_direct) return convolve_directly(a, b);
    return convolve_by_fft(a, b);
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
    Row mixed{evaluate::mix(evaluate::Array(row.values), 1 - residual, residual).values(), row.enclosures};
    for (std::size_t n = 0; n < mixed.enclosures.size(); ++n) {
        Interval value = (numerics::point(1) - interval_of(enclosure)) * interval_of(row.enclosures[n]);
        if (n == 0) value = value + interval_of(enclosure);
        mixed.enclosures[n] = probability(value.lo, value.hi);
    }
    return mixed;
}

Row softmax(const evaluate::Array& logits, std::span<const core::Enclosure> enclosures) {
    const evaluate::Softmax found = evaluate::softmax(logits);
    check(found.whole);
    Row row{found.row.values(), {}};
    if (enclosures.empty()) return row;
    std::vector<Interval> weights;
    weights.reserve(enclosures.size());
    Interval sum = numerics::point(0);
    for (const core::Enclosure& enclosure : enclosures) {
        // A masked distance has no weight.
        const bool is_hidden = enclosure.hi == -std::numeric_limits<double>::infinity();
        const Interval logit = interval_of(enclosure) - numerics::point(found.whole.shift);
        weights.push_back(is_hidden ? numerics::point(0) : numerics::fast::exp(logit));
        sum = sum + weights.back();
    }
    row.enclosures.reserve(weights.size());
    // If a logit is not known to have a value, or no distance is known to be visible, no weight has a known value, not
    // even that of a masked distance.
    if (!(sum.lo > 0)) {
        const Interval unknown = numerics::undefined_interval();
        row.enclosures.assign(weights.size(), {unknown.lo, unknown.hi});
        return row;
    }
    for (const Interval& weight : weights) {
        const Interval share = weight.hi == 0 ? weight : weight / sum;
        row.enclosures.push_back(probability(share.lo, std::min(share.hi, 1.0)));
    }
    return row;
}

Cumulated cumulated_softmax(const evaluate::Array& logits) {
    const evaluate::Softmax found = evaluate::softmax_with_sums(logits);
    check(found.whole);
    return {{found.row.values(), {}}, {found.sums.values(), {}}};
}

Row cumulate(const Row& row) {
    if (!row.is_enclosed()) return {evaluate::running_sums(evaluate::Array(row.values)).values(), {}};
    Row sums;
    // Term by term, as their enclosures are summed.
    numerics::Accumulator total;
    for (const double value : row.values) {
        total.add(value);
        sums.values.push_back(total.total());
    }
    Interval bounds = numerics::point(0);
    for (const core::Enclosure& enclosure : row.enclosures) {
        bounds = bounds + interval_of(enclosure);
        sums.enclosures.push_back({bounds.lo, bounds.hi});
    }
    return sums;
}

}  // namespace farfield::quantity
