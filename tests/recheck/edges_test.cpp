// Records at the edges of what is proved again: rows of one distance, claims without readings, missing values,
// infinities.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "recheck/expression.hpp"
#include "recheck/recheck_support.hpp"

using namespace recheck_support;

TEST_CASE("a claim without readings that count is undecided") {
    const auto claim = [](const std::string& verdict, const std::string& readings) {
        return recheck(R"({"study": "s", "quantities": {}, "claims": [{"id": "C", "certified": true, "verdict": ")" +
                       verdict + R"(", "readings": [)" + readings + "]}]}")
            .at(0)
            .outcome();
    };
    const std::string extra =
        R"({"name": "a", "certified": true, "extra": true, "verdict": "confirmed", "holds": "1 == 1"})";
    for (const std::string& readings : {std::string(), extra}) {
        CAPTURE(readings);
        CHECK(claim("undecided", readings) == Outcome::proved);
        for (const char* verdict : {"confirmed", "consistent", "refuted", "depends"})
            CHECK(claim(verdict, readings) == Outcome::contradicted);
    }
}

TEST_CASE("a resolution of one distance") {
    // Weights 1 and 1/4: 1 (1 - 1/4)/1^2.
    const std::string row =
        quantity("s", "curve", {{"setting.over.n.from", "0"}, {"setting.over.n.to", "1"}, {"formula", "-log(4)*n"}});
    const Texts facts = {{"setting.of", "s"}, {"setting.N", "0"}, {"scale", "1"}};
    check_both(row + ", " + quantity("r", "resolution", facts), "about(r.R, 3/4, 1e-15) and r.largest == 1");
    for (const char* wrong : {"-1", "2"}) {
        const Texts other = {{"setting.of", "s"}, {"setting.N", wrong}, {"scale", "1"}};
        CHECK(outcome(row + ", " + quantity("r", "resolution", other), "r.R > 0", "confirmed") == Outcome::open);
    }
}

TEST_CASE("an end of a feasible set that is not on record is not proved") {
    const Texts facts = {{"setting.over.n.from", "0"}, {"setting.over.n.to", "9"}, {"condition", "n >= 3"}};
    const auto outcome_of = [&](const std::string& values) {
        return outcome(quantity("o", "feasible", facts, "\"values\": {" + values + "}"), "o.least == 3", "confirmed");
    };
    CHECK(outcome_of("\"least\": 3") == Outcome::proved);
    CHECK(outcome_of("\"least\": null") == Outcome::open);
    CHECK(outcome_of("") == Outcome::open);
}

TEST_CASE("binomial coefficients are computed from up to 16384 factors") {
    // 16384 of 16385, and 16385 of 32770.
    CHECK(evaluate(parse("binomial(16385, 16384)"), {}).text() == "16385");
    CHECK(evaluate(parse("binomial(32768, 16384)"), {}).is_defined() == Truth::yes);
    CHECK(evaluate(parse("binomial(32770, 16385)"), {}).is_defined() != Truth::yes);
}

TEST_CASE("an infinite value overflows, and does not underflow") {
    const auto range = [](const std::string& formula) {
        return quantity("r", "range",
                        {{"setting.over.n.from", "0"},
                         {"setting.over.n.to", "3"},
                         {"setting.format", "fp16"},
                         {"setting.formula", formula}});
    };
    check_both(range("n < 2 ? 1 : inf"), "r.first_overflow == 2 and r.last_finite == 1");
    check_both(range("n < 1 ? 1 : n < 3 ? -inf : 2^-30"), "r.first_overflow == 1 and r.first_underflow == 3");
}

TEST_CASE("a root at which the slope is zero is crossed") {
    for (const auto& [formula, direction] : std::vector<std::pair<std::string, int>>{{"x^3", 1}, {"-x^3", -1}}) {
        CAPTURE(formula);
        check_both(
            quantity("o", "crossing", {{"setting.over.x.0", "-1"}, {"setting.over.x.1", "2"}, {"formula", formula}}),
            "o.count == 1 and abs(o.first) < 1e-15 and o.direction[1] == " + std::to_string(direction));
    }
}

TEST_CASE("a formula that rises by jumps is not refuted by a point from which it rises") {
    // The proof is for continuous formulas, and leaves this one open.
    for (const char* direction : {"increasing", "nondecreasing"}) {
        CAPTURE(direction);
        const Texts facts = {{"setting.over.x.0", "0"},
                             {"setting.over.x.1", "2"},
                             {"setting.formula", "x + floor(x)"},
                             {"setting.direction", direction}};
        const std::string record = quantity("m", "monotone", facts, "\"values\": {\"first_counterexample\": 0.5}");
        for (const char* verdict : {"confirmed", "refuted"})
            CHECK(outcome(record, "m.holds == 1", verdict) == Outcome::open);
    }
}

TEST_CASE("a claim with an undecided reading can only be undecided") {
    const auto why = [](const std::string& verdict, const std::string& decided) {
        return recheck(
                   R"({"study": "s", "quantities": {}, "claims": [{"id": "C", "certified": true, "verdict": ")" +
                   verdict + R"(", "readings": [{"name": "a", "certified": true, "verdict": ")" + decided +
                   R"(", "holds": "1 == 1"}, {"name": "b", "certified": true, "verdict": "undecided", "holds": "1 == 1"}]}]})")
            .at(0)
            .why;
    };
    for (const char* decided : {"confirmed", "consistent", "refuted"}) {
        CAPTURE(decided);
        CHECK(why("undecided", decided).empty());
        for (const char* verdict : {"confirmed", "consistent", "refuted", "depends"})
            CHECK_FALSE(why(verdict, decided).empty());
    }
}

TEST_CASE("a function that conditions do not have is not proved, whatever its argument") {
    const std::string table =
        quantity("t", "table", {{"setting.exact", "a"}},
                 R"("values": {}, "table": {"rows": ["r"], "columns": ["a"], "cells": [], "printed": [["2"]]})");
    check_both(table, "printed(t[0, 0]) == 2");
    for (const char* condition : {"nearest(t[0, 0]) == 2", "about(t[0, 0]) == 2", "printed(2) == 2"})
        CHECK(outcome(table, condition, "confirmed") == Outcome::open);
}

TEST_CASE("ends of a feasible grid are proved by halving what a box does not decide") {
    // n^2 - 10 n is -24 at 4 and 6 and -25 between; on a box the two terms are not known to belong together.
    const Texts facts = {{"setting.over.n.from", "0"}, {"setting.over.n.to", "20"}, {"condition", "n^2 - 10*n <= -24"}};
    check_both(quantity("o", "feasible", facts, "\"values\": {\"least\": 4, \"greatest\": 6}"),
               "o.least == 4 and o.greatest == 6");
    CHECK(outcome(quantity("o", "feasible", facts, "\"values\": {\"least\": 5, \"greatest\": 6}"), "o.least == 5",
                  "confirmed") != Outcome::proved);
}

TEST_CASE("a touch from either side is not decided") {
    for (const char* formula : {"(x - 1/3)^2", "-(x - 1/3)^2"}) {
        CAPTURE(formula);
        CHECK(outcome(quantity("o", "crossing",
                               {{"setting.over.x.0", "0"}, {"setting.over.x.1", "10"}, {"formula", formula}}),
                      "o.count == 0", "confirmed") == Outcome::open);
    }
}

TEST_CASE("identities of negative powers of sums") {
    const auto identity = [](const std::string& left, const std::string& right) {
        return outcome(quantity("e", "identity",
                                {{"setting.over.x.0", "1"},
                                 {"setting.over.x.1", "2"},
                                 {"setting.left", left},
                                 {"setting.right", right}}),
                       "e.holds == 1", "confirmed");
    };
    CHECK(identity("(x + 1)^-2", "1/(x^2 + 2*x + 1)") == Outcome::proved);
    CHECK(identity("(x + 1)^-1*(x^2 - 1)", "x - 1") == Outcome::proved);
    CHECK(identity("x^64*x^-64", "1") == Outcome::proved);
    CHECK(identity("(x + 1)^-2", "1/(x^2 + 2*x + 2)") == Outcome::contradicted);
}

TEST_CASE("a loop's own variable hides a name of the setting in its body, and not in its bounds") {
    // With t = 5 outside: 1 + 2 + 3 + 5, and 1 + ... + 5.
    check_both(quantity("v", "value", {{"setting.formula", "sum(t, 1, 3, t) + t"}, {"setting.let.t", "5"}}),
               "v.value == 11");
    check_both(quantity("v", "value", {{"setting.formula", "sum(t, 1, t, t)"}, {"setting.let.t", "5"}}),
               "v.value == 15");
}

TEST_CASE("a value that may be missing is not certain after rounding or as an angle") {
    const auto on = [](const std::string& formula) { return evaluate(parse(formula), {{"x", {"-1", "1"}}}); };
    CHECK(on("fp16(1 + 2^-30*sqrt(x))").is_defined() == Truth::maybe);
    CHECK(on("fp16(1 + 2^-30*x)").text() == "1");
    CHECK(on("atan2(x, 2)").is_defined() == Truth::yes);
    CHECK(on("atan2(2, x)").is_defined() == Truth::yes);
    CHECK(on("atan2(x, x)").is_defined() == Truth::maybe);
}

TEST_CASE("a loop whose bounds are not integers within range has no known value") {
    for (const char* loop :
         {"sum(i, 1, 10^30, i)", "sum(i, 0.5, 3, i)", "prod(i, 1, 2.5, i)", "sum(i, -10^30, 1, i)"}) {
        CAPTURE(loop);
        const Value value = evaluate(parse(loop), {});
        CHECK_FALSE(value.is_exact());
        CHECK(value.is_defined() == Truth::maybe);
    }
}

TEST_CASE("angles that are not proportional to positions are compared if frequencies are not rounded") {
    const auto outcome_of = [](const std::string& rounded) {
        return outcome(quantity("e", "logit-error",
                                {{"setting.format", "bf16"},
                                 {"pairs", "1"},
                                 {"angle", "sqrt(p)"},
                                 {"scale", "1"},
                                 {"rounded", rounded},
                                 {"setting.positions.0", "256"}}),
                       "e.max < 1e-15", "confirmed");
    };
    CHECK(outcome_of("positions") == Outcome::proved);  // 256 is a number of bf16
    CHECK(outcome_of("frequencies") == Outcome::open);
}
