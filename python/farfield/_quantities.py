"""Quantities: what a study's [quantity.NAME] gives, from Python."""
from __future__ import annotations

import os
from typing import Any, Dict, List, Optional, Tuple, Union

import numpy as np

from . import _core
from ._documented import documented_by
from ._formulas import Doubles
from ._options import run_options
from ._schemes import Scheme, scheme_of
from .errors import InputError, WorldError


class Table:
    """A table with named rows and columns: `numbers` is [rows, columns], NaN where there is no number."""

    __slots__ = ("rows", "columns", "numbers")

    def __init__(self, rows: List[str], columns: List[str], numbers: List[List[Optional[float]]]) -> None:
        self.rows = rows
        self.columns = columns
        self.numbers: Doubles = np.array(numbers, dtype=np.float64)

    def __getitem__(self, at: Tuple[str, str]) -> float:
        row, column = at
        return float(self.numbers[self.rows.index(row), self.columns.index(column)])

    def __repr__(self) -> str:
        return f"<table of {len(self.rows)} rows, {', '.join(self.columns)}>"


@documented_by(_core.Result)
class Result:
    """What quantity() or a study's quantity gave: ``result["R"]`` is a value, ``result.series["value"]`` a column."""

    __slots__ = ("_result", "_values")

    def __init__(self, result: _core.Result) -> None:
        self._result = result
        self._values: Dict[str, Optional[float]] = result.values

    def __repr__(self) -> str:
        values = ", ".join(f"{name} = {number}" for name, number in list(self._values.items())[:6])
        return f"<{self.kind} {self.name}: {values or 'a table'}>"

    def __getitem__(self, value: str) -> Optional[float]:
        return self._values[value]

    @property
    @documented_by(_core.Result.name)
    def name(self) -> str:
        return self._result.name

    @property
    @documented_by(_core.Result.kind)
    def kind(self) -> str:
        return self._result.kind

    @property
    @documented_by(_core.Result.values)
    def values(self) -> Dict[str, Optional[float]]:
        return dict(self._values)

    @property
    @documented_by(_core.Result.value_enclosures)
    def value_enclosures(self) -> Dict[str, Tuple[float, float, str]]:
        """(lower end, upper end, "rounding", "rigorous" or "exact") of each value that has an enclosure."""
        return self._result.value_enclosures

    @property
    @documented_by(_core.Result.series)
    def series(self) -> Dict[str, Doubles]:
        """The columns by name: arrays over the result's own memory, which cannot be written to."""
        return self._result.series

    @property
    @documented_by(_core.Result.enclosures)
    def enclosures(self) -> Dict[str, Doubles]:
        """[rows, 2] of each column that has enclosures: lower and upper ends, over the result's own memory."""
        return self._result.enclosures

    @property
    @documented_by(_core.Result.table)
    def table(self) -> Optional[Table]:
        found = self._result.table
        return Table(*found) if found else None

    @property
    @documented_by(_core.Result.notes)
    def notes(self) -> List[Tuple[str, str]]:
        return self._result.notes

    @property
    @documented_by(_core.Result.seconds)
    def seconds(self) -> float:
        return self._result.seconds


class Training:
    """Trained models, for the kinds that need some: the keys of [train.NAME], with `model` and `corpus` as dicts of theirs.

    ``Training(scheme="alibi", model={"layers": 2, ...}, corpus={"builtin": "kjv"}, length=64, steps=1000)``. Nothing is
    trained before a quantity is asked for.
    """

    def __init__(
        self, *, scheme: Union[str, Scheme], model: Dict[str, Any], corpus: Dict[str, Any], **settings: Any
    ) -> None:
        self.scheme = scheme_of(scheme)
        self.model = model
        self.corpus = corpus
        self.settings = settings


class _Names:
    """Takes results and trainings out of a quantity's settings and puts names in their place."""

    def __init__(self) -> None:
        self.results: Dict[str, _core.Result] = {}
        self.trainings: Dict[str, Training] = {}

    def replace(self, value: Any, name: str) -> Any:
        if isinstance(value, Result):
            self.results[name] = value._result
            return name
        if isinstance(value, Training):
            self.trainings[name] = value
            return name
        if isinstance(value, dict):
            return {key: self.replace(each, f"{name} {key}") for key, each in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.replace(each, f"{name} {at}") for at, each in enumerate(value)]
        return value


def _scheme_settings(scheme: Scheme, settings: Dict[str, Any]) -> Dict[str, Any]:
    """The settings with the scheme's name, its own values before those given beside it."""
    params = scheme._values
    if not params:
        return {**settings, "scheme": scheme.name}
    return {**settings, "scheme": scheme.name, "params": {**params, **settings.get("params", {})}}


@documented_by(_core.quantity)
def quantity(
    kind: str, /, *, folder: Union[str, os.PathLike[str]] = "", cache: Optional[str] = None, **settings: Any
) -> Result:
    """A quantity by itself, with the keys of its kind (docs/quantities) as arguments.

    A key that is a word of Python takes an underscore: `in_="fp16"`. `scheme` may be a Scheme; `of`, `a`, `b` and what stands within them the Result of another quantity, which shares its
    memory; `of` of a kind that needs trained models a Training. Names of files start at `folder`. `cache`, of those
    alone, is where models are kept: by default the user's cache folder, "" for nowhere.
    """
    names = _Names()
    given = settings.pop("scheme", None)
    scheme = scheme_of(given) if given is not None else None
    plain = {key.removesuffix("_"): names.replace(value, key) for key, value in settings.items()}
    if scheme is not None:
        plain = _scheme_settings(scheme, plain)
    if kind in _core.trained_kinds():
        if not names.trainings:
            raise TypeError(f"a quantity of kind {kind!r} wants `of` a Training")
        return _measured(kind, plain, names.trainings, cache)
    return Result(_core.quantity(kind, plain, scheme._scheme if scheme else None, names.results, os.fspath(folder)))


def _measured(kind: str, settings: Dict[str, Any], trainings: Dict[str, Training], cache: Optional[str]) -> Result:
    document: Dict[str, Any] = {"model": {}, "corpus": {}, "train": {}, "quantity": {kind: {"kind": kind, **settings}}}
    for name, each in trainings.items():
        document["model"][name] = each.model
        document["corpus"][name] = each.corpus
        document["train"][name] = {**each.settings, "model": name, "corpus": name, "scheme": each.scheme.name}
    schemes = [each.scheme._scheme for each in trainings.values()]
    study = _core.run_document(document, schemes, kind, run_options(cache=cache, train=True))
    for _, reason in study.missing:
        raise WorldError(reason)
    for _, diagnostics in study.failed:
        raise InputError("\n".join(each.text for each in diagnostics), diagnostics)
    return Result(study.quantities[kind])


@documented_by(_core.kinds)
def kinds() -> Dict[str, str]:
    """The kinds of quantities by name, each with what it is."""
    return _core.kinds()


@documented_by(_core.trained_kinds)
def trained_kinds() -> Dict[str, str]:
    """The kinds that need trained models, each with what it is."""
    return _core.trained_kinds()
