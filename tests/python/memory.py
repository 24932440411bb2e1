"""Arrays are not copied, which is checked by their addresses and by the memory that a call takes.

The addresses come from numpy, the memory of the process from the kernel.
"""
import gc
import pathlib
import resource
import sys
import unittest

import numpy as np

import farfield as ff
from farfield import _core

MEBIBYTE = 1 << 20


def address(array):
    return array.__array_interface__["data"][0]


def resident():
    """The memory in use in bytes, from /proc."""
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def forget_peak():
    """Resets VmHWM, which is then the peak since this call."""
    pathlib.Path("/proc/self/clear_refs").write_text("5")


def peak():
    """The peak of the memory in use."""
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise OSError("/proc/self/status has no VmHWM")


class Growth:
    """The increase of the peak of memory within the context."""

    def __enter__(self):
        gc.collect()
        forget_peak()
        self.before = resident()
        return self

    def __exit__(self, *_):
        self.bytes = peak() - self.before


class Results(unittest.TestCase):
    def test_a_series_is_the_results_own_memory(self):
        curve = ff.quantity("curve", scheme="alibi", head=8, heads=8, distances={"from": 0, "to": 1000})
        first, second = curve.series["value"], curve.series["value"]
        self.assertEqual(address(first), address(second))
        self.assertFalse(first.flags.owndata)
        self.assertFalse(first.flags.writeable)

    def test_a_series_outlives_its_result(self):
        column = ff.quantity("curve", formula="n^2", distances={"from": 0, "to": 9999}).series["value"]
        gc.collect()
        np.testing.assert_array_equal(column, np.arange(10000.0) ** 2)

    def test_a_result_goes_with_the_last_that_looks_at_it(self):
        curve = ff.quantity("curve", formula="n^2", distances={"from": 0, "to": 9})
        count = sys.getrefcount(curve._result)
        column = curve.series["value"]
        self.assertEqual(sys.getrefcount(curve._result), count + 1)
        del column
        self.assertEqual(sys.getrefcount(curve._result), count)

    def test_rotations_own_the_vectors_they_came_in(self):
        angle = ff.scheme("rotary").rotation(100, head_dim=64).angle
        self.assertEqual(type(angle.base).__name__, "PyCapsule")

    def test_a_result_is_read_where_it_is(self):
        curve = ff.quantity("curve", formula="n", distances={"from": 0, "to": 4_000_000}, enclosures="never")
        with Growth() as growth:
            self.assertEqual(ff.quantity("extremum", of=curve)["max"], 4_000_000)
        self.assertLess(growth.bytes, 16 * MEBIBYTE)  # a copy would take 61


class Inputs(unittest.TestCase):
    COUNT = 8_000_000  # 61 MiB of doubles

    def test_doubles_are_evaluated_where_they_lie(self):
        n, out = np.ones(self.COUNT), np.ones(self.COUNT)
        ff.evaluate("2*n", n=n[:100], out=out[:100])
        with Growth() as growth:
            ff.evaluate("2*n + 1", n=n, out=out)
        self.assertLess(growth.bytes, 16 * MEBIBYTE)
        np.testing.assert_array_equal(out[::1000], 3)

    def test_a_range_is_never_written_out(self):
        out = np.ones(self.COUNT)
        with Growth() as growth:
            ff.evaluate("2*n", n=range(self.COUNT), out=out)
        self.assertLess(growth.bytes, 16 * MEBIBYTE)

    def test_results_take_their_own_memory_alone(self):
        n = np.ones(self.COUNT)
        with Growth() as growth:
            result = ff.evaluate("2*n", n=n)
        self.assertLess(growth.bytes, result.nbytes + 16 * MEBIBYTE)

    def test_a_tensor_is_compared_where_it_lies(self):
        n = np.arange(1500, dtype=np.float32)
        bias = np.multiply.outer(-(2.0 ** -np.arange(1, 9, dtype=np.float32)), n[:, None] - n)  # 69 MiB
        self.assertEqual(bias.dtype, np.float32)
        ff.compare(bias[:, :10, :10], "alibi")
        with Growth() as growth:
            answer = ff.compare(bias, "alibi")
        self.assertTrue(answer.is_equal)
        self.assertEqual(answer.declared.compared, 8 * 1500 * 1501 // 2)
        self.assertLess(growth.bytes, 24 * MEBIBYTE)

    def test_a_tensor_keeps_the_array_while_it_lives(self):
        array = np.zeros((2, 2))
        count = sys.getrefcount(array)
        tensor = _core.tensor_of_array(array, "float64", False, False, "array")
        self.assertEqual(sys.getrefcount(array), count + 1)
        del tensor
        self.assertEqual(sys.getrefcount(array), count)

    def test_a_bias_is_written_into_the_callers_memory(self):
        out = np.zeros((4, 6, 6))
        self.assertIs(ff.scheme("alibi").bias_matrix(6, heads=4, out=out), out)
        self.assertEqual(out[3, 5, 0], -5 / 256)


if __name__ == "__main__":
    unittest.main()
