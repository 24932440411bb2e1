"""The figures on record equal those that the program draws from the results on record.

Usage: figures_on_record.py PROGRAM STUDIES RESULTS

Draws every figure again, next to a copy of RESULTS, and compares the SVGs. They must have the same texts. Coordinates
may differ in their last digit, because processors differ in the last place of a series. Figures whose series are
neither on record nor computed without training are skipped. Without the checkpoint that a study measures, the whole test is.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77  # the status of a skipped test
LAST_DIGIT = 0.0101
NUMBER = re.compile(r"(?<![\w#.])-?\d+(?:\.\d+)?(?![\w.])")
TEXT = re.compile(r"<text>(.*?)</text>", re.DOTALL)


def difference(old, new):
    """The first difference of two SVGs; empty if there is none."""
    if TEXT.findall(old) != TEXT.findall(new):
        return next((f"the text {a!r} is now {b!r}" for a, b in zip(TEXT.findall(old), TEXT.findall(new)) if a != b), "different number of texts")
    if NUMBER.sub("0", old) != NUMBER.sub("0", new):
        pairs = zip(old.splitlines(), new.splitlines())
        return next((f"{a!r} is now {b!r}" for a, b in pairs if NUMBER.sub("0", a) != NUMBER.sub("0", b)), "different length")
    for a, b in zip(NUMBER.findall(old), NUMBER.findall(new)):
        if abs(float(a) - float(b)) > LAST_DIGIT:
            return f"{a} is now {b}"
    return ""


def main():
    program, studies, results = sys.argv[1:4]
    on_record = sorted(pathlib.Path(results).rglob("*.svg"))
    with tempfile.TemporaryDirectory() as name:
        copy = pathlib.Path(name) / "results"
        shutil.copytree(results, copy, ignore=shutil.ignore_patterns("*.svg"))
        drawn = subprocess.run([program, "draw", studies, "-o", str(copy)], capture_output=True, text=True, check=False)
        if "./farfield --install checkpoints" in drawn.stderr:
            print("a checkpoint of the studies is not installed: ./farfield --install checkpoints")
            sys.exit(SKIPPED)
        left_out = drawn.stderr.count(" is not drawn: its series are neither on record nor computed")
        if drawn.returncode != (3 if left_out else 0):
            sys.exit(f"draw ends with status {drawn.returncode}: {drawn.stderr}")
        wrong = missing = 0
        for path in on_record:
            new = copy / path.relative_to(results)
            if not new.exists():
                missing += 1
            elif found := difference(path.read_text(), new.read_text()):
                wrong += 1
                print(f"{path}: {found}", file=sys.stderr)
        surplus = {p.relative_to(copy) for p in copy.rglob("*.svg")} - {p.relative_to(results) for p in on_record}
    print(f"{len(on_record) - missing} figures, {wrong} differ, {missing} left out")
    if wrong or surplus or missing != left_out or missing > len(on_record) // 10:
        sys.exit(f"{wrong} figures differ, {missing} are missing with {left_out} left out, {len(surplus)} are not on record "
                 f"({', '.join(map(str, sorted(surplus)))}): farfield draw {studies} -o {results}")
    assert difference('<a x="1.00">', '<a x="1.02">') and difference("<a>", "<b>") and not difference("1.00", "1.01")
    assert difference("<text>0.03</text>", "<text>0.04</text>")


if __name__ == "__main__":
    main()
