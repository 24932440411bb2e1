// Names of tensors in GGUF files of the Llama family, and the refusal of such a file.
#pragma once

#include <cstddef>
#include <farfield/tensor/gguf.hpp>
#include <string>
#include <string_view>

namespace farfield::checkpoint {

inline constexpr std::string_view embedding_name = "token_embd.weight";
inline constexpr std::string_view head_name = "output.weight";
inline constexpr std::string_view frequencies_name = "rope_freqs.weight";

/// "blk.3.attn_q.weight".
std::string layer_name(std::size_t layer, std::string_view part);

/// Throws core::UserError naming the file.
[[noreturn]] void refuse(const tensor::GgufFile& file, std::string found, std::string wanted = {},
                         std::string hint = {});

}  // namespace farfield::checkpoint
