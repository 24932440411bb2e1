"""What the benchmark scripts share: the programs, medians, and the lines they print."""
import json
import os
import pathlib
import statistics
import subprocess
import time


def program(name, *arguments):
    """Runs a timing program of the build folder and reads its JSON; lists of microseconds become seconds."""
    path = pathlib.Path(os.environ["FARFIELD_BUILD"]) / "tests" / "bench" / name
    done = subprocess.run([path, *map(str, arguments)], stdout=subprocess.PIPE, check=True, text=True)
    found = json.loads(done.stdout)
    return {key.removesuffix("_us"): [value * 1e-6 for value in times] if key.endswith("_us") else times
            for key, times in found.items()}


def seconds_of(work, repeats):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return times


def line(what, seconds, note=""):
    """Median and spread; the first repeat of several warms up and is left out."""
    kept = seconds[1:] if len(seconds) > 2 else seconds
    middle = statistics.median(kept)
    print(f"  {what:<44} {middle * 1e3:11.3f} ms  [{min(kept) * 1e3:.3f}, {max(kept) * 1e3:.3f}]  {note}".rstrip(), flush=True)
    return middle


def ratio(what, value, wanted, at_least=True):
    """Prints a ratio beside what is asked of it; whether it is reached."""
    reached = value >= wanted if at_least else value <= wanted
    print(f"  {what:<44} {value:11.2f}     {'at least' if at_least else 'at most'} {wanted}: "
          f"{'reached' if reached else 'MISSED'}", flush=True)
    return reached
