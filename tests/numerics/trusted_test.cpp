// Where a library's function is relied upon: exactly on the arguments that its row states.
#include "numerics/fast/trusted.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

namespace farfield::numerics::fast {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

double below(double x) {
    return std::nextafter(x, -infinity);
}
double above(double x) {
    return std::nextafter(x, infinity);
}

TEST_CASE("a function of one number is trusted from end to end of its row and no further") {
    for (const TrustedFunction& row : trusted_functions) {
        INFO(row.name);
        CHECK(is_trusted(row, row.low));
        CHECK(is_trusted(row, row.high));
        CHECK_FALSE(is_trusted(row, below(row.low)));
        CHECK_FALSE(is_trusted(row, above(row.high)));
        CHECK(is_trusted(row, row.exact_at));
        CHECK(is_trusted(row, least_size));
        CHECK(is_trusted(row, 0.5));
        CHECK(is_trusted(row, 0.0) == (row.exact_at == 0));
        CHECK_FALSE(is_trusted(row, below(least_size)));
        CHECK_FALSE(is_trusted(row, above(-least_size)));
        CHECK(is_trusted(row, -least_size) == (row.low < 0));
        for (const double never : {infinity, -infinity, not_a_number}) CHECK_FALSE(is_trusted(row, never));
    }
}

TEST_CASE("a function of two numbers is trusted for the sizes of its row and no others") {
    for (const TrustedFunctionOfTwo& row : trusted_functions_of_two) {
        INFO(row.name);
        for (const double first : {row.first_least, 1.0, row.first_most}) {
            for (const double second : {row.second_least, 1.0, row.second_most}) {
                for (const double sign : {-1.0, 1.0}) {
                    CHECK(is_trusted(row, sign * first, second));
                    CHECK(is_trusted(row, first, sign * second));
                    for (const double never :
                         {below(row.first_least), above(row.first_most), 0.0, infinity, not_a_number})
                        CHECK_FALSE(is_trusted(row, sign * never, second));
                    for (const double never :
                         {below(row.second_least), above(row.second_most), 0.0, infinity, not_a_number})
                        CHECK_FALSE(is_trusted(row, first, sign * never));
                }
            }
        }
    }
}

TEST_CASE("a computed value stands for itself and four doubles to each side") {
    for (const double value : {1.0, -1.0, 0.1, -3e300, 0x1p-1000, 0x1p52}) {
        double low = value;
        double high = value;
        for (int step = 0; step < 4; ++step) {
            low = below(low);
            high = above(high);
        }
        INFO(value);
        CHECK(around(value).lo == low);
        CHECK(around(value).hi == high);
    }
    // Through zero too, whose two signs are one number.
    CHECK(from_rank(rank(0.0) - 1) == below(0.0));
    CHECK(from_rank(rank(-0.0) + 1) == above(0.0));
    CHECK(rank(above(0.0)) - rank(below(0.0)) == 2);
}

TEST_CASE("nothing is known of values if an end is not trusted, and the known value is exact") {
    CHECK(values_at_ends<trusted_exp>(Interval{-1, 1}).has_value());
    CHECK_FALSE(values_at_ends<trusted_exp>(Interval{-1, infinity}).has_value());
    CHECK_FALSE(values_at_ends<trusted_exp>(Interval{-infinity, 1}).has_value());
    CHECK_FALSE(values_at_ends<trusted_exp>(undefined_interval()).has_value());
    const auto known = values_at_ends<trusted_exp>(Interval{0, 1});
    REQUIRE(known.has_value());
    CHECK((known->low.lo == 1 && known->low.hi == 1));
    // e lies strictly between these doubles.
    CHECK(known->high.lo < enclose_e().lo);
    CHECK(known->high.hi > enclose_e().hi);
    CHECK_FALSE(values_at_ends<trusted_pow>(2.0, Interval{1, infinity}).has_value());
    CHECK_FALSE(values_at_ends<trusted_pow>(2.0, Interval{-infinity, 1}).has_value());
    // One end outside its row is enough, whatever the values are.
    CHECK_FALSE(values_at_ends<trusted_pow>(2.0, Interval{0x1p-61, 1}).has_value());
    CHECK_FALSE(values_at_ends<trusted_pow>(1 + 0x1p-52, Interval{1, 0x1p61}).has_value());
    // Results of all sizes from 2^-1000 to 2^1000, and no others.
    CHECK(values_at_ends<trusted_pow>(2.0, Interval{-1000, 1000}).has_value());
    CHECK_FALSE(values_at_ends<trusted_pow>(2.0, Interval{-1001, 999}).has_value());
    CHECK_FALSE(values_at_ends<trusted_pow>(2.0, Interval{-999, 1001}).has_value());
}

}  // namespace
}  // namespace farfield::numerics::fast
