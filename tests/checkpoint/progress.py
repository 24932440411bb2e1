"""`forward` shows its progress and the time left after two seconds, from reading the weights to the last logits:
progress.py PROGRAM

The share shown increases, and is nearly 100 % at the end: the work done adds up to the total that is known in advance.
"""
import math
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile
import threading
import time

import tiny

LINE = re.compile(r"\x1b\[Kforward: (?:(under )?([\d.]+)%, ([^\r\x1b]+ left|nearly done)|running for)")
# 3e11 operations of products, nearly all with the weights of the heads, and 1e11 of attention take more than three
# seconds in one thread.
SHAPE = {"layers": 3, "width": 4096, "heads": 8, "key_heads": 8, "head_dim": 64, "rotated": 64, "ffn": 32}
TOKENS = 6144
LEAST = 2.5  # seconds that a run must take to show lines


def shown(program, folder):
    """(seconds, text) of the lines that a run writes to a terminal, its status, and its duration."""
    ours, theirs = pty.openpty()
    start = time.monotonic()
    process = subprocess.Popen([program, "forward", "model.gguf", "--tokens", "tokens.npy", "-o", "logits.npy", "--threads", "1"], cwd=folder,
                               stderr=theirs, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    os.close(theirs)
    parts = []

    def read():
        try:
            while part := os.read(ours, 65536):
                parts.append((time.monotonic() - start, part.decode(errors="replace")))
        except OSError:
            pass

    reader = threading.Thread(target=read)
    reader.start()
    status = process.wait()
    seconds = time.monotonic() - start
    reader.join(10)
    os.close(ours)
    return parts, status, seconds


def file_of_zeros():
    """A file of that shape whose weights are all 0."""
    model = tiny.Model()
    model.shape |= SHAPE
    model.tensors = {name: ["F32", shape, bytes(4 * math.prod(shape))]
                     for name, shape in tiny.shapes(model.shape).items()}
    return model.bytes()


def problems_of(program, tokens):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "model.gguf").write_bytes(file_of_zeros())
        (folder / "tokens.npy").write_bytes(tiny.npy([i % 50 for i in range(tokens)]))
        parts, status, seconds = shown(program, folder)
    found = [(at, line) for at, part in parts for line in LINE.finditer(part)]
    print(f"{tokens} tokens, {seconds:.1f} s:", [(round(at, 1), line[0][3:]) for at, line in (*found[:2], *found[-2:])])
    if status != 0:
        yield f"the status is {status}: {parts}"
    if seconds < LEAST:
        yield f"it takes {seconds:.1f} s: too short to show anything"
        return
    if not found:
        yield f"nothing is shown: {parts[:3]}"
        return
    if found[0][0] < 1.9:
        yield f"progress after {found[0][0]:.1f} s already"
    unknown = [line[0] for _, line in found if line[2] is None]
    if unknown:
        yield f"the time left is not told: {unknown[:3]}"
    shares = [float(line[2]) for _, line in found if line[2]]
    if shares != sorted(shares) or len(set(shares)) < 2:
        yield f"the share does not grow: {shares}"
    # The last line is printed a tenth of a second before the end.
    if shares and shares[-1] < 90:
        yield f"the last share is {shares[-1]} %"
    early = [at for at, line in found if line[3] == "nearly done"]
    if early and early[0] < 0.9 * seconds:
        yield f"nearly done after {early[0]:.1f} s of {seconds:.1f} s"


def main():
    problems = list(problems_of(sys.argv[1], TOKENS))
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
