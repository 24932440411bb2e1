// Products of floats that replace the plain ones: with instructions that only some processors have, and with bf16.
#pragma once

#include "model/kernel/kernels.hpp"

namespace farfield::model {

/// Replacements for the functions of Kernels<float>.
struct PackedProducts {
    std::size_t (*packed)(std::size_t depth, std::size_t columns);
    void (*pack)(const Packing<float>&);
    void (*product)(const Product<float>&);
};

/// Attention whose products have operands rounded to bf16.
struct AttentionOfProducts {
    void (*forward)(const Head<float>&);
    void (*backward)(const HeadBackward<float>&);
    void (*logits)(const Head<float>&, std::size_t tile_row, const MaskTile&, float* logits);
};

/// Products by AMX, with the accuracy of floats, and with operands rounded to bf16 and sums in float.
const PackedProducts& tiles_of_floats();
const PackedProducts& tiles_of_bf16();
/// Products by AVX512_BF16, with operands rounded to bf16 and sums in float.
const PackedProducts& pairs_of_bf16();
const AttentionOfProducts& attention_of_pairs();

/// The same numbers, up to the order of sums, for processors without such instructions.
#define DECLARE(set)                                \
    namespace set {                                 \
    const PackedProducts& rounded_products();       \
    const AttentionOfProducts& rounded_attention(); \
    }
FARFIELD_INSTRUCTION_SETS(DECLARE)
#undef DECLARE

}  // namespace farfield::model
