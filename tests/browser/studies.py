"""Every study that a report page opens in the page for browsers has the verdicts and certificates on record in the
page's program.

Usage: studies.py PROGRAM FOLDER ROOT, where FOLDER has farfield.js and farfield.wasm.

The expected results are those in results/.
"""
import base64
import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse
import zlib

from program import Browsers


ADDRESS = "../try/index.html"


def verdicts(record):
    return {claim["id"]: (claim["verdict"], claim["certified"]) for claim in record["claims"]}


def unpacked(text):
    return zlib.decompress(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), wbits=-15).decode()


def linked_studies(program, root):
    """(folder under results/, text, files by name) of the study that each report page links to. All links of a page
    must have the same study."""
    with tempfile.TemporaryDirectory() as place:
        for record in root.glob("results/**/results.json"):
            target = pathlib.Path(place) / record.relative_to(root)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(record, target)
        subprocess.run([program, "report", f"{place}/results", "--playground", ADDRESS], cwd=root, check=True, stdout=subprocess.DEVNULL)
        for page in sorted(pathlib.Path(place).rglob("report.html")):
            folder = page.parent.relative_to(f"{place}/results")
            links = [html.unescape(link) for link in re.findall(r'href="([^"]*#tab=study[^"]*)"', page.read_text())]
            up = "../" * len(folder.parts)
            parts = {re.fullmatch(re.escape(up + ADDRESS) + r"#tab=study&study=([\w-]+(?:&file=[\w%./~-]+&content=[\w-]+)*)(?:&(?:claim|figure)=[\w%.-]+)?", link)[1]
                     for link in links}
            assert len(parts) <= 1, f"{page} links to several studies"
            for part in parts:
                assert len(links) >= 1 + len(json.loads((page.parent / "results.json").read_text())["claims"]), f"{page} has claims without a link"
                study, *files = re.split("&(?:file|content)=", part)
                yield folder, unpacked(study), {urllib.parse.unquote(name): unpacked(content) for name, content in zip(files[::2], files[1::2])}


def main():
    program, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[3]).resolve()
    browser = Browsers(pathlib.Path(sys.argv[2]).resolve())
    count, claims, problems, slowest = 0, 0, [], (0, "")
    for path, text, files in linked_studies(program, root):
        name, record = path.name, root / "results" / path / "results.json"
        start = time.monotonic()
        answer = browser(["run", f"{name}.toml", "--no-figures", "--quiet"], {**files, f"{name}.toml": text}, "results")
        slowest = max(slowest, (time.monotonic() - start, str(path)))
        found = answer.get("results", {}).get(f"{name}/results.json")
        wanted = verdicts(json.loads(record.read_text()))
        if found is None or verdicts(json.loads(found)) != wanted:
            problems.append(f"{path}: {answer.get('broken', '')}{answer.get('problems', '')} different verdicts")
        count, claims = count + 1, claims + len(wanted)
    browser.close()
    print("\n".join(problems))
    print(f"{count} studies, {claims} claims, {len(problems)} studies with a problem; the slowest took {slowest[0]:.0f} s: {slowest[1]}")
    return 1 if problems or count < 70 else 0


if __name__ == "__main__":
    sys.exit(main())
