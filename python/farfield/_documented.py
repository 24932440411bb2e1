"""Docstrings from the comments of the C++ headers, and messages for arguments of a wrong type."""
from __future__ import annotations

import functools
import inspect
import typing
from typing import Any, Callable, Dict, TypeVar, cast

Documented = TypeVar("Documented", bound=Callable[..., Any])

PLAIN = {str: "a text", int: "a whole number", float: "a number", bool: "True or False", dict: "a dict"}


def documented_by(*bound: Any) -> Callable[[Documented], Documented]:
    """Appends the docstrings of bound functions, which are the headers' comments, to that of a function or class."""

    def attach(target: Documented) -> Documented:
        parts = [inspect.cleandoc(target.__doc__ or ""), *(inspect.cleandoc(each.__doc__ or "") for each in bound)]
        target.__doc__ = "\n\n".join(part for part in parts if part)
        is_class: bool = inspect.isclass(target)
        return target if is_class else in_own_words(target)

    return attach


def in_own_words(function: Documented) -> Documented:
    """The function with a TypeError that names the wrong argument, instead of pybind11's list of signatures."""

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        try:
            return function(*arguments, **named)
        except TypeError as error:
            if "incompatible function arguments" not in str(error):
                raise
            given = inspect.signature(function).bind(*arguments, **named).arguments
            raise TypeError(_problem(function, given)) from None

    return cast(Documented, call)


def _problem(function: Callable[..., Any], given: Dict[str, Any]) -> str:
    hints = typing.get_type_hints(function)
    for name, value in given.items():
        hint = hints.get(name)
        parts = typing.get_args(hint) if typing.get_origin(hint) is typing.Union else (hint,)
        wanted = [each for each in (typing.get_origin(part) or part for part in parts) if isinstance(each, type)]
        plain = [each for each in wanted if each in PLAIN]
        taken = tuple(wanted) + ((int,) if float in wanted else ())
        if plain and not isinstance(value, taken):
            words = " or ".join(PLAIN[each] for each in plain)
            return f"{function.__name__}(): {name} is {value!r}, of type {type(value).__name__}: write {words}"
    types = ", ".join(f"{name}: {type(value).__name__}" for name, value in given.items() if name != "self")
    return f"{function.__name__}(): an argument has a wrong type ({types}); help({function.__name__}) names the types"
