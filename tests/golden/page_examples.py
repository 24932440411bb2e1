"""Each study shown in docs/quantities is valid, and its claims have the verdicts that they expect.

Usage: page_examples.py FARFIELD ROOT

Blocks that need a file or a training of the reader are skipped: those with `file =`, and those with `of` a [train.NAME]
of another block.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```toml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NEEDS_MORE = re.compile(r"^file +=|# a \[train\.", re.MULTILINE)


def main():
    program, root = sys.argv[1], pathlib.Path(sys.argv[2])
    checked, problems = 0, []
    with tempfile.TemporaryDirectory() as folder:
        for page in sorted((root / "docs/quantities").glob("*.md")):
            for number, block in enumerate(BLOCK.findall(page.read_text())):
                if NEEDS_MORE.search(block) or "[[claim]]" not in block:
                    continue
                study = pathlib.Path(folder, f"{page.stem}-{number}.toml")
                study.write_text(block)
                done = subprocess.run([program, "check", study, "--cache", folder], capture_output=True, text=True)
                checked += 1
                if done.returncode != 0:
                    problems.append(f"{page.name}: status {done.returncode}\n{done.stdout}{done.stderr}")
    print(f"{checked} examples")
    print("\n".join(problems))
    return 1 if problems or checked < 10 else 0


if __name__ == "__main__":
    sys.exit(main())
