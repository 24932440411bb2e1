#include "evaluate/t5_bucket.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include <farfield/numerics/multiprecision.hpp>

#include "numerics/mpfr_value.hpp"

using farfield::evaluate::t5_bucket;

namespace {

// (n/16)^16 >= 8^j as whole numbers: n^16 >= 2^(64 + 3j), so bucket 16 + j begins where 16 log2(n) does; found by
// squaring in 128-bit integers is too narrow, so thresholds are compared through n^16 2^-64 >= 2^(3j) in long double
// only where both sides are far apart, and the ties (n a power of two) are known: 16, 32, 64, 128.
double by_definition(int n) {
    if (n < 16) return n;
    const long double position = 16 * std::log2(static_cast<long double>(n) / 16) / 3;
    const long double nearest = std::round(position);
    const bool tie = std::fabs(position - nearest) < 1e-12L;
    const double floor = static_cast<double>(tie ? nearest : std::floor(position));
    return std::fmin(16 + floor, 31);
}

}  // namespace

TEST_CASE("the buckets of 32 up to 128 are those of the definition, powers of two included") {
    for (int n = 0; n < 300; ++n) CHECK(t5_bucket(n, 32, 128) == by_definition(n));
    for (int n = -5; n <= 0; ++n) CHECK(t5_bucket(n, 32, 128) == 0);
}

TEST_CASE("ties are decided by integers: n = m (D/m)^(j/(B - m)) begins bucket m + j") {
    // m = 5, D = 5 * 3^5, B = 10: the thresholds 5 * 3^j are whole.
    double threshold = 5;
    for (int j = 0; j < 5; ++j, threshold *= 3) {
        CHECK(t5_bucket(threshold, 10, 1215) == 5 + j);
        CHECK(t5_bucket(std::nextafter(threshold, 0), 10, 1215) == (j == 0 ? 4 : 4 + j));
    }
    CHECK(t5_bucket(1215, 10, 1215) == 9);
    CHECK(t5_bucket(1e300, 10, 1215) == 9);
}

TEST_CASE("with many buckets and a maximum distance near them, where logarithms lose their digits, ends are exact") {
    // m = 1024, D = 1035 = m (1 + 11/1024): far bucket j begins at m (D/m)^(j/1024), which 80 digits of MPFR tell.
    const double buckets = 2048;
    const double most = 1035;
    for (int j = 1; j < 1024; j += 11) {
        using farfield::numerics::Multiprecision;
        const Multiprecision ratio = Multiprecision(most, 80) / Multiprecision(1024, 80);
        const Multiprecision begins =
            Multiprecision(1024, 80) * pow(ratio, Multiprecision(j, 80) / Multiprecision(1024, 80));
        double above = begins.to_double();
        if (Multiprecision(above, 80) < begins) above = std::nextafter(above, 2000);
        CHECK(t5_bucket(above, buckets, most) == 1024 + j);
        CHECK(t5_bucket(std::nextafter(above, 0), buckets, most) == 1024 + j - 1);
    }
}

TEST_CASE("buckets that are no integer, or a maximum distance within the near ones, give NaN") {
    CHECK(std::isnan(t5_bucket(3, 1, 128)));
    CHECK(std::isnan(t5_bucket(3, 7.5, 128)));
    CHECK(std::isnan(t5_bucket(3, 32, 16)));
    CHECK(std::isnan(t5_bucket(std::nan(""), 32, 128)));
}

TEST_CASE(
    "any number of buckets and any maximum distance give the definition's bucket, at any precision of the distance") {
    using farfield::numerics::Multiprecision;
    constexpr int digits = 100;
    const auto number = [](double value) { return Multiprecision(value, digits); };
    std::size_t compared = 0;
    for (const double buckets : {2.0, 3.0, 7.0, 10.0, 33.0, 64.0, 65536.0}) {
        const double near = std::floor(buckets / 2);
        for (const double ratio : {1.0625, 2.5, 40.0, 1e6}) {
            const double most = near * ratio;
            for (int step = -20; step <= 220; ++step) {
                const double n = near * std::pow(ratio, step / 200.0) * 1.00001;
                const Multiprecision position =
                    number(buckets - near) * log(number(n) / number(near)) / log(number(most) / number(near));
                double wanted = near + floor(position).to_double();
                if (n < near) wanted = std::floor(n);
                if (n >= most) wanted = buckets - 1;
                INFO(n << " of " << buckets << " to " << most);
                CHECK(t5_bucket(n, buckets, most) == wanted);
                if (step % 10 == 0 && buckets < 100) {
                    CHECK(t5_bucket(farfield::numerics::raw(number(n)), buckets,
                                    farfield::numerics::raw(number(most))) == wanted);
                    ++compared;
                }
            }
        }
    }
    CHECK(compared == 6 * 4 * 25);
}

TEST_CASE("an infinite distance is in the last bucket, and none is far of an infinite maximum") {
    const double infinity = std::numeric_limits<double>::infinity();
    CHECK(t5_bucket(infinity, 32, 128) == 31);
    CHECK(t5_bucket(-infinity, 32, 128) == 0);
    for (const double n : {0.0, 1.5, 15.0}) CHECK(t5_bucket(n, 32, infinity) == std::floor(n));
    using farfield::numerics::Multiprecision;
    const auto exact = [](double n, double most) {
        return t5_bucket(farfield::numerics::raw(Multiprecision(n, 40)), 32,
                         farfield::numerics::raw(Multiprecision(most, 40)));
    };
    CHECK(exact(infinity, 128) == 31);
    CHECK(exact(128, 128) == 31);
    CHECK(exact(-3, 128) == 0);
    CHECK(exact(0, 128) == 0);
    CHECK(exact(2.5, 128) == 2);
    CHECK(exact(1000, infinity) == 16);
    CHECK(std::isnan(exact(std::nan(""), 128)));
    CHECK(std::isnan(exact(3, std::nan(""))));
    CHECK(std::isnan(exact(3, 16)));
    CHECK(t5_bucket(3, 65536, 70000) == 3);
    CHECK(std::isnan(t5_bucket(3, 65537, 70000)));
    CHECK(t5_bucket(1, 2, 9) == 1);
    CHECK(t5_bucket(0.5, 2, 9) == 0);
}
