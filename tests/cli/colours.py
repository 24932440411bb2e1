"""Verdicts are coloured only on a terminal: green if expected, red otherwise. There are no colours with NO_COLOR
(https://no-color.org), on a dumb terminal, and in a pipe.

Usage: colours.py FARFIELD
"""
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import terminal  # noqa: E402

CLAIM = "[[claim]]\nid = '{id}'\nsays = '{id}'\nexpect = '{expect}'\nholds = 'a == 1'\n"
STUDY = "[quantity.a]\nkind = 'value'\nformula = '1'\n" + "".join(
    CLAIM.format(id=verdict, expect=verdict) for verdict in ("confirmed", "refuted"))
GREEN, RED, PLAIN = "\x1b[32mconfirmed \x1b[0m", "\x1b[31mconfirmed \x1b[0m", "confirmed  "
# The environment, whether output goes to a terminal, and the expected text of each claim's verdict.
CASES = [
    ({"TERM": "xterm"}, True, (GREEN, RED)),
    ({"TERM": "xterm", "NO_COLOR": ""}, True, (GREEN, RED)),
    ({"TERM": "xterm", "NO_COLOR": "1"}, True, (PLAIN, PLAIN)),
    ({"TERM": "dumb"}, True, (PLAIN, PLAIN)),
    ({}, True, (PLAIN, PLAIN)),
    ({"TERM": "xterm"}, False, (PLAIN, PLAIN)),
]


def printed(program, folder, variables, is_terminal):
    """The standard output of a check, and its status."""
    environment = {name: value for name, value in os.environ.items() if name not in ("TERM", "NO_COLOR")} | variables
    return terminal.output_of([program, "check", "s.toml"], is_terminal, cwd=folder, env=environment)


def main():
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "s.toml").write_text(STUDY)
        for variables, is_terminal, (first, second) in CASES:
            text, status = printed(sys.argv[1], folder, variables, is_terminal)
            if f"  confirmed  {first}" not in text or f"  refuted    {second}" not in text or status != 1:
                problems.append(f"{variables}, terminal {is_terminal}, status {status}: {text!r}")
    print("\n".join(problems) or f"{len(CASES)} cases")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
