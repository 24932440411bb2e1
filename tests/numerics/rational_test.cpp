#include "numerics/rational.hpp"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "numerics/counting.hpp"
#include "support/trials.hpp"

using namespace farfield::numerics;

namespace {

const double largest = std::numeric_limits<double>::max();
const double smallest = std::numeric_limits<double>::denorm_min();

Integer power(int base, unsigned exponent) {
    return boost::multiprecision::pow(Integer(base), exponent);
}

/// value * 2^exponent.
Rational scaled(const Rational& value, int exponent) {
    return exponent < 0 ? Rational(value / power(2, static_cast<unsigned>(-exponent)))
                        : Rational(value * power(2, static_cast<unsigned>(exponent)));
}

}  // namespace

TEST_CASE("decimals and fractions are read without error") {
    const std::vector<std::pair<std::string, Rational>> rows{
        {"0", 0},
        {"3", 3},
        {"007", 7},
        {"-0.4", Rational(-2, 5)},
        {"+0.4", Rational(2, 5)},
        {".5", Rational(1, 2)},
        {"5.", 5},
        {"12.250", Rational(49, 4)},
        {"1e-7", Rational(1, 10'000'000)},
        {"1E2", 100},
        {"1e+2", 100},
        {"1e2", 100},
        {"2.5e1", 25},
        {"2.5e-1", Rational(1, 4)},
        {"123.456e3", 123456},
        {"123.456e2", Rational(123456, 10)},
        {"1e0", 1},
        {"3/10", Rational(3, 10)},
        {"-3/10", Rational(-3, 10)},
        {"+1.5/0.25", 6},
        {"0/7", 0},
        {"1e2/1e-2", 10000},
        {"1e2000", Rational(power(10, 2000))},
        {"1e-2000", Rational(1, power(10, 2000))},
        {std::string(2000, '9'), Rational(power(10, 2000) - 1)},
    };
    for (const auto& [text, value] : rows) {
        INFO(text);
        CHECK(read_rational(text) == value);
    }
}

TEST_CASE("a text that is neither a decimal nor a fraction is not read") {
    for (const char* text : {"",       "-",       "+",     ".",     "e5",   ".e5",  "1e",   "1e+",   "1e-",
                             "1e++5",  "1e+-5",   "1e5.0", "1..2",  "1.2.", "1 ",   " 1",   "1e5x",  "x",
                             "--1",    "+-1",     "1/",    "/2",    "1/0",  "1/-2", "1/+2", "1/2/3", "1/x",
                             "1e2001", "1e-2001", "1:",    "1/0.0", "0x10", "inf",  "nan",  "1,5",   "1e99999999999"}) {
        INFO(text);
        CHECK_FALSE(read_rational(text).has_value());
    }
    CHECK_FALSE(read_rational(std::string(2001, '9')).has_value());
}

TEST_CASE("a rational's text is the shortest of its double, a decimal of 60 characters, or a fraction") {
    const auto ones = [](std::size_t count) { return std::string(count, '1'); };
    const std::vector<std::pair<Rational, std::string>> rows{
        {0, "0"},
        {-7, "-7"},
        {Rational(1, 10), "0.1"},
        {Rational(1, 3), "1/3"},
        {Rational(-2, 7), "-2/7"},
        {Rational(Integer("12345678901234567891"), power(10, 20)), "0.12345678901234567891"},
        {Rational(-Integer("12345678901234567891"), power(10, 19)), "-1.2345678901234567891"},
        {Rational(Integer("12345678901234567891"), power(10, 1)), "1234567890123456789.1"},
        {Rational(Integer("1234567890123456789"), power(10, 25)), "0.0000001234567890123456789"},
        {Rational(1, power(2, 40)) + 1, "1.0000000000009094947017729282379150390625"},
        {Rational(1, power(5, 30)) + 1, "1.000000000000000000001073741824"},
        {Rational(Integer("9007199254740993")), "9007199254740993"},
        // Digits and point fill 60 characters, then 61.
        {Rational(Integer(ones(59)), power(10, 58)), "1." + ones(58)},
        {Rational(Integer(ones(60)), power(10, 59)), ones(60) + "/1" + std::string(59, '0')},
        {Rational(Integer(ones(60))), ones(60)},
        // 2^-58 has 58 decimal places; with the leading zero and the point that makes 60 characters.
        {Rational(1, power(2, 58)) + Rational(1, power(5, 58)), ""},
        {Rational(1, power(2, 59)) + Rational(1, power(5, 59)), "?"},
    };
    for (const auto& [value, text] : rows) {
        INFO(value.str());
        const std::string found = rational_text(value);
        CHECK(read_rational(found) == value);
        if (text.size() > 1) CHECK(found == text);
        const bool is_fraction = found.find('/') != std::string::npos;
        if (text.empty()) CHECK(found.size() == 60);
        if (text == "?") CHECK(is_fraction);
        CHECK(rational_text(value, found.size()) == found);
        CHECK_FALSE(rational_text(value, found.size() - 1).has_value());
    }
}

TEST_CASE("a rational's text reads back to it") {
    std::mt19937_64 random(61);
    for (int i = 0; i < farfield::tests::trials(5000); ++i) {
        const Integer above = Integer(static_cast<std::int64_t>(random()) >> (random() % 60));
        const Integer below = power(2, random() % 40) * power(5, random() % 40) * (random() % 3 == 0 ? 3 : 1);
        const Rational value(above, below);
        const std::string text = rational_text(value);
        INFO(value.str() << " as " << text);
        REQUIRE(read_rational(text) == value);
        REQUIRE(rational_text(value, text.size()) == text);
        REQUIRE_FALSE(rational_text(value, text.size() - 1).has_value());
        REQUIRE((text.find('/') == std::string::npos || text.size() > 60 || denominator(value) % 3 == 0 ||
                 denominator(value) > power(10, 30)));
    }
}

TEST_CASE("a double is a rational, and its text states another") {
    CHECK(exactly(0) == 0);
    CHECK(exactly(1) == 1);
    CHECK(exactly(-0.75) == Rational(-3, 4));
    // 0.1 = 0x1.999999999999ap-4.
    CHECK(exactly(0.1) == Rational(0x1999999999999a, power(2, 56)));
    CHECK(exactly(0x1p51 + 0.5) == Rational((Integer(1) << 52) + 1, 2));
    CHECK(exactly(0x1p53) == Rational(Integer(1) << 53));
    CHECK(exactly(largest) == Rational(((Integer(1) << 53) - 1) << 971));
    CHECK(exactly(smallest) == Rational(1, Integer(1) << 1074));
    CHECK(shortest_decimal(0.1) == Rational(1, 10));
    CHECK(shortest_decimal(-2.5e-7) == Rational(-1, 4'000'000));
    CHECK(shortest_decimal(1e22) == Rational(power(10, 22)));
}

TEST_CASE("the nearest double and the narrowest interval are those next to the number") {
    // Numbers 2^e (d + k/8) around a double d of 53 bits (or fewer, among subnormal numbers): k/8 of a step beside it.
    std::mt19937_64 random(67);
    for (int i = 0; i < farfield::tests::trials(20000); ++i) {
        double d = std::fabs(std::bit_cast<double>(random()));
        if (random() % 8 == 0) d = std::ldexp(1, static_cast<int>(random() % 2098) - 1074);  // where steps change
        if (!std::isfinite(d) || d == largest) continue;
        const double next = std::nextafter(d, infinity);
        const Rational step = exactly(next) - exactly(d);
        const bool is_even = (std::bit_cast<std::uint64_t>(d) & 1) == 0;
        for (int k = 0; k <= 8; ++k) {
            const Rational value = exactly(d) + step * Rational(k, 8);
            const double rounded = k < 4 || (k == 4 && is_even) ? d : next;
            INFO(value.str());
            REQUIRE(nearest(value) == rounded);
            REQUIRE(nearest(-value) == -rounded);
            const Interval around = enclose(value);
            REQUIRE(around.lo == (k == 8 ? next : d));
            REQUIRE(around.hi == (k == 0 ? d : next));
            const Interval opposite = enclose(-value);
            REQUIRE((opposite.lo == -around.hi && opposite.hi == -around.lo));
        }
    }
    CHECK(nearest(0) == 0);
    CHECK((enclose(0).lo == 0 && enclose(0).hi == 0));
}

TEST_CASE("numbers that are no ratio of powers of two lie strictly between two doubles") {
    std::mt19937_64 random(71);
    for (int i = 0; i < farfield::tests::trials(20000); ++i) {
        const Rational value = scaled(Rational(Integer(random()) + 1, 3 * (Integer(random() >> 2)) + 1),
                                      static_cast<int>(random() % 2000) - 1000);
        const Interval around = enclose(value);
        const double rounded = nearest(value);
        INFO(value.str());
        REQUIRE(exactly(around.lo) <= value);
        REQUIRE(exactly(around.hi) >= value);
        REQUIRE(
            (around.lo == around.hi ? exactly(around.lo) == value : std::nextafter(around.lo, infinity) == around.hi));
        REQUIRE((rounded == around.lo || rounded == around.hi));
        REQUIRE(abs(exactly(rounded) - value) <= exactly(around.hi) - value);
        REQUIRE(abs(exactly(rounded) - value) <= value - exactly(around.lo));
    }
}

TEST_CASE("beyond the largest double and below the smallest the interval keeps the number") {
    const Rational most = exactly(largest);
    const Rational half_step = Rational(Integer(1) << 970);
    CHECK((enclose(most).lo == largest && enclose(most).hi == largest));
    CHECK(nearest(most + half_step - 1) == largest);
    CHECK(nearest(most + half_step) == infinity);
    for (const Rational& beyond :
         {Rational(most + 1), Rational(most + half_step), Rational(most * 2), Rational(most * most)}) {
        CHECK((enclose(beyond).lo == largest && enclose(beyond).hi == infinity));
        CHECK((enclose(-beyond).lo == -infinity && enclose(-beyond).hi == -largest));
    }
    const Rational least = exactly(smallest);
    CHECK(nearest(least) == smallest);
    CHECK(nearest(least / 2) == 0);
    CHECK(nearest(least * Rational(3, 2)) == 2 * smallest);
    CHECK(nearest(least * Rational(51, 100)) == smallest);
    for (const Rational& tiny :
         {Rational(least / 2), Rational(least / power(10, 400)), Rational(least * Rational(99, 100))}) {
        CHECK((enclose(tiny).lo == 0 && enclose(tiny).hi == smallest));
    }
}

TEST_CASE("the integer not above is the largest such") {
    for (int sixths = -20; sixths <= 20; ++sixths) {
        const Rational value(sixths, 6);
        const Integer whole = floor_of(value);
        INFO(value.str());
        CHECK(Rational(whole) <= value);
        CHECK(value < Rational(whole + 1));
        CHECK(is_integer(value) == (sixths % 6 == 0));
        CHECK(counted(value).has_value() == (sixths % 6 == 0));
        if (sixths % 6 == 0) CHECK(counted(value) == sixths / 6);
    }
    const Rational most(largest_counted);
    CHECK(counted(most) == largest_counted);
    CHECK(counted(-most) == -largest_counted);
    CHECK_FALSE(counted(most + 1).has_value());
    CHECK_FALSE(counted(-most - 1).has_value());
}

TEST_CASE("an integer of 64 bits is enclosed by the doubles next to it") {
    const auto check = [](std::int64_t value) {
        INFO(value);
        const Interval found = enclose_integer(value);
        const Interval wanted = enclose(Rational(value));
        CHECK((found.lo == wanted.lo && found.hi == wanted.hi));
    };
    std::mt19937_64 random(73);
    for (int i = 0; i < 2000; ++i) check(static_cast<std::int64_t>(random()) >> (random() % 64));
    for (std::int64_t beside = -3; beside <= 3; ++beside) {
        for (const std::int64_t value :
             {std::int64_t{0}, std::int64_t{1} << 53, std::int64_t{1} << 54, std::int64_t{1} << 62})
            for (const std::int64_t sign : {-1, 1}) check(sign * (value + beside));
    }
    check(largest_counted);
    check(largest_counted - 511);
    check(largest_counted - 512);
    check(std::numeric_limits<std::int64_t>::min());
}
