#include <catch2/catch.hpp>
#include <cmath>

#include "measure/measure_support.hpp"
#include "support/trials.hpp"

using namespace measure_support;

TEST_CASE("a step takes some time and memory, more of both for a longer row of one batch") {
    auto training = training_of(*scheme::Registry::builtin().find("alibi"), train::make_urn(8, 1));
    training.batch = 1;
    measure::Subject subject{"own", {training}, {}};
    const auto timed = [&] { return measured("timing", "lengths = [16, 512]\nrepeats = 5\n", subject); };
    auto result = timed();
    // Other work on the machine may disturb most of five steps, but not always.
    for (int attempt = 0; attempt < 8 && !(value(result, "step[512]") > value(result, "step[16]")); ++attempt)
        result = timed();
    CHECK(value(result, "step[16]") > 0);
    CHECK(value(result, "step[512]") > value(result, "step[16]"));
    CHECK(value(result, "bytes[512]") > value(result, "bytes[16]"));
    CHECK(value(result, "step_lo[16]") <= value(result, "step[16]"));
    CHECK(value(result, "step[16]") <= value(result, "step_hi[16]"));
    CHECK(result.find("ratio[16]") == nullptr);
}

TEST_CASE("a token from a cache takes less than one from a long context") {
    const auto training = training_of(*scheme::Registry::builtin().find("alibi"), train::make_urn(8, 1));
    const measure::Subject subject{"own", {training}, {}};
    const auto result = measured("timing", "lengths = [16, 1024]\nrepeats = 9\nwindow = 16\n", subject);
    // A thousand tokens through two layers against one: some hundred times the work.
    CHECK(value(result, "token[1024]") < value(result, "full_token[1024]"));
    CHECK(value(result, "full_token[16]") < value(result, "full_token[1024]"));
    CHECK(value(result, "token_lo[16]") <= value(result, "token_hi[16]"));
    CHECK(measured("timing", "lengths = [16]\nrepeats = 1\n", subject).find("token[16]") == nullptr);
}

TEST_CASE("two trainings are timed in turn, and one against itself takes as long") {
    const auto training = training_of(*scheme::Registry::builtin().find("alibi"), train::make_urn(8, 1));
    const measure::Subject subject{"own", {training}, {}};
    // Medians of 41 neighbours: a factor of two needs half of them disturbed alike, which a machine full of other work
    // does at times, but not always.
    double ratio = 0;
    for (int attempt = 0; attempt < 8 && !(ratio > 0.5 && ratio < 2); ++attempt) {
        const auto result = measured("timing", "lengths = [32]\nrepeats = 41\n", subject, &subject);
        CHECK(value(result, "against_bytes[32]") == value(result, "bytes[32]"));
        ratio = value(result, "ratio[32]");
    }
    CHECK(ratio > 0);
    // A sanitizer's own work is what would be timed.
    CHECK((farfield::tests::is_sanitized || (ratio > 0.5 && ratio < 2)));
}
