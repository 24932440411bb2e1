"""Runs of whole studies, or only of what their claims need."""
from __future__ import annotations

import os
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import _core
from ._display import CLAIM_HEADER, Listing, claim_row, html_table, text_table
from ._documented import documented_by
from ._options import run_options
from ._quantities import Result
from ._threads import with_threads
from .errors import Diagnostic, InputError

Path = Union[str, os.PathLike[str]]


@documented_by(_core.Study)
class Study:
    """The results of a study: ``study.quantities["fit"]["a"]``, ``study.claims[0].verdict``."""

    __slots__ = ("_study",)

    def __init__(self, study: _core.Study) -> None:
        self._study = study

    def __repr__(self) -> str:
        verdicts = ", ".join(f"{claim.id} {claim.verdict}" for claim in self.claims)
        return f"<study {self.name}: {len(self._study.quantities)} quantities; {verdicts or 'no claims'}>"

    def __str__(self) -> str:
        return f"{self.name}: {self.title}\n" + text_table(CLAIM_HEADER, map(claim_row, self.claims))

    def _repr_html_(self) -> str:
        return html_table(CLAIM_HEADER, map(claim_row, self.claims), f"{self.name}: {self.title}")

    @property
    @documented_by(_core.Study.name)
    def name(self) -> str:
        return self._study.name

    @property
    @documented_by(_core.Study.file)
    def file(self) -> str:
        return self._study.file

    @property
    @documented_by(_core.Study.title)
    def title(self) -> str:
        return self._study.title

    @property
    @documented_by(_core.Study.source)
    def source(self) -> str:
        return self._study.source

    @property
    @documented_by(_core.Study.seconds)
    def seconds(self) -> float:
        return self._study.seconds

    @property
    @documented_by(_core.Study.quantities)
    def quantities(self) -> Dict[str, Result]:
        """The quantities by name."""
        return {name: Result(each) for name, each in self._study.quantities.items()}

    @property
    @documented_by(_core.Study.claims)
    def claims(self) -> List[_core.Claim]:
        return Listing(self._study.claims, CLAIM_HEADER, claim_row)

    @property
    @documented_by(_core.Study.missing)
    def missing(self) -> List[Tuple[str, str]]:
        """Pairs of a quantity and what it needs that is missing here, such as a device or a program."""
        return self._study.missing

    @property
    @documented_by(_core.Study.failed)
    def failed(self) -> List[Tuple[str, List[Diagnostic]]]:
        """Pairs of a quantity or claim that failed and the reasons."""
        return self._study.failed

    @property
    @documented_by(_core.Study.manifest)
    def manifest(self) -> Dict[str, str]:
        """The version, commit, compiler and processor of the run, and the hash of the study."""
        return dict(self._study.manifest)

    @property
    def as_expected(self) -> bool:
        """Whether ``farfield check`` would exit with status 0.

        This is the case if no verdict differs from the expected one, no claim without an expected verdict is refuted or
        undecided, and nothing failed or was missing.
        """
        return not self.failed and not self.missing and not any(claim.fails for claim in self.claims)

    @documented_by(_core.Study.write)
    def write(self, folder: Path, *, figures: bool = True) -> None:
        if not os.fspath(folder):
            raise InputError("folder is empty: write the name of a folder, such as '.'")
        self._study.write(os.fspath(folder), figures)

    @documented_by(_core.Study.json)
    def json(self) -> str:
        return self._study.json()


@documented_by(_core.run)
def run(
    *paths: Path,
    only: Sequence[str] = (),
    set: Optional[Mapping[str, Any]] = None,
    cache: Optional[Path] = None,
    fresh: bool = False,
    train: bool = False,
    device: str = "cpu",
    threads: Optional[int] = None,
) -> List[Study]:
    """Runs studies like ``farfield run PATH...``, but writes no files. Returns quantities, tables and verdicts.

    For a folder, all studies under it run. `set` changes values of the study, such as {"scheme.x.params.w": 80}.
    `cache` is by default the user's cache folder; "" means no cache. `device` is "cpu" or "cuda". `threads` is the
    number of threads, by default one for each processor.
    """
    options = run_options(only=only, set=set, cache=cache, fresh=fresh, train=train, device=device)
    with with_threads(threads):
        return [Study(each) for each in _core.run([os.fspath(path) for path in paths], options)]


def check(
    *paths: Path,
    only: Sequence[str] = (),
    set: Optional[Mapping[str, Any]] = None,
    cache: Optional[Path] = None,
    fresh: bool = False,
    train: bool = False,
    device: str = "cpu",
    threads: Optional[int] = None,
) -> List[Study]:
    """Like ``farfield check PATH...``: the same as run(), but computes only what the claims need."""
    options = run_options(only=only, claims_only=True, set=set, cache=cache, fresh=fresh, train=train, device=device)
    with with_threads(threads):
        return [Study(each) for each in _core.run([os.fspath(path) for path in paths], options)]


@documented_by(_core.run_document)
def run_dict(
    document: Dict[str, Any],
    *,
    name: str = "study",
    only: Sequence[str] = (),
    cache: Optional[Path] = None,
    fresh: bool = False,
    threads: Optional[int] = None,
) -> Study:
    """Runs a study that is written in Python, with the tables of a study file as dicts, including its trainings."""
    options = run_options(only=only, cache=cache, fresh=fresh, train=True)
    with with_threads(threads):
        return Study(_core.run_document(document, [], name, options))
