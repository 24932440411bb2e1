"""Runs the recipes of docs/howto/cluster.md whose engines are installed: `recipes.py FARFIELD`.

Each runs the shards of a study with the page's own command, and a plain run then finds all results. Missing engines are
listed and skipped. ssh is replaced by a local shell.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from support import Folder, check, models

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "howto" / "cluster.md"


def command_of(engine):
    """The command in a row of the page's table."""
    row = next(line for line in PAGE.read_text().splitlines() if line.startswith(f"| {engine}"))
    return re.search(r"`(.*?)`", row)[1].replace("\\|", "|")


def block_after(heading):
    return re.search(rf"(?s){re.escape(heading)}.*?```\w*\n(.*?)```", PAGE.read_text())[1]


RECIPES = {
    "parallel": ("parallel", lambda: command_of("one machine, GNU parallel").replace("20", "4").replace("0 19", "0 3")),
    "mpi": ("mpirun", lambda: command_of("MPI").replace("-n 20", "-n 4 --oversubscribe")),
    "ssh": ("sh", lambda: block_after("**ssh.**")),
}


def run(recipe, command, program):
    with tempfile.TemporaryDirectory(prefix="farfield-recipe-") as path:
        folder = Folder(program, path)
        alone, own = folder.alone()
        tools = folder.path / "bin"
        tools.mkdir()
        (tools / "farfield").symlink_to(program)
        (tools / "ssh").write_text('#!/bin/sh\nshift\nexec sh -c "$*"\n')
        (tools / "ssh").chmod(0o755)
        environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "FARFIELD_STORE": str(folder.path / "store"),
                       "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        done = subprocess.run(["sh", "-c", command.replace("PATH", "s.toml").replace("$s.toml", "$PATH")], cwd=folder.path,
                              env=environment, capture_output=True, text=True, check=False, timeout=300)
        check(done.returncode == 0, f"{recipe}: status {done.returncode}\n{done.stdout}{done.stderr}")
        check(folder.gather() == alone and models(folder.path / "store") == own, f"{recipe}: different results")


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    for recipe, (needed, command) in RECIPES.items():
        if not shutil.which(needed):
            print(f"{recipe}: not run, {needed} is not installed")
            continue
        run(recipe, command(), program)
        print(f"{recipe}: done")
    return 0


if __name__ == "__main__":
    sys.exit(main())
