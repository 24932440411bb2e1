"""farfield.doctor and farfield.testing: paths, dicts, engines, and what they raise."""
import json
import os
import pathlib
import tempfile
import unittest

import farfield as ff

LLAMA = {"model_type": "llama", "head_dim": 128, "num_hidden_layers": 2, "rope_theta": 500000.0, "max_position_embeddings": 8192}
SOURCE = pathlib.Path(os.environ["FARFIELD_SOURCE"])


class Doctor(unittest.TestCase):
    def test_frequencies_are_powers_of_the_base(self):
        answer = ff.doctor(LLAMA)
        self.assertEqual((answer["scheme"], answer["attention_factor"], answer["trained"]), ("rotary", 1, 8192))
        for i, frequency in enumerate(answer["inv_freq"]):
            self.assertAlmostEqual(frequency / 500000.0 ** (-i / 64), 1, delta=1e-12)

    def test_a_path_and_a_dict_are_answered_alike(self):
        path = SOURCE / "studies/configurations/llama-3.1-8b.json"
        by_path, by_dict = ff.doctor(path), ff.doctor(json.loads(path.read_text()))
        self.assertEqual(by_path["inv_freq"], by_dict["inv_freq"])

    def test_an_engine_that_ignores_the_base_is_an_assertion(self):
        nested = {**LLAMA, "rope_parameters": {"rope_theta": 500000.0, "rope_type": "default"}}
        del nested["rope_theta"]
        ff.testing.assert_config(nested, engines=["transformers-5", "vllm"])
        with self.assertRaisesRegex(AssertionError, "rope_parameters/rope_theta"):
            ff.testing.assert_config(nested, engines=["transformers-4.44"])
        ff.testing.assert_config(nested, engines=["transformers-4.44"], allow=["engine-ignores-keys"])

    def test_bad_input_is_an_error_with_a_place(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "config.json")
            path.write_text('{\n"rope_theta": 1,\n"rope_theta": 2}')
            with self.assertRaises(ff.InputError) as caught:
                ff.doctor(path)
            self.assertIn("duplicate key 'rope_theta'", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
