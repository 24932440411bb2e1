"""Configurations with the complete answer of `farfield doctor`: exact.py PROGRAM

Missing keys have the default of the model type's configuration class in transformers. The modeling code defines which
layers have full attention, a rotation or a window. The expected frequencies are base^(-2 i/d) in Python's floats. The
findings that follow from them (negative sums of cosines, slow pairs) are computed here.
"""
import json
import math
import subprocess
import sys

HEADS = {"hidden_size": 512, "num_attention_heads": 8}
SMALL = {"head_dim": 64, "num_hidden_layers": 2, "max_position_embeddings": 64, "rope_theta": 1e4}
BY_FREQUENCY = ("base-below-bound", "slow-pairs", "long-without-scaling", "beyond-safe-length")

# Each row: the configuration; the served tokens on the command line; the trained and served tokens of the answer; for
# each kind of layers the type, scheme, params, width of a head, rotated dimensions, pairing, window and number of
# layers; the findings in their order, without those that depend on frequencies.
ROWS = [
    ({"model_type": "gpt2", "n_embd": 64, "n_head": 4, "n_layer": 2}, None, 1024, 1024,
     ["- learned-absolute max_length=1024 16 0 - 0 2"],
     ["note default-taken max_position_embeddings"]),
    ({"model_type": "gpt2", "n_positions": 512, "n_embd": 64, "n_head": 4, "n_layer": 2}, 513, 512, 513,
     ["- learned-absolute max_length=512 16 0 - 0 2"],
     ["error served-beyond-table n_positions"]),
    ({"model_type": "bert", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2, "position_embedding_type": "absolute"}, None, 512, 512,
     ["- learned-absolute max_length=512 16 0 - 0 2"],
     ["note default-taken max_position_embeddings"]),
    ({"model_type": "xyzzy", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2, "position_embedding_type": "absolute", "max_position_embeddings": 128}, None, 128, 128,
     ["- learned-absolute max_length=128 16 0 - 0 2"],
     ["note unknown-model-type model_type"]),
    ({"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2, "position_embedding_type": "absolute", "max_position_embeddings": 128, "rope_theta": 1e4}, None, 128, 128,
     ["- rotary base=10000 16 16 halves 0 2"],
     []),
    ({"model_type": "gpt_bigcode", "n_embd": 64, "n_head": 4, "n_layer": 2, "position_embedding_type": "rope", "max_position_embeddings": 128, "rope_theta": 1e4}, None, 128, 128,
     ["- rotary base=10000 16 16 halves 0 2"],
     []),
    ({"model_type": "xyzzy", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2, "positional_embedding": "nope", "max_position_embeddings": 128}, None, 128, 128,
     ["- nope - 16 0 - 0 2"],
     ["note unknown-model-type model_type"]),
    ({"model_type": "xyzzy", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2, "positional_embedding": "alibi", "max_position_embeddings": 128}, None, 128, 128,
     ["- alibi heads=4 16 0 - 0 2"],
     ["note unknown-model-type model_type"]),
    ({"model_type": "bloom", "hidden_size": 64, "n_head": 4, "n_layer": 2, "seq_length": 2048}, None, 2048, 2048,
     ["- alibi heads=4 16 0 - 0 2"],
     []),
    ({"model_type": "bloom", "hidden_size": 64, "n_head": 4, "n_layer": 2}, None, None, None,
     ["- alibi heads=4 16 0 - 0 2"],
     []),
    # Baichuan's 7B model rotates, its 13B model has ALiBi (vLLM, baichuan.py).
    ({"model_type": "baichuan", "hidden_size": 4096, "num_attention_heads": 256, "num_hidden_layers": 2, "max_position_embeddings": 128, "rope_theta": 1e4}, None, 128, 128,
     ["- rotary base=10000 16 16 halves 0 2"],
     []),
    ({"model_type": "baichuan", "hidden_size": 5120, "num_attention_heads": 320, "num_hidden_layers": 2, "max_position_embeddings": 128}, None, 128, 128,
     ["- alibi heads=320 16 0 - 0 2"],
     []),
    # Llama 4 takes masks from layer_types, and rotations from no_rope_layers.
    ({"model_type": "llama4_text", "head_dim": 16, "num_hidden_layers": 3, "max_position_embeddings": 128, "rope_theta": 1e4, "attention_chunk_size": 32,
      "no_rope_layers": [1, 1, 0], "layer_types": ["full_attention", "chunked_attention", "chunked_attention"]}, None, 128, 128,
     ["full_attention_with_rotation rotary base=10000 16 16 interleaved 0 1", "chunked_attention rotary base=10000 16 16 interleaved 32 1",
      "chunked_attention_without_rotation nope - 16 0 - 32 1"],
     []),
    ({"model_type": "mpt", "d_model": 64, "n_heads": 4, "n_layers": 2, "max_seq_len": 128, "attn_config": {"alibi": True}}, None, 128, 128,
     ["- alibi heads=4 16 0 - 0 2"],
     []),
    ({"model_type": "mpt", "d_model": 64, "n_heads": 4, "n_layers": 2, "max_seq_len": 128, "attn_config": {"attn_type": "x"}}, None, 128, 128,
     ["- alibi heads=4 16 0 - 0 2"],
     ["note default-taken attn_config/alibi"]),
    ({"model_type": "mpt", "d_model": 64, "n_heads": 4, "n_layers": 2, "max_seq_len": 128, "attn_config": {"rope": True, "rope_theta": 500000.0}}, None, 128, 128,
     ["- rotary base=500000 16 16 halves 0 2"],
     []),
    # Falcon adds ALiBi before logits are divided by sqrt(d) (modeling_falcon.py).
    ({"model_type": "falcon", "alibi": True, "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2}, None, 2048, 2048,
     ["- alibi-scaled heads=4 16 0 - 0 2"],
     ["note default-taken max_position_embeddings"]),
    ({"model_type": "falcon", "alibi": False, "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2}, None, 2048, 2048,
     ["- rotary base=10000 16 16 halves 0 2"],
     ["note default-taken max_position_embeddings", "note default-base rope_theta"]),
    ({"model_type": "t5", "d_kv": 64, "num_heads": 8, "num_layers": 6, "n_positions": 512}, None, 512, 512,
     ["- t5 buckets=32,max_distance=128 64 0 - 0 6"],
     ["note default-taken relative_attention_num_buckets", "note default-taken relative_attention_max_distance"]),
    ({"model_type": "t5", "d_kv": 64, "num_heads": 8, "num_layers": 6, "relative_attention_num_buckets": 16, "relative_attention_max_distance": 64}, None, None, None,
     ["- t5 buckets=16,max_distance=64 64 0 - 0 6"],
     []),
    ({"model_type": "gptj", "n_embd": 4096, "n_head": 16, "n_layer": 2, "n_positions": 2048, "rotary_dim": 64}, None, 2048, 2048,
     ["- rotary base=10000 256 64 interleaved 0 2"],
     ["note default-base rope_theta"]),
    ({"model_type": "gptj", "n_embd": 4096, "n_head": 16, "n_layer": 2, "n_positions": 2048}, None, 2048, 2048,
     ["- rotary base=10000 256 64 interleaved 0 2"],
     ["note default-base rope_theta", "note default-taken rotary_dim"]),
    ({"model_type": "gptj", "n_embd": 512, "n_head": 16, "n_layer": 2, "n_positions": 2048}, None, 2048, 2048,
     ["- rotary base=10000 32 32 interleaved 0 2"],
     ["note default-base rope_theta", "note default-taken rotary_dim"]),
    ({"model_type": "gpt_neox", **HEADS, "num_hidden_layers": 2, "rotary_emb_base": 5000}, None, 2048, 2048,
     ["- rotary base=5000 64 16 halves 0 2"],
     ["note default-taken max_position_embeddings", "note default-taken rotary_pct"]),
    ({"model_type": "phi", **HEADS, "num_hidden_layers": 2, "rope_theta": 1e4}, None, 2048, 2048,
     ["- rotary base=10000 64 32 halves 0 2"],
     ["note default-taken max_position_embeddings", "note default-taken partial_rotary_factor"]),
    ({"model_type": "stablelm_epoch", **HEADS, "num_hidden_layers": 2, "rope_theta": 1e4}, None, 4096, 4096,
     ["- rotary base=10000 64 16 halves 0 2"],
     ["note default-taken max_position_embeddings", "note default-taken rope_pct"]),
    ({"model_type": "llama", **HEADS, "num_hidden_layers": 2, "rope_theta": 1e4, "rope_interleave": True}, None, 2048, 2048,
     ["- rotary base=10000 64 64 interleaved 0 2"],
     ["note default-taken max_position_embeddings"]),
    ({"model_type": "cohere", **HEADS, "num_hidden_layers": 2, "rope_interleave": False}, None, 8192, 8192,
     ["- rotary base=500000 64 64 halves 0 2"],
     ["note default-taken max_position_embeddings", "note default-base rope_theta"]),
    ({"model_type": "cohere2", **HEADS, "num_hidden_layers": 8, "rope_theta": 1e4}, None, 8192, 8192,
     ["sliding_attention rotary base=10000 64 64 interleaved 4096 6", "full_attention nope - 64 0 - 0 2"],
     ["note default-taken max_position_embeddings", "note default-taken sliding_window"]),
    ({"model_type": "cohere2", **HEADS, "num_hidden_layers": 3, "rope_theta": 1e4, "sliding_window": 32, "layer_types": ["sliding_attention", "full_attention", "full_attention"]}, None, 8192, 8192,
     ["sliding_attention rotary base=10000 64 64 interleaved 32 1", "full_attention nope - 64 0 - 0 2"],
     ["note default-taken max_position_embeddings"]),
    ({"model_type": "llama4_text", **HEADS, "num_hidden_layers": 8, "rope_theta": 1e4}, None, 131072, 131072,
     ["chunked_attention rotary base=10000 128 128 interleaved 8192 6", "full_attention nope - 128 0 - 0 2"],
     ["note default-taken max_position_embeddings", "note default-taken attention_chunk_size", "note default-taken head_dim"]),
    ({"model_type": "llama4_text", **HEADS, "num_hidden_layers": 4, "rope_theta": 1e4, "attention_chunk_size": 32, "no_rope_layers": [1, 1, 0, 1]}, None, 131072, 131072,
     ["chunked_attention rotary base=10000 128 128 interleaved 32 3", "full_attention nope - 128 0 - 0 1"],
     ["note default-taken max_position_embeddings", "note default-taken head_dim"]),
    ({"model_type": "llama4_text", **HEADS, "num_hidden_layers": 4, "rope_theta": 1e4, "attention_chunk_size": 32, "no_rope_layers": [1, 1, 0, 1], "no_rope_layer_interval": 3}, None, 131072, 131072,
     ["chunked_attention rotary base=10000 128 128 interleaved 32 3", "full_attention nope - 128 0 - 0 1"],
     ["note default-taken max_position_embeddings", "note default-taken head_dim"]),
    ({"model_type": "llama4_text", **HEADS, "num_hidden_layers": 4, "rope_theta": 1e4, "attention_chunk_size": 32, "no_rope_layers": [1, 1, 0, 0], "no_rope_layer_interval": 3}, None, 131072, 131072,
     ["chunked_attention rotary base=10000 128 128 interleaved 32 2", "full_attention nope - 128 0 - 0 2"],
     ["warning contradiction no_rope_layers", "note default-taken max_position_embeddings", "note default-taken head_dim"]),
    ({"model_type": "llama4_text", **HEADS, "num_hidden_layers": 4, "rope_theta": 1e4, "attention_chunk_size": 32, "no_rope_layers": [0, 1, 0, 1], "no_rope_layer_interval": 2}, None, 131072, 131072,
     ["chunked_attention rotary base=10000 128 128 interleaved 32 2", "full_attention nope - 128 0 - 0 2"],
     ["warning contradiction no_rope_layers", "note default-taken max_position_embeddings", "note default-taken head_dim"]),
    ({"model_type": "smollm3", **HEADS, "num_hidden_layers": 4, "rope_theta": 1e4, "no_rope_layers": [1, 1, 1, 1]}, None, 32768, 32768,
     ["- rotary base=10000 64 64 halves 0 4"],
     ["note default-taken max_position_embeddings"]),
    ({"model_type": "smollm3", **HEADS, "num_hidden_layers": 4, "rope_theta": 1e4, "no_rope_layers": [0, 0]}, None, 32768, 32768,
     ["- nope - 64 0 - 0 2"],
     ["error layer-count no_rope_layers", "note default-taken max_position_embeddings"]),
    ({"model_type": "smollm3", **HEADS, "num_hidden_layers": 9, "rope_theta": 1e4}, None, 32768, 32768,
     ["full_attention rotary base=10000 64 64 halves 0 7", "full_attention_without_rotation nope - 64 0 - 0 2"],
     ["note default-taken max_position_embeddings"]),
    ({"model_type": "modernbert", **HEADS, "num_hidden_layers": 7}, None, 8192, 8192,
     ["full_attention rotary base=160000 64 64 halves 0 3", "sliding_attention rotary base=10000 64 64 halves 65 4"],
     ["note default-taken max_position_embeddings", "note default-taken local_attention", "note default-base global_rope_theta", "note default-base local_rope_theta"]),
    ({"model_type": "modernbert", **HEADS, "num_hidden_layers": 7, "global_attn_every_n_layers": 2, "local_attention": 32, "global_rope_theta": 80000.0, "local_rope_theta": 5000.0, "max_position_embeddings": 64}, None, 64, 64,
     ["full_attention rotary base=80000 64 64 halves 0 4", "sliding_attention rotary base=5000 64 64 halves 17 3"],
     []),
    ({"model_type": "gemma3_text", "num_hidden_layers": 7, "head_dim": 64, "max_position_embeddings": 64, "sliding_window": "x", "rope_theta": 1e6, "rope_local_base_freq": 1e4}, None, 64, 64,
     ["full_attention rotary base=1000000 64 64 halves 0 1", "sliding_attention rotary base=10000 64 64 halves 0 6"],
     ["error wrong-type sliding_window"]),
    ({"model_type": "gemma3_text", "num_hidden_layers": 7, "head_dim": 64, "max_position_embeddings": 64, "sliding_window": 16, "rope_theta": 1e6, "rope_scaling": {"rope_type": "linear", "factor": 8.0}}, None, 64, 64,
     ["full_attention rotary-linear base=1000000,factor=8 64 64 halves 0 1", "sliding_attention rotary base=10000 64 64 halves 16 6"],
     ["note default-base rope_local_base_freq"]),
    ({"model_type": "gemma3_text"}, None, 131072, 131072,
     ["full_attention rotary base=1000000 256 256 halves 0 4", "sliding_attention rotary base=10000 256 256 halves 4096 22"],
     ["note default-taken max_position_embeddings", "note default-taken sliding_window", "note default-base rope_theta", "note default-base rope_local_base_freq"]),
    ({"model_type": "gemma2", "num_hidden_layers": 5, "num_attention_heads": 8, "hidden_size": 512, "rope_theta": 1e4}, None, 8192, 8192,
     ["full_attention rotary base=10000 256 256 halves 0 2", "sliding_attention rotary base=10000 256 256 halves 4096 3"],
     ["note default-taken max_position_embeddings", "note default-taken sliding_window", "note default-taken head_dim"]),
    ({"model_type": "qwen2", "num_hidden_layers": 5, "num_attention_heads": 8, "hidden_size": 512, "rope_theta": 1e4, "sliding_window": 16, "use_sliding_window": True, "max_window_layers": 0, "max_position_embeddings": 64}, None, 64, 64,
     ["- rotary base=10000 64 64 halves 16 5"],
     []),
    ({"model_type": "qwen2", "num_hidden_layers": 5, "num_attention_heads": 8, "hidden_size": 512, "rope_theta": 1e4, "sliding_window": 16, "use_sliding_window": False, "max_position_embeddings": 64}, None, 64, 64,
     ["- rotary base=10000 64 64 halves 0 5"],
     []),
    ({"model_type": "qwen2", "num_hidden_layers": 5, "num_attention_heads": 8, "hidden_size": 512, "rope_theta": 1e4, "sliding_window": 16, "max_position_embeddings": 64}, None, 64, 64,
     ["- rotary base=10000 64 64 halves 0 5"],
     []),
    ({"model_type": "qwen3", "num_hidden_layers": 5, "num_attention_heads": 8, "hidden_size": 512, "rope_theta": 1e4}, None, 32768, 32768,
     ["- rotary base=10000 128 128 halves 0 5"],
     ["note default-taken max_position_embeddings", "note default-taken head_dim"]),
    ({"model_type": "qwen3", "num_hidden_layers": 5, "rope_theta": 1e4, "max_position_embeddings": 64}, None, 64, 64,
     ["- rotary base=10000 128 128 halves 0 5"],
     []),
    ({"model_type": "deepseek_v3", "num_hidden_layers": 5, "num_attention_heads": 8, "hidden_size": 512, "rope_theta": 1e4}, None, 4096, 4096,
     ["- rotary base=10000 64 64 interleaved 0 5"],
     ["note default-taken max_position_embeddings", "note default-taken qk_rope_head_dim"]),
    ({"model_type": "deepseek_v3", "num_hidden_layers": 5, "num_attention_heads": 8, "hidden_size": 512, "rope_theta": 1e4, "qk_rope_head_dim": 32, "max_position_embeddings": 256, "rope_scaling": {"type": "yarn", "factor": 4, "original_max_position_embeddings": 64, "mscale": 1.0, "mscale_all_dim": 1.0}}, None, 64, 256,
     ["- rotary-yarn base=10000,factor=4,original=64,alpha=1,beta=32,ramp=1 32 32 interleaved 0 5"],
     ["note yarn-ramp rope_scaling"]),
    ({"model_type": "phi3", "num_hidden_layers": 5, "num_attention_heads": 64, "hidden_size": 512, "rope_theta": 1e4, "max_position_embeddings": 256, "original_max_position_embeddings": 64, "rope_scaling": {"type": "su", "short_factor": [1, 1, 1, 1], "long_factor": [1, 2, 3, 4]}}, None, 64, 256,
     ["- rotary-longrope base=10000,original=64 8 8 halves 0 5"],
     ["note default-taken sliding_window"]),
    ({"model_type": "phi3", "num_hidden_layers": 5, "num_attention_heads": 64, "hidden_size": 512, "rope_theta": 1e4, "max_position_embeddings": 8192, "rope_scaling": {"type": "longrope", "short_factor": [1, 1, 1, 1], "long_factor": [1, 2, 3, 4]}}, None, 4096, 8192,
     ["- rotary-longrope base=10000,original=4096 8 8 halves 0 5"],
     ["note default-taken sliding_window"]),
    ({"text_config": {"model_type": "llama", **SMALL, "rope_thetaa": 1}}, None, 64, 64,
     ["- rotary base=10000 64 64 halves 0 2"],
     ["warning unknown-key text_config/rope_thetaa"]),
    ({"model_type": "llama", "thinker_config": {"text_config": {**SMALL}}}, None, 64, 64,
     ["- rotary base=10000 64 64 halves 0 2"],
     []),
    ({"model_type": "llama", "llm_config": 3, **SMALL}, None, 64, 64,
     ["- rotary base=10000 64 64 halves 0 2"],
     []),
    ({"model_type": "xyzzy", "head_dim": 64, "num_hidden_layers": 2, "max_position_embeddings": 64}, None, 64, 64,
     ["- rotary base=10000 64 64 halves 0 2"],
     ["note default-base rope_theta", "note unknown-model-type model_type"]),
    ({"model_type": "xyzzy", "head_dim": 64, "num_hidden_layers": 2, "rope_scaling": {"type": "yarn", "factor": 4.0}}, None, None, None,
     ["- - - 64 0 - 0 2"],
     ["error missing-key rope_scaling", "note default-base rope_theta", "note unknown-model-type model_type"]),
    ({"model_type": "xyzzy", "head_dim": 64, "num_hidden_layers": 2}, None, None, None,
     ["- rotary base=10000 64 64 halves 0 2"],
     ["note default-base rope_theta", "note unknown-model-type model_type"]),
    ({"model_type": "llama", **SMALL, "rope_scaling": {"type": "yarm", "factor": 4.0}}, None, 64, 64,
     ["- rotary base=10000 64 64 halves 0 2"],
     ["error unknown-scaling-type rope_scaling/type", "note key-not-read rope_scaling/factor"]),
    ({"model_type": "llama", **SMALL, "rope_scaling": [1, 2]}, None, 64, 64,
     ["- rotary base=10000 64 64 halves 0 2"],
     ["error wrong-type rope_scaling"]),
    ({"model_type": "llama", **SMALL, "rope_scaling": {}}, None, 64, 64,
     ["- rotary base=10000 64 64 halves 0 2"],
     []),
    ({"model_type": "llama", **SMALL, "rope_scaling": {"type": "proportional"}, "partial_rotary_factor": 0.5}, None, 64, 64,
     ["- rotary-linear base=100,factor=1 64 32 halves 0 2"],
     []),
    ({"model_type": "llama", **SMALL, "rope_scaling": {"type": "ntk", "factor": 4.0}}, None, 64, 64,
     ["- rotary-ntk base=10000,factor=4,dynamic=0 64 64 halves 0 2"],
     []),
    ({"model_type": "llama", **SMALL, "rope_scaling": {"type": "dynamic", "factor": 4.0}}, 256, 64, 256,
     ["- rotary-ntk base=10000,factor=4,dynamic=1 64 64 halves 0 2"],
     []),
    ({"model_type": "llama", **SMALL, "rope_scaling": {"type": "dynamic", "factor": 4.0, "original_max_position_embeddings": 32}}, 256, 32, 256,
     ["- rotary-ntk base=10000,factor=4,dynamic=1 64 64 halves 0 2"],
     []),
    ({"model_type": "llama", **SMALL, "rope_scaling": {"type": "llama3", "factor": 4.0}}, None, 64, 64,
     ["- - - 64 0 - 0 2"],
     ["error missing-key rope_scaling", "error missing-key rope_scaling", "warning original-length-absent rope_scaling"]),
    ({"model_type": "llama", "hidden_size": "x", "num_attention_heads": 8, "num_hidden_layers": 2, "max_position_embeddings": 64, "rope_theta": 1e4}, None, 64, 64,
     ["- - - 0 0 - 0 2"],
     ["error wrong-type hidden_size", "error no-head-dim head_dim"]),
    ({"model_type": "llama", "hidden_size": 64, "num_attention_heads": 0, "num_hidden_layers": 2, "max_position_embeddings": 64, "rope_theta": 1e4}, None, 64, 64,
     ["- - - 0 0 - 0 2"],
     ["error out-of-range num_attention_heads", "error no-head-dim head_dim"]),
    ({"model_type": "llama", "head_dim": 2.5, "num_hidden_layers": 0, "max_position_embeddings": 64.5, "rope_theta": True}, None, None, None,
     ["- - - 0 0 - 0 0"],
     ["error wrong-type max_position_embeddings", "error out-of-range num_hidden_layers", "error wrong-type head_dim", "error wrong-type rope_theta", "note layers-not-given num_hidden_layers"]),
    ({"model_type": 7, "head_dim": 64}, None, None, None,
     ["- rotary base=10000 64 64 halves 0 0"],
     ["error wrong-type model_type", "note layers-not-given num_hidden_layers", "note default-base rope_theta", "note unknown-model-type model_type"]),
    ({"head_dim": 64, "max_position_embeddings": 4294967297}, None, None, None,
     ["- rotary base=10000 64 64 halves 0 0"],
     ["error out-of-range max_position_embeddings", "note layers-not-given num_hidden_layers", "note default-base rope_theta", "note unknown-model-type"]),
    ({"head_dim": 64, "max_position_embeddings": 4294967296}, None, 4294967296, 4294967296,
     ["- rotary base=10000 64 64 halves 0 0"],
     ["warning default-base rope_theta", "note layers-not-given num_hidden_layers", "note unknown-model-type"]),
    ({"model_type": "llama", "head_dim": 4096, "num_hidden_layers": 100001, "max_position_embeddings": 2, "rope_theta": 1e4}, None, 2, 2,
     ["- rotary base=10000 4096 4096 halves 0 100000"],
     []),
    # Layers without a window are printed first, whatever their order in the model.
    ({"model_type": "llama", **SMALL, "layer_types": ["sliding_attention", "full_attention"], "sliding_window": 32}, None, 64, 64,
     ["full_attention rotary base=10000 64 64 halves 0 1", "sliding_attention rotary base=10000 64 64 halves 32 1"],
     []),
    ({"model_type": "xyzzy", "head_dim": 64, "num_hidden_layers": 2, "rope_theta": 1e4}, 100, None, 100,
     ["- rotary base=10000 64 64 halves 0 2"],
     ["note unknown-model-type model_type"]),
    ({"model_type": "llama", **SMALL, "head_dim": 8, "rope_scaling": {"rope_type": "longrope", "short_factor": 3.0, "long_factor": [1, 2, 3, 4],
                                                                   "original_max_position_embeddings": 32}}, None, 64, 64,
     ["- - - 8 0 - 0 2"],
     ["error wrong-type rope_scaling/short_factor"]),
    # A value of a wrong type counts as missing.
    ({"model_type": "qwen2", **SMALL, "sliding_window": 16, "max_window_layers": 0, "use_sliding_window": 1}, None, 64, 64,
     ["- rotary base=10000 64 64 halves 16 2"],
     ["error wrong-type use_sliding_window"]),
    ({"model_type": "qwen2", **SMALL, "sliding_window": "16", "max_window_layers": 0, "use_sliding_window": True}, None, 64, 64,
     ["- rotary base=10000 64 64 halves 0 2"],
     ["error wrong-type sliding_window"]),
]


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def diagnose(program, configuration, *options):
    text = configuration if isinstance(configuration, str) else json.dumps(configuration)
    done = subprocess.run([program, "doctor", "-", "--json", *map(str, options)], input=text, capture_output=True, text=True)
    check(done.returncode < 2, done.stderr)
    return json.loads(done.stdout)


def layer_of(name, part):
    params = ",".join(f"{key}={value:.15g}" for key, value in part["params"].items())
    return " ".join(str(each) for each in (name or "-", part["scheme"] or "-", params or "-", part["head_dim"], part["rotated"],
                                           part["pairing"] or "-", part["window"], part["layers"]))


def check_by_frequency(configuration, answer, part):
    """Checks the turns, the first negative sum of cosines, and the findings of both."""
    trained, served = answer["trained"], answer["served"]
    seen = min(served or 0, part["window"] or served or 0)
    pairs = part["pairs"]
    for pair in pairs:
        check(abs(pair["trained_turns"] - (part["trained"] or 0) * pair["unscaled"] / (2 * math.pi)) <= 1e-12 * pair["trained_turns"], pair)
        check(abs(pair["served_turns"] - (served or 0) * pair["frequency"] / (2 * math.pi)) <= 1e-12 * pair["served_turns"], pair)
    if seen <= 8192 and pairs:
        sums = (sum(math.cos(n * f) for f in part["inv_freq"]) for n in range(1, seen + 1))
        first = next((n for n, total in enumerate(sums, 1) if total < -1e-9 * len(pairs)), None)
        check(part["first_negative"] == first, (configuration, part["first_negative"], first))
    messages = {key: [each["message"] for each in answer["findings"] if each["id"] == key] for key in BY_FREQUENCY}
    slow = sum((part["trained"] or 0) * pair["unscaled"] < 2 * math.pi for pair in pairs)
    if part["trained"] and slow:
        words = f"{slow} of {len(pairs)} pairs never complete a period in {part['trained']} trained tokens"
        check(any(each.startswith(words) for each in messages["slow-pairs"]), (words, messages))
    if part["first_negative"]:
        words = f"The sum of cosines is negative at distance {part['first_negative']} of {seen}:"
        check(any(each.startswith(words) for each in messages["base-below-bound"]), (words, messages))
    return bool(part["trained"] and slow), bool(part["first_negative"]), bool(part["trained"])


def check_rows(program):
    for configuration, asked, trained, served, layers, findings in ROWS:
        answer = diagnose(program, configuration, *(["--served", asked] if asked else []))
        parts = answer.get("layer_types", {"": answer})
        check([layer_of(*each) for each in parts.items()] == layers, (configuration, [layer_of(*each) for each in parts.items()]))
        check((answer["trained"], answer["served"]) == (trained, served), (configuration, answer["trained"], answer["served"]))
        found = [f"{each['severity']} {each['id']} {each['key']}".rstrip() for each in answer["findings"] if each["id"] not in BY_FREQUENCY]
        check(found == findings, (configuration, found))
        facts = [check_by_frequency(configuration, answer, part) for part in parts.values()]
        ids = {each["id"] for each in answer["findings"]}
        check(("slow-pairs" in ids, "base-below-bound" in ids) == (any(each[0] for each in facts), any(each[1] for each in facts)), (configuration, ids))
        check_places(json.dumps(configuration), answer)


def check_places(text, answer):
    """The place of a finding is that of the last part of its key, in quotes. A finding about a missing key or a GGUF
    has no place."""
    for each in answer["findings"]:
        if each["line"]:
            key = json.dumps(each["key"].split("/")[-1])
            check(text.splitlines()[each["line"] - 1][each["column"] - 1:].startswith(key), (text, each))


def check_cursor(program):
    """Checks the place of a key after a value of each kind, with different white space, on one line and on several."""
    values = ["null", "true", "false", "0", "-12", "1.5e-3", "1E+5", '""', '"a\\"b\\\\"', '"\\u00e9, : {"', "[]", "{}", "[1, [2, null], {}]",
              '{"b": {"c": [true, false]}}', "[ ]", "{ }"]
    for value in values:
        for between in ("", " ", "\n", "\t \r\n "):
            for mark in ("", "\ufeff"):
                text = f'{mark}{{{between}"a"{between}:{between}{value}{between},{between}"rope_thetaa"{between}:{between}1{between},"head_dim":64}}'
                answer = diagnose(program, text)
                found = [each for each in answer["findings"] if each["id"] == "unknown-key"]
                before = text.encode().split(b'"rope_thetaa"')[0]
                place = (before.count(b"\n") + 1, len(before) - (before.rfind(b"\n") + 1) + 1)
                check([(each["line"], each["column"]) for each in found] == [place], (text, place, found))


SMOLLM = {"model_type": "smollm3", **SMALL, "num_hidden_layers": 4}
# A configuration, a finding, and a part of its message.
WORDS = [
    ({**SMOLLM, "no_rope_layers": [0, 1, 0, 1], "no_rope_layer_interval": 2}, "contradiction",
     "layer 0 does not rotate, and 'no_rope_layer_interval' is 2: every 2-th layer alone has no rotation. 2 of 4 layers rotate"),
    ({**SMOLLM, "no_rope_layers": [1, 1, 0, 0], "no_rope_layer_interval": 3}, "contradiction", "layer 3 does not rotate, "),
    ({**SMOLLM, "no_rope_layers": [1, 1, 1, 1], "no_rope_layer_interval": 4}, "contradiction", "layer 3 rotates, "),
]


def check_words(program):
    for configuration, finding, words in WORDS:
        messages = [each["message"] for each in diagnose(program, configuration)["findings"] if each["id"] == finding]
        check(len(messages) == 1 and words in messages[0], (words, messages))


def check_search(program):
    """Lengths beyond 2^20 tokens are not searched."""
    answer = diagnose(program, {**SMALL, "head_dim": 8, "max_position_embeddings": 1 << 22, "rope_theta": 1e12})
    check(max(each["length"] for each in answer["safe_lengths"]) == 1 << 20, answer["safe_lengths"])


def check_kept(program):
    """For a scaling by one factor, f = unscaled (kept + (1 - kept)/factor)."""
    for scaling, ends in (({"rope_type": "linear", "factor": 4.0}, (0, 0)), ({"rope_type": "ntk", "factor": 4.0}, (1, 0)),
                          ({"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64}, (1, 0)), ({"rope_type": "default"}, (1, 1)),
                          ({"rope_type": "llama3", "factor": 4.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 64}, (1, 0))):
        pairs = diagnose(program, {**SMALL, "max_position_embeddings": 256, "rope_scaling": scaling})["pairs"]
        factor = scaling.get("factor", 1)
        for pair in pairs:
            expected = pair["unscaled"] * (pair["kept"] + (1 - pair["kept"]) / factor)
            check(abs(pair["frequency"] - expected) <= 1e-14 * pair["unscaled"], (scaling, pair))
        check(all(abs(pair["kept"] - end) < 1e-12 for pair, end in zip((pairs[0], pairs[-1]), ends)), (scaling, pairs[0], pairs[-1]))


YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64, "attention_factor": 1.5}
# A configuration, an engine, and the keys that it does not read.
ENGINES = [
    # The base 10000 is in the models' code (modeling_gptj.py, modeling_codegen.py).
    *[({"model_type": name, "n_embd": 64, "n_head": 4, "n_layer": 2, "n_positions": 128, "rotary_dim": 8, "rope_theta": 500000.0}, engine, "'rope_theta'")
      for name in ("gptj", "codegen") for engine in ("transformers-4.44", "transformers-5")],
    ({"model_type": "stablelm_epoch", **SMALL, "rope_pct": 0.5}, "transformers-4.44", "'rope_pct'"),
    ({"model_type": "llama", **SMALL, "max_position_embeddings": 5000, "rope_theta": None, "rope_parameters": {"rope_type": "default", "rope_theta": 5e5}}, "transformers-4.44",
     "'rope_parameters/rope_type', 'rope_parameters/rope_theta'"),
    ({"model_type": "llama", **SMALL, "rope_scaling": YARN}, "mlx-lm", "'rope_scaling/attention_factor'"),
    ({"model_type": "deepseek_v2", **SMALL, "head_dim": None, "qk_rope_head_dim": 32, "rope_scaling": {**YARN, "mscale": 0.7, "mscale_all_dim": 1.0, "attention_factor": None}},
     "llama.cpp", "'rope_scaling/mscale'"),
]


def check_engines(program):
    """Checks the differences of frequencies and logits, computed from the complete answers of both."""
    for configuration, engine, keys in ENGINES:
        answer = diagnose(program, configuration, "--engine", engine)
        other = answer["engines"][engine]
        f, g = other["inv_freq"], answer["inv_freq"]
        words = []
        if len(f) != len(g):
            words.append(f"{2 * len(f)} dimensions are rotated, not {2 * len(g)}")
        elif f != g:
            words.append(f"frequencies are off by up to {100 * max(abs(a - b) / b for a, b in zip(f, g)):.3g} %")
        for key, what in (("attention_factor", "the attention factor is"), ("softmax_factor", "all logits are multiplied by")):
            if other[key] != answer[key]:
                words.append(f"{what} {other[key]:.6g}, not {answer[key]:.6g}")
        off = [abs(logit(other, n) - logit(answer, n)) for n in range(answer["served"])]
        words.append(f"logits of equal queries and keys by up to {max(off):.3g} |q||k|/sqrt(d), at distance {off.index(max(off))}")
        found = [each for each in answer["findings"] if each["id"] == "engine-ignores-keys"]
        check([each["message"] for each in found] == [f"{engine} does not read {keys}: {'; '.join(words)}."], (words, found))
        check(("layer_types" in other) == ("layer_types" in answer), (configuration, "kinds of layers"))
        check(found[0]["severity"] == "error" and found[0]["key"] == keys.split("'")[1] and not other["agrees"], found)


def logit(part, n):
    mean = math.fsum(math.cos(n * f) for f in part["inv_freq"]) / len(part["inv_freq"])
    return part["attention_factor"] ** 2 * part["softmax_factor"] * mean


# Invalid JSON or an invalid configuration; the line and column of the message, the underlined text, and the start of
# the message.
INVALID = [
    ("[1, 2]", 1, 1, "[", "the configuration is a list; expected an object"),
    ("true", 1, 1, "true", "the configuration is a boolean; expected"),
    ("false", 1, 1, "false", "the configuration is a boolean; expected"),
    ("null", 1, 1, "null", "the configuration is null; expected"),
    (" 12", 1, 2, "12", "the configuration is a number; expected"),
    ('"text"', 1, 1, '"text"', "the configuration is a text; expected"),
    ('{"a": 1', 1, 7, "1", "invalid JSON: unexpected end of input"),
    ('{\n "a": 1,\n}', 3, 1, "}", "invalid JSON: unexpected '}'"),
    ('{"a": 1 2}', 1, 9, "2", "invalid JSON: unexpected number literal"),
    ('{"a": tru}', 1, 10, "}", "invalid JSON: invalid literal"),
    ('{"a": NaN}', 1, 7, "NaN", "'NaN' is not JSON"),
    ('{"a": [1, -Infinity]}', 1, 11, "-Infinity", "'-Infinity' is not JSON"),
    ('{"a": Infinity}', 1, 7, "Infinity", "'Infinity' is not JSON"),
    ('{"a": [-1e999]}', 1, 8, "-1e999", "'-1e999' is too large for a number"),
    ('{"a": 1, "b": 2,\n "a": 3}', 2, 2, '"a"', "duplicate key 'a'"),
    ('{"b": {"a": 1}, "c": {"a": 1, "a": 2}}', 1, 31, '"a"', "duplicate key 'a'"),
]


def check_invalid(program):
    for text, line, column, marked, words in INVALID:
        done = subprocess.run([program, "doctor", "-"], input=text, capture_output=True, text=True)
        first, excerpt, marks = done.stderr.splitlines()[:3]
        check(done.returncode == 2 and first.startswith(f"standard input:{line}:{column}: {words}"), done.stderr)
        check(excerpt.strip() == text.splitlines()[line - 1].strip() and marks.strip() == "^" + "~" * (len(marked) - 1), done.stderr)
        check(marks.index("^") - (len(excerpt) - len(excerpt.lstrip())) == column - 1 - (len(text.splitlines()[line - 1]) - len(text.splitlines()[line - 1].lstrip())),
              done.stderr)


def main():
    for part in (check_rows, check_words, check_search, check_kept, check_engines, check_cursor, check_invalid):
        part(sys.argv[1])


if __name__ == "__main__":
    main()
