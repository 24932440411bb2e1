"""Quantities of a small random checkpoint in a study: study.py PROGRAM

numpy computes the expected values here in double precision, from the weights as read back from the file: losses,
attention, and the gradient by the complex step, which is exact up to rounding (Squire and Trapp 1998).
"""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # one thread, because the matrices are small
import numpy  # noqa: E402
import tiny
import tokens

LENGTH = 24
CONTEXTS = 3
STUDY = tiny.STUDY + """
[scheme.near]
extends = "rotary"
mask = "q - k < 5 or k < 2"

[scheme.shifted]
params = { base = 10000 }
let = { f = "base^(-2*i/d)" }
rotate = { angle = "p*f", far = { where = "n >= 9 and k % 5 > 0", query = "(p - 6)*f", key = "0.9*p*f" } }

[checkpoint.shifted]
file = "model.gguf"
corpus = "text"
scheme = "shifted"

[checkpoint.near]
file = "model.gguf"
corpus = "text"
scheme = "near"

[checkpoint.linear]
file = "model.gguf"
corpus = "text"
scheme = "rotary-linear"
params = { factor = 4 }

[checkpoint.alibi]
file = "model.gguf"
corpus = "text"
scheme = "alibi"
"""
KINDS = {
    "perplexity": f"lengths = [8, {LENGTH}]\ntargets = 4\nsegments = {CONTEXTS}",
    "loss-by-position": f"length = {LENGTH}\nbin = 10\nsegments = {CONTEXTS}",
    "gradient-field": f"length = {LENGTH}\ncontexts = {CONTEXTS}",
    "gradient-field of layer 2": f"length = {LENGTH}\ncontexts = {CONTEXTS}\nlayer = 2",
    "attention-resolution": f"length = {LENGTH}\ncontexts = {CONTEXTS}",
    "attention-sink": f"length = {LENGTH}\ncontexts = {CONTEXTS}\neps = 0.1",
    "attention-by-distance": f"length = {LENGTH}\ncontexts = {CONTEXTS}\nskip = 1",
    "frequency-use": f"length = {LENGTH}\ncontexts = {CONTEXTS}",
}


def check(condition, message):
    if not condition:
        raise AssertionError(message)


class Reference:
    """The model of tiny.py in numpy, for real and complex numbers."""

    def __init__(self, model, angle=None, bias=None, visible=None, far=None):
        """`far` is a function where(q, k) of the pairs with a second rotation, and the second angles of queries and
        keys."""
        self.s = model.shape
        self.w = {name: numpy.array(rows) for name, rows in model.weights.items()}
        self.angle, self.bias, self.visible, self.far = angle, bias, visible, far

    def norm(self, x, name):
        mean = (x * x).sum(-1, keepdims=True) / x.shape[-1]
        return x / numpy.sqrt(mean + self.s["epsilon"]) * self.w[name][0]

    def turned(self, x, positions, angle):
        """x: [..., L, d]"""
        if angle is None:
            return x
        pairs = self.s["rotated"] // 2
        angles = numpy.array([[angle(p, i) for i in range(pairs)] for p in positions])
        cosine, sine = numpy.cos(angles), numpy.sin(angles)
        result = x.copy()
        a, b = x[..., 0:2 * pairs:2], x[..., 1:2 * pairs:2]
        result[..., 0:2 * pairs:2], result[..., 1:2 * pairs:2] = a * cosine - b * sine, a * sine + b * cosine
        return result

    def run(self, stream, first=0):
        """Computes logits from the input of layer `first`, [..., L, C]. Keeps the input, attention logits,
        probabilities, queries and keys of each layer."""
        s, length = self.s, stream.shape[-2]
        heads, dim, group = s["heads"], s["head_dim"], s["heads"] // s["key_heads"]
        q_at, k_at = numpy.arange(length)[:, None], numpy.arange(length)[None, :]
        shown = k_at <= q_at
        if self.visible is not None:
            shown &= self.visible(q_at, k_at)
        self.logits, self.shares, self.vectors, self.entered = [], [], [], []
        for layer in range(first, s["layers"]):
            self.entered.append(stream)

            def matrix(part, y, layer=layer):
                return y @ self.w[f"blk.{layer}.{part}.weight"].T
            y = self.norm(stream, f"blk.{layer}.attn_norm.weight")
            split = lambda x, n: numpy.moveaxis(x.reshape(*x.shape[:-1], n, dim), -2, -3)  # noqa: E731
            q, k, v = (split(matrix(part, y), n) for part, n in
                       (("attn_q", heads), ("attn_k", s["key_heads"]), ("attn_v", s["key_heads"])))
            k, v = numpy.repeat(k, group, -3), numpy.repeat(v, group, -3)
            self.vectors.append((q, k))
            def products(of_queries, of_keys, q=q, k=k):
                q, k = self.turned(q, range(length), of_queries), self.turned(k, range(length), of_keys)
                return q @ numpy.swapaxes(k, -1, -2) / dim ** 0.5
            dots = products(self.angle, self.angle)
            if self.far is not None:
                dots = numpy.where(self.far[0](q_at, k_at), products(*self.far[1:]), dots)
            if self.bias is not None:
                dots = dots + numpy.array([self.bias(h + 1, q_at - k_at) for h in range(heads)])
            dots = numpy.where(shown, dots, -numpy.inf)
            powers = numpy.where(shown, numpy.exp(dots - dots.real.max(-1, keepdims=True)), 0)
            shares = powers / powers.sum(-1, keepdims=True)
            self.logits.append(dots)
            self.shares.append(shares)
            mixed = numpy.moveaxis(shares @ v, -3, -2)
            stream = stream + matrix("attn_output", mixed.reshape(*mixed.shape[:-2], heads * dim))
            y = self.norm(stream, f"blk.{layer}.ffn_norm.weight")
            gate = matrix("ffn_gate", y)
            stream = stream + matrix("ffn_down", gate / (1 + numpy.exp(-gate)) * matrix("ffn_up", y))
        head = self.w["token_embd.weight"]
        return self.norm(stream, "output_norm.weight") @ head.T

    def embedded(self, row):
        return self.w["token_embd.weight"][row]

    def losses(self, row):
        logits = self.run(self.embedded(row[:-1]))
        most = logits.max(-1)
        total = numpy.log(numpy.exp(logits - most[:, None]).sum(-1)) + most
        return total - logits[numpy.arange(len(row) - 1), row[1:]]

    def cached_losses(self, row, window):
        """The same one token after the other: each layer keeps the rotated keys and the values of the last `window`
        tokens, and there is no mask."""
        s = self.s
        heads, dim, group = s["heads"], s["head_dim"], s["heads"] // s["key_heads"]
        caches = [([], []) for _ in range(s["layers"])]
        losses = []
        for t in range(len(row) - 1):
            stream = self.embedded(row[t:t + 1])
            for layer, (keys, values) in enumerate(caches):
                def matrix(part, y, layer=layer):
                    return y @ self.w[f"blk.{layer}.{part}.weight"].T
                y = self.norm(stream, f"blk.{layer}.attn_norm.weight")
                q, k, v = (matrix(part, y).reshape(-1, 1, dim) for part in ("attn_q", "attn_k", "attn_v"))
                keys.append(self.turned(k, [t], self.angle))
                values.append(v)
                del keys[:-window], values[:-window]
                all_keys, all_values = (numpy.repeat(numpy.concatenate(part, 1), group, 0) for part in (keys, values))
                dots = (self.turned(q, [t], self.angle) @ numpy.swapaxes(all_keys, 1, 2))[:, 0] / dim ** 0.5
                shares = numpy.exp(dots - dots.max(-1, keepdims=True))
                mixed = (shares / shares.sum(-1, keepdims=True))[:, None] @ all_values
                stream = stream + matrix("attn_output", mixed.reshape(1, heads * dim))
                y = self.norm(stream, f"blk.{layer}.ffn_norm.weight")
                gate = matrix("ffn_gate", y)
                stream = stream + matrix("ffn_down", gate / (1 + numpy.exp(-gate)) * matrix("ffn_up", y))
            logits = (self.norm(stream, "output_norm.weight") @ self.w["token_embd.weight"].T)[0]
            losses.append(numpy.log(numpy.exp(logits - logits.max()).sum()) + logits.max() - logits[row[t + 1]])
        return numpy.array(losses)

    def gradient(self, row, layer=0):
        """The norm, for each position, of the gradient of the last loss with respect to the input of a layer."""
        self.run(self.embedded(row[:-1]))
        stream = self.entered[layer].astype(complex)
        length, width = stream.shape
        result = numpy.empty((length, width))
        step = 1e-30
        for p in range(length):
            moved = numpy.repeat(stream[None], width, 0)
            moved[numpy.arange(width), p, numpy.arange(width)] += 1j * step
            logits = self.run(moved, layer)[:, -1]
            most = logits.real.max(-1)
            loss = numpy.log(numpy.exp(logits - most[:, None]).sum(-1)) + most - logits[:, row[-1]]
            result[p] = loss.imag / step
        return numpy.sqrt((result ** 2).sum(-1))


def held_out(row_tokens, index, count, length):
    """Row `index` of `count` of the only held-out document (docs/training.md, Rows)."""
    start = int((index + 0.5) * (len(row_tokens) - length) / count)
    return numpy.array(row_tokens[start:start + length + 1])


def resolution(s):
    """R(s) of Sun et al. 2023, Eq. (4), with sums over n = 0..N-2."""
    powers = numpy.exp(s - s[:-1].max())
    return (powers[:-1] * (powers[:-1] - powers[1:])).sum() / powers[:-1].sum() ** 2


def expected(reference, row_tokens):
    rows = [held_out(row_tokens, i, CONTEXTS, LENGTH) for i in range(CONTEXTS)]
    values = {}
    for length in (8, LENGTH):
        losses = [reference.losses(row[LENGTH - length:])[-4:].mean() for row in rows]
        values["perplexity", f"nll[{length}]"] = numpy.mean(losses)
    losses = numpy.mean([reference.losses(row) for row in rows], 0)
    for begin in range(0, LENGTH, 10):
        values["loss-by-position", f"nll[{begin}]"] = losses[begin:begin + 10].mean()
    series = {}
    for layer, name in enumerate(("gradient-field", "gradient-field of layer 2")):
        fields = []
        for row in rows:
            norms = reference.gradient(row, layer)[::-1]
            fields.append(norms / norms.sum())
        series[name, "c"] = numpy.mean(fields, 0).cumsum()
    sinks, attentions, queries, keys = [], [], [], []
    sums, counts = 0, 0
    by_distance, within = numpy.zeros(LENGTH), numpy.zeros(LENGTH)
    for row in rows:
        reference.run(reference.embedded(row[:-1]))
        shares, logits = numpy.array(reference.shares), numpy.array(reference.logits)
        mean = shares[..., 0].mean(-1)
        attentions.append(mean.mean())
        sinks.append((mean > 0.1).mean())
        by = numpy.array([[numpy.where(numpy.isfinite(d), d, 0).sum() for n in range(LENGTH)
                           for d in [numpy.diagonal(head, -n)]] for head in logits.reshape(-1, LENGTH, LENGTH)])
        shown = numpy.array([[numpy.isfinite(numpy.diagonal(head, -n)).sum() for n in range(LENGTH)]
                             for head in logits.reshape(-1, LENGTH, LENGTH)])
        sums, counts = sums + by, counts + shown
        late = numpy.arange(LENGTH) >= LENGTH // 2
        for n in range(LENGTH):
            all_pairs = numpy.diagonal(shares[..., 1:], -n - 1, -2, -1)  # of the keys from 1 on
            by_distance[n] += all_pairs.mean() / CONTEXTS if all_pairs.shape[-1] else 0
            queries_of = [q for q in range(LENGTH) if late[q] and q - n >= 1]
            within[n] += sum(shares[..., q, q - n].mean() for q in queries_of) / late.sum() / CONTEXTS
        pairs = [(2 * i, 2 * i + 1) for i in range(reference.s["rotated"] // 2)]
        for q, k in reference.vectors:
            queries.append([numpy.hypot(q[..., a], q[..., b]).mean() for a, b in pairs])
            keys.append([numpy.hypot(k[..., a], k[..., b]).mean() for a, b in pairs])
    values["attention-sink", "share"] = numpy.mean(sinks)
    values["attention-sink", "attention"] = numpy.mean(attentions)
    series["attention-by-distance", "p"] = by_distance
    series["attention-by-distance", "c"] = within.cumsum()
    values["attention-by-distance", "within[8]"] = within[:8].sum()
    series["frequency-use", "q"] = numpy.mean(queries, 0)
    series["frequency-use", "k"] = numpy.mean(keys, 0)
    with numpy.errstate(divide="ignore", invalid="ignore"):
        means = numpy.where(counts > 0, sums / counts, -numpy.inf)
    values["attention-resolution", "R"] = numpy.mean([resolution(s) for s in means])
    return values, series


def run(program, folder, study, *options):
    (folder / "s.toml").write_text(study)
    return subprocess.run([program, "run", "s.toml", "--store", "store", "--fresh", *options], cwd=folder, capture_output=True, text=True)


def key_of(kind, name):
    return f"{kind}-{name}".replace(" ", "-")


def check_values(program, folder, model, encode):
    base = model.shape["base"]
    rotary = lambda p, i: p * base ** (-2 * i / 8)  # noqa: E731
    schemes = {"shifted": {"angle": rotary, "far": (lambda q, k: (q - k >= 9) & (k % 5 > 0),
                                                    lambda p, i: rotary(p - 6, i), lambda p, i: rotary(0.9 * p, i))},
               "own": {"angle": lambda p, i: p * base ** (-2 * i / 8)},
               "near": {"angle": lambda p, i: p * base ** (-2 * i / 8), "visible": lambda q, k: (q - k < 5) | (k < 2)},
               "linear": {"angle": lambda p, i: p * base ** (-2 * i / 8) / 4},
               "alibi": {"bias": lambda head, n: -2.0 ** (-2 * head) * n}}
    study = STUDY
    for name, pieces in schemes.items():
        for kind, keys in KINDS.items():
            if kind == "frequency-use" and "angle" not in pieces:
                continue
            study += f'\n[quantity.{key_of(kind, name)}]\nkind = "{kind.split()[0]}"\nof = "{name}"\n{keys}\n'
    done = run(program, folder, study)
    check(done.returncode == 0, done.stderr + done.stdout)
    record = json.loads((folder / "results/s/results.json").read_text())
    quantities = record["quantities"]
    for name, pieces in schemes.items():
        values, series = expected(Reference(model, **pieces), encode)
        for (kind, value), number in values.items():
            if kind == "frequency-use" and "angle" not in pieces:
                continue
            found = quantities[key_of(kind, name)]["values"][value]
            # Losses and attention are computed in float.
            check(abs(float(found) - number) < 3e-6 * max(1, abs(number)), f"{kind} of {name}: {value} = {found}, not {number}")
        for (kind, column), numbers in series.items():
            if kind == "frequency-use" and "angle" not in pieces:
                continue
            found = numpy.array(columns_of(folder, quantities[key_of(kind, name)])[column], dtype=float)
            worst = numpy.abs(found - numbers).max()
            check(worst < 1e-5, f"{kind} of {name}: {column} is off by {worst}")


def check_tiles(program, folder, model, encode):
    """Attention is computed for 32 queries at a time: a length may be a multiple of 32 or not."""
    lengths = (32, 33, 64)
    kind = 'kind = "attention-sink"\nof = "own"\ncontexts = 1\neps = 0.1\n'
    study = tiny.STUDY + "".join(f"\n[quantity.at-{length}]\n{kind}length = {length}\n" for length in lengths)
    done = run(program, folder, study)
    check(done.returncode == 0, f"{done.returncode} {done.stderr}{done.stdout}")
    quantities = json.loads((folder / "results/s/results.json").read_text())["quantities"]
    reference = Reference(model, lambda p, i: p * model.shape["base"] ** (-2 * i / 8))
    for length in lengths:
        reference.run(reference.embedded(held_out(encode, 0, 1, length)[:-1]))
        wanted = numpy.array(reference.shares)[..., 0].mean()
        found = quantities[f"at-{length}"]["values"]["attention"]
        off = abs(float(found) - wanted)
        check(off < 3e-6, f"the attention of {length} queries to the first token is {found}, not {wanted}")


def check_cache(program, folder, model, encode):
    """The losses of a sliding cache are those of a model that computes token after token with such a cache."""
    window, targets = 6, 5
    quantity = f'kind = "perplexity"\nprotocol = "sliding-cache"\nwindow = {window}\ntargets = {targets}\n'
    study = STUDY + "".join(f'\n[quantity.{name}]\n{quantity}of = "{name}"\nlengths = [{LENGTH}]\nsegments = {CONTEXTS}\n'
                            for name in ("own", "linear"))
    done = run(program, folder, study)
    check(done.returncode == 0, f"{done.returncode} {done.stderr}{done.stdout}")
    quantities = json.loads((folder / "results/s/results.json").read_text())["quantities"]
    for name, factor in (("own", 1), ("linear", 4)):
        reference = Reference(model, lambda p, i: p * model.shape["base"] ** (-2 * i / 8) / factor)  # noqa: B023
        wanted = numpy.mean([reference.cached_losses(held_out(encode, at, CONTEXTS, LENGTH), window)[-targets:].mean()
                             for at in range(CONTEXTS)])
        found = float(quantities[name]["values"][f"nll[{LENGTH}]"])
        check(abs(found - wanted) < 3e-6 * wanted, f"the loss of '{name}' with a cache is {found}, not {wanted}")


def columns_of(folder, quantity):
    lines = (folder / "results/s" / quantity["series"]).read_text().splitlines()
    rows = [line.split(",") for line in lines]
    return {name: [row[at] for row in rows[1:]] for at, name in enumerate(rows[0])}


def check_refusals(program, folder):
    good = STUDY + '\n[quantity.x]\nkind = "perplexity"\nof = "own"\nlengths = [8]\nsegments = 2\n'
    for change, wanted in (
            (("file = \"model.gguf\"\ncorpus", "corpus"), "the checkpoint 'own' has no file"),
            (("file = \"model.gguf\"\ncorpus", "file = \"model.gguf\"\nbuiltin = \"smollm2-135m\"\ncorpus"),
             "has a file and a builtin model"),
            (("file = \"model.gguf\"\ncorpus", "builtin = \"smolm2-135m\"\ncorpus"), "Did you mean 'smollm2-135m'"),
            (("corpus = \"text\"", "corpus = \"tex\""), "unknown corpus 'tex'"),
            (("scheme = \"near\"", "scheme = \"nera\""), "unknown scheme 'nera'"),
            (("factor = 4", "facter = 4"), "facter"),
            (("factor = 4", "factor = \"4\""), "the parameter 'factor' is a text"),
            (("scheme = \"rotary-linear\"\n", ""), "'params' without 'scheme'"),
            (("kind = \"perplexity\"\nof = \"own\"\nlengths = [8]\nsegments = 2", "kind = \"learned\"\nof = \"own\""),
             "'own' is a checkpoint"),
            (("of = \"own\"", "of = \"owm\""), "unknown training 'owm'"),
            (("files = [\"first.txt\", \"second.txt\"]\nsplit = \"document\"\nheld_out = 0.5\n", "builtin = \"copy\"\n"), "is a process, not a text")):
        check(change[0] in good, change[0])
        done = run(program, folder, good.replace(change[0], change[1], 1))
        check(done.returncode == 2 and wanted in done.stderr, f"{wanted}: {done.returncode} {done.stderr} {done.stdout}")


def check_missing(program, folder):
    """Without the file, claims are missing, and the message says how to get it."""
    study = """
[corpus.text]
files = ["first.txt"]
[checkpoint.smol]
builtin = "smollm2-135m"
corpus = "text"
[quantity.x]
kind = "perplexity"
of = "smol"
lengths = [8]
segments = 2
[[claim]]
id = "C-1"
says = "The loss is below 100."
holds = "x.nll[8] < 100"
"""
    (folder / "s.toml").write_text(study)
    environment = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "XDG_DATA_HOME")}
    environment |= {"HOME": str(folder), "FARFIELD_CHECKPOINTS": str(folder / "none")}
    done = subprocess.run([program, "run", "s.toml", "--store", "store"], cwd=folder, capture_output=True, text=True,
                          env=environment)
    told = done.stderr + done.stdout
    check(done.returncode == 3 and "./farfield --install checkpoints" in told and "1 missing" in told,
          f"{done.returncode} {told}")


def check_memory(program, folder):
    """A length that the text has and the memory does not is refused with the bytes, before any table of that length is
    made. The process has 1 GiB of addresses."""
    (folder / "long.txt").write_text("the distance of a head that matters, and nothing else. " * 60000)
    for kind, rows, part in (("loss-by-position", "segments", "activations"), ("gradient-field", "contexts", "gradients")):
        (folder / "s.toml").write_text(f"""
[corpus.text]
files = ["long.txt"]
held_out = 0.9
block = 700000
[checkpoint.own]
file = "model.gguf"
corpus = "text"
[quantity.x]
kind = "{kind}"
of = "own"
length = 600000
{rows} = 1
""")
        start = time.monotonic()
        done = subprocess.run([program, "run", "s.toml", "--store", "store"], cwd=folder, capture_output=True, text=True,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30)))
        is_told = all(words in done.stderr for words in ("memory for 600000 tokens of", f"{part} ", "MiB are available"))
        check(done.returncode == 3 and is_told, f"{done.returncode} {done.stderr}")
        check(time.monotonic() - start < 20, "a length beyond the memory is refused late")


def main():
    program = sys.argv[1]
    known = json.loads(pathlib.Path(__file__).with_name("tokens.json").read_text())
    known["tokens"] += [f"~{i}~" for i in range(200)]  # more rows of the output head than are read at once
    model = tiny.Model(vocabulary=len(known["tokens"]), kinds=("F32", "F16", "Q8_0", "BF16"))
    text = "".join(known["texts"]) + "the distance of a head that matters, and nothing else. " * 4
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        content = model.bytes(**tokens.keys_of(known))
        _, encoded = tokens.tokens_of(program, folder, content, text)
        (folder / "first.txt").write_text("other text")
        (folder / "second.txt").write_bytes(text.encode())
        check_values(program, folder, model, encoded)
        check_tiles(program, folder, model, encoded)
        check_cache(program, folder, model, encoded)
        check_refusals(program, folder)
        check_missing(program, folder)
        check_memory(program, folder)


if __name__ == "__main__":
    main()
