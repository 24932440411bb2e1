"""Every kind of quantity can be computed from Python, with the keys of a study file, and gives the value of numpy or a
paper."""
import enum
import json
import math
import os
import pathlib
import subprocess
import tempfile
import unittest
from fractions import Fraction

import numpy as np

import farfield as ff

SOURCE = pathlib.Path(os.environ["FARFIELD_SOURCE"])
TO_99 = {"from": 0, "to": 99}


def curve(formula, to=99):
    return ff.quantity("curve", formula=formula, distances={"from": 0, "to": to})


class Kinds(unittest.TestCase):
    def test_value(self):
        self.assertEqual(ff.quantity("value", formula="2^-8 * w", let={"w": 80})["value"], 80 / 256)
        self.assertEqual(ff.quantity("value", formula="x + 0", let={"x": 2049}, in_="fp16")["value"], 2048)

    def test_curve(self):
        found = ff.quantity("curve", scheme="alibi", head=8, heads=8, distances=TO_99)
        np.testing.assert_array_equal(found.series["value"], -np.arange(100.0) / 256)
        self.assertEqual((found["min"], found["argmin"], found["last"]), (-99 / 256, 99, -99 / 256))
        ends = found.enclosures["value"]
        self.assertEqual(ends.shape, (100, 2))
        self.assertTrue(np.all((ends[:, 0] <= found.series["value"]) & (found.series["value"] <= ends[:, 1])))

    def test_matrix(self):
        found = ff.quantity("matrix", formula="q - 2*k", length=5)
        q, k = np.divmod(np.arange(25.0), 5)
        columns = list(found.series.values())
        for column, wanted in zip(columns, (q, k, q - 2 * k)):
            np.testing.assert_array_equal(column, wanted)

    def test_expectation(self):
        # Chi et al. 2023: sum_i cos(n theta_i).
        n, i = np.arange(100.0)[:, None], np.arange(32.0)
        found = ff.quantity("expectation", scheme="rotary", head_dim=64, distances=TO_99).series["value"]
        np.testing.assert_allclose(found, np.cos(n * 10000.0 ** (-2 * i / 64)).sum(axis=1), rtol=1e-12)

    def test_resolution_of_a_result(self):
        # Sun et al. 2023, Eq. (4): sum over i = 0..N of e^(2 s[i]) - e^(s[i] + s[i+1]), over the square of the sum of e^s.
        s = np.cos(np.arange(101.0) / 10)
        found = ff.quantity("resolution", of=curve("cos(n/10)", 100), N=99)["R"]
        weights = np.exp(s)
        wanted = (weights[:100] * (weights[:100] - weights[1:])).sum() / weights[:100].sum() ** 2
        self.assertAlmostEqual(found, wanted, places=14)

    def test_oscillation(self):
        values = np.sin(np.arange(100.0))
        found = ff.quantity("oscillation", of=curve("sin(n)"))
        self.assertEqual(found["increases"], int((np.diff(values) > 0).sum()))
        self.assertAlmostEqual(found["total_variation"], np.abs(np.diff(values)).sum(), places=12)

    def test_extremum(self):
        found = ff.quantity("extremum", of=curve("(n - 30)^2"))
        self.assertEqual((found["min"], found["argmin"], found["max"], found["argmax"]), (0, 30, 69 * 69, 99))

    def test_fit(self):
        n = np.arange(100.0)
        y = np.sin(n) - 2 * np.log1p(n)
        (a, b), *_ = np.linalg.lstsq(np.stack([np.log1p(n), np.ones(100)], axis=1), y, rcond=None)
        found = ff.quantity("fit", of=curve("sin(n) - 2*log(1 + n)"), model="a*log(1 + n) + b")
        self.assertAlmostEqual(found["a"], a, places=10)
        self.assertAlmostEqual(found["b"], b, places=10)

    def test_profile(self):
        weights = np.exp(-np.arange(100.0) / 2)
        found = ff.quantity("profile", scheme="alibi", head=1, heads=8, distances=TO_99).series["value"]
        np.testing.assert_allclose(found, weights / weights.sum(), rtol=1e-12)

    def test_receptive_field(self):
        # With a window w, R layers reach R (w - 1) + 1 tokens.
        found = ff.quantity("receptive-field", scheme=ff.scheme("windowed").with_(w=10), layers=3, length=100)
        self.assertEqual(found["exact"], 28)

    def test_range_and_collision(self):
        over = {"n": {"from": 0, "to": 100_000}}
        # 65520 is the first number that rounds to infinity in fp16, whose largest number is 65504. Above 2048 its
        # spacing is 2.
        self.assertEqual(ff.quantity("range", formula="n", over=over, format="fp16")["first_overflow"], 65520)
        self.assertEqual(ff.quantity("collision", formula="n", over=over, format="fp16")["first"], 2048)

    def test_logit_error(self):
        found = ff.quantity("logit-error", scheme="rotary", head_dim=64, format="bf16", positions=[10, 1000])
        # Only the frequencies are rounded to 8 bits, which turns the fastest pair by up to 1000 2^-9 of a radian.
        self.assertTrue(0 < found["first"] < found["last"] < 4)

    def test_compare(self):
        folder = SOURCE / "tests" / "references" / "compare" / "tensors"
        found = ff.quantity("compare", scheme="alibi", file="alibi.npy", folder=folder)
        self.assertEqual((found["equal"], found["beyond"]), (1, 0))

    def test_laws(self):
        # The slope times the key's position is a function of the distance up to a constant per row, which softmax
        # cancels.
        folder = SOURCE / "tests" / "references" / "compare" / "tensors"
        found = ff.quantity("laws", file="alibi-keys.npy", folder=folder)
        self.assertEqual((found["relative"], found["translation"], found["kept"]), (0, 1, 3))

    def test_cost(self):
        # A matrix over all queries and keys in fp16 has L^2 numbers of two bytes.
        found = ff.quantity("cost", length=1024)
        self.assertIn(1024 * 1024 * 2, found.values.values())

    def test_table(self):
        found = ff.quantity("table", rows=[512, 1024], columns=["L", "ppl"], cells=[["512", "8.27"], ["1024", "-"]])
        self.assertEqual(found.table["512", "ppl"], 8.27)
        self.assertTrue(math.isnan(found.table["1024", "ppl"]))
        self.assertEqual(found["numbers"], 3)

    def test_ttest_and_correlation(self):
        # Student 1908, Table I: the extra sleep of ten patients; t = 4.06 with 9 degrees of freedom.
        dextro = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
        laevo = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
        self.assertAlmostEqual(ff.quantity("ttest", a=laevo, b=np.array(dextro), paired=True)["t"], 4.0621, places=4)
        self.assertAlmostEqual(
            ff.quantity("correlation", x=dextro, y=laevo)["pearson"], np.corrcoef(dextro, laevo)[0, 1], places=12
        )

    def test_samples_of_results(self):
        found = ff.quantity("ttest", a=curve("n"), b=curve("n + 1"))
        self.assertEqual(found["mean_difference"], -1)

    def test_identity_and_monotone(self):
        domain = {"x": [0, 1]}
        self.assertEqual(ff.quantity("identity", left="(x + 1)^2", right="x^2 + 2*x + 1", over=domain)["holds"], 1)
        self.assertEqual(ff.quantity("monotone", formula="x^2", direction="increasing", over={"x": [1, 2]})["holds"], 1)

    def test_crossing(self):
        # sin(n/10) is below 0 for n/10 between pi and 2 pi: first at n = 32, and it is positive again from n = 63 on.
        found = ff.quantity("crossing", formula="sin(n/10)", over={"n": {"from": 1, "to": 99}})
        signs = np.sign(np.sin(np.arange(1, 100) / 10))
        self.assertEqual(found["count"], int((np.diff(signs) != 0).sum()))

    def test_feasible(self):
        # x^3 - x is positive between -1 and 0, and above 1.
        found = ff.quantity("feasible", condition="x^3 - x > 0", over={"x": [-2, 2]})
        self.assertAlmostEqual(found["least"], -1, delta=1e-15)
        self.assertEqual(found["greatest"], 2)

    def test_optimum(self):
        # The derivative of x^3 - x is zero at 1/sqrt(3), outside the condition. The value at its boundary 0.7 is
        # -0.357.
        found = ff.quantity("optimum", formula="x^3 - x", goal="least", where="x >= 0.7", over={"x": [0, 2]})
        self.assertAlmostEqual(found["best"], 0.7**3 - 0.7, delta=1e-9)
        self.assertAlmostEqual(found["at"], 0.7, delta=1e-8)

    def test_integral(self):
        # x |x| is x^2 above 0 and -x^2 below: (8 - 1)/3 from -1 to 2.
        found = ff.quantity("integral", formula="x*abs(x)", over={"x": [-1, 2]})
        self.assertAlmostEqual(found["value"], 7 / 3, delta=1e-13)

    def test_rounding_error(self):
        # One rounding of a product below 4, where the unit in the last place is 2^-51.
        found = ff.quantity("rounding-error", formula="x*y", over={"x": [1, 2], "y": [1, 2]})
        self.assertEqual(found["absolute"], 2.0**-52)
        x, y = np.random.default_rng(1).uniform(1, 2, (2, 1000)).astype(np.longdouble)
        self.assertLessEqual(np.abs(x.astype(float) * y.astype(float) - x * y).max(), found["absolute"])

    def test_every_kind_is_tested_here(self):
        text = pathlib.Path(__file__).read_text()
        for kind in ff.kinds():
            self.assertIn(f'ff.quantity("{kind}"', text)


class PythonValues(unittest.TestCase):
    def test_a_fraction_is_its_quotient(self):
        # The double nearest to 1/3 is below it.
        document = {
            "quantity": {"q": {"kind": "value", "formula": "x", "let": {"x": Fraction(1, 3)}}},
            "claim": [
                {"id": "below", "says": "q is below 1/3", "holds": "q < 1/3"},
                {"id": "exact", "says": "q is 1/3", "holds": "3*q == 1"},
            ],
        }
        claims = ff.run_dict(document, cache="").claims
        self.assertEqual(
            [(claim.id, claim.verdict, claim.certified) for claim in claims],
            [("below", "refuted", True), ("exact", "confirmed", True)],
        )

    def test_numbers_that_write_themselves_otherwise(self):
        class Base(float, enum.Enum):
            LLAMA3 = 500000.5

        found = ff.quantity("value", formula="x", params={"x": Base.LLAMA3})
        self.assertEqual(found["value"], 500000.5)

    def test_values_that_are_no_numbers_are_refused(self):
        for value in (np.longdouble(1), 1j, object()):
            with self.assertRaisesRegex(ff.InputError, "'x' is of type"):
                ff.quantity("value", formula="x", params={"x": value})

    def test_a_value_that_contains_itself_is_refused(self):
        for inner in ({}, []):
            outer = {"quantity": {"q": inner}}
            inner.update(a=inner) if isinstance(inner, dict) else inner.append(inner)
            with self.assertRaisesRegex(ff.InputError, "at most 100 levels"):
                ff.run_dict(outer, cache="")

    def test_a_table_with_nan_gives_nan_at_its_entry(self):
        scheme = ff.scheme("t5").with_(weight=[0.0] * 31 + [float("nan")])
        near, far = scheme.bias([3, 10000], head=1, heads=1)
        self.assertEqual(near, 0)
        self.assertTrue(np.isnan(far))


class Trained(unittest.TestCase):
    TRAINING = {
        "model": {"layers": 1, "heads": 2, "width": 16},
        "corpus": {"builtin": "urn"},
        "length": 16,
        "batch": 4,
        "steps": 5,
        "seeds": [0],
    }

    def test_kinds_of_trained_models_are_those_of_a_study(self):
        training = ff.Training(scheme=ff.scheme("windowed").with_(w=8), **self.TRAINING)
        found = self.measure(training)
        study = """
            [scheme.mine]
            extends = "windowed"
            params = { w = 8 }
            [corpus.c]
            builtin = "urn"
            [model.m]
            layers = 1
            heads = 2
            width = 16
            [train.t]
            model = "m"
            scheme = "mine"
            corpus = "c"
            length = 16
            batch = 4
            steps = 5
            seeds = [0]
            [quantity.p]
            kind = "perplexity"
            of = "t"
            lengths = [16, 32]
            targets = 4
            segments = 4
        """
        wanted = self.measured(study)
        self.assertGreater(found["nll[16]"], 0)
        self.assertEqual({name: found[name] for name in wanted}, wanted)

    def test_schemes_of_one_name_stay_apart(self):
        def found(w):
            start = ff.Training(scheme=ff.scheme("windowed").with_(w=w), **self.TRAINING)
            return self.measure(ff.Training(scheme=ff.scheme("windowed").with_(w=2), start=start, **self.TRAINING))

        self.assertNotEqual(found(1)["nll[16]"], found(9)["nll[16]"])

    def test_a_training_starts_from_another_as_in_a_study(self):
        before = ff.Training(scheme="alibi", **self.TRAINING)
        first = ff.Training(scheme="nope", start=before, **{**self.TRAINING, "length": 24})
        found = self.measure(ff.Training(scheme="nope", start=first, **self.TRAINING))
        wanted = self.measured("""
            [corpus.c]
            builtin = "urn"
            [model.m]
            layers = 1
            heads = 2
            width = 16
            [train.before]
            model = "m"
            scheme = "alibi"
            corpus = "c"
            length = 16
            batch = 4
            steps = 5
            [train.first]
            start = "before"
            model = "m"
            scheme = "nope"
            corpus = "c"
            length = 24
            batch = 4
            steps = 5
            [train.t]
            start = "first"
            model = "m"
            scheme = "nope"
            corpus = "c"
            length = 16
            batch = 4
            steps = 5
            [quantity.p]
            kind = "perplexity"
            of = "t"
            lengths = [16, 32]
            targets = 4
            segments = 4
        """)
        self.assertEqual({name: found[name] for name in wanted}, wanted)

    @staticmethod
    def measure(training):
        return ff.quantity("perplexity", of=training, cache="", lengths=[16, 32], targets=4, segments=4)

    @staticmethod
    def measured(study):
        """The values of the quantity p of a study, by the program."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "s.toml"
            path.write_text("[study]\n" + study)
            subprocess.run(
                [os.environ["FARFIELD_PROGRAM"], "run", path, "--no-figures", "--cache", folder, "-o", folder],
                check=True,
                stdout=subprocess.DEVNULL,
            )
            [file] = pathlib.Path(folder).glob("*/results.json")
            return json.loads(file.read_text())["quantities"]["p"]["values"]

    def test_every_such_kind_is_named(self):
        self.assertEqual(
            set(ff.trained_kinds()),
            {
                "perplexity",
                "gradient-field",
                "attention-resolution",
                "timing",
                "learned",
                "loss-by-position",
                "attention-sink",
                "attention-by-distance",
                "frequency-use",
                "retrieval",
            },
        )


class Refusals(unittest.TestCase):
    def test_an_unknown_kind_names_the_nearest(self):
        with self.assertRaisesRegex(ff.InputError, "(?s)unknown kind 'curv'.*Did you mean 'curve'"):
            ff.quantity("curv")

    def test_an_unknown_key_names_the_nearest(self):
        with self.assertRaisesRegex(ff.InputError, "(?s)unknown key 'distance'.*Did you mean 'distances'"):
            ff.quantity("curve", formula="n", distance=TO_99)

    def test_a_formula_has_its_place(self):
        with self.assertRaises(ff.InputError) as caught:
            ff.quantity("curve", formula="-2^(-8*hh/H) * n", heads=8, distances=TO_99)
        self.assertEqual(caught.exception.place, "formula:1:8")


if __name__ == "__main__":
    unittest.main()
