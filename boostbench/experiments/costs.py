"""How long a run will take, judged by the runs that are done."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median
from typing import Any

__all__ = ["CostModel", "Sizes"]

#: Seconds per unit of work before anything was measured (a tree engine on one core).
_FIRST_GUESS = 4e-9
_COLUMN_OVERHEAD = 16


@dataclass(frozen=True)
class Sizes:
    """What decides the cost of a run.

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
    """Seconds per unit of work, for each booster.

    Parameters
    ----------
    records : iterable of dict
        Summaries of finished runs.
    """

    def __init__(self, records: Iterable[dict[str, Any]] = ()) -> None:
        rates: dict[str, list[float]] = {}
        for record in records:
            if record["status"] == "ok" and record["n_rounds"]:
                folds = (record["run"].get("validation") or {}).get("folds", 2)
                sizes = Sizes(
                    record["n_train"] * (folds - 1),
                    record["n_features"],
                    record["n_classes"],
                    record["n_rounds"],
                )
                spent = sum(t for name, t in record["seconds"].items() if name != "warm_up")
                rates.setdefault(record["run"]["booster"]["name"], []).append(spent / sizes.work)
        self._by_booster = {name: median(values) for name, values in rates.items()}
        self._overall = median(self._by_booster.values()) if rates else _FIRST_GUESS

    def seconds(self, booster: str, sizes: Sizes) -> float:
        """Return the expected seconds of a run."""
        return self._by_booster.get(booster, self._overall) * sizes.work
