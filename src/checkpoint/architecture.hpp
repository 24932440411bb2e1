// The common properties of all files of an architecture, one row for each.
#pragma once

#include <farfield/scheme/scheme.hpp>
#include <span>
#include <string_view>

namespace farfield::checkpoint {

/// The function that an MLP applies to the output of its first matrix; the first two multiply the result by the output
/// of a second matrix.
enum class Unit {
    silu_gate,  ///< silu(x) = x/(1 + exp(-x))
    gelu_gate,  ///< gelu as of gelu_tanh
    gelu_tanh,  ///< x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))/2
    gelu_erf,   ///< x (1 + erf(x/sqrt(2)))/2
};

struct Architecture {
    std::string_view name;  ///< in `general.architecture`
    /// The order of the rows of query and key weights. In GGUF's `llama`, the pairs that rotate together are next to
    /// each other, whatever their order in the model's source.
    scheme::Pairs pairs = scheme::Pairs::interleaved;
    bool layer_norms = false;  ///< of mean and deviation; otherwise of the root mean square
    Unit unit = Unit::silu_gate;
    bool fused = false;             ///< queries, keys and values are rows of one tensor, attn_qkv
    bool head_norms = false;        ///< of the queries and keys of each head
    bool scaled_embedding = false;  ///< by the root of its width
    bool embedding_norm = false;
    bool post_norms = false;      ///< of the outputs of attention and MLP, before they are added
    std::size_t global_each = 0;  ///< every n-th layer has no window, the others have one; 0: all are equal
    double local_base = 0;        ///< of the rotation in layers with a window; 0: the common base
    /// The number of layers of the model size whose logits are divided by the root of width/heads without a key that
    /// says so.
    std::size_t divided_by_width = 0;
    bool capped = false;    ///< logits of attention and head are capped, according to keys
    bool parallel = false;  ///< the MLP reads what the attention reads, unless use_parallel_residual is false
    /// The MLP uses attn_norm too, and the attention uses attn_norm_2 if a layer has one.
    bool shared_norm = false;
    bool biases = false;        ///< all matrices and norms have them
    bool input_biases = false;  ///< queries, keys and values have them
    bool norm_biases = false;
    std::string_view scheme = "rotary";  ///< the position scheme of its files

    bool is_gated() const { return unit == Unit::silu_gate || unit == Unit::gelu_gate; }
};

std::span<const Architecture> architectures();

}  // namespace farfield::checkpoint
