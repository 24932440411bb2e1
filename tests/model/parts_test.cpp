// The parts that a model and its training are made of: schedule, norms, layout, memory, threads, masks, batches.
#include <catch2/catch.hpp>
#include <cmath>
#include <farfield/core/error.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/model/optimiser.hpp>
#include <functional>
#include <numbers>
#include <numeric>

#include "model/check_batch.hpp"
#include "model/mask_plan.hpp"
#include "model/memory.hpp"
#include "model/model_support.hpp"

using namespace farfield;
using namespace farfield::model;
using Catch::Contains;

TEST_CASE("the rate rises in equal steps to its peak, then falls along half a cosine to its floor and stays there") {
    const Schedule schedule{3, 4, 24, 0.2};
    for (std::size_t step = 0; step < 4; ++step) CHECK(schedule.rate(step) == 3 * static_cast<double>(step + 1) / 4);
    CHECK(schedule.rate(4) == 3);
    CHECK(schedule.rate(14) == Approx(3 * (0.2 + 0.8 / 2)).epsilon(1e-15));
    for (std::size_t step = 4; step < 24; ++step) {
        const double angle = std::numbers::pi * static_cast<double>(step - 4) / 20;
        CHECK(schedule.rate(step) == Approx(3 * (0.6 + 0.4 * std::cos(angle))).epsilon(1e-14));
    }
    CHECK(schedule.rate(24) == 3 * 0.2);
    CHECK(schedule.rate(1000) == 3 * 0.2);
    CHECK(Schedule{3, 0, 10, 0}.rate(0) == 3);
    CHECK(Schedule{3, 10, 10, 0.5}.rate(9) == 3);
    CHECK(Schedule{3, 10, 10, 0.5}.rate(10) == 1.5);
}

TEST_CASE("a gradient's norm is the root of its sum of squares, whatever its length and the number of threads") {
    for (const std::size_t count : {1, 7, 8, 9, 16383, 16384, 16385, 50000}) {
        std::vector<float> gradient(count);
        std::iota(gradient.begin(), gradient.end(), 1.0F);
        const auto n = static_cast<double>(count);
        for (const std::size_t threads : {1, 3}) {
            Workspace<float> workspace(threads);
            // Sums of whole numbers below 2^53 are exact.
            CHECK(gradient_norm<float>(gradient, workspace) == std::sqrt(n * (n + 1) * (2 * n + 1) / 6));
        }
    }
    CHECK(clip_factor(8, 2) == 0.25);
    CHECK(clip_factor(2, 2) == 1);
    CHECK(clip_factor(1, 2) == 1);
    CHECK(clip_factor(8, 0) == 1);
    CHECK(clip_factor(8, -1) == 1);
}

TEST_CASE("AdamW acts on every number of a slice alike, however long it is, and decays the slices that decay") {
    Layout layout;
    layout.add("long", {40000}, true);
    layout.add("short", {3}, false);
    std::vector<double> parameters(layout.size(), 2), gradient(layout.size(), 0.5);
    Workspace<double> workspace(2);
    AdamW<double> optimiser(layout, {0.9, 0.99, 0, 0.25});
    optimiser.step(parameters, gradient, 0.125, 1, workspace);
    // The first step: m/(1 - beta1) = g and v/(1 - beta2) = g^2, so that w falls by rate (1 + decay w).
    const Slice& decaying = layout.at("long");
    const Slice& other = layout.at("short");
    for (std::size_t i = 0; i < decaying.size(); ++i)
        CHECK(parameters[decaying.offset + i] == Approx(2 - 0.125 * (1 + 0.25 * 2)).epsilon(1e-14));
    for (std::size_t i = 0; i < other.size(); ++i)
        CHECK(parameters[other.offset + i] == Approx(2 - 0.125).epsilon(1e-14));
    CHECK(optimiser.steps() == 1);
    gradient.pop_back();
    CHECK_THROWS_WITH(optimiser.step(parameters, gradient, 1, 1, workspace), Contains("the size of the layout"));
    gradient.push_back(0);
    parameters.pop_back();
    CHECK_THROWS_WITH(optimiser.step(parameters, gradient, 1, 1, workspace), Contains("the size of the layout"));
}

TEST_CASE("slices begin at multiples of 16, one behind another, and are found by their names") {
    Layout layout;
    layout.add("a", {3, 5}, true);
    layout.add("b", {16}, false);
    layout.add("c", {}, false);
    layout.add("d", {2, 3, 4}, false);
    const std::size_t offsets[] = {0, 16, 32, 48};
    const std::size_t sizes[] = {15, 16, 1, 24};
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(layout.slices()[i].offset == offsets[i]);
        CHECK(layout.slices()[i].size() == sizes[i]);
    }
    CHECK(layout.size() == 80);
    CHECK(layout.parameters() == 15 + 16 + 1 + 24);
    CHECK(layout.find("b") == &layout.slices()[1]);
    CHECK(&layout.at("d") == &layout.slices()[3]);
    CHECK(layout.find("e") == nullptr);
    CHECK_THROWS_WITH(layout.at("e"), Contains("name is e"));
}

// Distances from 0 to the clip (docs/model.md), and from -clip where later keys are visible.
TEST_CASE("relative vectors are one for each distance up to the clip") {
    const scheme::Registry registry = registry_with(
        "[scheme.back]\nrelative = { clip = 3, keys = true, values = true }\n"
        "[scheme.both-ways]\ncausal = false\nrelative = { clip = 3, keys = true, values = true }\n");
    for (const auto& [name, vectors] : {std::pair<const char*, std::size_t>{"back", 4}, {"both-ways", 7}}) {
        INFO(name);
        const Model<float> model(tiny(), *registry.find(name), 1);
        for (const char* part : {"keys", "values"}) {
            const Slice& slice = model.layout().at(std::string("layers.1.relative.") + part);
            CHECK(slice.shape == std::vector<std::size_t>{vectors, 8});
        }
    }
}

TEST_CASE("memory grows to the requested size, is then zero, and is divided into parts at aligned addresses") {
    Memory<float> memory;
    CHECK(memory.size() == 0);
    float* const first = memory.require(100);
    CHECK(reinterpret_cast<std::uintptr_t>(first) % 64 == 0);
    for (std::size_t i = 0; i < 100; ++i) CHECK(first[i] == 0);
    first[99] = 7;
    CHECK(memory.require(50) == first);
    CHECK(memory.require(100)[99] == 7);
    CHECK(memory.size() == 100);
    CHECK(memory.require(101)[99] == 0);
    CHECK(memory.size() == 101);
    // 64 bytes are 16 floats.
    Carver<float> sizes(nullptr);
    for (const std::size_t count : {1, 16, 17, 0}) CHECK(sizes.take(count) == nullptr);
    CHECK(sizes.used() == 16 + 16 + 32);
    Carver<float> parts(memory.require(64));
    CHECK(parts.take(1) == memory.data());
    CHECK(parts.take(16) == memory.data() + 16);
    CHECK(parts.take(17) == memory.data() + 32);
    CHECK(parts.used() == 64);
}

TEST_CASE("a workspace has the threads that it was made with, at least one") {
    CHECK_THROWS_WITH(Workspace<float>(0), Contains("at least 1"));
    CHECK(Workspace<float>(3).threads() == 3);
}

TEST_CASE("a mask's tiles have the visible keys of its formula, and tiles without one are left out") {
    struct Case {
        const char* mask;  ///< empty: causal alone
        bool causal;
        std::function<bool(std::size_t, std::size_t)> shows;
    };
    const Case cases[] = {
        {"", true, [](std::size_t q, std::size_t k) { return k <= q; }},
        {"k <= q and q - k < 5", true, [](std::size_t q, std::size_t k) { return k <= q && q - k < 5; }},
        {"k <= q and q - k > 70", true, [](std::size_t q, std::size_t k) { return k + 70 < q; }},
        {"q - k < 5 and k - q < 3", false, [](std::size_t q, std::size_t k) { return q < k + 5 && k < q + 3; }},
        {"0 < 1", false, [](std::size_t, std::size_t) { return true; }},
        {"k <= q and (k < 3 or q % 7 == 2)", true,
         [](std::size_t q, std::size_t k) { return k <= q && (k < 3 || q % 7 == 2); }},
        {"q < 40 and k > 100", false, [](std::size_t q, std::size_t k) { return q < 40 && k > 100; }},
    };
    for (const Case& each : cases) {
        for (const std::size_t length : {1, 31, 32, 33, 64, 65, 170}) {
            INFO(each.mask << " of length " << length);
            const std::string text = each.mask;
            const MaskPlan plan(text.empty() ? nullptr : formula::parse(text), each.causal, length);
            std::size_t wrong = 0, tiles = 0;
            for (std::size_t query = 0; query < length; query += query_tile)
                for (std::size_t key = 0; key < length; key += key_tile) {
                    std::size_t seen = 0, first = key_tile, end = 0, rows = 0;
                    for (std::size_t q = query; q < std::min(length, query + query_tile); ++q, ++rows)
                        for (std::size_t k = key; k < std::min(length, key + key_tile); ++k) {
                            const MaskTile* const tile = plan.find(q, k);
                            const bool shows = each.shows(q, k);
                            wrong += (tile != nullptr && plan.visible(*tile, q - query, k - key)) != shows;
                            if (!shows) continue;
                            ++seen;
                            first = std::min(first, k - key);
                            end = std::max(end, k - key + 1);
                        }
                    const MaskTile* const tile = plan.find(query, key);
                    CHECK((tile != nullptr) == (seen > 0));
                    if (tile == nullptr) continue;
                    CHECK((tile->key == key && tile->begin == first && tile->end == end && tile->slot == tiles++));
                    CHECK((tile->bits == MaskTile::all_visible) == (seen == rows * key_tile));
                }
            CHECK(wrong == 0);
            CHECK(plan.tiles().size() == tiles);
            CHECK(plan.first().back() == tiles);
            CHECK(plan.first().size() == (length + query_tile - 1) / query_tile + 1);
        }
    }
    // Causal tiles are of two kinds but for the last rows.
    const MaskPlan causal(nullptr, true, 64 * 20);
    std::vector<std::uint32_t> kinds;
    for (const MaskTile& tile : causal.tiles())
        if (tile.bits != MaskTile::all_visible && std::find(kinds.begin(), kinds.end(), tile.bits) == kinds.end())
            kinds.push_back(tile.bits);
    CHECK(kinds == std::vector<std::uint32_t>{0, query_tile});
}

// docs/model.md: near vectors where the condition holds nowhere in a tile, far vectors where it holds everywhere, and
// both in mixed tiles.
TEST_CASE("a tile is of one rotation alone if all its visible pairs are") {
    constexpr std::size_t length = 150;
    const MaskPlan mask(nullptr, true, length);
    const FarPlan plan(formula::parse("q - k >= 40"), mask, length);
    std::size_t alike = 0, mixed = 0;
    for (std::size_t row = 0; row + 1 < mask.first().size(); ++row) {
        for (std::uint32_t t = mask.first()[row]; t < mask.first()[row + 1]; ++t) {
            const MaskTile& tile = mask.tiles()[t];
            std::size_t near = 0, far = 0;
            for (std::size_t q = row * query_tile; q < std::min(length, (row + 1) * query_tile); ++q) {
                for (std::size_t k = tile.key; k < std::min<std::size_t>(q + 1, tile.key + key_tile); ++k) {
                    const bool is_far = q - k >= 40;
                    CHECK(plan.holds(tile, q - row * query_tile, k - tile.key) == is_far);
                    ++(is_far ? far : near);
                }
            }
            const std::uint32_t found = plan.view().of(tile);
            CHECK((found == FarView::none) == (far == 0));
            CHECK((found == FarView::all) == (near == 0));
            ++(far == 0 || near == 0 ? alike : mixed);
        }
    }
    CHECK(alike > 0);
    CHECK(mixed > 0);
}

TEST_CASE("a batch that its tokens do not fill, and tokens outside the vocabulary, are refused") {
    Config config = tiny();
    const Slices slices = [&] {
        Layout layout;
        return make_slices(config, *scheme::Registry::builtin().find("learned-absolute"), layout);
    }();
    std::vector<Token> inputs(23, 0), targets(23, 10);
    const auto check = [&](std::size_t sequences, std::size_t length, std::size_t stride) {
        check_batch("f", config, slices, {inputs, targets, sequences, length, stride});
    };
    CHECK_NOTHROW(check(2, 11, 12));
    CHECK_NOTHROW(check(2, 11, 0));
    CHECK_NOTHROW(check(3, 7, 8));
    CHECK_NOTHROW(check(1, 23, 0));
    CHECK_THROWS_WITH(check(2, 12, 0), Contains("inputs and targets for all sequences: 24"));
    CHECK_THROWS_WITH(check(2, 12, 11), Contains("inputs and targets for all sequences: 23"));
    CHECK_THROWS_WITH(check(0, 5, 0), Contains("at least 1"));
    CHECK_THROWS_WITH(check(1, 0, 0), Contains("at least one token"));
    targets.pop_back();
    CHECK_THROWS_WITH(check(2, 11, 12), Contains("inputs and targets for all sequences: 23"));
    targets.push_back(10);
    for (const Token wrong : {-1, 11}) {
        // Between two sequences nothing is read.
        inputs[11] = targets[11] = wrong;
        CHECK_NOTHROW(check(2, 11, 12));
        CHECK_THROWS_WITH(check(2, 11, 11), Contains("batch.inputs") && Contains("below the vocabulary, 11"));
        inputs[11] = 0;
        if (wrong == ignored) continue;
        CHECK_THROWS_WITH(check(2, 11, 11), Contains("batch.targets") && Contains("below the vocabulary, 11"));
    }
    targets.assign(23, 10);
    targets[0] = targets[11] = targets[12] = ignored;
    CHECK_NOTHROW(check(2, 11, 12));
    CHECK(counted_targets({inputs, targets, 2, 11, 12}) == 20);
    CHECK(counted_targets({inputs, targets, 2, 11, 0}) == 19);
    CHECK(counted_targets({inputs, targets, 1, 11, 0}) == 10);
    CHECK_NOTHROW(check_length("f", slices, slices.max_length));
    CHECK_THROWS_WITH(check_length("f", slices, slices.max_length + 1), Contains("max_length"));
}
