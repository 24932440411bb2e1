"""The options of a run, in the form that the bindings read."""
from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Sequence

from . import _core


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
    return {
        "only": [only] if isinstance(only, str) else list(only),
        "claims_only": claims_only,
        "set": [(path, str(value)) for path, value in (set or {}).items()],
        "cache": _core.default_cache() if cache is None else cache,
        "fresh": fresh,
        "train": train,
        "device": device,
    }
