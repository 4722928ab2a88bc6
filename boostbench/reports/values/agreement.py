"""Our values against printed ones: prediction intervals, and what a wrong column would meet."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from typing import Literal, NamedTuple, TypeVar

from boostbench.reports.values.estimates import Estimate
from boostbench.reports.values.paper import PaperValue
from boostbench.reports.values.samples import Sample

Agreement = Literal["agrees", "better than printed", "worse than printed", "cannot tell"]
#: Agreement says something if the interval is no wider than this on either side.
_POINTS, _SHARE = 0.015, 0.25
Column = TypeVar("Column", bound=Hashable)
Place = TypeVar("Place", bound=Hashable)


class Against(NamedTuple):
    """A value of ours against a printed one."""

    estimate: Estimate  # of ours less the printed one
    agreement: Agreement
    tells: bool  # whether the interval is narrow enough for agreement to say something


def against(ours: Sample, printed: PaperValue, n_test: int) -> Against | None:
    """Hold runs against a printed error; None without a value on either side.

    The printed number is one draw: it agrees if it lies in the 95 % prediction interval around
    ours. Its variance is that of its printed standard deviation, or else binomial, with the spread
    between our seeds where the one split hides it. The interval has to be narrow enough, at most
    1.5 points or a quarter of the printed value on each side; else nothing can be told.

    Parameters
    ----------
    ours : Sample
        Errors on one data set.
    printed : PaperValue
    n_test : int
        Test samples of a run, taken for those of the paper where it does not say.
    """
    values = [*ours.values.values()]
    if not values or printed.error is None:
        return None
    n, mean = len(values), sum(values) / len(values)
    spread = sum((value - mean) ** 2 for value in values) / (n - 1) if n > 1 else 0.0
    design = ours.design
    overlap = design.ratio if design.source == "splits" else 0.0
    pooled = (mean + printed.error) / 2
    # Add half an error on each side: no error among n is no proof of none.
    binomial = (pooled * (1 - pooled) + 1 / n_test) / n_test
    own = spread * (1 / n + overlap) if n > 1 else binomial
    if printed.std is not None:
        theirs = printed.std**2 * (1 / printed.repeats + overlap)
    elif design.source == "one split":
        theirs = (binomial + spread) / printed.repeats
    else:
        theirs = max(binomial, spread * (1 + overlap)) / printed.repeats
    variance = own + theirs
    # Satterthwaite: what our few repeats tell of the spread is uncertain, the rest is not.
    df = (n - 1) * (variance / own) ** 2 if n > 1 and own > 0 else math.inf
    test = "95 % prediction interval"
    found = Estimate(mean - printed.error, test, n, 0.0, variance, min(df, 1e6))
    tells = found.reach <= max(_POINTS, _SHARE * printed.error)
    agreement: Agreement = "agrees" if tells else "cannot tell"
    if abs(found.difference) > found.reach:
        agreement = "better than printed" if found.difference < 0 else "worse than printed"
    return Against(found, agreement, tells)


class Count(NamedTuple):
    """Printed numbers that ours agree with, and how many a wrong column would meet."""

    agree: int
    better: int
    worse: int
    untold: int
    placebo: float

    @property
    def of(self) -> int:
        """Printed numbers with a value of ours."""
        return self.agree + self.better + self.worse + self.untold

    @property
    def text(self) -> str:
        """The count in words."""
        parts = [f"{self.agree} of {self.of} printed numbers agree"]
        parts += [f"ours are better than {self.better}"] if self.better else []
        parts += [f"worse than {self.worse}"] if self.worse else []
        parts += [f"{self.untold} cannot be told"] if self.untold else []
        if not math.isnan(self.placebo):
            parts.append(f"a wrong column of the same table would agree with {self.placebo:.1f}")
        return ", ".join(parts)


def count(
    cells: Mapping[tuple[Place, Column], tuple[Sample, PaperValue, int]],
) -> Count:
    """Count agreement over the cells of a table, by place and column (a booster).

    The placebo holds each printed number against our values of the other columns in its place, in
    the mean over them.
    """
    found = [against(*cell) for cell in cells.values()]
    states = [each.agreement for each in found if each is not None]
    by_place: dict[Place, list[tuple[Sample, PaperValue, int]]] = {}
    for (place, _), cell in cells.items():
        by_place.setdefault(place, []).append(cell)
    shares = list(_wrong(by_place.values()))
    kinds: tuple[Agreement, ...] = (
        "agrees",
        "better than printed",
        "worse than printed",
        "cannot tell",
    )
    agree, better, worse, untold = (states.count(kind) for kind in kinds)
    return Count(agree, better, worse, untold, sum(shares) if shares else math.nan)


def _wrong(places: Iterable[list[tuple[Sample, PaperValue, int]]]) -> Iterable[float]:
    """Yield for each printed number the share of wrong columns that agree with it."""
    for cells in places:
        for index, (_, printed, _) in enumerate(cells):
            others = [cell for at, cell in enumerate(cells) if at != index]
            held = [against(ours, printed, n_test) for ours, _, n_test in others]
            agree = [each.agreement == "agrees" for each in held if each is not None]
            if agree:
                yield sum(agree) / len(agree)
