"""farfield run --device cuda over a driver and an NVRTC that run kernels on the host: the whole way from a study to its
results, but for operations on rows, CUDA's own functions and the hardware.

Usage: on_host.py FARFIELD FOLDER_OF_LIBRARIES
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


def check_study(program, environment):
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        (folder / "s.toml").write_text(STUDY)
        there, errors = run(program, folder, "cuda", environment | {"FARFIELD_HOST_CUDA": made})
        here, _ = run(program, folder, "cpu", environment)
        assert errors == "", errors
        assert there["device"] == "cuda: a processor in a device's place, sm_90", there["device"]
        assert here["device"] == "cpu"
        for name, by_device in {"row": True, "low": True, "few": False}.items():
            told = json.dumps(there["quantities"][name])
            assert ("1 evaluation by cuda" in told) == by_device, told
        assert series(folder, "cuda", "low") == series(folder, "cpu", "low")
        assert series(folder, "cuda", "few") == series(folder, "cpu", "few")
        assert [c["verdict"] for c in there["claims"]] == [c["verdict"] for c in here["claims"]] == ["confirmed"]
        kernels = [path for path in (folder / "cache-cuda" / "kernels").rglob("*") if path.is_file()]
        assert len(kernels) == 2, kernels


def main():
    program, libraries = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        # The names by which the program opens them.
        shutil.copy(pathlib.Path(libraries, "libcuda.so"), pathlib.Path(folder, "libcuda.so.1"))
        shutil.copy(pathlib.Path(libraries, "libnvrtc.so"), folder)
        environment = os.environ | {"LD_LIBRARY_PATH": folder, "FARFIELD_HOST_CUDA": folder}
        check_study(program, environment)


if __name__ == "__main__":
    main()
