"""Runs farfield run --device cuda with a driver and an NVRTC that run kernels on the host, and row operations on the
CPU. This covers the complete path from a study to its results, except for CUDA's own functions and the hardware.

Usage: on_host.py FOLDER_OF_PROGRAMS_AND_LIBRARIES [STUDIES RESULTS]

With STUDIES and RESULTS all studies run too, which takes minutes.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

STUDY = """
[study]
title = "a study on a device"
[quantity.row]
kind = "curve"
formula = "-0.4*log(1 + 0.5*n) - sqrt(n)"
distances = { from = 0, to = 9999 }
[quantity.low]
kind = "curve"
formula = "exp(-n/1000)*sin(n)"
distances = { from = 0, to = 9999 }
in = "bf16"
[quantity.waves]
kind = "curve"
formula = "sum(j, 0, 15, cos(n*10000^(-j/16)))"
distances = { from = 0, to = 9999 }
enclosures = "never"
[quantity.attention]
kind = "profile"
of = "waves"
[quantity.matrix]
kind = "matrix"
formula = "-sqrt(q + 2*k)"
length = 70
enclosures = "never"
[quantity.few]
kind = "curve"
formula = "n^2"
distances = { from = 0, to = 9 }
[[claim]]
id = "C-1"
says = "It falls."
holds = "row.last < -100"
"""


def run(program, folder, device, environment):
    done = subprocess.run([program, "run", "s.toml", "--device", device, "--no-figures", "-o", device, "--cache", f"cache-{device}"],
                          cwd=folder, env=environment, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    return json.loads((folder / device / "s" / "results.json").read_text()), done.stderr


def series(folder, device, name):
    return (folder / device / "s" / f"{name}.csv").read_text()


def near(there, here):
    """Whether two CSV files have the same numbers, up to roundings."""
    rows = [[line.split(",") for line in text.split()] for text in (there, here)]
    numbers = [[float(cell) for row in table[1:] for cell in row] for table in rows]
    assert rows[0][0] == rows[1][0] and len(numbers[0]) == len(numbers[1]) > 0
    return all(abs(a - b) <= 1e-10 * max(1, abs(b)) for a, b in zip(*numbers))


def check_study(program, environment):
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        (folder / "s.toml").write_text(STUDY)
        there, errors = run(program, folder, "cuda", environment | {"FARFIELD_HOST_CUDA": made})
        here, _ = run(program, folder, "cpu", environment)
        assert errors == "", errors
        assert there["device"] == "cuda: a processor in a device's place, sm_90", there["device"]
        assert here["device"] == "cpu"
        # The query and key of each cell of a matrix take two evaluations, and the visible part takes four more.
        done = {"row": "1 evaluation by cuda", "low": "1 evaluation by cuda", "waves": "1 evaluation",
                "attention": "operations on rows", "matrix": "6 evaluations", "few": None}
        for name, by_device in done.items():
            told = json.dumps(there["quantities"][name])
            assert "by cuda" not in told if by_device is None else by_device in told, told
        for name in ("waves", "attention", "matrix"):
            assert near(series(folder, "cuda", name), series(folder, "cpu", name)), name
        assert series(folder, "cuda", "low") == series(folder, "cpu", "low")
        assert series(folder, "cuda", "few") == series(folder, "cpu", "few")
        assert [c["verdict"] for c in there["claims"]] == [c["verdict"] for c in here["claims"]] == ["confirmed"]
        kernels = [path for path in (folder / "cache-cuda" / "kernels").rglob("*") if path.is_file()]
        # Sums of waves and row operations have kernels of their own.
        assert len(kernels) == 8, kernels


def environment_of(folder, built):
    """The environment in which a program of `built` finds this driver and NVRTC, copied to `folder` with the names that
    it opens."""
    shutil.copy(pathlib.Path(built, "libcuda.so"), pathlib.Path(folder, "libcuda.so.1"))
    shutil.copy(pathlib.Path(built, "libnvrtc.so"), folder)
    return os.environ | {"LD_LIBRARY_PATH": str(folder), "FARFIELD_HOST_CUDA": str(folder)}


def check_studies(program, studies, results, environment):
    """The studies' numbers and verdicts, computed by the kernels of many formulas, are those on record."""
    compare = pathlib.Path(__file__).resolve().parents[1] / "golden" / "compare.py"
    with tempfile.TemporaryDirectory() as cache:
        done = subprocess.run([sys.executable, compare, program, studies, results, "--device", "cuda", "--cache", cache],
                              env=environment, text=True, capture_output=True)
        assert done.returncode == 0, done.stdout + done.stderr
        kernels = [path for path in pathlib.Path(cache, "kernels").rglob("*") if path.is_file()]
        assert len(kernels) > 20, kernels


def main():
    built, *all_studies = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        environment = environment_of(folder, built)
        check_study(built / "farfield_on_host", environment)
        if all_studies:
            check_studies(built / "farfield_on_host", *all_studies, environment)


if __name__ == "__main__":
    main()
