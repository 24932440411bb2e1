// The offset of each parameter in the array of all parameters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace farfield::model {

/// One named parameter: elements [offset, offset + size()) of the arena, row-major.
struct Slice {
    std::string name;
    std::vector<std::size_t> shape;
    std::size_t offset = 0;
    bool decays =
        false;  ///< weight decay acts on it: matrices but no biases, norms, embeddings or learned scheme values

    std::size_t size() const;
};

/// The slices in the order of their offsets. Offsets are multiples of 16 elements; the gaps between slices hold zeros
/// in parameters and in gradients, so that optimisers, norms and sums over workers are loops over the whole arena.
///
/// Names, with weights as [inputs, outputs] (y = x W + b):
///   embed.weight [V, C]; position.weight [max_length, C] of a learned embedding;
///   layers.N.norm1.weight, .bias [C]; layers.N.attention.in.weight [C, 3C] (queries, keys, values, each head by head),
///   .in.bias [3C]; layers.N.attention.out.weight [C, C], .out.bias [C]; layers.N.norm2.weight, .bias [C];
///   layers.N.ffn.in.weight [C, F], .in.bias [F]; layers.N.ffn.out.weight [F, C], .out.bias [C]; N from 0;
///   layers.N.relative.keys, .values [clip + 1, d], or [2 clip + 1, d] from n = -clip if the scheme is not causal;
///   norm.weight, .bias [C] (pre-norm); head.weight [C, V] (untied);
///   scheme.NAME [R or 1, H or 1, size or 1] for each name of `learn`: its value, before softplus if it is positive.
class Layout {
public:
    /// Adds a slice after the last one.
    void add(std::string name, std::vector<std::size_t> shape, bool decays);

    const std::vector<Slice>& slices() const { return slices_; }
    /// The slice of that name, or null.
    const Slice* find(std::string_view name) const;
    /// The slice of that name; throws core::PreconditionError if there is none.
    const Slice& at(std::string_view name) const;
    /// The number of elements of the arena, including gaps.
    std::size_t size() const { return size_; }
    /// The number of parameters, without gaps.
    std::size_t parameters() const;

private:
    std::vector<Slice> slices_;
    std::size_t size_ = 0;
};

}  // namespace farfield::model
