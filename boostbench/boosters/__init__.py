"""The papers' boosters: scikit-learn classifiers created by name."""

from __future__ import annotations

from typing import Any

from boostbench.boosters.loop import Booster
from boostbench.boosters.state import BoostState, Step
from boostbench.boosters.surface import RoundInfo
from boostbench.declared import Count, NotNegative, Positive, Share
from boostbench.registry import boosters


def make_booster(name: str, **parameters: Any) -> Any:
    """Return a new booster.

    Parameters
    ----------
    name : str
        A registered name such as ``"sm-boost"``, or ``"FILE.py:Class"``.
    **parameters
        Constructor parameters; ``n_estimators`` is the number of rounds T.

    Raises
    ------
    UnknownNameError
        If there is no such booster; the message suggests the nearest name.
    TypeError
        If the booster has no such parameter.
    AbsentError
        If its package is not installed; the message has the command to install it.

    Examples
    --------
    >>> make_booster("adaboost-mh", n_estimators=10)
    AdaBoostMH(n_estimators=10)
    """
    return boosters.get(name)(**parameters)


def __getattr__(name: str) -> Any:
    """Return a booster's class by its name, as ``from boostbench.boosters import SAMME`` does."""
    for registered, known in () if name.startswith("_") else boosters.declarations.items():
        if known.origin.startswith("boostbench.") and known.origin.endswith(f":{name}"):
            return boosters.get(registered)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def list_boosters() -> list[str]:
    """Return the names of the papers' boosters and of plugins, in alphabetical order.

    Other classifiers (``"random-forest"``, ``"filter-and-refit"``) are not included.
    """
    return [
        name
        for name in boosters.names()
        if not boosters.is_foreign(name)
        and not boosters.module(name).startswith("boostbench.baselines.")
    ]
