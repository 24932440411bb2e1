#include "farfield/numerics/convolution.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <farfield/numerics/processors.hpp>
#include <limits>
#include <random>
#include <vector>

#include "farfield/core/error.hpp"
#include "support/trials.hpp"

using namespace farfield::numerics;

namespace {

using Row = std::vector<double>;

// The definition, in long double.
std::vector<long double> by_definition(const Row& a, const Row& b) {
    std::vector<long double> result(a.size(), 0.0L);
    for (std::size_t j = 0; j < b.size(); ++j) {
        if (b[j] == 0) continue;
        for (std::size_t i = 0; i + j < a.size(); ++i) result[i + j] += static_cast<long double>(a[i]) * b[j];
    }
    return result;
}

void check_against_definition(const Row& a, const Row& b) {
    const std::vector<long double> expected = by_definition(a, b);
    const Row found = convolve(a, b);
    REQUIRE(found.size() == a.size());
    double worst = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const auto error = static_cast<double>(std::fabs(expected[i] - static_cast<long double>(found[i])));
        worst = std::isnan(error) ? error : std::max(worst, error);
    }
    INFO(a.size() << " entries: error " << worst << ", bound " << convolution_error_bound(a, b));
    CHECK(worst <= convolution_error_bound(a, b));
    CHECK(*std::min_element(found.begin(), found.end()) >= 0);
}

Row normalised(Row row) {
    double sum = 0;
    for (const double entry : row) sum += entry;
    for (double& entry : row) entry /= sum;
    return row;
}

// The shares of a sum of `power` geometric variables, by logarithms of factorials.
double negative_binomial(double ratio, int power, double n) {
    double logarithm = power * std::log1p(-ratio) + n * std::log(ratio);
    for (int k = 1; k < power; ++k) logarithm += std::log((n + k) / k);
    return std::exp(logarithm);
}

}  // namespace

TEST_CASE("short products are those computed by hand") {
    CHECK(convolve(Row{1, 1}, Row{1, 2}) == Row{1, 3});
    CHECK(convolve(Row{1, 2, 3}, Row{1, 2, 3}) == Row{1, 4, 10});
    CHECK(convolve(Row{0, 1, 0, 0}, Row{0, 0, 1, 0}) == Row{0, 0, 0, 1});
    CHECK(convolve(Row{0, 1, 0, 0}, Row{0, 0, 0, 1}) == Row{0, 0, 0, 0});
    CHECK(convolve(Row{0, 0}, Row{1, 1}) == Row{0, 0});
    CHECK(convolve(Row{}, Row{}).empty());
    CHECK(convolve(Row{0.25, 0.5, 0.25, 0, 0}, Row{0.25, 0.5, 0.25, 0, 0}) == Row{0.0625, 0.25, 0.375, 0.25, 0.0625});
}

TEST_CASE("products agree with the definition within the stated bound, for any length and shape") {
    std::mt19937_64 random(53);
    for (const std::size_t size : {1, 2, 63, 64, 65, 66, 97, 128, 1000, 1024, 1999, 2310, 5000}) {
        Row uniform(size);
        Row heavy(size);
        Row spikes(size, 0.0);
        for (std::size_t i = 0; i < size; ++i) {
            uniform[i] = std::uniform_real_distribution<double>(0, 1)(random);
            heavy[i] = 1.0 / static_cast<double>(i + 1);
        }
        spikes.front() = 0.75;
        spikes.back() = 0.125;
        spikes[size / 2] += 0.125;
        const std::vector<Row> rows = {normalised(uniform), normalised(heavy), spikes};
        for (const Row& a : rows) {
            for (const Row& b : rows) check_against_definition(a, b);
        }
    }
}

TEST_CASE("rows whose sum is not one keep the bound") {
    Row row(700);
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = 2 + std::sin(static_cast<double>(i));
    Row small = row;
    for (double& entry : small) entry *= 1e-6;
    check_against_definition(row, row);
    check_against_definition(small, row);
    check_against_definition(small, small);
}

TEST_CASE("a window's trailing zeros change nothing but the length") {
    Row window(3000, 0.0);
    std::fill_n(window.begin(), 100, 0.01);
    Row row = window;
    for (int layer = 2; layer <= 12; ++layer) {
        check_against_definition(row, window);
        row = convolve(row, window);
        CHECK(row[static_cast<std::size_t>(layer) * 99 + 1] == 0);
    }
}

TEST_CASE("the bound is the stated one") {
    // 2^-48 log2(2 n) (|a| |b| + min(|a| s(b), |b| s(a))), by hand: |a| = 5, |b| = 13, s(a) = 7, s(b) = 17.
    CHECK(convolution_error_bound(Row{3, 4}, Row{5, 12}) == Approx(0x1p-48 * 2 * (65 + 85)).epsilon(1e-15));
    CHECK(convolution_error_bound(Row{5, 12}, Row{3, 4}) == Approx(0x1p-48 * 2 * (65 + 85)).epsilon(1e-15));
    CHECK(convolution_error_bound(Row{3}, Row{5}) == Approx(0x1p-48 * 1 * (15 + 15)).epsilon(1e-15));
    CHECK(convolution_error_bound(Row{3, 0, 4, 0}, Row{0, 12, 0, 5}) == Approx(0x1p-48 * 3 * (65 + 85)).epsilon(1e-15));
    CHECK(convolution_error_bound(Row{}, Row{}) == 0);
}

TEST_CASE("rows of at most 64 entries are exact to rounding however small the entries") {
    Row steep(64);
    for (std::size_t i = 0; i < steep.size(); ++i) steep[i] = std::exp(-10.0 * static_cast<double>(i));
    const std::vector<long double> expected = by_definition(steep, steep);
    const Row found = convolve(steep, steep);
    for (std::size_t i = 0; i < steep.size(); ++i) {
        CHECK(found[i] == Approx(static_cast<double>(expected[i])).epsilon(65 * 0x1p-53));
    }
}

TEST_CASE("negative binomial distributions of a million entries add up to one another") {
    const double ratio = 1 - 1e-5;
    for (const std::size_t size : {std::size_t{1000000}, std::size_t{1048576}}) {
        if (farfield::tests::is_sanitized && size != 1000000) continue;
        Row four(size);
        Row eight(size);
        for (std::size_t n = 0; n < size; ++n) {
            four[n] = negative_binomial(ratio, 4, static_cast<double>(n));
            eight[n] = negative_binomial(ratio, 8, static_cast<double>(n));
        }
        const Row found = convolve(four, eight);
        const Row square = convolve(four, four);
        const double bound = convolution_error_bound(four, eight);
        CHECK(bound < 1e-15);
        double worst = 0;
        double worst_of_square = 0;
        for (std::size_t n = 0; n < size; n += 97) {
            const double error = std::fabs(found[n] - negative_binomial(ratio, 12, static_cast<double>(n)));
            worst = std::isnan(error) ? error : std::max(worst, error);
            worst_of_square = std::fmax(worst_of_square, std::fabs(square[n] - eight[n]));
        }
        // The expected values and the factors, about 1e-6, err by some 1e-13 of themselves.
        CHECK(worst <= bound + 5e-19);
        CHECK(worst_of_square <= convolution_error_bound(four, four) + 5e-19);
    }
}

TEST_CASE("products have the same digits for any number of threads") {
    Row row(5000);
    Row other(5000);
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = 1.0 / static_cast<double>(i + 3);
    for (std::size_t i = 0; i < row.size(); ++i) other[i] = 1.0 / static_cast<double>(2 * i + 1);
    const std::size_t usual = processors();
    set_processors(1);
    const Row alone = convolve(row, other);
    const Row square = convolve(row, row);
    for (const std::size_t threads : {2, 5}) {
        set_processors(threads);
        CHECK(convolve(row, other) == alone);
        CHECK(convolve(row, row) == square);
    }
    set_processors(usual);
}

TEST_CASE("convolutions refuse negative entries, entries that are not finite and rows of different lengths") {
    CHECK_THROWS_AS(convolve(Row{1, -1e-300}, Row{1, 1}), farfield::core::PreconditionError);
    CHECK_THROWS_AS(convolve(Row{1, 1}, Row{1, std::nan("")}), farfield::core::PreconditionError);
    CHECK_THROWS_AS(convolve(Row{std::numeric_limits<double>::infinity()}, Row{1}), farfield::core::PreconditionError);
    CHECK_THROWS_AS(convolve(Row{1}, Row{1, 2}), farfield::core::PreconditionError);
}
