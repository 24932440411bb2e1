"""Reads a checkpoint with other programs: a few lines here that follow the format's description and, if it is
installed, the package of its authors."""
import hashlib
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

STUDY = """
[study]
title = "t"
[corpus.c]
builtin = "urn"
symbols = 5
[model.m]
layers = 2
heads = 2
width = 8
[train.t]
model = "m"
scheme = "kerple-log"
corpus = "c"
length = 8
steps = 7
seeds = [0, 1]
[quantity.q]
kind = "perplexity"
of = "t"
lengths = [8]
segments = 4
"""

WIDTH, FFN, VOCABULARY, STEPS = 8, 32, 5, 7
# The shapes of the names in docs/training.md, computed from the sizes above.
SHAPES = {
    "embed.weight": [VOCABULARY, WIDTH],
    "head.weight": [WIDTH, VOCABULARY],
    "layers.0.attention.in.weight": [WIDTH, 3 * WIDTH],
    "layers.1.ffn.out.weight": [FFN, WIDTH],
    "losses": [STEPS],
}


def parse(data):
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    metadata = header.pop("__metadata__", {})
    numbers = data[8 + length:]
    tensors, end = {}, 0
    for name, entry in header.items():
        assert entry["dtype"] == "F32", name
        begin, stop = entry["data_offsets"]
        assert begin == end, f"{name} does not begin where the previous tensor ends"
        end = stop
        count = 1
        for size in entry["shape"]:
            count *= size
        assert stop - begin == 4 * count, name
        tensors[name] = (entry["shape"], struct.unpack(f"<{count}f", numbers[begin:stop]))
    assert end == len(numbers), "bytes follow the last tensor"
    assert all(isinstance(value, str) for value in metadata.values())
    return tensors, metadata


def check(path):
    tensors, metadata = parse(path.read_bytes())
    for name, shape in SHAPES.items():
        assert tensors[name][0] == shape, (name, tensors[name][0])
    for name, (_, values) in tensors.items():
        assert all(value == value and abs(value) < 1e3 for value in values), name
    assert metadata["steps"] == str(STEPS) and len(metadata["sha256"]) == 64
    assert metadata["key"] == path.stem
    # Training changed some weights from their initial values.
    assert any(value != 0 for value in tensors["layers.0.attention.in.bias"][1])
    return tensors


def compare_with_package(path, tensors):
    try:
        import numpy
        from safetensors.numpy import load_file
    except ImportError:
        return "parsed only by this script: the package safetensors is not installed"
    loaded = load_file(str(path))
    assert set(loaded) == set(tensors)
    for name, (shape, values) in tensors.items():
        assert list(loaded[name].shape) == shape
        assert numpy.array_equal(loaded[name].ravel(), numpy.array(values, dtype=numpy.float32)), name
    return "the package safetensors reads the same tensors"


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "s.toml").write_text(STUDY)
        subprocess.run([program, "run", "s.toml", "--no-figures", "--cache", "cache"], cwd=folder, check=True,
                       stdout=subprocess.DEVNULL)
        files = sorted(folder.glob("cache/models/*/*.safetensors"))
        assert len(files) == 2, files
        assert len({hashlib.sha256(path.read_bytes()).hexdigest() for path in files}) == 2
        for path in files:
            print(compare_with_package(path, check(path)))


if __name__ == "__main__":
    main()
