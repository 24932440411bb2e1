// The words and numbers of explanations. The numbers follow from the conditions by hand, or are the results' own.
#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "claim/claim_support.hpp"
#include "numerics/rational.hpp"

using namespace claim_support;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Cells of every kind: near within 1e-10 of itself, wide, open on both sides or on one, without a bound though
/// enclosed.
struct Cells {
    core::Result cells;
    std::vector<const core::Result*> all = {&cells};

    Cells() {
        cells.name = "c";
        cells.kind = "fit";
        cells.set("near", core::Cell::enclosed(2, {2 - 1e-10, 2 + 3e-10}));
        cells.set("nearly", core::Cell::enclosed(2, {2 - 1e-8, 2 + 1e-8}));
        cells.set("wide", core::Cell::enclosed(2, {1.5, 2.25}));
        cells.set("half", core::Cell::enclosed(0.5, {0.25, 0.75}));
        cells.set("open", core::Cell::enclosed(2, {-infinity, infinity}));
        cells.set("above", core::Cell::enclosed(2, {1, infinity}));
        cells.set("beyond", core::Cell::enclosed(infinity, {0x1p1023, infinity}));
        core::Cell loose = core::Cell::enclosed(2, {1, 3});
        loose.rigour = core::Rigour::none;
        cells.set("loose", loose);
        cells.set("point", core::Cell::exact(3));
        cells.set("beside", core::Cell::enclosed(1, {1, 1 + 0x1p-52}));
        cells.set("tight", core::Cell::enclosed(1, {1, 1 + 8e-15}));
        cells.set("edge", core::Cell::enclosed(1e9, {1e9 - 1, 1e9 + 1}));
        cells.set("up", core::Cell::enclosed(0.99999999966, {0.99999999956, 0.99999999976}));
        cells.set("close", core::Cell::enclosed(1 + 2e-12, {1 + 1e-12, 1 + 3e-12}));
    }
};

std::string explained(const std::string& holds) {
    const Cells cells;
    return claim::judge(with_condition(holds), cells.all).readings.at(0).explain;
}

}  // namespace

TEST_CASE("a value is shown with its bounds") {
    CHECK(explained("c.point > 0") == "c.point = 3 exactly; c.point > 0 holds");
    // Up to 2 + 3e-10, whose double is a little above: radii are rounded up.
    CHECK(explained("c.near > 0") == "c.near = 2 within 3.1e-10; c.near > 0 holds");
    // 5e-9 of itself to each side: more than ten digits can show.
    CHECK(explained("c.nearly > 0") == "c.nearly = 2 in [1.99999999, 2.00000001]; c.nearly > 0 holds");
    CHECK(explained("c.edge > 0") == "c.edge = 1000000000 within 1.0e+00; c.edge > 0 holds");
    CHECK(explained("c.wide > 0") == "c.wide = 2 in [1.5, 2.25]; c.wide > 0 holds");
    CHECK(explained("c.open > 0") == "c.open = 2 (no error bound); c.open > 0 is undecided");
    CHECK(explained("c.above > 0") == "c.above = 2 in [1, inf]; c.above > 0 holds");
    CHECK(explained("c.beyond > 0") == "c.beyond = [8.988465674e+307, inf]; c.beyond > 0 holds");
    CHECK(explained("c.loose > 0") == "c.loose = 2 (no error bound); c.loose > 0 holds");
}

TEST_CASE("both sides are shown with as many digits as the comparison needs") {
    const std::vector<std::pair<std::string, std::string>> steps = {
        // 2 c.near lies in [4 - 2e-10, 4 + 6e-10], whose middle is 4 + 2e-10: ten digits of it are 4.
        {"2*c.near > 3", ": 4 within 6.1e-10 > 3 holds"},
        {"2*c.nearly > 3", ": [3.99999998, 4.00000002] > 3 holds"},
        // Two neighbouring doubles are one number; a few further apart, and up to 1e-9 of it, a number with its bound.
        {"2*c.beside > 1", ": 2 > 1 holds"},
        {"2*c.tight > 1", ": 2 within 1.6e-14 > 1 holds"},
        {"2*c.edge > 1", ": 2000000000 within 2.0e+00 > 1 holds"},
        {"c.close > 1", "c.close = 1.000000000002 within 1.1e-12; c.close > 1 holds"},
        // Rounded up to ten digits, and with its bound, the number is no longer below.
        {"c.up < 0.99999999977", ": [0.99999999956, 0.99999999976] < 0.99999999977 holds"},
        {"2*c.wide < 5", ": [3, 4.5] < 5 holds"},
        {"2*c.wide < 3", ": [3, 4.5] < 3 fails"},
        {"2*c.wide < 4", ": [3, 4.5] < 4 is undecided"},
        {"2*c.wide <= 4.5", ": [3, 4.5] <= 4.5 holds"},
        {"2*c.wide <= 2.9", ": [3, 4.5] <= 2.9 fails"},
        {"2*c.wide > 2", ": [3, 4.5] > 2 holds"},
        {"2*c.wide > 4.5", ": [3, 4.5] > 4.5 fails"},
        {"2*c.wide >= 3", ": [3, 4.5] >= 3 holds"},
        {"2*c.wide >= 5", ": [3, 4.5] >= 5 fails"},
        {"2*c.wide == 5", ": [3, 4.5] == 5 fails"},
        {"2*c.wide != 5", ": [3, 4.5] != 5 holds"},
        {"2*c.point == 6", ": 6 == 6 holds"},
        {"2*c.point != 6", ": 6 != 6 fails"},
        {"c.point/9 == 1/3", ": 1/3 == 1/3 holds"},
        {"2*c.open > 3", ": unknown > 3 is undecided"},
        {"2*c.above > 1", ": [2, inf] > 1 holds"},
        {"2*c.wide > c.half", ": [3, 4.5] > [0.25, 0.75] holds"},
        {"c.half/2 < 2*c.half", ": [0.125, 0.375] < [0.5, 1.5] holds"},
        {"c.half*2 < c.half/2", ": [0.5, 1.5] < [0.125, 0.375] fails"},
        // Twelve digits tell 1 + 1e-11 from 1, ten do not.
        {"abs(1) + 1e-11 > 1", ": 1.00000000001 > 1 holds"},
    };
    for (const auto& [condition, step] : steps) {
        const std::string explain = explained(condition);
        INFO(condition << ": " << explain);
        CHECK(explain.ends_with(step));
    }
}

TEST_CASE("a printed enclosure contains the enclosure") {
    // Numbers between 1e-30 and 1e30 with enclosures of all widths, the number anywhere in them.
    std::mt19937_64 random(3);
    const auto uniform = [&](double lo, double hi) { return std::uniform_real_distribution<double>(lo, hi)(random); };
    const auto decimal = [](const std::string& text) { return *numerics::read_rational(text); };
    for (int trial = 0; trial < 5000; ++trial) {
        const double number = uniform(-1, 1) * std::pow(10, uniform(-30, 30));
        const double width = std::abs(number) * std::pow(10, uniform(-17, 0));
        const double below = uniform(0, 1) * width;
        core::Result one;
        one.name = "c";
        one.kind = "fit";
        one.set("x", core::Cell::enclosed(number, {number - below, number + (width - below)}));
        const std::string explain = claim::judge(with_condition("c.x < 1e60"), {&one}).readings.at(0).explain;
        const std::string shown = explain.substr(6, explain.find(';') - 6);  // behind "c.x = "
        const core::Enclosure& enclosure = *one.find("x")->enclosure;
        INFO(explain);
        if (const std::size_t at = shown.find(" within "); at != std::string::npos) {
            const auto radius = decimal(shown.substr(at + 8));
            CHECK(decimal(shown.substr(0, at)) - radius <= numerics::exactly(enclosure.lo));
            CHECK(decimal(shown.substr(0, at)) + radius >= numerics::exactly(enclosure.hi));
        } else if (const std::size_t in = shown.find(" in ["); in != std::string::npos) {
            // A shorter decimal may stand for an end from which it differs by a millionth of the width.
            const auto allowed = numerics::exactly(1e-6 * (enclosure.hi - enclosure.lo));
            const std::size_t comma = shown.find(", ");
            CHECK(decimal(shown.substr(in + 5, comma - in - 5)) - allowed <= numerics::exactly(enclosure.lo));
            CHECK(decimal(shown.substr(comma + 2, shown.size() - comma - 3)) + allowed >=
                  numerics::exactly(enclosure.hi));
        } else {
            REQUIRE(shown.ends_with(" exactly"));
            CHECK(decimal(shown.substr(0, shown.size() - 8)) == numerics::exactly(enclosure.lo));
        }
    }
}

TEST_CASE("a part without a value is named only if the condition is undecided") {
    CHECK(explained("log(0) < 0").ends_with("is undecided: a part is not shown to have a value"));
    CHECK(explained("c.wide < 2").ends_with("c.wide < 2 is undecided"));
    CHECK(explained("if(1 < 2, 3, 1/0) == 3").ends_with("3 == 3 holds"));
}

TEST_CASE("a bound that is not a known integer is named, and so is one that is too large") {
    CHECK(explained("all(n, 0, c.wide, n >= 0)") ==
          "c.wide = 2 in [1.5, 2.25]; c.wide, a bound, is no known integer: [1.5, 2.25]");
    CHECK(explained("all(n, 0, c.point/2, n >= 0)").ends_with("c.point/2, a bound, is no known integer: 1.5"));
    CHECK(explained("all(n, 0, 2^62*c.point, n >= 0)")
              .ends_with("a bound, is beyond 9223372036854775807, the largest integer counted to"));
}

TEST_CASE("at most sixteen steps are shown") {
    std::string condition = "c.point > 0";
    for (int i = 1; i < 20; ++i) condition += " and c.point > -" + std::to_string(i);
    const std::string explain = explained(condition);
    CHECK(explain.find("c.point > -15 holds") != std::string::npos);
    CHECK(explain.find("c.point > -16 holds") == std::string::npos);
}
