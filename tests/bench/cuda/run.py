#!/usr/bin/python3
"""Times formulas and long rows on a CUDA device. Compares them with PyTorch or CuPy doing the same work in the same
run, and with a lower bound for the device. Writes results/gpu/DEVICE.json. `./farfield bench --device cuda` runs it.

farfield's time is that of the path that studies use, with the results left on the device: sums of waves by angle
addition, other formulas by a kernel of their own. The peer's results are left on the device too. The path that copies
results to host memory is timed in addition. The lower bound (floor) is the larger of two times: that of the bytes read
and written, at the measured bandwidths of copying and filling memory, and that of the formula's functions, or
multiplications and additions, at the measured rates of kernels that do nothing else.
"""
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILT = pathlib.Path(os.environ["FARFIELD_BUILD"], "tests", "bench")
REPEATS = int(os.environ.get("FARFIELD_BENCH_REPEATS", "10"))
SCALE = int(os.environ.get("FARFIELD_BENCH_SCALE", "1"))  # the number of points is divided by it, to test this script

USER = ("exp(-n/50000000) * cos(0.001*n + 0.5) / (1 + sqrt(n)) + log1p(n) * sin(n/1000) - "
        "tanh(n/100000000)")
ZETA = "sum(j, 0, 63, cos(n*10000^(-2*j/128)))"


def there(np, array):
    """PyTorch's arrays are in host memory unless they are moved."""
    return array.cuda() if hasattr(np, "set_default_device") else array


def zeta_in(np, count):
    """g_zeta by angle addition, n = a K + b, as one matrix product: the fastest form for an array library."""
    columns = 4096
    rows = -(-count // columns)
    theta = there(np, 10000.0 ** (-2 * np.arange(64, dtype=np.float64) / 128))
    starts = there(np, columns * np.arange(rows, dtype=np.float64))
    inside = there(np, np.arange(columns, dtype=np.float64))

    def work():
        a, b = starts[:, None] * theta, theta[:, None] * inside
        return np.hstack((np.cos(a), -np.sin(a))) @ np.vstack((np.cos(b), np.sin(b)))
    return work


def user_in(np, count):
    points = there(np, np.arange(count, dtype=np.float64))

    def formula(n):
        return (np.exp(-n / 50000000) * np.cos(0.001 * n + 0.5) / (1 + np.sqrt(n)) + np.log1p(n) * np.sin(n / 1000)
                - np.tanh(n / 100000000))
    if hasattr(np, "compile"):
        formula = np.compile(formula)
    return lambda: formula(points)


def matrix_in(np, length):
    """The full matrix from biases by distance. Each row is a reversed window of the biases from the farthest key before
    to the farthest key after the query. This is the fastest form without an index array."""
    heads, distances = 12, 2 * length - 1
    rows = there(np, np.arange(heads * distances, dtype=np.float64).reshape(heads, distances))
    if hasattr(np, "set_default_device"):
        return lambda: rows.unfold(1, length, 1).flip(1).contiguous()
    windows = np.lib.stride_tricks.as_strided(rows[:, length - 1:], (heads, length, length),
                                              (8 * distances, -8, 8))
    return lambda: np.ascontiguousarray(windows)


def scores_in(np, count):
    points = there(np, np.arange(count, dtype=np.float64))
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
    """The line by normal equations about the means, then its residuals: the least work for an array library."""
    data, column = scores_in(np, count)

    def formula(column, data):
        x, y = column.mean(), data.mean()
        slope = ((column - x) * (data - y)).sum() / ((column - x) ** 2).sum()
        residual = data - (y - slope * x) - slope * column
        return slope, (residual ** 2).sum(), abs(residual).max()
    if hasattr(np, "compile"):
        formula = np.compile(formula)
    return lambda: formula(column, data)


# The cases. `bytes` are the bytes read and written for each point; `multiply_adds` and `functions` count the operations
# of each point, and each function has the largest of its arguments. `way` says which of the program's times is
# farfield's.
CASES = [
    # By angle addition, each cosine and each sine takes a multiplication of two numbers and an addition.
    {"name": "g_zeta", "program": "cuda_timing", "work": ZETA, "points": 100_000_000, "way": "there", "peer": zeta_in,
     "bytes": (0, 8), "multiply_adds": 128},
    {"name": "g_zeta, each cosine by itself", "program": "cuda_timing", "work": ZETA, "points": 100_000_000, "way": "kernel",
     "bytes": (0, 8), "functions": {"cos(x)@1e8": 64}},
    {"name": "formula of 30 nodes", "program": "cuda_timing", "work": USER, "points": 1_000_000_000, "way": "kernel",
     "peer": user_in, "bytes": (0, 8),
     "functions": {"exp(x)@-20": 1, "cos(x)@1e6": 1, "sqrt(x)@1e9": 1, "log1p(x)@1e9": 1, "sin(x)@1e6": 1, "tanh(x)@10": 1,
                   "x/7@1e9": 4}},
    # The rows are already on the device.
    {"name": "Sandwich's full matrix, 12 heads", "program": "cuda_rows", "work": "matrix", "points": 8192, "way": "kernel",
     "peer": matrix_in, "bytes": (0, 8)},
    {"name": "R(s)", "program": "cuda_rows", "work": "resolution", "points": 1_000_000_000, "way": "kernel",
     "peer": resolution_in, "bytes": (8, 0), "functions": {"exp(x)@-20": 1}},
    # Both columns are read twice.
    {"name": "straight-line fit", "program": "cuda_rows", "work": "fit", "points": 1_000_000_000, "way": "kernel",
     "peer": fit_in, "bytes": (32, 0)},
]


def find_peer():
    """(name, module, wait, release) of a library that computes on the device, or None. release() frees the device
    memory that the library caches."""
    try:
        import torch
        if torch.cuda.is_available():
            return f"PyTorch {torch.__version__}", torch, torch.cuda.synchronize, torch.cuda.empty_cache
    except (ImportError, OSError):
        pass
    try:
        import cupy
        if cupy.is_available():
            return (f"CuPy {cupy.__version__}", cupy, cupy.cuda.Device().synchronize,
                    cupy.get_default_memory_pool().free_all_blocks)
    except (ImportError, OSError):
        pass
    return None


def go_where_peer_is():
    """Restarts this script under another Python that has a peer: the first one on PATH, or one that .ci/peers or the
    benchmark of models made. Returns if there is none."""
    build = os.environ["FARFIELD_BUILD"]
    for python in (shutil.which("python3"), f"{build}/peers/venv/bin/python", f"{build}/export-peers/venv/bin/python"):
        if python and os.path.exists(python) and subprocess.run([python, __file__, "--has-peer"]).returncode == 0:
            os.execv(python, [python, __file__])


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
    """The measurements that a program of this folder prints."""
    done = subprocess.run([BUILT / program, *map(str, arguments)], text=True, stdout=subprocess.PIPE)
    if done.returncode:
        sys.exit(done.returncode)
    return json.loads(done.stdout)


def beside(peer, record, work, count):
    """Adds the peer's time to the record, or the reason why there is none."""
    if not peer:
        return record
    name, module, wait, release = peer
    record["peer"] = name
    try:
        record["peer_ms"] = 1e3 * seconds_of(work(module, count), wait)
        record["times_peer"] = record["peer_ms"] / record["ours_ms"]
    except (MemoryError, RuntimeError) as error:
        # The out-of-memory errors of PyTorch and CuPy are of these classes.
        record["no_peer"] = (str(error).splitlines() or [type(error).__name__])[0]
    release()
    return record


def floor_of(case, found, points):
    """(resource, milliseconds): the lower bound for the work on this device."""
    read, written = case["bytes"]
    # Copying reads and writes 8 bytes for each number.
    moving = points * (read / 16 * found["copy_ms"] + written / 8 * found["fill_ms"]) / found["moved"]
    rates = {name.split("@")[0]: count for name, count in case.get("functions", {}).items()}
    floors = {"moving its bytes": moving,
              "its functions": points * sum(count / found[f"{name}_per_ms"] for name, count in rates.items()),
              "its multiplications and additions": points * case.get("multiply_adds", 0) / found["multiply_adds_per_ms"]}
    return max(floors.items(), key=lambda floor: floor[1])


def measure(case, peer):
    # The number of points of a matrix is the square of its length.
    count = case["points"] // (SCALE if case["work"] != "matrix" else math.isqrt(SCALE))
    points = count if case["work"] != "matrix" else 12 * count * count
    found = found_by(case["program"], case["work"], count, REPEATS, *case.get("functions", {}))
    what, floor = floor_of(case, found, points)
    ours = found[f"{case['way']}_ms"]
    record = {"name": case["name"], "work": case["work"], "points": points, **found, "way": case["way"], "ours_ms": ours,
              "difference": found[f"{case['way']}_difference"], "floor": what, "floor_ms": floor, "times_floor": ours / floor,
              "copy_gb_per_s": 16 * found["moved"] / found["copy_ms"] / 1e6}
    return beside(peer, record, case["peer"], count) if "peer" in case else record


def tell(record):
    print(f"{record['name']}: {record['points']:g} points on {record['device']}")
    print(f"  ours   {record['ours_ms']:10.3f} ms, {record['times_floor']:.2f} of the floor ({record['floor']}, "
          f"{record['floor_ms']:.3f} ms); target: at most 1.3")
    if "there_ms" in record and record["way"] != "there":
        print(f"  device {record['there_ms']:10.3f} ms, from the formula to values on the device, with newly allocated memory")
    if "whole_ms" in record:
        print(f"  whole  {record['whole_ms']:10.3f} ms, from the call to values in the processor's memory")
    if "peer_ms" in record:
        print(f"  {record['peer']} {record['peer_ms']:10.3f} ms, {record['times_peer']:.2f} times ours; target: at least 3")
    elif "no_peer" in record:
        print(f"  {record['peer']} failed: {record['no_peer']}")
    if "first_use_ms" in record:
        print(f"  first use {record['first_use_ms']:.1f} ms, target: under 150; cached {record['cached_use_ms']:.1f} ms, "
              "target: under 5")
    print(f"  differs from the processor by {record['difference']:.2g} of the largest value", flush=True)


def keep(records):
    """Writes the records so far, so that a case that fails later does not lose them."""
    device = records[0]["device"]
    name = re.sub(r"[^a-z0-9]+", "-", device.lower()).strip("-")
    folder = pathlib.Path(os.environ.get("FARFIELD_BENCH_GPU", ROOT / "results" / "gpu"))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps({"device": device, "benchmarks": records}, indent=1) + "\n")


def main():
    peer = find_peer()
    if not peer:
        go_where_peer_is()
    records = []
    for case in CASES:
        records.append(measure(case, peer))
        tell(records[-1])
        keep(records)
    if not peer:
        print("No Python installation has PyTorch or CuPy for this device, so the times are not compared with either. "
              "`python3 -m pip install torch` installs PyTorch.")
    return 0


if __name__ == "__main__":
    sys.exit(main() if sys.argv[1:] != ["--has-peer"] else find_peer() is None)
