"""The page's program prints the same messages for the gallery of bad input as the native program.

Usage: bad_input.py FOLDER CASES..., where FOLDER has farfield.js and farfield.wasm.

The expected texts are those of the cases.
"""
import pathlib
import shlex
import sys

from program import Browsers

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "errors"))
from gallery import MADE, read_cases  # noqa: E402

# Commands and files that the page's program does not support (docs/browser.md), and the reasons.
LEFT_OUT = {
    "recheck": "there is no second implementation in the page",
    ".npz": "archives are not read",
    "--device": "there is no device",
    "submit": "there are no schedulers",
    "draw": "there is no gnuplot",
    "plot": "there is no gnuplot",
    "train": "models are not trained",
    "FOLDER": "the folder has another name",
}
# Cases with another message, and the reasons.
ANOTHER_TEXT = {
    "export into a folder that is a file": "an error code of the system",
    "a range too long": "a 32-bit program counts to 2^32",
}


def reason_to_leave_out(case):
    if any(name in text for name in MADE for text in (case.command, *case.files.values())):
        return "a file that the system creates"
    if case.name in ANOTHER_TEXT:
        return ANOTHER_TEXT[case.name]
    if "FOLDER" in case.stderr:
        return LEFT_OUT["FOLDER"]
    words = case.command.split()
    return next((reason for word, reason in LEFT_OUT.items() if any(word in each for each in words[:3])), None)


def main():
    browser = Browsers(sys.argv[1])
    same, left_out, problems = 0, {}, []
    for path in sys.argv[2:]:
        for case in read_cases(pathlib.Path(path)):
            reason = reason_to_leave_out(case)
            if reason:
                left_out[reason] = left_out.get(reason, 0) + 1
                continue
            answer = browser(shlex.split(case.command), case.files)
            said = answer.get("problems", "broken: " + answer.get("broken", ""))
            if str(answer.get("status")) == case.status.strip() and said.rstrip("\n") == case.stderr.rstrip("\n"):
                same += 1
            else:
                problems.append(f"{case.name}: {case.command.strip()}\n  status {answer.get('status')}, wanted {case.status.strip()}\n{said}  wanted:\n{case.stderr}")
    browser.close()
    print("\n".join(problems))
    print(f"{same} cases are the same, {len(problems)} differ, left out: {left_out}")
    return 1 if problems or same < 250 else 0


if __name__ == "__main__":
    sys.exit(main())
