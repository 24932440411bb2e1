"""Formulas over NumPy arrays."""
from __future__ import annotations

import functools
from typing import Any, FrozenSet, List, Optional, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._arrays import NOT_HELD, doubles_of, is_exact, is_foreign, shortened
from ._documented import documented_by
from ._threads import with_threads
from .errors import InputError

Numbers = Union[float, range, npt.ArrayLike]
Doubles = npt.NDArray[np.float64]
# A program, the numbers of its uniform inputs, the arrays or ranges of its varying inputs, its tables, and the shape of
# the result, which is None if the result is a number.
_Bound = Tuple[_core.Program, List[float], List[Any], List[Any], Optional[Tuple[int, ...]]]


@documented_by(_core.Formula)
class Formula:
    """A formula of the language of docs/formula.md: ``Formula("-2^(-8*h/H) * n")``.

    Call it with a value for each of its names. The result is a number if all values are numbers, otherwise an array.
    """

    __slots__ = ("_formula", "_programs", "_tables", "_is_condition")

    def __init__(self, text: str) -> None:
        self._set(_core.Formula(text))

    def _set(self, formula: _core.Formula, dropped: FrozenSet[str] = frozenset()) -> None:
        self._formula = formula
        self._tables = frozenset(formula.tables) | dropped
        self._programs: dict[Any, _core.Program] = {}
        self._is_condition: Optional[bool] = None

    @classmethod
    def _of(cls, formula: _core.Formula, tables: FrozenSet[str] = frozenset()) -> Formula:
        """`tables` are those that a call may give, even if the formula no longer reads them."""
        made = cls.__new__(cls)
        made._set(formula, tables)
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
        """Whether the value is true or false instead of a number."""
        if self._is_condition is None:
            self._is_condition = self._formula.is_condition
        return self._is_condition

    @documented_by(_core.Formula.derivative)
    def derivative(self, name: str) -> Formula:
        return Formula._of(self._formula.derivative(name), self._tables)

    @documented_by(_core.Formula.simplify)
    def simplify(self) -> Formula:
        return Formula._of(self._formula.simplify(), self._tables)

    @documented_by(_core.Formula.latex)
    def latex(self) -> str:
        return self._formula.latex()

    @documented_by(_core.Formula.mathml)
    def mathml(self) -> str:
        return self._formula.mathml()

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"

    def _program(self, values: dict[str, Any], kinds: str) -> _core.Program:
        """The program for names in this order and of these kinds, compiled at the first call."""
        key = (*values, kinds)
        program = self._programs.get(key)
        if program is None:
            uniform, varying, tables = ([name for name, each in zip(values, kinds) if each == kind] for kind in "uvt")
            program = self._formula.compile(list(values), uniform, varying, tables)
            self._programs[key] = program
        return program

    def _bind(self, values: dict[str, Any]) -> _Bound:
        kinds = ""
        numbers: List[float] = []
        lanes: List[Any] = []
        for name, value in values.items():
            if name in self._tables:
                kinds += "t"
            elif isinstance(value, (float, int)):
                if type(value) is not float and not is_exact(value):
                    raise InputError(f"{name} is {shortened(value)}, {NOT_HELD}")
                kinds += "u"
                numbers.append(value)
            elif isinstance(value, range):
                kinds += "v"
                lanes.append(value)
            else:
                lane = doubles_of(value, name)
                if lane.ndim:
                    kinds += "v"
                    lanes.append(lane)
                else:
                    kinds += "u"
                    numbers.append(float(lane))
        program = self._program(values, kinds)
        tables = [doubles_of(values[name], name) for name in values if name in self._tables] if self._tables else []
        shape, lanes = _alike(lanes)
        return program, numbers, lanes, tables, shape

    def __call__(
        self,
        *,
        system: str = "double",
        out: Optional[Doubles] = None,
        threads: Optional[int] = None,
        **values: Numbers,
    ) -> Any:
        """The value for `values`: for each name a number, a ``range`` or an array. Arrays are broadcast to one shape.

        An array of float64 in row-major order is not copied. A ``range`` is not expanded into an array. `out` receives
        the result (of a condition 1 and 0) and is returned; it must have the result's shape, and may overlap an
        argument. `system` is one of number_systems(). `threads` is the number of threads, by default one for each
        processor.
        """
        program, numbers, lanes, tables, shape = self._bind(values)
        if out is None:
            result = np.empty(shape or ())
        elif not isinstance(out, np.ndarray):
            raise TypeError(f"out is {out!r}, of type {type(out).__name__}: write an array of float64")
        elif out.shape != (shape or ()):
            raise InputError(f"out has the shape {out.shape}, the result {shape or ()}")
        else:
            # Points are computed in any order, so that none may be written over an input that is still to be read.
            is_input = any(np.may_share_memory(out, each) for each in (*lanes, *tables) if not isinstance(each, range))
            result = np.empty_like(out) if is_input else out
        if threads is None:
            program.evaluate_into(numbers, lanes, tables, system, result)
        else:
            with with_threads(threads):
                program.evaluate_into(numbers, lanes, tables, system, result)
        if out is not None:
            if result is not out:
                out[...] = result
            return out
        if self._is_condition or self.is_condition:
            return bool(result) if shape is None else result != 0
        return float(result) if shape is None else result

    @documented_by(_core.Program.enclose)
    def enclose(self, *, rigorous: bool = True, **values: Numbers) -> Tuple[Any, Any]:
        """The lower and upper end of an interval that contains the exact value; `values` count as exact."""
        program, numbers, lanes, tables, shape = self._bind(values)
        for name, value in values.items():
            _require_exact(name, value)
        ends = program.enclose(numbers, lanes, tables, rigorous)
        if shape is None:
            return float(ends[0, 0]), float(ends[0, 1])
        return ends[:, 0].reshape(shape), ends[:, 1].reshape(shape)


def _require_exact(name: str, value: Any) -> None:
    """Raises InputError for a Decimal or Fraction that is no float64, because an enclosure counts it as exact."""
    if is_foreign(value) or isinstance(value, (float, range)):
        return
    array = np.asarray(value)
    if array.dtype.kind == "O":
        for each in array.flat:
            if not is_exact(each):
                raise InputError(f"{name} is {each}, which float64 cannot hold: write it in the formula, as a quotient")


def _alike(lanes: List[Any]) -> Tuple[Optional[Tuple[int, ...]], List[Any]]:
    """The shape of the result, and the inputs broadcast to this shape."""
    if not lanes:
        return None, lanes
    shapes = [(len(each),) if isinstance(each, range) else each.shape for each in lanes]
    shape = shapes[0]
    if len(shapes) == 1 or all(each == shape for each in shapes):
        return shape, lanes
    shape = np.broadcast_shapes(*shapes)
    arrays = (
        np.arange(each.start, each.stop, each.step, dtype=float) if isinstance(each, range) else each for each in lanes
    )
    return shape, [np.broadcast_to(each, shape) for each in arrays]


@functools.lru_cache(maxsize=256)
def _formula(text: str) -> Formula:
    return Formula(text)


@documented_by(_core.Program.evaluate_into)
def evaluate(
    formula: str,
    *,
    system: str = "double",
    out: Optional[Doubles] = None,
    threads: Optional[int] = None,
    **values: Numbers,
) -> Any:
    """The value of a formula's text: ``evaluate("-2^(-8*h/H) * n", h=1, H=8, n=np.arange(9.0))``.

    The same as Formula(formula)(...). The formulas of the last 256 texts are cached.
    """
    return _formula(formula)(system=system, out=out, threads=threads, **values)


@documented_by(_core.proves_equal)
def proves_equal(a: Union[str, Formula], b: Union[str, Formula]) -> bool:
    first, second = (each if isinstance(each, Formula) else Formula(each) for each in (a, b))
    return _core.proves_equal(first._formula, second._formula)


@documented_by(_core.number_systems)
def number_systems() -> List[str]:
    return _core.number_systems()
