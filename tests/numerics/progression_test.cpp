#include "numerics/progression.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <string>

#include <farfield/numerics/format.hpp>

#include "numerics/counting.hpp"
#include "numerics/mpfr_value.hpp"
#include "support/trials.hpp"

using namespace farfield::numerics;

namespace {

std::string to_text(__int128 value) {
    if (value < 0) return "-" + to_text(-value);
    std::string digits;
    for (; value > 0 || digits.empty(); value /= 10) digits.insert(digits.begin(), static_cast<char>('0' + value % 10));
    return digits;
}

/// A decimal, read by MPFR: another road than ours, which divides integers.
double by_mpfr(const std::string& decimal, mpfr_rnd_t rounding) {
    Multiprecision value = blank(53);
    mpfr_strtofr(raw(value), decimal.c_str(), nullptr, 10, rounding);
    return mpfr_get_d(raw(value), rounding);
}

Rational read(const std::string& text) {
    const auto value = read_rational(text);
    REQUIRE(value);
    return *value;
}

}  // namespace

TEST_CASE("decimals and fractions are read without error, and nothing else is") {
    // By hand.
    CHECK(read("0.3") == Rational(3, 10));
    CHECK(read("-1e-3") == Rational(-1, 1000));
    CHECK(read("1.50e+2") == 150);
    CHECK(read(".5") == Rational(1, 2));
    CHECK(read("5.") == 5);
    CHECK(read("007") == 7);
    CHECK(read("2/6") == Rational(1, 3));
    CHECK(read("9223372036854775807") == Rational(Integer("9223372036854775807")));
    for (const char* text :
         {"", "-", ".", "e3", "1e", "1e+", "0x10", "1_000", "inf", "nan", "1/0", "1/", "1e99999", "1 "})
        CHECK_FALSE(read_rational(text));
}

TEST_CASE("rational numbers round to the doubles that MPFR rounds the same decimal to") {
    std::mt19937_64 random(20);
    for (int trial = 0; trial < farfield::tests::trials(20000); ++trial) {
        const auto digits = static_cast<long long>(random() >> (random() % 60 + 3));
        const int exponent = static_cast<int>(random() % 660) - 345;  // to subnormal and infinite doubles
        const std::string text =
            (random() % 2 == 0 ? "-" : "") + std::to_string(digits) + "e" + std::to_string(exponent);
        INFO(text);
        const Rational value = read(text);
        const Interval ends = enclose(value);
        CHECK(ends.lo == by_mpfr(text, MPFR_RNDD));
        CHECK(ends.hi == by_mpfr(text, MPFR_RNDU));
        // strtod is correctly rounded, subnormal numbers too.
        CHECK(nearest(value) == std::strtod(text.c_str(), nullptr));
        CHECK(read(rational_text(value)) == value);
    }
}

TEST_CASE("a double is read as the exact rational number") {
    std::mt19937_64 random(21);
    for (int trial = 0; trial < farfield::tests::trials(20000); ++trial) {
        const double value = std::bit_cast<double>(random());
        if (!std::isfinite(value)) continue;
        const Rational exact = exactly(value);
        CHECK(nearest(exact) == value);
        CHECK(enclose(exact).lo == value);
        CHECK(enclose(exact).hi == value);
    }
    CHECK(exactly(0.1) != Rational(1, 10));
    CHECK(shortest_decimal(0.1) == Rational(1, 10));
}

TEST_CASE("the values of random decimal grids lie in their enclosures, which are points where they are doubles") {
    std::mt19937_64 random(22);
    for (int trial = 0; trial < 3000; ++trial) {
        const int from_places = static_cast<int>(random() % 8);
        const int step_places = static_cast<int>(random() % 8);
        const auto from = static_cast<long long>(random() % 2000001) - 1000000;
        const auto step = static_cast<long long>(random() % 1000000) + 1;
        const std::size_t count = random() % 1000 + 1;
        const Progression grid(read(std::to_string(from) + "e-" + std::to_string(from_places)),
                               read(std::to_string(step) + "e-" + std::to_string(step_places)), count);
        __int128 from_scale = 1;
        __int128 step_scale = 1;
        for (int i = 0; i < step_places; ++i) from_scale *= 10;
        for (int i = 0; i < from_places; ++i) step_scale *= 10;
        const std::vector<double> points = grid.points();
        for (int probe = 0; probe < 8; ++probe) {
            const std::size_t index = random() % count;
            const __int128 numerator = from * from_scale + step * step_scale * static_cast<__int128>(index);
            const std::string text = to_text(numerator) + "e-" + std::to_string(from_places + step_places);
            INFO(from << "e-" << from_places << " + " << step << "e-" << step_places << " * " << index);
            const double low = by_mpfr(text, MPFR_RNDD);
            const double high = by_mpfr(text, MPFR_RNDU);
            CHECK(grid.enclose(index).lo == low);
            CHECK(grid.enclose(index).hi == high);
            CHECK(grid.at(index) == std::strtod(text.c_str(), nullptr));
            CHECK(points[index] == grid.at(index));
            CHECK(grid.part(index, 1).exact(0) == read(text));
            // What kernels compute as from + step * index.
            if (grid.is_exact_in_doubles())
                CHECK(grid.at(0) + nearest(grid.step()) * static_cast<double>(index) == grid.at(index));
        }
    }
}

TEST_CASE("the last value of a grid is found by exact division") {
    const auto count = [](const char* from, const char* to, const char* step) {
        const auto grid = Progression::between(read(from), read(to), read(step));
        return grid ? static_cast<double>(grid->count()) : -1;
    };
    CHECK(count("0", "1", "0.1") == 11);
    CHECK(count("0.1", "0.3", "0.1") == 3);
    CHECK(count("0", "0.3", "0.1") == 4);                    // in doubles 0.3/0.1 is below 3
    CHECK(count("0", "0.2999999999999999999", "0.1") == 3);  // and this rounds to 0.3
    CHECK(count("1", "-1", "-0.5") == 5);
    CHECK(count("9007199254740993", "9007199254740995", "1") == 3);
    CHECK(count("0", "1", "1e-16") == -1);  // 10^16 values
}

TEST_CASE("the part of a grid between two numbers has the ends of exact comparison") {
    const auto tenths = Progression::between(0, 1, read("0.1")).value();
    using Ends = std::pair<std::size_t, std::size_t>;
    // 0.30000000000000001 is above 3/10 and has the same double.
    CHECK(tenths.between(read("0.3"), 1) == Ends{3, 11});
    CHECK(tenths.between(read("0.30000000000000001"), 1) == Ends{4, 11});
    CHECK(tenths.between(-5, read("0.29999999999999999")) == Ends{0, 3});
    CHECK(tenths.between(2, 3) == Ends{11, 11});
    CHECK(tenths.between(-3, -2) == Ends{0, 0});
    CHECK(tenths.between(read("0.31"), read("0.39")) == Ends{4, 4});
    // Of these integers doubles tell every second one.
    const Rational base = read("9007199254740990");
    const auto integers = Progression::between(base, base + 8, 1).value();
    CHECK(integers.between(base + 3, base + 5) == Ends{3, 6});
}

TEST_CASE("kernels may compute integers below 2^53 and steps of powers of 2, and no other grid") {
    const auto is_exact = [](const char* from, const char* step, std::size_t count) {
        return Progression(read(from), read(step), count).is_exact_in_doubles();
    };
    CHECK(is_exact("0", "1", 8192));
    CHECK(is_exact("-3.5", "0.25", 1000));
    CHECK_FALSE(is_exact("0", "0.1", 2));
    CHECK_FALSE(is_exact("9007199254740991", "1", 2));
    CHECK_FALSE(is_exact("1/3", "1", 2));
}

TEST_CASE("points to be rounded again keep the side of a tie on which their decimal lies") {
    // 1 + 2^-11 = 1.00048828125 lies halfway between two numbers of fp16; these decimals round to that double.
    const auto rounded = [](const char* text) {
        return round_to(*find_format("fp16"), Progression(read(text), 1, 1).points_to_round()[0]);
    };
    CHECK(rounded("1.00048828125000000001") == 1 + 0x1p-10);
    CHECK(rounded("1.00048828124999999999") == 1);
    CHECK(rounded("1.00048828125") == 1);  // the tie itself, to even
    CHECK(rounded("-1.00048828125000000001") == -1 - 0x1p-10);
}

TEST_CASE("integers beyond 2^53 are enclosed by the doubles around them") {
    // 2^53 + 1 lies between two doubles; 2^62 and 2^53 + 2 are doubles; 2^63 - 1 lies below 2^63.
    const auto is = [](std::int64_t value, double lo, double hi) {
        const Interval ends = enclose_integer(value);
        return ends.lo == lo && ends.hi == hi;
    };
    CHECK(is((1LL << 53) + 1, 0x1p53, 0x1p53 + 2));
    CHECK(is(-(1LL << 53) - 1, -0x1p53 - 2, -0x1p53));
    CHECK(is((1LL << 53) + 2, 0x1p53 + 2, 0x1p53 + 2));
    CHECK(is(1LL << 62, 0x1p62, 0x1p62));
    CHECK(is(largest_counted, 0x1p63 - 1024, 0x1p63));
    CHECK(is(-largest_counted, -0x1p63, -0x1p63 + 1024));
    CHECK(is(-7, -7, -7));
    CHECK(counted(Rational(Integer("9223372036854775807"))) == largest_counted);
    CHECK_FALSE(counted(Rational(Integer("9223372036854775808"))));
    CHECK_FALSE(counted(Rational(1, 2)));
}
