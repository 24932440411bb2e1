#include <catch2/catch.hpp>
#include <cmath>
#include <farfield/train/memory.hpp>
#include <fstream>

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

TEST_CASE("bytes are within a tenth of what a step adds to the memory of the process") {
    if (farfield::tests::is_sanitized) return;
    auto training = training_of(*scheme::Registry::builtin().find("alibi"), train::make_urn(8, 1));
    training.config.width = 640;  // arrays of 39 MB, which the allocator takes from the system and gives back
    training.config.train_length = 64;
    const measure::Subject subject{"own", {training}, {}};
    for (const std::size_t threads : {1, 2}) {
        std::ofstream("/proc/self/clear_refs") << 5;  // the peak from now on
        const double before = train::peak_bytes();
        const auto result = measured("timing", "lengths = [64]\nrepeats = 2\n", subject, nullptr, threads);
        const double bytes = value(result, "bytes[64]");
        const double grown = value(result, "peak[64]") - before;
        INFO(threads << " threads: " << bytes << " bytes, the process grew by " << grown);
        CHECK(grown < 1.1 * bytes);
        // Where the kernel does not forget the peak, earlier tests may have reached it already.
        CHECK((grown > 0.9 * bytes || before > bytes));
    }
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

TEST_CASE("one timed token has values, and as many tokens as there are at most are timed") {
    const auto training = training_of(*scheme::Registry::builtin().find("alibi"), train::make_urn(8, 1));
    const measure::Subject subject{"own", {training}, {}};
    for (const std::string repeats : {"1", "2", "16", "40"}) {
        INFO(repeats << " repeats");
        const auto result = measured("timing", "lengths = [1, 16]\nwindow = 4\nrepeats = " + repeats + "\n", subject);
        for (const std::string name : {"token", "full_token"}) {
            for (const std::string length : {"[1]", "[16]"}) {
                const double low = value(result, name + "_lo" + length), high = value(result, name + "_hi" + length);
                CHECK(low > 0);
                // The median of two is their mean, as is that of their quartiles; each is rounded a few times.
                if (repeats == "2") CHECK(std::abs(low + high - 2 * value(result, name + length)) <= 1e-15 * high);
                const bool is_one = repeats == "1" || length == "[1]";
                CHECK((value(result, name + "_lo" + length) == value(result, name + "_hi" + length)) == is_one);
            }
        }
    }
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

TEST_CASE("a step has about as many tokens as one of the training, and at least one row") {
    // 4 rows of 16 tokens are 64 tokens: 8 rows of 8, one row of 40 or 64, and one of 100.
    const auto training = training_of(*scheme::Registry::builtin().find("alibi"), train::make_urn(8, 1));
    const measure::Subject subject{"own", {training}, {}};
    const auto result = measured("timing", "lengths = [8, 16, 40, 64, 100]\nrepeats = 1\n", subject);
    for (const auto& [length, rows] : {std::pair(8, 8), {16, 4}, {40, 1}, {64, 1}, {100, 1}}) {
        INFO(length);
        train::Training own = training;
        own.config.train_length = static_cast<std::size_t>(length);
        own.batch = static_cast<std::size_t>(rows);
        CHECK(value(result, "bytes[" + std::to_string(length) + "]") == train::total_bytes(train::parts_of(own, 2)));
    }
}
