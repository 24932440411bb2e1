// Decimals of grids and boxes, exact through the kinds that use them.
#include <catch2/catch.hpp>
#include <cmath>

#include "compute.hpp"
#include "quantity/boxes.hpp"
#include "quantity/kinds.hpp"

namespace farfield::quantity {
namespace {

using numerics::Rational;

std::string exact(const core::Result& result, const char* name) {
    const core::Cell* cell = result.find(name);
    return cell ? cell->rational : "none";
}

Over over(const std::string& toml) {
    const core::Entries settings = scheme::read_toml("over = " + toml, "study.toml");
    core::Problems problems;
    const auto read = read_over({"tested", {}, settings, scheme::Registry::builtin(), {}, ""}, problems);
    problems.raise();
    return *read;
}

TEST_CASE("a curve over tenths has the nearest doubles as points and its values enclosed at the decimals") {
    const core::Result result = compute(curve_kind(), "formula = 'x'\nover = { x = { from = 0, to = 1, step = 0.1 } }");
    REQUIRE(result.series);
    const core::Series& series = *result.series;
    REQUIRE(series.rows() == 11);
    REQUIRE(series.columns[0].steps);
    CHECK(series.columns[0].steps->from == "0");
    CHECK(series.columns[0].steps->step == "0.1");
    for (int k = 0; k <= 10; ++k) {
        // k/10 in one division is the double nearest to the decimal, which lies in the enclosure of x.
        const auto row = static_cast<std::size_t>(k);
        CHECK(series.columns[0].values[row] == k / 10.0);
        CHECK(series.columns[1].values[row] == k / 10.0);
        const core::Enclosure value = series.columns[1].enclosures[row];
        CHECK(numerics::exactly(value.lo) <= Rational(k, 10));
        CHECK(numerics::exactly(value.hi) >= Rational(k, 10));
        CHECK((value.lo == value.hi) == (k == 0 || k == 5 || k == 10));
    }
}

TEST_CASE("the argument of a least value is the decimal of the grid") {
    const std::string grid = "over = { x = { from = 0, to = 1, step = 0.1 } }";
    const core::Result curve = compute(curve_kind(), "formula = '(x - 0.3)^2'\n" + grid);
    CHECK(exact(curve, "argmin") == "0.3");
    CHECK(curve.find("argmin")->number == 0.3);
    CHECK(curve.find("argmin")->enclosure->contains(0.3));
    // 1 is a double: its cell needs no text.
    CHECK(exact(curve, "argmax") == "");
    CHECK(curve.find("argmax")->enclosure == core::Enclosure::exactly(1));
    const core::Result rises = compute(oscillation_kind(), "formula = '(x - 0.3)^2'\n" + grid);
    CHECK(exact(rises, "first_increase") == "0.3");
}

TEST_CASE("the first counterexample on a grid is its decimal") {
    const core::Result result = compute(
        monotone_kind(),
        "formula = 'abs(x - 0.35)'\ndirection = 'increasing'\nover = { x = { from = 0.3, to = 1, step = 0.1 } }");
    // |0.3 - 0.35| and |0.4 - 0.35| are equal.
    CHECK(result.find("holds")->number == 0);
    CHECK(exact(result, "first_counterexample") == "0.3");
    const core::Result range =
        compute(range_kind(), "formula = 'x'\nformat = 'e4m3'\nover = { x = { from = 463.7, to = 465, step = 0.1 } }");
    // e4m3 rounds 464 down to 448 (ties to even) and what is above to NaN.
    CHECK(range.find("last_finite")->number == 464);
    CHECK(exact(range, "first_overflow") == "464.1");
}

TEST_CASE("a rational value is known exactly") {
    const core::Result third = compute(value_kind(), "formula = '8^(1/3)/6'");
    CHECK(exact(third, "value") == "1/3");
    CHECK(third.find("value")->rigour == core::Rigour::exact);
    CHECK(compute(value_kind(), "formula = 'x/4'\nlet = { x = 3 }").find("value")->enclosure ==
          core::Enclosure::exactly(0.75));
    CHECK(exact(compute(value_kind(), "formula = 'x*3'\nparams = { x = 0.1 }"), "value") == "0.3");
    CHECK(exact(compute(value_kind(), "formula = 'sqrt(2)'"), "value") == "");
}

TEST_CASE("a stretch keeps its decimal ends, and its box holds them") {
    const Domain domain(over("{ x = [0.3, 0.7], n = { from = 0.1, to = 0.5, step = 0.2 } }"));
    const Box whole = domain.whole();
    CHECK(domain.exact(0, 2) == Rational(1, 2));
    CHECK(domain.exact(1, whole.sides[1].lo) == Rational(3, 10));
    CHECK(domain.exact(1, whole.sides[1].hi) == Rational(7, 10));
    CHECK(numerics::exactly(whole.sides[1].lo) < Rational(3, 10));
    CHECK(numerics::exactly(whole.sides[1].hi) > Rational(7, 10));
    // The middle of the box is a double.
    CHECK(domain.exact(1, 0.5) == Rational(1, 2));
    CHECK(domain.exact(1, 0.4) == numerics::exactly(0.4));
    const core::Enclosure grid = domain.values(whole, 0);
    CHECK(numerics::exactly(grid.lo) < Rational(1, 10));
    CHECK(grid.hi == 0.5);
    CHECK(domain.text(whole) == "n in [0.1, 0.5], x in [0.3, 0.7]");
}

TEST_CASE("integers beyond 2^53 are grid points of their own") {
    const core::Result result =
        compute(curve_kind(), "formula = 'n % 2'\nover = { n = { from = 9007199254740993, to = 9007199254740995 } }");
    REQUIRE(result.series->rows() == 3);
    // The true values are 1, 0, 1.
    for (std::size_t i = 0; i < 3; ++i) CHECK(result.series->columns[1].enclosures[i].contains(i == 1 ? 0 : 1));
}

TEST_CASE("a number that is not a double is refused where only doubles are supported") {
    const std::string bias = "scheme = 'alibi'\nhead = 1\nheads = 8\ndistances = { to = 8 }\n";
    CHECK(refusal(curve_kind(), bias + "length = 9007199254740993").find("more digits than a double holds") !=
          std::string::npos);
    CHECK(refusal(curve_kind(), bias + "length = 9007199254740992").empty());
}

}  // namespace
}  // namespace farfield::quantity
