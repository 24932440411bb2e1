"""docs/formula.md lists every operator with its meaning, as the program prints them.

Usage: formula_page.py FARFIELD ROOT
"""
import pathlib
import re
import subprocess
import sys


def listed(program):
    """(written, meaning) of each line that `farfield list functions` prints."""
    output = subprocess.run([program, "list", "functions"], capture_output=True, text=True, check=True).stdout
    for line in output.splitlines():
        match = re.match(r"\s*(.+?)\s{2,}(.*)$", line) or re.match(r"\s*(\w+\(.*?\)) (.*)$", line)
        yield match.group(1), match.group(2)


def main():
    page = pathlib.Path(sys.argv[2], "docs", "formula.md").read_text()
    rows = list(listed(sys.argv[1]))
    missing = [written for written, meaning in rows if f"| `{written}` | {meaning} |" not in page]
    if missing:
        return f"docs/formula.md lacks or misdescribes: {', '.join(missing)}"
    return 0 if rows else "no functions are listed"


if __name__ == "__main__":
    sys.exit(main())
