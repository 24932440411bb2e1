"""Imports single modules of a package without its other modules, which may need a GPU or packages that no recipe uses."""
import importlib
import importlib.util
import sys
import types


def package(*names):
    """Makes these packages importable without running their __init__.py."""
    for name in names:
        module = types.ModuleType(name)
        module.__path__ = list(importlib.util.find_spec(name).submodule_search_locations)
        sys.modules[name] = module


def stand_in(name, **contents):
    """A module with these contents. It replaces a module that is imported but not used by the functions of a recipe."""
    module = types.ModuleType(name)
    vars(module).update(contents)
    sys.modules[name] = module
