"""The longest sequence that a scheme supports in a number format."""
from __future__ import annotations

from typing import Optional, Union

from . import _core
from ._documented import documented_by
from ._options import require_bool
from ._schemes import Scheme, scheme_of
from ._threads import with_threads


@documented_by(_core.safe_length)
def safe_length(
    scheme: Union[str, Scheme],
    format: str,
    *,
    heads: int = 8,
    head_dim: int = 64,
    bound: float = 0.01,
    longest: int = 33_554_432,
    exact_positions: bool = False,
    recipe: str = "",
    threads: Optional[int] = None,
) -> _core.SafeLength:
    """The longest safe length of a scheme, like ``farfield safe-length SCHEME --in FORMAT --recipe RECIPE``.

    `format` is "fp32", "fp16", "bf16", "e4m3" or "e5m2". `recipe` is "hf", "all-bf16", "fp32", "fp64-tables",
    "recurrence" or "powf". Without a recipe, every step is computed in the format.
    """
    chosen = scheme_of(scheme)._scheme
    require_bool("exact_positions", exact_positions)
    with with_threads(threads):
        return _core.safe_length(chosen, format, heads, head_dim, bound, longest, not exact_positions, recipe)
