"""boostbench: reproduce and compare multiclass and noise-robust boosting.

Examples
--------
>>> import boostbench
>>> boostbench.make_booster("samme", n_estimators=50)
SAMME(n_estimators=50)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from boostbench.boosters import list_boosters, make_booster

__all__ = ["__version__", "list_boosters", "make_booster"]

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    # The command line imports this package for its version alone; the boosters wait until asked.
    if name in {"list_boosters", "make_booster"}:
        from boostbench import boosters

        return getattr(boosters, name)
    raise AttributeError(f"module 'boostbench' has no attribute {name!r}")
