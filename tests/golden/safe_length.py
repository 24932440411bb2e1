"""Recomputes the tables of docs/safe-length.md and compares them with the page.

Usage: safe_length.py FARFIELD PAGE [--write]

Between each pair of lines `<!-- farfield safe-length OPTIONS -->` and `<!-- end -->` is the table that this command
gives. `--write` writes it there. Review the difference before committing it.
"""
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

BLOCK = re.compile(r"<!-- farfield (safe-length[^>]*?) -->\n(.*?)<!-- end -->", re.DOTALL)
SHORT = {"position collision": "collision", "end of the table": "table end", "none": ""}


def length_text(row):
    number = f"{row['length']:,}"
    return number if row["is_longest"] else f"≥ {number}"


def cell(row):
    return f"{length_text(row)} {SHORT.get(row['limit'], row['limit'])}".strip()


def table(rows):
    """One line for each scheme (and width), one column for each format or recipe."""
    column = "recipe" if "recipe" in rows[0] else "format"
    formats = list(dict.fromkeys(row[column] for row in rows))
    widths = list(dict.fromkeys(row["d"] for row in rows))
    cells = {}
    for row in rows:
        name = row["scheme"] if len(widths) == 1 else f"{row['scheme']}, d = {row['d']}"
        cells.setdefault(name, {})[row[column]] = cell(row)
    lines = ["| scheme | " + " | ".join(formats) + " |", "| --- |" + " ---: |" * len(formats)]
    lines += [f"| {name} | " + " | ".join(of.get(format, "–") for format in formats) + " |" for name, of in cells.items()]
    return "\n".join(lines) + "\n"


def reasons(rows):
    """One line for each limit of one scheme, with its place and formula."""
    lines = ["| format | limit | tokens | where | formula |", "| --- | --- | ---: | --- | --- |"]
    for row in rows:
        for limit in row["limits"]:
            formula = f"`{limit['formula']}`" if limit["formula"] else ""
            lines.append(f"| {row['format']} | {limit['limit']} | {length_text(limit)} | {limit['where']} | {formula} |")
    return "\n".join(lines) + "\n"


def made(program, command):
    # There are many small steps, so a second thread would only wait.
    alone = {**os.environ, "OMP_NUM_THREADS": "1"}
    output = subprocess.run([program, *shlex.split(command), "--json"], capture_output=True, text=True, check=True,
                            env=alone).stdout
    rows = json.loads(output)
    return reasons(rows) if len({(row["scheme"], row["d"]) for row in rows}) == 1 else table(rows)


def main():
    program, page = sys.argv[1], pathlib.Path(sys.argv[2])
    text = page.read_text()
    fresh = BLOCK.sub(lambda block: f"<!-- farfield {block[1]} -->\n{made(program, block[1])}<!-- end -->", text)
    if "--write" in sys.argv:
        page.write_text(fresh)
        return 0
    if not BLOCK.search(text):
        return "the page has no table"
    changed = [f"{page.name} has: {old}\nthe program prints: {new}"
               for old, new in zip(text.splitlines(), fresh.splitlines()) if old != new]
    return "\n".join(changed) if changed or text != fresh else 0


if __name__ == "__main__":
    sys.exit(main())
