"""Formulas over numpy arrays."""
from __future__ import annotations

import functools
from typing import Any, List, Optional, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._documented import documented_by

Numbers = Union[float, range, npt.ArrayLike]
Doubles = npt.NDArray[np.float64]


@documented_by(_core.Formula)
class Formula:
    """A formula of the language of docs/formula.md: ``Formula("-2^(-8*h/H) * n")``.

    Called with a value for each of its names, it gives its value: a number if all of them are numbers, else an array.
    """

    __slots__ = ("_formula", "_programs", "_tables", "_is_condition")

    def __init__(self, text: str) -> None:
        self._set(_core.Formula(text))

    def _set(self, formula: _core.Formula) -> None:
        self._formula = formula
        self._tables = frozenset(formula.tables)
        self._programs: dict[Any, _core.Program] = {}
        self._is_condition: Optional[bool] = None

    @classmethod
    def _of(cls, formula: _core.Formula) -> Formula:
        made = cls.__new__(cls)
        made._set(formula)
        return made

    def __str__(self) -> str:
        return str(self._formula)

    def __repr__(self) -> str:
        return f"Formula({str(self)!r})"

    @property
    @documented_by(_core.Formula.names)
    def names(self) -> List[str]:
        return self._formula.names

    @property
    @documented_by(_core.Formula.tables)
    def tables(self) -> List[str]:
        return self._formula.tables

    @property
    def is_condition(self) -> bool:
        """Whether its value is true or false rather than a number."""
        if self._is_condition is None:
            self._is_condition = self._formula.is_condition
        return self._is_condition

    @documented_by(_core.Formula.derivative)
    def derivative(self, name: str) -> Formula:
        return Formula._of(self._formula.derivative(name))

    @documented_by(_core.Formula.simplify)
    def simplify(self) -> Formula:
        return Formula._of(self._formula.simplify())

    @documented_by(_core.Formula.latex)
    def latex(self) -> str:
        return self._formula.latex()

    @documented_by(_core.Formula.mathml)
    def mathml(self) -> str:
        return self._formula.mathml()

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"

    def _program(
        self, names: Tuple[str, ...], uniform: List[str], varying: List[str], tables: List[str]
    ) -> _core.Program:
        key = (names, tuple(varying))
        program = self._programs.get(key)
        if program is None:
            program = self._formula.compile(list(names), uniform, varying, tables)
            self._programs[key] = program
        return program

    def _bind(
        self, values: dict[str, Any]
    ) -> Tuple[_core.Program, List[float], Tuple[Any, ...], Tuple[Any, ...], Optional[Tuple[int, ...]]]:
        """The program for these inputs, the inputs, and the shape of the result; None if that is a number."""
        uniform: List[str] = []
        numbers: List[float] = []
        varying: List[str] = []
        lanes: List[Any] = []
        tables: List[str] = []
        for name, value in values.items():
            if name in self._tables:
                tables.append(name)
            elif isinstance(value, (int, float)):
                uniform.append(name)
                numbers.append(value)
            else:
                lane: Any = value if isinstance(value, range) else np.asarray(value, dtype=np.float64)
                if isinstance(lane, range) or lane.ndim:
                    varying.append(name)
                    lanes.append(lane)
                else:
                    uniform.append(name)
                    numbers.append(float(lane))
        program = self._program(tuple(values), [n for n in values if n in uniform], varying, tables)
        shape, lanes = _alike(lanes)
        return program, numbers, tuple(lanes), tuple(values[name] for name in tables), shape

    def __call__(self, *, system: str = "double", out: Optional[Doubles] = None, **values: Numbers) -> Any:
        """The value for `values`: a number for each name, a ``range``, or an array (arrays of other shapes are broadcast).

        An array of float64 in row-major order is read where it lies; others are copied. ``range(8192)`` is never
        written out. `out`, of the result's shape, is written to and returned. `system` is one of number_systems().
        """
        program, numbers, lanes, tables, shape = self._bind(values)
        result = np.empty(shape or ()) if out is None else out
        if out is not None and out.shape != (shape or ()):
            raise ValueError(f"out has the shape {out.shape}, the result {shape or ()}")
        _core.evaluate_into(program, numbers, lanes, tables, system, result)
        if self.is_condition:
            return bool(result) if shape is None else result != 0
        return float(result) if shape is None and out is None else result

    @documented_by(_core.enclose)
    def enclose(self, *, rigorous: bool = True, **values: Numbers) -> Tuple[Any, Any]:
        """Lower and upper ends that surely hold the true value, for values that are exact."""
        program, numbers, lanes, tables, shape = self._bind(values)
        ends = _core.enclose(program, numbers, lanes, tables, rigorous)
        if shape is None:
            return float(ends[0, 0]), float(ends[0, 1])
        return ends[:, 0].reshape(shape), ends[:, 1].reshape(shape)


def _alike(lanes: List[Any]) -> Tuple[Optional[Tuple[int, ...]], List[Any]]:
    """The shape of the result, and the inputs broadcast to it."""
    if not lanes:
        return None, lanes
    shapes = [(len(each),) if isinstance(each, range) else each.shape for each in lanes]
    shape = shapes[0]
    if all(each == shape for each in shapes):
        return shape, lanes
    shape = np.broadcast_shapes(*shapes)
    arrays = (np.arange(each.start, each.stop, each.step, dtype=float) if isinstance(each, range) else each for each in lanes)
    return shape, [np.broadcast_to(each, shape) for each in arrays]


@functools.lru_cache(maxsize=256)
def _formula(text: str) -> Formula:
    return Formula(text)


@documented_by(_core.evaluate_into)
def evaluate(formula: str, *, system: str = "double", out: Optional[Doubles] = None, **values: Numbers) -> Any:
    """The value of a formula's text: ``evaluate("-2^(-8*h/H) * n", h=1, H=8, n=np.arange(9.0))``.

    As Formula(formula)(...); the last 256 texts are kept as they were read.
    """
    return _formula(formula)(system=system, out=out, **values)


@documented_by(_core.proves_equal)
def proves_equal(a: Union[str, Formula], b: Union[str, Formula]) -> bool:
    first, second = (each if isinstance(each, Formula) else Formula(each) for each in (a, b))
    return _core.proves_equal(first._formula, second._formula)


@documented_by(_core.number_systems)
def number_systems() -> List[str]:
    return _core.number_systems()
