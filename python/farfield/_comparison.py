"""Comparison of computed tensors with a scheme."""
from __future__ import annotations

import os
import sys
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._arrays import doubles_of, is_foreign, tensor_of
from ._display import LAW_HEADER, Listing, law_row
from ._documented import documented_by
from ._schemes import Scheme, scheme_of
from ._threads import with_threads
from .errors import InputError

Tensor = Union[npt.NDArray[Any], str, os.PathLike[str], Any]

# The core's names of NumPy types, if they differ. A complex type has the name of the type of its parts.
TYPES = {"bool": "boolean", "complex64": "float32", "complex128": "float64", "float8_e4m3fn": "float8_e4m3"}


def _opened(tensor: Tensor, tensor_name: str, name: str) -> Tuple[_core.Tensor, str]:
    """The tensor of a file or over an array's memory, and its name in messages."""
    if isinstance(tensor, (str, os.PathLike)):
        path = os.fspath(tensor)
        return _core.open_tensor(path, tensor_name), path
    if is_foreign(tensor):
        return tensor_of(tensor, name), name
    array = np.ascontiguousarray(tensor)
    kind = array.dtype.name
    is_big_endian = array.dtype.byteorder == (">" if sys.byteorder == "little" else "=")
    opened = _core.tensor_of_array(array, TYPES.get(kind, kind), array.dtype.kind == "c", is_big_endian, name)
    return opened, name


@documented_by(_core.compare)
def compare(
    tensor: Tensor,
    scheme: Union[str, Scheme],
    *,
    part: Optional[str] = None,
    axes: Union[str, Sequence[str]] = "",
    at: Optional[Mapping[str, Union[npt.ArrayLike, str]]] = None,
    learned: Optional[Mapping[str, npt.ArrayLike]] = None,
    input: Optional[Tensor] = None,
    ulp: Optional[float] = None,
    heads: Optional[int] = None,
    head: Optional[int] = None,
    first_head: Optional[int] = None,
    head_dim: Optional[int] = None,
    length: Optional[int] = None,
    train_length: Optional[int] = None,
    tensor_name: str = "",
    input_name: str = "",
    threads: Optional[int] = None,
) -> _core.Answer:
    """Compares a tensor with a scheme, like ``farfield compare FILE --scheme SCHEME``.

    `tensor` is an array, or the path of a .npy, .npz or .safetensors file. An array has the type float64, float32,
    float16, an integer type, boolean, complex, or bfloat16 or float8 of ml_dtypes. It may also be a tensor of PyTorch,
    JAX or another library with DLPack, with or without gradients. An array in row-major order is not copied.

    `part` is "bias", "mask", "cos", "sin", "turn", "scale", "angle", "cos-sin", "embed", "q" or "k". "q" and "k" need
    the vectors before the rotation as `input`. `at` gives the coordinates along an axis, {"positions": [0, 255, 4096]},
    or a formula of them, {"positions": "p + 5"} or {"distances": "n + 1"}. `head` is the head of a tensor with one
    head, `first_head` the first head of a tensor with several. `learned` gives the values of learned names: for a
    scalar, one value for each head; for a table, its entries, or the entries of each head one after another.
    """
    if head is not None and first_head is not None:
        raise InputError("head and first_head are both given: give head for a tensor of one head, first_head for several")
    context: Dict[str, Optional[float]] = {
        "heads": heads,
        "head": head if first_head is None else first_head,
        "head_dim": head_dim,
        "length": length,
        "train_length": train_length,
    }
    opened, name = _opened(tensor, tensor_name, "array")
    before = None if input is None else _opened(input, input_name, "input")[0]
    names = axes if isinstance(axes, str) else ",".join(axes)
    formulas = [(axis, each) for axis, each in (at or {}).items() if isinstance(each, str)]
    places = _lists({axis: each for axis, each in (at or {}).items() if not isinstance(each, str)})
    values = _arrays(learned)
    with with_threads(threads):
        return _core.compare(
            opened, name, scheme_of(scheme)._scheme, part, names, context, places, formulas, values, before, ulp
        )


def _lists(named: Optional[Mapping[str, npt.ArrayLike]]) -> List[Tuple[str, Any]]:
    return [(name, doubles_of(values, name).ravel()) for name, values in (named or {}).items()]


def _arrays(named: Optional[Mapping[str, npt.ArrayLike]]) -> List[Tuple[str, Any, Tuple[int, ...]]]:
    arrays = [(name, doubles_of(values, name)) for name, values in (named or {}).items()]
    return [(name, array.ravel(), array.shape) for name, array in arrays]


@documented_by(_core.laws)
def laws(
    tensor: Tensor,
    *,
    part: Optional[str] = None,
    ulp: float = 2,
    tensor_name: str = "",
    threads: Optional[int] = None,
) -> List[_core.Law]:
    """Checks the laws of a tensor, like ``farfield compare FILE --laws``.

    `tensor` is an array or the path of a file. It is a bias, a mask, or a rotation's `part` "cos", "sin" or "turn".
    """
    with with_threads(threads):
        return Listing(_core.laws(*_opened(tensor, tensor_name, "array"), part, ulp), LAW_HEADER, law_row)


@documented_by(_core.variations)
def variations() -> List[_core.Variation]:
    return _core.variations()
