// Names of tensors in GGUF files, and the refusal of such a file.
#pragma once

#include <cstddef>
#include <farfield/checkpoint/checkpoint.hpp>
#include <string>
#include <string_view>

#include "checkpoint/source.hpp"

namespace farfield::checkpoint {

inline constexpr std::string_view embedding_name = "token_embd.weight";
inline constexpr std::string_view head_name = "output.weight";
inline constexpr std::string_view positions_name = "position_embd.weight";
inline constexpr std::string_view frequencies_name = "rope_freqs.weight";

/// Types of tokens in `tokenizer.ggml.token_type`. Those of the second line stand for themselves in a text.
inline constexpr double normal_type = 1, unused_type = 5;
inline constexpr double control_type = 3, user_defined_type = 4;

/// "blk.3.attn_q.weight".
std::string layer_name(std::size_t layer, std::string_view part);

/// "blk.3.attn_q.bias" for "blk.3.attn_q.weight".
std::string bias_name(std::string_view weight);

/// Rows of a tensor that are one matrix.
struct MatrixRows {
    std::string tensor;
    std::size_t first = 0;
    std::size_t count = 0;
};

/// Where the matrix `part` of a layer is: attn_q, attn_k and attn_v may be rows of one tensor.
MatrixRows rows_of(const Checkpoint& checkpoint, std::size_t layer, std::string_view part);

/// Throws core::UserError naming the file.
[[noreturn]] void refuse(const Source& file, std::string found, std::string wanted = {}, std::string hint = {});

}  // namespace farfield::checkpoint
