#include <farfield/core/record.hpp>

#include <catch2/catch.hpp>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace farfield::core;

TEST_CASE("every verdict has a name, and is found by it") {
    const std::pair<Verdict, std::string_view> names[] = {{Verdict::confirmed, "confirmed"},
                                                          {Verdict::refuted, "refuted"},
                                                          {Verdict::undecided, "undecided"},
                                                          {Verdict::depends, "depends"},
                                                          {Verdict::consistent, "consistent"},
                                                          {Verdict::reproduced, "reproduced"},
                                                          {Verdict::not_reproduced, "not reproduced"},
                                                          {Verdict::inconclusive, "inconclusive"},
                                                          {Verdict::mixed, "mixed"},
                                                          {Verdict::missing, "missing"},
                                                          {Verdict::skipped, "skipped"}};
    CHECK(std::size(names) == verdict_count);
    for (const auto& [verdict, name] : names) {
        CHECK(verdict_name(verdict) == name);
        CHECK(find_verdict(name) == verdict);
    }
    CHECK_FALSE(find_verdict("confirm"));
}

TEST_CASE("verdicts on trained models have other names, which map back to the plain ones") {
    for (const auto& [plain, scaled] : {std::pair(Verdict::confirmed, Verdict::reproduced),
                                        {Verdict::refuted, Verdict::not_reproduced},
                                        {Verdict::undecided, Verdict::inconclusive},
                                        {Verdict::depends, Verdict::mixed}}) {
        CHECK(at_scale(plain) == scaled);
        CHECK(without_scale(scaled) == plain);
        CHECK(at_scale(scaled) == scaled);
        CHECK(without_scale(plain) == plain);
    }
    for (const Verdict same : {Verdict::consistent, Verdict::missing, Verdict::skipped}) {
        CHECK(at_scale(same) == same);
        CHECK(without_scale(same) == same);
    }
}

TEST_CASE("a claim fails if its verdict differs from the one on record, or is unfavourable without a record") {
    const auto claim = [](std::optional<Verdict> expected, Verdict verdict) {
        ClaimRecord record;
        record.expected = expected;
        record.verdict = verdict;
        return record;
    };
    CHECK(claim(Verdict::refuted, Verdict::refuted).as_expected());
    CHECK_FALSE(claim(Verdict::refuted, Verdict::refuted).fails());
    CHECK_FALSE(claim(Verdict::refuted, Verdict::confirmed).as_expected());
    CHECK(claim(Verdict::refuted, Verdict::confirmed).fails());
    CHECK(claim(Verdict::refuted, Verdict::missing).as_expected());
    CHECK(claim(Verdict::refuted, Verdict::skipped).as_expected());
    CHECK_FALSE(claim(Verdict::refuted, Verdict::refuted).is_unstated());
    for (const Verdict good : {Verdict::confirmed, Verdict::consistent, Verdict::reproduced}) {
        CHECK(claim({}, good).is_unstated());
        CHECK_FALSE(claim({}, good).fails());
    }
    for (const Verdict bad : {Verdict::refuted, Verdict::undecided, Verdict::depends, Verdict::not_reproduced,
                              Verdict::inconclusive, Verdict::mixed})
        CHECK(claim({}, bad).fails());
    CHECK_FALSE(claim({}, Verdict::skipped).is_unstated());
    CHECK_FALSE(claim({}, Verdict::skipped).fails());
    ClaimRecord by_reading = claim(Verdict::confirmed, Verdict::confirmed);
    by_reading.readings.push_back({});
    by_reading.readings.back().expected = Verdict::refuted;
    by_reading.readings.back().verdict = Verdict::confirmed;
    CHECK_FALSE(by_reading.as_expected());
    CHECK(by_reading.fails());
}

namespace {

ReadingRecord reading(Verdict verdict, bool certified, bool by_definition = false, bool extra = false) {
    ReadingRecord record;
    record.name = "r";
    record.holds = "x < 1";
    record.verdict = verdict;
    record.certified = certified;
    record.by_definition = by_definition;
    record.extra = extra;
    return record;
}

BreakEven threshold(bool is_least, bool is_most, bool has_below, bool has_above, Verdict above) {
    BreakEven record{"t", "0.5", "0.25", "0.75", has_below ? "0.2499" : "", has_above ? "0.7501" : ""};
    record.is_least = is_least;
    record.is_most = is_most;
    record.verdict_below = Verdict::refuted;
    record.verdict_above = above;
    return record;
}

ClaimRecord claim_of(std::vector<ReadingRecord> readings, Verdict verdict, bool certified) {
    ClaimRecord record;
    record.readings = std::move(readings);
    record.verdict = verdict;
    record.certified = certified;
    return record;
}

}  // namespace

TEST_CASE("a threshold is reported with its ends, and the verdicts beyond them") {
    struct Row {
        bool certified, is_least, is_most, has_below, has_above;
        Verdict above;
        std::string_view text;
    };
    // What is not certified has ends that are about right; the ends that were asked for are no ends.
    const Row rows[] = {
        {true, true, true, false, false, Verdict::refuted, "confirmed for any t"},
        {true, false, true, true, false, Verdict::refuted, "confirmed for any t from 0.25 on, refuted at 0.2499"},
        {true, true, false, false, true, Verdict::refuted, "confirmed for any t up to 0.75, refuted at 0.7501"},
        {true, false, false, true, true, Verdict::refuted,
         "confirmed for t from 0.25 to 0.75, refuted at 0.2499 and at 0.7501"},
        {true, false, false, true, true, Verdict::undecided,
         "confirmed for t from 0.25 to 0.75, refuted at 0.2499, undecided at 0.7501"},
        {false, false, false, false, false, Verdict::refuted, "confirmed for t from about 0.25 to about 0.75"},
    };
    for (const Row& row : rows)
        CHECK(reading(Verdict::confirmed, row.certified)
                  .text_of(threshold(row.is_least, row.is_most, row.has_below, row.has_above, row.above)) == row.text);
    CHECK(reading(Verdict::confirmed, false, true).text_of(threshold(false, false, false, false, Verdict::refuted)) ==
          "confirmed for t from 0.25 to 0.75");
}

TEST_CASE("a claim is by definition or sensitive by its counted readings") {
    const ReadingRecord proved = reading(Verdict::confirmed, true), defined = reading(Verdict::confirmed, false, true);
    const ReadingRecord computed = reading(Verdict::confirmed, false);
    const ReadingRecord shown = reading(Verdict::confirmed, false, false, true);
    const ReadingRecord shown_definition = reading(Verdict::confirmed, false, true, true);
    const auto by_definition = [](std::vector<ReadingRecord> readings) {
        return claim_of(std::move(readings), Verdict::confirmed, false).is_by_definition();
    };
    CHECK_FALSE(by_definition({}));
    CHECK_FALSE(by_definition({proved}));
    CHECK(by_definition({defined}));
    CHECK(by_definition({proved, defined}));
    CHECK(by_definition({defined, proved}));
    CHECK_FALSE(by_definition({defined, computed}));
    CHECK(by_definition({defined, shown}));
    CHECK_FALSE(by_definition({proved, shown_definition}));

    ReadingRecord sensitive = proved;
    sensitive.break_even = {threshold(false, false, true, true, Verdict::refuted)};
    CHECK_FALSE(sensitive.is_sensitive());
    sensitive.break_even.push_back(sensitive.break_even.front());
    sensitive.break_even.back().sensitive = true;
    CHECK(sensitive.is_sensitive());
    CHECK(claim_of({proved, sensitive}, Verdict::confirmed, true).is_sensitive());
    sensitive.extra = true;
    CHECK_FALSE(claim_of({proved, sensitive}, Verdict::confirmed, true).is_sensitive());
}

TEST_CASE("the possible changes of a claim are those that its verdict rests on") {
    const std::string_view other = "Another reading of the sentence.";
    const std::string_view only =
        "Only another reading of the sentence: the numbers are proven, and no threshold was chosen.";
    const std::string_view unbounded =
        "A value without an error bound, if it is off by more than its distance to what it is compared with.";
    const std::string_view rest =
        "Evidence for the rest of the claim: the condition covers a part, and can refute alone.";
    const std::string_view defined =
        "Other numbers in the study: nothing was computed for what is decided by definition.";
    const std::string_view scale = "Models of another scale, or other seeds.";
    const auto all = [](std::initializer_list<std::string_view> sentences) {
        std::string text;
        for (const std::string_view each : sentences) text.append(text.empty() ? "" : " ").append(each);
        return text;
    };
    ReadingRecord bound = reading(Verdict::confirmed, true), open = reading(Verdict::undecided, false);
    bound.break_even = {threshold(false, false, true, true, Verdict::undecided)};
    ReadingRecord without = open;
    without.holds = "";
    const ReadingRecord proved = reading(Verdict::confirmed, true);
    const auto text = [](std::vector<ReadingRecord> readings, Verdict verdict, bool certified) {
        return claim_of(std::move(readings), verdict, certified).would_change();
    };
    CHECK(text({proved}, Verdict::confirmed, true) == only);
    CHECK(text({reading(Verdict::refuted, false)}, Verdict::refuted, false) == all({unbounded, other}));
    CHECK(text({bound}, Verdict::confirmed, true) == all({"t = 0.2499: refuted. t = 0.7501: undecided.", other}));
    CHECK(text({bound, proved}, Verdict::confirmed, true) ==
          all({"t = 0.2499: refuted (r). t = 0.7501: undecided (r).", other}));
    CHECK(text({proved, reading(Verdict::refuted, true)}, Verdict::depends, true) == "The choice among its readings.");
    CHECK(text({open}, Verdict::undecided, false) ==
          all({"Narrower values in the comparisons that are undecided, or values where there are none.", other}));
    CHECK(text({without}, Verdict::undecided, false) == all({"A number that the source does not give.", other}));
    CHECK(text({reading(Verdict::consistent, true), proved}, Verdict::consistent, true) == all({rest, only}));
    CHECK(text({reading(Verdict::confirmed, false, true)}, Verdict::confirmed, false) == all({defined, other}));
    CHECK(text({proved}, Verdict::missing, true).empty());
    // Readings that are shown and not counted change nothing.
    ReadingRecord shown = bound;
    shown.extra = true;
    CHECK(text({proved, shown}, Verdict::confirmed, true) == only);
    ClaimRecord trained = claim_of({reading(Verdict::not_reproduced, false)}, Verdict::not_reproduced, false);
    trained.scale = "4 layers";
    CHECK(trained.would_change() == all({scale, other}));
    trained.readings.front().verdict = trained.verdict = Verdict::inconclusive;
    CHECK(
        trained.would_change() ==
        all({"Narrower values in the comparisons that are undecided, or values where there are none.", scale, other}));
}
