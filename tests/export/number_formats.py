"""Exports in float16 and bfloat16 equal the float32 results after a cast, and the float32 results are near numpy's
doubles.

Positions, angles and masks are computed in integers and float32, whatever the type of the results. So each part of
every built-in scheme, at positions that neither half type represents (up to 4095), must have in a half type exactly the
float32 numbers, rounded once. The doubles come from the numpy export, which round_trip.py compares with the formulas.

Usage: number_formats.py TARGET FARFIELD VENV
"""
import inspect
import json
import os
import subprocess
import sys
import tempfile

from libraries import exported, go_where_installed

HEADS, QUERIES, KEYS, TRAINED, DIM = 6, 5, 4096, 1000, 32
# A rotation angle has about ten float32 roundings (a power, whose exponent is as large as log(base), and a product),
# and so has each term of a bias. Each is a relative error of 2^-24 of the largest operand, which is a position.
NEAR = 16 * 2.0**-24 * KEYS
# JAX compiles each operation for each shape and type, which takes a minute per scheme, so it checks one scheme of each
# part.
OF_JAX = ["alibi", "t5", "kerple-log", "rotary-yarn", "xpos", "windowed", "sinusoidal"]
SIZES = {"heads": HEADS, "queries": QUERIES, "keys": KEYS, "positions": KEYS, "head_dim": DIM, "width": DIM,
         "train_length": TRAINED, "layer": 1, "layers": 1}


class Torch:
    formats = ["float32", "bfloat16", "float16"]

    def __init__(self):
        import torch
        self.torch = torch

    def type(self, name):
        return getattr(self.torch, name)

    def cast(self, value, name):
        return value.to(self.type(name))

    def numbers(self, value):
        return value.detach().to(self.torch.float64).numpy()

    def array(self, values):
        return self.torch.tensor(values, dtype=self.torch.float32)

    def learned(self, module, values, name):
        return {key: self.cast(value, name) for key, value in values.items()}

    def module(self, source, sizes, name):
        """The learned values, made in float32 and then cast, as users do."""
        classes = [each for each in vars(source).values() if isinstance(each, type)]
        if not classes:
            return None
        self.torch.manual_seed(5)
        known = inspect.signature(classes[0]).parameters
        made = classes[0](**{key: size for key, size in sizes.items() if key in known})
        return made.to(self.type(name))


class Flex(Torch):
    """The change of a score by score_mod. FlexAttention passes the score in float32 for half types."""

    def call(self, source, part, settings):
        torch = self.torch
        at = (torch.tensor(0), torch.arange(HEADS)[:, None, None], torch.arange(QUERIES)[:, None], torch.arange(KEYS))
        settings = {**settings, "offset": KEYS - QUERIES, "length": KEYS}
        if part == "mask":
            return known(source.make_mask_mod, settings)(*at)
        return known(source.make_score_mod, settings)(torch.ones(1, HEADS, QUERIES, KEYS), *at)


class Jax:
    formats = ["float32", "bfloat16", "float16"]

    def __init__(self):
        import jax
        self.numpy = jax.numpy

    def type(self, name):
        return getattr(self.numpy, name)

    def cast(self, value, name):
        return value.astype(self.type(name))

    def numbers(self, value):
        return np.asarray(value.astype(self.numpy.float32), np.float64)

    def array(self, values):
        return self.numpy.asarray(values, self.numpy.float32)

    def learned(self, module, values, name):
        return {"parameters": {key: self.cast(value, name) for key, value in values.items()}}


def known(function, settings, *arguments):
    names = inspect.signature(function).parameters
    return function(*arguments, **{key: value for key, value in settings.items() if key in names})


def tuple_of(value):
    return value if isinstance(value, tuple) else (value,)


class Check:
    def __init__(self, library, scheme):
        self.library, self.scheme, self.wrong, self.count = library, scheme, [], 0

    def same(self, what, found, wanted, name):
        """Checks that `found` in a format equals `wanted` in float32, cast to the format."""
        for at, (one, other) in enumerate(zip(tuple_of(found), tuple_of(wanted), strict=True)):
            self.count += 1
            is_condition = str(other.dtype).endswith("bool")
            if not is_condition and one.dtype != self.library.type(name):
                self.wrong.append(f"{self.scheme} {what} {at} in {name}: its type is {one.dtype}")
            cast = other if is_condition else self.library.cast(other, name)
            if not np.array_equal(self.numbers(one), self.numbers(cast), equal_nan=True):
                off = np.nanmax(np.abs(self.numbers(one) * 1.0 - self.numbers(cast)))
                self.wrong.append(f"{self.scheme} {what} {at} in {name}: up to {off:.3g} from float32 cast to it")

    def numbers(self, value):
        return np.asarray(value) if str(value.dtype).endswith("bool") else self.library.numbers(value)

    def near(self, what, found, wanted):
        """Compares float32 with numpy's doubles."""
        for at, (one, other) in enumerate(zip(tuple_of(found), tuple_of(wanted), strict=True)):
            self.count += 1
            one, other = self.numbers(one), np.asarray(other)
            off = np.max(np.abs(one * 1.0 - other) / np.maximum(1.0, np.abs(other)))
            if not off <= (0 if other.dtype == bool else NEAR):
                self.wrong.append(f"{self.scheme} {what} {at} in float32: up to {off:.3g} from numpy's doubles")

    def exactly(self, what, found, wanted):
        """The values as numpy arrays."""
        self.count += 1
        if not np.array_equal(found, wanted, equal_nan=True):
            self.wrong.append(f"{self.scheme} {what}: different numbers than without an offset")


def values_of(library, settings):
    """Learned values that every format represents exactly: multiples of 1/8."""
    random = np.random.default_rng(4)
    values = {}
    for name, each in settings.get("learn", {}).items():
        shape = ([HEADS] if each.get("per") == "head" else []) + ([each["size"]] if "size" in each else [])
        values[name] = library.array(np.round(random.uniform(0.5, 2.5, shape) * 8) / 8)
    return values


PARTS = ["bias", "mask", "temperature", "rotation", "far_rotation", "far", "embedding"]


def check_functions(check, library, source, plain, settings):
    values = values_of(library, settings)
    is_jax = isinstance(library, Jax)
    for part in PARTS:
        if not hasattr(plain, part) or settings.get("embed", {}).get("learned") and part == "embedding":
            continue
        results = {}
        for name in library.formats:
            own = library.learned(source, values, name)
            results[name] = known(getattr(source, part), {**SIZES, **own, "dtype": library.type(name)})
        for name in library.formats:
            check.same(part, results[name], results["float32"], name)
        given = {key: np.asarray(value, np.float64) for key, value in values.items()}
        if is_jax:  # softplus in double precision
            given = {key: np.logaddexp(value, 0.0) if settings["learn"][key].get("positive") else value for key, value in given.items()}
        check.near(part, results["float32"], known(getattr(plain, part), {**SIZES, **given}))


def check_rotate(check, library, source, plain):
    """q and k keep their type. The float32 tables rotate them in float32, and the result is cast."""
    random = np.random.default_rng(6)
    q, k = random.standard_normal((2, KEYS, DIM))
    for pairs in ("interleaved", "halves"):
        for name in library.formats:
            held = [library.cast(library.array(each), name) for each in (q, k)]
            wide = [library.cast(each, "float32") for each in held]
            tables = source.rotation(KEYS, DIM)
            check.same(f"rotate {pairs}", source.rotate(*held, *tables, pairs=pairs),
                       source.rotate(*wide, *tables, pairs=pairs), name)
        of_numpy = plain.rotate(q, k, *plain.rotation(KEYS, DIM), pairs=pairs)
        scale = np.max(np.abs(of_numpy))
        check.near(f"rotate {pairs}", tuple(each / scale for each in source.rotate(
            library.array(q), library.array(k), *source.rotation(KEYS, DIM), pairs=pairs)),
            tuple(each / scale for each in of_numpy))


def check_module(check, library, source):
    """Compares a module after .bfloat16() or .half() with a float32 module that has the same rounded parameters."""
    torch = library.torch
    for name in ("bfloat16", "float16"):
        half = library.module(source, SIZES, name)
        if half is None:
            return
        wide = library.module(source, SIZES, "float32")
        wide.load_state_dict({key: value.to(torch.float32) for key, value in half.state_dict().items()})
        for part in PARTS:
            if hasattr(type(half), part) and part != "embedding":
                check.same(f"module's {part}", known(getattr(half, part), SIZES), known(getattr(wide, part), SIZES), name)
        if hasattr(half, "embedding"):
            check.same("module's embedding", half.embedding(100), wide.embedding(100), name)


def check_offsets(check, plain):
    """Rows that start at an offset equal rows of the whole."""
    settings = {**SIZES, "length": KEYS}
    for part in ("bias", "mask"):
        if hasattr(plain, part):
            last = known(getattr(plain, part), settings)
            same = known(getattr(plain, part), {**settings, "offset": KEYS - QUERIES})
            check.exactly(f"{part} with the offset of the last queries", same, last)
            full = known(getattr(plain, part), {**settings, "queries": 40, "keys": 40, "length": 40})
            cache = known(getattr(plain, part), {**settings, "queries": 3, "keys": 40, "offset": 7, "length": 40})
            check.exactly(f"{part} with an offset", cache, full[..., 7:10, :])
    for part, size in (("rotation", "positions"), ("embedding", "positions"), ("temperature", "queries")):
        function = getattr(plain, part, None)
        if function is None or "vectors" in inspect.signature(function).parameters:
            continue
        whole = known(function, {**settings, size: KEYS})
        some = known(function, {**settings, size: 7, "offset": KEYS - 7})
        if "offset" in inspect.signature(function).parameters:
            for one, other in zip(tuple_of(some), tuple_of(whole), strict=True):
                check.exactly(f"{part} with an offset", one, other[..., -7:, :] if one.ndim > 1 else other[..., -7:])


def check_flex(check, library, source, settings):
    values = values_of(library, settings)
    scores = {"scores": library.array(np.zeros((1, HEADS, QUERIES, 40)))}
    for part, function in (("mask", "make_mask_mod"), ("score", "make_score_mod")):
        if not hasattr(source, function):
            continue
        results = {name: library.call(source, part, {**SIZES, **scores, **library.learned(source, values, name),
                                                     "dtype": library.type(name)}) for name in library.formats}
        for name in library.formats:
            check.same(part, results[name], results["float32"], "float32")


def main():
    target, program, venv = sys.argv[1], os.path.abspath(sys.argv[2]), sys.argv[3]
    go_where_installed(target, venv)
    global np
    import tomllib

    import numpy as np
    np.seterr(all="ignore")
    library = {"torch": Torch, "flex-attention": Flex, "jax": Jax}[target]()
    listed = json.loads(subprocess.run([program, "list", "schemes", "--json"], capture_output=True, text=True, check=True).stdout)
    wrong, count = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for name in [each["name"] for each in listed] if target != "jax" else OF_JAX:
            text = subprocess.run([program, "show", name], capture_output=True, text=True, check=True).stdout
            settings = tomllib.loads(text.split("\n\n#")[0])["scheme"][name]
            if target == "flex-attention" and settings.get("relative", {}).get("values", "relative" in settings):
                continue  # refused: tests/errors
            if target == "flex-attention" and "far" in settings.get("rotate", {}):
                continue  # refused too
            source = exported(program, name, target, folder)
            plain = exported(program, name, "numpy", folder)
            check = Check(library, name)
            if target == "flex-attention":
                check_flex(check, library, source, settings)
            else:
                check_functions(check, library, source, plain, settings)
                if hasattr(source, "rotate"):
                    check_rotate(check, library, source, plain)
                if target == "torch":
                    check_module(check, library, source)
                check_offsets(check, plain)
            wrong += check.wrong
            count += check.count
    print("\n".join(wrong))
    print(f"{target}: {count} comparisons, {len(wrong)} wrong")
    return 0 if count > 100 and not wrong else 1


if __name__ == "__main__":
    sys.exit(main())
