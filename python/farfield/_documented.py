"""Docstrings from the comments of the C++ headers."""
from __future__ import annotations

import inspect
from typing import Any, Callable, TypeVar

Documented = TypeVar("Documented", bound=Callable[..., Any])


def documented_by(*bound: Any) -> Callable[[Documented], Documented]:
    """Ends a function's or a class's docstring with what the headers say of the bound functions it calls."""

    def attach(target: Documented) -> Documented:
        parts = [inspect.cleandoc(target.__doc__ or ""), *(inspect.cleandoc(each.__doc__ or "") for each in bound)]
        target.__doc__ = "\n\n".join(part for part in parts if part)
        return target

    return attach
