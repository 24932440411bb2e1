#include "farfield/numerics/convolution.hpp"

#include <omp.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "farfield/core/error.hpp"

using namespace farfield::numerics;

namespace {

using Row = std::vector<double>;

// The definition, in long double, factor by factor.
std::vector<long double> by_definition(const Row& row, int power) {
    std::vector<long double> result(row.begin(), row.end());
    for (int layer = 1; layer < power; ++layer) {
        std::vector<long double> next(row.size(), 0.0L);
        for (std::size_t j = 0; j < row.size(); ++j) {
            if (row[j] == 0) continue;
            for (std::size_t i = 0; i + j < row.size(); ++i) next[i + j] += result[i] * row[j];
        }
        result = std::move(next);
    }
    return result;
}

void check_against_definition(const Row& row, int power) {
    const std::vector<long double> expected = by_definition(row, power);
    const Row found = convolution_power(row, power);
    REQUIRE(found.size() == row.size());
    double worst = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
        const auto error = static_cast<double>(std::fabs(expected[i] - static_cast<long double>(found[i])));
        worst = std::isnan(error) ? error : std::max(worst, error);
    }
    INFO(row.size() << " entries to the power " << power << ": error " << worst << ", bound "
                    << convolution_error_bound(row, power));
    CHECK(worst <= convolution_error_bound(row, power));
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

TEST_CASE("short powers are those on paper") {
    CHECK(convolution_power(Row{1, 1}, 3) == Row{1, 3});
    CHECK(convolution_power(Row{1, 2, 3}, 1) == Row{1, 2, 3});
    CHECK(convolution_power(Row{0, 1, 0, 0}, 3) == Row{0, 0, 0, 1});
    CHECK(convolution_power(Row{0, 1, 0, 0}, 4) == Row{0, 0, 0, 0});
    CHECK(convolution_power(Row{0, 0}, 5) == Row{0, 0});
    CHECK(convolution_power(Row{}, 5).empty());
    CHECK(convolution_power(Row{0.5, 0.5, 0, 0, 0}, 4) == Row{0.0625, 0.25, 0.375, 0.25, 0.0625});
}

TEST_CASE("powers agree with the definition within the stated bound, for any length, shape and power") {
    std::mt19937_64 random(53);
    for (const std::size_t size : {1, 2, 63, 64, 65, 66, 97, 128, 1000, 1024, 1999, 2310}) {
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
        for (const int power : {2, 3, 5, 12}) {
            check_against_definition(normalised(uniform), power);
            check_against_definition(normalised(heavy), power);
            check_against_definition(spikes, power);
        }
    }
}

TEST_CASE("rows whose sum is not one keep the bound") {
    Row row(700);
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = 2 + std::sin(static_cast<double>(i));
    check_against_definition(row, 4);
    for (double& entry : row) entry *= 1e-6;
    check_against_definition(row, 6);
}

TEST_CASE("a window's trailing zeros change nothing but the length") {
    Row window(3000, 0.0);
    std::fill_n(window.begin(), 100, 0.01);
    check_against_definition(window, 12);
    const Row found = convolution_power(window, 12);
    CHECK(found[12 * 99 + 1] == 0);
}

TEST_CASE("rows of at most 64 entries are exact to rounding however small the entries") {
    Row steep(64);
    for (std::size_t i = 0; i < steep.size(); ++i) steep[i] = std::exp(-10.0 * static_cast<double>(i));
    const std::vector<long double> expected = by_definition(steep, 3);
    const Row found = convolution_power(steep, 3);
    for (std::size_t i = 0; i < steep.size(); ++i) {
        CHECK(found[i] == Approx(static_cast<double>(expected[i])).epsilon(3 * 64 * 0x1p-53));
    }
}

TEST_CASE("a million geometric weights give the negative binomial distribution") {
    const double ratio = 1 - 1e-5;
    for (const std::size_t size : {std::size_t{1000000}, std::size_t{1048576}}) {
        Row row(size);
        for (std::size_t n = 0; n < size; ++n) row[n] = (1 - ratio) * std::pow(ratio, static_cast<double>(n));
        const Row found = convolution_power(row, 12);
        const double bound = convolution_error_bound(row, 12);
        CHECK(bound < 1e-12);
        double worst = 0;
        for (std::size_t n = 0; n < size; n += 97) {
            const double error = std::fabs(found[n] - negative_binomial(ratio, 12, static_cast<double>(n)));
            worst = std::isnan(error) ? error : std::max(worst, error);
        }
        // The expected values, about 1e-6, err by some 1e-13 of themselves.
        CHECK(worst <= bound);
    }
}

TEST_CASE("powers have the same digits for any number of threads") {
    Row row(5000);
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = 1.0 / static_cast<double>(i + 3);
    const int usual = omp_get_max_threads();
    omp_set_num_threads(1);
    const Row alone = convolution_power(row, 7);
    for (const int threads : {2, 5}) {
        omp_set_num_threads(threads);
        CHECK(convolution_power(row, 7) == alone);
    }
    omp_set_num_threads(usual);
}

TEST_CASE("convolutions refuse negative entries, what is not finite and powers below one") {
    CHECK_THROWS_AS(convolution_power(Row{1, -1e-300}, 2), farfield::core::PreconditionError);
    CHECK_THROWS_AS(convolution_power(Row{1, std::nan("")}, 2), farfield::core::PreconditionError);
    CHECK_THROWS_AS(convolution_power(Row{std::numeric_limits<double>::infinity()}, 2),
                    farfield::core::PreconditionError);
    CHECK_THROWS_AS(convolution_power(Row{1}, 0), farfield::core::PreconditionError);
}
