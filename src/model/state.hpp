// The implementation of Model and Workspace.
#pragma once

#include <farfield/model/model.hpp>
#include <memory>
#include <vector>

#include "model/kernel/kernels.hpp"
#include "model/memory.hpp"
#include "model/parameters.hpp"
#include "model/positions.hpp"
#include "numerics/parallel.hpp"

namespace farfield::model {

template <class Real>
struct Model<Real>::State {
    Config config;
    scheme::Scheme scheme;
    Layout layout;
    Slices slices;
    std::shared_ptr<const Pieces> pieces;
    Memory<Real> memory;

    /// Without memory for the parameters.
    State(const Config& shape, const scheme::Scheme& whole);

    std::span<Real> parameters() { return {memory.data(), layout.size()}; }
    std::span<const Real> parameters() const { return {memory.data(), layout.size()}; }
};

/// One group of sequences: its gradient and its loss, summed in the order of its sequences.
template <class Real>
struct Group {
    Real* gradient = nullptr;
    TableGradients<Real>* tables = nullptr;
    double loss = 0;
    bool started = false;  ///< a block has written the gradients of the matrices, which are undefined until then
};

/// The weights of one matrix in panels, unchanged and transposed.
template <class Real>
struct PackedLinear {
    const Real* forward = nullptr;
    const Real* backward = nullptr;
};

template <class Real>
struct PackedWeights {
    struct Layer {
        PackedLinear<Real> attention_in;
        PackedLinear<Real> attention_out;
        PackedLinear<Real> ffn_in;
        PackedLinear<Real> ffn_out;
    };
    std::vector<Layer> layers;
    PackedLinear<Real> head;
};

template <class Real>
struct Workspace<Real>::State {
    explicit State(std::size_t threads) : team(threads), slots(threads) {}

    numerics::Team team;
    std::vector<Memory<Real>> slots;      ///< activations of one thread
    std::vector<Memory<Real>> gradients;  ///< of groups in progress; see step.cpp
    std::vector<Group<Real>> groups;
    std::vector<TableGradients<Real>> table_gradients;  ///< of each group
    Memory<Real> packing;
    PackedWeights<Real> packed;
    std::vector<std::unique_ptr<Positions<Real>>> positions;  ///< the most recently used one is last
    std::vector<double> learned_gradient;

    /// The tables of a model at a length, with the learned values.
    Positions<Real>& tables(const typename Model<Real>::State& model, std::size_t length);
    /// Packs all weights for these kernels; the transposed ones for a backward pass only.
    void pack(const typename Model<Real>::State& model, const Kernels<Real>& kernels, bool backward);
    /// The number of values of the packed weights.
    static std::size_t packed_size(const typename Model<Real>::State& model, const Kernels<Real>& kernels,
                                   bool backward);
};

}  // namespace farfield::model
