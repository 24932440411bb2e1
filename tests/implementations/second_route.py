"""Confirms the unexpected results of docs/implementations.md without farfield, using only Python's standard library.

Usage: second_route.py ROOT

Each check computes the behaviour of an implementation from the paper's formula, and compares it with the committed
tensor. If the page says that the plain formula does not hold, that is checked too.
"""
import math
import pathlib
import struct
import sys

from tensors import File

WIDTH = 64


def bf16(x):
    """The nearest bfloat16, ties to even."""
    bits = struct.unpack("<I", struct.pack("<f", x))[0]
    bits += 0x7FFF + ((bits >> 16) & 1)
    return struct.unpack("<f", struct.pack("<I", bits & 0xFFFF0000))[0]


def fp16(x):
    return struct.unpack("<e", struct.pack("<e", x))[0]


def frequency(i):
    return 10000.0 ** (-2 * i / WIDTH)


def rotated(x, position, angle=lambda p, i: p * frequency(i), scale=lambda p, i: 1.0):
    """Interleaved pairs of one vector."""
    y = []
    for i in range(WIDTH // 2):
        c, s, z = math.cos(angle(position, i)), math.sin(angle(position, i)), scale(position, i)
        y += [(x[2 * i] * c - x[2 * i + 1] * s) * z, (x[2 * i] * s + x[2 * i + 1] * c) * z]
    return y


def furthest(rows, expected):
    return max(abs(a - b) for row, other in zip(rows, expected) for a, b in zip(row, other))


def first_off(positions, rows, expected, bound):
    """The first position at which a number differs by more than the bound."""
    for position, row, other in zip(positions, rows, expected):
        if furthest([row], [other]) > bound:
            return position
    return None


def first_beyond(positions, q, rows, rounding, bits):
    """The first position at which a rotated vector differs by more than two units. A unit is the format's spacing at
    |x| + |y|."""
    for position, x, row in zip(positions, q, rows):
        for j, (number, wanted) in enumerate(zip(row, rotated(x, position))):
            unit = 2.0 ** (math.floor(math.log2(abs(x[j]) + abs(x[j ^ 1]))) - bits)
            if abs(number - rounding(wanted)) > 2 * unit:
                return position
    return None


def rotary_embedding_torch(file):
    positions, q = file.numbers("positions"), file.rows("q")
    exact = [rotated(x, p) for x, p in zip(q, positions)]
    rounded = [rotated(x, bf16(p)) for x, p in zip(q, positions)]
    rows = file.rows("q-bfloat16")
    yield "bfloat16: positions rounded", furthest(rows, rounded) < 0.04  # 2 units of numbers up to 4.2, and float32's angles
    yield "bfloat16: wrong from 257 on", first_beyond(positions, q, rows, bf16, 7) == 257
    yield "a module in bfloat16: wrong from 17 on", first_beyond(positions, q, file.rows("q-bfloat16-module"), bf16, 7) == 17
    rows, near = file.rows("q-after-bfloat16"), file.numbers("cached-positions")
    yield "after bfloat16: positions rounded", furthest(rows, rounded) < 0.003
    yield "after bfloat16: wrong from 257 on", first_off(near, rows, exact, 0.003) == 257
    rows, half = file.rows("q-float16"), file.numbers("q-float16-positions")
    yield "float16: wrong from 2049 on", first_beyond(half, file.rows("q-float16-q"), rows, fp16, 10) == 2049
    yield "float16: positions rounded", furthest(rows, [rotated(x, fp16(p)) for x, p in zip(q, half)]) < 0.03
    yield "float16: finite below 65520", half[-1] == 65519 and 65520 in positions
    whole, decoded = file.rows("whole-q"), file.rows("decoded-q")
    ratio = [((i // 2 * 2 / WIDTH + 0.4) / 1.4) ** ((1024 - 24) / 2 / 512) for i in range(WIDTH)]
    yield "xPos: decoded queries are short of a factor", furthest(decoded, [[x * r for x, r in zip(row, ratio)] for row in whole]) < 1e-4
    yield "xPos: less than a third in the fastest pair", ratio[0] < 1 / 3


def x_transformers(file):
    def bucket(n):
        return n if n < 16 else min(31, 16 + int(math.log(n / 16) / math.log(8) * 16))
    yield "T5: 8 times the bucket", file.numbers("t5") == [8 * bucket(n) for n in range(400)]
    positions, rows = file.numbers("positions"), file.rows("alibi-float16")
    yield "ALiBi in float16: -inf from 65520 on", all(math.isinf(row[-1]) == (p >= 65520) for p, row in zip(positions, rows))
    yield "rotary in bfloat16: wrong from 17 on", first_beyond(positions, file.rows("q"), file.rows("q-bfloat16"), bf16, 7) == 17
    half, q = file.numbers("q-float16-positions"), file.rows("q-float16-q")
    yield "rotary in float16: wrong from 11 on", first_beyond(half, q, file.rows("q-float16"), fp16, 10) == 11
    yield "half a head is rotated", file.shape("decoder-angle") == [24, WIDTH // 2]
    step = file.rows("decoder-angle")[1]
    yield "with the frequencies of that half", all(abs(step[j] - 10000.0 ** (-2 * (j // 2) / (WIDTH // 2))) < 1e-7 for j in range(WIDTH // 2))


def torchscale(file):
    def zeta(p, i):
        return ((2 * i / WIDTH + 0.4) / 1.4) ** ((p - 2048) / 512)
    positions, q = file.numbers("positions"), file.rows("q")
    for name, rounding, allowed in (("float16", fp16, 0.01), ("bfloat16", bf16, 0.08)):
        own = [rotated(x, p, lambda p, i: rounding(p * frequency(i))) for x, p in zip(q, positions)]
        rows = [[y / zeta(p, j // 2) for j, y in enumerate(row)] for p, row in zip(positions, file.rows(f"q-{name}"))]
        exact = [rotated(x, p) for x, p in zip(q, positions)]
        # Scales are rounded too, by up to four roundings and the errors of their exponents.
        yield f"{name}: angles rounded to the format", furthest(rows, own) < 4.3 * allowed
        yield f"{name}: exact angles do not give it", furthest(rows, exact) > 20 * allowed
    for name, first in (("float16", 9061), ("bfloat16", 72447), ("float32", 72521)):
        lengths = file.numbers(f"lengths-{name}")
        yield f"{name}: finite below {first}", file.numbers(f"finite-{name}") == [int(length < first) for length in lengths]


def transformers(file):
    positions = file.numbers("positions")
    for name, rounding, first, unit in (("float16", fp16, 14, 2 ** -10), ("bfloat16", bf16, 63, 2 ** -7)):
        exact = [[rounding(math.cos(p * frequency(i))) for i in range(WIDTH // 2)] for p in positions]
        own = [[math.cos(p * rounding(frequency(i))) for i in range(WIDTH // 2)] for p in positions]
        yield f"to({name}): frequencies rounded", furthest(file.rows(f"put-cos-{name}"), own) < 2 * unit
        yield f"to({name}): off from {first} on", first_off(positions, file.rows(f"put-cos-{name}"), exact, 2 * unit) == first
        yield f"from_pretrained({name}): right", furthest(file.rows(f"loaded-cos-{name}"), exact) < 3 * unit
    keys = range(24)
    slopes = [2.0 ** (-h) for h in range(1, 9)] + [2.0 ** (-(2 * h - 1) / 2) for h in range(1, 5)]
    falcon = [[bf16(bf16(slope) * key) for key in keys] for slope in slopes]
    yield "Falcon: bfloat16 whatever is asked for", file.rows("falcon-alibi") == falcon and file.type("falcon-alibi") == "F32"
    for query in (255, 1023, 4095):
        seen = [[bf16(slope * (query - n)) - bf16(slope * query) for slope in slopes[:8]] for n in range(64)]
        yield f"BLOOM and Falcon at {query}", file.rows(f"bloom-seen-{query}") == seen and file.rows(f"falcon-seen-{query}") == seen
    for name in ("m2m", "whisper"):
        sines = [[math.sin(p * math.exp(-i * math.log(10000) / 31)) for i in range(32)] for p in range(24)]
        yield f"{name}: down to 1/10000 itself", furthest(file.rows(f"{name}-sin"), sines) < 1e-5
    yield "YaRN: the temperature's root at position 0", all(abs(x - (0.1 * math.log(16) + 1)) < 1e-6 for x in file.rows("yarn-cos")[0])
    q = file.rows("q")
    halves = [[x[i + 32 * part] for i in range(32) for part in (0, 1)] for x in q]
    expected = [rotated(x, p) for p, x in enumerate(halves)]
    found = [[y[i + 32 * part] for i in range(32) for part in (0, 1)] for y in file.rows("llama-q")]
    yield "Llama: i is paired with i + d/2", furthest(found, expected) < 1e-5
    yield "MPNet: earlier keys", file.numbers("mpnet-earlier") == [t5_bucket(n, 16) for n in range(400)]
    yield "MPNet: later keys", file.numbers("mpnet-later") == [t5_bucket(n, 16) + 16 * (n > 0) for n in range(400)]


def attn_gym(file):
    rows = file.rows("window")
    yield "a window of 8 shows 9 tokens", all(sum(row) == min(query + 1, 9) for query, row in enumerate(rows))
    yield "12 heads: the formula's slopes", all(abs(file.numbers("alibi-12")[h * 576 + 24] + 2.0 ** (-8 * (h + 1) / 12)) < 1e-6 for h in range(12))


def halves(x, position, angle=lambda p, i: p * frequency(i), scale=lambda p, i: 1.0):
    """Like rotated(), but i is paired with i + d/2."""
    half = WIDTH // 2
    y = rotated([x[i + half * part] for i in range(half) for part in (0, 1)], position, angle, scale)
    return [y[2 * i + part] for part in (0, 1) for i in range(half)]


def equinox(file):
    q = file.rows("short-q")
    first = [halves(x, p) for p, x in enumerate(q)]
    asked = [halves(x, p, lambda p, i: p * 500000.0 ** (-2 * i / WIDTH)) for p, x in enumerate(q)]
    yield "base 500000 after base 10000: that of the first", furthest(file.rows("theta-500000"), first) < 1e-5
    yield "not its own", furthest(file.rows("theta-500000"), asked) > 1
    yield "to the last bit", file.rows("theta-500000") == file.rows("theta-10000")


def mlx(file):
    positions, q = file.numbers("positions"), file.rows("q")
    yield "bfloat16: right throughout", first_beyond(positions, q, file.rows("q-bfloat16"), bf16, 7) is None
    rows = file.rows("alibi-float16")
    yield "ALiBi in float16: -inf from 65520 on", all(math.isinf(row[-1]) == (p >= 65520) for p, row in zip(positions, rows))
    sines = [[math.sin(p * 10000.0 ** (-i / 31)) for i in range(32)] for p in range(24)]
    yield "sines down to 1/10000 itself", furthest(file.rows("sinusoidal-sin"), sines) < 2e-5


def keras_hub(file):
    positions, q, rows = file.numbers("positions"), file.rows("q"), file.rows("dynamic-q")
    slowed = [halves(x, p, lambda p, i: p * frequency(i) / 8 ** (64 / 62)) for p, x in zip(positions, q)]
    base = 10000.0 * 8 ** (64 / 62)
    aware = [halves(x, p, lambda p, i: p * base ** (-2 * i / WIDTH)) for p, x in zip(positions, q)]
    yield "dynamic: every frequency is divided", furthest(rows, slowed) < 0.02
    yield "dynamic: the fastest pair too, which the rule leaves alone", furthest(rows[:3], aware[:3]) > 1
    table = [[bf16(math.sin(p)) for p in positions], [row[0] for row in file.rows("sine-bfloat16")]]
    own = [bf16(math.sin(bf16(p))) for p in positions]
    yield "sines in bfloat16: positions rounded", furthest([table[1]], [own]) < 0.01 and furthest([table[1]], [table[0]]) > 1


def local_attention(file):
    def zeta(p, i, stretch):
        return ((2 * i / WIDTH + 0.4) / 1.4) ** ((p - 64) / stretch)
    q = file.rows("q")
    for stretch, holds in ((64, True), (512, False)):
        expected = [halves(x, p, scale=lambda p, i: zeta(p, i, stretch)) for p, x in enumerate(q)]
        yield f"a scale base of {stretch}: {'yes' if holds else 'no'}", (furthest(file.rows("xpos-q"), expected) < 1e-3) == holds


def cosines(positions, frequencies):
    return [[math.cos(p * f) for f in frequencies] for p in positions]


def near(positions, limit=1024):
    """The number of positions below the limit, where the error of float32 angles is below CLOSE."""
    return sum(p < limit for p in positions)


def ramp(slow, fast, original, size=WIDTH):
    """The ramp over the pair's index in the public code of YaRN: 0 for pairs that are kept, 1 for pairs divided by the
    factor."""
    def at(turns):
        return size * math.log(original / (turns * 2 * math.pi)) / (2 * math.log(10000))
    low, high = max(math.floor(at(fast)), 0), min(math.ceil(at(slow)), size - 1)
    return [min(max((i - low) / (high - low), 0), 1) for i in range(size // 2)]


def yarn(blend, factor):
    return [frequency(i) * (1 - b + b / factor) for i, b in enumerate(blend)]


def llama3(base):
    """The factor is 8 for pairs that turn less than once in 8192 tokens, and 1 above 4 turns."""
    kept = [min(max((8192 * base ** (-2 * i / WIDTH) / (2 * math.pi) - 1) / 3, 0), 1) for i in range(WIDTH // 2)]
    return [base ** (-2 * i / WIDTH) * (k + (1 - k) / 8) for i, k in enumerate(kept)]


PLAIN = [frequency(i) for i in range(WIDTH // 2)]
CLOSE = 2e-4  # two roundings of an angle below 1024, each of 2^-14 at most


def litgpt(file):
    positions = file.numbers("positions")
    count = near(positions)
    def off(name, frequencies):
        return furthest(file.rows(name)[:count], cosines(positions[:count], frequencies))
    blend = ramp(1, 32, 4096)
    yield "rotary", off("default-cos", PLAIN) < CLOSE
    yield "Llama 3", off("llama3-cos", llama3(500000.0)) < CLOSE
    yield "YaRN: the ramp reversed", off("yarn-cos", yarn([1 - b for b in blend], 16)) < CLOSE
    yield "YaRN: not as its authors have it", off("yarn-cos", yarn(blend, 16)) > 1


def torchtune(file):
    positions, q = file.numbers("positions"), file.rows("q")
    count = near(positions)
    slowed = llama3(10000.0)
    yield "rotary", furthest(file.rows("q-float32")[:count], [rotated(x, p) for x, p in zip(q[:count], positions)]) < 1e-3
    yield "Llama 3 with base 10000", furthest(file.rows("q-llama3")[:count], [rotated(x, p, lambda p, i: p * slowed[i]) for x, p in zip(q[:count], positions)]) < 1e-3
    yield "bfloat16: right throughout", first_beyond(positions, q, file.rows("q-bfloat16"), bf16, 7) is None


def speechbrain(file):
    positions, cos, sin = file.numbers("positions"), file.rows("cos"), file.rows("sin")
    count = near(positions)
    yield "each cosine twice", furthest([row[::2] for row in cos[:count]], cosines(positions[:count], PLAIN)) < CLOSE and all(row[::2] == row[1::2] for row in cos)
    yield "the first sine of a pair negative", all(a == -b for row in sin for a, b in zip(row[::2], row[1::2]))
    past, future = file.rows("relative-past"), file.rows("relative-future")
    yield "one row for both directions", past == future
    yield "the row of a positive distance", furthest([row[::2] for row in future], [[math.sin(n * f) for f in PLAIN] for n in range(24)]) < 1e-5


def timm(file):
    half = [10000.0 ** (-2 * i / 16) for i in range(8)]
    grid = [(row, column) for row in range(4) for column in range(6)]
    expected = [[math.cos(place * f) for place in each for f in half] for each in grid]
    rows = file.rows("language-cos")
    yield "half by the row, half by the column", furthest([row[::2] for row in rows], expected) < 1e-5 and all(row[::2] == row[1::2] for row in rows)
    yield "pixels: other frequencies", furthest(file.rows("pixels-cos"), file.rows("language-cos")) > 1


def diffusers(file):
    positions = file.numbers("positions")
    count = near(positions)
    def off(name, frequencies):
        return furthest(file.rows(name)[:count], cosines(positions[:count], frequencies))
    yield "rotary", off("default-cos", PLAIN) < CLOSE
    yield "linear_factor", off("linear-cos", [f / 4 for f in PLAIN]) < CLOSE
    yield "ntk_factor multiplies the base", off("ntk-cos", [80000.0 ** (-2 * i / WIDTH) for i in range(32)]) < CLOSE
    yield "not by factor^(d/(d - 2))", off("ntk-cos", [(10000.0 * 8 ** (64 / 62)) ** (-2 * i / WIDTH) for i in range(32)]) > 1
    for shift in (0, 1):
        expected = [[math.sin(p * 10000.0 ** (-i / (32 - shift))) for i in range(32)] for p in range(24)]
        yield f"sines, shift {shift}", furthest(file.rows(f"shift-{shift}-sin"), expected) < 1e-5


def public_slopes():
    return [2.0 ** -h for h in range(1, 9)] + [2.0 ** -(h - 0.5) for h in range(1, 5)]


def llm_foundry(file):
    numbers = file.numbers("alibi-12")
    expected = [-slope * abs(q - k) for slope in public_slopes() for q in range(24) for k in range(24)]
    yield "12 heads: the public code's slopes, for later keys too", furthest([numbers], [expected]) < 1e-5
    yield "8 heads", file.numbers("alibi-8") == [-(2.0 ** -h) * abs(q - k) for h in range(1, 9) for q in range(24) for k in range(24)]


def curated_transformers(file):
    positions, q = file.numbers("positions"), file.rows("q")
    count = near(positions)
    yield "halves paired", furthest(file.rows("q-float32")[:count], [halves(x, p) for x, p in zip(q[:count], positions)]) < 1e-3
    expected = [-slope * (23 - k) for slope in public_slopes() for k in range(24)]
    yield "ALiBi with the public code's slopes, up to a constant", all(
        abs((a - a0) - (b - b0)) < 1e-5
        for h in range(12) for found, wanted in [(file.numbers("alibi-causal")[24 * h:24 * h + 24], expected[24 * h:24 * h + 24])]
        for a0, b0 in [(found[-1], wanted[-1])] for a, b in zip(found, wanted))


def t5_bucket(n, count):
    return n if n < count // 2 else min(count - 1, count // 2 + int(math.log(n / (count // 2)) / math.log(128 / (count // 2)) * (count // 2)))


def megatron_core(file):
    positions = file.numbers("positions")
    for name, frequencies in (("default", PLAIN), ("interpolated", [f / 4 for f in PLAIN]), ("llama3", llama3(500000.0))):
        rows = file.rows(f"{name}-angle")
        yield f"{name} angles", all(abs(x - p * f) <= 1e-6 * p * f for p, row in zip(positions, rows) for x, f in zip(row, frequencies))
    yield "T5's buckets", file.numbers("t5-decoder") == [t5_bucket(n, 32) for n in range(400)]
    yield "for both directions", file.numbers("t5-encoder") == [t5_bucket(n, 16) for n in range(400)]


def vllm(file):
    positions = file.numbers("positions")
    count = near(positions)
    def off(name, frequencies, times=1):
        return furthest(file.rows(name)[:count], [[times * x for x in row] for row in cosines(positions[:count], frequencies)])
    yield "rotary", off("default-cos", PLAIN) < CLOSE
    yield "Llama 3", off("llama3-cos", llama3(500000.0)) < CLOSE
    yield "YaRN by index, times the root of the temperature", off("yarn-cos", yarn(ramp(1, 32, 8192), 16), 0.1 * math.log(16) + 1) < CLOSE
    yield "NTK-RoPE-fixed", off("ntk-cos", [frequency(i) / 8 ** (2 * (i + 1) / WIDTH) for i in range(32)]) < CLOSE
    yield "not the NTK-aware change of base", off("ntk-cos", [(10000.0 * 8 ** (64 / 62)) ** (-2 * i / WIDTH) for i in range(32)]) > 1


def tinygrad(file):
    positions, q = file.numbers("positions"), file.rows("q")
    yield "cosines", furthest(file.rows("cos"), cosines(positions, PLAIN)) < CLOSE
    yield "halves paired", furthest(file.rows("q-float32"), [halves(x, p) for x, p in zip(q, positions)]) < 1e-3


def espnet(file):
    positions, rows = file.numbers("positions"), file.rows("sinusoidal")
    count = near(positions)
    yield "sines before cosines in each pair", furthest([row[1::2] for row in rows[:count]], cosines(positions[:count], PLAIN)) < CLOSE
    relative = [[math.sin(n * f) for f in PLAIN] for n in file.numbers("distances")]
    yield "relative: the sine of a negative distance is negative", furthest([row[::2] for row in file.rows("relative")], relative) < 1e-5


def flash_linear_attention(file):
    positions = file.numbers("positions")
    count = near(positions)
    yield "rotary", furthest(file.rows("cos-float32")[:count], cosines(positions[:count], PLAIN)) < CLOSE
    yield "bfloat16: right throughout", furthest(file.rows("cos-bfloat16"), cosines(positions, PLAIN)) < 2 ** -7


CHECKS = {"curated-transformers": curated_transformers, "diffusers": diffusers, "espnet": espnet, "flash-linear-attention": flash_linear_attention,
          "litgpt": litgpt, "llm-foundry": llm_foundry, "megatron-core": megatron_core, "speechbrain": speechbrain, "timm": timm, "tinygrad": tinygrad,
          "torchtune": torchtune, "vllm": vllm,
          "equinox": equinox, "mlx": mlx, "keras-hub": keras_hub, "local-attention": local_attention, "rotary-embedding-torch": rotary_embedding_torch, "x-transformers": x_transformers, "torchscale": torchscale,
          "transformers": transformers, "attn-gym": attn_gym}


def main():
    data = pathlib.Path(sys.argv[1]) / "studies/implementations/data"
    failed = 0
    for package, check in CHECKS.items():
        for name, holds in check(File(data / f"{package}.safetensors")):
            failed += not holds
            print(f"{package}: {name}: {'yes' if holds else 'NO'}")
    without = {path.stem for path in data.glob("*.safetensors")} - set(CHECKS)
    print("".join(f"{name}: no second route\n" for name in sorted(without)), end="")
    return 1 if failed or without else 0


if __name__ == "__main__":
    sys.exit(main())
