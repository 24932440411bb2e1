"""Logits of small random checkpoints, and refused inputs: forward.py PROGRAM

The expected logits are those of tests/checkpoint/tiny.py, in double precision from the same dequantized weights.
"""
import math
import pathlib
import resource
import struct
import subprocess
import sys
import tempfile

import tiny

TOKENS = [(7 * i * i + 3 * i) % 50 for i in range(70)]  # more than one tile of keys
WINDOW = """
[scheme.window]
extends = "rotary"
mask = "q - k < 9"

[scheme.shifted]
params = { base = 10000, s = 30, w = 5 }
let    = { f = "base^(-2*i/d)" }
rotate = { angle = "p*f", far = { where = "n >= s", query = "(p - s + w)*f" } }

[scheme.grouped]
params = { base = 10000 }
let    = { f = "base^(-2*i/d)" }
rotate = { angle = "p*f", far = { where = "n >= 7 and k % 3 > 0", query = "(floor(p/4) + 6)*f", key = "floor(p/4)*f" } }
"""


def check(condition, message):
    if not condition:
        raise AssertionError(message)


class Runs:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        (folder / "tokens.npy").write_bytes(tiny.npy(TOKENS))
        (folder / "window.toml").write_text(WINDOW)

    def forward(self, content, *options, tokens="tokens.npy", name="model.gguf"):
        (self.folder / name).write_bytes(content)
        (self.folder / "logits.npy").unlink(missing_ok=True)
        return subprocess.run([self.program, "forward", name, "--tokens", tokens, "-o", "logits.npy", *options],
                              cwd=self.folder, capture_output=True, text=True)

    def logits(self, content, *options, **others):
        done = self.forward(content, *options, **others)
        check(done.returncode == 0, f"{options}: {done.stderr}")
        return (self.folder / "logits.npy").read_bytes()


def compare(what, found, expected):
    found = tiny.read_npy(found)
    check(len(found) == len(expected), f"{what}: {len(found)} rows")
    largest = max(abs(x) for row in expected for x in row)
    # A few hundred float roundings on the path through a layer.
    tolerance = 2e-5 * max(1.0, largest)
    for p, (row, want) in enumerate(zip(found, expected, strict=True)):
        for a, b in zip(row, want, strict=True):
            check(abs(a - b) < tolerance, f"{what}: {a}, not {b}, at position {p}")
        near = sorted(want)[-1] - sorted(want)[-2] < 2 * tolerance
        check(near or row.index(max(row)) == want.index(max(want)), f"{what}: the largest logit at position {p}")


def check_logits(runs):
    model = tiny.Model()
    base = model.shape["base"]

    def angle(p, i):
        return p * base ** (-2 * i / 8)

    own = model.logits(TOKENS, angle)
    found = runs.logits(model.bytes(), "--threads", "2")
    compare("the file's own scheme", found, own)
    check(found == runs.logits(model.bytes(version=2), "--threads", "1"), "one thread and two differ")
    (runs.folder / "long.npy").write_bytes(tiny.npy(TOKENS, "<i8"))
    check(found == runs.logits(model.bytes(), tokens="long.npy"), "int64 tokens differ from int32")
    (runs.folder / "first.npy").write_bytes(tiny.npy(TOKENS[:1]))
    counted = sum(math.prod(shape) for _, shape, _ in model.tensors.values())
    told = runs.forward(model.bytes()).stdout
    check(f"llama, 2 layers, {counted} parameters; rotary base={base:g}; 70 tokens: " in told, told)
    told = runs.forward(model.bytes(), "--scheme", "rotary-yarn", "--set", "factor=4").stdout
    check(f"rotary-yarn base={base:g} factor=4 original={model.shape['context']} " in told, told)
    compare("one token", runs.logits(model.bytes(), tokens="first.npy"), own[:1])
    compare("linear", runs.logits(model.bytes(), "--scheme", "rotary-linear", "--set", "factor=4"),
            model.logits(TOKENS, lambda p, i: angle(p, i) / 4))
    compare("another base", runs.logits(model.bytes(), "--scheme", "rotary", "--set", "base=10000"),
            model.logits(TOKENS, lambda p, i: p * 10000.0 ** (-2 * i / 8)))
    compare("alibi", runs.logits(model.bytes(), "--scheme", "alibi"),
            model.logits(TOKENS, bias=lambda head, n: -2.0 ** (-8 * head / 4) * n))
    compare("window", runs.logits(model.bytes(), "--scheme", "window", "--from", "window.toml"),
            model.logits(TOKENS, angle, visible=lambda q, k: 0 <= q - k < 9))
    plain = ("--set", f"base={base:g}", "--from", "window.toml")
    compare("shifted", runs.logits(model.bytes(), "--scheme", "shifted", *plain),
            model.logits(TOKENS, angle, far=(lambda q, k: q - k >= 30, lambda p, i: angle(p - 25, i), angle)))
    compare("grouped", runs.logits(model.bytes(), "--scheme", "grouped", *plain),
            model.logits(TOKENS, angle, far=(lambda q, k: q - k >= 7 and k % 3 > 0, lambda p, i: angle(p // 4 + 6, i),
                                             lambda p, i: angle(p // 4, i))))
    near = model.logits(TOKENS, angle, visible=lambda q, k: 0 <= q - k < 9)
    windowed = model.bytes(keys={**model.keys(), "attention.sliding_window": 9})
    compare("the file's window", runs.logits(windowed), near)
    compare("without the file's window", runs.logits(windowed, "--scheme", "rotary"), own)
    other = tiny.Model(seed=2, kinds=("F32",), tied=False, heads=3, key_heads=1, head_dim=10, rotated=4, width=20,
                       ffn=28, vocabulary=53)
    compare("own head, part of a head rotated, widths of no whole vectors", runs.logits(other.bytes()),
            other.logits(TOKENS, lambda p, i: p * base ** (-2 * i / 4)))
    # So many tokens are computed in several blocks, which threads share.
    many = [(5 * i * i + i) % 50 for i in range(170)]
    (runs.folder / "many.npy").write_bytes(tiny.npy(many))
    found = runs.logits(model.bytes(), "--threads", "1", tokens="many.npy")
    compare("many tokens", found, model.logits(many, angle))
    for threads in ("2", "3"):
        shared = runs.logits(model.bytes(), "--threads", threads, tokens="many.npy")
        check(found == shared, f"one thread and {threads} differ")


def check_refusals(runs):
    model = tiny.Model()
    whole = model.bytes()

    def changed(**changes):
        return model.bytes(keys={**model.keys(), **changes})

    def without(*names):
        return model.bytes(keys={key: value for key, value in model.keys().items() if key not in names})

    def broken(name, value):
        other = tiny.Model()
        kind, shape, content = other.tensors[name]
        other.tensors[name][2] = content[:40] + value + content[40 + len(value):]
        return other.bytes()

    unknown = model.bytes(kind_numbers={"blk.1.attn_v.weight": 10})
    nameless = model.bytes(kind_numbers={"blk.1.attn_v.weight": 77})
    extra = tiny.Model()
    extra.tensors["blk.0.attn_sinks.weight"] = ["F32", (4,), bytes(16)]
    wrong = tiny.Model()
    wrong.tensors["blk.0.attn_q.bias"] = ["F32", (31,), bytes(124)]
    lacking = tiny.Model()
    del lacking.tensors["blk.1.ffn_up.weight"]
    # Without a key, a head has width/heads columns, but at least one.
    narrow = [tiny.Model(kinds=("F32",), heads=4, key_heads=2, head_dim=1, rotated=1, width=width) for width in (4, 2)]
    of_heads = ("attention.key_length", "attention.value_length", "rope.dimension_count")
    narrow = [each.bytes(keys={key: value for key, value in each.keys().items() if key not in of_heads})
              for each in narrow]
    nan, infinity = (struct.pack("<f", float(text)) for text in ("nan", "inf"))
    for content, wanted in (
            (whole[:-33], "a whole file"), (whole[:300], "a whole file"), (b"GGUF" + whole[4:8], "a whole file"),
            (model.bytes(offset=1 << 40), "from byte 1099511627776 of the data"),
            (model.bytes(offset=(1 << 64) - 4096 * 64), "a whole file"),
            (unknown, "'blk.1.attn_v.weight' has the type Q2_K, which is not supported; expected F32, F16, Q4_0"),
            (nameless, "'blk.1.attn_v.weight' has the unknown type 77"),
            (whole.replace(b"general.architecture", b"general.architectura"), "'general.architecture' is missing"),
            (model.bytes("lama"), "unknown architecture 'lama'"), (model.bytes("mamba"), "known here: llama"),
            (without("block_count"), "'llama.block_count' is missing"),
            (changed(block_count=3), "'blk.2.attn_norm.weight' is missing"),
            (changed(block_count=1 << 31), "'llama.block_count' is 2147483648"),
            (changed(block_count=1), "is not supported"),
            (changed(feed_forward_length=(1 << 30) + 1), "'llama.feed_forward_length' is 1073741825; expected a whole number from 1 to 2^30"),
            (changed(feed_forward_length=1 << 30), "expected [1073741824, 32]"),
            (lacking.bytes(), "'blk.1.ffn_up.weight' is missing"),
            (extra.bytes(), "'blk.0.attn_sinks.weight' is not supported"),
            (wrong.bytes(), "'blk.0.attn_q.bias' has the shape [31]; expected [32]"),
            (changed(**{"attention.sliding_window": 0.5}), "'llama.attention.sliding_window' is 0.5"),
            (changed(**{"attention.clamp_kqv": 8.0}), "'llama.attention.clamp_kqv' is 8, which is not supported"),
            (model.bytes("gpt2"), "'gpt2.attention.layer_norm_epsilon' is missing"),
            (changed(feed_forward_length=96), "'blk.0.ffn_gate.weight' has the shape [64, 32]; expected [96, 32]"),
            (changed(**{"attention.head_count_kv": 3}), "4 query heads share 3 key heads"),
            (changed(**{"rope.dimension_count": 7}), "7 columns of a head of 8"),
            (changed(**{"rope.dimension_count": 10}), "10 columns of a head of 8"),
            *((content, "1 columns of a head of 1 are rotated; expected an even number") for content in narrow),
            (changed(**{"attention.layer_norm_rms_epsilon": float("nan")}), "is not a number"),
            (changed(**{"rope.freq_base": -1.0}), "'llama.rope.freq_base' is -1"),
            (changed(expert_count=8), "a mixture of 8 experts"),
            (model.bytes(texts=[("llama.rope.scaling.type", "dynamic")], keys={**model.keys(), "rope.scaling.factor": 4.0}),
             "--scheme NAME"),
            (broken("blk.0.attn_norm.weight", nan), "'blk.0.attn_norm.weight' holds nan in row 0, column 10"),
            (broken("token_embd.weight", infinity), "'token_embd.weight' holds inf in row 0, column 10")):
        done = runs.forward(content)
        is_told = wanted in done.stderr and "model.gguf" in done.stderr
        check(done.returncode == 2 and is_told, f"{wanted}: {done.returncode} {done.stderr}")
        check(not (runs.folder / "logits.npy").exists(), f"{wanted}: there are logits")
    for tokens, wanted in ((tiny.npy([1, 50]), "token 50 at position 1"), (tiny.npy([-1]), "token -1 at position 0"),
                           (tiny.npy([2147483647]), "token 2147483647 at position 0; expected 0 to 49, the vocabulary"),
                           (tiny.npy([2147483648], "<i8"), "0 to 2^31 - 1"), (tiny.npy([]), "0 tokens"), (tiny.npy([0.5], "<f4"), "the tokens are float32"),
                           (tiny.npy([1, 2], shape=(1, 2)), "shape [1, 2]")):
        (runs.folder / "bad.npy").write_bytes(tokens)
        done = runs.forward(whole, tokens="bad.npy")
        check(done.returncode == 2 and wanted in done.stderr, f"{wanted}: {done.returncode} {done.stderr}")
    for options, wanted in ((("--scheme", "rotray"), "Did you mean 'rotary'"),
                            (("--scheme", "rotary", "--set", "bse=3"), "bse"),
                            (("--scheme", "shaw"), "relative vectors"),
                            (("--scheme", "rotary", "--set", "base=0"), "the param 'base' of scheme 'rotary' is 0; expected base > 0")):
        done = runs.forward(whole, *options)
        check(done.returncode == 2 and wanted in done.stderr, f"{wanted}: {done.returncode} {done.stderr}")


def check_memory(runs):
    """Refuses more tokens than fit into 1 GiB of address space before computing anything, and names the bytes."""
    (runs.folder / "many.npy").write_bytes(tiny.npy([1] * (1 << 22)))
    (runs.folder / "model.gguf").write_bytes(tiny.Model().bytes())
    done = subprocess.run([runs.program, "forward", "model.gguf", "--tokens", "many.npy", "-o", "logits.npy"],
                          cwd=runs.folder, capture_output=True, text=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30)))
    is_told = "memory for 4194304 tokens of 'model.gguf'" in done.stderr and "GiB (position tables" in done.stderr
    check(done.returncode == 3 and is_told, f"{done.returncode} {done.stderr}")
    check(not (runs.folder / "logits.npy").exists(), "there are logits of too many tokens")
    # More than 2^24 tokens are refused by their number, before they are read; the file has no blocks on the disk.
    for more, wanted in ((0, "memory for 16777216 tokens"), (1, "the file has 16777217 tokens; expected 1 to 2^24")):
        count = (1 << 24) + more
        head = tiny.npy([], "|u1", shape=(count,))
        with open(runs.folder / "many.npy", "wb") as file:
            file.write(head)
            file.truncate(len(head) + count)
        done = subprocess.run([runs.program, "forward", "model.gguf", "--tokens", "many.npy", "-o", "logits.npy"],
                              cwd=runs.folder, capture_output=True, text=True,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30)))
        check(done.returncode == (2 if more else 3) and wanted in done.stderr, f"{done.returncode} {done.stderr}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(sys.argv[1], pathlib.Path(folder))
        check_logits(runs)
        check_refusals(runs)
        check_memory(runs)


if __name__ == "__main__":
    main()
