"""Every study that the documentation opens in the page has the verdicts on record, each as certain, in the page's program.

Usage: studies.py FOLDER ROOT, where FOLDER has farfield.js and farfield.wasm. Expected is results/.
"""
import json
import pathlib
import sys
import time

from program import Browsers

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "src/browser"))
from link import runs_in_the_page  # noqa: E402


def verdicts(record):
    return {claim["id"]: (claim["verdict"], claim["certified"]) for claim in record["claims"]}


def main():
    browser, root = Browsers(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
    count, claims, problems, slowest = 0, 0, [], (0, "")
    for path in sorted((root / "studies").rglob("*.toml")):
        text, name = path.read_text(), path.stem
        record = root / "results" / path.relative_to(root / "studies").with_suffix("") / "results.json"
        if not runs_in_the_page(text) or not record.exists():
            continue
        start = time.monotonic()
        answer = browser(["run", f"{name}.toml", "--no-figures", "--quiet"], {f"{name}.toml": text}, "results")
        slowest = max(slowest, (time.monotonic() - start, str(path.relative_to(root))))
        found = answer.get("results", {}).get(f"{name}/results.json")
        wanted = verdicts(json.loads(record.read_text()))
        if found is None or verdicts(json.loads(found)) != wanted:
            problems.append(f"{path}: {answer.get('broken', '')}{answer.get('problems', '')} other verdicts")
        count, claims = count + 1, claims + len(wanted)
    browser.close()
    print("\n".join(problems))
    print(f"{count} studies, {claims} claims, {len(problems)} studies with a problem; the slowest took {slowest[0]:.0f} s: {slowest[1]}")
    return 1 if problems or count < 40 else 0


if __name__ == "__main__":
    sys.exit(main())
