"""Rows of the random processes, drawn as described in docs/training.md.

Usage: rows.py > rows.inc

The processes come from ../study/training.py, which is written only from the two pages of documentation. That script
needs PyTorch for its models; this one does not.
"""
import pathlib
import sys
import types

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "study"))
sys.modules.setdefault("torch", types.SimpleNamespace(set_default_dtype=lambda _: None, float64=None))
import training  # noqa: E402


class Parity(training.Process):
    def draw(self, random, length, bits=None):
        bits = bits or 1 + random.below(length - 1)
        tokens = [random.below(2) for _ in range(bits)]
        tokens += [2, sum(tokens) % 2]
        return tokens + [3] * (length + 1 - len(tokens)), [t == bits for t in range(length)]

    def held_out(self, i, count, length):
        return self.draw(training.Random(0, training.HELD_OUT, 0, i), length, length - 1)


PROCESSES = {
    "urn 7 0.7": training.Urn(7, 0.7),
    "urn 3 2": training.Urn(3, 2),
    "chain 5 2 0.5 3": training.Chain(5, 2, 0.5, 3),
    "chain 3 1 1.5 0": training.Chain(3, 1, 1.5, 0),
    "copy 6": training.Copy(6),
    "parity": Parity(),
}


def listed(numbers):
    return "{" + ", ".join(str(int(number)) for number in numbers) + "}"


if __name__ == "__main__":
    print("// Made by rows.py: process, whether it is held out, seed, step, row, tokens, and which targets are scored.")
    for name, process in PROCESSES.items():
        for seed, step, row, length in ((0, 0, 0, 9), (2**32 + 7, 3, 2, 12)):
            tokens, scored = process.sample(seed, step, row, length)
            print(f'{{"{name}", false, {seed}, {step}, {row},\n {listed(tokens)}, {listed(scored)}}},')
        for row, length in ((0, 9), (5, 12)):
            tokens, scored = process.held_out(row, 8, length)
            print(f'{{"{name}", true, 0, 0, {row},\n {listed(tokens)}, {listed(scored)}}},')
