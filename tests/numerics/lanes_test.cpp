// Expected values: the same sums term by term in long double, and the narrowest vectors' digits.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "numerics/lanes/lanes.hpp"

using namespace farfield::numerics;

namespace {

std::vector<const LaneFunctions*> all_widths() {
    std::vector<const LaneFunctions*> widths;
#define ADD(set) \
    if (runs::set()) widths.push_back(&set::lanes);
    FARFIELD_INSTRUCTION_SETS(ADD)
#undef ADD
    return widths;
}

std::pair<std::vector<double>, std::vector<double>> columns(std::size_t count) {
    std::vector<double> x(count);
    std::vector<double> y(count);
    for (std::size_t i = 0; i < count; ++i) {
        x[i] = std::cos(1.7 * static_cast<double>(i)) - 0.1;
        y[i] = std::sqrt(static_cast<double>(i + 1)) - 3;
    }
    return {x, y};
}

}  // namespace

TEST_CASE("sums and multiples of columns of any length are right, with the same digits for each vector width") {
    for (std::size_t count = 0; count < 200; ++count) {
        const auto [x, y] = columns(count);
        long double dot = 0, sum = 0, spread = 0, magnitudes = 0;
        double largest = 0;
        for (std::size_t i = 0; i < count; ++i) {
            dot += static_cast<long double>(x[i]) * y[i];
            sum += y[i];
            spread += (static_cast<long double>(y[i]) - 0.5L) * (static_cast<long double>(y[i]) - 0.5L);
            magnitudes += std::abs(y[i]) + std::abs(x[i] * y[i]) + (y[i] - 0.5) * (y[i] - 0.5);
            largest = std::max(largest, std::abs(x[i]));
        }
        // Each term and each addition is rounded once (Higham, Accuracy and Stability, section 3.1).
        const double bound = static_cast<double>(magnitudes) * static_cast<double>(count + 3) * 0x1p-53;
        for (const LaneFunctions* const width : all_widths()) {
            INFO(count << " numbers");
            CHECK(std::abs(width->dot(x.data(), y.data(), count) - static_cast<double>(dot)) <= bound);
            CHECK(std::abs(width->sum(y.data(), count) - static_cast<double>(sum)) <= bound);
            CHECK(std::abs(width->spread(y.data(), 0.5, count) - static_cast<double>(spread)) <= bound);
            CHECK(width->largest(x.data(), count) == largest);
            CHECK(width->dot(x.data(), y.data(), count) == base::lanes.dot(x.data(), y.data(), count));
            CHECK(width->sum(y.data(), count) == base::lanes.sum(y.data(), count));
            CHECK(width->spread(y.data(), 0.5, count) == base::lanes.spread(y.data(), 0.5, count));
            std::vector<double> left = y;
            width->subtract(0.3, x.data(), left.data(), count);
            for (std::size_t i = 0; i < count; ++i) CHECK(left[i] == y[i] - 0.3 * x[i]);
        }
    }
}

// Expected values: the definitions, an element at a time.
TEST_CASE("multiples as floats and extreme differences are those of single elements, for each vector width") {
    for (std::size_t count = 0; count < 70; ++count) {
        std::vector<double> x = columns(count).first;
        if (count > 40) x[count / 2] = 0x1p127;  // times 2.3 it is no float
        for (const LaneFunctions* const width : all_widths()) {
            INFO(count << " numbers");
            std::vector<double> floats = x;
            width->multiply_to_floats(2.3, floats.data(), count);
            for (std::size_t i = 0; i < count; ++i)
                CHECK(floats[i] == static_cast<double>(static_cast<float>(2.3 * x[i])));
            double least = HUGE_VAL, most = -HUGE_VAL;
            for (std::size_t i = 0; i < count; ++i) {
                const double position = 17 + static_cast<double>(i);
                least = std::min(least, x[i] - position * 0.37);
                most = std::max(most, x[i] - position * 0.36);
            }
            const Ends ends = width->differences(x.data(), 17, {0.36, 0.37}, count);
            CHECK(ends.low == least);
            CHECK(ends.high == most);
        }
    }
}
