#!/usr/bin/python3
"""Compares a float32 bias of 12 x 8192 x 8192 (3 GiB) with ALiBi's formula. The references are reading the file, and
numpy with the formula's values by distance. Also times the search for a variation. The file is in the page cache."""
import pathlib
import subprocess
import sys
import tempfile

import measure
import numpy as np

LENGTH = 8192
HEADS = 12
ALL = (HEADS, LENGTH, LENGTH)


def slopes():
    return 2.0 ** (-8.0 * (np.arange(HEADS) + 1) / HEADS)


def write(path, sign):
    tensor = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=ALL)
    distance = np.arange(LENGTH)[:, None] - np.arange(LENGTH)[None, :]
    for head, slope in enumerate(slopes()):
        tensor[head] = sign * slope * distance
    tensor.flush()


def read(path):
    """Reads every byte once, into a buffer that fits into the processor's cache."""
    buffer = bytearray(1 << 18)
    with open(path, "rb", buffering=0) as stream:
        while stream.readinto(buffer):
            pass


def numpy_compare(path):
    """The largest difference in units of the formula's value. Each row of each head is compared with a slice of the
    head's table."""
    tensor = np.load(path, mmap_mode="r")
    worst = 0.0
    for head, slope in enumerate(slopes()):
        table = (-slope * np.arange(LENGTH - 1, -LENGTH, -1)).astype(np.float32)
        per_unit = 1 / np.maximum(np.spacing(np.abs(table)), np.finfo(np.float32).tiny)
        rows = np.lib.stride_tricks.sliding_window_view(table, LENGTH)[::-1]
        units = np.lib.stride_tricks.sliding_window_view(per_unit, LENGTH)[::-1]
        for begin in range(0, LENGTH, 256):
            part = slice(begin, begin + 256)
            worst = max(worst, float((np.abs(tensor[head, part] - rows[part]) * units[part]).max()))
    return worst


def farfield(path, status):
    done = subprocess.run([measure.PROGRAM, "compare", path, "--scheme", "alibi"], stdout=subprocess.PIPE, text=True)
    assert done.returncode == status, done.stdout
    return done.stdout


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        equal, differs = folder / "equal.npy", folder / "differs.npy"
        write(equal, -1)
        write(differs, 1)
        assert numpy_compare(equal) == 0
        assert "all 402702336 numbers are the formula's" in farfield(equal, 0)
        assert "reversed-sign" in farfield(differs, 1)
        report = measure.Report("compare", f"{HEADS} x {LENGTH} x {LENGTH} float32, 3 GiB", measure.os.cpu_count())
        turns = measure.take_turns(5, read=lambda: measure.seconds_of(lambda: read(equal)),
                                   compare=lambda: measure.seconds_of(lambda: farfield(equal, 0)),
                                   search=lambda: measure.seconds_of(lambda: farfield(differs, 1)))
        theirs = measure.take_turns(1, numpy=lambda: measure.seconds_of(lambda: numpy_compare(equal)))
        size = equal.stat().st_size
    report.times("floor: reading the file", turns["read"], f"{size / turns['read'][0] / 1e9:.1f} GB/s")
    report.times("numpy, the values by distance given", theirs["numpy"])
    report.times("farfield compare, equal", turns["compare"])
    report.times("farfield compare, a variation found", turns["search"])
    report.ratio("equal, times the time of reading", turns["compare"][0] / turns["read"][0], 1.5, at_least=False)
    report.ratio("a variation found, seconds", turns["search"][0], 10, at_least=False, unit=" s")
    report.value("times less time than numpy", theirs["numpy"][0] / turns["compare"][0])
    return report.save()


if __name__ == "__main__":
    sys.exit(main())
