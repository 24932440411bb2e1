"""Makes the tensors of studies/implementations: installs public packages from PyPI and runs them.

Usage: make.py [--verify] [--environment FOLDER] [PACKAGE...]

Each recipe in recipes/ covers one package: it makes the calls and selects what is kept of the results. Recipes run in a
virtual environment with the versions of requirements.txt (7 GB), under build/implementations unless --environment names
another folder. The tensors are written to ../data/PACKAGE.safetensors, and their descriptions to ../data/manifest.json.
The same versions give the same bytes. --verify writes nothing and prints the differences from the existing files.
"""
import argparse
import datetime
import filecmp
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE.parent / "data"
MANIFEST = DATA / "manifest.json"
REQUIREMENTS = HERE / "requirements.txt"


def requirements():
    """The packages to install with their dependencies, and those to install without."""
    lines = [line.split("#")[0].split() for line in REQUIREMENTS.read_text().splitlines()]
    with_needs = [words[0] for words in lines if words and words[1:] != ["alone"]]
    alone = [words[0] for words in lines if words and words[1:] == ["alone"]]
    return with_needs, alone


def prepare(folder):
    """The path of the environment's Python. Installs missing packages."""
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    with_needs, alone = requirements()
    ask = "import importlib.metadata as m; print(*(f'{d.name}=={d.version}' for d in m.distributions()), sep='\\n')"
    there = set(subprocess.run([python, "-c", ask], capture_output=True, text=True, check=True).stdout.split())
    if not set(with_needs) <= there:
        subprocess.run([python, "-m", "pip", "install", "--quiet", *with_needs], check=True)
    if not set(alone) <= there:
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps", *alone], check=True)
    return python


def record(python, package, folder):
    """Writes the tensors of one package to the folder, and returns its entry of the manifest."""
    target = folder / f"{package}.safetensors"
    subprocess.run([python, HERE / "record.py", HERE / "recipes" / f"{package}.py", target], check=True)
    about = target.with_suffix(".json")
    entry = json.loads(about.read_text())
    about.unlink()
    return entry


def differences(package, entry, folder, known):
    """The differences from the tensors and manifest on record, one per line. The date of creation is ignored."""
    name = f"{package}.safetensors"
    if package not in known:
        return [f"{package} is not on record"]
    old = {key: value for key, value in known[package].items() if key != "made"}
    lines = [f"{package}: {key} is {entry.get(key)}, on record {old.get(key)}"
             for key in sorted(set(old) | set(entry)) if key != "tensors" and old.get(key) != entry.get(key)]
    for tensor in sorted(set(old["tensors"]) | set(entry["tensors"])):
        if old["tensors"].get(tensor) != entry["tensors"].get(tensor):
            lines.append(f"{package}: tensor '{tensor}' differs")
    if not (DATA / name).exists() or not filecmp.cmp(folder / name, DATA / name, shallow=False):
        lines.append(f"{package}: {name} has different bytes")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--verify", action="store_true", help="write nothing; end with status 1 if anything differs")
    parser.add_argument("--environment", type=pathlib.Path, default=HERE.parents[2] / "build" / "implementations")
    parser.add_argument("package", nargs="*", help="default: every recipe")
    options = parser.parse_args()
    packages = options.package or sorted(path.stem for path in (HERE / "recipes").glob("*.py"))
    python = prepare(options.environment)
    DATA.mkdir(exist_ok=True)
    manifest = json.loads(MANIFEST.read_text()) if MANIFEST.exists() else {}
    differing = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        for package in packages:
            entry = record(python, package, folder)
            found = differences(package, entry, folder, manifest)
            differing += found
            print(f"{package} {entry['version']}: {len(entry['tensors'])} tensors, {'differs' if found else 'as on record'}")
            if options.verify or not found:
                continue
            shutil.copyfile(folder / f"{package}.safetensors", DATA / f"{package}.safetensors")
            manifest[package] = {**entry, "made": datetime.date.today().isoformat()}
    if not options.verify:
        MANIFEST.write_text(json.dumps(manifest, indent=1, sort_keys=True) + "\n")
        return 0
    print("\n".join(differing))
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
