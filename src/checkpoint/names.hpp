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

/// Types of tokens in `tokenizer.ggml.token_type`.
inline constexpr double normal_type = 1, unknown_type = 2, control_type = 3;
inline constexpr double user_defined_type = 4, unused_type = 5, byte_type = 6;
/// Whether the name of such a token in a text means the token.
constexpr bool stands_for_itself(double type) {
    return type == control_type || type == user_defined_type || type == unknown_type;
}

inline constexpr std::string_view tokens_key = "tokenizer.ggml.tokens";
inline constexpr std::string_view types_key = "tokenizer.ggml.token_type";
inline constexpr std::string_view merges_key = "tokenizer.ggml.merges";
inline constexpr std::string_view scores_key = "tokenizer.ggml.scores";
/// Only for folders: "first" or "always", which tells where a blank is inserted before a text that has none.
inline constexpr std::string_view blank_if_none_key = "tokenizer.blank_if_none";

inline constexpr std::string_view unknown_key = "tokenizer.ggml.unknown_token_id";
inline constexpr std::string_view charsmap_key = "tokenizer.ggml.precompiled_charsmap";

/// Only for folders with a unigram model: the list of the steps that change a text, in order, and how the text is
/// split.
inline constexpr std::string_view steps_key = "tokenizer.steps";
inline constexpr std::string_view charsmap_step = "charsmap";
inline constexpr std::string_view strip_left_step = "strip left", strip_right_step = "strip right";
inline constexpr std::string_view one_blank_step = "blanks to a blank", one_mark_step = "blanks to a mark";
inline constexpr std::string_view mark_step = "blank to a mark", prepend_step = "prepend a mark";
inline constexpr std::string_view words_step = "cut at white space", metaspace_step = "mark blanks";
inline constexpr std::string_view always_step = "mark before each word", first_step = "mark before the first";
inline constexpr std::string_view split_step = "cut at marks", no_step = "none";

/// "blk.3.attn_q.weight".
std::string layer_name(std::size_t layer, std::string_view part);

/// "blk.3.attn_q.bias" for "blk.3.attn_q.weight".
std::string bias_name(std::string_view weight);

/// The rows of a tensor that form one matrix.
struct MatrixRows {
    std::string tensor;
    std::size_t first = 0;
    std::size_t count = 0;
};

/// The place of the matrix `part` of a layer; attn_q, attn_k and attn_v may be rows of one tensor.
MatrixRows rows_of(const Checkpoint& checkpoint, std::size_t layer, std::string_view part);

/// Throws core::UserError that names the file.
[[noreturn]] void refuse(const Source& file, std::string found, std::string wanted = {}, std::string hint = {});

}  // namespace farfield::checkpoint
