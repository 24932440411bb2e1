#!/usr/bin/python3
"""Times Sandwich's bias for 12 heads at L = 8192. Compares the bias by distance with Appendix E of Chi et al. 2023 in
numpy, and the full matrix with writing the same number of bytes."""
import json
import resource
import subprocess
import sys

import measure

LENGTH = 8192
HEADS = 12
MATRIX = HEADS * LENGTH * LENGTH * 8
BY_DISTANCE = HEADS * LENGTH * 8


def appendix_e():
    import numpy as np
    base, bar_d = 1e4, 128
    positions = np.arange(LENGTH)[..., None]
    i = np.arange(bar_d // 2)
    embeddings = np.concatenate([np.sin(positions / base ** (2 * i / bar_d)),
                                 np.cos(positions / base ** (2 * i / bar_d))], axis=-1)
    sandwich = np.matmul(embeddings, embeddings.T)
    ratio = np.arange(1, HEADS + 1) * 8 / HEADS
    return sandwich[None, ...] / ratio[:, None, None]


def peer():
    """Runs Appendix E in a process of its own, so that its memory is released."""
    kept = []
    seconds = measure.seconds_of(lambda: kept.append(appendix_e()))
    bias = kept[0]
    print(json.dumps({"seconds": seconds, "bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
                      "values": [bias[0, 0, 0], bias[0, 0, 1], bias[0, 0, -1], bias[-1, -1, -1]]}))


def peer_once():
    done = subprocess.run([sys.executable, __file__, "--peer"], stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(done.stdout)


def main():
    runs = [peer_once() for _ in range(2)]
    with measure.Timing("sandwich", LENGTH) as timing:
        report = measure.Report("sandwich", f"{HEADS} heads, L = {LENGTH}", timing.threads())
        turns = measure.take_turns(9, distance=lambda: timing.seconds("distance"))
        turns |= measure.take_turns(5, write=lambda: timing.seconds("write"), matrix=lambda: timing.seconds("matrix"))
        values = timing.values()
    for found, wanted in zip(values, runs[0]["values"]):
        assert abs(found - wanted) < 1e-9, (found, wanted)
    theirs = sorted(run["seconds"] for run in runs)
    report.times("numpy, Appendix E", theirs, f"{runs[0]['bytes'] / 2**30:.1f} GiB at the most")
    report.times("farfield, by distance", turns["distance"], f"{BY_DISTANCE / 2**20:.2f} MiB")
    report.times("farfield, full matrix", turns["matrix"], f"{MATRIX / 2**30:.1f} GiB")
    report.times("floor: writing the matrix's bytes", turns["write"], f"{MATRIX / turns['write'][0] / 1e9:.1f} GB/s")
    report.ratio("times less time, by distance", theirs[0] / turns["distance"][0], 1000)
    report.ratio("times less memory, by distance", MATRIX / BY_DISTANCE, 1000)
    report.ratio("full matrix, times the time of writing", turns["matrix"][0] / turns["write"][0], 1.3, at_least=False)
    return report.save()


if __name__ == "__main__":
    sys.exit(peer() if "--peer" in sys.argv else main())
