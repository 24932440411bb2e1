"""Common code of the tests of exports: finds a Python with a library, and loads exported source as a module."""
import importlib.util
import itertools
import os
import pathlib
import subprocess
import sys

SKIPPED = 77
NEEDS = {"numpy": "numpy", "torch": "torch", "flex-attention": "torch", "jax": "jax"}
_count = itertools.count()


def go_where_installed(target, venv):
    """Continues in the virtual environment if this Python lacks the library. If both lack it, prints what is missing."""
    needed = NEEDS[target]
    if all(importlib.util.find_spec(name) for name in {needed, "numpy"}):
        return
    python = pathlib.Path(venv) / "bin" / "python"
    if python.exists() and pathlib.Path(sys.prefix) != pathlib.Path(venv):
        os.execv(python, [python, *sys.argv])
    print(f"{needed} is not installed, neither for {sys.executable} nor in {venv} (.ci/peers installs it there)")
    sys.exit(SKIPPED)


def exported(program, scheme, target, folder, *options):
    """Loads the source that `farfield export` writes as a module."""
    path = pathlib.Path(folder) / f"{scheme.replace('-', '_')}_{next(_count)}.py"
    subprocess.run([program, "export", scheme, "--to", target, "--out", path, *map(str, options)], check=True)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # torch.compile imports modules by name
    spec.loader.exec_module(module)
    return module
