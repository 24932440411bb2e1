"""NumPy arrays, and tensors of PyTorch, JAX and other libraries through DLPack."""
from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from .errors import Error, InputError


def is_foreign(value: Any) -> bool:
    """Whether `value` is another library's tensor."""
    return hasattr(value, "__dlpack__") and not isinstance(value, (np.ndarray, np.generic))


def tensor_of(value: Any, name: str) -> _core.Tensor:
    """Another library's tensor, of any numeric type, with or without gradients, in host or device memory."""
    try:
        # PyTorch exports no tensor that requires a gradient, or that is lazily conjugated or negated.
        for method in ("detach", "cpu", "resolve_conj", "resolve_neg"):
            value = getattr(value, method, lambda value=value: value)()
        return _core.tensor_of_dlpack(value, name)
    except Error:
        raise
    except Exception as error:  # each library raises its own classes
        raise InputError(f"{name} is a {type(value).__name__} that DLPack cannot read: {error}") from error


NOT_HELD = "an integer that float64 cannot hold: write it as a float"
_EXACT = 2**53  # float64 holds each integer up to here


def doubles_of(value: Any, name: str) -> npt.NDArray[np.float64]:
    """The numbers as float64. An array of float64 is not copied. An integer that float64 cannot hold is refused."""
    if is_foreign(value):
        return tensor_of(value, name).numbers
    if isinstance(value, np.ma.MaskedArray) and np.any(value.mask):
        raise InputError(f"{name} has masked entries, which have no value: write {name}.filled(...) or .compressed()")
    wanted = f"{name} is of type {type(value).__name__}: write a number or an array of numbers"
    array = np.asarray(value)
    # NumPy would convert "1" to 1, None to NaN and a date to a number of days.
    if array.dtype.kind in "USVcmM" or (array.dtype.kind == "O" and any(each is None for each in array.flat)):
        raise InputError(wanted)
    if array.dtype.kind in "iuO":
        require_exact(array, name)
    try:
        return array.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(wanted) from error


def require_exact(array: npt.NDArray[Any], name: str) -> None:
    """Raises InputError for an integer that float64 cannot hold."""
    if array.dtype.kind == "O":
        large = [each for each in array.flat if isinstance(each, int)]
    elif array.dtype.itemsize < 8 or array.size == 0 or -_EXACT <= array.min() <= array.max() <= _EXACT:
        return
    else:
        large = [int(each) for each in array[(array > _EXACT) | (array < -_EXACT)]]
    for each in large:
        if not is_exact(each):
            raise InputError(f"{name} has {shortened(each)}, {NOT_HELD}")


def is_exact(number: Any) -> bool:
    """Whether float64 holds this int, Decimal or Fraction."""
    try:
        return bool(float(number) == number)
    except OverflowError:
        return False


def shortened(number: Any) -> str:
    """At most 40 characters of a number."""
    text = str(number) if not isinstance(number, int) or number.bit_length() < 10000 else hex(number)
    return text if len(text) <= 40 else f"{text[:30]}... ({len(text)} characters)"
