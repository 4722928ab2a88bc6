"""Estimated time of a run, from the runs that are done."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median

from boostbench.experiments.store.record import Summary

#: Seconds per unit of work before anything was measured (a tree engine on one core).
_FIRST_GUESS = 4e-9
_COLUMN_OVERHEAD = 16


def work(n_train: int, n_features: int, n_classes: int, rounds: int) -> float:
    """Return rows times columns times classes times rounds; columns have a fixed part."""
    return float(n_train) * (n_features + _COLUMN_OVERHEAD) * n_classes * rounds


class Estimates:
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
                n_fits = 1 if run.validation is None else run.validation["folds"] - 1
                # rounds asked for: what stops a booster early stops its next run too
                amount = work(
                    record.n_train * n_fits, record.n_features, record.n_classes, run.rounds
                )
                spent = sum(t for name, t in record.seconds.items() if name != "warm_up")
                for key in ((run.booster.name, run.data.name), (run.booster.name,)):
                    rates.setdefault(key, []).append(spent / amount)
        self._rates = {key: median(values) for key, values in rates.items()}
        by_booster = [rate for key, rate in self._rates.items() if len(key) == 1]
        self._overall = median(by_booster) if by_booster else _FIRST_GUESS

    def seconds(self, booster: str, dataset: str, amount: float) -> float:
        """Return the expected seconds of so much `work`."""
        of_booster = self._rates.get((booster,), self._overall)
        return self._rates.get((booster, dataset), of_booster) * amount
