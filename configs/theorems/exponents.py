"""Claim kind `Exponent`: how fast a quantity grows with samples, classes, draws or rounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal

import numpy as np

from boostbench.plugins import (
    AboutValues,
    Case,
    Evidence,
    Labels,
    Repeats,
    Result,
    lower,
)

_SIZES: dict[str, Callable[[Any], float]] = {
    "samples": lambda result: result.record.n_train,
    "classes": lambda result: result.record.n_classes,
    "draws": lambda result: result.run.booster.params["subsample"] * result.record.n_train,
}


class Exponent(AboutValues):
    """The slope of the logarithm of a quantity on that of a size, by least squares, is small.

    Attributes
    ----------
    booster : tuple of str
        Labels. Along ``draws`` they differ in ``subsample``; else each is a case.
    along : {"samples", "classes", "draws", "rounds"}
        The size. Along ``samples`` and ``classes`` the data sets of the claim differ in it.
    below : float
        The slope, one for each seed, is lower.
    """

    booster: Labels
    along: Literal["samples", "classes", "draws", "rounds"]
    below: float

    def cases(self, evidence: Evidence) -> Iterable[Case]:
        """Yield a case for each line of points: whether its slope is below the number."""
        lines: dict[tuple[str, ...], list[Any]] = {}
        for cell in evidence.cells(self.booster):
            by_data = cell.datasets if self.along in ("rounds", "draws") else ()
            by_booster = () if self.along == "draws" else (cell.booster,)
            lines.setdefault((*by_data, *by_booster, cell.noise), []).append(cell)
        for names, cells in lines.items():
            samples = [evidence.sample(cell) for cell in cells]
            sizes = [self._size(evidence, cell) for cell in cells]
            slopes = _slopes(samples, sizes)
            outcome = lower(slopes, Repeats.constant(self.below, slopes))
            mean = "–" if slopes.mean is None else f"{slopes.mean:.2f}"
            spread = " to ".join(f"{size:g}" for size in (min(sizes), max(sizes)))
            numbers = {"exponent": mean, self.along: spread}
            yield Case("", ", ".join(names), outcome, numbers)

    def _size(self, evidence: Evidence, cell: Any) -> float:
        if self.along == "rounds":
            return float(cell.at)
        read: Callable[[Result], float] = _SIZES[self.along]
        return evidence.sample(cell, read=read).mean or 1.0


def _slopes(samples: list[Repeats], sizes: list[float]) -> Repeats:
    """Return the slope of each seed that has a value at every size."""
    units = set.intersection(*(set(sample.values) for sample in samples))
    values = {
        unit: float(np.polyfit(np.log(sizes), np.log([s.values[unit] for s in samples]), 1)[0])
        for unit in sorted(units)
    }
    gaps = tuple(gap for sample in samples for gap in sample.gaps)
    return Repeats(values, samples[0].design, gaps)
