#include "model/block.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace farfield::model {

/// If a slot's activations have at least this many bytes, some are recomputed instead of kept, because reading data
/// that fits into no cache is as slow as computing it.
constexpr std::size_t most_bytes_kept = std::size_t{64} << 20;

template <class Real>
Block<Real>::Block(const Pass<Real>& pass, std::size_t sequences)
    : pass_(pass),
      kernels_(kernels<Real>(pass.model.config.precision)),
      sequences_(sequences),
      length_(pass.tables.length()),
      tokens_(sequences * length_),
      width_(pass.model.config.width) {
    const Config& config = pass_.model.config;
    const std::size_t kept = config.layers * tokens_ * (8 * width_ + 2 * config.ffn_width());
    recomputes_ = pass_.training && kept * sizeof(Real) > most_bytes_kept;
}

template <class Real>
Block<Real>::Block(const Pass<Real>& pass, std::size_t sequences, Memory<Real>& slot) : Block(pass, sequences) {
    Carver<Real> carver(slot.require(size(pass, sequences)));
    carve(carver);
}

template <class Real>
std::size_t Block<Real>::size(const Pass<Real>& pass, std::size_t sequences) {
    Block block(pass, sequences);
    Carver<Real> sizes(nullptr);
    block.carve(sizes);
    return sizes.used();
}

template <class Real>
void Block<Real>::carve_layers(Carver<Real>& carver) {
    const Config& config = pass_.model.config;
    const std::size_t plane = tokens_ * width_;
    const std::size_t ffn = tokens_ * config.ffn_width();
    const bool shares_y = recomputes_ && config.norm == Norm::pre;  // with post-norm, they are the stream itself
    Real* const y = shares_y ? carver.take(plane) : nullptr;
    Real* const hidden = recomputes_ ? carver.take(ffn) : nullptr;
    Real* const slope = recomputes_ ? carver.take(ffn) : nullptr;
    a_.layers.resize(pass_.training ? config.layers + 1 : 1);
    for (Layer& layer : a_.layers) {
        layer.in = carver.take(plane);
        layer.y1 = shares_y ? y : carver.take(plane);
        layer.mean1 = carver.take(tokens_);
        layer.inverse1 = carver.take(tokens_);
        if (pass_.training && &layer == &a_.layers.back()) continue;
        layer.qkv = carver.take(3 * plane);
        layer.o = carver.take(plane);
        layer.lse = carver.take(tokens_ * config.heads);
        layer.mid = carver.take(plane);
        layer.y2 = shares_y ? y : carver.take(plane);
        layer.mean2 = carver.take(tokens_);
        layer.inverse2 = carver.take(tokens_);
        layer.before = carver.take(ffn);
        layer.hidden = recomputes_ ? hidden : layer.before;
        layer.slope = recomputes_ || !pass_.training ? slope : carver.take(ffn);
    }
}

template <class Real>
void Block<Real>::carve(Carver<Real>& carver) {
    const Config& config = pass_.model.config;
    const std::size_t plane = tokens_ * width_;
    carve_layers(carver);
    a_.branch = carver.take(plane);
    const std::size_t rows = std::min(tokens_, head_rows_at_once);
    a_.logits = carver.take(rows * config.vocabulary);
    if (pass_.training) {
        a_.d_stream = carver.take(plane);
        a_.d_branch = carver.take(plane);
        const std::size_t widest = std::max(3 * width_, config.ffn_width());
        a_.d_wide = carver.take(tokens_ * widest);
        a_.packing = carver.take(
            std::max(kernels_.packed(tokens_, widest), kernels_.packed(rows, std::max(config.vocabulary, width_))));
    }
    carve_head(carver);
}

template <class Real>
NormSlices Block<Real>::norm_before(std::size_t index) const {
    if (pass_.model.config.norm == Norm::post) return slices(index - 1).norm2;
    return index == pass_.model.config.layers ? pass_.model.slices.norm : slices(index).norm1;
}

template <class Real>
NormSlices Block<Real>::norm_between(std::size_t index) const {
    return pass_.model.config.norm == Norm::post ? slices(index).norm1 : slices(index).norm2;
}

template <class Real>
void Block<Real>::normalise(const NormSlices& norm, const Real* x, const Real* delta, Real* sum, Real* y,
                            Moments<Real> moments) {
    const std::size_t skipped = row_ * width_;
    kernels_.normalise({tokens_ - row_, width_, x + skipped, delta != nullptr ? delta + skipped : nullptr,
                        sum != nullptr ? sum + skipped : nullptr, pass_.parameter(norm.weight),
                        pass_.parameter(norm.bias), y + skipped, moments.mean + row_, moments.inverse + row_});
}

template <class Real>
void Block<Real>::linear(const Linear& linear, const PackedLinear<Real>& packed, const Real* x, Real* y) {
    const Real* const bias = linear.bias != Linear::none ? pass_.parameter(linear.bias) : nullptr;
    kernels_.product({tokens_ - row_, linear.outputs, linear.inputs, x + row_ * linear.inputs, linear.inputs, 1,
                      packed.forward, y + row_ * linear.outputs, linear.outputs, bias, false});
}

template <class Real>
void Block<Real>::embed(const Batch& batch, std::size_t first) {
    const Slices& slices = pass_.model.slices;
    const Real scale = pass_.model.config.tied ? static_cast<Real>(std::sqrt(static_cast<double>(width_))) : Real{1};
    const std::vector<Real>& added = pass_.tables.embedding();
    const std::size_t stride = batch.stride > 0 ? batch.stride : batch.length;
    const bool post = pass_.model.config.norm == Norm::post;
    for (std::size_t token = row_; token < tokens_; ++token) {
        const std::size_t p = token % length_;
        const auto symbol = static_cast<std::size_t>(batch.inputs[(first + token / length_) * stride + p]);
        const Real* const row = pass_.parameter(slices.embedding) + symbol * width_;
        const Real* const learned =
            slices.positions != Linear::none ? pass_.parameter(slices.positions) + p * width_ : nullptr;
        const Real* const written = added.empty() ? nullptr : added.data() + p * width_;
        Real* const to = (post ? layer(0).y1 : layer(0).in) + token * width_;
        for (std::size_t c = 0; c < width_; ++c) {
            to[c] = scale * row[c] + (learned != nullptr ? learned[c] : Real{0}) +
                    (written != nullptr ? written[c] : Real{0});
        }
    }
}

/// The first key that is visible to a query from `row` on, or `row` itself if it comes first.
static std::size_t first_key(const MaskView& mask, std::size_t length, std::size_t row) {
    std::size_t first = row;
    for (std::size_t tile_row = row / query_tile; tile_row * query_tile < length; ++tile_row) {
        for (std::uint32_t t = mask.first[tile_row]; t < mask.first[tile_row + 1]; ++t) {
            first = std::min<std::size_t>(first, mask.tiles[t].key + mask.tiles[t].begin);
        }
    }
    return first;
}

template <class Real>
void Block<Real>::need_last(std::size_t last) {
    if (pass_.training || sequences_ > 1) return;
    const Config& config = pass_.model.config;
    // Uses whole tiles of queries, so that every sum is over the same numbers in the same order.
    const auto whole_tiles = [](std::size_t row) { return row / query_tile * query_tile; };
    needed_from_.assign(config.layers + 1, whole_tiles(length_ - last));
    for (std::size_t index = config.layers; index-- > 0;) {
        const std::size_t row = needed_from_[index + 1];
        std::size_t first = row;
        for (std::size_t head = 0; head < config.heads; ++head) {
            first = std::min(first, first_key(pass_.tables.mask(index, head), length_, row));
        }
        needed_from_[index] = whole_tiles(first);
    }
}

template <class Real>
void Block<Real>::forward(const Batch& batch, std::size_t first) {
    row_ = needed_from(0);
    embed(batch, first);
    const std::size_t layers = pass_.model.config.layers;
    const bool post = pass_.model.config.norm == Norm::post;
    if (!post) {
        Layer& start = layer(0);
        normalise(norm_before(0), start.in, nullptr, nullptr, start.y1, {start.mean1, start.inverse1});
    }
    for (std::size_t index = 0; index < layers; ++index) {
        Layer& here = layer(index);
        const typename PackedWeights<Real>::Layer& packed = pass_.packed.layers[index];
        linear(slices(index).attention_in, packed.attention_in, here.y1, here.qkv);
        attend_forward(index);
        row_ = needed_from(index + 1);
        linear(slices(index).attention_out, packed.attention_out, here.o, a_.branch);
        normalise(norm_between(index), post ? here.y1 : here.in, a_.branch, here.mid, here.y2,
                  {here.mean2, here.inverse2});
        linear(slices(index).ffn_in, packed.ffn_in, here.y2, here.before);
        const std::size_t skipped = row_ * pass_.model.config.ffn_width();
        const bool keeps_slope = pass_.training && !recomputes_;
        kernels_.gelu(here.before + skipped, here.hidden + skipped, keeps_slope ? here.slope + skipped : nullptr,
                      tokens_ * pass_.model.config.ffn_width() - skipped);
        linear(slices(index).ffn_out, packed.ffn_out, here.hidden, a_.branch);
        Layer& next = layer(index + 1);
        normalise(norm_before(index + 1), post ? here.y2 : here.mid, a_.branch, next.in, next.y1,
                  {next.mean1, next.inverse1});
    }
    row_ = 0;
}

template <class Real>
double Block<Real>::head(const Batch& batch, std::size_t first, std::size_t last, Real* losses, Group<Real>* group,
                         Real scale) {
    const std::size_t stride = batch.stride > 0 ? batch.stride : batch.length;
    const std::size_t vocabulary = pass_.model.config.vocabulary;
    const Real* const y = layer(pass_.model.config.layers).y1;
    double total = 0;
    std::size_t rows = 0;
    for (std::size_t row = 0; row < sequences_ * last; row += rows) {
        // Rows of several sequences are contiguous only if all their positions are needed.
        rows = std::min(head_rows_at_once, sequences_ * last - row);
        if (last < length_) rows = std::min(rows, last - row % last);
        const std::size_t token = last == length_ ? row : row / last * length_ + length_ - last + row % last;
        head_logits(y + token * width_, rows);
        for (std::size_t r = 0; r < rows; ++r) {
            const std::size_t sequence = first + (token + r) / length_;
            const Token target = batch.targets[sequence * stride + (token + r) % length_];
            Real* const logits = a_.logits + r * vocabulary;
            Real loss = 0;
            if (target == ignored) {
                if (group != nullptr) std::fill(logits, logits + vocabulary, Real{0});
            } else {
                loss = kernels_.cross_entropy(logits, vocabulary, static_cast<std::size_t>(target), scale,
                                              group != nullptr);
            }
            total += static_cast<double>(loss);
            if (losses != nullptr) losses[row + r] = loss;
        }
        if (group != nullptr) {
            head_backward(y + token * width_, rows, a_.d_branch + token * width_, group->started || row > 0, *group);
        }
    }
    return total;
}

template <class Real>
void Block<Real>::head_logits(const Real* y, std::size_t rows) {
    const Linear& head = pass_.model.slices.head;
    kernels_.product({rows, head.outputs, head.inputs, y, head.inputs, 1, pass_.packed.head.forward, a_.logits,
                      head.outputs, nullptr, false});
}

template <class Real>
void Block<Real>::last_logits(Real* logits) {
    head_logits(layer(pass_.model.config.layers).y1 + (tokens_ - 1) * width_, 1);
    std::copy(a_.logits, a_.logits + pass_.model.config.vocabulary, logits);
}

template class Block<float>;
template class Block<double>;

}  // namespace farfield::model
