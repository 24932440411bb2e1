#include <catch2/catch.hpp>

#include <cmath>
#include <optional>
#include <random>

#include "checks.hpp"
#include "compute.hpp"
#include "quantity/kinds.hpp"

namespace farfield::quantity {
namespace {

core::Result oscillation(const std::string& formula, const std::string& rest) {
    return compute(oscillation_kind(), "formula = '" + formula + "'\n" + rest);
}

TEST_CASE("a falling line never rises") {
    const core::Result result = oscillation("-n/256", "distances = { to = 100 }");
    check_field(result, "increases", 0);
    check_field(result, "decreases", 100);
    check_null(result, "first_increase");
    check_null(result, "largest_increase");
    check_field(result, "total_variation", 100.0 / 256);
    check_field(result, "monotone", 1);
}

TEST_CASE("a saw rises once a period") {
    // n % 4: 0 1 2 3 0 1 2 3 0: three rises of 1 and a fall of 3, twice.
    const core::Result result = oscillation("n % 4", "distances = { to = 8 }");
    check_field(result, "increases", 6);
    check_field(result, "decreases", 2);
    check_field(result, "first_increase", 0);
    check_field(result, "largest_increase", 1);
    check_field(result, "total_variation", 12);
    check_field(result, "monotone", 0);
}

TEST_CASE("steps are counted as a plain loop counts them, and bounds where only enclosures are known") {
    std::mt19937 random(1);
    for (int trial = 0; trial < 200; ++trial) {
        const std::size_t count = 2 + random() % 7;
        const double unit = trial % 2 == 0 ? 1 : 0.25;
        std::vector<double> points, values;
        std::vector<core::Enclosure> exact, wide;
        for (std::size_t i = 0; i < count; ++i) {
            points.push_back(static_cast<double>(i));
            values.push_back(unit * (static_cast<double>(random() % 5) - 2));
            exact.push_back(core::Enclosure::exactly(values.back()));
            const double reach = unit * static_cast<double>(random() % 3) / 2;
            wide.push_back({values.back() - reach, values.back() + reach});
        }
        double rises = 0, falls = 0, largest = 0, variation = 0;
        std::optional<double> first;
        core::Enclosure may_rise{0, 0}, may_fall{0, 0};
        core::Enclosure path{0, 0};
        for (std::size_t i = 0; i + 1 < count; ++i) {
            const double step = values[i + 1] - values[i];
            rises += step > 0 ? 1 : 0;
            falls += step < 0 ? 1 : 0;
            if (step > 0 && !first) first = points[i];
            largest = std::max(largest, step);
            variation += std::abs(step);
            // Two points that may be one value have the step 0 only where both are points.
            const double lo = wide[i + 1].lo - wide[i].hi, hi = wide[i + 1].hi - wide[i].lo;
            may_rise = {may_rise.lo + (lo > 0 ? 1 : 0), may_rise.hi + (hi > 0 ? 1 : 0)};
            may_fall = {may_fall.lo + (hi < 0 ? 1 : 0), may_fall.hi + (lo < 0 ? 1 : 0)};
            path = {path.lo + std::max({0.0, lo, -hi}), path.hi + std::max(std::abs(lo), std::abs(hi))};
        }
        const auto of = [&](const std::vector<core::Enclosure>& enclosures) {
            core::Result row;
            row.series = core::Series{{{"n", points, {}}, {"value", values, enclosures}}, core::Rigour::rigorous, 1};
            return compute(oscillation_kind(), "of = 'row'", {{"row", row}});
        };
        for (const core::Result& result : {of({}), of(exact), of(wide)}) {
            const bool is_bare = !result.find("increases")->enclosure;
            CHECK(result.find("increases")->number == rises);
            CHECK(result.find("decreases")->number == falls);
            CHECK(result.find("total_variation")->number == variation);
            CHECK(result.find("monotone")->number == (rises == 0 || falls == 0 ? 1 : 0));
            CHECK(result.find("first_increase")->number == first);
            if (rises > 0) CHECK(result.find("largest_increase")->number == largest);
            CHECK(is_bare == !result.find("monotone")->enclosure);
        }
        const core::Result known = of(exact);
        CHECK(known.find("increases")->enclosure == core::Enclosure::exactly(rises));
        CHECK(known.find("decreases")->enclosure == core::Enclosure::exactly(falls));
        CHECK(known.find("monotone")->enclosure == core::Enclosure::exactly(rises == 0 || falls == 0 ? 1 : 0));
        if (first) CHECK(known.find("first_increase")->enclosure == core::Enclosure::exactly(*first));
        const core::Result bounded = of(wide);
        CHECK(bounded.find("increases")->enclosure == may_rise);
        CHECK(bounded.find("decreases")->enclosure == may_fall);
        const core::Enclosure length = *bounded.find("total_variation")->enclosure;
        CHECK(std::abs(length.lo - path.lo) <= 1e-14);
        CHECK(std::abs(length.hi - path.hi) <= 1e-14);
        const bool is_proved = may_rise.hi == 0 || may_fall.hi == 0, is_refuted = may_rise.lo > 0 && may_fall.lo > 0;
        CHECK(bounded.find("monotone")->enclosure == core::Enclosure{is_proved ? 1.0 : 0.0, is_refuted ? 0.0 : 1.0});
    }
}

TEST_CASE("a constant neither rises nor falls") {
    const core::Result result = oscillation("floor(n/9)", "distances = { to = 8 }");
    check_field(result, "increases", 0);
    check_field(result, "decreases", 0);
    check_field(result, "monotone", 1);
}

TEST_CASE("the first rise is where the cosine turns") {
    // cos falls up to pi, so cos(4) > cos(3) is not a rise of cos(3) > cos(2); the step 3 -> 4 is the first upward.
    const core::Result result = oscillation("cos(n)", "distances = { to = 6 }");
    check_field(result, "first_increase", 3);
    check_field(result, "increases", 3);
    check_field(result, "largest_increase", std::cos(5.0) - std::cos(4.0), 1e-12);
}

TEST_CASE("a rise that rounding may conceal is not certain") {
    // Both are pi on paper: enclosures of the second cannot tell a rise from a fall.
    const core::Result result = oscillation("n == 0 ? pi : 4*atan2(1, 1)", "distances = { to = 1 }");
    const core::Cell& increases = *result.find("increases");
    REQUIRE(increases.enclosure);
    CHECK(increases.enclosure->hi == 1);
    CHECK(increases.enclosure->lo == 0);
}

TEST_CASE("rises and falls of values known within bounds are counted between those that must and those that may be") {
    std::mt19937 random(3);
    for (int trial = 0; trial < 300; ++trial) {
        std::vector<double> points, values;
        std::vector<core::Enclosure> enclosures;
        for (int i = 0; i < 7; ++i) {
            points.push_back(2 * i + 1);
            values.push_back(static_cast<double>(random() % 5));
            const auto below = static_cast<double>(random() % 2), above = static_cast<double>(random() % 2);
            enclosures.push_back({values.back() - below, values.back() + above});
        }
        double rises = 0, falls = 0, variation = 0, largest = 0;
        core::Enclosure rise_bounds{0, 0}, fall_bounds{0, 0}, variation_bounds{0, 0}, largest_bounds{0, 0};
        std::optional<double> first, may, must;
        for (std::size_t i = 0; i + 1 < values.size(); ++i) {
            const double step = values[i + 1] - values[i];
            const double lo = enclosures[i + 1].lo - enclosures[i].hi, hi = enclosures[i + 1].hi - enclosures[i].lo;
            rises += step > 0;
            falls += step < 0;
            variation += std::abs(step);
            largest = std::max(largest, step);
            if (step > 0 && !first) first = points[i];
            if (hi > 0 && !may) may = points[i];
            if (lo > 0 && !must) must = points[i];
            rise_bounds = {rise_bounds.lo + (lo > 0), rise_bounds.hi + (hi > 0)};
            fall_bounds = {fall_bounds.lo + (hi < 0), fall_bounds.hi + (lo < 0)};
            const double least = lo > 0 ? lo : hi < 0 ? -hi : 0;
            variation_bounds = {variation_bounds.lo + least,
                                variation_bounds.hi + std::max(std::abs(lo), std::abs(hi))};
            largest_bounds = {std::max(largest_bounds.lo, lo), std::max(largest_bounds.hi, hi)};
        }
        for (const bool is_enclosed : {true, false}) {
            core::Result row;
            row.series = core::Series{{{"n", points, {}, core::Steps{"1", "2"}},
                                       {"value", values, is_enclosed ? enclosures : std::vector<core::Enclosure>{}}},
                                      is_enclosed ? core::Rigour::rounding : core::Rigour::none,
                                      1};
            const core::Result found = compute(oscillation_kind(), "of = 'row'", {{"row", row}});
            const auto check = [&](const char* name, std::optional<double> number, const core::Enclosure& bounds,
                                   bool is_certain = true) {
                INFO(name);
                const core::Cell& cell = *found.find(name);
                CHECK(cell.number == number);
                REQUIRE(cell.enclosure.has_value() == (is_enclosed && is_certain && number));
                if (!cell.enclosure) return;
                CHECK(*cell.enclosure == bounds);
                if (std::string(name) != "monotone") CHECK(cell.rigour == core::Rigour::rounding);
            };
            const bool is_certain = rise_bounds.lo > 0;
            check("increases", rises, rise_bounds);
            check("decreases", falls, fall_bounds);
            check("total_variation", variation, variation_bounds);
            check("first_increase", first, {may.value_or(0), must.value_or(0)}, is_certain);
            check("largest_increase", first ? std::optional(largest) : std::nullopt, largest_bounds, is_certain);
            check("monotone", rises == 0 || falls == 0 ? 1 : 0,
                  {rise_bounds.hi == 0 || fall_bounds.hi == 0 ? 1.0 : 0.0,
                   rise_bounds.lo > 0 && fall_bounds.lo > 0 ? 0.0 : 1.0});
        }
    }
}

TEST_CASE("a range cuts the curve of another quantity") {
    const Known known = {{"row", compute(curve_kind(), "formula = 'abs(n - 5)'\ndistances = { to = 10 }")}};
    check_field(compute(oscillation_kind(), "of = 'row'", known), "increases", 5);
    check_field(compute(oscillation_kind(), "of = 'row'\nrange = { from = 2, to = 7 }", known), "increases", 2);
    CHECK_THAT(refusal(oscillation_kind(), "of = 'row'\nrange = { from = 20, to = 70 }", known),
               Catch::Contains("no point"));
    // A range is not cut to the points, not even by less than a step.
    CHECK_THAT(refusal(oscillation_kind(), "of = 'row'\nrange = { from = 2, to = 10.5 }", known),
               Catch::Contains("2:9: the range ends at 10.5, after the last point"));
    CHECK_THAT(refusal(oscillation_kind(), "of = 'row'\nrange = { from = -1, to = 7 }", known),
               Catch::Contains("the range begins at -1, before the first point"));
    CHECK_THAT(refusal(oscillation_kind(), "of = 'tow'", known), Catch::Contains("Did you mean 'row'"));
}

TEST_CASE("where a rise or a value is not certain, no field of the rise or of the whole is certified") {
    const core::Result rise = oscillation("n == 0 ? 4*atan2(1, 1) : n == 1 ? pi + 1e-15 : 0", "distances = { to = 2 }");
    CHECK(rise.find("decreases")->enclosure);
    const core::Result hidden =
        oscillation("n == 0 ? 4*atan2(1, 1) : n == 1 ? pi + 1e-60 : 0", "distances = { to = 2 }");
    if (hidden.find("first_increase")->number) CHECK_FALSE(hidden.find("first_increase")->enclosure);
    const core::Result unknown = oscillation("n + sqrt(1e-60 + (log(8) - 3*log(2))*n)", "distances = { to = 3 }");
    CHECK(unknown.find("increases")->number == 3);
    CHECK_FALSE(unknown.find("increases")->enclosure);
    CHECK_FALSE(unknown.find("monotone")->enclosure);
}

TEST_CASE("the steps of a curve with a pole do not exist, and those beside the pole do") {
    for (const char* formula : {"log2(n)", "1/n"})
        for (const char* enclosures : {"auto", "never"}) {
            INFO(formula << ", " << enclosures);
            const core::Result none =
                oscillation(formula, "distances = { to = 3 }\nenclosures = '" + std::string(enclosures) + "'");
            for (const char* name :
                 {"increases", "decreases", "first_increase", "largest_increase", "total_variation", "monotone"})
                check_null(none, name);
            CHECK(none.notes.size() == 1);
        }
    check_field(oscillation("1/n", "distances = { from = 1, to = 4 }"), "decreases", 3);
    check_field(oscillation("1/n", "distances = { to = 4 }\nrange = { from = 1, to = 4 }"), "decreases", 3);
}

}  // namespace
}  // namespace farfield::quantity
