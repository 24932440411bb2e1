#include "farfield/numerics/sum.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "numerics/parallel.hpp"
#include "numerics/precondition.hpp"

namespace farfield::numerics {

namespace {

constexpr std::size_t block_size = 16384;
constexpr std::size_t lanes = 8;

// Independent sums side by side, so that the processor does not wait for one addition before it starts the next.
struct Lanes {
    std::array<double, lanes> sum{};
    std::array<double, lanes> error{};
};

void add_values(Lanes& into, const double* x) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        const DoubleDouble step = two_sum(into.sum[lane], x[lane]);
        into.sum[lane] = step.hi;
        into.error[lane] += step.lo;
    }
}

DoubleDouble put_together(const Lanes& lanes_of_block) {
    Accumulator total;
    for (const double sum : lanes_of_block.sum) total.add(sum);
    // The error of an infinite sum is NaN and is ignored.
    for (const double error : lanes_of_block.error) total.add(std::isfinite(error) ? error : 0);
    return total.parts();
}

DoubleDouble sum_of_block(const double* x, std::size_t count) {
    Lanes running;
    const std::size_t whole = count - count % lanes;
    for (std::size_t i = 0; i < whole; i += lanes) add_values(running, x + i);
    std::array<double, lanes> rest{};
    std::copy(x + whole, x + count, rest.begin());
    add_values(running, rest.data());
    return put_together(running);
}

DoubleDouble dot_of_block(const double* x, const double* y, std::size_t count) {
    Accumulator total;
    for (std::size_t i = 0; i < count; ++i) {
        const DoubleDouble product = two_product(x[i], y[i]);
        total.add(product.hi);
        if (std::isfinite(product.lo)) total.add(product.lo);
    }
    return total.parts();
}

template <class OfBlock>
double over_blocks(std::size_t count, OfBlock of_block) {
    const std::size_t blocks = (count + block_size - 1) / block_size;
    std::vector<DoubleDouble> sums(blocks);
    in_parallel(blocks, 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t block = begin; block < end; ++block) {
            const std::size_t first = block * block_size;
            sums[block] = of_block(first, std::min(block_size, count - first));
        }
    });
    Accumulator total;
    for (const DoubleDouble& sum : sums) total.add(sum.hi);
    for (const DoubleDouble& sum : sums) total.add(sum.lo);
    return total.total();
}

}  // namespace

double compensated_sum(std::span<const double> values) {
    return over_blocks(values.size(), [&](std::size_t first, std::size_t count) {
        return sum_of_block(values.data() + first, count);
    });
}

double compensated_dot(std::span<const double> x, std::span<const double> y) {
    if (x.size() != y.size()) {
        refuse("numerics::compensated_dot", "y.size()", std::to_string(y.size()), std::to_string(x.size()));
    }
    return over_blocks(x.size(), [&](std::size_t first, std::size_t count) {
        return dot_of_block(x.data() + first, y.data() + first, count);
    });
}

}  // namespace farfield::numerics
