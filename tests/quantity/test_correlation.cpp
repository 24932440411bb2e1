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

TEST_CASE("a rising curve has Spearman's 1, a falling one -1") {
    CHECK(std::abs(value(compute(correlation_kind(), "x = [1, 2, 3, 4]\ny = [1, 8, 27, 64]"), "spearman") - 1) <=
          1e-15);
    CHECK(std::abs(value(compute(correlation_kind(), "x = [1, 2, 3, 4]\ny = [1, 0.5, 0.3, 0.2]"), "spearman") + 1) <=
          1e-15);
}

core::Result with_value(const char* name, double number) {
    core::Result result;
    result.set(name, core::Cell::of(number));
    return result;
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
