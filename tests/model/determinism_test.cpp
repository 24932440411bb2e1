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

TEST_CASE("what a workspace was used for before leaves no trace") {
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

TEST_CASE("models on threads of their own do not disturb each other") {
    const std::vector<float> expected = trained("kerple-log", 1);
    std::vector<std::vector<float>> found(4);
    std::vector<std::thread> threads;
    for (std::vector<float>& one : found) {
        threads.emplace_back([&one] { one = trained("kerple-log", 1); });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::vector<float>& one : found) CHECK(same_bytes(expected, one));
}
