"""docs/api.md names every public header once, and the Python bindings include only the stable ones."""
import pathlib
import re
import sys

ROW = re.compile(r"^\| (\w+) \| ([^|]*)\| ([^|]*)\|$", re.MULTILINE)
INCLUDE = re.compile(r"#include <farfield/([\w/]+\.(?:hpp|cuh))>")


def main():
    root = pathlib.Path(sys.argv[1])
    stable, others = [], []
    for module, kept, changing in ROW.findall((root / "docs" / "api.md").read_text()):
        for column, found in ((kept, stable), (changing, others)):
            found += [f"{module}/{name}" for name in re.findall(r"`([^`]+)`", column)]
    include = root / "include" / "farfield"
    headers = sorted(path.relative_to(include).as_posix() for path in include.rglob("*") if path.suffix in (".hpp", ".cuh"))
    named = sorted(stable + others)
    problems = [f"docs/api.md lacks {name}" for name in headers if name not in named]
    problems += [f"docs/api.md names {name}, which is not a header" for name in named if name not in headers]
    problems += [f"docs/api.md names {name} twice" for name in sorted(set(named)) if named.count(name) > 1]
    for source in sorted((root / "python" / "bindings").iterdir()):
        problems += [f"{source.name} includes {name}, which docs/api.md does not call stable"
                     for name in INCLUDE.findall(source.read_text()) if name not in stable]
    print("\n".join(problems) or f"{len(headers)} headers, {len(stable)} of them stable")
    return 1 if problems else 0


sys.exit(main())
