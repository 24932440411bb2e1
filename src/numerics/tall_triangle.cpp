#include "numerics/tall_triangle.hpp"

#include <cmath>
#include <cstring>

namespace farfield::numerics {

namespace {

typedef double Lanes __attribute__((vector_size(32)));
constexpr std::size_t lanes = sizeof(Lanes) / sizeof(double);
constexpr std::size_t side_by_side = 4;

// y -= factor x.
void subtract_multiple(double factor, const double* x, double* y, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) y[i] -= factor * x[i];
}

// The sum of term(vector loaded from i on), or of one number, over all i.
template <class Term>
double summed(std::size_t count, Term term) {
    constexpr std::size_t step = lanes * side_by_side;
    Lanes sums[side_by_side] = {};
    std::size_t i = 0;
    for (; i + step <= count; i += step) {
        for (std::size_t j = 0; j < side_by_side; ++j) term(i + j * lanes, sums[j]);
    }
    const Lanes together = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    double total = (together[0] + together[1]) + (together[2] + together[3]);
    for (; i < count; ++i) term(i, total);
    return total;
}

template <class Number>
void load(const double* from, Number& to) {
    std::memcpy(&to, from, sizeof to);
}

}  // namespace

double fast_dot(const double* x, const double* y, std::size_t count) {
    return summed(count, [=]<class Number>(std::size_t i, Number& sum) {
        Number left;
        Number right;
        load(x + i, left);
        load(y + i, right);
        sum += left * right;
    });
}

double fast_sum(const double* x, std::size_t count) {
    return summed(count, [=]<class Number>(std::size_t i, Number& sum) {
        Number term;
        load(x + i, term);
        sum += term;
    });
}

double fast_spread(const double* x, double mean, std::size_t count) {
    return summed(count, [=]<class Number>(std::size_t i, Number& sum) {
        Number term;
        load(x + i, term);
        term -= mean;
        sum += term * term;
    });
}

void TallTriangle::add(double* block, std::size_t rows, std::size_t stride) {
    for (std::size_t j = 0; j < size_; ++j) {
        const double* const column = block + j * stride;
        const double below = fast_dot(column, column, rows);
        if (below == 0) continue;
        double* const row = entries_.data() + j * size_;
        const double norm = std::sqrt(row[j] * row[j] + below);
        const double diagonal = row[j] > 0 ? -norm : norm;
        // The reflection I - 2 v v^T/(v^T v) with v = (row[j] - diagonal, column) leaves (diagonal, 0).
        const double head = row[j] - diagonal;
        const double twice_over_square = 2 / (head * head + below);
        row[j] = diagonal;
        for (std::size_t k = j + 1; k < size_; ++k) {
            double* const other = block + k * stride;
            const double factor = twice_over_square * (head * row[k] + fast_dot(column, other, rows));
            row[k] -= factor * head;
            subtract_multiple(factor, column, other, rows);
        }
    }
}

}  // namespace farfield::numerics
