"""What takes longer than two seconds shows its progress with the time left, on a terminal alone: quantities, conditions of claims, trainings.

Usage: progress.py FARFIELD
"""
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile
import threading
import time

LINE = re.compile(r"s: ([^:\r\x1b]+): (?:running for \d+ s|[\d.]+%, (?:about [^\r\x1b]+ left|nearly done))")
MOST_SECONDS = 12
STUDIES = {
    "a quantity": ("[quantity.a]\nkind = 'value'\nformula = 'sum(i, 1, 10^10, sin(i))'\n", "a"),
    "a condition": ("[quantity.a]\nkind = 'value'\nformula = '1'\n[[claim]]\nid = 'C'\nsays = 's'\n"
                    "holds = 'sum(i, 1, 10^10, sin(i)) < a'\n", "claim C"),
    "a training": ("[corpus.c]\nbuiltin = 'urn'\n[model.m]\nlayers = 2\nheads = 2\nwidth = 32\n[train.w]\nmodel = 'm'\n"
                   "scheme = 'alibi'\ncorpus = 'c'\nlength = 64\nsteps = 100000\n[quantity.p]\nkind = 'perplexity'\nof = 'w'\n"
                   "lengths = [64]\n", "training"),
}


def shown(program, folder, seconds):
    """What a run writes to a terminal within so many seconds; it is interrupted then."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([program, "run", "s.toml", "--fresh", "--no-figures", "--store", "store", "--threads", "1"], cwd=folder, stderr=theirs,
                               stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    os.close(theirs)
    text = []

    def read():
        try:
            while part := os.read(ours, 65536):
                text.append((time.monotonic(), part.decode(errors="replace")))
        except OSError:
            pass

    start = time.monotonic()
    reader = threading.Thread(target=read)
    reader.start()
    while time.monotonic() - start < seconds and process.poll() is None:
        time.sleep(0.1)
        if len({LINE.search(part)[0] for _, part in text if LINE.search(part)}) >= 3:
            break
    process.send_signal(2)
    process.wait(60)
    reader.join(10)
    os.close(ours)
    return [(at - start, part) for at, part in text]


def main():
    problems = []
    for what, (study, item) in STUDIES.items():
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "s.toml").write_text(study)
            text = shown(sys.argv[1], folder, MOST_SECONDS)
        found = [(at, LINE.search(part)) for at, part in text if LINE.search(part)]
        print(what, [(round(at, 1), line[0]) for at, line in found[:3]])
        if not any(line[1] == item for _, line in found):
            problems.append(f"{what} shows no progress: {text[:3]}")
        elif found[0][0] < 1.9:
            problems.append(f"{what} shows progress after {found[0][0]:.1f} s already")
        elif len({line[0] for _, line in found}) < 2:
            problems.append(f"the progress of {what} stands still: {found[0][1][0]}")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
