"""Estimates of the time of a run from finished runs."""

from __future__ import annotations

import math
from functools import cache, cached_property
from statistics import median
from typing import TYPE_CHECKING

from boostbench import registry
from boostbench.experiments.runs import BoosterSpec, Params, Run
from boostbench.experiments.store.identity import components_of
from boostbench.experiments.store.record import Summary

if TYPE_CHECKING:
    from boostbench.data import DatasetEntry

#: Seconds per unit of work without measurements (tree engine on one core).
_FIRST_GUESS = 4e-9
#: Work independent of the number of columns, in columns.
_COLUMN_OVERHEAD = 16
#: Assumed fraction of training rows in a data set.
_TRAINING = 0.7


class Estimates:
    """Median seconds per unit of work of a booster on a data set.

    Without such runs, the median of the booster, or else of all boosters, is used. All finished
    runs must be added before the first estimate.
    """

    def __init__(self) -> None:
        self._measured: dict[tuple[str, ...], list[float]] = {}

    def add(self, record: Summary) -> None:
        """Add the record of a run; runs that failed are ignored."""
        if record.status == "ok":
            run = record.run
            # requested rounds: a booster that stopped early will probably stop early again
            amount = _work(run, record.n_train, record.n_features, record.n_classes)
            kind = _booster_names(run.booster)
            for key in ((kind, run.data.name), (kind,)):
                self._measured.setdefault(key, []).append(record.work_seconds / amount)

    @cached_property
    def _rates(self) -> dict[tuple[str, ...], float]:
        return {key: median(values) for key, values in self._measured.items()}

    @cached_property
    def _overall(self) -> float:
        by_booster = [rate for key, rate in self._rates.items() if len(key) == 1]
        return median(by_booster) if by_booster else _FIRST_GUESS

    def know(self, run: Run) -> bool:
        """Return whether a run of the same booster on the same data set was added."""
        return (_booster_names(run.booster), run.data.name) in self._measured

    def seconds(self, run: Run, entry: DatasetEntry) -> float:
        """Return the expected seconds of a run on the data set described by ``entry``."""
        split = run.split if isinstance(run.split, Params) else Params()
        n_train = min(
            entry.n_train or round((entry.n_rows or 0) * _TRAINING) or 2000,
            split.get("max_train") or math.inf,
            _TRAINING * (split.get("max_rows") or math.inf),
        )
        amount = _work(run, round(n_train), entry.n_features or 20, entry.n_classes or 5)
        of_booster = self._rates.get((_booster_names(run.booster),), self._overall)
        return self._rates.get((_booster_names(run.booster), run.data.name), of_booster) * amount


@cache
def _booster_names(booster: BoosterSpec) -> str:
    """Return the names of the booster and its inner boosters."""
    components = components_of(booster.name, booster.params.plain())
    return ":".join(name for kind, name in components if kind is registry.boosters)


def _work(run: Run, n_train: int, n_features: int, n_classes: int) -> float:
    """Return the work: rows x (columns + overhead) x classes x rounds.

    With k folds within the training part, k - 1 times its rows.
    """
    n_fits = 1 if run.validation is None else run.validation["folds"] - 1
    return float(n_train * n_fits) * (n_features + _COLUMN_OVERHEAD) * n_classes * run.rounds
