"""boostbench: reproduce and compare multiclass and noise-robust boosting.

Examples
--------
>>> import boostbench
>>> boostbench.make_booster("samme", n_estimators=50)
SAMME(n_estimators=50)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from boostbench.resources import lazy

if TYPE_CHECKING:
    from boostbench.api import Experiment as Experiment
    from boostbench.api import load_dataset as load_dataset
    from boostbench.boosters import list_boosters as list_boosters
    from boostbench.boosters import make_booster as make_booster
    from boostbench.compare_boosters import compare as compare
    from boostbench.label_errors import find_label_errors as find_label_errors
    from boostbench.models import fit_model as fit_model
    from boostbench.models import load_model as load_model
    from boostbench.reports.values.frame import load_results as load_results

__version__ = "0.3.0"
# Lazy, because the command line imports this package for the version alone.
__getattr__, __dir__ = lazy(__file__, "__version__")
