"""Initial parameters, drawn as described in docs/model.md.

Usage: parameters.py > parameters.inc

Names, shapes, deviations and the generator come from ../study/training.py, which is written only from the
documentation. That script needs PyTorch for its models; this one does not.
"""
import pathlib
import sys
import types

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "study"))


class Numbers(list):
    """The number of elements of a tensor that initial parameters need."""

    def float(self):
        return self

    double = float

    def reshape(self, _):
        return self

    requires_grad_ = float


sys.modules.setdefault("torch", types.SimpleNamespace(set_default_dtype=lambda _: None, float64=None, tensor=Numbers))
import training  # noqa: E402

SOURCE = types.SimpleNamespace(vocabulary=11)
SHAPES = [
    {"scheme": "kerple-log", "layers": 2, "heads": 2, "width": 16, "seed": 3},
    {"scheme": "shaw", "layers": 1, "heads": 4, "width": 8, "ffn": 24, "post": True, "tied": True, "seed": 2**40 + 1},
]

if __name__ == "__main__":
    print("// Made by parameters.py: scheme, layers, heads, width, ffn, post-norm, tied, seed; first and last number of each slice.")
    for c in SHAPES:
        told = [(name, numbers[0], numbers[-1]) for name, numbers in training.initial(c | {"source": SOURCE}).items()]
        listed = ",\n  ".join(f'{{"{name}", {first!r}, {last!r}}}' for name, first, last in told)
        shape = [c["layers"], c["heads"], c["width"], c.get("ffn", 0), int(c.get("post", 0)), int(c.get("tied", 0)), c["seed"]]
        print(f'{{"{c["scheme"]}", {", ".join(map(str, shape))},\n {{{listed}}}}},')
