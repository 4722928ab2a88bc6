"""Module of the classes that `boostbench.boosters.classifiers` makes on demand, for files of skops.

skops looks for the class of a model by its name, makes an object without state, and calls
``__setstate__``, which knows the class.
"""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    """Return the class of an object without state, for any name of a class."""
    if not name[:1].isupper():  # pytest and pickle look for other names, too
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from boostbench.boosters.classifiers import ClassifierBooster

    return ClassifierBooster
