#include "checkpoint/gradient.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <farfield/train/memory.hpp>
#include <numbers>

#include "checkpoint/names.hpp"

namespace farfield::checkpoint {
namespace {

enum Part : std::size_t { query, key, value, attention_out, gate, up, down };
constexpr std::array<std::string_view, 7> part_names = {"attn_q",   "attn_k", "attn_v",  "attn_output",
                                                        "ffn_gate", "ffn_up", "ffn_down"};

}  // namespace

GradientPass::GradientPass(const Forward::State& state, const scheme::Scheme& scheme,
                           std::span<const model::Token> tokens)
    : ForwardPass(state, scheme, tokens, NeedsMore()),
      heads_scratch_(state.team.threads()),
      token_scratch_(state.team.threads()) {
    const LayerWeights& weights = state.layers.front();
    for (const Matrix* matrix : {&weights.query, &weights.key, &weights.value, &weights.attention_out, &weights.gate,
                                 &weights.up, &weights.down}) {
        const bool has_it = matrix->outputs > 0;
        back_.push_back({has_it ? part_names[back_.size()] : "", {matrix->outputs, matrix->inputs}, {}});
    }
    model::Carver<float> sizes(nullptr);
    carve_gradient(sizes);
    require_memory({{"gradients", static_cast<double>(sizes.used() * sizeof(float))}});
}

void GradientPass::take_all_memory() {
    take_memory();
    model::Carver<float> sizes(nullptr);
    carve_gradient(sizes);
    model::Carver<float> carver(gradient_memory_.require(sizes.used()));
    carve_gradient(carver);
}

void GradientPass::carve_gradient(model::Carver<float>& carver) {
    const std::size_t wide_heads = shape_.heads * shape_.head_dim;
    const std::size_t padded = tables_.padded();
    const std::size_t rows = std::min(tokens_at_once, length_);
    inputs_ = carver.take(shape_.layers * length_ * shape_.width);
    middle_ = carver.take(length_ * shape_.width);
    d_stream_ = carver.take(length_ * shape_.width);
    d_attended_ = carver.take(length_ * wide_heads);
    d_heads_ = carver.take(length_ * 3 * wide_heads);
    for (HeadScratch& scratch : heads_scratch_) {
        for (float** part :
             {&scratch.values_turned, &scratch.d_outputs, &scratch.d_queries, &scratch.d_keys, &scratch.d_values})
            *part = carver.take(padded * wide_);
        for (float** part : {&scratch.d_far_queries, &scratch.d_far_keys, &scratch.turned_back})
            *part = tables_.has_far() ? carver.take(padded * wide_) : nullptr;
    }
    for (TokenScratch& scratch : token_scratch_) {
        scratch.d_hidden = carver.take(rows * 2 * shape_.ffn);
        scratch.product = carver.take(rows * shape_.ffn);
        scratch.d_norms = carver.take(rows * shape_.width);
        scratch.d_added = architecture_.post_norms ? carver.take(rows * shape_.width) : nullptr;
        scratch.d_heads = carver.take(rows * heads_row_);
    }
    for (Transposed& each : back_)
        each.matrix.packed = carver.take(kernels_.packed(each.matrix.outputs, each.matrix.inputs));
}

void GradientPass::read_transposed(std::size_t layer) {
    const Source& file = state_.checkpoint.file();
    state_.team.run(back_.size(), [&](std::size_t index, std::size_t) {
        Transposed& each = back_[index];
        if (each.part.empty()) return;
        const Matrix& m = each.matrix;
        const MatrixRows rows = rows_of(state_.checkpoint, layer, each.part);
        each.numbers.resize(m.outputs * m.inputs);
        file.read_rows(*file.find(rows.tensor), rows.first, each.numbers);
        kernels_.pack({each.numbers.data(), m.inputs, 1, m.outputs, m.inputs, m.packed});
    });
}

void GradientPass::multiply_back(const Transposed& by, std::size_t rows, model::HeadRows<const float> x,
                                 model::HeadRows<float> y, bool add) const {
    const Matrix& m = by.matrix;
    kernels_.product({rows, m.inputs, m.outputs, x.numbers, x.step, 1, m.packed, y.numbers, y.step, nullptr, add});
}

void GradientPass::normalise_back(const Norm& norm, const float* x, const float* d_y, std::size_t count,
                                  float* d_x) const {
    const std::size_t width = norm.width;
    const auto channels = static_cast<double>(width);
    for (std::size_t row = 0; row < count; ++row, x += width, d_y += width, d_x += width) {
        double squares = 0;
        for (std::size_t c = 0; c < width; ++c) squares += static_cast<double>(x[c]) * x[c];
        // A norm of the root mean square has no mean.
        const Moments m = architecture_.layer_norms ? moments_of(x, width, shape_.epsilon)
                                                    : Moments{0, 1 / std::sqrt(squares / channels + shape_.epsilon)};
        double sum = 0;
        double dot = 0;
        for (std::size_t c = 0; c < width; ++c) {
            const double d = static_cast<double>(norm.weight[c]) * d_y[c];
            sum += d;
            dot += d * (x[c] - m.mean);
        }
        const double along = dot * m.inverse * m.inverse * m.inverse / channels;
        const double share = architecture_.layer_norms ? m.inverse * sum / channels : 0;
        for (std::size_t c = 0; c < width; ++c)
            d_x[c] += static_cast<float>(m.inverse * norm.weight[c] * d_y[c] - along * (x[c] - m.mean) - share);
    }
}

void GradientPass::unit_back(const float* gate, const float* up, const float* d_y, std::size_t count, float* d_gate,
                             float* d_up) const {
    if (architecture_.unit == Unit::gelu_tanh || architecture_.unit == Unit::gelu_gate) {
        std::vector<float> value(count);
        std::vector<float> slope(count);
        kernels_.gelu(gate, value.data(), slope.data(), count);
        const bool is_gated = architecture_.is_gated();
        for (std::size_t i = 0; i < count; ++i) {
            const float d = d_y[i];
            if (is_gated) d_up[i] = d * value[i];
            d_gate[i] = d * slope[i] * (is_gated ? up[i] : 1);
        }
        return;
    }
    for (std::size_t i = 0; i < count; ++i) {
        const float d = d_y[i];
        if (architecture_.unit == Unit::gelu_erf) {
            const float density =
                std::exp(-gate[i] * gate[i] / 2) * std::numbers::inv_sqrtpi_v<float> / std::numbers::sqrt2_v<float>;
            d_gate[i] = d * (normal_below(gate[i]) + gate[i] * density);
        } else {
            const float share = 1 / (1 + std::exp(-gate[i]));  // silu(x) = x share
            d_up[i] = d * gate[i] * share;
            d_gate[i] = d * up[i] * share * (1 + gate[i] * (1 - share));
        }
    }
}

/// Sets d_stream_ to the gradient with respect to the output of the last layer, which is zero except at the last
/// position.
void GradientPass::start(model::Token target) {
    const std::size_t width = shape_.width;
    const std::size_t vocabulary = shape_.vocabulary;
    const float* const last = stream_ + (length_ - 1) * width;
    Scratch& scratch = scratch_.front();
    normalise(state_.norm, last, 1, scratch.norms);
    multiply(state_.head, 1, scratch.norms, scratch.logits, vocabulary, false);
    cap_logits({scratch.logits, vocabulary});
    std::vector<float> slopes(shape_.logit_cap > 0 ? vocabulary : 0);
    for (std::size_t i = 0; i < slopes.size(); ++i) {
        const double share = scratch.logits[i] / shape_.logit_cap;
        slopes[i] = static_cast<float>(1 - share * share);
    }
    kernels_.cross_entropy(scratch.logits, vocabulary, static_cast<std::size_t>(target), 1, true);
    for (std::size_t i = 0; i < slopes.size(); ++i) scratch.logits[i] *= slopes[i];
    const Source& file = state_.checkpoint.file();
    const tensor::GgufTensor& head = *file.find(shape_.tied ? embedding_name : head_name);
    constexpr std::size_t rows_at_once = 512;
    const std::size_t blocks = (vocabulary + rows_at_once - 1) / rows_at_once;
    std::vector<std::vector<double>> sums(blocks, std::vector<double>(width, 0));  // added in a fixed order
    state_.team.run(blocks, [&](std::size_t block, std::size_t) {
        const std::size_t first = block * rows_at_once;
        const std::size_t count = std::min(rows_at_once, vocabulary - first);
        std::vector<float> rows(count * width);
        file.read_rows(head, first, rows);
        for (std::size_t row = 0; row < count; ++row)
            for (std::size_t c = 0; c < width; ++c)
                sums[block][c] += static_cast<double>(scratch.logits[first + row]) * rows[row * width + c];
    });
    std::vector<float> d_norm(width);
    for (std::size_t c = 0; c < width; ++c) {
        double sum = 0;
        for (const std::vector<double>& part : sums) sum += part[c];
        d_norm[c] = static_cast<float>(sum);
    }
    std::fill(d_stream_, d_stream_ + length_ * width, 0.0F);
    normalise_back(state_.norm, last, d_norm.data(), 1, d_stream_ + (length_ - 1) * width);
}

const float* GradientPass::post_norm_back(const Norm& norm, const float* added, const float* d_y, std::size_t count,
                                          TokenScratch& own) const {
    if (norm.weight == nullptr) return d_y;
    std::fill_n(own.d_added, count * shape_.width, 0.0F);
    normalise_back(norm, added, d_y, count, own.d_added);
    return own.d_added;
}

/// Computes d_attended_ from d_stream_, the gradient with respect to the stream to which the attention is added.
void GradientPass::attended_back(std::size_t layer, std::size_t first, std::size_t count, std::size_t thread) {
    const LayerWeights& weights = state_.layers[layer];
    const std::size_t wide_heads = shape_.heads * shape_.head_dim;
    float* const added = scratch_[thread].added;
    if (added != nullptr)
        multiply(weights.attention_out, count, attended_ + first * wide_heads, added, shape_.width, false);
    const float* const d_added = post_norm_back(weights.attention_post_norm, added, d_stream_ + first * shape_.width,
                                                count, token_scratch_[thread]);
    multiply_back(back_[attention_out], count, {d_added, shape_.width}, {d_attended_ + first * wide_heads, wide_heads},
                  false);
}

/// On entry, d_stream_ is the gradient with respect to the output of the layer. Afterwards it is the gradient with
/// respect to the input of the MLP, and d_attended_ that with respect to the outputs of the heads.
void GradientPass::back_through_ffn(std::size_t layer, std::size_t first, std::size_t count, std::size_t thread) {
    const LayerWeights& weights = state_.layers[layer];
    const std::size_t ffn = shape_.ffn;
    Scratch& scratch = scratch_[thread];
    TokenScratch& own = token_scratch_[thread];
    const float* const read =
        (shape_.parallel ? inputs_ + layer * length_ * shape_.width : middle_) + first * shape_.width;
    float* const d_stream = d_stream_ + first * shape_.width;
    if (shape_.parallel) attended_back(layer, first, count, thread);
    normalise(weights.ffn_norm, read, count, scratch.norms);
    float* const before = scratch.hidden;
    float* const other = scratch.hidden + count * ffn;
    enter_ffn(weights, count, scratch.norms, before, other);
    const float* d_added = d_stream;
    if (scratch.added != nullptr) {
        std::vector<float> units(before, before + count * ffn);
        apply_unit(units.data(), other, count * ffn);
        multiply(weights.down, count, units.data(), scratch.added, shape_.width, false);
        d_added = post_norm_back(weights.ffn_post_norm, scratch.added, d_stream, count, own);
    }
    multiply_back(back_[down], count, {d_added, shape_.width}, {own.product, ffn}, false);
    float* const d_gate = own.d_hidden;
    float* const d_up = own.d_hidden + count * ffn;
    unit_back(before, other, own.product, count * ffn, d_gate, d_up);
    const bool is_gated = architecture_.is_gated();
    multiply_back(back_[is_gated ? gate : up], count, {d_gate, ffn}, {own.d_norms, shape_.width}, false);
    if (is_gated) multiply_back(back_[up], count, {d_up, ffn}, {own.d_norms, shape_.width}, true);
    normalise_back(weights.ffn_norm, read, own.d_norms, count, d_stream);
    if (!shape_.parallel) attended_back(layer, first, count, thread);
}

void GradientPass::back_through_head(std::size_t layer, std::size_t head, const model::Head<float>& head_task,
                                     std::size_t thread) {
    const std::size_t dim = shape_.head_dim;
    const std::size_t wide_heads = shape_.heads * dim;
    const HeadScratch& own = heads_scratch_[thread];
    model::Turn<float> plain = turn(nullptr, nullptr);
    plain.from = d_attended_ + head * dim;
    plain.from_row = wide_heads;
    plain.to = own.d_outputs;
    plain.to_row = wide_;
    kernels_.turn(plain);
    kernels_.transpose(head_task.v, 0, length_, dim, own.values_turned);
    std::fill(own.d_keys, own.d_keys + tables_.padded() * wide_, 0.0F);
    std::fill(own.d_values, own.d_values + tables_.padded() * wide_, 0.0F);
    model::HeadBackward<float> task{};
    task.head = head_task;
    task.head.v_t = own.values_turned;
    task.d_o = {own.d_outputs, wide_};
    task.d_q = own.d_queries;
    task.d_k = own.d_keys;
    task.d_v = own.d_values;
    if (tables_.has_far()) {
        std::fill(own.d_far_keys, own.d_far_keys + tables_.padded() * wide_, 0.0F);
        task.d_far_q = own.d_far_queries;
        task.d_far_k = own.d_far_keys;
    }
    kernels_.attention_backward(task);
    const auto put = [&](model::Turn<float> back, const float* from, std::size_t part) {
        back.from = from;
        back.from_row = wide_;
        back.to = d_heads_ + part * wide_heads + head * dim;
        back.to_row = 3 * wide_heads;
        kernels_.turn_back(back);
    };
    put(turn(query_table(layer, head), tables_.factor(layer, head)), own.d_queries, 0);
    put(turn(key_table(layer, head), nullptr), own.d_keys, 1);
    put(turn(nullptr, nullptr), own.d_values, 2);
    if (!tables_.has_far()) return;
    const auto add = [&](model::Turn<float> back, const float* from, std::size_t part) {
        back.from = from;
        back.from_row = wide_;
        back.to = own.turned_back;
        back.to_row = wide_;
        kernels_.turn_back(back);
        float* const to = d_heads_ + part * wide_heads + head * dim;
        for (std::size_t p = 0; p < length_; ++p)
            for (std::size_t j = 0; j < dim; ++j) to[p * 3 * wide_heads + j] += own.turned_back[p * wide_ + j];
    };
    add(turn(tables_.far_query_turn(layer, head), tables_.factor(layer, head)), own.d_far_queries, 0);
    add(turn(tables_.far_key_turn(layer, head), nullptr), own.d_far_keys, 1);
}

/// Converts the gradient with respect to queries and keys to that with respect to the inputs of their norms.
void GradientPass::head_norms_back(std::size_t layer, std::size_t first, std::size_t count, float* d_heads) const {
    const LayerWeights& weights = state_.layers[layer];
    std::vector<float> d_after((shape_.heads + shape_.key_heads) * shape_.head_dim);
    for (std::size_t p = 0; p < count; ++p, d_heads += heads_row_) {
        const float* const raw = raw_heads_ + (first + p) * heads_row_;
        const std::size_t queries = shape_.heads * shape_.head_dim;
        std::copy_n(d_heads, d_after.size(), d_after.begin());
        std::fill_n(d_heads, d_after.size(), 0.0F);
        normalise_back(weights.query_norm, raw, d_after.data(), shape_.heads, d_heads);
        normalise_back(weights.key_norm, raw + queries, d_after.data() + queries, shape_.key_heads, d_heads + queries);
    }
}

/// Adds the gradient through the layer's heads to d_stream_.
void GradientPass::back_through_heads(std::size_t layer, std::size_t first, std::size_t count, std::size_t thread) {
    const std::size_t dim = shape_.head_dim;
    const std::size_t group = shape_.heads / shape_.key_heads;
    const TokenScratch& own = token_scratch_[thread];
    for (std::size_t p = 0; p < count; ++p) {
        const float* const from = d_heads_ + (first + p) * 3 * shape_.heads * dim;
        float* const to = own.d_heads + p * heads_row_;
        std::copy_n(from, shape_.heads * dim, to);
        // The heads of a group share a key and a value.
        for (std::size_t part = 0; part < 2; ++part) {
            for (std::size_t shared = 0; shared < shape_.key_heads; ++shared) {
                for (std::size_t c = 0; c < dim; ++c) {
                    float sum = 0;
                    for (std::size_t member = 0; member < group; ++member)
                        sum += from[((part + 1) * shape_.heads + shared * group + member) * dim + c];
                    to[(shape_.heads + part * shape_.key_heads + shared) * dim + c] = sum;
                }
            }
        }
    }
    scale_queries(own.d_heads, count);
    if (architecture_.head_norms) head_norms_back(layer, first, count, own.d_heads);
    const float* from = own.d_heads;
    for (const Part part : {query, key, value}) {
        multiply_back(back_[part], count, {from, heads_row_}, {own.d_norms, shape_.width}, part != query);
        from += back_[part].matrix.outputs;
    }
    const float* const input = inputs_ + (layer * length_ + first) * shape_.width;
    normalise_back(state_.layers[layer].attention_norm, input, own.d_norms, count, d_stream_ + first * shape_.width);
}

std::vector<double> GradientPass::run(model::Token target, std::size_t first_layer) {
    const std::size_t width = shape_.width;
    take_all_memory();
    embed();
    for (std::size_t layer = 0; layer < shape_.layers; ++layer) {
        std::copy_n(stream_, length_ * width, inputs_ + layer * length_ * width);
        run_layer(layer);
    }
    start(target);
    for (std::size_t layer = shape_.layers; layer-- >= first_layer;) {
        read_transposed(layer);
        std::copy_n(inputs_ + layer * length_ * width, length_ * width, stream_);
        in_blocks([&](std::size_t first, std::size_t count, std::size_t thread) {
            make_heads(layer, first, count, scratch_[thread]);
        });
        attend(layer);
        in_blocks([&](std::size_t first, std::size_t count, std::size_t thread) {
            const Matrix& out = state_.layers[layer].attention_out;
            std::copy_n(stream_ + first * width, count * width, middle_ + first * width);
            add_product(out, state_.layers[layer].attention_post_norm, count, attended_ + first * out.inputs,
                        middle_ + first * width, scratch_[thread].added);
            back_through_ffn(layer, first, count, thread);
        });
        state_.team.run(shape_.heads, [&](std::size_t head, std::size_t thread) {
            const model::Head<float> task = load_head(layer, head, {}, scratch_[thread]);
            kernels_.attention(task);  // again, because its data for the backward pass are not kept for every head
            back_through_head(layer, head, task, thread);
        });
        in_blocks([&](std::size_t first, std::size_t count, std::size_t thread) {
            back_through_heads(layer, first, count, thread);
        });
    }
    std::vector<double> norms(length_);
    for (std::size_t p = 0; p < length_; ++p) {
        double squares = 0;
        for (std::size_t c = 0; c < width; ++c)
            squares += static_cast<double>(d_stream_[p * width + c]) * d_stream_[p * width + c];
        norms[p] = std::sqrt(squares);
    }
    return norms;
}

}  // namespace farfield::checkpoint
