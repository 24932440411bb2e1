"""The errors that farfield raises, with the texts that the command line prints."""
from __future__ import annotations

from typing import NamedTuple, Optional, Sequence


class Diagnostic(NamedTuple):
    """One problem of a text: its place, what was found there, what was expected, and a suggestion."""

    file: str
    """The file, or the name of the argument; "" for a formula or if there is neither."""
    line: int
    """From 1; 0 if the place is unknown."""
    column: int
    """From 1, in bytes."""
    found: str
    wanted: str
    hint: str
    text: str
    """The problem as the command line prints it, with the line and a caret under the place."""


class Error(Exception):
    """The base class of farfield's errors. An error of this class itself is a bug in farfield."""


class InputError(Error, ValueError):
    """Invalid input, for which the command line exits with status 2.

    ``place``, ``line`` and ``column`` are those of the first of ``diagnostics``.
    """

    def __init__(self, text: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(text)
        self.diagnostics = list(diagnostics)

    def __reduce__(self) -> tuple[type[InputError], tuple[str, list[Diagnostic]]]:
        return type(self), (str(self), self.diagnostics)

    @property
    def line(self) -> Optional[int]:
        """The line of the first problem, from 1."""
        return (self.diagnostics[0].line or None) if self.diagnostics else None

    @property
    def column(self) -> Optional[int]:
        """The column of the first problem, from 1."""
        return (self.diagnostics[0].column or None) if self.line else None

    @property
    def place(self) -> str:
        """The place of the first problem as in messages, such as "mine.toml:14:19"; "" if it is unknown."""
        if not self.diagnostics:
            return ""
        first = self.diagnostics[0]
        parts = [first.file] if first.file else []
        return ":".join([*parts, *(map(str, (first.line, first.column)) if first.line else ())])


class WorldError(Error):
    """Something needed is missing or failed (a file, a device, gnuplot). The command line exits with status 3."""
