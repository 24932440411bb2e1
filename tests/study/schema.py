"""Checks the JSON schema of study files: schema.py FARFIELD ROOT [TAPLO].

The reference is the jsonschema library. All studies of the repository must be valid. In each, a key of a random table
is renamed: both the schema and farfield must reject it, except among names that authors choose. Then the value of a
random key gets another type: farfield must reject whatever the schema rejects. If taplo is installed, it checks the
studies too.
"""
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import tomllib

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is not installed")
    sys.exit(77)

FARFIELD, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
CHANGES = 150


def toml(value):
    """A value in TOML, on one line."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {toml(each)}" for key, each in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, (bool, str)):
        return json.dumps(value)
    return repr(value)


def tables(value, path=()):
    """All tables below a value with their paths."""
    if isinstance(value, dict):
        yield path, value
        for key, each in value.items():
            yield from tables(each, path + (key,))
    if isinstance(value, list):
        for each in value:
            yield from tables(each, path + ("*",))


def accepted(document, folder):
    """Whether farfield accepts the study."""
    file = folder / "changed.toml"
    file.write_text("\n".join(f"{json.dumps(key)} = {toml(value)}" for key, value in document.items()))
    status = subprocess.run([FARFIELD, "show", file], capture_output=True).returncode
    assert status in (0, 2), status
    return status == 0


def check(condition, *what):
    if not condition:
        print("failed:", *what)
        sys.exit(1)


def main():
    printed = subprocess.run([FARFIELD, "schema"], capture_output=True, check=True, text=True).stdout
    schema = json.loads(printed)
    jsonschema.Draft4Validator.check_schema(schema)
    committed = (ROOT / "docs" / "study.schema.json").read_text()
    check(committed == printed, "docs/study.schema.json is outdated; run: farfield schema -o docs/study.schema.json")
    validator = jsonschema.Draft4Validator(schema)
    studies = {}
    for file in sorted((ROOT / "studies").rglob("*.toml")):
        first = file.read_text().splitlines()[0]
        named = file.parent / first.removeprefix("#:schema ")
        check(first.startswith("#:schema ") and named.resolve() == ROOT / "docs" / "study.schema.json", file,
              "does not name docs/study.schema.json in its first line, which editors read")
        document = tomllib.loads(file.read_text())
        if "claim" in document or "quantity" in document:
            studies[file] = document
    check(len(studies) > 50, "only", len(studies), "studies")
    for file, document in studies.items():
        check(validator.is_valid(document), file, next(validator.iter_errors(document), ""))

    rng = random.Random(1)
    refused = {"keys": 0, "types": 0}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for _ in range(CHANGES):
            file, original = rng.choice(list(studies.items()))
            text = json.dumps(original, default=str)
            document = json.loads(text)
            path, table = rng.choice([each for each in tables(document) if each[1]])
            key = rng.choice(list(table))
            if rng.random() < 0.5:
                table["not_a_key"] = table.pop(key)
                declared = path[:1] in (("study",), ("claim",)) and path[-1:] != ("given",) or path == () or (
                    path[:1] == ("quantity",) and len(path) == 2)
                kind = "keys"
                check(not declared or not validator.is_valid(document), file, path, key, "is still valid with a renamed key")
            else:
                table[key] = rng.choice([{"a": {"b": 1}}, True, "text", -7, [[1]]])
                kind = "types"
            if not validator.is_valid(document):
                refused[kind] += 1
                check(not accepted(document, folder), file, path, key, "is refused only by the schema")
    check(min(refused.values()) > CHANGES / 10, "too few changes were refused:", refused)
    taplo = sys.argv[3] if len(sys.argv) > 3 else shutil.which("taplo")
    if taplo and pathlib.Path(taplo).exists():
        checked = subprocess.run([taplo, "check", *map(str, studies)], capture_output=True, text=True)
        check(checked.returncode == 0, checked.stderr[-2000:])
        print(f"taplo checked {len(studies)} studies")
    print(f"{len(studies)} studies are valid, {refused} of {CHANGES} changes refused")


if __name__ == "__main__":
    main()
