"""Estimated time of a run, from the runs that are done."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from boostbench.experiments.store.record import Summary

#: Seconds per unit of work before anything was measured (a tree engine on one core).
_FIRST_GUESS = 4e-9
_COLUMN_OVERHEAD = 16


@dataclass(frozen=True)
class Sizes:
    """Sizes that decide the cost of a run.

    Attributes
    ----------
    n_train, n_features, n_classes, rounds : int
    """

    n_train: int
    n_features: int
    n_classes: int
    rounds: int

    @property
    def work(self) -> float:
        """Rows times columns times classes times rounds; columns have a fixed part."""
        columns = self.n_features + _COLUMN_OVERHEAD
        return float(self.n_train) * columns * self.n_classes * self.rounds


class CostModel:
    """Seconds per unit of work: of a booster on a data set, else of the booster, else of them all.

    Parameters
    ----------
    records : iterable of Summary
        Of finished runs.
    """

    def __init__(self, records: Iterable[Summary] = ()) -> None:
        rates: dict[tuple[str, ...], list[float]] = {}
        for record in records:
            if record.status == "ok":
                run = record.run
                booster, dataset = run.booster.name, run.data.name
                folds = 2 if run.validation is None else run.validation["folds"]
                # rounds asked for: what stops a booster early stops its next run too
                sizes = Sizes(
                    record.n_train * (folds - 1),
                    record.n_features,
                    record.n_classes,
                    run.rounds,
                )
                spent = sum(t for name, t in record.seconds.items() if name != "warm_up")
                for key in ((booster, dataset), (booster,)):
                    rates.setdefault(key, []).append(spent / sizes.work)
        self._rates = {key: median(values) for key, values in rates.items()}
        by_booster = [rate for key, rate in self._rates.items() if len(key) == 1]
        self._overall = median(by_booster) if by_booster else _FIRST_GUESS

    def seconds(self, booster: str, dataset: str, sizes: Sizes) -> float:
        """Return the expected seconds of a run."""
        of_booster = self._rates.get((booster,), self._overall)
        return self._rates.get((booster, dataset), of_booster) * sizes.work
