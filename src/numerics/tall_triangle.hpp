// The triangle of a tall matrix's QR factorisation, computed block by block of rows, about as fast as memory allows.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace farfield::numerics {

/// R of A = QR by Householder reflections, for an A of `size` columns whose rows arrive in blocks. The accuracy is that
/// of a Householder QR of the whole matrix, column by column (Higham, Accuracy and Stability of Numerical Algorithms,
/// Theorem 19.4, with the length of a block in the place of the rows and one step for each block).
class TallTriangle {
public:
    explicit TallTriangle(std::size_t size) : size_(size), entries_(size * size, 0.0) {}

    /// Adds `rows` rows, column-major with `stride` numbers from column to column; they are overwritten. `meanwhile` is
    /// called size (size + 1)/2 times at most, between equal amounts of work.
    void add(double* block, std::size_t rows, std::size_t stride, const std::function<void()>& meanwhile);

    /// Entry of row i and column j >= i.
    double at(std::size_t i, std::size_t j) const { return entries_[i * size_ + j]; }

private:
    std::size_t size_;
    std::vector<double> entries_;
};

}  // namespace farfield::numerics
