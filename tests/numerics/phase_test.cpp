#include "farfield/numerics/phase.hpp"

#include <catch2/catch.hpp>
#include <limits>
#include <random>
#include "farfield/core/error.hpp"

using namespace farfield::numerics;

namespace {

constexpr int digits = 120;

Multiprecision exact(const DoubleDouble& x) {
    return Multiprecision(x.hi, digits) + Multiprecision(x.lo, digits);
}

// n theta - 2 pi k by 120 digits, k read off the result itself: any whole number of turns is right.
double phase_error(const DoubleDouble& theta, std::int64_t n, const DoubleDouble& found) {
    const Multiprecision turn = Multiprecision(2, digits) * Multiprecision::pi(digits);
    const Multiprecision angle = exact(theta) * Multiprecision(static_cast<double>(n), digits);
    const Multiprecision difference = angle - exact(found);
    return abs(difference - turn * round(difference / turn)).to_double();
}

}  // namespace

TEST_CASE("a reduced phase errs by less than 2^-100 and stays within a half turn") {
    std::mt19937_64 random(41);
    const double half_turn = 3.14159265358979 + 0x1p-10;
    for (int i = 0; i < 100000; ++i) {
        const double high =
            std::ldexp(std::uniform_real_distribution<double>(-1, 1)(random), -static_cast<int>(random() % 30));
        const DoubleDouble theta =
            fast_two_sum(high, high * 0x1p-54 * std::uniform_real_distribution<double>(-1, 1)(random));
        const auto n = static_cast<std::int64_t>(random() % 2000000001) - 1000000000;
        const DoubleDouble found = reduced_phase(theta, n);
        INFO(theta.hi << " " << n);
        REQUIRE(phase_error(theta, n, found) <= 0x1p-100);
        REQUIRE(std::fabs(found.hi) <= half_turn);
        REQUIRE(found.hi + found.lo == found.hi);
    }
}

TEST_CASE("frequencies of rotary embeddings keep 1e-15 at a thousand million steps") {
    // theta_i = 10000^(-2i/d), d = 128, from 60 digits.
    for (int i = 0; i < 64; ++i) {
        const Multiprecision exponent = Multiprecision(-2.0 * i / 128, 60);
        const Multiprecision frequency = pow(Multiprecision(10000, 60), exponent);
        const DoubleDouble theta = to_double_double(frequency);
        for (const std::int64_t n : {1, 8192, 1000000, 100000000, 1000000000}) {
            const double phase = reduced_phase(theta, n).hi;
            const Multiprecision angle = frequency * Multiprecision(static_cast<double>(n), 60);
            CHECK(abs(sin(Multiprecision(phase, 60)) - sin(angle)).to_double() <= 1e-15);
            CHECK(abs(cos(Multiprecision(phase, 60)) - cos(angle)).to_double() <= 1e-15);
        }
    }
}

TEST_CASE("angles near whole turns keep their absolute accuracy") {
    const DoubleDouble turn = to_double_double(Multiprecision(2, 60) * Multiprecision::pi(60));
    for (const std::int64_t n : {0, 1, 2, 3, 1000, 1000000000}) {
        CHECK(phase_error(turn, n, reduced_phase(turn, n)) <= 0x1p-100);
        CHECK(std::fabs(reduced_phase(turn, n).hi) <= 1e-22);
    }
}

TEST_CASE("phases beyond the bounds are refused") {
    CHECK_THROWS_AS(reduced_phase({2e3, 0}, 1000000000), farfield::core::PreconditionError);
    CHECK_THROWS_AS(reduced_phase({1e-6, 0}, (std::int64_t{1} << 53) + 2), farfield::core::PreconditionError);
    CHECK_THROWS_AS(reduced_phase({std::numeric_limits<double>::quiet_NaN(), 0}, 1), farfield::core::PreconditionError);
}

TEST_CASE("double-double sums and products err by less than 2^-104 of the result") {
    std::mt19937_64 random(43);
    const auto draw = [&] {
        const double high =
            std::ldexp(std::uniform_real_distribution<double>(-1, 1)(random), static_cast<int>(random() % 40));
        return fast_two_sum(high, high * 0x1p-54 * std::uniform_real_distribution<double>(-1, 1)(random));
    };
    for (int i = 0; i < 50000; ++i) {
        const DoubleDouble a = draw();
        const DoubleDouble b = draw();
        const Multiprecision sum = exact(a) + exact(b);
        const Multiprecision product = exact(a) * Multiprecision(b.hi, digits);
        REQUIRE(abs(exact(a + b) - sum) <= abs(sum) * Multiprecision(0x1p-104, digits));
        REQUIRE(abs(exact(a - b) - (exact(a) - exact(b))) <=
                abs(exact(a) - exact(b)) * Multiprecision(0x1p-104, digits));
        REQUIRE(abs(exact(a * b.hi) - product) <= abs(product) * Multiprecision(0x1p-104, digits));
    }
}

TEST_CASE("a double-double holds a number to 2^-106") {
    const Multiprecision third = Multiprecision(1, 60) / Multiprecision(3, 60);
    const DoubleDouble parts = to_double_double(third);
    CHECK(parts.hi == 1.0 / 3);
    CHECK(abs((exact(parts) - third) / third).to_double() <= 0x1p-106);
    CHECK(std::isinf(to_double_double(Multiprecision(std::numeric_limits<double>::infinity(), 20)).hi));
}
