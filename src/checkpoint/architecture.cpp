#include "checkpoint/architecture.hpp"

#include <array>

namespace farfield::checkpoint {
namespace {

using enum scheme::Pairs;

constexpr std::array known = {
    Architecture{.name = "llama"},
    Architecture{.name = "qwen2", .pairs = halves, .input_biases = true},
    Architecture{.name = "qwen3", .pairs = halves, .head_norms = true},
    Architecture{.name = "gemma", .pairs = halves, .unit = Unit::gelu_gate, .scaled_embedding = true},
    Architecture{.name = "gemma2",
                 .pairs = halves,
                 .unit = Unit::gelu_gate,
                 .scaled_embedding = true,
                 .post_norms = true,
                 .global_each = 2,
                 .divided_by_width = 46,
                 .capped = true},
    Architecture{.name = "gemma3",
                 .pairs = halves,
                 .unit = Unit::gelu_gate,
                 .head_norms = true,
                 .scaled_embedding = true,
                 .post_norms = true,
                 .global_each = 6,
                 .local_base = 10000,
                 .divided_by_width = 62},
    Architecture{.name = "gpt2",
                 .layer_norms = true,
                 .unit = Unit::gelu_tanh,
                 .fused = true,
                 .biases = true,
                 .scheme = "learned-absolute"},
    Architecture{.name = "gptneox",
                 .pairs = halves,
                 .layer_norms = true,
                 .unit = Unit::gelu_erf,
                 .fused = true,
                 .parallel = true,
                 .biases = true},
    Architecture{.name = "falcon",
                 .pairs = halves,
                 .layer_norms = true,
                 .unit = Unit::gelu_erf,
                 .fused = true,
                 .parallel = true,
                 .shared_norm = true,
                 .norm_biases = true},
    Architecture{.name = "bloom",
                 .layer_norms = true,
                 .unit = Unit::gelu_tanh,
                 .fused = true,
                 .embedding_norm = true,
                 .biases = true,
                 .scheme = "alibi"},
    Architecture{.name = "mpt", .layer_norms = true, .unit = Unit::gelu_erf, .fused = true, .scheme = "alibi"},
};

}  // namespace

std::span<const Architecture> architectures() {
    return known;
}

}  // namespace farfield::checkpoint
