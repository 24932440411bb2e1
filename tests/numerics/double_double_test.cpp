// Expected values: the same operations by MPFR in 300 bits, with the bounds that double_double.hpp states.
#include "farfield/numerics/double_double.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "farfield/numerics/multiprecision.hpp"

using namespace farfield::numerics;

namespace {

Multiprecision exact(const DoubleDouble& x) {
    return Multiprecision::with_bits(x.hi, 300) + Multiprecision::with_bits(x.lo, 300);
}

/// hi is the double nearest to hi + lo.
bool is_normal(const DoubleDouble& x) {
    return x.hi + x.lo == x.hi;
}

bool is_within(const DoubleDouble& found, const Multiprecision& expected, double share) {
    return is_normal(found) && abs(exact(found) - expected).to_double() <= share * std::fabs(expected.to_double());
}

class Numbers {
public:
    DoubleDouble next() {
        const double high = std::ldexp(part_(random_), static_cast<int>(random_() % 80));
        // Some have nothing in the second part.
        return random_() % 4 == 0 ? DoubleDouble{high, 0} : two_sum(high, high * part_(random_) * 0x1p-54);
    }

private:
    std::mt19937_64 random_{7};
    std::uniform_real_distribution<double> part_{-1, 1};
};

}  // namespace

TEST_CASE("sums, products, quotients and roots of pairs of doubles stay within their stated bounds") {
    Numbers numbers;
    for (int i = 0; i < 20000; ++i) {
        const DoubleDouble a = numbers.next();
        const DoubleDouble b = numbers.next();
        INFO(std::to_string(a.hi) + " and " + std::to_string(b.hi));
        CHECK(is_within(a + b, exact(a) + exact(b), 0x1p-104));
        CHECK(is_within(a - b, exact(a) - exact(b), 0x1p-104));
        CHECK(is_within(a * b.hi, exact(a) * Multiprecision::with_bits(b.hi, 300), 0x1p-104));
        CHECK(is_within(a * b, exact(a) * exact(b), 0x1p-103));
        CHECK(is_within(a / b, exact(a) / exact(b), 0x1p-101));
        const DoubleDouble size = a.hi < 0 ? -a : a;
        CHECK(is_within(sqrt(size), sqrt(exact(size)), 0x1p-101));
    }
}

TEST_CASE("sums and products of doubles are exact in two parts") {
    Numbers numbers;
    for (int i = 0; i < 2000; ++i) {
        const double a = numbers.next().hi;
        const double b = numbers.next().hi;
        const Multiprecision x = Multiprecision::with_bits(a, 300);
        const Multiprecision y = Multiprecision::with_bits(b, 300);
        CHECK(is_within(two_sum(a, b), x + y, 0));
        CHECK(is_within(two_product(a, b), x * y, 0));
    }
}

TEST_CASE("an accumulator joins another, adds products, and is plain once a term is not finite") {
    Accumulator first;
    Accumulator second;
    first.add(1);
    first.add(0x1p-80);
    second.add(-1);
    second.add_product(3, 0x1p-90);
    second.add_product(DoubleDouble{2, 0x1p-70}, 0x1p-30);
    first.add(second);
    // 2^-29 + 2^-80 in the first part, and in the second what lies below half a unit of its last place, 2^-82.
    CHECK(first.total() == 0x1p-29 + 0x1p-80);
    CHECK(first.parts().hi == 0x1p-29 + 0x1p-80);
    CHECK(first.parts().lo == 3 * 0x1p-90 + 0x1p-100);
    first.add(std::numeric_limits<double>::infinity());
    CHECK(first.total() == std::numeric_limits<double>::infinity());
    CHECK(first.parts().lo == 0);
    first.add(-std::numeric_limits<double>::infinity());
    CHECK(std::isnan(first.total()));
}
