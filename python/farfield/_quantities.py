"""Quantities, which a study declares as [quantity.NAME], from Python."""
from __future__ import annotations

import importlib
import os
from typing import Any, Dict, List, Optional, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._arrays import doubles_of
from ._display import curve_svg, html_table, number_text, text_table
from ._documented import documented_by
from ._formulas import Doubles, Formula
from ._options import run_options
from ._schemes import Scheme, scheme_of, schemes
from ._threads import with_threads
from .errors import InputError, WorldError


def _pandas() -> Any:
    try:
        return importlib.import_module("pandas")
    except ImportError:
        raise WorldError("to_pandas() needs pandas: pip install pandas") from None


class Table:
    """A table with named rows and columns. `numbers` has the shape [rows, columns]; a missing number is NaN."""

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

    def _lines(self) -> List[List[str]]:
        return [[row, *map(number_text, numbers)] for row, numbers in zip(self.rows, self.numbers)]

    def __str__(self) -> str:
        return text_table(["", *self.columns], self._lines())

    def _repr_html_(self) -> str:
        return html_table(["", *self.columns], self._lines())

    def to_pandas(self) -> Any:
        """A pandas DataFrame of the numbers, with the names of rows and columns. Needs pandas."""
        return _pandas().DataFrame(self.numbers, index=self.rows, columns=self.columns)


@documented_by(_core.Result)
class Result:
    """The result of a quantity: ``result["R"]`` is a value, ``result.series["value"]`` a column."""

    __slots__ = ("_result", "_values")

    def __init__(self, result: _core.Result) -> None:
        self._result = result
        self._values: Dict[str, Optional[float]] = result.values

    def __repr__(self) -> str:
        values = ", ".join(f"{name} = {number}" for name, number in list(self._values.items())[:6])
        return f"<{self.kind} {self.name}: {values or 'a table'}>"

    def __str__(self) -> str:
        table = str(self.table) + "\n" if self.table else ""
        values = text_table(("value", ""), [(name, number_text(each)) for name, each in self._values.items()])
        return f"{self.kind} {self.name}\n{table}{values}"

    def _repr_html_(self) -> str:
        rows = [(name, number_text(each)) for name, each in self._values.items()]
        markup = html_table(("value", ""), rows, f"{self.kind} {self.name}")
        if self.table:
            markup += self.table._repr_html_()
        columns = list(self.series.items())
        if self._result.variables == 1 and len(columns) > 1:
            markup += curve_svg(columns[0][1], columns[1][1], columns[1][0])
        return markup

    def to_pandas(self) -> Any:
        """A pandas DataFrame of the series with one row for each point, else of the table, else of the values.

        Needs pandas.
        """
        if self.series:
            return _pandas().DataFrame(dict(self.series))
        if self.table:
            return self.table.to_pandas()
        return _pandas().DataFrame({"value": self._values})

    def __getitem__(self, value: str) -> Optional[float]:
        if value not in self._values:
            raise KeyError(f"{self.kind} {self.name} has no value '{value}'; it has {', '.join(self._values) or 'none'}")
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
        """The columns by name, as read-only arrays over the result's own memory."""
        return self._result.series

    @property
    @documented_by(_core.Result.enclosures)
    def enclosures(self) -> Dict[str, Doubles]:
        """The lower and upper ends of each column that has enclosures: [rows, 2], over the result's own memory."""
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
    """A training, for the kinds that need trained models.

    The arguments are the keys of [train.NAME]; `model` and `corpus` are dicts with the keys of [model.NAME] and
    [corpus.NAME]: ``Training(scheme="alibi", model={"layers": 2, ...}, corpus={"builtin": "kjv"}, length=64,
    steps=1000)``. Training starts when a quantity needs the models. `start` is another Training, whose weights are the
    initial weights of this one.
    """

    def __init__(
        self, *, scheme: Union[str, Scheme], model: Dict[str, Any], corpus: Dict[str, Any], **settings: Any
    ) -> None:
        self.scheme = scheme_of(scheme)
        self.model = model
        self.corpus = corpus
        self.settings = settings


def _start_of(name: str) -> str:
    """The name of the `start` of the training with this name."""
    return f"{name}-start"


class _Names:
    """Replaces the results and trainings in a quantity's settings by names."""

    def __init__(self) -> None:
        self.results: Dict[str, _core.Result] = {}
        self.trainings: Dict[str, Training] = {}

    def replace(self, value: Any, name: str) -> Any:
        if isinstance(value, Result):
            self.results[name] = value._result
            return name
        if isinstance(value, Training):
            self.trainings[name] = value
            self.replace(value.settings.get("start"), _start_of(name))
            return name
        if isinstance(value, dict):
            return {key: self.replace(each, f"{name} {key}") for key, each in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.replace(each, f"{name} {at}") for at, each in enumerate(value)]
        return value


def _scheme_settings(scheme: Scheme, settings: Dict[str, Any]) -> Dict[str, Any]:
    """The settings with the scheme's name and values. Params in the settings override the scheme's values."""
    params = scheme._values
    if not params:
        return {**settings, "scheme": scheme.name}
    return {**settings, "scheme": scheme.name, "params": {**params, **settings.get("params", {})}}


@documented_by(_core.quantity)
def quantity(
    kind: str,
    /,
    *,
    folder: Union[str, os.PathLike[str]] = "",
    cache: Union[str, os.PathLike[str], None] = None,
    threads: Optional[int] = None,
    **settings: Any,
) -> Result:
    """Computes a quantity without a study. The arguments are the keys of its kind (docs/quantities).

    Append an underscore to a key that is a keyword of Python: `in_="fp16"`. `scheme` may be a Scheme. `of`, `a`, `b`
    and the values inside them may be the Result of another quantity, whose memory is shared. For a kind that needs
    trained models, `of` is a Training. File names are relative to `folder`. `cache` is the folder in which trained
    models are stored: by default the user's cache folder, "" for none. Only kinds that need trained models use it.
    """
    names = _Names()
    given = settings.pop("scheme", None)
    scheme = scheme_of(given) if given is not None else None
    plain = {key.removesuffix("_"): names.replace(value, key) for key, value in settings.items()}
    if scheme is not None:
        plain = _scheme_settings(scheme, plain)
    if kind in _core.trained_kinds():
        if not names.trainings:
            raise TypeError(f"a quantity of kind {kind!r} needs a Training as `of`")
        with with_threads(threads):
            return _measured(kind, plain, names.trainings, cache)
    with with_threads(threads):
        found = _core.quantity(kind, plain, scheme._scheme if scheme else None, names.results, os.fspath(folder))
    return Result(found)


def fit(
    x: npt.ArrayLike, y: npt.ArrayLike, model: str, *, variable: Optional[str] = None, **settings: Any
) -> Result:
    """The least-squares fit of a model to points: ``fit(n, bias, "a*log(1 + n) + b", variable="n")["a"]``.

    `x` and `y` have the same number of elements. `variable` is the model's name for x, by default "x". All other names
    of the model are parameters to fit. Further arguments are keys of the kind fit: start, range, weights, let, params
    (docs/quantities/fit.md describes the values and the method). Raises InputError if sizes differ, numbers are not
    finite, or the points do not determine the parameters.
    """
    points, values = doubles_of(x, "x").ravel(), doubles_of(y, "y").ravel()
    if len(points) != len(values):
        raise InputError(f"x has {len(points)} numbers and y {len(values)}: write as many of both")
    for name, numbers in (("x", points), ("y", values)):
        if not np.isfinite(numbers).all():
            raise InputError(f"{name}[{int(np.argmin(np.isfinite(numbers)))}] is not finite: leave such points out")
    name = "x" if variable is None else variable
    if name not in Formula(model).names:
        raise InputError(f"model has no '{name}', the name of x: write it, or variable='...' with the model's name for x")
    return quantity("fit", of=Result(_core.curve_of(name, points, values)), model=model, **settings)


def _identity(scheme: Scheme) -> Any:
    """Equal for two schemes only if they are the same. If it differs for the same scheme, that gets two names."""
    values = scheme._values
    if scheme.name in schemes() and all(isinstance(each, (int, float)) for each in values.values()):
        return (scheme.name, *sorted(values.items()))
    return id(scheme._scheme)


def _scheme_names(given: List[Scheme]) -> Dict[Any, Tuple[str, Scheme]]:
    """A name for each different scheme, by its identity: its own, with a number if another one has the same."""
    names: Dict[Any, Tuple[str, Scheme]] = {}
    taken: List[str] = []
    for scheme in given:
        if _identity(scheme) in names:
            continue
        count = taken.count(scheme.name)
        taken.append(scheme.name)
        names[_identity(scheme)] = (f"{scheme.name}-{count + 1}" if count else scheme.name, scheme)
    return names


def _measured(kind: str, settings: Dict[str, Any], trainings: Dict[str, Training],
              cache: Union[str, os.PathLike[str], None]) -> Result:
    document: Dict[str, Any] = {"model": {}, "corpus": {}, "train": {}, "quantity": {kind: {"kind": kind, **settings}}}
    names = _scheme_names([each.scheme for each in trainings.values()])
    for name, each in trainings.items():
        document["model"][name] = each.model
        document["corpus"][name] = each.corpus
        used = {"model": name, "corpus": name, "scheme": names[_identity(each.scheme)][0]}
        document["train"][name] = {**each.settings, **used}
        if isinstance(each.settings.get("start"), Training):
            document["train"][name]["start"] = _start_of(name)
    named = [(name, scheme._scheme) for name, scheme in names.values()]
    study = _core.run_document(document, named, kind, run_options(cache=cache, train=True))
    for _, reason in study.missing:
        raise WorldError(reason)
    for _, diagnostics in study.failed:
        raise InputError("\n".join(each.text for each in diagnostics), diagnostics)
    return Result(study.quantities[kind])


@documented_by(_core.kinds)
def kinds() -> Dict[str, str]:
    """The kinds of quantities by name, each with a description."""
    return _core.kinds()


@documented_by(_core.trained_kinds)
def trained_kinds() -> Dict[str, str]:
    """The kinds that need trained models by name, each with a description."""
    return _core.trained_kinds()
