#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checks.hpp"
#include "compute.hpp"
#include "quantity/kinds.hpp"

namespace farfield::quantity {
namespace {

core::Result optimum(const std::string& formula, const std::string& rest) {
    return compute(optimum_kind(), "formula = '" + formula + "'\n" + rest);
}

/// The enclosure holds the number and is at most this wide.
void check_enclosed(const core::Result& result, const std::string& name, double expected, double width) {
    const core::Cell* cell = result.find(name);
    REQUIRE(cell);
    REQUIRE(cell->enclosure);
    CHECK(cell->enclosure->lo <= expected);
    CHECK(cell->enclosure->hi >= expected);
    CHECK(cell->enclosure->width() <= width);
}

TEST_CASE("the best value of a grid is exact if only one point has it") {
    // 3 times 0.1 is 0.3, which doubles cannot hold.
    const core::Result result = optimum("n*0.1", "over = { n = { from = 0, to = 3 } }");
    CHECK(result.find("best")->rational == "0.3");
    CHECK(*result.find("at")->number == 3);
}

TEST_CASE("the search for points ends at a condition that no number of digits decides") {
    // erf(20) is nearer to 1 than 1024 bits tell, and a decision at one point takes milliseconds.
    const core::Result result =
        optimum("x", "where = '1.606/erf(x/0.2868) < 1.606'\nover = { x = [20, 40] }\nboxes = 3000");
    CHECK_FALSE(result.find("best")->number);
    CHECK_FALSE(result.notes.empty());
}

TEST_CASE("integers that share a double are not one best point") {
    // n % -2 is 0 for even n: the least value is that at the last of three, which doubles do not tell from the others.
    const std::string far = "over = { n = { from = 9223372036854775800, to = 9223372036854775804, step = 2 } }";
    const core::Result least = optimum("-n + n % (-2)", "goal = 'least'\n" + far);
    for (const char* name : {"best", "at"}) {
        const std::string& exact = least.find(name)->rational;
        const std::string expected = std::string(name == std::string("best") ? "-" : "") + "9223372036854775804";
        CHECK((exact.empty() || exact == expected));
        CHECK(least.find(name)->enclosure->width() > 0);
    }
}

TEST_CASE("a monotone formula is best at an end, exactly") {
    const core::Result line = optimum("x", "over = { x = [0, 0.3] }");
    CHECK(line.find("best")->rational == "0.3");
    CHECK(line.find("at")->rational == "0.3");
    const core::Result least = optimum("x^2 + x", "goal = 'least'\nover = { x = [0.1, 2] }");
    CHECK(least.find("best")->rational == "0.11");
    CHECK(least.find("at")->rational == "0.1");
    const core::Result root = optimum("exp(x)", "over = { x = [0, 0.7] }");
    check_enclosed(root, "best", std::exp(0.7), 1e-15);
    CHECK(root.find("at")->rational == "0.7");
    // All of [1, 1.5] is as good.
    const core::Result steps = optimum("floor(x)", "over = { x = [0, 1.5] }");
    check_enclosed(steps, "best", 1, 0);
    check_enclosed(steps, "at", 1, 1.5);
    check_enclosed(steps, "at", 1.5, 1.5);
}

TEST_CASE("the greatest value on a line") {
    // x e^-x is greatest at 1, by its derivative.
    const core::Result result = optimum("x*exp(-x)", "over = { x = [0, 10] }");
    check_enclosed(result, "best", std::exp(-1.0), 1e-9);
    check_enclosed(result, "at", 1, 1e-3);
    CHECK(result.find("best")->rigour == core::Rigour::rigorous);
}

TEST_CASE("two variables under a condition") {
    // The point of the line x + y = 2 nearest to the origin is (1, 1).
    const core::Result result =
        optimum("x^2 + y^2", "goal = 'least'\nwhere = 'x + y >= 2'\nover = { x = [-3, 3], y = [-3, 3] }");
    check_enclosed(result, "best", 2, 1e-4);
    check_enclosed(result, "at_x", 1, 0.1);
    check_enclosed(result, "at_y", 1, 0.1);
}

TEST_CASE("integers and reals together") {
    // n - (x - n)^2 with n <= 4: 4 at x = 4.
    const core::Result result =
        optimum("n - (x - n)^2", "where = 'n <= 4'\nover = { n = { from = 0, to = 9 }, x = [0, 8] }");
    check_enclosed(result, "best", 4, 1e-6);
    check_field(result, "at_n", 4, 0);
}

TEST_CASE("an optimum over steps alone is exact") {
    const core::Result result = optimum("(n - 7)^2 + 1", "goal = 'least'\nover = { n = { from = 0, to = 20 } }");
    check_field(result, "best", 1, 0);
    check_field(result, "at", 7, 0);
    CHECK(result.find("best")->rigour == core::Rigour::exact);
}

TEST_CASE("the best value over two grids is that of a plain loop, at the stated point") {
    // Polynomials with whole coefficients, some of whose best values several points share.
    for (int a = -2; a <= 2; ++a)
        for (int b = -2; b <= 2; ++b)
            for (const bool is_least : {true, false}) {
                const auto value = [&](int x, int y) { return a * x * x + b * x * y + 3 * y - x; };
                const auto holds = [&](int x, int y) { return x + y >= 1 && x * y != 6; };
                std::optional<int> best;
                std::vector<std::pair<int, int>> points;
                for (int x = -4; x <= 5; ++x)
                    for (int y = -3; y <= 4; ++y) {
                        if (!holds(x, y)) continue;
                        const int here = value(x, y);
                        if (!best || (is_least ? here < *best : here > *best)) points.clear(), best = here;
                        if (here == *best) points.emplace_back(x, y);
                    }
                const std::string formula = std::to_string(a) + "*x*x + (" + std::to_string(b) + ")*x*y + 3*y - x";
                INFO(formula << (is_least ? ", least" : ", greatest"));
                const core::Result result =
                    optimum(formula, std::string("goal = '") + (is_least ? "least" : "greatest") +
                                         "'\nwhere = 'x + y >= 1 and x*y != 6'\n"
                                         "over = { x = { from = -4, to = 5 }, y = { from = -3, to = 4 } }");
                check_field(result, "best", *best, 0);
                CHECK(result.find("best")->rigour == core::Rigour::exact);
                const core::Cell &x = *result.find("at_x"), &y = *result.find("at_y");
                CHECK(std::count(points.begin(), points.end(),
                                 std::pair(static_cast<int>(*x.number), static_cast<int>(*y.number))) == 1);
                // Every best point lies in the enclosures, which are points where there is one.
                for (const auto& [px, py] : points) {
                    CHECK(x.enclosure->contains(px));
                    CHECK(y.enclosure->contains(py));
                }
                if (points.size() == 1) CHECK(x.enclosure == core::Enclosure::exactly(points[0].first));
                if (points.size() == 1) CHECK(y.enclosure == core::Enclosure::exactly(points[0].second));
                const std::string met = "x = " + std::to_string(static_cast<int>(*x.number)) +
                                        ", y = " + std::to_string(static_cast<int>(*y.number));
                CHECK(std::count(result.notes.begin(), result.notes.end(),
                                 std::pair<std::string, std::string>("met at", met)) == 1);
            }
}

TEST_CASE("the best of reals is enclosed to nine digits of its size, small or large") {
    // (x - 1/3)^2 + c is least at 1/3, which no double is equal to.
    for (const char* c : {"0.001", "7", "-1000", "1e9"}) {
        INFO(c);
        const core::Result result = optimum(std::string("(x - 1/3)^2 + ") + c, "goal = 'least'\nover = { x = [0, 1] }");
        check_enclosed(result, "best", std::stod(c), 1e-8 * std::abs(std::stod(c)));
        CHECK(result.find("at")->enclosure->contains(1.0 / 3));
    }
    // An end of the domain is met without error, and the greatest is at the other one.
    const core::Result ends = optimum("2*x", "over = { x = [0.1, 0.7] }");
    CHECK(ends.find("best")->enclosure->contains(1.4));
    CHECK(ends.find("at")->enclosure->contains(0.7));
}

TEST_CASE("a condition that holds nowhere, and a formula without a value") {
    CHECK(!optimum("x", "where = 'x > 9'\nover = { x = [0, 1] }").find("best")->number);
    CHECK(!optimum("log(x)", "over = { x = [-1, 1] }").find("best")->number);
}

TEST_CASE("the objective and the condition are fields of other quantities") {
    // |x^2 - 2| over the value's own variable: least at the root of 2; samples get within their last step of it.
    const core::Result root = optimum("abs(v.value - 2)",
                                      "goal = 'least'\nover = { x = [0, 2] }\n"
                                      "quantities = { v = { kind = 'value', formula = 'x^2' } }");
    check_field(root, "at", std::sqrt(2.0), 1e-8, false);
    CHECK(!root.find("at")->enclosure);
    CHECK(!root.find("best")->enclosure);
    // A later quantity reads an earlier one: the largest w whose curve w n, n to 10, stays at or below 35 is 3.
    const core::Result largest =
        optimum("w",
                "where = 'peak.max <= 35'\nover = { w = { from = 1, to = 9 } }\n"
                "quantities = { c = { kind = 'curve', formula = 'w*n', over = { n = { from = 0, "
                "to = 10 } } }, peak = { kind = 'extremum', of = 'c' } }");
    check_field(largest, "best", 3, 0, false);
    check_field(largest, "at", 3, 0, false);
}

TEST_CASE("samples find the best of two variables, and report if none meets the condition") {
    // -(a - 1)^2 - (b + 2)^2 is greatest at (1, -2), within the last step of the search.
    const std::string quantities = "quantities = { v = { kind = 'value', formula = '-(a - 1)^2 - (b + 2)^2' } }\n";
    const core::Result result =
        optimum("v.value", "samples = 2000\nover = { a = [-4, 4], b = [-5, 5] }\n" + quantities);
    check_field(result, "at_a", 1, 1e-4, false);
    check_field(result, "at_b", -2, 1e-4, false);
    const core::Result none =
        optimum("v.value", "where = 'v.value > 0'\nover = { a = [-4, 4], b = [-5, 5] }\n" + quantities);
    CHECK(!none.find("best")->number);
    CHECK(!none.find("at_a")->number);
}

TEST_CASE("samples of a learned number are doubles") {
    // The bias at distance 10 is -r1 log(1 + 10 r2) = -1 at r1 = 1/log(11), within the last step of the search.
    const core::Result result = optimum(
        "abs(c.last + 1)",
        "goal = 'least'\nsamples = 200\nover = { r1 = [0.01, 0.8] }\n"
        "quantities = { c = { kind = 'curve', scheme = 'kerple-log', let = { r2 = 1 }, distances = { to = 10 } } }\n");
    check_field(result, "at", 1 / std::log(11.0), 1e-6, false);
}

TEST_CASE("a sample without a field that the condition asks for does not meet it") {
    // n - a does not cross 0 for n up to 9 and a from 20: there is no first crossing, of which `not` would be true.
    const core::Result none =
        optimum("c.count",
                "where = 'not (c.first > 3)'\nover = { a = [20, 30] }\nsamples = 20\n"
                "quantities = { c = { kind = 'crossing', formula = 'n - a', over = { n = { from = 0, to = 9 } } } }");
    CHECK(!none.find("best")->number);
}

TEST_CASE("an optimum is enclosed to a billionth of any magnitude") {
    for (const char* scale : {"1e-9", "1e-3", "1", "1e3", "1e9"}) {
        INFO(scale);
        const double factor = std::stod(scale);
        const core::Result result = optimum(std::string(scale) + "*x*exp(-x)", "over = { x = [0, 10] }");
        check_enclosed(result, "best", factor * std::exp(-1.0), 1.000001e-9 * factor * std::exp(-1.0));
    }
}

}  // namespace
}  // namespace farfield::quantity
