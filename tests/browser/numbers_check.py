"""The page's program computes the numbers of the native program: 200 random formulas in eight number systems, every
scheme, and studies.

Usage: numbers_check.py PROGRAM FOLDER [COUNT], where FOLDER has farfield.js and farfield.wasm.

The native program gives the expected results. Low-precision formats, decimals of many digits, and certified verdicts
must agree exactly. Doubles may differ as between processors (docs/machines.md), because each function is within 2 units
in the last place. Each program's values must be in the enclosures of both.
"""
import json
import math
import os
import random
import sys

from program import Browsers, Native

EXACT = ["fp16", "bf16", "e4m3", "e5m2", "mp30"]
# For values in double, relative to themselves or to the largest value of a curve: 30 operations, each within 2 units of
# 2^-53 in both programs, magnified 9 times by the functions of bounded arguments below.
LARGEST_DIFFERENCE = 2.5e-13


def formula(random_, depth):
    """A valid formula of n. It may have no value at some points."""
    if depth == 0 or random_.random() < 0.15:
        return random_.choice(["n", "n", "n + 1", str(random_.randint(1, 9)), f"{random_.uniform(0.01, 3):.3g}"])
    inner = lambda: formula(random_, depth - 1)
    return random_.choice([
        lambda: f"({inner()} {random_.choice('+-*/')} {inner()})",
        lambda: f"{random_.choice(['tanh', 'erf', 'log1p', 'sqrt', 'log', 'sigmoid', 'softplus', 'abs', 'floor'])}({inner()})",
        # Functions that magnify the last digit of a large argument get a bounded argument.
        lambda: f"{random_.choice(['exp', 'cos', 'sin'])}(9*tanh({inner()}))",
        lambda: f"{random_.choice(['min', 'max', 'atan2'])}({inner()}, {inner()})",
        lambda: f"({inner()})^{random_.choice(['2', '0.5', '(-1)', '1.5'])}",
        lambda: f"({inner()} < {inner()} ? {inner()} : {inner()})",
        lambda: f"sum(j, 1, {random_.randint(2, 6)}, {inner()}/j)",
    ])()


def rows(answer):
    return [line.split(",") for line in answer["output"].split()[1:]]


class Check:
    def __init__(self, native, browser):
        self.native, self.browser = native, browser
        self.problems, self.exact, self.near, self.enclosed, self.refused = [], 0, 0, 0, 0
        self.worst = 0.0

    def both(self, words, files=None, results=""):
        a, b = self.native(words, files, results), self.browser(words, files, results)
        if "broken" in b:
            self.problems.append(f"{words}: the program of the page broke: {b['broken']}")
            return a, None
        if (a["status"], a["problems"]) != (b["status"], b["problems"]):
            self.problems.append(f"{words}: status {b['status']}, natively {a['status']}\n{b['problems']}---\n{a['problems']}")
            return a, None
        return a, b

    def formula(self, text):
        words = ["eval", text, "--over", "n=0:24:1", "--in"]
        for system in EXACT:
            a, b = self.both([*words, system])
            if b is None or a["output"] != b["output"]:
                self.problems.append(f"{text} in {system} differs")
            self.exact += 1
        wide, own = self.both([*words, "interval"])
        doubles, ours = self.both([*words, "double"])
        if own is None or ours is None:
            return
        self.refused += doubles["status"] != 0
        for native_range, range_, (n, x), (_, y) in zip(rows(wide), rows(own), rows(doubles), rows(ours)):
            low, high = max(float(native_range[1]), float(range_[1])), min(float(native_range[2]), float(range_[2]))
            if low > high:
                self.problems.append(f"{text} at {n}: the enclosures {range_[1:]} and {native_range[1:]} do not meet")
            self.enclosed += 1
            self.compare(f"{text} at {n}", float(x), float(y), abs(float(x)) + high - low)

    def compare(self, what, x, y, size):
        if math.isnan(x) != math.isnan(y) or (math.isinf(x) or math.isinf(y)) and x != y:
            if math.isfinite(size):
                self.problems.append(f"{what}: {y}, natively {x}")
            return
        if math.isnan(x) or math.isinf(x) or x == y:
            self.near += 1
            return
        off = abs(x - y) / size if size > 0 else math.inf
        self.worst = max(self.worst, off)
        self.near += 1
        if off > LARGEST_DIFFERENCE:
            self.problems.append(f"{what}: {y}, natively {x}")

    def study(self, name, text):
        a, b = self.both(["run", "study.toml", "--no-figures", "--quiet", "--threads", "1"], {"study.toml": text}, "results")
        if b is None or a["status"] not in (0, 1):
            if b is not None:
                self.problems.append(f"{name}: {a['problems']}")
            return
        native = json.loads(a["results"]["study/results.json"])
        own = json.loads(b["results"]["study/results.json"])
        for quantity, found in native["quantities"].items():
            values = [each for each in found["values"].values() if isinstance(each, (int, float))]
            size = max([abs(each) for each in values], default=0)
            for key, value in found["values"].items():
                other = own["quantities"][quantity]["values"].get(key)
                if not isinstance(value, (int, float)) or not isinstance(other, (int, float)):
                    if value != other:
                        self.problems.append(f"{name}: {quantity}.{key} is {other}, natively {value}")
                else:
                    self.compare(f"{name}: {quantity}.{key}", float(value), float(other), size)
            if "series" in found:
                self.series(f"{name}: {quantity}", a["results"]["study/" + found["series"]], b["results"]["study/" + found["series"]])
        for claim, other in zip(native.get("claims", []), own.get("claims", [])):
            if (claim["verdict"], claim.get("certified")) != (other["verdict"], other.get("certified")):
                self.problems.append(f"{name}: {claim['id']} is {other['verdict']}, natively {claim['verdict']}")
            self.exact += 1

    def series(self, name, text, own):
        lines = text.split()[1:]
        column = [float(line.split(",")[1]) for line in lines]
        size = max([abs(each) for each in column if math.isfinite(each)], default=0)
        if len(own["columns"][1]) != len(column):
            self.problems.append(f"{name}: {len(own['columns'][1])} points, natively {len(column)}")
        for i, (x, y) in enumerate(zip(column, own["columns"][1])):
            y = math.nan if y is None and not math.isinf(x) else x if y is None else y
            self.compare(f"{name} at {i}", x, y, size)


def scheme_study(scheme):
    common = f'scheme = "{scheme["name"]}"\nhead = 2\nheads = 8\nhead_dim = 64\n'
    length = "layer = 1\nlayers = 4\nlength = 300\n"
    if "rotate" in scheme["parts"] and "bias" not in scheme["parts"]:
        text = f'[quantity.g]\nkind = "expectation"\n{common}{length}distances = {{ from = 0, to = 299 }}\n'
        if scheme["name"] in ("rotary-longrope", "self-extend"):  # not proved to be relative
            text = ""
    else:
        text = f'[quantity.b]\nkind = "curve"\n{common}{length}distances = {{ from = 0, to = 299 }}\n' \
               f'[quantity.p]\nkind = "profile"\n{common}{length}distances = {{ to = 299 }}\n' \
               '[quantity.r]\nkind = "resolution"\nof = "b"\nN = 298\n'
    return text + f'[quantity.field]\nkind = "receptive-field"\n{common}layers = 4\nlength = 300\n'


def main():
    native, browser = Native(os.path.abspath(sys.argv[1])), Browsers(os.path.abspath(sys.argv[2]))
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    check = Check(native, browser)
    random_ = random.Random(26)
    for _ in range(count):
        check.formula(formula(random_, 3))
    schemes = json.loads(native(["list", "schemes", "--json"])["output"])
    for scheme in schemes:
        check.study(scheme["name"], scheme_study(scheme))
    for words in (["schema"], ["list", "--json"], ["show", "xpos"], ["safe-length", "rotary", "xpos-torchscale", "--longest", "65536", "--json"]):
        a, b = check.both(words)
        if b is None or a["output"] != b["output"]:
            check.problems.append(f"{words}: different output")
        check.exact += 1
    browser.close()
    print("\n".join(check.problems[:20]))
    print(f"{count} formulas ({check.refused} without a value in double), {len(schemes)} schemes: {check.exact} identical outputs, "
          f"{check.near} doubles, the largest difference {check.worst:.2g} of their size, {check.enclosed} pairs of enclosures that meet; "
          f"{len(check.problems)} problems")
    return 1 if check.problems or check.near < 50 * count / 10 else 0


if __name__ == "__main__":
    sys.exit(main())
