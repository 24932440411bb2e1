#include "farfield/numerics/interval.hpp"

#include <catch2/catch.hpp>
#include <random>
#include "farfield/core/error.hpp"

#include "numerics/directed.hpp"
#include "numerics/mpfr_value.hpp"

using namespace farfield::numerics;

namespace {

const double largest = std::numeric_limits<double>::max();
const double smallest = std::numeric_limits<double>::denorm_min();

// Every bit pattern, ordinary sizes, exact small numbers, or the edges of the range.
double random_double(std::mt19937_64& random) {
    const double unit = std::uniform_real_distribution<double>(-2, 2)(random);
    switch (random() % 5) {
        case 0: {
            const double any = std::bit_cast<double>(random());
            return std::isfinite(any) ? any : 0.0;
        }
        case 1: return unit;
        case 2: return static_cast<double>(static_cast<int>(random() % 41) - 20);
        case 3: return std::ldexp(unit, -1060 + static_cast<int>(random() % 200));
        default: return std::ldexp(unit, 1022 - static_cast<int>(random() % 600));
    }
}

using Binary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

// MPFR's own directed rounding, to 53 bits and on to a double in the same direction.
double reference(Binary operation, double a, double b, mpfr_rnd_t rounding) {
    Multiprecision result = blank(53);
    operation(raw(result), raw(Multiprecision::with_bits(a, 53)), raw(Multiprecision::with_bits(b, 53)), rounding);
    return mpfr_get_d(raw(result), rounding);
}

bool is_interval(const Interval& x, double lo, double hi) {
    return x.lo == lo && x.hi == hi;
}

}  // namespace

TEST_CASE("point arithmetic gives the true result rounded down and up, over the whole range of doubles") {
    std::mt19937_64 random(5);
    for (int i = 0; i < 300000; ++i) {
        const double a = random_double(random);
        const double b = random_double(random);
        INFO(a << " " << b);
        const Interval sum = point(a) + point(b);
        REQUIRE(is_interval(sum, reference(mpfr_add, a, b, MPFR_RNDD), reference(mpfr_add, a, b, MPFR_RNDU)));
        const Interval difference = point(a) - point(b);
        REQUIRE(is_interval(difference, reference(mpfr_sub, a, b, MPFR_RNDD), reference(mpfr_sub, a, b, MPFR_RNDU)));
        const Interval product = point(a) * point(b);
        REQUIRE(is_interval(product, reference(mpfr_mul, a, b, MPFR_RNDD), reference(mpfr_mul, a, b, MPFR_RNDU)));
        if (b != 0) {
            const Interval quotient = point(a) / point(b);
            REQUIRE(is_interval(quotient, reference(mpfr_div, a, b, MPFR_RNDD), reference(mpfr_div, a, b, MPFR_RNDU)));
        }
        const double x = std::fabs(a);
        Multiprecision root = blank(53);
        mpfr_sqrt(raw(root), raw(Multiprecision::with_bits(x, 53)), MPFR_RNDD);
        REQUIRE(sqrt(point(x)).lo == root.to_double());
        mpfr_sqrt(raw(root), raw(Multiprecision::with_bits(x, 53)), MPFR_RNDU);
        REQUIRE(sqrt(point(x)).hi == root.to_double());
    }
}

TEST_CASE("interval arithmetic contains the exact result of every pair of numbers inside") {
    std::mt19937_64 random(6);
    const auto inside = [&](const Interval& x) {
        const double t = std::uniform_real_distribution<double>(0, 1)(random);
        return std::clamp(x.lo + t * (x.hi - x.lo), x.lo, x.hi);
    };
    const auto interval = [&] {
        const double a = std::uniform_real_distribution<double>(-3, 3)(random);
        const double b = std::uniform_real_distribution<double>(-3, 3)(random);
        return Interval{std::min(a, b), std::max(a, b)};
    };
    for (int i = 0; i < 200000; ++i) {
        const Interval x = interval();
        const Interval y = interval();
        const double a = inside(x);
        const double b = inside(y);
        INFO("[" << x.lo << ", " << x.hi << "] [" << y.lo << ", " << y.hi << "]");
        const Interval results[] = {x + y,     x - y,  x * y,    x / y,   min(x, y),
                                    max(x, y), abs(x), floor(x), ceil(x), round(x)};
        const double values[] = {a + b,          a - b,        a * b,         a / b,        std::min(a, b),
                                 std::max(a, b), std::fabs(a), std::floor(a), std::ceil(a), std::nearbyint(a)};
        for (std::size_t k = 0; k < std::size(values); ++k) {
            INFO(k);
            REQUIRE(contains(results[k], values[k]));
        }
    }
}

TEST_CASE("ends of interval operations are those of the right corners") {
    CHECK(is_interval(Interval{-1, 2} * Interval{-3, 4}, -6, 8));
    CHECK(is_interval(Interval{-2, -1} * Interval{3, 4}, -8, -3));
    CHECK(is_interval(Interval{1, 2} / Interval{-4, -2}, -1, -0.25));
    CHECK(is_interval(sqrt(Interval{4, 9}), 2, 3));
    CHECK(is_interval(abs(Interval{-3, 2}), 0, 3));
    CHECK(is_interval(abs(Interval{-3, -2}), 2, 3));
    CHECK(is_interval(round(Interval{0.5, 1.5}), 0, 2));
    CHECK(is_interval(sign(Interval{-2, 0}), -1, 0));
    CHECK(is_interval(clamp(Interval{-5, 5}, point(0), point(1)), 0, 1));
    CHECK(is_interval(hull(point(1), point(-1)), -1, 1));
}

TEST_CASE("overflow widens to infinity and underflow to the smallest number, on the proper side alone") {
    CHECK(is_interval(point(largest) + point(largest), largest, infinity));
    CHECK(is_interval(point(-largest) * point(2), -infinity, -largest));
    CHECK(is_interval(point(smallest) * point(0.5), 0, smallest));
    CHECK(is_interval(point(-smallest) / point(4), -smallest, 0));
}

TEST_CASE("a result that might not be a number is undefined, and stays undefined") {
    const Interval undefined[] = {sqrt(Interval{-1, 4}),
                                  Interval{0, 1} / Interval{0, 1},
                                  Interval{1, infinity} - Interval{1, infinity},
                                  Interval{0, 1} * Interval{2, infinity},
                                  Interval{1, infinity} / Interval{1, infinity},
                                  undefined_interval() + point(1),
                                  point(0) * undefined_interval(),
                                  min(undefined_interval(), point(1)),
                                  max(point(1), undefined_interval()),
                                  hull(point(1), undefined_interval()),
                                  sign(undefined_interval()),
                                  abs(undefined_interval()),
                                  floor(undefined_interval()),
                                  -undefined_interval()};
    for (const Interval& x : undefined) {
        CHECK((std::isnan(x.lo) && std::isnan(x.hi)));
        CHECK(contains(x, std::nan("")));
    }
    CHECK(is_interval(Interval{1, 2} / Interval{0, 1}, -infinity, infinity));
    CHECK(is_interval(Interval{1, 2} / Interval{1, infinity}, 0, 2));
}

TEST_CASE("comparisons are decided only if every pair agrees") {
    CHECK(less(Interval{1, 2}, Interval{3, 4}) == Truth::yes);
    CHECK(less(Interval{1, 2}, Interval{2, 3}) == Truth::unknown);
    CHECK(less_equal(Interval{1, 2}, Interval{2, 3}) == Truth::yes);
    CHECK(less(Interval{2, 3}, Interval{1, 2}) == Truth::no);
    CHECK(less_equal(Interval{2, 3}, Interval{1, 2}) == Truth::unknown);
    CHECK(equal(point(2), point(2)) == Truth::yes);
    CHECK(equal(Interval{1, 2}, Interval{1, 2}) == Truth::unknown);
    CHECK(equal(Interval{1, 2}, Interval{3, 4}) == Truth::no);
    for (const auto comparison : {less, less_equal, equal}) {
        CHECK(comparison(undefined_interval(), point(1)) == Truth::unknown);
        CHECK(comparison(point(1), undefined_interval()) == Truth::unknown);
    }
    CHECK((!Truth::unknown) == Truth::unknown);
    CHECK(both(Truth::yes, Truth::unknown) == Truth::unknown);
    CHECK(both(Truth::no, Truth::unknown) == Truth::no);
    CHECK(either(Truth::yes, Truth::unknown) == Truth::yes);
}

TEST_CASE("decimals and constants are enclosed by neighbouring doubles") {
    const Interval tenth = enclose_decimal("0.1");
    CHECK(tenth.hi == 0.1);  // The double 0.1 lies above the decimal.
    CHECK(tenth.lo == std::nextafter(0.1, 0));
    CHECK(is_interval(enclose_decimal("-2.5"), -2.5, -2.5));
    CHECK(is_interval(enclose_decimal("1e400"), largest, infinity));
    CHECK_THROWS_AS(enclose_decimal("0x1"), farfield::core::PreconditionError);
    for (const auto& [enclosure, value] :
         {std::pair{enclose_pi(), Multiprecision::pi(40)}, {enclose_e(), Multiprecision::e(40)}}) {
        CHECK(Multiprecision(enclosure.lo, 40) < value);
        CHECK(value < Multiprecision(enclosure.hi, 40));
        CHECK(std::nextafter(enclosure.lo, 10) == enclosure.hi);
    }
}

TEST_CASE("width is rounded up and the midpoint lies inside") {
    CHECK(width(Interval{0, largest}) == largest);
    CHECK(width(Interval{-largest, largest}) == infinity);
    CHECK(width(point(infinity)) == 0);
    CHECK(std::isnan(width(undefined_interval())));
    CHECK(midpoint(Interval{1, 3}) == 2);
    CHECK(midpoint(whole_line()) == 0);
    CHECK(std::isfinite(midpoint(Interval{1, infinity})));
    CHECK(contains(Interval{smallest, smallest}, midpoint(Interval{smallest, smallest})));
}
