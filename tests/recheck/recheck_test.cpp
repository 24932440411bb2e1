#include "recheck/proof.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "recheck/recheck_support.hpp"

using namespace recheck_support;

namespace {

/// A table of numbers, given as "[1, 2], [3, 4]".
std::string table(const std::string& name, const std::vector<std::string>& columns, const std::string& cells,
                  const std::string& exact) {
    std::string printed, rows, names;
    bool is_number = false;
    for (const char letter : cells) {
        const bool is_part = std::string("0123456789.-").find(letter) != std::string::npos;
        if (is_part != is_number) printed += '"';
        is_number = is_part;
        printed += letter;
        if (letter == '[') rows += (rows.empty() ? "\"r" : ", \"r") + std::to_string(rows.size()) + "\"";
    }
    for (const std::string& column : columns) names += (names.empty() ? "\"" : ", \"") + column + "\"";
    return quantity(name, "table", exact.empty() ? Texts{} : Texts{{"setting.exact", exact}},
                    "\"values\": {}, \"table\": {\"rows\": [" + rows + "], \"columns\": [" + names +
                        "], \"cells\": [], \"printed\": [" + printed + "]}");
}

const Texts over_0_to_3 = {{"setting.over.x.from", "0"}, {"setting.over.x.to", "3"}};

std::string square() {
    return quantity("c", "curve", with(over_0_to_3, {{"formula", "x^2"}}));
}

}  // namespace

TEST_CASE("a double of a record stands for the end that it is nearest to, and its neighbours for themselves") {
    Side side;
    side.from = Rational(1) / Rational(3);
    side.to = Rational(1);
    CHECK(on_side(side, 1.0 / 3) == side.from);
    CHECK(on_side(side, 1) == Rational(1));
    CHECK(on_side(side, 1 - 0x1p-53) == of_double(1 - 0x1p-53));
    CHECK_THROWS_AS(on_side(side, 1 + 0x1p-52), Unprovable);
}

TEST_CASE("conditions without quantities") {
    check_both("", "all(i, 1, 12, abs(i*8/12 - i*(8/12)) == 0) and 2^10 == 1024");
    check_both("", "rounds(0.0005, '0.001')");
    check_both("", "rounds(0.00049999, '0.001')", "refuted");
    check_both("", "about(1.01, 1, 0.01) and not about(1.0100001, 1, 0.01)");
    check_both("", "exp(-inf) == 0 and log(2) < 0.6931471805599454");
    CHECK(outcome("", "x > snug", "confirmed", R"({"snug": "0.5"})") == Outcome::open);
    CHECK(outcome("", "0.95 >= snug", "confirmed", R"({"snug": "0.95"})") == Outcome::proved);
    CHECK(outcome("", "0.95 >= snug", "confirmed", R"({"snug": "0.951"})") == Outcome::contradicted);
    // Two names for one number: no interval shows it.
    CHECK(outcome("", "sin(1)^2 + cos(1)^2 == 1", "confirmed") == Outcome::open);
}

TEST_CASE("a curve, by hand: 0, 1, 4, 9") {
    check_both(square(), "c[2] == 4 and c.max == 9 and c.first == 0 and c.argmax == 3");
    check_both(square(), "all(i, 0, 2, c[i + 1] > c[i])");
    check_both(square(), "exists(i, 0, 3, c[i] == 5)", "refuted");
    CHECK(outcome(square(), "c[4] > 0", "confirmed") == Outcome::open);
    CHECK(outcome(square(), "d[1] > 0", "confirmed") == Outcome::open);
}

TEST_CASE("a claim whose all() or exists() has no number is open") {
    CHECK(outcome(square(), "all(i, c[0] + 3, c[0] + 1, c[i] < 0)", "confirmed") == Outcome::open);
    CHECK(outcome(square(), "exists(i, c[0] + 3, c[0] + 1, c[i] > 0)", "refuted") == Outcome::open);
    check_both(square(), "all(i, 0, 3, all(j, i + 1, 3, c[j] > c[i]))");  // empty for the last i alone
}

TEST_CASE("a rounding that overflows has no value") {
    // The halves between the largest numbers and the next powers of two: 65520, 2^128 - 2^103, 61440.
    for (const char* holds : {"fp16(65520) > 65504", "fp32(2^128 - 2^103) > 0", "e5m2(61440) > 57344"})
        CHECK(outcome("", holds, "confirmed") == Outcome::open);
    check_both("", "fp16(65519.99) == 65504 and e5m2(61439) == 57344");
}

TEST_CASE("a value, in reals and in a number format") {
    const std::string exact = quantity("v", "value", {{"formula", "log(1 + exp(-50))"}});
    check_both(exact, "v.value > 0");
    const std::string half = quantity("v", "value", {{"formula", "log(1 + exp(-50))"}, {"setting.in", "fp16"}});
    check_both(half, "v.value > 0", "refuted");
    // 2049 lies between 2048 and 2050; ties go to the even significand.
    check_both(quantity("v", "value", {{"formula", "2049"}, {"setting.in", "fp16"}}), "v.value == 2048");
    check_both(quantity("v", "value", {{"formula", "2051"}, {"setting.in", "fp16"}}), "v.value == 2052");
}

TEST_CASE("a fit of three points: 0, 1, 4 by a x + b is 2 x - 1/3") {
    const std::string data =
        quantity("c", "curve", {{"setting.over.x.from", "0"}, {"setting.over.x.to", "2"}, {"formula", "x^2"}});
    const Texts facts = {{"setting.of", "c"}, {"model", "a*x + b"}, {"parameter.1", "a"}, {"parameter.2", "b"}};
    const std::string fit = data + ", " + quantity("f", "fit", facts);
    check_both(fit, "about(f.a, 2, 1e-15) and about(f.b, -1/3, 1e-15)");
    // Residuals 1/3, -2/3, 1/3 about a mean of 5/3: 1 - (2/3)/(26/3).
    check_both(fit, "about(f.r2, 12/13, 1e-15)");
    // With weights (1 + 1e-15 n) - 1, the fit of n^2 on 0..6: the exact answer -12.8 of rational arithmetic.
    const std::string row =
        quantity("c", "curve", {{"setting.over.n.from", "0"}, {"setting.over.n.to", "6"}, {"formula", "n^2"}});
    const Texts weighted = {{"setting.of", "c"},
                            {"model", "p0 + p1*n"},
                            {"parameter.1", "p0"},
                            {"parameter.2", "p1"},
                            {"weights", "(1 + 1e-15*n) - 1"}};
    check_both(row + ", " + quantity("f", "fit", weighted), "about(f.p0, -12.8, 1e-12)");
    Texts curved = facts;
    curved["model"] = "exp(a*x) + b";
    CHECK(outcome(data + ", " + quantity("f", "fit", curved), "f.a > 0", "confirmed") == Outcome::open);
}

TEST_CASE("the errors of a weighted fit include the weights") {
    // 0, 1, 4, 9 with weights 0, 1, 2, 1 by their mean a = 18/4: residuals -7/2, -1/2, 9/2.
    const std::string data = quantity("c", "curve", with(over_0_to_3, {{"formula", "x^2"}}));
    const std::string fit = data + ", " +
                            quantity("f", "fit",
                                     {{"setting.of", "c"},
                                      {"model", "a + 0*x"},
                                      {"parameter.1", "a"},
                                      {"weights", "x < 0.5 ? 0 : x == 2 ? 2 : 1"}});
    check_both(fit, "about(f.a, 4.5, 1e-15) and f.points == 3");
    // (49/4 + 2/4 + 81/4)/4 = 33/4.
    check_both(fit, "about(f.rmse^2, 33/4, 1e-15) and about(f.max_error, 4.5, 1e-15)");
    // About the weighted mean, which is the model: none of the spread is explained.
    check_both(fit, "abs(f.r2) < 1e-15");
}

TEST_CASE("a fit of a table is solved in exact rationals: NIST's Longley, of six predictors") {
    // NIST StRD linear regression, Longley: the certified values, to their last digit.
    const std::string cells =
        "[60323, 83.0, 234289, 2356, 1590, 107608, 1947], [61122, 88.5, 259426, 2325, 1456, 108632, 1948], "
        "[60171, 88.2, 258054, 3682, 1616, 109773, 1949], [61187, 89.5, 284599, 3351, 1650, 110929, 1950], "
        "[63221, 96.2, 328975, 2099, 3099, 112075, 1951], [63639, 98.1, 346999, 1932, 3594, 113270, 1952], "
        "[64989, 99.0, 365385, 1870, 3547, 115094, 1953], [63761, 100.0, 363112, 3578, 3350, 116219, 1954], "
        "[66019, 101.2, 397469, 2904, 3048, 117388, 1955], [67857, 104.6, 419180, 2822, 2857, 118734, 1956], "
        "[68169, 108.4, 442769, 2936, 2798, 120445, 1957], [66513, 110.8, 444546, 4681, 2637, 121950, 1958], "
        "[68655, 112.6, 482704, 3813, 2552, 123366, 1959], [69564, 114.2, 502601, 3931, 2514, 125368, 1960], "
        "[69331, 115.7, 518173, 4806, 2572, 127852, 1961], [70551, 116.9, 554894, 4007, 2827, 130081, 1962]";
    const std::string data = table("t", {"y", "x1", "x2", "x3", "x4", "x5", "x6"}, cells, "true");
    Texts facts = {{"setting.of", "t"},
                   {"setting.response", "y"},
                   {"model", "b0 + b1*x1 + b2*x2 + b3*x3 + b4*x4 + b5*x5 + b6*x6"}};
    for (int i = 0; i < 7; ++i) facts["parameter." + std::to_string(i + 1)] = "b" + std::to_string(i);
    const std::string fit = data + ", " + quantity("f", "fit", facts);
    for (const char* certified :
         {"rounds(f.b0, '-3482258.63459582')", "rounds(f.b1, '15.0618722713733')",
          "rounds(f.b2, '-0.0358191792925910')", "rounds(f.b3, '-2.02022980381683')",
          "rounds(f.b4, '-1.03322686717359')", "rounds(f.b5, '-0.0511041056535807')",
          "rounds(f.b6, '1829.15146461355')", "rounds(f.r2, '0.995479004577296')", "f.points == 16"})
        check_both(fit, certified);
    // The same table as rounded numbers says little.
    const std::string rounded = table("t", {"y", "x1", "x2", "x3", "x4", "x5", "x6"}, cells, "");
    CHECK(outcome(rounded + ", " + quantity("f", "fit", facts), "f.b6 > 1829", "confirmed") == Outcome::open);
}

TEST_CASE("a fit of a table's rows from a range, of the number of the row, and of one that cannot be solved") {
    const std::string data = table("t", {"x", "y"}, "[1, 9], [2, 2], [4, 4], [8, 7]", "true");
    const Texts line = {{"setting.of", "t"},      {"setting.response", "y"}, {"model", "a*x + b"},
                        {"parameter.1", "a"},     {"parameter.2", "b"},      {"setting.range.from", "2"},
                        {"setting.range.to", "4"}};
    // Of (2, 2), (4, 4), (8, 7): means 14/3 and 13/3, slope (46/3)/(56/3).
    check_both(data + ", " + quantity("f", "fit", line), "f.a - 23/28 == 0 and f.points == 3");
    Texts rows = line;
    rows["model"] = "a*row + b";
    check_both(data + ", " + quantity("f", "fit", rows), "f.a - 5/2 == 0");
    Texts twice = line;
    twice["model"] = "a*x + b*2*x";
    CHECK(outcome(data + ", " + quantity("f", "fit", twice), "f.a > 0", "confirmed") == Outcome::open);
    Texts other = line;
    other["setting.response"] = "z";
    CHECK(outcome(data + ", " + quantity("f", "fit", other), "f.a > 0", "confirmed") == Outcome::open);
}

TEST_CASE("a profile: a window of four, then of two layers") {
    const Texts facts = {{"setting.distances.to", "7"},
                         {"logits.1", "if(n < 4, 0, -inf)"},
                         {"mass", "0.7"},
                         {"residual", "0"},
                         {"setting.within", "3"}};
    check_both(quantity("p", "profile", facts), "p.width == 3 and p.share == 3/4");
    Texts deep = facts;
    deep["setting.layers"] = "2";
    // 1, 2, 3, 4, 3, 2, 1 sixteenths: 10/16 of four, 13/16 of five.
    check_both(quantity("p", "profile", deep), "p.width == 5 and abs(p.share - 6/16) < 1e-15");
}

TEST_CASE("a receptive field: windows and blocks") {
    const Texts window = {{"setting.length", "100"},          {"layers", "3"},  {"mask.1", "k <= q and q - k < 5"},
                          {"logits.1", "if(n < 5, 0, -inf)"}, {"mass", "0.99"}, {"residual", "0"}};
    check_both(quantity("w", "receptive-field", window), "w.exact == 13");  // 1 + 3 * 4
    const Texts blocks = {
        {"setting.length", "100"}, {"layers", "2"}, {"mask.1", "k <= q and floor(q/10) - floor(k/10) <= 1"}};
    check_both(quantity("w", "receptive-field", blocks), "w.exact == 30");  // the last block and two before
}

TEST_CASE("a resolution: equal scores, and one that ends") {
    const std::string row =
        quantity("s", "curve", {{"setting.over.n.from", "0"}, {"setting.over.n.to", "9"}, {"formula", "0*n"}});
    const Texts facts = {{"setting.of", "s"}, {"setting.N", "4"}, {"scale", "1"}};
    check_both(row + ", " + quantity("r", "resolution", facts), "r.R == 0 and abs(r.largest - 1/5) < 1e-15");
    check_both(row + ", " + quantity("r", "resolution", with(facts, {{"after", "-inf"}})), "abs(r.R - 1/25) < 1e-15");
}

TEST_CASE("how a curve rises and falls") {
    check_both(square() + ", " + quantity("o", "oscillation", {{"setting.of", "c"}}),
               "o.increases == 3 and o.decreases == 0 and o.total_variation == 9");
}

TEST_CASE("crossings: of points, and of reals") {
    const auto crossing = [](const Texts& facts) { return quantity("o", "crossing", facts); };
    // n^2 on 0..3 and the level 2: 0, 1 below, 4, 9 above.
    check_both(square() + ", " + crossing({{"setting.of", "c"}, {"level", "2"}}),
               "o.count == 1 and o.first == 2 and o.last == 2");
    const Texts over = {{"setting.over.x.0", "0"}, {"setting.over.x.1", "10"}};
    check_both(crossing(with(over, {{"formula", "cos(x)"}})),
               "o.count == 3 and abs(o.first - pi/2) < 1e-15 and abs(o.last - 5*pi/2) < 1e-15");
    // Each place and direction: zeros of the cosine, down, up, down; there is no fourth.
    check_both(crossing(with(over, {{"formula", "cos(x)"}})), "all(k, 1, 3, abs(o[k] - (k - 0.5)*pi) < 1e-15)");
    check_both(crossing(with(over, {{"formula", "cos(x)"}})),
               "o.direction[1] == -1 and o.direction[2] == 1 and o.direction[3] == -1");
    CHECK(outcome(crossing(with(over, {{"formula", "cos(x)"}})), "o[4] == 11", "confirmed") != Outcome::proved);
    check_both(square() + ", " + crossing({{"setting.of", "c"}, {"level", "2"}}), "o[1] == 2 and o.direction[1] == 1");
    check_both(crossing(with(over, {{"formula", "cos(x)"}, {"setting.direction", "up"}})),
               "o.count == 1 and abs(o.first - 3*pi/2) < 1e-15");
    // A zero at the start is not crossed; the roots 1, 2 and 3 are.
    check_both(crossing(with(over, {{"formula", "sin(x)"}})), "o.count == 3 and abs(o.first - pi) < 1e-15");
    check_both(crossing(with(over, {{"formula", "(x - 1)*(x - 2)*(x - 3)"}})),
               "o.count == 3 and abs(o.last - 3) < 1e-15");
    // A pole is not a crossing, and a touch is not decided.
    CHECK(outcome(crossing(with(over, {{"formula", "1/(x - 5)"}})), "o.count == 1", "confirmed") == Outcome::open);
    CHECK(outcome(crossing(with(over, {{"formula", "(x - 1/3)^2"}})), "o.count == 0", "confirmed") == Outcome::open);
    // 200,000 points are looked at, and not one more.
    const auto long_grid = [&](const std::string& last) {
        return crossing({{"setting.over.x.from", "1"}, {"setting.over.x.to", last}, {"formula", "x"}});
    };
    CHECK(outcome(long_grid("200000"), "o.count == 0", "confirmed") == Outcome::proved);
    CHECK(outcome(long_grid("200001"), "o.count == 0", "confirmed") == Outcome::open);
}

TEST_CASE("integrals: smooth, with a kink, with a jump, and without a value") {
    const auto integral = [](const std::string& formula, const std::string& from, const std::string& to) {
        return quantity("o", "integral", {{"setting.over.x.0", from}, {"setting.over.x.1", to}, {"formula", formula}});
    };
    check_both(integral("exp(x)", "0", "1"), "abs(o.value - (e - 1)) < 1e-11");
    check_both(integral("x^2", "0.1", "0.4"), "abs(o.value - 0.021) < 1e-14");
    check_both(integral("abs(x - 0.3)", "0", "1"), "abs(o.value - 0.29) < 1e-8");
    check_both(integral("floor(x)", "0", "2.5"), "abs(o.value - 2) < 1e-3");
    CHECK(outcome(integral("1/x", "0", "1"), "o.value > 1", "confirmed") == Outcome::open);
}

TEST_CASE("ends of feasible sets: the condition holds there, and nowhere beyond") {
    const auto feasible = [](const Texts& facts, const std::string& values, const std::string& enclosures) {
        return quantity("o", "feasible", facts, "\"values\": {" + values + "}, \"enclosures\": {" + enclosures + "}");
    };
    const Texts reals = {{"setting.over.x.0", "-5"}, {"setting.over.x.1", "0.3"}};
    // x^2 <= 2 from the negative root on; 0.3 is the end of the domain.
    const std::string root = "\"least\": -1.414213562373095, \"greatest\": 0.3";
    const std::string around = "\"least\": [-1.4142135623730951, -1.414213562373095]";
    check_both(feasible(with(reals, {{"condition", "x^2 <= 2"}}), root, around),
               "abs(o.least + sqrt(2)) < 1e-15 and o.greatest == 0.3");
    // A value on record that is not in the set, and an end that leaves out a part of it.
    const auto least = [&](const std::string& value, const std::string& ends) {
        return outcome(feasible(with(reals, {{"condition", "x^2 <= 2"}}), "\"least\": " + value, "\"least\": " + ends),
                       "o.least < 0", "confirmed");
    };
    CHECK(least("-1.414213562373095", "[-1.4142135623730951, -1.414213562373095]") == Outcome::proved);
    CHECK(least("-1.5", "[-1.6, -1.5]") == Outcome::open);
    CHECK(least("-1.25", "[-1.3, -1.25]") == Outcome::open);
    // k^2 x <= 1 for k up to 9: the last integer decides, whether it is named or not.
    const std::string ninth = "\"greatest\": 0.012345679012345678";
    const std::string between = "\"greatest\": [0.012345679012345678, 0.01234567901234568]";
    const Texts squares = {
        {"setting.over.x.0", "0"}, {"setting.over.x.1", "2"}, {"condition", "all(k, 1, 9, k^2*x <= 1)"}};
    check_both(feasible(with(squares, {{"decided by", "k = 9, k = 3"}}), ninth, between),
               "about(o.greatest, 1/81, 1e-15)");
    check_both(feasible(squares, ninth, between), "about(o.greatest, 1/81, 1e-15)");
    // Integers that are not of the quantifier prove nothing.
    CHECK(
        outcome(feasible(with(squares, {{"decided by", "k = 10"}}), "\"greatest\": 0.01", "\"greatest\": [0.01, 0.01]"),
                "o.greatest == 0.01", "confirmed") == Outcome::open);
    // n^2 >= 9 first at 3, on 0, 1, 2, ...
    const Texts steps = {{"setting.over.n.from", "0"}, {"setting.over.n.to", "9"}, {"condition", "n^2 >= 9"}};
    check_both(feasible(steps, "\"least\": 3, \"greatest\": 9", ""), "o.least == 3 and o.greatest == 9");
    CHECK(outcome(feasible(steps, "\"least\": 4", ""), "o.least == 4", "confirmed") == Outcome::open);
    // The share is at most what lies between the ends: 7 of 10 values, and (sqrt(2) + 0.3)/5.3 = 0.3234...
    // The bound is rounded up, so that 0.7 itself is undecided.
    check_both(feasible(steps, "\"least\": 3, \"greatest\": 9, \"share\": 0.7", ""),
               "o.share < 0.7000000001 and o.share <= 1");
    check_both(feasible(with(reals, {{"condition", "x^2 <= 2"}}), root + ", \"share\": 0.3234", around),
               "o.share < 0.32344");
    CHECK(outcome(feasible(with(reals, {{"condition", "x^2 <= 2"}}), root + ", \"share\": 0.3234", around),
                  "o.share > 0.32", "confirmed") == Outcome::open);
    // Nowhere: shown by the condition alone.
    const std::string nowhere = "\"least\": null, \"greatest\": null, \"share\": 0";
    check_both(feasible(with(reals, {{"condition", "x^2 < -1"}}), nowhere, ""), "o.share == 0");
    CHECK(outcome(feasible(with(reals, {{"condition", "x^2 <= 2"}}), nowhere, ""), "o.share == 0", "confirmed") ==
          Outcome::open);
}

TEST_CASE("identities: by algebra, by subdivision, and refuted at a witness") {
    const auto identity = [](const std::string& left, const std::string& right, const Texts& more = {}) {
        return quantity("e", "identity",
                        with({{"setting.left", left},
                              {"setting.right", right},
                              {"setting.over.x.0", "-1"},
                              {"setting.over.x.1", "1"},
                              {"setting.over.y.0", "0.5"},
                              {"setting.over.y.1", "2"}},
                             more));
    };
    for (const auto& [left, right] :
         std::vector<std::pair<std::string, std::string>>{{"sin(x + y)", "sin(x)*cos(y) + cos(x)*sin(y)"},
                                                          {"(x + y)^3", "x^3 + 3*x^2*y + 3*x*y^2 + y^3"},
                                                          {"exp(x)/(exp(x) + exp(y))", "1/(1 + exp(y - x))"},
                                                          {"2^(x + y)/2^y", "2^x"},
                                                          {"sum(i, 1, 3, x^i)", "x + x^2 + x^3"},
                                                          {"x/y + y/x*0", "x/y + y/x*0"}}) {
        CAPTURE(left);
        const bool has_pole = left.find("y/x") != std::string::npos;
        CHECK(outcome(identity(left, right), "e.holds == 1", "confirmed") ==
              (has_pole ? Outcome::open : Outcome::proved));
    }
    // exp(log(x)) has no value at x <= 0; sqrt(x^2) is not x there.
    CHECK(outcome(identity("exp(log(x))", "x"), "e.holds == 1", "confirmed") != Outcome::proved);
    CHECK(outcome(identity("sqrt(x^2)", "x"), "e.holds == 1", "confirmed") == Outcome::contradicted);
    CHECK(outcome(identity("x^2", "x", {{"witness.x", "0.5"}, {"witness.y", "1"}}), "e.holds == 1", "refuted") ==
          Outcome::proved);
    // A witness outside of the domain shows nothing.
    const std::string outside = identity("max(x, -1)", "x", {{"witness.x", "-3"}, {"witness.y", "1"}});
    CHECK(outcome(outside, "e.holds == 1", "refuted") != Outcome::proved);
    CHECK(outcome(identity("abs(x)", "x^2", {{"setting.tolerance", "0.2501"}}), "e.holds == 1", "confirmed") ==
          Outcome::proved);
}

TEST_CASE("monotone formulas: kinks, poles, jumps and flat points") {
    const auto monotone = [](const std::string& formula, const std::string& direction, const std::string& lo,
                             const std::string& hi, const std::string& counterexample = "null",
                             const std::string& holds = "1") {
        return quantity("m", "monotone",
                        {{"setting.formula", formula},
                         {"setting.direction", direction},
                         {"setting.over.x.0", lo},
                         {"setting.over.x.1", hi}},
                        "\"values\": {\"holds\": " + holds + ", \"first_counterexample\": " + counterexample + "}");
    };
    const auto proves = [&](const std::string& formula, const std::string& direction, const std::string& lo,
                            const std::string& hi) {
        return outcome(monotone(formula, direction, lo, hi), "m.holds == 1", "confirmed");
    };
    CHECK(proves("x^3", "increasing", "0", "1") == Outcome::proved);
    CHECK(proves("sqrt(x)", "increasing", "0", "1") == Outcome::proved);
    CHECK(proves("abs(x)", "nondecreasing", "0", "1") == Outcome::proved);
    CHECK(proves("exp(x)/(1 + x)", "nondecreasing", "0", "50") == Outcome::proved);
    CHECK(proves("min(x, 0.5)", "increasing", "0", "1") != Outcome::proved);
    CHECK(proves("min(x, 0.5)", "nondecreasing", "0", "1") == Outcome::proved);
    CHECK(proves("30*x^2 + x - 40*abs(x - 0.5)", "increasing", "0", "1") != Outcome::proved);
    CHECK(proves("(x - 0.5)^(-1)", "decreasing", "0", "1") != Outcome::proved);
    CHECK(proves("floor(x)", "nondecreasing", "0", "2") != Outcome::proved);
    CHECK(proves("if(x < 1, x, x - 1)", "increasing", "0", "2") != Outcome::proved);
    CHECK(proves("0^x", "nonincreasing", "0", "5") != Outcome::proved);
    CHECK(outcome(monotone("30*x^2 + x - 40*abs(x - 0.5)", "increasing", "0", "1", "0.5"), "m.holds == 1",
                  "confirmed") == Outcome::contradicted);
    CHECK(outcome(monotone("x*exp(-x)", "nondecreasing", "0", "10", "1.25", "0"), "m.holds == 1", "refuted") ==
          Outcome::proved);
    // The verdict is right, and the number beside it is another one.
    CHECK(outcome(monotone("x*exp(-x)", "nondecreasing", "0", "10", "1.25"), "m.holds == 1", "refuted") ==
          Outcome::open);
}

TEST_CASE("formats: overflow, underflow and collision") {
    // fp16 is infinite from 65520 on: 2^16 is; 2^-25 is half its smallest number, a tie that goes to zero.
    const Texts grid = {{"setting.over.n.from", "0"}, {"setting.over.n.to", "40"}, {"setting.format", "fp16"}};
    check_both(quantity("r", "range", with(grid, {{"setting.formula", "2^n"}})),
               "r.first_overflow == 16 and r.last_finite == 15");
    check_both(quantity("r", "range", with(grid, {{"setting.formula", "2^-n"}})),
               "r.first_underflow == 25 and r.last_positive == 24 and r.first_subnormal == 15");
    const Texts small = {{"setting.over.n.from", "440"}, {"setting.over.n.to", "500"}, {"setting.format", "e4m3"}};
    check_both(quantity("r", "range", with(small, {{"setting.formula", "n"}})), "r.first_overflow == 465");
    const Texts wide = {{"setting.over.n.from", "0"}, {"setting.over.n.to", "70000"}};
    check_both(quantity("c", "collision", with(wide, {{"setting.format", "fp16"}})), "c.first == 2048");
    check_both(quantity("c", "collision", with(wide, {{"setting.format", "bf16"}})), "c.first == 256");
    check_both(quantity("c", "collision",
                        {{"setting.over.n.from", "0"}, {"setting.over.n.to", "20"}, {"setting.format", "e4m3"}}),
               "c.first == 16");
}

TEST_CASE("a logit error: position 257 is 256 in bf16") {
    const Texts facts = {
        {"setting.format", "bf16"}, {"setting.positions.0", "257"}, {"pairs", "1"}, {"angle", "p"}, {"scale", "1"},
        {"rounded", "positions"}};
    check_both(quantity("e", "logit-error", facts), "about(e.max, 2*sin(1/2), 1e-15)");
}

TEST_CASE("an extremum of decimals is exact at its ends") {
    const Texts facts = {{"setting.formula", "x"}, {"setting.over.x.0", "0.3"}, {"setting.over.x.1", "0.7"}};
    check_both(quantity("x", "extremum", facts), "x.max > 0.69999999 and x.min < 0.30000001");
}

TEST_CASE("tables: printed numbers are intervals, printed() and exact columns are decimals") {
    const std::string table =
        quantity("t", "table", {{"setting.exact.0", "b"}},
                 R"("values": {}, "table": {"rows": ["r", "s"], "columns": ["a", "b"], "cells": [[5.5, 2], [1, null]],
                    "printed": [["5.50", "2"], ["1.0", "-"]]})");
    check_both(table, "t['r', 'a'] > 5.494 and t[0, 0] < 5.506");
    CHECK(outcome(table, "t['r', 'a'] == 5.5", "confirmed") == Outcome::open);
    check_both(table, "printed(t['r', 'a']) == 5.5 and t['r', 'b'] == 2");
    check_both(table, "all(i, 0, 0, printed(t[i, 0]) > printed(t[i + 1, 0]))");
    CHECK(outcome(table, "t['s', 'b'] > 0", "confirmed") == Outcome::open);
    CHECK(outcome(table, "t['s', 'c'] > 0", "confirmed") == Outcome::open);
}

TEST_CASE("a record that was tampered with is contradicted") {
    const auto with_enclosure = [](const std::string& ends) {
        return quantity("v", "value", {{"formula", "exp(1)"}},
                        R"("values": {"value": 2.718281828459045}, "enclosures": {"value": )" + ends + "}");
    };
    CHECK(outcome(with_enclosure("[2.7182818284590446, 2.7182818284590460]"), "v.value > 2", "confirmed") ==
          Outcome::proved);
    CHECK(outcome(with_enclosure("[2.8, 2.9]"), "v.value > 2", "confirmed") == Outcome::contradicted);
    CHECK(outcome(with_enclosure("[-1e300, 1]"), "v.value > 2", "confirmed") == Outcome::contradicted);
    const std::string changed = quantity("v", "value", {{"formula", "exp(-1)"}});
    CHECK(outcome(changed, "v.value > 2", "confirmed") == Outcome::contradicted);
    CHECK(outcome("", "1 == 1", "undecided") == Outcome::contradicted);
}

TEST_CASE("a claim's verdict follows from its readings") {
    const auto claim = [](const std::string& verdict, const std::string& second) {
        return R"({"study": "s", "quantities": {}, "claims": [{"id": "C", "certified": true, "verdict": ")" + verdict +
               R"(", "readings": [{"name": "a", "certified": true, "verdict": "confirmed", "holds": "1 == 1"}, )" +
               second + "]}]}";
    };
    const std::string refuted = R"({"name": "b", "certified": true, "verdict": "refuted", "holds": "1 == 2"})";
    const std::string extra =
        R"({"name": "b", "certified": true, "extra": true, "verdict": "refuted", "holds": "1 == 2"})";
    const std::string open = R"({"name": "b", "certified": false, "verdict": "confirmed", "holds": "1 == 1"})";
    CHECK(recheck(claim("depends", refuted))[0].outcome() == Outcome::proved);
    CHECK(recheck(claim("confirmed", refuted))[0].outcome() == Outcome::contradicted);
    CHECK(recheck(claim("confirmed", extra))[0].outcome() == Outcome::proved);
    CHECK(recheck(claim("depends", extra))[0].outcome() == Outcome::contradicted);
    CHECK(recheck(claim("confirmed", open))[0].outcome() == Outcome::contradicted);
}

TEST_CASE("a file that is not a results.json is refused") {
    for (const char* text : {"", "{", "[]", "{}", R"({"quantities": {}, "claims": 3})"})
        CHECK_THROWS_AS(recheck(text), std::runtime_error);
}
