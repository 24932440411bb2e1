"""farfield.testing.assert_scheme: inputs, findings and messages. The tables are numpy's, from the papers' formulas."""
import unittest

import numpy as np

import farfield as ff
from farfield.testing import assert_scheme

LENGTH, DIM = 600, 32


def tables(length=LENGTH, base=10000.0, first=0):
    """Su et al. 2021, Eq. (15), in doubles."""
    angle = np.arange(first, first + length)[:, None] * base ** (-2 * np.arange(DIM // 2) / DIM)
    return np.cos(angle), np.sin(angle)


def alibi(heads, queries, keys):
    """Press et al. 2022, section 3, for a power of two of heads."""
    distance = np.arange(keys - queries, keys)[:, None] - np.arange(keys)
    return -(2.0 ** (-8 * np.arange(1, heads + 1) / heads))[:, None, None] * np.maximum(distance, 0)


class Module:
    """Like the rotary modules of transformers: called with positions, it returns the cosine and sine of each pair
    twice."""

    def __init__(self, base=10000.0):
        self.base = base

    def __call__(self, positions):
        angle = np.asarray(positions)[:, None] * self.base ** (-2 * np.arange(DIM // 2) / DIM)
        both = np.concatenate((angle, angle), -1)
        return np.cos(both).astype(np.float32)[None], np.sin(both).astype(np.float32)[None]


class Biased:
    def __init__(self, error=0.0):
        self.error = error

    def bias(self, queries, keys):
        return alibi(8, queries, keys) + self.error


class Passing(unittest.TestCase):
    def test_tables_in_each_type(self):
        for dtype in (np.float64, np.float32, np.float16):
            with self.subTest(dtype):
                pair = tuple(each.astype(dtype) for each in tables())
                assert_scheme(pair, "rotary", {"head_dim": DIM}, positions=LENGTH, dtype=dtype)

    def test_tables_with_each_number_twice(self):
        for again in (lambda x: np.concatenate((x, x), -1), lambda x: np.repeat(x, 2, -1)):
            cos, sin = (again(each)[None, None] for each in tables())
            assert_scheme({"cos": cos, "sin": sin}, "rotary", {"base": 10000}, positions=LENGTH)

    def test_a_table_whose_pairs_are_alike_has_each_number_once(self):
        # A base of 1 turns each pair by one radian a position.
        angle = np.arange(LENGTH)[:, None] * np.ones(DIM // 2)
        config = {"head_dim": DIM, "base": 1}
        assert_scheme((np.cos(angle), np.sin(angle)), "rotary", config, positions=LENGTH)

    def test_positions_are_whole_numbers(self):
        cos, sin = tables(64)
        for positions in ("64", b"AB", [1.5, 2.9], {7: 1}, [True, False], np.array([3.99])):
            with self.assertRaisesRegex(ff.InputError, "positions is"):
                assert_scheme((cos, sin), "rotary", positions=positions)

    def test_a_list_of_positions(self):
        at = [0, 5, 255, 4096]
        cos, sin = (each[at] for each in tables(5000))
        assert_scheme((cos, sin), "rotary", positions=at)

    def test_modules(self):
        assert_scheme(Module(), "rotary", positions=LENGTH, dtype="float32")
        assert_scheme(Module(500000.0), "rotary", {"base": 500000}, positions=[1, 7, 400])
        assert_scheme(Biased(), "alibi", {"heads": 8}, positions=300)

    def test_a_single_part(self):
        assert_scheme(alibi(8, 40, 40), "alibi", part="bias")
        assert_scheme(np.tri(20, dtype=bool), "alibi", part="mask")


class Failing(unittest.TestCase):
    def message(self, *arguments, **named):
        with self.assertRaises(AssertionError) as caught:
            assert_scheme(*arguments, **named)
        return str(caught.exception)

    def test_another_base(self):
        text = self.message(tables(base=20000.0), "rotary", positions=LENGTH)
        self.assertTrue(text.startswith("not rotary:\ncos:\n"), text)
        self.assertIn("different", text)

    def test_one_wrong_number_far_out(self):
        cos, sin = tables()
        sin[LENGTH - 1, 3] += 0.01
        self.assertIn("[599, 3]", self.message((cos, sin), "rotary", positions=LENGTH))

    def test_a_module_that_is_wrong_in_its_last_distances(self):
        self.message(Biased(0.001), "alibi", {"heads": 8}, positions=300)

    def test_another_type_than_the_served_one(self):
        pair = tuple(each.astype(np.float32) for each in tables())
        self.assertIn("cos is float32, and bfloat16 is served", self.message(pair, "rotary", dtype="bfloat16"))

    def test_too_few_rows(self):
        self.assertIn("cos has 600 rows for 700 positions", self.message(tables(), "rotary", positions=700))

    def test_what_is_meant_is_accepted(self):
        from_zero = alibi(8, 40, 40) * 2.0
        text = self.message(from_zero, "alibi", part="bias")
        self.assertIn("If that is meant, write accept=['head-from-0'].", text)
        assert_scheme(from_zero, "alibi", part="bias", accept=["head-from-0"])


class Refused(unittest.TestCase):
    def check(self, words, *arguments, **named):
        with self.assertRaises(ff.InputError) as caught:
            assert_scheme(*arguments, **named)
        self.assertIn(words, str(caught.exception))

    def test_arguments(self):
        pair = tables()
        self.check("config has 'bse' (did you mean 'base'?)", pair, "rotary", {"bse": 3})
        self.check("accept has 'head-frm-0' (did you mean 'head-from-0'?)", pair, "rotary", accept=["head-frm-0"])
        self.check("positions is missing", Module(), "rotary")
        self.check("positions is -3", pair, "rotary", positions=-3)
        self.check("positions is True", pair, "rotary", positions=True)
        self.check("unknown scheme 'rotry'", pair, "rotry")
        self.check("4 tensors", (*pair, *pair), "rotary")
        self.check("there are no tensors", {}, "rotary")
        self.check("the tensor is None", None, "alibi")
        self.check("bias is 'x'", {"bias": "x"}, "alibi")


if __name__ == "__main__":
    unittest.main()
