#!/usr/bin/python3
"""Whole runs of the program: the receptive field that a bias predicts at L = 10^6 with 12 layers, and the claims of the
studies of two papers."""
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
    report.times("receptive field, L = 10^6, R = 12", turns["field"])
    report.times("farfield check of two papers", turns["papers"])
    report.ratio("receptive field, seconds", turns["field"][0], 1, at_least=False)
    report.ratio("check, seconds", turns["papers"][0], 3, at_least=False)
    return report.save()


if __name__ == "__main__":
    sys.exit(main())
