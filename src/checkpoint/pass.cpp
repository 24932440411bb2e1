#include "checkpoint/pass.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <farfield/core/diagnostic.hpp>
#include <farfield/train/memory.hpp>
#include <limits>
#include <numbers>

#include "checkpoint/names.hpp"
#include "checkpoint/steps.hpp"

namespace farfield::checkpoint {

namespace {

[[noreturn]] void refuse_scheme(const scheme::Scheme& scheme, const std::string& piece) {
    throw core::UserError({core::Diagnostic{{},
                                            "scheme '" + scheme.name + "' has " + piece + ", which a checkpoint lacks",
                                            "a scheme of rotate, bias, mask, temperature and embed formulas",
                                            {}}});
}

/// Whether the file has a vector for each position.
bool has_positions(const Checkpoint& checkpoint, const scheme::Scheme& scheme) {
    return scheme.embed && scheme.embed->learned && checkpoint.file().find(positions_name) != nullptr;
}

/// The scheme without the vectors of the file.
scheme::Scheme formulas_of(scheme::Scheme scheme, bool has_file_positions) {
    if (has_file_positions) scheme.embed.reset();
    return scheme;
}

}  // namespace

Moments moments_of(const float* x, std::size_t count, double epsilon) {
    const auto numbers = static_cast<double>(count);
    double sum = 0;
    double squares = 0;
    for (std::size_t c = 0; c < count; ++c) sum += x[c];
    const double mean = sum / numbers;
    for (std::size_t c = 0; c < count; ++c) squares += (x[c] - mean) * (x[c] - mean);
    return {mean, 1 / std::sqrt(squares / numbers + epsilon)};
}

float normal_below(float x) {
    return (1 + std::erf(x * std::numbers::sqrt2_v<float> / 2)) / 2;
}

ForwardPass::ForwardPass(const Forward::State& state, const scheme::Scheme& scheme,
                         std::span<const model::Token> tokens)
    : ForwardPass(state, scheme, tokens, NeedsMore()) {
    require_memory({});
}

ForwardPass::ForwardPass(const Forward::State& state, const scheme::Scheme& scheme,
                         std::span<const model::Token> tokens, NeedsMore)
    : state_(state),
      shape_(state.checkpoint.shape()),
      architecture_(state.checkpoint.architecture()),
      kernels_(state.kernels),
      tokens_(tokens),
      has_file_positions_(has_positions(state.checkpoint, scheme)),
      pieces_(std::make_shared<const model::Pieces>(state.checkpoint.config(), formulas_of(scheme, has_file_positions_),
                                                    layout_)),
      tables_(pieces_, tokens.size()),
      length_(tokens.size()),
      wide_((shape_.head_dim + kernels_.lanes - 1) / kernels_.lanes * kernels_.lanes),
      heads_row_((shape_.heads + 2 * shape_.key_heads) * shape_.head_dim),
      scratch_(state.team.threads()) {
    if (scheme.relative) refuse_scheme(scheme, "relative vectors");
    if (scheme.embed && scheme.embed->learned && !has_file_positions_)
        refuse_scheme(scheme, "a learned position embedding");
    if (has_file_positions_ && length_ > shape_.context)
        throw core::UserError(
            {core::Diagnostic{{},
                              fmt::format("{} tokens of a model with {} positions", length_, shape_.context),
                              fmt::format("at most {}, or another scheme", shape_.context),
                              {}}});
    if (scheme.embed && !scheme.embed->learned && shape_.width != shape_.heads * shape_.head_dim)
        refuse_scheme(scheme, "an embedding, of another width than the heads'");
    check_tokens();
}

void ForwardPass::require_memory(std::vector<train::MemoryPart> more) {
    model::Carver<float> sizes(nullptr);
    carve(sizes);
    more.push_back({"activations", static_cast<double>(sizes.used() * sizeof(float))});
    more.push_back({"position tables", static_cast<double>(tables_.bytes())});
    train::require_memory(more, fmt::format("{} tokens of '{}'", length_, state_.checkpoint.file().path()),
                          "fewer tokens at once, or fewer threads");
}

void ForwardPass::take_memory() {
    model::Carver<float> sizes(nullptr);
    carve(sizes);
    std::vector<float> learned(layout_.size(), 0.0F);
    pieces_->names.start<float>(learned);
    tables_.update(learned);
    model::Carver<float> carver(memory_.require(sizes.used()));
    carve(carver);
}

void ForwardPass::carve(model::Carver<float>& carver) {
    const std::size_t padded = tables_.padded();
    stream_ = carver.take(length_ * shape_.width);
    for (Scratch& scratch : scratch_) scratch.norms = carver.take(std::min(tokens_at_once, length_) * shape_.width);
    // Logits are computed when the other parts are no longer needed.
    model::Carver<float> last = carver;
    for (Scratch& scratch : scratch_) scratch.logits = last.take(std::min(logits_at_once, length_) * shape_.vocabulary);
    heads_ = carver.take(length_ * heads_row_);
    raw_heads_ = architecture_.head_norms ? carver.take(length_ * heads_row_) : nullptr;
    attended_ = carver.take(length_ * shape_.heads * shape_.head_dim);
    for (Scratch& scratch : scratch_) {
        for (float** part : {&scratch.queries, &scratch.keys, &scratch.values, &scratch.keys_turned, &scratch.outputs})
            *part = carver.take(padded * wide_);
        for (float** part : {&scratch.far_queries, &scratch.far_keys, &scratch.far_keys_turned})
            *part = tables_.has_far() ? carver.take(padded * wide_) : nullptr;
        scratch.lse = carver.take(padded);
        scratch.hidden = carver.take(2 * std::min(tokens_at_once, length_) * shape_.ffn);
        scratch.added =
            architecture_.post_norms ? carver.take(std::min(tokens_at_once, length_) * shape_.width) : nullptr;
    }
    carver.continue_behind(last);
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

/// Rows of the embedding are read from the file, because as floats they would need the memory of the head once more.
void ForwardPass::embed() {
    const Source& file = state_.checkpoint.file();
    const tensor::GgufTensor& embedding = *file.find(embedding_name);
    const tensor::GgufTensor* const positions = has_file_positions_ ? file.find(positions_name) : nullptr;
    const std::vector<float>& added = tables_.embedding();
    const float scale = architecture_.scaled_embedding ? std::sqrt(static_cast<float>(shape_.width)) : 1;
    state_.team.run(length_, [&](std::size_t p, std::size_t) {
        const std::span<float> row(stream_ + p * shape_.width, shape_.width);
        const auto token = static_cast<std::size_t>(tokens_[p]);
        file.read_rows(embedding, token, row);
        check_finite(file, embedding, token, row);
        for (float& number : row) number *= scale;
        if (architecture_.embedding_norm) normalise(state_.embedding_norm, row.data(), 1, row.data());
        if (positions != nullptr) {
            std::vector<float> position(shape_.width);
            file.read_rows(*positions, p, position);
            check_finite(file, *positions, p, position);
            for (std::size_t c = 0; c < shape_.width; ++c) row[c] += position[c];
        }
        for (std::size_t c = 0; !added.empty() && c < shape_.width; ++c) row[c] += added[p * shape_.width + c];
    });
}

void ForwardPass::multiply(const Matrix& matrix, std::size_t rows, const float* x, float* y, std::size_t y_row,
                           bool add) const {
    kernels_.product(
        {rows, matrix.outputs, matrix.inputs, x, matrix.inputs, 1, matrix.packed, y, y_row, matrix.bias, add});
    tell_steps(product_steps(rows, matrix.outputs, matrix.inputs));
}

void ForwardPass::add_product(const Matrix& matrix, const Norm& norm, std::size_t count, const float* x, float* stream,
                              float* before) const {
    if (norm.weight == nullptr) return multiply(matrix, count, x, stream, shape_.width, true);
    multiply(matrix, count, x, before, shape_.width, false);
    std::vector<float> row(shape_.width);
    for (std::size_t p = 0; p < count; ++p, before += shape_.width, stream += shape_.width) {
        normalise(norm, before, 1, row.data());
        for (std::size_t c = 0; c < shape_.width; ++c) stream[c] += row[c];
    }
}

void ForwardPass::normalise(const Norm& norm, const float* x, std::size_t count, float* y) const {
    if (!architecture_.layer_norms)
        return kernels_.root_mean_square({count, norm.width, x, norm.weight, static_cast<float>(shape_.epsilon), y});
    for (std::size_t row = 0; row < count; ++row, x += norm.width, y += norm.width) {
        const Moments m = moments_of(x, norm.width, shape_.epsilon);
        for (std::size_t c = 0; c < norm.width; ++c)
            y[c] = static_cast<float>((x[c] - m.mean) * m.inverse * norm.weight[c] +
                                      (norm.bias != nullptr ? norm.bias[c] : 0));
    }
}

void ForwardPass::apply_unit(float* gate, const float* up, std::size_t count) const {
    switch (architecture_.unit) {
        case Unit::silu_gate: return kernels_.swiglu(gate, up, gate, count);
        case Unit::gelu_tanh: return kernels_.gelu(gate, gate, nullptr, count);
        case Unit::gelu_gate:
            kernels_.gelu(gate, gate, nullptr, count);
            for (std::size_t i = 0; i < count; ++i) gate[i] *= up[i];
            return;
        case Unit::gelu_erf:
            for (std::size_t i = 0; i < count; ++i) gate[i] *= normal_below(gate[i]);
            return;
    }
}

void ForwardPass::make_heads(std::size_t layer, std::size_t first, std::size_t count, Scratch& scratch) {
    const LayerWeights& weights = state_.layers[layer];
    normalise(weights.attention_norm, stream_ + first * shape_.width, count, scratch.norms);
    float* to = heads_ + first * heads_row_;
    for (const Matrix* matrix : {&weights.query, &weights.key, &weights.value}) {
        multiply(*matrix, count, scratch.norms, to, heads_row_, false);
        to += matrix->outputs;
    }
    float* const rows = heads_ + first * heads_row_;
    if (!architecture_.head_norms) return scale_queries(rows, count);
    std::copy_n(rows, count * heads_row_, raw_heads_ + first * heads_row_);
    for (std::size_t p = 0; p < count; ++p) {
        float* const queries = rows + p * heads_row_;
        float* const keys = queries + shape_.heads * shape_.head_dim;
        normalise(weights.query_norm, queries, shape_.heads, queries);
        normalise(weights.key_norm, keys, shape_.key_heads, keys);
    }
    scale_queries(rows, count);
}

void ForwardPass::scale_queries(float* rows, std::size_t count) const {
    const auto scale = static_cast<float>(shape_.logit_scale);
    if (scale == 1) return;
    for (std::size_t p = 0; p < count; ++p, rows += heads_row_)
        for (std::size_t c = 0; c < shape_.heads * shape_.head_dim; ++c) rows[c] *= scale;
}

void ForwardPass::cap_logits(std::span<float> logits) const {
    const auto cap = static_cast<float>(shape_.logit_cap);
    if (cap == 0) return;
    for (float& logit : logits) logit = cap * std::tanh(logit / cap);
}

model::Turn<float> ForwardPass::turn(const float* table, const float* factor) const {
    model::Turn<float> t{};
    t.rows = length_;
    t.dim = shape_.head_dim;
    t.wide = wide_;
    t.rotated = table != nullptr ? pieces_->rotated : 0;
    t.halves = shape_.pairs == scheme::Pairs::halves;
    t.cosine = table;
    t.sine = table != nullptr ? table + length_ * pieces_->rotated : nullptr;
    t.factor = factor;
    return t;
}

void ForwardPass::turn_from(model::Turn<float> turn, const float* from, float* to) const {
    turn.from = from;
    turn.from_row = heads_row_;
    turn.to = to;
    turn.to_row = wide_;
    kernels_.turn(turn);
}

const float* ForwardPass::query_table(std::size_t layer, std::size_t head) const {
    return pieces_->rotated > 0 ? tables_.query_turn(layer, head) : nullptr;
}

const float* ForwardPass::key_table(std::size_t layer, std::size_t head) const {
    return pieces_->rotated > 0 ? tables_.key_turn(layer, head) : nullptr;
}

bool ForwardPass::shares_keys(std::size_t layer, std::size_t head, std::size_t other) const {
    return key_head_of(head) == key_head_of(other) && key_table(layer, head) == key_table(layer, other);
}

void ForwardPass::load_keys(std::size_t layer, std::size_t head, Scratch& scratch) const {
    const std::size_t dim = shape_.head_dim;
    const float* const key = heads_ + (shape_.heads + key_head_of(head)) * dim;
    turn_from(turn(key_table(layer, head), nullptr), key, scratch.keys);
    turn_from(turn(nullptr, nullptr), key + shape_.key_heads * dim, scratch.values);
    kernels_.transpose({scratch.keys, wide_}, 0, length_, dim, scratch.keys_turned);
    if (!tables_.has_far()) return;
    turn_from(turn(tables_.far_key_turn(layer, head), nullptr), key, scratch.far_keys);
    kernels_.transpose({scratch.far_keys, wide_}, 0, length_, dim, scratch.far_keys_turned);
}

model::Head<float> ForwardPass::load_head(std::size_t layer, std::size_t head, std::optional<std::size_t> before,
                                          Scratch& scratch) const {
    const std::size_t dim = shape_.head_dim;
    if (!before || !shares_keys(layer, head, *before)) load_keys(layer, head, scratch);
    turn_from(turn(query_table(layer, head), tables_.factor(layer, head)), heads_ + head * dim, scratch.queries);
    model::Head<float> task{};
    task.length = length_;
    task.padded = tables_.padded();
    task.dim = dim;
    task.wide = wide_;
    task.q = {scratch.queries, wide_};
    task.k = {scratch.keys, wide_};
    task.v = {scratch.values, wide_};
    task.k_t = scratch.keys_turned;
    if (tables_.has_far()) {
        turn_from(turn(tables_.far_query_turn(layer, head), tables_.factor(layer, head)), heads_ + head * dim,
                  scratch.far_queries);
        task.far = {
            tables_.far(layer, head), {scratch.far_queries, wide_}, {scratch.far_keys, wide_}, scratch.far_keys_turned};
    }
    task.mask = tables_.mask(layer, head);
    if (tables_.has_bias()) (tables_.bias_by_distance() ? task.bias_line : task.bias_tiles) = tables_.bias(layer, head);
    task.relative.causal = pieces_->scheme.causal;
    task.o = {scratch.outputs, wide_};
    task.lse = scratch.lse;
    task.cap = static_cast<float>(shape_.attention_cap);
    return task;
}

/// The first query of part `part` of `parts`, of about the same number of tiles.
static std::size_t begin_of(const model::MaskView& mask, std::size_t length, std::size_t part, std::size_t parts) {
    const std::size_t rows = (length + model::query_tile - 1) / model::query_tile;
    const auto tiles = static_cast<std::uint32_t>(mask.first[rows] * static_cast<std::uint64_t>(part) / parts);
    const auto row = std::lower_bound(mask.first, mask.first + rows, tiles) - mask.first;
    return std::min(length, static_cast<std::size_t>(row) * model::query_tile);
}

void ForwardPass::attend_part(std::size_t layer, const HeadsPart& heads, Scratch& scratch, const AfterHead& after) {
    const std::size_t dim = shape_.head_dim;
    std::optional<std::size_t> before;
    for (std::size_t head = heads.first; head < heads.end; before = head++) {
        model::Head<float> task = load_head(layer, head, before, scratch);
        const auto [part, parts] = std::pair(heads.part, heads.parts);
        task.first_query = part == 0 ? 0 : begin_of(task.mask, length_, part, parts);
        task.end_query = part + 1 == parts ? length_ : begin_of(task.mask, length_, part + 1, parts);
        kernels_.attention(task);
        tell_steps(attention_steps(length_, dim) / parts);
        for (std::size_t p = task.first_query; p < task.end_query; ++p)
            std::copy_n(scratch.outputs + p * wide_, dim, attended_ + (p * shape_.heads + head) * dim);
        if (after) after(layer, head, task);
    }
}

/// If the groups of heads cannot be shared out evenly, threads that would wait for the last ones compute a part of
/// them. Heads with the same keys are one group, which rotates its keys once, unless threads would wait.
void ForwardPass::attend(std::size_t layer, const AfterHead& after) {
    const std::size_t threads = state_.team.threads();
    const std::size_t unshared = shape_.key_heads % threads;
    const bool is_even = unshared == 0 || threads % unshared == 0;
    const std::size_t group = is_even && !after ? shape_.heads / shape_.key_heads : 1;
    const std::size_t groups = shape_.heads / group;
    const std::size_t last = groups % threads;
    const std::size_t parts = last == 0 || after ? 1 : threads / last;
    const std::size_t whole = parts == 1 ? groups : groups - last;
    state_.team.run(whole + (groups - whole) * parts, [&](std::size_t index, std::size_t thread) {
        const std::size_t at = index < whole ? index : whole + (index - whole) / parts;
        const std::size_t part = index < whole ? 0 : (index - whole) % parts;
        attend_part(layer, {at * group, (at + 1) * group, part, index < whole ? 1 : parts}, scratch_[thread], after);
    });
}

void ForwardPass::finish_layer(std::size_t layer, std::size_t first, std::size_t count, Scratch& scratch) {
    const LayerWeights& weights = state_.layers[layer];
    float* const stream = stream_ + first * shape_.width;
    const Matrix& out = weights.attention_out;
    if (shape_.parallel) normalise(weights.ffn_norm, stream, count, scratch.norms);
    add_product(out, weights.attention_post_norm, count, attended_ + first * out.inputs, stream, scratch.added);
    if (!shape_.parallel) normalise(weights.ffn_norm, stream, count, scratch.norms);
    float* const gate = scratch.hidden;
    float* const up = gate + count * shape_.ffn;
    enter_ffn(weights, count, scratch.norms, gate, up);
    apply_unit(gate, up, count * shape_.ffn);
    add_product(weights.down, weights.ffn_post_norm, count, gate, stream, scratch.added);
}

/// Computes the input of the unit: `gate`, and also `up` if the two are multiplied.
void ForwardPass::enter_ffn(const LayerWeights& weights, std::size_t count, const float* x, float* gate,
                            float* up) const {
    const bool is_gated = architecture_.is_gated();
    multiply(is_gated ? weights.gate : weights.up, count, x, gate, shape_.ffn, false);
    if (is_gated) multiply(weights.up, count, x, up, shape_.ffn, false);
}

void ForwardPass::run_layer(std::size_t layer, const AfterHead& after) {
    in_blocks([&](std::size_t first, std::size_t count, std::size_t thread) {
        make_heads(layer, first, count, scratch_[thread]);
    });
    attend(layer, after);
    in_blocks([&](std::size_t first, std::size_t count, std::size_t thread) {
        finish_layer(layer, first, count, scratch_[thread]);
    });
}

void ForwardPass::run_layers(const AfterHead& after) {
    take_memory();
    embed();
    for (std::size_t layer = 0; layer < shape_.layers; ++layer) run_layer(layer, after);
}

void ForwardPass::take_logits(std::size_t first, const std::function<void(std::size_t, std::span<float>)>& in_parallel,
                              const std::function<void(std::span<const float>)>& in_order) {
    const TokenBlocks blocks(length_ - first, state_.team.threads(), logits_at_once);
    const auto logits = [&](std::size_t block, std::size_t thread) {
        return std::span(scratch_[thread].logits, blocks.size(block) * shape_.vocabulary);
    };
    const auto compute = [&](std::size_t block, std::size_t thread) {
        const std::size_t position = first + blocks.begin(block);
        normalise(state_.norm, stream_ + position * shape_.width, blocks.size(block), scratch_[thread].norms);
        multiply(state_.head, blocks.size(block), scratch_[thread].norms, logits(block, thread).data(),
                 shape_.vocabulary, false);
        cap_logits(logits(block, thread));
        in_parallel(position, logits(block, thread));
    };
    if (!in_order) return state_.team.run(blocks.count(), compute);
    state_.team.run_in_turn(blocks.count(), compute,
                            [&](std::size_t block, std::size_t thread) { in_order(logits(block, thread)); });
}

void ForwardPass::logits(const std::function<void(std::span<const float>)>& take) {
    run_layers();
    take_logits(
        0, [](std::size_t, std::span<float>) {}, take);
}

void ForwardPass::losses(std::span<const model::Token> targets, std::span<float> result) {
    run_layers();
    const std::size_t vocabulary = shape_.vocabulary;
    const std::size_t from = length_ - targets.size();
    const auto score = [&](std::size_t position, std::span<float> logits) {
        for (std::size_t row = 0; row * vocabulary < logits.size(); ++row) {
            const std::size_t at = position + row - from;
            const model::Token target = targets[at];
            result[at] = target == model::ignored ? 0
                                                  : kernels_.cross_entropy(logits.data() + row * vocabulary, vocabulary,
                                                                           static_cast<std::size_t>(target), 1, false);
        }
    };
    take_logits(from, score);
}

std::vector<model::Token> ForwardPass::predicted(std::size_t last) {
    run_layers();
    const std::size_t from = length_ - last;
    const std::size_t vocabulary = shape_.vocabulary;
    std::vector<model::Token> found(last);
    const auto choose = [&](std::size_t position, std::span<float> logits) {
        for (std::size_t row = 0; row * vocabulary < logits.size(); ++row)
            found[position + row - from] = largest(logits.subspan(row * vocabulary, vocabulary));
    };
    take_logits(from, choose);
    return found;
}

void ForwardPass::attention(model::Attention what, const Forward::TakeRows& take) {
    using model::key_tile;
    using model::query_tile;
    constexpr float hidden = -std::numeric_limits<float>::infinity();
    run_layers([&](std::size_t layer, std::size_t head, const model::Head<float>& task) {
        std::vector<float> rows(query_tile * length_);
        std::vector<float> tile(query_tile * key_tile);
        for (std::size_t row = 0; row * query_tile < length_; ++row) {
            const std::size_t first = row * query_tile;
            const std::size_t count = std::min(query_tile, length_ - first);
            std::fill(rows.begin(), rows.end(), hidden);
            for (std::uint32_t t = task.mask.first[row]; t < task.mask.first[row + 1]; ++t) {
                const model::MaskTile& place = task.mask.tiles[t];
                kernels_.attention_logits(task, row, place, tile.data());
                for (std::size_t r = 0; r < count; ++r)
                    std::copy(tile.begin() + static_cast<std::ptrdiff_t>(r * key_tile + place.begin),
                              tile.begin() + static_cast<std::ptrdiff_t>(r * key_tile + place.end),
                              rows.begin() + static_cast<std::ptrdiff_t>(r * length_ + place.key + place.begin));
            }
            for (std::size_t i = 0; what == model::Attention::probabilities && i < count * length_; ++i)
                rows[i] = rows[i] == hidden ? 0 : std::exp(rows[i] - task.lse[first + i / length_]);
            take(layer, head, first, {rows.data(), count * length_});
        }
    });
}

void ForwardPass::vectors(const Forward::TakeVectors& take) {
    const std::size_t dim = shape_.head_dim;
    const auto scale = static_cast<float>(shape_.logit_scale);
    run_layers([&](std::size_t layer, std::size_t head, const model::Head<float>&) {
        const float* const query = heads_ + head * dim;
        const float* const key = heads_ + (shape_.heads + key_head_of(head)) * dim;
        std::vector<float> unscaled(dim);  // scale_queries() has multiplied them
        for (std::size_t p = 0; p < length_; ++p) {
            for (std::size_t c = 0; c < dim; ++c) unscaled[c] = query[p * heads_row_ + c] / scale;
            take(layer, head, unscaled, {key + p * heads_row_, dim});
        }
    });
}

}  // namespace farfield::checkpoint
