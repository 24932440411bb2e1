#include "farfield/numerics/sum.hpp"

#include <catch2/catch.hpp>
#include <farfield/numerics/processors.hpp>
#include <limits>
#include <random>
#include <vector>
#include "farfield/core/error.hpp"

#include "farfield/numerics/multiprecision.hpp"

using namespace farfield::numerics;

namespace {

// Exact to within 2^-2100: every double and every product of two fits into that many bits.
Multiprecision exact_dot(const std::vector<double>& x, const std::vector<double>& y) {
    Multiprecision total = Multiprecision::with_bits(0, 4400);
    for (std::size_t i = 0; i < x.size(); ++i) {
        total = total + Multiprecision::with_bits(x[i], 200) * Multiprecision::with_bits(y[i], 200);
    }
    return total;
}

std::vector<double> wild(std::size_t count, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<double> values(count);
    for (double& value : values) {
        value = std::ldexp(std::uniform_real_distribution<double>(-1, 1)(random), static_cast<int>(random() % 80));
    }
    return values;
}

// The documented bound.
bool within_bound(double found, const std::vector<double>& x, const std::vector<double>& y) {
    const Multiprecision exact = exact_dot(x, y);
    double magnitudes = 0;
    for (std::size_t i = 0; i < x.size(); ++i) magnitudes += std::fabs(x[i] * y[i]);
    const double unit = 0x1p-53;
    const double share = static_cast<double>(x.size()) * unit;
    const double bound = std::fabs(exact.to_double()) * unit + share * share * magnitudes;
    return abs(Multiprecision::with_bits(found, 200) - exact).to_double() <= bound;
}

}  // namespace

TEST_CASE("compensated sums and dot products stay within their bound, cancellation or not") {
    for (const std::size_t count : {0, 1, 7, 8, 9, 1000, 16384, 16385, 100003}) {
        const std::vector<double> x = wild(count, count + 1);
        const std::vector<double> ones(count, 1.0);
        std::vector<double> y = wild(count, count + 2);
        INFO(count);
        CHECK(within_bound(compensated_sum(x), x, ones));
        CHECK(within_bound(compensated_dot(x, y), x, y));
        Accumulator running;
        for (const double value : x) running.add(value);
        CHECK(within_bound(running.total(), x, ones));
    }
    std::vector<double> cancelling{1, 1e100, 1, -1e100};
    CHECK(compensated_sum(cancelling) == 2);
}

TEST_CASE("sums have the same digits for any number of threads") {
    const std::vector<double> x = wild(1000003, 3);
    const std::size_t usual = processors();
    set_processors(1);
    const double alone = compensated_sum(x);
    const double dot_alone = compensated_dot(x, x);
    for (const std::size_t threads : {2, 3, 7}) {
        set_processors(threads);
        CHECK(compensated_sum(x) == alone);
        CHECK(compensated_dot(x, x) == dot_alone);
    }
    set_processors(usual);
}

TEST_CASE("infinities and NaN propagate as in plain addition") {
    const double infinity = std::numeric_limits<double>::infinity();
    CHECK(compensated_sum(std::vector<double>{1, infinity, 2}) == infinity);
    CHECK(compensated_sum(std::vector<double>{1, -infinity, 2}) == -infinity);
    CHECK(std::isnan(compensated_sum(std::vector<double>{infinity, -infinity})));
    CHECK(std::isnan(compensated_sum(std::vector<double>{1, std::nan("")})));
    CHECK(compensated_dot(std::vector<double>{1, infinity}, std::vector<double>{1, 2}) == infinity);
    CHECK_THROWS_AS(compensated_dot(std::vector<double>{1}, std::vector<double>{1, 2}),
                    farfield::core::PreconditionError);
}
