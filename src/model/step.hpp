// Passes a batch through a model: groups of sequences run on several threads and are added up in a fixed order.
#pragma once

#include <farfield/model/model.hpp>
#include <span>

#include "model/block.hpp"

namespace farfield::model {

/// Sequences are divided into this many groups for any number of threads, each with its own gradient.
inline constexpr std::size_t groups_of_a_batch = 4;
template <class Real>
double step(const typename Model<Real>::State& model, const Batch& batch, typename Workspace<Real>::State& workspace,
            std::span<Real> gradient, Accumulation accumulation, std::size_t counted);

template <class Real>
void evaluate_losses(const typename Model<Real>::State& model, const Batch& batch, std::size_t last,
                     typename Workspace<Real>::State& workspace, std::span<Real> result);

/// The forward pass of one sequence.
template <class Real>
class SinglePass {
public:
    SinglePass(const typename Model<Real>::State& model, std::span<const Token> tokens,
               typename Workspace<Real>::State& workspace, bool training);

    Block<Real>& block() { return block_; }
    /// d(-log softmax at the last position)[target] with respect to the input of a layer, from 1, [L, C].
    std::span<const Real> slopes_of_last(Token target, std::size_t layer);

private:
    const typename Model<Real>::State& model_;
    typename Workspace<Real>::State& workspace_;
    std::span<const Token> tokens_;
    Pass<Real> pass_;
    Block<Real> block_;
};

}  // namespace farfield::model
