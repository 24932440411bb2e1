#include "farfield/numerics/statistics.hpp"
#include "farfield/numerics/interval.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "farfield/core/error.hpp"

using namespace farfield::numerics;

namespace {

using Sample = std::vector<double>;

bool near(double found, double expected, double digits = 13) {
    return std::fabs(found - expected) <= std::fabs(expected) * std::pow(10, -digits);
}

}  // namespace

// Expected values: tests/references/numerics/statistics_values.py, by mpmath.
TEST_CASE("two-sided probabilities keep 13 digits from the middle to the far tail") {
    CHECK(near(two_sided_p(0.001, 3), 0.999264894969460938));
    CHECK(near(two_sided_p(-2, 5), 0.101939478829858356));
    CHECK(near(two_sided_p(12.5, 17.776), 3.06051701806424314e-10));
    CHECK(near(two_sided_p(40, 30), 1.37260451944064028e-27));
    CHECK(near(two_sided_p(3, 1e6), 0.00269986254142179706));
    CHECK(near(two_sided_p(1e-8, 0.5), 0.999999994606473988));
    // One and two degrees of freedom have closed forms.
    for (const double t : {0.1, 1.0, 3.0, 50.0}) {
        CHECK(near(two_sided_p(t, 1), 2 / 3.14159265358979323846 * std::atan2(1, t)));
        const double root = std::sqrt(2 + t * t);
        CHECK(near(two_sided_p(t, 2), 2 / (root * (root + t))));
    }
    CHECK(two_sided_p(0, 7) == 1);
    CHECK(two_sided_p(infinity, 7) == 0);
    CHECK(std::isnan(two_sided_p(std::nan(""), 7)));
    CHECK(std::isnan(two_sided_p(1, 0)));
}

TEST_CASE("means and deviations do not lose digits to a large mean") {
    const Sample shifted{1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16};
    CHECK(mean(shifted) == 1e9 + 10);
    CHECK(near(sample_deviation(shifted), std::sqrt(30.0), 15));
    CHECK(std::isnan(mean(Sample{})));
    CHECK(std::isnan(sample_deviation(Sample{1})));
    CHECK(sample_deviation(Sample{0.1, 0.1, 0.1}) == 0);
}

TEST_CASE("deviations and correlations do not depend on the unit") {
    // The deviation of 1, 2, 4 is sqrt(7/3).
    for (const int exponent : {0, -1070, -600, -201, 201, 600, 1020}) {
        const double unit = std::ldexp(1.0, exponent);
        const double x[] = {unit, 2 * unit, 4 * unit};
        const double y[] = {3 / 16.0, 1 / 16.0, 0};
        CHECK(sample_deviation(x) == Approx(std::ldexp(std::sqrt(7.0 / 3), exponent)).epsilon(1e-15));
        CHECK(pearson_correlation(x, y) == Approx(-0.9285714285714286).epsilon(1e-15));
    }
}

TEST_CASE("correlations agree with the published examples") {
    // Anscombe's first set (American Statistician 27, 1973), to more digits by statistics_values.py.
    const Sample x{10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5};
    const Sample y{8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68};
    CHECK(near(pearson_correlation(x, y), 0.816420516344839841));
    // Ranks without ties: 1 - 6 sum d^2/(n (n^2 - 1)), here with d^2 summing to 194 over ten.
    const Sample quotient{106, 100, 86, 101, 99, 103, 97, 113, 112, 110};
    const Sample hours{7, 27, 2, 50, 28, 29, 20, 12, 6, 17};
    CHECK(near(spearman_correlation(quotient, hours), 1 - 6.0 * 194 / 990));
    // Ties: ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4 correlate by 4.5/sqrt(4.5 * 5).
    CHECK(near(spearman_correlation(Sample{1, 5, 5, 9}, Sample{1, 2, 3, 4}), 4.5 / std::sqrt(22.5)));
    CHECK(spearman_correlation(Sample{1, 2, 3}, Sample{1, 8, 27}) == Approx(1).epsilon(1e-15));
    CHECK(std::isnan(pearson_correlation(Sample{0.1, 0.1, 0.1}, Sample{1, 2, 3})));
    CHECK(std::isnan(pearson_correlation(Sample{1, std::nan("")}, Sample{1, 2})));
    CHECK(std::isnan(pearson_correlation(Sample{1, 2}, Sample{std::nan(""), 2})));
    // Two points lie on a line; the sums of products give 0.99999999999999978.
    CHECK(pearson_correlation(Sample{0.1, 0.3}, Sample{-7, 0.7}) == 1);
    CHECK(pearson_correlation(Sample{0.3, 0.1}, Sample{-7, 0.7}) == -1);
    CHECK(std::isnan(spearman_correlation(Sample{1, std::nan("")}, Sample{1, 2})));
    CHECK_THROWS_AS(pearson_correlation(Sample{1}, Sample{1, 2}), farfield::core::PreconditionError);
}
