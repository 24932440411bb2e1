// The digest of everything on which a training's result depends.
#include <fmt/format.h>

#include <farfield/core/sha256.hpp>
#include <farfield/formula/printer.hpp>
#include <farfield/formula/tree.hpp>
#include <farfield/scheme/context.hpp>
#include <farfield/train/training.hpp>
#include <filesystem>
#include <optional>

namespace farfield::train {

namespace {

/// Increased whenever the arithmetic of training changes, so that older checkpoints are not used.
constexpr int revision = 5;

/// Whether a condition holds at the training length, if lengths alone decide it.
std::optional<bool> holds_in_training(const scheme::Scheme& scheme, const formula::Node& condition, double length) {
    for (const std::string& name : formula::free_names(condition))
        if (name != "L" && name != "Ltr") return std::nullopt;
    scheme::Context context;
    context.length = context.train_length = length;
    const scheme::Piece switched{formula::make_number(1), condition, {}};
    const std::string text = formula::print(scheme::in_context(scheme, switched, context, "0"));
    return text == "1" ? std::optional(true) : text == "0" ? std::optional(false) : std::nullopt;
}

/// A formula at the training length: choices that depend only on lengths are replaced by the selected branch. Nothing
/// else is simplified, because equal formulas may differ in their last digits.
formula::Node in_training(const scheme::Scheme& scheme, const formula::Node& tree, double length) {
    if (tree->kind == formula::Kind::operation && tree->op == formula::Op::select)
        if (const auto holds = holds_in_training(scheme, tree->children[0], length))
            return in_training(scheme, tree->children[*holds ? 1 : 2], length);
    auto taken = std::make_shared<formula::Tree>(*tree);
    for (formula::Node& child : taken->children) child = in_training(scheme, child, length);
    return taken;
}

/// The formulas of a scheme at the training length, without parts that only apply to longer inputs.
class Description {
public:
    Description(const scheme::Scheme& scheme, double length) : scheme_(scheme), length_(length) {}

    std::string text() const {
        std::string text = of(scheme_.bias) + of(scheme_.mask) + of(scheme_.temperature);
        text += fmt::format("{} {}\n", scheme_.bias_scaled, scheme_.causal);
        if (const auto& embed = scheme_.embed)
            text += of(embed->even) + of(embed->odd) + fmt::format("{} {}\n", embed->learned, embed->max_length);
        if (const auto& rotate = scheme_.rotate) {
            text += of(rotate->angle) + of(rotate->scale);
            if (const auto& far = rotate->far) text += "far " + of(far->where) + of(far->query) + of(far->key);
            if (rotate->values) text += formula::print(rotate->values) + "\n";
            text += fmt::format("{} {} {}\n", static_cast<int>(rotate->origin), static_cast<int>(rotate->pairs),
                                rotate->fraction);
        }
        for (const scheme::Learned& learned : scheme_.learn) {
            text += fmt::format("{} {} {} {} {} {}\n", learned.name, learned.init, learned.positive, learned.per_layer,
                                learned.per_head, learned.size);
        }
        if (const auto& relative = scheme_.relative)
            text += fmt::format("{} {} {}\n", relative->clip, relative->keys, relative->values);
        return text;
    }

private:
    std::string of(const std::optional<scheme::Piece>& piece) const {
        if (!piece) return "-\n";
        const std::optional<bool> acts = piece->when ? holds_in_training(scheme_, piece->when, length_) : true;
        if (acts == false) return "-\n";
        return formula::print(in_training(scheme_, piece->formula, length_)) +
               (acts ? "" : " when " + formula::print(piece->when)) + "\n";
    }

    const scheme::Scheme& scheme_;
    double length_;
};

}  // namespace

std::string key_of(const Training& training) {
    return keys_of(training, {training.seed}).front();
}

std::vector<std::string> keys_of(const Training& training, const std::vector<std::uint64_t>& seeds) {
    const model::Config& config = training.config;
    std::string text = fmt::format("{}\n{} {} {} {} {} {} {} {} {}\n", revision, config.layers, config.heads,
                                   config.width, config.ffn_width(), config.vocabulary, config.train_length,
                                   static_cast<int>(config.norm), config.tied, static_cast<int>(config.precision));
    text += Description(training.scheme, static_cast<double>(config.train_length)).text();
    text += training.source->identity() + "\n";
    text += fmt::format("{} {} {} {} {} {} {} ", training.batch, training.accumulate, training.schedule.peak,
                        training.schedule.warm_up, training.schedule.steps, training.schedule.floor, training.clip);
    const model::AdamWSettings& optimiser = training.optimiser;
    const std::string rest =
        fmt::format("\n{} {} {} {}\n", optimiser.beta1, optimiser.beta2, optimiser.epsilon, optimiser.decay);
    std::vector<std::string> keys;
    keys.reserve(seeds.size());
    const std::vector<std::string> starts =
        training.start ? keys_of(*training.start, seeds) : std::vector<std::string>(seeds.size());
    for (std::size_t i = 0; i < seeds.size(); ++i)
        keys.push_back(core::sha256(text + std::to_string(seeds[i]) + rest + starts[i]));
    return keys;
}

static std::string path_of(const std::string& cache, const Training& training, const char* ending) {
    const std::string key = key_of(training);
    return (std::filesystem::path(cache) / "models" / key.substr(0, 2) / (key + ending)).string();
}

std::string checkpoint_path(const std::string& cache, const Training& training) {
    return path_of(cache, training, ".safetensors");
}

std::string unfinished_path(const std::string& cache, const Training& training) {
    return path_of(cache, training, ".unfinished.safetensors");
}

double operations_of_pass(const model::Config& config, std::size_t tokens) {
    const auto C = static_cast<double>(config.width);
    const auto layers = static_cast<double>(config.layers);
    const double block = layers * (4 * C * C + 2 * C * static_cast<double>(config.ffn_width()));
    const double weights = block + C * static_cast<double>(config.vocabulary);
    const double attention = layers * C * static_cast<double>(tokens);
    return 2 * (weights + attention) * static_cast<double>(tokens);
}

double operations_of(const Training& training) {
    const std::size_t rows = training.batch * training.accumulate * training.schedule.steps;
    return 3 * operations_of_pass(training.config, training.config.train_length) * static_cast<double>(rows);
}

}  // namespace farfield::train
