"""Models in folders with config.json, safetensors and tokenizer.json: folders.py PROGRAM

config.json is in the forms that transformers 4.44.2 and 5.23.0 write (tests/references/checkpoint/folders.py). Expected
logits and gradients are in architectures.json, expected tokens in tokens.json.
"""
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile

import architectures
import numpy
import tiny
import tokens
from architectures import check

FOLDER = pathlib.Path(__file__).parent

LLAMA = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head", "blk": "model.layers",
         "attn_norm": "input_layernorm", "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj",
         "attn_v": "self_attn.v_proj", "attn_q_norm": "self_attn.q_norm", "attn_k_norm": "self_attn.k_norm",
         "attn_output": "self_attn.o_proj", "ffn_norm": "post_attention_layernorm", "ffn_gate": "mlp.gate_proj",
         "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj"}
LATER_GEMMA = {**LLAMA, "ffn_norm": "pre_feedforward_layernorm", "post_attention_norm": "post_attention_layernorm",
               "post_ffw_norm": "post_feedforward_layernorm"}
NAMES = {
    "llama": LLAMA, "qwen2": LLAMA, "qwen3": LLAMA, "gemma": LLAMA,
    "gemma2": LATER_GEMMA, "gemma3": LATER_GEMMA,
    "gpt2": {"token_embd": "transformer.wte", "position_embd": "transformer.wpe", "output_norm": "transformer.ln_f",
             "blk": "transformer.h", "attn_norm": "ln_1", "attn_qkv": "attn.c_attn", "attn_output": "attn.c_proj",
             "ffn_norm": "ln_2", "ffn_up": "mlp.c_fc", "ffn_down": "mlp.c_proj"},
    "gptneox": {"token_embd": "gpt_neox.embed_in", "output_norm": "gpt_neox.final_layer_norm", "output": "embed_out",
                "blk": "gpt_neox.layers", "attn_norm": "input_layernorm", "attn_qkv": "attention.query_key_value",
                "attn_output": "attention.dense", "ffn_norm": "post_attention_layernorm", "ffn_up": "mlp.dense_h_to_4h",
                "ffn_down": "mlp.dense_4h_to_h"},
    "falcon": {"token_embd": "transformer.word_embeddings", "output_norm": "transformer.ln_f", "blk": "transformer.h",
               "attn_norm": "ln_mlp", "attn_norm_2": "ln_attn", "attn_qkv": "self_attention.query_key_value",
               "attn_output": "self_attention.dense", "ffn_up": "mlp.dense_h_to_4h", "ffn_down": "mlp.dense_4h_to_h"},
    "bloom": {"token_embd": "transformer.word_embeddings", "token_embd_norm": "transformer.word_embeddings_layernorm",
              "output_norm": "transformer.ln_f", "blk": "transformer.h", "attn_norm": "input_layernorm",
              "attn_qkv": "self_attention.query_key_value", "attn_output": "self_attention.dense",
              "ffn_norm": "post_attention_layernorm", "ffn_up": "mlp.dense_h_to_4h", "ffn_down": "mlp.dense_4h_to_h"},
    "mpt": {"token_embd": "transformer.wte", "output_norm": "transformer.norm_f", "blk": "transformer.blocks",
            "attn_norm": "norm_1", "attn_qkv": "attn.Wqkv", "attn_output": "attn.out_proj", "ffn_norm": "norm_2",
            "ffn_up": "ffn.up_proj", "ffn_down": "ffn.down_proj"},
}


def name_of(architecture, name):
    parts = name.split(".")
    names = NAMES[architecture]
    if parts[0] == "blk":
        return f"{names['blk']}.{parts[1]}.{names[parts[2]]}.{parts[3]}"
    return f"{names[parts[0]]}.{parts[1]}"


def converted(s, name, numbers):
    """A tensor of a GGUF file in the layout of the model class."""
    architecture, part = s["architecture"], name.split(".")[-2]
    heads, dim = s["heads"], s["head_dim"]
    if architecture == "llama" and part in ("attn_q", "attn_k"):
        # Row 2i + j of a head is row j d/2 + i of the class.
        return numpy.swapaxes(numbers.reshape(-1, dim // 2, 2, s["width"]), 1, 2).reshape(numbers.shape)
    if architecture in ("gptneox", "bloom") and part == "attn_qkv":
        return numpy.swapaxes(numbers.reshape(3, heads, dim, *numbers.shape[1:]), 0, 1).reshape(numbers.shape)
    if architecture == "falcon" and part == "attn_qkv":
        shared, rest = s["key_heads"], numbers.shape[1:]
        queries = numbers[:heads * dim].reshape(shared, heads // shared, dim, *rest)
        others = numpy.swapaxes(numbers[heads * dim:].reshape(2, shared, dim, *rest), 0, 1)
        return numpy.concatenate([queries, others], axis=1).reshape(numbers.shape)
    if architecture.startswith("gemma") and part.endswith("norm"):
        return numbers - 1
    if architecture == "gpt2" and numbers.ndim == 2 and part not in ("token_embd", "position_embd"):
        return numbers.T
    return numbers


TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2"}


def encoded(numbers, kind):
    if kind == "BF16":
        return (numbers.astype("<f4").view("<u4") >> 16).astype("<u2").tobytes()  # numbers that bfloat16 holds
    return numbers.astype(TYPES[kind]).tobytes()


def safetensors(arrays, kind="F32"):
    header, data = {}, b""
    for name, numbers in arrays.items():
        part = encoded(numbers, kind)
        header[name] = {"dtype": kind, "shape": list(numbers.shape), "data_offsets": [len(data), len(data) + len(part)]}
        data += part
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def arrays_of(model):
    """The tensors of the model with the names and layout of its class."""
    s = model.shape
    arrays = {}
    for name, (_, shape, _) in model.tensors.items():
        numbers = numpy.array(model.weights[name], dtype=numpy.float64).reshape(shape)
        arrays[name_of(s["architecture"], name)] = converted(s, name, numbers)
    return arrays


def write(folder, config, files, tokenizer=None):
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        path.unlink()
    (folder / "config.json").write_text(config if isinstance(config, str) else json.dumps(config))
    for name, content in files.items():
        (folder / name).write_bytes(content)
    if tokenizer is not None:
        (folder / "tokenizer.json").write_text(json.dumps(tokenizer))


def forward(program, folder, *options):
    (folder / "tokens.npy").write_bytes(tiny.npy(architectures.TOKENS))
    (folder / "logits.npy").unlink(missing_ok=True)
    done = subprocess.run([program, "forward", "model", "--tokens", "tokens.npy", "-o", "logits.npy", *options], cwd=folder,
                          capture_output=True, text=True)
    logits = (folder / "logits.npy").read_bytes() if done.returncode == 0 else None
    return done, logits


def check_logits(program, folder, name, wanted):
    done, logits = forward(program, folder)
    check(done.returncode == 0, f"{name}: {done.stderr}")
    largest = max(abs(x) for row in wanted for x in row)
    off = [abs(a - b) for row, want in zip(tiny.read_npy(logits), wanted, strict=True) for a, b in zip(row, want, strict=True)]
    check(all(each < 5e-6 * max(1, largest) for each in off), f"{name}: logits of up to {largest} are off by {max(off)}")
    return logits


def check_architectures(program, folder, record, configs):
    for version, of_version in configs.items():
        for name, config in of_version.items():
            architecture, _, scaling = name.partition("-")
            model = architectures.model_of(architecture, 23)
            write(folder / "model", config, {"model.safetensors": safetensors(arrays_of(model))})
            wanted = record["scaled"][scaling] if scaling else record[architecture]["logits"]
            check_logits(program, folder, f"{name} of {version}", wanted)


def check_forms(program, folder, config):
    """Other forms of the same model give the same logits, bit for bit."""
    model = tiny.Model(seed=7, kinds=("BF16",), vocabulary=23)
    for name, (_, shape, _) in model.tensors.items():  # norms are rounded to bfloat16 too
        model.weights[name] = [tiny.encode("BF16", row)[1] for row in model.weights[name]]
    arrays = arrays_of(model)
    names = sorted(arrays)
    parts = {"a.safetensors": names[:5], "b.safetensors": names[5:]}
    index = json.dumps({"metadata": {}, "weight_map": {name: file for file, part in parts.items() for name in part}})
    in_parts = {file: safetensors({name: arrays[name] for name in part}) for file, part in parts.items()}
    buffers = {"model.layers.0.self_attn.rotary_emb.inv_freq": numpy.ones(4)}
    forms = [{"model.safetensors": safetensors(arrays, kind)} for kind in ("F32", "BF16", "F64")]
    forms.append({**in_parts, "model.safetensors.index.json": index.encode()})
    forms.append({"model.safetensors": safetensors({**arrays, **buffers})})
    forms.append({"model.safetensors": safetensors({name.removeprefix("model."): array for name, array in arrays.items()})})
    # An output head that the configuration ties to the embedding is not read.
    forms.append({"model.safetensors": safetensors({**arrays, "lm_head.weight": numpy.zeros((23, 32))})})
    first = None
    for form in forms:
        write(folder / "model", config, form)
        done, logits = forward(program, folder)
        check(done.returncode == 0, done.stderr)
        first = first or logits
        check(logits == first, f"{list(form)}: other logits")


def check_gradient(program, folder, config, known, wanted):
    """A study reads a folder like a file."""
    model = architectures.model_of("llama", len(known["tokens"]))
    config = {**config, "vocab_size": len(known["tokens"])}
    write(folder / "model", config, {"model.safetensors": safetensors(arrays_of(model))}, tokenizer_of(known, "smollm"))
    architectures.write_texts(folder)
    architectures.check_shares(program, folder, "a folder", architectures.STUDY.replace('"model.gguf"', '"model"'), wanted)


def tokenizer_of(known, rule):
    file = json.loads(json.dumps(known["files"][rule]))
    file["model"]["vocab"] = {token: i for i, token in enumerate(known["tokens"]) if i >= known["controls"]}
    file["model"]["merges"] = known["merges"]
    return file


def tokens_of(program, folder, text):
    (folder / "text").write_bytes(text.encode())
    (folder / "tokens.npy").unlink(missing_ok=True)
    done = subprocess.run([program, "tokens", "model", "text", "-o", "tokens.npy"], cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        return done, None
    data = (folder / "tokens.npy").read_bytes()
    size = 10 + struct.unpack("<H", data[8:10])[0]
    return done, list(struct.unpack(f"<{(len(data) - size) // 4}i", data[size:]))


def check_tokenizer_faults(program, folder, config, weights, faults):
    """Each pair has an invalid tokenizer.json and a part of the expected message."""
    for tokenizer, wanted in faults:
        write(folder / "model", config, weights, tokenizer)
        done, found = tokens_of(program, folder, "x")
        check(done.returncode == 2 and found is None and wanted in done.stderr, f"{wanted}: {done.returncode} {done.stderr}")


def record(name):
    """The record with this name, and the config.json of a Llama."""
    return json.loads((FOLDER / name).read_text()), json.loads((FOLDER / "folders.json").read_text())["5.23.0"]["llama"]


def other_rules(known):
    """Steps that differ in one setting from those of a known rule."""
    digits, cut = known["files"]["smollm"]["pre_tokenizer"]["pretokenizers"]
    split, whole = known["files"]["llama-bpe"]["pre_tokenizer"]["pretokenizers"]
    return ([{"type": "Whitespace"}, cut], [digits, digits, cut], [digits, whole], [{**digits, "individual_digits": False}, cut],
            [{**split, "invert": True}, whole], [{**split, "behavior": "Removed"}, whole], [split, cut])


def check_tokens(program, folder, config, known):
    rows = len(known["tokens"]) + 3  # more tokens than the tokenizer has
    config = {**config, "vocab_size": rows}
    model = architectures.model_of("llama", rows)
    files = {"model.safetensors": safetensors(arrays_of(model))}
    for rule in known["files"]:
        for merges in (known["merges"], [merge.split(" ") for merge in known["merges"]]):
            tokenizer = tokenizer_of(known, rule)
            tokenizer["model"]["merges"] = merges
            write(folder / "model", config, files, tokenizer)
            for text, expected in zip(known["texts"], known[rule], strict=True):
                done, found = tokens_of(program, folder, text)
                if tokens.is_refused(rule, text):
                    check(done.returncode == 2 and "normal form C" in done.stderr, f"{rule} {text!r}: {done.stderr}")
                    continue
                check(found == expected, f"{rule} {text!r}: {found}, not {expected}; {done.stderr}")
    good = tokenizer_of(known, "gpt-2")
    faults = [
        (None, "tokenizer.json: there is no tokenizer"),
        ({**good, "model": {**good["model"], "type": "WordPiece"}}, 'the tokenizer is "WordPiece"; expected BPE'),
        ({**good, "model": {**good["model"], "byte_fallback": True}}, "with byte_fallback"),
        ({**good, "model": {**good["model"], "dropout": 0.1}}, "'dropout' of the tokenizer is 0.1"),
        ({**good, "normalizer": {"type": "Lowercase"}}, "'normalizer' is"),
        ({**good, "pre_tokenizer": {"type": "Whitespace"}}, "'pre_tokenizer' is"),
        ({**good, "model": {**good["model"], "vocab": {"a": 2, "b": 2}}}, "have the number 2"),
        ({**good, "model": {**good["model"], "vocab": ["a", "b"]}}, "'vocab' is not a vocabulary"),
        ({**good, "model": {**good["model"], "vocab": {"a": rows}}}, f"has the number {rows}; expected 0 to {rows - 1}"),
        *(({**good, "pre_tokenizer": {"type": "Sequence", "pretokenizers": steps}}, "'pre_tokenizer' is") for steps in other_rules(known)),
        *(({**good, "model": {**good["model"], "merges": [merge]}}, "a merge is") for merge in (["a"], ["t", 1], [1, "t"])),
        ({**good, "model": {**good["model"], "merges": ["t qq"]}}, "merge 0 of"),
        ({**good, "added_tokens": [{**good["added_tokens"][0], "lstrip": True}]}, "'lstrip' of the added token"),
    ]
    for tokenizer, wanted in faults:
        write(folder / "model", config, files, tokenizer)
        done, found = tokens_of(program, folder, "x")
        check(done.returncode == 2 and found is None and wanted in done.stderr, f"{wanted}: {done.returncode} {done.stderr}")


def check_falcon(program, folder, config):
    """A Falcon's configuration gives the number of key heads in one of three ways. With one norm, both norms have its
    weights."""
    for key_heads, keys in ((1, {"new_decoder_architecture": False}), (4, {"new_decoder_architecture": False, "multi_query": False}),
                            (4, {"num_kv_heads": None}), (2, {"n_head_kv": 2, "num_kv_heads": None})):
        model = tiny.Model(seed=7, kinds=("F32",), vocabulary=23, architecture="falcon", key_heads=key_heads)
        arrays = arrays_of(model)
        if not keys.get("new_decoder_architecture", True):
            for name in [name for name in arrays if ".ln_attn." in name]:
                del arrays[name]
                part = name.split(".")
                del model.tensors[f"blk.{part[2]}.attn_norm_2.{part[4]}"]
            arrays = {name.replace(".ln_mlp.", ".input_layernorm."): array for name, array in arrays.items()}
        (folder / "model.gguf").write_bytes(architectures.file_of(model))
        write(folder / "model", {**config, **keys}, {"model.safetensors": safetensors(arrays)})
        done, logits = forward(program, folder)
        check(done.returncode == 0, f"{keys}: {done.stderr}")
        subprocess.run([program, "forward", "model.gguf", "--tokens", "tokens.npy", "-o", "of_file.npy"], cwd=folder, check=True,
                       capture_output=True)
        check(logits == (folder / "of_file.npy").read_bytes(), f"{keys}: other logits than the file's")


def check_gemma_caps(program, folder, config):
    """A cap of null is none, which a file states as 0."""
    model = architectures.model_of("gemma2", 23)
    caps = ("attn_logit_softcapping", "final_logit_softcapping")
    write(folder / "model", {**config, **{cap: None for cap in caps}}, {"model.safetensors": safetensors(arrays_of(model))})
    done, logits = forward(program, folder)
    check(done.returncode == 0, done.stderr)
    content = model.bytes(keys={**model.keys(), **{cap: 0.0 for cap in caps}})
    # The folder's norms are rounded once more, by 1.
    wanted = tiny.read_npy(architectures.logits_of(program, folder, content))
    off = [abs(a - b) for row, want in zip(tiny.read_npy(logits), wanted, strict=True) for a, b in zip(row, want, strict=True)]
    check(all(each < 5e-6 * max(abs(x) for row in wanted for x in row) for each in off), f"caps of null are off by {max(off)}")


def check_yarn_factor(program, folder, config):
    """The attention factor of YaRN may be stated if it is the usual one, 0.1 log(factor) + 1."""
    model = architectures.model_of("llama", 23)
    scaling = config["rope_scaling"]
    usual = 0.1 * math.log(scaling["factor"]) + 1
    first = None
    for more in ({}, {"attention_factor": usual}, {"attention_factor": usual * (1 + 5e-7)}, {"mscale": 1.0},
                 {"mscale": 1.0, "mscale_all_dim": 0.0}, {"truncate": True}):
        write(folder / "model", {**config, "rope_scaling": {**scaling, **more}}, {"model.safetensors": safetensors(arrays_of(model))})
        done, logits = forward(program, folder)
        check(done.returncode == 0, f"{more}: {done.stderr}")
        first = first or logits
        check(logits == first, f"{more}: other logits")
    # (0.2 log(factor) + 1)/(0.1 log(factor) + 1), 1, and another number than a rounded decimal of the usual one.
    for more in ({"mscale": 2.0, "mscale_all_dim": 1.0}, {"mscale": 1.0, "mscale_all_dim": 1.0}, {"attention_factor": usual * (1 + 2e-6)}):
        write(folder / "model", {**config, "rope_scaling": {**scaling, **more}}, {"model.safetensors": safetensors(arrays_of(model))})
        done, _ = forward(program, folder)
        check(done.returncode == 2 and "attention factor of its own" in done.stderr, f"{more}: {done.returncode} {done.stderr}")
    # transformers rounds the bounds of the ramp to whole pairs unless "truncate" is false.
    weights = {"model.safetensors": safetensors(arrays_of(model))}
    write(folder / "model", {**config, "rope_scaling": {**scaling, "truncate": False}}, weights)
    done, _ = forward(program, folder)
    wanted = "'rope_scaling.rope_type' is 'yarn without truncation', which is not supported"
    check(done.returncode == 2 and wanted in done.stderr, f"{done.returncode} {done.stderr}")


def check_one_pair(program, folder, config):
    """Frequencies of Llama 3 for heads with a single pair."""
    scaling = {**architectures.SCALINGS["llama3"], "original_max_position_embeddings": 16}
    model = tiny.Model(seed=7, kinds=("F32",), vocabulary=23, head_dim=2, rotated=2)
    plain = tiny.read_npy(architectures.logits_of(program, folder, model.bytes()))
    (divisor,) = architectures.llama3_divisors(model.shape, scaling)
    rope = {**config["rope_parameters"], **scaling, "rope_type": "llama3"}
    weights = {"model.safetensors": safetensors(arrays_of(model))}
    write(folder / "model", {**config, "head_dim": 2, "rope_parameters": rope}, weights)
    model.tensors["rope_freqs.weight"] = ["F32", (1,), struct.pack("<f", divisor)]
    wanted = tiny.read_npy(architectures.logits_of(program, folder, model.bytes()))
    check(1.1 < divisor < 8 and wanted != plain, f"the divisor {divisor} changes nothing")
    check_logits(program, folder, "one pair of Llama 3", wanted)


def check_missing_lengths(program, folder, configs):
    """Without the key, the training length is 2048: the default of transformers' FalconConfig, and the length of the
    texts in the training of BLOOM (Le Scao et al. 2022)."""
    (folder / "s.toml").write_text('[scheme.by-length]\nbias = "-n*Ltr/4096"\n')
    scheme = ("--scheme", "by-length", "--from", "s.toml")
    for architecture, key in (("falcon", "max_position_embeddings"), ("bloom", "seq_length")):
        logits = []
        for length in (2048, 2049):
            model = tiny.Model(seed=7, kinds=("F32",), architecture=architecture, vocabulary=23,
                               **{**architectures.SHAPES[architecture], "context": length})
            (folder / "model.gguf").write_bytes(architectures.file_of(model))
            (folder / "tokens.npy").write_bytes(tiny.npy(architectures.TOKENS))
            subprocess.run([program, "forward", "model.gguf", "--tokens", "tokens.npy", "-o", "of_file.npy", *scheme],
                           cwd=folder, check=True, capture_output=True)
            logits.append((folder / "of_file.npy").read_bytes())
        config = {name: value for name, value in configs[architecture].items() if name != key}
        write(folder / "model", config, {"model.safetensors": safetensors(arrays_of(model))})
        done, found = forward(program, folder, *scheme)
        check(done.returncode == 0, f"{architecture}: {done.stderr}")
        check(found == logits[0] != logits[1], f"{architecture}: another training length than 2048")


def check_serial_neox(program, folder, config):
    """A GPT-NeoX whose MLP reads the sum of the stream and the attention."""
    model = architectures.model_of("gptneox", 23)
    content = architectures.file_of(model, flags=[("gptneox.use_parallel_residual", False)])
    wanted = architectures.logits_of(program, folder, content)
    check(wanted != architectures.logits_of(program, folder, architectures.file_of(model)), "the order changes nothing")
    weights = {"model.safetensors": safetensors(arrays_of(model))}
    write(folder / "model", {**config, "use_parallel_residual": False}, weights)
    check_logits(program, folder, "a serial GPT-NeoX", tiny.read_npy(wanted))


def check_faults(program, folder, configs):
    config, neox, mpt, gemma3 = (configs["5.23.0"][name] for name in ("llama", "gptneox", "mpt", "gemma3"))
    ropes = gemma3["rope_parameters"]
    arrays = arrays_of(architectures.model_of("llama", 23))
    good = {"model.safetensors": safetensors(arrays)}
    norm, rope = "model.norm.weight", config["rope_parameters"]
    without = {name: array for name, array in arrays.items() if name != norm}
    old = configs["4.44.2"]["llama"]
    llama3 = {**rope, **architectures.SCALINGS["llama3"], "rope_type": "llama3"}
    faults = [
        ({**configs["5.23.0"]["falcon"], "alibi": True}, good, "'alibi' is true, which is not supported; expected false"),
        ({**configs["5.23.0"]["falcon"], "partial_rotary_factor": 0.5}, good, "'partial_rotary_factor' is 0.5, which is not supported; expected 1"),
        ({**configs["5.23.0"]["falcon"], "multi_query": 1, "new_decoder_architecture": False}, good, "'multi_query' is 1; expected true or false"),
        ("{", good, "config.json: this is not JSON"),
        ("[]", good, "this is not a configuration"),
        ('{"model_type": "llama", "model_type": "llama"}', good, "duplicate key 'model_type'"),
        ({**config, "model_type": "lama"}, good, "unknown model_type 'lama'"),
        ({key: value for key, value in config.items() if key != "model_type"}, good, "'model_type' is missing"),
        ({key: value for key, value in config.items() if key != "num_hidden_layers"}, good, "'num_hidden_layers' is missing"),
        ({**config, "num_hidden_layers": "2"}, good, "'num_hidden_layers' is \"2\"; expected a number"),
        ({**config, "num_hidden_layers": 0}, good, "'num_hidden_layers' is 0; expected a whole number"),
        ({**config, "num_hidden_layers": 3}, good, "tensor 'model.layers.2.input_layernorm.weight' is missing"),
        ({**config, "intermediate_size": 96}, good, "tensor 'model.layers.0.mlp.gate_proj.weight' has the shape [64, 32]"),
        ({**config, "hidden_act": "gélu"}, good, "'hidden_act' is \"gélu\", which is not supported"),
        ({**config, "hidden_act": "gelu"}, good, "'hidden_act' is \"gelu\", which is not supported; expected \"silu\""),
        ({**config, "quantization_config": {"bits": 4}}, good, "the weights are quantized"),
        ({**config, "layer_types": ["full_attention", "sliding_attention"]}, good, "'layer_types' has \"sliding_attention\""),
        ({**config, "rope_parameters": {**rope, "rope_type": "longrope"}}, good, "'rope_parameters.rope_type' is 'longrope'"),
        ({**config, "rope_parameters": {**rope, "rope_type": "linear"}}, good, "'rope_parameters.factor' is missing"),
        ({**config, "rope_parameters": {"full_attention": rope}}, good, "'rope_parameters.full_attention' is an object"),
        *(({**config, "rope_parameters": {**llama3, **bad}}, good, "the rotation of type llama3 has no frequencies")
          for bad in ({"factor": 0}, {"high_freq_factor": 1.0}, {"original_max_position_embeddings": 0})),
        ({**config, "rope_theta": 10000}, good, "'rope_parameters.rope_theta' is 500, and 'rope_theta' is 10000"),
        ({**old, "rope_scaling": {"rope_type": "yarn", "factor": 2, "attention_factor": 3}}, good, "attention factor of its own"),
        ({**old, "rope_scaling": {"factor": 4}}, good, "'rope_scaling.rope_type' is missing beside a factor"),
        ({**config, "rope_scaling": {"rope_type": "linear", "factor": 4}}, good, "'rope_parameters' and 'rope_scaling' differ"),
        ({**old, "rope_scaling": 4}, good, "'rope_scaling' is 4; expected an object"),
        ({**mpt, "attn_config": {**mpt["attn_config"], "alibi": False}}, good, "'attn_config.alibi' is false"),
        ({**mpt, "attn_config": {**mpt["attn_config"], "alibi_bias_max": 16}}, good, "'attn_config.alibi_bias_max' is 16"),
        ({**gemma3, "layer_types": ["full_attention", "sliding_attention"] * 2}, good, "'layer_types' has \"sliding_attention\" as layer 1"),
        ({**gemma3, "layer_types": gemma3["layer_types"][:2]}, good, "'layer_types' has 2 layers; expected 4"),
        ({**gemma3, "sliding_window": None}, good, "'gemma3.attention.sliding_window' is missing"),
        ({**gemma3, "query_pre_attn_scalar": 0}, good, "'query_pre_attn_scalar' is 0"),
        ({**gemma3, "attn_logit_softcapping": 50.0}, good, "'attn_logit_softcapping' is 50.0, which is not supported"),
        ({**gemma3, "rope_parameters": {**ropes, "sliding_attention": ropes["full_attention"]}}, good, "sliding_attention.rope_type' is \"linear\""),
        ({**neox, "use_parallel_residual": 1}, good, "'use_parallel_residual' is 1; expected true or false"),
        *(({**configs["5.23.0"][name], "partial_rotary_factor": 0.5}, good, "'partial_rotary_factor' is 0.5, which is not supported; expected 1")
          for name in ("llama", "qwen2", "gemma", "gemma2", "gemma3")),
        *(({**configs["5.23.0"][name], "use_bidirectional_attention": True}, good, "'use_bidirectional_attention' is true, which is not supported")
          for name in ("gemma", "gemma2", "gemma3")),
        ({key: value for key, value in configs["5.23.0"]["bloom"].items() if key not in ("n_layer", "num_hidden_layers")}, good, "'n_layer' is missing"),
        (config, {}, "this folder has no weights"),
        (config, {"pytorch_model.bin": b""}, "pytorch_model.bin, which is code"),
        (config, {"model.safetensors.index.json": b"{}"}, "'weight_map' is missing"),
        (config, {"model.safetensors.index.json": b'{"weight_map": {"a": "../model.safetensors"}}'}, "'a' has no file"),
        (config, {"model.safetensors": safetensors(without)}, f"tensor '{norm}' is missing"),
        (config, {"model.safetensors": safetensors({**arrays, "model.extra.weight": numpy.zeros(3)})}, "'model.extra.weight' is not supported"),
        (config, {"model.safetensors": safetensors({**arrays, "norm.weight": arrays[norm]})}, "duplicate tensor"),
        *((config, {"model.safetensors": safetensors({name.replace("layers.0.", f"layers.{bad}"): array for name, array in arrays.items()})},
           "tensor 'model.layers.0.input_layernorm.weight' is missing") for bad in (".", "0", "x.", "-0.", "00.", "000.")),
        (config, {"model.safetensors": safetensors({**arrays, norm: numpy.full(32, numpy.nan)})}, f"tensor '{norm}' holds nan"),
        (config, {"model.safetensors": good["model.safetensors"][:-8]}, "model.safetensors"),
    ]
    for given, files, wanted in faults:
        write(folder / "model", given, files)
        done, _ = forward(program, folder)
        check(done.returncode == 2 and wanted in done.stderr, f"{wanted}: {done.returncode} {done.stderr}")
    # A file whose own scheme is not supported can be used with another scheme.
    write(folder / "model", {**config, "rope_parameters": {**rope, "rope_type": "longrope"}}, good)
    done, _ = forward(program, folder, "--scheme", "nope")
    check(done.returncode == 0, done.stderr)
    # YaRN's temperature would also apply to the layers with a window.
    yarn = {"rope_type": "yarn", "rope_theta": 500.0, "factor": 4.0, "original_max_position_embeddings": 16}
    weights = {"model.safetensors": safetensors(arrays_of(architectures.model_of("gemma3", 23)))}
    write(folder / "model", {**gemma3, "rope_parameters": {**ropes, "full_attention": yarn}}, weights)
    done, _ = forward(program, folder)
    check(done.returncode == 2 and "the rotation 'rotary-yarn' of some layers is not supported" in done.stderr, done.stderr)
    done, _ = forward(program, folder, "--scheme", "rotary")
    check(done.returncode == 0, done.stderr)
    (folder / "model" / "config.json").unlink()
    done, _ = forward(program, folder)
    check(done.returncode == 2 and "this folder has no config.json" in done.stderr, f"{done.returncode} {done.stderr}")


def main():
    program = sys.argv[1]
    record = json.loads((FOLDER / "architectures.json").read_text())
    configs = json.loads((FOLDER / "folders.json").read_text())
    known = architectures.known_tokens()
    llama = configs["5.23.0"]["llama"]
    check({name.partition("-")[0] for name in configs["5.23.0"]} == tiny.ARCHITECTURES.keys(), "an architecture has no folder")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_architectures(program, folder, record, configs)
        check_forms(program, folder, llama)
        check_falcon(program, folder, configs["5.23.0"]["falcon"])
        check_gemma_caps(program, folder, configs["5.23.0"]["gemma2"])
        check_yarn_factor(program, folder, configs["4.44.2"]["llama-yarn"])
        check_one_pair(program, folder, llama)
        check_missing_lengths(program, folder, configs["5.23.0"])
        check_serial_neox(program, folder, configs["5.23.0"]["gptneox"])
        check_gradient(program, folder, llama, known, record["llama"]["gradient"])
        check_tokens(program, folder, llama, known)
        check_faults(program, folder, configs)


if __name__ == "__main__":
    main()
