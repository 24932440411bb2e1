#include <algorithm>
#include <cmath>
#include <farfield/core/error.hpp>
#include <farfield/model/generation.hpp>
#include <limits>
#include <vector>

#include "model/check_batch.hpp"
#include "model/kernel/kernels.hpp"
#include "model/state.hpp"

namespace farfield::model {

template <class Real>
struct Generator<Real>::State {
    using Whole = typename Model<Real>::State;

    const Whole& model;
    const Kernels<Real>& kernels;
    Workspace<Real> workspace;
    const Positions<Real>* tables;
    std::size_t window;
    std::size_t width;
    std::size_t dim;
    std::size_t position = 0;
    std::vector<Real> keys;      ///< rotated, [layer, head, position % window, d]
    std::vector<Real> values;    ///< the same
    std::vector<Real> far_keys;  ///< by the second rotation; empty without one
    std::vector<Real> stream, normed, wide, heads_out, branch, weights, query, far_query, logits;

    State(const Model<Real>& whole, std::size_t kept, std::size_t length);

    const Real* parameter(std::size_t offset) const { return model.memory.data() + offset; }
    std::size_t slot(std::size_t layer, std::size_t head, std::size_t p) const {
        return ((layer * model.config.heads + head) * window + p % window) * dim;
    }
    void embed(Token token);
    void normalise(const NormSlices& norm, const std::vector<Real>& x, std::vector<Real>& y);
    void linear(const Linear& linear, const PackedLinear<Real>& packed, const Real* x, Real* y);
    void turn(const Real* table, const Real* factor, const Real* from, Real* to);
    void attend(std::size_t layer);
    void attend_head(std::size_t layer, std::size_t head);
    void run_layer(std::size_t layer);
};

template <class Real>
Generator<Real>::State::State(const Model<Real>& whole, std::size_t kept, std::size_t length)
    : model(whole.state()),
      kernels(kernels_of_one_row<Real>()),
      tables(&workspace.state().tables(model, length)),
      window(std::min(kept, length)),
      width(model.config.width),
      dim(model.config.head_dim()),
      keys(model.config.layers * model.config.heads * window * dim),
      values(keys.size()),
      far_keys(tables->has_far() ? keys.size() : 0),
      stream(width),
      normed(width),
      wide(std::max(3 * width, model.config.ffn_width())),
      heads_out(width),
      branch(width),
      weights(window),
      query(dim),
      far_query(dim),
      logits(model.config.vocabulary) {
    workspace.state().pack(model, kernels, false);
}

template <class Real>
void Generator<Real>::State::embed(Token token) {
    const Real scale = model.config.tied ? static_cast<Real>(std::sqrt(static_cast<double>(width))) : Real{1};
    const Real* const row = parameter(model.slices.embedding) + static_cast<std::size_t>(token) * width;
    for (std::size_t c = 0; c < width; ++c) stream[c] = scale * row[c];
    if (model.slices.positions != Linear::none) {
        const Real* const learned = parameter(model.slices.positions) + position * width;
        for (std::size_t c = 0; c < width; ++c) stream[c] += learned[c];
    }
    if (tables->embedding().empty()) return;
    const Real* const written = tables->embedding().data() + position * width;
    for (std::size_t c = 0; c < width; ++c) stream[c] += written[c];
}

template <class Real>
void Generator<Real>::State::normalise(const NormSlices& norm, const std::vector<Real>& x, std::vector<Real>& y) {
    Real mean = 0;
    Real inverse = 0;
    kernels.normalise({1, width, x.data(), nullptr, nullptr, parameter(norm.weight), parameter(norm.bias), y.data(),
                       &mean, &inverse});
}

template <class Real>
void Generator<Real>::State::linear(const Linear& linear, const PackedLinear<Real>& packed, const Real* x, Real* y) {
    const Real* const bias = linear.bias != Linear::none ? parameter(linear.bias) : nullptr;
    kernels.product(
        {1, linear.outputs, linear.inputs, x, linear.inputs, 1, packed.forward, y, linear.outputs, bias, false});
}

/// One row at the present position.
template <class Real>
void Generator<Real>::State::turn(const Real* table, const Real* factor, const Real* from, Real* to) {
    const Pieces& pieces = *model.pieces;
    Turn<Real> t{};
    t.rows = 1;
    t.dim = dim;
    t.wide = dim;
    t.rotated = table != nullptr ? pieces.rotated : 0;
    t.halves = pieces.scheme.rotate && pieces.scheme.rotate->pairs == scheme::Pairs::halves;
    t.cosine = table != nullptr ? table + position * pieces.rotated : nullptr;
    t.sine = table != nullptr ? table + (tables->length() + position) * pieces.rotated : nullptr;
    t.factor = factor;
    t.from = from;
    t.to = to;
    kernels.turn(t);
}

template <class Real>
void Generator<Real>::State::attend_head(std::size_t layer, std::size_t head) {
    const LayerSlices& slices = model.slices.layers[layer];
    const std::size_t first = position + 1 > window ? position + 1 - window : 0;
    const auto relative = [&](std::size_t offset, std::size_t k) {
        const auto clip = static_cast<std::size_t>(model.scheme.relative->clip);
        return parameter(offset) + std::min(position - k, clip) * dim;
    };
    Real most = -std::numeric_limits<Real>::infinity();
    for (std::size_t k = first; k <= position; ++k) {
        Real& logit = weights[k - first];
        logit = -std::numeric_limits<Real>::infinity();
        if (!tables->visible(layer, head, position, k)) continue;
        const bool is_far = tables->is_far(layer, head, position, k);
        const Real* const own = is_far ? far_query.data() : query.data();
        const Real* const key = (is_far ? far_keys : keys).data() + slot(layer, head, k);
        const Real* const more = slices.relative_keys != Linear::none ? relative(slices.relative_keys, k) : nullptr;
        Real product = 0;
        for (std::size_t i = 0; i < dim; ++i) product += own[i] * (key[i] + (more != nullptr ? more[i] : Real{0}));
        logit = product + tables->bias_at(layer, head, position, k);
        most = std::max(most, logit);
    }
    Real total = 0;
    for (std::size_t k = first; k <= position; ++k) {
        Real& weight = weights[k - first];
        weight = weight == -std::numeric_limits<Real>::infinity() ? Real{0} : std::exp(weight - most);
        total += weight;
    }
    Real* const out = heads_out.data() + head * dim;
    std::fill(out, out + dim, Real{0});
    for (std::size_t k = first; k <= position && total > 0; ++k) {
        const Real share = weights[k - first] / total;
        const Real* const value = values.data() + slot(layer, head, k);
        const Real* const more = slices.relative_values != Linear::none ? relative(slices.relative_values, k) : nullptr;
        for (std::size_t i = 0; i < dim; ++i) out[i] += share * (value[i] + (more != nullptr ? more[i] : Real{0}));
    }
}

template <class Real>
void Generator<Real>::State::attend(std::size_t layer) {
    const bool turns = model.pieces->rotated > 0;
    for (std::size_t head = 0; head < model.config.heads; ++head) {
        const Real* const from = wide.data() + head * dim;
        turn(turns ? tables->query_turn(layer, head) : nullptr, tables->factor(layer, head) + position, from,
             query.data());
        turn(turns ? tables->key_turn(layer, head) : nullptr, nullptr, from + width,
             keys.data() + slot(layer, head, position));
        if (tables->has_far()) {
            turn(tables->far_query_turn(layer, head), tables->factor(layer, head) + position, from, far_query.data());
            turn(tables->far_key_turn(layer, head), nullptr, from + width,
                 far_keys.data() + slot(layer, head, position));
        }
        std::copy(from + 2 * width, from + 2 * width + dim, values.data() + slot(layer, head, position));
        attend_head(layer, head);
    }
}

template <class Real>
void Generator<Real>::State::run_layer(std::size_t layer) {
    const LayerSlices& slices = model.slices.layers[layer];
    const auto& packed = workspace.state().packed.layers[layer];
    const bool post = model.config.norm == Norm::post;
    const auto add_branch = [&](const NormSlices& norm) {
        for (std::size_t c = 0; c < width; ++c) stream[c] += branch[c];
        if (post) normalise(norm, stream, stream);
    };
    if (!post) normalise(slices.norm1, stream, normed);
    linear(slices.attention_in, packed.attention_in, post ? stream.data() : normed.data(), wide.data());
    attend(layer);
    linear(slices.attention_out, packed.attention_out, heads_out.data(), branch.data());
    add_branch(slices.norm1);
    if (!post) normalise(slices.norm2, stream, normed);
    linear(slices.ffn_in, packed.ffn_in, post ? stream.data() : normed.data(), wide.data());
    kernels.gelu(wide.data(), wide.data(), nullptr, model.config.ffn_width());
    linear(slices.ffn_out, packed.ffn_out, wide.data(), branch.data());
    add_branch(slices.norm2);
}

template <class Real>
Generator<Real>::Generator(const Model<Real>& model, std::size_t window, std::size_t length) {
    if (window == 0) throw core::PreconditionError("model::Generator", "window", "0", "at least 1");
    if (!model.scheme().causal) {
        throw core::PreconditionError("model::Generator", "model.scheme().causal", "false",
                                      "a causal scheme: tokens to come are not known");
    }
    check_length("model::Generator", model.state().slices, length);
    state_ = std::make_unique<State>(model, window, length);
}

template <class Real>
Generator<Real>::~Generator() = default;
template <class Real>
Generator<Real>::Generator(Generator&&) noexcept = default;
template <class Real>
Generator<Real>& Generator<Real>::operator=(Generator&&) noexcept = default;

template <class Real>
std::span<const Real> Generator<Real>::step(Token token) {
    State& s = *state_;
    check_tokens("model::Generator::step", s.model, {&token, 1});
    if (s.position == s.tables->length()) {
        throw core::PreconditionError("model::Generator::step", "position()", std::to_string(s.position),
                                      "less than the length the generator was made for");
    }
    s.embed(token);
    for (std::size_t layer = 0; layer < s.model.config.layers; ++layer) s.run_layer(layer);
    if (s.model.config.norm == Norm::pre) s.normalise(s.model.slices.norm, s.stream, s.stream);
    s.linear(s.model.slices.head, s.workspace.state().packed.head, s.stream.data(), s.logits.data());
    ++s.position;
    return s.logits;
}

template <class Real>
std::size_t Generator<Real>::position() const {
    return state_->position;
}

template class Generator<float>;
template class Generator<double>;

}  // namespace farfield::model
