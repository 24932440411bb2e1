"""Logits and gradients of a small random model of each architecture: architectures.py PROGRAM

The expected values are those of Hugging Face's transformers in double precision
(tests/references/checkpoint/architectures.py), with the same weights, in architectures.json. Unlike farfield,
transformers rounds the frequencies of rotations to float32.
"""
import itertools
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile

import tiny
import tokens

FOLDER = pathlib.Path(__file__).parent
TOKENS = [(5 * i * i + 3 * i + 1) % 23 for i in range(12)]
LENGTH, CONTEXTS = 16, 2
# ALiBi with a number of heads that is not a power of two has the slopes of the public code. GPT-NeoX rotates a part of
# each head.
SHAPES = {"llama": {}, "qwen2": {}, "qwen3": {"head_dim": 12, "rotated": 12}, "gemma": {"key_heads": 1},
          # The caps are below many of the products and logits.
          "gemma2": {"layers": 4, "more_keys": {"attention.sliding_window": 4, "attention.scale": 12 ** -0.5,
                                                "attn_logit_softcapping": 2.0, "final_logit_softcapping": 3.0}},
          "gemma3": {"layers": 4, "more_keys": {"attention.sliding_window": 4, "attention.sliding_window_pattern": 2, "attention.scale": 12 ** -0.5,
                                                "rope.freq_base_swa": 20.0, "rope.scaling.factor": 2.0}},
          "gpt2": {"key_heads": 4, "context": 40}, "gptneox": {"key_heads": 4, "rotated": 4, "tied": False},
          "falcon": {},
          "bloom": {"heads": 6, "key_heads": 6, "width": 48, "ffn": 192},
          "mpt": {"heads": 6, "key_heads": 6, "width": 48, "ffn": 192}}
# Scaled rotations in the file of a Llama, as a configuration of transformers describes them.
SCALINGS = {"linear": {"factor": 4.0}, "yarn": {"factor": 4.0, "original_max_position_embeddings": 16},
            "llama3": {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 32}}
WITHOUT_ROTATION = ("gpt2", "bloom", "mpt")


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def model_of(architecture, vocabulary):
    return tiny.Model(seed=7, kinds=("F32",), architecture=architecture, vocabulary=vocabulary, **SHAPES[architecture])


def file_of(model, **extra):
    keys = model.keys()
    architecture = model.shape["architecture"]
    if architecture in WITHOUT_ROTATION:
        keys = {key: value for key, value in keys.items() if not key.startswith("rope.")}
    if architecture == "mpt":
        keys["attention.max_alibi_bias"] = 8.0
    if architecture == "gemma3":
        extra["texts"] = [("gemma3.rope.scaling.type", "linear"), *extra.get("texts", [])]
    return model.bytes(keys=keys, **extra)


def llama3_divisors(shape, scaling):
    """The values that the converter of llama.cpp writes into rope_freqs.weight."""
    divisors = []
    for i in range(shape["rotated"] // 2):
        turns = scaling["original_max_position_embeddings"] * shape["base"] ** (-2 * i / shape["rotated"]) / (2 * math.pi)
        low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
        share = min(1, max(0, (turns - low) / (high - low)))
        divisors.append(1 / ((1 - share) / scaling["factor"] + share))
    return divisors


def scaled_file(name):
    model, scaling = model_of("llama", 23), SCALINGS[name]
    if name == "llama3":
        divisors = llama3_divisors(model.shape, scaling)
        model.tensors["rope_freqs.weight"] = ["F32", (len(divisors),), struct.pack(f"<{len(divisors)}f", *divisors)]
        return model.bytes()
    keys = {**model.keys(), "rope.scaling.factor": scaling["factor"]}
    if name == "yarn":
        keys["rope.scaling.original_context_length"] = scaling["original_max_position_embeddings"]
    return model.bytes(keys=keys, texts=[("llama.rope.scaling.type", name)])


def known_tokens():
    return json.loads((FOLDER / "tokens.json").read_text())


def write_texts(folder):
    """Writes the texts of the study; the second is held out. Returns the second text."""
    text = "the distance of a head that matters, and nothing else. " * 12
    (folder / "first.txt").write_text("other text")
    (folder / "second.txt").write_bytes(text.encode())
    return text


def contexts(program, folder, known):
    """The rows of tokens in which the study measures the gradient (docs/training.md, Rows)."""
    text = write_texts(folder)
    model = model_of("llama", len(known["tokens"]))
    _, found = tokens.tokens_of(program, folder, file_of(model, **tokens.keys_of(known)), text)
    starts = [int((i + 0.5) * (len(found) - LENGTH) / CONTEXTS) for i in range(CONTEXTS)]
    return [found[start:start + LENGTH + 1] for start in starts]


STUDY = tiny.STUDY + f"""
[quantity.field]
kind = "gradient-field"
of = "own"
length = {LENGTH}
contexts = {CONTEXTS}
"""


def logits_of(program, folder, content):
    """The bytes of the logits of TOKENS."""
    (folder / "model.gguf").write_bytes(content)
    (folder / "tokens.npy").write_bytes(tiny.npy(TOKENS))
    subprocess.run([program, "forward", "model.gguf", "--tokens", "tokens.npy", "-o", "logits.npy"], cwd=folder, check=True,
                   capture_output=True)
    return (folder / "logits.npy").read_bytes()


def check_logits(program, folder, architecture, content, wanted):
    (folder / "tokens.npy").write_bytes(tiny.npy(TOKENS))
    (folder / "model.gguf").write_bytes(content)
    done = subprocess.run([program, "forward", "model.gguf", "--tokens", "tokens.npy", "-o", "logits.npy"], cwd=folder,
                          capture_output=True, text=True)
    check(done.returncode == 0, f"{architecture}: {done.stderr}")
    found = tiny.read_npy((folder / "logits.npy").read_bytes())
    largest = max(abs(x) for row in wanted for x in row)
    off = [abs(a - b) for row, want in zip(found, wanted, strict=True) for a, b in zip(row, want, strict=True)]
    # A few hundred float roundings on the path through a layer. Each number is checked, because max() may skip a NaN.
    check(all(each < 5e-6 * max(1, largest) for each in off), f"{architecture}: logits of up to {largest} are off by {max(off)}")


def shares_of(program, folder, what, study):
    (folder / "s.toml").write_text(study)
    done = subprocess.run([program, "run", "s.toml", "--store", "store", "--fresh"], cwd=folder, capture_output=True, text=True)
    check(done.returncode == 0, f"{what}: {done.stderr} {done.stdout}")
    quantity = json.loads((folder / "results/s/results.json").read_text())["quantities"]["field"]
    lines = [line.split(",") for line in (folder / "results/s" / quantity["series"]).read_text().splitlines()]
    return [float(line[lines[0].index("c")]) for line in lines[1:]]


def check_shares(program, folder, what, study, wanted):
    found = shares_of(program, folder, what, study)
    off = [abs(a - b) for a, b in zip(found, wanted, strict=True)]
    check(all(each < 1e-5 for each in off), f"{what}: shares of the gradient are off by {max(off)}")


def check_gradient(program, folder, architecture, known, wanted):
    model = model_of(architecture, len(known["tokens"]))
    (folder / "model.gguf").write_bytes(file_of(model, **tokens.keys_of(known)))
    check_shares(program, folder, architecture, STUDY, wanted)


def check_scaling(program, folder):
    """Refuses a rotation that no scheme describes, and invalid divisors."""
    model = model_of("llama", 23)
    (folder / "tokens.npy").write_bytes(tiny.npy([1]))
    of_longrope = model.bytes(keys={**model.keys(), "rope.scaling.factor": 4.0}, texts=[("llama.rope.scaling.type", "longrope")])
    without_factor = model.bytes(texts=[("llama.rope.scaling.type", "linear")])
    own_factor = model.bytes(keys={**model.keys(), "rope.scaling.factor": 4.0, "rope.scaling.attn_factor": 1.5},
                             texts=[("llama.rope.scaling.type", "yarn")])
    contents = [(of_longrope, "a scheme that extends rotary-longrope"), (without_factor, "'llama.rope.scaling.factor' is missing"), (own_factor, "--scheme NAME")]
    for divisors, wanted in (((1.0, 1.0), "expected [4]"), ((1.0, 1.0, 0.0, 1.0), "finite numbers above 0")):
        model.tensors["rope_freqs.weight"] = ["F32", (len(divisors),), struct.pack(f"<{len(divisors)}f", *divisors)]
        contents.append((model.bytes(), wanted))
    for content, wanted in contents:
        (folder / "model.gguf").write_bytes(content)
        done = subprocess.run([program, "forward", "model.gguf", "--tokens", "tokens.npy", "-o", "logits.npy"], cwd=folder,
                              capture_output=True, text=True)
        check(done.returncode == 2 and wanted in done.stderr, f"{wanted}: {done.returncode} {done.stderr}")


def check_old_scaling(program, folder):
    """Older files state a linear scaling by its factor alone."""
    model = model_of("llama", 23)
    plain, linear = logits_of(program, folder, model.bytes()), logits_of(program, folder, scaled_file("linear"))
    for factor, wanted in ((1.0, plain), (4.0, linear)):
        found = logits_of(program, folder, model.bytes(keys={**model.keys(), "rope.scale_linear": factor}))
        check(found == wanted, f"rope.scale_linear of {factor} has other logits")
    command = [program, "forward", "model.gguf", "--tokens", "tokens.npy", "-o", "logits.npy"]
    for factor, status, wanted in ((1.0, 0, "; rotary base=500; "), (4.0, 0, "; rotary-linear "),
                                   (0.0, 2, "'llama.rope.scale_linear' is 0; expected a number above 0")):
        (folder / "model.gguf").write_bytes(model.bytes(keys={**model.keys(), "rope.scale_linear": factor}))
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        told = done.stdout + done.stderr
        check(done.returncode == status and wanted in told, f"{wanted}: {done.returncode} {told}")
    check(plain != linear, "the scaling changes nothing")


def check_positions(program, folder):
    """GPT-2 has vectors only for its own positions. Other schemes also work beyond them."""
    model = model_of("gpt2", 23)
    (folder / "model.gguf").write_bytes(file_of(model))
    (folder / "tokens.npy").write_bytes(tiny.npy([1] * (model.shape["context"] + 1)))
    command = [program, "forward", "model.gguf", "--tokens", "tokens.npy", "-o", "logits.npy"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    check(done.returncode == 2 and "41 tokens of a model with 40 positions" in done.stderr, f"{done.returncode} {done.stderr}")
    done = subprocess.run([*command, "--scheme", "nope"], cwd=folder, capture_output=True, text=True)
    check(done.returncode == 0, done.stderr)


def check_one_norm(program, folder):
    """A Falcon with one norm per layer equals one whose two norms are equal, because its MLP reads the output of the
    first norm."""
    def logits(*copies):
        model = model_of("falcon", 23)
        for layer in range(model.shape["layers"]):
            for end in ("weight", "bias"):
                first, second = f"blk.{layer}.attn_norm.{end}", f"blk.{layer}.attn_norm_2.{end}"
                if "equal" in copies:
                    model.tensors[second] = model.tensors[first]
                if "one" in copies:
                    del model.tensors[second]
        return logits_of(program, folder, file_of(model))
    check(logits("equal") == logits("one"), "a Falcon with one norm has other logits")
    check(logits() != logits("one"), "the second norm of a Falcon changes nothing")


def check_caps(program, folder):
    """A Gemma 2 without keys for its caps has its authors' defaults: 50 for the attention, 30 for the logits."""
    def logits(**caps):
        model = model_of("gemma2", 23)
        keys = {key: value for key, value in model.keys().items() if not key.endswith("softcapping")}
        return logits_of(program, folder, model.bytes(keys={**keys, **caps}))
    usual = {"attn_logit_softcapping": 50.0, "final_logit_softcapping": 30.0}
    check(logits() == logits(**usual), "a Gemma 2 without caps has other caps")
    for name in usual:
        check(logits() != logits(**{**usual, name: 7.0}), f"'{name}' changes nothing")


def check_gradient_of_caps(program, folder, known):
    """The gradient changes smoothly with the cap of the logits, also below 1."""
    def shares(cap):
        model = model_of("gemma2", len(known["tokens"]))
        keys = {**model.keys(), "final_logit_softcapping": cap}
        (folder / "model.gguf").write_bytes(model.bytes(keys=keys, **tokens.keys_of(known)))
        return shares_of(program, folder, f"a cap of {cap}", STUDY)
    write_texts(folder)
    below, above, far = shares(0.999), shares(1.001), shares(30.0)
    off = max(abs(a - b) for a, b in zip(below, above, strict=True))
    moved = max(abs(a - b) for a, b in zip(below, far, strict=True))
    check(off < 1e-3 < 5e-3 < moved, f"shares at caps of 0.999 and 1.001 differ by {off}, at 0.999 and 30 by {moved}")


def check_local_base(program, folder):
    """The layers of a Gemma 3 with a window have the base 10000 if the file does not state one, those of a Gemma 2 the
    base of the others."""
    def logits(architecture, **bases):
        keys = {key: value for key, value in model_of(architecture, 23).keys().items()
                if not key.startswith(("rope.freq_base_swa", "rope.scaling"))}
        return logits_of(program, folder, model_of(architecture, 23).bytes(keys={**keys, **bases}))
    for architecture, usual in (("gemma3", 10000.0), ("gemma2", tiny.SHAPE["base"])):
        found = logits(architecture)
        check(found == logits(architecture, **{"rope.freq_base_swa": usual}), f"{architecture}: another base than {usual}")
        check(found != logits(architecture, **{"rope.freq_base_swa": 20.0}), f"{architecture}: the base changes nothing")


def check_blocks(program, folder, known):
    """The gradient of long contexts, which are computed in several blocks of tokens.

    Each layer sees five keys and rotations are relative, so that the gradient depends only on the last tokens. In a
    periodic text it is then the same for a long and a short context, if both end at the same place of a period."""
    # One thread computes 288 tokens in two blocks of the largest size, 144.
    sentence, long = "the distance of a head that matters, and nothing else. ", 288
    plain = model_of("llama", len(known["tokens"]))
    _, found = tokens.tokens_of(program, folder, file_of(plain, **tokens.keys_of(known)), sentence * 80)
    period = next(p for p in range(1, 200) if all(found[i] == found[i + p] for i in range(20, 400)))
    # With one context, a row of L tokens starts at (N - L)/2.
    short = 30 + (long - 30) % (2 * period)
    (folder / "first.txt").write_text("other text")
    (folder / "second.txt").write_text(sentence * 80)
    check(len(found) > long + 100, f"{len(found)} tokens")
    study = tiny.STUDY.replace('corpus = "text"', 'corpus = "text"\nscheme = "near"')
    study += '\n[scheme.near]\nextends = "rotary"\nmask = "n < 5"\n'
    study += "".join(f'\n[quantity.{name}]\nkind = "gradient-field"\nof = "own"\nlength = {length}\ncontexts = 1\n'
                     for name, length in (("short", short), ("long", long)))
    (folder / "s.toml").write_text(study)
    for architecture, threads in itertools.product(("llama", "gemma2", "falcon", "gptneox"), ("1", "2")):
        model = tiny.Model(seed=7, kinds=("F32",), architecture=architecture, vocabulary=len(known["tokens"]),
                           **{**SHAPES[architecture], "context": 512})
        (folder / "model.gguf").write_bytes(file_of(model, **tokens.keys_of(known)))
        done = subprocess.run([program, "run", "s.toml", "--store", "store", "--fresh", "--threads", threads],
                              cwd=folder, capture_output=True, text=True)
        check(done.returncode == 0, f"{architecture}: {done.stderr}")
        shares = []
        for name in ("short", "long"):
            lines = [line.split(",") for line in (folder / f"results/s/{name}.csv").read_text().splitlines()]
            shares.append([float(line[lines[0].index("c")]) for line in lines[1:]])
        near, far = shares
        check(near[0] < 0.99 and len(far) == long, f"{architecture}: {near[0]} of the gradient is at the last token")
        off = [abs(a - b) for a, b in zip(far, near + [1] * (long - short), strict=True)]
        check(all(each < 1e-5 for each in off), f"{architecture}: shares of a long context are off by {max(off)}")


def check_bias(program, folder):
    """Refuses an MPT with another largest slope of ALiBi."""
    model = model_of("mpt", 23)
    (folder / "model.gguf").write_bytes(model.bytes(keys={**model.keys(), "attention.max_alibi_bias": 4.0}))
    (folder / "tokens.npy").write_bytes(tiny.npy([1]))
    done = subprocess.run([program, "forward", "model.gguf", "--tokens", "tokens.npy", "-o", "logits.npy"], cwd=folder,
                          capture_output=True, text=True)
    check(done.returncode == 2 and "'mpt.attention.max_alibi_bias' is 4" in done.stderr, f"{done.returncode} {done.stderr}")


def main():
    program = sys.argv[1]
    record = json.loads((FOLDER / "architectures.json").read_text())
    known = known_tokens()
    page = (FOLDER.parents[1] / "docs" / "checkpoint.md").read_text()
    for architecture in tiny.ARCHITECTURES:
        check(f"\n| `{architecture}` |" in page, f"docs/checkpoint.md has no '{architecture}'")
    check(record.keys() - {"contexts", "scaled"} == tiny.ARCHITECTURES.keys(), "an architecture has no record")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check(contexts(program, folder, known) == record["contexts"], "the contexts have other tokens than the record's")
        for architecture in tiny.ARCHITECTURES:
            check_logits(program, folder, architecture, file_of(model_of(architecture, 23)), record[architecture]["logits"])
            check_gradient(program, folder, architecture, known, record[architecture]["gradient"])
        for name in SCALINGS:
            check_logits(program, folder, name, scaled_file(name), record["scaled"][name])
        check_scaling(program, folder)
        check_old_scaling(program, folder)
        check_positions(program, folder)
        check_one_norm(program, folder)
        check_bias(program, folder)
        check_caps(program, folder)
        check_local_base(program, folder)
        check_gradient_of_caps(program, folder, known)
        check_blocks(program, folder, known)


if __name__ == "__main__":
    main()
