"""farfield from Python: declare, simulate and check theories about positional encodings (docs/python.md)."""
from . import testing
from ._comparison import compare, laws, variations
from ._core import Answer, Claim, Deviation, Law, LimitFound, Reading, SafeLength, Variation
from ._core import version as _version
from ._doctor import doctor
from ._formulas import Formula, evaluate, number_systems, proves_equal
from ._quantities import Result, Table, Training, fit, kinds, quantity, trained_kinds
from ._safe_length import safe_length
from ._schemes import Rotation, Scheme, load, loads, scheme, schemes
from ._studies import Study, check, run, run_dict
from .errors import Diagnostic, Error, InputError, WorldError

__version__ = _version()

__all__ = [
    "Answer",
    "Claim",
    "Deviation",
    "Diagnostic",
    "Error",
    "Formula",
    "InputError",
    "Law",
    "LimitFound",
    "Reading",
    "Result",
    "Rotation",
    "SafeLength",
    "Scheme",
    "Study",
    "Table",
    "Training",
    "Variation",
    "WorldError",
    "check",
    "compare",
    "doctor",
    "evaluate",
    "fit",
    "kinds",
    "laws",
    "load",
    "loads",
    "number_systems",
    "proves_equal",
    "quantity",
    "run",
    "run_dict",
    "safe_length",
    "scheme",
    "schemes",
    "testing",
    "trained_kinds",
    "variations",
]
