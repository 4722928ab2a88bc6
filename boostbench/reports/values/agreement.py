"""Our values against printed ones: prediction intervals, and what a wrong column would meet."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeVar

from boostbench.reports.values.designs import Repeats
from boostbench.reports.values.differences import ROUNDING, Estimate
from boostbench.reports.values.paper import PaperValue

Agreement = Literal["agrees", "better than printed", "worse than printed", "cannot tell"]
#: Agreement says something if the interval is no wider than this on either side.
_POINTS, _SHARE = 0.015, 0.25
C = TypeVar("C", bound=Hashable)
P = TypeVar("P", bound=Hashable)


class Against(NamedTuple):
    """A value of ours against a printed one."""

    estimate: Estimate  # of ours less the printed one
    agreement: Agreement
    tells: bool  # whether the interval is narrow enough for agreement to say something


def against(ours: Repeats, printed: PaperValue, n_test: int) -> Against | None:
    """Hold runs against a printed error; None without a value on either side.

    The printed number is one draw: it agrees if it lies in the 95 % prediction interval around
    ours. Its variance is that of its printed standard deviation; on an official split, which the
    paper shares, that between our seeds; else it is binomial. The interval has to be narrow enough,
    at most 1.5 points or a quarter of the printed value on each side, unless ours has the printed
    digits; else nothing can be told.

    Parameters
    ----------
    ours : Repeats
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
    from_spread = own if n > 1 else 0.0
    if printed.std is not None:
        theirs = printed.std**2 * (1 / printed.repeats + overlap)
    elif n > 1 and (design.source == "one split" or spread * (1 + overlap) > binomial):
        theirs = spread * (1 + overlap) / printed.repeats
        from_spread += theirs
    else:
        theirs = binomial / printed.repeats
    variance = own + theirs + printed.rounding**2 / 12
    # Satterthwaite: what our few repeats tell of the spread is uncertain, the rest is not.
    df = (n - 1) * (variance / from_spread) ** 2 if from_spread > 0 else math.inf
    test = "95 % prediction interval"
    found = Estimate(mean - printed.error, test, n, 0.0, variance, min(df, 1e6))
    is_same = abs(found.difference) <= printed.rounding / 2 + ROUNDING
    tells = is_same or found.reach <= max(_POINTS, _SHARE * printed.error)
    agreement: Agreement = "agrees" if tells else "cannot tell"
    if abs(found.difference) > found.reach and not is_same:
        agreement = "better than printed" if found.difference < 0 else "worse than printed"
    return Against(found, agreement, tells)


@dataclass(frozen=True)
class Held:
    """A printed number held against a value of ours."""

    agreement: Agreement
    #: Share of the wrong columns of its place that agree with it; None without another column.
    placebo: float | None = None


#: A value of ours, the printed one, and the number of test samples.
Compared = tuple[Repeats, PaperValue, int]


def hold(cells: Mapping[tuple[P, C], Compared]) -> dict[tuple[P, C], Held]:
    """Hold the printed numbers of a table against ours, by place and column (a booster).

    The placebo holds each against our values of the other columns in its place.
    """
    found = {}
    for (place, column), (ours, printed, n_test) in cells.items():
        own = against(ours, printed, n_test)
        if own is None:
            continue
        wrong = [
            other is not None and other.agreement == "agrees"
            for (its, _), (theirs, another, n) in cells.items()
            if its == place and another.method != printed.method
            for other in [against(theirs, printed, n)]
        ]
        found[place, column] = Held(own.agreement, sum(wrong) / len(wrong) if wrong else None)
    return found


def in_words(held: Iterable[Held]) -> str:
    """Return how many printed numbers agree, and how many a wrong column would agree with."""
    held = list(held)
    states = [each.agreement for each in held]
    parts = [f"{states.count('agrees')} of {len(held)} printed numbers agree"]
    for state, words in (
        ("better than printed", "ours are better than"),
        ("worse than printed", "worse than"),
        ("cannot tell", "nothing can be told of"),
    ):
        if state in states:
            parts.append(f"{words} {states.count(state)}")
    placebos = [each.placebo for each in held if each.placebo is not None]
    if placebos:
        parts.append(
            f"a wrong column of the same table would agree with {sum(placebos):.1f} of them"
        )
    return ", ".join(parts)
