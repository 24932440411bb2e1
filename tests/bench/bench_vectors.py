#!/usr/bin/python3
"""Compares layers over vector instructions at the innermost loop of the matrix products, on one thread."""
import sys

import measure

LAYERS = {"extensions": "vectors of the compiler", "simd": "std::experimental::simd", "highway": "Google Highway"}


def main():
    with measure.Timing("tile") as timing:
        timing.seconds("extensions")
        layers = list(LAYERS)[:int(timing.values()[1])]
        times = measure.take_turns(100, **{layer: lambda layer=layer: timing.seconds(layer) for layer in layers})
        operations, _, differences = timing.values()
    report = measure.Report("vectors", "a tile of a product of floats, 256 deep", 1)
    for layer, seconds in times.items():
        report.times(LAYERS[layer], seconds, f"{operations / seconds[0] / 1e9:.1f} GFLOP/s at best")
    for layer in layers[1:]:
        report.value(f"time of {LAYERS[layer]}, times ours", times[layer][50] / times["extensions"][50])
    report.ratio("sums that differ between layers", differences, 0, at_least=False)
    return report.save()


if __name__ == "__main__":
    sys.exit(main())
