#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <farfield/checkpoint/checkpoint.hpp>
#include <farfield/core/diagnostic.hpp>
#include <farfield/train/memory.hpp>

#include "checkpoint/gradient.hpp"
#include "checkpoint/names.hpp"
#include "checkpoint/pass.hpp"
#include "checkpoint/steps.hpp"

namespace farfield::checkpoint {

using model::Kernels;

namespace {

/// The number of outputs of a matrix that one thread reads and packs at once; these are whole panels for every kernel.
constexpr std::size_t outputs_at_once = 512;

/// A part of a tensor to read: rows [row, row + rows), packed or unchanged, or numbers [row, row + rows) of a tensor
/// with one row.
struct Reading {
    const tensor::GgufTensor* tensor;
    std::size_t row;
    std::size_t rows;
    float* to;
    bool packs;
};

}  // namespace

/// Assigns memory to each tensor and lists the work of reading it: first without memory, to find the size, and then
/// with it.
class Loading {
public:
    Loading(const Source& file, const Kernels<float>& kernels, float* memory)
        : file_(file), kernels_(kernels), carver_(memory) {}

    Norm norm(const std::string& name, bool has_bias) {
        const auto width = static_cast<std::size_t>(file_.find(name)->shape.back());
        return {width, vector(name, 0, width), has_bias ? bias(name, 0, width) : nullptr};
    }
    Matrix matrix(const MatrixRows& rows) {
        const tensor::GgufTensor& tensor = *file_.find(rows.tensor);
        Matrix result{rows.count, static_cast<std::size_t>(tensor.shape[1])};
        result.packed = carver_.take(kernels_.packed(result.inputs, result.outputs));
        for (std::size_t row = 0; row < result.outputs; row += outputs_at_once) {
            float* const to = result.packed != nullptr ? result.packed + kernels_.packed(result.inputs, row) : nullptr;
            work_.push_back({&tensor, rows.first + row, std::min(outputs_at_once, result.outputs - row), to, true});
        }
        result.bias = bias(rows.tensor, rows.first, rows.count);
        return result;
    }
    std::size_t used() const { return carver_.used(); }
    const std::vector<Reading>& work() const { return work_; }

private:
    float* vector(const std::string& name, std::size_t first, std::size_t count) {
        float* const to = carver_.take(count);
        work_.push_back({file_.find(name), first, count, to, false});
        return to;
    }
    /// Null if the file has no bias.
    float* bias(const std::string& weight, std::size_t first, std::size_t count) {
        const std::string name = bias_name(weight);
        return file_.find(name) != nullptr ? vector(name, first, count) : nullptr;
    }

    const Source& file_;
    const Kernels<float>& kernels_;
    model::Carver<float> carver_;
    std::vector<Reading> work_;
};

void check_finite(const Source& file, const tensor::GgufTensor& tensor, std::size_t row,
                  std::span<const float> numbers) {
    float total = 0;  // NaN once a number is not finite
    for (const float number : numbers) total += number * 0;
    if (total == 0) return;
    const auto bad = std::find_if(numbers.begin(), numbers.end(), [](float x) { return !std::isfinite(x); });
    const auto at = static_cast<std::size_t>(bad - numbers.begin());
    const std::size_t columns = tensor.shape.back();
    // A NaN may have a sign, which has no meaning.
    const std::string shown = std::isnan(*bad) ? "nan" : fmt::format("{}", *bad);
    refuse(file,
           fmt::format("tensor '{}' holds {} in row {}, column {}", file.shown(tensor.name), shown, row + at / columns,
                       at % columns),
           "finite numbers");
}

void Forward::State::lay_out(Loading& loading) {
    const Shape& shape = checkpoint.shape();
    const Architecture& architecture = checkpoint.architecture();
    const auto norm_of = [&](const std::string& name) { return loading.norm(name, architecture.layer_norms); };
    layers.clear();
    for (std::size_t index = 0; index < shape.layers; ++index) {
        const auto norm_at = [&](std::string_view part) { return norm_of(layer_name(index, part)); };
        const auto matrix = [&](std::string_view part) { return loading.matrix(rows_of(checkpoint, index, part)); };
        LayerWeights layer;
        const bool has_own_norm = checkpoint.file().find(layer_name(index, "attn_norm_2")) != nullptr;
        layer.attention_norm = norm_at(has_own_norm ? "attn_norm_2" : "attn_norm");
        layer.query = matrix("attn_q");
        layer.key = matrix("attn_k");
        layer.value = matrix("attn_v");
        if (architecture.head_norms) {
            layer.query_norm = norm_at("attn_q_norm");
            layer.key_norm = norm_at("attn_k_norm");
        }
        layer.attention_out = matrix("attn_output");
        layer.ffn_norm = norm_at(architecture.shared_norm ? "attn_norm" : "ffn_norm");
        if (architecture.post_norms) {
            layer.attention_post_norm = norm_at("post_attention_norm");
            layer.ffn_post_norm = norm_at("post_ffw_norm");
        }
        if (architecture.is_gated()) layer.gate = matrix("ffn_gate");
        layer.up = matrix("ffn_up");
        layer.down = matrix("ffn_down");
        layers.push_back(layer);
    }
    if (architecture.embedding_norm) embedding_norm = norm_of("token_embd_norm.weight");
    norm = norm_of("output_norm.weight");
    head = loading.matrix({std::string(shape.tied ? embedding_name : head_name), 0, shape.vocabulary});
}

void Forward::State::read(const Loading& loading) {
    const std::vector<Reading>& work = loading.work();
    std::vector<std::vector<float>> rows(team.threads());
    team.run(work.size(), [&](std::size_t index, std::size_t thread) {
        const Reading& reading = work[index];
        const std::size_t inputs = reading.tensor->shape.back();
        std::vector<float>& buffer = rows[thread];
        const std::size_t count = reading.packs ? reading.rows : 1;
        buffer.resize(std::max(buffer.size(), count * inputs));
        const std::span<float> numbers(buffer.data(), count * inputs);
        const std::size_t first = reading.packs ? reading.row : 0;
        checkpoint.file().read_rows(*reading.tensor, first, numbers);
        check_finite(checkpoint.file(), *reading.tensor, first, numbers);
        if (reading.packs)
            kernels.pack({numbers.data(), 1, inputs, inputs, reading.rows, reading.to});
        else
            std::copy_n(numbers.data() + reading.row, reading.rows, reading.to);
        tell_steps(steps_a_weight * count * inputs);
    });
}

double forward_steps(const Checkpoint& checkpoint, std::size_t tokens) {
    const Shape& shape = checkpoint.shape();
    const std::size_t heads = (2 * shape.heads + 2 * shape.key_heads) * shape.head_dim;
    const std::size_t ffn = (checkpoint.architecture().is_gated() ? 3 : 2) * shape.ffn;
    const auto weights = static_cast<double>((shape.layers * (heads + ffn) + shape.vocabulary) * shape.width);
    const auto attention = static_cast<double>(shape.layers * shape.heads * attention_steps(tokens, shape.head_dim));
    return weights * static_cast<double>(steps_a_weight + 2 * tokens) + attention;
}

Forward::Forward(const Checkpoint& checkpoint, std::size_t threads)
    : state_(std::make_unique<State>(checkpoint, threads)) {
    Loading sizes(checkpoint.file(), state_->kernels, nullptr);
    state_->lay_out(sizes);
    train::require_memory({{"weights", static_cast<double>(sizes.used() * sizeof(float))}},
                          "the weights of '" + checkpoint.file().path() + "'",
                          "a smaller model: the weights are kept as 32-bit floats");
    Loading loading(checkpoint.file(), state_->kernels, state_->memory.require(sizes.used()));
    state_->lay_out(loading);
    state_->read(loading);
}

Forward::~Forward() = default;
Forward::Forward(Forward&&) noexcept = default;
Forward& Forward::operator=(Forward&&) noexcept = default;

namespace {

void require_tokens(std::span<const model::Token> tokens) {
    if (tokens.empty()) throw core::UserError({core::Diagnostic{{}, "there are no tokens", "at least one", {}}});
}

}  // namespace

void require_memory(const Checkpoint& checkpoint, const scheme::Scheme& scheme, std::size_t tokens, std::size_t threads,
                    bool has_gradient) {
    Forward::State without_weights(checkpoint, threads);
    const std::vector<model::Token> any(tokens, 0);
    try {
        if (has_gradient) {
            Loading sizes(checkpoint.file(), without_weights.kernels, nullptr);
            without_weights.lay_out(sizes);
            const GradientPass pass(without_weights, scheme, any);
        } else {
            const ForwardPass pass(without_weights, scheme, any);
        }
    } catch (const core::UserError&) {  // the pass over the text reports it, with its place
    }
}

void Forward::logits(const scheme::Scheme& scheme, std::span<const model::Token> tokens,
                     const std::function<void(std::span<const float>)>& take) const {
    require_tokens(tokens);
    ForwardPass(*state_, scheme, tokens).logits(take);
}

void Forward::losses(const scheme::Scheme& scheme, std::span<const model::Token> tokens,
                     std::span<const model::Token> targets, std::span<float> result) const {
    require_tokens(tokens);
    ForwardPass(*state_, scheme, tokens).losses(targets, result);
}

std::vector<model::Token> Forward::predicted(const scheme::Scheme& scheme, std::span<const model::Token> tokens,
                                             std::size_t last) const {
    require_tokens(tokens);
    return ForwardPass(*state_, scheme, tokens).predicted(last);
}

model::Token largest(std::span<const float> logits) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < logits.size(); ++i)
        if (logits[i] > logits[best]) best = i;
    if (std::any_of(logits.begin(), logits.end(), [](float logit) { return std::isnan(logit); })) return model::ignored;
    return static_cast<model::Token>(best);
}

void Forward::attention(const scheme::Scheme& scheme, std::span<const model::Token> tokens, model::Attention what,
                        const TakeRows& take) const {
    require_tokens(tokens);
    ForwardPass(*state_, scheme, tokens).attention(what, take);
}

void Forward::vectors(const scheme::Scheme& scheme, std::span<const model::Token> tokens,
                      const TakeVectors& take) const {
    require_tokens(tokens);
    ForwardPass(*state_, scheme, tokens).vectors(take);
}

std::vector<double> Forward::input_gradient(const scheme::Scheme& scheme, std::span<const model::Token> tokens,
                                            model::Token target, std::size_t layer) const {
    require_tokens(tokens);
    return GradientPass(*state_, scheme, tokens).run(target, layer);
}

}  // namespace farfield::checkpoint
