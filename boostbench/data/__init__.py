"""Data sets: catalog, sources, generators, and splits into training and test rows.

The names below are for users of the package; its own modules import from where a name is defined.
"""

from importlib import import_module
from typing import Any

from boostbench.data.catalog import catalog as catalog
from boostbench.data.catalog import find_entry as find_entry

#: Modules of the names that are imported on first use, since the catalog needs no numpy.
_MODULES = {"Dataset": "dataset", "load": "loading", "locate": "loading", "split": "splits"}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(import_module(f"boostbench.data.{_MODULES[name]}"), name)
    raise AttributeError(f"module 'boostbench.data' has no attribute {name!r}")
