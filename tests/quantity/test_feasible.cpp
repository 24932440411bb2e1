#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "checks.hpp"
#include "compute.hpp"
#include "quantity/kinds.hpp"

namespace farfield::quantity {
namespace {

core::Result feasible(const std::string& condition, const std::string& rest) {
    return compute(feasible_kind(), "condition = '" + condition + "'\n" + rest);
}

/// The parts of the series that are decided, as from, to, state.
std::vector<std::vector<double>> decided(const core::Result& result) {
    REQUIRE(result.series);
    std::vector<std::vector<double>> parts;
    const std::vector<core::Column>& columns = result.series->columns;
    for (std::size_t i = 0; i < result.series->rows(); ++i)
        if (columns[2].values[i] != 0)
            parts.push_back({columns[0].values[i], columns[1].values[i], columns[2].values[i]});
    return parts;
}

void check_parts(const core::Result& result, const std::vector<std::vector<double>>& expected, double bound) {
    const std::vector<std::vector<double>> parts = decided(result);
    REQUIRE(parts.size() == expected.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        CHECK(std::abs(parts[i][0] - expected[i][0]) <= bound);
        CHECK(std::abs(parts[i][1] - expected[i][1]) <= bound);
        CHECK(parts[i][2] == expected[i][2]);
    }
}

TEST_CASE("an interval of reals") {
    const core::Result result = feasible("x^2 <= 2", "over = { x = [-5, 5] }");
    const double root = std::sqrt(2.0);
    check_field(result, "least", -root, 1e-15);
    check_field(result, "greatest", root, 1e-15);
    check_field(result, "share", root / 5, 1e-15);
    CHECK(result.find("least")->rigour == core::Rigour::rigorous);
    check_parts(result, {{-5, -root, -1}, {-root, root, 1}, {root, 5, -1}}, 1e-15);
}

TEST_CASE("a union, a gap and the opposite") {
    // x^3 - x = (x - 1) x (x + 1) is positive in (-1, 0) and above 1.
    const std::string over = "over = { x = [-2, 2] }";
    const core::Result positive = feasible("x^3 - x > 0", over);
    check_parts(positive, {{-2, -1, -1}, {-1, 0, 1}, {0, 1, -1}, {1, 2, 1}}, 1e-15);
    check_field(positive, "share", 0.5, 2e-15);
    CHECK(positive.find("greatest")->rigour == core::Rigour::exact);
    const core::Result opposite = feasible("not (x^3 - x > 0)", over);
    check_parts(opposite, {{-2, -1, 1}, {-1, 0, -1}, {0, 1, 1}, {1, 2, -1}}, 1e-15);
    const core::Result either = feasible("x < -1 or x > 1", over);
    check_parts(either, {{-2, -1, 1}, {-1, 1, -1}, {1, 2, 1}}, 1e-15);
}

TEST_CASE("a set whose ends are found to the last double has nothing undecided on record") {
    const auto is_noted = [](const core::Result& result) {
        return std::any_of(result.notes.begin(), result.notes.end(),
                           [](const auto& each) { return each.first == "not decided at"; });
    };
    CHECK_FALSE(is_noted(feasible("x^3 - x > 0", "over = { x = [-2, 2] }")));
    CHECK_FALSE(is_noted(feasible("n % 3 == 1", "over = { n = { from = 0, to = 20 } }")));
    CHECK(is_noted(feasible("x^3 - x > 0", "over = { x = [-2, 2] }\nboxes = 3")));
}

TEST_CASE("quantifiers") {
    // k x <= 1 for k up to 7 is x <= 1/7; for some k it is x <= 1.
    const std::string over = "over = { x = [0, 2] }";
    check_field(feasible("all(k, 1, 7, k*x <= 1)", over), "greatest", 1.0 / 7, 1e-16);
    check_field(feasible("exists(k, 1, 7, k*x <= 1)", over), "greatest", 1, 1e-15);
    check_field(feasible("not exists(k, 1, 7, k*x <= 1)", over), "least", 1, 1e-15);
    // Of no integers all hold, and none does.
    check_field(feasible("all(k, 1, 1 - 1, k*x <= 1)", over), "share", 1);
    check_field(feasible("exists(k, 1, 1 - 1, k*x <= 1)", over), "share", 0);
    // A bound that depends on the variable, and a quantifier inside another.
    check_field(feasible("all(k, 1, floor(x) + 2, k <= 2)", "over = { x = [0, 1.9] }"), "greatest", 1, 1e-15);
    check_field(feasible("all(k, 1, 3, exists(j, 1, 3, k*j*x <= 1))", over), "greatest", 1.0 / 3, 1e-16);
    check_field(feasible("all(k, 1, 3, k*x <= 1 and x >= 0.1*k)", over), "least", 0.3, 1e-16);
}

TEST_CASE("the members that refute a quantifier are on record, those that decide most first, 50 at most") {
    const auto hints = [](const core::Result& result) {
        for (const auto& [key, text] : result.evidence.facts)
            if (key == "decided by") return text;
        return std::string();
    };
    const std::string over = "over = { x = [0, 2] }";
    // 7 x <= 1 fails first and stays the nearest to failing; for no k it fails at 1/7.
    CHECK(hints(feasible("all(k, 1, 7, k*x <= 1)", over)).starts_with("k = 7"));
    CHECK(hints(feasible("all(k, 3, 3, k*x <= 1)", over)) == "k = 3");
    CHECK(hints(feasible("not all(k, 3, 3, k*x <= 1)", over)) == "k = 3");
    CHECK(hints(feasible("x <= 1", over)).empty());
    // Each n is refuted by itself alone.
    const auto steps = [](int last) {
        const std::string to = std::to_string(last);
        return "over = { n = { from = 1, to = " + to + " } }";
    };
    CHECK(hints(feasible("all(k, 1, 2, k != n)", steps(2))) == "k = 1, k = 2");
    const std::string many = hints(feasible("all(k, 1, 60, k != n)", steps(60)));
    CHECK(std::count(many.begin(), many.end(), 'k') == 50);
}

TEST_CASE("integers that are not doubles are counted exactly") {
    // 10^16 + 1 is odd; the double nearest to it is 10^16.
    const core::Result result =
        feasible("all(n, 10^16 + 1, 10^16 + 1, n % 2 == x)", "over = { x = { from = 0, to = 2, step = 1 } }");
    check_field(result, "least", 1);
    check_field(result, "greatest", 1);
}

TEST_CASE("values in steps are exact") {
    const core::Result squares = feasible("n^2 >= 0.09 and n < 0.7", "over = { n = { from = 0, to = 1, step = 0.1 } }");
    CHECK(squares.find("least")->rational == "0.3");
    CHECK(squares.find("greatest")->rational == "0.6");
    check_field(squares, "share", 4.0 / 11, 1e-16);
    const core::Result primes =
        feasible("n >= 2 and not exists(k, 2, 10, n % k == 0 and n > k)", "over = { n = { from = 0, to = 100 } }");
    check_field(primes, "least", 2);
    check_field(primes, "greatest", 97);
    // 25 primes up to 100.
    check_field(primes, "share", 25.0 / 101, 1e-16);
}

TEST_CASE("no value is feasible, or all are") {
    const core::Result none = feasible("x^2 + x + 1 < 0", "over = { x = [-1, 1] }");
    CHECK_FALSE(none.find("least")->number);
    check_field(none, "share", 0);
    const core::Result all = feasible("x^2 + x + 1 >= 0", "over = { x = [0.1, 0.3] }");
    CHECK(all.find("least")->rational == "0.1");
    CHECK(all.find("greatest")->rational == "0.3");
    check_field(all, "share", 1);
}

TEST_CASE("a single point is not proved to be feasible, nor excluded") {
    const core::Result result = feasible("(x - 1/3)^2 <= 0", "over = { x = [0, 1] }");
    CHECK_FALSE(result.find("least")->number);
    CHECK(result.find("share")->enclosure->lo == 0);
    CHECK(result.find("share")->enclosure->hi > 0);
    CHECK(result.find("share")->enclosure->hi < 1e-12);
}

TEST_CASE("nothing is decided where the condition has no value") {
    const core::Result result = feasible("sqrt(x) >= 0.5", "over = { x = [-1, 1] }\nboxes = 2000");
    REQUIRE(result.find("least")->enclosure);
    CHECK(result.find("least")->enclosure->lo == -1);
    CHECK(result.find("least")->enclosure->hi == 0.25);
    check_parts(result, {{0, 0.25, -1}, {0.25, 1, 1}}, 2.0 / 512);
    const auto note = std::find_if(result.notes.begin(), result.notes.end(),
                                   [](const auto& each) { return each.first == "not shown to have a value at"; });
    REQUIRE(note != result.notes.end());
    CHECK(note->second.starts_with("x in [-1, "));
}

TEST_CASE("a jump is a boundary, wherever it is") {
    const core::Result result = feasible("if(x < 0.3, 1, -1) > 0", "over = { x = [0, 1] }");
    check_field(result, "greatest", 0.3, 1e-16);
    check_field(feasible("floor(x) == 1", "over = { x = [0, 3] }"), "least", 1, 1e-15);
    check_field(feasible("floor(x) == 1", "over = { x = [0, 3] }"), "greatest", 2, 1e-15);
}

TEST_CASE("several variables") {
    const std::string over = "over = { x = [-2, 2], y = [-2, 2] }\nboxes = 40000";
    const core::Result disc = feasible("x^2 + y^2 <= 1", over);
    // pi of 16, between the inner and the outer boxes.
    CHECK(disc.find("share")->enclosure->lo < std::acos(-1.0) / 16);
    CHECK(disc.find("share")->enclosure->hi > std::acos(-1.0) / 16);
    CHECK(disc.find("share")->enclosure->width() < 0.01);
    CHECK(disc.find("least_x")->enclosure->contains(-1));
    CHECK(disc.find("greatest_y")->enclosure->contains(1));
    CHECK(disc.find("greatest_y")->enclosure->width() < 0.1);
    CHECK_FALSE(disc.series);
    // Reals and steps: x n <= 1.
    const core::Result mixed = feasible("x*n <= 1", "over = { x = [0, 1], n = { from = 1, to = 4 } }\nboxes = 20000");
    CHECK(mixed.find("share")->enclosure->contains((1 + 1.0 / 2 + 1.0 / 3 + 1.0 / 4) / 4));
    CHECK(mixed.find("share")->enclosure->width() < 1e-6);
}

TEST_CASE("the least base with nonnegative sums of cosines") {
    // tests/references/quantity/feasible.py: mpmath, 40 digits.
    const core::Result result =
        feasible("all(m, 1, 200, sum(i, 0, 31, cos(m*b^(-i/32))) >= 0)", "over = { b = [100, 100000] }");
    check_field(result, "least", 756.18944884351867272, 1e-12);
    CHECK(result.find("least")->enclosure->width() < 1e-12);
    CHECK(result.find("greatest")->rigour == core::Rigour::exact);
    const std::vector<double> ends = {
        100, 756.1894488435187, 778.4637437857767, 895.3835853171242, 938.2021943476504, 1216.4971891705807, 100000};
    std::vector<std::vector<double>> expected;
    for (std::size_t i = 0; i + 1 < ends.size(); ++i)
        expected.push_back({ends[i], ends[i + 1], i % 2 == 0 ? -1.0 : 1.0});
    check_parts(result, expected, 2e-12);
}

TEST_CASE("boxes left when the budget is spent are undecided") {
    const core::Result result = feasible("sin(1/x) > 0", "over = { x = [0.01, 1] }\nboxes = 100");
    const auto note = std::find_if(result.notes.begin(), result.notes.end(),
                                   [](const auto& each) { return each.first == "not decided at"; });
    CHECK(note != result.notes.end());
    CHECK(result.find("share")->enclosure->width() > 0);
}

TEST_CASE("feasible refuses a formula that is not a condition") {
    CHECK(refusal(feasible_kind(), "condition = 'x'\nover = { x = [0, 1] }").find("condition") != std::string::npos);
    CHECK(refusal(feasible_kind(), "condition = 'y > 0'\nover = { x = [0, 1] }").find("'y'") != std::string::npos);
    CHECK(refusal(feasible_kind(), "over = { x = [0, 1] }").find("'condition'") != std::string::npos);
    CHECK(
        refusal(feasible_kind(), "condition = 'all(i, 3, 1, x > i)'\nover = { x = [0, 1] }").find("over no integer") !=
        std::string::npos);
}

}  // namespace
}  // namespace farfield::quantity
