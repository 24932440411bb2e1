"""Checks of a model's configuration."""
from __future__ import annotations

import json
import os
from typing import Any, Mapping, Optional, Sequence, Union

from . import _core
from ._documented import documented_by

Configuration = Union[str, "os.PathLike[str]", Mapping[str, Any]]


@documented_by(_core.diagnose)
def doctor(
    configuration: Configuration,
    *,
    served: Optional[int] = None,
    format: str = "",
    recipe: str = "hf",
    engines: Sequence[str] = (),
    against: Union[str, "os.PathLike[str]"] = "",
) -> dict[str, Any]:
    """Checks a configuration, given as a path or a dict, like ``farfield doctor CONFIG --json``.

    docs/doctor.md describes the keys of the result.
    """
    is_path = isinstance(configuration, (str, os.PathLike))
    name = os.fspath(configuration) if is_path else "configuration"  # type: ignore[arg-type]
    text = None if is_path else json.dumps(configuration, indent=1)
    answer: dict[str, Any] = json.loads(_core.diagnose(name, text, served, format, recipe, list(engines), os.fspath(against)))
    return answer
