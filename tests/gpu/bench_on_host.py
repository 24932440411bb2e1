"""Runs the benchmark of a device with a driver and an NVRTC that run kernels on the host, and with numpy as the peer.
Checks that one command measures every case and writes its record, and that the peers do the work that is timed. The
times are meaningless.

Usage: bench_on_host.py FOLDER_OF_PROGRAMS_AND_LIBRARIES
"""
import importlib.util
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy
except ImportError:
    print("skipped: this Python has no numpy, which replaces the peer")
    sys.exit(77)

import on_host

RUN = pathlib.Path(__file__).resolve().parents[1] / "bench" / "cuda" / "run.py"


def benchmark(folder, built):
    """run.py as a module, with settings for a small trial in `folder`."""
    programs = folder / "tests" / "bench"
    programs.mkdir(parents=True)
    for name in ("cuda_timing", "cuda_rows"):
        (programs / name).symlink_to(built / f"{name}_on_host")
    os.environ.update(on_host.environment_of(folder, built), FARFIELD_BUILD=str(folder), FARFIELD_BENCH_REPEATS="1",
                      FARFIELD_BENCH_SCALE="10000", FARFIELD_BENCH_GPU=str(folder / "results"))
    spec = importlib.util.spec_from_file_location("run", RUN)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.find_peer = lambda: (f"numpy {numpy.__version__}", numpy, lambda: None, lambda: None)
    return module


def check_record(module, folder):
    assert module.main() == 0
    record = json.loads((folder / "results" / "a-processor-in-a-device-s-place.json").read_text())
    assert record["device"] == "a processor in a device's place"
    assert [one["name"] for one in record["benchmarks"]] == [case["name"] for case in module.CASES]
    for one in record["benchmarks"]:
        numbers = ["ours_ms", "floor_ms", "times_floor", "copy_ms", "fill_ms", "multiply_adds_per_ms"]
        has_peer = one["name"] != "g_zeta, each cosine by itself"
        numbers += ["peer_ms", "times_peer"] if has_peer else []
        for name in numbers:
            assert 0 < one[name] < math.inf, (one["name"], name, one[name])
        assert "no_peer" not in one, one
        # Sums of waves are within 1e-12 of their magnitudes on host and device; other results differ by roundings.
        assert one["difference"] <= 1e-11, (one["name"], one["difference"])


def check_no_device():
    """A benchmark without a device ends with status 3 and says what it looked for."""
    environment = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
    done = subprocess.run([sys.executable, RUN], env=environment | {"CUDA_VISIBLE_DEVICES": ""}, text=True, capture_output=True)
    assert done.returncode == 3 and "--device cuda: " in done.stderr, (done.returncode, done.stderr)


def check_peers(module):
    """Compares each peer's numbers at a small size with formulas that this file evaluates point by point."""
    zeta = module.zeta_in(numpy, 5000)().ravel()
    for n in (0, 1, 4095, 4096, 4999):
        wanted = math.fsum(math.cos(n * 10000 ** (-2 * j / 128)) for j in range(64))
        assert abs(zeta[n] - wanted) <= 1e-10, (n, zeta[n], wanted)
    user = module.user_in(numpy, 5000)()
    for n in (0, 1, 4999):
        wanted = (math.exp(-n / 5e7) * math.cos(0.001 * n + 0.5) / (1 + math.sqrt(n)) + math.log1p(n) * math.sin(n / 1000)
                  - math.tanh(n / 1e8))
        assert abs(user[n] - wanted) <= 1e-13, (n, user[n], wanted)
    length = 9
    matrix = module.matrix_in(numpy, length)()
    assert matrix.shape == (12, length, length)
    for head, q, k in ((0, 0, 0), (0, 8, 0), (3, 2, 7), (11, 0, 8)):
        # Numbers of a row count up over heads and distances, from the farthest key before the query.
        assert matrix[head, q, k] == head * (2 * length - 1) + length - 1 - q + k, (head, q, k)
    scores = [-0.825 * math.log1p(n) - 0.8 + 0.1 * math.cos(n) for n in range(3001)]
    weights = [math.exp(score) for score in scores]
    wanted = math.fsum(here * (here - after) for here, after in zip(weights, weights[1:])) / math.fsum(weights[:-1]) ** 2
    assert abs(module.resolution_in(numpy, 3000)() / wanted - 1) <= 1e-12
    slope, squares, _ = module.fit_in(numpy, 3000)()
    columns = numpy.vander([math.log1p(n) for n in range(3000)], 2)
    by_qr, residual, *_ = numpy.linalg.lstsq(columns, numpy.array(scores[:3000]), rcond=None)
    assert abs(slope / by_qr[0] - 1) <= 1e-10 and abs(squares / residual[0] - 1) <= 1e-10


def main():
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        module = benchmark(folder, pathlib.Path(sys.argv[1]).resolve())
        check_peers(module)
        check_record(module, folder)
        check_no_device()


if __name__ == "__main__":
    main()
