"""Joins the sources of the page and the program into one file that makes no network requests.

Usage: page.py FOLDER OUTPUT, where FOLDER has farfield.js and farfield.wasm.
"""
import base64
import gzip
import pathlib
import re
import sys

SOURCES = pathlib.Path(__file__).resolve().parent
SCRIPTS = ["state.js", "engine.js", "studies.js", "chart.js", "editor.js", "numbers.js", "compare.js", "study.js", "doctor.js", "main.js"]


def joined_scripts():
    """All scripts as one script in strict mode."""
    texts = [(SOURCES / name).read_text().replace("'use strict';\n", "", 1) for name in SCRIPTS]
    return "'use strict';\n" + "\n".join(texts)


def checked(name, text):
    """Returns the text if it can be inside a script element, and exits with an error otherwise."""
    if re.search(r"</script|<!--", text, re.IGNORECASE):
        raise SystemExit(f"{name} would end the script element that contains it")
    return text


def main():
    folder, output = map(pathlib.Path, sys.argv[1:])
    program = (folder / "farfield.wasm").read_bytes()
    worker = (folder / "farfield.js").read_text() + "\n" + (SOURCES / "worker.js").read_text()
    version = re.search(r"version: '([\d.]+)'", (SOURCES.parent.parent / "meson.build").read_text())[1]
    parts = {"STYLE": (SOURCES / "style.css").read_text(), "VERSION": version,
             "PROGRAM": base64.b64encode(gzip.compress(program, 9, mtime=0)).decode(),
             "WORKER": checked("farfield.js", worker), "SCRIPT": checked("the page's script", joined_scripts())}
    text = re.sub(r"@([A-Z]+)@", lambda found: parts[found[1]], (SOURCES / "page.html").read_text())
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(text)
    compressed = len(gzip.compress(text.encode(), 9))
    print(f"{output}: {len(text) / 1e6:.2f} MB, {compressed / 1e6:.2f} MB compressed by gzip; the program is {len(program) / 1e6:.2f} MB")
    if compressed > 3_000_000:
        raise SystemExit("the page is over 3 MB compressed")


if __name__ == "__main__":
    main()
