#include "model/step.hpp"

#include <algorithm>
#include <array>
#include <farfield/model/footprint.hpp>
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

/// If the gradients of all groups of a batch need at most this many bytes, each group has its own.
constexpr std::size_t most_bytes_of_gradients = std::size_t{64} << 20;

/// How many groups are computed at once, and the memory of their gradients. With many parameters, there are only as
/// many arrays as the threads need: one wave of groups is computed at a time, and the first array has the sum of the
/// waves before.
struct Waves {
    std::size_t groups;
    std::size_t at_once;
    std::size_t arrays;
    bool in_place = false;  ///< the first array is the caller's, if its content is not added to

    Waves(std::size_t sequences, std::size_t threads, std::size_t bytes)
        : groups(std::min(groups_of_a_batch, sequences)), at_once(groups), arrays(groups) {
        if (groups * bytes <= most_bytes_of_gradients) return;
        at_once = std::min(groups, threads);
        arrays = std::max(at_once, 1 + std::min(at_once, groups - at_once));
        in_place = true;
    }
    std::size_t own_arrays(bool add) const { return in_place && !add ? arrays - 1 : arrays; }
};

/// Prepares groups for a pass, with zero gradients of tables if they are requested.
template <class Real>
void start_groups(const Pass<Real>& pass, std::size_t count, typename Workspace<Real>::State& workspace,
                  bool with_tables) {
    workspace.groups.resize(std::max(workspace.groups.size(), count));
    workspace.table_gradients.assign(count, with_tables ? pass.tables.gradients() : TableGradients<Real>{});
    for (std::size_t index = 0; index < count; ++index) {
        workspace.groups[index] = {nullptr, &workspace.table_gradients[index], 0, false};
    }
}

/// Arrays for the gradients of groups; the first one is the caller's if it is given.
template <class Real>
std::vector<Real*> gradient_arrays(std::size_t own, std::size_t size, Real* first,
                                   typename Workspace<Real>::State& workspace) {
    workspace.gradients.resize(std::max(workspace.gradients.size(), own));
    std::vector<Real*> arrays;
    if (first != nullptr) arrays.push_back(first);
    for (std::size_t i = 0; i < own; ++i) arrays.push_back(workspace.gradients[i].require(size));
    return arrays;
}

/// Zeros the gradients to which blocks add: all except those of matrices, which the first block writes.
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

/// As many sequences as fit into the cache with the data kept for their tokens, unless reading the weights and their
/// gradient that often costs more (measured: docs/model.md).
std::size_t sequences_at_once(const Config& config, std::size_t length) {
    const std::size_t tokens = config.width <= 128 ? 128 : 512;
    return std::max<std::size_t>(1, tokens / length);
}

/// total = (add ? total : 0) + scale * the sum of the parts.
template <class Real>
void add_up(const Kernels<Real>& functions, const std::vector<Real*>& parts, std::size_t size, Accumulation how,
            const numerics::Team& team, Real* total) {
    constexpr std::size_t chunk = 16384;
    const auto scale = static_cast<Real>(how.scale);
    team.run((size + chunk - 1) / chunk, [&](std::size_t index, std::size_t) {
        const std::size_t begin = index * chunk;
        std::array<const Real*, groups_of_a_batch + 1> here{};
        for (std::size_t part = 0; part < parts.size(); ++part) here[part] = parts[part] + begin;
        functions.add_parts(here.data(), parts.size(), std::min(chunk, size - begin), scale, how.add, total + begin);
    });
}

/// The gradient with respect to the learned names, from the gradients of the tables.
template <class Real>
void add_learned(const Pass<Real>& pass, typename Workspace<Real>::State& workspace, std::span<Real> gradient,
                 double scale) {
    const LearnedNames& names = pass.tables.pieces().names;
    if (names.size() == 0) return;
    workspace.learned_gradient.assign(names.size(), 0.0);
    pass.tables.add_gradient(workspace.table_gradients, workspace.learned_gradient);
    names.add_gradient<Real>(pass.model.parameters(), workspace.learned_gradient, scale, gradient);
}

/// Activations belong to a thread, or to a piece of work if there are fewer pieces, so that there are never more than
/// working threads.
std::size_t slot_of(std::size_t thread, std::size_t threads, std::size_t index, std::size_t count) {
    return threads < count ? thread : index;
}

}  // namespace

template <class Real>
double step(const typename Model<Real>::State& model, const Batch& batch, typename Workspace<Real>::State& workspace,
            std::span<Real> gradient, Accumulation accumulation, std::size_t counted) {
    const Pass<Real> pass = start_pass<Real>(model, batch.length, workspace, true);
    const std::size_t size = gradient.size();
    const Waves waves(batch.sequences, workspace.team.threads(), size * sizeof(Real));
    const std::size_t own = waves.own_arrays(accumulation.add);
    start_groups(pass, waves.groups, workspace, true);
    const std::vector<Real*> arrays =
        gradient_arrays<Real>(own, size, own < waves.arrays ? gradient.data() : nullptr, workspace);
    const Real scale = Real{1} / static_cast<Real>(counted);
    for (std::size_t begin = 0; begin < waves.groups; begin += waves.at_once) {
        const std::size_t count = std::min(waves.at_once, waves.groups - begin);
        const std::size_t first_array = begin == 0 ? 0 : 1;
        workspace.team.run(count, [&](std::size_t index, std::size_t thread) {
            const std::size_t number = begin + index;
            Group<Real>& group = workspace.groups[number];
            group.gradient = arrays[first_array + index];
            start_gradient<Real>(model, group.gradient);
            Memory<Real>& slot = workspace.slots[slot_of(thread, workspace.team.threads(), index, count)];
            const std::size_t end = batch.sequences * (number + 1) / waves.groups;
            std::size_t sequences = 0;
            for (std::size_t first = batch.sequences * number / waves.groups; first < end; first += sequences) {
                sequences = std::min(sequences_at_once(model.config, batch.length), end - first);
                Block<Real> block(pass, sequences, slot);
                block.forward(batch, first);
                group.loss += block.head(batch, first, batch.length, nullptr, &group, scale);
                block.backward(group);
                group.started = true;
                block.add_embedding_gradient(batch, first, group);
            }
        });
        const bool last = begin + count == waves.groups;
        if (!last && first_array + count == 1) continue;  // it is the sum so far
        const std::vector<Real*> parts(arrays.begin(),
                                       arrays.begin() + static_cast<std::ptrdiff_t>(first_array + count));
        add_up(kernels<Real>(model.config.precision), parts, size, last ? accumulation : Accumulation{}, workspace.team,
               last ? gradient.data() : arrays[0]);
    }
    add_learned(pass, workspace, gradient, accumulation.scale);
    double loss = 0;
    for (std::size_t index = 0; index < waves.groups; ++index) loss += workspace.groups[index].loss;
    return loss / static_cast<double>(counted);
}

template <class Real>
void evaluate_losses(const typename Model<Real>::State& model, const Batch& batch, std::size_t last,
                     typename Workspace<Real>::State& workspace, std::span<Real> result) {
    const Pass<Real> pass = start_pass<Real>(model, batch.length, workspace, false);
    const std::size_t at_once = sequences_at_once(model.config, batch.length);
    const std::size_t blocks = (batch.sequences + at_once - 1) / at_once;
    workspace.team.run(blocks, [&](std::size_t index, std::size_t thread) {
        const std::size_t first = index * at_once;
        Memory<Real>& slot = workspace.slots[slot_of(thread, workspace.team.threads(), index, blocks)];
        Block<Real> block(pass, std::min(at_once, batch.sequences - first), slot);
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
    block_.need_last(1);  // if no backward pass needs the rest
    block_.forward({tokens, {}, 1, tokens.size(), tokens.size()}, 0);
}

template <class Real>
std::span<const Real> SinglePass<Real>::slopes_of_last(Token target, std::size_t layer) {
    start_groups(pass_, 1, workspace_, false);
    workspace_.groups[0].gradient = gradient_arrays<Real>(1, model_.layout.size(), nullptr, workspace_)[0];
    std::vector<Token> targets(tokens_.size(), ignored);
    targets.back() = target;
    block_.head({tokens_, targets, 1, tokens_.size(), tokens_.size()}, 0, tokens_.size(), nullptr,
                &workspace_.groups[0], Real{1});
    block_.backward(workspace_.groups[0], layer - 1);
    return {block_.input_slopes(), tokens_.size() * model_.config.width};
}

Footprint footprint(const Config& config, const scheme::Scheme& scheme, Work work, const BatchShape& shape) {
    using Real = float;
    const Model<Real>::State model(config, scheme);
    Positions<Real> tables(model.pieces, shape.length);
    const PackedWeights<Real> none;
    const bool training = work != Work::losses;
    const Pass<Real> pass{model, tables, none, training};
    const std::size_t parameters = model.layout.size() * sizeof(Real);
    Footprint result;
    result.parameters = parameters;
    result.packed =
        sizeof(Real) * Workspace<Real>::State::packed_size(model, kernels<Real>(config.precision), training);
    result.tables = tables.bytes();
    if (work == Work::input_gradient) {
        result.gradients = parameters;
        result.activations = sizeof(Real) * Block<Real>::size(pass, 1);
        return result;
    }
    const std::size_t at_once = sequences_at_once(config, shape.length);
    if (work == Work::losses) {
        const std::size_t blocks = (shape.sequences + at_once - 1) / at_once;
        const std::size_t block = Block<Real>::size(pass, std::min(at_once, shape.sequences));
        result.activations = sizeof(Real) * block * std::min(blocks, shape.threads);
        return result;
    }
    const Waves waves(shape.sequences, shape.threads, parameters);
    result.gradients = waves.own_arrays(work == Work::accumulated_step) * parameters;
    result.tables += waves.groups * tables.gradients_size() * sizeof(Real);
    const std::size_t largest = (shape.sequences + waves.groups - 1) / waves.groups;
    const std::size_t block = Block<Real>::size(pass, std::min(at_once, largest));
    result.activations = sizeof(Real) * block * std::min(waves.at_once, shape.threads);
    return result;
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
