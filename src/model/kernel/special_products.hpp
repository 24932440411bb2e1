// Products of floats that stand in for the plain ones: by instructions that only some processors have, and of bf16.
#pragma once

#include "model/kernel/kernels.hpp"

namespace farfield::model {

/// Stand in for those of Kernels<float>.
struct PackedProducts {
    std::size_t (*packed)(std::size_t depth, std::size_t columns);
    void (*pack)(const Packing<float>&);
    void (*product)(const Product<float>&);
};

/// Attention whose products are of operands rounded to bf16.
struct AttentionOfProducts {
    void (*forward)(const Head<float>&);
    void (*backward)(const HeadBackward<float>&);
    void (*logits)(const Head<float>&, std::size_t tile_row, const MaskTile&, float* logits);
};

/// By AMX, to the accuracy of floats; and of operands rounded to bf16, sums in float.
const PackedProducts& tiles_of_floats();
const PackedProducts& tiles_of_bf16();
/// By AVX512_BF16: of operands rounded to bf16, sums in float.
const PackedProducts& pairs_of_bf16();
const AttentionOfProducts& attention_of_pairs();

/// The same numbers, to the order of sums, where there are no instructions for them.
#define DECLARE(set)                                \
    namespace set {                                 \
    const PackedProducts& rounded_products();       \
    const AttentionOfProducts& rounded_attention(); \
    }
FARFIELD_INSTRUCTION_SETS(DECLARE)
#undef DECLARE

}  // namespace farfield::model
