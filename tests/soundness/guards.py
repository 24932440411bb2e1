"""Whether the fuzzer of certified answers finds each class of mistake within a minute once its guard is removed.

Copies the tree, and for each guard changes one place, builds the fuzzer and runs it: it must end with status 1. Takes
some minutes for each guard. `guards.py NAME...` tries these alone.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BOX_FUNCTION = "src/quantity/box_function.cpp"

# name: (file, what stands there, what is put there, kind of question that shows it)
GUARDS = {
    "kinks are seen": ("src/quantity/box_function.cpp", "formula::regular(tree, formula::Regularity::lipschitz, {variable})",
                       "formula::Condition::always()", "monotone"),
    "poles are seen": (BOX_FUNCTION, "if (has_value_.is_always()) return values;", "return values;", "monotone"),
    "points without a value are sought": (BOX_FUNCTION, "if (has_value.is_always()) return std::nullopt;",
                                          "if (!has_value.is_never()) return std::nullopt;", "identity"),
    "a curve's parts have values": ("src/quantity/tabulate.cpp", "if (has_value.is_always()) return;", "return;", "curve"),
    "overflows of both signs differ": ("src/quantity/collision.cpp", "std::copysign(std::numeric_limits<double>::infinity(), value)",
                                       "std::numeric_limits<double>::infinity()", "collision"),
    "exact steps have values": ("src/evaluate/closed.cpp", "if (!tree || !has_value(tree)) return", "if (!tree) return", "value"),
    "a stepwise zero is exact": ("src/quantity/range.cpp", "if (!exact) return Answer::unknown;\n        return *exact == 0 ? Answer::no : Answer::yes;",
                                 "return Answer::yes;", "range"),
}


def tried(name, tree):
    path, guard, gap, kind = GUARDS[name]
    source = tree / path
    text = source.read_text()
    if text.count(guard) != 1:
        print(f"{name}: '{guard}' stands {text.count(guard)} times in {path}")
        return False
    source.write_text(text.replace(guard, gap))
    try:
        subprocess.run(["ninja", "-C", tree / "build", "--quiet", "tests/soundness/soundness_claims"], check=True)
        run = subprocess.run([tree / "build/tests/soundness/soundness_claims", "--seconds", "60", "--kind", kind],
                             capture_output=True, text=True, check=False)
    finally:
        source.write_text(text)
    print(f"{name}: {'noticed' if run.returncode == 1 else 'NOT noticed'}", flush=True)
    return run.returncode == 1


def main():
    names = sys.argv[1:] or list(GUARDS)
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder) / "tree"
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns("build*", ".git", "results"))
        subprocess.run(["meson", "setup", tree / "build", tree, "--buildtype=debugoptimized", "-Ddebug=false",
                        "-Doptimization=1"], check=True, capture_output=True)
        good = sum(tried(name, tree) for name in names)
    print(f"{good} passed, {len(names) - good} failed")
    return 0 if good == len(names) else 1


if __name__ == "__main__":
    sys.exit(main())
