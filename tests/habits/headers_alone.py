"""Each public header compiles alone."""
import concurrent.futures
import os
import pathlib
import shlex
import subprocess
import sys


def compile_alone(compiler, include, header):
    name = header.relative_to(include).as_posix()
    # Included twice, so that a header without an include guard fails too.
    done = subprocess.run([*compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{include}", "-x", "c++", "-"],
                          input=f"#include <{name}>\n#include <{name}>\n", text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return "" if done.returncode == 0 else f"{name} does not compile alone:\n{done.stdout}"


def main():
    include = pathlib.Path(sys.argv[1]) / "include"
    compiler = shlex.split(os.environ.get("CXX", "g++"))
    headers = sorted(include.rglob("*.hpp"))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [text for text in pool.map(lambda header: compile_alone(compiler, include, header), headers) if text]
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
