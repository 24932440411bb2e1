"""`farfield doctor --against` compares tables that engines computed with the declared ones: tables.py PROGRAM

The tables are written here in the layouts of numpy and safetensors, computed in Python's floats and rounded to fp32
like in engines.
"""
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile
import zipfile


def fp32(number):
    return struct.unpack("<f", struct.pack("<f", number))[0]


def npy(rows, *outer):
    """Writes an fp32 array: the outer axes, then positions and dimensions, or one axis if the rows are numbers."""
    is_flat = not isinstance(rows[0], list)
    inner = (len(rows),) if is_flat else (len(rows) // math.prod(outer), len(rows[0]))
    shape = (*outer, *inner)
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    flat = rows if is_flat else [number for row in rows for number in row]
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(flat)}f", *flat)


def npz(path, *outer, **arrays):
    with zipfile.ZipFile(path, "w") as archive:
        for name, rows in arrays.items():
            archive.writestr(name + ".npy", npy(rows, *outer))
    return path


def frequencies(base, width):
    return [fp32(1 / base ** (2 * i / width)) for i in range(width // 2)]


def tables(frequency, length, factor=1.0):
    """Cosines and sines, with each pair's number in both halves."""
    angles = [[fp32(p * f) for f in frequency] * 2 for p in range(length)]
    return ([[fp32(factor * math.cos(a)) for a in row] for row in angles], [[fp32(factor * math.sin(a)) for a in row] for row in angles])


def run(program, *arguments):
    done = subprocess.run([program, "doctor", *map(str, arguments), "--json"], capture_output=True, text=True)
    return done, json.loads(done.stdout) if done.returncode < 2 else None


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def found(answer):
    return {each["id"]: each for each in answer["findings"] if each["severity"] != "note"}


PLAIN = {"model_type": "llama", "head_dim": 32, "num_hidden_layers": 1, "rope_theta": 500000.0, "max_position_embeddings": 256}


def check_plain(program, folder):
    config = folder / "config.json"
    config.write_text(json.dumps(PLAIN))
    own, older = frequencies(500000.0, 32), frequencies(10000.0, 32)
    cosine, sine = tables(own, 256)
    done, answer = run(program, config, "--against", npz(folder / "own.npz", cos=cosine, sin=sine, inv_freq=own))
    check(done.returncode == 0 and [each["agrees"] for each in answer["tables"]] == [True] * 3, done.stdout[-800:])
    both = [row[:16] + other[:16] for row, other in zip(cosine, sine)]
    (folder / "cos_sin_cache.npy").write_bytes(npy(both))
    done, answer = run(program, config, "--against", folder / "cos_sin_cache.npy")
    check(done.returncode == 0 and answer["tables"][0]["part"] == "cos-sin", done.stdout[-800:])
    cosine, sine = tables(older, 256)
    done, answer = run(program, config, "--against", npz(folder / "older.npz", cos=cosine, sin=sine, inv_freq=older))
    messages = [each["message"] for each in answer["findings"] if each["id"] == "tables-differ"]
    check(done.returncode == 1 and len(messages) == 3 and all("the base is 10000" in each for each in messages), messages)
    check(found(answer)["tables-differ"]["key"] == "rope_theta", answer["findings"])
    # The largest difference of the mean cosine, computed from the tables themselves.
    largest = max(abs(sum(math.cos(p * f) for f in own) - sum(math.cos(p * f) for f in older)) / 16 for p in range(256))
    check(f"off by up to {largest:.3g} " in messages[0], (largest, messages[0]))


def check_lengths(program, folder):
    config = folder / "config.json"
    config.write_text(json.dumps(PLAIN))
    own = frequencies(500000.0, 32)
    cosine, _ = tables(own, 128)
    done, answer = run(program, config, "--against", npz(folder / "short.npz", cos=cosine))
    check(done.returncode == 1 and "table-shorter-than-served" in found(answer), answer["findings"])
    # Only positions up to the served length are compared.
    cosine, _ = tables(own, 64)
    wrong, _ = tables(frequencies(10000.0, 32), 128)
    path = npz(folder / "long.npz", cos=cosine + wrong[64:])
    check(run(program, config, "--against", path, "--served", 64)[0].returncode == 0, "positions beyond the served length")
    check(run(program, config, "--against", path, "--served", 128)[0].returncode == 1, "a wrong second half")
    # The same with a leading axis of length one. With two tables in one array, all positions are compared.
    path = npz(folder / "one.npz", 1, cos=cosine + wrong[64:])
    check(run(program, config, "--against", path, "--served", 64)[0].returncode == 0, "an axis of one")
    check(run(program, config, "--against", path, "--served", 128)[0].returncode == 1, "an axis of one, a wrong second half")
    for second, status in ((cosine, 0), (wrong[64:], 1)):
        path = npz(folder / "two.npz", 2, cos=cosine + second)
        done, _ = run(program, config, "--against", path, "--served", 32)
        check(done.returncode == status, (status, done.stdout[-800:], done.stderr))


def check_others(program, folder):
    """A tensor that is not named as a table is listed beside the tables that are compared."""
    config = folder / "config.json"
    config.write_text(json.dumps(PLAIN))
    own = frequencies(500000.0, 32)
    for arrays, names in (({"inv_freq": own}, []), ({"inv_freq": own, "weights": [1.0], "scale": [2.0]}, ["'weights', 'scale'"])):
        done, answer = run(program, config, "--against", npz(folder / "some.npz", **arrays))
        check(done.returncode == 0 and len(answer["tables"]) == 1, answer["tables"])
        check([each["key"] for each in answer["findings"] if each["id"] == "table-not-compared"] == names, answer["findings"])


def check_factors(program, folder):
    """Checks YaRN's attention factor, and LongRoPE's own frequencies."""
    config = folder / "config.json"
    yarn = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64}
    config.write_text(json.dumps({**PLAIN, "rope_scaling": yarn}))
    _, answer = run(program, config)
    cosine, sine = tables([fp32(f) for f in answer["inv_freq"]], 256, 0.1 * math.log(4) + 1)
    done, answer = run(program, config, "--against", npz(folder / "yarn.npz", cos=cosine, sin=sine))
    check(done.returncode == 0 and all(each["agrees"] for each in answer["tables"]), answer.get("tables"))
    cosine, _ = tables([fp32(f) for f in answer["inv_freq"]], 256)
    done, answer = run(program, config, "--against", npz(folder / "bare.npz", cos=cosine))
    check("attention factor 1.13863 is missing" in found(answer)["tables-differ"]["message"], answer["findings"])
    short, long = [1.0] * 16, [1 + i / 8 for i in range(16)]
    su = {"rope_type": "longrope", "short_factor": short, "long_factor": long, "original_max_position_embeddings": 64}
    config.write_text(json.dumps({**PLAIN, "rope_scaling": su}))
    own = [fp32(f / factor) for f, factor in zip(frequencies(500000.0, 32), long)]
    cosine, _ = tables(own, 256, math.sqrt(1 + math.log(4) / math.log(64)))
    done, answer = run(program, config, "--against", npz(folder / "su.npz", cos=cosine, inv_freq=own))
    check(done.returncode == 0, answer["findings"])
    # If the served length is unknown, the length of the table is used.
    bare = {key: value for key, value in PLAIN.items() if key not in ("model_type", "max_position_embeddings")}
    config.write_text(json.dumps({**bare, "rope_scaling": su}))
    done, answer = run(program, config, "--against", npz(folder / "longer.npz", cos=tables(own, 65)[0]))
    check(answer["served"] is None and answer["tables"][0]["agrees"], answer["tables"])
    config.write_text(json.dumps({**PLAIN, "rope_scaling": su}))
    # Tables of lost rotations: no frequencies, and cosines of 1 with a column for each pair.
    for name, table in (("inv_freq", [0.0] * 16), ("cos", [[1.0] * 16 for _ in range(64)])):
        done, answer = run(program, config, "--against", npz(folder / "lost.npz", **{name: table}))
        check(done.returncode == 1 and "tables-differ" in found(answer), done.stderr)
    # The table of an engine that ignores the scaling object.
    done, answer = run(program, config, "--against", npz(folder / "plain.npz", inv_freq=frequencies(500000.0, 32)))
    check(done.returncode == 1 and "tables-differ" in found(answer), answer["findings"])


def check_layers(program, folder):
    """A table without a layer type in its name is compared with the nearest kind of layers."""
    config = folder / "config.json"
    config.write_text(json.dumps({"model_type": "gemma3_text", "head_dim": 32, "num_hidden_layers": 6, "rope_theta": 1e6, "rope_local_base_freq": 1e4,
                                  "sliding_window": 16, "max_position_embeddings": 64}))
    for kind, base in (("full_attention", 1e6), ("sliding_attention", 1e4)):
        cosine, _ = tables(frequencies(base, 32), 64)
        _, answer = run(program, config, "--against", npz(folder / "own.npz", cos=cosine))
        check((answer["tables"][0]["layer_type"], answer["tables"][0]["agrees"]) == (kind, True), answer["tables"])
        cosine[9][3] = 0.25
        _, answer = run(program, config, "--against", npz(folder / "off.npz", cos=cosine))
        check((answer["tables"][0]["layer_type"], answer["tables"][0]["agrees"]) == (kind, False), answer["tables"])
        message = found(answer)["tables-differ"]["message"]
        check(f"not the declared table of {kind}: " in message and "numbers are off, the furthest at [9, 3]: 0.25, declared is " in message, message)
        done, answer = run(program, config, "--against", npz(folder / "named.npz", **{f"{kind}_inv_freq": frequencies(1e3, 32)}))
        check((answer["tables"][0]["layer_type"], answer["tables"][0]["agrees"]) == (kind, False), answer["tables"])


def turns(frequency, length):
    """The complex numbers cos a + i sin a as an array of numpy, one for each position and pair."""
    angles = [fp32(p * f) for p in range(length) for f in frequency]
    header = f"{{'descr': '<c8', 'fortran_order': False, 'shape': ({length}, {len(frequency)}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    flat = [number for a in angles for number in (math.cos(a), math.sin(a))]
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(flat)}f", *flat)


def check_complex(program, folder):
    """Complex numbers have both a cosine and a sine."""
    config, path = folder / "config.json", folder / "freqs_cis.npy"
    config.write_text(json.dumps(PLAIN))
    own, older = frequencies(500000.0, 32), frequencies(10000.0, 32)
    path.write_bytes(turns(own, 256))
    done, answer = run(program, config, "--against", path)
    check(done.returncode == 0 and [(each["part"], each["agrees"]) for each in answer["tables"]] == [("turn", True)], done.stdout[-800:])
    path.write_bytes(turns(own, 64) + turns(older, 256)[-8 * 16 * 192:])
    path.write_bytes(path.read_bytes().replace(b"(64, 16)", b"(256, 16)", 1).replace(b" \n", b"\n", 1))
    for served, status in ((64, 0), (256, 1)):  # positions from 64 on have another base
        check(run(program, config, "--against", path, "--served", served)[0].returncode == status, served)
    path.write_bytes(turns(older, 256))
    done, answer = run(program, config, "--against", path)
    check(done.returncode == 1 and "the base is 10000" in found(answer)["tables-differ"]["message"], answer["findings"])
    path.write_bytes(turns(frequencies(500000.0, 24), 256))
    done, answer = run(program, config, "--against", path)
    check("has shape [256, 12, 2], and 32 of 32 dimensions" in found(answer)["tables-differ"]["message"], answer["findings"])


def check_unknown_length(program, folder):
    """Without a served length, logits are compared at 4096 distances. In these examples the difference grows up to the
    last one."""
    config = folder / "config.json"
    config.write_text(json.dumps({"head_dim": 2, "num_hidden_layers": 1, "rope_theta": 1e4}))
    frequency = fp32(1.000001)
    off = [abs(math.cos(n * frequency) - math.cos(n)) for n in range(4096)]
    _, answer = run(program, config, "--against", npz(folder / "own.npz", inv_freq=[frequency]))
    message = found(answer)["tables-differ"]["message"]
    check(off.index(max(off)) == 4095 and message.endswith(f"off by up to {max(off):.3g} |q||k|/sqrt(d), at distance 4095."), message)
    config.write_text(json.dumps({"head_dim": 4, "num_hidden_layers": 1, "rope_theta": 40150, "rope_parameters": {"rope_theta": 40151, "rope_type": "default"}}))
    off = [abs(math.cos(n * 40150 ** -0.5) - math.cos(n * 40151 ** -0.5)) / 2 for n in range(4096)]
    _, answer = run(program, config, "--engine", "transformers-4.44")
    message = found(answer)["engine-ignores-keys"]["message"]
    check(off.index(max(off)) == 4095 and f"by up to {max(off):.3g} |q||k|/sqrt(d), at distance 4095." in message, message)


def check_refusals(program, folder):
    config = folder / "config.json"
    config.write_text(json.dumps(PLAIN))
    for path, words in ((npz(folder / "other.npz", weight=[1.0]), "'weight'"), (folder / "absent.npz", "absent.npz"),
                        (npz(folder / "flat.npz", cos=[1.0]), "positions, dimensions")):
        done, _ = run(program, config, "--against", path)
        check(done.returncode in (2, 3) and words in done.stderr, done.stderr)
    for length, shown in ((40, "w" * 40 + "'"), (41, "w" * 40 + "...'")):
        done, _ = run(program, config, "--against", npz(folder / "long.npz", **{"w" * length: [1.0]}))
        check(done.returncode == 2 and f"'{shown}" in done.stderr, done.stderr)
    # Rows with a different number of dimensions.
    done, answer = run(program, config, "--against", npz(folder / "wide.npz", cos=tables(frequencies(500000.0, 24), 256)[0]))
    check(done.returncode == 1 and "has shape [256, 24], and 32 of 32 dimensions of a head are rotated: 16 numbers a position" in found(answer)["tables-differ"]["message"],
          answer["findings"])
    done, answer = run(program, config, "--against", npz(folder / "narrow.npz", inv_freq=frequencies(500000.0, 24)))
    check("has shape [12], and 32 of 32 dimensions of a head are rotated: 16 numbers a position" in found(answer)["tables-differ"]["message"], answer["findings"])
    config.write_text(json.dumps({**PLAIN, "head_dim": 2}))
    done, answer = run(program, config, "--against", npz(folder / "one.npz", inv_freq=[1.0]))
    check(done.returncode == 0 and answer["tables"][0]["agrees"], "one frequency")
    config.write_text(json.dumps({"model_type": "bloom", "n_head": 4, "hidden_size": 64, "n_layer": 1}))
    done, _ = run(program, config, "--against", npz(folder / "own.npz", inv_freq=[1.0]))
    check(done.returncode == 2 and "no rotation" in done.stderr, done.stderr)


def main():
    with tempfile.TemporaryDirectory() as name:
        for part in (check_plain, check_lengths, check_others, check_factors, check_layers, check_complex, check_unknown_length, check_refusals):
            part(sys.argv[1], pathlib.Path(name))


if __name__ == "__main__":
    main()
