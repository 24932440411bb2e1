#include "farfield/numerics/convolution.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "farfield/numerics/sum.hpp"
#include "numerics/precondition.hpp"
#include "numerics/right_angle.hpp"

namespace farfield::numerics {

namespace {

using Row = std::vector<double>;

// Up to this length of the shorter factor direct summation is used.
constexpr std::size_t longest_direct = 64;

void check(std::span<const double> row, int power) {
    if (power < 1) refuse("numerics::convolution_power", "power", std::to_string(power), "1 or more");
    for (const double entry : row) {
        if (!(entry >= 0 && std::isfinite(entry))) {
            refuse("numerics::convolution_power", "row", std::to_string(entry), "nonnegative finite entries");
        }
    }
}

// Entries up to the last that is not zero.
Row without_trailing_zeros(std::span<const double> row) {
    const auto last = std::find_if(row.rbegin(), row.rend(), [](double entry) { return entry != 0; });
    return {row.begin(), last.base()};
}

Row multiplied_directly(const Row& longer, const Row& shorter, std::size_t length) {
    Row product(length, 0.0);
    for (std::size_t j = 0; j < shorter.size(); ++j) {
        const std::size_t end = std::min(longer.size(), length > j ? length - j : 0);
        for (std::size_t i = 0; i < end; ++i) product[i + j] += longer[i] * shorter[j];
    }
    return product;
}

// Rounding errors alone fall below zero.
Row above_zero(Row row) {
    for (double& entry : row) entry = std::max(entry, 0.0);
    return row;
}

// Products with one row, again and again (no longer than the other factors); keeps its spectrum between them.
class Multiplier {
public:
    Multiplier(const Row& row, std::size_t length) : row_(row), length_(length) {}

    Row square(const Row& factor) {
        const std::size_t kept = kept_of(factor.size(), factor.size());
        if (factor.size() <= longest_direct) return multiplied_directly(factor, factor, kept);
        return above_zero(RightAngleConvolution(factor.size()).square(factor, kept));
    }

    Row times_row(const Row& factor) {
        const std::size_t kept = kept_of(factor.size(), row_.size());
        if (row_.size() <= longest_direct) return multiplied_directly(factor, row_, kept);
        if (size_of_spectrum_ != factor.size()) {
            size_of_spectrum_ = factor.size();
            spectrum_ = RightAngleConvolution(factor.size()).spectrum(row_);
        }
        return above_zero(RightAngleConvolution(factor.size()).product(factor, spectrum_, kept));
    }

private:
    std::size_t kept_of(std::size_t a, std::size_t b) const { return a == 0 ? 0 : std::min(length_, a + b - 1); }

    const Row& row_;
    std::size_t length_;
    RightAngleConvolution::Spectrum spectrum_;
    std::size_t size_of_spectrum_ = 0;
};

}  // namespace

std::vector<double> convolution_power(std::span<const double> row, int power) {
    check(row, power);
    const Row base = without_trailing_zeros(row);
    Multiplier multiplier(base, row.size());
    Row result = base;
    // The bits of the exponent from the second on, from the top: each squares, and a one multiplies by the row once
    // more.
    for (unsigned bit = std::bit_floor(static_cast<unsigned>(power)) / 2; bit != 0; bit /= 2) {
        result = multiplier.square(result);
        if ((static_cast<unsigned>(power) & bit) != 0) result = multiplier.times_row(result);
    }
    result.resize(row.size(), 0.0);
    return result;
}

double convolution_error_bound(std::span<const double> row, int power) {
    check(row, power);
    const double transforms = 12 * std::log2(4 * static_cast<double>(std::max<std::size_t>(row.size(), 1))) * 0x1p-53;
    return (power - 1) * transforms * std::pow(compensated_sum(row), power);
}

}  // namespace farfield::numerics
