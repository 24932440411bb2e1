"""Checks each finding of `farfield doctor` at its threshold: findings.py PROGRAM

Each row has a configuration with a finding, and the nearest configuration without it. The numbers in messages are
computed in Python's floats.
"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import tomllib

from forms import safetensors

PLAIN = {"model_type": "llama", "head_dim": 64, "num_hidden_layers": 2, "max_position_embeddings": 1024, "rope_theta": 10000.0}
NONE = object()  # removes a key
USUAL = 0.1 * math.log(4) + 1  # YaRN's attention factor of 4


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def changed(changes):
    merged = {**PLAIN, **changes}
    return json.dumps({key: value for key, value in merged.items() if value is not NONE}, indent=1)


def diagnose(program, changes, *options):
    text = changes if isinstance(changes, str) else changed(changes)
    done = subprocess.run([program, "doctor", "-", "--json", *map(str, options)], input=text, capture_output=True, text=True)
    check(done.returncode in (0, 1), done.stderr)
    return json.loads(done.stdout), done.returncode


def scaling(kind, **keys):
    return {"rope_scaling": {"rope_type": kind, **keys}}


def yarn(**keys):
    return scaling("yarn", **{"factor": 4.0, "original_max_position_embeddings": 256, **keys})


def deepseek(**keys):
    return {"model_type": "deepseek_v2", "head_dim": NONE, "qk_rope_head_dim": 64, **yarn(**keys)}


def su(short, long):
    return scaling("longrope", short_factor=short, long_factor=long, original_max_position_embeddings=256)


def llama3(**keys):
    return scaling("llama3", factor=8.0, original_max_position_embeddings=256, **keys)


GEMMA = {"model_type": "gemma3_text", "num_hidden_layers": 6, "sliding_window": 32}
GPT = {"model_type": "gpt2", "head_dim": NONE, "rope_theta": NONE, "max_position_embeddings": NONE, "n_positions": 1024, "n_embd": 64,
       "n_head": 4, "n_layer": 2, "num_hidden_layers": NONE}

# A finding, its severity, its key, a configuration that has it, and one that does not, each with options.
ROWS = [
    ("served-beyond-trained", "warning", "max_position_embeddings", ({}, "--served", 1025), ({}, "--served", 1024)),
    ("served-beyond-trained", "warning", "max_position_embeddings", ({**GEMMA}, "--served", 1025), ({**GEMMA}, "--served", 1024)),
    ("served-beyond-trained", "warning", None, ({}, "--served", 4096), ({"model_type": "mistral", "sliding_window": 32}, "--served", 4096)),
    # A window of at most the trained length never reaches greater distances than those trained.
    ("served-beyond-trained", "warning", None, ({"model_type": "mistral", "sliding_window": 1025}, "--served", 4096),
     ({"model_type": "mistral", "sliding_window": 1024}, "--served", 4096)),
    ("served-beyond-scaling", "warning", "max_position_embeddings", (scaling("linear", factor=2.0), "--served", 2049), (scaling("linear", factor=2.0), "--served", 2048)),
    ("served-beyond-scaling", "warning", None, (scaling("linear", factor=2.0), "--served", 5000), (scaling("dynamic", factor=2.0), "--served", 5000)),
    ("served-beyond-scaling", "warning", None, (yarn(), "--served", 1025), (yarn(), "--served", 1024)),
    ("served-beyond-table", "error", "n_positions", (GPT, "--served", 1025), (GPT, "--served", 1024)),
    ("factor-against-lengths", "warning", "rope_scaling/factor", (yarn(factor=4.1),), (yarn(factor=4.03),)),
    ("factor-against-lengths", "warning", None, (yarn(factor=3.9),), (yarn(factor=3.97),)),
    ("factor-against-lengths", "warning", None, (yarn(factor=8.0),), (yarn(factor=8.0, original_max_position_embeddings=1024),)),
    ("length-is-original", "note", "max_position_embeddings", ({**yarn(), "max_position_embeddings": 256},), (yarn(),)),
    ("length-is-original", "note", None, ({**yarn(), "max_position_embeddings": 256},), ({**yarn(factor=1.0), "max_position_embeddings": 256},)),
    ("attention-factor-misnamed", "warning", "rope_scaling/attn_factor", (yarn(attn_factor=USUAL),), (yarn(attn_factor=USUAL, attention_factor=USUAL),)),
    ("attention-factor-given", "note", "rope_scaling/attention_factor", (yarn(attention_factor=1.5),), (yarn(attention_factor=USUAL),)),
    ("attention-factor-given", "note", None, (yarn(attention_factor=1.002 * USUAL),), (yarn(attention_factor=1.0009 * USUAL),)),
    ("attention-factor-given", "note", None, (yarn(attention_factor=1.5),), (yarn(factor=1.0, attention_factor=1.5),)),
    ("attention-factor-doubled", "warning", "rope_scaling/attention_factor", (yarn(attention_factor=USUAL ** 2),), (yarn(attention_factor=1.01 * USUAL ** 2),)),
    ("attention-factor-doubled", "warning", None, (yarn(attention_factor=1.0005 * USUAL ** 2),), (yarn(attention_factor=1.002 * USUAL ** 2),)),
    ("mscale-differs", "warning", "rope_scaling/mscale_all_dim", (deepseek(mscale=1.0, mscale_all_dim=2.0),), (deepseek(mscale=1.0, mscale_all_dim=1.0),)),
    ("mscale-absent", "note", "rope_scaling", (deepseek(),), (deepseek(mscale=1.0, mscale_all_dim=1.0),)),
    ("mscale-absent", "note", None, (deepseek(),), (deepseek(factor=1.0),)),
    ("mscale-absent", "note", None, (deepseek(),), (yarn(),)),
    ("mscale-alone", "warning", "rope_scaling/mscale", (deepseek(mscale=0.7),), (deepseek(mscale=0.7, mscale_all_dim=0.7),)),
    ("mscale-alone", "warning", "rope_scaling/mscale_all_dim", (yarn(mscale_all_dim=0.7),), (yarn(mscale_all_dim=0.7, attention_factor=USUAL),)),
    ("mscale-alone", "warning", "rope_scaling/mscale", (yarn(mscale=0.7),), (yarn(mscale=1.0),)),
    ("yarn-ramp", "note", "rope_scaling", (yarn(),), (scaling("linear", factor=4.0),)),
    ("yarn-ramp", "note", "rope_scaling/truncate", (yarn(truncate=False),), (yarn(factor=1.0),)),
    ("yarn-ramp", "note", None, (yarn(factor=1.5),), (yarn(factor=1.0),)),
    # Attention factors that differ by less than the tolerance count as equal.
    ("engine-ignores-keys", "warning", "rope_scaling/attention_factor", (yarn(attention_factor=USUAL + 2e-6), "--engine", "mlx-lm"),
     (yarn(attention_factor=USUAL + 5e-7), "--engine", "mlx-lm")),
    # A difference of more than 0.001 is an error.
    ("engine-ignores-keys", "warning", None, (yarn(attention_factor=USUAL + 9e-4), "--engine", "mlx-lm"), (yarn(), "--engine", "mlx-lm")),
    ("engine-ignores-keys", "error", None, (yarn(attention_factor=USUAL + 1.1e-3), "--engine", "mlx-lm"), (yarn(), "--engine", "mlx-lm")),
    ("rope-parameters-alone", "note", "rope_parameters", ({"rope_theta": NONE, "rope_parameters": {"rope_type": "default", "rope_theta": 1e4}},),
     ({"rope_parameters": {"rope_type": "default", "rope_theta": 1e4}},)),
    ("long-without-scaling", "note", "max_position_embeddings", ({"max_position_embeddings": 32769},), ({"max_position_embeddings": 32768},)),
    ("long-without-scaling", "note", None, ({"max_position_embeddings": 65536},), ({"max_position_embeddings": 65536, "rope_theta": 1e9},)),
    ("long-without-scaling", "note", None, ({"max_position_embeddings": 65536},), ({"max_position_embeddings": 65536, **scaling("linear", factor=2.0)},)),
    ("base-below-bound", "note", "rope_theta", ({"rope_theta": 100.0},), ({"rope_theta": 1e9},)),
    ("unknown-key", "warning", "rope_thetaa", ({"rope_thetaa": 1},), ({"thing": 1},)),
    ("unknown-key", "warning", "num_hiden_layers", ({"num_hiden_layers": 2},), ({"num_layers": 2},)),
    ("unknown-key", "warning", "my_alibi", ({"my_alibi": 1},), ({"vision_rope_dims": 1},)),
    ("unknown-key", "warning", "rope_scaling/factr", (yarn(factr=4.0),), (yarn(),)),
    ("misplaced-key", "warning", "mrope_interleaved", ({"mrope_interleaved": True},), ({"rope_scaling": {"rope_type": "default", "mrope_interleaved": True}},)),
    ("key-not-read", "note", "rope_scaling/beta_fast", (scaling("linear", factor=2.0, beta_fast=32.0),), (yarn(beta_fast=32.0),)),
    ("key-not-read", "note", None, (scaling("linear", factor=2.0, beta_fast=32.0),), (scaling("linear", factor=2.0, beta_fast=None),)),
    # A scaling key at the root, unless its name could mean anything.
    ("misplaced-key", "warning", "factor", ({"factor": 4.0},), ({"alpha": 4.0},)),
    ("query-temperature", "note", "attn_temperature_tuning",
     ({"model_type": "llama4_text", "num_hidden_layers": 4, "attn_temperature_tuning": True},),
     ({"model_type": "llama4_text", "num_hidden_layers": 4, "attn_temperature_tuning": False},)),
    ("contradiction", "warning", "layer_types",
     ({"model_type": "mistral", "sliding_window": None, "layer_types": ["sliding_attention", "full_attention"]},),
     ({"model_type": "mistral", "sliding_window": 64, "layer_types": ["sliding_attention", "full_attention"]},)),
    ("default-taken", "warning", "rope_scaling",
     ({"rope_scaling": {"rope_type": "yarn", "original_max_position_embeddings": 256}},),
     ({"rope_scaling": {"rope_type": "yarn", "original_max_position_embeddings": 256, "factor": 4.0}},)),
    ("misplaced-key", "warning", "low_freq_factor", ({"low_freq_factor": 1.0},), (llama3(low_freq_factor=1.0, high_freq_factor=4.0),)),
    # Readers take the keys of the text model from its own part.
    ("misplaced-key", "warning", "rope_theta", ({"text_config": {**PLAIN, "rope_theta": 5e5}},), ({"text_config": PLAIN},)),
    ("misplaced-key", "warning", "rope_scaling", ({"text_config": PLAIN, **yarn()},), ({"text_config": {**PLAIN, **yarn()}, **yarn()},)),
    ("key-not-read", "warning", "alibi", ({"alibi": True},), ({"alibi": False},)),
    ("key-not-read", "warning", "use_alibi", ({"model_type": "falcon", "use_alibi": True},), ({"model_type": "falcon", "alibi": True, "rope_theta": NONE},)),
    ("key-not-read", "warning", "alibi", ({"alibi": True},), ({"model_type": "xyzzy", "alibi": True},)),
    ("key-not-read", "warning", "rope_scaling", ({**GPT, **scaling("linear", factor=2.0)},), ({**GPT, "rope_scaling": None},)),
    ("key-not-read", "note", "rope_theta", ({**GPT, "rope_theta": 1e4},), (GPT,)),
    ("unknown-position-type", "warning", "position_embedding_type", ({"model_type": "bert", "position_embedding_type": "relative_key"},),
     ({"model_type": "bert", "position_embedding_type": "absolute"},)),
    ("unknown-position-type", "warning", "position_embedding_type", ({"position_embedding_type": "ropee"},), ({"position_embedding_type": "rope"},)),
    ("unknown-layer-type", "warning", "layer_types", ({"layer_types": ["full_attention", "slidding_attention"]},),
     ({"layer_types": ["full_attention", "sliding_attention"]},)),
    ("reserved-positions", "note", "max_position_embeddings", ({"model_type": "roberta", "max_position_embeddings": 514},),
     ({"model_type": "bert", "max_position_embeddings": 514},)),
    # The table of roberta has pad_token_id + 1 rows that no token has.
    ("served-beyond-table", "error", "max_position_embeddings", ({"model_type": "roberta", "max_position_embeddings": 514}, "--served", 513),
     ({"model_type": "roberta", "max_position_embeddings": 514}, "--served", 512)),
    ("served-beyond-table", "error", None, ({"model_type": "roberta", "max_position_embeddings": 514, "pad_token_id": 3}, "--served", 511),
     ({"model_type": "roberta", "max_position_embeddings": 514, "pad_token_id": 3}, "--served", 510)),
    ("contradiction", "warning", "rope_scaling/original_max_position_embeddings", (yarn(original_max_position_embeddings=1025),),
     (yarn(original_max_position_embeddings=1024),)),
    ("factors-of-wrong-length", "error", "rope_scaling/mrope_section", (scaling("default", mrope_section=[16, 8, 7]),),
     (scaling("default", mrope_section=[16, 8, 8]),)),
    ("missing-key", "error", None, (scaling("linear"),), (scaling("linear", factor="2"),)),
    ("original-length-absent", "warning", None, (yarn(original_max_position_embeddings=None),), (yarn(original_max_position_embeddings="256"),)),
    ("out-of-range", "warning", "rope_scaling/factor", ({"rope_scaling": {"rope_type": "linear", "factor": 0.5}},),
     ({"rope_scaling": {"rope_type": "linear", "factor": 1.0}},)),
    ("odd-rotation", "error", "head_dim", ({"head_dim": 63},), ({"head_dim": 62},)),
    ("odd-rotation", "error", "head_dim", ({"partial_rotary_factor": 0.55},), ({"partial_rotary_factor": 0.5},)),
    ("unknown-model-type", "note", "model_type", ({"model_type": "xyzzy"},), ({},)),
    ("wrong-type", "error", "attn_config", ({"attn_config": 3},), ({"attn_config": {"alibi": False}},)),
    ("wrong-type", "error", "rope_scaling", ({"rope_scaling": 3},), ({"rope_scaling": None},)),
    ("wrong-type", "error", "rope_theta", ({"rope_theta": "1e4"},), ({"rope_theta": 1e4},)),
    ("wrong-type", "error", "num_hidden_layers", ({"num_hidden_layers": 2.5},), ({"num_hidden_layers": 2.0},)),
    ("wrong-type", "error", "use_sliding_window", ({"model_type": "qwen2", "use_sliding_window": 1},), ({"model_type": "qwen2", "use_sliding_window": True},)),
    ("wrong-type", "error", "layer_types", ({"layer_types": "full_attention"},), ({"layer_types": ["full_attention"] * 2},)),
    ("wrong-type", "error", "layer_types", ({"layer_types": ["full_attention", 2]},), ({"layer_types": ["full_attention"] * 2},)),
    ("wrong-type", "error", "rope_scaling/long_factor", (su([1.0] * 32, [1.0] * 31 + [0]),), (su([1.0] * 32, [1.0] * 31 + [0.5]),)),
    ("wrong-type", "error", "rope_scaling/short_factor", (su(3.0, [1.0] * 32),), (su([1.0] * 32, [1.0] * 32),)),
    ("wrong-type", "error", "rope_scaling/short_factor", (su([-1.0] + [1.0] * 31, [1.0] * 32),), (su([1.0] * 32, [1.0] * 32),)),
    ("out-of-range", "warning", "rope_scaling/high_freq_factor", (llama3(low_freq_factor=4.0, high_freq_factor=3.0),),
     (llama3(low_freq_factor=4.0, high_freq_factor=4.0),)),  # no pair lies between equal numbers (Llama 4 Scout has 1 and 1)
    ("out-of-range", "error", "rope_scaling/beta_fast", (yarn(beta_fast=1, beta_slow=32),), (yarn(beta_fast=32, beta_slow=1),)),
    ("out-of-range", "error", "rope_scaling/beta_fast", (yarn(beta_fast=1, beta_slow=2),), (yarn(beta_fast=1, beta_slow=1),)),  # Kimi K2 has 1 and 1
    ("wrong-type", "error", "rope_scaling/factor", (yarn(factor=[4.0]),), (yarn(),)),
    ("wrong-type", "error", "rope_scaling/attention_factor", (yarn(attention_factor=[1.0]),), (yarn(attention_factor=USUAL),)),
    ("wrong-type", "error", "rope_scaling/mrope_section", (scaling("default", mrope_section=3),), (scaling("default", mrope_section=[16, 8, 8]),)),
    ("out-of-range", "error", "rope_theta", ({"rope_theta": 1},), ({"rope_theta": 1.001},)),
    ("out-of-range", "error", "rope_theta", ({"rope_theta": 0.5},), ({"rope_theta": 2},)),
    ("out-of-range", "error", "rope_scaling/factor", (yarn(factor=-4.0),), (yarn(),)),
    ("out-of-range", "error", "attn_config/alibi_bias_max", ({"model_type": "mpt", "attn_config": {"alibi": True, "alibi_bias_max": -1}},),
     ({"model_type": "mpt", "attn_config": {"alibi": True, "alibi_bias_max": 0.5}},)),
    # Without a factor, it is the quotient of the two lengths: 0 if one is unknown.
    ("out-of-range", "error", "default", ({"model_type": "xyzzy", "max_position_embeddings": NONE, **yarn(factor=None)},),
     ({"model_type": "xyzzy", **yarn(factor=None)},)),
    ("out-of-range", "error", "rope_scaling/mscale_all_dim", (yarn(mscale_all_dim=-0.5),), (yarn(mscale=1.0, mscale_all_dim=0),)),
    ("out-of-range", "error", "rope_scaling/mscale", (yarn(mscale=-0.5),), (yarn(mscale=0),)),
    ("out-of-range", "error", "head_dim", ({"head_dim": -2},), ({"head_dim": 2},)),
    ("out-of-range", "error", "head_dim", ({"head_dim": 4098},), ({"head_dim": 4096, "max_position_embeddings": 16},)),
    ("out-of-range", "error", "max_position_embeddings", ({"max_position_embeddings": 2 ** 32 + 1},), ({"max_position_embeddings": 2 ** 20},)),
    ("out-of-range", "error", "partial_rotary_factor", ({"partial_rotary_factor": 1.01},), ({"partial_rotary_factor": 1},)),
    ("rotated-too-wide", "error", "rotary_dim", ({"rotary_dim": 66},), ({"rotary_dim": 64},)),
    ("head-dim-not-divisible", "error", "hidden_size", ({"head_dim": NONE, "hidden_size": 100, "num_attention_heads": 3},),
     ({"head_dim": NONE, "hidden_size": 102, "num_attention_heads": 3},)),
    ("no-head-dim", "error", "head_dim", ({"head_dim": NONE},), ({"head_dim": NONE, "hidden_size": 128, "num_attention_heads": 2},)),
    ("default-base", "warning", "rope_theta", ({"rope_theta": NONE, "max_position_embeddings": 4097},), ({"max_position_embeddings": 4097},)),
    ("default-base", "note", "rope_theta", ({"rope_theta": NONE, "max_position_embeddings": 4096},), ({"max_position_embeddings": 4096},)),
    ("default-base", "note", "rope_theta", ({"rope_theta": NONE, "max_position_embeddings": NONE},), ({},)),
    ("scaling-not-given", "warning", "rope_parameters", ({"model_type": "apertus"},), ({"model_type": "apertus", **scaling("linear", factor=2.0)},)),
    ("scaling-not-given", "warning", "rope_parameters", ({"model_type": "gpt_oss"},), ({"model_type": "gpt_oss", "rope_parameters": {"rope_type": "default"}},)),
    ("default-taken", "note", "max_position_embeddings", ({"max_position_embeddings": NONE},), ({},)),
    ("default-taken", "note", "sliding_window", ({"model_type": "mistral"},), ({"model_type": "mistral", "sliding_window": None},)),
    ("scaling-without-type", "error", "rope_scaling", ({"rope_scaling": {"factor": 2.0}},), ({"rope_scaling": {"rope_theta": 1e4}},)),
    ("missing-key", "error", "rope_scaling", (scaling("linear"),), (scaling("linear", factor=2.0),)),
    ("original-length-absent", "warning", "rope_scaling", (scaling("yarn", factor=4.0),), (yarn(),)),
    ("unknown-scaling-type", "error", "rope_scaling/rope_type", (scaling("yarm", factor=4.0),), (yarn(),)),
    ("factors-of-wrong-length", "error", "rope_scaling/short_factor", (su([1.0] * 31, [1.0] * 32),), (su([1.0] * 32, [1.0] * 32),)),
    ("factors-of-wrong-length", "error", "rope_scaling/long_factor", (su([1.0] * 32, [1.0] * 33),), (su([1.0] * 32, [1.0] * 32),)),
    ("layer-count", "error", "layer_types", ({"layer_types": ["full_attention"] * 3},), ({"layer_types": ["full_attention"] * 2},)),
    ("layer-count", "error", None, ({"layer_types": ["full_attention"] * 3},),
     ({"model_type": "xyzzy", "num_hidden_layers": NONE, "layer_types": ["full_attention"] * 3},)),
    ("layers-not-given", "note", "num_hidden_layers", ({"model_type": "xyzzy", "num_hidden_layers": NONE},), ({"model_type": "xyzzy"},)),
    ("unused-layer-type", "warning", None,
     ({**GEMMA, "rope_parameters": {"full_attention": {"rope_type": "default", "rope_theta": 1e6}, "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
                                    "other_attention": {"rope_type": "default", "rope_theta": 1e4}}},),
     ({**GEMMA, "rope_parameters": {"full_attention": {"rope_type": "default", "rope_theta": 1e6}, "sliding_attention": {"rope_type": "default", "rope_theta": 1e4}}},)),
    ("beyond-safe-length", "warning", "max_position_embeddings", ({}, "--in", "bf16", "--recipe", "all-bf16"), ({}, "--in", "fp32")),
]


def check_rows(program):
    for finding, severity, key, there, absent in ROWS:
        found = [each for each in diagnose(program, *there)[0]["findings"] if each["id"] == finding]
        check(found and found[0]["severity"] == severity, (finding, there, found))
        if key is not None:
            check(found[0]["key"] == key, (finding, key, found))
        answer, _ = diagnose(program, *absent)
        check(all(each["id"] != finding for each in answer["findings"]), (finding, absent, answer["findings"]))


# A key, a value that contradicts the plain key or the other key, and a value that does not.
PAIRS = [
    ("rope_parameters/rope_theta", {"rope_parameters": {"rope_type": "default", "rope_theta": 2e4}}, {"rope_parameters": {"rope_type": "default", "rope_theta": 1e4}}),
    ("rope_scaling/rope_theta", {"rope_scaling": {"rope_theta": 2e4}}, {"rope_scaling": {"rope_theta": 10000}}),
    ("rope_theta", {"rotary_emb_base": 2e4}, {"rotary_emb_base": 1e4}),
    ("rope_scaling/rope_type", yarn(type="linear"), yarn(type="yarn")),
    ("rope_theta", {"rope_base": 1e4, "rope_theta": 5e5}, {"rope_base": 5e5, "rope_theta": 5e5}),
    ("max_position_embeddings", {"n_positions": 1024, "max_position_embeddings": 2048}, {"n_positions": 2048, "max_position_embeddings": 2048}),
    ("num_attention_heads", {"n_head": 4, "num_attention_heads": 8}, {"n_head": 8, "num_attention_heads": 8}),
    ("rotary_pct", {"partial_rotary_factor": 0.5, "rotary_pct": 0.25}, {"partial_rotary_factor": 0.5, "rotary_pct": 0.5}),
    ("rope_scaling/original_max_position_embeddings", {**yarn(), "original_max_position_embeddings": 512}, {**yarn(), "original_max_position_embeddings": 256}),
    *[(f"rope_parameters/{key}", {**yarn(**{key: one}), "rope_parameters": {"rope_theta": 1e4, **yarn(**{key: other})["rope_scaling"]}},
       {**yarn(**{key: one}), "rope_parameters": {"rope_theta": 1e4, **yarn(**{key: one})["rope_scaling"]}})
      for key, one, other in (("factor", 4.0, 5.0), ("original_max_position_embeddings", 256, 255), ("beta_fast", 32, 31), ("beta_slow", 1, 2),
                              ("attention_factor", 1.5, 1.6), ("rope_type", "yarn", "linear"))],
]


def check_contradictions(program):
    for key, two, one in PAIRS:
        found = [each for each in diagnose(program, two)[0]["findings"] if each["id"] == "contradiction"]
        check([each["key"] for each in found] == [key] and found[0]["severity"] == "warning", (key, found))
        found = [each for each in diagnose(program, one)[0]["findings"] if each["id"] == "contradiction"]
        check(found == [], (key, found))
    # A value of a wrong type has a finding of its own.
    answer, _ = diagnose(program, {"rope_parameters": {"rope_type": "default", "rope_theta": "2e4"}})
    check("wrong-type" in {each["id"] for each in answer["findings"]} and "contradiction" not in {each["id"] for each in answer["findings"]}, answer["findings"])


def frequencies(base=1e4, width=64):
    return [base ** (-2 * i / width) for i in range(width // 2)]


def message_of(program, finding, *asked):
    return next(each["message"] for each in diagnose(program, *asked)[0]["findings"] if each["id"] == finding)


def check_numbers(program):
    """Checks the numbers in messages about frequencies, with sums of cosines and turns computed in Python."""
    for base, length in ((1e4, 1024), (100.0, 1024), (5e5, 8192), (1e4, 2)):
        answer, _ = diagnose(program, {"rope_theta": base, "max_position_embeddings": length})
        sums = (sum(math.cos(n * f) for f in frequencies(base)) for n in range(1, length + 1))
        first = next((n for n, total in enumerate(sums, 1) if total < -1e-9 * 32), None)
        check(answer["first_negative"] == first, (base, length, answer["first_negative"], first))
        slow = sum(length * f < 2 * math.pi for f in frequencies(base))
        messages = [each["message"] for each in answer["findings"] if each["id"] == "slow-pairs"]
        check(bool(messages) == (slow > 0), (base, length, slow, messages))
        check(not messages or messages[0].startswith(f"{slow} of 32 pairs never complete a period in {length} trained tokens"), messages)
        if first is not None:
            message = message_of(program, "base-below-bound", {"rope_theta": base, "max_position_embeddings": length})
            check(f"negative at distance {first} of {length}:" in message and f"(base {base:.6g} " in message, message)
    # The default of the served length: the largest length in the configuration, or the length that YaRN reaches.
    for changes, served in (({}, 1024), ({"max_position_embeddings": 256, **yarn()}, 1024), ({"max_position_embeddings": 2048, **yarn()}, 2048),
                            ({"max_position_embeddings": 256, **yarn(factor=1.0)}, 256), (scaling("linear", factor=4.0), 1024)):
        check(diagnose(program, changes)[0]["served"] == served, (changes, served))
    windowed = {"model_type": "mistral", "rope_theta": 100.0, "sliding_window": 200}
    check(" of 200: " in message_of(program, "base-below-bound", windowed), "the window is all that is seen")
    first = diagnose(program, windowed)[0]["first_negative"]
    check(1 < first < 200, first)
    for width, found in ((first, first), (first - 1, None)):
        answer, _ = diagnose(program, {**windowed, "sliding_window": width})
        check(answer["first_negative"] == found, (width, answer["first_negative"]))
    # A window of one token has no distance above 0, and positions that coincide beyond it do not matter.
    one, _ = diagnose(program, {"model_type": "mistral", "rope_theta": 2.0, "sliding_window": 1}, "--in", "bf16", "--recipe", "all-bf16")
    check((one["first_negative"], one["resolution"], one["findings"]) == (None, None, []), one["findings"])
    check(diagnose(program, {"rope_theta": NONE})[0]["params"] == {"base": 10000}, "the base without a key")
    # The frequencies agree, and only the factor differs.
    for engine, changes, factor in (("mlx-lm", yarn(attention_factor=1.5), USUAL), ("llama.cpp", yarn(attention_factor=1.5), USUAL),
                                    ("llama.cpp", deepseek(mscale=0.7, mscale_all_dim=1.0), 1)):
        message = message_of(program, "engine-ignores-keys", changes, "--engine", engine)
        check(f"the attention factor is {factor:.6g}, not " in message, message)
    check(f"is {1.5:g}; the method's own is {USUAL:.6g}: logits are {(1.5 / USUAL) ** 2:.3g} times" in
          message_of(program, "attention-factor-given", yarn(attention_factor=1.5)), "the factor of logits")
    check(f"original is {4:.4g}" in message_of(program, "factor-against-lengths", yarn(factor=8.0)), "the ratio of lengths")
    check(f"{USUAL ** 2:.6g} for mscale_all_dim = 1" in message_of(program, "mscale-absent", deepseek()), "the factor of logits")
    factor = (0.07 * math.log(4) + 1) ** 2
    check(f"without 'mscale_all_dim' all logits lack a factor, {factor:.6g} if it is 0.7." in message_of(program, "mscale-alone", deepseek(mscale=0.7)),
          "the factor of all logits")
    one, two = 0.1 * math.log(4) + 1, 0.2 * math.log(4) + 1
    message = message_of(program, "mscale-differs", deepseek(mscale=1.0, mscale_all_dim=2.0))
    check(f"multiplied by {one / two:.6g}, and all logits by {two * two:.6g}" in message, message)
    check("2049 tokens are served, 2048 are what the scaling reaches" in
          message_of(program, "served-beyond-scaling", scaling("linear", factor=2.0), "--served", 2049), "the reach of a scaling")
    check("1025 tokens are served, 1024 are trained, without scaling" in message_of(program, "served-beyond-trained", {}, "--served", 1025), "the trained length")


def check_schemes(program):
    """Checks the frequencies of each scaling type by the formulas of docs/schemes."""
    plain = frequencies()
    def of(changes, *options):
        return diagnose(program, changes, *options)[0]
    def near(found, expected):
        check(len(found) == len(expected) and all(abs(a - b) <= 1e-12 * b for a, b in zip(found, expected)), (found[:4], expected[:4]))
    near(of({})["inv_freq"], plain)
    near(of(scaling("linear", factor=4.0))["inv_freq"], [f / 4 for f in plain])
    # Dynamic NTK: base (s L'/L - (s - 1))^(d/(d - 2)) beyond the trained length.
    base = 1e4 * (2 * 4096 / 1024 - 1) ** (64 / 62)
    near(of(scaling("dynamic", factor=2.0), "--served", 4096)["inv_freq"], frequencies(base))
    near(of(scaling("dynamic", factor=2.0), "--served", 512)["inv_freq"], plain)
    unknown = {"model_type": "xyzzy", "max_position_embeddings": NONE}
    near(of({**unknown, **scaling("dynamic", factor=2.0)})["inv_freq"], plain)
    # Llama 3: wavelengths above L/low are divided, those below L/high are kept, those between are blended.
    llama = scaling("llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=256)
    expected = []
    for f in plain:
        smooth = min(max((256 * f / (2 * math.pi) - 1) / (4 - 1), 0), 1)
        expected.append(f * (smooth + (1 - smooth) / 8))
    near(of(llama)["inv_freq"], expected)
    long = [1 + i / 8 for i in range(32)]
    near(of(su([1.0] * 32, long))["inv_freq"], [f / g for f, g in zip(plain, long)])
    near(of(su(long, [1.0] * 32), "--served", 256)["inv_freq"], [f / g for f, g in zip(plain, long)])
    check(abs(of(su(long, long))["attention_factor"] - math.sqrt(1 + math.log(4) / math.log(256))) < 1e-12, "LongRoPE's factor")
    check(abs(of(yarn())["attention_factor"] - USUAL) < 1e-12 and of(yarn(factor=1.0))["attention_factor"] == 1, "YaRN's factor")
    kept = [pair["kept"] for pair in of(yarn())["pairs"]]
    check(kept[0] == 1 and kept[-1] == 0 and kept == sorted(kept, reverse=True) and all(0 <= k <= 1 for k in kept), kept)
    # A fraction of the head is rotated, given as a fraction or a width.
    for changes in ({"partial_rotary_factor": 0.5}, {"rotary_dim": 32}, {"model_type": "gpt_neox", "rotary_pct": 0.5}):
        near(of(changes)["inv_freq"], frequencies(1e4, 32))
    answer = of({"rotary_dim": 32})
    check((answer["rotated"], answer["head_dim"], answer["pairing"]) == (32, 64, "halves"), answer["rotated"])
    near(of({"head_dim": 63})["inv_freq"], frequencies(1e4, 62))
    check(of({"partial_rotary_factor": 1.5})["rotated"] == 64, "more than the whole head")
    near(of({"rotary_dim": 66})["inv_freq"], plain)
    for key in ("n_positions", "max_position_embeddings"):  # the key that is present gives the length of the learned table
        told, _ = diagnose(program, {**GPT, "n_positions": NONE, key: 128})
        check((told["params"]["max_length"], told["origins"]["max_length"]["key"]) == (128, key), f"{key}: {told}")


def check_layers(program):
    """Checks the types, windows and bases of layers, given by a list, by a pattern, or by which layers rotate."""
    def kinds(changes):
        answer, _ = diagnose(program, changes)
        parts = answer.get("layer_types", {"": answer})
        return {name: (part["layers"], part["window"], part["scheme"]) for name, part in parts.items()}
    listed = {"layer_types": ["full_attention", "sliding_attention", "sliding_attention"], "num_hidden_layers": 3, "sliding_window": 32}
    check(kinds(listed) == {"full_attention": (1, 0, "rotary"), "sliding_attention": (2, 32, "rotary")}, kinds(listed))
    for pattern, layers, full in ((6, 12, 2), (6, 11, 1), (2, 5, 2), (3, 2, 0)):
        found = kinds({**GEMMA, "num_hidden_layers": layers, "sliding_window_pattern": pattern})
        counts = sorted(each[0] for each in found.values())
        check(counts == sorted(count for count in (full, layers - full) if count), (pattern, layers, found))
    for width in (1, 2, 3, 128):  # the window's width counts tokens on both sides, so half of them are before the token
        local = {"model_type": "modernbert", "layer_types": ["sliding_attention"] * 2, "local_attention": width}
        check([each[1] for each in kinds(local).values()] == [width // 2 + 1], (width, kinds(local)))
    for count, kept in ((16, 16), (17, 1)):  # at most 16 types of layers
        many = {"layer_types": [f"t{i}" for i in range(count)], "num_hidden_layers": count}
        check(len(kinds(many)) == kept, (count, kinds(many)))
    # Layers that differ in nothing but their type have the order of the configuration.
    for types in (["indexed_attention", "full_attention"], ["full_attention", "indexed_attention"]):
        check(list(kinds({"layer_types": types})) == types, (types, kinds({"layer_types": types})))
    gemma, _ = diagnose(program, {**GEMMA, "rope_theta": 1e6, "rope_local_base_freq": 1e4})
    for name, base in (("full_attention", 1e6), ("sliding_attention", 1e4)):
        part = gemma["layer_types"][name]
        check(part["params"]["base"] == base and abs(part["inv_freq"][1] - base ** (-2 / 64)) < 1e-14, part["params"])


def check_shapes(program):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        safetensors(folder / "model.safetensors", q_norm=[64])
        for head_dim, expected in ((64, None), (32, "head-dim-against-shapes"), (NONE, "head-dim-of-shapes")):
            (folder / "config.json").write_text(changed({"head_dim": head_dim, "hidden_size": 256, "num_attention_heads": 4}))
            done = subprocess.run([program, "doctor", folder / "model.safetensors", "--json"], capture_output=True, text=True)
            found = [each["id"] for each in json.loads(done.stdout)["findings"] if "shapes" in each["id"]]
            check(found == ([expected] if expected else []), (head_dim, found))
        # A width of one dimension is accepted, but cannot be rotated.
        safetensors(folder / "model.safetensors", q_norm=[1])
        done = subprocess.run([program, "doctor", folder / "model.safetensors", "--json"], capture_output=True, text=True)
        found = {each["id"]: each["message"] for each in json.loads(done.stdout)["findings"]}
        check("1 is taken" in found.get("head-dim-of-shapes", "") and "odd-rotation" in found, found)


def check_meanings(program):
    """src/doctor/findings.toml has each id of this script, `explain` prints its meaning, and the page has the same rows."""
    root = pathlib.Path(__file__).resolve().parents[2]
    rows = tomllib.loads((root / "src/doctor/findings.toml").read_text())["finding"]
    known = [finding for row in rows for finding in row["ids"]]
    sources = "".join(file.read_text() for file in (root / "src/doctor").glob("*.cpp"))
    for finding in {row[0] for row in ROWS} | set(known):
        check(known.count(finding) == 1 and f'"{finding}"' in sources, f"{finding} is not once in findings.toml, or in no source")
    page = (root / "docs/doctor.md").read_text()
    for row in rows:
        line = f"| {', '.join(f'`{each}`' for each in row['ids'])} | {row['severity']} | {row['meaning']} |\n"
        check(line in page, f"docs/doctor.md lacks {line}")
        said = subprocess.run([program, "explain", row["ids"][-1]], capture_output=True, text=True, check=True).stdout
        check(row["meaning"] in said, said)


def main():
    for part in (check_meanings, check_rows, check_contradictions, check_numbers, check_schemes, check_layers, check_shapes):
        part(sys.argv[1])


if __name__ == "__main__":
    main()
