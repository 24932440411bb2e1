#include <farfield/core/record.hpp>

#include <catch2/catch.hpp>

#include <string_view>

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

TEST_CASE("what trained models decide has another name, and the plain one back") {
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

TEST_CASE("a claim fails that comes out otherwise than on record, or unfavourably without one") {
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
