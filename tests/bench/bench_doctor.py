#!/usr/bin/python3
"""farfield doctor on every configuration of studies/configurations: the whole process with every number, no figures. The
least of several runs counts, so that other programs of the machine disturb little."""
import os
import pathlib
import subprocess
import sys

import measure

CONFIGURATIONS = pathlib.Path(__file__).resolve().parents[2] / "studies" / "configurations"
ROUNDS = 9
LIMIT_MS = 30


def run(path):
    # Status 1 is that of findings.
    status = subprocess.run([measure.PROGRAM, "doctor", path], stdout=subprocess.DEVNULL, check=False).returncode
    assert status in (0, 1), (path, status)


def main():
    paths = sorted(CONFIGURATIONS.glob("*.json"))
    assert paths, f"no configuration in {CONFIGURATIONS}"
    report = measure.Report("doctor", f"{len(paths)} configurations, each a process", os.cpu_count())
    turns = measure.take_turns(ROUNDS, **{path.stem: lambda path=path: measure.seconds_of(lambda: run(path)) for path in paths})
    least = sorted((times[0], name) for name, times in turns.items())
    for _, name in reversed(least[-3:]):
        report.times(name, turns[name])
    report.value("mean over the configurations, ms", sum(seconds for seconds, _ in least) / len(least) * 1e3)
    report.ratio("slowest configuration, ms", least[-1][0] * 1e3, LIMIT_MS, at_least=False)
    return report.save()


if __name__ == "__main__":
    sys.exit(main())
