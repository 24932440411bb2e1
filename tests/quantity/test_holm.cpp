#include "quantity/holm.hpp"

#include <catch2/catch.hpp>

#include "quantity/kinds.hpp"

namespace farfield::quantity {
namespace {

core::Result test_with(const std::string& name, double p) {
    core::Result result;
    result.name = name;
    result.kind = "ttest";
    result.set("p", core::Cell::of(p));
    result.set("sign", p <= 0.05 ? core::Cell::of(1) : core::Cell::missing());
    return result;
}

core::Result correlation_with(double pearson_p, double spearman_p) {
    core::Result result;
    result.kind = "correlation";
    result.set("pearson_p", core::Cell::of(pearson_p));
    result.set("spearman_p", core::Cell::of(spearman_p));
    return result;
}

// Holm's method by hand: of four p the least counts four times, the next three times, and none less than the one
// before.
TEST_CASE("the tests of a study are corrected by Holm's method") {
    std::deque<core::Result> results = {test_with("c", 0.03), test_with("a", 0.005), test_with("d", 0.04),
                                        test_with("b", 0.01)};
    correct_for_tests(results, 4);
    const double corrected[] = {0.06, 0.02, 0.06, 0.03};
    for (std::size_t i = 0; i < results.size(); ++i) {
        CHECK(*results[i].find("p_holm")->number == Approx(corrected[i]).epsilon(1e-15));
        CHECK(results[i].find("sign")->number.has_value() == (corrected[i] <= 0.05));
    }
}

// The same four p: a correlation makes two tests, of one family with the t-tests.
TEST_CASE("both coefficients of a correlation are tests of the study, in addition to its t-tests") {
    std::deque<core::Result> results = {test_with("c", 0.03), correlation_with(0.005, 0.04), test_with("b", 0.01)};
    correct_for_tests(results, 4);
    CHECK(*results[0].find("p_holm")->number == Approx(0.06).epsilon(1e-15));
    CHECK(*results[1].find("pearson_p_holm")->number == Approx(0.02).epsilon(1e-15));
    CHECK(*results[1].find("spearman_p_holm")->number == Approx(0.06).epsilon(1e-15));
    CHECK(*results[2].find("p_holm")->number == Approx(0.03).epsilon(1e-15));
    CHECK_FALSE(results[1].find("sign"));
}

TEST_CASE("tests_of counts the values that are corrected in a quantity of each kind") {
    CHECK(tests_of(ttest_kind().name) == 1);
    CHECK(tests_of(correlation_kind().name) == 2);
    CHECK(tests_of(fit_kind().name) == 0);
}

TEST_CASE("one test of a study keeps its p, and tests that were not computed count as the least significant") {
    std::deque<core::Result> alone = {test_with("a", 0.04)};
    correct_for_tests(alone, 1);
    CHECK(*alone[0].find("p_holm")->number == 0.04);
    CHECK(alone[0].find("sign")->number);
    std::deque<core::Result> one_of_two = {test_with("a", 0.04)};
    correct_for_tests(one_of_two, 2);
    CHECK(*one_of_two[0].find("p_holm")->number == 0.08);
    CHECK_FALSE(one_of_two[0].find("sign")->number);
}

// A constant sample has no correlation, hence no p: a corrected one would decide what p leaves open.
TEST_CASE("a test without a p counts as the least significant and gets no corrected p") {
    std::deque<core::Result> results = {test_with("a", 0.01), test_with("b", 0.01), test_with("c", NAN),
                                        correlation_with(0.5, 0.5)};
    results[1].set("p", core::Cell::missing());
    results[3].set("pearson_p", core::Cell::missing());
    correct_for_tests(results, 5);
    CHECK(*results[0].find("p_holm")->number == 0.05);
    CHECK_FALSE(results[1].find("p_holm")->number);
    CHECK_FALSE(results[1].find("sign")->number);
    CHECK_FALSE(results[2].find("p_holm")->number);
    CHECK_FALSE(results[3].find("pearson_p_holm")->number);
    CHECK(*results[3].find("spearman_p_holm")->number == 1);
}

TEST_CASE("the corrected p is that of the numbers, and the sign that of the largest p that the enclosures allow") {
    std::deque<core::Result> results = {test_with("a", 0.02), test_with("b", 0.03)};
    results[0].set("p", core::Cell::enclosed(0.02, {0.01, 0.024}));
    results[1].set("p", core::Cell::enclosed(0.03, {0.02, 0.06}));
    correct_for_tests(results, 2);
    CHECK(*results[0].find("p_holm")->number == 0.04);  // 2*0.02, at most 2*0.024
    CHECK(*results[1].find("p_holm")->number == 0.04);  // 0.03, but not below the first
    CHECK(results[0].find("sign")->number);
    CHECK_FALSE(results[1].find("sign")->number);  // p may be 0.06
}

TEST_CASE("a sign is certified only if no p without an enclosure can change the correction") {
    // Of three tests, a's p counts twice if b's is less, and three times if it is not: 0.042 or 0.063 at most.
    std::deque<core::Result> results = {test_with("a", 0.02), test_with("b", 0.01), test_with("c", 0.5)};
    for (core::Result& result : results)
        result.set("sign", {1, {}, core::Enclosure::exactly(1), core::Rigour::rigorous});
    results[0].set("p", core::Cell::enclosed(0.02, {0.02, 0.021}));
    results[2].set("p", core::Cell::enclosed(0.5, {0.5, 0.5}));
    correct_for_tests(results, 3);
    // b has no enclosure, and its p may be 1.
    CHECK(results[0].find("sign")->number);
    CHECK_FALSE(results[0].find("sign")->enclosure);
    CHECK_FALSE(results[2].find("sign")->number);
    results[0].set("sign", {1, {}, core::Enclosure::exactly(1), core::Rigour::rigorous});
    results[1].set("p", core::Cell::enclosed(0.01, {0.01, 0.01}));
    correct_for_tests(results, 3);
    CHECK(results[0].find("sign")->enclosure);
}

TEST_CASE("the correction holds a test to its own alpha") {
    std::deque<core::Result> results = {test_with("a", 0.03), test_with("b", 0.2)};
    results[0].evidence.facts = {{"setting.alpha", "0.1"}};
    correct_for_tests(results, 2);
    CHECK(results[0].find("sign")->number);
}

}  // namespace
}  // namespace farfield::quantity
