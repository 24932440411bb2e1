// Boxes, their halves, and what is decided on them: against plain loops over every value of a grid.
#include <catch2/catch.hpp>

#include <functional>
#include <map>

#include <farfield/formula/assumptions.hpp>
#include <farfield/formula/parser.hpp>

#include "compute.hpp"
#include "quantity/box_function.hpp"
#include "quantity/boxes.hpp"
#include "quantity/kinds.hpp"

namespace farfield::quantity {
namespace {

using core::Enclosure;
using evaluate::Enclosing;
using numerics::Rational;

Dimension steps(const Rational& from, const Rational& step, std::size_t count) {
    return {"n", true, numerics::Progression(from, step, count)};
}

/// All reals between two decimals.
Dimension reals(const std::string& variable, const Rational& lo, const Rational& hi) {
    const numerics::Interval low = numerics::enclose(lo), high = numerics::enclose(hi);
    return {variable, false, {}, {low.lo, high.hi}, lo, hi};
}

Box box(std::vector<Enclosure> sides) {
    return {std::move(sides)};
}

bool never() {
    return false;
}

TEST_CASE("ends of intervals that are long fractions are printed as decimals beyond them") {
    const Domain domain({reals("x", Rational(-1, 3), 1)});
    CHECK(domain.text(domain.whole()) == "x in [-1/3, 1]");
    CHECK(domain.text(box({{0.1, 0.1}})) == "x = 0.1000000000000000055511151231257827021181583404541015625");
    // 2^-70 has 70 decimals: 8.470329472543003390683...e-22.
    CHECK(domain.text(box({{-0.25, 0x1p-70}})) == "x in [-0.25, 8.4703294725430034e-22…]");
    const std::string text = domain.text(box({{-0x1.5p-70, 0x1.5p-70}}));
    const std::size_t comma = text.find("…, ");
    REQUIRE(comma != std::string::npos);
    const auto low = numerics::read_rational(text.substr(6, comma - 6));
    const auto high = numerics::read_rational(text.substr(comma + 5, text.size() - comma - 9));
    REQUIRE((low && high));
    CHECK(*low <= numerics::exactly(-0x1.5p-70));
    CHECK(*high >= numerics::exactly(0x1.5p-70));
    CHECK(*high - *low < 3 * numerics::exactly(0x1.5p-70));
}

TEST_CASE("halves of a box are its values, each once, down to points") {
    // A grid of 7 values beside the reals [0, 1]: the grid is cut between two indexes.
    const Domain domain({steps(0, 1, 7), reals("x", 0, 1)});
    std::vector<Box> open = {domain.whole()};
    std::vector<Enclosure> grid;
    while (!open.empty()) {
        const Box now = open.back();
        open.pop_back();
        const std::vector<Box> parts = domain.halves(now, 0);
        if (parts.empty()) {
            CHECK(now.sides[0].lo == now.sides[0].hi);
            CHECK(now.sides[1] == Enclosure{0, 1});
            grid.push_back(now.sides[0]);
            continue;
        }
        REQUIRE(parts.size() == 2);
        CHECK(parts[0].sides[0].lo == now.sides[0].lo);
        CHECK(parts[0].sides[0].hi + 1 == parts[1].sides[0].lo);
        CHECK(parts[1].sides[0].hi == now.sides[0].hi);
        open.insert(open.end(), {parts[1], parts[0]});
    }
    REQUIRE(grid.size() == 7);
    for (std::size_t i = 0; i < 7; ++i) CHECK(grid[i] == Enclosure::exactly(static_cast<double>(i)));
    // Reals are cut in the middle, and not between neighbouring doubles.
    const std::vector<Box> halves = domain.halves(box({{0, 0}, {0, 1}}), 1);
    REQUIRE(halves.size() == 2);
    CHECK(halves[0].sides[1] == Enclosure{0, 0.5});
    CHECK(halves[1].sides[1] == Enclosure{0.5, 1});
    CHECK(domain.halves(box({{0, 0}, {0.5, std::nextafter(0.5, 1)}}), 1).empty());
    CHECK(domain.halves(box({{0, 0}, {0.5, 0.5}}), 1).empty());
    // The side that is widest as a share of its dimension is cut, the first of two alike.
    const auto cut = [&](const Box& whole) {
        const std::vector<Box> parts = domain.halves(whole);
        return parts.empty() ? 2 : parts[0].sides[0] == whole.sides[0] ? 1 : 0;
    };
    CHECK(cut(box({{0, 6}, {0, 0.5}})) == 0);
    CHECK(cut(box({{0, 1}, {0, 0.5}})) == 1);
    CHECK(cut(box({{3, 3}, {0, 1e-9}})) == 1);
    CHECK(cut(box({{0, 1}, {0.5, 0.5}})) == 0);
    CHECK(cut(box({{3, 3}, {0.5, 0.5}})) == 2);
    CHECK(cut(box({{0, 6}, {0, 6.0 / 7}})) == 0);
    CHECK(Domain(std::vector<Dimension>{}).halves(Box{}).empty());
    CHECK(domain.is_point(box({{3, 3}, {0.5, 0.5}})));
    CHECK_FALSE(domain.is_point(box({{3, 4}, {0.5, 0.5}})));
    CHECK_FALSE(domain.is_point(box({{3, 3}, {0.5, 0.75}})));
    CHECK(domain.is_point(Box{}));
}

TEST_CASE("ends and points of a box stand for decimals without error") {
    const Domain domain({steps(Rational(1, 10), Rational(1, 5), 4), reals("x", Rational(1, 10), Rational(3, 10))});
    const Box whole = domain.whole();
    CHECK(whole.sides[0] == Enclosure{0, 3});
    CHECK(domain.text(whole) == "n in [0.1, 0.7], x in [0.1, 0.3]");
    CHECK(domain.text(box({{1, 1}, {0.25, 0.25}})) == "n = 0.3, x = 0.25");
    for (int i = 0; i < 4; ++i) CHECK(domain.exact(0, i) == Rational(1 + 2 * i, 10));
    CHECK(domain.exact(1, whole.sides[1].lo) == Rational(1, 10));
    CHECK(domain.exact(1, whole.sides[1].hi) == Rational(3, 10));
    CHECK(domain.exact(1, 0.25) == Rational(1, 4));
    const Enclosure values = domain.values(box({{1, 2}, {0.25, 0.25}}), 0);
    CHECK(numerics::exactly(values.lo) <= Rational(3, 10));
    CHECK(numerics::exactly(values.hi) >= Rational(5, 10));
    CHECK(values.width() <= 0.2 + 1e-15);
    CHECK(domain.values(box({{1, 2}, {0.25, 0.5}}), 1) == Enclosure{0.25, 0.5});
    // The centre is a value of the grid, and of reals a double that lies in the stretch.
    CHECK(domain.centre(whole).sides[0] == Enclosure::exactly(1));
    CHECK(domain.centre(box({{2, 2}, {0.125, 0.25}})).sides[1] == Enclosure::exactly(0.1875));
    const double below = std::nextafter(0.1, 0);
    const Domain narrow({reals("x", Rational(1, 10), Rational(1, 10))});
    CHECK(narrow.centre(narrow.whole()).sides[0].contains(0.1));
    CHECK_FALSE(domain.dimensions()[1].holds(below));
    CHECK_FALSE(domain.dimensions()[1].holds(std::nextafter(0.3, 1)));
    CHECK(domain.dimensions()[1].holds(0.2));
}

TEST_CASE("a box without a value of the formula is enclosed by the whole line, at any place among other boxes") {
    const Domain domain({reals("x", -4, 4)});
    const std::vector<Box> boxes = {box({{-1, 1}}), box({{1, 2}}), box({{0, 0}}), box({{-2, -1}}), box({{0, 3}})};
    const std::vector<bool> has_value = {false, true, false, true, false};
    for (const Enclosing how : {Enclosing::fast, Enclosing::rigorous}) {
        const std::vector<Enclosure> values = BoxFunction(formula::parse("tanh(1/x)"), domain).over(boxes, how);
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            INFO(i);
            CHECK(is_unknown(values[i]) == !has_value[i]);
            if (has_value[i]) CHECK(values[i].width() < 1);
        }
    }
    CHECK(BoxFunction(formula::parse("x"), domain).over({}, Enclosing::fast).empty());
    CHECK(is_unknown({-INFINITY, INFINITY}));
    for (const Enclosure& known : {Enclosure{0, 1}, {0, INFINITY}, {-INFINITY, 0}, {INFINITY, INFINITY}})
        CHECK_FALSE(is_unknown(known));
}

TEST_CASE("a condition holds where doubles or more digits show it") {
    const Domain domain({reals("x", 0, 1)});
    const auto holds = [&](const std::string& condition, double at) {
        return BoxCondition(formula::Condition::of(formula::parse(condition)), domain)
            .holds(box({Enclosure::exactly(at)}));
    };
    CHECK(holds("x < 1", 0.5));
    CHECK_FALSE(holds("x < 1", 1));
    // 1 - 2^-60 is 1 in doubles.
    CHECK(holds("x - 2^(-60) < 1", 1));
    CHECK(holds("(1 + x*2^(-70)) - 1 > 0", 1));
    CHECK_FALSE(holds("(1 + x*2^(-70)) - 1 > 0", 0));
}

TEST_CASE("a point without a value is reported as certain if it was evaluated") {
    const auto note = [](const std::string& formula) -> std::string {
        const Domain domain({reals("x", -1, 2)});
        const BoxCondition has_value(formula::defined(formula::parse(formula)), domain);
        const auto found = find_without_value(has_value, domain, 5000, never);
        if (!found) return "";
        CHECK(describe(*found, domain).starts_with(found->is_certain ? "no value at x" : "not shown to have a value"));
        return found->is_certain ? "certain" : "open";
    };
    CHECK(note("x^2").empty());
    CHECK(note("1/(x + 2)").empty());
    CHECK(note("sqrt(x)") == "certain");  // of all of [-1, 0)
    CHECK(note("log(x - 1)") == "certain");
    CHECK(note("1/(x - 1/3)") == "open");  // at one point, which no double is equal to
}

/// The state of each value of n = from, ..., to: 1, -1 or 0 for undecided.
std::vector<double> states(const std::string& condition, int from, int to) {
    const core::Result result =
        compute(feasible_kind(), "condition = '" + condition + "'\nover = { n = { from = " + std::to_string(from) +
                                     ", to = " + std::to_string(to) + " } }");
    REQUIRE(result.series);
    std::vector<double> found;
    const auto& columns = result.series->columns;
    for (std::size_t i = 0; i < result.series->rows(); ++i) {
        CHECK(columns[0].values[i] == from + static_cast<double>(found.size()));
        for (double at = columns[0].values[i]; at <= columns[1].values[i]; ++at) found.push_back(columns[2].values[i]);
    }
    return found;
}

TEST_CASE("every condition is decided at every value of a grid as a plain loop decides it") {
    using Holds = std::function<bool(int)>;
    const auto all = [](int from, int to, const std::function<bool(int)>& holds) {
        for (int k = from; k <= to; ++k)
            if (!holds(k)) return false;
        return true;
    };
    const std::vector<std::pair<std::string, Holds>> rows = {
        {"n < 1", [](int n) { return n < 1; }},
        {"n <= 1", [](int n) { return n <= 1; }},
        {"n > 1", [](int n) { return n > 1; }},
        {"n >= 1", [](int n) { return n >= 1; }},
        {"n == 1", [](int n) { return n == 1; }},
        {"n != 1", [](int n) { return n != 1; }},
        {"n*n == 4", [](int n) { return n * n == 4; }},
        {"n*n != 4", [](int n) { return n * n != 4; }},
        {"n*n <= 4", [](int n) { return n * n <= 4; }},
        {"n*n > 4", [](int n) { return n * n > 4; }},
        {"n % 3 == 1", [](int n) { return ((n % 3) + 3) % 3 == 1; }},
        {"sin(n) > 0", [](int n) { return std::sin(n) > 0; }},
        {"sin(n) >= 0", [](int n) { return std::sin(n) >= 0; }},
        {"sin(n) == 0", [](int n) { return n == 0; }},
        {"n > -3 and n < 2", [](int n) { return n > -3 && n < 2; }},
        {"n < -3 or n > 2", [](int n) { return n < -3 || n > 2; }},
        {"not (n < -3 or n > 2)", [](int n) { return !(n < -3 || n > 2); }},
        {"not (n > -3 and n < 2)", [](int n) { return !(n > -3 && n < 2); }},
        {"not not (n == 2)", [](int n) { return n == 2; }},
        {"not (n == 2)", [](int n) { return n != 2; }},
        {"not (n < 2)", [](int n) { return n >= 2; }},
        {"n > 0 and (n < 2 or n == 4)", [](int n) { return n > 0 && (n < 2 || n == 4); }},
        {"n > 0 and not (n == 2 and n*n == 4)", [](int n) { return n > 0 && n != 2; }},
        {"if(n > 0, 1, 0) == if(n < 3, 1, 0)", [](int n) { return (n > 0) == (n < 3); }},
        {"all(k, 1, 4, k*n <= 8)", [&](int n) { return all(1, 4, [n](int k) { return k * n <= 8; }); }},
        {"all(k, 1, 4, k*n != 8)", [&](int n) { return all(1, 4, [n](int k) { return k * n != 8; }); }},
        {"not all(k, 1, 4, k*n != 8)", [&](int n) { return !all(1, 4, [n](int k) { return k * n != 8; }); }},
        {"exists(k, -2, 4, k*n == 6)", [&](int n) { return !all(-2, 4, [n](int k) { return k * n != 6; }); }},
        {"not exists(k, -2, 4, k*n == 6)", [&](int n) { return all(-2, 4, [n](int k) { return k * n != 6; }); }},
        {"all(k, 1, 300, k*k != n + 290)", [&](int n) { return n != -1; }},
        {"exists(k, 1, 300, k*k == n + 290)", [&](int n) { return n == -1; }},
        {"all(k, 1, 300, (k - 150)*(k - 150) >= n)", [](int n) { return n <= 0; }},
        {"n > 0 and all(k, 1, 3, n != k)", [](int n) { return n > 3; }},
        {"n < 0 or exists(k, 1, 3, n == k)", [](int n) { return n < 0 || (n >= 1 && n <= 3); }},
        {"all(k, 1, 3, exists(j, 1, 9, j == n + k))", [](int n) { return n >= 0; }},
        {"exists(k, 1, 3, all(j, 1, 2, n*j < k))", [](int n) { return n <= 1; }},
        {"all(k, 2, 2 - 1, n > 100*k)", [](int) { return true; }},
        {"exists(k, 2, 2 - 1, n < 100*k)", [](int) { return false; }},
        {"all(k, 1, n, k < 4)", [](int n) { return n < 4; }},
        {"all(k, -9007199254740992, -9007199254740992, k < n)", [](int) { return true; }},
        {"all(k, 9007199254740992, 9007199254740992, k - 9007199254740992 >= n)", [](int n) { return n <= 0; }},
        {"all(k, -9007199254740993, -9007199254740993, k + 9007199254740993 == n)", [](int n) { return n == 0; }},
    };
    for (const auto& [condition, holds] : rows) {
        INFO(condition);
        std::vector<double> expected;
        for (int n = -6; n <= 5; ++n) expected.push_back(holds(n) ? 1 : -1);
        CHECK(states(condition, -6, 5) == expected);
    }
}

}  // namespace
}  // namespace farfield::quantity
