#include <catch2/catch.hpp>
#include <cmath>

#include "model/model_support.hpp"
#include "support/trials.hpp"

using namespace farfield;
using namespace farfield::model;

namespace {

/// Slopes by differences: (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12h, whose error is h^4 f^(5)/30 and whose rounding
/// error is about 1e-16/h. Weights enter gently and take h = 1e-3; a formula may oscillate fast in what it learns.
double difference(Model<double>& model, std::size_t index, double h, const Batch& batch, Workspace<double>& workspace) {
    std::vector<double> scratch(model.layout().size());
    double& parameter = model.parameters()[index];
    const double start = parameter;
    const auto loss = [&](double step) {
        parameter = start + step;
        std::vector<double> losses(batch.sequences * batch.length);
        model.losses(batch, workspace, losses);
        double total = 0;
        for (const double value : losses) total += value;
        parameter = start;
        return total / static_cast<double>(losses.size());
    };
    return (8 * (loss(h) - loss(-h)) - (loss(2 * h) - loss(-2 * h))) / (12 * h);
}

/// Checks up to `most` parameters of each slice.
void check_gradient(Model<double>& model, std::size_t length, std::size_t most) {
    const std::vector<Token> tokens = some_tokens(3 * (length + 1), model.config().vocabulary);
    const Batch batch = windows(tokens, 3, length);
    Workspace<double> workspace;
    std::vector<double> gradient(model.layout().size());
    model.forward_backward(batch, workspace, gradient);
    for (const Slice& slice : model.layout().slices()) {
        double error = 0;
        double size = 0;
        const std::size_t step = std::max<std::size_t>(1, slice.size() / most);
        for (std::size_t at = slice.offset; at < slice.offset + slice.size(); at += step) {
            const double h = slice.name.starts_with("scheme.") ? 1e-4 : 1e-3;
            const double expected = difference(model, at, h, batch, workspace);
            error += std::pow(gradient[at] - expected, 2);
            size += expected * expected;
        }
        // Slopes of what a softmax hardly sees drown in the rounding of the differences, about 1e-12.
        const double relative = std::sqrt(error) / std::max(std::sqrt(size), 1e-5);
        INFO(model.scheme().name << " " << slice.name << ": size " << std::sqrt(size) << ", relative error "
                                 << relative);
        CHECK(relative < 1e-6);
    }
}

void check_gradient(const scheme::Scheme& scheme, const Config& config, std::size_t length) {
    Model<double> model(config, scheme, 1);
    stir(model);
    check_gradient(model, length, 8);
}

const char* const learned_schemes = R"toml(
[scheme.alibi-rf-learned]
extends = "alibi-rf-exp"
params  = { delta = 0 }
learn   = { rho = { init = 5, positive = true, per = "head" } }

[scheme.learned-base]
learn  = { rate = { init = 0.7, per = ["layer", "head"] }, decay = { init = 0.1, positive = true, per = "model" } }
rotate = { angle = "p * rate^i", scale = "exp(-decay * p * (i + 1) / d)", pairs = "halves", fraction = 0.5 }

[scheme.scale-by-head]
learn  = { decay = { init = 0.1, positive = true, per = ["layer", "head"] } }
rotate = { angle = "p * 0.7^i", scale = "exp(-decay * h * layer * p / d)" }

[scheme.learned-far]
learn  = { rate = { init = 0.7, per = ["layer", "head"] }, gap = { init = 3, per = "layer" }, decay = { init = 0.01, positive = true }, sharp = { init = 0.2 } }
rotate = { angle = "p * rate^i", scale = "exp(-decay * p / d)", pairs = "halves", fraction = 0.5, far = { where = "n >= 4*h and (q + k + layer) % 5 != 0", query = "(p - gap) * rate^i", key = "p * (0.9*rate)^i" } }
temperature = "1 + sharp * log(1 + q)"

[scheme.far-by-distance]
learn  = { gap = { init = 30 } }
rotate = { angle = "p * 0.3^i", far = { where = "n >= 40", query = "(p - gap) * 0.3^i" } }
bias   = "-0.02 * n * h"

[scheme.learned-temperature]
learn       = { sharp = { init = 1.2, positive = true, per = "layer" } }
temperature = "1 + sharp * log(1 + q)"

[scheme.temperature-from-the-start]
learn       = { sharp = { init = 1.2, per = ["layer", "head"] } }
temperature = "sharp + 0.1 * q"

[scheme.zero-temperature]
learn       = { sharp = { init = 1.2, per = "head" } }
temperature = "sharp * log(1 + q)"
rotate      = { angle = "p * 0.3^i", fraction = 0.5 }

[scheme.not-by-distance]
learn = { a = { init = 0.3, per = "head" } }
bias  = "a * sin(q * 0.7) * k / (1 + q)"

[scheme.both-ways]
causal   = false
learn    = { a = { init = 0.3, per = "layer" } }
bias     = "-a * abs(n) + (n < 0 ? 0.5*a : 0)"
relative = { clip = 3, keys = true, values = true }

[scheme.learned-waves]
learn = { rate = { init = 0.8 } }
embed = { even = "sin(p * rate^i)", odd = "cos(p * rate^i)" }

[scheme.every-other]
mask = "n % 2 == 0 or n == 1"
bias = "-0.1 * n * h * layer"
bias_scaled = true

[scheme.by-head]
mask = "n < 2 * h + layer"
)toml";

}  // namespace

TEST_CASE("the gradient under every scheme of the catalogue is that of central differences") {
    for (const std::string& name : scheme::Registry::builtin().names()) {
        check_gradient(*scheme::Registry::builtin().find(name), tiny(), 12);
    }
}

TEST_CASE("learned names in any piece, masks by head and biases of q and k have exact gradients") {
    const scheme::Registry registry = registry_with(learned_schemes);
    for (const char* name :
         {"alibi-rf-learned", "learned-base", "scale-by-head", "learned-far", "learned-temperature", "zero-temperature",
          "not-by-distance", "both-ways", "learned-waves", "every-other", "by-head"}) {
        check_gradient(*registry.find(name), tiny(), 12);
    }
}

TEST_CASE("gradients are exact if heads fill whole vectors and are read in place") {
    Config config = tiny();
    config.width = 32;
    for (const char* name : {"nope", "alibi", "t5", "shaw", "rotary", "xpos", "blockwise"}) {
        check_gradient(*scheme::Registry::builtin().find(name), config, 72);
    }
}

TEST_CASE("gradients are exact over many tiles, for odd widths and for every shape of the model") {
    const scheme::Registry& registry = scheme::Registry::builtin();
    Config config = tiny();
    config.width = 10;
    config.ffn = 7;
    for (const Norm norm : {Norm::pre, Norm::post}) {
        for (const bool tied : {false, true}) {
            if (tests::is_sanitized && tied != (norm == Norm::post)) continue;
            config.norm = norm;
            config.tied = tied;
            check_gradient(*registry.find("kerple-log"), config, 150);
            check_gradient(*registry.find("shaw"), config, 70);
        }
    }
    check_gradient(*registry.find("blockwise"), config, 150);
    check_gradient(*registry_with(learned_schemes).find("both-ways"), config, 100);
    check_gradient(*registry_with(learned_schemes).find("not-by-distance"), config, 100);
    check_gradient(*registry_with(learned_schemes).find("temperature-from-the-start"), config, 64);
}

TEST_CASE("gradients are exact where tiles are of one rotation, of the other and of both") {
    // At length 150 and a distance of 40, tiles of 32 queries and 64 keys are of all three kinds.
    check_gradient(*registry_with(learned_schemes).find("far-by-distance"), tiny(), 150);
    Config config = tiny();
    config.width = 12;
    config.ffn = 7;
    config.heads = 1;
    check_gradient(*registry_with(learned_schemes).find("learned-far"), config, 100);
    config = tiny();
    config.width = 32;
    check_gradient(*registry_with(learned_schemes).find("far-by-distance"), config, 96);
}
