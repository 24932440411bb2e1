"""What farfield refuses, with the text that the command line prints."""
from __future__ import annotations

from typing import NamedTuple, Optional, Sequence


class Diagnostic(NamedTuple):
    """One problem of a text: where it stands, what was found there, what was wanted, what to try."""

    file: str
    """The file, or the name of the argument; "" for a formula or where there is none."""
    line: int
    """From 1; 0 where the place is not known."""
    column: int
    """From 1, in bytes."""
    found: str
    wanted: str
    hint: str
    text: str
    """The problem as the command line prints it, with the line and a caret under the place."""


class Error(Exception):
    """What farfield raises; this class itself is a fault of farfield's own."""


class InputError(Error, ValueError):
    """What was given is wrong: where the command line exits with status 2.

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
        """Its column, from 1."""
        return (self.diagnostics[0].column or None) if self.line else None

    @property
    def place(self) -> str:
        """Its place as messages write it: "mine.toml:14:19"; "" where none is known."""
        if not self.diagnostics:
            return ""
        first = self.diagnostics[0]
        parts = [first.file] if first.file else []
        return ":".join([*parts, *(map(str, (first.line, first.column)) if first.line else ())])


class WorldError(Error):
    """Something it needs is missing or failed (a file, a device, gnuplot): where the command line exits with status 3."""
