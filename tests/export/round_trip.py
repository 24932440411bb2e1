"""`farfield compare` finds the results of exports equal to the scheme: every part of every built-in scheme, and random
formulas.

compare does not support embeddings, temperatures and classes of relative vectors. For these, a scheme is written whose
bias or angle is the same formula.

Usage: round_trip.py TARGET FARFIELD RANDOM_SCHEMES VENV
"""
import concurrent.futures
import functools
import inspect
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from libraries import exported, go_where_installed

HEADS, LENGTH, TRAINED, DIM, WIDTH = 6, 40, 16, 32, 24  # not a power of two, for which ALiBi's public rule differs


class Numpy:
    settings = {}

    def __init__(self, module):
        self.module = module

    def takes(self, name):
        return inspect.signature(getattr(self.module, name)).parameters

    def call(self, name, *arrays, **settings):
        """The function with those settings that it accepts."""
        known = self.takes(name)
        return getattr(self.module, name)(
            *arrays, **{key: value for key, value in {**settings, **self.settings}.items() if key in known})

    def array(self, values):
        return np.asarray(values, float)

    @staticmethod
    def back(value):
        return tuple(np.asarray(each) for each in value) if isinstance(value, tuple) else np.asarray(value)


class Torch(Numpy):
    def __init__(self, module):
        super().__init__(module)
        import torch
        self.settings = {"dtype": torch.float64}

    def array(self, values):
        import torch
        return torch.tensor(np.asarray(values), dtype=torch.float64)

    @staticmethod
    def back(value):
        return tuple(each.numpy() for each in value) if isinstance(value, tuple) else value.numpy()


class Jax(Numpy):
    """Compiles each function. Arguments that are not arrays are static."""

    def __init__(self, module):
        super().__init__(module)
        import jax
        jax.config.update("jax_enable_x64", True)
        self.jax = jax
        self.settings = {"dtype": jax.numpy.float64}
        self.parameters = {}

    def array(self, values):
        return self.jax.numpy.asarray(values, self.jax.numpy.float64)

    def call(self, name, *arrays, **settings):
        known = self.takes(name)
        static = {key: value for key, value in {**settings, **self.settings}.items() if key in known}
        if "parameters" in known:
            arrays = (self.parameters, *arrays)
            names = ["parameters", *list(known)[1:len(arrays)]]
        else:
            names = list(known)[:len(arrays)]
        return self.jax.jit(lambda given: getattr(self.module, name)(**dict(zip(names, given)), **static))(arrays)


class Flex(Torch):
    """score_mod and mask_mod, called with broadcast indices, like FlexAttention calls them through vmap."""

    def indexes(self, heads, queries, keys):
        import torch
        return (torch.tensor(0), torch.arange(heads, dtype=torch.int32)[:, None, None],
                torch.arange(queries, dtype=torch.int32)[:, None], torch.arange(keys, dtype=torch.int32))

    def takes(self, name):
        return super().takes({"bias": "make_score_mod", "mask": "make_mask_mod"}.get(name, name))

    def call(self, name, *arrays, **settings):
        import torch
        if name not in ("bias", "mask", "temperature"):
            return super().call(name, *arrays, **settings)
        heads, queries, keys = settings["heads"], settings["queries"], settings.get("keys", settings["queries"])
        settings = {"length": keys, **settings, "offset": keys - queries}
        at = self.indexes(heads, queries, keys)
        if name == "mask":
            return super().call("make_mask_mod", *arrays, **settings)(*at).expand(heads, queries, keys)
        score_mod = super().call("make_score_mod", *arrays, **settings)
        score = torch.zeros((heads, queries, keys), dtype=torch.float64)
        shifted = score_mod(score, *at)
        if name == "bias":
            return shifted
        return (score_mod(score + 1.0, *at) - shifted)[0, :, 0]


TARGETS = {"numpy": Numpy, "torch": Torch, "flex-attention": Flex, "jax": Jax}


class Trip:
    def __init__(self, target, program, folder):
        self.target, self.program, self.folder = target, program, folder
        self.count = itertools.count()
        self.pending = []
        self.pool = concurrent.futures.ThreadPoolExecutor(2)

    def export(self, scheme, file=None):
        module = exported(self.program, scheme, self.target, self.folder, *(["--from", file] if file else []))
        return TARGETS[self.target](module)

    def equal(self, what, values, scheme, *options, file=None):
        """Runs compare, which must find the values equal; finish() checks the answer."""
        path = self.folder / f"{next(self.count)}.npy"
        np.save(path, values)
        command = [self.program, "compare", path, "--scheme", scheme, *map(str, options),
                   *(["--from", file] if file else [])]
        self.pending.append((what, self.pool.submit(subprocess.run, command, stdout=subprocess.PIPE,
                                                    stderr=subprocess.STDOUT, text=True)))

    def scheme_file(self, name, **settings):
        """Writes a file with a scheme of these settings. Returns the file and the scheme's name."""
        path = self.folder / f"{next(self.count)}.toml"
        path.write_text(f"[scheme.{name}]\n" + "".join(f"{key} = {value}\n" for key, value in settings.items()))
        return path

    def finish(self):
        failed = 0
        for what, future in self.pending:
            done = future.result()
            if done.returncode != 0 or "\nequal: " not in done.stdout:
                failed += 1
                print(f"{what}:\n{done.stdout}")
        print(f"{self.target}: {len(self.pending)} comparisons, {failed} not equal")
        return failed == 0 and len(self.pending) > 0


def scheme_of(trip, name, file=None):
    """The scheme's settings, as `farfield show` prints them."""
    import tomllib
    text = subprocess.run([trip.program, "show", name], capture_output=True, text=True, check=True).stdout
    return tomllib.loads(text.split("\n\n#")[0])["scheme"][name]


def names(settings, formula):
    """The params and let entries that the formula depends on, for a derived scheme."""
    def words(text):
        return set(re.findall(r"[A-Za-z_]\w*", str(text)))

    used, found = set(), words(formula)
    while found - used:
        used |= found
        found = set().union(*(words(settings.get("let", {}).get(name, "")) for name in used))
    tables = {}
    for key in ("params", "let"):
        entries = [f"{name} = {json.dumps(value)}" for name, value in settings.get(key, {}).items() if name in used]
        if entries:
            tables[key] = "{ " + ", ".join(entries) + " }"
    return tables


def check_bias(trip, library, name, options, label, file=None, **settings):
    for queries in (LENGTH, 3):
        bias = library.back(library.call("bias", heads=HEADS, queries=queries, keys=LENGTH, head_dim=DIM, train_length=TRAINED, **settings))
        assert bias.shape == (HEADS, queries, LENGTH), bias.shape
        assert not np.isnan(bias).any(), f"{label}: NaN"
        trip.equal(f"{label} bias of {queries} queries", bias, name, "--part", "bias", "--head-dim", DIM, "--train-length",
                   TRAINED, *options, file=file)


def check_mask(trip, library, name, label, file=None):
    for queries in (LENGTH, 3):
        mask = library.back(library.call("mask", heads=HEADS, queries=queries, keys=LENGTH, train_length=TRAINED))
        assert mask.dtype == bool
        trip.equal(f"{label} mask of {queries} queries", np.broadcast_to(mask, (HEADS, queries, LENGTH)), name, "--part",
                   "mask", "--axes", "heads,queries,keys", "--train-length", TRAINED, "--length", LENGTH, file=file)


def check_rotation(trip, library, name, label, file=None):
    tables = library.call("rotation", positions=LENGTH, head_dim=DIM, train_length=TRAINED)
    options = ["--length", LENGTH, "--train-length", TRAINED, "--head-dim", DIM]
    for part, table in zip(("cos", "sin", "scale"), library.back(tables)):
        trip.equal(f"{label} {part}", table, name, "--part", part, *options, file=file)
    random = np.random.default_rng(1)
    q, k = random.standard_normal((2, LENGTH, DIM))
    turned = library.back(library.call("rotate", library.array(q), library.array(k), *tables))
    last = library.back(library.call("rotate", library.array(q[-3:]), library.array(k), *tables))[0]
    assert (last == turned[0][-3:]).all(), f"{label}: the last queries alone are rotated differently"
    for part, given, value in (("q", q, turned[0]), ("k", k, turned[1])):
        np.save(trip.folder / f"{label}-{part}.npy", given)
        trip.equal(f"{label} rotated {part}", value, name, "--part", part, "--input",
                   trip.folder / f"{label}-{part}.npy", "--length", LENGTH, "--train-length", TRAINED, file=file)


def check_far(trip, library, name, settings):
    """The tables of both rotations, the positions of the second one, and the rotated q and k, compared with schemes of
    one rotation."""
    rotate = settings["rotate"]
    kept = {key: value for key, value in rotate.items() if key not in ("far", "angle")}
    far = rotate["far"]
    angles = {"rotation": rotate["angle"], "query": far["query"], "key": far.get("key", rotate["angle"])}
    others = {key: json.dumps(value) if isinstance(value, str) else value for key, value in kept.items()}
    options = ["--length", LENGTH, "--train-length", TRAINED, "--head-dim", DIM]
    given = {"positions": LENGTH, "head_dim": DIM, "train_length": TRAINED}
    near, tables = library.call("rotation", **given), library.call("far_rotation", **given)
    random = np.random.default_rng(1)
    q, k = random.standard_normal((2, LENGTH, DIM))
    turned = library.back(library.call("rotate_far", library.array(q), library.array(k), *tables, *near[2:]))
    last = library.back(library.call("rotate_far", library.array(q[-3:]), library.array(k), *tables, *near[2:]))[0]
    assert (last == turned[0][-3:]).all(), f"{name}: the last queries alone are rotated differently"
    for part, vectors, value in (("q", q, turned[0]), ("k", k, turned[1])):
        angle = angles["query" if part == "q" else "key"]
        entries = ", ".join(f"{key} = {value}" for key, value in {"angle": json.dumps(angle), **others}.items())
        file = trip.scheme_file("derived", rotate=f"{{ {entries} }}", **names(settings, angle))
        np.save(trip.folder / f"{name}-{part}.npy", vectors)
        trip.equal(f"{name} far {part}", value, "derived", "--part", part, "--input", trip.folder / f"{name}-{part}.npy",
                   "--length", LENGTH, "--train-length", TRAINED, file=file)
    for at, angle in ((0, angles["rotation"]), (1, angles["query"]), (2, angles["key"])):
        entries = ", ".join(f"{key} = {value}" for key, value in {"angle": json.dumps(angle), **others}.items())
        file = trip.scheme_file("derived", rotate=f"{{ {entries} }}", **names(settings, angle))
        cosine, sine = library.back(tuple(near[:2] if at == 0 else tables[2 * at - 2:2 * at]))
        if angle == "0":  # compare cannot determine how many columns of equal numbers belong to a head
            assert (cosine == 1).all() and (sine == 0).all(), f"{name}: rotation {at} by 0"
            continue
        for part, table in (("cos", cosine), ("sin", sine)):
            trip.equal(f"{name} {part} of rotation {at}", table, "derived", "--part", part, *options, file=file)
    where = library.back(library.call("far", queries=LENGTH, keys=LENGTH, head_dim=DIM, train_length=TRAINED))
    file = trip.scheme_file("derived", mask=json.dumps(far["where"]), causal="false", **names(settings, far["where"]))
    trip.equal(f"{name} far", where, "derived", "--part", "mask", "--length", LENGTH, "--train-length", TRAINED,
               "--head-dim", DIM, file=file)


def check_embedding(trip, library, name, settings):
    if settings["embed"].get("learned"):
        most = settings["embed"]["max_length"]
        vectors = library.array(np.arange(2.0 * most).reshape(most, 2))
        found = library.back(library.call("embedding", vectors, positions=LENGTH))
        assert (found == np.arange(2.0 * LENGTH).reshape(LENGTH, 2)).all()
        try:
            library.call("embedding", vectors, positions=most + 1)
        except ValueError:
            return
        raise AssertionError(f"{name}: positions beyond the table")
    found = library.back(library.call("embedding", positions=LENGTH, width=WIDTH))
    assert found.shape == (LENGTH, WIDTH)
    for parity, dimension in (("even", 0), ("odd", 1)):
        angle = settings["embed"].get(parity, "0")
        file = trip.scheme_file("derived", rotate=f"{{ angle = {json.dumps(angle)} }}", **names(settings, angle))
        trip.equal(f"{name} {parity} dimensions", found[:, dimension::2], "derived", "--part", "angle",
                   file=file)


def check_temperature(trip, library, name, settings):
    found = library.back(library.call("temperature", heads=HEADS, queries=LENGTH, train_length=TRAINED))
    file = trip.scheme_file("derived", bias=json.dumps(settings["temperature"]),
                            **names(settings, settings["temperature"]))
    values = np.broadcast_to(found[:, None], (LENGTH, LENGTH))
    trip.equal(f"{name} temperature", values, "derived", "--part", "bias", "--axes", "queries,keys", "--train-length",
               TRAINED, file=file)


def check_relative(trip, library, name, settings):
    clip, causal = settings["relative"].get("clip", 16), settings.get("causal", True)
    classes = clip + 1 if causal else 2 * clip + 1
    random = np.random.default_rng(2)
    q, vectors = random.standard_normal((LENGTH, DIM)), random.standard_normal((classes, DIM))
    formula = f"clamp(n, {-clip if not causal else 0}, {clip})" + ("" if causal else f" + {clip}")
    file = trip.scheme_file("derived", bias=json.dumps(formula), causal=str(causal).lower())
    chosen = library.back(library.call("relative", queries=LENGTH, keys=LENGTH))
    trip.equal(f"{name} classes", chosen.astype(float), "derived", "--part", "bias", file=file)
    scores = library.back(library.call("relative_scores", library.array(q), library.array(vectors), keys=LENGTH))
    weights = random.random((LENGTH, LENGTH))
    values = library.back(library.call("relative_values", library.array(weights), library.array(vectors)))
    for at, of in ((5, 0), (39, 38), (39, 2), (17, 1)):
        assert np.isclose(scores[at, of], q[at] @ vectors[min(at - of, clip)], rtol=1e-13), "relative_scores"
    wanted = sum(weights[30, key] * vectors[min(max(30 - key, 0), clip)] for key in range(LENGTH))
    assert np.allclose(values[30], wanted, rtol=1e-12), "relative_values"


def inverse_softplus(value):
    return value + np.log(-np.expm1(-value))


def check_learned(trip, library, name, settings):
    """Different values for each head, which compare checks one head at a time."""
    random = np.random.default_rng(3)
    values = {key: np.round(random.uniform(0.5, 2.5, HEADS), 6) for key in settings["learn"]}
    given = {key: library.array(inverse_softplus(value)) if trip.target == "jax" else library.array(value)
             for key, value in values.items()}
    library.parameters = given
    bias = library.back(library.call("bias", heads=HEADS, queries=LENGTH, keys=LENGTH, **({} if trip.target == "jax" else given)))
    for head in range(HEADS):
        sets = [f"--set={key}={float(value[head])!r}" for key, value in values.items()]
        trip.equal(f"{name} head {head + 1}", bias[head], name, "--part", "bias", "--axes", "queries,keys", "--heads",
                   HEADS, "--head", head + 1, *sets)


def check_table(trip, library, name, settings):
    """A table whose entries are their own indices shows which entry was used."""
    size = settings["learn"]["weight"]["size"]
    table = np.arange(float(size)) + 100.0 * np.arange(HEADS)[:, None]
    library.parameters = {"weight": library.array(table)}
    given = {} if trip.target == "jax" else {"weight": library.array(table)}
    for count, most in ((32, 128), (32, 256), (24, 100)):
        length = 300
        bias = library.back(library.call("bias", heads=HEADS, queries=length, keys=length, buckets=count, max_distance=most, **given))
        bucket = f"t5_bucket(n, {count}, {most})"
        if name == "t5-bidirectional":
            bucket = f"t5_bucket(abs(n), {count // 2}, {most}) + (n < 0 ? {count // 2} : 0)"
        causal = "false" if name == "t5-bidirectional" else "true"
        trip.equal(f"{name} of {count} buckets to {most}", bias, "derived", "--part", "bias",
                   file=trip.scheme_file("derived", causal=causal, bias=json.dumps(f"{bucket} + 100*(h - 1)")))


def check_factors(trip, library, name, settings):
    """Tables of the pair's index, counted from 1, divide each angle by a different number. The long table has twice the
    values."""
    factors = np.arange(1.0, settings["learn"]["short"]["size"] + 1)
    library.parameters = {"short": library.array(factors), "long": library.array(2 * factors)}
    given = {} if trip.target == "jax" else library.parameters
    for original, divisor in ((LENGTH, "(i + 1)"), (LENGTH - 1, "(2*(i + 1))")):
        tables = library.back(library.call("rotation", positions=LENGTH, head_dim=DIM, original=original, **given))
        file = trip.scheme_file("derived", rotate=f'{{ angle = "p*10000^(-2*i/d)/{divisor}" }}')
        for part, table in zip(("cos", "sin"), tables):
            trip.equal(f"{name} made for {original}, {part}", table, "derived", "--part", part, "--head-dim", DIM, file=file)


def start_learned(library, heads):
    """Sets the learned numbers of a JAX module's functions. Numbers of a scheme that do not depend on the head may be
    single."""
    start = getattr(library.module, "initial_parameters", None)
    if start is None:
        return
    sizes = {"heads": heads} if "heads" in inspect.signature(start).parameters else {}
    library.parameters = start(**sizes, dtype=library.settings["dtype"])


def check_scheme(trip, name):
    settings = scheme_of(trip, name)
    if trip.target == "flex-attention" and settings.get("relative", {}).get("values", "relative" in settings):
        return  # refused: tests/errors
    is_far = "far" in settings.get("rotate", {})
    if is_far and trip.target == "flex-attention":
        return  # refused too
    library = trip.export(name)
    if "learn" in settings:
        start_learned(library, HEADS)
    if "embed" in settings:
        check_embedding(trip, library, name, settings)
    if is_far:
        check_far(trip, library, name, settings)
    elif "rotate" in settings:
        check_rotation(trip, library, name, name)
    if "bias" in settings:
        check_bias(trip, library, name, [], name)
    check_mask(trip, library, name, name)
    if "temperature" in settings:
        check_temperature(trip, library, name, settings)
    if "relative" in settings:
        check_relative(trip, library, name, settings)
    if "weight" in settings.get("learn", {}):
        check_table(trip, library, name, settings)
    elif "short" in settings.get("learn", {}):
        check_factors(trip, library, name, settings)
    elif "learn" in settings:
        check_learned(trip, library, name, settings)


def is_refused_loop(trip, name, file):
    """FlexAttention's closures cannot loop over positions, and the program says so."""
    if not name.startswith("random-loop"):
        return False
    done = subprocess.run([trip.program, "export", name, "--to", trip.target, "--from", file], capture_output=True, text=True)
    assert done.returncode in (0, 2), done.stderr
    return done.returncode == 2 and "What a loop runs over must be known before the positions are." in done.stderr


def check_random(trip, program):
    """Checks random formulas from the program, with three heads and twelve positions."""
    text = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    file = trip.folder / "random.toml"
    file.write_text(text)
    import tomllib
    schemes = tomllib.loads(text)["scheme"]
    heads, length = 3, 12
    for name, settings in schemes.items():
        if trip.target == "flex-attention" and is_refused_loop(trip, name, file):
            continue
        library = trip.export(name, file=file)
        start_learned(library, heads)
        for part in {"bias", "mask"} & settings.keys():
            found = library.back(library.call(part, heads=heads, queries=length, keys=length))
            trip.equal(f"{name}: {settings[part]}", np.broadcast_to(found, (heads, length, length)), name, "--part", part,
                       "--axes", "heads,queries,keys", file=file)
    assert len(schemes) >= 140


# Cases that the catalogue lacks: names that Python or the exported source reserves, and unusual conventions.
UNUSUAL = r'''
[scheme.names]
doc    = 'A """ within \\ a text'
params = { lambda = 0.5, heads = 2, np = 3, values = 1.5, number = 4, class = 2, _x = 0.25, queries = 0.5, terms1 = 2 }
learn  = { self = { init = 1.5, per = "head" }, None = { init = 0.5 } }
let    = { bias = "lambda*n", torch = "bias + class" }
bias   = "-torch - heads*values/number + _x*queries*terms1*self + None + sum(range, 0, np, range*n)"

[scheme.scaled]
bias        = { formula = "-n/h", when = "L > Ltr" }
bias_scaled = true
causal      = false

[scheme.seen]
mask = { formula = "n < 4*h", when = "L > Ltr" }

[scheme.loops]
params = { add = 2, where = 3 }
bias   = "-sum(i, 1, where, prod(j, i, 2*i, 1 + j*n/10)) - sum(j, 0, h, j)"
mask   = "n < add*10"

[scheme.shifted]
params = { s = 7, w = 2 }
let    = { f = "10^(-2*i/d)", wide = "n > 4" }
rotate = { angle = "p*f", scale = "(1 + (i + 1)/d)^(p/64)", pairs = "halves", far = { where = "n >= s and (wide or k > 3)", query = "(p - s + w)*f", key = "p*0.9*f" } }

[scheme.halves]
rotate = { angle = "p/(i + 1)", scale = "(1 + (i + 1)/d)^(p/64)", origin = "end", pairs = "halves" }
'''


def check_unusual(trip):
    file = trip.folder / "unusual.toml"
    file.write_text(UNUSUAL)
    for name, part in (("names", "bias"), ("scaled", "bias"), ("seen", "mask"), ("loops", "bias"), ("halves", "rotation")):
        library = trip.export(name, file=file)
        start_learned(library, HEADS)
        if part == "bias":
            check_bias(trip, library, name, [], name, file=file)
        if part == "rotation":
            check_rotation(trip, library, name, name, file=file)
        check_mask(trip, library, name, name, file=file)
    if trip.target != "flex-attention":
        import tomllib
        check_far(trip, trip.export("shifted", file=file), "shifted", tomllib.loads(UNUSUAL)["scheme"]["shifted"])


def main():
    go_where_installed(sys.argv[1], sys.argv[4])
    global np
    import numpy as np
    np.seterr(all="ignore")
    target, program = sys.argv[1], os.path.abspath(sys.argv[2])
    with tempfile.TemporaryDirectory() as name:
        trip = Trip(target, program, pathlib.Path(name))
        listed = json.loads(subprocess.run([program, "list", "schemes", "--json"], capture_output=True, text=True,
                                           check=True).stdout)
        for scheme in [each["name"] for each in listed]:
            check_scheme(trip, scheme)
        check_unusual(trip)
        check_random(trip, os.path.abspath(sys.argv[3]))
        return 0 if trip.finish() else 1


if __name__ == "__main__":
    sys.exit(main())
