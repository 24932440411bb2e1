"""Counts the files that name an operator or a number format, because adding one must need only a row of a table and its
function.

The operator of a function of numerics/functions.def is named only in its row. Files whose algorithms need more
information about it are listed below with the reason. Rounding operators and number formats are named only in
numerics/formats.def. The second implementation, src/recheck, has tables of its own and is not counted.
"""
import pathlib
import re
import sys

ROWS = "include/farfield/numerics/functions.def"
FORMATS = "include/farfield/numerics/formats.def"
# Waves and powers have algorithms of their own; any file may name these.
WITH_ALGORITHMS = {"exponential", "logarithm", "sine", "cosine"}
# Files that need more information about another function than its row has.
KNOWN = {
    "src/formula/normalise.cpp": "expm1, log1p and log2 by exponentials and logarithms",
    "src/evaluate/closed.cpp": "logarithms of powers of two",
    "src/evaluate/kernel/functions.hpp": "log1p and tanh in the processor's vectors",
    "src/evaluate/kernel/lanes.hpp": "softplus by log1p",
}


def sources(root):
    for folder in ("src", "include"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".cpp", ".hpp", ".cu", ".cuh", ".def") and "recheck" not in path.parts:
                yield path.relative_to(root).as_posix(), path.read_text()


def without_comments(text):
    return re.sub(r"//[^\n]*", "", text)


def problems(root):
    functions = re.findall(r"^\s*FUNCTION\((\w+), (\w+),", (root / ROWS).read_text(), re.MULTILINE)
    formats = re.findall(r"^FORMAT\((\w+),", (root / FORMATS).read_text(), re.MULTILINE)
    assert len(functions) >= 10 and len(formats) >= 5
    counted = [name for name, _ in functions if name not in WITH_ALGORITHMS]
    operators = re.compile(r"\bOp::(" + "|".join(counted) + r")\b")
    # A name of two words or more always means the operator.
    plain = re.compile(r"\b(" + "|".join(name for name in counted if "_" in name) + r")(?:_of)?\b")
    rounding = re.compile(r"\bto_(?:" + "|".join(formats) + r")\b")
    for name, text in sources(root):
        code = without_comments(text)
        if name != ROWS and name not in KNOWN:
            for found in sorted({match.group(1) for match in [*operators.finditer(code), *plain.finditer(code)]}):
                yield f"{name}: names the function {found}; its special cases belong in its row of {ROWS}"
        if name != FORMATS:
            for found in sorted(set(rounding.findall(code))):
                yield f"{name}: names the operator {found}; its special cases belong in its row of {FORMATS}"
    for name in KNOWN:
        if not (root / name).is_file():
            yield f"{name}: is listed in tests/habits/rows.py and does not exist"


def main():
    found = list(problems(pathlib.Path(sys.argv[1])))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
