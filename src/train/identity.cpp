// What a training's result depends on, as one digest.
#include <fmt/format.h>

#include <farfield/core/sha256.hpp>
#include <farfield/formula/printer.hpp>
#include <farfield/train/training.hpp>
#include <filesystem>

namespace farfield::train {

namespace {

/// Raised whenever the arithmetic of training changes, so that checkpoints from before are not taken for current ones.
constexpr int revision = 1;

std::string text_of(const std::optional<scheme::Piece>& piece) {
    if (!piece) return "-\n";
    const std::string when = piece->when ? " when " + formula::print(piece->when) : "";
    return formula::print(piece->formula) + when + "\n";
}

std::string text_of(const scheme::Scheme& scheme) {
    std::string text = text_of(scheme.bias) + text_of(scheme.mask) + text_of(scheme.temperature);
    text += fmt::format("{} {}\n", scheme.bias_scaled, scheme.causal);
    if (const auto& embed = scheme.embed)
        text += text_of(embed->even) + text_of(embed->odd) + fmt::format("{} {}\n", embed->learned, embed->max_length);
    if (const auto& rotate = scheme.rotate) {
        text += text_of(rotate->angle) + text_of(rotate->scale);
        text += fmt::format("{} {} {}\n", static_cast<int>(rotate->origin), static_cast<int>(rotate->pairs),
                            rotate->fraction);
    }
    for (const scheme::Learned& learned : scheme.learn) {
        text += fmt::format("{} {} {} {} {} {}\n", learned.name, learned.init, learned.positive, learned.per_layer,
                            learned.per_head, learned.size);
    }
    if (const auto& relative = scheme.relative)
        text += fmt::format("{} {} {}\n", relative->clip, relative->keys, relative->values);
    return text;
}

}  // namespace

std::string key_of(const Training& training) {
    const model::Config& config = training.config;
    std::string text = fmt::format("{}\n{} {} {} {} {} {} {} {}\n", revision, config.layers, config.heads, config.width,
                                   config.ffn_width(), config.vocabulary, config.train_length,
                                   static_cast<int>(config.norm), config.tied);
    text += text_of(training.scheme);
    text += training.source->identity() + "\n";
    text += fmt::format("{} {} {} {} {} {} {} {}\n", training.batch, training.accumulate, training.schedule.peak,
                        training.schedule.warm_up, training.schedule.steps, training.schedule.floor, training.clip,
                        training.seed);
    const model::AdamWSettings& optimiser = training.optimiser;
    text += fmt::format("{} {} {} {}\n", optimiser.beta1, optimiser.beta2, optimiser.epsilon, optimiser.decay);
    return core::sha256(text);
}

std::string checkpoint_path(const std::string& cache, const Training& training) {
    const std::string key = key_of(training);
    return (std::filesystem::path(cache) / "models" / key.substr(0, 2) / (key + ".safetensors")).string();
}

double operations_of(const Training& training) {
    const model::Config& config = training.config;
    const auto C = static_cast<double>(config.width);
    const auto layers = static_cast<double>(config.layers);
    const double block = layers * (4 * C * C + 2 * C * static_cast<double>(config.ffn_width()));
    const double weights = block + C * static_cast<double>(config.vocabulary);
    const double attention = layers * C * static_cast<double>(config.train_length);
    const double tokens = static_cast<double>(config.train_length * training.batch * training.accumulate);
    return 6 * (weights + attention) * tokens * static_cast<double>(training.schedule.steps);
}

}  // namespace farfield::train
