"""Common code of the tests of shards: a study of small models, and the comparison of two runs bit for bit."""
import json
import os
import pathlib
import socket
import subprocess

# Twelve trainings, two of which start from two others; measurements of one seed and of two seeds; a join of two
# measurements; and a formula.
STUDY = """
[corpus.chain]
builtin = "chain"
symbols = 8
order   = 1

[model.small]
layers = 1
heads  = 2
width  = 16

[train.seeds]
model  = "small"
scheme = "alibi"
corpus = "chain"
length = 16
batch  = 8
steps  = {steps}
lr     = 1e-2
seeds  = [0, 1]
sweep  = {{ delta = [0, 1, 2, 3] }}

[train.one]
model  = "small"
scheme = "windowed"
corpus = "chain"
length = 16
batch  = 8
steps  = {steps}
lr     = 1e-2
sweep  = {{ w = [4, 8] }}

[train.tuned]
start  = "one"
model  = "small"
scheme = "nope"
corpus = "chain"
length = 24
batch  = 8
steps  = {steps}
lr     = 1e-2

[quantity.pair]
kind     = "perplexity"
of       = "seeds"
lengths  = [16, 32]
segments = 8

[quantity.single]
kind     = "perplexity"
of       = "one"
lengths  = [16, 32]
segments = 8

[quantity.tuned]
kind     = "perplexity"
of       = "tuned"
lengths  = [16, 32]
segments = 8

[quantity.weight]
kind    = "value"
formula = "2^(-8*h/H)"
head    = 1
heads   = 8

[[claim]]
id      = "SH-1"
says    = "A model that sees more is no worse at its own length."
holds   = "'single[w=8]'.nll[16] <= 'single[w=4]'.nll[16] + 1"
"""

TASKS = 12 + 4 + 4  # trainings, measurements of two seeds, measurements of one

# Parts of a quantity that describe its computation. They differ, for example because a process that read a model did
# not train it.
UNEQUAL = {"seconds", "notes"}


class Folder:
    """A folder with the study and a store; commands run in it."""

    hosts = {socket.gethostname()}  # the hosts of the commands

    def __init__(self, program, path, steps=60):
        self.program = program
        self.path = pathlib.Path(path)
        self.path.mkdir(parents=True, exist_ok=True)
        (self.path / "s.toml").write_text(STUDY.format(steps=steps))

    def command(self, *arguments):
        return [str(self.program), *map(str, arguments)]

    def start(self, *arguments, environment=None, **options):
        return subprocess.Popen(self.command(*arguments), cwd=self.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, env={**os.environ, **(environment or {})}, **options)

    def run(self, *arguments, status=0, **options):
        process = self.start(*arguments, **options)
        output, error = process.communicate(timeout=600)
        if status is not None and process.returncode != status:
            raise AssertionError(f"farfield {' '.join(map(str, arguments))}: status {process.returncode}, not {status}\n{output}{error}")
        return output, error

    def shard(self, index, count, store="store", **options):
        return self.run("run", "s.toml", "--store", store, "--shard", f"{index}/{count}", "--threads", 1, **options)

    def tasks(self, store="store"):
        output, _ = self.run("tasks", "s.toml", "--store", store, "--json")
        return [json.loads(line) for line in output.splitlines()]

    def gather(self, store="store", output="gathered"):
        """The results of a plain run over the store, in which every task must be done."""
        before = models(self.path / store)
        assert all(task["done"] for task in self.tasks(store)), "the shards left tasks undone"
        self.run("run", "s.toml", "--store", store, "--no-figures", "-o", output)
        assert models(self.path / store) == before, "the run repeated trainings"
        return results(self.path / output / "s")

    def alone(self):
        """The results of a run without shards."""
        self.run("run", "s.toml", "--store", "own-store", "--no-figures", "-o", "alone")
        return results(self.path / "alone" / "s"), models(self.path / "own-store")


def models(store):
    """The name and bytes of every finished model. Reading a model does not change them."""
    return {path.name: path.read_bytes() for path in sorted(store.glob("models/*/*.safetensors"))
            if ".unfinished." not in path.name}


def results(folder):
    """The numbers, verdicts and series of a run, with all bits."""
    found = json.loads((folder / "results.json").read_text())
    quantities = {name: {key: value for key, value in quantity.items() if key not in UNEQUAL}
                  for name, quantity in found["quantities"].items()}
    series = {path.name: path.read_bytes() for path in sorted(folder.glob("*.csv"))}
    return {"quantities": quantities, "claims": found["claims"], "series": series}


def check(condition, message):
    if not condition:
        raise AssertionError(message)
