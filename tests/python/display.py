"""Printed and notebook output; fits of points; tensors by DLPack; threads; pandas."""
import importlib.util
import unittest
import xml.etree.ElementTree as ElementTree

import numpy as np

import farfield as ff
from farfield import _core
from farfield._threads import with_threads


class Foreign:
    """Another library's tensor: numpy's DLPack capsule which, like in PyTorch, is not given for tensors with gradients."""

    def __init__(self, array, has_gradient=False):
        self.array, self.has_gradient = array, has_gradient

    def detach(self):
        return Foreign(self.array)

    def __dlpack__(self):
        if self.has_gradient:
            raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
        return self.array.__dlpack__()


class Tensors(unittest.TestCase):
    def test_every_type_that_numpy_exports(self):
        random = np.random.default_rng(1)
        for kind in ("float64", "float32", "float16", "int64", "int32", "int16", "int8", "uint8"):
            with self.subTest(kind):
                array = (random.standard_normal((3, 4)) * 50).astype(kind)
                tensor = _core.tensor_of_dlpack(Foreign(array), "x")
                self.assertEqual((tensor.type, tensor.shape), (kind, (3, 4)))
                self.assertTrue(np.array_equal(tensor.numbers, array))

    def test_other_orders_of_memory(self):
        array = np.arange(60.0).reshape(3, 4, 5)
        for view in (array.T, array[:, ::2], array[1:, :, 3], array[:, :1], array[::-1]):
            self.assertTrue(np.array_equal(_core.tensor_of_dlpack(Foreign(view), "x").numbers, view))

    def test_with_gradients_in_every_call(self):
        n = np.arange(8.0)
        given = Foreign(n, has_gradient=True)
        self.assertTrue(np.array_equal(ff.evaluate("2*n", n=given), 2 * n))
        self.assertTrue(np.array_equal(ff.scheme("alibi").bias(given, head=1, heads=8), -0.5 * n))
        bias = -(2.0 ** -np.arange(1.0, 9))[:, None, None] * np.maximum(n[:, None] - n, 0)
        self.assertTrue(ff.compare(Foreign(bias.astype(np.float32), True), "alibi").is_equal)

    def test_what_cannot_be_read_is_said_in_our_words(self):
        with self.assertRaisesRegex(ff.InputError, "array holds numbers of DLPack's type code 1 with 32 bits"):
            ff.compare(Foreign(np.zeros(3, np.uint32)), "alibi")
        with self.assertRaisesRegex(ff.InputError, "n is of type str: write a number"):
            ff.evaluate("n", n="three")
        for value in ("1", [None], np.array(["1", "2"]), 1j):
            with self.assertRaisesRegex(ff.InputError, "write a number or an array of numbers"):
                ff.evaluate("n", n=value)
        with self.assertRaisesRegex(TypeError, r"run_dict\(\): document is \[\], of type list: write a dict"):
            ff.run_dict([])
        with self.assertRaisesRegex(ff.InputError, "the key 1 of a table is not a text"):
            ff.run_dict({"quantity": {1: {}}}, cache="")
        with self.assertRaisesRegex(ff.InputError, "nothing is named 'b'"):
            ff.run_dict({"quantity": {"a": {"kind": "value", "formula": "1"}}}, cache="", only="b")


class Fits(unittest.TestCase):
    def test_a_line_and_a_power(self):
        x = np.arange(1.0, 30)
        line = ff.fit(x, 3 * x - 2, "a*x + b")
        self.assertAlmostEqual(line["a"], 3, 12)
        self.assertAlmostEqual(line["b"], -2, 12)
        power = ff.fit(x, 2 * x**0.7, "a*t^b", variable="t", start={"a": 1, "b": 1})
        self.assertAlmostEqual(power["a"], 2, 8)
        self.assertAlmostEqual(power["b"], 0.7, 8)

    def test_beside_numpy(self):
        random = np.random.default_rng(2)
        x, y = random.standard_normal((2, 40))
        found = ff.fit(x, y, "a*x^2 + b*x + c")
        for name, wanted in zip("abc", np.polyfit(x, y, 2)):
            self.assertAlmostEqual(found[name], wanted, 11)

    def test_what_is_wrong(self):
        for words, arguments in (
            ("x has 3 numbers and y 2", ([1, 2, 3], [1, 2], "a*x")),
            (r"y\[1\] is not finite", ([1, 2], [1, np.nan], "a*x")),
            ("model has no 'x'", ([1, 2], [1, 2], "a*n")),
        ):
            with self.assertRaisesRegex(ff.InputError, words):
                ff.fit(*arguments)


class Shown(unittest.TestCase):
    def shown(self):
        n = np.arange(16.0)
        bias = -(2.0 ** -np.arange(0.0, 8))[:, None, None] * np.maximum(n[:, None] - n, 0)
        yield ff.compare(bias, "alibi"), ["different", "head-from-0", "heads are counted from 0"]
        yield ff.laws(bias), ["causal", "holds"]
        yield ff.laws(bias)[0], [ff.laws(bias)[0].name]
        yield ff.safe_length("rotary", "fp16"), ["rotary in fp16: 53 tokens, then logit error", "limit"]
        row = ff.quantity("curve", scheme="alibi", head=8, heads=8, distances={"from": 0, "to": 100})
        yield row, ["curve"]
        yield ff.quantity("fit", of=row, model="a*n + b"), ["fit", "r2", "-0.00390625"]
        study = ff.run_dict({
            "quantity": {"row": {"kind": "curve", "scheme": "alibi", "head": 8, "heads": 8,
                                 "distances": {"from": 0, "to": 100}}},
            "claim": [{"id": "falls", "says": "It falls by <1/256> a token.",
                       "reading": [{"name": "at 100", "holds": "row.last == -100/256"}]}],
        }, cache="")
        yield study, ["falls", "confirmed"]
        yield study.claims, ["falls", "confirmed", "yes"]
        yield study.claims[0], ["falls: confirmed", "at 100"]
        yield ff.Table(["one"], ["a", "b"], [[1.5, None]]), ["one", "1.5", "-"]

    def test_print_and_notebooks(self):
        for each, words in self.shown():
            with self.subTest(type(each).__name__):
                markup = each._repr_html_()
                tree = ElementTree.fromstring(f"<div>{markup}</div>")  # well-formed, with all text escaped
                text = " ".join("".join(tree.itertext()).split())
                for word in words:
                    self.assertIn(word, str(each))
                    if ":" not in word:
                        self.assertIn(word, text)

    def test_a_curve_has_a_picture(self):
        row = ff.quantity("curve", scheme="alibi", head=8, heads=8, distances={"from": 0, "to": 5000})
        tree = ElementTree.fromstring(f"<div>{row._repr_html_()}</div>")
        points = tree.find(".//{http://www.w3.org/2000/svg}polyline").get("points").split()
        self.assertEqual(len(points), 400)
        down = [float(point.split(",")[1]) for point in points]
        self.assertEqual(down, sorted(down))  # the bias falls, and SVG counts downwards


class Others(unittest.TestCase):
    def test_threads(self):
        before = _core.processors()
        n = np.arange(10000.0)
        wanted = ff.evaluate("sin(n)", n=n)
        self.assertTrue(np.array_equal(ff.evaluate("sin(n)", n=n, threads=1), wanted))
        self.assertEqual(ff.safe_length("rotary", "fp16", threads=1).length, 53)
        self.assertEqual(_core.processors(), before)
        for wrong in (0, 5000, 1.5, True):
            with self.assertRaisesRegex(ff.InputError, "a whole number from 1 to 4096"):
                ff.laws(np.tri(4), threads=wrong)

    def test_after_calls_at_once_the_number_of_threads_is_the_usual_one(self):
        before = _core.processors()
        first, second = with_threads(before + 1), with_threads(before + 2)
        first.__enter__()
        second.__enter__()
        self.assertEqual(_core.processors(), before + 2)
        first.__exit__(None, None, None)
        second.__exit__(None, None, None)
        self.assertEqual(_core.processors(), before)

    def test_wrong_types_are_named(self):
        with self.assertRaisesRegex(TypeError, r"safe_length\(\): format is 3, of type int: write a text"):
            ff.safe_length("rotary", 3)
        with self.assertRaisesRegex(TypeError, "scheme is 3, of type int"):
            ff.compare(np.zeros(3), 3)

    def test_pandas(self):
        row = ff.quantity("curve", scheme="alibi", head=8, heads=8, distances={"from": 0, "to": 10})
        if importlib.util.find_spec("pandas") is None:
            with self.assertRaisesRegex(ff.WorldError, "pip install pandas"):
                row.to_pandas()
            return
        frame = row.to_pandas()
        self.assertEqual(len(frame), 11)
        self.assertTrue(np.array_equal(frame["value"], row.series["value"]))
        self.assertEqual(ff.Table(["one"], ["a"], [[1.5]]).to_pandas().loc["one", "a"], 1.5)


if __name__ == "__main__":
    unittest.main()
