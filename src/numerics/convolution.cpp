#include "farfield/numerics/convolution.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "farfield/numerics/sum.hpp"
#include "numerics/precondition.hpp"
#include "numerics/right_angle.hpp"

namespace farfield::numerics {

namespace {

using Row = std::vector<double>;

// Up to this length of the shorter factor direct summation is used.
constexpr std::size_t longest_direct = 64;

void check(std::span<const double> row, std::string_view name) {
    for (const double entry : row) {
        if (!(entry >= 0 && std::isfinite(entry))) {
            refuse("numerics::convolve", name, std::to_string(entry), "nonnegative finite entries");
        }
    }
}

// The entries up to the last nonzero one.
std::span<const double> without_trailing_zeros(std::span<const double> row) {
    const auto last = std::find_if(row.rbegin(), row.rend(), [](double entry) { return entry != 0; });
    return row.first(static_cast<std::size_t>(row.rend() - last));
}

// The first `length` entries, at least as many as `shorter` has.
Row multiplied_directly(std::span<const double> longer, std::span<const double> shorter, std::size_t length) {
    Row product(length, 0.0);
    for (std::size_t j = 0; j < shorter.size(); ++j) {
        const std::size_t end = std::min(longer.size(), length - j);
        for (std::size_t i = 0; i < end; ++i) product[i + j] += longer[i] * shorter[j];
    }
    return product;
}

// The first `kept` entries of the product of rows that do not end in zeros.
Row multiplied(std::span<const double> a, std::span<const double> b, std::size_t kept) {
    if (b.size() > a.size()) std::swap(a, b);
    if (b.size() <= longest_direct) return multiplied_directly(a, b, kept);
    const RightAngleConvolution convolution(a.size());
    const bool is_square = a.data() == b.data() && a.size() == b.size();
    Row product = is_square ? convolution.square(a, kept) : convolution.product(a, b, kept);
    // Only rounding errors can make an entry negative.
    for (double& entry : product) entry = std::max(entry, 0.0);
    return product;
}

}  // namespace

std::vector<double> convolve(std::span<const double> a, std::span<const double> b) {
    if (a.size() != b.size()) refuse("numerics::convolve", "b", std::to_string(b.size()) + " entries", "as many as a");
    check(a, "a");
    check(b, "b");
    const std::span<const double> left = without_trailing_zeros(a);
    const std::span<const double> right = without_trailing_zeros(b);
    Row product;
    if (!left.empty() && !right.empty())
        product = multiplied(left, right, std::min(a.size(), left.size() + right.size() - 1));
    product.resize(a.size(), 0.0);
    return product;
}

double convolution_error_bound(std::span<const double> a, std::span<const double> b) {
    const double norm_a = std::sqrt(compensated_dot(a, a));
    const double norm_b = std::sqrt(compensated_dot(b, b));
    const double of_product = std::min(norm_a * compensated_sum(b), norm_b * compensated_sum(a));
    const double length = static_cast<double>(std::max<std::size_t>(a.size(), 1));
    return 0x1p-48 * std::log2(2 * length) * (norm_a * norm_b + of_product);
}

}  // namespace farfield::numerics
