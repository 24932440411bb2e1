"""A small random model as a GGUF file, in the layout of docs/gguf.md of ggml, and a Llama's logits in plain Python
floats: the model of Touvron et al. 2023 with grouped queries (Ainslie et al. 2023). In the rows of its query and key
weights, the two dimensions of a rotated pair are adjacent, as in GGUF.
"""
import array
import ast
import math
import random
import struct

SHAPE = {"layers": 2, "heads": 4, "key_heads": 2, "head_dim": 8, "rotated": 8, "width": 32, "ffn": 64, "vocabulary": 50,
         "context": 64, "base": 500.0, "epsilon": 1e-5, "tied": True, "architecture": "llama"}
# The tensors of each layer, and those that exist once, in the files of each architecture.
LLAMA = {"parts": ("attn_norm", "attn_q", "attn_k", "attn_v", "attn_output", "ffn_norm", "ffn_gate", "ffn_up", "ffn_down"),
         "once": (), "biases": (), "layer_norms": False}
GPT = {"parts": ("attn_norm", "attn_qkv", "attn_output", "ffn_norm", "ffn_up", "ffn_down"), "once": (), "layer_norms": True,
       "biases": ("attn_norm", "attn_qkv", "attn_output", "ffn_norm", "ffn_up", "ffn_down", "output_norm", "token_embd_norm")}
ARCHITECTURES = {
    "llama": LLAMA,
    "qwen2": {**LLAMA, "biases": ("attn_q", "attn_k", "attn_v")},
    "qwen3": {**LLAMA, "parts": (*LLAMA["parts"], "attn_q_norm", "attn_k_norm")},
    "gemma": LLAMA,
    "gemma2": {**LLAMA, "parts": (*LLAMA["parts"], "post_attention_norm", "post_ffw_norm")},
    "gemma3": {**LLAMA, "parts": (*LLAMA["parts"], "attn_q_norm", "attn_k_norm", "post_attention_norm", "post_ffw_norm")},
    "gpt2": {**GPT, "once": ("position_embd",)},
    "gptneox": GPT,
    "falcon": {"parts": ("attn_norm", "attn_norm_2", "attn_qkv", "attn_output", "ffn_up", "ffn_down"), "once": (),
               "layer_norms": True, "biases": ("attn_norm", "attn_norm_2", "output_norm")},
    "bloom": {**GPT, "once": ("token_embd_norm",)},
    "mpt": {**GPT, "biases": ()},
}
TYPES = {"F32": 0, "F16": 1, "Q8_0": 8, "BF16": 30, "Q2_K": 10}


# A study of the model with its own scheme. The second text is the held-out document.
STUDY = """
[corpus.text]
files = ["first.txt", "second.txt"]
split = "document"
held_out = 0.5

[checkpoint.own]
file = "model.gguf"
corpus = "text"
"""


def text(value):
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def number(value):
    return struct.pack("<I", 4) + struct.pack("<I", value) if isinstance(value, int) else struct.pack("<If", 6, value)


def array_of(values):
    if isinstance(values[0], str):
        return struct.pack("<IQ", 8, len(values)) + b"".join(text(value) for value in values)
    if isinstance(values[0], float):
        return struct.pack(f"<IQ{len(values)}f", 6, len(values), *values)
    return struct.pack(f"<IQ{len(values)}i", 5, len(values), *values)


def encode(kind, row):
    """The bytes of a row, and the numbers that a reader gets from them."""
    if kind == "F32":
        data = array.array("f", row).tobytes()
        return data, list(array.array("f", data))
    if kind == "F16":
        data = struct.pack(f"<{len(row)}e", *row)
        return data, list(struct.unpack(f"<{len(row)}e", data))
    if kind == "BF16":
        data = b"".join(struct.pack("<f", x)[2:] for x in row)
        return data, [struct.unpack("<f", b"\0\0" + data[2 * i:2 * i + 2])[0] for i in range(len(row))]
    data, numbers = b"", []
    for begin in range(0, len(row), 32):
        scale = struct.unpack("<e", struct.pack("<e", max(map(abs, row[begin:begin + 32])) / 127))[0]
        quants = [max(-127, min(127, round(x / scale))) for x in row[begin:begin + 32]]
        data += struct.pack("<e32b", scale, *quants)
        numbers += [scale * q for q in quants]
    return data, numbers


def shapes(s):
    width, queries, keys = s["width"], s["heads"] * s["head_dim"], s["key_heads"] * s["head_dim"]
    of_part = {"token_embd": (s["vocabulary"], width), "position_embd": (s["context"], width), "token_embd_norm": (width,),
               "output_norm": (width,), "output": (s["vocabulary"], width), "attn_norm": (width,), "attn_norm_2": (width,), "attn_q": (queries, width),
               "attn_k": (keys, width), "attn_v": (keys, width), "attn_qkv": (queries + 2 * keys, width),
               "attn_q_norm": (s["head_dim"],), "attn_k_norm": (s["head_dim"],), "attn_output": (width, queries),
               "post_attention_norm": (width,), "post_ffw_norm": (width,),
               "ffn_norm": (width,), "ffn_gate": (s["ffn"], width), "ffn_up": (s["ffn"], width), "ffn_down": (width, s["ffn"])}
    of = ARCHITECTURES[s["architecture"]]
    names = [(part, part) for part in ("token_embd", *of["once"], "output_norm", *(() if s["tied"] else ("output",)))]
    names += [(f"blk.{layer}.{part}", part) for layer in range(s["layers"]) for part in of["parts"]]
    result = {}
    for name, part in names:
        result[f"{name}.weight"] = of_part[part]
        if part in of["biases"]:
            result[f"{name}.bias"] = of_part[part][:1]
    return result


def epsilon_key(s):
    return f"attention.layer_norm_{'' if ARCHITECTURES[s['architecture']]['layer_norms'] else 'rms_'}epsilon"


class Model:
    def __init__(self, seed=1, kinds=("F32", "F16", "Q8_0", "BF16"), **changes):
        self.shape = {**SHAPE, **changes}
        draw = random.Random(seed)
        self.tensors = {}  # name: kind, shape, bytes
        self.weights = {}
        for index, (name, shape) in enumerate(shapes(self.shape).items()):
            kind = "F32" if len(shape) == 1 else kinds[index % len(kinds)]
            spread = 0.5 / math.sqrt(shape[-1])
            is_norm = len(shape) == 1 and name.endswith("weight")
            mean, deviation = (1 if is_norm else 0, 0.1) if len(shape) == 1 else (0, 4 * spread)
            rows = [[draw.gauss(mean, deviation) for _ in range(shape[-1])]
                    for _ in range(shape[0] if len(shape) == 2 else 1)]
            coded = [encode(kind, row) for row in rows]
            self.tensors[name] = [kind, shape, b"".join(data for data, _ in coded)]
            self.weights[name] = [numbers for _, numbers in coded]

    def keys(self):
        s = self.shape
        return {"block_count": s["layers"], "attention.head_count": s["heads"],
                "attention.head_count_kv": s["key_heads"], "embedding_length": s["width"],
                "feed_forward_length": s["ffn"], "context_length": s["context"],
                "attention.key_length": s["head_dim"], "attention.value_length": s["head_dim"],
                "rope.dimension_count": s["rotated"], "rope.freq_base": s["base"],
                epsilon_key(s): s["epsilon"], **s.get("more_keys", {})}

    def bytes(self, architecture=None, keys=None, version=3, texts=(), offset=0, kind_numbers=None, lists=(), flags=(), numbers=()):
        """Returns the bytes of a file. `offset` is added to the offset of every tensor. `lists` has keys with lists of
        texts or of numbers, `flags` keys with truth values, `numbers` keys without the architecture's prefix."""
        keys = self.keys() if keys is None else keys
        architecture = architecture or self.shape["architecture"]
        pairs = [text("general.architecture") + struct.pack("<I", 8) + text(architecture)]
        pairs += [text(key) + struct.pack("<I", 8) + text(value) for key, value in texts]
        pairs += [text(f"{architecture}.{key}") + number(value) for key, value in keys.items()]
        pairs += [text(key) + struct.pack("<I", 9) + array_of(values) for key, values in lists]
        pairs += [text(key) + struct.pack("<IB", 7, value) for key, value in flags]
        pairs += [text(key) + number(value) for key, value in numbers]
        header = b"GGUF" + struct.pack("<IQQ", version, len(self.tensors), len(pairs)) + b"".join(pairs)
        data = b""
        for name, (kind, shape, content) in self.tensors.items():
            kind_number = (kind_numbers or {}).get(name, TYPES[kind])
            header += text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *reversed(shape), kind_number,
                                               len(data) + offset)
            data += content + bytes(-len(content) % 32)
        return header + bytes(-len(header) % 32) + data

    def logits(self, tokens, angle=None, bias=lambda head, n: 0.0, visible=lambda q, k: k <= q, far=None):
        """`angle(p, i)` is the angle of pair i at position p; None means no rotation. `far` is a function where(q, k)
        of the pairs with a second rotation, and the second angles of queries and keys."""
        s, w = self.shape, self.weights
        dim, group = s["head_dim"], s["heads"] // s["key_heads"]
        stream = [list(w["token_embd.weight"][token]) for token in tokens]
        for layer in range(s["layers"]):
            def matrix(part, rows, layer=layer):
                return [product(w[f"blk.{layer}.{part}.weight"], row) for row in rows]
            y = [norm(x, w[f"blk.{layer}.attn_norm.weight"][0], s["epsilon"]) for x in stream]
            q, k, v = matrix("attn_q", y), matrix("attn_k", y), matrix("attn_v", y)
            far_q, far_k = ([rotate(row, p, dim, s["rotated"], other) for p, row in enumerate(rows)]
                            for rows, other in zip((q, k), far[1:])) if far else (q, k)
            if angle:
                q, k = ([rotate(row, p, dim, s["rotated"], angle) for p, row in enumerate(rows)] for rows in (q, k))
            attended = []
            for p in range(len(tokens)):
                row = []
                for head in range(s["heads"]):
                    mine = q[p][head * dim:(head + 1) * dim]
                    begin = head // group * dim
                    keys = [j for j in range(len(tokens)) if visible(p, j)]
                    far_mine = far_q[p][head * dim:(head + 1) * dim]
                    pairs = [(far_mine, far_k[j]) if far and far[0](p, j) else (mine, k[j]) for j in keys]
                    dots = [dot(a, b[begin:begin + dim]) / math.sqrt(dim) + bias(head + 1, p - j)
                            for j, (a, b) in zip(keys, pairs)]
                    most = max(dots)
                    shares = [math.exp(x - most) for x in dots]
                    total = sum(shares)
                    row += [dot(shares, [v[j][begin + c] for j in keys]) / total for c in range(dim)]
                attended.append(row)
            stream = [add(x, d) for x, d in zip(stream, matrix("attn_output", attended))]
            y = [norm(x, w[f"blk.{layer}.ffn_norm.weight"][0], s["epsilon"]) for x in stream]
            hidden = [[g / (1 + math.exp(-g)) * u for g, u in zip(gate, up)]
                      for gate, up in zip(matrix("ffn_gate", y), matrix("ffn_up", y))]
            stream = [add(x, d) for x, d in zip(stream, matrix("ffn_down", hidden))]
        head = w["token_embd.weight" if s["tied"] else "output.weight"]
        return [product(head, norm(x, w["output_norm.weight"][0], s["epsilon"])) for x in stream]


def dot(x, y):
    return sum(a * b for a, b in zip(x, y))


def product(matrix, x):
    return [dot(row, x) for row in matrix]


def add(x, y):
    return [a + b for a, b in zip(x, y)]


def norm(x, weight, epsilon):
    inverse = 1 / math.sqrt(sum(a * a for a in x) / len(x) + epsilon)
    return [a * inverse * b for a, b in zip(x, weight)]


def rotate(row, p, dim, rotated, angle):
    result = list(row)
    for begin in range(0, len(row), dim):
        for i in range(rotated // 2):
            a, b = row[begin + 2 * i], row[begin + 2 * i + 1]
            cosine, sine = math.cos(angle(p, i)), math.sin(angle(p, i))
            result[begin + 2 * i], result[begin + 2 * i + 1] = a * cosine - b * sine, a * sine + b * cosine
    return result


def npy(numbers, kind="<i4", shape=None):
    shape = (len(numbers),) if shape is None else shape
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    code = {"|u1": "B", "<i4": "i", "<i8": "q", "<f4": "f"}[kind]
    data = struct.pack(f"<{len(numbers)}{code}", *numbers)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


def read_npy(data):
    size = struct.unpack("<H", data[8:10])[0]
    fields = ast.literal_eval(data[10:10 + size].decode())
    numbers = array.array("f", data[10 + size:])
    rows, columns = fields["shape"]
    if fields["descr"] != "<f4" or fields["fortran_order"] or rows * columns != len(numbers) or (10 + size) % 64 != 0:
        raise AssertionError(f"header of the logits: {fields}")
    return [list(numbers[row * columns:(row + 1) * columns]) for row in range(rows)]
