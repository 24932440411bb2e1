"""Headers of GGUF and safetensors, and comparisons of two configurations: headers.py PROGRAM

The files are written here, in the layouts of docs/gguf.md of ggml and the README of safetensors. The expected
frequencies are base^(-2 i/d) in Python's floats.
"""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile


def text(value):
    return struct.pack("<Q", len(value)) + value.encode()


def pair(key, kind, value):
    return text(key) + struct.pack("<I", kind) + value


def u32(value):
    return struct.pack("<I", value)


def gguf(version=3, keys=(), tensors=(), count=None):
    """`count` is the number of keys in the header's count field."""
    header = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(keys) if count is None else count)
    names = [text(name) + struct.pack("<IQIQ", 1, 64, 0, 0) for name in tensors]
    return header + b"".join(keys) + b"".join(names)


KEYS = [
    pair("general.architecture", 8, text("llama")),
    pair("llama.context_length", 4, u32(8192)),
    pair("llama.embedding_length", 4, u32(4096)),
    pair("llama.attention.head_count", 4, u32(32)),
    pair("llama.block_count", 4, u32(32)),
    pair("tokenizer.ggml.tokens", 9, struct.pack("<IQ", 8, 2) + text("a") + text("b")),
    pair("llama.rope.freq_base", 6, struct.pack("<f", 500000.0)),
]


def run(program, *arguments):
    return subprocess.run([program, "doctor", *map(str, arguments)], capture_output=True, text=True)


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def check_gguf(program, folder):
    path = folder / "model.gguf"
    expected = [500000.0 ** (-2 * i / 128) for i in range(64)]
    for version in (2, 3):
        path.write_bytes(gguf(version, KEYS))
        done = run(program, path, "--json")
        answer = json.loads(done.stdout)
        check(done.returncode == 0, done.stdout)
        check(all(abs(a - b) <= 1e-12 * b for a, b in zip(answer["inv_freq"], expected)), "frequencies of GGUF")
        check("in interleaved pairs" in run(program, path).stdout, "GGUF has the pairs of a Llama side by side")
        check(answer["trained"] == 8192 and answer["origins"]["base"]["key"] == "llama.rope.freq_base", answer["origins"])
    path.write_bytes(gguf(3, KEYS[:-1]))
    done = run(program, path, "--json")
    check(done.returncode == 1 and "default-base" in done.stdout, "a GGUF without rope.freq_base")
    path.write_bytes(gguf(3, KEYS, ["token_embd.weight", "rope_freqs.weight"]))
    check("frequency-factors" in run(program, path, "--json").stdout, "rope_freqs.weight")
    for damaged in (gguf(1, KEYS), gguf(3, KEYS, count=1 << 60), gguf(3, KEYS, count=len(KEYS) + 1), gguf(3, KEYS)[:200],
                    gguf(3, [pair("a", 9, struct.pack("<IQ", 4, 1 << 61))]), gguf(3, [text("a") + u32(99)]),
                    gguf(3, [struct.pack("<Q", 1 << 63)]), gguf(3, [KEYS[0], KEYS[0]]), b"GGUF"):
        path.write_bytes(damaged)
        done = run(program, path)
        check(done.returncode == 2 and "model.gguf" in done.stderr, f"status {done.returncode}: {done.stderr}")


def slopes_of_mpt(heads, largest):
    """The function gen_slopes of MPT's public code."""
    whole = 1 << (heads - 1).bit_length()
    slopes = [2.0 ** -(i * largest / whole) for i in range(1, whole + 1)]
    return slopes if whole == heads else (slopes[1::2] + slopes[::2])[:heads]


def check_alibi(program, folder):
    """ALiBi of MPT, whose largest exponent is a key: 16 for MPT-7B-StoryWriter, 8 for the other models."""
    path = folder / "config.json"
    for heads, largest in ((32, 16), (12, 16), (12, 4), (8, 8)):
        path.write_text(json.dumps({"model_type": "mpt", "d_model": 64 * heads, "n_heads": heads, "n_layers": 2, "max_seq_len": 65536,
                                    "vocab_size": 99, "attn_config": {"alibi": True, "alibi_bias_max": largest}}))
        answer = json.loads(run(program, path, "--json").stdout)
        check(answer["scheme"] == ("alibi" if largest == 8 else "alibi-largest"), answer["scheme"])
        for head, slope in enumerate(slopes_of_mpt(heads, largest), 1):
            done = subprocess.run([program, "eval", answer["formula"], "--let", f"h={head}", "--let", f"H={heads}", "--let", "n=3"],
                                  capture_output=True, text=True)
            found = float(done.stdout) / 3
            check(abs(found + slope) <= 1e-14 * slope, f"{heads} heads, {largest}: slope {head} is {found}, not {-slope}")
    path = folder / "mpt.gguf"
    others = [pair("general.architecture", 8, text("mpt")), pair("mpt.context_length", 4, u32(2048)),
              pair("mpt.embedding_length", 4, u32(4096)), pair("mpt.attention.head_count", 4, u32(32)), pair("mpt.block_count", 4, u32(32))]
    for largest, scheme in ((0, "learned-absolute"), (8, "alibi"), (16, "alibi-largest")):
        path.write_bytes(gguf(3, [*others, pair("mpt.attention.max_alibi_bias", 6, struct.pack("<f", largest))]))
        answer = json.loads(run(program, path, "--json").stdout)
        check(answer["scheme"] == scheme, f"GGUF with {largest}: {answer['scheme']}")
    # llama.cpp's default is no ALiBi, unlike that of transformers' class.
    path.write_bytes(gguf(3, others))
    check(json.loads(run(program, path, "--json").stdout)["scheme"] == "learned-absolute", "GGUF without the key")


def check_engines(program, folder):
    """Engines that compute what the configuration declares are listed; the others have a finding."""
    path = folder / "config.json"
    path.write_text(json.dumps({"model_type": "llama", "hidden_size": 512, "num_attention_heads": 8, "num_hidden_layers": 2,
                                "max_position_embeddings": 4096, "rope_parameters": {"rope_type": "default", "rope_theta": 500000.0}}))
    done = run(program, path, "--engine", "transformers-4.44,transformers-5")
    line = next((line for line in done.stdout.splitlines() if line.startswith("the declared frequencies and factors: ")), "")
    check("transformers-5" in line and "transformers-4.44" not in line, done.stdout)
    engines = json.loads(run(program, path, "--engine", "transformers-4.44,transformers-5", "--json").stdout)["engines"]
    check([engines[name]["agrees"] for name in sorted(engines)] == [False, True], f"{sorted(engines)}")
    check(all(each["safe_length"] is None and each["safe_lengths"] == [] for each in engines.values()), "safe lengths are of what is declared")


def check_safetensors(program, folder):
    header = {"model.layers.0.self_attn.q_proj.weight": {"dtype": "F16", "shape": [512, 64], "data_offsets": [0, 65536]}}
    encoded = json.dumps(header).encode()
    path = folder / "model.safetensors"
    path.write_bytes(struct.pack("<Q", len(encoded)) + encoded + bytes(65536))
    configuration = {"model_type": "llama", "num_attention_heads": 4, "num_hidden_layers": 1, "hidden_size": 64,
                     "rope_theta": 10000.0, "max_position_embeddings": 64}
    (folder / "config.json").write_text(json.dumps(configuration))
    answer = json.loads(run(program, path, "--json").stdout)
    check(answer["head_dim"] == 128, "the width of a head by the shape of its queries")
    (folder / "config.json").write_text(json.dumps({**configuration, "head_dim": 64}))
    done = run(program, path)
    check(done.returncode == 1 and "head-dim-against-shapes" in done.stdout, done.stdout)


def check_two(program, folder):
    one, other = folder / "one.json", folder / "other.json"
    configuration = {"model_type": "llama", "head_dim": 8, "num_hidden_layers": 1, "max_position_embeddings": 64, "rope_theta": 10000.0}
    one.write_text(json.dumps(configuration))
    other.write_text(json.dumps({**configuration, "rope_theta": 20000.0}))
    again = folder / "again.json"
    again.write_text(one.read_text())
    check(run(program, one, again).returncode == 0, "a configuration differs from its copy")
    done = run(program, one, other, "--json")
    answer = json.loads(done.stdout)
    check(done.returncode == 1 and answer["differences"] == [{"layer_type": "", "what": "base", "a": "10000", "b": "20000"}], answer)
    import math
    mean = [[sum(math.cos(n * base ** (-i / 4)) for i in range(4)) / 4 for n in range(64)] for base in (10000, 20000)]
    largest = max(abs(a - b) for a, b in zip(*mean))
    check(abs(answer["largest_logit_difference"] - largest) < 1e-12, answer["largest_logit_difference"])


def check_page(program, folder):
    """The report is one self-contained page. Each figure has a unique id, and text from the input is escaped."""
    configuration = {"model_type": "gemma3_text", "head_dim": 16, "num_hidden_layers": 6, "sliding_window": 32,
                     "max_position_embeddings": 128, "rope_theta": 1000000.0, "<b>rope": 1}
    path = folder / "page.json"
    path.write_text(json.dumps(configuration))
    done = run(program, path, "--html", "--engine", "transformers-4.44,transformers-5")
    if "gnuplot" in done.stderr:
        return print("gnuplot is absent: the page is not tested")
    page = done.stdout
    check(done.returncode in (0, 1) and page.startswith("<!DOCTYPE html>") and page.rstrip().endswith("</html>"), done.stderr)
    check("prefers-color-scheme: dark" in page and 'name="viewport"' in page, "the page's style")
    check("default-src 'none'" in page and 'src="http' not in page and "<b>rope" not in page, "nothing from outside")
    # There are at least frequencies and logits of both kinds of layers.
    check(page.count("<figure>") >= 4 and page.count("<svg") == page.count("<figure>"), page.count("<figure>"))
    ids = [part.split('"')[0] for part in page.split(' id="')[1:]]
    check(len(ids) == len(set(ids)), "two elements share an id")
    for word in ("full_attention", "sliding_attention", "attention resolution", "Wavelength", "Periods trained"):
        check(word in page, word)
    other = folder / "other_page.json"
    other.write_text(json.dumps({**configuration, "rope_theta": 10000.0}))
    done = run(program, path, other, "--html")
    check(done.returncode == 1 and "A less B" in done.stdout and "<svg" in done.stdout, done.stderr)
    check(run(program, path, "--html", "--json").returncode == 2, "two forms")


def check_resolution(program, folder):
    """R(s) of Sun et al. 2023, Eq. (4), computed from its sums."""
    import math
    path = folder / "resolution.json"
    path.write_text(json.dumps({"model_type": "llama", "head_dim": 8, "num_hidden_layers": 1, "max_position_embeddings": 64,
                                "rope_theta": 10000.0}))
    answer = json.loads(run(program, path, "--json").stdout)
    scores = [math.exp(math.sqrt(8) / 4 * sum(math.cos(n * f) for f in answer["inv_freq"])) for n in range(65)]
    expected = sum(scores[n] * (scores[n] - scores[n + 1]) for n in range(64)) / sum(scores[:64]) ** 2
    check(abs(answer["resolution"] - expected) < 1e-12 and answer["resolution_distances"] == 64, answer["resolution"])


def yarn(ramp, base=10000.0, factor=40.0, original=4096, alpha=1, beta=32, width=64):
    """Frequencies by the equations of Peng et al. 2023, and by the public code with its two bounds."""
    import math
    end = lambda turns: width * math.log(original / (2 * math.pi * turns)) / (2 * math.log(base))
    first, last = max(end(beta), 0), min(end(alpha), width - 1)
    if ramp == "index":
        first, last = max(math.floor(end(beta)), 0), min(math.ceil(end(alpha)), width - 1)
    frequencies = []
    for i in range(width // 2):
        plain = base ** (-2 * i / width)
        kept = 1 - (i - first) / (last - first)
        if ramp == "turns":
            kept = (original * plain / (2 * math.pi) - alpha) / (beta - alpha)
        kept = min(max(kept, 0), 1)
        frequencies.append(plain * (kept + (1 - kept) / factor))
    return frequencies


def ramp_effect(declared, other, length=16384):
    """The finding has the largest relative difference, the largest difference of the logits, and its distance."""
    import math
    mean = lambda f, n: math.fsum(math.cos(n * each) for each in f) / len(f)
    difference = [abs(mean(declared, n) - mean(other, n)) for n in range(length)]
    largest = max(difference)
    most = max(abs(a - b) / a for a, b in zip(declared, other))
    # The attention factor for DeepSeek's mscale is 1.
    return f"off by up to {100 * most:.3g} % and logits of equal queries and keys by up to {largest:.3g} |q||k|/sqrt(d), at distance {difference.index(largest)} of the first {length}"


def check_ramp(program, folder):
    scaling = {"type": "yarn", "factor": 40, "original_max_position_embeddings": 4096, "mscale": 1.0, "mscale_all_dim": 1.0}
    plain = {"model_type": "llama", "head_dim": 64, "num_hidden_layers": 2, "rope_theta": 10000.0, "max_position_embeddings": 163840}
    path = folder / "ramp.json"
    for change, mine, others in (({}, "index", ("turns", "exact")), ({"truncate": False}, "exact", ("turns", "index"))):
        path.write_text(json.dumps({**plain, "rope_scaling": {**scaling, **change}}))
        found = [each for each in json.loads(run(program, path, "--json").stdout)["findings"] if each["id"] == "yarn-ramp"]
        check(len(found) == 1 and found[0]["severity"] == "note", found)
        check(found[0]["key"] == ("rope_scaling/truncate" if change else "rope_scaling"), found[0]["key"])
        for other in others:
            expected = ramp_effect(yarn(mine), yarn(other))
            check(expected in found[0]["message"], f"{expected}: {found[0]['message']}")
    # Up to the served length, if that is shorter.
    plain["max_position_embeddings"], scaling["factor"] = 8192, 2
    path.write_text(json.dumps({**plain, "rope_scaling": scaling}))
    found = [each for each in json.loads(run(program, path, "--json").stdout)["findings"] if each["id"] == "yarn-ramp"]
    expected = ramp_effect(yarn("index", factor=2.0), yarn("turns", factor=2.0), 8192)
    check(expected in found[0]["message"], f"{expected}: {found[0]['message']}")
    path.write_text(json.dumps(plain))
    check("yarn-ramp" not in run(program, path).stdout, "a ramp without YaRN")


def check_mscale(program, folder):
    """Compares 0.1 mscale ln(factor) + 1, in yarn_get_mscale of modeling_deepseek.py, with 0.1 ln(factor) + 1 in
    transformers."""
    import math
    plain = {"model_type": "deepseek_v2", "qk_rope_head_dim": 64, "num_hidden_layers": 2, "rope_theta": 10000.0, "max_position_embeddings": 163840}
    scaling = {"type": "yarn", "factor": 40, "original_max_position_embeddings": 4096}
    path = folder / "mscale.json"
    taken = 0.1 * math.log(40) + 1
    for scales, own in (({"mscale": 0.707}, 0.0707 * math.log(40) + 1), ({"mscale_all_dim": 0.707}, taken / (0.0707 * math.log(40) + 1)),
                        ({"mscale": 0.707, "mscale_all_dim": 0.707}, None), ({}, None)):
        path.write_text(json.dumps({**plain, "rope_scaling": {**scaling, **scales}}))
        found = [each for each in json.loads(run(program, path, "--json").stdout)["findings"] if each["id"] == "mscale-alone"]
        check(len(found) == (0 if own is None else 1), (scales, found))
        if own is not None:
            check(f"is {taken:.6g};" in found[0]["message"] and f"takes {own:.6g}:" in found[0]["message"], found)
            check(found[0]["severity"] == "warning" and found[0]["line"] == 1, found)


def check_safe_lengths(program, folder):
    """All recipes together, in each output form, have the same numbers as each recipe alone."""
    path = folder / "safe.json"
    path.write_text(json.dumps({"model_type": "llama", "head_dim": 64, "num_hidden_layers": 2, "rope_theta": 10000.0,
                                "max_position_embeddings": 2048}))
    answer = json.loads(run(program, path, "--json", "--in", "bf16").stdout)
    names = [each["recipe"] for each in answer["safe_lengths"]]
    check(names[0] == "hf" and sorted(names) == sorted(["hf", "all-bf16", "fp32", "fp64-tables", "recurrence", "powf"]), names)
    text = run(program, path, "--in", "bf16").stdout
    markdown = run(program, path, "--markdown", "--in", "bf16").stdout
    check("| safe length | hf | " in markdown, markdown)
    for each in answer["safe_lengths"]:
        alone = json.loads(run(program, path, "--json", "--in", "bf16", "--recipe", each["recipe"]).stdout)
        check(alone["safe_length"] == each["length"] and alone["safe_lengths"][0] == each, (each, alone["safe_lengths"]))
        words = f"{each['length']}{'' if each['is_longest'] else ' or more'}"
        check(f" {each['recipe']} {words}" in text and f" {words} |" in markdown, (words, text))
    # docs/safe-length.md: rotary, d = 64, all-bf16 gives 7 tokens.
    check([each["length"] for each in answer["safe_lengths"] if each["recipe"] == "all-bf16"] == [7], answer["safe_lengths"])
    scaled = {"model_type": "llama", "head_dim": 64, "num_hidden_layers": 2, "rope_theta": 10000.0, "max_position_embeddings": 2048,
              "rope_scaling": {"type": "yarn", "factor": 2, "original_max_position_embeddings": 1024}}
    path.write_text(json.dumps(scaled))
    unfit = {each["recipe"]: each.get("refusal") for each in json.loads(run(program, path, "--json").stdout)["safe_lengths"]}
    check("powers of one number" in unfit["recurrence"] and "powers of one number" in unfit["powf"] and not unfit["hf"], unfit)


def check_limits(program, folder):
    """Impossible values end at once, with a place or a finding, without minutes of computation."""
    plain = {"model_type": "llama", "head_dim": 64, "num_hidden_layers": 2, "rope_theta": 10000.0, "max_position_embeddings": 1024}
    path = folder / "limits.json"
    for change in ({"head_dim": 65536}, {"max_position_embeddings": 10 ** 15, "rope_theta": 1e308},
                   {"layer_types": [f"t{i}" for i in range(5000)]}):
        path.write_text(json.dumps({**plain, **change}))
        done = subprocess.run([program, "doctor", path], capture_output=True, text=True, timeout=60)
        check(done.returncode == 1 and "error: " in done.stdout, (change, done.stdout[:400]))
    for text in ('{"a":' * 10000 + "1" + "}" * 10000, '{"a": [' + "1," * 60000 + "1]}", '{"a": NaN}', '{"a": 1e999}', "PK\x03\x04zip"):
        path.write_text(text)
        done = subprocess.run([program, "doctor", path], capture_output=True, text=True, timeout=60)
        check(done.returncode == 2 and "limits.json" in done.stderr, done.stderr[:400])


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as name:
        for part in (check_gguf, check_alibi, check_engines, check_safetensors, check_two, check_page, check_resolution, check_ramp, check_mscale, check_safe_lengths, check_limits):
            part(program, pathlib.Path(name))


if __name__ == "__main__":
    main()
