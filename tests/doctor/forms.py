"""What `farfield doctor` prints of pairs, layer types and inputs: forms.py PROGRAM

Expected numbers are by Python's own floats: the frequency base^(-2 i/d), its wavelength 2 pi/f and n f/(2 pi) turns of n
tokens. Of Gemma 3 each sixth layer attends in full (configuration_gemma3.py: sliding_window_pattern 6).
"""
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile

PLAIN = {"model_type": "llama", "head_dim": 16, "num_hidden_layers": 2, "max_position_embeddings": 64, "rope_theta": 10000.0}


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def run(program, *arguments, **options):
    return subprocess.run([program, "doctor", *map(str, arguments)], capture_output=True, text=True, **options)


def written(path, **changes):
    path.write_text(json.dumps({**PLAIN, **changes}))
    return path


def rows_of(text):
    """The rows of the table of pairs: index, unscaled, frequency, wavelength, turns trained, turns served, kept."""
    rows = [line.split() for line in text.splitlines()]
    return [(int(row[0]), *map(float, row[1:])) for row in rows if len(row) == 7 and row[0].isdigit()]


def check_pairs(program, folder):
    """From the first pair to the last, each once and evenly: all where there are nine or fewer."""
    for pairs in (1, 2, 8, 9, 10, 17, 64, 100):
        rows = rows_of(run(program, written(folder / "pairs.json", head_dim=2 * pairs), "--served", 128).stdout)
        shown = [row[0] for row in rows]
        check(shown[0] == 0 and shown[-1] == pairs - 1 and shown == sorted(set(shown)), (pairs, shown))
        check(len(shown) == pairs if pairs <= 9 else 9 <= len(shown) <= 17, (pairs, shown))
        steps = {b - a for a, b in zip(shown[:-1], shown[1:-1])}
        check(len(steps) <= 1, (pairs, shown))
        for i, unscaled, frequency, wavelength, trained, served, kept in rows:
            exact = 10000.0 ** (-i / pairs)
            for found, expected in ((unscaled, exact), (frequency, exact), (wavelength, 2 * math.pi / exact),
                                    (trained, 64 * exact / (2 * math.pi)), (served, 128 * exact / (2 * math.pi)), (kept, 1)):
                check(abs(found - expected) <= 1e-4 * expected, (pairs, i, found, expected))


def check_layers(program, folder):
    """Layers of each type are counted, and only those with a window name it."""
    for layers in (1, 5, 6, 7, 12, 13, 62):
        path = written(folder / "layers.json", model_type="gemma3_text", num_hidden_layers=layers, sliding_window=32)
        heads = [line for line in run(program, path).stdout.splitlines() if " layers): " in line or line.startswith("rotary")]
        full = layers // 6
        if full == 0:
            check(len(heads) == 1 and heads[0].endswith(", window 32"), heads)
            continue
        check([line.split(":")[0] for line in heads] == [f"full_attention ({full} layers)", f"sliding_attention ({layers - full} layers)"], heads)
        check(["window" in line for line in heads] == [False, True] and heads[1].endswith(", window 32"), heads)


def check_reach(program, folder):
    """Where all layers have a window w, each of R layers reaches w - 1 tokens further; where one has none, no reach is said."""
    for layers in (1, 2, 5):
        for window in (1, 32):
            path = written(folder / "reach.json", model_type="mistral", num_hidden_layers=layers, sliding_window=window)
            reach = 1 + layers * (window - 1)
            check(json.loads(run(program, path, "--json").stdout)["reach"] == reach, (layers, window))
            check(f"the last one reaches {reach} tokens" in run(program, path).stdout, (layers, window))
    for changes in ({}, {"model_type": "gemma3_text", "num_hidden_layers": 6, "sliding_window": 32}):
        done = run(program, written(folder / "reach.json", **changes), "--json")
        check(json.loads(done.stdout)["reach"] is None, changes)


def check_served(program, folder):
    path = written(folder / "served.json")
    for served in (0, -1, 2 ** 40 + 1):
        done = run(program, path, f"--served={served}")
        check(done.returncode == 2 and str(served) in done.stderr, (served, done.stderr))
    check(run(program, path, "--served", 1).returncode in (0, 1), "one token")


def check_inputs(program, folder):
    """A configuration is the same from a file, its folder and standard input, of any length."""
    (folder / "own").mkdir()
    path = written(folder / "own" / "config.json", unused="x" * 200000)
    answers = [run(program, path, "--json"), run(program, path.parent, "--json"),
               run(program, "-", "--json", input=path.read_text())]
    frequencies = [json.loads(each.stdout)["inv_freq"] for each in answers]
    check(frequencies[0] == frequencies[1] == frequencies[2] and len(frequencies[0]) == 8, frequencies)


def safetensors(path, **shapes):
    header, at = {}, 0
    for name, shape in shapes.items():
        size = 2 * math.prod(shape)
        header[f"model.layers.0.self_attn.{name}.weight"] = {"dtype": "F16", "shape": shape, "data_offsets": [at, at + size]}
        at += size
    encoded = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(encoded)) + encoded + bytes(at))
    return path


def check_shapes(program, folder):
    """The width of a head is that of the norm of its queries, else the queries' divided by the heads, one too."""
    plain = {key: value for key, value in PLAIN.items() if key != "head_dim"}
    for heads, shapes, width in ((1, {"q_proj": [24, 8]}, 24), (4, {"q_proj": [96, 8]}, 24), (4, {"q_norm": [20]}, 20),
                                 (4, {"o_proj": [7, 7], "k_norm": [9], "q_proj": [40, 4]}, 10)):
        (folder / "config.json").write_text(json.dumps({**plain, "num_attention_heads": heads, "hidden_size": 8 * heads}))
        done = run(program, safetensors(folder / "model.safetensors", **shapes), "--json")
        check(json.loads(done.stdout)["head_dim"] == width, (shapes, done.stdout[:300]))


def check_types_of_two(program, folder):
    """A layer type that one of two has alone is said to be absent in the other; single types are compared whatever their names."""
    full = written(folder / "full.json", model_type="gemma3_text", num_hidden_layers=12, sliding_window=32)
    one = written(folder / "one.json")
    for a, b, words in ((full, one, ("present", "absent")), (one, full, ("absent", "present"))):
        answer = json.loads(run(program, a, b, "--json").stdout)
        kinds = {each["layer_type"]: (each["a"], each["b"]) for each in answer["differences"] if each["what"] == "layer type"}
        check(kinds.get("full_attention") == words and kinds.get("sliding_attention") == words, (words, kinds))
    window = written(folder / "window.json", model_type="gemma3_text", num_hidden_layers=3, sliding_window=32)
    answer = json.loads(run(program, window, one, "--json").stdout)
    check(all(each["what"] != "layer type" for each in answer["differences"]), answer["differences"])


def main():
    for part in (check_pairs, check_layers, check_reach, check_served, check_inputs, check_shapes, check_types_of_two):
        with tempfile.TemporaryDirectory() as name:
            part(sys.argv[1], pathlib.Path(name))


if __name__ == "__main__":
    main()
