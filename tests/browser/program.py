"""The page's program under node, and the native program, with the same interface."""
import json
import os
import pathlib
import subprocess
import tempfile

WORKER = pathlib.Path(__file__).resolve().parent.parent.parent / "src/browser/worker.js"


class Browsers:
    """The page's program. It is restarted after a failure."""

    def __init__(self, folder):
        self.folder = folder
        self.process = None

    def start(self):
        self.process = subprocess.Popen(["node", str(pathlib.Path(__file__).with_name("node.js")), str(self.folder), str(WORKER)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()

    def __call__(self, words, files=None, results=""):
        if self.process is None or self.process.poll() is not None:
            self.start()
        self.process.stdin.write(json.dumps({"id": 1, "words": words, "files": files or {}, "results": results}) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline() or '{"broken": "the process ended"}')
        if "broken" in answer:
            self.close()
        return answer

    def close(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None


class Native:
    def __init__(self, program):
        self.program = os.path.abspath(program)

    def __call__(self, words, files=None, results=""):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for file, content in (files or {}).items():
                (folder / file).write_text(content)
            done = subprocess.run([self.program, *words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                                  env={"HOME": "", "PATH": "", "LC_ALL": "C.UTF-8"})
            written = folder / results
            found = {each.relative_to(written).as_posix(): each.read_text() for each in written.rglob("*") if each.suffix in (".json", ".csv")} \
                if results else {}
            return {"status": done.returncode, "output": done.stdout.decode(), "problems": done.stderr.decode(), "results": found}
