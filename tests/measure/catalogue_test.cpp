#include <catch2/catch.hpp>
#include <farfield/measure/kind.hpp>
#include <farfield/model/footprint.hpp>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "measure/measure_support.hpp"

using namespace measure_support;

TEST_CASE("every kind that is measured has a page that names its keys") {
    std::set<std::string_view> names;
    for (const measure::Kind& kind : measure::kinds()) {
        INFO("kind " << kind.name);
        CHECK(names.insert(kind.name).second);
        CHECK(measure::find_kind(kind.name) == &kind);
        CHECK_FALSE(kind.summary.empty());
        const std::filesystem::path page =
            std::filesystem::path(FARFIELD_SOURCE) / "docs/quantities" / (std::string(kind.name) + ".md");
        std::ostringstream text;
        text << std::ifstream(page).rdbuf();
        CHECK(text.str().find("# " + std::string(kind.name)) == 0);
        for (const core::Key& key : kind.keys) {
            INFO("key " << key.name);
            CHECK_FALSE(key.meaning.empty());
            CHECK(text.str().find("`" + std::string(key.name) + "`") != std::string::npos);
        }
    }
    CHECK(measure::find_kind("curve") == nullptr);
}

// What a pass takes is model::footprint()'s; the bytes beside it are counted by hand.
TEST_CASE("the memory of a measurement is that of a pass on each processor and of what it keeps") {
    using Shapes = std::vector<model::BatchShape>;
    struct Row {
        const char* kind;
        const char* toml;
        model::Work work;
        Shapes passes;
        double kept;  ///< bytes
    };
    const auto gradient = model::Work::input_gradient, losses = model::Work::losses;
    const Row rows[] = {
        // Numbers of 8 bytes for 40 inputs of 7 contexts and 3 seeds.
        {"gradient-field", "length = 40\ncontexts = 7", gradient, {{1, 40, 1}}, 8 * 40 * 7 * 3},
        // Matrices of 40 by 40 numbers of 4 bytes on each of 5 processors.
        {"attention-resolution", "length = 40", gradient, {{1, 40, 1}}, 4 * 40 * 40 * 5},
        {"attention-by-distance", "length = 40", gradient, {{1, 40, 1}}, 4 * 40 * 40 * 5},
        // Tokens of 4 bytes of 9 segments, one more than the longest has; as many rows as have 8192 tokens, or one.
        {"perplexity", "lengths = [40]\nsegments = 9", losses, {{204, 40, 1}}, 4 * 9 * 41},
        {"perplexity",
         "lengths = [40, 9000, 64]\nsegments = 9",
         losses,
         {{204, 40, 1}, {1, 9000, 1}, {128, 64, 1}},
         4 * 9 * 9001},
        {"loss-by-position", "length = 40\nsegments = 9", losses, {{204, 40, 1}}, 4 * 9 * 41},
        {"retrieval", "lengths = [200]\ncontexts = 9", losses, {{40, 200, 1}}, 4 * 9 * 201},
        {"learned", "", losses, {}, 0},
    };
    const train::Training training = training_of(*scheme::Registry::builtin().find("t5"), train::make_urn(8, 1));
    for (const Row& row : rows) {
        INFO(row.kind << ": " << row.toml);
        core::Problems problems;
        const auto prepared = measure::find_kind(row.kind)->prepare(scheme::read_toml(row.toml, "s.toml"), problems);
        REQUIRE(prepared);
        model::Footprints footprints;
        const std::string name = "t";
        const measure::Memory memory = prepared->memory({name, training, 3, 5, footprints});
        // Each length reuses the activations of the largest, and has tables of positions of its own.
        double activations = 0, packed = 0, gradients = 0, tables = 0;
        for (const model::BatchShape& shape : row.passes) {
            const model::Footprint one = model::footprint(training.config, training.scheme, row.work, shape);
            activations = std::max(activations, static_cast<double>(one.activations));
            packed = static_cast<double>(one.packed);
            gradients = static_cast<double>(one.gradients);
            tables += static_cast<double>(one.tables);
        }
        CHECK(train::total_bytes(memory.parts) == 5 * (activations + packed + gradients + tables) + row.kept);
    }
}
