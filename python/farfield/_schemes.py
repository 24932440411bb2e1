"""Position schemes, from the catalogue and from files."""
from __future__ import annotations

import os
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._arrays import doubles_of
from ._documented import documented_by
from ._formulas import Doubles, Formula
from .errors import InputError

Positions = Union[int, range, npt.ArrayLike]


class Rotation(NamedTuple):
    """Angles and scales at positions, [positions, pairs]; positions of several axes keep them.

    q and k are rotated by the angle; q is then multiplied by the scale, and k divided by it.
    """

    angle: Doubles
    scale: Doubles

    @property
    def cos(self) -> Doubles:
        """Cosines of the angles."""
        return np.cos(self.angle)

    @property
    def sin(self) -> Doubles:
        """Sines of the angles."""
        return np.sin(self.angle)


@documented_by(_core.Scheme)
class Scheme:
    """A position scheme, from scheme(), load() or loads().

    The arguments that set a scheme's variables are those of a study's quantities: `head` (h, from 1), `heads` (H),
    `head_dim` (d), `width` (d of an embedding), `length` (L, by default the largest position + 1), `train_length` (Ltr,
    by default L), `layer`, `layers` (R). A missing argument that a formula needs raises InputError.
    """

    __slots__ = ("_scheme", "_values")

    def __init__(self, scheme: _core.Scheme, values: Optional[Dict[str, Any]] = None) -> None:
        self._scheme = scheme
        self._values = values or {}  # set by with_()

    def __repr__(self) -> str:
        return f"<farfield scheme {self.name}: {self.doc}>"

    @property
    @documented_by(_core.Scheme.name)
    def name(self) -> str:
        return self._scheme.name

    @property
    @documented_by(_core.Scheme.doc)
    def doc(self) -> str:
        return self._scheme.doc

    @property
    @documented_by(_core.Scheme.source)
    def source(self) -> str:
        return self._scheme.source

    @property
    def params(self) -> Dict[str, float]:
        """The parameters by name."""
        return self._scheme.params

    @property
    @documented_by(_core.Scheme.learned)
    def learned(self) -> Dict[str, Union[float, List[float]]]:
        """The values of the learned names: the initial values of training, unless with_() set others."""
        return self._scheme.learned

    @property
    @documented_by(_core.Scheme.formulas)
    def formulas(self) -> Dict[str, str]:
        return self._scheme.formulas

    @property
    @documented_by(_core.Scheme.pairs)
    def pairs(self) -> str:
        """ "interleaved" or "halves"."""
        return self._scheme.pairs

    @documented_by(_core.Scheme.with_values)
    def with_(self, **values: Union[float, Sequence[float]]) -> Scheme:
        """The scheme with other values of params and of learned names: ``scheme("windowed").with_(w=80)``."""
        return Scheme(self._scheme.with_values(**values), {**self._values, **values})

    @documented_by(_core.Scheme.formula)
    def formula(self, piece: str, **context: Optional[float]) -> Formula:
        """The formula of "bias" or "mask" in q and k, or of "angle" or "scale" in p and i, with all other names set."""
        return Formula._of(self._scheme.formula(piece, context))

    @documented_by(_core.Scheme.export)
    def export(self, target: str) -> str:
        """Source for "numpy", "torch", "flex-attention", "jax" or "latex"."""
        return self._scheme.export(target)

    @documented_by(_core.Scheme.bias_at)
    def bias(
        self,
        distances: Positions,
        *,
        head: float,
        query: Optional[float] = None,
        out: Optional[Doubles] = None,
        **context: Optional[float],
    ) -> Doubles:
        """One head's bias at the distances n, given as a count (0, 1, ...), a ``range`` or an array."""
        lane = _lane(distances)
        shape = (len(lane),) if isinstance(lane, range) else lane.shape
        result = np.empty(shape) if out is None else out
        if result.shape != shape:
            raise InputError(f"out has the shape {result.shape}, the result {shape}")
        context["head"] = head
        self._scheme.bias_at(lane, query, context, result)
        return result

    @documented_by(_core.Scheme.bias_matrix)
    def bias_matrix(
        self, length: int, *, heads: int = 1, out: Optional[Doubles] = None, **context: Optional[float]
    ) -> Doubles:
        """The bias of all heads, [heads, queries, keys]."""
        shape = (heads, length, length)
        if min(shape) < 1:
            raise InputError(f"the result would have the shape {shape}: write a length and heads from 1 on")
        result = np.empty(shape) if out is None else out
        if result.shape != shape:
            raise InputError(f"out has the shape {result.shape}, the result {shape}")
        context["heads"] = heads
        self._scheme.bias_matrix(length, context, result)
        return result

    @documented_by(_core.Scheme.mask)
    def mask(self, length: int, **context: Optional[float]) -> npt.NDArray[np.bool_]:
        """The attention mask, [queries, keys], true where the key is visible."""
        return self._scheme.mask(length, context)

    @documented_by(_core.Scheme.rotation)
    def rotation(self, positions: Positions, *, head_dim: int, **context: Optional[float]) -> Rotation:
        """Angles and scales at positions, given as a count (0, 1, ...), a ``range`` or an array."""
        context["head_dim"] = head_dim
        lane = _lane(positions)
        return Rotation(*(_of_shape(lane, each) for each in self._scheme.rotation(lane, context)))

    @documented_by(_core.Scheme.embedding)
    def embedding(self, positions: Positions, *, width: int, **context: Optional[float]) -> Doubles:
        """The vectors that are added to token embeddings, [positions, width]; positions of several axes keep them."""
        context["width"] = width
        lane = _lane(positions)
        return _of_shape(lane, self._scheme.embedding(lane, context))


def _lane(positions: Positions) -> Any:
    if isinstance(positions, range):
        return positions
    if isinstance(positions, (int, np.integer)):
        if positions < 0:
            raise InputError(f"positions is {positions}: write a count from 0 on, a range or an array")
        return range(int(positions))
    return doubles_of(positions, "positions")


def _of_shape(lane: Any, rows: Doubles) -> Doubles:
    """The rows of positions, [positions, columns], with the shape of the positions."""
    return rows if isinstance(lane, range) else rows.reshape(*lane.shape, rows.shape[-1])


@documented_by(_core.scheme_names)
def schemes() -> List[str]:
    """The names of the built-in schemes."""
    return _core.scheme_names()


@documented_by(_core.scheme)
def scheme(name: str) -> Scheme:
    """A scheme of the built-in catalogue. The InputError for an unknown name suggests the nearest one."""
    return Scheme(_core.scheme(name))


@documented_by(_core.load_schemes)
def load(path: Union[str, os.PathLike[str]]) -> Dict[str, Scheme]:
    """The schemes that a TOML file declares, by name. They may extend schemes of the catalogue."""
    return _by_name(_core.load_schemes(os.fspath(path)))


@documented_by(_core.read_schemes)
def loads(text: str, name: str = "scheme.toml") -> Dict[str, Scheme]:
    """The schemes that a TOML text declares, by name. Messages use `name` as the name of the file."""
    return _by_name(_core.read_schemes(text, name))


def _by_name(schemes: Sequence[_core.Scheme]) -> Dict[str, Scheme]:
    return {each.name: Scheme(each) for each in schemes}


def scheme_of(value: Union[str, Scheme]) -> Scheme:
    """The scheme itself, or the built-in scheme with this name."""
    if isinstance(value, Scheme):
        return value
    if not isinstance(value, str):
        raise TypeError(f"scheme is {value!r}, of type {type(value).__name__}: write a Scheme or the name of one")
    return scheme(value)
