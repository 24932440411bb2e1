"""Folders whose keys and tensors must agree: contents.py PROGRAM

A key that is missing means transformers' default, so the logits must equal those of a configuration that states it
(configuration_*.py of transformers 5.23.0). Whatever would change the computation without a word is refused.
"""
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

import architectures
import numpy
import tiny
from architectures import check
from folders import arrays_of, forward, safetensors, tokenizer_of, write

FOLDER = pathlib.Path(__file__).parent
CONFIGS = json.loads((FOLDER / "folders.json").read_text())["5.23.0"]


def changed(config, **changes):
    """The configuration with other values; a key with the value ... is left out."""
    merged = {**config, **changes}
    return {key: value for key, value in merged.items() if value is not ...}


def weights_of(architecture):
    return arrays_of(architectures.model_of(architecture, 23))


def logits_of(program, folder, config, arrays, *options):
    files = arrays if all(isinstance(each, bytes) for each in arrays.values()) else {"model.safetensors": safetensors(arrays)}
    write(folder / "model", config, files)
    done, logits = forward(program, folder, *options)
    check(done.returncode == 0, done.stderr)
    return logits


def refused(program, folder, config, arrays, wanted, *options):
    files = arrays if all(isinstance(each, bytes) for each in arrays.values()) else {"model.safetensors": safetensors(arrays)}
    write(folder / "model", config, files)
    done, _ = forward(program, folder, *options)
    check(done.returncode == 2 and wanted in done.stderr, f"{wanted}: {done.returncode} {done.stderr}")


def random_like(array):
    return numpy.random.default_rng(1).normal(size=array.shape)


def check_defaults(program, folder):
    """Missing keys, beside a value that gives other logits."""
    llama, gemma2, gemma3, gpt2 = (weights_of(each) for each in ("llama", "gemma2", "gemma3", "gpt2"))
    mistral = changed(CONFIGS["llama"], model_type="mistral", attention_bias=..., mlp_bias=...)
    rows = [
        # configuration_gemma2.py, configuration_gemma3.py
        (CONFIGS["gemma2"], gemma2, "query_pre_attn_scalar", 256, 12),
        (CONFIGS["gemma3"], gemma3, "query_pre_attn_scalar", 256, 12),
        (CONFIGS["gpt2"], {**gpt2, "lm_head.weight": random_like(gpt2["transformer.wte.weight"])}, "tie_word_embeddings", True, False),
        (CONFIGS["llama"], {**llama, "lm_head.weight": random_like(llama["model.embed_tokens.weight"])}, "tie_word_embeddings", False, True),
    ]
    for config, arrays, key, default, other in rows:
        found = [logits_of(program, folder, changed(config, **{key: value}), arrays) for value in (..., default, other)]
        check(found[0] == found[1] != found[2], f"{config['model_type']} without {key}")
    # configuration_mistral.py: a missing window is 4096 tokens, and null is none.
    for window, words in ((..., "4096 keys for a query"), (7, "7 keys for a query"), (None, None)):
        write(folder / "model", changed(mistral, sliding_window=window), {"model.safetensors": safetensors(llama)})
        done, _ = forward(program, folder)
        check(done.returncode == 0 and (words in done.stdout if words else "keys for" not in done.stdout), (window, done.stdout, done.stderr))


def check_biases(program, folder):
    """A bias that the model has by its configuration, and one that it has not."""
    llama, qwen2, gpt2, bloom, neox, falcon = (weights_of(each) for each in ("llama", "qwen2", "gpt2", "bloom", "gptneox", "falcon"))
    for config, arrays, bias in ((CONFIGS["qwen2"], qwen2, "model.layers.1.self_attn.k_proj.bias"),
                                 (CONFIGS["gpt2"], gpt2, "transformer.h.0.attn.c_attn.bias"), (CONFIGS["gpt2"], gpt2, "transformer.ln_f.bias"),
                                 (CONFIGS["bloom"], bloom, "transformer.h.0.self_attention.query_key_value.bias"),
                                 (CONFIGS["gptneox"], neox, "gpt_neox.layers.1.mlp.dense_4h_to_h.bias"),
                                 (CONFIGS["falcon"], falcon, "transformer.ln_f.bias")):
        refused(program, folder, config, {name: array for name, array in arrays.items() if name != bias}, f"tensor '{bias}' is missing")
    refused(program, folder, changed(CONFIGS["llama"], attention_bias=True), llama, "tensor 'model.layers.0.self_attn.q_proj.bias' is missing")
    refused(program, folder, changed(CONFIGS["llama"], mlp_bias=True), llama, "tensor 'model.layers.0.mlp.gate_proj.bias' is missing")
    refused(program, folder, changed(CONFIGS["falcon"], bias=True), falcon, "tensor 'transformer.h.0.self_attention.query_key_value.bias' is missing")
    refused(program, folder, changed(CONFIGS["gptneox"], attention_bias=False), neox, "query_key_value.bias' is not supported")
    extra = {**llama, "model.layers.0.self_attn.o_proj.bias": numpy.zeros(32)}
    refused(program, folder, CONFIGS["llama"], extra, "tensor 'model.layers.0.self_attn.o_proj.bias' is not supported")
    biased = {**llama, **{f"model.layers.{layer}.self_attn.{part}_proj.bias": numpy.full(llama[f"model.layers.{layer}.self_attn.{part}_proj.weight"].shape[0], 0.5)
                          for layer in range(2) for part in "qkvo"}}
    with_biases = logits_of(program, folder, changed(CONFIGS["llama"], attention_bias=True), biased)
    check(with_biases != logits_of(program, folder, CONFIGS["llama"], llama), "biases change nothing")
    refused(program, folder, changed(CONFIGS["mpt"], no_bias=False), weights_of("mpt"), "'no_bias' is false")


def check_agreement(program, folder):
    """Tensors and keys that contradict each other."""
    llama, falcon = weights_of("llama"), weights_of("falcon")
    config = CONFIGS["llama"]
    for size in (22, 70000, -3):
        refused(program, folder, changed(config, vocab_size=size), llama, f"'vocab_size' is {size}, and tensor 'model.embed_tokens.weight' has 23 rows")
    refused(program, folder, changed(config, vocab_size="x"), llama, "'vocab_size' is \"x\"; expected a number")
    for value in (False, ...):
        refused(program, folder, changed(config, tie_word_embeddings=value), llama, "tensor 'lm_head.weight' is missing, and 'tie_word_embeddings' is")
    for value in ("true", 1):
        refused(program, folder, changed(config, tie_word_embeddings=value), llama, "expected true or false")
    # Falcon: two norms of a layer only in the new architecture, unless one is stated.
    old = changed(CONFIGS["falcon"], new_decoder_architecture=False, multi_query=False, num_kv_heads=...)
    refused(program, folder, old, falcon, "input_layernorm.weight' is missing")
    one = {name.replace(".ln_mlp.", ".input_layernorm."): array for name, array in falcon.items() if ".ln_attn." not in name}
    refused(program, folder, CONFIGS["falcon"], one, "tensor 'transformer.h.0.ln_attn.weight' is missing")
    logits_of(program, folder, changed(CONFIGS["falcon"], num_ln_in_parallel_attn=1), one)
    rope = config["rope_parameters"]
    refused(program, folder, changed(config, rope_parameters={**rope, "partial_rotary_factor": 0.5}), llama, "'rope_parameters.partial_rotary_factor' is 0.5")
    refused(program, folder, changed(config, rope_parameters={**rope, "rope_type": "linear", "type": "yarn", "factor": 2}), llama, "and 'rope_parameters.type' is \"yarn\"")
    refused(program, folder, changed(config, layer_types=["full_attention"]), llama, "'layer_types' has 1 layers; expected 2")
    refused(program, folder, changed(config, layer_types="full_attention"), llama, "'layer_types' is \"full_attention\"; expected a list")


def check_files(program, folder):
    """The index of several files must describe them; a single file has precedence, as in transformers."""
    llama, config = weights_of("llama"), CONFIGS["llama"]
    names = sorted(llama)
    parts = {"a.safetensors": names[:9], "b.safetensors": names[9:]}
    files = {file: safetensors({name: llama[name] for name in part}) for file, part in parts.items()}
    listed = {name: file for file, part in parts.items() for name in part}

    def index(weight_map):
        return {**files, "model.safetensors.index.json": json.dumps({"weight_map": weight_map}).encode()}
    wanted = logits_of(program, folder, config, llama)
    check(logits_of(program, folder, config, index(listed)) == wanted, "two files")
    refused(program, folder, config, index({**listed, "ghost.weight": "a.safetensors"}), "tensor 'ghost.weight' is missing")
    refused(program, folder, config, index({**listed, names[0]: "b.safetensors"}), f"tensor '{names[0]}' is missing")
    other = {**llama, names[-1]: 2 * llama[names[-1]]}
    both = {**index(listed), "model.safetensors": safetensors(other)}
    check(logits_of(program, folder, config, both) == logits_of(program, folder, config, other) != wanted, "a single file beside an index")


def check_schemes(program, folder):
    """YaRN's factor belongs to the rotated columns, and an extended model has its original length."""
    neox = changed(CONFIGS["gptneox"], rope_parameters={**CONFIGS["gptneox"]["rope_parameters"], "rope_type": "yarn", "factor": 4.0,
                                                       "original_max_position_embeddings": 16})
    refused(program, folder, neox, weights_of("gptneox"), "YaRN on 4 of 8 columns of a head is not supported")
    write(folder / "model", CONFIGS["llama-llama3"], {"model.safetensors": safetensors(weights_of("llama"))})
    done, _ = forward(program, folder, "--scheme", "rotary-yarn", "--set", "factor=4")
    check(done.returncode == 0 and "original=32" in done.stdout, (done.stdout, done.stderr))


def check_overflow(program, folder):
    """Logits that fp32 does not represent are not written."""
    llama = weights_of("llama")
    huge = {**llama, "model.layers.1.mlp.down_proj.weight": 1e38 * llama["model.layers.1.mlp.down_proj.weight"]}
    write(folder / "model", CONFIGS["llama"], {"model.safetensors": safetensors(huge)})
    done, _ = forward(program, folder)
    check(done.returncode == 3 and "overflows fp32" in done.stderr and not (folder / "logits.npy").exists(), (done.returncode, done.stderr))


STUDY = tiny.STUDY.replace("model.gguf", "model")


def check_identity(program, folder):
    """Each byte of the weights is a part of what a result depends on."""
    config = changed(CONFIGS["llama"], vocab_size=60000)
    arrays = {**weights_of("llama"), "model.embed_tokens.weight": numpy.random.default_rng(2).normal(size=(60000, 32))}
    content = safetensors(arrays)
    tokenizer = tokenizer_of(json.loads((FOLDER / "tokens.json").read_text()), "gpt-2")
    for name in ("first.txt", "second.txt"):
        (folder / name).write_text("the distance of a head that matters, and nothing else. " * 8)
    (folder / "s.toml").write_text(STUDY + '[quantity.x]\nkind = "perplexity"\nof = "own"\nlengths = [8]\nsegments = 2\n')
    ids = []
    for at in range(24):
        changed_bytes = bytearray(content)
        changed_bytes[len(content) - 4 - (len(content) - 4096) * at // 24] ^= 1  # the lowest bit of a float
        write(folder / "model", config, {"model.safetensors": bytes(changed_bytes)}, tokenizer)
        done = subprocess.run([program, "tasks", "s.toml", "--json"], cwd=folder, capture_output=True, text=True)
        check(done.returncode == 0, done.stderr)
        ids += [json.loads(line)["id"] for line in done.stdout.splitlines() if json.loads(line)["name"] == "x"]
    check(len(ids) == 24 and len(set(ids)) == 24, f"{len(set(ids))} of {len(ids)} ids")


def measured(program, folder, config, arrays, tokenizer, quantity):
    write(folder / "model", config, {"model.safetensors": safetensors(arrays)}, tokenizer)
    (folder / "s.toml").write_text(STUDY + quantity)
    done = subprocess.run([program, "run", "s.toml", "--store", "store", "--fresh"], cwd=folder, capture_output=True, text=True)
    record = folder / "results/s/results.json"
    return done, json.loads(record.read_text())["quantities"] if done.returncode == 0 else None


def check_measures(program, folder):
    """Norms of queries are those before any scale, and a pass key has tokens of its own."""
    known = json.loads((FOLDER / "tokens.json").read_text())
    tokenizer = tokenizer_of(known, "gpt-2")
    rows = len(known["tokens"])
    for name in ("first.txt", "second.txt"):
        (folder / name).write_text("the distance of a head that matters, and nothing else. " * 8)
    arrays = arrays_of(architectures.model_of("gemma2", rows))
    # Without attention, the scale of the logits changes nothing else.
    arrays = {name: 0 * array if "o_proj" in name else array for name, array in arrays.items()}
    use = '[quantity.use]\nkind = "frequency-use"\nof = "own"\nlength = 12\ncontexts = 1\n'
    columns = []
    for scalar in (8, 12, 300):
        done, quantities = measured(program, folder, changed(CONFIGS["gemma2"], vocab_size=rows, query_pre_attn_scalar=scalar), arrays, tokenizer, use)
        check(done.returncode == 0, done.stderr)
        lines = [line.split(",") for line in (folder / "results/s" / quantities["use"]["series"]).read_text().splitlines()]
        columns.append([float(row[lines[0].index("q")]) for row in lines[1:]])
    # One division in fp32 for each of the numbers.
    check(all(math.isclose(a, b, rel_tol=2e-7) for other in columns[1:] for a, b in zip(columns[0], other, strict=True)), columns)
    llama = arrays_of(architectures.model_of("llama", rows))
    retrieval = '[quantity.found]\nkind = "retrieval"\nof = "own"\nlengths = [150]\ndepths = [0.5]\ncontexts = 1\ndigits = 3\n'
    config = changed(CONFIGS["llama"], vocab_size=rows, max_position_embeddings=256)
    done, _ = measured(program, folder, config, llama, tokenizer, retrieval)
    check(done.returncode == 0, done.stderr)
    has_digit = re.compile("[0-9]").search
    tokenizer["model"]["merges"] = [merge for merge in tokenizer["model"]["merges"] if not has_digit(merge)]
    tokenizer["model"]["vocab"] = {token: at for token, at in tokenizer["model"]["vocab"].items() if not has_digit(token)}
    done, _ = measured(program, folder, config, llama, tokenizer, retrieval)
    check(done.returncode == 2 and "have equal tokens in 'own'; expected a tokenizer with all digits" in done.stderr, (done.returncode, done.stderr))


def main():
    with tempfile.TemporaryDirectory() as name:
        for part in (check_defaults, check_biases, check_agreement, check_files, check_schemes, check_overflow, check_identity,
                     check_measures):
            part(sys.argv[1], pathlib.Path(name))


if __name__ == "__main__":
    main()
