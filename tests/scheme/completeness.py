"""Every built-in scheme has a page with its catalogue entry, and reference values that schemes.py still writes."""
import pathlib
import re
import subprocess
import sys

ENTRY = re.compile(r"(?ms)^\[scheme\.([a-z0-9-]+)\]\n.*?(?=^\[scheme\.[a-z0-9-]+\]\n|\Z)")


def problems(root):
    index = (root / "docs/schemes/README.md").read_text()
    names = set()
    for path in sorted((root / "src/scheme/catalogue").glob("*.toml")):
        for entry in ENTRY.finditer(path.read_text()):
            names.add(entry[1])
            page = root / "docs/schemes" / f"{entry[1]}.md"
            if not page.is_file():
                yield f"{path.name}: {entry[1]} has no page {page.relative_to(root)}"
            elif entry[0].strip() not in page.read_text():
                yield f"{page.relative_to(root)} does not show the entry verbatim"
            if f"[{entry[1]}]({entry[1]}.md)" not in index:
                yield f"docs/schemes/README.md does not list {entry[1]}"
    for page in sorted((root / "docs/schemes").glob("*.md")):
        if page.stem != "README" and page.stem not in names:
            yield f"{page.relative_to(root)} does not describe a built-in scheme"
    folder = root / "tests/references/scheme"
    done = subprocess.run([sys.executable, folder / "schemes.py"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if b"No module named 'mpmath'" in done.stderr:
        print("mpmath is not installed: the committed values are not checked")
    elif done.returncode != 0 or done.stdout != (folder / "schemes.inc").read_bytes():
        yield "tests/references/scheme/schemes.py does not reproduce schemes.inc"


def main():
    found = list(problems(pathlib.Path(sys.argv[1])))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
