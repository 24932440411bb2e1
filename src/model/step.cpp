#include "model/step.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace farfield::model {
namespace {

template <class Real>
Pass<Real> start_pass(const typename Model<Real>::State& model, std::size_t length,
                      typename Workspace<Real>::State& workspace, bool training) {
    Positions<Real>& tables = workspace.tables(model, length);
    workspace.pack(model, kernels<Real>(model.config.precision), training);
    return {model, tables, workspace.packed, training};
}

/// Groups as they are before a pass: gradients of tables at zero.
template <class Real>
void start_groups(const Pass<Real>& pass, std::size_t count, typename Workspace<Real>::State& workspace) {
    workspace.groups.resize(std::max(workspace.groups.size(), count));
    workspace.table_gradients.assign(count, pass.tables.gradients());
    for (std::size_t index = 0; index < count; ++index) {
        Group<Real>& group = workspace.groups[index];
        group.gradient.require(pass.model.layout.size());
        group.tables = &workspace.table_gradients[index];
        group.loss = 0;
        group.started = false;
    }
}

/// Zeros wherever blocks add to a gradient: all but the matrices, which the first block writes.
template <class Real>
void start_gradient(const typename Model<Real>::State& model, Real* gradient) {
    std::vector<Linear> matrices = {model.slices.head};
    for (const LayerSlices& layer : model.slices.layers) {
        matrices.insert(matrices.end(), {layer.attention_in, layer.attention_out, layer.ffn_in, layer.ffn_out});
    }
    std::sort(matrices.begin(), matrices.end(), [](const Linear& a, const Linear& b) { return a.weight < b.weight; });
    std::size_t begin = 0;
    for (const Linear& matrix : matrices) {
        std::fill(gradient + begin, gradient + matrix.weight, Real{0});
        begin = matrix.weight + matrix.inputs * matrix.outputs;
    }
    std::fill(gradient + begin, gradient + model.layout.size(), Real{0});
}

/// So many that what is kept of their tokens stays in the cache, unless to go through the weights and their gradient
/// that often costs more (measured: docs/model.md).
std::size_t sequences_at_once(const Config& config, std::size_t length) {
    const std::size_t tokens = config.width <= 128 ? 128 : 512;
    return std::max<std::size_t>(1, tokens / length);
}

/// gradient = (add ? gradient : 0) + scale * the groups' sum, and the learned names by way of the tables.
template <class Real>
void add_up(const Pass<Real>& pass, std::size_t count, typename Workspace<Real>::State& workspace,
            std::span<Real> gradient, Accumulation accumulation) {
    constexpr std::size_t chunk = 16384;
    const auto scale = static_cast<Real>(accumulation.scale);
    const Kernels<Real>& functions = kernels<Real>(pass.model.config.precision);
    workspace.pool.run((gradient.size() + chunk - 1) / chunk, [&](std::size_t index, std::size_t) {
        const std::size_t begin = index * chunk;
        std::array<const Real*, groups_of_a_batch> parts{};
        for (std::size_t group = 0; group < count; ++group) {
            parts[group] = workspace.groups[group].gradient.data() + begin;
        }
        functions.add_parts(parts.data(), count, std::min(chunk, gradient.size() - begin), scale, accumulation.add,
                            gradient.data() + begin);
    });
    const LearnedNames& names = pass.tables.pieces().names;
    if (names.size() == 0) return;
    workspace.learned_gradient.assign(names.size(), 0.0);
    pass.tables.add_gradient(workspace.table_gradients, workspace.learned_gradient);
    names.add_gradient<Real>(pass.model.parameters(), workspace.learned_gradient, accumulation.scale, gradient);
}

}  // namespace

template <class Real>
double step(const typename Model<Real>::State& model, const Batch& batch, typename Workspace<Real>::State& workspace,
            std::span<Real> gradient, Accumulation accumulation, std::size_t counted) {
    const Pass<Real> pass = start_pass<Real>(model, batch.length, workspace, true);
    const std::size_t groups = std::min(groups_of_a_batch, batch.sequences);
    start_groups(pass, groups, workspace);
    const Real scale = Real{1} / static_cast<Real>(counted);
    workspace.pool.run(groups, [&](std::size_t index, std::size_t slot) {
        Group<Real>& group = workspace.groups[index];
        start_gradient<Real>(model, group.gradient.data());
        const std::size_t end = batch.sequences * (index + 1) / groups;
        std::size_t count = 0;
        for (std::size_t first = batch.sequences * index / groups; first < end; first += count) {
            count = std::min(sequences_at_once(model.config, batch.length), end - first);
            Block<Real> block(pass, count, workspace.slots[slot]);
            block.forward(batch, first);
            group.loss += block.head(batch, first, batch.length, nullptr, &group, scale);
            block.backward(group);
            group.started = true;
            block.add_embedding_gradient(batch, first, group);
        }
    });
    add_up(pass, groups, workspace, gradient, accumulation);
    double loss = 0;
    for (std::size_t index = 0; index < groups; ++index) loss += workspace.groups[index].loss;
    return loss / static_cast<double>(counted);
}

template <class Real>
void evaluate_losses(const typename Model<Real>::State& model, const Batch& batch, std::size_t last,
                     typename Workspace<Real>::State& workspace, std::span<Real> result) {
    const Pass<Real> pass = start_pass<Real>(model, batch.length, workspace, false);
    const std::size_t at_once = sequences_at_once(model.config, batch.length);
    const std::size_t blocks = (batch.sequences + at_once - 1) / at_once;
    workspace.pool.run(blocks, [&](std::size_t index, std::size_t slot) {
        const std::size_t first = index * at_once;
        Block<Real> block(pass, std::min(at_once, batch.sequences - first), workspace.slots[slot]);
        block.need_last(last);
        block.forward(batch, first);
        block.head(batch, first, last, result.data() + first * last, nullptr, Real{0});
    });
}

template <class Real>
SinglePass<Real>::SinglePass(const typename Model<Real>::State& model, std::span<const Token> tokens,
                             typename Workspace<Real>::State& workspace, bool training)
    : model_(model),
      workspace_(workspace),
      tokens_(tokens),
      pass_(start_pass<Real>(model, tokens.size(), workspace, training)),
      block_(pass_, 1, workspace.slots[0]) {
    block_.need_last(1);  // where no pass back needs the rest
    block_.forward({tokens, {}, 1, tokens.size(), tokens.size()}, 0);
}

template <class Real>
std::span<const Real> SinglePass<Real>::slopes_of_last(Token target) {
    start_groups(pass_, 1, workspace_);
    std::vector<Token> targets(tokens_.size(), ignored);
    targets.back() = target;
    block_.head({tokens_, targets, 1, tokens_.size(), tokens_.size()}, 0, tokens_.size(), nullptr,
                &workspace_.groups[0], Real{1});
    block_.backward(workspace_.groups[0]);
    return {block_.input_slopes(), tokens_.size() * model_.config.width};
}

template double step<float>(const Model<float>::State&, const Batch&, Workspace<float>::State&, std::span<float>,
                            Accumulation, std::size_t);
template double step<double>(const Model<double>::State&, const Batch&, Workspace<double>::State&, std::span<double>,
                             Accumulation, std::size_t);
template void evaluate_losses<float>(const Model<float>::State&, const Batch&, std::size_t, Workspace<float>::State&,
                                     std::span<float>);
template void evaluate_losses<double>(const Model<double>::State&, const Batch&, std::size_t, Workspace<double>::State&,
                                      std::span<double>);
template class SinglePass<float>;
template class SinglePass<double>;

}  // namespace farfield::model
