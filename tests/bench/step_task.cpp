#include <memory>
#include <random>

#include <farfield/core/diagnostic.hpp>
#include <farfield/model/model.hpp>
#include <farfield/model/optimiser.hpp>
#include <farfield/scheme/registry.hpp>
#include <farfield/scheme/toml.hpp>

#include "task.hpp"

namespace farfield::bench {

namespace {

/// A scheme of the catalogue, or one whose bias is the formula.
scheme::Scheme scheme_of(const std::string& text) {
    scheme::Registry registry = scheme::Registry::builtin();
    if (const scheme::Scheme* const known = registry.find(text)) return *known;
    core::Problems problems;
    const core::Entries entries = scheme::read_toml("[scheme.own]\n" + text, "bench.toml");
    registry.add(*entries.find("scheme")->value.entries(), problems);
    return *registry.find("own");
}

model::Config config_of(Arguments numbers) {
    model::Config config;
    config.layers = std::stoull(numbers[0]);
    config.width = std::stoull(numbers[1]);
    config.heads = std::stoull(numbers[2]);
    config.train_length = std::stoull(numbers[3]);
    return config;
}

/// Random bytes, the same at every step.
struct Training {
    model::Model<float> model;
    model::AdamW<float> optimiser;
    model::Workspace<float> workspace;
    std::vector<float> gradient;
    std::vector<model::Token> tokens;
    std::size_t sequences;
    std::size_t length;
    double loss = 0;

    Training(const model::Config& config, const scheme::Scheme& scheme, std::size_t batch, std::size_t threads)
        : model(config, scheme, 0),
          optimiser(model.layout()),
          workspace(threads),
          gradient(model.layout().size(), 0),
          sequences(batch),
          length(config.train_length) {
        std::mt19937 random(0);
        for (std::size_t i = 0; i < batch * (length + 1); ++i) {
            tokens.push_back(static_cast<model::Token>(random() % config.vocabulary));
        }
    }

    void step() {
        loss = model.forward_backward(model::windows(tokens, sequences, length), workspace, gradient);
        const double norm = model::gradient_norm<float>(gradient, workspace);
        optimiser.step(model.parameters(), gradient, 1e-3, model::clip_factor(norm, 1), workspace);
    }

    void evaluate(std::size_t last) {
        std::vector<float> losses(sequences * last);
        model.last_losses(model::windows(tokens, sequences, length), last, workspace, losses);
    }
};

}  // namespace

Task step_task(Arguments arguments) {
    model::Config config = config_of(arguments);
    if (arguments[7] == "bf16") config.precision = model::Precision::bf16;
    const auto training = std::make_shared<Training>(config, scheme_of(arguments[6]), std::stoull(arguments[4]),
                                                     std::stoull(arguments[5]));
    const std::size_t last = arguments.size() > 8 ? std::stoull(arguments[8]) : config.train_length;
    Task task;
    task.work["step"] = [training] { training->step(); };
    task.work["losses"] = [training, last] { training->evaluate(last); };
    task.values = [training] {
        return std::vector<double>{training->loss, static_cast<double>(training->workspace.bytes())};
    };
    return task;
}

}  // namespace farfield::bench
