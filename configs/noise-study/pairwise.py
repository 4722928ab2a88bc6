"""Pairs of boosters over data sets, as a table and a matrix (Ismail-Fawaz et al. 2023)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from boostbench.plugins import (
    BEYOND,
    INK,
    QUANTITIES,
    SMALL,
    AtRound,
    BoostbenchError,
    BoosterLabel,
    MetricName,
    Row,
    Study,
    Table,
    TableCell,
    Title,
    check_compared,
    chosen_round,
    describe,
    holm,
    samples_of,
    side_by_side,
    signed_rank_p,
    span,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DECIMALS = 10  # means of the same counts may differ in the last bits
_CELL = 0.92, 0.6  # size of a cell of the matrix, in inches
_LEVEL = 0.05  # p-values up to it are bold


@dataclass(frozen=True)
class PairTest:
    """Comparison of two boosters over cases, independent of other boosters."""

    wins: int  # cases in which the left error is lower
    ties: int
    losses: int
    difference: float  # mean of left minus right
    #: Matched-pairs rank-biserial correlation: -1 if left always wins, 1 if it always loses.
    effect: float
    p: float  # of Wilcoxon's signed-rank test, two-sided and exact


def compare_pair(left: NDArray[np.float64], right: NDArray[np.float64]) -> PairTest:
    """Compare the errors of two boosters in the same cases by Wilcoxon's signed-rank test.

    Equal cases are omitted from the test; the effect size is the difference of the two rank sums,
    divided by their sum (Kerby 2014).

    Examples
    --------
    >>> compare_pair(np.array([0.1, 0.2, 0.3]), np.array([0.2, 0.2, 0.6]))
    PairTest(wins=2, ties=1, losses=0, difference=-0.1333333333, effect=-1.0, p=0.5)
    """
    from scipy.stats import rankdata

    differences = np.round(left - right, _DECIMALS)
    nonzero = differences[differences != 0]
    n, effect, p = len(nonzero), 0.0, 1.0
    if n:
        positive_ranks = float(rankdata(np.abs(nonzero))[nonzero > 0].sum())
        effect = 4 * positive_ranks / (n * (n + 1)) - 1
        p = min(1.0, 2 * min(signed_rank_p(nonzero), signed_rank_p(-nonzero)))
    wins = int((nonzero < 0).sum())
    mean = round(float(differences.mean()), _DECIMALS)
    return PairTest(wins, len(differences) - n, n - wins, mean, effect, p)


def compare_pairs(
    study: Study,
    pairs: Iterable[tuple[str, str]],
    metric: str,
    at: int | None = None,
) -> dict[tuple[str, str], PairTest]:
    """Compare pairs of boosters, each over the data sets with results of both.

    Parameters
    ----------
    study : Study
    pairs : iterable of (str, str)
        Labels; pairs without a common data set are omitted.
    metric : str
    at : int or None, default=None
        Round T; the last of each run by default.

    Raises
    ------
    BoostbenchError
        If no pair has a data set in common.
    """
    tests: dict[tuple[str, str], PairTest] = {}
    quantity, samples = QUANTITIES[metric], samples_of(study, metric, at)
    for pair in pairs:
        by_set: dict[str, list[list[float]]] = {}  # means over the repeats with each noise
        for (_, dataset), both in side_by_side(samples, pair).items():
            means = [quantity.shortfall(sample.mean) for sample in both]
            by_set.setdefault(dataset, []).append(means)
        if by_set:
            over_noises = [np.round(of, _DECIMALS).mean(axis=0) for of in by_set.values()]
            errors = quantity.scale * np.round(over_noises, _DECIMALS)
            tests[pair] = compare_pair(errors[:, 0], errors[:, 1])
    if not tests:
        raise BoostbenchError("no data set has a result of two boosters yet")
    return tests


def pairwise(
    study: Study,
    *,
    value: MetricName = "test_error",
    at: AtRound = None,
    control: BoosterLabel | None = None,
    title: Title = "",
) -> Table:
    """Compare every booster with every other; a case is a data set.

    The comparison of a pair uses all data sets where both boosters have a value, and does not
    depend on the other boosters. The value of a data set is the mean over seeds, folds and noises.

    Parameters
    ----------
    study : Study
        With two or more boosters.
    control : str or None, default=None
        Compare only with this booster, with p-values adjusted by Holm's method.
    """
    check_compared(study)
    columns = study.boosters if control is None else [control]
    row_boosters = [booster for booster in study.boosters if booster != control]
    pairs = ((a, b) for a in row_boosters for b in columns if a != b)
    tests = compare_pairs(study, pairs, value, chosen_round(study, at))
    texts = {
        "wins/ties/losses": {
            pair: f"{test.wins}/{test.ties}/{test.losses}" for pair, test in tests.items()
        },
        "difference": {pair: f"{test.difference:+.2f}" for pair, test in tests.items()},
        "effect size": {pair: f"{test.effect:+.2f}" for pair, test in tests.items()},
        "p": {pair: f"{test.p:.2g}" for pair, test in tests.items()},
    }
    if control is not None:
        adjusted = holm([test.p for test in tests.values()])
        texts["p (Holm)"] = {pair: f"{p:.2g}" for pair, p in zip(tests, adjusted, strict=True)}
    counts = {test.wins + test.ties + test.losses for test in tests.values()}
    return Table(
        title=title or f"Pairs of boosters: {QUANTITIES[value].lost}",
        names=("booster", "against"),
        columns=tuple(columns),
        rows=tuple(
            Row((a, name), tuple(TableCell(by_pair.get((a, b), BEYOND)) for b in columns))
            for a in row_boosters
            for name, by_pair in texts.items()
        ),
        footers=(
            f"Over {span(counts)} data sets; a win is a lower value of the booster on the left.",
            "Difference: mean of the left less that of the column's"
            f"{', in points' * bool(QUANTITIES[value].unit)}.",
            "Effect size: rank-biserial correlation; -1: the left one is lower on every data set.",
            "p: Wilcoxon's signed-rank test of this pair"
            f"{', not adjusted for the number of pairs' * (control is None)}.",
        ),
    )


def pairs(
    study: Study,
    *,
    value: MetricName = "test_error",
    at: AtRound = None,
) -> Figure:
    """Every booster against every other over data sets, as a matrix.

    A cell shows the mean difference, wins/ties/losses and the p-value of Wilcoxon's signed-rank
    test, in bold if at most 0.05. It depends only on its two boosters, not on the others
    shown. Boosters are sorted by their mean difference from the others (Ismail-Fawaz et al. 2023).

    Parameters
    ----------
    study : Study
        With two or more boosters.
    """
    from matplotlib.figure import Figure

    check_compared(study)
    ordered = [(a, b) for a in study.boosters for b in study.boosters if a != b]
    tests = compare_pairs(study, ordered, value, chosen_round(study, at))
    differences: dict[str, list[float]] = {}
    for (a, _), test in tests.items():
        differences.setdefault(a, []).append(test.difference)
    order = sorted(differences, key=lambda a: float(np.mean(differences[a])))
    matrix = np.full((len(order), len(order)), np.nan)
    for (a, b), test in tests.items():
        matrix[order.index(a), order.index(b)] = test.difference
    largest = float(np.nanmax(np.abs(matrix))) or 1.0
    size = 1.6 + _CELL[0] * len(order), 0.9 + _CELL[1] * len(order)
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.add_subplot()
    axes.imshow(matrix, cmap="PuOr_r", vmin=-2 * largest, vmax=2 * largest, aspect="auto")
    for (a, b), test in tests.items():
        text = f"{test.difference:+.2f}\n{test.wins}/{test.ties}/{test.losses}\np = {test.p:.2g}"
        weight = "bold" if test.p <= _LEVEL else "normal"
        style: dict[str, Any] = {"ha": "center", "va": "center", "color": INK, "fontsize": SMALL}
        axes.text(order.index(b), order.index(a), text, fontweight=weight, **style)
    axes.set_xticks(range(len(order)), order, rotation=30, ha="right")
    axes.set_yticks(range(len(order)), order)
    axes.tick_params(length=0)
    axes.grid(visible=False)
    sets = span({test.wins + test.ties + test.losses for test in tests.values()})
    describe(
        figure,
        f"Each method (row) against each other (column) over {sets} data sets: mean difference of "
        f"{QUANTITIES[value].lost}{', in points' * bool(QUANTITIES[value].unit)}; "
        "wins/ties/losses, a win is a lower value of the row's; p of Wilcoxon's signed-rank test "
        "of this pair, not "
        f"adjusted, bold up to {_LEVEL:g}. The first row has the lowest values.",
    )
    return figure
