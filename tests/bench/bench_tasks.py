#!/usr/bin/python3
"""Times farfield tasks: the list of 110,000 tasks of one study (tests/shards/sweep.toml), and of 10,000 tasks of a
thousand studies."""
import os
import pathlib
import subprocess
import sys
import tempfile

import measure

SWEEP = pathlib.Path(__file__).resolve().parents[1] / "shards" / "sweep.toml"
STUDIES = 1000
SMALL_SWEEP = "sweep  = { delta = { from = 0, to = 9999 } }"


def list_tasks(path, expected):
    listed = subprocess.run([measure.PROGRAM, "tasks", path, "--train", "--json", "--store", "/nonexistent"], check=True,
                            stdout=subprocess.PIPE).stdout
    assert listed.count(b"\n") == expected, listed.count(b"\n")


def main():
    report = measure.Report("tasks", "110,000 tasks of one study, 10,000 of 1000 studies", os.cpu_count())
    with tempfile.TemporaryDirectory() as folder:
        text = SWEEP.read_text()
        assert SMALL_SWEEP in text
        for i in range(STUDIES):
            # All trainings differ, because equal tasks are listed only once.
            own = text.replace(SMALL_SWEEP, f"sweep  = {{ delta = [{i}] }}").replace(
                "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]", "[0, 1, 2, 3, 4, 5, 6, 7, 8]")
            (pathlib.Path(folder) / f"s{i}.toml").write_text(own)
        turns = measure.take_turns(3, one=lambda: measure.seconds_of(lambda: list_tasks(SWEEP, 110_000)),
                                   many=lambda: measure.seconds_of(lambda: list_tasks(folder, 10 * STUDIES)))
    report.times("110,000 tasks of one study", turns["one"])
    report.times("10,000 tasks of 1000 studies", turns["many"])
    report.ratio("110,000 tasks, seconds", turns["one"][0], 5, at_least=False)
    return report.save()


if __name__ == "__main__":
    sys.exit(main())
