"""Runs the gallery of bad input. Each case is a command line with the files it reads, the exact text on standard error
and the exit status.

A file of cases has sections, each under a heading of its own line:

    === name of the case
    --- command          the arguments, parsed like in a shell
    --- file NAME        a file of the folder that the command runs in (any number)
    --- status           the exit status
    --- stderr           the exact text on standard error

`--write` replaces the expected texts by the program's output. Review the difference before committing it.
"""
import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import shlex
import struct
import subprocess
import sys
import tempfile

def npy(kind, shape, numbers, size=None):
    """A .npy file with this header and these bytes. `size` makes it a sparse file of this total size."""
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()

    def make(path):
        path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + numbers)
        if size:
            os.truncate(path, size)
    return make


TWO_BY_TWO = struct.pack("<4f", 0, 0, -0.5, 0)

# Files that are too large or too irregular to be written in a case: the name, and a function that makes the file.
MADE = {
    "two.npy": npy("<f4", "(2, 2)", TWO_BY_TWO),
    "short.npy": npy("<f4", "(2, 2)", TWO_BY_TWO[:7]),
    "long.npy": npy("<f4", "(2, 2)", TWO_BY_TWO + b"more"),
    "nan.npy": npy("<f4", "(1, 2, 2)", struct.pack("<4f", 0, 0, float("nan"), 0)),
    "empty.npy": npy("<f4", "(0, 4)", b""),
    "pickled.npy": npy("|O", "(2,)", b"\x80\x04cos\nsystem\n."),
    "huge.npy": npy("<f4", "(9999999999, 9999999999)", b""),
    "text.npy": lambda path: path.write_text("0 0\n-0.5 0\n"),
    "text.npz": lambda path: path.write_text("0 0\n-0.5 0\n"),
    "model.pt": lambda path: path.write_text("a pickle"),
    "sparse.npy": npy("<f4", "(1, 51200, 51200)", b"", 10 << 30),
    "damaged.safetensors": lambda path: path.write_bytes((9).to_bytes(8, "little") + b'{"a": 1}}'),
    "hundred-megabytes.toml": lambda path: path.write_bytes(b"[study]\n" + b"# padding\n" * (10 * 1024 * 1024)),
    "a-folder": lambda path: path.mkdir(),
    "pipe.csv": os.mkfifo,
    "pipe.npy": os.mkfifo,
    "zero.csv": lambda path: path.symlink_to("/dev/zero"),
    "circle.csv": lambda path: path.symlink_to("circle.csv"),
    "large.csv": lambda path: (path.touch(), os.truncate(path, 1 << 30)),
    "zeros.csv": lambda path: path.write_bytes(b"name,x\nr1,1\nr2,\x00\x00\n"),
    "wide.csv": lambda path: path.write_text("name," + "1," * 1_000_001 + "\n"),
}


@dataclasses.dataclass
class Case:
    name: str
    command: str = ""
    files: dict = dataclasses.field(default_factory=dict)
    status: str = ""
    stderr: str = ""
    sections: list = dataclasses.field(default_factory=list)


def read_cases(path):
    cases = []
    for line in path.read_text().splitlines():
        if line.startswith("=== "):
            cases.append(Case(line[4:]))
        elif line.startswith("--- "):
            cases[-1].sections.append([line[4:], []])
        elif cases and cases[-1].sections:
            cases[-1].sections[-1][1].append(line)
    for case in cases:
        for heading, lines in case.sections:
            text = "\n".join(lines).rstrip("\n") + "\n" if any(lines) else ""
            if heading.startswith("file "):
                case.files[heading[5:]] = text
            else:
                setattr(case, heading, text)
    return cases


def write_cases(path, cases):
    text = ""
    for case in cases:
        text += f"=== {case.name}\n--- command\n{case.command.strip()}\n"
        for name, content in case.files.items():
            text += f"--- file {name}\n{content}"
        text += f"--- status\n{case.status.strip()}\n--- stderr\n{case.stderr}\n"
    path.write_text(text)


# For a program with changes in it (tests/mutation).
SWITCHES = ("FARFIELD_CHANGE", "FARFIELD_ASKED")


def make_files(case, folder):
    """The case's files, and those of MADE that its command or its files name."""
    for file, content in case.files.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(content)
    for file, make in MADE.items():
        if any(file in text for text in (case.command, *case.files.values())):
            make(folder / file)


def run(program, case):
    with tempfile.TemporaryDirectory() as name:
        make_files(case, pathlib.Path(name))
        environment = {"PATH": os.environ["PATH"], "HOME": name, "LC_ALL": "C.UTF-8"}
        environment |= {key: os.environ[key] for key in SWITCHES if key in os.environ}
        done = subprocess.run([program, *shlex.split(case.command)], cwd=name, env=environment, timeout=60,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return str(done.returncode), done.stderr.decode(errors="replace").replace(name, "FOLDER")


def differences(program, case):
    status, stderr = run(program, case)
    wanted = case.stderr.rstrip("\n")
    if status == case.status.strip() and stderr.rstrip("\n") == wanted:
        return ""
    return (f"{case.name}: {case.command.strip()}\n  status {status}, wanted {case.status.strip()}\n"
            f"  said:\n{stderr}\n  wanted:\n{wanted}\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--least", type=int, default=0, help="required number of cases")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    program = os.path.abspath(options.program)
    count, found = 0, []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for path in options.files:
            cases = read_cases(path)
            count += len(cases)
            if options.write:
                for case, said in zip(cases, pool.map(lambda each: run(program, each), cases)):
                    case.status, case.stderr = said
                write_cases(path, cases)
            else:
                found += [text for text in pool.map(lambda each: differences(program, each), cases) if text]
    print("\n".join(found) + f"{count} cases, {len(found)} differ")
    return 1 if found or count < options.least else 0


if __name__ == "__main__":
    sys.exit(main())
