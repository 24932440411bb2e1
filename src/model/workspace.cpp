#include <algorithm>
#include <farfield/core/error.hpp>
#include <farfield/model/workspace.hpp>

#include "model/state.hpp"

namespace farfield::model {
namespace {

constexpr std::size_t tables_kept = 12;

/// Assigns memory to each matrix and lists the work of filling it.
template <class Real>
struct PackingList {
    Carver<Real> carver;
    const Kernels<Real>& kernels;
    const Real* parameters;
    bool backward;
    std::vector<Packing<Real>> work;

    PackedLinear<Real> add(const Linear& linear, bool transposed) {
        const std::size_t along = transposed ? 1 : linear.outputs;
        const std::size_t across = transposed ? linear.inputs : 1;
        const Real* const from = parameters != nullptr ? parameters + linear.weight : nullptr;
        PackedLinear<Real> packed;
        Real* const forward = carver.take(kernels.packed(linear.inputs, linear.outputs));
        work.push_back({from, along, across, linear.inputs, linear.outputs, forward});
        packed.forward = forward;
        if (!backward) return packed;
        Real* const back = carver.take(kernels.packed(linear.outputs, linear.inputs));
        work.push_back({from, across, along, linear.outputs, linear.inputs, back});
        packed.backward = back;
        return packed;
    }

    void add_all(const Slices& slices, bool tied, PackedWeights<Real>& packed) {
        packed.layers.clear();
        for (const LayerSlices& layer : slices.layers) {
            packed.layers.push_back({add(layer.attention_in, false), add(layer.attention_out, false),
                                     add(layer.ffn_in, false), add(layer.ffn_out, false)});
        }
        packed.head = add(slices.head, tied);
    }
};

}  // namespace

template <class Real>
Workspace<Real>::Workspace(std::size_t threads) {
    if (threads == 0) throw core::PreconditionError("model::Workspace", "threads", "0", "at least 1");
    state_ = std::make_unique<State>(threads);
}

template <class Real>
Workspace<Real>::~Workspace() = default;
template <class Real>
Workspace<Real>::Workspace(Workspace&&) noexcept = default;
template <class Real>
Workspace<Real>& Workspace<Real>::operator=(Workspace&&) noexcept = default;

template <class Real>
std::size_t Workspace<Real>::threads() const {
    return state_->team.threads();
}

template <class Real>
std::size_t Workspace<Real>::bytes() const {
    std::size_t reals = state_->packing.size();
    for (const Memory<Real>& slot : state_->slots) reals += slot.size();
    for (const Memory<Real>& gradient : state_->gradients) reals += gradient.size();
    std::size_t total = reals * sizeof(Real);
    for (const auto& tables : state_->positions) total += tables->bytes();
    for (const TableGradients<Real>& tables : state_->table_gradients) total += tables.size() * sizeof(Real);
    return total;
}

template <class Real>
Positions<Real>& Workspace<Real>::State::tables(const typename Model<Real>::State& model, std::size_t length) {
    const auto known = std::find_if(positions.begin(), positions.end(), [&](const auto& tables) {
        return &tables->pieces() == model.pieces.get() && tables->length() == length;
    });
    if (known != positions.end()) {
        std::rotate(known, known + 1, positions.end());
    } else {
        auto fresh = std::make_unique<Positions<Real>>(model.pieces, length);
        if (positions.size() == tables_kept) positions.erase(positions.begin());
        positions.push_back(std::move(fresh));
    }
    positions.back()->update(model.parameters());
    return *positions.back();
}

template <class Real>
void Workspace<Real>::State::pack(const typename Model<Real>::State& model, const Kernels<Real>& kernels,
                                  bool backward) {
    PackingList<Real> list{Carver<Real>(packing.require(packed_size(model, kernels, backward))),
                           kernels,
                           model.memory.data(),
                           backward,
                           {}};
    list.add_all(model.slices, model.config.tied, packed);
    team.run(list.work.size(), [&](std::size_t index, std::size_t) { kernels.pack(list.work[index]); });
}

template <class Real>
std::size_t Workspace<Real>::State::packed_size(const typename Model<Real>::State& model, const Kernels<Real>& kernels,
                                                bool backward) {
    PackingList<Real> list{Carver<Real>(nullptr), kernels, nullptr, backward, {}};
    PackedWeights<Real> none;
    list.add_all(model.slices, model.config.tied, none);
    return list.carver.used();
}

template class Workspace<float>;
template class Workspace<double>;

}  // namespace farfield::model
