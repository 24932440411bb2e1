#include "numerics/mpfi_value.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>
#include "farfield/core/error.hpp"

using namespace farfield::numerics;

namespace {

constexpr long bits = 128;

MpfiValue interval(double lo, double hi) {
    return MpfiValue(Interval{lo, hi}, bits);
}

// A pseudo-random expression of `depth` nested operations, evaluated in both number systems alongside.
struct Pair {
    MpfiValue enclosure;
    Multiprecision value;
};

using MpfiUnary = MpfiValue (*)(const MpfiValue&);
using MpfiBinary = MpfiValue (*)(const MpfiValue&, const MpfiValue&);
using Unary = Multiprecision (*)(const Multiprecision&);
using Binary = Multiprecision (*)(const Multiprecision&, const Multiprecision&);

const std::vector<std::pair<MpfiUnary, Unary>> unary_functions{
    {abs, abs},   {sqrt, sqrt},   {exp, exp},           {expm1, expm1},     {log, log},   {log1p, log1p},
    {log2, log2}, {sin, sin},     {cos, cos},           {tan, tan},         {tanh, tanh}, {floor, floor},
    {ceil, ceil}, {round, round}, {softplus, softplus}, {sigmoid, sigmoid}, {erf, erf},   {sign, sign}};
const std::vector<std::pair<MpfiBinary, Binary>> binary_functions{
    {operator+, operator+ },
     {operator-, operator- },
      {operator*, operator* }, {operator/, operator/ }, {mod, mod}, {pow, pow}, {min, min}, {max, max}, {atan2, atan2}};

Pair random_expression(std::mt19937_64& random, int nodes) {
    if (nodes <= 1) {
        const double value = random() % 2 == 0 ? static_cast<double>(static_cast<int>(random() % 9) - 4)
                                               : std::uniform_real_distribution<double>(-4, 4)(random);
        return {MpfiValue(value, bits), Multiprecision::with_bits(value, 200)};
    }
    if (random() % 2 == 0) {
        const Pair inner = random_expression(random, nodes - 1);
        const auto& [wide, narrow] = unary_functions[random() % unary_functions.size()];
        return {wide(inner.enclosure), narrow(inner.value)};
    }
    const int left = 1 + static_cast<int>(random() % static_cast<unsigned>(nodes - 1));
    const Pair a = random_expression(random, left);
    const Pair b = random_expression(random, nodes - 1 - left);
    const auto& [wide, narrow] = binary_functions[random() % binary_functions.size()];
    return {wide(a.enclosure, b.enclosure), narrow(a.value, b.value)};
}

}  // namespace

TEST_CASE("random expressions of up to 20 operations are enclosed, NaN only by the undefined interval") {
    std::mt19937_64 random(29);
    int defined = 0;
    for (int i = 0; i < 40000; ++i) {
        const Pair pair = random_expression(random, 2 + static_cast<int>(random() % 20));
        REQUIRE(pair.enclosure.contains(pair.value));
        const Interval ends = pair.enclosure.to_interval();
        REQUIRE(contains(ends, pair.value.to_double()));
        defined += is_undefined(ends) ? 0 : 1;
    }
    CHECK(defined > 12000);
}

TEST_CASE("wide arguments are enclosed at every point sampled inside") {
    std::mt19937_64 random(31);
    const auto draw = [&] {
        return std::ldexp(std::uniform_real_distribution<double>(-1, 1)(random), static_cast<int>(random() % 8));
    };
    for (int i = 0; i < 2000; ++i) {
        const double a = draw();
        const double b = draw();
        const double c = draw();
        const double d = draw();
        const Interval x{std::min(a, b), std::max(a, b)};
        const Interval y{std::min(c, d), std::max(c, d)};
        for (const double t : {0.0, 0.3, 1.0}) {
            const double inside = std::clamp(x.lo + t * (x.hi - x.lo), x.lo, x.hi);
            const double other = std::clamp(y.hi - t * t * (y.hi - y.lo), y.lo, y.hi);
            const Multiprecision u = Multiprecision::with_bits(inside, 200);
            const Multiprecision v = Multiprecision::with_bits(other, 200);
            bool holds = true;
            for (const auto& [wide, narrow] : unary_functions) {
                holds = holds && wide(MpfiValue(x, bits)).contains(narrow(u));
            }
            for (const auto& [wide, narrow] : binary_functions) {
                holds = holds && wide(MpfiValue(x, bits), MpfiValue(y, bits)).contains(narrow(u, v));
            }
            if (!holds)
                FAIL("[" << x.lo << ", " << x.hi << "] [" << y.lo << ", " << y.hi << "] at " << inside << ", "
                         << other);
        }
    }
}

TEST_CASE("erf of more than 512 bits encloses erf of 1000 bits more, by neighbouring numbers") {
    for (const char* text : {"1.7320508075688772935", "1e-30", "0.4", "-3", "17", "26.7", "-40", "2048"}) {
        const MpfiValue x = MpfiValue::from_text(text, 1032);
        const MpfiValue fine = erf(MpfiValue::from_text(text, 2032));
        INFO(text);
        const MpfiValue found = erf(x);
        CHECK(found.contains(fine.middle()));
        CHECK((found - fine).to_interval().hi <= std::ldexp(1.0, -1029));
        CHECK((found - fine).to_interval().lo >= -std::ldexp(1.0, -1029));
    }
}

TEST_CASE("erf of the smallest number of all ends") {
    // exp(-1e300) is enclosed by 0 and the smallest number; 2/sqrt(pi) = 1.128 times that rounds to it or the next.
    const MpfiValue least = exp(MpfiValue(-1e300, 1032));
    CHECK(erf(least).contains(least.middle()));
    CHECK(erf(-least).contains((-least).middle()));
    CHECK(erf(least).to_interval().hi > 0);
}

// Expected: |sin(x)| <= |x|, |tan(x)| <= 2|x| and cos(x) in [1 - x^2, 1] near zero. MPFI's own search for the quadrant
// does not end here.
TEST_CASE("angles below zero by less than 2^-65536 are enclosed in finite time") {
    const long exponent = GENERATE(-65537L, -1000000L, -(1L << 40), -(1L << 61));
    MpfiValue x(53);
    mpfr_set_si_2exp(x.lower(), -1, exponent, MPFR_RNDD);
    mpfr_set_si_2exp(x.upper(), -1, exponent, MPFR_RNDU);
    for (const MpfiValue& odd : {sin(x), tan(x)}) {
        CHECK(mpfr_lessequal_p(odd.lower(), x.lower()) != 0);
        CHECK(mpfr_greaterequal_p(odd.upper(), x.upper()) != 0);
        CHECK(mpfr_cmp_si_2exp(odd.lower(), -1, -65535) >= 0);
        CHECK(mpfr_cmp_si(odd.upper(), 0) <= 0);
    }
    CHECK(mpfr_cmp_si(cos(x).upper(), 1) == 0);
    CHECK(mpfr_cmp_d(cos(x).lower(), 1 - 0x1p-52) >= 0);
}

TEST_CASE("a multiprecision result that might not be a number is undefined") {
    const std::vector<MpfiValue> undefined{interval(0, 1) / interval(0, 1),
                                           interval(1, infinity) - interval(1, infinity),
                                           interval(0, 1) * interval(1, infinity),
                                           sqrt(interval(-1, 1)),
                                           log(interval(-1, 1)),
                                           sin(interval(0, infinity)),
                                           mod(interval(0, 1), interval(-1, 1)),
                                           square(MpfiValue(bits)),
                                           hull(MpfiValue(bits), interval(0, 1))};
    for (const MpfiValue& x : undefined) {
        CHECK(x.is_undefined());
        CHECK(is_undefined(x.to_interval()));
    }
}

TEST_CASE("ends are rounded outward to doubles") {
    const Interval third = (MpfiValue(1.0, bits) / MpfiValue(3.0, bits)).to_interval();
    CHECK(std::nextafter(third.lo, 1) == third.hi);
    const Interval tenth = MpfiValue::from_text("0.1", bits).to_interval();
    CHECK((tenth.lo == std::nextafter(0.1, 0) && tenth.hi == 0.1));
    CHECK(square(interval(-2, 1)).to_interval().lo == 0);
    CHECK(interval(1, 4).middle().to_double() == 2.5);
    CHECK_THROWS_AS(MpfiValue(1.0, 40), farfield::core::PreconditionError);
}

TEST_CASE("multiprecision comparisons of enclosures are three-valued") {
    CHECK(less(interval(1, 2), interval(3, 4)) == Truth::yes);
    CHECK(less(interval(1, 2), interval(2, 3)) == Truth::unknown);
    CHECK(less_equal(interval(1, 2), interval(2, 3)) == Truth::yes);
    CHECK(less(interval(2, 3), interval(1, 2)) == Truth::no);
    CHECK(equal(interval(1, 1), interval(1, 1)) == Truth::yes);
    CHECK(equal(interval(1, 2), interval(3, 4)) == Truth::no);
    CHECK(less(MpfiValue(bits), interval(0, 1)) == Truth::unknown);
}
