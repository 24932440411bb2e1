#include <catch2/catch.hpp>

#include "compute.hpp"
#include "quantity/kinds.hpp"

namespace farfield::quantity {
namespace {

using Catch::Contains;

double value(const core::Result& result, const char* name) {
    const core::Cell* cell = result.find(name);
    REQUIRE(cell);
    REQUIRE(cell->number);
    return *cell->number;
}

core::Result with_value(const char* name, double number) {
    core::Result result;
    result.set(name, core::Cell::of(number));
    return result;
}

// Hollander and Wolfe (1973), p. 187: lightness and quality of canned tuna, as the page of R's cor.test has them.
const std::string tuna = R"(
x = [44.4, 45.9, 41.9, 53.3, 44.7, 44.1, 50.7, 45.2, 60.1]
y = [2.6, 3.1, 2.5, 5.0, 3.6, 4.0, 5.2, 2.8, 3.8]
)";

TEST_CASE("the correlations of the tuna data are R's: 0.5711816 with p = 0.1082, and 1 - 6*48/(9*80) of the ranks") {
    const core::Result result = compute(correlation_kind(), tuna);
    CHECK(std::abs(value(result, "pearson") - 0.5711816) <= 5e-8);
    CHECK(std::abs(value(result, "pearson_p") - 0.1082) <= 5e-5);
    CHECK(std::abs(value(result, "spearman") - 0.6) <= 1e-15);
    CHECK(value(result, "n") == 9);
    REQUIRE(result.series);
    CHECK(result.series->variables == 1);  // a curve: y at each x
    CHECK(result.series->columns[0].values.here()[3] == 53.3);
    CHECK(result.series->columns[1].values.here()[3] == 5);
}

TEST_CASE("a correlation does not depend on the units of the samples") {
    // scipy.stats.pearsonr([1, 2, 4], [3, 1, 0])
    for (const std::string x : {"", "e-162", "e160", "e-300", "e307"}) {
        for (const std::string y : {"", "e-162", "e160", "e-300", "e307"}) {
            INFO(x << " " << y);
            const core::Result result = compute(
                correlation_kind(), "x = [1" + x + ", 2" + x + ", 4" + x + "]\ny = [3" + y + ", 1" + y + ", 0]");
            CHECK(std::abs(value(result, "pearson") + 0.9285714285714286) <= 1e-15);
            CHECK(std::abs(value(result, "pearson_p") - 0.242075) <= 5e-7);
            REQUIRE(result.find("pearson")->enclosure);
            CHECK(result.find("pearson")->enclosure->width() < 1e-14);
        }
    }
}

/// The enclosure of a value, which contains its number.
core::Enclosure enclosure(const core::Result& result, const char* name) {
    const core::Cell* cell = result.find(name);
    REQUIRE(cell);
    INFO(name << " = " << *cell->number);
    REQUIRE(cell->enclosure);
    CHECK(cell->enclosure->contains(*cell->number));
    return *cell->enclosure;
}

bool has_enclosure(const core::Result& result, const char* name) {
    return result.find(name)->enclosure.has_value();
}

TEST_CASE("enclosures contain the correlations of exact fractions and their p") {
    // x - 3 and y - 3 are -2, -1, 0, 1, 2 and -2, 0, -1, 1, 2: r = (4 + 0 + 0 + 1 + 4)/10, also of the ranks.
    const core::Result result = compute(correlation_kind(), "x = [1, 2, 3, 4, 5]\ny = [1, 3, 2, 4, 5]");
    // t = r sqrt(3/(1 - r^2)) has 3 degrees of freedom, and p = 1 - 2/pi (a + sin(a) cos(a)) at a = atan(t/sqrt(3))
    // (Abramowitz and Stegun 26.7.3).
    const double angle = std::asin(0.9);
    const double p = 1 - 2 / 3.14159265358979323846 * (angle + 0.9 * std::cos(angle));
    for (const char* name : {"pearson", "spearman"}) {
        const core::Enclosure r = enclosure(result, name);
        CHECK(r.contains(0.9));
        CHECK(r.width() <= 1e-15);
        CHECK(result.find(name)->rigour == core::Rigour::rigorous);
    }
    for (const char* name : {"pearson_p", "spearman_p"}) {
        const core::Enclosure enclosed = enclosure(result, name);
        CHECK(enclosed.lo - 1e-14 <= p);
        CHECK(p <= enclosed.hi + 1e-14);
        CHECK(enclosed.width() <= 1e-13);
    }
}

TEST_CASE("two points have the correlation 1 or -1 exactly, and no p") {
    const core::Result rising = compute(correlation_kind(), "x = [0.1, 0.3]\ny = [-7, 0.7]");
    const core::Result falling = compute(correlation_kind(), "x = [0.1, 0.3]\ny = [0.7, -7]");
    for (const char* name : {"pearson", "spearman"}) {
        CHECK(enclosure(rising, name) == core::Enclosure::exactly(1));
        CHECK(enclosure(falling, name) == core::Enclosure::exactly(-1));
    }
    CHECK_FALSE(rising.find("pearson_p")->number);
}

TEST_CASE("a rising curve has Spearman's 1, a falling one -1, with p = 0") {
    const core::Result rising = compute(correlation_kind(), "x = [1, 2, 3, 4]\ny = [1, 8, 27, 64]");
    CHECK(enclosure(rising, "spearman") == core::Enclosure::exactly(1));
    CHECK(enclosure(rising, "spearman_p") == core::Enclosure::exactly(0));
    const core::Result falling = compute(correlation_kind(), "x = [1, 2, 3, 4]\ny = [1, 0.5, 0.3, 0.2]");
    CHECK(enclosure(falling, "spearman") == core::Enclosure::exactly(-1));
}

TEST_CASE("printed numbers whose order is not known have no enclosure of Spearman's correlation") {
    // 1.0 means [0.95, 1.05], which contains a part of the interval of 1.02.
    const core::Result unknown = compute(correlation_kind(), "x = ['1.0', '1.02', '2']\ny = [1, 2, 4]");
    CHECK_FALSE(has_enclosure(unknown, "spearman"));
    CHECK(enclosure(unknown, "pearson").width() > 0.01);
    CHECK(unknown.find("pearson")->rigour == core::Rigour::rounding);
    const core::Result known = compute(correlation_kind(), "x = ['1.00', '1.02', '2']\ny = [1, 2, 4]");
    CHECK(enclosure(known, "spearman") == core::Enclosure::exactly(1));
    // Equal numbers of a sample are a tie, and equal printed numbers may be one.
    const core::Result tie = compute(correlation_kind(), "x = [1, 1, 2]\ny = [1, 2, 4]");
    CHECK(enclosure(tie, "spearman").contains(std::sqrt(0.75)));
    CHECK_FALSE(has_enclosure(compute(correlation_kind(), "x = ['1', '1', '2']\ny = [1, 2, 4]"), "spearman"));
    // Both may be one number, and then no correlation exists.
    CHECK_FALSE(has_enclosure(compute(correlation_kind(), "x = ['1.0', '1.02']\ny = [1, 2]"), "pearson"));
}

TEST_CASE("typed numbers have the order of their decimals, which doubles may not tell apart") {
    const std::string y = "\ny = [2, 3, 4, 1]";
    for (const std::string x : {"[9007199254740992, 9007199254740993, 9007199254740994, 9007199254740991]",
                                "[0.1, 0.10000000000000000001, 0.10000000000000000002, 0.09999999999999999999]"}) {
        const core::Result rising = compute(correlation_kind(), "x = " + x + y);
        INFO(x);
        CHECK(enclosure(rising, "spearman") == core::Enclosure::exactly(1));
        if (has_enclosure(rising, "pearson")) enclosure(rising, "pearson");
    }
    // Equal decimals are a tie, whether or not they are doubles.
    for (const char* tied : {"[0.1, 0.1, 0.2]", "[0.1, 0.10, 2e-1]", "[9007199254740993, 9007199254740993, 1e16]"}) {
        INFO(tied);
        const core::Result tie = compute(correlation_kind(), "x = " + std::string(tied) + "\ny = [1, 2, 4]");
        CHECK(enclosure(tie, "spearman").contains(std::sqrt(0.75)));
    }
    // Samples that differ only in digits beyond doubles are neither constant nor one sample.
    CHECK(refusal(correlation_kind(), "x = [9007199254740992, 9007199254740993]\ny = [1, 2]").empty());
    CHECK(refusal(correlation_kind(), "x = [9007199254740992, 1]\ny = [9007199254740993, 1]").empty());
    CHECK_THAT(refusal(correlation_kind(), "x = [0.1, 0.10]\ny = [1, 2]"), Contains("are the same"));
}

TEST_CASE("results without rigour have no enclosures") {
    const core::Result result = compute(correlation_kind(), "x = [1, 2]\ny = { of = ['a', 'b'], value = 'erf' }",
                                        {{"a", with_value("erf", 7)}, {"b", with_value("erf", 8)}});
    CHECK(value(result, "pearson") == 1);
    CHECK_FALSE(has_enclosure(result, "pearson"));
    CHECK(result.find("spearman")->rigour == core::Rigour::none);
}

const Known swept = {{"a[w=8]", with_value("erf", 1)},
                     {"a[w=16]", with_value("erf", 2)},
                     {"b", with_value("erf", 4)},
                     {"c[w=8]", with_value("predicted", 10)},
                     {"c[w=16]", with_value("predicted", 30)},
                     {"d", with_value("predicted", 20)}};

TEST_CASE("there is no correlation if all results are the same") {
    const core::Result constant = compute(correlation_kind(), "x = [1, 2]\ny = { of = ['a', 'b'], value = 'erf' }",
                                          {{"a", with_value("erf", 7)}, {"b", with_value("erf", 7)}});
    CHECK_FALSE(constant.find("pearson")->number);
    CHECK_FALSE(constant.find("pearson_p")->number);
}

TEST_CASE("a swept name stands for all its items, and the table names each point") {
    const core::Result result = compute(correlation_kind(),
                                        "x = { of = ['a', 'b'], value = 'erf' }\n"
                                        "y = { of = ['c', 'd'], value = 'predicted' }",
                                        swept);
    REQUIRE(result.table);
    CHECK(result.table->rows.size() == 3);
    CHECK(*result.table->find("d.predicted", "x")->number == 4);
    CHECK(*result.table->find("d.predicted", "y")->number == 20);
    REQUIRE(result.series);
    CHECK(result.series->columns[0].values.size() == 3);
}

TEST_CASE("samples of unequal size, missing values and unknown names are refused at their place") {
    CHECK_THAT(refusal(correlation_kind(), "x = [1, 2]\ny = [1, 2, 3]"),
               Contains("study.toml:2:5") && Contains("pairs"));
    CHECK_THAT(refusal(correlation_kind(), "x = { of = 'a', value = 'width' }\ny = [1, 2]", swept),
               Contains("study.toml:1:5") && Contains("has no value 'width'"));
    CHECK_THAT(refusal(correlation_kind(), "x = { of = 'e', value = 'erf' }\ny = [1, 2]", swept),
               Contains("no quantity is named 'e'"));
    CHECK_THAT(refusal(correlation_kind(), "x = { of = 'b', value = 'erf', row = 'r' }\ny = [1, 2]", swept),
               Contains("several parts"));
    CHECK_THAT(refusal(correlation_kind(), "x = { of = ['b', 1], value = 'erf' }\ny = [1, 2]", swept),
               Contains("'of' is an integer"));
}

}  // namespace
}  // namespace farfield::quantity
