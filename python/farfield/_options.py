"""The options of a run, in the form that the bindings read."""
from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Sequence

from . import _core
from .errors import InputError


def require_bool(name: str, value: Any) -> None:
    """Raises TypeError unless the value of the argument is True or False."""
    if not isinstance(value, bool):
        raise TypeError(f"{name} is {value!r}, of type {type(value).__name__}: write True or False")


def run_options(
    *,
    only: Sequence[str] = (),
    claims_only: bool = False,
    set: Optional[Mapping[str, Any]] = None,
    cache: Optional[str] = None,
    fresh: bool = False,
    train: bool = False,
    device: str = "cpu",
) -> Dict[str, Any]:
    """All options, with defaults for those that are not given."""
    for name, value in {"fresh": fresh, "train": train}.items():
        require_bool(name, value)
    if device not in ("cpu", "cuda"):
        raise InputError(f"device is {device!r}: write 'cpu' or 'cuda'")
    return {
        "only": [only] if isinstance(only, str) else list(only),
        "claims_only": claims_only,
        "set": [(path, str(value)) for path, value in (set or {}).items()],
        "cache": _core.default_cache() if cache is None else cache,
        "fresh": fresh,
        "train": train,
        "device": device,
    }
