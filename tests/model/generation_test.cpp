#include <catch2/catch.hpp>
#include <cmath>
#include <farfield/core/error.hpp>
#include <farfield/model/generation.hpp>

#include "model/model_support.hpp"
#include "support/worst.hpp"

using namespace farfield;
using namespace farfield::model;

namespace {

/// The largest difference of logits between a generator and the whole context given at once.
double worst_difference(const Model<double>& model, std::size_t length) {
    const std::vector<Token> tokens = some_tokens(length, model.config().vocabulary);
    Workspace<double> workspace;
    Generator<double> generator(model, length, length);
    std::vector<double> whole(model.config().vocabulary);
    double worst = 0;
    for (std::size_t p = 0; p + 1 < length; ++p) generator.step(tokens[p]);
    const std::span<const double> logits = generator.step(tokens.back());
    model.last_logits(tokens, workspace, whole);
    for (std::size_t v = 0; v < whole.size(); ++v) {
        const double difference = std::fabs(logits[v] - whole[v]);
        worst = tests::worse(worst, difference);
    }
    return worst;
}

}  // namespace

TEST_CASE("cached generation gives the logits of the whole context under every causal scheme") {
    for (const std::string& name : scheme::Registry::builtin().names()) {
        if (!scheme::Registry::builtin().find(name)->causal) continue;
        Model<double> model(tiny(), *scheme::Registry::builtin().find(name), 3);
        stir(model);
        INFO(name);
        CHECK(worst_difference(model, 40) < 1e-12);
    }
    const scheme::Registry registry = registry_with(
        "[scheme.shifted]\n"
        "rotate = { angle = 'p*0.3^i', far = { where = 'n >= 6 + h', query = '(p - 4)*0.3^i', key = 'p*0.31^i' } }\n");
    Model<double> shifted(tiny(), *registry.find("shifted"), 3);
    stir(shifted);
    CHECK(worst_difference(shifted, 40) < 1e-12);
    Config config = tiny();
    config.norm = Norm::post;
    config.tied = true;
    Model<double> model(config, *scheme::Registry::builtin().find("alibi"), 3);
    CHECK(worst_difference(model, 40) < 1e-12);
}

TEST_CASE("a sliding cache of w tokens is a window of w keys in each layer") {
    // With one layer nothing older than the window has an effect; the mask n < w says the same.
    Config config = tiny();
    config.layers = 1;
    core::Problems problems;
    const scheme::Scheme windowed = scheme::Registry::builtin().with_params("windowed", {{"w", "6"}}, {}, problems);
    const Model<double> masked(config, windowed, 3);
    const Model<double> plain(config, *scheme::Registry::builtin().find("nope"), 3);
    Generator<double> with_mask(masked, 30, 30);
    Generator<double> with_cache(plain, 6, 30);
    for (const Token token : some_tokens(30, config.vocabulary)) {
        const std::span<const double> a = with_mask.step(token);
        const std::span<const double> b = with_cache.step(token);
        for (std::size_t v = 0; v < a.size(); ++v) CHECK(std::fabs(a[v] - b[v]) < 1e-13);
    }
}

TEST_CASE("a generator refuses invalid sizes, tokens and steps beyond its length") {
    const Model<float> model(tiny(), *scheme::Registry::builtin().find("nope"), 3);
    CHECK_THROWS_AS(Generator<float>(model, 0, 5), core::PreconditionError);
    Generator<float> generator(model, 5, 1);
    CHECK_THROWS_AS(generator.step(-1), core::PreconditionError);
    generator.step(0);
    CHECK_THROWS_AS(generator.step(0), core::PreconditionError);
}
