"""The number of threads of a call."""
from __future__ import annotations

import contextlib
import threading
from typing import Iterator, Optional

from . import _core
from .errors import InputError

MOST = 4096  # the same limit as --threads

_lock = threading.Lock()
_calls = 0  # that set a number and have not ended
_usual = 0  # the number before the first of them


@contextlib.contextmanager
def with_threads(threads: Optional[int]) -> Iterator[None]:
    """A context in which the library uses this number of threads. None does not change the number.

    The number is that of the process: of calls at once the last one sets it. After all of them it is the usual number.
    """
    if threads is None:
        yield
        return
    if isinstance(threads, bool) or not isinstance(threads, int) or not 1 <= threads <= MOST:
        raise InputError(f"threads is {threads!r}: write a whole number from 1 to {MOST}")
    global _calls, _usual
    with _lock:
        if _calls == 0:
            _usual = _core.processors()
        _calls += 1
        _core.set_processors(threads)
    try:
        yield
    finally:
        with _lock:
            _calls -= 1
            if _calls == 0:
                _core.set_processors(_usual)
