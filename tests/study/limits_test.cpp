// The numbers that the keys of models, trainings and corpora allow, and the defaults of those that are absent.
#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "study/body.hpp"
#include "study/models.hpp"
#include "study/study_support.hpp"

using namespace study_support;

namespace {

struct Range {
    const char* table;
    const char* key;
    const char* below;
    const char* least;
    const char* most = "";   // empty: no largest number
    const char* above = "";  // the next beyond it, or near it
};

// Sizes are limited by memory, shares by their meaning, steps by what a 32-bit number of them holds.
const std::vector<Range> ranges = {
    {"model", "layers", "0", "1", "1000", "1001"},
    {"model", "heads", "0", "1", "1000", "1001"},
    {"model", "width", "0", "1", "65536", "65537"},
    {"model", "ffn", "0", "1", "1048576", "1048577"},
    {"train", "length", "0", "1", "1048576", "1048577"},
    {"train", "batch", "0", "1", "65536", "65537"},
    {"train", "accumulate", "0", "1", "65536", "65537"},
    {"train", "steps", "0", "1", "1000000000", "1000000001"},
    {"train", "lr", "-1e-9", "0"},
    {"train", "warmup", "-1", "0"},
    {"train", "lr_end", "-0.001", "0", "1", "1.001"},
    {"train", "decay", "-1e-9", "0"},
    {"train", "beta2", "-1e-9", "0", "0.999999", "0.9999991"},
    {"train", "clip", "-1e-9", "0"},
    {"corpus", "held_out", "-0.001", "0", "0.9", "0.901"},
    {"corpus", "block", "1", "2"},
    {"corpus", "symbols", "1", "2", "65536", "65537"},
    {"corpus", "order", "0", "1", "20", "21"},
    {"corpus", "alpha", "9e-7", "1e-6", "1e6", "1000001"},
    {"corpus", "seed", "-1", "0"},
};

/// What is wanted in place of a number of the key, as a double prints it; all other problems are left out.
std::vector<std::string> wanted_of(const Range& range, const std::string& number) {
    const Folder folder;
    std::vector<std::string> wanted;
    try {
        read(folder, std::string("[") + range.table + ".x]\n" + range.key + " = " + number + "\n");
    } catch (const core::UserError& error) {
        for (const core::Diagnostic& each : error.diagnostics())
            if (each.place.line == 2 && each.found == "'" + std::string(range.key) + "' is " + number)
                wanted.push_back(each.wanted);
    }
    return wanted;
}

double number_in(const std::string& wanted, const std::string& start) {
    REQUIRE(wanted.starts_with(start));
    return std::stod(wanted.substr(start.size()));
}

}  // namespace

TEST_CASE("a number at the end of a key's range is accepted, and the next beyond is refused with the end") {
    for (const Range& range : ranges) {
        INFO(range.table << "." << range.key);
        const auto low = wanted_of(range, range.below);
        REQUIRE(low.size() == 1);
        CHECK(number_in(low[0], "at least ") == std::stod(range.least));
        // A rate of 0 is refused by what it would train, not by its range.
        for (const std::string& wanted : wanted_of(range, range.least)) CHECK(wanted == "a number above 0");
        if (*range.most == '\0') {
            CHECK(wanted_of(range, "1000000000").empty());
            continue;
        }
        CHECK(wanted_of(range, range.most).empty());
        const auto high = wanted_of(range, range.above);
        REQUIRE(high.size() == 1);
        CHECK(number_in(high[0], "at most ") == std::stod(range.most));
    }
}

namespace {

struct Default {
    const char* table;
    const char* line;   // as documented in docs/study.md
    const char* other;  // another value
    const char* corpus = "builtin = 'chain'\nsymbols = 4\n";
};

const std::vector<Default> defaults = {
    {"model", "ffn = 32", "ffn = 33"},  // 4 width
    {"model", "norm = 'pre'", "norm = 'post'"},
    {"model", "head = 'untied'", "head = 'tied'"},
    {"model", "precision = 'fp32'", "precision = 'bf16'"},
    {"train", "batch = 32", "batch = 31"},
    {"train", "accumulate = 1", "accumulate = 2"},
    {"train", "lr = 1e-3", "lr = 2e-3"},
    {"train", "warmup = 2", "warmup = 3"},  // a twentieth of the steps
    {"train", "lr_end = 0.1", "lr_end = 0.2"},
    {"train", "decay = 0.01", "decay = 0.02"},
    {"train", "beta2 = 0.999", "beta2 = 0.99"},
    {"train", "clip = 1", "clip = 2"},
    {"train", "seeds = [0]", "seeds = [1]"},
    {"corpus", "order = 2", "order = 3"},
    {"corpus", "alpha = 1", "alpha = 2"},
    {"corpus", "seed = 0", "seed = 1"},
    {"corpus", "symbols = 32", "symbols = 31", "builtin = 'urn'\n"},
    {"corpus", "symbols = 8", "symbols = 7", "builtin = 'chain'\n"},
    {"corpus", "symbols = 16", "symbols = 15", "builtin = 'copy'\n"},
    {"corpus", "split = 'block'", "split = 'document'", "files = ['long.txt']\n"},
    {"corpus", "held_out = 0.1", "held_out = 0.2", "files = ['text.txt']\nblock = 8\n"},
    {"corpus", "tokens = 'bytes'", "tokens = 'words.txt'", "files = ['text.txt']\nblock = 8\n"},
    {"corpus", "block = 65536", "block = 70000", "files = ['long.txt']\n"},
};

/// The digests of what the trainings depend on, with a line added to one of the study's tables.
std::vector<std::string> keys_with(const Default& each, const std::string& line) {
    const Folder folder;
    std::string letters;
    for (int i = 0; i < 1000; ++i) letters += static_cast<char>('a' + i * i % 26);
    folder.write("text.txt", letters);
    folder.write("words.txt", "a\nb\nab\n");
    std::string longer;
    for (int i = 0; i < 1000; ++i) longer += letters;
    folder.write("long.txt", longer);
    const auto table = [&](const std::string& name, const std::string& heading, const std::string& keys) {
        return "[" + name + "." + heading + "]\n" + keys + (name == each.table ? line + "\n" : "");
    };
    const std::string text =
        table("corpus", "c", each.corpus) + table("model", "m", "layers = 1\nheads = 2\nwidth = 8\n") +
        table("train", "t", "model = 'm'\nscheme = 'alibi'\ncorpus = 'c'\nlength = 8\nsteps = 40\n") +
        "[quantity.p]\nkind = 'perplexity'\nof = 't'\nlengths = [8]\n";
    study::Models models(read(folder, text).body(), {});
    return models.seed_keys("t");
}

}  // namespace

TEST_CASE("a default that is written out trains the same models, and another value others") {
    for (const Default& each : defaults) {
        INFO(each.line << " of " << each.corpus);
        const auto absent = keys_with(each, "");
        REQUIRE(absent.size() == 1);
        CHECK(keys_with(each, each.line) == absent);
        CHECK(keys_with(each, each.other) != absent);
    }
}
