// What interval arithmetic promises, of both number systems and all intervals with ends in a short list: the result is
// the narrowest interval that holds the results of all pairs of numbers inside, and undefined where one of them is.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "farfield/numerics/interval.hpp"
#include "farfield/numerics/interval_functions.hpp"
#include "numerics/mpfi_value.hpp"

using namespace farfield::numerics;

namespace {

constexpr long bits = 64;
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

std::vector<Interval> intervals_between(const std::vector<double>& ends) {
    std::vector<Interval> all;
    for (std::size_t i = 0; i < ends.size(); ++i) {
        for (std::size_t j = i; j < ends.size(); ++j) all.push_back({ends[i], ends[j]});
    }
    return all;
}

std::string described(const Interval& x) {
    return "[" + std::to_string(x.lo) + ", " + std::to_string(x.hi) + "]";
}

MpfiValue wide(const Interval& x) {
    return MpfiValue(x, bits);
}

bool same(const Interval& a, const Interval& b) {
    if (is_undefined(a) || is_undefined(b)) return is_undefined(a) && is_undefined(b);
    return a.lo == b.lo && a.hi == b.hi;
}

/// The numbers of an interval at which a function of the list can have its extremes: the ends, and zero of both signs
/// where it lies inside or is an end.
std::vector<double> extremes(const Interval& x) {
    std::vector<double> points{x.lo, x.hi};
    if (x.lo <= 0 && x.hi >= 0) {
        points.push_back(0.0);
        points.push_back(-0.0);
    }
    return points;
}

/// The hull of what the function gives for numbers inside; undefined where that is NaN for some.
Interval hull_of_values(const std::function<double(double, double)>& of, const Interval& a, const Interval& b) {
    Interval all{infinity, -infinity};
    for (const double x : extremes(a)) {
        for (const double y : extremes(b)) {
            const double value = of(x, y);
            if (std::isnan(value)) return undefined_interval();
            all = {std::min(all.lo, value), std::max(all.hi, value)};
        }
    }
    return all;
}

using OfTwo = Interval (*)(const Interval&, const Interval&);
using WideOfTwo = MpfiValue (*)(const MpfiValue&, const MpfiValue&);
using OfOne = Interval (*)(const Interval&);
using WideOfOne = MpfiValue (*)(const MpfiValue&);

}  // namespace

TEST_CASE("sums, differences, products, quotients and extremes are the hulls of all results") {
    struct Row {
        std::string name;
        OfTwo narrow;
        WideOfTwo wide;
        std::function<double(double, double)> of;
    };
    const std::vector<Row> rows{
        {"+", operator+, operator+, [](double x, double y) { return x + y; }},
        {"-", operator-, operator-, [](double x, double y) { return x - y; }},
        {"*", operator*, operator*, [](double x, double y) { return x * y; }},
        {"/", operator/, operator/, [](double x, double y) { return x / y; }},
        {"min", min, min, [](double x, double y) { return std::min(x, y); }},
        {"max", max, max, [](double x, double y) { return std::max(x, y); }},
        {"hull", hull, hull, nullptr},
    };
    // Powers of two: every result is a double.
    const std::vector<Interval> all = intervals_between({-infinity, -4, -1, -0.5, 0, 0.25, 1, 2, infinity});
    for (const Row& row : rows) {
        for (const Interval& a : all) {
            for (const Interval& b : all) {
                Interval wanted{std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
                if (row.of) wanted = hull_of_values(row.of, a, b);
                // By an interval with zero the quotients are those by numbers beside it too.
                const bool by_zero = row.name == "/" && b.lo <= 0 && b.hi >= 0 && !is_undefined(wanted);
                if (by_zero) wanted = whole_line();
                INFO(described(a) << " " << row.name << " " << described(b));
                CHECK(same(row.narrow(a, b), wanted));
                CHECK(same(row.wide(wide(a), wide(b)).to_interval(), wanted));
            }
            CHECK(is_undefined(row.narrow(a, undefined_interval())));
            CHECK(is_undefined(row.narrow(undefined_interval(), a)));
            CHECK(row.wide(wide(a), MpfiValue(bits)).is_undefined());
            CHECK(row.wide(MpfiValue(bits), wide(a)).is_undefined());
        }
    }
}

TEST_CASE("functions of one interval are the hulls of all results") {
    struct Row {
        std::string name;
        OfOne narrow;
        WideOfOne wide;
        std::function<double(double)> of;
    };
    const std::vector<Row> rows{
        {"-", operator-, operator-, [](double x) { return -x; }},
        {"abs", abs, abs, [](double x) { return std::fabs(x); }},
        {"floor", floor, floor, [](double x) { return std::floor(x); }},
        {"ceil", ceil, ceil, [](double x) { return std::ceil(x); }},
        {"round", round, round, [](double x) { return std::nearbyint(x); }},
        {"sign", sign, sign, [](double x) { return (x > 0) - (x < 0); }},
        {"sqrt", sqrt, sqrt, [](double x) { return std::sqrt(x); }},
        {"square", nullptr, square, [](double x) { return x * x; }},
    };
    for (const Row& row : rows) {
        for (const Interval& x : intervals_between({-infinity, -2.5, -1, -0.5, 0, 0.25, 1, 2.25, 4, 6.25, infinity})) {
            const Interval wanted = hull_of_values([&](double at, double) { return row.of(at); }, x, point(0));
            INFO(row.name << described(x));
            if (row.narrow) CHECK(same(row.narrow(x), wanted));
            CHECK(same(row.wide(wide(x)).to_interval(), wanted));
        }
        if (row.narrow) CHECK(is_undefined(row.narrow(undefined_interval())));
        CHECK(row.wide(MpfiValue(bits)).is_undefined());
    }
}

TEST_CASE("a comparison is true if it holds for all pairs, false if for none, and undecided otherwise") {
    struct Row {
        std::string name;
        Truth (*narrow)(const Interval&, const Interval&);
        Truth (*wide)(const MpfiValue&, const MpfiValue&);
        std::function<bool(double, double)> of;
    };
    const std::vector<Row> rows{{"<", less, less, [](double x, double y) { return x < y; }},
                                {"<=", less_equal, less_equal, [](double x, double y) { return x <= y; }},
                                {"==", equal, equal, [](double x, double y) { return x == y; }}};
    // Whole numbers inside decide: of two intervals with such ends that meet, both hold one.
    const std::vector<double> ends{0, 1, 2, 3};
    const std::vector<Interval> all = intervals_between(ends);
    for (const Row& row : rows) {
        for (const Interval& a : all) {
            for (const Interval& b : all) {
                std::size_t pairs = 0;
                std::size_t true_pairs = 0;
                for (double x = a.lo; x <= a.hi; ++x) {
                    for (double y = b.lo; y <= b.hi; ++y, ++pairs) true_pairs += row.of(x, y) ? 1 : 0;
                }
                const Truth wanted = true_pairs == pairs ? Truth::yes : true_pairs == 0 ? Truth::no : Truth::unknown;
                INFO(described(a) << " " << row.name << " " << described(b));
                CHECK(row.narrow(a, b) == wanted);
                CHECK(row.wide(wide(a), wide(b)) == wanted);
            }
            CHECK(row.narrow(a, undefined_interval()) == Truth::unknown);
            CHECK(row.narrow(undefined_interval(), a) == Truth::unknown);
            CHECK(row.wide(wide(a), MpfiValue(bits)) == Truth::unknown);
            CHECK(row.wide(MpfiValue(bits), wide(a)) == Truth::unknown);
        }
    }
}

TEST_CASE("the properties of an interval follow from its ends") {
    for (const Interval& x : intervals_between({-infinity, -1, 0, 1, infinity})) {
        const MpfiValue value = wide(x);
        INFO(described(x));
        CHECK(value.bits() == bits);
        CHECK_FALSE(value.is_undefined());
        CHECK(value.is_point() == (x.lo == x.hi));
        CHECK(value.has_zero() == (x.lo <= 0 && x.hi >= 0));
        CHECK(value.has_infinity() == (std::isinf(x.lo) || std::isinf(x.hi)));
        for (const double number : {-infinity, -1.0, -0.5, 0.0, 0.5, 1.0, infinity}) {
            const bool is_inside = number >= x.lo && number <= x.hi;
            CHECK(contains(x, number) == is_inside);
            CHECK(value.contains(Multiprecision::with_bits(number, bits)) == is_inside);
        }
        CHECK_FALSE(value.contains(Multiprecision::with_bits(not_a_number, bits)));
        const MpfiValue copy(value);
        CHECK(same(copy.to_interval(), x));
    }
    CHECK(MpfiValue(bits).contains(Multiprecision::with_bits(not_a_number, bits)));
    CHECK_FALSE(MpfiValue(bits).is_point());
    CHECK((MpfiValue(1.0, 80) + MpfiValue(1.0, 100)).bits() == 100);
    CHECK((MpfiValue(1.0, 100) + MpfiValue(1.0, 80)).bits() == 100);
}

TEST_CASE("the width is the distance of the ends, and the middle halves it") {
    for (const Interval& x : intervals_between({-8, -1, 0, 0.5, 4})) {
        INFO(described(x));
        CHECK(width(x) == x.hi - x.lo);
        CHECK(midpoint(x) == (x.lo + x.hi) / 2);
        CHECK(wide(x).middle().to_double() == (x.lo + x.hi) / 2);
    }
    const double most = std::numeric_limits<double>::max();
    CHECK(midpoint(Interval{-infinity, 0}) == -most);
    CHECK(midpoint(Interval{0, infinity}) == most);
    CHECK(width(Interval{0, 0x1p-1074}) == 0x1p-1074);
    CHECK(width(Interval{-0x1p-60, 1}) == std::nextafter(1.0, 2.0));
}

TEST_CASE("remainders and powers are the narrowest wherever all ends are exact") {
    // Expected: mod by the definition a - b floor(a/b), over one period of a and one sign of b.
    for (const double period : {1.0, 2.0, 4.0}) {
        for (int from = -6; from <= 6; ++from) {
            for (int count = 0; count <= 6; ++count) {
                const Interval a{from / 2.0, (from + count) / 2.0};
                const double first = a.lo - period * std::floor(a.lo / period);
                const double last = a.hi - period * std::floor(a.hi / period);
                const bool one_turn = std::floor(a.lo / period) == std::floor(a.hi / period);
                const Interval wanted = one_turn ? Interval{first, last} : Interval{0, period};
                INFO(described(a) << " % " << period);
                CHECK(same(mod(a, point(period)), wanted));
                CHECK(same(mod(-a, point(-period)), -wanted));
            }
        }
    }
    // Powers of two by whole exponents, x^n: monotone on either side of zero.
    for (int exponent = -3; exponent <= 4; ++exponent) {
        for (const Interval& x : intervals_between({-4, -2, -1, 0, 0.5, 1, 2})) {
            const bool is_odd = exponent % 2 != 0;
            const bool has_pole = exponent < 0 && x.lo <= 0 && x.hi >= 0;
            Interval wanted = hull_of_values([&](double at, double) { return std::pow(at, exponent); }, x, point(0));
            if (has_pole && is_odd) wanted = whole_line();
            INFO(described(x) << "^" << exponent);
            CHECK(same(pow(x, point(exponent)), wanted));
        }
    }
}
