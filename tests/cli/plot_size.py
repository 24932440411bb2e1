"""A plot on a terminal is narrower than the terminal and at most 160 columns wide, with three rows for ten columns and
at least ten rows. A terminal of 40 columns or less, and a pipe, get a plot of the usual size.

Usage: plot_size.py FARFIELD
"""
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import terminal  # noqa: E402

SKIPPED = 77


def plotted(program, columns):
    """The lines of a plot on a terminal with so many columns, and the status."""
    text, status = terminal.output_of([program, "plot", "n"], columns=columns)
    return text.splitlines(), status


def main():
    program = sys.argv[1]
    usual = subprocess.run([program, "plot", "n"], capture_output=True, text=True)
    if "gnuplot" in usual.stderr:
        print("gnuplot is absent")
        return SKIPPED
    problems, unused = [], set()
    for columns in (20, 39, 40):
        if plotted(program, columns) != (usual.stdout.splitlines(), 0):
            problems.append(f"{columns} columns: not the usual plot")
    for columns in (41, 60, 61, 100, 160, 161, 162, 300):
        lines, status = plotted(program, columns)
        wide = min(columns - 1, 160)
        rows = max(3 * wide // 10, 10)
        if status != 0 or not wide - 4 <= max(map(len, lines), default=0) <= wide:
            problems.append(f"{columns} columns: status {status}, {max(map(len, lines), default=0)} columns are used")
        unused.add(rows - len(lines))
    # Blank rows at the end are not printed; there are as many in each plot.
    if len(unused) != 1 or not 0 <= min(unused) <= 4:
        problems.append(f"rows that are not printed: {sorted(unused)}")
    print("\n".join(problems) or "the plots fit")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
