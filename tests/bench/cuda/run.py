#!/usr/bin/python3
"""Formulas and long rows on a CUDA device beside PyTorch or CuPy doing the same work in the same run, and beside what the
device cannot go below. Writes results/gpu/DEVICE.json. `./farfield bench --device cuda` runs it.

Kernels of the formula as it stands are timed alone, results left on the device, and the whole way to the processor's
memory (there, sums of waves go by angle addition). The peer is timed with results left on the device. Floors: bytes written over the measured bandwidth of
filling memory, or cosines over the measured rate of a kernel that does nothing else, whichever is longer; of rows that
are read, their bytes over the measured bandwidth of copying.
"""
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILT = pathlib.Path(os.environ["FARFIELD_BUILD"], "tests", "bench")
REPEATS = int(os.environ.get("FARFIELD_BENCH_REPEATS", "10"))
SCALE = int(os.environ.get("FARFIELD_BENCH_SCALE", "1"))  # points are divided by it, to try the script itself

USER = ("exp(-n/50000000) * cos(0.001*n + 0.5) / (1 + sqrt(n)) + log1p(n) * sin(n/1000) - "
        "tanh(n/100000000)")
ZETA = "sum(j, 0, 63, cos(n*10000^(-2*j/128)))"


def zeta_in(np, count):
    """g_zeta as a matrix product by angle addition, the best form for a library of arrays: n = a K + b."""
    columns = 4096
    rows = -(-count // columns)
    theta = 10000.0 ** (-2 * np.arange(64, dtype=np.float64) / 128)
    if hasattr(np, "set_default_device"):
        theta = theta.cuda()
    starts = columns * np.arange(rows, dtype=np.float64)
    inside = np.arange(columns, dtype=np.float64)
    if hasattr(np, "set_default_device"):
        starts, inside = starts.cuda(), inside.cuda()

    def work():
        a, b = starts[:, None] * theta, theta[:, None] * inside
        return (np.cos(a) @ np.cos(b)) - (np.sin(a) @ np.sin(b))
    return work


def user_in(np, count):
    points = np.arange(count, dtype=np.float64)
    if hasattr(np, "set_default_device"):
        points = points.cuda()

    def formula(n):
        return (np.exp(-n / 50000000) * np.cos(0.001 * n + 0.5) / (1 + np.sqrt(n)) + np.log1p(n) * np.sin(n / 1000)
                - np.tanh(n / 100000000))
    if hasattr(np, "compile"):
        formula = np.compile(formula)
    return lambda: formula(points)


def matrix_in(np, length):
    """The full matrix from biases by distance: windows of the row that goes from the farthest key before to the farthest
    after, read backwards. Best of the forms that need no index array."""
    heads, distances = 12, 2 * length - 1
    if hasattr(np, "set_default_device"):
        rows = np.rand(heads, distances, dtype=np.float64, device="cuda")
        return lambda: rows.unfold(1, length, 1).flip(1).contiguous()
    rows = np.random.rand(heads, distances)
    windows = np.lib.stride_tricks.as_strided(rows[:, length - 1:], (heads, length, length),
                                              (8 * distances, -8, 8))
    return lambda: np.ascontiguousarray(windows)


def scores_in(np, count):
    points = np.arange(count, dtype=np.float64)
    if hasattr(np, "set_default_device"):
        points = points.cuda()
    return -0.825 * np.log1p(points) - 0.8 + 0.1 * np.cos(points), np.log1p(points)


def resolution_in(np, count):
    scores, _ = scores_in(np, count + 1)

    def formula(scores):
        weights = np.exp(scores - scores.max())
        here = weights[:-1]
        return (here * (here - weights[1:])).sum() / here.sum() ** 2
    if hasattr(np, "compile"):
        formula = np.compile(formula)
    return lambda: formula(scores)


def fit_in(np, count):
    """The line by normal equations about means, then its residuals: the least work a library of arrays can do."""
    data, column = scores_in(np, count)

    def formula(column, data):
        x, y = column.mean(), data.mean()
        slope = ((column - x) * (data - y)).sum() / ((column - x) ** 2).sum()
        residual = data - (y - slope * x) - slope * column
        return slope, (residual ** 2).sum(), abs(residual).max()
    if hasattr(np, "compile"):
        formula = np.compile(formula)
    return lambda: formula(column, data)


# Rows that are there before, and what is made of them: bytes read and written a point.
ROWS = [
    {"name": "Sandwich's full matrix, 12 heads", "task": "matrix", "points": 8192, "peer": matrix_in,
     "floor": "writing the results", "bytes": lambda length: (0, 8 * 12 * length * length)},
    {"name": "R(s)", "task": "resolution", "points": 1_000_000_000, "peer": resolution_in,
     "floor": "reading the scores", "bytes": lambda count: (8 * count, 0)},
    {"name": "straight-line fit", "task": "fit", "points": 1_000_000_000, "peer": fit_in,
     "floor": "reading both columns twice", "bytes": lambda count: (32 * count, 0)},
]

CASES = [
    {"name": "g_zeta", "formula": ZETA, "points": 100_000_000, "cosines": 64, "peer": zeta_in},
    {"name": "formula of 30 nodes", "formula": USER, "points": 1_000_000_000, "cosines": 0, "peer": user_in},
]


def find_peer():
    """(name, module, wait) of a library that computes on the device; None without one."""
    try:
        import torch
        if torch.cuda.is_available():
            return f"PyTorch {torch.__version__}", torch, torch.cuda.synchronize
    except ImportError:
        pass
    try:
        import cupy
        return f"CuPy {cupy.__version__}", cupy, cupy.cuda.Device().synchronize
    except ImportError:
        return None


def seconds_of(work, wait):
    work()
    wait()
    found = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        work()
        wait()
        found.append(time.perf_counter() - start)
    return min(found)


def found_by(program, *arguments):
    done = subprocess.run([BUILT / program, *map(str, arguments)], text=True, stdout=subprocess.PIPE)
    if done.returncode:
        sys.exit(done.returncode)
    return json.loads(done.stdout)


def beside(peer, record, work, count):
    """Adds the peer's time, or why there is none."""
    if not peer:
        return record
    name, module, wait = peer
    record["peer"] = name
    try:
        record["peer_ms"] = 1e3 * seconds_of(work(module, count), wait)
        record["times_peer"] = record["peer_ms"] / record["kernel_ms"]
    except (MemoryError, RuntimeError) as error:
        # PyTorch's and CuPy's errors for want of memory are of these kinds.
        record["no_peer"] = str(error).splitlines()[0]
    return record


def measure_rows(case, peer):
    # A matrix has the square of its length.
    count = case["points"] // (SCALE if case["task"] != "matrix" else math.isqrt(SCALE))
    found = found_by("cuda_rows", case["task"], count, REPEATS)
    read, written = case["bytes"](count)
    # Copying reads and writes 8 bytes a number.
    floor = read / (16 * found["moved"]) * found["copy_ms"] + written / (8 * found["moved"]) * found["fill_ms"]
    record = {"name": case["name"], "points": count, **found, "floor_ms": floor, "floor": case["floor"],
              "times_floor": found["kernel_ms"] / floor}
    return beside(peer, record, case["peer"], count)


def measure(case, peer):
    count = case["points"] // SCALE
    found = found_by("cuda_timing", case["formula"], count, "double", REPEATS)
    moved = found["moved"]
    bytes_floor = found["fill_ms"] * count / moved
    function_floor = case["cosines"] * count / found["cosines_per_ms"]
    record = {"name": case["name"], "formula": case["formula"], "points": count, **found,
              "floor_ms": max(bytes_floor, function_floor),
              "floor": "writing the results" if bytes_floor >= function_floor else "its cosines",
              "copy_gb_per_s": 16 * moved / found["copy_ms"] / 1e6}
    record["times_floor"] = record["kernel_ms"] / record["floor_ms"]
    return beside(peer, record, case["peer"], count)


def tell(record):
    print(f"{record['name']}: {record['points']:g} points on {record['device']}")
    print(f"  kernel {record['kernel_ms']:10.3f} ms, {record['times_floor']:.2f} of the floor ({record['floor']}, "
          f"{record['floor_ms']:.3f} ms); asked: at most 1.3")
    if "whole_ms" in record:
        print(f"  whole  {record['whole_ms']:10.3f} ms, from the call to values in the processor's memory, as studies evaluate")
    if "peer_ms" in record:
        print(f"  {record['peer']} {record['peer_ms']:10.3f} ms, {record['times_peer']:.2f} times ours; asked: at least 3")
    elif "no_peer" in record:
        print(f"  {record['peer']} did not do it: {record['no_peer']}")
    else:
        print("  no PyTorch or CuPy with this device is installed: no peer")
    if "first_use_ms" in record:
        print(f"  first use {record['first_use_ms']:.1f} ms, asked: under 150; cached {record['cached_use_ms']:.1f} ms, "
              "asked: under 5")
    print(f"  differs from the processor by {record['largest_difference']:.2g} of the largest value", flush=True)


def main():
    peer = find_peer()
    records = []
    for measured, cases in ((measure, CASES), (measure_rows, ROWS)):
        for case in cases:
            records.append(measured(case, peer))
            tell(records[-1])
    name = re.sub(r"[^a-z0-9]+", "-", records[0]["device"].lower()).strip("-")
    folder = pathlib.Path(os.environ.get("FARFIELD_BENCH_GPU", ROOT / "results" / "gpu"))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps({"device": records[0]["device"], "benchmarks": records}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
