// Names of keys and tensors in folders, one row for each `model_type`. Sources: the configuration and model classes of
// github.com/huggingface/transformers; conversion/ of github.com/ggml-org/llama.cpp.
#include "checkpoint/folder.hpp"

namespace farfield::checkpoint {
namespace {

constexpr bool optional = false;

constexpr KeyName llama_keys[] = {
    {"block_count", "num_hidden_layers"},
    {"attention.head_count", "num_attention_heads"},
    {"attention.head_count_kv", "num_key_value_heads", optional},
    {"attention.key_length", "head_dim", optional},
    {"attention.value_length", "head_dim", optional},
    {"embedding_length", "hidden_size"},
    {"feed_forward_length", "intermediate_size"},
    {"context_length", "max_position_embeddings"},
    {"attention.layer_norm_rms_epsilon", "rms_norm_eps"},
};
// If the head's width is missing, a Gemma head has 256 columns for any width of the model.
constexpr KeyName gemma_keys[] = {
    {"block_count", "num_hidden_layers"},
    {"attention.head_count", "num_attention_heads"},
    {"attention.head_count_kv", "num_key_value_heads"},
    {"attention.key_length", "head_dim"},
    {"attention.value_length", "head_dim"},
    {"embedding_length", "hidden_size"},
    {"feed_forward_length", "intermediate_size"},
    {"context_length", "max_position_embeddings"},
    {"attention.layer_norm_rms_epsilon", "rms_norm_eps"},
};
constexpr KeyName gpt2_keys[] = {
    {"block_count", "n_layer"},        {"attention.head_count", "n_head"},
    {"embedding_length", "n_embd"},    {"feed_forward_length", "n_inner", optional},
    {"context_length", "n_positions"}, {"attention.layer_norm_epsilon", "layer_norm_epsilon"},
};
constexpr KeyName gptneox_keys[] = {
    {"block_count", "num_hidden_layers"},          {"attention.head_count", "num_attention_heads"},
    {"embedding_length", "hidden_size"},           {"feed_forward_length", "intermediate_size"},
    {"context_length", "max_position_embeddings"}, {"attention.layer_norm_epsilon", "layer_norm_eps"},
};
constexpr KeyName falcon_keys[] = {
    {"block_count", "num_hidden_layers", true, "n_layer"},
    {"attention.head_count", "num_attention_heads", true, "n_head"},
    {"embedding_length", "hidden_size", true, "n_embed"},
    {"feed_forward_length", "ffn_hidden_size", optional},
    {"context_length", "max_position_embeddings", optional},
    {"attention.layer_norm_epsilon", "layer_norm_epsilon"},
};
constexpr KeyName bloom_keys[] = {
    {"block_count", "n_layer", true, "num_hidden_layers"},
    {"attention.head_count", "n_head", true, "num_attention_heads"},
    {"embedding_length", "hidden_size", true, "n_embed"},
    {"context_length", "seq_length", optional},
    {"attention.layer_norm_epsilon", "layer_norm_epsilon"},
};
constexpr KeyName mpt_keys[] = {
    {"block_count", "n_layers"},
    {"attention.head_count", "n_heads"},
    {"embedding_length", "d_model"},
    {"context_length", "max_seq_len"},
    {"attention.layer_norm_epsilon", "layer_norm_epsilon", optional},
    {"attention.max_alibi_bias", "attn_config.alibi_bias_max", optional},
    {"attention.clamp_kqv", "attn_config.clip_qkv", optional},
};

using enum Change;

constexpr TensorName llama_once[] = {{"token_embd", "embed_tokens"}, {"output_norm", "norm"}, {"output", "lm_head"}};
constexpr TensorName llama_parts[] = {
    {"attn_norm", "input_layernorm"},    {"attn_q", "self_attn.q_proj"},
    {"attn_k", "self_attn.k_proj"},      {"attn_v", "self_attn.v_proj"},
    {"attn_q_norm", "self_attn.q_norm"}, {"attn_k_norm", "self_attn.k_norm"},
    {"attn_output", "self_attn.o_proj"}, {"ffn_norm", "post_attention_layernorm"},
    {"ffn_gate", "mlp.gate_proj"},       {"ffn_up", "mlp.up_proj"},
    {"ffn_down", "mlp.down_proj"},
};
constexpr TensorName gemma_once[] = {
    {"token_embd", "embed_tokens"}, {"output_norm", "norm", one_more}, {"output", "lm_head"}};
constexpr TensorName gemma_parts[] = {
    {"attn_norm", "input_layernorm", one_more},
    {"attn_q", "self_attn.q_proj"},
    {"attn_k", "self_attn.k_proj"},
    {"attn_v", "self_attn.v_proj"},
    {"attn_output", "self_attn.o_proj"},
    {"ffn_norm", "post_attention_layernorm", one_more},
    {"ffn_gate", "mlp.gate_proj"},
    {"ffn_up", "mlp.up_proj"},
    {"ffn_down", "mlp.down_proj"},
};
constexpr TensorName later_gemma_parts[] = {
    {"attn_norm", "input_layernorm", one_more},
    {"attn_q", "self_attn.q_proj"},
    {"attn_k", "self_attn.k_proj"},
    {"attn_v", "self_attn.v_proj"},
    {"attn_q_norm", "self_attn.q_norm", one_more},
    {"attn_k_norm", "self_attn.k_norm", one_more},
    {"attn_output", "self_attn.o_proj"},
    {"post_attention_norm", "post_attention_layernorm", one_more},
    {"ffn_norm", "pre_feedforward_layernorm", one_more},
    {"ffn_gate", "mlp.gate_proj"},
    {"ffn_up", "mlp.up_proj"},
    {"ffn_down", "mlp.down_proj"},
    {"post_ffw_norm", "post_feedforward_layernorm", one_more},
};
constexpr TensorName gpt2_once[] = {
    {"token_embd", "wte"}, {"position_embd", "wpe"}, {"output_norm", "ln_f"}, {"output", "lm_head"}};
constexpr TensorName gpt2_parts[] = {
    {"attn_norm", "ln_1"}, {"attn_qkv", "attn.c_attn", transposed}, {"attn_output", "attn.c_proj", transposed},
    {"ffn_norm", "ln_2"},  {"ffn_up", "mlp.c_fc", transposed},      {"ffn_down", "mlp.c_proj", transposed},
};
constexpr TensorName gptneox_once[] = {
    {"token_embd", "embed_in"}, {"output_norm", "final_layer_norm"}, {"output", "embed_out"}};
constexpr TensorName gptneox_parts[] = {
    {"attn_norm", "input_layernorm"},   {"attn_qkv", "attention.query_key_value", by_heads},
    {"attn_output", "attention.dense"}, {"ffn_norm", "post_attention_layernorm"},
    {"ffn_up", "mlp.dense_h_to_4h"},    {"ffn_down", "mlp.dense_4h_to_h"},
};
constexpr TensorName falcon_once[] = {
    {"token_embd", "word_embeddings"}, {"output_norm", "ln_f"}, {"output", "lm_head"}};
// A layer has one norm, or one for the attention and one for the MLP.
constexpr TensorName falcon_parts[] = {
    {"attn_norm", "input_layernorm"},
    {"attn_norm", "ln_mlp"},
    {"attn_norm_2", "ln_attn"},
    {"attn_qkv", "self_attention.query_key_value", by_heads},
    {"attn_output", "self_attention.dense"},
    {"ffn_up", "mlp.dense_h_to_4h"},
    {"ffn_down", "mlp.dense_4h_to_h"},
};
constexpr TensorName bloom_once[] = {{"token_embd", "word_embeddings"},
                                     {"token_embd_norm", "word_embeddings_layernorm"},
                                     {"output_norm", "ln_f"},
                                     {"output", "lm_head"}};
constexpr TensorName bloom_parts[] = {
    {"attn_norm", "input_layernorm"},        {"attn_qkv", "self_attention.query_key_value", by_heads},
    {"attn_output", "self_attention.dense"}, {"ffn_norm", "post_attention_layernorm"},
    {"ffn_up", "mlp.dense_h_to_4h"},         {"ffn_down", "mlp.dense_4h_to_h"},
};
constexpr TensorName mpt_once[] = {{"token_embd", "wte"}, {"output_norm", "norm_f"}, {"output", "lm_head"}};
constexpr TensorName mpt_parts[] = {
    {"attn_norm", "norm_1"}, {"attn_qkv", "attn.Wqkv"}, {"attn_output", "attn.out_proj"},
    {"ffn_norm", "norm_2"},  {"ffn_up", "ffn.up_proj"}, {"ffn_down", "ffn.down_proj"},
};

// Masks and frequencies, which the model computes.
constexpr std::string_view no_weights[] = {".rotary_emb.inv_freq", ".attn.bias", ".masked_bias", ".attention.bias"};

constexpr BiasRule no_biases[] = {{""}};
constexpr BiasRule all_biases[] = {{"", "", true}};
constexpr BiasRule llama_biases[] = {{"attn", "attention_bias"}, {"ffn", "mlp_bias"}};
constexpr BiasRule attention_biases[] = {{"attn", "attention_bias"}, {"ffn"}};
constexpr BiasRule qwen2_biases[] = {{"attn_output"}, {"attn", "", true}, {"ffn"}};
constexpr BiasRule gptneox_biases[] = {{"attn_norm", "", true}, {"attn", "attention_bias", true}, {"", "", true}};
constexpr BiasRule falcon_biases[] = {
    {"attn_norm", "", true}, {"output_norm", "", true}, {"attn", "bias"}, {"ffn", "bias"}};

std::span<const OnlyValue> llama_only() {
    static const std::vector<OnlyValue> values = {{"hidden_act", {"silu"}}, {"partial_rotary_factor", {1}}};
    return values;
}

std::span<const OnlyValue> qwen_only() {
    static const std::vector<OnlyValue> values = {
        {"hidden_act", {"silu"}}, {"partial_rotary_factor", {1}}, {"use_sliding_window", {false}}};
    return values;
}

// Published files say "gelu", but the model computes it by tanh.
std::span<const OnlyValue> gemma_only() {
    static const std::vector<OnlyValue> values = {{"hidden_act", {"gelu_pytorch_tanh", "gelu"}},
                                                  {"hidden_activation", {"gelu_pytorch_tanh"}},
                                                  {"partial_rotary_factor", {1}},
                                                  {"use_bidirectional_attention", {false}}};
    return values;
}

std::span<const OnlyValue> gemma2_only() {
    static const std::vector<OnlyValue> values = {{"hidden_activation", {"gelu_pytorch_tanh"}},
                                                  {"partial_rotary_factor", {1}},
                                                  {"use_bidirectional_attention", {false}}};
    return values;
}

std::span<const OnlyValue> gemma3_only() {
    static const std::vector<OnlyValue> values = {{"hidden_activation", {"gelu_pytorch_tanh"}},
                                                  {"attn_logit_softcapping", Json::array()},
                                                  {"final_logit_softcapping", Json::array()},
                                                  {"partial_rotary_factor", {1}},
                                                  {"use_bidirectional_attention", {false}}};
    return values;
}

std::span<const OnlyValue> gpt2_only() {
    static const std::vector<OnlyValue> values = {{"activation_function", {"gelu_new", "gelu_pytorch_tanh"}},
                                                  {"scale_attn_weights", {true}},
                                                  {"scale_attn_by_inverse_layer_idx", {false}},
                                                  {"add_cross_attention", {false}}};
    return values;
}

std::span<const OnlyValue> gptneox_only() {
    static const std::vector<OnlyValue> values = {{"hidden_act", {"gelu"}}};
    return values;
}

std::span<const OnlyValue> falcon_only() {
    static const std::vector<OnlyValue> values = {
        {"alibi", {false}}, {"parallel_attn", {true}}, {"activation", {"gelu"}}, {"partial_rotary_factor", {1}}};
    return values;
}

std::span<const OnlyValue> bloom_only() {
    static const std::vector<OnlyValue> values = {{"apply_residual_connection_post_layernorm", {false}}};
    return values;
}

std::span<const OnlyValue> mpt_only() {
    static const std::vector<OnlyValue> values = {{"attn_config.alibi", {true}},
                                                  {"attn_config.qk_ln", {false}},
                                                  {"attn_config.qk_gn", {false}},
                                                  {"attn_config.prefix_lm", {false}},
                                                  {"attn_config.attn_type", {"multihead_attention"}},
                                                  {"attn_config.softmax_scale", Json::array()},
                                                  {"logit_scale", Json::array()},
                                                  {"no_bias", {true}},
                                                  {"embedding_fraction", {1}},
                                                  {"norm_type", {"low_precision_layernorm", "layernorm"}}};
    return values;
}

}  // namespace

std::span<const ModelType> model_types() {
    static const std::vector<ModelType> types = {
        {"llama", "llama", llama_keys, llama_only(), "model.", "layers.", llama_once, llama_parts, no_weights,
         llama_biases},
        {"mistral", "llama", llama_keys, llama_only(), "model.", "layers.", llama_once, llama_parts, no_weights,
         no_biases, false, 4096},
        {"qwen2", "qwen2", llama_keys, qwen_only(), "model.", "layers.", llama_once, llama_parts, no_weights,
         qwen2_biases},
        {"qwen3", "qwen3", llama_keys, qwen_only(), "model.", "layers.", llama_once, llama_parts, no_weights,
         attention_biases},
        {"gemma", "gemma", gemma_keys, gemma_only(), "model.", "layers.", gemma_once, gemma_parts, no_weights,
         attention_biases, true},
        {"gemma2", "gemma2", gemma_keys, gemma2_only(), "model.", "layers.", gemma_once, later_gemma_parts, no_weights,
         attention_biases, true},
        {"gemma3_text", "gemma3", gemma_keys, gemma3_only(), "model.", "layers.", gemma_once, later_gemma_parts,
         no_weights, attention_biases, true},
        {"gpt2", "gpt2", gpt2_keys, gpt2_only(), "transformer.", "h.", gpt2_once, gpt2_parts, no_weights, all_biases,
         true},
        {"gpt_neox", "gptneox", gptneox_keys, gptneox_only(), "gpt_neox.", "layers.", gptneox_once, gptneox_parts,
         no_weights, gptneox_biases},
        {"falcon", "falcon", falcon_keys, falcon_only(), "transformer.", "h.", falcon_once, falcon_parts, no_weights,
         falcon_biases, true},
        {"bloom", "bloom", bloom_keys, bloom_only(), "transformer.", "h.", bloom_once, bloom_parts, no_weights,
         all_biases, true},
        {"mpt", "mpt", mpt_keys, mpt_only(), "transformer.", "blocks.", mpt_once, mpt_parts, no_weights, no_biases,
         true},
    };
    return types;
}

}  // namespace farfield::checkpoint
