#!/usr/bin/python3
"""Sandwich's bias for 12 heads at L = 8192: as Appendix E of Chi et al. 2023 builds it in numpy, against the bias per
distance, and against the full matrix when that is asked for."""
import sys

import numpy as np

import measure

LENGTH = 8192
HEADS = 12


def appendix_e():
    base, bar_d = 1e4, 128
    positions = np.arange(LENGTH)[..., None]
    i = np.arange(bar_d // 2)
    embeddings = np.concatenate([np.sin(positions / base ** (2 * i / bar_d)),
                                 np.cos(positions / base ** (2 * i / bar_d))], axis=-1)
    sandwich = np.matmul(embeddings, embeddings.T)
    ratio = np.arange(1, HEADS + 1) * 8 / HEADS
    return sandwich[None, ...] / ratio[:, None, None]


def main():
    timing = measure.program("bench_sandwich_timing", LENGTH, 5)
    full_bytes = HEADS * LENGTH * LENGTH * 8
    print(f"Sandwich, {HEADS} heads, L = {LENGTH}, {timing['threads']} threads; matrix {full_bytes / 2**30:.1f} GiB, "
          f"per distance {HEADS * LENGTH * 8 / 2**20:.2f} MiB ({LENGTH} times less)")
    ours = measure.line("farfield, per distance", timing["per_distance"])
    writing = measure.line("floor: writing the matrix's bytes", timing["writing"])
    matrix = measure.line("farfield, full matrix", timing["matrix"])
    kept = []
    theirs = measure.line("numpy, Appendix E", measure.seconds_of(lambda: kept.append(appendix_e()), 1))
    for found, wanted in zip(timing["values"], [kept[0][0, 0, 0], kept[0][0, 0, 1], kept[0][0, 0, LENGTH - 1]]):
        assert abs(found - wanted) < 1e-9, (found, wanted)
    reached = [measure.ratio("times less time per distance", theirs / ours, 1000),
               measure.ratio("full matrix, times the time of writing", matrix / writing, 1.3, at_least=False)]
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
