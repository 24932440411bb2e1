"""A GGUF file and its original configuration have the same positions: gguf_keys.py PROGRAM

Keys and architectures are those of gguf-py's constants.py and convert_hf_to_gguf.py of llama.cpp.
"""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

from headers import check, gguf, pair, text, u32

NUMBERS = ("scheme", "inv_freq", "attention_factor", "softmax_factor", "trained", "window", "head_dim", "rotated", "layers", "params")
ARCHITECTURES = {"llama": "llama", "gemma3": "gemma3_text", "phi2": "phi", "gptneox": "gpt_neox", "command-r": "cohere",
                 "deepseek2": "deepseek_v2", "mistral3": "ministral3", "qwen2moe": "qwen2_moe", "qwen3moe": "qwen3_moe",
                 "starcoder": "gpt_bigcode"}
PLAIN = {"context_length": 1024, "embedding_length": 256, "attention.head_count": 4, "block_count": 6, "rope.freq_base": 50000.0}
CONFIGURATION = {"max_position_embeddings": 1024, "hidden_size": 256, "num_attention_heads": 4, "num_hidden_layers": 6, "rope_theta": 50000.0}


def f32(value):
    return struct.pack("<f", value)


def packed(key, value):
    if isinstance(value, str):
        return pair(key, 8, text(value))
    return pair(key, 6, f32(value)) if isinstance(value, float) else pair(key, 4, u32(value))


# The architecture, the keys of the GGUF, the keys of the configuration.
YARN = {"rope.scaling.type": "yarn", "rope.scaling.factor": 4.0, "rope.scaling.original_context_length": 256}
YARN_IN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 256}
ROWS = [
    ("llama", {}, {}),
    ("llama", {"attention.key_length": 32}, {"head_dim": 32}),
    ("llama", {"rope.dimension_count": 32}, {"rotary_dim": 32}),
    ("gptneox", {"rope.dimension_count": 16}, {"rotary_dim": 16}),
    ("llama", {"rope.scaling.type": "linear", "rope.scaling.factor": 2.0}, {"rope_scaling": {"rope_type": "linear", "factor": 2.0}}),
    # llama.cpp scales linearly without a type, and prefers the new name of the factor.
    ("llama", {"rope.scale_linear": 2.0}, {"rope_scaling": {"rope_type": "linear", "factor": 2.0}}),
    ("llama", {"rope.scaling.factor": 4.0}, {"rope_scaling": {"rope_type": "linear", "factor": 4.0}}),
    ("llama", {"rope.scale_linear": 2.0, "rope.scaling.factor": 8.0}, {"rope_scaling": {"rope_type": "linear", "factor": 8.0}}),
    ("llama", {"rope.scaling.type": "linear", "rope.scale_linear": 2.0}, {"rope_scaling": {"rope_type": "linear", "factor": 2.0}}),
    ("llama", {"rope.scaling.type": "none"}, {"rope_scaling": {"rope_type": "default"}}),
    ("llama", YARN, {"rope_scaling": YARN_IN}),
    ("llama", {**YARN, "rope.scaling.yarn_beta_fast": 16.0, "rope.scaling.yarn_beta_slow": 2.0}, {"rope_scaling": {**YARN_IN, "beta_fast": 16.0, "beta_slow": 2.0}}),
    # Only for this architecture, the value in the file is a tenth of mscale_all_dim.
    ("deepseek2", {"rope.dimension_count": 64, **YARN, "rope.scaling.yarn_log_multiplier": 0.0625},
     {"qk_rope_head_dim": 64, "rope_scaling": {**YARN_IN, "mscale": 0.625, "mscale_all_dim": 0.625}}),
    ("llama", {**YARN, "rope.scaling.yarn_log_multiplier": 0.5}, {"rope_scaling": {**YARN_IN, "mscale_all_dim": 0.5}}),
    ("gemma3", {"attention.sliding_window": 32, "rope.freq_base_swa": 20000.0}, {"sliding_window": 32, "rope_local_base_freq": 20000.0}),
    # The width of a head by layer type; the rotated widths are those of whole heads.
    ("gemma4", {"attention.key_length": 128, "attention.key_length_swa": 64, "rope.dimension_count": 128, "rope.dimension_count_swa": 64, "attention.sliding_window": 32,
                "rope.freq_base_swa": 20000.0}, {"global_head_dim": 128, "head_dim": 64, "sliding_window": 32, "rope_local_base_freq": 20000.0}),
    ("mpt", {"attention.max_alibi_bias": 16.0}, {"attn_config": {"alibi": True, "alibi_bias_max": 16.0}}),
    ("mpt", {"attention.max_alibi_bias": 0.5}, {"attn_config": {"alibi": True, "alibi_bias_max": 0.5}}),
    ("mpt", {"attention.max_alibi_bias": 0.0}, {"attn_config": {"alibi": False}}),
    ("t5", {"attention.relative_buckets_count": 16}, {"relative_attention_num_buckets": 16}),
    *[(name, {}, {}) for name in ARCHITECTURES],
]


def diagnose(program, path):
    done = subprocess.run([program, "doctor", path, "--json"], capture_output=True, text=True)
    check(done.returncode in (0, 1), done.stderr)
    return json.loads(done.stdout)


def numbers(answer):
    parts = answer.get("layer_types", {"": answer})
    return {name: {key: part[key] for key in NUMBERS} for name, part in parts.items()}


def check_rows(program, folder):
    for architecture, keys, configuration in ROWS:
        path = folder / "model.gguf"
        content = [packed("general.architecture", architecture)]
        content += [packed(f"{architecture}.{key}", value) for key, value in {**PLAIN, **keys}.items()]
        path.write_bytes(gguf(3, [*content, packed("other.rope.freq_base", 7.0), packed(f"{architecture}.unknown", 7)]))
        made = diagnose(program, path)
        check(made["model_type"] == ARCHITECTURES.get(architecture, architecture), made["model_type"])
        (folder / "config.json").write_text(json.dumps({"model_type": made["model_type"], **CONFIGURATION, **configuration}))
        expected = diagnose(program, folder / "config.json")
        check(numbers(made) == numbers(expected), (architecture, keys, numbers(made), numbers(expected)))
        for name, origin in made.get("origins", {}).items():
            check(name == "max_length" or origin["key"] == "default" or origin["key"].startswith(f"{architecture}."), (architecture, origin))


def check_windows(program, folder):
    """llama.cpp windows every second layer of gpt-oss from the first on, and three of four layers of Olmo 3, whose files have
    the architecture of Olmo 2 (llama-model.cpp, set_swa_pattern)."""
    path = folder / "model.gguf"
    for architecture, model_type, full in (("gpt-oss", "gpt_oss", 4), ("olmo2", "olmo3", 2)):
        keys = {**PLAIN, "block_count": 8, "attention.sliding_window": 32}
        path.write_bytes(gguf(3, [packed("general.architecture", architecture), *[packed(f"{architecture}.{key}", value) for key, value in keys.items()]]))
        made = diagnose(program, path)
        layers = {name: (part["layers"], part["window"]) for name, part in made["layer_types"].items()}
        check(made["model_type"] == model_type and layers == {"full_attention": (full, 0), "sliding_attention": (8 - full, 32)}, layers)


def check_factors(program, folder):
    """rope.scaling.attn_factor multiplies cosines and sines whatever the type, and LongRoPE's factors are tensors."""
    path = folder / "model.gguf"
    for keys in ({}, {"rope.scaling.type": "linear"}, {"rope.scaling.type": "longrope"}):
        keys = {**PLAIN, **keys, "rope.scaling.attn_factor": 1.25}
        path.write_bytes(gguf(3, [packed("general.architecture", "phi3"), *[packed(f"phi3.{key}", value) for key, value in keys.items()]]))
        made = diagnose(program, path)
        check(made["attention_factor"] == 1.25 and not {each["id"] for each in made["findings"]} & {"key-not-read", "missing-key"}, made["findings"])


def check_refusals(program, folder):
    path = folder / "model.gguf"
    for keys in ([], [pair("general.architecture", 4, u32(7))], [packed("general.architecture", "")]):
        path.write_bytes(gguf(3, keys))
        done = subprocess.run([program, "doctor", path], capture_output=True, text=True)
        check(done.returncode == 2 and "'general.architecture' is missing" in done.stderr, done.stderr)


def check_numbers(program, folder):
    """Floats that JSON cannot represent."""
    path = folder / "model.gguf"
    for number in (float("inf"), float("nan"), -1.0, 0.0):
        content = [packed("general.architecture", "llama")]
        content += [packed(f"llama.{key}", value) for key, value in {**PLAIN, "rope.freq_base": number}.items()]
        path.write_bytes(gguf(3, content))
        found = [(each["id"], each["key"]) for each in diagnose(program, path)["findings"] if each["severity"] == "error"]
        check(found == [("out-of-range", "llama.rope.freq_base")], (number, found))


def check_names(program, folder):
    """Messages name the keys of the file, whole, and a misspelt key of rotations has its nearest one."""
    path = folder / "model.gguf"
    keys = {**{key: value for key, value in PLAIN.items() if key != "rope.freq_base"}, "rope.scaling.type": "yarn", "rope.scaling.factor": 4.0, "rope.freq_bse": 7.0,
            "rope.scaling.finetuned": 1, "rope.dimension_count_swa": 64}
    path.write_bytes(gguf(3, [packed("general.architecture", "llama"), *[packed(f"llama.{key}", value) for key, value in keys.items()]]))
    found = diagnose(program, path)["findings"]
    by_id = {each["id"]: each for each in found}
    check([each["key"] for each in found if each["id"] == "unknown-key"] == ["llama.rope.freq_bse"], found)
    check(by_id["unknown-key"]["fix"] == "Did you mean 'llama.rope.freq_base'?", by_id["unknown-key"])
    absent = by_id["original-length-absent"]
    check(absent["message"].startswith("'llama.rope.scaling' has no 'llama.rope.scaling.original_context_length': readers take 'llama.context_length', 1024"), absent)
    check(absent["fix"] == 'write "llama.rope.scaling.original_context_length" in it', absent)
    check(by_id["default-base"]["key"] == "llama.rope.freq_base" and by_id["default-base"]["message"].startswith("'llama.rope.freq_base'"), by_id["default-base"])
    path.write_bytes(gguf(3, [packed("general.architecture", "llama"), *[packed(f"llama.{key}", value) for key, value in {**PLAIN, "rope.scaling.factor": -4.0}.items()]]))
    message = next(each["message"] for each in diagnose(program, path)["findings"] if each["id"] == "out-of-range")
    check(message.startswith("'llama.rope.scaling.factor' is -4"), message)


def main():
    with tempfile.TemporaryDirectory() as name:
        for part in (check_rows, check_windows, check_factors, check_refusals, check_numbers, check_names):
            part(sys.argv[1], pathlib.Path(name))


if __name__ == "__main__":
    main()
