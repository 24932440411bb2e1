"""The number of threads of a call."""
from __future__ import annotations

import contextlib
from typing import Iterator, Optional

from . import _core
from .errors import InputError

MOST = 4096  # the same limit as --threads


@contextlib.contextmanager
def with_threads(threads: Optional[int]) -> Iterator[None]:
    """A context in which the library uses this number of threads. None does not change the number."""
    if threads is None:
        yield
        return
    if isinstance(threads, bool) or not isinstance(threads, int) or not 1 <= threads <= MOST:
        raise InputError(f"threads is {threads!r}: write a whole number from 1 to {MOST}")
    before = _core.processors()
    _core.set_processors(threads)
    try:
        yield
    finally:
        _core.set_processors(before)
