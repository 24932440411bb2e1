"""Errors arrive as exceptions with the text, the line and the column that the command line prints.

The expected texts are those of the error gallery, which the program itself is tested with.
"""
import argparse
import contextlib
import importlib.util
import os
import pathlib
import pickle
import re
import shlex
import tempfile
import unittest

import numpy as np

import farfield as ff

SOURCE = pathlib.Path(os.environ["FARFIELD_SOURCE"])
# The names of a command's options as arguments.
ARGUMENTS = {"--in": "system"}


def gallery():
    """The module of the error gallery, which reads cases and makes their files."""
    specification = importlib.util.spec_from_file_location("gallery", SOURCE / "tests" / "errors" / "gallery.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


class Unlike(Exception):
    """A command with options that have no counterpart in Python, because Python checks the arguments of functions."""


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Unlike(message)


def parser(*options):
    made = Parser(add_help=False)
    made.add_argument("subjects", nargs="*")
    for option, settings in options:
        made.add_argument(option, **settings)
    return made


def parsed(made, words):
    return made.parse_args(words)


def evaluate(words):
    line = parsed(
        parser(("--let", {"action": "append", "default": []}), ("--in", {"default": "double", "dest": "system"})), words
    )
    if len(line.subjects) != 1 or not line.subjects[0]:
        raise Unlike("no formula")
    values = dict(each.split("=", 1) for each in line.let)
    return ff.evaluate(line.subjects[0], system=line.system, **{name: float(text) for name, text in values.items()})


def counted(text):
    """A number of at least 1. The command refuses the option of a smaller one, and Python the argument."""
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def compare(words):
    numbers = [("--" + name, {"type": counted}) for name in ("heads", "head", "length", "train-length")]
    line = parsed(
        parser(("--scheme", {"required": True}), ("--part", {}), ("--axes", {"default": ""}), ("--set", {}), *numbers),
        words,
    )
    if len(line.subjects) != 1:
        raise Unlike("no file")
    scheme = ff.scheme(line.scheme)
    if line.set:
        name, value = line.set.split("=")
        scheme = scheme.with_(**{name: float(value)})
    return ff.compare(line.subjects[0], scheme, part=line.part, axes=line.axes, heads=line.heads)


def study(words, call):
    line = parsed(
        parser(
            ("--cache", {"default": ""}),
            ("--only", {"action": "append", "default": []}),
            ("--set", {}),
            ("--no-figures", {"action": "store_true"}),
        ),
        words,
    )
    if not line.subjects or not line.cache and any(word.startswith("--cache") for word in words):
        raise Unlike("no study")
    settings = dict([line.set.split("=")]) if line.set and "=" in line.set else None
    if line.set and not settings:
        raise Unlike("--set without a value")
    return call(*line.subjects, only=line.only, set=settings, cache=line.cache)


CALLS = {
    "eval": evaluate,
    "compare": compare,
    "check": lambda words: study(words, ff.check),
    "run": lambda words: study(words, ff.run),
    "safe-length": lambda words: safe_length(words),
}


def safe_length(words):
    line = parsed(parser(("--in", {"default": "fp32", "dest": "format"})), words)
    return [ff.safe_length(line.subjects[0], each) for each in line.format.split(",")]


def lacks(studies, stderr):
    """Whether the reasons for missing quantities are those of the program. A run continues after them."""
    found = [f"{each.file}: {name} is missing: {reason}" for each in studies for name, reason in each.missing]
    return found and "\n".join(found) in stderr


def fails(studies, stderr):
    """Whether each problem that a run found while computing is the program's, with its place. A run continues after it."""
    found = [each.text for study in studies for _, problems in study.failed for each in problems]
    return found and all(each in stderr for each in found)


@contextlib.contextmanager
def inside(folder):
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


class Gallery(unittest.TestCase):
    # Cases by the command that they use: (file, minimum number of its cases that Python can run).
    FILES = {"formulas": 25, "studies": 60, "tensors": 12, "training": 10, "command_line": 2}

    def raised(self, case, make_files):
        """The error of the corresponding Python call; None if there is no such call."""
        words = shlex.split(case.command)
        call = CALLS.get(words[0])
        with tempfile.TemporaryDirectory() as folder, inside(folder):
            make_files(case, pathlib.Path(folder))
            try:
                if call is None:
                    raise Unlike(words[0])
                result = call(words[1:])
                if lacks(result, case.stderr) or fails(result, case.stderr):
                    return None
            except ff.Error as error:
                error.text = str(error).replace(folder, "FOLDER")
                return error
            except (Unlike, ValueError, TypeError):
                return None
        return self.fail(f"{case.name}: nothing was raised")

    def check(self, case, error):
        wanted = case.stderr.strip("\n").replace("; nothing was run.", ".")  # which only a command says
        for option, name in ARGUMENTS.items():
            wanted = re.sub(f"^{option}(?=:)", name, wanted)
        with self.subTest(case.name):
            if case.status.strip() == "3":
                self.assertIsInstance(error, ff.WorldError)
                self.assertEqual(error.text, wanted)
                return
            self.assertIsInstance(error, ff.InputError)
            self.assertEqual(error.text, wanted)
            place = re.match(r"(?:([^\s:]+):)?(\d+):(\d+): ", wanted)
            self.assertEqual((error.line, error.column), (int(place[2]), int(place[3])) if place else (None, None))

    def test_the_text_and_the_place_are_those_of_the_command(self):
        module = gallery()
        for file, least in self.FILES.items():
            asked = 0
            for case in module.read_cases(SOURCE / "tests" / "errors" / f"{file}.cases"):
                if case.status.strip() not in ("2", "3"):
                    continue
                error = self.raised(case, module.make_files)
                if error is not None:
                    asked += 1
                    self.check(case, error)
            self.assertGreaterEqual(asked, least, file)


class Attributes(unittest.TestCase):
    def test_every_problem_is_there(self):
        text = '[study]\n[quantity.a]\nkind = "value"\nformula = "hh"\n[quantity.b]\nkind = "valu"\n'
        with tempfile.TemporaryDirectory() as folder, inside(folder):
            pathlib.Path("s.toml").write_text(text)
            with self.assertRaises(ff.InputError) as caught:
                ff.run("s.toml", cache="")
        error = caught.exception
        self.assertEqual(
            [(each.file, each.line, each.column) for each in error.diagnostics], [("s.toml", 4, 12), ("s.toml", 6, 9)]
        )
        self.assertEqual(error.place, "s.toml:4:12")
        self.assertEqual(error.diagnostics[0].found, "unknown name 'hh'")

    def test_errors_are_of_the_usual_kinds(self):
        with self.assertRaises(ValueError):
            ff.evaluate("1 +")
        with self.assertRaises(ff.Error):
            ff.compare("no-such.npy", "alibi")

    def test_an_error_travels_between_processes(self):
        with self.assertRaises(ff.InputError) as caught:
            ff.evaluate("1 +")
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((str(again), again.place), (str(caught.exception), "1:4"))

    def test_what_no_file_could_hold_is_refused(self):
        with self.assertRaisesRegex(ff.InputError, "'head' is of type object"):
            ff.quantity("curve", scheme="alibi", head=object(), heads=8, distances={"from": 0, "to": 3})

    def test_an_array_is_named_so(self):
        with self.assertRaisesRegex(ff.InputError, "^array: NaN at "):
            ff.compare(np.full((8, 2, 2), np.nan), "alibi")


if __name__ == "__main__":
    unittest.main()
