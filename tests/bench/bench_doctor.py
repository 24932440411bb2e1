#!/usr/bin/python3
"""Times farfield doctor on every configuration of studies/configurations: the whole process with all numbers, without
figures. The least time of several runs counts; the limit is for an idle computer. Processor time depends less on other
programs."""
import os
import pathlib
import resource
import subprocess
import sys

import measure

CONFIGURATIONS = pathlib.Path(__file__).resolve().parents[2] / "studies" / "configurations"
ROUNDS = 9
LIMIT_MS = 30


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(path):
    # Status 1 means that there are findings.
    status = subprocess.run([measure.PROGRAM, "doctor", path], stdout=subprocess.DEVNULL, check=False).returncode
    assert status in (0, 1), (path, status)


def main():
    paths = sorted(CONFIGURATIONS.glob("*.json"))
    assert paths, f"no configuration in {CONFIGURATIONS}"
    report = measure.Report("doctor", f"{len(paths)} configurations, each a process", os.cpu_count())
    wall = {path.stem: [] for path in paths}
    processor = {path.stem: [] for path in paths}
    for _ in range(ROUNDS):
        for path in paths:
            before = processor_seconds()
            wall[path.stem].append(measure.seconds_of(lambda path=path: run(path)))
            processor[path.stem].append(processor_seconds() - before)
    slowest = sorted(paths, key=lambda path: min(wall[path.stem]))[-3:]
    for path in reversed(slowest):
        report.times(path.stem, sorted(wall[path.stem]))
    for what, times in (("time", wall), ("processor time", processor)):
        least = [min(each) * 1e3 for each in times.values()]
        report.value(f"mean {what}, ms", sum(least) / len(least))
        report.value(f"longest {what}, ms", max(least))
    report.ratio("slowest configuration, ms", max(min(each) for each in wall.values()) * 1e3, LIMIT_MS, at_least=False)
    return report.save()


if __name__ == "__main__":
    sys.exit(main())
