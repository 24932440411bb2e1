// The operations of a host or device on long arrays in its memory. They are written once with Thrust
// (thrust_operations.hpp), and compiled for the host (host.cpp) and for a CUDA device (cuda/operations.cu).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "evaluate/machine/row.cuh"
#include "evaluate/machine/store.hpp"

namespace farfield::evaluate {

/// Real Fourier transforms, unnormalised, of arrays in the memory of a host or device. Spectra have length/2 + 1
/// numbers, with real and imaginary parts next to each other. Throws MachineError.
class Fourier {
public:
    virtual ~Fourier() = default;
    virtual void forward(const double* row, std::size_t length, double* spectrum) = 0;
    virtual void back(double* spectrum, std::size_t length, double* row) = 0;
};

/// The columns of a fit and its data, all of one length.
struct FitRows {
    std::vector<device::Row> columns;
    device::FitData fit;
};

/// All pointers are to the memory of the host or device. Folds process a row in the same order (fold.cuh) on host and
/// device and for any number of threads. If they only add and multiply, the bits are the same everywhere. Every call
/// throws MachineError.
class Operations {
public:
    virtual ~Operations() = default;

    virtual device::Extremes extremes(const device::Row& x) = 0;
    /// sum x_i, as numerics::compensated_sum().
    virtual double sum(const device::Row& x) = 0;
    /// sum x_i y_i, as numerics::compensated_dot().
    virtual double dot(const device::Row& x, const device::Row& y) = 0;
    /// As evaluate::sum_row(): each sum within (300 + 2 |scale x_i - shift|) 2^-53 of the size of its terms. `next` is
    /// the exponent after the last, -inf if none follows.
    virtual device::RowSums weights(const device::Row& x, double scale, double next) = 0;
    virtual device::Steps steps(const device::Row& x) = 0;
    /// The first index of a number above the limit; nowhere without one.
    virtual std::size_t first_above(const device::Row& x, double limit) = 0;
    /// Weighted products of a fit's columns, ones and its data without the offset, any number of factors: the pair i <=
    /// j of them at pair_index(). Sums also accumulate their errors.
    virtual std::vector<device::Sum> products(const FitRows& rows) = 0;
    /// The residuals data - offset - sum_j parameter_j column_j.
    virtual device::Residuals residuals(const FitRows& rows, std::span<const double> parameters, double centre) = 0;

    /// exp(x_i - shift) share, 0 where x_i is -inf.
    virtual void share_out(const device::Row& x, double shift, double share, double* result) = 0;
    /// Running sums of numbers that are not negative, each within 200 x 2^-53 of itself.
    virtual void running_sums(const device::Row& x, double* result) = 0;
    /// x_i factor, and `first` more at 0.
    virtual void mix(const device::Row& x, double factor, double first, double* result) = 0;
    virtual void subtract(const device::Row& a, const device::Row& b, double* result) = 0;
    /// The mean of one row or more, all of one length, added up in their order.
    virtual void mean(const std::vector<device::Row>& rows, double* result) = 0;
    /// [heads, length, length] of biases by distance [heads, 2 length - 1], from that of the first query and the last
    /// key on, as quantity::bias_matrix() computes.
    virtual void spread_distances(const double* by_distance, std::size_t heads, std::size_t length, double* result) = 0;
    /// The union of a set of integers, 64 a word, moved up by each of the shifts; bits that leave the words are lost.
    virtual void unite_shifted(const std::uint64_t* set, std::size_t words, const long long* shifts, std::size_t count,
                               std::uint64_t* result) = 0;
    /// c_n = sum_j a_(n-j) b_j for n below a.count, which b.count is, as numerics::convolve(): the rows are not
    /// negative, and no entry of the result is below zero. Uses Fourier transforms.
    virtual void convolve(const device::Row& a, const device::Row& b, double* result) = 0;
};

/// The index of the pair i <= j of factors in sums of products of `rows` factors.
constexpr std::size_t pair_index(std::size_t i, std::size_t j, std::size_t rows) {
    return i * rows - i * (i + 1) / 2 + j;
}

/// The operations of the host, over a store in host memory.
std::unique_ptr<Operations> host_operations(Store& store, std::unique_ptr<Fourier> fourier);

/// The memory of the host.
class HostStore : public Store {
public:
    Pointer allocate(std::size_t bytes) override;
    void release(Pointer memory) noexcept override;
    void copy_in(Pointer to, const void* from, std::size_t bytes) override;
    void copy_out(void* to, Pointer from, std::size_t bytes) override;
};

}  // namespace farfield::evaluate
