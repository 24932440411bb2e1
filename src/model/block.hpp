// Passes some sequences forward and backward through the layers, on one thread.
#pragma once

#include <cstddef>
#include <farfield/model/model.hpp>
#include <span>
#include <vector>

#include "model/kernel/kernels.hpp"
#include "model/state.hpp"

namespace farfield::model {

/// Data that all blocks of a pass share.
template <class Real>
struct Pass {
    const typename Model<Real>::State& model;
    Positions<Real>& tables;
    const PackedWeights<Real>& packed;
    bool training;  ///< whether to keep what the backward pass needs

    const Real* parameter(std::size_t offset) const { return model.memory.data() + offset; }
};

/// Activations of T = sequences x length tokens. in[l] is the input of layer l (with post-norm, the input of its first
/// norm), y1[l] is the input of attention, and y1[R] that of the head. Without a backward pass, all layers share one
/// set. If the activations of all layers are larger than the caches, the layers share y1, y2, hidden and slope, which
/// the backward pass recomputes.
template <class Real>
struct Activations {
    struct Layer {
        Real* in;
        Real* y1;
        Real* mean1;
        Real* inverse1;
        Real* qkv;
        Real* o;
        Real* lse;  ///< [sequence, head, L]
        Real* mid;
        Real* y2;
        Real* mean2;
        Real* inverse2;
        Real* before;  ///< the input of gelu; `hidden` itself if it is kept
        Real* hidden;
        Real* slope;
    };
    std::vector<Layer> layers;  ///< R + 1
    Real* branch;               ///< the output of attention or the MLP
    // Backward only:
    Real* d_stream;
    Real* d_branch;
    Real* d_wide;  ///< [T, max(3C, F)]
    Real* packing;
    Real* logits;
    // One head:
    Head<Real> head;
    Real* head_memory[18];
};

/// What the backward pass needs of each normalised row: its mean and the inverse of its deviation.
template <class Real>
struct Moments {
    Real* mean;
    Real* inverse;
};

/// One table of a head's rotation, and the gradients with respect to it and to the factor of its rows; null pointers
/// are missing.
template <class Real>
struct TurnGradient {
    const Real* table;
    Real* d_table;
    const Real* factor;
    Real* d_factor;
};

/// dx = (add ? dx : 0) + dy W^T, times `slope` if it is not null.
template <class Real>
struct LinearBackward {
    const Linear& linear;
    const PackedLinear<Real>& packed;
    const Real* x;
    const Real* dy;
    Real* dx;
    bool add = false;
    const Real* slope = nullptr;
};

template <class Real>
class Block {
public:
    /// `sequences` have the length of the tables; memory is taken from `slot`.
    Block(const Pass<Real>& pass, std::size_t sequences, Memory<Real>& slot);
    /// The number of values that such a block needs from a slot.
    static std::size_t size(const Pass<Real>& pass, std::size_t sequences);

    /// From now on, forward() computes only what the last `last` positions depend on according to the masks. The bits
    /// there are the same; earlier positions are undefined. This applies to a block of one sequence without a backward
    /// pass; otherwise everything is computed.
    void need_last(std::size_t last);

    /// Computes the embeddings of sequences [first, first + sequences) of the batch, and all layers.
    void forward(const Batch& batch, std::size_t first);

    /// Adds up the losses of the targets of the last `last` positions of each sequence and writes them, if `losses` is
    /// not null, to losses[sequence * last + position]. With a group: starts the backward pass with d loss = scale and
    /// adds the gradient of the head (writes it, if the group has not started).
    double head(const Batch& batch, std::size_t first, std::size_t last, Real* losses, Group<Real>* group, Real scale);

    /// Logits [V] of the last position of the block's last sequence.
    void last_logits(Real* logits);

    /// The backward pass down to layer `first` (from 0). Adds to the group's gradients (writes those of matrices if the
    /// group has not started). After that, input_slopes() is d loss with respect to the input of that layer, [T, C].
    void backward(Group<Real>& group, std::size_t first = 0);
    void add_embedding_gradient(const Batch& batch, std::size_t first, Group<Real>& group);
    const Real* input_slopes() const { return a_.d_stream; }

    /// The logits or probabilities of a head (from 0) of the block's only sequence, after forward() of a training pass.
    void read_attention(std::size_t index, std::size_t head, Attention what, Real* result);
    /// Queries, keys and values of a layer (from 0), [T, 3C], before rotation; also after a forward() of a training
    /// pass.
    const Real* queries_keys_values(std::size_t index) { return layer(index).qkv; }

private:
    using Layer = typename Activations<Real>::Layer;

    /// The row from which layer `index` needs its input; index R is the head.
    std::size_t needed_from(std::size_t index) const { return needed_from_.empty() ? 0 : needed_from_[index]; }
    Block(const Pass<Real>& pass, std::size_t sequences);
    void carve(Carver<Real>& carver);
    void carve_layers(Carver<Real>& carver);
    void carve_head(Carver<Real>& carver);
    Layer& layer(std::size_t index) { return a_.layers[pass_.training ? index : 0]; }
    const LayerSlices& slices(std::size_t index) const { return pass_.model.slices.layers[index]; }
    NormSlices norm_before(std::size_t index) const;
    NormSlices norm_between(std::size_t index) const;
    void embed(const Batch& batch, std::size_t first);
    void normalise(const NormSlices& norm, const Real* x, const Real* delta, Real* sum, Real* y, Moments<Real> moments);
    /// d_stream = (base ? base : 0) + d_branch through the normalisation of x.
    void normalise_backward(const NormSlices& norm, const Real* x, Moments<Real> moments, const Real* base,
                            Group<Real>& group);
    void linear(const Linear& linear, const PackedLinear<Real>& packed, const Real* x, Real* y);
    /// The gradients of weight and bias go to the group.
    void linear_backward(const LinearBackward<Real>& l, Group<Real>& group);
    void head_logits(const Real* y, std::size_t rows);
    /// `add`: whether to add to the existing gradient of the head.
    void head_backward(const Real* y, std::size_t rows, Real* dy, bool add, Group<Real>& group);

    void attend_forward(std::size_t index);
    void attend_backward(std::size_t index, Group<Real>& group);
    Head<Real> load_head(std::size_t index, std::size_t sequence, std::size_t head);
    Turn<Real> turn(const Real* table, const Real* factor) const;
    bool usable_in_place() const;
    HeadRows<const Real> turned_rows(Turn<Real> t, const Real* from, std::size_t step, Real* to);
    HeadRows<const Real> plain_rows(const Real* from, std::size_t step, Real* to);
    void head_backward_of(std::size_t index, std::size_t sequence, std::size_t head, Group<Real>& group);
    void turn_gradient(const TurnGradient<Real>& by, const Real* activations, const Real* slopes);
    /// Adds the gradient with respect to a head's queries or keys before their second rotation.
    void add_far_gradient(Turn<Real> t, const Real* slopes, Real* to);

    const Pass<Real>& pass_;
    const Kernels<Real>& kernels_;
    std::size_t sequences_;
    std::size_t length_;
    std::size_t tokens_;
    std::size_t width_;
    bool recomputes_ = false;               ///< see Activations
    std::vector<std::size_t> needed_from_;  ///< empty: all rows are needed
    std::size_t row_ = 0;                   ///< the next operations skip the rows before it
    Activations<Real> a_;
};

/// Rows of logits that are computed at once.
inline constexpr std::size_t head_rows_at_once = 128;

extern template class Block<float>;
extern template class Block<double>;

}  // namespace farfield::model
