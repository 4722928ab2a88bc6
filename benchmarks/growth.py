"""Measure of growth: fit time as a function of rows, features, classes and rounds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.data import Data, generated
from benchmarks.fit_speed import fit, warm_up
from benchmarks.settings import Settings
from benchmarks.table import Row, seconds
from benchmarks.timing import compete

#: Default sizes of a fit, and the values over which each size is varied in turn.
BASE = {"rows": 8_000, "features": 16, "classes": 6, "rounds": 25}
GRID = {
    "rows": (8_000, 16_000, 32_000, 64_000),
    "features": (16, 32, 64, 128),
    "classes": (3, 6, 12, 24),
    "rounds": (25, 50, 100, 200),
}


def growth(settings: Settings) -> Iterator[Row]:
    """Fit exponents of the time of AdaBoost.MH by least squares on logarithms."""
    warm_up("adaboost-mh")
    for name, values in GRID.items():
        chosen = values[:3] if settings.quick else values
        sizes = [{**BASE, name: value} for value in chosen]
        contestants = [fit("adaboost-mh", _data(**size), size["rounds"]) for size in sizes]
        times = compete(contestants, settings.repeats, settings.budget, choose=min)
        exponent = float(np.polyfit(np.log(chosen), np.log(times), 1)[0])
        around = ", ".join(f"{value:,} {key}" for key, value in BASE.items() if key != name)
        yield Row(
            f"exponent of AdaBoost.MH fit time in {name}",
            around,
            seconds(times[-1]),
            seconds(times[0]),
            exponent,
            None,
            note=f"{chosen[-1]:,} {name} beside {chosen[0]:,}; the least of the repeats",
        )


def _data(rows: int, features: int, classes: int, rounds: int) -> Data:
    """Generate rows with 64 values per feature; the rounds do not affect the data."""
    return generated("made up", rows, 100, features, classes, 64, 0.0)
