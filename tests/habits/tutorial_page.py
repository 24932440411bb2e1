"""Each study shown in docs/tutorial.md is identical to a file of studies/tutorial, and each of these files is shown. The page
leaves out the first line, in which editors find the schema.

Usage: tutorial_page.py ROOT
"""
import pathlib
import re
import sys


def main():
    root = pathlib.Path(sys.argv[1])
    shown = re.findall(r"```toml\n(.*?)```", (root / "docs" / "tutorial.md").read_text(), re.DOTALL)
    files = {path.name: path.read_text().split("\n", 1)[1] for path in sorted((root / "studies" / "tutorial").glob("*.toml"))}
    problems = [f"studies/tutorial/{name} is not shown verbatim" for name, text in files.items() if text not in shown]
    problems += [f"no file equals the block that begins: {text.splitlines()[1]}" for text in shown if text not in files.values()]
    return "\n".join(problems) if problems or not shown else 0


if __name__ == "__main__":
    sys.exit(main())
