#include <catch2/catch.hpp>

#include "claim/claim_support.hpp"

using namespace claim_support;
using core::Verdict;

namespace {

core::ReadingRecord judged(const std::string& holds, const std::string& threshold, const std::string& more = {}) {
    const Results results;
    const std::string keys = "given = { t = " + threshold + " }\nbecause = 'a test'\n" + more;
    return claim::judge(with_condition(holds, keys), results.all).readings.front();
}

std::string text(const std::string& holds, const std::string& threshold, const std::string& more = {}) {
    const core::ReadingRecord reading = judged(holds, threshold, more);
    REQUIRE(reading.break_even.size() == 1);
    return reading.text_of(reading.break_even.front());
}

bool is_sensitive(const std::string& holds, const std::string& threshold) {
    return judged(holds, threshold).is_sensitive();
}

}  // namespace

// The values are those of claim_support::Results: fit.points = 8192, fit.a = -0.825 within 1e-8, row[n] = n*n.
TEST_CASE("the break-even of a threshold is where the value it is compared with lies, to four digits") {
    CHECK(text("fit.points <= t", "10000") == "confirmed for any t from 8192 on, refuted at 8191");
    CHECK(text("fit.points < t", "10000") == "confirmed for any t from 8193 on, refuted at 8192");
    CHECK(text("fit.points <= t", "5000") == "refuted for any t up to 8191, confirmed at 8192");
    CHECK(text("row[1] > t", "0.12345") == "confirmed for any t up to 0.9999, refuted at 1");
    CHECK(text("all(n, 0, 9, row[n] <= t)", "100") == "confirmed for any t from 81 on, refuted at 80.99");
    CHECK(text("about(fit.points, 8000, t)", "0.5") == "confirmed for any t from 0.024 on, refuted at 0.02399");
}

TEST_CASE("a threshold of more than four digits has a break-even of four digits on either side") {
    CHECK(text("t >= 0.1234", "0.12345") == "confirmed for any t from 0.1234 on, refuted at 0.1233");
    CHECK(text("t > 0.12343", "0.12345") == "confirmed for any t from 0.12345 on, refuted at 0.1234");
    CHECK(text("t <= 0.1235", "0.12345") == "confirmed for any t up to 0.1235, refuted at 0.1236");
    CHECK(text("t < 0.12347", "0.12345") == "confirmed for any t up to 0.12345, refuted at 0.1235");
}

TEST_CASE("thresholds from 1e-280 to 1e280 have a break-even") {
    for (const char* threshold : {"1e-280", "1e280"}) CHECK(judged("fit.points > t", threshold).break_even.size() == 1);
    for (const char* threshold : {"9.999e-281", "1.001e280"})
        CHECK(judged("fit.points > t", threshold).break_even.empty());
}

TEST_CASE("a condition may hold between two values of its threshold, or at one") {
    CHECK(text("row[3] < t and t < fit.points", "100") ==
          "confirmed for t from 9.001 to 8191, refuted at 9 and at 8192");
    CHECK(text("row[3] == t", "9") == "confirmed for t from 9 to 9, refuted at 8.999 and at 9.001");
    CHECK(text("row[3] != t", "9") == "refuted for t from 9 to 9, confirmed at 8.999 and at 9.001");
}

TEST_CASE("a verdict that no threshold changes is reported as such") {
    CHECK(text("fit.points > 0 or row[3] < t", "1") == "confirmed for any t");
    CHECK(text("fit.points*t >= 0", "1") == "confirmed for any t");
}

TEST_CASE("the verdict is undecided for thresholds within the enclosure of a value") {
    CHECK(text("abs(fit.a) < t", "1") == "confirmed for any t from 0.8251 on, undecided at 0.825");
    CHECK(text("fit.nll[64] < t", "2.5") ==
          "undecided for t from about 2.4 to about 2.6, refuted at 2.399, confirmed at 2.601");
}

TEST_CASE("the ends of a verdict that is not certified are reported as approximate") {
    // The double -0.8 is a little below the decimal.
    CHECK(text("abs(fit.b) <= t", "1") == "confirmed for any t from about 0.8001 on, refuted at 0.8");
}

TEST_CASE("a part of a claim is consistent up to the break-even") {
    CHECK(text("fit.points <= t", "10000", "covers = 'part'\n") ==
          "consistent for any t from 8192 on, refuted at 8191");
}

TEST_CASE("a verdict that changes within a quarter of the threshold is sensitive") {
    CHECK(is_sensitive("row[10 - 8]*25 < t", "125"));   // 100 is 4/5 of 125
    CHECK(is_sensitive("row[2]*25 <= t", "133"));       // 99.99 is 0.7518 of 133
    CHECK_FALSE(is_sensitive("row[2]*25 < t", "134"));  // 100 is 0.746 of 134
    CHECK(is_sensitive("row[2]*25 <= t", "80"));        // 100 is 5/4 of 80
    CHECK_FALSE(is_sensitive("row[2]*25 <= t", "79"));
    CHECK_FALSE(is_sensitive("fit.points > 0 or row[3] < t", "1"));
}

TEST_CASE("a verdict holds up to each of its ends, and not beyond") {
    const char* conditions[] = {"fit.points <= t",
                                "abs(fit.a) < t",
                                "fit.nll[64] < t",
                                "row[3] < t and t < fit.points",
                                "all(n, 0, 9, row[n] <= t)",
                                "exists(n, 0, 9, row[n] == t)",
                                "t*t < 50",
                                "sin(t) < 0.5",
                                "abs(t - 3) <= 0.125"};
    for (const std::string condition : conditions) {
        for (const std::string threshold : {"0.003", "0.7", "2.5", "3", "81", "6000", "1e5"}) {
            const core::ReadingRecord reading = judged(condition, threshold);
            INFO(condition << " with t = " << threshold);
            REQUIRE(reading.break_even.size() == 1);
            const core::BreakEven& ends = reading.break_even.front();
            CHECK(judged(condition, ends.from).verdict == reading.verdict);
            CHECK(judged(condition, ends.to).verdict == reading.verdict);
            CHECK((ends.below.empty() || judged(condition, ends.below).verdict == ends.verdict_below));
            CHECK((ends.above.empty() || judged(condition, ends.above).verdict == ends.verdict_above));
            CHECK(ends.verdict_below != (ends.below.empty() ? Verdict::missing : reading.verdict));
            CHECK(ends.verdict_above != (ends.above.empty() ? Verdict::missing : reading.verdict));
        }
    }
}

TEST_CASE("each of two thresholds has a break-even while the other keeps its given value") {
    const Results results;
    const core::ReadingRecord reading =
        claim::judge(with_condition("fit.points*s <= t", "given = { s = 2, t = 20000 }\nbecause = 'a test'\n"),
                     results.all)
            .readings.front();
    REQUIRE(reading.break_even.size() == 2);
    CHECK(reading.text_of(reading.break_even[0]) == "confirmed for any s up to 2.441, refuted at 2.442");  // 20000/8192
    CHECK(reading.text_of(reading.break_even[1]) == "confirmed for any t from 16390 on, refuted at 16380");
}

TEST_CASE("a threshold that is a bound or an index, or is not positive, has no break-even") {
    CHECK(judged("all(n, 0, t, row[n] >= 0)", "9").break_even.empty());
    CHECK(judged("row[t] == 9", "3").break_even.empty());
    CHECK(judged("fit.a < t", "-0.5").break_even.empty());
    CHECK(judged("fit.a < t", "0").break_even.empty());
}
