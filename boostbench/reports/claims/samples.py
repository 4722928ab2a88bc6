"""Values of one quantity over runs, and what can be said of two of them.

A *unit* is a seed and a fold: all boosters see the same split, labels and problem in it, so that
differences are taken unit by unit. With several units, a difference counts if its 95 % interval
leaves out zero; with one, it counts as it is.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

__all__ = [
    "NEVER",
    "Opinion",
    "Sample",
    "State",
    "Unit",
    "all_of",
    "any_of",
    "lower",
    "mean_of",
    "near",
    "share_of",
    "turned",
]

Unit = tuple[int, int]
State = Literal["holds", "fails", "open", "missing"]

#: Runs that would be needed where no number of them is enough.
NEVER = math.inf
_CONFIDENCE = 0.95
_Z = statistics.NormalDist().inv_cdf(0.5 + _CONFIDENCE / 2)
_ROUNDING = 1e-12
_RESAMPLES = 2000


@dataclass(frozen=True)
class Sample:
    """Values of a quantity by unit.

    Attributes
    ----------
    values : mapping of (seed, fold) to float
    planned : frozenset of (seed, fold)
        Where there should be a value.
    gaps : tuple of str
        Why there is none somewhere.
    """

    values: Mapping[Unit, float]
    planned: frozenset[Unit]
    gaps: tuple[str, ...] = ()

    @classmethod
    def constant(cls, value: float, like: Sample) -> Sample:
        """Return one value for every unit of another sample."""
        return cls(dict.fromkeys(like.planned, value), like.planned)

    @property
    def mean(self) -> float | None:
        """The mean; None without a value."""
        return statistics.fmean(self.values.values()) if self.values else None

    def middle(self, statistic: str) -> float | None:
        """Return the mean or the median; None without a value."""
        if statistic == "mean" or not self.values:
            return self.mean
        return float(statistics.median(self.values.values()))

    def map(self, change: Callable[[float], float]) -> Sample:
        """Return the sample with every value changed."""
        values = {unit: change(value) for unit, value in self.values.items()}
        return replace(self, values=values)

    def minus(self, other: Sample) -> Sample:
        """Return the differences in the units that both have."""
        values = {
            unit: value - other.values[unit]
            for unit, value in self.values.items()
            if unit in other.values
        }
        return Sample(values, self.planned | other.planned, _joined(self, other))


def mean_of(samples: Sequence[Sample]) -> Sample:
    """Return, by unit, the mean over samples; only units that all of them have count."""
    units = [unit for unit in samples[0].values if all(unit in s.values for s in samples)]
    values = {unit: statistics.fmean(s.values[unit] for s in samples) for unit in units}
    planned = frozenset().union(*(sample.planned for sample in samples))
    return Sample(values, planned, _joined(*samples))


@dataclass(frozen=True)
class Opinion:
    """Whether something holds, as far as the runs tell.

    Attributes
    ----------
    state : {"holds", "fails", "open", "missing"}
        ``open``: the runs there are leave it open; ``missing``: there are too few of them.
    difference : float or None
        By how much one quantity is above the other.
    interval : (float, float) or None
        Of the difference; None if it is a point value.
    n, planned : int
        Units that it rests on, and that there should be.
    total : float
        Units that would about decide it, if it is open; `NEVER` if none would.
    leans : bool
        What the point values say.
    why : str
        Why something is missing.
    """

    state: State
    difference: float | None = None
    interval: tuple[float, float] | None = None
    n: int = 0
    planned: int = 0
    total: float = NEVER
    leans: bool = False
    why: str = ""

    @property
    def badness(self) -> float:
        """How near it is to failing; for comparison within one state."""
        return -math.inf if self.difference is None else self.difference


def lower(
    left: Sample,
    right: Sample,
    *,
    ties: bool = False,
    slack: float = 0.0,
    statistic: str = "mean",
) -> Opinion:
    """Tell whether one quantity is lower than another.

    Parameters
    ----------
    left, right : Sample
    ties : bool, default=False
        Whether equal values hold.
    slack : float, default=0.0
        The left one may be higher by this much.
    statistic : {"mean", "median"}
        Of the values over runs. Means are judged by Student's t on paired differences, medians by
        a bootstrap over pairs.

    Returns
    -------
    opinion : Opinion
        Its difference is left minus right.
    """
    pairs = left.minus(right)
    n, planned = len(pairs.values), len(pairs.planned)
    if n == 0 or (n == 1 and planned > 1):
        why = "; ".join(pairs.gaps) or "no runs in common"
        return Opinion("missing", n=n, planned=planned, why=why)
    if statistic == "median":
        difference, spread, half = _medians(left, right, list(pairs.values))
    else:
        difference, spread, half = _means(list(pairs.values.values()))
    beyond = difference - slack
    leans = beyond < -_ROUNDING or (ties and beyond <= _ROUNDING)
    if spread <= _ROUNDING:
        state: State = "holds" if leans else "fails"
        return Opinion(state, difference, None, n, planned, leans=leans)
    interval = (difference - half, difference + half)
    if interval[1] < slack:
        state = "holds"
    elif interval[0] > slack:
        state = "fails"
    else:
        state = "open"
    total = NEVER if abs(beyond) <= _ROUNDING else max(n + 1, n * (half / beyond) ** 2)
    return Opinion(state, difference, interval, n, planned, total, leans)


def near(left: Sample, right: Sample, tolerance: float) -> Opinion:
    """Tell whether two quantities differ by at most a tolerance; by 0: in no run at all."""
    if tolerance > 0:
        above = lower(left, right, ties=True, slack=tolerance)
        below = turned(lower(right, left, ties=True, slack=tolerance))
        nearer = all_of([above, below])
        return replace(nearer, difference=above.difference, interval=above.interval)
    pairs = left.minus(right)
    n, planned = len(pairs.values), len(pairs.planned)
    differing = [value for value in pairs.values.values() if abs(value) > _ROUNDING]
    if differing:
        worst = max(differing, key=abs)
        return Opinion("fails", worst, None, n, planned)
    if n < planned or n == 0:
        return Opinion("missing", 0.0 if n else None, n=n, planned=planned, why=_why(pairs))
    return Opinion("holds", 0.0, None, n, planned, leans=True)


def share_of(held: Sample, bound: float) -> Opinion:
    """Tell whether a share of runs is at least a bound, by Wilson's interval.

    Parameters
    ----------
    held : Sample
        1 where it holds in a run, 0 where it does not.
    bound : float
        Share, 0 to 1.

    Returns
    -------
    opinion : Opinion
        Its difference is the share itself.
    """
    n, planned = len(held.values), len(held.planned)
    if n == 0:
        return Opinion("missing", n=0, planned=planned, why=_why(held))
    share = sum(held.values.values()) / n
    interval = _wilson(share, n)
    leans = share >= bound - _ROUNDING
    if interval[0] >= bound - _ROUNDING:
        state: State = "holds"
    elif interval[1] < bound:
        state = "fails"
    else:
        state = "open"
    return Opinion(state, share, interval, n, planned, _runs_for_share(share, bound, n), leans)


def all_of(opinions: Iterable[Opinion]) -> Opinion:
    """Return the opinion that everything holds: that of the part which decides it."""
    return _combined(opinions, ("fails", "missing", "open", "holds"))


def any_of(opinions: Iterable[Opinion]) -> Opinion:
    """Return the opinion that something holds: that of the part which decides it."""
    return _combined(opinions, ("holds", "open", "missing", "fails"))


def _combined(opinions: Iterable[Opinion], order: tuple[State, ...]) -> Opinion:
    opinions = list(opinions)
    first = min((opinion.state for opinion in opinions), key=order.index)
    deciding = [opinion for opinion in opinions if opinion.state == first]
    wants_all = order[0] == "fails"
    pick = max if wants_all else min
    chosen = pick(deciding, key=lambda opinion: opinion.badness)
    leanings = [opinion.leans for opinion in opinions]
    leans = all(leanings) if wants_all else any(leanings)
    if first != "open":
        return replace(chosen, leans=leans)
    totals = [opinion.total for opinion in deciding]
    return replace(chosen, leans=leans, total=max(totals) if wants_all == leans else min(totals))


def _means(differences: Sequence[float]) -> tuple[float, float, float]:
    """Return mean, standard deviation and half the width of the interval."""
    mean = statistics.fmean(differences)
    if len(differences) == 1:
        return mean, 0.0, 0.0
    from scipy.stats import t

    spread = statistics.stdev(differences)
    quantile = float(t.ppf(0.5 + _CONFIDENCE / 2, len(differences) - 1))
    return mean, spread, quantile * spread / math.sqrt(len(differences))


def _medians(left: Sample, right: Sample, units: Sequence[Unit]) -> tuple[float, float, float]:
    """Return difference, spread and half the width of the interval of the difference of medians."""
    import numpy as np

    a = np.array([left.values[unit] for unit in units])
    b = np.array([right.values[unit] for unit in units])
    difference = float(np.median(a) - np.median(b))
    drawn = np.random.default_rng(0).integers(len(units), size=(_RESAMPLES, len(units)))
    differences = np.median(a[drawn], axis=1) - np.median(b[drawn], axis=1)
    spread = float(differences.std())
    return difference, spread, _Z * spread


def turned(opinion: Opinion) -> Opinion:
    """Return the opinion about right and left as one about left and right."""
    difference = None if opinion.difference is None else -opinion.difference
    interval = None if opinion.interval is None else (-opinion.interval[1], -opinion.interval[0])
    return replace(opinion, difference=difference, interval=interval)


def _wilson(share: float, n: int) -> tuple[float, float]:
    centre = (share + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    half = _Z * math.sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2)) / (1 + _Z**2 / n)
    return max(0.0, centre - half), min(1.0, centre + half)


def _runs_for_share(share: float, bound: float, n: int) -> float:
    """Return how many runs of the same share would leave the bound outside the interval."""
    if abs(share - bound) <= _ROUNDING:
        return NEVER
    total = n
    while total < 10**7:
        low, high = _wilson(share, total)
        if low >= bound or high < bound:
            return total
        total = math.ceil(total * 1.02) + 1
    return NEVER


def _joined(*samples: Sample) -> tuple[str, ...]:
    return tuple(dict.fromkeys(gap for sample in samples for gap in sample.gaps))


def _why(sample: Sample) -> str:
    return "; ".join(sample.gaps) or "no runs"
