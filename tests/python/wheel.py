"""Builds the wheel like `pip install .`, installs it into a new environment, and runs the page's example there.

    wheel.py [--cached]

The build is isolated and downloads the requirements of pyproject.toml. The installation downloads nothing and uses
Debian's numpy. Then ml_dtypes is downloaded, for bfloat16 tensors, with the numpy that it needs. With --cached, the
build uses the version of meson and the arguments of the main build of continuous integration, so that ccache has the
whole library. Without it, everything is compiled as on a user's computer.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
ALLOWED = {".py", ".pyi", ".typed", ".so"}
# Beside the package: programs, completions and the schema of study files. Man pages need help2man.
OTHERS = {
    "scripts/farfield",
    "scripts/farfield-recheck",
    "data/share/bash-completion/completions/farfield",
    "data/share/zsh/site-functions/_farfield",
    "data/share/fish/vendor_completions.d/farfield.fish",
    "data/share/farfield/study.schema.json",
}


def run(*command, **options):
    subprocess.run([str(each) for each in command], check=True, **options)


def version_of(program):
    return subprocess.run([program, "--version"], check=True, text=True, stdout=subprocess.PIPE).stdout.strip()


def build(folder, is_cached):
    run(sys.executable, "-m", "venv", folder / "build")
    settings, environment = [], os.environ.copy()
    if is_cached:
        # The pip of Debian 12 accepts each setting only once; from version 25 on, pip ignores constraints in isolated
        # builds.
        run(folder / "build" / "bin" / "pip", "install", "--quiet", "pip == 24.*")
        # Later versions of meson define _GLIBCXX_ASSERTIONS, and meson-python defines NDEBUG.
        (folder / "constraints.txt").write_text(f"meson == {version_of('meson')}\n")
        environment |= {
            "PIP_CONSTRAINT": str(folder / "constraints.txt"),
            "CCACHE_BASEDIR": str(SOURCE),
            "CCACHE_NOHASHDIR": "1",
        }
        settings = [f"--config-settings=setup-args={each}" for each in ("-Dstrict=true", "-Db_ndebug=false")]
    run(
        folder / "build" / "bin" / "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--wheel-dir",
        folder,
        *settings,
        SOURCE,
        env=environment,
    )
    [wheel] = folder.glob("farfield-*.whl")
    return wheel


def check_content(wheel):
    """The package and the command line are in the wheel, with `recheck` as a separate program, and completions and the
    schema, but no library and no header."""
    names = [pathlib.PurePosixPath(name) for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name]
    others = [name for name in names if name.parts[0].endswith(".data")]
    found = {str(pathlib.PurePosixPath(*name.parts[1:])) for name in others}
    pages = {name for name in found if name.startswith("data/share/man/man1/farfield")}
    if found - pages != OTHERS:
        sys.exit(f"unexpected or missing in the wheel: {', '.join(sorted((found - pages) ^ OTHERS))}")
    if shutil.which("help2man") and "data/share/man/man1/farfield-run.1" not in pages:
        sys.exit("the wheel has no man page of `run`")
    names = [name for name in names if name not in others]
    odd = [str(name) for name in names if name.parts[0] != "farfield" or name.suffix not in ALLOWED]
    if odd or not any(name.suffix == ".so" for name in names):
        sys.exit(f"the wheel holds {', '.join(map(str, odd or names))}")


def check_first_figure(folder, place, wheel):
    """A newcomer's path: install the wheel, write a study, run it, and look at its figure. The figure is there within 20
    seconds; without a network, since numpy is already installed."""
    start = time.monotonic()
    run(place / "bin" / "pip", "install", "--quiet", "--no-index", wheel)
    run(place / "bin" / "farfield", "new", "mine", cwd=folder)
    run(place / "bin" / "farfield", "run", "mine.toml", cwd=folder, stdout=subprocess.DEVNULL)
    seconds = time.monotonic() - start
    if not (folder / "results" / "mine" / "bias.svg").is_file():
        sys.exit("the first study has no figure")
    run("bash", "-c", f"source {place}/share/bash-completion/completions/farfield && complete -p farfield")
    print(f"from the wheel to the first figure: {seconds:.1f} s")
    if seconds > 20:
        sys.exit("the first figure took more than 20 seconds")


def check_installed(folder, wheel):
    place = folder / "run"
    run(sys.executable, "-m", "venv", "--system-site-packages", place)
    check_first_figure(folder, place, wheel)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {
        "FARFIELD_SOURCE": str(SOURCE)
    }
    where = "import farfield; print(farfield.__file__, farfield.__version__, len(farfield.schemes()), 'schemes')"
    found = subprocess.run(
        [place / "bin" / "python", "-c", where],
        cwd=folder,
        env=environment,
        check=True,
        text=True,
        stdout=subprocess.PIPE,
    ).stdout
    if not found.startswith(str(place)):
        sys.exit(f"the package was imported from an unexpected place: {found}")
    new = subprocess.run([place / "bin" / "farfield", "eval", "2^10"], check=True, text=True, stdout=subprocess.PIPE)
    if new.stdout != "1024\n":
        sys.exit(f"the command line prints {new.stdout}")
    run(place / "bin" / "farfield", "recheck", "--strict", SOURCE / "results" / "sun-2023" / "range")
    run(place / "bin" / "python", SOURCE / "tests" / "python" / "documentation.py", "Page", cwd=folder, env=environment)
    run(place / "bin" / "pip", "install", "--quiet", f"{wheel}[bfloat16]")
    run(
        place / "bin" / "python",
        SOURCE / "tests" / "python" / "comparison.py",
        "Formats",
        cwd=folder,
        env=environment | {"FARFIELD_PROGRAM": ""},
    )
    print(found.split(maxsplit=1)[1].strip(), "from", wheel.name)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cached", action="store_true")
    is_cached = parser.parse_args().cached
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        wheel = build(folder, is_cached)
        check_content(wheel)
        check_installed(folder, wheel)


if __name__ == "__main__":
    main()
