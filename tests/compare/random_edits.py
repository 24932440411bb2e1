"""Applies one to three random edits to a scheme's tensor, made in numpy. `farfield compare` must return sets of
variations that give the same tensor. The effect of each variation is implemented here a second time. A set is correct
if it gives the tensor, whatever its names.

Usage: random_edits.py PROGRAM [COUNT [SEED]]
"""
import itertools
import json
import os
import pathlib
import random
import re
import shlex
import subprocess
import sys
import tempfile

import numpy as np

LENGTH, DIM, HEADS, HEAD_DIM = 48, 32, 6, 64


def value_of(text, **names):
    """A formula in the form that `farfield` prints."""
    text = re.sub(r"\bif\(", "choose(", text)
    text = re.sub(r"\^", "**", text)
    functions = {"choose": lambda holds, yes, no: yes if holds else no, "floor": np.floor, "min": min, "max": max}
    return eval(text, {"__builtins__": {}}, {**functions, **names})


def along(formula):
    """A function of an array of positions."""
    return lambda places: np.array([value_of(formula, p=float(place), n=float(place)) for place in places.ravel()]).reshape(
        places.shape)


class Rotary:
    """Tables of cosines and sines, [positions, pairs]."""
    POSITION = {"position-from-1": lambda p: p + 1, "position-less-1": lambda p: p - 1, "positions-reversed": lambda p: LENGTH - 1 - p,
                "positions-in-bf16": lambda p: p, "positions-in-fp16": lambda p: p}  # integers below 256
    PAIR = {"exponent-halved": lambda i: i / 2, "exponent-doubled": lambda i: 2 * i, "exponent-to-base": lambda i: i * DIM / (DIM - 2),
            "exponent-over-d-1": lambda i: i * DIM / (DIM - 1), "pair-from-1": lambda i: i + 1}
    BASE = {"base-500000": 5e5, "base-1000000": 1e6, "base-missing": np.e, "base-10000": 1e4}
    EXCHANGE = {"sine-for-cosine": None}
    SIGN = {"turned-back": None}
    GROUPS = [POSITION, PAIR, BASE, EXCHANGE, SIGN]
    FOUND = [lambda r: ("positions-offset", f"p + {r.randrange(2, 900)}"), lambda r: ("positions-clipped", f"min(p, {r.randrange(3, 40)})"),
             lambda r: ("left-padded", f"max(p - {r.randrange(1, 20)}, 0)"),
             lambda r: (lambda a: ("left-padded-at-1", f"if(p < {a}, 1, p - {a})"))(r.randrange(2, 20)),
             lambda r: ("positions-wrapped", f"p%{r.randrange(5, 40)}"), lambda r: ("positions-repeated", f"floor(p/{r.randrange(2, 7)})"),
             lambda r: ("positions-moved-from", f"if(p < {r.randrange(3, 40)}, p, p - {r.randrange(1, 4)})"),
             lambda r: ("positions-multiplied", f"p*{r.choice([2, 0.5, 0.25, 3, 1.5])}"),
             lambda r: ("other-value", f"--set base={r.choice([20000, 26000, 5000, 150000])}"),
             lambda r: (r.choice(["by-row-and-column", "by-column-and-row"]), f"{r.choice([4, 6, 8, 12])} columns"),
             lambda r: ("table-multiplied", f"it*{r.choice([1.25, 0.5, 1.1902])}")]
    KNOWN = {"angles-in-fp32", "in-fp32", "power-as-quotient", *POSITION, "positions-offset", "positions-clipped", "left-padded",
             "left-padded-at-1", "positions-wrapped", "positions-repeated", "positions-moved-from", "positions-moved-between",
             "positions-alike-between", "positions-multiplied"}

    def __init__(self, part):
        self.part = part
        self.arguments = ["--scheme", "rotary", "--part", part]

    def positions(self, edits):
        p = np.arange(LENGTH)
        for name, supposes in edits:
            if name in self.POSITION:
                p = self.POSITION[name](p)
            elif name.startswith(("positions", "left")):
                p = along(supposes)(p)
        return p

    def slack(self, edits):
        """The tolerance of angles-in-fp32: (8 + 2 |log f|) half units in the last place of the angle p f, which is 8 p
        half units at f = 1 and less at smaller frequencies."""
        return 8 * 2.0 ** -24 * np.abs(self.positions(edits)).max() if "angles-in-fp32" in dict(edits) else 0

    def tensor(self, edits, factors=1):
        p, i, base = self.positions(edits)[:, None], np.arange(DIM // 2), 1e4
        multiple, width = 1, DIM
        sign, is_cosine = 1, self.part == "cos"
        for name, supposes in edits:
            if name in self.PAIR:
                i = self.PAIR[name](i)
            elif name in self.BASE:
                base = self.BASE[name]
            elif name == "other-value":
                base = float(supposes.removeprefix("--set base="))
            elif name in ("by-row-and-column", "by-column-and-row"):
                columns = int(supposes.removesuffix(" columns"))
                row, column = p // columns, p % columns
                halves = [row, column] if name == "by-row-and-column" else [column, row]
                p = np.hstack([np.repeat(each, DIM // 4, 1) for each in halves])
                i, width = i % (DIM // 4), DIM // 2
            elif name == "table-multiplied":
                multiple *= value_of(supposes, it=1)
            elif name == "turned-back":
                sign = -1
            elif name == "sine-for-cosine":
                is_cosine = not is_cosine
            elif name not in self.KNOWN:
                raise ValueError(f"no second implementation of {name}")
        return multiple * (np.cos if is_cosine else np.sin)(sign * p * base ** (-2 * i / width) / factors)


class Linear(Rotary):
    """The same for rotary-linear, which also has a factor."""
    FOUND = [lambda r: ("other-value", f"--set base={r.choice([20000, 5000, 150000])}"), lambda r: ("unscaled", ""),
             lambda r: ("other-value", f"--set factor={r.choice([8, 2.5, 3, 6])}"), lambda r: ("fixed-ntk", "")]

    def __init__(self, part):
        super().__init__(part)
        self.arguments = ["--scheme", "rotary-linear", "--part", part]

    def tensor(self, edits):
        factors, rest = np.full(DIM // 2, 4.0), []
        for name, supposes in edits:
            if supposes.startswith("--set factor="):
                factors = np.full(DIM // 2, float(supposes.removeprefix("--set factor=")))
            elif name == "unscaled":
                factors = np.ones(DIM // 2)
            elif name == "fixed-ntk":
                factors = 4.0 ** (2 * np.arange(1, DIM // 2 + 1) / DIM)
            else:
                rest.append((name, supposes))
        return super().tensor(rest, factors)


class Alibi:
    """A bias, [heads, queries, keys]."""
    HEAD = {"head-from-0": lambda h: h - 1, "head-from-2": lambda h: h + 1, "heads-reversed": lambda h: HEADS + 1 - h}
    DISTANCE = {"distance-from-1": lambda n: n + 1, "distance-less-1": lambda n: n - 1}
    FACTOR = {"divided-by-root-d": HEAD_DIM ** -0.5, "times-root-d": HEAD_DIM ** 0.5, "times-log2-e": np.log2(np.e)}
    SIGN = {"reversed-sign": None}
    ROW = {"row-constant": None}
    TURN = {"transposed": None}
    GROUPS = [HEAD, DISTANCE, FACTOR, SIGN, ROW, TURN]
    FOUND = [lambda r: ("distances-offset", f"n + {r.randrange(2, 300)}"), lambda r: ("distances-clipped", f"min(n, {r.randrange(2, 40)})"),
             lambda r: ("bias-multiplied", f"it*{r.choice([0.3, 2.5, 7, 0.01])}"), lambda r: ("other-value", f"--set delta={r.choice([1, 3, 0.5])}"),
             lambda r: ("distances-moved-from", f"if(n < {r.randrange(3, 40)}, n, n - {r.randrange(1, 3)})"),
             lambda r: ("slopes-to-other-end", f"h*{r.choice([3, 5, 11])}/8"),
             lambda r: ("heads-elsewhere", "heads " + ",".join(map(str, r.sample(range(1, HEADS + 1), HEADS))))]
    KNOWN = {"in-fp32", "power-as-quotient", "transposed", "row-constant"}

    def __init__(self):
        self.arguments = ["--scheme", "alibi", "--part", "bias", "--head-dim", str(HEAD_DIM), "--set", "delta=0"]

    def slack(self, edits):
        return 0

    def tensor(self, edits):
        h, q, k = np.arange(1, HEADS + 1.0), np.arange(LENGTH)[:, None], np.arange(LENGTH)[None]
        factor, delta, heads = 1, 0, HEADS
        names = dict(edits)
        if "transposed" in names:
            q, k = k, q
        n = q - k
        for name, supposes in edits:
            if name in self.HEAD:
                h = self.HEAD[name](h)
            elif name in self.DISTANCE:
                n = self.DISTANCE[name](n)
            elif name in self.FACTOR:
                factor *= self.FACTOR[name]
            elif name == "reversed-sign":
                factor *= -1
            elif name == "bias-multiplied":
                factor *= value_of(supposes, it=1)
            elif name == "other-value":
                delta = float(supposes.removeprefix("--set delta="))
            elif name == "slopes-to-other-end":
                h = np.array([value_of(supposes, h=each) for each in h])
            elif name == "some-of-several-heads":
                heads, first = (float(each) for each in re.fullmatch(r"--heads (\d+) --first-head (\d+)", supposes).groups())
                h = h + first - 1
            elif name == "heads-elsewhere":
                h = np.array([float(each) for each in supposes.removeprefix("heads ").split(",")])
            elif name.startswith("distances-"):
                n = along(supposes)(n)
            elif name not in self.KNOWN:
                raise ValueError(f"no second implementation of {name}")
        bias = factor * -(2.0 ** (-8 * h / heads - delta))[:, None, None] * n[None]
        hidden = (q < k)[None]
        if "row-constant" in names:  # any constants: they are subtracted again
            bias = bias + np.random.default_rng(1).normal(size=(HEADS, LENGTH, 1))
        return np.where(hidden, -np.inf, bias)


def is_same(a, b, edits, slack=0):
    """Whether two tensors are equal up to rounding, relative to the largest number of the row. The tolerance is the 2
    units in the last place of float32 that `farfield` allows, and one for the rounding of the tensor itself. With a row
    constant it is twice as large. `slack` is added to it."""
    hidden = np.isinf(a)
    if (hidden != np.isinf(b)).any():
        return False
    difference = np.where(hidden, 0, np.where(hidden, 0, a) - np.where(hidden, 0, b))
    if "row-constant" in dict(edits):
        count = np.maximum((~hidden).sum(-1, keepdims=True), 1)
        difference = np.where(hidden, 0, difference - difference.sum(-1, keepdims=True) / count)
    largest = np.abs(np.where(hidden, 0, a)).max(-1, keepdims=True)
    units = 3 * (2 if "row-constant" in dict(edits) else 1)
    return bool((np.abs(difference) <= units * np.finfo(np.float32).eps * largest + slack).all())


def choose(case, generator):
    if generator.random() < 0.4:
        return [generator.choice(case.FOUND)(generator)]
    groups = generator.sample(case.GROUPS, generator.randrange(1, 4))
    return [(generator.choice(sorted(group)), "") for group in groups]


def examine(program, case, edits, folder):
    """The error of the answer, or nothing."""
    tensor = case.tensor(edits)
    path = folder / "tensor.npy"
    np.save(path, tensor.astype(np.float32))
    done = subprocess.run([program, "compare", path, *case.arguments, "--json"], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        return f"status {done.returncode}: {done.stderr}"
    answer = json.loads(done.stdout)
    plain = case.tensor([])
    if answer["equal"]:
        return None if is_same(tensor, plain, []) else "is reported as equal"
    if not answer["variations"]:
        return f"is not explained: {answer['tried']} sets tried"
    for variations in [answer["variations"], *answer["others"]]:
        found = [(each["name"], each["supposes"]) for each in variations]
        if not is_same(tensor, case.tensor(found), found, case.slack(found)):
            return f"is reported as {found}"
    for command in answer["commands"]:
        done = subprocess.run([program, "compare", path, *case.arguments, *shlex.split(command)], capture_output=True)
        if done.returncode != 0:
            return f"has status {done.returncode} with {command}"
    return None


def main():
    program = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 600 if "FARFIELD_LONG" in os.environ else 60
    generator = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    cases = itertools.cycle([Rotary("cos"), Rotary("sin"), Alibi(), Rotary("cos"), Alibi(), Linear("cos")])
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for case in itertools.islice(cases, count):
            edits = choose(case, generator)
            problem = examine(program, case, edits, pathlib.Path(folder))
            if problem:
                wrong += 1
                print(f"{type(case).__name__} {case.arguments[3]} {edits}: {problem}")
    print(f"{count} tensors, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
