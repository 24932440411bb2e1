"""Modules include only modules that they may depend on, and third-party headers only in the modules listed below."""
import pathlib
import re
import sys

# Each module and its direct dependencies. A module may include everything that it reaches by these arrows.
ARROWS = {
    "cli": {"study", "export", "recheck", "doctor", "checkpoint"},
    "doctor": {"quantity"},
    "recheck": {"core"},
    "study": {"quantity", "measure", "claim", "report"},
    "quantity": {"compare"},
    "compare": {"scheme", "evaluate", "tensor"},
    "export": {"scheme"},
    "tensor": {"numerics"},
    "checkpoint": {"train", "tensor"},
    "measure": {"checkpoint"},
    "train": {"model"},
    "model": {"scheme", "evaluate"},
    "claim": {"evaluate"},
    "scheme": {"formula"},
    "evaluate": {"formula"},
    "formula": {"numerics"},
    "report": {"numerics"},
    "numerics": {"core"},
    "core": set(),
}

# The start of an include, and the only modules that may have it.
THIRD_PARTY = {
    "toml++/": {"study", "scheme"},
    "nlohmann/": {"checkpoint", "report", "tensor", "train", "recheck", "doctor", "study"},
    "arb": {"recheck"},
    "arf.h": {"recheck"},
    "flint/": {"recheck"},
    "thrust/": {"evaluate", "model"},
    "cub/": {"evaluate", "model"},
    "cuda": {"evaluate", "model"},
    "gnuplot-iostream": {"report"},
    "CLI/": {"cli"},
    "minizip/": {"tensor"},
    "Random123/": {"numerics"},
    "pybind11/": set(),
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
SUFFIXES = {".cpp", ".hpp", ".h", ".cu", ".cuh", ".def", ".inc"}


def below(room):
    reached = {room}
    for lower in ARROWS[room]:
        reached |= below(lower)
    return reached


def problem(room, is_public, bracket, target):
    """The error of one include, or None."""
    parts = target.removeprefix("farfield/").split("/")
    if target.startswith("farfield/") or parts[0] in ARROWS:
        return None if parts[0] in below(room) else f"'{room}' may not include '{parts[0]}'"
    if bracket == '"' and len(parts) == 1:
        return None
    for start, rooms in THIRD_PARTY.items():
        if target.startswith(start) and room not in rooms:
            return f"only {' and '.join(sorted(rooms))} may include {start}"
    if is_public and ("/" in target or "." in target):
        return "a public header may include only the standard library and farfield"
    return None


def problems(root):
    for folder, is_public in ((root / "include" / "farfield", True), (root / "src", False)):
        for path in sorted(folder.rglob("*")):
            if path.suffix not in SUFFIXES:
                continue
            room = path.relative_to(folder).parts[0]
            if room not in ARROWS:
                yield f"{path.relative_to(root)}: '{room}' is not a module"
                continue
            text = path.read_text()
            for match in INCLUDE.finditer(text):
                message = problem(room, is_public, match[1], match[2])
                if message:
                    line = text.count("\n", 0, match.start(2)) + 1
                    yield f"{path.relative_to(root)}:{line}: {message}"


def binding_problems(root):
    """The bindings are a separate program, which uses only public headers."""
    folder = root / "python" / "bindings"
    own = {path.name for path in folder.glob("*.hpp")} | {"docstrings.hpp"}
    for path in sorted(folder.glob("*.[ch]pp")):
        for match in INCLUDE.finditer(path.read_text()):
            is_known = match[2] in own if match[1] == '"' else match[2].startswith(("farfield/", "pybind11/")) or "/" not in match[2]
            if not is_known:
                yield f"{path.relative_to(root)}: the bindings may not include '{match[2]}'"


def main():
    root = pathlib.Path(sys.argv[1])
    found = [*problems(root), *binding_problems(root)]
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
