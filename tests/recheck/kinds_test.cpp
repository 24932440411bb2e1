// Quantities proved again, one kind a test; the values by hand.
#include "recheck/proof.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "recheck/recheck_support.hpp"

using namespace recheck_support;

namespace {

Texts reals(const std::string& variable, const std::string& from, const std::string& to) {
    return {{"setting.over." + variable + ".0", from}, {"setting.over." + variable + ".1", to}};
}

Texts grid(const std::string& variable, const std::string& from, const std::string& to) {
    return {{"setting.over." + variable + ".from", from}, {"setting.over." + variable + ".to", to}};
}

}  // namespace

TEST_CASE("a value on record of a grid is one of its points") {
    Side side;
    side.is_grid = true;
    side.from = Rational(1) / Rational(10);
    side.step = Rational(1) / Rational(10);
    side.count = 3;
    CHECK(on_side(side, 0.1) == side.from);
    CHECK(on_side(side, 0.3) == Rational(3) / Rational(10));
    CHECK_THROWS_AS(on_side(side, 0.0), Unprovable);
    CHECK_THROWS_AS(on_side(side, 0.4), Unprovable);
    CHECK(side.contains(Rational(3) / Rational(10)));
    CHECK_FALSE(side.contains(Rational(4) / Rational(10)));
    CHECK_FALSE(side.contains(Rational(0)));
    CHECK_FALSE(side.contains(Rational(1) / Rational(4)));
}

TEST_CASE("an optimum: the largest, the least, under a condition, of several variables") {
    const auto optimum = [](const Texts& facts, const std::string& values = "") {
        return quantity("o", "optimum", facts, "\"values\": {" + values + "}");
    };
    const Texts bump = with(reals("x", "0", "1"), {{"formula", "1/4 - (x - 0.5)^2"}});
    check_both(optimum(bump), "abs(o.best - 1/4) < 1e-11");
    check_both(optimum(with(with(reals("x", "0.25", "0.5"), {{"formula", "x*(1 - x)"}}), {{"setting.goal", "least"}})),
               "abs(o.best - 3/16) < 1e-11");
    const Texts beyond = with(bump, {{"where", "x >= 0.75"}, {"setting.goal", "greatest"}});
    check_both(optimum(beyond, "\"at\": 0.75"), "abs(o.best - 3/16) < 1e-11");
    // A point on record that breaks the condition is no bound.
    CHECK(outcome(optimum(beyond, "\"at\": 0.5"), "o.best == 1/4", "confirmed") != Outcome::proved);
    const Texts plane =
        with(with(reals("x", "0", "1"), reals("y", "0", "1")), {{"formula", "x + y"}, {"where", "x + 2*y <= 1"}});
    check_both(optimum(plane, "\"at_x\": 1, \"at_y\": 0"), "abs(o.best - 1) < 1e-11");
    check_both(optimum(with(grid("n", "0", "10"), {{"formula", "n*(7 - n)"}})), "o.best == 12");
    check_both(optimum(with(grid("n", "0", "10"), {{"formula", "n*(7 - n)"}, {"setting.goal", "least"}})),
               "o.best == -30");
    CHECK(outcome(optimum(bump), "o.at == 1/2", "confirmed") == Outcome::open);
    CHECK(outcome(optimum(with(reals("x", "-1", "1"), {{"formula", "1/x"}})), "o.best > 0", "confirmed") ==
          Outcome::open);
}

TEST_CASE("the receptive field that one layer predicts: sums of as many draws as there are layers") {
    const auto field = [](const Texts& facts) {
        return quantity("w", "receptive-field", with({{"setting.length", "100"}, {"residual", "0"}}, facts));
    };
    // Three draws of 0..4: 1, 4, 10, 20, 35, 53, 72, 90, 105, 115, 121, 124, 125 of 125 are at most 0, 1, ...
    const Texts equal = {{"layers", "3"}, {"mask.1", "k <= q and q - k < 5"}, {"logits.1", "if(n < 5, 0, -inf)"}};
    check_both(field(with(equal, {{"mass", "0.99"}})), "w.predicted == 12");
    check_both(field(with(equal, {{"mass", "0.96"}})), "w.predicted == 11");
    check_both(field(equal), "w.predicted == 12 and w.exact == 13");  // 0.99 unless it is stated
    // A draw of 0..1 and one of 0..2: 1, 3, 5, 6 of 6.
    const Texts mixed = {{"layers", "2"},
                         {"mask.1", "k <= q and q - k < 2"},
                         {"mask.2", "k <= q and q - k < 3"},
                         {"logits.1", "if(n < 2, 0, -inf)"},
                         {"logits.2", "if(n < 3, 0, -inf)"}};
    check_both(field(with(mixed, {{"mass", "0.8"}})), "w.predicted == 3 and w.exact == 4");
    check_both(field(with(mixed, {{"mass", "0.9"}})), "w.predicted == 4");
    // Of three layers the last two are the second one's: 0..1 and twice 0..2, of 18: 1, 4, 9, 14, 17, 18.
    Texts deeper = mixed;
    deeper["layers"] = "3";
    check_both(field(with(deeper, {{"mass", "0.75"}})), "w.predicted == 4 and w.exact == 6");
    // Half of the mass stays where it is: 1/2 + 1/2 (1/2), 1/2 (1/2).
    Texts half = {{"layers", "1"},  {"mask.1", "k <= q and q - k < 2"}, {"logits.1", "if(n < 2, 0, -inf)"},
                  {"mass", "0.74"}, {"setting.length", "100"},          {"residual", "0.5"}};
    check_both(quantity("w", "receptive-field", half), "w.predicted == 1");
    half["mass"] = "0.75";  // the sum is more than the mass
    check_both(quantity("w", "receptive-field", half), "w.predicted == 2");
    // Key 0 is visible from query 7 alone, which lies between the ends of what the second layer sees.
    check_both(quantity("w", "receptive-field",
                        {{"setting.length", "10"},
                         {"layers", "2"},
                         {"mask.1", "k == q or (k == 0 and q == 7)"},
                         {"mask.2", "k <= q and q - k < 5"}}),
               "w.exact == 6");
    CHECK(outcome(field({{"layers", "0"}, {"mask.1", "k <= q"}}), "w.exact == 1", "confirmed") == Outcome::open);
    CHECK(outcome(field(equal), "w.other == 1", "confirmed") == Outcome::open);
}

TEST_CASE("a profile: its first and last weights, and the share within a distance") {
    const Texts facts = {{"setting.distances.to", "3"}, {"logits.1", "-log(2)*n"}, {"residual", "0"}, {"mass", "0.79"}};
    // 8, 4, 2, 1 of 15.
    check_both(quantity("p", "profile", facts), "about(p.first, 8/15, 1e-15) and about(p.last, 1/15, 1e-15)");
    check_both(quantity("p", "profile", facts), "p.width == 2");  // 12 of 15 is 0.8
    // Two heads: 1/2 of two, and 1/4 of four.
    check_both(
        quantity(
            "p", "profile",
            {{"setting.distances.to", "3"}, {"logits.1", "if(n < 2, 0, -inf)"}, {"logits.2", "0*n"}, {"mass", "0.74"}}),
        "p.width == 2 and about(p.first, 3/8, 1e-15) and about(p.last, 1/8, 1e-15)");
    check_both(quantity("p", "profile", with(facts, {{"setting.within", "3"}})), "about(p.share, 14/15, 1e-15)");
    check_both(quantity("p", "profile", with(facts, {{"setting.within", "1"}})), "about(p.share, 8/15, 1e-15)");
    check_both(quantity("p", "profile", with(facts, {{"setting.within", "9"}})), "about(p.share, 1, 1e-15)");
    check_both(quantity("p", "profile", facts), "about(p[1], 4/15, 1e-15) and about(p.cumulative[2], 14/15, 1e-15)");
    check_both(quantity("p", "profile", facts), "all(n, 0, 2, p[n+1] < p[n])");
    CHECK(outcome(quantity("p", "profile", facts), "p.other[1] > 0", "confirmed") == Outcome::open);
    CHECK(outcome(quantity("p", "profile", facts), "p[4] >= 0", "confirmed") == Outcome::open);
}

TEST_CASE("a resolution by hand: weights 1, 1/2, 1/4") {
    const std::string row = quantity("s", "curve", with(grid("n", "0", "9"), {{"formula", "-log(2)*n"}}));
    const Texts facts = {{"setting.of", "s"}, {"setting.N", "2"}, {"scale", "1"}};
    // 1/2 + 1/8 + 1/32 of (7/4)^2; the squares 1 + 1/4 + 1/16; the largest 1 of 7/4.
    check_both(row + ", " + quantity("r", "resolution", facts),
               "about(r.R, 3/14, 1e-15) and about(r.sum_squares, 3/7, 1e-15) and about(r.largest, 4/7, 1e-15)");
    // The first two differences alone.
    check_both(row + ", " + quantity("r", "resolution", with(facts, {{"setting.last", "1"}})),
               "about(r.R, 10/49, 1e-15)");
    Texts steep = facts;
    steep["scale"] = "2";  // weights 1, 1/4, 1/16
    check_both(row + ", " + quantity("r", "resolution", steep), "about(r.largest, 16/21, 1e-15)");
    Texts beyond = facts;
    beyond["setting.N"] = "9";
    CHECK(outcome(row + ", " + quantity("r", "resolution", beyond), "r.R > 0", "confirmed") == Outcome::open);
}

TEST_CASE("a logit error by a recipe, whose steps are formulas") {
    const Texts facts = {{"setting.format", "bf16"}, {"pairs", "2"},
                         {"angle", "p*2^(-i)"},      {"scale", "1"},
                         {"rounded", "positions"},   {"setting.positions.0", "257"},
                         {"recipe.position", "p"},   {"recipe.frequency", "f"},
                         {"recipe.angle", "it"},     {"recipe.value", "it"},
                         {"recipe.scale", "it"},     {"recipe.bias", "it"}};
    const auto error = [&](const Texts& changed) {
        Texts all = facts;
        for (const auto& [key, text] : changed) all[key] = text;
        return quantity("e", "logit-error", all);
    };
    check_both(error({}), "e.max < 1e-30 and e.first < 1e-30");
    // 257 is 256 in bf16: the angles are off by 1 and by 1/2.
    check_both(error({{"recipe.position", "bf16(p)"}}), "about(e.max, 2*sin(1/2), 1e-15)");
    check_both(error({{"recipe.position", "bf16(p)"}}), "about(e[1], 2*sin(1/4), 1e-15)");
    check_both(error({{"recipe.position", "bf16(p)"}}),
               "about(e.cosine[1], cos(257/2), 1e-15) and about(e.sine[1], sin(257/2), 1e-15) and "
               "about(e.rounded_cosine[1], cos(128), 1e-15) and about(e.rounded_sine[1], sin(128), 1e-15)");
    CHECK(outcome(error({}), "e.tangent[1] > 0", "confirmed") == Outcome::open);
    // 128.5 is 128 in bf16.
    check_both(error({{"recipe.angle", "bf16(it)"}, {"pairs", "2"}}), "about(e[1], 2*sin(1/4), 1e-15)");
    // By recurrence: each frequency is the one before times the ratio. Pair 0 is the position itself.
    const Texts recurrent = {{"recipe.frequency", "ratio"}, {"recipe.angle", "previous*frequency"}, {"pairs", "4"}};
    check_both(error(recurrent), "e.max < 1e-30");
    check_both(error(with({{"recipe.angle", "bf16(previous*frequency)"}}, recurrent)),
               "e[0] < 1e-30 and about(e[1], 2*sin(1/4), 1e-15) and about(e[2], 2*sin(1/8), 1e-15)");
    // An angle that is not proportional to the position has no frequency.
    CHECK(outcome(error({{"angle", "p^2"}}), "e.max >= 0", "confirmed") == Outcome::open);
    // A bias of distances that are rounded: 257 - 0 becomes 256.
    const Texts biased = {{"setting.format", "bf16"},   {"pairs", "0"},
                          {"bias", "-(q - k)/2"},       {"rounded", "positions, bias"},
                          {"setting.positions.0", "3"}, {"setting.positions.1", "257"}};
    check_both(quantity("e", "logit-error", biased), "e.first == 0 and e.last == 1/2 and e.max == 1/2");
    check_both(quantity("e", "logit-error", biased), "e[3] == 0 and e[257] == 1/2");
}

TEST_CASE("a logit error: each step that is rounded") {
    const auto error = [](const std::string& rounded, const std::string& angle, const std::string& position,
                          const std::string& scale = "1") {
        return quantity("e", "logit-error",
                        {{"setting.format", "bf16"},
                         {"pairs", "1"},
                         {"angle", angle},
                         {"scale", scale},
                         {"rounded", rounded},
                         {"setting.positions.0", position}});
    };
    // 257/256 is 1 in bf16, a tie; at p = 256 the angle is off by 1, and rounded after the product by nothing: 257 is
    // 256.
    check_both(error("frequencies", "257/256*p", "256"), "about(e.max, 2*sin(1/2), 1e-15)");
    check_both(error("angles", "257/256*p", "256"), "about(e.max, 2*sin(1/2), 1e-15)");
    check_both(error("positions", "257/256*p", "256"), "e.max < 1e-30");
    CHECK(outcome(error("frequencies", "p^2", "3"), "e.max >= 0", "confirmed") == Outcome::open);
    // The cosine 1 and the sine 0 of position 0 are numbers of every format.
    check_both(error("values", "p", "0"), "e.max == 0");
    check_both(error("scale", "p", "0", "3"), "e.max > 0 and e.max < 1/128");  // 1/3 is rounded
    check_both(error("scale", "p", "0", "4"), "e.max == 0");
    // Positions from, to, step.
    const Texts range = {{"setting.format", "bf16"},
                         {"pairs", "0"},
                         {"bias", "q"},
                         {"rounded", "positions"},
                         {"setting.positions.from", "255"},
                         {"setting.positions.to", "259"},
                         {"setting.positions.step", "2"}};
    check_both(quantity("e", "logit-error", range), "e.first == 0 and e[257] == 1 and e.last == 1 and e.max == 1");
}

TEST_CASE("feasible sets whose ends two integers decide") {
    const Texts facts =
        with(reals("x", "0", "4"), {{"condition", "all(k, 1, 2, (k != 1 or x <= 3) and (k != 2 or x >= 1))"}});
    const std::string values =
        "\"values\": {\"least\": 1, \"greatest\": 3}, "
        "\"enclosures\": {\"least\": [0.9999999, 1], \"greatest\": [3, 3.0000001]}";
    for (const char* hints : {"k = 1, k = 2", "k = 2, k = 1"})
        check_both(quantity("o", "feasible", with(facts, {{"decided by", hints}}), values),
                   "about(o.least, 1, 1e-6) and about(o.greatest, 3, 1e-6)");
    CHECK(outcome(quantity("o", "feasible", with(facts, {{"decided by", "k = 1"}}), values), "o.least > 0",
                  "confirmed") == Outcome::open);
}

TEST_CASE("a value on the level is on neither side of it") {
    const auto crossings = [](const std::string& formula) {
        return quantity("o", "crossing", with(grid("n", "0", "2"), {{"formula", formula}}));
    };
    check_both(crossings("n - 1"), "o.count == 1");
    check_both(crossings("(n - 1)^2"), "o.count == 0");
    check_both(crossings("-(n - 1)^2"), "o.count == 0");
    check_both(crossings("0*n"), "o.count == 0");
}

TEST_CASE("a fit of points of which one is not rational") {
    const std::string data = quantity("c", "curve", with(grid("n", "0", "3"), {{"formula", "if(n == 0, e, n)"}}));
    const Texts facts = {{"setting.of", "c"}, {"model", "a*n + b"}, {"parameter.1", "a"}, {"parameter.2", "b"}};
    // e, 1, 2, 3: the slope is (5 - 1.5 e)/5, the mean (e + 6)/4.
    check_both(data + ", " + quantity("f", "fit", facts),
               "about(f.a, 1 - 0.3*e, 1e-15) and about(f.b + 1.5*f.a, (e + 6)/4, 1e-14) and f.points == 4");
}

TEST_CASE("a fit with a part of the model without parameters, and its errors") {
    const auto line = [](const std::string& formula, const std::string& model) {
        const std::string data = quantity("c", "curve", with(grid("n", "0", "3"), {{"formula", formula}}));
        return data + ", " + quantity("f", "fit", {{"setting.of", "c"}, {"model", model}, {"parameter.1", "a"}});
    };
    check_both(line("3*n + 7", "a*n + 7"), "f.a == 3 and f.max_error == 0 and f.rmse == 0 and f.r2 == 1");
    check_both(line("3*n + e", "a*n + e"), "about(f.a, 3, 1e-15) and f.max_error < 1e-15");
    check_both(line("3*n + 7", "(2*a*n + 14)/2"), "f.a == 3");
    CHECK(outcome(line("3*n + 7", "n/a"), "f.a > 0", "confirmed") == Outcome::open);
    CHECK(outcome(line("3*n + 7", "a*a*n"), "f.a > 0", "confirmed") == Outcome::open);
    check_both(line("3*n + 7", "a*n"), "f.a == 6");  // (10 + 26 + 48)/14
    // 0, 1, 4 by a x + b: residuals 1/3, -2/3, 1/3.
    const std::string data = quantity("c", "curve", with(grid("x", "0", "2"), {{"formula", "x^2"}}));
    const Texts facts = {{"setting.of", "c"}, {"model", "a*x + b"}, {"parameter.1", "a"}, {"parameter.2", "b"}};
    check_both(data + ", " + quantity("f", "fit", facts),
               "about(f.max_error, 2/3, 1e-15) and about(f.rmse, sqrt(2)/3, 1e-15)");
    // With weights 1, 0, 1 the line goes through the ends: 2 x. A point of weight 0 is left out.
    const Texts ends = with(facts, {{"weights", "(x - 1)^2"}});
    check_both(data + ", " + quantity("f", "fit", ends),
               "f.a == 2 and f.b == 0 and abs(f.r2 - 1) < 1e-15 and f.max_error < 1e-15 and f.points == 2");
}

TEST_CASE("settings of a record: parameters, names of its own, and the variable that it is monotone in") {
    check_both(
        quantity("v", "value", {{"setting.formula", "w*t"}, {"setting.params.w", "3"}, {"setting.let.t", "0.5"}}),
        "v.value == 1.5 and v == 1.5");
    const auto monotone = [](const Texts& more) {
        return quantity("m", "monotone",
                        with(with(with(reals("x", "1", "2"), reals("y", "1", "2")),
                                  {{"setting.formula", "x/y"}, {"setting.direction", "increasing"}}),
                             more));
    };
    CHECK(outcome(monotone({}), "m.holds == 1", "confirmed") == Outcome::proved);
    CHECK(outcome(monotone({{"setting.in", "x"}}), "m.holds == 1", "confirmed") == Outcome::proved);
    CHECK(outcome(monotone({{"setting.in", "y"}}), "m.holds == 1", "confirmed") != Outcome::proved);
    CHECK(outcome(monotone({{"setting.in", "z"}}), "m.holds == 1", "confirmed") == Outcome::open);
    // e4m3 ends below 500, the values at n = 5 and 6; those before, 0, 96, 192, 288 and 384, differ.
    check_both(
        quantity("c", "collision",
                 with(grid("n", "0", "11"), {{"setting.formula", "100*min(n, 11 - n)"}, {"setting.format", "e4m3"}})),
        "c.first == 5");
}

TEST_CASE("printed decimals: the last digit says how much is rounded, with or without an exponent") {
    check_both("", "rounds(7.5, '7') and rounds(6.5, '7') and not rounds(7.51, '7') and not rounds(6.49, '7')");
    check_both("", "rounds(0.00155, '1.5e-3') and not rounds(0.001551, '1.5e-3')");
    check_both("", "rounds(1549, '1.5e3') and not rounds(1551, '1.5E3') and rounds(-0.04, '0.0')");
    check_both("", "about(-1.01, -1, 0.01) and not about(1, -1, 0.01)");
    const std::string table =
        quantity("t", "table", {{"setting.exact", "b"}},
                 R"("values": {}, "table": {"rows": ["r", "s"], "columns": ["a", "b"], "cells": [],
                    "printed": [["1.5e-3", "2"], ["3", "0.5"]]})");
    check_both(table, "t.rows == 2 and t.columns == 2 and t['s', 'b'] == 1/2 and t[0, 1] == 2");
    check_both(table, "t['r', 'a'] > 0.001449 and t['r', 'a'] < 0.001551");
    CHECK(outcome(table, "t['r', 'a'] > 0.0014501", "confirmed") == Outcome::open);
    for (const char* beyond : {"t[2, 0] > 0", "t[0, 2] > 0", "t[-1, 0] > 0", "t[0, -1] > 0", "t[0] > 0", "t.other > 0"})
        CHECK(outcome(table, beyond, "confirmed") == Outcome::open);
}

TEST_CASE("a claim is as certain as its readings together") {
    const auto claim = [](const std::string& verdict, const std::vector<std::string>& readings) {
        std::string list;
        for (const std::string& each : readings)
            list += (list.empty() ? "" : ", ") + std::string(R"({"name": "a", "certified": true, "verdict": ")") +
                    each + R"(", "holds": ")" + (each == "refuted" ? "1 == 2" : "1 == 1") +
                    (each == "consistent" ? R"(", "covers": "part"})" : "\"}");
        return recheck(R"({"study": "s", "quantities": {}, "claims": [{"id": "C", "certified": true, "verdict": ")" +
                       verdict + R"(", "readings": [)" + list + "]}]}")
            .at(0)
            .outcome();
    };
    const std::vector<std::pair<std::vector<std::string>, std::string>> rows = {
        {{"confirmed", "confirmed"}, "confirmed"},    {{"confirmed", "consistent"}, "consistent"},
        {{"consistent", "consistent"}, "consistent"}, {{"refuted", "refuted"}, "refuted"},
        {{"confirmed", "refuted"}, "depends"},        {{"consistent", "refuted"}, "depends"}};
    for (const auto& [readings, right] : rows)
        for (const char* verdict : {"confirmed", "consistent", "refuted", "depends", "undecided"}) {
            CAPTURE(readings, verdict);
            CHECK((claim(verdict, readings) == Outcome::proved) == (verdict == right));
        }
}

TEST_CASE("a number on record that differs from the one found is not proved") {
    const auto of = [](const std::string& number) {
        return outcome(quantity("v", "value", {{"formula", "2/3"}}, "\"values\": {\"value\": " + number + "}"),
                       "v.value > 0.5", "confirmed");
    };
    CHECK(of("0.66666666666666663") == Outcome::proved);
    CHECK(of("0.6666666669") == Outcome::proved);
    CHECK(of("0.666666668") == Outcome::open);
    CHECK(of("0.66") == Outcome::open);
    CHECK(of("null") == Outcome::open);
}

TEST_CASE("a reading of a part of the claim is consistent if it holds, and no other reading is") {
    const auto of = [](const std::string& verdict, const std::string& covers) {
        return recheck(R"({"study": "s", "quantities": {}, "claims": [{"id": "C", "certified": true, "verdict": ")" +
                       verdict + R"(", "readings": [{"name": "a", "certified": true, "holds": "1 == 1", "verdict": ")" +
                       verdict + "\"" + covers + "}]}]}")
            .at(0)
            .outcome();
    };
    const std::string part = R"(, "covers": "part")";
    CHECK(of("consistent", part) == Outcome::proved);
    CHECK(of("confirmed", part) == Outcome::contradicted);
    CHECK(of("confirmed", "") == Outcome::proved);
    CHECK(of("consistent", "") == Outcome::contradicted);
}

TEST_CASE("extremes and directions of a grid are those of its points") {
    const auto of = [](const std::string& kind, const std::string& formula, const Texts& more) {
        return quantity("m", kind, with(with(grid("n", "0", "6"), {{"setting.formula", formula}}), more));
    };
    // 0, -5, -8, -9, -8, -5, 0
    check_both(of("extremum", "n*(n - 6)", {}), "m.min == -9 and m.max == 0");
    for (const auto& [formula, direction, holds] :
         std::vector<std::tuple<std::string, std::string, bool>>{{"n^2", "increasing", true},
                                                                 {"-n^2", "decreasing", true},
                                                                 {"floor(n/2)", "nondecreasing", true},
                                                                 {"-floor(n/2)", "nonincreasing", true},
                                                                 {"7", "nonincreasing", true},
                                                                 // It falls from 2 to 3 alone.
                                                                 {"if(n < 3, n, n - 5)", "increasing", false},
                                                                 {"if(n < 3, n, n - 0.5)", "increasing", true},
                                                                 // Between the points it falls and rises.
                                                                 {"n + sin(2*pi*n)", "increasing", true}}) {
        CAPTURE(formula);
        const Outcome found =
            outcome(of("monotone", formula, {{"setting.direction", direction}}), "m.holds == 1", "confirmed");
        CHECK((found == Outcome::proved) == holds);
    }
    CHECK(outcome(of("monotone", "n", {{"setting.direction", "sideways"}}), "m.holds == 1", "confirmed") ==
          Outcome::open);
    const auto refuted = [&](const std::string& formula, const std::string& direction, const std::string& at) {
        return outcome(quantity("m", "monotone",
                                with(with(grid("n", "0", "6"), {{"setting.formula", formula}}),
                                     {{"setting.direction", direction}}),
                                "\"values\": {\"first_counterexample\": " + at + "}"),
                       "m.holds == 1", "refuted");
    };
    CHECK(refuted("n*(n - 6)", "increasing", "0") == Outcome::proved);
    CHECK(refuted("floor(n/2)", "increasing", "0") == Outcome::proved);
    CHECK(refuted("floor(n/2)", "nondecreasing", "0") != Outcome::proved);
    CHECK(refuted("n*(n - 6)", "decreasing", "3") == Outcome::proved);
}

TEST_CASE("identities of powers of e, and of other numbers") {
    for (const auto& [left, right] :
         std::vector<std::pair<std::string, std::string>>{{"e^x*e^y", "exp(x + y)"},
                                                          {"e^(2*x)", "exp(x)^2"},
                                                          {"exp(1)*x", "e*x"},
                                                          {"2^x*2^y", "2^(x + y)"},
                                                          {"cos(x)^2 - sin(x)^2", "cos(2*x)"}}) {
        CAPTURE(left);
        const auto identity = [](const std::string& one, const std::string& other) {
            return outcome(quantity("e", "identity",
                                    with(with(reals("x", "-1", "1"), reals("y", "0", "2")),
                                         {{"setting.left", one}, {"setting.right", other}})),
                           "e.holds == 1", "confirmed");
        };
        CHECK(identity(left, right) == Outcome::proved);
        CHECK(identity(left, right + " + x/1000000") == Outcome::contradicted);
    }
}

TEST_CASE("a record that contradicts what is computed again is reported with both") {
    const std::string tampered = quantity("v", "value", {{"formula", "exp(1)"}},
                                          R"("values": {"value": 2.75}, "enclosures": {"value": [2.8, 2.9]})");
    const auto claims = recheck(results(tampered, "v.value > 2", "confirmed"));
    REQUIRE(claims.at(0).readings.size() == 1);
    CHECK(claims[0].readings[0].why.starts_with(
        "v.value is on record in [2.7999999999999998, 2.8999999999999999] and was found in [2.718281828459045"));
}

TEST_CASE("a number below the normal doubles may be on record as the nearest multiple of the smallest one") {
    const auto record = [](const char* value) {
        return quantity("v", "value", {{"formula", "1e-320"}}, "\"values\": {\"value\": " + std::string(value) + "}");
    };
    CHECK(outcome(record("9.9998886718268301e-321"), "v.value > 0", "confirmed") == Outcome::proved);
    CHECK(outcome(record("9.9800126e-321"), "v.value > 0", "confirmed") == Outcome::open);
}

TEST_CASE("an infinity on record is not the number that is found, unless that is beyond doubles") {
    const auto why = [](const std::string& formula, const std::string& value) {
        const std::string record =
            quantity("v", "value", {{"formula", formula}}, "\"values\": {\"value\": " + value + "}");
        return recheck(results(record, "abs(v.value) > 2", "confirmed")).at(0).readings.at(0).why;
    };
    CHECK(why("exp(1)", R"("inf")").starts_with("v.value is on record as inf, and was found in [2.71828"));
    CHECK(why("exp(1)", R"("-inf")").starts_with("v.value is on record as -inf, and was found in [2.71828"));
    CHECK(why("-10^400", R"("inf")").starts_with("v.value is on record as inf, and was found in "));
    CHECK(why("-10^400", R"("-inf")").empty());
    CHECK(why("exp(1)", "2.718281828459045").empty());
}

TEST_CASE("an identity is refuted at the point that the note names") {
    const auto identity = [](const std::string& note) {
        return quantity("e", "identity",
                        with(with(reals("x", "-1", "1"), reals("y", "0", "2")),
                             {{"setting.left", "x*y"}, {"setting.right", "x"}, {"setting.tolerance", "0.25"}}),
                        "\"values\": {}, \"notes\": {\"largest found at\": \"" + note + "\"}");
    };
    CHECK(outcome(identity("x = 1, y = 2"), "e.holds == 1", "refuted") == Outcome::proved);
    CHECK(outcome(identity("x = -1, y = 0.5"), "e.holds == 1", "refuted") == Outcome::proved);
}
