"""PyTorch and JAX in a virtual environment of their own under the build folder. Each runs in a process that works on
command."""
import os
import pathlib
import subprocess
import sys

VERSIONS = {"torch": "2.15.0", "jax": "0.10.2"}
FOLDER = pathlib.Path(os.environ["FARFIELD_BUILD"]) / "peers"
PYTHON = FOLDER / "venv" / "bin" / "python"
SCRIPTS = pathlib.Path(__file__).resolve().parent / "peers"


def installed():
    """The installed versions by name."""
    if not PYTHON.exists():
        return {}
    ask = "import importlib.metadata as m; print(*(f'{d.name.lower()} {d.version}' for d in m.distributions()), sep='\\n')"
    lines = subprocess.run([PYTHON, "-c", ask], capture_output=True, text=True, check=True).stdout.splitlines()
    return dict(line.split() for line in lines)


def install():
    """Installs missing packages and says which. Ends the program with status 3 if installing is not allowed."""
    found = installed()
    lacking = [f"{name}=={version}" for name, version in VERSIONS.items() if found.get(name) != version]
    if not lacking:
        return
    if os.environ.get("FARFIELD_MAY_INSTALL") == "no":
        print(f"missing and not installed, because installation is disabled: {' '.join(lacking)}, from PyPI into {FOLDER}", file=sys.stderr)
        sys.exit(3)
    print(f"installing {' '.join(lacking)} from PyPI into {FOLDER} (3 GB with dependencies)", file=sys.stderr)
    FOLDER.mkdir(parents=True, exist_ok=True)
    log = FOLDER / "install.log"
    with log.open("w") as output:
        for command in ([sys.executable, "-m", "venv", FOLDER / "venv"],
                        [PYTHON, "-m", "pip", "install", "--quiet", *lacking]):
            if subprocess.run(command, stdout=output, stderr=subprocess.STDOUT).returncode != 0:
                print(log.read_text()[-2000:], file=sys.stderr)
                print(f"installation failed: {' '.join(map(str, command))}; the log is {log}", file=sys.stderr)
                sys.exit(3)


class Peer:
    """The process of a peer. It describes itself and returns the seconds of a piece of its work."""

    def __init__(self, script, *arguments):
        self.process = subprocess.Popen([PYTHON, SCRIPTS / script, *map(str, arguments)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.about = self.read()

    def read(self):
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the peer ended: {self.process.args}")
        return answer.strip()

    def seconds(self, work="step"):
        self.process.stdin.write(f"{work}\n")
        self.process.stdin.flush()
        return float(self.read()) * 1e-6

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()
