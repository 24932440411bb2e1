#include <catch2/catch.hpp>

#include "checks.hpp"
#include "compute.hpp"
#include "quantity/kinds.hpp"

namespace farfield::quantity {
namespace {

using Catch::Contains;

const scheme::Registry& builtin() {
    return scheme::Registry::builtin();
}

TEST_CASE("ALiBi's curve at h = H is -n/256 exactly") {
    const core::Result result = compute(
        curve_kind(), "scheme = 'alibi'\nhead = 8\nheads = 8\ndistances = { from = 0, to = 8191 }", {}, builtin());
    // Press et al. 2022: slope 2^(-8h/H), here 2^-8.
    check_field(result, "first", 0);
    check_field(result, "last", -8191.0 / 256);
    check_field(result, "min", -8191.0 / 256);
    check_field(result, "argmin", 8191);
    check_field(result, "max", 0);
    check_field(result, "argmax", 0);
    REQUIRE(result.series);
    REQUIRE(result.series->rows() == 8192);
    CHECK(result.series->columns[0].name == "n");
    for (std::size_t n = 0; n < 8192; ++n) {
        const double expected = -static_cast<double>(n) / 256;
        if (result.series->columns[1].values[n] != expected ||
            !result.series->columns[1].enclosures[n].contains(expected))
            FAIL("n = " << n);
    }
}

TEST_CASE("the numbers of a curve are within their enclosures, also at integers that no double equals") {
    const core::Result result = compute(
        curve_kind(),
        "formula = '(n - 9007199254740995)^2'\nover = { n = { from = 9007199254740991, to = 9007199254741001 } }");
    REQUIRE(result.series);
    const core::Column& column = result.series->columns[1];
    for (int i = 0; i < 11; ++i) {
        CHECK(column.enclosures[i].contains((i - 4) * (i - 4)));
        CHECK(column.enclosures[i].contains(column.values[i]));
    }
    check_field(result, "first", 16);
}

TEST_CASE("a scheme's params are replaced by the quantity's") {
    const core::Result result = compute(curve_kind(),
                                        "scheme = 'alibi'\nhead = 8\nheads = 8\nparams = { delta = -3 }\n"
                                        "distances = { to = 10 }",
                                        {}, builtin());
    check_field(result, "last", -10.0 / 32);  // 2^(-8 + 3)
}

TEST_CASE("a curve counts in steps and includes the last value only if a step meets it") {
    const core::Result result = compute(curve_kind(), "formula = 'n'\ndistances = { from = 1, to = 10, step = 4 }");
    REQUIRE(result.series->rows() == 3);
    check_field(result, "last", 9);
    const core::Result tenths =
        compute(curve_kind(), "formula = 'x'\nover = { x = { from = 0, to = 0.3, step = 0.1 } }");
    CHECK(tenths.series->rows() == 4);
}

TEST_CASE("at a query the key is query - n") {
    const core::Result result = compute(curve_kind(), "formula = '100*q + k'\nquery = 7\ndistances = { to = 7 }");
    check_field(result, "first", 707);
    check_field(result, "last", 700);
    const core::Result plain = compute(curve_kind(), "formula = '100*q + k'\ndistances = { to = 7 }");
    check_field(plain, "last", 700);
    check_field(plain, "first", 0);
}

TEST_CASE("L is the largest position in use plus one unless length is given") {
    scheme::Registry schemes;
    core::Problems problems;
    schemes.add(*scheme::read_toml("[scheme.long]\nbias = '-n/L'", "study.toml").find("scheme")->value.entries(),
                problems);
    REQUIRE(problems.empty());
    check_field(compute(curve_kind(), "scheme = 'long'\ndistances = { to = 3 }", {}, schemes), "last", -0.75);
    check_field(compute(curve_kind(), "scheme = 'long'\nlength = 6\ndistances = { to = 3 }", {}, schemes), "last",
                -0.5);
}

TEST_CASE("the first of equal extremes is the argument") {
    const core::Result result = compute(curve_kind(), "formula = '(n % 3)^2'\ndistances = { to = 9 }");
    check_field(result, "argmin", 0);
    check_field(result, "argmax", 2);
}

TEST_CASE("of equal values that are not doubles, the first counts") {
    // 0.1 at 0 to 9; 0.3, 0.2, 0.1, 0.1, 0.2, ... of |n - 2.5|/10 + 0.05.
    const core::Result flat = compute(curve_kind(), "formula = '0.1'\ndistances = { to = 9 }");
    check_field(flat, "argmin", 0);
    check_field(flat, "argmax", 0);
    CHECK(flat.find("argmin")->enclosure->width() == 0);
    CHECK(flat.find("min")->rational == "0.1");
    const core::Result valley = compute(curve_kind(), "formula = 'abs(n - 2.5)/10 + 0.05'\ndistances = { to = 5 }");
    check_field(valley, "argmin", 2);
    check_field(valley, "argmax", 0);
    CHECK(valley.find("argmin")->enclosure->width() == 0);
    CHECK(valley.find("argmax")->enclosure->width() == 0);
    // Not rational: it stays open which of two equal values is the first.
    const core::Result roots = compute(curve_kind(), "formula = 'sqrt(2 + 0*n)'\ndistances = { to = 5 }");
    CHECK(roots.find("argmin")->enclosure->width() == 5);
}

TEST_CASE("Sandwich's row holds the values of an independent program") {
    // tests/references/quantity/sandwich_row.py: sum in 50 digits by mpmath.
    const core::Result result =
        compute(curve_kind(), "scheme = 'sandwich'\nhead = 8\nheads = 8\ndistances = { to = 8191 }", {}, builtin());
    check_field(result, "first", 0, 1e-15);
#include "../references/quantity/sandwich_row.inc"
}

TEST_CASE("a NaN is refused with its first point") {
    CHECK_THAT(refusal(curve_kind(), "formula = 'sqrt(5 - n)'\ndistances = { to = 100 }"),
               Contains("study.toml:1:12") && Contains("NaN") && Contains("n = 6"));
}

TEST_CASE("missing and unnecessary keys of a curve are refused") {
    CHECK_THAT(refusal(curve_kind(), "formula = 'n'"), Contains("'distances'"));
    CHECK_THAT(refusal(curve_kind(), "formula = 'n'\ndistances = { from = 5, to = 2 }"), Contains("empty"));
    CHECK_THAT(refusal(curve_kind(), "formula = 'n'\ndistances = { to = 2, step = 0 }"), Contains("positive"));
    CHECK_THAT(refusal(curve_kind(), "formula = 'n'\ndistances = { too = 2 }"), Contains("'too'") && Contains("'to'"));
    CHECK_THAT(refusal(curve_kind(), "scheme = 'alibbi'\ndistances = { to = 2 }", {}, builtin()), Contains("alibi"));
    CHECK_THAT(refusal(curve_kind(), "scheme = 'alibi'\nheads = 8\ndistances = { to = 2 }", {}, builtin()),
               Contains("'head'"));
    CHECK_THAT(refusal(curve_kind(), "scheme = 'alibi'\nhead = 8\nheads = 8\nlet = { w = 2 }\ndistances = { to = 2 }",
                       {}, builtin()),
               Contains("unknown parameter 'w'"));
    CHECK_THAT(refusal(curve_kind(), "scheme = 'rotary'\nhead_dim = 8\ndistances = { to = 2 }", {}, builtin()),
               Contains("expectation"));
    CHECK_THAT(refusal(curve_kind(), "scheme = 'alibi'\nformula = 'n'\ndistances = { to = 2 }", {}, builtin()),
               Contains("are both given"));
    CHECK_THAT(refusal(curve_kind(), "scheme = 'alibi'\nhead = 1\nheads = 8\nquery = 5\ndistances = { to = 6 }", {},
                       builtin()),
               Contains("beyond the query"));
}

TEST_CASE("a curve of a scheme without a bias is refused, and its row of other kinds is not") {
    for (const std::string name : {"nope", "windowed", "shaw", "sinusoidal", "learned-absolute", "sliding"}) {
        INFO(name);
        const std::string toml = "scheme = '" + name + "'\ndistances = { to = 2 }";
        CHECK_THAT(refusal(curve_kind(), toml, {}, builtin()),
                   Contains("scheme '" + name + "' has no bias; expected a scheme with a bias"));
        CHECK_THAT(refusal(profile_kind(), toml, {}, builtin()), !Contains("has no bias"));
    }
    CHECK_THAT(refusal(curve_kind(), "scheme = 'windowed'\ndistances = { to = 2 }", {}, builtin()),
               Contains("kind = \"matrix\""));
    CHECK(
        refusal(curve_kind(), "scheme = 'alibi'\nhead = 1\nheads = 8\ndistances = { to = 2 }", {}, builtin()).empty());
}

TEST_CASE("a point at which a part of the formula has no value keeps the meaning of the language") {
    // 0/0 is NaN, which equals nothing: the value is 0, whatever n/n simplifies to.
    const core::Result result = compute(curve_kind(), "formula = 'if(n/n == 1, 1, 0)'\ndistances = { to = 2 }");
    const core::Column& column = result.series->columns.back();
    CHECK(column.values[0] == 0);
    CHECK(column.enclosures[0].contains(0));
    CHECK(column.enclosures[1] == core::Enclosure::exactly(1));
}

TEST_CASE("ends and extremes of a rational curve are exact") {
    const core::Result result =
        compute(curve_kind(), "formula = '0.1*x - x^2'\nover = { x = { from = 0.1, to = 0.7, step = 0.1 } }");
    CHECK(result.series->columns[1].formula == "0.1*x - x^2");
    // x (0.1 - x) at 0.1, 0.7 and, greatest and least, the same points.
    for (const char* name : {"first", "max"}) CHECK(result.find(name)->number == 0.0);
    for (const char* name : {"last", "min"}) CHECK(result.find(name)->rational == "-0.42");
    CHECK(result.find("argmin")->rational == "0.7");
    // Numbers of a format are rounded: the formula is not their value.
    const core::Result rounded =
        compute(curve_kind(), "formula = '0.1*x'\nover = { x = { from = 0, to = 3 } }\nin = 'bf16'");
    CHECK(rounded.series->columns[1].formula.empty());
}

TEST_CASE("an end is not exact where a part of the formula has no value") {
    // The conditions hold without what has no value, which the value does not depend on.
    for (const char* formula : {"if(n == 0 or 1/n > 3, 0.1, 1)", "if(n == 0 or sqrt(n - 1) > 3, 0.1, 1)"}) {
        INFO(formula);
        const core::Result result =
            compute(curve_kind(), "formula = '" + std::string(formula) + "'\ndistances = { to = 3 }");
        CHECK(result.series->columns[1].values[0] == 0.1);
        CHECK(result.find("first")->rational.empty());
        CHECK_FALSE(result.find("first")->enclosure);
    }
    // A branch that is not taken need not have one.
    const core::Result taken = compute(curve_kind(), "formula = 'if(n == 0, 0.1, 1/n)'\ndistances = { to = 3 }");
    CHECK(taken.find("first")->rational == "0.1");
    CHECK(taken.find("last")->rational == "1/3");
}

TEST_CASE("a point that may have no value leaves the whole curve without certificates") {
    // log(8) - 3 log(2) is 0, so the value is 1e-30 everywhere; at n > 0 no enclosure is narrow enough to tell.
    const core::Result result =
        compute(curve_kind(), "formula = 'sqrt(1e-60 + (log(8) - 3*log(2))*n)'\ndistances = { to = 3 }");
    for (const char* field : {"min", "max", "argmin", "argmax", "last"}) {
        INFO(field);
        REQUIRE(result.find(field)->number);
        CHECK_FALSE(result.find(field)->enclosure);
    }
    CHECK(result.find("first")->enclosure);
}

}  // namespace
}  // namespace farfield::quantity
