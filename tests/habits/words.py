"""Documentation, comments and messages avoid phrases that are hard to understand. Each has a plainer form.

Usage: words.py ROOT
"""
import pathlib
import re
import sys

# A phrase, and what to write instead.
PHRASES = {
    r"is told nothing": "missing argument",
    r"has no place for": "cannot express",
    r"[Ww]hat is none": "every invalid entry",
    r"that is none": "invalid",
    r"\b[Mm]end(s|ed|ing)?\b": "fix, correct",
    r"\b[Hh][oe]ld(s|ing)? against": "compare with, check against",
    r"\bg[ai]ves? way\b": "fails, is exceeded, is released",
    r"cannot be told": "undecided, unknown",
    r"\b[Ss]t(and|ood)s? beside": "is next to",
    r"(?<!\bthere )\bis no (pair|double|number|text|list)\b": "is not a ..., must be a ..., such as ...",
}
PLACES = ["docs", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "src", "include", "python"]
SUFFIXES = {".md", ".cpp", ".hpp", ".cu", ".cuh", ".def", ".py", ".pyi", ".toml"}


def files(root):
    for place in PLACES:
        path = root / place
        yield from ([path] if path.is_file() else sorted(each for each in path.rglob("*") if each.suffix in SUFFIXES))


def text_of(path):
    """The text of a file; for the changelog, only the unreleased part."""
    text = path.read_text()
    if path.name != "CHANGELOG.md":
        return text
    unreleased = re.search(r"(?ms)^## \[?Unreleased\]?.*?(?=^## |\Z)", text)
    before = text[:unreleased.start()]
    return "\n" * before.count("\n") + unreleased[0]


def problems(root):
    for path in files(root):
        for number, line in enumerate(text_of(path).splitlines(), start=1):
            for phrase, plainer in PHRASES.items():
                if match := re.search(phrase, line):
                    yield f"{path.relative_to(root)}:{number}: '{match[0]}'; write: {plainer}"


def main():
    found = list(problems(pathlib.Path(sys.argv[1])))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
