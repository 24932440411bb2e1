"""The options of a run, in the form that the bindings read."""
from __future__ import annotations

import os
from typing import Any, Dict, Mapping, Optional, Sequence, Union

from . import _core
from .errors import InputError


def require_bool(name: str, value: Any) -> None:
    """Raises TypeError unless the value of the argument is True or False."""
    if not isinstance(value, bool):
        raise TypeError(f"{name} is {value!r}, of type {type(value).__name__}: write True or False")


def require_text(name: str, value: Any) -> None:
    """Raises TypeError unless the value of the argument is a text."""
    if not isinstance(value, str):
        raise TypeError(f"{name} is {value!r}, of type {type(value).__name__}: write a text")


def run_options(
    *,
    only: Sequence[str] = (),
    claims_only: bool = False,
    set: Optional[Mapping[str, Any]] = None,
    cache: Union[str, os.PathLike[str], None] = None,
    fresh: bool = False,
    train: bool = False,
    device: str = "cpu",
) -> Dict[str, Any]:
    """All options, with defaults for those that are not given."""
    for name, value in {"fresh": fresh, "train": train}.items():
        require_bool(name, value)
    if isinstance(only, str):
        only = [only]
    for name in only:
        require_text("only", name)
    if set is not None and not isinstance(set, Mapping):
        raise TypeError(f"set is {set!r}, of type {type(set).__name__}: write a dict of values by path")
    for path in set or {}:
        require_text("a path of set", path)
    if device not in ("cpu", "cuda"):
        raise InputError(f"device is {device!r}: write 'cpu' or 'cuda'")
    return {
        "only": list(only),
        "claims_only": claims_only,
        "set": [(path, str(value)) for path, value in (set or {}).items()],
        "cache": _core.default_cache() if cache is None else os.fspath(cache),
        "fresh": fresh,
        "train": train,
        "device": device,
    }
