"""Swaps two letters in each kind of key of the studies, one at a time. The program must report only this key, with its
line, and suggest the correct name.

A kind of key is defined by the heading, the kind of the quantity, the table that contains the key, and its name. Names
that the author of a study chooses (thresholds, parameters, variables, learned names) are not keys.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

CHOSEN = {"given", "params", "let", "learn", "means", "require", "over", "quantities", "start", "learned", "in", "at"}
OPENING = re.compile(r"([\w-]+) *= \{|([{}])")
KEY = re.compile(r"(?:^|(?<=\{ )|(?<=, ))([a-z][a-z_]+)(?= *= )")


def without_texts(line):
    return re.sub(r'"(\\.|[^"\\])*"', lambda text: '"' + "_" * (len(text[0]) - 2) + '"', line).split("#")[0]


def swapped(key):
    """The key with two neighbouring letters swapped, near its middle if they differ there."""
    for at in (len(key) // 2 - 1, *range(len(key) - 1)):
        if key[at] != key[at + 1]:
            return key[:at] + key[at + 1] + key[at] + key[at + 2:]
    raise ValueError(key)


def tables_before(line, end):
    """The names of the inline tables that are open at this column."""
    tables = []
    for opening in OPENING.finditer(line[:end]):
        if opening[2] == "}":
            tables = tables[:-1]
        else:
            tables.append(opening[1] or "")
    return tables


def keys_of(path):
    """(kind of key, line, column, key) for each key of a study."""
    lines = path.read_text().splitlines()
    heading, kind, is_text, is_list = [], "", False, False
    for number, whole in enumerate(lines):
        line = without_texts(whole)
        found = re.match(r"\[+([\w.\-]+)\]+$", line.strip())
        if found and not is_text and not line.startswith(" "):
            heading = found[1].split(".")
            following = "\n".join(lines[number + 1:]).split("\n[")[0]
            given = re.search(r'^kind\s*= "([^"]*)"', following, re.MULTILINE)
            kind = given[1] if given else ""
        is_text ^= whole.count('"""') % 2 == 1
        if is_text or found:
            continue
        # [scheme.NAME.params] is the table `params`, like params = { ... }.
        below = heading[2:] if heading and heading[0] != "claim" else []
        for key in KEY.finditer(line):
            tables = below + tables_before(line, key.start())
            if tables and tables[-1] in CHOSEN:
                continue
            names = ["NAME" if at and tables[at - 1] in CHOSEN else table for at, table in enumerate(tables)]
            is_reading = heading == ["claim", "reading"]
            yield (("reading" if is_reading else heading[0] if heading else "", kind, *names, key[1]), number,
                   key.start(1), key[1])


def problem_of(program, path, number, column, key):
    """The error of the answer for the misspelt key, or nothing if the answer is correct."""
    lines = path.read_text().splitlines()
    wrong = swapped(key)
    lines[number] = lines[number][:column] + wrong + lines[number][column + len(key):]
    with tempfile.NamedTemporaryFile("w", suffix=".toml", prefix=f".{path.stem}-", dir=path.parent) as copy:
        copy.write("\n".join(lines) + "\n")
        copy.flush()
        done = subprocess.run([program, "check", copy.name], capture_output=True, text=True, timeout=60)
    said = done.stderr
    first = said.splitlines()[0] if said else ""
    as_wanted = (done.returncode == 2 and said.endswith("\n1 problem; nothing was run.\n") and
                 first.endswith(f":{number + 1}:{column + 1}: unknown key '{wrong}'") and
                 f"Did you mean '{key}'?" in said)
    return "" if as_wanted else f"{path}:{number + 1}: '{key}' as '{wrong}': status {done.returncode}\n{said}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("studies", type=pathlib.Path)
    parser.add_argument("--least", type=int, default=1, help="required number of kinds of keys")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        # The files that studies read are in the same folder.
        studies = pathlib.Path(name) / "studies"
        for path in options.studies.rglob("*"):
            target = studies / path.relative_to(options.studies)
            if path.is_dir():
                target.mkdir(parents=True, exist_ok=True)
            elif path.suffix == ".toml":
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(path.read_bytes())
            else:
                target.parent.mkdir(parents=True, exist_ok=True)
                os.symlink(path.resolve(), target)
        cases = {}
        for path in sorted(studies.rglob("*.toml")):
            for kind, *place in keys_of(path):
                cases.setdefault(kind, (path, *place))
        # Names of swept keys and parameters occur nowhere else.
        names = {kind[-1] for kind in cases if "sweep" not in kind}
        cases = {kind: place for kind, place in cases.items() if "sweep" not in kind or kind[-1] in names}
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            answers = list(pool.map(lambda case: problem_of(options.program, *case), cases.values()))
    problems = [answer for answer in answers if answer]
    print(*problems, sep="\n")
    print(f"{len(cases)} kinds of keys, {len(problems)} with a different answer")
    return 1 if problems or len(cases) < options.least else 0


if __name__ == "__main__":
    sys.exit(main())
