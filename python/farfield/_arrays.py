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


def doubles_of(value: Any, name: str) -> npt.NDArray[np.float64]:
    """The numbers as float64. An array of float64 is not copied."""
    if is_foreign(value):
        return tensor_of(value, name).numbers
    wanted = f"{name} is of type {type(value).__name__}: write a number or an array of numbers"
    array = np.asarray(value)
    # NumPy would convert "1" to 1 and None to NaN.
    if array.dtype.kind in "USc" or (array.dtype.kind == "O" and any(each is None for each in array.flat)):
        raise InputError(wanted)
    try:
        return array.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        raise InputError(wanted) from error
