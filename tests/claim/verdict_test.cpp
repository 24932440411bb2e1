#include <catch2/catch.hpp>

#include <farfield/formula/printer.hpp>

#include "claim/claim_support.hpp"

using namespace claim_support;
using core::Verdict;

namespace {

Verdict verdict(const std::string& holds) {
    return judge(holds).verdict;
}

bool certified(const std::string& holds) {
    return judge(holds).certified;
}

}  // namespace

TEST_CASE("a comparison of an enclosed value is decided where the enclosure lies on one side") {
    CHECK(verdict("fit.a < 0") == Verdict::confirmed);
    CHECK(verdict("fit.a > 0") == Verdict::refuted);
    CHECK(certified("fit.a < 0"));
    CHECK(certified("fit.a > 0"));
}

TEST_CASE("a comparison whose enclosure straddles the threshold is undecided and not certified") {
    CHECK(verdict("fit.a < -0.825") == Verdict::undecided);
    CHECK(verdict("fit.nll[64] < 2.5") == Verdict::undecided);
    CHECK_FALSE(certified("fit.nll[64] < 2.5"));
}

TEST_CASE("a value without an enclosure decides by its number but certifies nothing") {
    CHECK(verdict("fit.b < 0") == Verdict::confirmed);
    CHECK_FALSE(certified("fit.b < 0"));
    CHECK_FALSE(certified("fit.a < 0 and fit.b < 0"));
}

TEST_CASE("a censored value decides what its lower bound decides, and certifies nothing") {
    CHECK(verdict("fit.least > 40") == Verdict::confirmed);
    CHECK(verdict("fit.least < 48") == Verdict::refuted);
    CHECK(verdict("fit.least < 64") == Verdict::undecided);
    CHECK(verdict("fit.least == 48.5") == Verdict::undecided);
    CHECK_FALSE(certified("fit.least > 40"));
    CHECK(judge("fit.least > 40").readings[0].explain.starts_with("fit.least >= 48.5 (censored: 1 of 2 seeds)"));
}

TEST_CASE(
    "one part that certainly fails certifies an and, one that certainly holds an or, one point an all or exists") {
    CHECK(certified("fit.a > 0 and fit.b < 0"));
    CHECK(certified("fit.b < 0 and fit.a > 0"));
    CHECK(certified("fit.a > 0 and fit.gone < 3"));
    CHECK_FALSE(certified("fit.b > 0 and fit.a < 0"));
    CHECK_FALSE(certified("fit.b > 0 and fit.gone < 3"));
    CHECK(certified("fit.a < 0 or fit.b < 0"));
    CHECK(certified("fit.a < 0 or fit.gone < 3"));
    CHECK_FALSE(certified("fit.a > 0 or fit.b > 0"));
    CHECK(certified("not (fit.a > 0 and fit.b < 0)"));
    CHECK(certified("all(n, 0, 9, row[n] < 10 and fit.b < 0) or fit.a < 0"));
    CHECK_FALSE(certified("all(n, 0, 9, 'plain-row'[n] < 10)"));
    CHECK(certified("exists(n, 0, 9, row[n] == 4 or fit.b > 0)"));
}

TEST_CASE("any comparison with a missing value is undecided") {
    CHECK(verdict("fit.gone < 3") == Verdict::undecided);
    CHECK(verdict("fit.gone == fit.gone") == Verdict::undecided);
    CHECK(verdict("fit.gone <= inf") == Verdict::undecided);
    CHECK(verdict("not (fit.gone < 3)") == Verdict::undecided);
    CHECK(verdict("row[10] == 100") == Verdict::undecided);
    CHECK(verdict("all(n, 0, 10, row[n] <= inf)") == Verdict::undecided);
    CHECK(verdict("t1['b','1024'] > 1") == Verdict::undecided);
}

TEST_CASE("and, or and not are three-valued") {
    CHECK(verdict("fit.a < 0 and fit.gone < 3") == Verdict::undecided);
    CHECK(verdict("fit.a > 0 and fit.gone < 3") == Verdict::refuted);
    CHECK(verdict("fit.a < 0 or fit.gone < 3") == Verdict::confirmed);
    CHECK(verdict("fit.a > 0 or fit.gone < 3") == Verdict::undecided);
    CHECK(verdict("not fit.a > 0") == Verdict::confirmed);
}

TEST_CASE("rounds holds within half a unit of the last printed digit, ends included") {
    CHECK(verdict("rounds(fit.a, '-0.825')") == Verdict::confirmed);
    CHECK(verdict("rounds(fit.a, '-0.82')") == Verdict::undecided);  // -0.825 lies on the edge of [-0.825, -0.815]
    CHECK(verdict("rounds(fit.a, '-0.8')") == Verdict::confirmed);
    CHECK(verdict("rounds(fit.a, '-0.9')") == Verdict::refuted);
    CHECK(verdict("rounds(fit.points, '8.2e3')") == Verdict::confirmed);
    CHECK(verdict("rounds(fit.points, '8.1e3')") == Verdict::refuted);
    CHECK(verdict("rounds(fit.points, '8192')") == Verdict::confirmed);
    // Exactly half a unit away, in exact decimals: 42.65 rounds to 42.6 and to 42.7.
    CHECK(verdict("rounds(42.65, '42.6') and rounds(42.65, '42.7')") == Verdict::confirmed);
    CHECK(verdict("rounds(512/12, '42.6')") == Verdict::refuted);
    CHECK(verdict("rounds(512/12, '42.7')") == Verdict::confirmed);
}

TEST_CASE("exact numbers are compared exactly, even if they are not doubles") {
    CHECK(verdict("floor(512/12*10)/10 == 42.6") == Verdict::confirmed);
    CHECK(verdict("1/3 + 1/6 == 1/2") == Verdict::confirmed);
    CHECK(verdict("0.1 + 0.2 != 0.3") == Verdict::refuted);
    CHECK(verdict("(1/10)^3 == 0.001 and 7.5 % 0.1 == 0") == Verdict::confirmed);
    CHECK(verdict("all(n, 1, 9, row[n]/10 == n*n*0.1)") == Verdict::confirmed);
    CHECK(verdict("sin(1)^2 + cos(1)^2 == 1") == Verdict::confirmed);
    CHECK(certified("8192/3 + 1/6 == fit.points/3 + 1/6"));
}

TEST_CASE("about holds within the relative distance") {
    CHECK(verdict("about(fit.a, -0.8, 0.05)") == Verdict::confirmed);
    CHECK(verdict("about(fit.a, -0.8, 0.01)") == Verdict::refuted);
    CHECK(verdict("about(105, 100, 0.05)") == Verdict::confirmed);
}

TEST_CASE("a series is read at constant and at bound indexes") {
    CHECK(verdict("row[3] == 9") == Verdict::confirmed);
    CHECK(verdict("row.value[2 + 1] == 9") == Verdict::confirmed);
    CHECK(verdict("all(n, 0, 8, row[n + 1] > row[n])") == Verdict::confirmed);
    CHECK(verdict("all(n, 0, 8, row[n + 1] - row[n] < 17)") == Verdict::refuted);
    CHECK(verdict("exists(n, 0, 9, row[n] == 49)") == Verdict::confirmed);
    CHECK(verdict("exists(n, 0, 9, row[n] == 50)") == Verdict::refuted);
    CHECK(verdict("all(m, 0, 4, exists(n, 0, 9, row[n] == m*m))") == Verdict::confirmed);
    CHECK(verdict("sum(n, 0, 9, row[n]) == 285") == Verdict::confirmed);  // 9*10*19/6
    CHECK(verdict("row[row[3]] == 81") == Verdict::confirmed);
    CHECK(certified("all(n, 0, 8, row[n + 1] > row[n])"));
    CHECK_FALSE(certified("all(n, 0, 8, 'plain-row'[n + 1] > 'plain-row'[n])"));
    CHECK(verdict("all(n, 0, 8, 'plain-row'[n + 1] > 'plain-row'[n])") == Verdict::confirmed);
}

TEST_CASE("an empty range of numbers holds for all and for none") {
    CHECK(verdict("all(n, 4 + 1, 4, row[n] > 1e9)") == Verdict::confirmed);
    CHECK(verdict("exists(n, 4 + 1, 4, row[n] >= 0)") == Verdict::refuted);
}

TEST_CASE("a range that is empty because of results decides nothing, even next to other parts") {
    for (const char* holds : {"all(n, row[2] + 1, 4, row[n] > 1e9)", "exists(n, 5, row[2], row[n] >= 0)",
                              "all(n, row[2] + 0.5, row[2] + 0.7, row[n] > 1e9)",
                              "fit.a < 0 and not all(n, row[2] + 1, row[2], row[n] > 1e9)"})
        CHECK(verdict(holds) == Verdict::undecided);
    CHECK(judge("all(n, row[2] + 1, row[2], row[n] > 1e9)").readings[0].explain ==
          "all() is over no integer: n from 5 to 4");
    // Some of the inner ranges are empty.
    CHECK(verdict("all(m, 0, 2, all(n, 1, m, row[n] > 0))") == Verdict::confirmed);
    CHECK(verdict("all(n, row[2], row[2], row[n] == 16)") == Verdict::confirmed);
}

TEST_CASE("a published cell stands for every number that rounds to it") {
    CHECK(verdict("t1['a','512'] > t1['a','1024']") == Verdict::confirmed);
    CHECK(certified("t1['a','512'] > t1['a','1024']"));
    CHECK(verdict("t1['a','512'] == 5.5") == Verdict::undecided);
    CHECK(verdict("t1['a','512'] > 5.496") == Verdict::undecided);
    CHECK(verdict("printed(t1['a','512']) == 5.5") == Verdict::confirmed);
    CHECK(certified("printed(t1['a','512']) == 5.5"));
}

TEST_CASE("a field may be named with its index") {
    CHECK(verdict("fit.nll[128] > fit.nll[64]") == Verdict::confirmed);
}

TEST_CASE("thresholds given by name are substituted as decimals") {
    const Results results;
    const auto claim = with_condition("fit.points * share >= 819.2", "given = { share = 0.1 }\nbecause = 'a tenth'");
    const core::ClaimRecord record = claim::judge(claim, results.all);
    CHECK(record.verdict == Verdict::confirmed);
    CHECK(record.certified);
    CHECK(record.readings.at(0).because == "a tenth");
}

TEST_CASE("the claim's verdict follows from its counted readings") {
    const Results results;
    const auto combined = [&](const std::vector<std::string>& conditions, const std::string& last_more = {}) {
        std::string text = "[[claim]]\nid = 'X'\nsays = 's'\n";
        int at = 0;
        for (const std::string& each : conditions) {
            text += "[[claim.reading]]\nname = '" + std::to_string(at++) + "'\nholds = \"" + each + "\"\n";
        }
        return claim::judge(read(text + last_more), results.all);
    };
    const std::string yes = "fit.points > 1", no = "fit.points < 1", open = "fit.gone < 1";
    CHECK(combined({yes, yes}).verdict == Verdict::confirmed);
    CHECK(combined({no, no}).verdict == Verdict::refuted);
    CHECK(combined({yes, no}).verdict == Verdict::depends);
    CHECK(combined({yes, no, open}).verdict == Verdict::depends);
    CHECK(combined({yes, open}).verdict == Verdict::undecided);
    CHECK(combined({no, open}).verdict == Verdict::undecided);
    CHECK(combined({open}).verdict == Verdict::undecided);
    CHECK(combined({yes, no}, "extra = true\n").verdict == Verdict::confirmed);
    CHECK(combined({yes, no}).certified);
    CHECK_FALSE(combined({yes, open}).certified);
}

TEST_CASE("a claim is undecided if none of its readings counts") {
    const Results results;
    for (const char* holds : {"fit.points > 1", "fit.points < 1", "fit.gone < 1"}) {
        auto claim = with_condition(holds);
        claim.readings.front().extra = true;
        CHECK(claim::judge(claim, results.all).verdict == Verdict::undecided);
        CHECK_FALSE(claim::judge(claim, results.all).certified);
    }
}

TEST_CASE("a condition that covers a part of the claim refutes it or is consistent with it") {
    const Results results;
    const auto combined = [&](const std::string& first, const std::string& second) {
        return claim::judge(
            read("[[claim]]\nid = 'X'\nsays = 's'\n[[claim.reading]]\nname = 'a'\ncovers = 'part'\nholds = '" + first +
                 "'\n[[claim.reading]]\nname = 'b'\nholds = '" + second + "'\n"),
            results.all);
    };
    const std::string yes = "fit.points > 1", no = "fit.points < 1", open = "fit.gone < 1";
    CHECK(combined(yes, yes).readings.at(0).verdict == Verdict::consistent);
    CHECK(combined(yes, yes).readings.at(1).verdict == Verdict::confirmed);
    CHECK(combined(yes, yes).verdict == Verdict::consistent);
    CHECK(combined(yes, yes).certified);
    CHECK_FALSE(combined(yes, yes).fails());
    CHECK(combined(no, no).verdict == Verdict::refuted);
    CHECK(combined(yes, no).verdict == Verdict::depends);
    CHECK(combined(no, yes).verdict == Verdict::depends);
    CHECK(combined(yes, open).verdict == Verdict::undecided);
    CHECK(combined(open, yes).verdict == Verdict::undecided);
}

TEST_CASE("verdicts on trained models have the names of their scale, and are not certified") {
    Results results;
    results.fit.scale = "4 layers, width 64, 3 seeds";
    const auto judged = [&](const std::string& holds, const std::string& more = {}) {
        return claim::judge(with_condition(holds, more), results.all);
    };
    CHECK(judged("fit.a < 0").verdict == Verdict::reproduced);
    CHECK(judged("fit.a < 0").readings.at(0).verdict == Verdict::reproduced);
    CHECK(judged("fit.a < 0").scale == "4 layers, width 64, 3 seeds");
    CHECK_FALSE(judged("fit.a < 0").certified);
    CHECK_FALSE(judged("fit.a < 0").readings.at(0).certified);
    CHECK_FALSE(judged("fit.a < 0").fails());
    CHECK(judged("fit.a > 0").verdict == Verdict::not_reproduced);
    CHECK(judged("fit.gone > 0").verdict == Verdict::inconclusive);
    CHECK(judged("fit.a < 0", "covers = 'part'\n").verdict == Verdict::consistent);
    CHECK(judged("fit.a < 0", "[[claim.reading]]\nname = 'n'\nholds = 'fit.a > 0'\n").verdict == Verdict::mixed);
    // The row has no models behind it. A reading that is not counted leaves the claim as it is.
    CHECK(judged("row[3] == 9").verdict == Verdict::confirmed);
    CHECK(judged("row[3] == 9").scale.empty());
    const auto beside = judged("row[3] == 9", "[[claim.reading]]\nname = 'n'\nextra = true\nholds = 'fit.a < 0'\n");
    CHECK(beside.verdict == Verdict::confirmed);
    CHECK(beside.certified);
    CHECK(beside.readings.at(1).verdict == Verdict::reproduced);
}

TEST_CASE("a claim that waits is skipped and one that lacks something is missing") {
    const Results results;
    auto claim = with_condition("fit.a < 0");
    claim.waits_for = "training";
    CHECK(claim::judge(claim, results.all).verdict == Verdict::skipped);
    claim.lacks = "a device";
    CHECK(claim::judge(claim, results.all).verdict == Verdict::missing);
    CHECK(claim::judge(claim, results.all).as_expected());
}

TEST_CASE("a claim on a quantity that failed is undecided with the reason in every reading") {
    const Results results;
    auto claim = with_condition("fit.a < 0", "extra = true\n[[claim.reading]]\nname = 't'\nholds = 'fit.b < 0'\n");
    claim.failure = "needs 'fit', which failed: no points";
    const core::ClaimRecord judged = claim::judge(claim, results.all);
    CHECK(judged.verdict == Verdict::undecided);
    CHECK_FALSE(judged.certified);
    REQUIRE(judged.readings.size() == 2);
    for (const core::ReadingRecord& reading : judged.readings) {
        CHECK(reading.verdict == Verdict::undecided);
        CHECK(reading.explain == claim.failure);
    }
    claim.expected = Verdict::confirmed;
    CHECK(claim::judge(claim, results.all).fails());
}

TEST_CASE("a reading without a condition is undecided and shows its numbers") {
    const Results results;
    const auto claim =
        read("[[claim]]\nid='X'\nsays='s'\n[[claim.reading]]\nname='r'\nshows=['fit.a', 'fit.points/2']\n");
    const core::ClaimRecord record = claim::judge(claim, results.all);
    CHECK(record.verdict == Verdict::undecided);
    CHECK(record.readings.at(0).explain == "fit.a = -0.825 in [-0.82500001, -0.82499999]; fit.points/2 = 4096");
}

TEST_CASE("an explanation has every value used and both sides of the comparison") {
    CHECK(judge("fit.points / 2 < fit.b").readings.at(0).explain ==
          "fit.points = 8192 exactly; fit.b = -0.8 (no error bound); fit.points/2 < fit.b: 4096 < -0.8 fails");
    CHECK(judge("fit.gone > 1").readings.at(0).explain == "fit.gone does not exist; fit.gone > 1 is undecided");
    CHECK(judge("t1['a','512'] > 5").readings.at(0).explain ==
          "t1['a', '512'] = 5.50 as printed; t1['a', '512'] > 5 holds");
}

TEST_CASE("a side of a comparison is shown unless it is a number or a name, whose value is known") {
    // fit.b is -0.8. Left: the condition; right: the sides as numbers, empty where the condition itself says them.
    const std::vector<std::pair<std::string, std::string>> conditions = {
        {"fit.b > -1", ""},
        {"fit.b > -1.5", ""},
        {"-1 < fit.b", ""},
        {"fit.b < 3", ""},
        {"-1 < 2", ""},
        {"-fit.b > 0", ": 0.8 > 0"},
        {"fit.b < abs(3)", ": -0.8 < 3"},
        {"floor(3) > fit.b", ": 3 > -0.8"},
        {"abs(3) > floor(2)", ": 3 > 2"},
        {"fit.b > -abs(3)", ": -0.8 > -3"},
        {"fit.b + 1 > 0", ": 0.2 > 0"},
        {"row[2] > 3", ""},
        {"-row[2] < 3", ": -4 < 3"},
    };
    for (const auto& [condition, sides] : conditions) {
        const std::string explain = judge(condition).readings.at(0).explain;
        INFO(explain);
        CHECK(explain.ends_with(condition + sides + " holds"));
    }
}

TEST_CASE("the explanation of a refuted all() names the first counterexample") {
    const std::string explain = judge("all(n, 0, 9, row[n] < 10)").readings.at(0).explain;
    CHECK(explain.find("first fails at n = 4") != std::string::npos);
    CHECK(explain.find("row[4] = 16") != std::string::npos);
}

TEST_CASE("a quantifier over too many integers to try is decided at once, and its explanation has no sides") {
    CHECK(judge("all(n, 0, 10^7, n >= 0)").readings.at(0).explain == "all(n, 0, 10^7, n >= 0) holds");
}

TEST_CASE("the work of a condition is estimated with the upper ends of its values") {
    const Results results;
    const auto valued = [&](const std::string& holds) {
        return formula::print(claim::valued_conditions(with_condition(holds), results.all).at(0));
    };
    CHECK(valued("all(n, 0, fit.points, fit.nll[64] > fit.b - n)") == "all(n, 0, 8192, fit.nll[64] > -0.8 - n)");
    CHECK(valued("fit.a < fit.gone") == "-0.82499999 < fit.gone");
    CHECK(valued("row[3] < fit.unknown") == "row[3] < fit.unknown");
}
