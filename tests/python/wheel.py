"""Builds the wheel as `pip install .` does, installs it into a new environment, and runs the page's example there.

    wheel.py [SETUP-ARGUMENT...]

The build is isolated and fetches what pyproject.toml asks for; the installation fetches nothing, and takes Debian's numpy.
Its compilations are those of the main build, so that ccache has them where both were given the same arguments.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
ALLOWED = {".py", ".pyi", ".typed", ".so"}


def run(*command, **options):
    subprocess.run([str(each) for each in command], check=True, **options)


def build(folder, arguments):
    run(sys.executable, "-m", "venv", folder / "build")
    settings = [f"--config-settings=setup-args={each}" for each in arguments]
    environment = os.environ | {"CCACHE_BASEDIR": str(SOURCE), "CCACHE_NOHASHDIR": "1"}
    run(folder / "build" / "bin" / "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, *settings, SOURCE,
        env=environment)
    [wheel] = folder.glob("farfield-*.whl")
    return wheel


def check_content(wheel):
    """The package alone: no library, no header, no program."""
    names = [pathlib.PurePosixPath(name) for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name]
    odd = [str(name) for name in names if name.parts[0] != "farfield" or name.suffix not in ALLOWED]
    if odd or not any(name.suffix == ".so" for name in names):
        sys.exit(f"the wheel holds {', '.join(map(str, odd or names))}")


def check_installed(folder, wheel):
    place = folder / "run"
    run(sys.executable, "-m", "venv", "--system-site-packages", place)
    run(place / "bin" / "pip", "install", "--quiet", "--no-index", wheel)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {"FARFIELD_SOURCE": str(SOURCE)}
    where = "import farfield; print(farfield.__file__, farfield.__version__, len(farfield.schemes()), 'schemes')"
    found = subprocess.run([place / "bin" / "python", "-c", where], cwd=folder, env=environment, check=True, text=True,
                           stdout=subprocess.PIPE).stdout
    if not found.startswith(str(place)):
        sys.exit(f"the package came from elsewhere: {found}")
    run(place / "bin" / "python", SOURCE / "tests" / "python" / "documentation.py", "Page", cwd=folder, env=environment)
    print(found.split(maxsplit=1)[1].strip(), "from", wheel.name)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        wheel = build(folder, sys.argv[1:] or ["-Dstrict=true"])
        check_content(wheel)
        check_installed(folder, wheel)


if __name__ == "__main__":
    main()
