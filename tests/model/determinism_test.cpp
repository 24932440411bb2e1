#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <farfield/model/optimiser.hpp>
#include <thread>

#include "model/model_support.hpp"

using namespace farfield;
using namespace farfield::model;

namespace {

/// Parameters after some steps of training.
std::vector<float> trained(const char* scheme, std::size_t threads, Precision precision = Precision::fp32) {
    Config config = tiny();
    config.precision = precision;
    Model<float> model(config, *scheme::Registry::builtin().find(scheme), 7);
    Workspace<float> workspace(threads);
    AdamW<float> optimiser(model.layout());
    std::vector<float> gradient(model.layout().size());
    const std::vector<Token> tokens = some_tokens(9 * 41, config.vocabulary);
    for (std::size_t step = 0; step < 5; ++step) {
        model.forward_backward(windows(tokens, 9, 40), workspace, gradient);
        const double norm = gradient_norm<float>(gradient, workspace);
        optimiser.step(model.parameters(), gradient, 1e-2, clip_factor(norm, 1), workspace);
    }
    return {model.parameters().begin(), model.parameters().end()};
}

bool same_bytes(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

}  // namespace

TEST_CASE("training gives the same bytes for any number of threads") {
    for (const char* scheme : {"alibi", "t5", "kerple-log", "xpos", "shaw"}) {
        const std::vector<float> alone = trained(scheme, 1);
        for (const float value : alone) REQUIRE(std::isfinite(value));
        CHECK(same_bytes(alone, trained(scheme, 2)));
        CHECK(same_bytes(alone, trained(scheme, 5)));
    }
    CHECK(same_bytes(trained("alibi", 1, Precision::bf16), trained("alibi", 3, Precision::bf16)));
}

TEST_CASE("the earlier use of a workspace does not change results") {
    const Config config = tiny();
    const Model<float> model(config, *scheme::Registry::builtin().find("kerple-log"), 7);
    Model<float> spoilt = model;
    for (float& parameter : spoilt.parameters().first(spoilt.layout().at("scheme.r1").offset)) parameter = NAN;
    const std::vector<Token> tokens = some_tokens(9 * 41, config.vocabulary);
    const auto gradient_in = [&](const Model<float>& one, Workspace<float>& workspace) {
        std::vector<float> gradient(one.layout().size());
        one.forward_backward(windows(tokens, 9, 40), workspace, gradient);
        return gradient;
    };
    Workspace<float> fresh(2);
    Workspace<float> used(2);
    REQUIRE(std::isnan(gradient_in(spoilt, used).front()));
    CHECK(same_bytes(gradient_in(model, fresh), gradient_in(model, used)));
}

TEST_CASE("models on separate threads do not affect each other") {
    const std::vector<float> expected = trained("kerple-log", 1);
    std::vector<std::vector<float>> found(4);
    std::vector<std::thread> threads;
    for (std::vector<float>& one : found) {
        threads.emplace_back([&one] { one = trained("kerple-log", 1); });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::vector<float>& one : found) CHECK(same_bytes(expected, one));
}

TEST_CASE("initial parameters equal those of another program that follows the documentation") {
    struct Known {
        const char* scheme;
        std::size_t layers, heads, width, ffn;
        bool post, tied;
        std::uint64_t seed;
        struct Ends {
            const char* name;
            double first, last;
        };
        std::vector<Ends> slices;
    };
    const std::vector<Known> known = {
#include "references/model/parameters.inc"
    };
    for (const Known& each : known) {
        Config config = tiny();
        config.layers = each.layers;
        config.heads = each.heads;
        config.width = each.width;
        config.ffn = each.ffn;
        config.norm = each.post ? Norm::post : Norm::pre;
        config.tied = each.tied;
        const Model<double> model(config, *scheme::Registry::builtin().find(each.scheme), each.seed);
        REQUIRE(model.layout().slices().size() == each.slices.size());
        for (std::size_t i = 0; i < each.slices.size(); ++i) {
            const Slice& slice = model.layout().slices()[i];
            INFO(each.scheme << " " << slice.name);
            CHECK(slice.name == each.slices[i].name);
            // Products of a root, a cosine and a deviation in two programs.
            CHECK(model.parameters()[slice.offset] == Approx(each.slices[i].first).epsilon(1e-14));
            CHECK(model.parameters()[slice.offset + slice.size() - 1] == Approx(each.slices[i].last).epsilon(1e-14));
        }
    }
}

TEST_CASE("every slice starts from its own normal numbers, scaled by the root of its number of inputs") {
    Config config = tiny();
    config.width = 64;
    config.layers = 3;
    const Model<double> model(config, *scheme::Registry::builtin().find("nope"), 7);
    std::vector<std::vector<double>> starts;
    for (const Slice& slice : model.layout().slices()) {
        if (!slice.decays) continue;
        INFO(slice.name);
        // docs/model.md: 0.5/sqrt(inputs), at the end of a branch over sqrt(2R).
        const bool ends_branch = slice.name.ends_with("attention.out.weight") || slice.name.ends_with("ffn.out.weight");
        const double deviation = 0.5 / std::sqrt(static_cast<double>(slice.shape[0]) * (ends_branch ? 2 * 3 : 1));
        std::vector<double> numbers;
        double squares = 0;
        for (const double each : model.parameters().subspan(slice.offset, slice.size())) {
            numbers.push_back(each / deviation);
            squares += numbers.back() * numbers.back();
        }
        // The mean of N squares of normal numbers has the deviation sqrt(2/N).
        const auto count = static_cast<double>(numbers.size());
        CHECK(std::fabs(squares / count - 1) < 5 * std::sqrt(2 / count));
        // Two rows of independent normal numbers correlate by about 1/sqrt(N).
        for (const std::vector<double>& other : starts) {
            const std::size_t both = std::min(numbers.size(), other.size());
            double products = 0;
            for (std::size_t i = 0; i < both; ++i) products += numbers[i] * other[i];
            CHECK(std::fabs(products) < 5 * std::sqrt(static_cast<double>(both)));
        }
        starts.push_back(std::move(numbers));
    }
    CHECK(starts.size() > 10);
}
