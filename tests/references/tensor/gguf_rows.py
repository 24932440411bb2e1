"""Blocks of random bytes and their values by the `gguf` package (0.19), for tests/tensor/gguf_test.cpp.

python3 tests/references/tensor/gguf_rows.py > tests/references/tensor/gguf_rows.inc

Each entry has the number of a type, the bytes of a row of 256 numbers, and the numbers as bits of floats. Scales are
halfs from 2^-8 to 2^8 in size; the first is subnormal. Needs numpy and gguf.
"""
import numpy as np
from gguf import GGMLQuantizationType as Type
from gguf.constants import GGML_QUANT_SIZES
from gguf.quants import dequantize

# The offsets of the halfs in a block.
HALFS = {Type.F32: [], Type.F16: [0], Type.BF16: [], Type.Q8_0: [0], Type.Q4_0: [0], Type.Q4_1: [0, 2], Type.Q5_0: [0],
         Type.Q5_1: [0, 2], Type.Q4_K: [0, 2], Type.Q5_K: [0, 2], Type.Q6_K: [208]}


def main():
    draw = np.random.default_rng(5)
    for kind, halfs in HALFS.items():
        numbers, size = GGML_QUANT_SIZES[kind]
        count = 256 // numbers
        blocks = draw.integers(0, 256, (count, size), dtype=np.uint8)
        if kind == Type.F32:
            blocks = draw.normal(size=count).astype("<f4").view(np.uint8)
        if kind == Type.BF16:
            blocks = (draw.normal(size=count).astype("<f4").view(np.uint32) >> 16).astype("<u2").view(np.uint8)
        for at in halfs:
            scales = draw.choice([-1, 1], count) * 2.0 ** draw.uniform(-8, 8, count)
            scales[:1] = 3e-7  # subnormal
            blocks[:, at:at + 2] = scales.astype("<f2").view(np.uint8).reshape(count, 2)
        row = np.ascontiguousarray(blocks).reshape(1, -1)
        plain = {Type.F32: "<f4", Type.F16: "<f2"}.get(kind)
        found = row.view(plain) if plain else dequantize(row, kind)
        # -0 and 0 are equal, and the format does not define which of them a quant of zero gives.
        bits = (np.asarray(found, dtype="<f4") + np.float32(0)).view(np.uint32).ravel()
        print(f'{{{int(kind)}, "{row.tobytes().hex()}",')
        words = [f"0x{bit:x}" for bit in bits]
        for begin in range(0, len(words), 10):
            end = "}}," if begin + 10 >= len(words) else ","
            print(("  {" if begin == 0 else "   ") + ", ".join(words[begin:begin + 10]) + end)


if __name__ == "__main__":
    main()
