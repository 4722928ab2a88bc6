"""boostbench: reproduce and compare multiclass and noise-robust boosting.

Examples
--------
>>> import boostbench
>>> boostbench.make_booster("samme", n_estimators=50)
SAMME(n_estimators=50)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boostbench.resources import lazy_attribute

if TYPE_CHECKING:
    from boostbench.api import Experiment, load_dataset
    from boostbench.boosters import list_boosters, make_booster
    from boostbench.compare_boosters import compare
    from boostbench.label_errors import find_label_errors
    from boostbench.models import fit_model, load_model
    from boostbench.reports.values.frame import load_results

__all__ = [
    "Experiment",
    "__version__",
    "compare",
    "find_label_errors",
    "fit_model",
    "list_boosters",
    "load_dataset",
    "load_model",
    "load_results",
    "make_booster",
]

__version__ = "0.2.0"


def __getattr__(name: str) -> Any:
    # Lazy, because the command line imports this package for the version alone.
    return lazy_attribute(__file__, name)


def __dir__() -> list[str]:
    return __all__
