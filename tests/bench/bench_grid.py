#!/usr/bin/python3
"""Times the 17 models of Chi et al. 2023, Table 1, at the size of the pilot: six windows, six shifts of ALiBi's slopes,
five equal slopes. One run trains and measures them with an empty cache. FARFIELD_GRID_STEPS=100 trains a tenth of the
steps and estimates the time of all."""
import os
import subprocess
import sys
import tempfile
import time

import bench_model
import measure

STEPS = 1000
STUDY = """
[study]
title = "The pilot's grid"

[corpus.kjv]
builtin = "kjv"

[model.small]
layers = 4
heads  = 4
width  = 64
"""
TRAININGS = {"window": ("windowed", "w = [5, 10, 12, 15, 20, 40]"),
             "shift": ("alibi-shifted", "delta = [-3, 0, 2, 4, 6, 8]"),
             "same": ("alibi-same-h", "h0 = [0, 2, 4, 6, 8]")}


def study(steps):
    parts = [STUDY]
    for name, (scheme, sweep) in TRAININGS.items():
        parts.append(f'[train.{name}]\nmodel = "small"\nscheme = "{scheme}"\ncorpus = "kjv"\nlength = 64\nbatch = 32\n'
                     f"steps = {steps}\nlr = 2e-3\nseeds = [0]\nsweep = {{ {sweep} }}\n"
                     f'[quantity.{name}]\nkind = "perplexity"\nof = "{name}"\nlengths = [64, 128, 256, 512, 1024]\n')
    return "\n".join(parts)


def seconds_of_run(steps):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "grid.toml")
        with open(path, "w") as file:
            file.write(study(steps))
        start = time.perf_counter()
        subprocess.run([measure.PROGRAM, "run", path, "--cache", folder, "-o", folder, "--no-figures"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return time.perf_counter() - start


def main():
    steps = int(os.environ.get("FARFIELD_GRID_STEPS", STEPS))
    report = measure.Report("grid", f"17 models of 0.2 million parameters, {STEPS} steps each, and their perplexities",
                            os.cpu_count())
    seconds = seconds_of_run(steps)
    if steps < STEPS:
        # Two runs with different numbers of steps separate the time of the steps from the rest.
        other = seconds_of_run(2 * steps)
        a_step = (other - seconds) / steps
        seconds += a_step * (STEPS - steps)
        report.value("seconds of a step of all 17", a_step)
    report.ratio("seconds of the whole grid", seconds, 300, at_least=False)
    report.value("models an hour", 17 * 3600 / seconds)
    # The lower bound for any scheduling: the products of all steps at the processor's rate.
    floor = 17 * STEPS * bench_model.operations(4, 64, 64, 32) / bench_model.arithmetic()
    report.value("seconds of the products of all steps alone", floor)
    return report.save()


if __name__ == "__main__":
    sys.exit(main())
