#include "numerics/right_angle.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <unsupported/Eigen/FFT>

#include <farfield/numerics/double_double.hpp>
#include <farfield/numerics/processors.hpp>

#include "numerics/parallel.hpp"

namespace farfield::numerics {

namespace {

using Complex = RightAngleConvolution::Complex;
using Spectrum = RightAngleConvolution::Spectrum;
using Transform = Eigen::FFT<double>;

// Columns that are processed together, so that whole cache lines are read and written.
constexpr std::size_t columns_at_once = 8;

// The product of std::complex checks its result for NaN; these numbers are never NaN.
Complex times(const Complex& a, const Complex& b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

bool has_small_factors_alone(std::size_t size) {
    for (const std::size_t factor : {2, 3, 5}) {
        while (size % factor == 0) size /= factor;
    }
    return size == 1;
}

// The smallest number from `needed` on whose prime factors are 2, 3 and 5, for which the transform is fast. It is not a
// multiple of 64, because entries at such distances would share a few places of the cache.
std::size_t smooth(std::size_t needed) {
    while (!has_small_factors_alone(needed) || needed % 64 == 0) ++needed;
    return needed;
}

// e^(2 pi i k / order) for an order that 4 divides. Angles up to pi/4 with twice the digits of double give the others.
Complex root_of_one(std::size_t k, std::size_t order) {
    constexpr DoubleDouble two_pi = {6.283185307179586, 2.4492935982947064e-16};
    const std::size_t quarter = order / 4;
    const std::size_t rest = k % quarter;
    const bool is_mirrored = 2 * rest > quarter;
    const DoubleDouble angle =
        two_pi * static_cast<double>(is_mirrored ? quarter - rest : rest) / DoubleDouble{static_cast<double>(order), 0};
    const double sine = std::sin(angle.hi);
    const double cosine = std::cos(angle.hi);
    Complex root(cosine - angle.lo * sine, sine + angle.lo * cosine);
    if (is_mirrored) root = {root.imag(), root.real()};
    for (std::size_t turns = k / quarter % 4; turns > 0; --turns) root = {-root.imag(), root.real()};
    return root;
}

Spectrum roots(std::size_t count, std::size_t step, std::size_t order) {
    Spectrum result(count);
    for (std::size_t i = 0; i < count; ++i) result[i] = root_of_one(i * step, order);
    return result;
}

// Columns or rows of one range for each thread, since each range prepares a transform.
std::size_t share_of_a_thread(std::size_t count) {
    const std::size_t share = (count + processors() - 1) / processors();
    return (share + columns_at_once - 1) / columns_at_once * columns_at_once;
}

Transform unscaled() {
    Transform transform;
    transform.SetFlag(Transform::Unscaled);
    return transform;
}

}  // namespace

RightAngleConvolution::RightAngleConvolution(std::size_t longest)
    : columns_(smooth(static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(longest)))))),
      rows_(smooth((longest + columns_ - 1) / columns_)) {
    const std::size_t order = 4 * columns_ * rows_;
    shift_ = static_cast<unsigned>(std::bit_width(order)) / 2;
    const std::size_t fine = std::size_t{1} << shift_;
    coarse_ = roots(order / fine + 1, fine, order);
    fine_ = roots(fine, 1, order);
}

Complex RightAngleConvolution::root(std::size_t index) const {
    return times(coarse_[index >> shift_], fine_[index & (fine_.size() - 1)]);
}

// Weights, transforms of columns and twiddle factors: values[k1 n2 + j2].
void RightAngleConvolution::transform_columns(std::span<const double> row, Spectrum& values) const {
    const std::size_t order = 4 * columns_ * rows_;
    in_parallel(columns_, share_of_a_thread(columns_), [&](std::size_t begin, std::size_t end) {
        Transform transform = unscaled();
        Spectrum gathered(columns_at_once * rows_);
        Spectrum transformed(rows_);
        for (std::size_t first = begin; first < end; first += columns_at_once) {
            const std::size_t count = std::min(columns_at_once, end - first);
            for (std::size_t j1 = 0; j1 < rows_; ++j1) {
                for (std::size_t c = 0; c < count; ++c) {
                    const std::size_t index = j1 * columns_ + first + c;
                    gathered[c * rows_ + j1] = index < row.size() ? row[index] * root(index) : Complex(0);
                }
            }
            for (std::size_t c = 0; c < count; ++c) {
                transform.fwd(transformed.data(), &gathered[c * rows_], static_cast<Eigen::Index>(rows_));
                std::copy(transformed.begin(), transformed.end(),
                          gathered.begin() + static_cast<std::ptrdiff_t>(c * rows_));
            }
            for (std::size_t k1 = 0; k1 < rows_; ++k1) {
                for (std::size_t c = 0; c < count; ++c) {
                    const Complex twiddle = std::conj(root(4 * k1 * (first + c) % order));
                    values[k1 * columns_ + first + c] = times(gathered[c * rows_ + k1], twiddle);
                }
            }
        }
    });
}

// Transforms of rows, their product with the other's transforms or with themselves, and back.
void RightAngleConvolution::multiply_rows(Spectrum& values, const Spectrum* other) const {
    in_parallel(rows_, share_of_a_thread(rows_), [&](std::size_t begin, std::size_t end) {
        Transform transform = unscaled();
        Spectrum row(columns_);
        Spectrum factor(columns_);
        for (std::size_t k1 = begin; k1 < end; ++k1) {
            Complex* place = &values[k1 * columns_];
            const auto size = static_cast<Eigen::Index>(columns_);
            transform.fwd(row.data(), place, size);
            if (other != nullptr) transform.fwd(factor.data(), &(*other)[k1 * columns_], size);
            const Spectrum& by = other == nullptr ? row : factor;
            for (std::size_t k2 = 0; k2 < columns_; ++k2) row[k2] = times(row[k2], by[k2]);
            transform.inv(place, row.data(), size);
        }
    });
}

std::vector<double> RightAngleConvolution::back(const Spectrum& values, std::size_t kept) const {
    const std::size_t size = columns_ * rows_;
    const double scale = 1 / static_cast<double>(size);
    std::vector<double> result(kept);
    in_parallel(columns_, share_of_a_thread(columns_), [&](std::size_t begin, std::size_t end) {
        Transform transform = unscaled();
        Spectrum gathered(columns_at_once * rows_);
        Spectrum column(rows_);
        for (std::size_t first = begin; first < end; first += columns_at_once) {
            const std::size_t count = std::min(columns_at_once, end - first);
            for (std::size_t k1 = 0; k1 < rows_; ++k1) {
                for (std::size_t c = 0; c < count; ++c) {
                    const Complex twiddle = root(4 * k1 * (first + c) % (4 * size));
                    gathered[c * rows_ + k1] = times(values[k1 * columns_ + first + c], twiddle);
                }
            }
            for (std::size_t c = 0; c < count; ++c) {
                transform.inv(column.data(), &gathered[c * rows_], static_cast<Eigen::Index>(rows_));
                for (std::size_t j1 = 0; j1 < rows_; ++j1) {
                    const std::size_t index = j1 * columns_ + first + c;
                    const Complex entry = times(column[j1], std::conj(root(index)));
                    if (index < kept) result[index] = entry.real() * scale;
                    if (index + size < kept) result[index + size] = entry.imag() * scale;
                }
            }
        }
    });
    return result;
}

std::vector<double> RightAngleConvolution::product(std::span<const double> a, std::span<const double> b,
                                                   std::size_t kept) const {
    Spectrum values(columns_ * rows_);
    Spectrum other(columns_ * rows_);
    transform_columns(a, values);
    transform_columns(b, other);
    multiply_rows(values, &other);
    return back(values, kept);
}

std::vector<double> RightAngleConvolution::square(std::span<const double> row, std::size_t kept) const {
    Spectrum values(columns_ * rows_);
    transform_columns(row, values);
    multiply_rows(values, nullptr);
    return back(values, kept);
}

}  // namespace farfield::numerics
