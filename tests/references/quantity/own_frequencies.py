"""Safe lengths of rotary in bf16 with the frequencies of transformers, in place of the nearest fp32 numbers of recipe hf.

Needs torch and numpy. The frequencies are computed as in LlamaRotaryEmbedding: a power of the base and its inverse, in
fp32. A length is safe if no query and key within it have a product of rotations that errs by more than 0.01
(docs/safe-length.md). Errors of the double arithmetic here are below 1e-10. Prints the length for each base.
"""
import numpy as np
import torch

BOUND = 0.01


def first_unsafe(base, longest=100_000, width=64):
    """The first position of a query with an unsafe key; `longest` if there is none."""
    pairs = torch.arange(0, width, 2, dtype=torch.int64).float()
    angles = torch.arange(longest).float()[:, None] * (1.0 / base ** (pairs / width))[None]
    rounded = [turn(angles).to(torch.bfloat16).double().numpy() for turn in (torch.cos, torch.sin)]
    exact = np.power(np.longdouble(base), -np.arange(0, width, 2).astype(np.longdouble) / width)
    first = longest
    for pair in range(width // 2):
        turns = np.exp(1j * np.arange(longest) * float(exact[pair]))
        error = (rounded[0][:, pair] + 1j * rounded[1][:, pair]) / turns - 1
        size = np.abs(error)
        largest = np.maximum.accumulate(size)
        # The error of a product is at most |r_q| + |r_k| + |r_q||r_k|.
        for query in np.nonzero(size + largest + size * largest > BOUND)[0]:
            if query >= first:
                break
            if np.abs(np.conj(1 + error[query]) * (1 + error[:query + 1]) - 1).max() > BOUND:
                first = int(query)
                break
    return first


for base in (10_000.0, 500_000.0):
    print(base, first_unsafe(base))
