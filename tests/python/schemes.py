"""Schemes of the catalogue and of files, and their curves, compared with the papers' formulas in numpy."""
import pathlib
import tempfile
import unittest

import numpy as np

import farfield as ff

OWN = """
[scheme.log-window]
doc    = "Logarithmic penalty within a window."
source = "a test"
params = { w = 256, strength = 0.5 }
bias   = "-strength * log1p(n) / h"
mask   = "n < w"

[scheme.log-window-short]
extends = "log-window"
params  = { w = 3 }
"""


def slopes(heads):
    """Press et al. 2022: 2^(-8h/H)."""
    return 2.0 ** (-8 * np.arange(1, heads + 1) / heads)


class Catalogue(unittest.TestCase):
    def test_the_names_are_those_of_the_catalogue(self):
        names = ff.schemes()
        self.assertEqual(names, sorted(names))
        self.assertTrue({"alibi", "kerple-log", "rotary", "sandwich", "xpos", "t5"} <= set(names))

    def test_a_scheme_tells_what_it_is(self):
        alibi = ff.scheme("alibi")
        self.assertEqual(alibi.name, "alibi")
        self.assertIn("Press et al. 2022", alibi.source)
        self.assertEqual(alibi.params, {"delta": 0, "slopes": 0})
        self.assertIn("bias", alibi.formulas)
        self.assertEqual(ff.scheme("kerple-log").learned, {"r1": 1.0, "r2": 1.0})

    def test_values_take_the_place_of_its_own(self):
        xpos = ff.scheme("xpos").with_(B=2048).with_(gamma=0.5)
        self.assertEqual((xpos.params["B"], xpos.params["gamma"]), (2048, 0.5))
        self.assertEqual(ff.scheme("xpos").params["B"], 512)
        kerple = ff.scheme("kerple-log").with_(r1=2.0)
        self.assertEqual(kerple.learned, {"r1": 2.0, "r2": 1.0})
        np.testing.assert_allclose(kerple.bias(100, head=1), -2 * np.log(1 + np.arange(100.0)), rtol=1e-14)

    def test_a_learned_name_that_is_positive_stays_so(self):
        with self.assertRaisesRegex(ff.InputError, "'r1' is -1; expected a number above zero"):
            ff.scheme("kerple-log").with_(r1=-1)

    def test_source_for_another_framework_computes_the_same(self):
        for scheme, settings in (("alibi", {"heads": 8}), ("kerple-log", {"heads": 2})):
            chosen = ff.scheme(scheme) if scheme == "alibi" else ff.scheme(scheme).with_(r1=2.0, r2=0.5)
            names = {}
            exec(chosen.export("numpy"), names)
            wanted = chosen.bias_matrix(7, **settings)
            np.testing.assert_allclose(np.tril(names["bias"](settings["heads"], 7, 7)), np.tril(wanted), rtol=1e-14)
        with self.assertRaisesRegex(ff.InputError, "unknown target 'numy'.*\n.*Did you mean 'numpy'"):
            ff.scheme("alibi").export("numy")

    def test_a_learned_table_is_a_list(self):
        weights = np.sin(np.arange(32.0))
        t5 = ff.scheme("t5").with_(weight=weights)
        # Raffel et al. 2020: distances below half of the buckets have a bucket each.
        np.testing.assert_array_equal(t5.bias(16, head=1), weights[:16])

    def test_a_value_of_no_param_is_refused(self):
        with self.assertRaisesRegex(ff.InputError, "unknown parameter 'Bs' of scheme 'xpos'"):
            ff.scheme("xpos").with_(Bs=2048)

    def test_a_value_that_no_model_has_is_refused(self):
        alibi, rotary = ff.scheme("alibi"), ff.scheme("rotary")
        for head in (9, 0, -3, 1.5):
            with self.assertRaisesRegex(ff.InputError, "'head' is"):
                alibi.bias(4, head=head, heads=8)
        with self.assertRaisesRegex(ff.InputError, "'layer' is 13; expected 1 to 12"):
            alibi.bias(4, head=1, heads=8, layer=13, layers=12)
        for width in (0, 7):
            with self.assertRaisesRegex(ff.InputError, f"'head_dim' is {width}"):
                rotary.rotation(3, head_dim=width)
        for distances in ([0.5, 1.5], [float("nan")]):
            with self.assertRaisesRegex(ff.InputError, "whole numbers"):
                alibi.bias(distances, head=1, heads=8)
        with self.assertRaisesRegex(ff.InputError, "'length' is -1"):
            alibi.mask(-1)
        with self.assertRaisesRegex(ff.InputError, "a length and heads from 1 on"):
            alibi.bias_matrix(-1, heads=8)
        with self.assertRaisesRegex(ff.InputError, "positions is -3: write a count from 0 on"):
            rotary.rotation(-3, head_dim=8)
        with self.assertRaisesRegex(TypeError, "head is '1', of type str: write a number"):
            alibi.bias(4, head="1", heads=8)
        with self.assertRaisesRegex(ff.InputError, "'heads' is 0"):
            ff.safe_length("alibi", "fp16", heads=0)
        with self.assertRaisesRegex(ff.InputError, "'longest' is -5"):
            ff.safe_length("alibi", "fp16", longest=-5)
        with self.assertRaisesRegex(ff.InputError, "'bound' is inf"):
            ff.safe_length("alibi", "fp16", bound=float("inf"))
        with self.assertRaisesRegex(TypeError, "exact_positions is 'no', of type str: write True or False"):
            ff.safe_length("alibi", "fp16", exact_positions="no")
        with self.assertRaisesRegex(ff.InputError, "(?s)unknown recipe 'hff'.*Did you mean 'hf'"):
            ff.safe_length("rotary", "fp16", recipe="hff")
        with self.assertRaisesRegex(ff.InputError, "recipe 'hf' is unused: 'nope' computes nothing"):
            ff.safe_length("nope", "fp16", recipe="hf")

    def test_an_unknown_argument_is_refused(self):
        with self.assertRaisesRegex(ff.InputError, "unknown argument 'haeds'.*\n.*Did you mean 'heads'"):
            ff.scheme("alibi").bias(4, head=1, heads=8, haeds=8)
        with self.assertRaisesRegex(TypeError, "head is True, of type bool: write a number"):
            ff.scheme("alibi").bias(4, head=True, heads=8)
        with self.assertRaisesRegex(ff.InputError, "'w' is unused"):
            ff.quantity("curve", formula="-n", let={"w": 3}, distances={"to": 9})


class Files(unittest.TestCase):
    def test_a_text_declares_schemes(self):
        found = ff.loads(OWN)
        self.assertEqual(list(found), ["log-window", "log-window-short"])
        n = np.arange(50.0)
        np.testing.assert_allclose(found["log-window"].bias(n, head=2), -0.5 * np.log1p(n) / 2, rtol=1e-14)
        self.assertEqual(found["log-window-short"].params, {"w": 3, "strength": 0.5})

    def test_a_file_does_too(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "mine.toml"
            path.write_text(OWN)
            self.assertEqual(list(ff.load(path)), ["log-window", "log-window-short"])


class Curves(unittest.TestCase):
    def test_bias_over_distances(self):
        for head, slope in enumerate(slopes(8), start=1):
            np.testing.assert_array_equal(ff.scheme("alibi").bias(100, head=head, heads=8), -slope * np.arange(100.0))

    def test_bias_of_a_query_is_that_of_its_distances(self):
        np.testing.assert_array_equal(
            ff.scheme("alibi").bias(range(11), head=8, heads=8, query=10), ff.scheme("alibi").bias(11, head=8, heads=8)
        )

    def test_a_distance_beyond_the_query_has_no_key(self):
        for distances in ([0, 11], range(12), range(11, -1, -1)):
            with self.assertRaisesRegex(ff.InputError, "'distances' has 11, beyond the query; expected distances up to 10"):
                ff.scheme("alibi").bias(distances, head=8, heads=8, query=10)

    def test_bias_of_every_pair(self):
        found = ff.scheme("alibi").bias_matrix(6, heads=4)
        n = np.arange(6.0)[:, None] - np.arange(6.0)
        np.testing.assert_array_equal(found, -slopes(4)[:, None, None] * n)

    def test_masks(self):
        n = np.arange(9)[:, None] - np.arange(9)
        np.testing.assert_array_equal(ff.scheme("windowed").with_(w=4).mask(9), (n >= 0) & (n < 4))
        np.testing.assert_array_equal(ff.scheme("alibi").mask(9), n >= 0)

    def test_rotations(self):
        # Su et al. 2021: theta_i = 10000^(-2i/d); Sun et al. 2023, Eq. (9): zeta_i = (2i/d + gamma)/(1 + gamma).
        p, i, d = np.arange(40.0)[:, None], np.arange(16.0), 32
        theta = 10000.0 ** (-2 * i / d)
        rotary = ff.scheme("rotary").rotation(40, head_dim=d)
        np.testing.assert_allclose(rotary.angle, p * theta, rtol=1e-14)
        np.testing.assert_array_equal(rotary.scale, np.ones((40, 16)))
        np.testing.assert_allclose(rotary.cos, np.cos(p * theta), atol=1e-13)
        xpos = ff.scheme("xpos").rotation(range(40), head_dim=d)
        np.testing.assert_allclose(xpos.scale, ((2 * i / d + 0.4) / 1.4) ** (p / 512), rtol=1e-13)

    def test_embeddings(self):
        # Vaswani et al. 2017, section 3.5.
        p, i = np.arange(20.0)[:, None], np.arange(8.0)
        found = ff.scheme("sinusoidal").embedding(20, width=16)
        angle = p * 10000.0 ** (-2 * i / 16)
        np.testing.assert_allclose(found[:, 0::2], np.sin(angle), atol=1e-14)
        np.testing.assert_allclose(found[:, 1::2], np.cos(angle), atol=1e-14)

    def test_positions_keep_their_axes(self):
        rows = np.arange(6).reshape(2, 3)
        for shape in ((2, 3), (6,), (1, 1, 6)):
            angle = ff.scheme("rotary").rotation(rows.reshape(shape), head_dim=4).angle
            self.assertEqual(angle.shape, (*shape, 2))
            np.testing.assert_array_equal(angle.reshape(6, 2), ff.scheme("rotary").rotation(6, head_dim=4).angle)
        self.assertEqual(ff.scheme("sinusoidal").embedding(rows, width=8).shape, (2, 3, 8))

    def test_positions_are_finite_numbers(self):
        for each in (np.inf, -np.inf, np.nan):
            with self.assertRaisesRegex(ff.InputError, "'positions' has -?(inf|nan); expected finite numbers"):
                ff.scheme("rotary").rotation([0, each], head_dim=4)
            with self.assertRaisesRegex(ff.InputError, "'positions' has"):
                ff.scheme("sinusoidal").embedding([each], width=4)
            with self.assertRaisesRegex(ff.InputError, "'distances' has -?(inf|nan); expected whole numbers"):
                ff.scheme("alibi").bias([each], head=1, heads=8)

    def test_a_formula_of_a_scheme(self):
        bias = ff.scheme("alibi").formula("bias", head=8, heads=8)
        self.assertEqual(bias(q=5, k=2), -3 / 256)

    def test_a_length_is_that_of_the_positions_or_must_be_given(self):
        lex = ff.scheme("lex").with_()
        self.assertTrue(lex.mask(8, train_length=4)[7, 4])
        own = ff.loads('[scheme.a]\ndoc = "d"\nsource = "s"\nbias = "-n / L"\n')["a"]
        self.assertEqual(own.bias(5, head=1).tolist(), [0, -0.2, -0.4, -0.6, -0.8])
        self.assertEqual(own.formula("bias", length=10)(q=5, k=0), -0.5)
        with self.assertRaisesRegex(ff.InputError, "uses L, which has no value here; expected the key 'length'"):
            own.formula("bias")
        with self.assertRaisesRegex(ff.InputError, "L has no value here; expected the key 'length'"):
            ff.scheme("xpos-torchscale").formula("scale", head_dim=32)

    def test_what_a_formula_needs_must_be_given(self):
        with self.assertRaisesRegex(ff.InputError, "uses H, which has no value here; expected the key 'heads'"):
            ff.scheme("alibi").bias(10, head=1)


if __name__ == "__main__":
    unittest.main()
