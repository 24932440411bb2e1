"""compare() and laws() of arrays return the results that the program prints for files with the same numbers."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np

import farfield as ff

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None

PROGRAM = os.environ["FARFIELD_PROGRAM"]
TENSORS = pathlib.Path(os.environ["FARFIELD_SOURCE"]) / "tests" / "references" / "compare" / "tensors"


def by_command(path, *options):
    done = subprocess.run([PROGRAM, "compare", path, "--json", *options], stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def plain(number):
    """The number as the program writes it: texts for infinities and NaN."""
    return number if np.isfinite(number) else str(number)


def deviation(found):
    if found is None:
        return None
    return {
        "compared": found.compared,
        "beyond": found.beyond,
        "ulp": plain(found.worst),
        "index": list(found.index),
        "found": plain(found.found),
        "wanted": plain(found.wanted),
        "first_beyond": found.first_beyond,
    }


def variations(found):
    return [
        {"name": each.name, "meaning": each.meaning, "supposes": each.supposes, "options": each.options}
        for each in found
    ]


def as_json(answer):
    """The answer with the names of `farfield compare --json`."""
    return {
        "part": answer.part,
        "axes": answer.axes,
        "equal": answer.is_equal,
        "agrees": answer.agrees,
        "tolerance": answer.tolerance,
        "declared": deviation(answer.declared),
        "variations": variations(answer.variations),
        "others": [variations(each) for each in answer.others],
        "commands": answer.commands,
        "explained": deviation(answer.explained),
        "heads": [
            {
                "head": each.head,
                "equal": each.is_equal,
                "declared": deviation(each.declared),
                "variations": variations(each.variations),
            }
            for each in answer.heads
        ],
        "nearest": variations(answer.nearest),
        "near": deviation(answer.near),
        "tried": answer.tried,
        "hidden": answer.hidden,
    }


class Files(unittest.TestCase):
    def check(self, path, tensor, scheme, options, **settings):
        wanted = by_command(path, "--scheme", scheme, *options)
        found = as_json(ff.compare(tensor, scheme, **settings))
        self.assertEqual(found, {key: wanted[key] for key in found})

    def test_biases_of_the_reference_tensors(self):
        for name in ("", "-double", "-half", "-big-endian", "-column-major", "-from-0", "-public", "-masked", "-noise"):
            path = TENSORS / f"alibi{name}.npy"
            with self.subTest(path.name):
                self.check(path, np.load(path), "alibi", [])

    def test_heads_are_told_one_by_one(self):
        bias = np.load(TENSORS / "alibi.npy")
        bias[3] = -bias[3]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "bias.npy"
            np.save(path, bias)
            self.check(path, bias, "alibi", [])
            answer = ff.compare(bias, "alibi")
        self.assertEqual([each.head for each in answer.heads if not each.is_equal], [4])
        self.assertIn("differs by reversed-sign", str(answer))

    def test_some_heads_by_the_first(self):
        slopes = 2.0 ** (-8 * np.arange(5, 9) / 16)
        n = np.arange(32)[:, None] - np.arange(32)
        bias = (-slopes[:, None, None] * n).astype(np.float32)
        self.assertTrue(ff.compare(bias, "alibi", heads=16, first_head=5).is_equal)
        with self.assertRaises(ff.InputError):
            ff.compare(bias, "alibi", heads=16, head=5, first_head=5)

    def test_places_by_a_formula(self):
        angle = np.outer(np.maximum(np.arange(64) - 7, 0), 10000.0 ** (-np.arange(0, 32, 2) / 32))
        table = np.cos(angle).astype(np.float32)
        answer = ff.compare(table, "rotary", part="cos")
        self.assertIn("--at 'positions=max(p - 7, 0)'", answer.commands)
        self.assertTrue(ff.compare(table, "rotary", part="cos", at={"positions": "max(p - 7, 0)"}).is_equal)
        with self.assertRaises(ff.InputError) as caught:
            ff.compare(table, "rotary", part="cos", at={"positions": "max(q - 7, 0)"})
        self.assertIn("a formula of p", str(caught.exception))

    def test_a_path_is_the_same(self):
        path = TENSORS / "alibi-from-0.npy"
        self.check(path, path, "alibi", [])

    def test_rotations_by_their_part(self):
        for name in ("cos", "cos-pair-from-1", "cos-halves"):
            path = TENSORS / f"{name}.npy"
            self.check(path, np.load(path), "rotary", ["--part", "cos"], part="cos")


class Formats(unittest.TestCase):
    N = np.arange(40.0)[:, None] - np.arange(40.0)

    def bias(self):
        return -(2.0 ** -np.arange(1, 9.0))[:, None, None] * self.N

    def check(self, array):
        """In the format of `array` the bias equals ALiBi's, and differs once one number is changed by three units."""
        answer = ff.compare(array, "alibi")
        self.assertTrue(answer.is_equal)
        self.assertEqual(answer.declared.worst, 0)
        wrong = array.copy()
        patterns = wrong.view(f"u{wrong.dtype.itemsize}")
        patterns[2, 30, 3] += 3
        answer = ff.compare(wrong, "alibi")
        self.assertFalse(answer.is_equal)
        self.assertEqual((answer.declared.beyond, answer.declared.index, answer.declared.worst), (1, (2, 30, 3), 3))

    def test_floats_of_numpy(self):
        for format in (np.float32, np.float16):
            with self.subTest(format.__name__):
                self.check(self.bias().astype(format))
        self.assertTrue(ff.compare(self.bias(), "alibi").is_equal)

    @unittest.skipIf(ml_dtypes is None, "ml_dtypes is not installed")
    def test_bfloat16(self):
        self.check(self.bias().astype(ml_dtypes.bfloat16))

    def test_other_orders_of_memory(self):
        bias = self.bias().astype(np.float32)
        for array in (bias.astype(">f4"), np.asfortranarray(bias), np.repeat(bias, 2, axis=2)[:, :, ::2]):
            self.assertEqual(ff.compare(array, "alibi").declared.worst, 0)

    def test_masks_of_booleans(self):
        mask = (self.N >= 0) & (self.N < 7)
        self.assertTrue(ff.compare(mask, ff.scheme("windowed").with_(w=7)).is_equal)
        self.assertFalse(ff.compare(mask, ff.scheme("windowed").with_(w=8)).is_equal)

    def test_complex_turns(self):
        angle = np.arange(50.0)[:, None] * 10000.0 ** (-2 * np.arange(16.0) / 32)
        answer = ff.compare(np.exp(1j * angle).astype(np.complex64), "rotary")
        self.assertEqual((answer.is_equal, answer.part), (True, "turn"))

    def test_rotated_queries_with_those_before(self):
        d = 16
        before = np.random.default_rng(6).standard_normal((30, d))
        angle = np.arange(30.0)[:, None] * 10000.0 ** (-2 * np.arange(d / 2) / d)
        after = np.empty_like(before)
        x, y = before[:, 0::2], before[:, 1::2]
        after[:, 0::2], after[:, 1::2] = x * np.cos(angle) - y * np.sin(angle), x * np.sin(angle) + y * np.cos(angle)
        self.assertTrue(ff.compare(after, "rotary", part="q", input=before).is_equal)
        self.assertFalse(ff.compare(before, "rotary", part="q", input=before).is_equal)

    def test_positions_that_are_not_in_a_row(self):
        positions = [0, 255, 4096]
        table = np.cos(np.array(positions)[:, None] * 10000.0 ** (-2 * np.arange(16.0) / 32)).astype(np.float32)
        self.assertTrue(ff.compare(table, "rotary", part="cos", at={"positions": positions}).is_equal)
        self.assertFalse(ff.compare(table, "rotary", part="cos").is_equal)

    def test_learned_values(self):
        bias = -np.array([2.0, 3.0])[:, None, None] * np.log(1 + 0.5 * np.maximum(self.N, 0))
        learned = {"r1": [2, 3], "r2": [0.5, 0.5]}
        self.assertTrue(ff.compare(bias, "kerple-log", learned=learned).is_equal)
        self.assertFalse(ff.compare(bias, ff.scheme("kerple-log").with_(r2=0.5)).is_equal)
        self.assertTrue(ff.compare(bias[:1], ff.scheme("kerple-log").with_(r1=2, r2=0.5)).is_equal)
        weights = np.sin(np.arange(32.0))
        self.assertTrue(ff.compare(weights[:16], ff.scheme("t5").with_(weight=weights), axes="distances").is_equal)

    def test_variations_are_named(self):
        answer = ff.compare(-self.bias().astype(np.float32), "alibi")
        self.assertFalse(answer.is_equal)
        self.assertEqual([each.name for each in answer.variations], ["reversed-sign"])
        self.assertIn("reversed-sign", [each.name for each in ff.variations()])

    def test_a_type_that_is_no_number_is_refused(self):
        with self.assertRaisesRegex(ff.InputError, "array holds object"):
            ff.compare(np.array([[None, None], [None, None]]), "alibi")


    def test_a_tolerance_is_a_number_of_units(self):
        bias = np.zeros((4, 4), np.float32)
        for ulp in (-1, float("nan"), float("inf"), 2.0**21):
            for refused in (lambda: ff.compare(bias, "alibi", ulp=ulp), lambda: ff.laws(bias, ulp=ulp)):
                with self.assertRaisesRegex(ff.InputError, "the tolerance is .*; expected a number from 0 to 1048576"):
                    refused()


class Laws(unittest.TestCase):
    def test_laws_are_those_of_the_command(self):
        path = TENSORS / "alibi-masked.npy"
        wanted = json.loads(
            subprocess.run([PROGRAM, "compare", path, "--laws", "--json"], stdout=subprocess.PIPE).stdout
        )
        found = [
            {"law": each.name, "meaning": each.meaning, "holds": each.holds, "counterexample": each.counterexample}
            for each in ff.laws(np.load(path))
        ]
        self.assertEqual(found, wanted)

    def test_laws_of_rotations_are_too(self):
        path = TENSORS / "cos.npy"
        command = [PROGRAM, "compare", path, "--laws", "--json", "--part", "cos"]
        wanted = json.loads(subprocess.run(command, stdout=subprocess.PIPE).stdout)
        found = ff.laws(np.load(path), part="cos")
        self.assertEqual([(each.name, each.holds) for each in found], [(each["law"], each["holds"]) for each in wanted])
        angle = np.arange(50.0)[:, None] * 10000.0 ** (-2 * np.arange(16.0) / 32)
        self.assertEqual([each.name for each in ff.laws(np.exp(1j * angle))], [each.name for each in found])


if __name__ == "__main__":
    unittest.main()
