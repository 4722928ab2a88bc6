"""Agreement of our values with printed ones by prediction intervals, with a placebo.

The placebo is the agreement of a printed value with our values in the wrong columns of its table.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar

from boostbench.reports.values.designs import Repeats
from boostbench.reports.values.differences import ROUNDING, Estimate
from boostbench.reports.values.paper import PaperValue

Agreement = Literal["agrees", "better than printed", "worse than printed", "cannot tell"]
#: Largest half-width of an informative interval: absolute, and as a share of the printed value.
_ABSOLUTE, _RELATIVE = 0.015, 0.25
#: Name of the test for one run on a given split, which cannot confirm.
ONE_DRAW = "interval of the test samples alone"
C = TypeVar("C", bound=Hashable)
P = TypeVar("P", bound=Hashable)


def compare_with_printed(
    ours: Repeats, printed: PaperValue, n_test: int
) -> tuple[Estimate, Agreement] | None:
    """Compare our errors with a printed error; None if either has no value.

    Return the estimate of the difference, ours minus printed, and the agreement.

    The printed error agrees if it lies in the 95 % prediction interval around ours, and the
    interval is narrow: at most 1.5 points or a quarter of the printed error on each side. In a
    wider interval nothing can be told, unless our mean has the printed digits.

    The interval holds what a new run of the paper would vary: on a given split, which the paper
    shares, the draws alone, by our variance between seeds; on other splits of the same data set,
    or on new data, also the training and test samples, by the larger of our variance between runs
    and the binomial variance of the test samples. One run shows no variance between runs, so half
    as much again is added for the training sample. A printed standard deviation goes before.

    Parameters
    ----------
    ours : Repeats
        Errors on one data set.
    printed : PaperValue
    n_test : int
        Number of test samples of a run, assumed for the paper too.
    """
    values = [*ours.values.values()]
    if not values or printed.error is None:
        return None
    n, mean = len(values), sum(values) / len(values)
    spread = sum((value - mean) ** 2 for value in values) / (n - 1) if n > 1 else 0.0
    pooled = (mean + printed.error) / 2
    # Add half an error on each side, so that the variance is positive without errors.
    binomial = (pooled * (1 - pooled) + 1 / n_test) / n_test
    is_given = ours.design.source == "one split"
    if is_given:
        of_a_run = spread if n > 1 else binomial
    else:
        of_a_run = max(spread, binomial / (1 + ours.design.overlap)) * (1.25 if n == 1 else 1.0)
    own = of_a_run / n
    theirs = (of_a_run if printed.std is None else printed.std**2) / printed.repeats
    estimated = own if printed.std is not None else own + theirs
    from_spread = estimated if of_a_run == spread and n > 1 else 0.0
    variance = own + theirs + printed.rounding**2 / 12
    # Satterthwaite: only the part of the variance estimated from our repeats is uncertain.
    df = (n - 1) * (variance / from_spread) ** 2 if from_spread > 0 else math.inf
    is_equal = abs(mean - printed.error) <= printed.rounding / 2 + ROUNDING
    is_known = n > 1 or not is_given or is_equal or printed.std is not None
    test = "95 % prediction interval" if is_known else ONE_DRAW
    estimate = Estimate(mean - printed.error, test, n, 0.0, variance, min(df, 1e6))
    is_informative = is_equal or estimate.reach <= max(_ABSOLUTE, _RELATIVE * printed.error)
    agreement: Agreement = "agrees" if is_informative else "cannot tell"
    if abs(estimate.difference) > estimate.reach and not is_equal:
        agreement = "better than printed" if estimate.difference < 0 else "worse than printed"
    return estimate, agreement


@dataclass(frozen=True)
class Held:
    """Agreement of a printed value with ours."""

    agreement: Agreement
    #: Share of the other columns of our table that agree with it too; None without other columns.
    placebo: float | None = None


#: Our values, the printed value, and the number of test samples.
Compared = tuple[Repeats, PaperValue, int]


def hold(cells: Mapping[tuple[P, C], Compared]) -> dict[tuple[P, C], Held]:
    """Compare the printed values of a table with ours, by place and column (a booster).

    The wrong columns of the placebo are those with another method in the same place.
    """
    agreements = {}
    for (place, column), (ours, printed, n_test) in cells.items():
        if compared := compare_with_printed(ours, printed, n_test):
            wrong = [
                (compare_with_printed(theirs, printed, n) or ("", ""))[1] == "agrees"
                for (other_place, _), (theirs, other, n) in cells.items()
                if other_place == place and other.method != printed.method
            ]
            placebo = statistics.fmean(wrong) if wrong else None
            agreements[place, column] = Held(compared[1], placebo)
    return agreements


def in_words(agreements: Iterable[Held]) -> str:
    """Return the numbers of printed values by agreement, and their placebo, in words."""
    agreements = list(agreements)
    states = [each.agreement for each in agreements]
    parts = [f"{states.count('agrees')} of {len(states)} printed numbers agree"]
    for state, words in (
        ("better than printed", "ours are better than"),
        ("worse than printed", "worse than"),
        ("cannot tell", "undecided"),
    ):
        if state in states:
            parts.append(f"{words} {states.count(state)}")
    placebos = [each.placebo for each in agreements if each.placebo is not None]
    if placebos:
        parts.append(
            f"chance level {sum(placebos):.1f} (agreement with another column of the same table)"
        )
    return ", ".join(parts)
