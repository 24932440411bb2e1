// What all files of an architecture have in common, a row for each.
#pragma once

#include <farfield/scheme/scheme.hpp>
#include <span>
#include <string_view>

namespace farfield::checkpoint {

/// What an MLP applies to what its first matrices give; the first two multiply it with what a second one gives.
enum class Unit {
    silu_gate,  ///< silu(x) = x/(1 + exp(-x))
    gelu_gate,  ///< gelu as of gelu_tanh
    gelu_tanh,  ///< x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))/2
    gelu_erf,   ///< x (1 + erf(x/sqrt(2)))/2
};

struct Architecture {
    std::string_view name;  ///< in `general.architecture`
    /// The order of the rows of query and key weights: GGUF's `llama` has the pairs that rotate together side by side,
    /// whatever the model's source had.
    scheme::Pairs pairs = scheme::Pairs::interleaved;
    bool layer_norms = false;  ///< of mean and deviation; otherwise of the root mean square
    Unit unit = Unit::silu_gate;
    bool fused = false;             ///< queries, keys and values are rows of one tensor, attn_qkv
    bool head_norms = false;        ///< of the queries and keys of each head
    bool scaled_embedding = false;  ///< by the root of its width
    bool embedding_norm = false;
    bool post_norms = false;      ///< of what attention and MLP give, before it is added
    std::size_t global_each = 0;  ///< each so many layers one sees all keys, the others a window; 0: all are alike
    double local_base = 0;        ///< of the rotation of layers with a window; 0: that of all
    /// So many layers has the size whose logits are divided by the root of width/heads, without a key that says so.
    std::size_t divided_by_width = 0;
    bool capped = false;    ///< logits of the attention and of the head, by keys
    bool parallel = false;  ///< the MLP reads what the attention reads, unless use_parallel_residual is false
    /// The MLP reads by attn_norm too, and the attention by attn_norm_2 where a layer has one.
    bool shared_norm = false;
    std::string_view scheme = "rotary";  ///< the positions of its files

    bool is_gated() const { return unit == Unit::silu_gate || unit == Unit::gelu_gate; }
};

std::span<const Architecture> architectures();

}  // namespace farfield::checkpoint
