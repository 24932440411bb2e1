// Every message about a claim: where, what was found, what is expected instead.
#include <catch2/catch.hpp>

#include "claim/claim_support.hpp"

using namespace claim_support;
using Messages = std::vector<std::string>;

namespace {

Messages texts_of(const core::Problems& problems) {
    Messages messages;
    for (const core::Diagnostic& each : problems.list()) {
        std::string message =
            std::to_string(each.place.line) + ":" + std::to_string(each.place.column) + ": " + each.found;
        for (const std::string& part : {each.wanted, each.hint})
            if (!part.empty()) message += "; " + part;
        messages.push_back(message);
    }
    return messages;
}

/// The messages of a claim with these lines, from line 4 on.
Messages told(const std::string& lines) {
    const core::Entries file = scheme::read_toml("[[claim]]\nid = 'X'\nsays = 's'\n" + lines, "study.toml");
    core::Problems problems;
    claim::read_claim(file.find("claim")->value.list()->front(), problems);
    return texts_of(problems);
}

/// The messages about the form of a claim with these lines, from line 4 on.
Messages idle(const std::string& lines) {
    const core::Entries file = scheme::read_toml("[[claim]]\nid = 'X'\nsays = 's'\n" + lines, "study.toml");
    core::Problems problems;
    const claim::FactsOf facts_of = [](const std::string& quantity) {
        return quantity == "c" ? std::vector<std::string>{"max >= min and share <= 1", "value[n] <= max",
                                                          "first == value[1/10] and count == 7",
                                                          "last == 'd'.value[4] and mean == 'd'.mean"}
                               : std::vector<std::string>();
    };
    // Only 'twin' has the settings of another quantity.
    const claim::SettingsOf settings_of = [](const std::string& quantity) {
        return quantity == "twin" ? "d" : quantity;
    };
    claim::check_form(claim::read_claim(file.find("claim")->value.list()->front(), problems), facts_of, settings_of,
                      problems);
    return texts_of(problems);
}

/// The messages about expected verdicts in a claim with these lines, from line 4 on, if `model` is trained.
Messages scales(const std::string& lines) {
    const core::Entries file = scheme::read_toml("[[claim]]\nid = 'X'\nsays = 's'\n" + lines, "study.toml");
    core::Problems problems;
    claim::check_scale(
        claim::read_claim(file.find("claim")->value.list()->front(), problems),
        [](const std::string& quantity) { return quantity == "model"; }, problems);
    return texts_of(problems);
}

const std::string reading = "[[claim.reading]]\nname = 'r'\n";

}  // namespace

TEST_CASE("errors of a claim are reported at their places") {
    const std::string given = "; a decimal number";
    CHECK(told("because = 'so'\nholds = 't < fit'\ngiven = { t = 1 }\n").empty());
    CHECK(told("because = 'so'\nholds = 't < fit'\ngiven = { t = 'a' }\n") ==
          Messages{"6:16: threshold 't' is a text" + given});
    CHECK(told("because = 'so'\nholds = 't < fit'\ngiven = { t = inf }\n") ==
          Messages{"6:15: threshold 't' is inf" + given});
    CHECK(told("because = 'so'\nholds = 't < fit'\ngiven = { t = 1, pi = 3 }\n").at(0) ==
          "6:18: 'pi' is a constant; another name");
    CHECK(told("because = 'so'\nholds = 't < fit'\ngiven = { t = 1, 'a b' = 3 }\n").at(0) ==
          "6:18: 'a b' cannot be used in a formula; letters, digits and underscores, no digit first");
    CHECK(
        told("because = 'so'\nholds = 't < fit'\ngiven = { t = 1, tt = 2 }\n") ==
        Messages{"6:18: the threshold 'tt' is unused; a name that a condition uses; known here: t. Did you mean 't'?"});
    CHECK(told("holds = 't < fit'\ngiven = { t = 1 }\n") ==
          Messages{"1:1: a threshold in 'given' has no reason; because = \"...\" next to it"});
    CHECK(told("holds = '1 < fit'\nbecause = 'so'\n") ==
          Messages{"5:1: 'because' gives the reason of thresholds, and there are none; thresholds in 'given', or the "
                   "text in 'comment'"});
    CHECK(told(reading + "holds = '1 < fit'\nbecause = 'so'\n").size() == 1);
    CHECK(told("holds = 'all(t, 0, 1, t < fit)'\ngiven = { t = 1 }\nbecause = 'so'\n").at(0) ==
          "4:10: the variable 't' hides a threshold; a name not yet in use");
    CHECK(told("holds = 'fit'\n") ==
          Messages{"4:10: the condition is a number; a condition: a comparison, rounds(), about(), all(), exists()"});
    CHECK(told("shows = 'fit < 1'\n") == Messages{"4:10: the formula is a condition; a number"});
    CHECK(told("shows = ['fit', 3]\n") == Messages{"4:17: 'shows' has an integer; a formula, or a list of formulas"});
    CHECK(told("shows = ['fit', 'fit.a + 1']\n").empty());
    CHECK(told("") == Messages{"1:1: the claim has no reading; [[claim.reading]] with a name and a condition 'holds'"});
    CHECK(told("reading = []\n").size() == 1);
    CHECK(told("reading = [3]\n").at(0) == "4:12: a reading is an integer; a table: [[claim.reading]]");
    CHECK(told(reading) ==
          Messages{"4:1: a reading has neither 'holds' nor 'shows'; holds = \"a condition\", or shows = "
                   "\"a number\" where nothing can decide it"});
    CHECK(told("[[claim.reading]]\nname = ' '\nholds = 'fit < 1'\n") == Messages{"5:9: 'name' is empty; a text"});
    CHECK(told(reading + "shows = 'fit'\nexpect = 'confirmed'\n") ==
          Messages{"7:11: a reading without 'holds' is undecided; expect = \"undecided\", or 'holds'"});
    for (const char* expect : {"undecided", "inconclusive"})
        CHECK(told(reading + "shows = 'fit'\nexpect = '" + expect + "'\n").empty());
    CHECK(told(reading + "holds = 'fit < 1'\n" + reading + "holds = 'fit < 2'\n") ==
          Messages{"7:1: two readings of the claim are named 'r'; a different name for each"});
    CHECK(told(reading + "holds = 'fit < 1'\nextra = true\n") ==
          Messages{"1:1: every reading of the claim is extra; a reading that counts"});
    core::Problems problems;
    claim::read_claim({3LL, {}, "3"}, problems);
    CHECK(texts_of(problems) == Messages{"0:0: a claim is an integer; a table: [[claim]]"});
}

TEST_CASE("an impossible verdict on record is reported with what would make it possible") {
    const auto expecting = [](const std::string& expect, const std::string& rest) {
        return told("expect = '" + expect + "'\n" + rest);
    };
    const std::string at = "4:11: the claim can never be '";
    const std::string holds = "holds = 'fit < 1'\n", shows = "shows = 'fit'\n";
    CHECK(expecting("depends", holds) == Messages{at + "depends'; two counted readings with 'holds'"});
    CHECK(expecting("refuted", shows) == Messages{at + "refuted'; 'holds' in every counted reading"});
    CHECK(expecting("confirmed", reading + holds + "covers = 'part'\n") ==
          Messages{at + "confirmed'; expect = \"consistent\", since a reading covers a part of the claim"});
    CHECK(expecting("consistent", holds) == Messages{at + "consistent'; covers = \"part\" in a counted reading"});
    CHECK(expecting("consistent", reading + holds + "covers = 'whole'\n").size() == 1);
    const std::string expects = "expect = 'confirmed'\n";
    CHECK(expecting("refuted", reading + holds + expects) ==
          Messages{at + "refuted'; a verdict that follows from those that its readings expect"});
    CHECK(expecting("consistent", reading + holds + "covers = 'part'\n" + expects) ==
          Messages{"9:11: a reading that covers a part of the claim is never 'confirmed'; expect = \"consistent\""});
    CHECK(told(reading + holds + "expect = 'consistent'\n") ==
          Messages{"7:11: a reading that covers the whole claim is never 'consistent'; expect = \"confirmed\", or "
                   "covers = \"part\""});
}

TEST_CASE("a claim repeats another one if text, source and conditions are equal") {
    const std::string first = "says = 's'\nsource = 'Eq. (1)'\nholds = 'fit > 1'\n";
    const auto repeats = [&](const std::string& second) {
        const core::Entries file =
            scheme::read_toml("[[claim]]\nid = 'X'\n" + first + "[[claim]]\nid = 'Y'\n" + second, "study.toml");
        core::Problems problems;
        std::vector<claim::Claim> claims;
        for (const core::Value& value : *file.find("claim")->value.list())
            claims.push_back(claim::read_claim(value, problems));
        claim::check_repeated(claims[1], {claims[0]}, problems);
        return texts_of(problems);
    };
    const Messages repeated = {
        "6:1: the claim 'Y' repeats the claim 'X'; another text, source or condition, or one claim"};
    CHECK(repeats(first) == repeated);
    CHECK(repeats("says = 's'\nsource = 'Eq. (1)'\nholds = 'fit>1'\n") == repeated);
    CHECK(repeats("says = 't'\nsource = 'Eq. (1)'\nholds = 'fit > 1'\n").empty());
    CHECK(repeats("says = 's'\nsource = 'Eq. (2)'\nholds = 'fit > 1'\n").empty());
    CHECK(repeats("says = 's'\nsource = 'Eq. (1)'\nholds = 'fit > 2'\n").empty());
    CHECK(repeats("says = 's'\nsource = 'Eq. (1)'\nshows = 'fit'\n").empty());
    // A reading may have another name.
    const std::string alone = "says = 's'\nsource = 'Eq. (1)'\n" + reading;
    CHECK(repeats(alone + "holds = 'fit > 1'\n") == repeated);
    CHECK(repeats(alone + "holds = 'fit > 1'\n[[claim.reading]]\nname = 'q'\nholds = 'fit > 2'\n").empty());
}

TEST_CASE("calls of rounds, about and printed are reported at their arguments") {
    const auto holds = [](const std::string& condition) { return told("holds = \"" + condition + "\"\n"); };
    CHECK(holds("rounds(fit, '1.5')").empty());
    CHECK(holds("rounds(fit)") == Messages{"4:10: rounds() has 1 arguments; rounds(x, 'printed')"});
    CHECK(holds("about(fit, 1)") == Messages{"4:10: about() has 2 arguments; about(x, y, relative)"});
    CHECK(holds("printed(fit, 1) < 2") == Messages{"4:10: printed() has 2 arguments; printed(x)"});
    CHECK(holds("rounds(fit, 1.5)") ==
          Messages{"4:22: the second argument of rounds() is not a printed number; a decimal in quotes, as the source "
                   "prints it: rounds(x, '-0.825')"});
    CHECK(holds("about(fit, 1, -0.1)") ==
          Messages{"4:24: the third argument of about() is negative; how far x may be from y, as a share of y above 0 "
                   "and at most 1"});
    CHECK(holds("about(fit, 1, 0)") ==
          Messages{"4:24: the third argument of about() is 0; x == y, or a share of y above 0 and at most 1"});
    CHECK(holds("about(fit, 1, 1)").empty());
    for (const char* zero : {"0", "1 - 1", "-0.0"})
        CHECK(
            holds("about(fit, " + std::string(zero) + ", 0.1)") ==
            Messages{"4:21: the second argument of about() is 0, of which every share is 0; a number other than 0, or "
                     "abs(x) <= a bound"});
    CHECK(holds("about(0, fit, 0.1)").empty());
    for (const char* large : {"1.5", "inf", "sqrt(4)", "exp(1/8)"})
        CHECK(holds("about(fit, 1, " + std::string(large) + ")") ==
              Messages{"4:24: the third argument of about() is above 1, so that x may have another sign than y; how "
                       "far x may be from y, as a share of y above 0 and at most 1"});
    CHECK(holds("about(fit, 1, sqrt(1/4))").empty());
    // Other problems of the argument are those of every formula.
    CHECK(holds("about(fit, 1, no_such(2))").size() == 1);
    CHECK(holds("about(fit, 1, 1 < 2)").size() == 1);
    CHECK(holds("printed(fit.a) < 2").front().starts_with("4:18: printed() is given a value, which nothing printed"));
    CHECK(holds("printed(2*fit) < 2") ==
          Messages{"4:18: printed() is given a formula; a cell of a table: printed(table['row', 'column'])"});
    CHECK(holds("printed(t1['a', '512']) < 2").empty());
}

TEST_CASE("a field that a quantity lacks is reported where it is used, with the existing fields") {
    const Results results;
    const auto fields = [&](const std::string& holds) {
        core::Problems problems;
        claim::check_fields(with_condition(holds), results.all, problems);
        Messages messages;
        for (const core::Diagnostic& each : problems.list()) {
            std::string message = each.found;
            for (const std::string& part : {each.wanted, each.hint})
                if (!part.empty()) message += "; " + part;
            messages.push_back(message);
        }
        return messages;
    };
    CHECK(fields("fit.a < fit.b").size() <= 1);
    CHECK(fields("fit.aa < 0").at(0).starts_with("'fit', a fit, has no field 'aa'; known here: "));
    CHECK(fields("fit < 0").at(0).starts_with("'fit', a fit, is not a single number; one of its fields; known here: "));
    CHECK(fields("row < 0") == Messages{"'row' is a series; one of its values: row[3]"});
    CHECK(fields("row[1, 2] < 0") == Messages{"'row' has 2 indexes; 1"});
    CHECK(fields("fit[1] < 0") == Messages{"'fit' is not a series; a quantity with a series"});
    CHECK(fields("t1['c', '512'] < 0").at(0).starts_with("table 't1' has no row 'c'; known here: a"));
    CHECK(fields("t1['a', '51'] < 0").at(0).starts_with("table 't1' has no column '51'; known here: "));
    CHECK(fields("t1['a'] < 0") == Messages{"a table has a row and a column; t1['row', 'column']"});
    CHECK(fields("t1['a', 'b', 'c'] < 0") == Messages{"a table has a row and a column; t1['row', 'column']"});
    CHECK(fields("fit['a', 'b'] < 0") ==
          Messages{"'fit' is not a table; a quantity of kind table before ['row', 'column']"});
    // The quantity itself is checked by its name before it is computed.
    CHECK(fields("none.a < 0").empty());
    core::Problems problems;
    claim::check_names(with_condition("none.a < 0"), {}, problems);
    REQUIRE(problems.list().size() == 1);
    CHECK(problems.list()[0].found == "unknown quantity 'none'");
    CHECK(problems.list()[0].wanted == "a quantity of the study; it has none");
    CHECK(problems.list()[0].hint.empty());
}

TEST_CASE("a missing row is reported with the existing rows, up to eight of them by value") {
    const auto problem = [](std::vector<double> points, const std::string& index) {
        core::Result row;
        row.name = "row";
        row.kind = "curve";
        std::vector<double> values(points.size(), 1);
        row.series =
            core::Series{{{"n", std::move(points), {}}, {"value", std::move(values), {}}}, core::Rigour::none, 1};
        core::Problems problems;
        claim::check_fields(with_condition("row[" + index + "] > 0"), {&row}, problems);
        return problems.empty() ? std::string() : problems.list()[0].found + "; " + problems.list()[0].wanted;
    };
    CHECK(problem({1, 2, 4}, "4").empty());
    CHECK(problem({1, 2, 4}, "3") == "'row' has no row at n = 3; n = 1, 2, 4");
    CHECK(problem({4, 1, 4, 2}, "3") == "'row' has no row at n = 3; n = 1, 2, 4");
    CHECK(problem({8, 7, 6, 5, 4, 3, 2, 1}, "9") == "'row' has no row at n = 9; n = 1, 2, 3, 4, 5, 6, 7, 8");
    CHECK(problem({9, 8, 7, 6, 5, 4, 3, 2, 1}, "0") == "'row' has no row at n = 0; n from 1 to 9");
    // 0.1 is meant by the double nearest to it, and that double's own decimal too.
    CHECK(problem({0.1}, "0.1").empty());
    CHECK(problem({0.1}, "0.1000000000000000055511151231257827021181583404541015625").empty());
    CHECK_FALSE(problem({0.1}, "0.10000000000000000000001").empty());
}

TEST_CASE("conditions that say nothing are reported, in every reading, as written") {
    const std::string itself = " compares an expression with itself; two sides that may differ";
    CHECK(idle("holds = 'fit.a <= fit.a'\n") == Messages{"4:10: 'fit.a <= fit.a'" + itself});
    CHECK(idle("because = 'so'\nholds = 'fit > t and fit > 1'\ngiven = { t = 1 }\n") ==
          Messages{"5:22: 'fit > 1' has no effect: the condition is the same without it; a condition without it"});
    CHECK(idle("holds = 'about(fit, fit, 0.1)'\n") ==
          Messages{"4:10: 'about(fit, fit, 0.1)' is true whatever the quantities are; a condition that may be false"});
    CHECK(idle("holds = \"printed(t['r', 'x']) == t['r', 'x']\"\n") ==
          Messages{"4:10: 'printed(t['r', 'x']) == t['r', 'x']'" + itself});
    CHECK(idle(reading + "holds = '1 == 1'\n" + "[[claim.reading]]\nname = 's'\nholds = 'fit > 1 or fit < 2'\n") ==
          Messages{"6:10: '1 == 1'" + itself,
                   "9:10: 'fit > 1 or fit < 2' is true whatever the quantities are; a condition that may be false"});
    CHECK(idle("holds = 'fit.a <= fit.b and 1024 == 2*512'\n").empty());
    const std::string always = " is true whatever the quantities are; a condition that may be false";
    for (const std::string holds :
         {"c.max >= c.min", "2*c.max + 1 > 2*c.min", "c.share < 2", "-c.min >= -c.max", "c.share[3] <= 1",
          "c.max[a] >= c.min[a]", "c.max >= c[3]", "c.value[3] <= c.max", "c[0.3] - c.max < 1", "c.first == c[0.1]",
          "c.count == 7", "c.last == d[4]", "c.mean <= d.mean", "c.count > 6"})
        CHECK(idle("holds = '" + holds + "'\n") == Messages{"4:10: '" + holds + "'" + always});
    CHECK(idle("holds = \"'c'.'share[h=1]' <= 1\"\n") == Messages{"4:10: ''c'.'share[h=1]' <= 1'" + always});
    for (const std::string holds :
         {"c.max > c.min", "d.max >= d.min", "c.max >= d.min", "c.max[1] >= c.min[2]", "c.shares <= 1", "c.share < 1",
          "c.max > c[3]", "c[3] >= c.min", "d[3] <= c.max", "c.first == c[0.2]", "c.first <= c[0.2]", "c.x[3] <= c.max",
          "d.count == 7", "c.last == d[5]"})
        CHECK(idle("holds = '" + holds + "'\n").empty());
}

TEST_CASE("quantities with the same settings are one") {
    const std::string hint = "; 'twin' has the settings of 'd', apart from keys on which its result does not depend.";
    CHECK(idle("holds = 'd[3] == twin[3]'\n") ==
          Messages{"4:10: 'd[3] == twin[3]' compares an expression with itself; two sides that may differ" + hint});
    CHECK(
        idle("holds = 'd.a > 0 and twin.a > 1'\n") ==
        Messages{"4:10: 'd.a > 0' has no effect: the condition is the same without it; a condition without it" + hint});
    CHECK(idle("holds = 'd[3] == twin[4]'\n").empty());
    CHECK(idle("holds = 'd.a > 0 and e.a > 0'\n").empty());
    CHECK(idle(reading + "holds = 'd > 1'\n[[claim.reading]]\nname = 's'\nholds = 'twin > 1'\n") ==
          Messages{"9:10: the condition is that of the reading 'r'; another condition, or one reading"});
    CHECK(idle("shows = 'd - twin'\n") ==
          Messages{"4:10: 'd - twin' is 0 whatever the quantities are; a formula that depends on them"});
}

TEST_CASE("what holds of every row holds in a loop over the rows") {
    const std::string always = " is true whatever the quantities are; a condition that may be false";
    CHECK(idle("holds = 'all(i, 0, 9, c[i] <= c.max)'\n") == Messages{"4:23: 'c[i] <= c.max'" + always});
    CHECK(idle("holds = 'all(i, 0, 9, all(j, 0, i, c[i - j] <= c.max))'\n") ==
          Messages{"4:36: 'c[i - j] <= c.max'" + always});
    CHECK(idle("holds = 'all(i, 1, 9, c[i] < c.max)'\n").empty());
    CHECK(idle("holds = 'all(i, 1, 9, c[i] <= c[0])'\n").empty());
}

TEST_CASE("a value may be beyond the doubles") {
    for (const char* holds :
         {"v > 1e599", "v > 1e300*1e300", "2^5000 < v", "v/2 > 1e308", "v < -1e600", "1/v < 1e-400"})
        CHECK(idle("holds = '" + std::string(holds) + "'\n").empty());
    CHECK(idle("holds = 'exp(v) > -1e-9'\n").size() == 1);
    CHECK(idle("holds = 'v*v >= 0'\n").size() == 1);
}

TEST_CASE("rounds() and about() are parts of a condition, reported as written") {
    const auto holds = [](const std::string& condition) { return idle("holds = \"" + condition + "\"\n"); };
    const std::string fails = " is false whatever the quantities are; a condition that may be true";
    const std::string rest = " has no effect: the condition is the same without it; a condition without it";
    for (const std::string condition :
         {"rounds(v, '1.4') and rounds(v, '1.9')", "about(v, 1.4, 0.1) and v > 9", "rounds(v, '-3') and v > 0"})
        CHECK(holds(condition) == Messages{"4:10: '" + condition + "'" + fails});
    CHECK(holds("rounds(v, '1.4') and rounds(v, '1.41')") == Messages{"4:10: 'rounds(v, '1.4')'" + rest});
    CHECK(holds("rounds(v, '1.4') or rounds(v, '1.41')") == Messages{"4:30: 'rounds(v, '1.41')'" + rest});
    CHECK(holds("rounds(v, '1.4') and v < 9") == Messages{"4:31: 'v < 9'" + rest});
    for (const char* condition : {"rounds(v, '1.4')", "rounds(v, '1.4') and rounds(w, '1.9')", "about(v, 1.4, 0.1)",
                                  "rounds(v, '1.4') and v > 1.4", "about(v, w, 0.1) and v > 9",
                                  "rounds(16000*v/1e9, '16.8') and rounds(2000*v/1e9, '2.10')"})
        CHECK(holds(condition).empty());
}

TEST_CASE("a threshold that no value of it affects is reported") {
    const auto holds = [](const std::string& condition) {
        return idle("because = 'so'\nholds = '" + condition + "'\ngiven = { g = 1 }\n");
    };
    for (const std::string condition : {"v > 1.0 + 0*g", "v + g > 1.0 + g", "v > 2*g - g - g"})
        CHECK(holds(condition) == Messages{"5:10: 'g' cancels out of '" + condition + "'; a condition without it"});
    for (const char* condition : {"v > g", "v*g > 1.0 + g", "about(v, 1.4, g)", "1/2 >= g", "v > g and w > 2*g",
                                  "100*12 == 1200 and 1200 >= g*512", "v > log(g)"})
        CHECK(holds(condition).empty());
}

TEST_CASE("a choice between equal conditions is reported") {
    CHECK(idle("holds = 'if(v > 1, v < 9, v < 9)'\n") ==
          Messages{"4:10: 'if(v > 1, v < 9, v < 9)' has the same value in both branches; that value alone, or branches "
                   "that differ"});
    CHECK(idle("holds = 'if(v > 1, v < 9, v < 8)'\n").empty());
}

TEST_CASE("a formula to show depends on the quantities that it mentions") {
    const auto shows = [](const std::string& formula) { return idle("shows = '" + formula + "'\n"); };
    CHECK(shows("v - v") == Messages{"4:10: 'v - v' is 0 whatever the quantities are; a formula that depends on them"});
    CHECK(shows("row[3] - row[3] + 2").size() == 1);
    CHECK(shows("w + 0*v") == Messages{"4:10: 'v' cancels out of 'w + 0*v'; a formula without it"});
    // Typed numbers alone repeat a computation of the source.
    for (const char* formula : {"v", "v - w", "row[3]/row[2]", "88.6*4096/1000", "8 + 7"})
        CHECK(shows(formula).empty());
}

TEST_CASE("expected verdicts have the names for formulas or for trained models") {
    const auto message = [](const std::string& place, bool is_trained, const std::string& found,
                            const std::string& wanted) {
        return Messages{place + ": the verdict of a condition " + (is_trained ? "on" : "without") +
                        " results of trained models is never '" + found + "'; expect = \"" + wanted + "\""};
    };
    const auto of = [](const std::string& verdict, const std::string& holds) {
        return "expect = '" + verdict + "'\nholds = '" + holds + "'\n";
    };
    // The table of docs/verdicts.md. `consistent` has one name.
    const std::vector<std::pair<std::string, std::string>> names = {
        {"confirmed", "reproduced"}, {"refuted", "not reproduced"}, {"undecided", "inconclusive"}};
    for (const auto& [plain, scaled] : names) {
        CHECK(scales(of(plain, "fit.a < 1")).empty());
        CHECK(scales(of(scaled, "fit.a < model.nll")).empty());
        CHECK(scales(of(scaled, "fit.a < 1")) == message("4:11", false, scaled, plain));
        CHECK(scales(of(plain, "fit.a < model.nll")) == message("4:11", true, plain, scaled));
    }
    CHECK(scales(reading + "covers = 'part'\n" + of("consistent", "model.nll < 1")).empty());
    // A reading that is not counted does not decide about the claim.
    const std::string extra = reading + "extra = true\nexpect = 'inconclusive'\nholds = 'model.nll < 1'\n";
    const std::string formulas =
        "[[claim.reading]]\nname = 'a'\nholds = 'fit.a < 1'\n"
        "[[claim.reading]]\nname = 'b'\nholds = 'fit.b < 1'\n";
    CHECK(scales("expect = 'depends'\n" + extra + formulas).empty());
    CHECK(scales("expect = 'mixed'\n" + extra + formulas) == message("4:11", false, "mixed", "depends"));
    CHECK(scales("expect = 'mixed'\n" + reading + "holds = 'model.nll < 1'\n" + formulas).empty());
    // A reading without a condition is about no results.
    CHECK(scales("expect = 'undecided'\n" + reading + "shows = 'model.nll'\nexpect = 'inconclusive'\n") ==
          message("8:11", false, "inconclusive", "undecided"));
}
