#!/usr/bin/python3
"""Times whole runs of the program: the receptive field that a bias predicts at L = 10^6 with 12 layers, the claims of
the studies of two papers, and quantities over 10^6 values with the times in results.json."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import measure

STUDIES = pathlib.Path(__file__).resolve().parents[2] / "studies"
FIELD = """[study]
title = "A receptive field"

[quantity.field]
kind = "receptive-field"
scheme = "alibi"
heads = 8
head = 8
length = 1000000
layers = 12
"""

FORMULA = "sum(i, 0, 63, cos(n * 10000^(-2*i/128)) * ((2*i/128 + 0.4)/1.4)^(n/512))"

ROWS = """[study]
title = "Rows of 10^6 values"

[quantity.row]
kind = "curve"
formula = "FORMULA"
over = { n = { from = 0, to = 999999 } }

[quantity.crossing]
kind = "crossing"
formula = "sum(i, 0, 63, cos(m*10000^(-i/64)))"
over = { m = { from = 0, to = 999999 } }
"""


def seconds_in(folder, quantity):
    """The time of one quantity, without the start of the program and without writing."""
    def run():
        arguments = ["run", folder / "rows.toml", "-o", folder, "--no-figures", "--fresh", "--cache", folder / "store",
                     "--only", quantity]
        subprocess.run([measure.PROGRAM, *arguments], check=True, stdout=subprocess.DEVNULL)
        return json.loads((folder / "rows" / "results.json").read_text())["quantities"][quantity]["seconds"]
    return run


def run_of(arguments):
    return lambda: measure.seconds_of(
        lambda: subprocess.run([measure.PROGRAM, *arguments], check=True, stdout=subprocess.DEVNULL))


def main():
    report = measure.Report("program", "whole runs, without cached results", os.cpu_count())
    with tempfile.TemporaryDirectory() as folder:
        study = pathlib.Path(folder) / "field.toml"
        study.write_text(FIELD)
        papers = [STUDIES / "chi-2023", STUDIES / "sun-2023"]
        cache = ["--fresh", "--cache", folder]
        turns = measure.take_turns(5, field=run_of(["run", *cache, "-o", folder, "--no-figures", study]),
                                   papers=run_of(["check", *cache, *papers]))
        (pathlib.Path(folder) / "rows.toml").write_text(ROWS.replace("FORMULA", FORMULA))
        with measure.Timing("formula", FORMULA, 1_000_000, "range") as kernel:
            turns |= measure.take_turns(15, kernel=lambda: kernel.seconds("ours"),
                                        row=seconds_in(pathlib.Path(folder), "row"),
                                        crossing=seconds_in(pathlib.Path(folder), "crossing"))
    report.times("receptive field, L = 10^6, R = 12", turns["field"])
    report.times("farfield check of two papers", turns["papers"])
    report.times("64 waves at 10^6 integers, the evaluation alone", turns["kernel"])
    report.times("curve of 10^6 values, of 64 waves", turns["row"])
    report.times("crossings of 64 cosines at 10^6 integers", turns["crossing"])
    report.ratio("receptive field, seconds", turns["field"][0], 1, at_least=False)
    report.ratio("check, seconds", turns["papers"][0], 3, at_least=False)
    report.ratio("curve, ms", turns["row"][0] * 1e3, 6, at_least=False)
    report.ratio("crossings, ms", turns["crossing"][0] * 1e3, 20, at_least=False)
    # The targets in milliseconds are for a computer on which the evaluation takes 2.4 ms.
    kernel = turns["kernel"][0]
    report.ratio("curve, times the evaluation", turns["row"][0] / kernel, 6 / 2.4, at_least=False)
    report.ratio("crossings, times the evaluation", turns["crossing"][0] / kernel, 20 / 2.4, at_least=False)
    return report.save()


if __name__ == "__main__":
    sys.exit(main())
