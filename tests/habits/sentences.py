"""Sentences are short: on each page they have at most 20 words on average, and none has more than 50. On pages for
newcomers, nine of ten sentences have at most 25 words, and none has more than 40.

Usage: sentences.py ROOT [--list]

Counts prose, without code, tables and headings. --list prints every sentence of more than 25 words.
"""
import pathlib
import re
import sys

HABIT, MOST, LEAST_SHARE, MOST_ON_AVERAGE, MOST_ANYWHERE = 25, 40, 0.9, 20, 50
FIRST_READ = ["README.md", "CONTRIBUTING.md", *(f"docs/{name}.md" for name in ("index", "install", "tutorial", "glossary", "faq",
                                                                              "comparison", "figures")), "docs/howto"]
FENCE = re.compile(r"^( *)(```|~~~).*?^\1\2\s*$", re.S | re.M)
INDENTED = re.compile(r"(?<=\n)\n(?: {4}.*\n)+")
# Lines that are not prose: tables, headings, pictures, HTML and rules.
OTHER = re.compile(r"^\s*(\||#|!\[|<|---|\$\$|:::)")
ITEM = re.compile(r"^\s*([-*]|\d+\.)\s+")
END = re.compile(r"(?<=[.!?:;])[\"')\]*]*\s+(?=[\"'(\[*`]*(?:[A-Z0-9`]|farfield|gnuplot))")


def prose(text):
    """The paragraphs and list items of a Markdown text."""
    paragraph = []
    for line in INDENTED.sub("\n", FENCE.sub("", text)).splitlines() + [""]:
        is_item = ITEM.match(line)
        if paragraph and (not line.strip() or is_item or OTHER.match(line)):
            yield " ".join(paragraph)
            paragraph = []
        if line.strip() and not OTHER.match(line):
            paragraph.append(ITEM.sub("", line).strip())


def sentences(text):
    for paragraph in prose(text):
        plain = re.sub(r"`[^`]*`", "Code", paragraph)
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", plain)
        plain = re.sub(r"\$[^$]*\$", "formula", plain)
        # Abbreviations end no sentence.
        plain = re.sub(r"\b(e\.g|i\.e|et al|vs|Eqs?|Figs?|Sec|cf|Tab)\.", r"\1", plain)
        yield from (each for each in END.split(plain) if each.strip())


def problems_of(name, text):
    found = [(len(each.split()), each) for each in sentences(text)]
    words = sum(count for count, _ in found)
    if words > MOST_ON_AVERAGE * len(found):
        yield f"{name}: {words / len(found):.1f} words in a sentence on average, at most {MOST_ON_AVERAGE}"
    is_first_read = name.startswith(tuple(FIRST_READ))
    most = MOST if is_first_read else MOST_ANYWHERE
    yield from (f"{name}: {count} words, at most {most}: {each}" for count, each in found if count > most)
    if not is_first_read:
        return
    kept = sum(count <= HABIT for count, _ in found)
    if kept < LEAST_SHARE * len(found):
        yield f"{name}: {kept} of {len(found)} sentences have at most {HABIT} words, fewer than {LEAST_SHARE:.0%}"


def main():
    root = pathlib.Path(sys.argv[1])
    paths = [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").rglob("*.md"))]
    pages = {path.relative_to(root).as_posix(): path.read_text() for path in paths}
    if "--list" in sys.argv:
        print("\n".join(f"{name}: {each}" for name, text in pages.items() for each in sentences(text) if len(each.split()) > HABIT))
    found = [problem for name, text in pages.items() for problem in problems_of(name, text)]
    print("\n".join(found) or f"{len(pages)} pages")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
