#include "farfield/numerics/statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "farfield/numerics/sum.hpp"
#include "numerics/precondition.hpp"

namespace farfield::numerics {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

void check_lengths(const char* function, std::span<const double> x, std::span<const double> y) {
    if (x.size() == y.size()) return;
    refuse(function, "second sample", std::to_string(y.size()) + " numbers", std::to_string(x.size()));
}

// Distances from the mean; their sum consists only of rounding errors.
std::vector<double> centred(std::span<const double> x) {
    const double middle = mean(x);
    std::vector<double> distances(x.begin(), x.end());
    for (double& distance : distances) distance -= middle;
    return distances;
}

bool is_constant(std::span<const double> x) {
    return std::all_of(x.begin(), x.end(), [&](double value) { return value == x.front(); });
}

// Sum of squares about the mean, corrected for the error of the mean (Chan, Golub, LeVeque 1983); zero for equal
// numbers, whose computed mean need not equal them.
double spread(std::span<const double> x) {
    if (is_constant(x)) return 0;
    const std::vector<double> distances = centred(x);
    const double rest = compensated_sum(distances);
    return compensated_dot(distances, distances) - rest * rest / static_cast<double>(x.size());
}

std::vector<double> scaled(std::span<const double> x, int exponent) {
    std::vector<double> all(x.begin(), x.end());
    for (double& number : all) number = std::ldexp(number, -exponent);
    return all;
}

bool has_nan(std::span<const double> x) {
    return std::any_of(x.begin(), x.end(), [](double value) { return std::isnan(value); });
}

}  // namespace

int squaring_exponent(std::span<const double> x) {
    constexpr int most = 200;
    double largest = 0;
    for (const double number : x) largest = std::max(largest, std::fabs(number));
    if (!(largest > 0) || !std::isfinite(largest)) return 0;
    const int exponent = std::ilogb(largest);
    return std::abs(exponent) <= most ? 0 : exponent;
}

double mean(std::span<const double> x) {
    return x.empty() ? unknown : compensated_sum(x) / static_cast<double>(x.size());
}

double sample_deviation(std::span<const double> x) {
    if (x.size() < 2) return unknown;
    const int exponent = squaring_exponent(x);
    return std::ldexp(std::sqrt(spread(scaled(x, exponent)) / static_cast<double>(x.size() - 1)), exponent);
}

double pearson_correlation(std::span<const double> x, std::span<const double> y) {
    check_lengths("numerics::pearson_correlation", x, y);
    if (x.size() < 2 || is_constant(x) || is_constant(y) || has_nan(x) || has_nan(y)) return unknown;
    if (x.size() == 2) return (x[0] < x[1]) == (y[0] < y[1]) ? 1 : -1;  // two points lie on a line
    const std::vector<double> a = centred(scaled(x, squaring_exponent(x)));
    const std::vector<double> b = centred(scaled(y, squaring_exponent(y)));
    const double both = std::sqrt(compensated_dot(a, a)) * std::sqrt(compensated_dot(b, b));
    return std::clamp(compensated_dot(a, b) / both, -1.0, 1.0);
}

std::vector<double> ranks(std::span<const double> x) {
    std::vector<std::size_t> order(x.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
    std::vector<double> rank(x.size());
    for (std::size_t first = 0; first < order.size();) {
        std::size_t end = first;
        while (end < order.size() && x[order[end]] == x[order[first]]) ++end;
        for (std::size_t i = first; i < end; ++i) rank[order[i]] = static_cast<double>(first + end + 1) / 2;
        first = end;
    }
    return rank;
}

double spearman_correlation(std::span<const double> x, std::span<const double> y) {
    check_lengths("numerics::spearman_correlation", x, y);
    if (has_nan(x) || has_nan(y)) return unknown;
    return pearson_correlation(ranks(x), ranks(y));
}

double two_sided_p(double t, double degrees_of_freedom) {
    if (std::isnan(t) || !(degrees_of_freedom > 0)) return unknown;
    if (std::isinf(t)) return 0;
    const boost::math::students_t distribution(degrees_of_freedom);
    return std::min(1.0, 2 * boost::math::cdf(boost::math::complement(distribution, std::fabs(t))));
}

}  // namespace farfield::numerics
