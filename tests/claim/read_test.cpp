#include <catch2/catch.hpp>

#include <farfield/formula/parser.hpp>

#include "claim/claim_support.hpp"
#include "claim/expand.hpp"
#include "claim/reference.hpp"

using namespace claim_support;

namespace {

/// The messages of a text's first claim, each as "line: found; wanted".
std::vector<std::string> problems_of(const std::string& text) {
    const core::Entries file = scheme::read_toml(text, "study.toml");
    core::Problems problems;
    claim::read_claim(file.find("claim")->value.list()->front(), problems);
    std::vector<std::string> messages;
    for (const core::Diagnostic& each : problems.list())
        messages.push_back(std::to_string(each.place.line) + ": " + each.found);
    return messages;
}

using Messages = std::vector<std::string>;
const std::string head = "[[claim]]\nid = 'X'\nsays = 's'\n";

}  // namespace

TEST_CASE("a quantity's name ends at the first point outside brackets") {
    CHECK(claim::split("fit.a").quantity == "fit");
    CHECK(claim::split("fit[w=0.4].a").quantity == "fit[w=0.4]");
    CHECK(claim::split("fit[w=0.4].a").field == "a");
    CHECK(claim::split("fit[a[0.5]=0.1].b[0.2]").field == "b[0.2]");
    CHECK(claim::split("row").field.empty());
    CHECK(claim::split("[w=0.5].a").quantity == "[w=0.5]");
    CHECK(claim::split("[w=0.5].a").field == "a");
    CHECK(claim::split(".a").quantity.empty());
    CHECK(claim::split("a.").quantity == "a");
}

TEST_CASE("the variable of a reduction is bound only in its body") {
    const auto names = [](const std::string& text) {
        std::string found;
        for (const claim::Mention& mention : claim::mentions(formula::parse(text)))
            found += mention.reference.quantity + " ";
        return found;
    };
    CHECK(names("all(j, j, j, j < fit)") == "j j fit ");
    CHECK(names("all(j, 0, 1, j < fit) and j > 2") == "fit j ");
    CHECK(names("all(i, 0, 1, all(j, i, j, i < j and w[i] > i))") == "j w ");
    CHECK(names("pi + e < inf") == "");
}

TEST_CASE("half a unit of the last printed digit is an exact decimal") {
    CHECK(claim::half_unit("-0.825") == "5e-4");
    CHECK(claim::half_unit("12") == "5e-1");
    CHECK(claim::half_unit("1.50e3") == "5e0");
    CHECK(claim::is_decimal("-0.825"));
    CHECK(claim::is_decimal("5."));
    CHECK(claim::is_decimal("1e-3"));
    for (const char* text : {"1e+3", "2E4", "+7", "1e3", "12.5e-7", "1e9999", "1e-9999"})
        CHECK(claim::is_decimal(text));
    CHECK(claim::half_unit("1e+3") == "5e2");
    for (const char* text : {"", "-", ".", "1e", "1e+", "1e1+", "2+4", "162M", "1e99999", "1e-10000", "0x10", "1 2"})
        CHECK_FALSE(claim::is_decimal(text));
}

TEST_CASE("all problems of a claim are collected with their lines") {
    CHECK(problems_of(head) == Messages{"1: the claim has no reading"});
    CHECK(problems_of(head + "expect = 'perhaps'\n[[claim.reading]]\nname = 'r'\nholds = '1 <'\n").size() == 2);
    CHECK(problems_of(head + "[[claim.reading]]\nname = 'r'\nholds = \"rounds(a.b, 'about 3')\"\n") ==
          Messages{"6: the second argument of rounds() is not a printed number"});
    CHECK(problems_of(head + "[[claim.reading]]\nname = 'r'\nholds = 'fit.a'\n") ==
          Messages{"6: the condition is a number"});
    CHECK(problems_of(head + "[[claim.reading]]\nname = 'r'\n") ==
          Messages{"4: a reading has neither 'holds' nor 'shows'"});
    CHECK(problems_of(head + "given = { snug = 0.95 }\n[[claim.reading]]\nname = 'r'\nholds = 'fit.r2 > snug'\n") ==
          Messages{"5: a threshold in 'given' has no reason"});
}

TEST_CASE("the quantities of a claim are those its conditions mention, each once") {
    const auto claim = with_condition("fit.a < row[3] and 'x[w=4]'.b < fit.b and all(n, 0, 3, row[n] < pi)");
    CHECK(claim::quantities_of(claim) == Messages{"fit", "row", "x[w=4]"});
}

TEST_CASE("an unknown quantity is reported with the nearest") {
    core::Problems problems;
    claim::check_names(with_condition("fitt.a < 0"), {"fit", "row"}, problems);
    REQUIRE(problems.size() == 1);
    CHECK(problems.list()[0].found == "unknown quantity 'fitt'");
    CHECK(problems.list()[0].hint.find("Did you mean 'fit'?") != std::string::npos);
}

TEST_CASE("unknown fields, rows and columns and misused series are reported once results exist") {
    const Results results;
    const auto message = [&](const std::string& holds) {
        core::Problems problems;
        claim::check_fields(with_condition(holds), results.all, problems);
        return problems.empty() ? "" : problems.list()[0].found;
    };
    CHECK(message("fit.a < 0 and row[3] < 1 and fit.nll[64] > 1 and t1['a','512'] > 1") == "");
    CHECK(message("fit.aa < 0") == "'fit', a fit, has no field 'aa'");
    CHECK(message("fit.nll[65] < 0") == "'fit', a fit, has no field 'nll[65]'");
    CHECK(message("fit < 0") == "'fit', a fit, is not a single number");
    CHECK(message("row < 0") == "'row' is a series");
    CHECK(message("row[1,2] < 0") == "'row' has 2 indexes");
    CHECK(message("t1['c','512'] < 0") == "table 't1' has no row 'c'");
    CHECK(message("t1['a','513'] < 0") == "table 't1' has no column '513'");
    CHECK(message("t1['a',0] < 0") == "a cell of 't1' is asked for by a name and a number");
    CHECK(message("all(j, 0, 1, t1['a',j] < 0)") == "a cell of 't1' is asked for by a name and a number");
    CHECK(message("fit['a','b'] < 0") == "'fit' is not a table");
}

TEST_CASE("a quoted name without a field is the result's value") {
    Results results;
    core::Result yarn;
    yarn.name = "yarn-t";
    yarn.kind = "value";
    yarn.set("value", core::Cell::enclosed(1.2772, {1.2771, 1.2773}));
    results.all.push_back(&yarn);
    const auto claim = with_condition("rounds('yarn-t', '1.277')");
    CHECK(claim::quantities_of(claim) == Messages{"yarn-t"});
    const core::ClaimRecord record = claim::judge(claim, results.all);
    CHECK(record.verdict == core::Verdict::confirmed);
    CHECK(record.certified);
    CHECK(record.readings[0].explain.find("'yarn-t' = 1.2772") != std::string::npos);
}

TEST_CASE("an explanation names a swept quantity as the condition does") {
    Results results;
    core::Result profile;
    profile.name = "prof[mix=0.5]";
    profile.kind = "profile";
    profile.set("width", core::Cell::exact(12));
    results.all.push_back(&profile);
    const core::ClaimRecord record = claim::judge(with_condition("'prof[mix=0.5]'.width == 12"), results.all);
    CHECK(record.verdict == core::Verdict::confirmed);
    CHECK(record.readings[0].explain.find("'prof[mix=0.5]'.width = 12") != std::string::npos);
}

TEST_CASE("a threshold must be used, and its name must be unique and hide nothing") {
    const std::string because = "because = 'so'\n";
    const std::string reading = "[[claim.reading]]\nname = 'r'\nholds = 'fit.r2 > snug'\n";
    CHECK(problems_of(head + "given = { snug = 0.9 }\n" + because + reading).empty());
    CHECK(problems_of(head + "given = { snug = 0.9, snugg = 0.9 }\n" + because + reading) ==
          Messages{"4: the threshold 'snugg' is unused"});
    // What a reading declares again is its own; the claim's is then unused.
    CHECK(problems_of(head + "given = { snug = 0.9 }\n" + because + reading + "given = { snug = 0.8 }\n") ==
          Messages{"4: the threshold 'snug' is unused"});
    CHECK(problems_of(head + "given = { pi = 3 }\n" + because + "holds = 'fit.r2 > pi'\n").front() ==
          "4: 'pi' is a constant");
    CHECK(problems_of(head + "given = { t = 3 }\n" + because + "holds = 't > 1 and all(t, 0, 1, t < fit.r2)'\n") ==
          Messages{"6: the variable 't' hides a threshold"});
    CHECK(problems_of(head + because + "holds = 'fit.r2 > 0'\n") ==
          Messages{"4: 'because' gives the reason of thresholds, and there are none"});
}

TEST_CASE("thresholds and variables that hide quantities are found once the quantities are known") {
    const auto found = [](const std::string& text, const std::vector<std::string>& quantities) {
        core::Problems problems;
        claim::check_names(read(text), quantities, problems);
        Messages messages;
        for (const core::Diagnostic& each : problems.list()) messages.push_back(each.found);
        return messages;
    };
    const std::string text = head + "given = { row = 1 }\nbecause = 'so'\nholds = 'row > fit'\n";
    CHECK(found(text, {"fit", "other", "rowing", "arrow", "a[row]"}).empty());
    CHECK(found(text, {"fit", "row"}) == Messages{"the threshold 'row' hides a quantity"});
    CHECK(found(text, {"fit", "row[w=4]"}) == Messages{"the threshold 'row' hides a quantity"});
    CHECK(found(head + "holds = 'all(row, 0, 3, row < fit)'\n", {"fit", "row"}) ==
          Messages{"the variable 'row' hides a quantity"});
}

TEST_CASE("a claim must have a reading that counts, and no two readings of the same name") {
    const std::string extra = "[[claim.reading]]\nname = 'r'\nextra = true\nholds = 'fit > 1'\n";
    CHECK(problems_of(head + extra) == Messages{"1: every reading of the claim is extra"});
    CHECK(problems_of(head + "holds = 'fit > 1'\n[[claim.reading]]\nname = 'as printed'\nholds = 'fit > 2'\n") ==
          Messages{"4: the claim has 'holds' and readings", "5: two readings of the claim are named 'as printed'"});
}

TEST_CASE("a verdict on record must be one that the readings can give") {
    const std::string holds = "holds = 'fit > 1'\n", shows = "shows = 'fit'\n", part = "covers = 'part'\n";
    const auto found = [](const std::string& expect, const std::vector<std::string>& readings) {
        std::string text = head + "expect = '" + expect + "'\n";
        for (const std::string& each : readings)
            text += "[[claim.reading]]\nname = '" + std::to_string(text.size()) + "'\n" + each;
        return problems_of(text);
    };
    const auto never = [](const std::string& expect) { return Messages{"4: the claim can never be '" + expect + "'"}; };
    for (const char* expect : {"confirmed", "refuted", "reproduced", "not reproduced"}) {
        INFO(expect);
        CHECK(found(expect, {holds}).empty());
        CHECK(found(expect, {holds, holds}).empty());
        CHECK(found(expect, {holds, shows}) == never(expect));
        CHECK(found(expect, {holds, shows + "extra = true\n"}).empty());
    }
    for (const char* expect : {"undecided", "inconclusive"}) {
        INFO(expect);
        CHECK(found(expect, {shows}).empty());
        CHECK(found(expect, {holds}).empty());
    }
    for (const char* expect : {"depends", "mixed"}) {
        INFO(expect);
        CHECK(found(expect, {holds}) == never(expect));
        CHECK(found(expect, {holds, shows}) == never(expect));
        CHECK(found(expect, {holds, holds}).empty());
        CHECK(found(expect, {holds, holds, shows}).empty());
    }
    CHECK(found("confirmed", {holds + part}) == never("confirmed"));
    CHECK(found("confirmed", {holds + part, holds}) == never("confirmed"));
    CHECK(found("refuted", {holds + part}).empty());
    CHECK(found("consistent", {holds + part}).empty());
    CHECK(found("consistent", {holds}) == never("consistent"));
}

TEST_CASE("a verdict on record must follow from those that the readings expect") {
    const auto is_possible = [](const std::string& expect, const std::vector<std::string>& readings) {
        std::string text = head + "expect = '" + expect + "'\n";
        for (const std::string& each : readings) {
            text += "[[claim.reading]]\nname = '" + std::to_string(text.size()) + "'\nholds = 'fit > 1'\n";
            if (!each.empty()) text += "expect = '" + each + "'\n";
            if (each == "consistent") text += "covers = 'part'\n";
        }
        const Messages found = problems_of(text);
        CHECK((found.empty() || found == Messages{"4: the claim can never be '" + expect + "'"}));
        return found.empty();
    };
    for (const std::vector<std::string>& readings :
         std::vector<std::vector<std::string>>{{"confirmed"}, {""}, {"confirmed", ""}, {"reproduced", "reproduced"}})
        CHECK(is_possible("confirmed", readings));
    for (const char* other : {"refuted", "undecided", "not reproduced"})
        CHECK_FALSE(is_possible("confirmed", {"confirmed", other}));
    CHECK(is_possible("refuted", {"refuted", ""}));
    CHECK_FALSE(is_possible("refuted", {"confirmed"}));
    CHECK_FALSE(is_possible("refuted", {"", "consistent"}));
    CHECK(is_possible("consistent", {"consistent", "confirmed"}));
    CHECK_FALSE(is_possible("consistent", {"consistent", "refuted"}));
    CHECK(is_possible("depends", {"confirmed", "refuted", "undecided"}));
    CHECK(is_possible("depends", {"confirmed", ""}));
    CHECK(is_possible("mixed", {"consistent", "not reproduced"}));
    for (const char* same : {"confirmed", "refuted", "undecided"}) CHECK_FALSE(is_possible("depends", {same, same}));
    CHECK(is_possible("undecided", {"undecided", "confirmed"}));
    CHECK(is_possible("undecided", {"refuted", ""}));
    CHECK_FALSE(is_possible("undecided", {"confirmed"}));
    CHECK_FALSE(is_possible("undecided", {"confirmed", "refuted", "undecided"}));
}

TEST_CASE("missing keys of a claim are named") {
    CHECK(problems_of("[[claim]]\nsays = 's'\nholds = 'fit > 1'\n") == Messages{"1: the key 'id' is missing"});
    CHECK(problems_of("[[claim]]\nid = 'X'\nholds = 'fit > 1'\n") == Messages{"1: the key 'says' is missing"});
    CHECK(problems_of(head + "[[claim.reading]]\nholds = 'fit > 1'\n") == Messages{"4: the key 'name' is missing"});
    CHECK(problems_of("[[claim]]\nid = ' '\nsays = 's'\nholds = 'fit > 1'\n") == Messages{"2: 'id' is empty"});
    CHECK(problems_of(head + "holds = 'about(fit, 3, -0.1)'\n") ==
          Messages{"4: the third argument of about() is negative"});
    CHECK(problems_of(head + "holds = 'about(fit, 3, -fit)'\n").empty());
    CHECK(problems_of(head + "holds = 'printed(fit + 1) > 2'\n") == Messages{"4: printed() is given a formula"});
    // A cell by its numbers is a value of the table's series, of which nothing is kept as it was printed.
    CHECK(problems_of(head + "holds = 'all(i, 0, 1, printed(t[i, 0]) > 2)'\n") ==
          Messages{"4: printed() is given a cell by its numbers"});
}

TEST_CASE("an unused threshold of a reading is reported") {
    const std::string reading = "[[claim.reading]]\nname = 'r'\nholds = 'fit > 1'\nbecause = 'so'\n";
    CHECK(problems_of(head + reading + "given = { snug = 0.8 }\n") == Messages{"8: the threshold 'snug' is unused"});
    for (const char* shows : {"shows = 'snug'\n", "shows = 'fit/snug'\n"})
        CHECK(problems_of(head + reading + "given = { snug = 0.8 }\n" + shows) ==
              Messages{"8: the threshold 'snug' is unused"});
}

TEST_CASE("a row that a series lacks is reported with the existing rows") {
    const Results results;
    const auto problem = [&](const std::string& holds) {
        core::Problems problems;
        claim::check_fields(with_condition(holds), results.all, problems);
        return problems.empty() ? "" : problems.list()[0].found + "; " + problems.list()[0].wanted;
    };
    CHECK(problem("row[9] > 1") == "");
    CHECK(problem("row[10] > 1") == "'row' has no row at n = 10; n from 0 to 9");
    CHECK(problem("row[1/2] > 1") == "'row' has no row at n = 0.5; n from 0 to 9");
}

TEST_CASE("a loop that ends beyond the rows is reported, unless a condition may guard the row") {
    const Results results;
    const auto problems = [&](const std::string& holds) {
        core::Problems found;
        claim::check_fields(with_condition(holds), results.all, found);
        std::string text;
        for (const core::Diagnostic& each : found.list()) text += each.found + "; ";
        return text;
    };
    CHECK(problems("all(n, 0, 9, row[n] > 1)") == "");
    CHECK(problems("all(n, 0, 10, row[n] > 1)") == "'row' has no row at n = 10; ");
    CHECK(problems("exists(n, -1, 9, 2*row[n] > 1)") == "'row' has no row at n = -1; ");
    CHECK(problems("all(n, 0, 9, row[n] > row[n + 1])") == "'row' has no row at n = 10; ");
    // The right side is never needed at 10, or only with the left one.
    CHECK(problems("all(n, 0, 10, n > 9 or row[n] > 1)") == "");
    CHECK(problems("all(n, 0, 10, if(n > 9, 2, row[n]) > 1)") == "");
    // What the results say is not known before.
    CHECK(problems("all(n, 0, fit.points, row[n] > 1)") == "");
}
