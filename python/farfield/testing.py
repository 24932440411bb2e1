"""Assertions for test suites: they check that a model computes a scheme at the positions and in the type of serving."""
from __future__ import annotations

import difflib
import inspect
import operator
import sys
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _core
from ._arrays import doubles_of
from ._comparison import compare
from ._doctor import Configuration, doctor
from ._schemes import Scheme, scheme_of
from .errors import InputError

CONTEXT = ("heads", "head", "head_dim", "length", "train_length")
TABLES = ("cos", "sin", "scale")
QUERIES = 4  # of a bias: the last queries, whose distances cover all positions


def assert_scheme(
    module_or_tensors: Any,
    scheme: Union[str, Scheme],
    config: Optional[Mapping[str, Any]] = None,
    *,
    positions: Union[int, Sequence[int], None] = None,
    dtype: Any = None,
    part: Optional[str] = None,
    accept: Sequence[str] = (),
) -> None:
    """Raises AssertionError if the numbers are not those of the scheme, with the differences and their explanation.

    `module_or_tensors` is a tensor of `part`; a pair (cos, sin), or cos, sin and scale; a dict of tensors by part; or a
    module. A module with an argument `position_ids`, such as the rotary modules of transformers, is called with it and
    must return (cos, sin). A module with a method `bias(queries, keys)`, such as those that `farfield export` writes,
    is called for the last queries. Any other module is called with the positions and must return tensors. Tables have
    the shape [positions, pairs], or [positions, head_dim] with each number twice; leading axes of length 1 are ignored.
    A bias has the shape [heads, queries, keys].

    `config` gives the scheme's params and learned values, and heads, head_dim, length and train_length. `positions` is
    the served length, of which all positions 0, 1, ... are checked, or a list of positions. It is required for a
    module. `dtype` is the type used in serving ("bfloat16", torch.bfloat16); a tensor of another type fails. Numbers
    are compared as in compare(), in units of the spacing of their own type. Conventions and float32 roundings pass
    (Variation.is_convention), and so do the variations in `accept`. An invalid argument raises InputError.
    """
    __tracebackhide__ = True
    chosen, context, learned = _configured(scheme_of(scheme), config or {})
    numbers = None if positions is None else _positions(positions)
    known = [*(each.name for each in _core.variations())]
    for name in accept:
        if name not in known:
            raise InputError(f"accept has '{name}'{_nearest(name, known)}: write the name of a variation")
    accepted = set(accept)
    tensors = _tensors(module_or_tensors, numbers, dtype, part)
    for of_part, tensor in tensors.items():
        if not hasattr(tensor, "ndim"):
            raise InputError(f"{of_part or 'the tensor'} is {tensor!r}: write an array or a tensor")
    problems = [
        problem
        for name, tensor in tensors.items()
        for problem in _problems(tensor, name, chosen, context, learned, numbers, dtype, accepted)
    ]
    if problems:
        raise AssertionError("\n".join([f"not {chosen.name}:", *problems]))


def _nearest(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, 1)
    return f" (did you mean '{near[0]}'?)" if near else ""


def _positions(positions: Union[int, Sequence[int]]) -> List[int]:
    if isinstance(positions, (int, np.integer)) and not isinstance(positions, bool) and positions > 0:
        return list(range(int(positions)))
    try:
        is_list = not isinstance(positions, (str, bytes, Mapping, set))
        given = [*positions] if is_list else []  # type: ignore[misc]
        numbers = [] if any(isinstance(each, bool) for each in given) else [operator.index(each) for each in given]
    except TypeError:
        numbers = []
    if not numbers or min(numbers) < 0:
        raise InputError(f"positions is {positions!r}: write a number of positions above 0, or a list of positions")
    return numbers


def _configured(scheme: Scheme, config: Mapping[str, Any]) -> Tuple[Scheme, Dict[str, Any], Dict[str, Any]]:
    """The scheme with its params, the context, and the learned values."""
    known = [*scheme.params, *scheme.learned, *CONTEXT]
    for name in config:
        if name not in known:
            raise InputError(
                f"config has '{name}'{_nearest(name, known)}: expected one of {', '.join(known)}"
            )
    params = {name: value for name, value in config.items() if name in scheme.params}
    context = {name: value for name, value in config.items() if name in CONTEXT}
    learned = {name: value for name, value in config.items() if name in scheme.learned}
    return (scheme.with_(**params) if params else scheme), context, learned


def _tensors(given: Any, positions: Optional[List[int]], dtype: Any, part: Optional[str]) -> Dict[Optional[str], Any]:
    """The tensors by part."""
    is_bias = hasattr(given, "bias") and callable(given.bias)
    if is_bias or callable(given):
        if positions is None:
            raise InputError("positions is missing: write the length that the module is served with")
        if is_bias and part in (None, "bias"):
            if positions != list(range(len(positions))):
                raise InputError("positions is a list: write the number of keys, of which a bias has all")
            return {"bias": given.bias(min(QUERIES, len(positions)), len(positions))}
        given = _called(given, positions, dtype)
    if isinstance(given, Mapping):
        if not given:
            raise InputError("there are no tensors: write a dict of tensors by part, such as {'cos': cos}")
        return dict(given)
    if isinstance(given, (tuple, list)):
        if not 1 <= len(given) <= len(TABLES):
            raise InputError(f"{len(given)} tensors: write (cos, sin), (cos, sin, scale), or a dict of parts")
        return dict(zip(TABLES, given))
    return {part: given}


def _called(module: Any, positions: List[int], dtype: Any) -> Any:
    torch = sys.modules.get("torch")
    function = module.forward if torch is not None and isinstance(module, torch.nn.Module) else module
    if torch is None or not (function is not module or "position_ids" in inspect.signature(function).parameters):
        return module(np.asarray(positions))
    at = torch.tensor(positions)
    with torch.no_grad():
        if "position_ids" not in inspect.signature(function).parameters:
            return module(at)
        served = getattr(torch, _type_name(dtype)) if dtype is not None else torch.get_default_dtype()
        return module(torch.zeros(1, 1, len(positions), 1, dtype=served), at[None])


def _type_name(dtype: Any) -> str:
    """The name of a type, such as "bfloat16", of a text or a type of PyTorch, JAX or NumPy."""
    text = dtype if isinstance(dtype, str) else getattr(dtype, "__name__", None) or str(dtype)
    return text.rsplit(".", 1)[-1]


def _once(table: Any, head_dim: Optional[int]) -> Any:
    """Reduces a table with each number twice, as halves or as adjacent pairs, to [positions, pairs].

    Returns any other table unchanged, and one that has a column for each pair of `head_dim`.
    """
    width = table.shape[-1]
    if width % 2 or width < 2 or 2 * width == head_dim:
        return table
    numbers = doubles_of(table, "table")
    for first, second in ((slice(0, width // 2), slice(width // 2, width)), (slice(0, None, 2), slice(1, None, 2))):
        if width > 2 and np.array_equal(numbers[..., first], numbers[..., second], equal_nan=True):
            return table[..., first]
    return table


def _problems(
    tensor: Any,
    part: Optional[str],
    scheme: Scheme,
    context: Dict[str, Any],
    learned: Dict[str, Any],
    positions: Optional[List[int]],
    dtype: Any,
    accepted: "set[str]",
) -> List[str]:
    name = part or "the tensor"
    if dtype is not None and part != "mask" and _type_name(tensor.dtype) != _type_name(dtype):
        return [f"{name} is {_type_name(tensor.dtype)}, and {_type_name(dtype)} is served"]
    axes = 2 if part in TABLES else 3
    while tensor.ndim > axes and tensor.shape[0] == 1:
        tensor = tensor[0]
    if part in TABLES:
        tensor = _once(tensor, context.get("head_dim"))
        if positions is not None and tensor.shape[0] != len(positions):
            return [f"{name} has {tensor.shape[0]} rows for {len(positions)} positions"]
    at = None
    if part in TABLES and positions is not None and positions != list(range(len(positions))):
        at = {"positions": np.asarray(positions, float)}
        context = {"length": max(positions) + 1, **context}
    answer = compare(tensor, scheme, part=part, at=at, learned=learned, **context)
    if answer.agrees or any(_is_accepted(each, accepted) for each in [answer.variations, *answer.others]):
        return []
    rest = [each.name for each in answer.variations if not each.is_convention and each.name not in accepted]
    text = f"{name}:\n{answer}"
    if rest:
        text += f"\nIf that is meant, write accept={rest!r}."
    return [text]


def _is_accepted(variations: List[_core.Variation], accepted: "set[str]") -> bool:
    named = [each.name in accepted for each in variations]
    return any(named) and all(each or one.is_convention for each, one in zip(named, variations))


def assert_config(
    configuration: Configuration,
    *,
    served: Optional[int] = None,
    engines: Sequence[str] = (),
    allow: Sequence[str] = (),
) -> None:
    """Raises AssertionError with the findings if `doctor` has a warning or an error whose id is not in `allow`."""
    findings = doctor(configuration, served=served, engines=engines)["findings"]
    left = [each for each in findings if each["severity"] != "note" and each["id"] not in allow]
    if left:
        lines = [f"{each['file']}:{each['line']}: {each['severity']}: {each['message']} [{each['id']}]" for each in left]
        raise AssertionError("\n".join(lines))
