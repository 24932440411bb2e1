#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "checks.hpp"
#include "compute.hpp"
#include "quantity/kinds.hpp"

namespace farfield::quantity {
namespace {

using std::numbers::pi;

core::Result crossing(const std::string& formula, const std::string& rest) {
    return compute(crossing_kind(), "formula = '" + formula + "'\n" + rest);
}

/// A certified whole number.
void check_count(const core::Result& result, double expected) {
    const core::Cell& count = *result.find("count");
    REQUIRE(count.number);
    REQUIRE(count.enclosure);
    CHECK(*count.number == expected);
    CHECK(*count.enclosure == core::Enclosure::exactly(expected));
    for (const auto& [key, text] : result.notes) CHECK(key != "not decided at");
}

TEST_CASE("the sum of cosines of RoPE first falls below zero where mpmath says") {
    // mpmath, 30 digits: at 1706 and 1707 with base 10^4 the sum is 0.0686 and -0.4989, at 18437 and 18438 with base
    // 5*10^5 it is 1.672 and -0.2563; all sums before are positive.
    const std::string sum = "sum(i, 0, 63, cos(m*b^(-i/64)))";
    const std::string over = "over = { m = { from = 0, to = 20000 } }\n";
    const core::Result small = crossing(sum, over + "let = { b = '10^4' }");
    check_field(small, "first", 1707);
    CHECK(small.find("first")->rigour >= core::Rigour::rigorous);
    const core::Result large = crossing(sum, over + "let = { b = '5*10^5' }\ndirection = 'down'");
    check_field(large, "first", 18438);
    REQUIRE(small.series);
    CHECK(small.series->columns[1].values.front() == 1707);
    CHECK(small.series->columns[2].values.front() == -1);
    // Changes of side alternate.
    const std::vector<double>& ways = small.series->columns[2].values;
    for (std::size_t i = 1; i < ways.size(); ++i) REQUIRE(ways[i] == -ways[i - 1]);
    CHECK(small.find("count")->number == static_cast<double>(ways.size()));
}

TEST_CASE("zeros of the cosine over the reals") {
    const core::Result all = crossing("cos(x)", "over = { x = [0, 10] }");
    check_count(all, 3);
    check_field(all, "first", pi / 2, 1e-15);
    check_field(all, "last", 5 * pi / 2, 2e-15);
    const core::Result up = crossing("cos(x)", "over = { x = [0, 10] }\ndirection = 'up'");
    check_count(up, 1);
    check_field(up, "first", 3 * pi / 2, 1e-15);
    const core::Result down = crossing("cos(x)", "over = { x = [0, 10] }\ndirection = 'down'");
    check_count(down, 2);
    check_field(down, "last", 5 * pi / 2, 2e-15);
    REQUIRE(down.series);
    CHECK(down.series->columns[0].values == std::vector<double>{1, 2});
}

TEST_CASE("a zero at an end of the domain is not crossed") {
    const core::Result result = crossing("sin(x)", "over = { x = [0, 10] }");
    check_count(result, 3);
    check_field(result, "first", pi, 1e-15);
    check_count(crossing("x", "over = { x = [0, 1] }"), 0);
    check_count(crossing("x", "over = { x = [-1, 0] }"), 0);
    check_count(crossing("n", "over = { n = { from = -3, to = 0 } }"), 0);
}

TEST_CASE("a level, and decimals") {
    check_field(crossing("exp(-x)", "over = { x = [0, 5] }\nlevel = 0.5"), "first", std::log(2.0), 1e-15);
    check_field(crossing("exp(-x)", "over = { x = [0, 5] }\nlevel = 'exp(-3)'"), "first", 3, 1e-14);
    check_field(crossing("x", "over = { x = [0, 5] }\nlevel = 'pi/2'"), "first", 1.5707963267948966, 1e-15);
    const core::Result roots = crossing("(x - 0.1)*(x - 0.2)*(x - 0.3)", "over = { x = [0, 1] }");
    check_count(roots, 3);
    check_field(roots, "first", 0.1, 1e-15);
    check_field(roots, "last", 0.3, 1e-15);
    // Over [0.1, 0.3] the first and the last root are ends.
    check_count(crossing("(x - 0.1)*(x - 0.2)*(x - 0.3)", "over = { x = [0.1, 0.3] }"), 1);
}

TEST_CASE("a crossing at a decimal is exact where the formula is strictly monotone there") {
    CHECK(crossing("x - 0.3", "over = { x = [0, 1] }").find("first")->rational == "0.3");
    CHECK(crossing("x^3", "over = { x = [0, 1] }\nlevel = '0.001'").find("first")->rational == "0.1");
    // Decimals that are doubles, and where the formula is not.
    CHECK(crossing("x - 0.5", "over = { x = [0, 3] }").find("first")->enclosure->width() == 0);
    CHECK(crossing("x^2", "over = { x = [0, 1] }\nlevel = 0.25").find("first")->enclosure->width() == 0);
    CHECK(crossing("log(x/0.5)", "over = { x = [0.1, 3] }").find("first")->enclosure->lo == 0.5);
    CHECK(crossing("exp(x - 0.7)", "over = { x = [0, 1] }\nlevel = 1").find("last")->rational == "0.7");
    // Not a decimal; and a formula that stays on the level from 0.3 to 0.6, of which it leaves the second.
    for (const char* formula : {"x^2 - 0.5", "x - 1/3"}) {
        const core::Result result = crossing(formula, "over = { x = [0, 1] }");
        CHECK(result.find("first")->rational.empty());
        CHECK(result.find("first")->enclosure->width() > 0);
    }
    const core::Result flat = crossing("max(min(x, 0.3), x - 0.3) - 0.3", "over = { x = [0, 1] }");
    REQUIRE(flat.find("first")->enclosure);
    CHECK(flat.find("first")->enclosure->hi >= 0.6);
}

TEST_CASE("on a grid a crossing is at the first value beyond the level") {
    const core::Result line = crossing("n - 5", "over = { n = { to = 9 } }");
    check_count(line, 1);
    check_field(line, "first", 6);
    check_field(line, "last", 6);
    check_field(crossing("n - 5.5", "over = { n = { to = 9 } }"), "first", 6);
    check_field(crossing("x - 0.3", "over = { x = { to = 1, step = 0.1 } }"), "first", 0.4);
    check_field(crossing("max(0, n - 100) - max(0, 50 - n)", "over = { n = { to = 200 } }"), "first", 101);
    check_count(crossing("abs(n - 5)", "over = { n = { to = 9 } }"), 0);
    check_count(crossing("n % 4 - 2", "over = { n = { to = 8 } }"), 4);
    check_count(crossing("n % 4 - 2", "over = { n = { to = 8 } }\nrange = { from = 3, to = 6 }"), 1);
    check_count(crossing("n % 4 - 2", "over = { n = { to = 8 } }\ndirection = 'up'"), 2);
}

TEST_CASE("a curve that never changes sides has no crossing") {
    const core::Result result = crossing("exp(x)", "over = { x = [-5, 5] }");
    check_count(result, 0);
    check_null(result, "first");
    check_null(result, "last");
    CHECK_FALSE(result.series);
}

TEST_CASE("a jump over the level is a crossing if the formula is monotone") {
    const core::Result result = crossing("floor(x) - 0.5", "over = { x = [0, 3.3] }");
    check_count(result, 1);
    check_field(result, "first", 1, 1e-15);
}

TEST_CASE("a touch of the level over the reals is undecided") {
    // That it does not dip below zero near 1/3, no enclosure of a box tells.
    const core::Result result = crossing("(x - 1/3)^2", "over = { x = [0, 1] }");
    const core::Cell& count = *result.find("count");
    REQUIRE(count.enclosure);
    CHECK(count.enclosure->lo == 0);
    CHECK(count.enclosure->hi > 0);
    check_null(result, "first");
    // A jump by a formula that no operator shows to be monotone: one crossing at least.
    const core::Result jump = crossing("if(x < 1/3, -1, 1) + 0*sin(x)", "over = { x = [0, 1] }");
    CHECK(jump.find("count")->enclosure->lo == 1);
    REQUIRE(jump.find("first")->enclosure);
    CHECK(jump.find("first")->enclosure->contains(1.0 / 3));
    CHECK(jump.find("first")->enclosure->width() < 1e-12);
}

TEST_CASE("a pole is not a crossing, and nothing is decided where there is no value") {
    for (const char* formula : {"1/x", "tan(2*x)", "log(x + 0.5)"}) {
        INFO(formula);
        const core::Result result = crossing(formula, "over = { x = [-1, 1] }");
        check_null(result, "count");
        check_null(result, "first");
        CHECK(result.notes.back().first == "not decided");
    }
}

TEST_CASE("with few boxes there are only bounds") {
    const core::Result result = crossing("cos(x^2)", "over = { x = [0, 10] }\nboxes = 3");
    const core::Cell& count = *result.find("count");
    REQUIRE(count.enclosure);
    // 32 zeros: x^2 = (k + 1/2) pi <= 100 for k = 0..31.
    CHECK(count.enclosure->contains(32));
    check_count(crossing("cos(x^2)", "over = { x = [0, 10] }"), 32);
}

TEST_CASE("the curve of another quantity") {
    const Known known = {{"row", compute(curve_kind(), "formula = 'cos(n)'\ndistances = { to = 10 }")},
                         {"bare", compute(curve_kind(),
                                          "formula = 'cos(n)'\ndistances = { to = 10 }\n"
                                          "enclosures = 'never'")}};
    // cos > 0 at 0, 1; < 0 at 2, 3, 4; > 0 at 5, 6, 7; < 0 at 8, 9, 10.
    const core::Result result = compute(crossing_kind(), "of = 'row'", known);
    check_count(result, 3);
    check_field(result, "first", 2);
    check_field(result, "last", 8);
    const core::Result part = compute(crossing_kind(), "of = 'row'\nrange = { from = 3, to = 7 }", known);
    check_field(part, "first", 5);
    // cos(1) = 0.5403, cos(2) = -0.416, cos(3) = -0.99: below -0.5 at 3.
    check_field(compute(crossing_kind(), "of = 'row'\nlevel = '-1/2'", known), "first", 3);
    const core::Result bare = compute(crossing_kind(), "of = 'bare'", known);
    CHECK(bare.find("count")->number == 3);
    CHECK_FALSE(bare.find("count")->enclosure);
    CHECK_FALSE(bare.find("first")->enclosure);
}

TEST_CASE("a curve without a value at a point has no certified crossings") {
    // Below at 2, above at 4, and without a value at 3, between them.
    const Known known = {{"row", compute(curve_kind(), "formula = '1/(n - 3)'\ndistances = { to = 6 }")}};
    const core::Result whole = compute(crossing_kind(), "of = 'row'", known);
    CHECK_FALSE(whole.find("count")->enclosure);
    CHECK_FALSE(whole.find("first")->enclosure);
    check_count(compute(crossing_kind(), "of = 'row'\nrange = { from = 4, to = 6 }", known), 0);
}

TEST_CASE("values next to a level that is not a double are on the exact side of the level") {
    // The level 1/3 lies between two doubles, the lower of which is nearest; 1/10 does too, and the upper one is
    // nearest. A curve without enclosures: 0, the level's lower or upper neighbour, 1.
    const auto first = [](double between, const char* level) {
        core::Result row;
        row.series = core::Series{{{"n", {0, 1, 2}, {}}, {"value", {0, between, 1}, {}}}, core::Rigour::none, 1};
        const core::Result found =
            compute(crossing_kind(), std::string("of = 'row'\nlevel = '") + level + "'", {{"row", row}});
        CHECK(found.find("count")->number == 1);
        return *found.find("first")->number;
    };
    CHECK(first(std::nextafter(1.0 / 3, 0), "1/3") == 2);
    CHECK(first(std::nextafter(std::nextafter(1.0 / 3, 1), 1), "1/3") == 1);
    CHECK(first(std::nextafter(std::nextafter(0.1, 0), 0), "1/10") == 2);
    CHECK(first(std::nextafter(0.1, 1), "1/10") == 1);
    CHECK(first(0.5, "1/2") == 2);  // on the level, not above it
}

/// Where a row of sides (-1, 0, 1) goes strictly from one to the other, by the way: 1 up, -1 down, 0 either.
std::vector<double> crossings_of(const std::vector<int>& sides, int way) {
    std::vector<double> found;
    int before = 0;
    for (std::size_t i = 0; i < sides.size(); ++i) {
        if (sides[i] == 0) continue;
        if (before != 0 && sides[i] != before && (way == 0 || sides[i] == way)) found.push_back(static_cast<double>(i));
        before = sides[i];
    }
    return found;
}

TEST_CASE("bounds contain the result for every choice of the unknown sides, and are attained") {
    std::mt19937 random(1);
    for (int trial = 0; trial < 400; ++trial) {
        // Known sides, and 2 where a value may be of any side.
        const std::size_t count = 1 + random() % 7;
        std::vector<int> row;
        for (std::size_t i = 0; i < count; ++i) row.push_back(static_cast<int>(random() % 4) - 1);
        std::vector<double> points, values;
        std::vector<core::Enclosure> enclosures;
        for (std::size_t i = 0; i < count; ++i) {
            points.push_back(static_cast<double>(i));
            values.push_back(row[i] == 2 ? 0 : row[i]);
            enclosures.push_back(row[i] == 2 ? core::Enclosure{-1, 1} : core::Enclosure::exactly(row[i]));
        }
        std::vector<std::vector<int>> choices = {{}};
        for (const int side : row) {
            std::vector<std::vector<int>> longer;
            for (const std::vector<int>& begun : choices)
                for (int each = -1; each <= 1; ++each) {
                    if (side != 2 && side != each) continue;
                    longer.push_back(begun);
                    longer.back().push_back(each);
                }
            choices = std::move(longer);
        }
        core::Result curve;
        curve.series = core::Series{{{"n", points, {}}, {"value", values, enclosures}}, core::Rigour::rigorous, 1};
        for (const auto& [name, way] : {std::pair("any", 0), {"up", 1}, {"down", -1}}) {
            INFO("trial " << trial << ", " << name);
            double least = 100, most = 0, first = 100, last = -1;
            bool always = true;
            for (const std::vector<int>& sides : choices) {
                const std::vector<double> found = crossings_of(sides, way);
                least = std::min(least, static_cast<double>(found.size()));
                most = std::max(most, static_cast<double>(found.size()));
                always = always && !found.empty();
                if (!found.empty()) first = std::min(first, found.front());
                if (!found.empty()) last = std::max(last, found.back());
            }
            const core::Result result =
                compute(crossing_kind(), std::string("of = 'row'\ndirection = '") + name + "'", {{"row", curve}});
            const core::Enclosure bounds = *result.find("count")->enclosure;
            CHECK(bounds.lo <= least);
            CHECK(bounds.hi >= most);
            // Of one unknown side between sides that are known they are the least and the most.
            const auto unknown = std::find(row.begin(), row.end(), 2);
            const auto is_strict = [](int side) { return side == 1 || side == -1; };
            const bool is_between = choices.size() == 3 && std::any_of(row.begin(), unknown, is_strict) &&
                                    std::any_of(unknown + 1, row.end(), is_strict);
            if (choices.size() == 1 || is_between) CHECK(bounds == core::Enclosure{least, most});
            const core::Cell &at_first = *result.find("first"), &at_last = *result.find("last");
            CHECK(at_first.number.has_value() == at_last.number.has_value());
            if (!always) CHECK_FALSE(at_first.number);
            if (choices.size() == 1 && always) {
                CHECK(at_first.enclosure == core::Enclosure::exactly(first));
                CHECK(at_last.enclosure == core::Enclosure::exactly(last));
            }
            if (!at_first.number) continue;
            CHECK(at_first.enclosure->lo <= first);
            CHECK(at_last.enclosure->hi >= last);
            for (const std::vector<int>& sides : choices) {
                CHECK(at_first.enclosure->contains(crossings_of(sides, way).front()));
                CHECK(at_last.enclosure->contains(crossings_of(sides, way).back()));
            }
        }
    }
}

TEST_CASE("a scheme's bias") {
    // ALiBi of head 8 of 8: -n/256.
    const core::Result result =
        compute(crossing_kind(), "scheme = 'alibi'\nhead = 8\nheads = 8\ndistances = { to = 2000 }\nlevel = -3");
    check_field(result, "first", 769);
}

TEST_CASE("a let name may depend on the variable if there is a level") {
    // n^2 >= 50 first at 8.
    const core::Result result = compute(
        crossing_kind(), "formula = 's'\nlevel = 50\nlet = { s = 'n^2' }\nover = { n = { from = 0, to = 20 } }");
    check_field(result, "first", 8, 0);
    CHECK_THROWS_WITH(compute(crossing_kind(),
                              "formula = 'n'\nlevel = 's'\nlet = { s = 'n^2' }\nover = { n = { from = 0, to = 20 } }"),
                      Catch::Contains("the level depends on 'n'"));
}

TEST_CASE("bad input") {
    CHECK_THAT(refusal(crossing_kind(), "formula = 'x*y'\nover = { x = [0, 1], y = [0, 1] }"),
               Catch::Contains("more than one variable"));
    CHECK_THAT(refusal(crossing_kind(), "formula = 'x'\nover = { x = [0, 1] }\nrange = { from = 0, to = 1 }"),
               Catch::Contains("'range' of a formula over the reals"));
    CHECK_THAT(refusal(crossing_kind(), "formula = 'x'\nover = { x = [0, 1] }\ndirection = 'left'"),
               Catch::Contains("known here: any, up, down"));
    CHECK_THAT(refusal(crossing_kind(), "of = 'row'"), Catch::Contains("unknown quantity"));
    CHECK_THAT(refusal(crossing_kind(), "formula = 'x'\nover = { x = { to = 3 } }\nrange = { from = 1, to = 8 }"),
               Catch::Contains("the range ends at 8, after the last point"));
    CHECK_THAT(refusal(crossing_kind(), "formula = 'x'\nover = { x = { to = 3 } }\nrange = { from = 7, to = 8 }"),
               Catch::Contains("no value of the grid"));
}

}  // namespace
}  // namespace farfield::quantity
