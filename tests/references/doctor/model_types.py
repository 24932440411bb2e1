"""Reads what the configuration classes of transformers 5.23.0 take where a configuration is silent: model_types.py
FACTS.json MODEL_TYPE...

Writes for each model type the trained length, and for every kind of layer the number of layers, the width of a head,
the base, the rotated part of a head and the window. "pairs" is read from the model's source: "interleaved" if its
`rotate_half` takes every second dimension, if its attention calls `apply_rotary_pos_emb_interleave`, or if it
multiplies complex numbers. "given" are the keys that the configuration has beside its sizes: those of GIVEN, and the
scaling of a class that scales by default. transformers needs no torch for this. The tests do not run this script; they
compare `farfield doctor` with the facts.
"""
import collections
import json
import pathlib
import re
import sys

import transformers
from transformers import CONFIG_MAPPING

MODELS = pathlib.Path(transformers.__file__).parent / "models"

# Keys that published files have and on which positions depend, where the class's default fits no published model: heads
# that do not divide the width, or no layer that rotates.
GIVEN = {
    "glm4_moe": {"head_dim": 128},
    "granitemoehybrid": {"position_embedding_type": "rope", "layer_types": ["linear_attention"] * 28 + ["full_attention"] * 4},
    "lfm2": {"full_attn_idxs": [2, 5, 8, 10, 12, 14]},
    "lfm2_moe": {"layer_types": ["conv", "conv", "full_attention", "conv"] * 8},
    "minimax_m2": {"rotary_dim": 64},
    "mllama_text_model": {"cross_attention_layers": [3, 8, 13, 18, 23, 28, 33, 38]},
    "qwen3_omni_moe_text": {"head_dim": 128},
}


def value_of(config, key):
    """None for a key that the class lacks, or that has a value for each layer."""
    try:
        return getattr(config, key, None)
    except Exception:  # transformers' own class for such keys, a RuntimeError in some versions
        return None


def source_of(config):
    """Empty for a model type that uses the modules of another one."""
    name = type(config).__module__.split("transformers.models.")[1].replace(".configuration_", ".modeling_")
    path = MODELS / (name.replace(".", "/") + ".py")
    return path.read_text() if path.exists() else ""


def pairs_of(config):
    source = source_of(config)
    if re.search(r"= apply_rotary_pos_emb_interleave\(", source) and value_of(config, "rope_interleave") is not False:
        return "interleaved"
    body = re.search(r"def rotate_half\(x\):(.*?)\n\n", source, re.DOTALL)
    if body is None:
        return "interleaved" if "view_as_complex" in source else None
    return "interleaved" if "::2]" in body.group(1) else "halves"


def width_of(config, kind):
    """The width of a head, or of its rotated part where that is a part of its own."""
    rotated = value_of(config, "qk_rope_head_dim")
    if rotated:
        return rotated
    # Gemma 4 has a width for each type of layer.
    own = config.per_layer_config[kind] if kind in (value_of(config, "layer_types") or ()) else config
    return value_of(own, "head_dim") or config.hidden_size // config.num_attention_heads


def window_of(config, kind):
    """The number of tokens that a query sees, itself included."""
    if kind == "chunked_attention":
        return config.attention_chunk_size
    window = value_of(config, "sliding_window") if kind in ("", "sliding_attention") else None
    # A model that looks both ways counts the tokens on each side, without the query's own.
    is_bidirectional = "create_bidirectional_sliding_window_mask" in source_of(config)
    return window + 1 if window and is_bidirectional else window or 0


def kinds_of(config):
    crossed = value_of(config, "cross_attention_layers")
    if crossed:
        return {"full_attention": config.num_hidden_layers - len(crossed), "cross_attention": len(crossed)}
    return collections.Counter(value_of(config, "layer_types") or [""] * config.num_hidden_layers)


def facts_of(model_type):
    given = dict(GIVEN.get(model_type, {}))
    config = CONFIG_MAPPING[model_type](**given)
    rotations = config.rope_parameters or {}
    is_by_type = bool(rotations) and all(isinstance(each, dict) for each in rotations.values())
    if any(each.get("rope_type", "default") != "default" for each in (rotations.values() if is_by_type else [rotations])):
        given["rope_parameters"] = rotations
    layers = {}
    for kind, count in kinds_of(config).items():
        rotation = rotations.get(kind) if is_by_type else rotations
        if not rotation:
            continue
        width = width_of(config, kind)
        is_latent = value_of(config, "qk_rope_head_dim") is not None
        layers[kind] = {
            "layers": count, "head_dim": width, "base": rotation["rope_theta"], "type": rotation.get("rope_type", "default"),
            "window": window_of(config, kind), "rotated": width if is_latent else int(width * rotation.get("partial_rotary_factor", 1.0)),
            "trained": rotation.get("original_max_position_embeddings") or value_of(config, "max_position_embeddings")}
    return {"hidden_size": config.hidden_size, "num_attention_heads": config.num_attention_heads, "num_hidden_layers": config.num_hidden_layers,
            "given": given, "pairs": pairs_of(config), "layer_types": layers}


def main():
    path = pathlib.Path(sys.argv[1])
    facts = {name: facts_of(name) for name in sorted(sys.argv[2:])}
    path.write_text("{\n" + ",\n".join(f' "{name}": {json.dumps(each)}' for name, each in facts.items()) + "\n}\n")
    print(len(facts), "model types")


if __name__ == "__main__":
    main()
