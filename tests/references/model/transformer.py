"""The Transformer of the module `model` in PyTorch, for autograd's gradients and ten steps of training.

Usage: transformer.py > transformer.inc

Needs torch. Everything is in double precision. Attention is written out with matrices of L x L. The rotations and
biases of schemes are written here from the papers, not from the catalogue's formulas.
"""
import math

import torch

LAYERS, HEADS, WIDTH, VOCABULARY, BATCH, TRAINED = 2, 2, 16, 11, 3, 12
DIM = WIDTH // HEADS
STEPS, RATE, DECAY, CLIP = 10, 1e-2, 0.01, 1.0
torch.set_default_dtype(torch.float64)


def tokens(count):
    state, out = 12345, []
    for _ in range(count):
        state = (state * 1664525 + 1013904223) % 2**32
        out.append((state >> 16) % VOCABULARY)
    return out


class Parameters:
    """Named parameters in the order of the layout; element i of slice s starts at `around + size sin(...)`."""

    def __init__(self):
        self.names, self.values, self.decays = [], {}, {}

    def add(self, name, shape, decays=False, around=0.0, size=0.25):
        number = len(self.names) + 1
        count = math.prod(shape)
        values = [around + size * math.sin(12.9898 * (i + 1) + 78.233 * number) for i in range(count)]
        self.names.append(name)
        self.values[name] = torch.tensor(values).reshape(shape).requires_grad_()
        self.decays[name] = decays

    def add_norm(self, name):
        self.add(name + ".weight", (WIDTH,), around=1.0, size=0.1)
        self.add(name + ".bias", (WIDTH,), size=0.1)

    def add_linear(self, name, inputs, outputs):
        self.add(name + ".weight", (inputs, outputs), decays=True)
        self.add(name + ".bias", (outputs,), size=0.1)

    def __getitem__(self, name):
        return self.values[name]


def distances(length):
    return torch.arange(length)[:, None] - torch.arange(length)[None, :]


def alibi(p, length):
    slopes = torch.tensor([2.0 ** (-8 * (h + 1) / HEADS) for h in range(HEADS)])
    return -slopes[:, None, None] * distances(length)


def kerple(p, length):
    r1 = torch.nn.functional.softplus(p["scheme.r1"]).reshape(HEADS, 1, 1)
    r2 = torch.nn.functional.softplus(p["scheme.r2"]).reshape(HEADS, 1, 1)
    return -r1 * torch.log(1 + r2 * distances(length).clamp(min=0))


def t5_bucket(n, buckets=32, furthest=128):
    """Raffel et al.'s public code, one direction."""
    if n <= 0:
        return 0
    exact = buckets // 2
    if n < exact:
        return n
    return min(exact + int(math.log(n / exact) / math.log(furthest / exact) * (buckets - exact)), buckets - 1)


def t5(p, length):
    chosen = torch.tensor([[t5_bucket(q - k) for k in range(length)] for q in range(length)])
    return p["scheme.weight"].reshape(HEADS, 32)[:, chosen]


def sandwich(p, length):
    total = sum(torch.cos(distances(length) / 10000 ** (2 * j / 128)) for j in range(64))
    return torch.stack([(total - 64) / (8 * (h + 1) / HEADS) for h in range(HEADS)])


def rotate(x, scales, positions=None):
    """Su et al.'s rotation of pairs as a product of complex numbers; x is [B, H, L, d]."""
    length = x.shape[-2]
    positions = torch.arange(length) if positions is None else positions
    angles = positions[:, None] * 10000.0 ** (-2 * torch.arange(DIM // 2) / DIM)
    turned = torch.view_as_complex(x.reshape(*x.shape[:-1], DIM // 2, 2).contiguous()) * torch.polar(scales, angles)
    return torch.view_as_real(turned).reshape(x.shape)


def second_positions(scheme, length):
    """The distance from which the second rotation is used, and the positions of queries and keys for it."""
    p = torch.arange(length)
    if scheme == "grouped":  # Jin et al.'s public code: groups of 3 beyond a window of 5
        return 5, p // 3 + 5 - 5 // 3, p // 3
    shift, window = {"shifted": (5, 2), "shifted-late": (100, 10)}[scheme]  # An et al., Eq. (4)
    return shift, p - shift + window, p


def xpos_scales(length, sign):
    zeta = (2 * torch.arange(DIM // 2) / DIM + 0.4) / 1.4
    return zeta ** (sign * torch.arange(length)[:, None] / 512)


def seen(scheme, length):
    n = distances(length)
    mask = n >= 0
    if scheme == "windowed":
        mask &= n < 5
    if scheme == "blockwise" and length > TRAINED:
        block = torch.arange(length) // (TRAINED // 2)
        mask &= block[:, None] - block[None, :] <= 1
    return mask


SECOND = ("shifted", "shifted-late", "grouped")
BIASES = {"alibi": alibi, "kerple-log": kerple, "t5": t5, "sandwich": sandwich}


def attention(p, scheme, prefix, x):
    batch, length, _ = x.shape
    qkv = x @ p[prefix + "in.weight"] + p[prefix + "in.bias"]
    q, k, v = (part.reshape(batch, length, HEADS, DIM).transpose(1, 2) for part in qkv.split(WIDTH, dim=-1))
    near = None
    if scheme in SECOND:
        least, q_positions, k_positions = second_positions(scheme, length)
        ones = torch.ones(length, DIM // 2)
        near = rotate(q, ones) @ rotate(k, ones).transpose(-1, -2) / math.sqrt(DIM)
        q, k = rotate(q, ones, q_positions), rotate(k, ones, k_positions)
    if scheme in ("rotary", "xpos"):
        up = xpos_scales(length, 1) if scheme == "xpos" else torch.ones(length, DIM // 2)
        down = xpos_scales(length, -1) if scheme == "xpos" else torch.ones(length, DIM // 2)
        q, k = rotate(q, up), rotate(k, down)
    logits = q @ k.transpose(-1, -2) / math.sqrt(DIM)
    if near is not None:
        logits = torch.where(distances(length) >= least, logits, near)
    if scheme == "shaw":
        chosen = distances(length).clamp(0, 16)
        layer = prefix.removesuffix("attention.")
        keys, values = p[layer + "relative.keys"][chosen], p[layer + "relative.values"][chosen]
        logits = logits + torch.einsum("bhqd,qkd->bhqk", q, keys) / math.sqrt(DIM)
    if scheme in BIASES:
        logits = logits + BIASES[scheme](p, length)
    weights = logits.masked_fill(~seen(scheme, length), -math.inf).softmax(-1)
    out = weights @ v
    if scheme == "shaw":
        out = out + torch.einsum("bhqk,qkd->bhqd", weights, values)
    out = out.transpose(1, 2).reshape(batch, length, WIDTH)
    return out @ p[prefix + "out.weight"] + p[prefix + "out.bias"]


def norm(p, name, x):
    return torch.nn.functional.layer_norm(x, (WIDTH,), p[name + ".weight"], p[name + ".bias"])


def ffn(p, prefix, x):
    hidden = torch.nn.functional.gelu(x @ p[prefix + "in.weight"] + p[prefix + "in.bias"], approximate="tanh")
    return hidden @ p[prefix + "out.weight"] + p[prefix + "out.bias"]


def embedding(p, scheme, tied, inputs):
    x = p["embed.weight"][inputs] * (math.sqrt(WIDTH) if tied else 1)
    positions = torch.arange(inputs.shape[1])
    if scheme == "learned-absolute":
        x = x + p["position.weight"][positions]
    if scheme == "sinusoidal":
        angles = positions[:, None] / 10000 ** (2 * torch.arange(WIDTH // 2) / WIDTH)
        x = x + torch.stack((angles.sin(), angles.cos()), dim=-1).reshape(-1, WIDTH)
    return x


def loss_of(p, scheme, post, tied, windows):
    x = embedding(p, scheme, tied, windows[:, :-1])
    for layer in range(LAYERS):
        name = f"layers.{layer}."
        if post:
            x = norm(p, name + "norm1", x + attention(p, scheme, name + "attention.", x))
            x = norm(p, name + "norm2", x + ffn(p, name + "ffn.", x))
        else:
            x = x + attention(p, scheme, name + "attention.", norm(p, name + "norm1", x))
            x = x + ffn(p, name + "ffn.", norm(p, name + "norm2", x))
    if not post:
        x = norm(p, "norm", x)
    logits = x @ (p["embed.weight"].T if tied else p["head.weight"])
    return torch.nn.functional.cross_entropy(logits.reshape(-1, VOCABULARY), windows[:, 1:].reshape(-1))


def parameters(scheme, post, tied):
    p = Parameters()
    p.add("embed.weight", (VOCABULARY, WIDTH))
    if scheme == "learned-absolute":
        p.add("position.weight", (1024, WIDTH))
    for layer in range(LAYERS):
        name = f"layers.{layer}."
        p.add_norm(name + "norm1")
        p.add_linear(name + "attention.in", WIDTH, 3 * WIDTH)
        p.add_linear(name + "attention.out", WIDTH, WIDTH)
        p.add_norm(name + "norm2")
        p.add_linear(name + "ffn.in", WIDTH, 4 * WIDTH)
        p.add_linear(name + "ffn.out", 4 * WIDTH, WIDTH)
        if scheme == "shaw":
            p.add(name + "relative.keys", (17, DIM))
            p.add(name + "relative.values", (17, DIM))
    if not post:
        p.add_norm("norm")
    if not tied:
        p.add("head.weight", (WIDTH, VOCABULARY), decays=True)
    learned = {"kerple-log": [("r1", 1), ("r2", 1)], "t5": [("weight", 32)]}.get(scheme, [])
    for name, size in learned:
        p.add("scheme." + name, (1, HEADS, size))
    return p


def numbers(values):
    return "{" + ", ".join(f"{value:.17g}" for value in values) + "}"


def case(scheme, length, post=False, tied=False):
    p = parameters(scheme, post, tied)
    windows = torch.tensor(tokens(BATCH * (length + 1))).reshape(BATCH, length + 1)
    groups = [{"params": [p[n] for n in p.names if p.decays[n] == decays], "weight_decay": DECAY if decays else 0.0}
              for decays in (True, False)]
    optimiser = torch.optim.AdamW(groups, lr=RATE)
    losses, norms, firsts = [], [], []
    for step in range(STEPS):
        optimiser.zero_grad()
        loss = loss_of(p, scheme, post, tied, windows)
        loss.backward()
        losses.append(loss.item())
        if step == 0:
            norms = [p[n].grad.norm().item() for n in p.names]
            firsts = [p[n].grad.reshape(-1)[p[n].numel() // 2].item() for n in p.names]
        total = math.sqrt(sum((p[n].grad**2).sum().item() for n in p.names))
        for n in p.names:  # torch.nn.utils.clip_grad_norm_ adds 1e-6 to the norm
            p[n].grad *= min(1.0, CLIP / total)
        optimiser.step()
    flags = ", ".join("true" if flag else "false" for flag in (post, tied))
    print(f'{{"{scheme}", {length}, {flags},\n {numbers(losses)},\n {numbers(norms)},\n {numbers(firsts)}}},')


if __name__ == "__main__":
    print(f"// Made by transformer.py with PyTorch {torch.__version__.split('+')[0]}.")
    for name in ("nope", "learned-absolute", "sinusoidal", "rotary", "xpos", "alibi", "windowed", "kerple-log", "t5", "shaw",
                 "sandwich"):
        case(name, 12)
    case("blockwise", 20)
    case("alibi", 40, post=True)
    case("kerple-log", 70, tied=True)
    case("shifted", 12)
    case("shifted-late", 200)
    case("grouped", 40)
