#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <farfield/checkpoint/checkpoint.hpp>
#include <farfield/core/diagnostic.hpp>
#include <farfield/train/memory.hpp>

#include "checkpoint/names.hpp"
#include "model/kernel/kernels.hpp"
#include "model/memory.hpp"
#include "model/pool.hpp"
#include "model/positions.hpp"

namespace farfield::checkpoint {

using model::Kernels;
using model::Positions;

namespace {

/// Tokens that one thread takes through norms and products at once, and rows of logits.
constexpr std::size_t tokens_at_once = 128;
constexpr std::size_t logits_at_once = 64;
/// Outputs of a matrix that one thread reads and packs at once: whole panels of every kernel.
constexpr std::size_t outputs_at_once = 512;

/// y = x W^T for W [outputs, inputs], packed.
struct Matrix {
    std::size_t outputs = 0;
    std::size_t inputs = 0;
    float* packed = nullptr;
};

struct LayerWeights {
    float* attention_norm = nullptr;
    Matrix query;
    Matrix key;
    Matrix value;
    Matrix attention_out;
    float* ffn_norm = nullptr;
    Matrix gate;
    Matrix up;
    Matrix down;
};

/// A piece of a tensor that is to be read: rows [row, row + rows), packed or as they are.
struct Reading {
    const tensor::GgufTensor* tensor;
    std::size_t row;
    std::size_t rows;
    float* to;
    bool packs;
};

/// Hands memory to each tensor and lists the work of reading it: once without memory for the size, once with it.
class Loading {
public:
    Loading(const tensor::GgufFile& file, const Kernels<float>& kernels, float* memory)
        : file_(file), kernels_(kernels), carver_(memory) {}

    float* vector(const std::string& name) {
        const tensor::GgufTensor& tensor = *file_.find(name);
        float* const to = carver_.take(tensor.shape.back());
        work_.push_back({&tensor, 0, 1, to, false});
        return to;
    }
    Matrix matrix(const std::string& name) {
        const tensor::GgufTensor& tensor = *file_.find(name);
        Matrix result{tensor.shape[0], tensor.shape[1], nullptr};
        result.packed = carver_.take(kernels_.packed(result.inputs, result.outputs));
        for (std::size_t row = 0; row < result.outputs; row += outputs_at_once) {
            float* const to = result.packed != nullptr ? result.packed + kernels_.packed(result.inputs, row) : nullptr;
            work_.push_back({&tensor, row, std::min(outputs_at_once, result.outputs - row), to, true});
        }
        return result;
    }
    std::size_t used() const { return carver_.used(); }
    const std::vector<Reading>& work() const { return work_; }

private:
    const tensor::GgufFile& file_;
    const Kernels<float>& kernels_;
    model::Carver<float> carver_;
    std::vector<Reading> work_;
};

void check_finite(const tensor::GgufFile& file, const tensor::GgufTensor& tensor, std::size_t row,
                  std::span<const float> numbers) {
    float total = 0;  // NaN once a number is not finite
    for (const float number : numbers) total += number * 0;
    if (total == 0) return;
    const auto bad = std::find_if(numbers.begin(), numbers.end(), [](float x) { return !std::isfinite(x); });
    const auto at = static_cast<std::size_t>(bad - numbers.begin());
    const std::size_t columns = tensor.shape.back();
    // A NaN may carry a sign, which says nothing.
    const std::string shown = std::isnan(*bad) ? "nan" : fmt::format("{}", *bad);
    refuse(
        file,
        fmt::format("tensor '{}' holds {} in row {}, column {}", tensor.name, shown, row + at / columns, at % columns),
        "finite numbers");
}

/// What a thread keeps of the head it computes, and the logits it makes.
struct Scratch {
    float* queries;
    float* keys;
    float* values;
    float* keys_turned;
    float* outputs;
    float* lse;
    float* hidden;  ///< [tokens_at_once, 2 F]
    float* norms;   ///< [tokens_at_once, C]
    float* logits;  ///< [logits_at_once, V]
};

}  // namespace

struct Forward::State {
    Checkpoint checkpoint;
    const Kernels<float>& kernels;
    mutable model::Pool pool;
    model::Memory<float> memory;
    std::vector<LayerWeights> layers;
    float* norm = nullptr;
    Matrix head;

    State(const Checkpoint& file, std::size_t threads)
        : checkpoint(file), kernels(model::kernels<float>(model::Precision::fp32)), pool(threads) {}

    void lay_out(Loading& loading);
    void read(const Loading& loading);
};

void Forward::State::lay_out(Loading& loading) {
    const Shape& shape = checkpoint.shape();
    layers.clear();
    for (std::size_t index = 0; index < shape.layers; ++index) {
        const auto name = [index](std::string_view part) { return layer_name(index, part); };
        LayerWeights layer;
        layer.attention_norm = loading.vector(name("attn_norm"));
        layer.query = loading.matrix(name("attn_q"));
        layer.key = loading.matrix(name("attn_k"));
        layer.value = loading.matrix(name("attn_v"));
        layer.attention_out = loading.matrix(name("attn_output"));
        layer.ffn_norm = loading.vector(name("ffn_norm"));
        layer.gate = loading.matrix(name("ffn_gate"));
        layer.up = loading.matrix(name("ffn_up"));
        layer.down = loading.matrix(name("ffn_down"));
        layers.push_back(layer);
    }
    norm = loading.vector("output_norm.weight");
    head = loading.matrix(std::string(shape.tied ? embedding_name : head_name));
}

void Forward::State::read(const Loading& loading) {
    const std::vector<Reading>& work = loading.work();
    std::vector<std::vector<float>> rows(pool.threads());
    pool.run(work.size(), [&](std::size_t index, std::size_t thread) {
        const Reading& reading = work[index];
        const std::size_t inputs = reading.tensor->shape.back();
        std::vector<float>& buffer = rows[thread];
        buffer.resize(std::max(buffer.size(), reading.rows * inputs));
        const std::span<float> numbers(reading.packs ? buffer.data() : reading.to, reading.rows * inputs);
        checkpoint.file().read_rows(*reading.tensor, reading.row, numbers);
        check_finite(checkpoint.file(), *reading.tensor, reading.row, numbers);
        if (reading.packs) kernels.pack({numbers.data(), 1, inputs, inputs, reading.rows, reading.to});
    });
}

Forward::Forward(const Checkpoint& checkpoint, std::size_t threads)
    : state_(std::make_unique<State>(checkpoint, threads)) {
    Loading sizes(checkpoint.file(), state_->kernels, nullptr);
    state_->lay_out(sizes);
    train::require_memory({{"weights", static_cast<double>(sizes.used() * sizeof(float))}},
                          "the weights of '" + checkpoint.file().path() + "'");
    Loading loading(checkpoint.file(), state_->kernels, state_->memory.require(sizes.used()));
    state_->lay_out(loading);
    state_->read(loading);
}

Forward::~Forward() = default;
Forward::Forward(Forward&&) noexcept = default;
Forward& Forward::operator=(Forward&&) noexcept = default;

namespace {

[[noreturn]] void refuse_scheme(const scheme::Scheme& scheme, const std::string& piece) {
    throw core::UserError({core::Diagnostic{{},
                                            "scheme '" + scheme.name + "' has " + piece + ", which a checkpoint lacks",
                                            "a scheme of rotate, bias, mask, temperature and embed formulas",
                                            {}}});
}

/// Tokens through the layers under one scheme.
class ForwardPass {
public:
    ForwardPass(const Forward::State& state, const scheme::Scheme& scheme, std::span<const model::Token> tokens);

    void run(const std::function<void(std::span<const float>)>& take);

private:
    using Work = void (ForwardPass::*)(std::size_t layer, std::size_t first, std::size_t count, Scratch& scratch);

    static model::Config config_of(const Shape& shape);
    void carve(model::Carver<float>& carver);
    void check_tokens() const;
    void embed();
    void in_blocks(std::size_t layer, Work work);
    void make_heads(std::size_t layer, std::size_t first, std::size_t count, Scratch& scratch);
    void attend(std::size_t layer, std::size_t head, Scratch& scratch);
    void finish_layer(std::size_t layer, std::size_t first, std::size_t count, Scratch& scratch);
    void take_logits(const std::function<void(std::span<const float>)>& take);
    void multiply(const Matrix& matrix, std::size_t rows, const float* x, float* y, std::size_t y_row, bool add) const;
    void normalise(const float* weight, std::size_t first, std::size_t count, float* y) const;
    void turn(const float* from, std::size_t from_row, const float* table, const float* factor, float* to) const;

    const Forward::State& state_;
    const Shape& shape_;
    const Kernels<float>& kernels_;
    std::span<const model::Token> tokens_;
    model::Layout layout_;  ///< of learned names, which keep their `init`
    std::shared_ptr<const model::Pieces> pieces_;
    Positions<float> tables_;
    std::size_t length_;
    std::size_t wide_;
    std::size_t heads_row_;  ///< queries, keys and values of a token
    model::Memory<float> memory_;
    float* stream_ = nullptr;    ///< [L, C]
    float* heads_ = nullptr;     ///< [L, (H + 2 G) d]
    float* attended_ = nullptr;  ///< [L, H d]
    std::vector<Scratch> scratch_;
};

ForwardPass::ForwardPass(const Forward::State& state, const scheme::Scheme& scheme,
                         std::span<const model::Token> tokens)
    : state_(state),
      shape_(state.checkpoint.shape()),
      kernels_(state.kernels),
      tokens_(tokens),
      pieces_(std::make_shared<const model::Pieces>(config_of(shape_), scheme, layout_)),
      tables_(pieces_, tokens.size()),
      length_(tokens.size()),
      wide_((shape_.head_dim + kernels_.lanes - 1) / kernels_.lanes * kernels_.lanes),
      heads_row_((shape_.heads + 2 * shape_.key_heads) * shape_.head_dim),
      scratch_(state.pool.threads()) {
    if (scheme.relative) refuse_scheme(scheme, "relative vectors");
    if (scheme.embed && scheme.embed->learned) refuse_scheme(scheme, "a learned position embedding");
    if (scheme.embed && shape_.width != shape_.heads * shape_.head_dim)
        refuse_scheme(scheme, "an embedding, of another width than the heads'");
    check_tokens();
    model::Carver<float> sizes(nullptr);
    carve(sizes);
    train::require_memory({{"activations", static_cast<double>(sizes.used() * sizeof(float))},
                           {"position tables", static_cast<double>(tables_.bytes())}},
                          fmt::format("{} tokens of '{}'", length_, state.checkpoint.file().path()));
    std::vector<float> learned(layout_.size(), 0.0F);
    pieces_->names.start<float>(learned);
    tables_.update(learned);
    model::Carver<float> carver(memory_.require(sizes.used()));
    carve(carver);
}

model::Config ForwardPass::config_of(const Shape& shape) {
    model::Config config;
    config.layers = shape.layers;
    config.heads = shape.heads;
    config.width = shape.heads * shape.head_dim;
    config.vocabulary = shape.vocabulary;
    config.train_length = shape.context;
    return config;
}

void ForwardPass::carve(model::Carver<float>& carver) {
    const std::size_t padded = tables_.padded();
    stream_ = carver.take(length_ * shape_.width);
    heads_ = carver.take(length_ * heads_row_);
    attended_ = carver.take(length_ * shape_.heads * shape_.head_dim);
    for (Scratch& scratch : scratch_) {
        for (float** part : {&scratch.queries, &scratch.keys, &scratch.values, &scratch.keys_turned, &scratch.outputs})
            *part = carver.take(padded * wide_);
        scratch.lse = carver.take(padded);
        scratch.hidden = carver.take(2 * std::min(tokens_at_once, length_) * shape_.ffn);
        scratch.norms = carver.take(std::min(tokens_at_once, length_) * shape_.width);
        scratch.logits = carver.take(std::min(logits_at_once, length_) * shape_.vocabulary);
    }
}

void ForwardPass::check_tokens() const {
    for (std::size_t at = 0; at < length_; ++at) {
        const model::Token token = tokens_[at];
        if (token >= 0 && static_cast<std::size_t>(token) < shape_.vocabulary) continue;
        throw core::UserError({core::Diagnostic{{},
                                                fmt::format("token {} at position {}", token, at),
                                                fmt::format("0 to {}, the vocabulary", shape_.vocabulary - 1),
                                                {}}});
    }
}

/// Rows of the embedding come from the file: as floats they would take the memory of the head once more.
void ForwardPass::embed() {
    const tensor::GgufFile& file = state_.checkpoint.file();
    const tensor::GgufTensor& embedding = *file.find(embedding_name);
    const std::vector<float>& added = tables_.embedding();
    state_.pool.run(length_, [&](std::size_t p, std::size_t) {
        const std::span<float> row(stream_ + p * shape_.width, shape_.width);
        const auto token = static_cast<std::size_t>(tokens_[p]);
        file.read_rows(embedding, token, row);
        check_finite(file, embedding, token, row);
        for (std::size_t c = 0; !added.empty() && c < shape_.width; ++c) row[c] += added[p * shape_.width + c];
    });
}

void ForwardPass::in_blocks(std::size_t layer, Work work) {
    const std::size_t threads = state_.pool.threads();
    const std::size_t share = (length_ + threads - 1) / threads;
    const std::size_t size = std::clamp<std::size_t>(share, 16, tokens_at_once);
    state_.pool.run((length_ + size - 1) / size, [&](std::size_t index, std::size_t thread) {
        const std::size_t first = index * size;
        (this->*work)(layer, first, std::min(size, length_ - first), scratch_[thread]);
    });
}

void ForwardPass::multiply(const Matrix& matrix, std::size_t rows, const float* x, float* y, std::size_t y_row,
                           bool add) const {
    kernels_.product({rows, matrix.outputs, matrix.inputs, x, matrix.inputs, 1, matrix.packed, y, y_row, nullptr, add});
}

void ForwardPass::normalise(const float* weight, std::size_t first, std::size_t count, float* y) const {
    const auto epsilon = static_cast<float>(shape_.epsilon);
    kernels_.root_mean_square({count, shape_.width, stream_ + first * shape_.width, weight, epsilon, y});
}

void ForwardPass::make_heads(std::size_t layer, std::size_t first, std::size_t count, Scratch& scratch) {
    const LayerWeights& weights = state_.layers[layer];
    normalise(weights.attention_norm, first, count, scratch.norms);
    float* to = heads_ + first * heads_row_;
    for (const Matrix* matrix : {&weights.query, &weights.key, &weights.value}) {
        multiply(*matrix, count, scratch.norms, to, heads_row_, false);
        to += matrix->outputs;
    }
}

/// A head's columns, rotated if `table` is given, times the factors if there are such.
void ForwardPass::turn(const float* from, std::size_t from_row, const float* table, const float* factor,
                       float* to) const {
    model::Turn<float> t{};
    t.rows = length_;
    t.dim = shape_.head_dim;
    t.wide = wide_;
    t.rotated = table != nullptr ? pieces_->rotated : 0;
    t.halves = shape_.pairs == scheme::Pairs::halves;
    t.cosine = table;
    t.sine = table != nullptr ? table + length_ * pieces_->rotated : nullptr;
    t.factor = factor;
    t.from = from;
    t.from_row = from_row;
    t.to = to;
    t.to_row = wide_;
    kernels_.turn(t);
}

void ForwardPass::attend(std::size_t layer, std::size_t head, Scratch& scratch) {
    const std::size_t dim = shape_.head_dim;
    const std::size_t key_head = head / (shape_.heads / shape_.key_heads);
    const float* const key = heads_ + (shape_.heads + key_head) * dim;
    const bool turns = pieces_->rotated > 0;
    turn(heads_ + head * dim, heads_row_, turns ? tables_.query_turn(layer, head) : nullptr,
         tables_.factor(layer, head), scratch.queries);
    turn(key, heads_row_, turns ? tables_.key_turn(layer, head) : nullptr, nullptr, scratch.keys);
    turn(key + shape_.key_heads * dim, heads_row_, nullptr, nullptr, scratch.values);
    kernels_.transpose(scratch.keys, length_, dim, wide_, scratch.keys_turned, tables_.padded());
    model::Head<float> task{};
    task.length = length_;
    task.padded = tables_.padded();
    task.dim = dim;
    task.wide = wide_;
    task.q = {scratch.queries, wide_};
    task.k = {scratch.keys, wide_};
    task.v = {scratch.values, wide_};
    task.k_t = scratch.keys_turned;
    task.mask = tables_.mask(layer, head);
    if (tables_.has_bias()) (tables_.bias_by_distance() ? task.bias_line : task.bias_tiles) = tables_.bias(layer, head);
    task.relative.causal = pieces_->scheme.causal;
    task.o = {scratch.outputs, wide_};
    task.lse = scratch.lse;
    kernels_.attention(task);
    for (std::size_t p = 0; p < length_; ++p) {
        std::copy_n(scratch.outputs + p * wide_, dim, attended_ + (p * shape_.heads + head) * dim);
    }
}

void ForwardPass::finish_layer(std::size_t layer, std::size_t first, std::size_t count, Scratch& scratch) {
    const LayerWeights& weights = state_.layers[layer];
    float* const stream = stream_ + first * shape_.width;
    const Matrix& out = weights.attention_out;
    multiply(out, count, attended_ + first * out.inputs, stream, shape_.width, true);
    normalise(weights.ffn_norm, first, count, scratch.norms);
    float* const gate = scratch.hidden;
    float* const up = gate + count * shape_.ffn;
    multiply(weights.gate, count, scratch.norms, gate, shape_.ffn, false);
    multiply(weights.up, count, scratch.norms, up, shape_.ffn, false);
    kernels_.swiglu(gate, up, gate, count * shape_.ffn);
    multiply(weights.down, count, gate, stream, shape_.width, true);
}

void ForwardPass::take_logits(const std::function<void(std::span<const float>)>& take) {
    const std::size_t threads = state_.pool.threads();
    const std::size_t size = std::min(logits_at_once, length_);
    for (std::size_t begin = 0; begin < length_; begin += threads * size) {
        const std::size_t blocks = std::min(threads, (length_ - begin + size - 1) / size);
        const auto rows = [&](std::size_t block) { return std::min(size, length_ - begin - block * size); };
        state_.pool.run(blocks, [&](std::size_t block, std::size_t thread) {
            const std::size_t count = rows(block);
            normalise(state_.norm, begin + block * size, count, scratch_[thread].norms);
            multiply(state_.head, count, scratch_[thread].norms, scratch_[block].logits, shape_.vocabulary, false);
        });
        for (std::size_t block = 0; block < blocks; ++block)
            take({scratch_[block].logits, rows(block) * shape_.vocabulary});
    }
}

void ForwardPass::run(const std::function<void(std::span<const float>)>& take) {
    embed();
    for (std::size_t layer = 0; layer < shape_.layers; ++layer) {
        in_blocks(layer, &ForwardPass::make_heads);
        state_.pool.run(shape_.heads,
                        [&](std::size_t head, std::size_t thread) { attend(layer, head, scratch_[thread]); });
        in_blocks(layer, &ForwardPass::finish_layer);
    }
    take_logits(take);
}

}  // namespace

void Forward::logits(const scheme::Scheme& scheme, std::span<const model::Token> tokens,
                     const std::function<void(std::span<const float>)>& take) const {
    if (tokens.empty()) throw core::UserError({core::Diagnostic{{}, "there are no tokens", "at least one", {}}});
    ForwardPass(*state_, scheme, tokens).run(take);
}

}  // namespace farfield::checkpoint
