"""Values of every repeat at one T: what the figures `noise` and `distribution` are made of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from boostbench.errors import BoostbenchError
from boostbench.reports.figures.style import booster_colours
from boostbench.reports.values.frame import Study, error_curve
from boostbench.reports.values.metrics import METRICS
from boostbench.reports.values.options import chosen_metrics, chosen_rounds

__all__ = ["Repeats"]


class Repeats:
    """One value of every run with a result.

    Parameters
    ----------
    study : Study
    value : str
        A metric.
    at : int or None
        Round T; None for the last round of each run. Boosters that make fewer rounds of their own
        give their last value.

    Attributes
    ----------
    frame : DataFrame
        One row per run: dataset, booster, noise (in words), model, rate, and value, in percent or
        as a cost.
    metric : str
    colours : dict of str to str
        By the label of a booster.
    rounds : str
        T in words: ``"T = 1000"``, or ``"T = 1000; 300 for martiboost"``.
    axis : str
        How the axis of the values is named.

    Raises
    ------
    BoostbenchError
        If an option is wrong or no run has a result.
    """

    def __init__(self, study: Study, value: Any, at: Any) -> None:
        (self.metric,) = chosen_metrics(study, "value", value)
        T = None if at is None else chosen_rounds(study, at)[-1]
        scale = METRICS[self.metric].scale
        rows = [
            (
                result.run.dataset,
                result.run.method,
                result.noise,
                result.run.noise.model,
                result.noise_rate,
                scale * error_curve(result, self.metric, [T or result.run.rounds])[0],
            )
            for result in study.results
            if result.ok
        ]
        if not rows:
            raise BoostbenchError("no run has a result yet")
        columns = ["dataset", "booster", "noise", "model", "rate", "value"]
        self.frame = pd.DataFrame(rows, columns=columns).dropna(subset="value")
        names = {result.run.method: result.run.booster.name for result in study.results}
        self.colours = booster_colours([(label, names[label]) for label in study.boosters])
        self.rounds = _rounds_in_words(study, T)
        its = METRICS[self.metric]
        self.axis = f"{its.words} (%)" if its.unit else its.words

    def values(self, **where: Any) -> NDArray[np.float64]:
        """Return the values of the runs for which columns have the given values."""
        chosen = np.ones(len(self.frame), dtype=bool)
        for column, wanted in where.items():
            chosen &= (self.frame[column] == wanted).to_numpy()
        return self.frame["value"].to_numpy(dtype=np.float64)[chosen]


def _rounds_in_words(study: Study, T: int | None) -> str:
    largest = max(result.run.rounds for result in study.results)
    own: dict[int, list[str]] = {}
    for result in study.results:
        run = result.run
        if run.booster.rounds and run.rounds < (T or largest):
            own.setdefault(run.rounds, []).append(run.method)
    exceptions = [f"{rounds} for {', '.join(dict.fromkeys(its))}" for rounds, its in own.items()]
    return "; ".join([f"T = {T or largest}", *exceptions])
