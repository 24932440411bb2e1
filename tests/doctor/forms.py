"""Checks the output of `farfield doctor` about pairs, layer types and inputs: forms.py PROGRAM

The expected numbers are computed in Python's floats: the frequency base^(-2 i/d), its wavelength 2 pi/f and n f/(2 pi)
turns of n tokens. In Gemma 3, every sixth layer has full attention (configuration_gemma3.py: sliding_window_pattern 6).
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
    """The table has evenly spaced pairs from the first to the last one, and all pairs if there are nine or fewer."""
    for pairs in (1, 2, 8, 9, 10, 17, 18, 64, 100):
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


def check_formula(program, folder):
    """A long formula is cut after 110 characters."""
    path = written(folder / "long.json", rope_scaling={"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16})
    whole = json.loads(run(program, path, "--json").stdout)["formula"]
    check(len(whole) > 110 and f"  angle = {whole[:110]}...\n" in run(program, path).stdout, whole)


def check_biases(program, folder):
    """Falcon's biases are divided by sqrt(d), those of MPT are not: the slope of head h of 4 is 4^-h."""
    for model_type, divisor in (("falcon", 4), ("mpt", 1)):
        path = written(folder / "bias.json", model_type=model_type, num_attention_heads=4, head_dim=16, alibi=True, attn_config={"alibi": True})
        formula = json.loads(run(program, path, "--json").stdout)["formula"]
        for head in range(1, 5):
            names = {"h": head, "H": 4, "n": 3, **({"d": 16} if divisor > 1 else {})}
            lets = [word for name, value in names.items() for word in ("--let", f"{name}={value}")]
            done = subprocess.run([program, "eval", formula, *lets], capture_output=True, text=True)
            check(float(done.stdout) == -3 * 4.0 ** -head / divisor, (model_type, head, done.stdout, done.stderr))


def check_layers(program, folder):
    """The layers of each type are counted, and only types with a window name it."""
    for layers in (1, 5, 6, 7, 12, 13, 62):
        path = written(folder / "layers.json", model_type="gemma3_text", num_hidden_layers=layers, sliding_window=32)
        heads = [line for line in run(program, path).stdout.splitlines() if " layers): " in line or line.startswith("rotary")]
        full = layers // 6
        if full == 0:
            check(len(heads) == 1 and heads[0].startswith("rotary, ") and heads[0].endswith(", window 32"), heads)
            continue
        check([line.split(":")[0] for line in heads] == [f"full_attention ({full} layers)", f"sliding_attention ({layers - full} layers)"], heads)
        check(["window" in line for line in heads] == [False, True] and heads[1].endswith(", window 32"), heads)


def check_reach(program, folder):
    """If all layers have a window w, each of R layers extends the reach by w - 1 tokens. If a layer has no window, the
    reach is absent."""
    for layers in (1, 2, 5):
        for window in (1, 32):
            path = written(folder / "reach.json", model_type="mistral", num_hidden_layers=layers, sliding_window=window)
            reach = 1 + layers * (window - 1)
            check(json.loads(run(program, path, "--json").stdout)["reach"] == reach, (layers, window))
            check(f"the last one reaches {reach} tokens" in run(program, path).stdout, (layers, window))
    # Chunks are the same in all layers, so that layers extend nothing.
    path = written(folder / "reach.json", model_type="llama4_text", num_hidden_layers=3, attention_chunk_size=32, no_rope_layers=[1, 1, 1])
    check(json.loads(run(program, path, "--json").stdout)["reach"] == 32 and "chunks of 32" in run(program, path).stdout, "chunks")
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
    """A configuration of any length gives the same answer from a file, its folder and standard input."""
    (folder / "own").mkdir()
    path = written(folder / "own" / "config.json", unused="x" * 200000)
    answers = [run(program, path, "--json"), run(program, path.parent, "--json"),
               run(program, "-", "--json", input=path.read_text())]
    frequencies = [json.loads(each.stdout)["inv_freq"] for each in answers]
    check(frequencies[0] == frequencies[1] == frequencies[2] and len(frequencies[0]) == 8, frequencies)
    # At most 4 MiB, counted in bytes.
    for size, status in ((4 << 20, 0), ((4 << 20) + 1, 2)):
        path.write_text(json.dumps(PLAIN).ljust(size))
        for done in (run(program, path), run(program, "-", input=path.read_text())):
            check(done.returncode == status, (size, done.stdout[:300], done.stderr[:300]))


def check_syntax(program, folder):
    """Messages about invalid JSON do not include the position in the parser's own words."""
    for text, words in (('{"a": tru}', "invalid literal; last read: "), ('{"a": 1', "unexpected end of input"), ('{"a" 1}', "unexpected number literal"),
                        ('{"a": "\t"}', "invalid string: control character")):
        done = run(program, "-", input=text)
        line = done.stderr.splitlines()[0]
        check(done.returncode == 2 and f": invalid JSON: {words}" in line and "json.exception" not in line, done.stderr)


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
    """The width of a head is the size of the norm of its queries, otherwise the queries' width divided by the number of
    heads, also for one head."""
    plain = {key: value for key, value in PLAIN.items() if key != "head_dim"}
    for heads, shapes, width in ((1, {"q_proj": [24, 8]}, 24), (4, {"q_proj": [96, 8]}, 24), (4, {"q_norm": [20]}, 20),
                                 (4, {"o_proj": [7, 7], "k_norm": [9], "q_proj": [40, 4]}, 10)):
        (folder / "config.json").write_text(json.dumps({**plain, "num_attention_heads": heads, "hidden_size": 8 * heads}))
        done = run(program, safetensors(folder / "model.safetensors", **shapes), "--json")
        check(json.loads(done.stdout)["head_dim"] == width, (shapes, done.stdout[:300]))
    # A folder with tensors; the pointer that git leaves without LFS says nothing.
    (folder / "config.json").write_text(json.dumps({**plain, "num_attention_heads": 4, "hidden_size": 32}))
    for name in ("model.safetensors", "model-00001-of-00002.safetensors"):
        safetensors(folder / name, q_proj=[96, 8])
        check(json.loads(run(program, folder, "--json").stdout)["head_dim"] == 24, name)
        (folder / name).write_text("version https://git-lfs.github.com/spec/v1\n")
        check(json.loads(run(program, folder, "--json").stdout)["head_dim"] == 8, name)
        (folder / name).unlink()
    # The sizes of Llama's class, for a text model that gives none (llava-1.5).
    (folder / "config.json").write_text(json.dumps({"model_type": "llava", "text_config": {"model_type": "llama", "vocab_size": 32064}}))
    check(json.loads(run(program, folder / "config.json", "--json").stdout)["head_dim"] == 128, "llava")
    # With a missing or invalid number of heads, the queries do not give the width.
    for heads in ({}, {"num_attention_heads": "4"}, {"num_attention_heads": 0}, {"num_attention_heads": 0.5}):
        (folder / "config.json").write_text(json.dumps({**plain, **heads}))
        answer = json.loads(run(program, safetensors(folder / "model.safetensors", q_proj=[96, 8]), "--json").stdout)
        check(answer["head_dim"] == 0 and "no-head-dim" in {each["id"] for each in answer["findings"]}, answer["findings"])


def check_texts(program, folder):
    """A text is shown up to 40 characters, and up to 30 if two are compared."""
    for length, shown in ((40, "w" * 40), (41, "w" * 40 + "...")):
        done = run(program, written(folder / "text.json", num_hidden_layers="w" * length))
        check(f"'num_hidden_layers' is \"{shown}\", not a whole number" in done.stdout, done.stdout)
    for length, ending in ((30, ""), (31, "...")):
        types = {"type": "v" * length, "rope_type": "w" * length}
        done = run(program, written(folder / "text.json", rope_scaling=types))
        words = f"is {'v' * 30}{ending} and 'rope_scaling/rope_type' is {'w' * 30}{ending}, two values"
        check(words in done.stdout, done.stdout)


def check_one_head(program, folder):
    """ALiBi of one head, whose slope is 2^-8, is safe up to the length that `safe-length` finds for one head."""
    keys = {"model_type": "bloom", "hidden_size": 64, "n_layer": 2, "seq_length": 4096}
    lengths = []
    for heads in (1, 2):
        (folder / "one.json").write_text(json.dumps({**keys, "n_head": heads}))
        lengths.append(json.loads(run(program, folder / "one.json", "--json", "--in", "bf16").stdout)["safe_length"])
        done = subprocess.run([program, "safe-length", "alibi", "--in", "bf16", "--recipe", "hf", "--heads", str(heads), "--json"],
                              capture_output=True, text=True)
        check(f'"length": {lengths[-1]},' in done.stdout, (heads, lengths, done.stdout))
    check(lengths[0] > lengths[1], lengths)


def check_types_of_two(program, folder):
    """A layer type of only one of the two configurations is reported as absent from the other. Single types are
    compared whatever their names."""
    full = written(folder / "full.json", model_type="gemma3_text", num_hidden_layers=12, sliding_window=32)
    one = written(folder / "one.json")
    for a, b, words in ((full, one, ("present", "absent")), (one, full, ("absent", "present"))):
        answer = json.loads(run(program, a, b, "--json").stdout)
        kinds = {each["layer_type"]: (each["a"], each["b"]) for each in answer["differences"] if each["what"] == "layer type"}
        check(kinds.get("full_attention") == words and kinds.get("sliding_attention") == words, (words, kinds))
    # The number of layers of each type, and their order.
    types = ("full_attention", "sliding_attention")
    orders = [written(folder / f"order-{name}.json", model_type="mistral", num_hidden_layers=3, sliding_window=32, layer_types=[types[int(each)] for each in name])
              for name in ("011", "110", "001")]
    for other, found in ((orders[1], [("layer 0", *types)]), (orders[2], [("layers", "1", "2"), ("layers", "2", "1")])):
        answer = json.loads(run(program, orders[0], other, "--json").stdout)
        check([(each["what"], each["a"], each["b"]) for each in answer["differences"]] == found, answer["differences"])
    window = written(folder / "window.json", model_type="gemma3_text", num_hidden_layers=3, sliding_window=32)
    answer = json.loads(run(program, window, one, "--json").stdout)
    check(all(each["what"] != "layer type" for each in answer["differences"]), answer["differences"])


def logits(pairs, distance, factor=1.0, divisor=1.0):
    """The logits of equal queries and keys: the mean cosine times the square of the attention factor."""
    return factor ** 2 * math.fsum(math.cos(distance * 10000.0 ** (-i / pairs) / divisor) for i in range(pairs)) / pairs


def check_differences(program, folder):
    """Checks that each difference of two configurations is listed once, and the logits at distances 1, 2, 4, ... up to
    the longer length."""
    one = written(folder / "one.json")
    yarn = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16, "attention_factor": 2.0}
    rows = [({"partial_rotary_factor": 0.5}, [("rotated", "16", "8")], lambda n: logits(4, n)),
            ({"rope_interleave": True}, [("pairing", "halves", "interleaved")], lambda n: logits(8, n)),
            ({"model_type": "mistral", "sliding_window": 32}, [("window", "0", "32")], lambda n: logits(8, n)),
            ({"max_position_embeddings": 32}, [("trained", "64", "32")], lambda n: logits(8, n)),
            ({"max_position_embeddings": 256}, [("trained", "64", "256")], lambda n: logits(8, n)),
            ({"rope_scaling": {"rope_type": "linear", "factor": 2.0}}, [("scheme", "rotary", "rotary-linear"), ("factor", "absent", "2")],
             lambda n: logits(8, n, 1, 2.0)),
            ({"rope_scaling": yarn}, [("scheme", "rotary", "rotary-yarn"), ("factor", "absent", "4"), ("original", "absent", "16"),
                                      ("alpha", "absent", "1"), ("beta", "absent", "32"), ("ramp", "absent", "1"),
                                      ("attention_factor", "1", "2"), ("trained", "64", "16")], None)]
    for changes, expected, other in rows:
        two = written(folder / "two.json", **changes)
        for a, b, turned in ((one, two, False), (two, one, True)):
            done = run(program, a, b, "--json")
            answer = json.loads(done.stdout)
            found = [(each["what"], each["a"], each["b"]) for each in answer["differences"]]
            wanted = [(what, y, x) if turned else (what, x, y) for what, x, y in expected]
            check(done.returncode == 1 and sorted(found) == sorted(wanted), (changes, found))
            text = run(program, a, b).stdout
            check(all(line.split() in [each.split() for each in text.splitlines()] for line in (" ".join(row) for row in wanted)), text)
            length = changes.get("max_position_embeddings", 64)
            distances = [each["distance"] for each in answer["logit_difference"]]
            check(distances == [2 ** k for k in range(20) if 2 ** k < max(64, length)], distances)
            if other is None:
                continue
            sign = -1 if turned else 1
            for each in answer["logit_difference"]:
                n = each["distance"]
                check(abs(each["difference"] - sign * (logits(8, n) - other(n))) < 1e-12, (changes, each))
            largest = max(abs(logits(8, n) - other(n)) for n in range(max(64, length)))
            check(abs(answer["largest_logit_difference"] - largest) < 1e-12, (changes, answer["largest_logit_difference"], largest))
    again = written(folder / "again.json")
    answer = json.loads(run(program, one, again, "--json").stdout)
    check(answer["differences"] == [] and answer["faults"] == [], "no difference")
    # Logits are not compared beyond 2^18 tokens.
    long = [written(folder / f"{base}.json", head_dim=2, max_position_embeddings=1 << 19, rope_theta=base) for base in (100.0, 200.0)]
    distances = [each["distance"] for each in json.loads(run(program, *long, "--json").stdout)["logit_difference"]]
    check(distances == [2 ** k for k in range(18)], distances)
    check(run(program, one, again).stdout.endswith(": the same positions\n"), "the same positions")
    # The difference grows with the distance, up to the served length.
    near = [written(folder / f"{base}.json", head_dim=4, max_position_embeddings=20000, rope_theta=base) for base in (10000.0, 10001.0)]
    answer = json.loads(run(program, *near, "--json").stdout)
    off = [abs(math.cos(n * 10000.0 ** -0.5) - math.cos(n * 10001.0 ** -0.5)) / 2 for n in range(20000)]
    check(abs(answer["largest_logit_difference"] - max(off)) < 1e-12, (answer["largest_logit_difference"], max(off)))


def check_differences_of_types(program, folder):
    """The logits of the layer type with the largest difference are given, whichever type that is. Without a length,
    4096 tokens are compared."""
    def of_bases(file, base, local):
        return written(folder / f"{file}.json", model_type="gemma3_text", num_hidden_layers=6, sliding_window=32, rope_theta=base, rope_local_base_freq=local)

    def largest(base, other):
        return max(abs(math.fsum(math.cos(n * base ** (-i / 8)) - math.cos(n * other ** (-i / 8)) for i in range(8)) / 8) for n in range(64))

    for bases, locals_ in (((1e6, 2e6), (1e4, 1.5)), ((1e6, 1.5), (1e4, 2e4)), ((1e6, 1e6), (1e4, 2e4)), ((1e6, 2e6), (1e4, 1e4))):
        paths = [of_bases(*each) for each in zip("ab", bases, locals_)]
        answer = json.loads(run(program, *paths, "--json").stdout)
        wanted = max(largest(*bases), largest(*locals_))
        check(abs(answer["largest_logit_difference"] - wanted) < 1e-12, (bases, locals_, answer["largest_logit_difference"], wanted))
    # The difference of slow pairs is largest at the last distance.
    paths = [folder / f"{base}.json" for base in (1e12, 2e12)]
    for path, base in zip(paths, (1e12, 2e12)):
        path.write_text(json.dumps({"model_type": "xyzzy", "head_dim": 4, "num_hidden_layers": 2, "rope_theta": base}))
    answer = json.loads(run(program, *paths, "--json").stdout)
    off = [abs(math.cos(n * 1e12 ** -0.5) - math.cos(n * 2e12 ** -0.5)) / 2 for n in range(4096)]
    check(abs(answer["largest_logit_difference"] - off[-1]) < 1e-16 and off[-1] == max(off) > off[-2] + 1e-15, (answer["largest_logit_difference"], off[-1]))


def check_markdown(program, folder):
    """All rows of a table have the same number of columns, whatever a name contains. Without findings, a line says so."""
    for changes in ({}, {"rope_theta": 2.0}, {"a|b rope": 1}, {"rope_scaling": {"rope_type": "yarn", "factor": 4.0}},
                    {"model_type": "gemma3_text", "num_hidden_layers": 6, "sliding_window": 32}):
        text = run(program, written(folder / "a|b.json", **changes), "--markdown").stdout
        check(text.startswith("### farfield doctor: ") and "a\\|b.json" in text.splitlines()[0], text)
        tables = [part.splitlines() for part in text.split("\n\n") if part.startswith("| ")]
        check(tables and tables[0][0].startswith("| safe length |"), text)
        for table in tables:
            widths = {row.replace("\\|", "").count("|") for row in table}
            check(len(widths) == 1 and len(table) >= 3 and set(table[1]) <= set("|-: "), table)
        kinds = 2 if "sliding_window" in changes else 1
        check(len(tables[0]) == 2 + kinds and text.count("\n- ") == kinds, text)
        answer = json.loads(run(program, folder / "a|b.json", "--json").stdout)
        rows = tables[1][2:] if len(tables) > 1 else []
        check(len(rows) == len(answer["findings"]) and ("No findings." in text) == (not rows), text)
        for row, each in zip(rows, answer["findings"]):
            cells = [cell.strip() for cell in row.replace("\\|", "!").split("|")]
            check(cells[1] == each["severity"] and cells[2] == str(each["line"] or "") and f"(`{each['id']}`)" in cells[3], (row, each))
    text = run(program, folder / "a|b.json", "--markdown", "--served", "4096").stdout
    check(", attention factor" not in text, text)
    scaled = written(folder / "scaled.json", rope_scaling={"rope_type": "yarn", "factor": 4.0, "attention_factor": 1.25})
    check("\n- rotary-yarn, attention factor 1.25\n" in run(program, scaled, "--markdown").stdout, "the attention factor")


def check_switched_windows(program, folder):
    """The first `max_window_layers` layers of Qwen2 have no window, and none has one without the switch (configuration_qwen2.py
    of transformers 5.23.0)."""
    def windows(**changes):
        path = written(folder / "qwen.json", model_type="qwen2", num_hidden_layers=4, **changes)
        found = json.loads(run(program, path, "--json").stdout)
        return [(each["layers"], each["window"]) for each in found.get("layer_types", {"": found | {"layers": 4}}).values()]

    check(windows(use_sliding_window=True, sliding_window=100, max_window_layers=1) == [(1, 0), (3, 100)], "mixed")
    check(windows(use_sliding_window=True, sliding_window=100, max_window_layers=4)[0][1] == 0, "no layer has a window")
    check(windows(use_sliding_window=True, sliding_window=100)[0][1] == 0, "28 layers have none by default")
    check(windows(use_sliding_window=True, max_window_layers=0)[0][1] == 4096, "the default window")
    listed = ["sliding_attention", "sliding_attention", "full_attention", "full_attention"]
    check(all(window == 0 for _, window in windows(use_sliding_window=False, sliding_window=100, layer_types=listed)), "no switch")


def check_empty_scaling(program, folder):
    """transformers 4.44.2 raises KeyError for a scaling without a type, also for an empty one (modeling_rope_utils.py,
    _validate_default_rope_parameters); other readers scale nothing."""
    path = written(folder / "empty.json", rope_scaling={})
    check("engine-refuses" in run(program, path, "--engine", "transformers-4.44").stdout, "refused")
    check("engine-refuses" not in run(program, path, "--engine", "transformers-5").stdout, "not refused")


def check_base_ratio(program, folder):
    """ChatGLM rotates half of a head and multiplies its base by rope_ratio (modeling_chatglm.py of chatglm3-6b-128k)."""
    path = folder / "chatglm.json"
    path.write_text(json.dumps({"model_type": "chatglm", "hidden_size": 4096, "num_attention_heads": 32, "num_layers": 28,
                                "kv_channels": 128, "seq_length": 131072, "rope_ratio": 500}))
    found = json.loads(run(program, path, "--json").stdout)
    check("out-of-range" not in {each["id"] for each in found["findings"]}, found["findings"])
    rows = rows_of(run(program, path).stdout)
    check(abs(rows[-1][1] - 5e6 ** (-31 / 32)) <= 1e-4 * rows[-1][1], rows[-1])


def main():
    for part in (check_switched_windows, check_base_ratio, check_empty_scaling, check_pairs, check_formula, check_biases, check_layers, check_reach, check_served, check_inputs, check_syntax, check_texts, check_one_head, check_shapes,
                 check_types_of_two, check_differences, check_differences_of_types, check_markdown):
        with tempfile.TemporaryDirectory() as name:
            part(sys.argv[1], pathlib.Path(name))


if __name__ == "__main__":
    main()
