#include "farfield/numerics/statistics.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "farfield/core/error.hpp"

using namespace farfield::numerics;

namespace {

using Sample = std::vector<double>;

const double infinity = std::numeric_limits<double>::infinity();

// Student's sleep data (Biometrika 6, 1908).
const Sample first_drug{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
const Sample second_drug{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};

bool near(double found, double expected, double digits = 13) {
    return std::fabs(found - expected) <= std::fabs(expected) * std::pow(10, -digits);
}

}  // namespace

// Expected values: tests/references/numerics/statistics_values.py, by mpmath; R's t.test prints the first of their
// digits.
TEST_CASE("t tests of Student's sleep data agree with 18 computed digits") {
    const TTest paired = paired_t_test(first_drug, second_drug);
    CHECK(near(paired.difference, -1.58));
    CHECK(near(paired.t, -4.06212768338203611));
    CHECK(paired.degrees_of_freedom == 9);
    CHECK(near(paired.p, 0.00283289019738427274));
    const TTest welch = welch_t_test(first_drug, second_drug);
    CHECK(near(welch.t, -1.8608134674868531));
    CHECK(near(welch.degrees_of_freedom, 17.7764735161784901));
    CHECK(near(welch.p, 0.0793941401873581383));
    const TTest pooled = pooled_t_test(first_drug, second_drug);
    CHECK(near(pooled.t, -1.8608134674868531));
    CHECK(pooled.degrees_of_freedom == 18);
    CHECK(near(pooled.p, 0.0791867142159381107));
}

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

TEST_CASE("critical values are those of the tables, to 12 digits") {
    CHECK(near(critical_t(0.05, 1), 12.7062047361747046, 12));
    CHECK(near(critical_t(0.05, 10), 2.22813885198627475, 12));
    CHECK(near(critical_t(0.01, 17.776), 2.88265986654206987, 12));
    CHECK(near(critical_t(1e-10, 8), 42.6870443226502108, 12));
    CHECK_THROWS_AS(critical_t(0, 5), farfield::core::PreconditionError);
    CHECK_THROWS_AS(critical_t(0.05, 0), farfield::core::PreconditionError);
}

TEST_CASE("tests of too little, of NaN and of samples without spread say so") {
    CHECK(std::isnan(paired_t_test(Sample{1}, Sample{2}).p));
    CHECK(std::isnan(welch_t_test(Sample{1}, Sample{2, 3}).t));
    CHECK(std::isnan(pooled_t_test(Sample{}, Sample{2, 3}).p));
    CHECK(std::isnan(paired_t_test(Sample{1, std::nan("")}, Sample{2, 3}).p));
    const Sample tenths{0.1, 0.1, 0.1};
    const Sample fifths{0.2, 0.2, 0.2};
    for (const auto& test : {paired_t_test, welch_t_test, pooled_t_test}) {
        CHECK(test(tenths, fifths).t == -infinity);
        CHECK(test(tenths, fifths).p == 0);
        CHECK(std::isnan(test(tenths, tenths).p));
    }
    CHECK_THROWS_AS(paired_t_test(tenths, Sample{1, 2}), farfield::core::PreconditionError);
}

TEST_CASE("means and deviations do not lose digits to a large mean") {
    const Sample shifted{1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16};
    CHECK(mean(shifted) == 1e9 + 10);
    CHECK(near(sample_deviation(shifted), std::sqrt(30.0), 15));
    CHECK(std::isnan(mean(Sample{})));
    CHECK(std::isnan(sample_deviation(Sample{1})));
    CHECK(sample_deviation(Sample{0.1, 0.1, 0.1}) == 0);
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
    CHECK(std::isnan(spearman_correlation(Sample{1, std::nan("")}, Sample{1, 2})));
    CHECK_THROWS_AS(pearson_correlation(Sample{1}, Sample{1, 2}), farfield::core::PreconditionError);
}
