"""A study run from Python has the numbers and verdicts that the program writes."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np

import farfield as ff

PROGRAM = os.environ["FARFIELD_PROGRAM"]
STUDIES = pathlib.Path(os.environ["FARFIELD_SOURCE"]) / "studies" / "tutorial"


def number(value):
    """A number of a results.json, in which infinities and NaN are texts."""
    return float(value) if isinstance(value, str) else value


class Runs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def results(self, path):
        subprocess.run(
            [PROGRAM, "run", path, "--no-figures", "--cache", self.folder / "cache", "-o", self.folder],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        [file] = self.folder.glob(f"**/{path.stem}/results.json")
        return json.loads(file.read_text())

    def test_values_and_verdicts_are_those_of_the_program(self):
        paths = sorted(path for path in STUDIES.glob("*.toml") if "[train." not in path.read_text())
        self.assertGreater(len(paths), 1)
        for path in paths:
            with self.subTest(path.name):
                wanted = self.results(path)
                [study] = ff.run(path, cache="")
                self.assertEqual(
                    {name: result.values for name, result in study.quantities.items()},
                    {
                        name: {key: number(value) for key, value in each["values"].items()}
                        for name, each in wanted["quantities"].items()
                    },
                )
                self.assertEqual(
                    [(claim.id, claim.verdict, claim.certified) for claim in study.claims],
                    [(claim["id"], claim["verdict"], claim["certified"]) for claim in wanted["claims"]],
                )
                self.assertTrue(study.as_expected)

    def test_what_fails_is_listed_and_the_rest_computed(self):
        path = self.folder / "s.toml"
        path.write_text(
            """
            [quantity.row]
            kind = "curve"
            formula = "log(3 - n)"
            distances = { from = 0, to = 9 }
            [quantity.two]
            kind = "value"
            formula = "2"
            """
        )
        [study] = ff.run(path, cache="")
        self.assertEqual(list(study.quantities), ["two"])
        [(name, [diagnostic])] = study.failed
        self.assertEqual((name, diagnostic.line), ("row", 4))
        self.assertEqual(diagnostic.found, "the formula has no value (NaN) at n = 4")
        self.assertFalse(study.as_expected)

    def test_check_computes_what_claims_need(self):
        path = self.folder / "s.toml"
        path.write_text(
            """
            [study]
            [quantity.needed]
            kind = "value"
            formula = "6 * 7"
            [quantity.spare]
            kind = "value"
            formula = "1"
            [[claim]]
            id = "A"
            says = "six times seven"
            expect = "refuted"
              [[claim.reading]]
              name = "only"
              holds = "needed.value == 42"
        """
        )
        [study] = ff.check(path, cache="")
        self.assertEqual(list(study.quantities), ["needed"])
        [claim] = study.claims
        self.assertEqual((claim.verdict, claim.expected, claim.as_expected), ("confirmed", "refuted", False))
        self.assertEqual((claim.line, claim.readings[0].name), (12, "only"))  # the line of `expect`
        self.assertFalse(study.as_expected)
        self.assertIn("confirmed", repr(study))

    def test_options_are_checked(self):
        with self.assertRaisesRegex(TypeError, "fresh is 'no', of type str: write True or False"):
            ff.check("s.toml", fresh="no")
        with self.assertRaisesRegex(ff.InputError, "device is 'gpu': write 'cpu' or 'cuda'"):
            ff.run("s.toml", device="gpu")
        with self.assertRaisesRegex(TypeError, "only is 3, of type int: write a text"):
            ff.check("s.toml", only=[3])
        with self.assertRaisesRegex(TypeError, "set is .*, of type list: write a dict of values by path"):
            ff.run("s.toml", set=[("a", 1)])
        with self.assertRaises(TypeError):
            ff.run("s.toml", cache=5)

    def test_settings_replace_those_of_the_file(self):
        path = self.folder / "s.toml"
        path.write_text('[study]\n[quantity.v]\nkind = "value"\nformula = "w"\nlet = { w = 1 }\n')
        [study] = ff.run(path, set={"quantity.v.let.w": 5}, cache="")
        self.assertEqual(study.quantities["v"]["value"], 5)

    def test_a_study_is_written_as_the_program_writes_it(self):
        path = self.folder / "s.toml"
        path.write_text('[study]\n[quantity.c]\nkind = "curve"\nformula = "n^2"\ndistances = { to = 9 }\n')
        [study] = ff.run(path, cache="")
        study.write(self.folder / "out", figures=False)
        with self.assertRaisesRegex(ff.InputError, "folder is empty"):
            study.write("")
        self.assertEqual(
            (self.folder / "out" / "c.csv").read_text(),
            (self.results(path), next(self.folder.glob("**/s/c.csv")).read_text())[1],
        )
        self.assertEqual(json.loads(study.json())["quantities"]["c"]["values"]["max"], 81)

    def test_results_that_a_study_did_not_compute_are_not_replaced(self):
        path = self.folder / "s.toml"
        path.write_text(
            """
            [model.m]
            layers = 1
            heads = 1
            width = 8
            [corpus.c]
            builtin = "parity"
            [train.t]
            model = "m"
            scheme = "nope"
            corpus = "c"
            length = 8
            steps = 2
            [quantity.p]
            kind = "perplexity"
            of = "t"
            lengths = [8]
            [quantity.v]
            kind = "value"
            formula = "1"
            """
        )
        recorded = self.folder / "out" / "results.json"
        recorded.parent.mkdir()
        recorded.write_text('{"study": "s", "quantities": {"p": {}}}')
        [study] = ff.run(path, cache="", only=["v"])
        with self.assertRaisesRegex(ff.InputError, "include 'p', which this run did not compute; expected another folder"):
            study.write(recorded.parent, figures=False)
        self.assertEqual(recorded.read_text(), '{"study": "s", "quantities": {"p": {}}}')

    def test_a_study_may_be_a_dict(self):
        study = ff.run_dict(
            {
                "scheme": {"mine": {"bias": "-n / w", "params": {"w": 4}}},
                "quantity": {
                    "row": {"kind": "curve", "scheme": "mine", "distances": {"to": 8}, "sweep": {"w": [2, 4]}}
                },
            },
            cache="",
        )
        self.assertEqual(list(study.quantities), ["row[w=2]", "row[w=4]"])
        np.testing.assert_array_equal(study.quantities["row[w=2]"].series["value"], -np.arange(9.0) / 2)


class SafeLengths(unittest.TestCase):
    def test_answers_are_those_of_the_command(self):
        cases = [("alibi", "fp16", ""), ("rotary", "e4m3", ""), ("xpos", "fp16", "")]
        cases += [("rotary", "bf16", recipe) for recipe in ("hf", "all-bf16", "recurrence")]
        for scheme, format, recipe in cases:
            done = subprocess.run(
                [PROGRAM, "safe-length", scheme, "--in", format, "--longest", "100000", "--json"]
                + (["--recipe", recipe] if recipe else []),
                stdout=subprocess.PIPE,
                check=True,
            )
            [wanted] = json.loads(done.stdout)
            found = ff.safe_length(scheme, format, longest=100000, recipe=recipe)
            self.assertEqual(
                {key: getattr(found, key) for key in ("scheme", "format", "length", "is_longest", "limit")},
                {key: wanted[key] for key in ("scheme", "format", "length", "is_longest", "limit")},
            )
            self.assertEqual(
                [(each.limit, each.length, each.is_longest, each.where, each.formula) for each in found.limits],
                [
                    tuple(each[key] for key in ("limit", "length", "is_longest", "where", "formula"))
                    for each in wanted["limits"]
                ],
            )


if __name__ == "__main__":
    unittest.main()
