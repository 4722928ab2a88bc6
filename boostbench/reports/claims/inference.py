"""Statistics of claims: from the values of two quantities to an outcome.

A *unit* is a seed and a fold. All boosters see the same split, labels and problem in it, so that
differences are taken unit by unit. `estimate` is the one place where the interval of a difference
is chosen from the design of the experiment; with a single unit a difference counts as it is.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from boostbench.experiments.runs import Params

Unit = tuple[int, int]
State = Literal["holds", "fails", "open", "missing"]
Statistic = Literal["mean", "median"]

#: Number of runs where no number of runs would decide.
NEVER = math.inf
_CONFIDENCE = 0.95
_Z = statistics.NormalDist().inv_cdf(0.5 + _CONFIDENCE / 2)
_ROUNDING = 1e-12
_RESAMPLES = 2000


class Design(NamedTuple):
    """Design of the runs behind a quantity.

    Attributes
    ----------
    units : frozenset of (seed, fold)
    splits : frozenset of (str or Params)
        How they divide samples into training and test parts.
    """

    units: frozenset[Unit]
    splits: frozenset[str | Params] = frozenset()

    def union(self, *others: Design) -> Design:
        """Return the design of several quantities taken together."""
        designs = (self, *others)
        return Design(
            frozenset().union(*(each.units for each in designs)),
            frozenset().union(*(each.splits for each in designs)),
        )


@dataclass(frozen=True)
class Sample:
    """Values of a quantity by unit.

    Attributes
    ----------
    values : mapping of (seed, fold) to float
    design : Design
        The units that should have a value, and how they came about.
    gaps : tuple of str
        Reasons for missing values.
    """

    values: Mapping[Unit, float]
    design: Design
    gaps: tuple[str, ...] = ()

    @classmethod
    def constant(cls, value: float, like: Sample) -> Sample:
        """Return one value for every unit of another sample."""
        return cls(dict.fromkeys(like.design.units, value), like.design)

    @property
    def mean(self) -> float | None:
        """The mean; None without a value."""
        return statistics.fmean(self.values.values()) if self.values else None

    def middle(self, statistic: Statistic) -> float | None:
        """Return the mean or the median; None without a value."""
        if statistic == "mean" or not self.values:
            return self.mean
        return float(statistics.median(self.values.values()))

    def map(self, change: Callable[[float], float]) -> Sample:
        """Return the sample with every value changed."""
        values = {unit: change(value) for unit, value in self.values.items()}
        return replace(self, values=values)

    def only(self, unit: Unit) -> Sample:
        """Return the sample of one unit."""
        return Sample({unit: self.values[unit]}, Design(frozenset([unit]), self.design.splits))

    def minus(self, other: Sample) -> Sample:
        """Return the differences in the units that both have."""
        return _combined([self, other], lambda pair: pair[0] - pair[1])


def mean_of(samples: Sequence[Sample]) -> Sample:
    """Return, by unit, the mean over samples; only units that all of them have count."""
    return samples[0] if len(samples) == 1 else _combined(samples, statistics.fmean)


def _combined(samples: Sequence[Sample], join: Callable[[Sequence[float]], float]) -> Sample:
    first, *rest = samples
    units = [unit for unit in first.values if all(unit in sample.values for sample in rest)]
    values = {unit: join([sample.values[unit] for sample in samples]) for unit in units}
    gaps = tuple(dict.fromkeys(gap for sample in samples for gap in sample.gaps))
    return Sample(values, first.design.union(*(sample.design for sample in rest)), gaps)


@dataclass(frozen=True)
class Outcome:
    """Whether something holds, as far as the runs tell.

    Attributes
    ----------
    state : {"holds", "fails", "open", "missing"}
        ``open``: the runs at hand leave it open; ``missing``: there are too few of them.
    difference : float or None
        By how much one quantity is above the other.
    interval : (float, float) or None
        Of the difference; None if it is a point value.
    n, planned : int
        Units with a value, and units planned.
    total : float
        Units that would about decide it, if it is open; `NEVER` if no number would.
    leans : bool
        Whether it holds by the point values.
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
        """Closeness to failing, for comparison within one state."""
        return -math.inf if self.difference is None else self.difference


class Estimate(NamedTuple):
    """A difference and half the width of its interval; 0 if nothing is known of its spread."""

    difference: float
    half_width: float


def estimate(
    left: Sequence[float], right: Sequence[float], design: Design, statistic: Statistic = "mean"
) -> Estimate:
    """Return the difference of two quantities with its 95 % interval.

    Parameters
    ----------
    left, right : sequence of float
        Paired values, one for each unit that has both.
    design : Design
        At present every design is taken alike: units are independent pairs. With one unit, or
        equal differences in all of them, there is no interval.
    statistic : {"mean", "median"}
        Means have the interval of the paired t test, medians one from a paired bootstrap.
    """
    differences = [a - b for a, b in zip(left, right, strict=True)]
    if statistic == "median":
        difference = statistics.median(left) - statistics.median(right)
        half = _Z * _bootstrap_error(left, right) if len(differences) > 1 else 0.0
        return Estimate(difference, half if half > _Z * _ROUNDING else 0.0)
    mean = statistics.fmean(differences)
    if len(differences) == 1 or statistics.stdev(differences) <= _ROUNDING:
        return Estimate(mean, 0.0)
    from scipy.stats import ttest_rel

    interval = ttest_rel(left, right).confidence_interval(_CONFIDENCE)
    return Estimate(mean, float(interval.high - interval.low) / 2)


def _bootstrap_error(left: Sequence[float], right: Sequence[float]) -> float:
    """Return the standard error of the difference of medians over resampled pairs."""
    import numpy as np
    from scipy.stats import bootstrap

    found = bootstrap(
        (left, right),
        lambda a, b, axis: np.median(a, axis=axis) - np.median(b, axis=axis),
        paired=True,
        vectorized=True,
        n_resamples=_RESAMPLES,
        method="percentile",
        rng=np.random.default_rng(0),
    )
    return float(found.standard_error)


def lower(
    left: Sample,
    right: Sample,
    *,
    ties: bool = False,
    slack: float = 0.0,
    statistic: Statistic = "mean",
) -> Outcome:
    """Decide whether one quantity is lower than another.

    Parameters
    ----------
    left, right : Sample
    ties : bool, default=False
        Whether equal values hold.
    slack : float, default=0.0
        The left one may be higher by this much.
    statistic : {"mean", "median"}
        Of the values over runs.

    Returns
    -------
    outcome : Outcome
        Its difference is left minus right.
    """
    pairs = left.minus(right)
    n, planned = len(pairs.values), len(pairs.design.units)
    if n == 0 or (n == 1 and planned > 1):
        why = "; ".join(pairs.gaps) or "no runs in common"
        return Outcome("missing", n=n, planned=planned, why=why)
    difference, half = estimate(
        [left.values[unit] for unit in pairs.values],
        [right.values[unit] for unit in pairs.values],
        pairs.design,
        statistic,
    )
    beyond = difference - slack
    leans = beyond < -_ROUNDING or (ties and beyond <= _ROUNDING)
    if half == 0.0:
        return Outcome("holds" if leans else "fails", difference, None, n, planned, leans=leans)
    low, high = difference - half, difference + half
    state: State = "holds" if high < slack else "fails" if low > slack else "open"
    total = NEVER if abs(beyond) <= _ROUNDING else max(n + 1, n * (half / beyond) ** 2)
    return Outcome(state, difference, (low, high), n, planned, total, leans)


def near(left: Sample, right: Sample, tolerance: float) -> Outcome:
    """Decide whether two quantities differ by at most a tolerance; by 0: in no run at all."""
    if tolerance > 0:
        above = lower(left, right, ties=True, slack=tolerance)
        below = turned(lower(right, left, ties=True, slack=tolerance))
        nearer = all_of([above, below])
        return replace(nearer, difference=above.difference, interval=above.interval)
    pairs = left.minus(right)
    n, planned = len(pairs.values), len(pairs.design.units)
    differing = [value for value in pairs.values.values() if abs(value) > _ROUNDING]
    if differing:
        return Outcome("fails", max(differing, key=abs), None, n, planned)
    if n < planned or n == 0:
        return Outcome("missing", 0.0 if n else None, n=n, planned=planned, why=_why(pairs))
    return Outcome("holds", 0.0, None, n, planned, leans=True)


def share_of(held: Sample, bound: float) -> Outcome:
    """Decide whether a share of all possible runs is at least a bound, by Wilson's interval.

    Parameters
    ----------
    held : Sample
        1 in runs where something holds, 0 in others.
    bound : float
        Share, 0 to 1.

    Returns
    -------
    outcome : Outcome
        Its difference is the share itself.
    """
    n, planned = len(held.values), len(held.design.units)
    if n == 0:
        return Outcome("missing", n=0, planned=planned, why=_why(held))
    yes = round(sum(held.values.values()))
    share, (low, high) = yes / n, _wilson(yes, n)
    leans = share >= bound - _ROUNDING
    state: State = "holds" if low >= bound - _ROUNDING else "fails" if high < bound else "open"
    return Outcome(state, share, (low, high), n, planned, _runs_for_share(share, bound, n), leans)


def at_least(held: Sample, wanted: float | int) -> Outcome:
    """Decide about a share of all possible runs, or about a number of the planned ones."""
    if isinstance(wanted, float):
        return share_of(held, wanted)
    n, planned = len(held.values), len(held.design.units)
    yes = round(sum(held.values.values()))
    difference = yes / n if n else None
    if yes >= wanted:
        return Outcome("holds", difference, None, n, planned, leans=True)
    if planned >= wanted > yes + planned - n:
        return Outcome("fails", difference, None, n, planned)
    why = "; ".join(held.gaps) or f"only {planned} runs are planned"
    return Outcome("missing", difference, None, n, planned, why=why)


def all_of(outcomes: Iterable[Outcome]) -> Outcome:
    """Return the outcome that everything holds: that of the part which decides it."""
    return _joined(outcomes, ("fails", "missing", "open", "holds"))


def any_of(outcomes: Iterable[Outcome]) -> Outcome:
    """Return the outcome that something holds: that of the part which decides it."""
    return _joined(outcomes, ("holds", "open", "missing", "fails"))


def _joined(outcomes: Iterable[Outcome], order: tuple[State, ...]) -> Outcome:
    outcomes = list(outcomes)
    first = min((outcome.state for outcome in outcomes), key=order.index)
    deciding = [outcome for outcome in outcomes if outcome.state == first]
    wants_all = order[0] == "fails"
    pick = max if wants_all else min
    chosen = pick(deciding, key=lambda outcome: outcome.badness)
    leanings = [outcome.leans for outcome in outcomes]
    leans = all(leanings) if wants_all else any(leanings)
    if first != "open":
        return replace(chosen, leans=leans)
    totals = [outcome.total for outcome in deciding]
    return replace(chosen, leans=leans, total=max(totals) if wants_all == leans else min(totals))


def turned(outcome: Outcome) -> Outcome:
    """Return the outcome about right and left as one about left and right."""
    difference = None if outcome.difference is None else -outcome.difference
    interval = None if outcome.interval is None else (-outcome.interval[1], -outcome.interval[0])
    return replace(outcome, difference=difference, interval=interval)


def _wilson(yes: int, n: int) -> tuple[float, float]:
    from scipy.stats import binomtest

    interval = binomtest(yes, n).proportion_ci(_CONFIDENCE, method="wilson")
    return float(interval.low), float(interval.high)


def _runs_for_share(share: float, bound: float, n: int) -> float:
    """Return about how many runs of the same share put the bound at the end of the interval.

    There the distance is that of the score test, z sqrt(bound (1 - bound) / n).
    """
    if abs(share - bound) <= _ROUNDING or not 0 < bound < 1:
        return NEVER
    return max(float(n), bound * (1 - bound) * (_Z / (share - bound)) ** 2)


def _why(sample: Sample) -> str:
    return "; ".join(sample.gaps) or "no runs"
