"""Formulas over arrays give numpy's results, for every kind of argument."""
import unittest
from decimal import Decimal
from fractions import Fraction

import numpy as np

import farfield as ff

SLOPES = "-2^(-8*h/H) * n"


class Values(unittest.TestCase):
    def test_numbers_alone_give_a_number(self):
        value = ff.evaluate(SLOPES, h=8, H=8, n=3)
        self.assertIsInstance(value, float)
        self.assertEqual(value, -3 / 256)

    def test_an_array_gives_an_array_of_its_shape(self):
        n = np.arange(24.0).reshape(2, 3, 4)
        np.testing.assert_array_equal(ff.evaluate(SLOPES, h=1, H=8, n=n), -n / 2)

    def test_integers_floats_and_strides_are_taken(self):
        for n in (np.arange(10), np.arange(10, dtype=np.float32), np.arange(20.0)[::2] / 2, list(range(10))):
            np.testing.assert_array_equal(ff.evaluate("2*n + 1", n=n), 2 * np.arange(10.0) + 1)

    def test_a_range_is_the_array_of_it(self):
        over_range = ff.evaluate("sqrt(n)", n=range(3, 300, 7))
        np.testing.assert_allclose(over_range, np.sqrt(np.arange(3, 300, 7)), rtol=1e-15)

    def test_arrays_of_other_shapes_are_broadcast(self):
        q, k = np.arange(5.0)[:, None], np.arange(7.0)[None, :]
        np.testing.assert_array_equal(ff.evaluate("q - 2*k", q=q, k=k), q - 2 * k)
        np.testing.assert_array_equal(ff.evaluate("q - 2*k", q=q, k=range(7)), q - 2 * k)

    def test_a_condition_gives_booleans(self):
        found = ff.evaluate("n < w and n >= 0", n=np.arange(-2.0, 6.0), w=3)
        self.assertEqual(found.dtype, np.bool_)
        self.assertEqual(found.tolist(), [False, False, True, True, True, False, False, False])
        self.assertIs(ff.evaluate("1 < 2"), True)

    def test_sums_and_tables(self):
        weights = np.array([1.0, 10.0, 100.0])
        self.assertEqual(ff.evaluate("sum(i, 0, 2, w[i] * x)", w=weights, x=2), 222)
        self.assertEqual(ff.evaluate("w[n]", w=weights, n=np.arange(3)).tolist(), weights.tolist())

    def test_values_agree_with_numpy_over_many_points(self):
        n = np.linspace(0.001, 50, 300_001)
        wanted = np.exp(-n) * np.cos(3 * n) + np.log1p(n)
        np.testing.assert_allclose(ff.evaluate("exp(-n)*cos(3*n) + log1p(n)", n=n), wanted, rtol=1e-13, atol=1e-14)

    def test_parts_of_a_large_array_are_all_written(self):
        n = np.arange(3_000_001.0)  # three parts, the last one of a different length
        np.testing.assert_array_equal(ff.evaluate("2*n + 1", n=n), 2 * n + 1)

    def test_number_systems(self):
        # 2049 is between two numbers of fp16, whose spacing is 2 there. The tie is rounded to even.
        self.assertEqual(ff.evaluate("x + 0", x=2049, system="fp16"), 2048)
        self.assertEqual(ff.evaluate("1/3", system="float"), float(np.float32(1) / np.float32(3)))
        self.assertIn("bf16", ff.number_systems())

    def test_out_is_written_to(self):
        out = np.zeros(4)
        self.assertIs(ff.evaluate("n^2", n=np.arange(4.0), out=out), out)
        self.assertEqual(out.tolist(), [0, 1, 4, 9])

    def test_out_may_overlap_what_is_read(self):
        a = np.arange(4_000_000.0)
        out = ff.evaluate("n + 10", n=a[:-1], out=a[1:])
        self.assertTrue(np.shares_memory(out, a))
        np.testing.assert_array_equal(a[1:], np.arange(3_999_999.0) + 10)

    def test_out_of_another_kind_is_refused(self):
        for out in (np.zeros(5), np.zeros(4, dtype=np.float32), np.zeros(8)[::2], [0, 0, 0, 0]):
            with self.assertRaises((ValueError, TypeError)):
                ff.evaluate("n^2", n=np.arange(4.0), out=out)

    def test_out_of_a_condition_receives_1_and_0(self):
        out = np.full(3, 7.0)
        self.assertIs(ff.evaluate("n < 1", n=np.arange(3.0), out=out), out)
        self.assertEqual(out.tolist(), [1, 0, 0])

    def test_a_number_that_float64_cannot_hold_is_refused(self):
        large = 2**53 + 1
        for n in (large, -large, 10**400, [1, large], np.array([large]), np.array([2**64 - 1], dtype=np.uint64)):
            with self.assertRaisesRegex(ff.InputError, "^n (is|has) .*float64 cannot hold"):
                ff.evaluate("n", n=n)
        for n in (2**53, -(2**53), 2**60, np.array([2**60, -(2**53)]), np.array([2**63], dtype=np.uint64)):
            np.testing.assert_array_equal(ff.evaluate("n", n=n), np.float64(n))

    def test_what_is_no_number_is_refused(self):
        masked = np.ma.array([1.0, 2.0], mask=[False, True])
        days = np.array(["2020-01-01"], dtype="datetime64[D]")
        for n in (masked, days, days - days, np.array(["1"]), np.zeros(1, dtype=complex)):
            with self.assertRaisesRegex(ff.InputError, "^n "):
                ff.evaluate("n", n=n)
        np.testing.assert_array_equal(ff.evaluate("n", n=np.ma.array([1.0, 2.0])), [1, 2])

    def test_an_empty_array_gives_an_empty_array(self):
        self.assertEqual(ff.evaluate("n^2", n=np.zeros(0)).shape, (0,))


class Formulas(unittest.TestCase):
    def test_names_and_text(self):
        formula = ff.Formula(SLOPES)
        self.assertEqual(formula.names, ["h", "H", "n"])
        self.assertEqual(ff.Formula(str(formula)).names, formula.names)
        self.assertFalse(formula.is_condition)
        self.assertIn("\\frac{-8", formula.latex())

    def test_a_derivative_is_a_formula(self):
        slope = ff.Formula("x^3 + log(x)").derivative("x")
        for x in (0.5, 1.0, 4.0):
            self.assertAlmostEqual(slope(x=x), 3 * x * x + 1 / x, places=12)

    def test_a_table_that_a_derivative_no_longer_reads_is_still_a_table(self):
        table = np.arange(5.0)
        for formula in (ff.Formula("3*x + t[0]").derivative("x"), ff.Formula("3 + 0*t[x]").simplify()):
            self.assertEqual(formula(x=2, t=table), 3)
            np.testing.assert_array_equal(formula(x=np.zeros(2), t=table), [3, 3])

    def test_laws_are_proved(self):
        self.assertTrue(ff.proves_equal("(q - k) + k", "q"))
        self.assertFalse(ff.proves_equal("q - k", "k - q"))
        self.assertEqual(str(ff.Formula("x + 0*y").simplify()), "x")

    def test_enclosures_hold_the_true_value(self):
        low, high = ff.Formula("1/3 + 1/5").enclose()
        self.assertTrue(Fraction(low) <= Fraction(8, 15) <= Fraction(high))
        self.assertLess(high - low, 1e-15)
        x = np.array([1.0, 2.0, 3.0])
        for rigorous in (True, False):
            low, high = ff.Formula("sqrt(x)").enclose(x=x, rigorous=rigorous)
            # The squares of the ends bracket x. They are computed exactly, since they have at most 106 bits.
            for lo, hi, number in zip(low, high, x):
                self.assertLessEqual(Fraction(lo) ** 2, Fraction(number))
                self.assertGreaterEqual(Fraction(hi) ** 2, Fraction(number))

    def test_an_enclosure_takes_no_number_for_the_float_next_to_it(self):
        for x in (Fraction(1, 3), Decimal("0.1"), 2**53 + 1, np.array([Fraction(1, 3)])):
            with self.assertRaisesRegex(ff.InputError, "float64 cannot hold"):
                ff.Formula("x").enclose(x=x)
        self.assertEqual(ff.Formula("x").enclose(x=Fraction(1, 4)), (0.25, 0.25))
        self.assertEqual(ff.Formula("x").enclose(x=Decimal("0.5")), (0.5, 0.5))


if __name__ == "__main__":
    unittest.main()
