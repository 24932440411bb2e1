"""Work that takes longer than two seconds shows its progress on a terminal: quantities, conditions of claims and
trainings of a run or of `explain`, the search of `compare`, the points of `eval` and `plot`, the cases of
`safe-length`. The time left is shown if it can be estimated. An interruption ends each of them.

Usage: progress.py FARFIELD
"""
import array
import concurrent.futures
import os
import pathlib
import pty
import random
import re
import subprocess
import sys
import tempfile
import threading
import time

LINE = re.compile(r"\x1b\[K(?:s: )?([^:\r\x1b]+): (?:running for \d+ s|(?:under )?[\d.]+%(?:, (?:[^\r\x1b]+ left|nearly done))?)")
MOST_SECONDS = 12
LONG = "[quantity.a]\nkind = 'value'\nformula = 'sum(i, 1, 10^10, sin(i))'\n"
CLAIM = "[[claim]]\nid = 'C'\nsays = 's'\nholds = 'a < 1'\n"
STUDIES = {
    "a quantity": (LONG, "a"),
    "a condition": ("[quantity.a]\nkind = 'value'\nformula = '1'\n[[claim]]\nid = 'C'\nsays = 's'\n"
                    "holds = 'sum(i, 1, 10^10, sin(i)) < a'\n", "claim C"),
    # After two seconds, less than 0.05 % of the work is done.
    "a long condition": ("[quantity.a]\nkind = 'value'\nformula = '1'\n[[claim]]\nid = 'C'\nsays = 's'\n"
                         "holds = 'sum(i, 1, 10^12, sin(i)) < a'\n", "claim C"),
    "a training": ("[corpus.c]\nbuiltin = 'urn'\n[model.m]\nlayers = 2\nheads = 2\nwidth = 32\n[train.w]\nmodel = 'm'\n"
                   "scheme = 'alibi'\ncorpus = 'c'\nlength = 64\nsteps = 100000\n[quantity.p]\nkind = 'perplexity'\nof = 'w'\n"
                   "lengths = [64]\n", "training"),
}


SHORT = "[quantity.a]\nkind = 'value'\nformula = '1'\n"
RUN = ["run", "s.toml", "--fresh", "--no-figures", "--store", "store", "--threads", "1"]
# 2^24 numbers that no scheme explains.
COMPARE = ["compare", "noise.npy", "--scheme", "any", "--axes", "queries,keys", "--threads", "1"]
# All built-in schemes in all formats take half a minute. The first ones are fast.
LENGTHS = ["safe-length", "--json", "--threads", "1"]
# A hundred points with 10^8 terms each, so the number of operations is known in advance.
POINTS = ["sum(i, 1, 10^8, sin(i*n))", "--over", "n=1:100", "--threads", "1"]


def write_noise(path):
    """Writes a .npy file of 4096 x 4096 numbers from 0 to 1 in float32."""
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (4096, 4096), }".ljust(117) + "\n"
    noise = array.array("f", (random.Random(1).random() for _ in range(1 << 12)))
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + noise.tobytes() * (1 << 12))


def shown(program, folder, words, seconds):
    """The text that a command writes to a terminal within this number of seconds, and its status. It is then
    interrupted."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([program, *words], cwd=folder, stderr=theirs, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
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
        lines = {LINE.search(part)[0] for _, part in text if LINE.search(part)}
        if len(lines) >= 3 and (any(line.endswith(" left") for line in lines) or time.monotonic() - start > 6):
            break
    process.send_signal(2)
    process.wait(60)
    reader.join(10)
    os.close(ours)
    return [(at - start, part) for at, part in text], process.returncode


def problems_of(what, item, text, status):
    found = [(at, LINE.search(part)) for at, part in text if LINE.search(part)]
    print(what, [(round(at, 1), line[0]) for at, line in found[:3]])
    if not any(line[1] == item for _, line in found):
        yield f"{what} shows no progress: {text[:3]}"
    elif found[0][0] < 1.9:
        yield f"{what} shows progress after {found[0][0]:.1f} s already"
    elif len({line[0] for _, line in found}) < 2:
        yield f"the progress of {what} stands still: {found[0][1][0]}"
    elif item in ("a", "claim C", "training", "eval", "plot", "safe-length") and not any(line[0].endswith(" left") for _, line in found):
        yield f"the progress of {what} does not tell the time left: {found[-1][1][0]}"
    whole = "".join(part for _, part in text)
    ends = [line.end() for line in LINE.finditer(whole)]
    if ends and "\r\x1b[K" not in whole[ends[-1]:]:
        yield f"the progress of {what} stays on the terminal: {whole[-200:]!r}"
    if status != 130:
        yield f"{what} ends with status {status} after an interruption"


def problems_of_studies(program, what, item, studies, words=None):
    with tempfile.TemporaryDirectory() as folder:
        for name, study in studies.items():
            (pathlib.Path(folder) / name).write_text(study)
        words = words or [RUN[0], *studies, *RUN[2:]]
        return list(problems_of(what, item, *shown(program, folder, words, MOST_SECONDS)))


def problems_of_command(program, what, words):
    with tempfile.TemporaryDirectory() as folder:
        if words[0] == "compare":
            write_noise(pathlib.Path(folder) / "noise.npy")
        return list(problems_of(what, words[0], *shown(program, folder, words, MOST_SECONDS)))


def main():
    program = sys.argv[1]
    # The cases run in parallel: progress lines are printed on time even if processors are shared.
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(problems_of_studies, program, what, item, {"s.toml": study})
                 for what, (study, item) in STUDIES.items()]
        # The line of the first study is shown until the study ends.
        asked += [pool.submit(problems_of_studies, program, "the first of two studies", "a (study 1 of 2)",
                              {"s.toml": LONG, "t.toml": SHORT})]
        asked += [pool.submit(problems_of_studies, program, "an explanation", "a", {"s.toml": LONG + CLAIM},
                              ["explain", "--all", "--json", "s.toml", "--threads", "1"])]
        asked += [pool.submit(problems_of_command, program, what, words) for what, words in (
            ("a comparison", COMPARE), ("safe lengths", LENGTHS), ("an evaluation", ["eval", *POINTS]),
            ("a picture", ["plot", *POINTS, "-o", "p.svg"]))]
    problems = [each for one in asked for each in one.result()]
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
