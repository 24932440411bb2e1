// Block: attention, head by head.
#include <algorithm>
#include <cmath>
#include <limits>

#include "model/block.hpp"

namespace farfield::model {
namespace {

enum HeadMemory {
    queries,
    keys,
    values,
    keys_turned,
    values_turned,
    outputs,
    d_outputs,
    d_queries,
    d_keys,
    d_values,
    classes,
    sums,
    tile,
    far_queries,
    far_keys,
    far_keys_turned,
    d_far_queries,
    d_far_keys
};

}  // namespace

template <class Real>
void Block<Real>::carve_head(Carver<Real>& carver) {
    const std::size_t lanes = kernels_.lanes;
    const std::size_t dim = pass_.model.config.head_dim();
    const std::size_t wide = (dim + lanes - 1) / lanes * lanes;
    const std::size_t padded = pass_.tables.padded();
    for (const HeadMemory part : {queries, keys, values, keys_turned, values_turned, outputs}) {
        a_.head_memory[part] = carver.take(padded * wide);
    }
    if (pass_.training) {
        for (const HeadMemory part : {d_outputs, d_queries, d_keys, d_values}) {
            a_.head_memory[part] = carver.take(padded * wide);
        }
    }
    const bool has_far = pass_.tables.has_far();
    if (has_far) {
        for (const HeadMemory part : {far_queries, far_keys, far_keys_turned})
            a_.head_memory[part] = carver.take(padded * wide);
        for (const HeadMemory part : {d_far_queries, d_far_keys})
            a_.head_memory[part] = pass_.training ? carver.take(padded * wide) : nullptr;
    }
    a_.head = Head<Real>{};
    a_.head.length = length_;
    a_.head.padded = padded;
    a_.head.dim = dim;
    a_.head.wide = wide;
    a_.head.relative.causal = pass_.tables.pieces().scheme.causal;
    if (const auto& relative = pass_.tables.pieces().scheme.relative) {
        a_.head.relative.clip = static_cast<std::size_t>(relative->clip);
        a_.head_memory[classes] = carver.take(4 * query_tile * a_.head.relative.classes());
    }
    a_.head_memory[sums] = carver.take(length_);
    a_.head_memory[tile] = carver.take(query_tile * key_tile);
    // Rows and columns beyond the length are multiplied by zeros, so they must be finite numbers.
    if (a_.head_memory[queries] == nullptr) return;
    for (const HeadMemory part : {keys, values, keys_turned, values_turned}) {
        std::fill(a_.head_memory[part], a_.head_memory[part] + padded * wide, Real{0});
    }
    for (const HeadMemory part : {far_keys, far_keys_turned})
        if (has_far) std::fill(a_.head_memory[part], a_.head_memory[part] + padded * wide, Real{0});
}

template <class Real>
Turn<Real> Block<Real>::turn(const Real* table, const Real* factor) const {
    const Pieces& pieces = pass_.tables.pieces();
    Turn<Real> t{};
    t.rows = length_;
    t.dim = a_.head.dim;
    t.wide = a_.head.wide;
    t.rotated = table != nullptr ? pieces.rotated : 0;
    t.halves = pieces.scheme.rotate && pieces.scheme.rotate->pairs == scheme::Pairs::halves;
    t.cosine = table;
    t.sine = table != nullptr ? table + length_ * pieces.rotated : nullptr;
    t.factor = factor;
    return t;
}

/// Skips the first rows of a rotation.
template <class Real>
static Turn<Real> without_rows(Turn<Real> t, std::size_t rows) {
    t.rows -= rows;
    if (t.cosine != nullptr) t.cosine += rows * t.rotated;
    if (t.sine != nullptr) t.sine += rows * t.rotated;
    if (t.factor != nullptr) t.factor += rows;
    t.from += rows * t.from_row;
    t.to += rows * t.to_row;
    return t;
}

/// Whether the kernel may read and write a head's columns in place: they must be whole vectors, down to the last row.
template <class Real>
bool Block<Real>::usable_in_place() const {
    return a_.head.dim == a_.head.wide && length_ % kernels_.lanes == 0;
}

/// Copies a head's columns of the sequence's activations to `to`, rotated.
template <class Real>
HeadRows<const Real> Block<Real>::turned_rows(Turn<Real> t, const Real* from, std::size_t step, Real* to) {
    t.from = from;
    t.from_row = step;
    t.to = to;
    t.to_row = a_.head.wide;
    kernels_.turn(without_rows(t, row_));
    return {to, a_.head.wide};
}

/// The same without rotation: in place, or copied.
template <class Real>
HeadRows<const Real> Block<Real>::plain_rows(const Real* from, std::size_t step, Real* to) {
    if (usable_in_place()) return {from, step};
    return turned_rows(turn(nullptr, nullptr), from, step, to);
}

/// Queries, keys and values of one head, rotated and laid out for the kernel.
template <class Real>
Head<Real> Block<Real>::load_head(std::size_t index, std::size_t sequence, std::size_t head) {
    const Positions<Real>& tables = pass_.tables;
    const bool turns = tables.pieces().rotated > 0;
    const std::size_t step = 3 * width_;
    const Real* const from = layer(index).qkv + sequence * length_ * step + head * a_.head.dim;
    Real* const* const memory = a_.head_memory;
    Head<Real> task = a_.head;
    task.q = turned_rows(turn(turns ? tables.query_turn(index, head) : nullptr, tables.factor(index, head)), from, step,
                         memory[queries]);
    task.k = turns ? turned_rows(turn(tables.key_turn(index, head), nullptr), from + width_, step, memory[keys])
                   : plain_rows(from + width_, step, memory[keys]);
    task.v = plain_rows(from + 2 * width_, step, memory[values]);
    kernels_.transpose(task.k, row_, length_, a_.head.dim, memory[keys_turned]);
    task.k_t = memory[keys_turned];
    if (tables.has_far()) {
        task.far.where = tables.far(index, head);
        task.far.q = turned_rows(turn(tables.far_query_turn(index, head), tables.factor(index, head)), from, step,
                                 memory[far_queries]);
        task.far.k =
            turned_rows(turn(tables.far_key_turn(index, head), nullptr), from + width_, step, memory[far_keys]);
        kernels_.transpose(task.far.k, row_, length_, a_.head.dim, memory[far_keys_turned]);
        task.far.k_t = memory[far_keys_turned];
    }
    task.v_t = memory[values_turned];
    task.mask = tables.mask(index, head);
    if (tables.has_bias()) (tables.bias_by_distance() ? task.bias_line : task.bias_tiles) = tables.bias(index, head);
    const LayerSlices& slices = pass_.model.slices.layers[index];
    if (slices.relative_keys != Linear::none) task.relative.keys = pass_.parameter(slices.relative_keys);
    if (slices.relative_values != Linear::none) task.relative.values = pass_.parameter(slices.relative_values);
    Real* const o = layer(index).o + sequence * length_ * width_ + head * task.dim;
    task.o = usable_in_place() ? HeadRows<Real>{o, width_} : HeadRows<Real>{memory[outputs], task.wide};
    task.lse = layer(index).lse + (sequence * pass_.model.config.heads + head) * length_;
    task.scratch = memory[classes];
    return task;
}

template <class Real>
void Block<Real>::attend_forward(std::size_t index) {
    const std::size_t heads = pass_.model.config.heads;
    for (std::size_t sequence = 0; sequence < sequences_; ++sequence) {
        for (std::size_t head = 0; head < heads; ++head) {
            Head<Real> task = load_head(index, sequence, head);
            task.first_query = needed_from(index + 1);
            kernels_.attention(task);
            if (usable_in_place()) continue;
            Turn<Real> back = turn(nullptr, nullptr);
            back.from = task.o.numbers;
            back.from_row = task.wide;
            back.to = layer(index).o + sequence * length_ * width_ + head * task.dim;
            back.to_row = width_;
            kernels_.turn_back(without_rows(back, task.first_query));
        }
    }
}

template <class Real>
void Block<Real>::attend_backward(std::size_t index, Group<Real>& group) {
    for (std::size_t sequence = 0; sequence < sequences_; ++sequence) {
        for (std::size_t head = 0; head < pass_.model.config.heads; ++head) {
            head_backward_of(index, sequence, head, group);
        }
    }
}

template <class Real>
void Block<Real>::head_backward_of(std::size_t index, std::size_t sequence, std::size_t head, Group<Real>& group) {
    Positions<Real>& tables = pass_.tables;
    Real* const* const memory = a_.head_memory;
    HeadBackward<Real> task{};
    task.head = load_head(index, sequence, head);
    const std::size_t dim = task.head.dim;
    const std::size_t wide = task.head.wide;
    const std::size_t columns = sequence * length_ * width_ + head * dim;
    // Only read here; a copy is at `task.head.o`.
    plain_rows(layer(index).o + columns, width_, memory[outputs]);
    task.d_o = plain_rows(a_.d_branch + columns, width_, memory[d_outputs]);
    kernels_.transpose(task.head.v, 0, length_, dim, memory[values_turned]);
    task.d_q = memory[d_queries];
    task.d_k = memory[d_keys];
    task.d_v = memory[d_values];
    std::fill(task.d_k, task.d_k + task.head.padded * wide, Real{0});
    std::fill(task.d_v, task.d_v + task.head.padded * wide, Real{0});
    Real* const d_bias = tables.bias_gradient(*group.tables, index, head);
    (tables.bias_by_distance() ? task.d_bias_line : task.d_bias_tiles) = d_bias;
    Real* const gradient = group.gradient;
    const LayerSlices& slices = pass_.model.slices.layers[index];
    if (slices.relative_keys != Linear::none) task.d_relative_keys = gradient + slices.relative_keys;
    if (slices.relative_values != Linear::none) task.d_relative_values = gradient + slices.relative_values;
    if (tables.has_far()) {
        task.d_far_q = memory[d_far_queries];
        task.d_far_k = memory[d_far_keys];
        std::fill(task.d_far_k, task.d_far_k + task.head.padded * wide, Real{0});
    }
    kernels_.attention_backward(task);

    const std::size_t offset = sequence * length_ * 3 * width_ + head * dim;
    const bool turns = tables.pieces().rotated > 0;
    const Real* const queries_read = layer(index).qkv + offset;
    const Real* const factor = tables.factor(index, head);
    Real* const d_factor = tables.factor_gradient(*group.tables, index, head);
    const auto gradient_of = [&](std::vector<Real>& turns_of) { return tables.turn_gradient(turns_of, index, head); };
    turn_gradient(
        {turns ? tables.query_turn(index, head) : nullptr, gradient_of(group.tables->query_turn), factor, d_factor},
        queries_read, task.d_q);
    turn_gradient({nullptr, gradient_of(group.tables->key_turn), nullptr, nullptr}, queries_read + width_, task.d_k);
    const auto scatter = [&](Turn<Real> t, const Real* from, std::size_t column) {
        t.from = from;
        t.from_row = wide;
        t.to = a_.d_wide + offset + column;
        t.to_row = 3 * width_;
        kernels_.turn_back(t);
    };
    scatter(turn(turns ? tables.query_turn(index, head) : nullptr, tables.factor(index, head)), task.d_q, 0);
    scatter(turn(turns ? tables.key_turn(index, head) : nullptr, nullptr), task.d_k, width_);
    scatter(turn(nullptr, nullptr), task.d_v, 2 * width_);
    if (!tables.has_far()) return;
    turn_gradient({tables.far_query_turn(index, head), gradient_of(group.tables->far_query_turn), factor, d_factor},
                  queries_read, task.d_far_q);
    turn_gradient({nullptr, gradient_of(group.tables->far_key_turn), nullptr, nullptr}, queries_read + width_,
                  task.d_far_k);
    add_far_gradient(turn(tables.far_query_turn(index, head), factor), task.d_far_q, a_.d_wide + offset);
    add_far_gradient(turn(tables.far_key_turn(index, head), nullptr), task.d_far_k, a_.d_wide + offset + width_);
}

template <class Real>
void Block<Real>::add_far_gradient(Turn<Real> t, const Real* slopes, Real* to) {
    Real* const turned_back = a_.head_memory[far_queries];  // no longer read
    t.from = slopes;
    t.from_row = a_.head.wide;
    t.to = turned_back;
    t.to_row = a_.head.wide;
    kernels_.turn_back(t);
    for (std::size_t p = 0; p < length_; ++p)
        for (std::size_t j = 0; j < a_.head.dim; ++j) to[p * 3 * width_ + j] += turned_back[p * a_.head.wide + j];
}

/// With respect to the factor, which may be 0: slope . rotated x; to cosine[j]: factor slope[j] x[j]; to sine[j]:
/// factor slope[j] x[partner(j)].
template <class Real>
void Block<Real>::turn_gradient(const TurnGradient<Real>& by, const Real* activations, const Real* slopes) {
    const Positions<Real>& tables = pass_.tables;
    const std::size_t wide = a_.head.wide;
    const Real* const factor = by.factor;
    const std::size_t rotated = tables.pieces().rotated;
    const bool halves = rotated > 0 && tables.pieces().scheme.rotate->pairs == scheme::Pairs::halves;
    const auto partner_of = [&](std::size_t j) { return halves ? (j + rotated / 2) % rotated : j ^ 1; };
    if (Real* const to = by.d_factor) {
        const Real* const cosine = by.table;
        for (std::size_t p = 0; p < length_; ++p) {
            const Real* const x = activations + p * 3 * width_;
            const Real* const slope = slopes + p * wide;
            Real total = 0;
            for (std::size_t j = 0; j < rotated; ++j) {
                total += slope[j] *
                         (cosine[p * rotated + j] * x[j] + cosine[(length_ + p) * rotated + j] * x[partner_of(j)]);
            }
            for (std::size_t j = rotated; j < a_.head.dim; ++j) total += slope[j] * x[j];
            to[p] += total;
        }
    }
    Real* const to = by.d_table;
    if (to == nullptr) return;
    for (std::size_t p = 0; p < length_; ++p) {
        const Real* const x = activations + p * 3 * width_;
        for (std::size_t j = 0; j < rotated; ++j) {
            const Real slope = slopes[p * wide + j] * (factor != nullptr ? factor[p] : Real{1});
            to[p * rotated + j] += slope * x[j];
            to[(length_ + p) * rotated + j] += slope * x[partner_of(j)];
        }
    }
}

template <class Real>
void Block<Real>::read_attention(std::size_t index, std::size_t head, Attention what, Real* result) {
    const Head<Real> task = load_head(index, 0, head);
    constexpr Real hidden = -std::numeric_limits<Real>::infinity();
    std::fill(result, result + length_ * length_, hidden);
    for (std::size_t row = 0; row * query_tile < length_; ++row) {
        for (std::uint32_t t = task.mask.first[row]; t < task.mask.first[row + 1]; ++t) {
            const MaskTile& place = task.mask.tiles[t];
            kernels_.attention_logits(task, row, place, a_.head_memory[tile]);
            for (std::size_t r = 0; r < std::min(query_tile, length_ - row * query_tile); ++r) {
                const Real* const from = a_.head_memory[tile] + r * key_tile;
                Real* const to = result + (row * query_tile + r) * length_ + place.key;
                std::copy(from + place.begin, from + place.end, to + place.begin);
            }
        }
    }
    if (what == Attention::logits) return;
    for (std::size_t q = 0; q < length_; ++q) {
        for (std::size_t k = 0; k < length_; ++k) {
            Real& value = result[q * length_ + k];
            value = value == hidden ? Real{0} : std::exp(value - task.lse[q]);
        }
    }
}

template class Block<float>;
template class Block<double>;

}  // namespace farfield::model
