"""Complete trainings in PyTorch, written only from docs/model.md and docs/training.md.

Usage: training.py > training.inc

Needs torch. Everything is in double precision. Random numbers, rows, initial weights, the model, the schedule and AdamW
are written here from the two pages; farfield is not called. The studies that declare these trainings are in
tests/study/reference_test.cpp.
"""
import math

import torch

M32, M64 = 2**32 - 1, 2**64 - 1
DATA, HELD_OUT, CHAIN = 0x64617461, 0x68656C64, 0x63686E20
torch.set_default_dtype(torch.float64)


# Random numbers.


def philox(counter, key):
    x, (k0, k1) = list(counter), key
    for _ in range(10):
        even, odd = 0xD2511F53 * x[0], 0xCD9E8D57 * x[2]
        x = [(odd >> 32) ^ x[1] ^ k0, odd & M32, (even >> 32) ^ x[3] ^ k1, even & M32]
        k0, k1 = (k0 + 0x9E3779B9) & M32, (k1 + 0xBB67AE85) & M32
    return x


class Random:
    def __init__(self, seed, stream, step=0, row=0):
        self.key, self.place, self.block, self.left = (seed & M32, seed >> 32), (row, step, stream), 0, []

    def bits(self):
        if not self.left:
            w = philox((self.block, *self.place), self.key)
            self.block += 1
            self.left = [w[0] << 32 | w[1], w[2] << 32 | w[3]]
        return self.left.pop(0)

    def uniform(self):
        return (self.bits() >> 11) * 2.0**-53

    def below(self, n):
        return self.bits() * n >> 64

    def normal(self):
        radius = math.sqrt(-2 * math.log(1 - self.uniform()))
        return radius * math.cos(2 * math.pi * self.uniform())

    def gamma(self, a):
        d = (a + 1 if a < 1 else a) - 1 / 3
        c = 1 / math.sqrt(9 * d)
        while True:
            x = self.normal()
            v = (1 + c * x) ** 3
            if v <= 0:
                continue
            if math.log(1 - self.uniform()) < x * x / 2 + d * (1 - v + math.log(v)):
                break
        return d * v * (1 - self.uniform()) ** (1 / a) if a < 1 else d * v

    def dirichlet(self, n, a):
        draws = [self.gamma(a) for _ in range(n)]
        return [draw / sum(draws) for draw in draws]

    def choose(self, p):
        r = self.uniform()
        for symbol, share in enumerate(p):
            r -= share
            if r < 0:
                return symbol
        return len(p) - 1


def splitmix(state):
    """The numbers of a generator that starts at this state."""
    while True:
        state = (state + 0x9E3779B97F4A7C15) & M64
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & M64
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & M64
        yield z ^ (z >> 31)


# Rows: tokens of length L + 1, and which of the L targets are scored.


class Text:
    vocabulary, divisible = 256, True

    def __init__(self, documents, held_out, block):
        self.tokens = list("\n".join(documents).encode())
        n = len(self.tokens)
        block = min(block, math.floor(n * held_out)) or block
        self.stretches = {True: [], False: []}
        for i, begin in enumerate(range(0, n, block)):
            end = min(begin + block, n)
            mine = self.stretches[math.floor((i + 1) * held_out) > math.floor(i * held_out)]
            if mine and mine[-1][1] == begin:
                mine[-1] = (mine[-1][0], end)
            else:
                mine.append((begin, end))

    def row_at(self, held_out, length, number):
        starts = [at for begin, end in self.stretches[held_out] for at in range(begin, max(end - length, begin))]
        begin = starts[number(len(starts))]
        return self.tokens[begin : begin + length + 1], [True] * length

    def sample(self, seed, step, row, length):
        return self.row_at(False, length, Random(seed, DATA, step, row).below)

    def held_out(self, i, count, length):
        return self.row_at(True, length, lambda starts: math.floor((i + 0.5) * starts / count))


class Process:
    divisible = True

    def sample(self, seed, step, row, length):
        return self.draw(Random(seed, DATA, step, row), length)

    def held_out(self, i, count, length):
        return self.draw(Random(0, HELD_OUT, 0, i), length)


class Urn(Process):
    def __init__(self, symbols, alpha):
        self.vocabulary, self.alpha = symbols, alpha

    def draw(self, random, length):
        p = random.dirichlet(self.vocabulary, self.alpha)
        return [random.choose(p) for _ in range(length + 1)], [True] * length


class Chain(Process):
    def __init__(self, symbols, order, alpha, seed):
        self.vocabulary, self.states = symbols, symbols**order
        self.rows = [Random(seed, CHAIN, 0, s).dirichlet(symbols, alpha) for s in range(self.states)]

    def draw(self, random, length):
        state, tokens = random.below(self.states), []
        for _ in range(256 + length + 1):
            tokens.append(random.choose(self.rows[state]))
            state = (state * self.vocabulary + tokens[-1]) % self.states
        return tokens[256:], [True] * length


class Copy(Process):
    divisible = False

    def __init__(self, symbols):
        self.symbols, self.vocabulary = symbols, symbols + 1

    def draw(self, random, length):
        h = length // 2
        tokens = [self.symbols] * (length + 1)
        for i in range(h):
            tokens[i] = tokens[h + 1 + i] = random.below(self.symbols)
        return tokens, [h + 1 <= t + 1 <= 2 * h for t in range(length)]


# The model. `c` is the training: shape and settings.


def slices(c):
    """(name, shape, sigma or the constant as a text, whether it has weight decay)."""
    C, F, R, d = c["width"], c.get("ffn", 4 * c["width"]), c["layers"], c["width"] // c["heads"]
    V, tied = c["source"].vocabulary, c.get("tied", False)
    found = [("embed.weight", (V, C), 0.5 / math.sqrt(C) if tied else 0.5, False)]

    def norm(name):
        found.extend([(name + ".weight", (C,), "1", False), (name + ".bias", (C,), "0", False)])

    def linear(name, inputs, outputs, share=1.0):
        found.append((name + ".weight", (inputs, outputs), 0.5 / math.sqrt(inputs) / share, True))
        found.append((name + ".bias", (outputs,), "0", False))

    for layer in range(R):
        name = f"layers.{layer}."
        norm(name + "norm1")
        linear(name + "attention.in", C, 3 * C)
        linear(name + "attention.out", C, C, math.sqrt(2 * R))
        norm(name + "norm2")
        linear(name + "ffn.in", C, F)
        linear(name + "ffn.out", F, C, math.sqrt(2 * R))
        if c["scheme"] == "shaw":
            for what in ("keys", "values"):
                found.append((name + "relative." + what, (17, d), 0.5 / math.sqrt(d), False))
    if not c.get("post", False):
        norm("norm")
    if not tied:
        found.append(("head.weight", (C, V), 0.5 / math.sqrt(C), True))
    if c["scheme"] == "kerple-log":  # r1 and r2 start at 1, are positive, and have one value for each head
        found += [(f"scheme.{name}", (1, c["heads"], 1), str(math.log(math.e - 1)), False) for name in ("r1", "r2")]
    return found


def initial(c):
    p = {}
    for j, (name, shape, sigma, _) in enumerate(slices(c), start=1):
        count = math.prod(shape)
        draws = splitmix(next(splitmix(c["seed"])) ^ (j * 0xD1342543DE82EF95 & M64))

        def uniform():
            return ((next(draws) >> 11) + 0.5) * 2.0**-53

        def normal():
            radius = math.sqrt(-2 * math.log(uniform()))
            return radius * math.cos(2 * math.pi * uniform())

        values = [float(sigma)] * count if isinstance(sigma, str) else [sigma * normal() for _ in range(count)]
        p[name] = torch.tensor(values).float().double().reshape(shape).requires_grad_()
    return p


def bias(c, p, n):
    H = c["heads"]
    if c["scheme"] == "alibi":
        slopes = torch.tensor([2.0 ** (-8 * (h + 1) / H) for h in range(H)])
        return -slopes[:, None, None] * n
    if c["scheme"] == "kerple-log":
        r1, r2 = (torch.nn.functional.softplus(p["scheme." + name]).reshape(H, 1, 1) for name in ("r1", "r2"))
        return -r1 * torch.log(1 + r2 * n.clamp(min=0))
    return 0


def rotate(x):
    """Su et al.'s rotation: rotates the pair 2i, 2i + 1 at position p by the angle p 10000^(-2i/d)."""
    length, d = x.shape[-2:]
    angles = torch.arange(length)[:, None] * 10000.0 ** (-2 * torch.arange(d // 2) / d)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack((a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()), -1).reshape(x.shape)


def attention(c, p, layer, x):
    batch, length, C = x.shape
    H, d = c["heads"], C // c["heads"]
    qkv = x @ p[layer + "attention.in.weight"] + p[layer + "attention.in.bias"]
    q, k, v = (qkv[..., i * C : (i + 1) * C].reshape(batch, length, H, d).transpose(1, 2) for i in range(3))
    if c["scheme"] == "rotary":
        q, k = rotate(q), rotate(k)
    n = torch.arange(length)[:, None] - torch.arange(length)[None, :]
    q = q / math.sqrt(d)
    logits = q @ k.transpose(-1, -2) + bias(c, p, n)
    chosen = n.clamp(0, 16)
    if c["scheme"] == "shaw":
        logits = logits + torch.einsum("bhqd,qkd->bhqk", q, p[layer + "relative.keys"][chosen])
    weights = logits.masked_fill(n < 0, -math.inf).softmax(-1)
    o = weights @ v
    if c["scheme"] == "shaw":
        o = o + torch.einsum("bhqk,qkd->bhqd", weights, p[layer + "relative.values"][chosen])
    o = o.transpose(1, 2).reshape(batch, length, C)
    return o @ p[layer + "attention.out.weight"] + p[layer + "attention.out.bias"]


def norm(p, name, x):
    away = x - x.mean(-1, keepdim=True)
    return away / torch.sqrt((away**2).mean(-1, keepdim=True) + 1e-5) * p[name + ".weight"] + p[name + ".bias"]


def ffn(p, layer, x):
    x = x @ p[layer + "ffn.in.weight"] + p[layer + "ffn.in.bias"]
    x = x / 2 * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return x @ p[layer + "ffn.out.weight"] + p[layer + "ffn.out.bias"]


def losses(c, p, rows):
    """-ln softmax(logits)[target] of every target, [rows, L]."""
    tokens = torch.tensor([row[0] for row in rows])
    tied, post = c.get("tied", False), c.get("post", False)
    x = p["embed.weight"][tokens[:, :-1]] * (math.sqrt(c["width"]) if tied else 1)
    for i in range(c["layers"]):
        layer = f"layers.{i}."
        if post:
            x = norm(p, layer + "norm1", x + attention(c, p, layer, x))
            x = norm(p, layer + "norm2", x + ffn(p, layer, x))
        else:
            x = x + attention(c, p, layer, norm(p, layer + "norm1", x))
            x = x + ffn(p, layer, norm(p, layer + "norm2", x))
    if not post:
        x = norm(p, "norm", x)
    logits = x @ (p["embed.weight"].T if tied else p["head.weight"])
    return -logits.log_softmax(-1).gather(-1, tokens[:, 1:, None])[..., 0]


def loss_of(c, p, rows):
    scored = torch.tensor([row[1] for row in rows])
    return losses(c, p, rows)[scored].mean()


# The training.


def rate(c, s):
    S, W = c["steps"], c.get("warmup", c["steps"] // 20)
    if s < W:
        return c["lr"] * (s + 1) / W
    end = c.get("lr_end", 0.1)
    return c["lr"] * (end + (1 - end) * (1 + math.cos(math.pi * (s - W) / (S - W))) / 2)


def begun(c):
    """The initial weights of the training, and the number of earlier steps."""
    p = initial(c)
    if "start" not in c:
        return p, 0
    before, done = named(c["start"]), begun(named(c["start"]))[1]
    trained, _ = train(before)
    for name in p.keys() & trained.keys():
        p[name] = trained[name].detach().clone().requires_grad_()
    return p, done + before["steps"]


def train(c):
    p, done = begun(c)
    decays = {name: decays for name, _, _, decays in slices(c)}
    m = {name: torch.zeros_like(w) for name, w in p.items()}
    v = {name: torch.zeros_like(w) for name, w in p.items()}
    beta1, beta2, told = 0.9, c.get("beta2", 0.999), []
    for s in range(c["steps"]):
        for w in p.values():
            w.grad = None
        loss = 0
        batches = c.get("accumulate", 1)
        for b in range(batches):
            rows = [c["source"].sample(c["seed"], done + s, b * c["batch"] + r, c["length"]) for r in range(c["batch"])]
            part = loss_of(c, p, rows) / batches
            part.backward()
            loss += part.item()
        told.append(loss)
        total = math.sqrt(sum((w.grad**2).sum().item() for w in p.values()))
        clip, t = c.get("clip", 1), s + 1
        factor = min(1.0, clip / total) if clip > 0 else 1.0
        with torch.no_grad():
            for name, w in p.items():
                g = factor * w.grad
                m[name] += (1 - beta1) * (g - m[name])
                v[name] += (1 - beta2) * (g**2 - v[name])
                decay = c.get("decay", 0.01) if decays[name] else 0
                step = m[name] / (1 - beta1**t) / (torch.sqrt(v[name] / (1 - beta2**t)) + 1e-8)
                w -= rate(c, s) * (step + decay * w)
    return p, told


def perplexity(c, p):
    """nll at each length over the last targets; for a source whose rows cannot be cut, over its scored targets."""
    longest, count, nll = max(c["lengths"]), c["segments"], []
    with torch.no_grad():
        for length in c["lengths"]:
            if not c["source"].divisible:
                rows = [c["source"].held_out(i, count, length) for i in range(count)]
                nll.append(sum(loss_of(c, p, [row]).item() for row in rows) / count)
                continue
            rows = [c["source"].held_out(i, count, longest) for i in range(count)]
            cut = [(tokens[longest - length :], scored[longest - length :]) for tokens, scored in rows]
            nll.append(losses(c, p, cut)[:, -c["targets"] :].mean().item())
    return nll


def documents():
    words = "the sea and a light upon water was over earth in day night wind made it".split()
    state, found = 2024, []
    for _ in range(3):
        text = []
        for _ in range(700):
            state = (state * 1664525 + 1013904223) & M32
            text.append(words[(state >> 16) % 16])
        found.append(" ".join(text))
    return found


TRAININGS = [
    {"name": "text", "source": Text(documents(), 0.15, 1000), "scheme": "kerple-log", "layers": 2, "heads": 2, "width": 16,
     "length": 24, "batch": 5, "accumulate": 2, "steps": 40, "lr": 1e-2, "seed": 2**32 + 7,
     "lengths": [24, 60], "segments": 6, "targets": 4},
    {"name": "chain", "source": Chain(5, 2, 0.5, 3), "scheme": "alibi", "layers": 2, "heads": 2, "width": 16, "post": True,
     "tied": True, "length": 20, "batch": 6, "steps": 30, "lr": 5e-3, "warmup": 5, "lr_end": 0.2, "decay": 0.1, "beta2": 0.95,
     "clip": 0.5, "seed": 1, "lengths": [20, 50], "segments": 6, "targets": 4},
    {"name": "copy", "source": Copy(6), "scheme": "rotary", "layers": 1, "heads": 2, "width": 16, "length": 21, "batch": 4,
     "steps": 30, "lr": 5e-3, "clip": 0, "seed": 0, "lengths": [12, 21], "segments": 5, "targets": 4},
    {"name": "urn", "source": Urn(7, 0.7), "scheme": "shaw", "layers": 1, "heads": 2, "width": 16, "ffn": 24, "length": 24,
     "batch": 4, "steps": 30, "lr": 5e-3, "seed": 5, "lengths": [24, 40], "segments": 5, "targets": 4},
    {"name": "tuned", "start": "chain", "source": Chain(5, 2, 0.5, 3), "scheme": "kerple-log", "layers": 2, "heads": 2,
     "width": 16, "post": True, "tied": True, "length": 28, "batch": 4, "steps": 20, "lr": 3e-3, "warmup": 2, "lr_end": 1,
     "seed": 1, "lengths": [20, 50], "segments": 6, "targets": 4},
]


def named(name):
    return next(c for c in TRAININGS if c["name"] == name)


def numbers(values):
    return "{" + ", ".join(f"{value:.10g}" for value in values) + "}"


if __name__ == "__main__":
    print(f"// Made by training.py with PyTorch {torch.__version__.split('+')[0]}.")
    for c in TRAININGS:
        p, told = train(c)
        # Gradients of the biases of keys are 0 up to rounding, which AdamW amplifies, so their slice is left out.
        norms = [(name, w.norm().item()) for name, w in p.items() if not name.endswith("attention.in.bias")]
        print(f'{{"{c["name"]}",\n {numbers(told)},\n {numbers(perplexity(c, p))},')
        print(" {" + ", ".join(f'{{"{name}", {value:.10g}}}' for name, value in norms) + "}},")
