#include <catch2/catch.hpp>

#include "compute.hpp"
#include "quantity/kinds.hpp"

namespace farfield::quantity {
namespace {

using Catch::Contains;

// Student's own data (The probable error of a mean, 1908), as R ships them under `sleep`.
const std::string sleep = R"(
a = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
b = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
)";

void check_value(const core::Result& result, const char* name, double printed, double half_unit) {
    const core::Cell* cell = result.find(name);
    REQUIRE(cell);
    REQUIRE(cell->number);
    INFO(name << " = " << *cell->number);
    CHECK(std::abs(*cell->number - printed) <= half_unit);
    REQUIRE(cell->enclosure);
    CHECK(cell->enclosure->contains(*cell->number));
    CHECK(cell->rigour == core::Rigour::rigorous);
}

TEST_CASE("the paired test of Student's sleep data is R's: t = -4.0621, df = 9, p = 0.002833") {
    const core::Result result = compute(ttest_kind(), sleep + "paired = true");
    check_value(result, "t", -4.0621, 5e-5);
    check_value(result, "df", 9, 0);
    check_value(result, "p", 0.002833, 5e-7);
    check_value(result, "mean_difference", -1.58, 1e-14);
    CHECK(result.find("p")->enclosure->width() < 1e-13);
}

TEST_CASE("the pooled test of the sleep data is R's: t = -1.8608, df = 18, p = 0.07919") {
    const core::Result result = compute(ttest_kind(), sleep);
    check_value(result, "t", -1.8608, 5e-5);
    check_value(result, "df", 18, 0);
    check_value(result, "p", 0.07919, 5e-6);
    CHECK(result.find("p")->enclosure->width() < 1e-13);
}

TEST_CASE("Welch's test of the sleep data is R's: df = 17.776, p = 0.07939") {
    const core::Result result = compute(ttest_kind(), sleep + "equal_variances = false");
    check_value(result, "t", -1.8608, 5e-5);
    check_value(result, "df", 17.776, 5e-4);
    check_value(result, "p", 0.07939, 5e-6);
}

TEST_CASE("t, p and df do not depend on the unit of the samples") {
    // scipy.stats.ttest_ind([1, 2, 4], [3, 1, 0]), the same with equal_var=False, and ttest_rel.
    for (const std::string unit : {"", "e160", "e307", "e-162", "e-300"}) {
        INFO(unit);
        const std::string samples =
            "a = [1" + unit + ", 2" + unit + ", 4" + unit + "]\nb = [3" + unit + ", 1" + unit + ", 0]\n";
        const core::Result pooled = compute(ttest_kind(), samples);
        check_value(pooled, "t", 0.8017837257372732, 1e-14);
        check_value(pooled, "p", 0.4676047546093972, 1e-14);
        CHECK(pooled.find("p")->enclosure->width() < 1e-12);
        const core::Result welch = compute(ttest_kind(), samples + "equal_variances = false");
        check_value(welch, "df", 4, 1e-13);
        const core::Result paired = compute(ttest_kind(), samples + "paired = true");
        check_value(paired, "t", 0.5773502691896258, 1e-14);
    }
    // scipy.stats.ttest_ind(a, b, equal_var=False)
    for (const std::string unit : {"", "e80", "e-80", "e200"}) {
        INFO(unit);
        const core::Result welch =
            compute(ttest_kind(), "a = [-1.13" + unit + ", 0.54" + unit + ", -1.11" + unit + ", 1.01" + unit +
                                      "]\nb = [2.12" + unit + ", 0.43" + unit + "]\nequal_variances = false");
        check_value(welch, "df", 1.93057, 5e-6);
        check_value(welch, "p", 0.292773, 5e-7);
    }
}

TEST_CASE("two pairs have the Cauchy distribution's p") {
    // Differences 1 and 3: t = 2 / sqrt(2/2) = 2 with one degree of freedom; p = 1 - 2 atan(2)/pi.
    const core::Result result = compute(ttest_kind(), "a = [1, 3]\nb = [0, 0]\npaired = true");
    check_value(result, "t", 2, 1e-15);
    check_value(result, "p", 1 - 2 * std::atan(2.0) / std::acos(-1.0), 1e-15);
}

TEST_CASE("printed numbers give t the interval that their rounding allows") {
    const core::Result result = compute(ttest_kind(), "a = ['1.0', '3.0']\nb = [0, 0]\npaired = true");
    const core::Cell* t = result.find("t");
    CHECK(t->rigour == core::Rigour::rounding);
    // Ends by hand: 1.05 and 2.95 give 2/0.95, 0.95 and 3.05 give 2/1.05.
    CHECK(t->enclosure->contains(2 / 0.95));
    CHECK(t->enclosure->contains(2 / 1.05));
}

TEST_CASE("samples come from series and from rows and columns of tables") {
    core::Result series;
    series.series = core::Series{{{"n", {0, 1}, {}}, {"value", {1, 3}, {}}}, core::Rigour::none, 1};
    core::Result table;
    table.table = core::Table{{"1", "2"}, {"x"}, {core::Cell::exact(0), core::Cell::exact(0)}};
    const Known known = {{"s", series}, {"t", table}};
    const core::Result result = compute(ttest_kind(), "a = 's'\nb = { of = 't', column = 'x' }\npaired = true", known);
    CHECK(std::abs(*result.find("t")->number - 2) <= 1e-15);
    CHECK(result.find("t")->rigour == core::Rigour::none);
    CHECK_THAT(refusal(ttest_kind(), "a = 's'\nb = { of = 't', column = 'y' }", known), Contains("no column 'y'"));
    CHECK_THAT(refusal(ttest_kind(), "a = 't'\nb = 's'", known), Contains("'t' has no series"));
}

TEST_CASE("a sample may be a value at each seed, and the difference has a sign where p is small enough") {
    core::Result a;
    core::Result b;
    const double first[] = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
    const double second[] = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
    for (int i = 0; i < 10; ++i) {
        a.set("nll[64,seed=" + std::to_string(i) + "]", core::Cell::of(first[i]));
        b.set("nll[64,seed=" + std::to_string(i) + "]", core::Cell::of(second[i]));
    }
    a.set("nll[64]", core::Cell::of(100));
    a.set("nll[640,seed=0]", core::Cell::of(100));
    a.set("nll_sd[64]", core::Cell::of(100));
    const Known known = {{"a", a}, {"b", b}};
    const std::string samples =
        "a = { of = 'a', seeds = 'nll[64]' }\nb = { of = 'b', seeds = 'nll[64]' }\npaired = true";
    const core::Result result = compute(ttest_kind(), samples, known);
    CHECK(std::abs(*result.find("p")->number - 0.002833) <= 5e-7);  // the sleep data again
    CHECK(result.find("sign")->number == -1);
    CHECK_FALSE(compute(ttest_kind(), samples + "\nalpha = 0.001", known).find("sign")->number);
    CHECK_THAT(refusal(ttest_kind(), "a = { of = 'a', seeds = 'ppl' }\nb = [0, 1]", known),
               Contains("no 'ppl' of a seed"));
}

TEST_CASE("samples that do not allow a test are refused at their place") {
    CHECK_THAT(refusal(ttest_kind(), "a = [1, 2]\nb = [1, 2, 4]\npaired = true"),
               Contains("study.toml:2:5") && Contains("pairs"));
    CHECK_THAT(refusal(ttest_kind(), "a = [1, 2]\nb = [0, 1]\npaired = true"), Contains("without spread"));
    CHECK_THAT(refusal(ttest_kind(), "a = [1]\nb = [0, 1]"), Contains("two numbers at least"));
    CHECK_THAT(refusal(ttest_kind(), "a = 'nothing'\nb = [0, 1]"), Contains("no quantity is named 'nothing'"));
    CHECK_THAT(refusal(ttest_kind(), "a = ['5 apples', 1]\nb = [0, 1]"), Contains("study.toml:1:7"));
    CHECK_THAT(refusal(ttest_kind(), "a = { of = 't' }\nb = [0, 1]", {{"t", {}}}), Contains("without its name"));
}

TEST_CASE("the sign is certified only if the difference has one") {
    // Rounded, 0.0 stands for numbers of either sign. At alpha = 1 any p will do.
    const core::Result open = compute(ttest_kind(), "a = ['0.0', '0.2']\nb = [0.1, 0.1]\npaired = true\nalpha = 1");
    REQUIRE(open.find("sign")->number);
    CHECK_FALSE(open.find("sign")->enclosure);
    const core::Result clear = compute(ttest_kind(), "a = [5, 6, 7]\nb = [1, 1, 1]\nalpha = 1");
    REQUIRE(clear.find("sign")->enclosure);
    CHECK(clear.find("sign")->enclosure->lo == 1);
    // Equal means have no sign.
    CHECK(compute(ttest_kind(), "a = [1, 2]\nb = [2, 1]\nalpha = 1").find("sign")->number == 0);
}

TEST_CASE("where the spread may vanish, t may have no value") {
    const core::Result result = compute(ttest_kind(), "a = ['1', '1']\nb = ['3', '3']\nequal_variances = false");
    for (const char* name : {"t", "p", "df", "sign"}) CHECK_FALSE(result.find(name)->number);
    CHECK(std::abs(result.find("mean_difference")->enclosure->hi + 1) <= 3e-15);  // 1.5 - 2.5, rounded outward thrice
}

TEST_CASE("equal decimals have no spread, although their deviations from a rounded mean are not 0") {
    const auto refused = [](const std::string& samples) { return refusal(ttest_kind(), samples); };
    CHECK_THAT(refused("a = [0.1, 0.1]\nb = [0.3, 0.3]"), Contains("without spread"));
    CHECK_THAT(refused("a = [0.1, 0.1]\nb = [0.3, 0.3]\nequal_variances = false"), Contains("without spread"));
    CHECK_THAT(refused("a = [0.1, 0.2, 0.3]\nb = [0.2, 0.3, 0.4]\npaired = true"), Contains("without spread"));
    // Rows of a series whose enclosures do not exclude it.
    const core::Enclosure near_third = {0.33333333333333331, 0.33333333333333337};
    core::Result row;
    row.series = core::Series{{{"n", {0, 1}, {}}, {"value", {near_third.lo, near_third.hi}, {near_third, near_third}}},
                              core::Rigour::rigorous,
                              1};
    const core::Result result = compute(ttest_kind(), "a = 'c'\nb = [1, 1]", {{"c", row}});
    CHECK_FALSE(result.find("p")->number);
}

}  // namespace
}  // namespace farfield::quantity
