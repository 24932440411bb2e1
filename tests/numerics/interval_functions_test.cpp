#include "farfield/numerics/interval_functions.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "farfield/numerics/fast/interval_functions.hpp"
#include "farfield/numerics/multiprecision.hpp"
#include "numerics/mpfr_value.hpp"
#include "support/trials.hpp"

using namespace farfield::numerics;

namespace {

// The reference: 130 bits of MPFR, whose values a double's interval must contain.
Multiprecision exact(double value) {
    return Multiprecision::with_bits(value, 130);
}

struct Unary {
    std::string name;
    Interval (*proven)(const Interval&);
    Interval (*quick)(const Interval&);
    Multiprecision (*reference)(const Multiprecision&);
    double low, high;  // where arguments are drawn
    int allowed_ulp;   // to each side of the truth by the fast family
};

// Softplus and sigmoid are made of two functions, each widened by 4 doubles.
#define FUNCTION(name) #name, name, fast::name, name
const std::vector<Unary> functions{
    {FUNCTION(exp), -760, 715, 4}, {FUNCTION(expm1), -40, 715, 4},     {FUNCTION(log), 0, 1e3, 4},
    {FUNCTION(log1p), -1, 1e3, 4}, {FUNCTION(log2), 0, 1e3, 4},        {FUNCTION(sin), -1e3, 1e3, 4},
    {FUNCTION(cos), -1e3, 1e3, 4}, {FUNCTION(tan), -1e3, 1e3, 4},      {FUNCTION(tanh), -22, 22, 4},
    {FUNCTION(erf), -7, 7, 4},     {FUNCTION(softplus), -750, 50, 12}, {FUNCTION(sigmoid), -750, 50, 12},
};
#undef FUNCTION

// Uniform over the range, or spread over all magnitudes within it.
double draw(const Unary& row, std::mt19937_64& random) {
    const double uniform = std::uniform_real_distribution<double>(row.low, row.high)(random);
    if (random() % 2 == 0) return uniform;
    const double small = std::ldexp(uniform, -static_cast<int>(random() % 1080));
    return std::clamp(small, row.low, row.high);
}

// The undefined interval holds everything, NaN included, and nothing else holds NaN.
bool encloses(const Interval& x, const Multiprecision& value) {
    if (is_undefined(x)) return true;
    if (value.is_nan()) return false;
    return mpfr_cmp_d(raw(value), x.lo) >= 0 && mpfr_cmp_d(raw(value), x.hi) <= 0;
}

int doubles_between(const Interval& x) {
    int steps = 0;
    for (double at = x.lo; at < x.hi && steps < 1000; at = std::nextafter(at, infinity)) ++steps;
    return steps;
}

}  // namespace

TEST_CASE("both families contain the true value at 100,000 random points a function, and are narrow") {
    std::mt19937_64 random(17);
    for (const Unary& row : functions) {
        for (int i = 0; i < farfield::tests::trials(100000); ++i) {
            const double x = draw(row, random);
            const Multiprecision value = row.reference(exact(x));
            const Interval proven = row.proven(point(x));
            const Interval quick = row.quick(point(x));
            const bool defined = !is_undefined(proven) && !is_undefined(quick);
            const bool narrow = doubles_between(proven) <= 1 && doubles_between(quick) <= 2 * row.allowed_ulp;
            if (!(defined && narrow && encloses(proven, value) && encloses(quick, value))) {
                FAIL(row.name << "(" << x << "): [" << proven.lo << ", " << proven.hi << "], fast [" << quick.lo << ", "
                              << quick.hi << "], true " << value.to_string(20));
            }
        }
    }
}

TEST_CASE("both families contain the value at every point sampled from random intervals") {
    std::mt19937_64 random(19);
    for (const Unary& row : functions) {
        for (int i = 0; i < 10000; ++i) {
            const double a = draw(row, random);
            const double b = random() % 3 == 0 ? draw(row, random)
                                               : a + std::ldexp(std::uniform_real_distribution<double>(0, 1)(random),
                                                                3 - static_cast<int>(random() % 50));
            const Interval x{std::min(a, b), std::max(a, b)};
            const Interval proven = row.proven(x);
            const Interval quick = row.quick(x);
            bool holds = !is_undefined(proven) && contains(quick, proven);
            for (const double t : {0.0, 0.25, std::uniform_real_distribution<double>(0, 1)(random), 1.0}) {
                const double inside = std::clamp(x.lo + t * (x.hi - x.lo), x.lo, x.hi);
                holds = holds && encloses(proven, row.reference(exact(inside)));
            }
            if (!holds) FAIL(row.name << "[" << x.lo << ", " << x.hi << "]");
        }
    }
}

TEST_CASE("the fast family is as narrow as the proven one but for a few doubles at each end") {
    // The library errs by one unit in the last place, and four doubles are added to each side.
    const auto near = [](const Interval& quick, const Interval& proven, int steps) {
        if (is_undefined(quick) || is_undefined(proven)) return is_undefined(quick) && is_undefined(proven);
        return contains(quick, proven) && doubles_between({quick.lo, proven.lo}) <= steps &&
               doubles_between({proven.hi, quick.hi}) <= steps;
    };
    std::mt19937_64 random(37);
    for (const Unary& row : functions) {
        for (int i = 0; i < farfield::tests::trials(4000); ++i) {
            const double a = draw(row, random);
            const double b = draw(row, random);
            const Interval x{std::min(a, b), i % 2 == 0 ? std::min(std::min(a, b) + 1, row.high) : std::max(a, b)};
            if (!near(row.quick(x), row.proven(x), 2 * row.allowed_ulp))
                FAIL(row.name << "[" << x.lo << ", " << x.hi << "]");
        }
    }
    // Ends of ordinary sizes, whole numbers, and some far beyond what is trusted.
    const auto number = [&] {
        const double unit = std::uniform_real_distribution<double>(-2, 2)(random);
        switch (random() % 4) {
            case 0: return static_cast<double>(static_cast<int>(random() % 9) - 4);
            case 1: return std::ldexp(unit, static_cast<int>(random() % 1200) - 600);
            default: return unit;
        }
    };
    const auto interval = [&] {
        const double a = number();
        const double b = random() % 3 == 0 ? a : number();
        return Interval{std::min(a, b), std::max(a, b)};
    };
    for (int i = 0; i < farfield::tests::trials(40000); ++i) {
        const Interval a = interval();
        const Interval b = interval();
        const bool holds = near(fast::atan2(a, b), atan2(a, b), 8) && near(fast::pow(a, b), pow(a, b), 8);
        if (!holds) FAIL("[" << a.lo << ", " << a.hi << "] [" << b.lo << ", " << b.hi << "]");
    }
}

TEST_CASE("extremes and poles of huge angles are not missed between neighbouring doubles") {
    // The doubles around k quarter turns, by 200 digits: sin is 1 or -1 between them, cos too, or tan has its pole.
    std::mt19937_64 random(39);
    for (int i = 0; i < farfield::tests::trials(5000); ++i) {
        const auto quarters = static_cast<std::int64_t>(random() % (std::uint64_t{1} << (1 + random() % 44)));
        const Multiprecision angle =
            Multiprecision::pi(200) * Multiprecision(static_cast<double>(quarters), 200) / Multiprecision(2, 200);
        const double below = mpfr_get_d(raw(angle), MPFR_RNDD);
        const double above = mpfr_get_d(raw(angle), MPFR_RNDU);
        for (const double sign : {1.0, -1.0}) {
            const Interval x = sign > 0 ? Interval{below, above} : Interval{-above, -below};
            const auto turn = static_cast<std::size_t>(quarters % 4) * (sign > 0 ? 1 : 3) % 4;
            INFO(sign << " " << quarters << " quarters");
            CHECK(contains(fast::sin(x), std::array{0, 1, 0, -1}.at(turn)));
            CHECK(contains(fast::cos(x), std::array{1, 0, -1, 0}.at(turn)));
            if (turn % 2 == 1) CHECK((fast::tan(x).lo == -infinity && fast::tan(x).hi == infinity));
        }
    }
}

TEST_CASE("functions of two numbers are undefined if one of them is, whatever the other") {
    using OfTwo = Interval (*)(const Interval&, const Interval&);
    for (const OfTwo function : {OfTwo{pow}, OfTwo{fast::pow}, OfTwo{mod}, OfTwo{atan2}, OfTwo{fast::atan2}}) {
        for (const double other : {0.0, 1.0, -1.0, 2.0, 0.5, infinity}) {
            CHECK(is_undefined(function(undefined_interval(), point(other))));
            CHECK(is_undefined(function(point(other), undefined_interval())));
        }
        CHECK(is_undefined(function(undefined_interval(), undefined_interval())));
    }
}

TEST_CASE("trigonometric ranges hold the extremes inside, and only those") {
    CHECK(sin(Interval{1, 2}).hi == 1);
    CHECK(sin(Interval{1, 2}).lo < 1);
    CHECK(sin(Interval{4, 5}).lo == -1);
    CHECK(cos(Interval{-1, 1}).hi == 1);
    CHECK(cos(Interval{3, 4}).lo == -1);
    CHECK(cos(Interval{3, 4}).hi < 0);
    CHECK((sin(Interval{0, 7}).lo == -1 && sin(Interval{0, 7}).hi == 1));
    CHECK(tan(Interval{1, 2}).hi == infinity);
    CHECK(tan(Interval{-1, 1}).hi < 1.56);
    // 2^1000 and its neighbour are many turns apart.
    CHECK(sin(Interval{0x1p1000, std::nextafter(0x1p1000, infinity)}).hi == 1);
    CHECK(fast::sin(Interval{0x1p1000, std::nextafter(0x1p1000, infinity)}).lo == -1);
}

TEST_CASE("beyond the ranges on which the library is trusted the fast family is the proven one") {
    // The double nearest to a multiple of pi/2: the C library's cosine is 8 units in the last place off.
    const double hardest = std::ldexp(6381956970095103.0, 797);
    CHECK(encloses(fast::cos(point(hardest)), cos(exact(hardest))));
    const auto alike = [](const Interval& a, const Interval& b) { return a.lo == b.lo && a.hi == b.hi; };
    const Interval huge = point(hardest);
    for (const double x : {hardest, -0x1.8p1023, 0x1.8p-1060, 0x1p46 + 1, infinity}) {
        INFO(x);
        CHECK((alike(fast::sin(point(x)), sin(point(x))) || is_undefined(sin(point(x))) || std::fabs(x) < 1));
        CHECK(contains(fast::sin(point(x)), sin(point(x))));
        CHECK(contains(fast::tan(point(x)), tan(point(x))));
        CHECK(contains(fast::exp(point(x)), exp(point(x))));
        CHECK(contains(fast::log1p(point(std::fabs(x))), log1p(point(std::fabs(x)))));
        CHECK(contains(fast::atan2(point(x), point(1)), atan2(point(x), point(1))));
        CHECK(contains(fast::pow(point(std::fabs(x)), point(0.3)), pow(point(std::fabs(x)), point(0.3))));
    }
    CHECK(alike(fast::cos(huge), cos(huge)));
    CHECK(alike(fast::exp(Interval{-800, 1}), exp(Interval{-800, 1})));
    // An end that is trusted and one that is not.
    CHECK(alike(fast::log(Interval{0x1p-1070, 1}), log(Interval{0x1p-1070, 1})));
    CHECK(contains(fast::pow(point(1 + 0x1p-52), point(0x1p61)), pow(point(1 + 0x1p-52), point(0x1p61))));
}

TEST_CASE("known values are points in the fast family") {
    const auto is_exactly = [](const Interval& x, double value) { return x.lo == value && x.hi == value; };
    CHECK(is_exactly(fast::exp(point(0)), 1));
    CHECK(is_exactly(fast::cos(point(0)), 1));
    CHECK(is_exactly(fast::sin(point(0)), 0));
    CHECK(is_exactly(fast::log(point(1)), 0));
    CHECK(is_exactly(fast::log1p(point(0)), 0));
    CHECK(is_exactly(fast::tanh(point(0)), 0));
    CHECK(is_exactly(fast::pow(point(-3), point(2)), 9));
    CHECK(is_exactly(fast::pow(point(0), point(0)), 1));
    for (const double x : {0.3, 1e-7, 7.7, 1e300}) {
        CHECK(is_exactly(fast::pow(point(x), point(0)), 1));
        CHECK(is_exactly(fast::pow(point(x), point(1)), x));
        CHECK(is_exactly(fast::pow(point(-x), point(1)), -x));
        CHECK(is_exactly(fast::pow(point(1), point(x)), 1));
        CHECK(is_exactly(fast::pow(point(0), point(x)), 0));
    }
    CHECK(is_exactly(fast::atan2(point(0), point(3)), 0));
    CHECK(fast::sin(Interval{1, 2}).hi == 1);
    CHECK(fast::tanh(point(30)).hi == 1);
}

TEST_CASE("arguments outside the domain make the result undefined") {
    using Family = std::pair<Interval (*)(const Interval&), Interval (*)(const Interval&)>;
    for (const Family& family : {Family{log, fast::log}, {log2, fast::log2}}) {
        CHECK(is_undefined(family.first(Interval{-1, 1})));
        CHECK(is_undefined(family.second(Interval{-1, 1})));
        CHECK(family.first(Interval{0, 1}).lo == -infinity);
        CHECK(family.second(Interval{0, 1}).lo == -infinity);
    }
    for (const Family& family : {Family{sin, fast::sin}, {cos, fast::cos}, {tan, fast::tan}}) {
        CHECK(is_undefined(family.first(Interval{1, infinity})));
        CHECK(is_undefined(family.second(Interval{1, infinity})));
    }
    for (const Unary& row : functions) {
        INFO(row.name);
        CHECK(is_undefined(row.proven(undefined_interval())));
        CHECK(is_undefined(row.quick(undefined_interval())));
    }
    CHECK(is_undefined(log1p(Interval{-2, 0})));
    CHECK(is_undefined(mod(point(1), Interval{-1, 1})));
    CHECK(is_undefined(mod(Interval{0, infinity}, point(2))));
    CHECK(is_undefined(pow(Interval{-1, 1}, point(0.5))));
    CHECK(is_undefined(pow(Interval{-1, 1}, Interval{1, 2})));
    CHECK(is_undefined(fast::pow(Interval{-1, 1}, Interval{1, 2})));
}

TEST_CASE("powers, remainders and angles contain the value at every point sampled from random boxes") {
    std::mt19937_64 random(23);
    const auto whole = [&] { return static_cast<double>(static_cast<int>(random() % 13) - 6); };
    const auto real = [&] { return std::uniform_real_distribution<double>(-6, 6)(random); };
    const auto ordered = [](double a, double b) { return Interval{std::min(a, b), std::max(a, b)}; };
    const auto interval = [&] {
        switch (random() % 4) {
            case 0: return point(whole());
            case 1: return ordered(whole(), whole());
            case 2: return ordered(real(), real());
            default: {
                const double a = real();
                return Interval{a, a + std::ldexp(1.0, -static_cast<int>(random() % 55))};
            }
        }
    };
    using BinaryInterval = Interval (*)(const Interval&, const Interval&);
    using BinaryExact = Multiprecision (*)(const Multiprecision&, const Multiprecision&);
    struct Row {
        std::string name;
        BinaryInterval function;
        BinaryExact reference;
    };
    const std::vector<Row> rows{{"pow", pow, pow},
                                {"fast pow", fast::pow, pow},
                                {"mod", mod, mod},
                                {"atan2", atan2, atan2},
                                {"fast atan2", fast::atan2, atan2}};
    for (const Row& row : rows) {
        for (int i = 0; i < 6000; ++i) {
            const Interval a = interval();
            const Interval b = interval();
            const Interval result = row.function(a, b);
            bool holds = std::isnan(result.lo) == std::isnan(result.hi);
            for (const double s : {0.0, 0.5, 1.0, std::uniform_real_distribution<double>(0, 1)(random)}) {
                for (const double t : {0.0, 0.5, 1.0}) {
                    const double x = std::clamp(a.lo + s * (a.hi - a.lo), a.lo, a.hi);
                    const double y = std::clamp(b.lo + t * (b.hi - b.lo), b.lo, b.hi);
                    holds = holds && encloses(result, row.reference(exact(x), exact(y)));
                    // A zero may come with either sign.
                    const bool zero = x == 0 || y == 0;
                    holds = holds &&
                            (!zero || encloses(result, row.reference(exact(x == 0 ? -x : x), exact(y == 0 ? -y : y))));
                }
            }
            if (!holds) FAIL(row.name << " [" << a.lo << ", " << a.hi << "] [" << b.lo << ", " << b.hi << "]");
        }
    }
}

TEST_CASE("remainders are tight within a period and hold all of it across periods") {
    const auto is_interval = [](const Interval& x, double lo, double hi) { return x.lo == lo && x.hi == hi; };
    CHECK(is_interval(mod(Interval{7.25, 7.5}, point(2)), 1.25, 1.5));
    CHECK(is_interval(mod(Interval{7.5, 8.5}, point(2)), 0, 2));
    // The double 0.3 and its lower neighbour are in one period of the double 0.1; their rounded quotients enclose 3.
    const Interval near_three{std::nextafter(0.3, 0), 0.3};
    CHECK(is_interval(mod(near_three, point(0.1)), std::fmod(near_three.lo, 0.1), std::fmod(near_three.hi, 0.1)));
    CHECK(is_interval(mod(point(-1), point(3)), 2, 2));
    CHECK(is_interval(mod(point(7), point(-3)), -2, -2));
    CHECK(is_interval(mod(Interval{5, 5.5}, Interval{2, 2.25}), 0.5, 1.5));
    CHECK(is_interval(mod(Interval{1, 2}, Interval{3, infinity}), 1, 2));
    CHECK(is_interval(mod(Interval{-1, 2}, Interval{3, infinity}), 0, infinity));
}

TEST_CASE("powers know even, odd and fractional exponents") {
    const auto is_interval = [](const Interval& x, double lo, double hi) { return x.lo == lo && x.hi == hi; };
    CHECK(is_interval(pow(Interval{-2, 3}, point(2)), 0, 9));
    CHECK(is_interval(pow(Interval{-2, 3}, point(3)), -8, 27));
    CHECK(is_interval(pow(Interval{-2, 3}, point(-1)), -infinity, infinity));
    CHECK(is_interval(pow(Interval{-2, 4}, point(-2)), 0.0625, infinity));
    CHECK(is_interval(pow(Interval{4, 9}, point(0.5)), 2, 3));
    CHECK(is_interval(pow(Interval{0.5, 2}, Interval{-1, 3}), 0.125, 8));
    CHECK(is_interval(pow(point(0), point(0)), 1, 1));
    CHECK(is_interval(pow(Interval{0, 1}, Interval{0, 1}), 0, 1));
}
