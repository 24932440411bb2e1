// Products of real polynomials by Fourier transforms of half the length of the product.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

namespace farfield::numerics {

/// The right-angle convolution: with w = exp(i pi/(2 N)), the cyclic convolution of a_j w^j and b_j w^j over N entries
/// is w^m (c_m + i c_(m+N)) for the linear convolution c of two real rows of at most N entries, so that no padding with
/// zeros is needed. The transform of N = n1 n2 points is split into n2 of n1 points and n1 of n2, each of which fits
/// into the cache. The result keeps the order in which it is computed.
class RightAngleConvolution {
public:
    using Complex = std::complex<double>;
    using Spectrum = std::vector<Complex>;

    /// For factors of at most `longest` entries.
    explicit RightAngleConvolution(std::size_t longest);

    /// First `kept` entries of the linear convolution of two rows, or of one with itself.
    std::vector<double> product(std::span<const double> a, std::span<const double> b, std::size_t kept) const;
    std::vector<double> square(std::span<const double> row, std::size_t kept) const;

private:
    Complex root(std::size_t index) const;
    void transform_columns(std::span<const double> row, Spectrum& values) const;
    void multiply_rows(Spectrum& values, const Spectrum* other) const;
    std::vector<double> back(const Spectrum& values, std::size_t kept) const;

    std::size_t columns_;  // n2
    std::size_t rows_;     // n1
    // exp(i pi m/(2 N)) is coarse[m >> shift] fine[m mod 2^shift].
    unsigned shift_ = 0;
    Spectrum coarse_;
    Spectrum fine_;
};

}  // namespace farfield::numerics
