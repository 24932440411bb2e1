"""Checks studies/implementations: the manifest lists the existing tensors, each tensor is used, and a changed tensor
changes a verdict.

Usage: check.py FARFIELD ROOT [--all]

One tensor in six is changed; with --all, each.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib

from tensors import BYTES, File

TYPES = {"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16", "I64": "int64", "BOOL": "bool"}


def manifest_problems(studies):
    manifest = json.loads((studies / "data/manifest.json").read_text())
    recipes = {path.stem for path in (studies / "generate/recipes").glob("*.py")}
    files = {path.stem for path in (studies / "data").glob("*.safetensors")}
    for name in sorted(recipes ^ set(manifest) | files ^ set(manifest)):
        yield f"{name} must be a recipe, a file of tensors and an entry of the manifest"
    pinned = dict(line.split()[0].split("==") for line in (studies / "generate/requirements.txt").read_text().splitlines()
                  if "==" in line.split("#")[0])
    for package, entry in manifest.items():
        versions = {package: entry["version"], **entry["with"]}
        yield from (f"{package}: {name} was {version}, requirements.txt pins {pinned.get(name)}"
                    for name, version in versions.items() if pinned.get(name) != version)
        if not re.fullmatch(r"\d{4}-\d\d-\d\d", entry["made"]):
            yield f"{package}: the date is invalid"
        yield from tensor_problems(package, entry["tensors"], File(studies / f"data/{package}.safetensors"))


def tensor_problems(package, entries, file):
    if sorted(entries) != file.names():
        yield f"{package}: the tensors of the file differ from those of the manifest"
        return
    for name, entry in entries.items():
        found = {"type": TYPES[file.type(name)], "shape": file.shape(name), "sha256": hashlib.sha256(file.bytes(name)).hexdigest()}
        yield from (f"{package}: {name}: {key} differs from the manifest" for key, value in found.items() if entry[key] != value)
        if not entry["call"]:
            yield f"{package}: {name}: the call is missing"


def texts_of(value):
    """All texts within a quantity's settings."""
    if isinstance(value, str):
        return {value}
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return set().union(*(texts_of(child) for child in children))


def uses(studies):
    """A map of (package, tensor) to a map of each study to its quantities that name the tensor."""
    found = {}
    for path in sorted(studies.glob("*.toml")):
        for name, quantity in tomllib.loads(path.read_text())["quantity"].items():
            if quantity["kind"] not in ("compare", "laws"):
                continue
            package = pathlib.Path(quantity["file"]).stem
            for text in texts_of(quantity):
                found.setdefault((package, text), {}).setdefault(path.name, []).append(name)
    return found


def usage_problems(studies):
    used = uses(studies)
    for path in sorted((studies / "data").glob("*.safetensors")):
        yield from (f"{path.stem}: no study uses {name}" for name in File(path).names() if (path.stem, name) not in used)


def changed(file, name):
    """The file's bytes with one number of the tensor changed, an early one, before the part that is wrong in the
    original."""
    begin, end = file.span(name)
    width = BYTES[file.type(name)]
    at = begin + (end - begin) // width // 100 * width
    raw = bytearray(file.raw)
    if file.type(name) == "BOOL":
        raw[at] ^= 1
    else:  # changes an integer by thousands, and the exponent of other numbers
        raw[at + 1 if file.type(name) == "I64" else at + width - 1] ^= 0x41
    return raw


def claims_about(study, quantities):
    """The claims of a study that name one of the quantities."""
    words = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, quantities))})(?![\w-])")
    return [claim["id"] for claim in tomllib.loads(study.read_text())["claim"] if any(map(words.search, texts_of(claim)))]


def check(program, study, claims, cache):
    return subprocess.run([program, "check", study, *(f"--only={claim}" for claim in claims)], capture_output=True, text=True,
                          env={**os.environ, "OMP_NUM_THREADS": "1", "XDG_CACHE_HOME": cache})


def is_noticed(program, studies, package, name, quantities):
    """Whether a claim that names a quantity of the tensor fails, or the study is invalid, after the tensor is changed."""
    with tempfile.TemporaryDirectory() as folder:
        data = pathlib.Path(folder, f"data/{package}.safetensors")
        data.parent.mkdir()
        data.write_bytes(changed(File(studies / f"data/{package}.safetensors"), name))
        for study, names in sorted(quantities.items()):
            claims = claims_about(studies / study, names)
            if not claims:
                continue
            done = check(program, shutil.copy(studies / study, folder), claims, folder)
            if done.returncode == 1 or done.returncode == 2 and data.name in done.stderr:
                return True
    return False


def control_problems(program, studies):
    """Runs the studies with unchanged tensors: every claim of a study has a name, and no verdict differs."""
    with tempfile.TemporaryDirectory() as cache:
        for path in sorted(studies.glob("*.toml")):
            claims = [claim["id"] for claim in tomllib.loads(path.read_text())["claim"]]
            done = check(program, path, claims, cache)
            if done.returncode != 0:
                yield f"{path.name}, unchanged: status {done.returncode}\n{done.stdout}{done.stderr}"


def perturbation_problems(program, studies, step):
    used = uses(studies)
    tensors = [(path.stem, name) for path in sorted((studies / "data").glob("*.safetensors")) for name in File(path).names()][::step]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        noticed = pool.map(lambda each: is_noticed(program, studies, *each, used[each]), tensors)
        for (package, name), is_seen in zip(tensors, noticed):
            if not is_seen:
                yield f"{package}: no verdict changes if {name} changes"
    print(f"{len(tensors)} tensors, each changed once")


def page_problems(root, studies):
    """The page lists each package with its version, and each claim with the verdict on record."""
    page = (root / "docs/implementations.md").read_text()
    for package, entry in json.loads((studies / "data/manifest.json").read_text()).items():
        if f"{package} {entry['version']}" not in page:
            yield f"docs/implementations.md does not name {package} {entry['version']}"
    on_record = {}
    for path in sorted((root / "results/implementations").rglob("results.json")):
        on_record.update({claim["id"]: claim["verdict"] for claim in json.loads(path.read_text())["claims"]})
    on_page = dict(re.findall(r"\| (IMPL-\d+) \| (\w+) \|", page))
    for identity in sorted(set(on_record) | set(on_page)):
        if on_record.get(identity) != on_page.get(identity):
            yield f"{identity} is {on_page.get(identity)} on docs/implementations.md, {on_record.get(identity)} on record"


def main():
    program, root = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    studies = root / "studies/implementations"
    problems = [*manifest_problems(studies), *usage_problems(studies), *page_problems(root, studies)]
    if not problems:
        problems = [*control_problems(program, studies), *perturbation_problems(program, studies, 1 if "--all" in sys.argv else 6)]
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
