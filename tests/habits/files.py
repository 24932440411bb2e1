"""Source files have at most 500 lines, and no file contains a path of a single computer."""
import pathlib
import re
import subprocess
import sys

LONGEST = 500
SOURCES = {".cpp", ".hpp", ".h", ".cu", ".def", ".py", ".sh", ".build"}
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:home|Users|work|mnt|opt)/\w|\.\./shared\b")


def listed_files(root):
    """The files that git tracks or would track; without git, all files outside build folders."""
    done = subprocess.run(["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if done.returncode == 0:
        names = [name for name in done.stdout.decode().split("\0") if name]
    else:
        names = [path.relative_to(root).as_posix() for path in root.rglob("*")]
    return [name for name in sorted(set(names)) if not name.startswith((".git/", "build")) and (root / name).is_file()]


def problems(root):
    for name in listed_files(root):
        try:
            lines = (root / name).read_text().splitlines()
        except UnicodeDecodeError:
            continue
        path = pathlib.PurePosixPath(name)
        if path.parts[0] in ("src", "include", "tests") and path.suffix in SOURCES and len(lines) > LONGEST:
            yield f"{name}: {len(lines)} lines, {LONGEST} at most"
        for number, line in enumerate(lines, start=1):
            if name != "tests/habits/files.py" and MACHINE_PATH.search(line):
                yield f"{name}:{number}: names a path of one machine: {line.strip()[:100]}"


def main():
    found = list(problems(pathlib.Path(sys.argv[1])))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
