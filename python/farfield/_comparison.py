"""What an implementation computed against what a scheme says."""
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

# Those of the ml_dtypes package, which numpy knows by name alone, have their own name here.
TYPES = {"bool": "boolean", "complex64": "float32", "complex128": "float64", "float8_e4m3fn": "float8_e4m3"}


def _opened(tensor: Tensor, tensor_name: str, name: str) -> Tuple[_core.Tensor, str]:
    """The tensor of a file or over an array's memory, and what messages call it."""
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
    """As ``farfield compare FILE --scheme SCHEME``, of an array, or of a .npy, .npz or .safetensors file by its path.

    The array may hold float64, float32, float16, whole numbers, booleans, complex numbers, or the bfloat16 and float8
    types of ml_dtypes; or it is a tensor of PyTorch, JAX or another library with DLPack, of any of these types,
    with gradients or without. In row-major order it is read where it lies; another is copied. `part` is "bias",
    "mask", "cos", "sin", "turn", "scale", "angle", "cos-sin", "embed", "q" or "k"; the last two want the vectors
    before the rotation as `input`. `at` has the coordinates along an axis: {"positions": [0, 255, 4096]}, or a formula of
    them, {"positions": "p + 5"} or {"distances": "n + 1"}. `head` is the head of a tensor of one, `first_head` the
    first of several.
    `learned` has the values of learned names: of a scalar one a head, of a table its entries or those of each head
    in turn.
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
    """As ``farfield compare FILE --laws``, of an array or a file: a bias or mask, or a rotation's `part` "cos", "sin" or "turn"."""
    with with_threads(threads):
        return Listing(_core.laws(*_opened(tensor, tensor_name, "array"), part, ulp), LAW_HEADER, law_row)


@documented_by(_core.variations)
def variations() -> List[_core.Variation]:
    return _core.variations()
