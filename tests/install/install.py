"""A ten-line program builds and runs against an installed copy, with the flags from pkg-config."""
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile


def run(*command, **options):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, **options).stdout


def main():
    source, build = map(pathlib.Path, sys.argv[1:3])
    program = source / "tests" / "install" / "program.cpp"
    with tempfile.TemporaryDirectory() as place:
        run("meson", "install", "-C", build, "--no-rebuild", "--destdir", place)
        [description] = pathlib.Path(place).rglob("farfield.pc")
        # The copy is installed under a root folder of its own, which precedes its prefix.
        prefix = run("pkg-config", "--variable=prefix", description).strip()
        flags = run("pkg-config", "--static", "--cflags", "--libs", f"--define-variable=prefix={place}{prefix}", description)
        if str(source) in description.read_text():
            sys.exit(f"the pkg-config file names the source tree:\n{description.read_text()}")
        binary = pathlib.Path(place) / "program"
        run(*shlex.split(os.environ.get("CXX", "g++")), "-std=c++20", program, "-o", binary, *shlex.split(flags))
        found = run(binary)
        if found != "2048\n":
            sys.exit(f"the program prints {found!r}, not '2048'")


if __name__ == "__main__":
    main()
