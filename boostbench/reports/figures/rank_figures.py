"""Mean ranks of boosters (Demsar 2006, JMLR 7): the figure kind ``critical-difference``."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from boostbench.errors import BoostbenchError
from boostbench.quantities import QUANTITIES
from boostbench.registry import figures
from boostbench.reports.figures.panels import colours_of, describe, remark
from boostbench.reports.figures.style import INK, round_ticks
from boostbench.reports.text import span
from boostbench.reports.values.estimates import DECIMALS
from boostbench.reports.values.frame import Study
from boostbench.reports.values.part_options import AtRound, MetricName, check_compared, chosen_round
from boostbench.reports.values.samples import Floats, samples_of, side_by_side

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LEVEL = 0.05  # of the tests
#: Most cases that are tested by permutations, for which asymptotic distributions are wrong.
_FEW_CASES = 12
_PERMUTATIONS = 20_000
_WIDTH, _LINE = 5.0, 0.19  # width of the figure and height of a row, in inches


def case_errors(study: Study, value: str, at: int | None = None) -> tuple[pd.DataFrame, str]:
    """Return the mean error of each booster with a result in each case, and both counts in words.

    A metric that is better if higher is replaced by 1 minus it.

    Parameters
    ----------
    study : Study
    value : str
        A metric.
    at : int or None, default=None
        Round T; the last of each run by default.

    Returns
    -------
    errors : DataFrame
        A column per booster, and a row per case, a noise with a data set, in which every booster
        has a value; means over the repeats that all boosters have.
    words : str
        Number of cases and repeats.

    Raises
    ------
    BoostbenchError
        If no run recorded the metric, there are fewer than two boosters, or no case has a value of
        every booster.
    """
    import pandas as pd

    check_compared(study)
    boosters, T = study.contenders, chosen_round(study, at)
    if not (cases := side_by_side(samples_of(study, value, T), boosters)):
        raise BoostbenchError("there is no case in which every booster has a result yet")
    means = np.array([[sample.mean for sample in samples] for samples in cases.values()])
    index = pd.MultiIndex.from_tuples(cases, names=["noise", "dataset"])
    errors = pd.DataFrame(QUANTITIES[value].shortfall(means), index, boosters).round(DECIMALS)
    counts = [len(samples[0].values) for samples in cases.values()]
    n_planned = len({(result.run.dataset, result.noise) for result in study.results})
    of = f" of {n_planned} with a result" * (len(cases) < n_planned)
    repeats = f"{span(counts)} repeat{'s' * (max(counts) > 1)}"
    return errors, f"{len(cases)} cases{of}, means of {repeats}"


@figures.register("critical-difference")
def draw_critical_difference(
    study: Study, *, value: MetricName = "test_error", at: AtRound = None
) -> Figure:
    """Mean ranks; a bar joins boosters that do not differ by Nemenyi's test.

    The level of the test is 0.05. The remark gives Friedman's test of the hypothesis that all
    boosters are equal. Both tests assume independent cases; a case is therefore a data set, with
    the mean over its noises.

    Parameters
    ----------
    study : Study
        With two or more boosters.
    """
    from matplotlib.figure import Figure

    cases, words = case_errors(study, value, at)
    # noises of one data set are dependent
    errors = cases.groupby(level="dataset", sort=False).mean().round(DECIMALS)
    if len(errors) < 2:
        raise BoostbenchError("ranks are compared over two data sets or more")
    chi2, p, difference = compare_ranks(errors.to_numpy())
    rows: dict[Any, float] = errors.rank(axis=1).mean().sort_values(kind="stable").to_dict()
    figure = Figure(figsize=(_WIDTH, 0.95 + _LINE * len(rows)), layout="constrained")
    _draw(figure.add_subplot(), rows, colours_of(study), difference)
    p_text = f"p = {p:.2g}" if p >= 1e-4 else f"p = {p:.0e}"
    friedman = f"Friedman: \u03c7\u00b2 = {chi2:.1f}, {p_text}; {len(errors)} data sets; {words}"
    remark(figure, friedman)
    quantity = QUANTITIES[value]
    best = f"{'highest' if quantity.higher else 'lowest'} {quantity.axis.removesuffix(' (%)')}"
    describe(
        figure,
        f"Mean ranks over {len(errors)} data sets, 1 is the {best}. A bar joins methods that "
        f"Nemenyi's test does not tell apart at the level {_LEVEL:g}. {friedman}.",
    )
    return figure


def _draw(
    axes: Axes, rows: Mapping[str, float], colours: Mapping[str, str], difference: float
) -> None:
    """Draw a row for the mean rank of each booster, the first at the top, and groups beside."""
    for row, (booster, rank) in enumerate(rows.items()):
        look: dict[str, Any] = {"color": colours[booster], "linewidth": 1.1, "markersize": 4}
        axes.plot([1, rank], [row, row], "-o", markevery=[1], **look)
        place: dict[str, Any] = {"xytext": (5, 0), "textcoords": "offset points", "va": "center"}
        axes.annotate(f"{rank:.2f}", (rank, row), color=INK, fontsize=7, **place)
    k, groups = len(rows), groups_of([*rows.values()], difference)
    step = 0.025 * k
    for level, (first, last) in enumerate(groups):
        x = k + (4 + level) * step
        ends = [first - 0.2, last + 0.2]
        axes.plot([x, x], ends, color=INK, linewidth=2.6, solid_capstyle="butt")
    axes.set_yticks(range(k), [*rows])
    axes.invert_yaxis()
    label = f"mean rank (critical difference {difference:.2f})"
    axes.set(xlim=(1, k + (5 + len(groups)) * step), xlabel=label)
    axes.xaxis.set_major_locator(round_ticks(8, integer=True))


def compare_ranks(errors: Floats) -> tuple[float, float, float]:
    """Test whether boosters differ over cases, at the level 0.05.

    Parameters
    ----------
    errors : ndarray of float64, shape (n, k)
        At least 2 cases and 2 boosters.

    Returns
    -------
    chi2 : float
        Friedman's statistic, corrected for ties.
    p : float
        P-value of equal boosters: by permutations for few cases or two boosters, else by the
        F-distribution (Iman & Davenport).
    critical_difference : float
        Nemenyi's; mean ranks that are further apart differ significantly.
    """
    n, k = errors.shape
    ranks = scipy.stats.rankdata(errors, axis=1) - (k + 1) / 2
    found, total = np.square(ranks.sum(axis=0)).sum(), np.square(ranks).sum()
    chi2 = float((k - 1) * found / total) if total else 0.0
    if n <= _FEW_CASES or k == 2:
        spread = np.square(_permuted_sums(ranks)).sum(axis=1)
        p = float((spread >= found - 1e-9).mean())
        ideal = np.ptp(_permuted_sums(np.tile(np.arange(1.0, k + 1), (n, 1))), axis=1) / n
        cd = float(np.quantile(ideal, 1 - _LEVEL, method="inverted_cdf")) + 1e-9
    else:
        left = n * (k - 1) - chi2
        F = (n - 1) * chi2 / left if left > 1e-9 * n * k else np.inf
        p = float(scipy.stats.f.sf(F, k - 1, (k - 1) * (n - 1)))
        q = float(scipy.stats.studentized_range.ppf(1 - _LEVEL, k, np.inf)) / np.sqrt(2)
        cd = q * float(np.sqrt(k * (k + 1) / (6 * n)))
    return chi2, p, cd


def _permuted_sums(ranks: Floats) -> Floats:
    """Return the sums of ranks of each booster under permutations of every row.

    All permutations, if they are few, else random ones and the given ranks. The first row may stay
    as it is, since sums are compared without regard to the order of boosters.
    """
    n, k = ranks.shape
    if math.factorial(k) ** (n - 1) <= _PERMUTATIONS:
        sums = ranks[:1]
        for row in ranks[1:]:
            permuted = np.array([*itertools.permutations(row)])
            sums = (sums[:, None] + permuted).reshape(-1, k)
        return sums
    rng = np.random.default_rng(0)
    sums = np.zeros((_PERMUTATIONS, k))
    for row in ranks:
        sums += rng.permuted(np.tile(row, (_PERMUTATIONS, 1)), axis=1)
    return np.vstack([ranks.sum(axis=0), sums])


def groups_of(ranks: Sequence[float], critical_difference: float) -> list[tuple[int, int]]:
    """Return the maximal groups of sorted mean ranks that do not differ, as (first, last) indices.

    Examples
    --------
    >>> groups_of([1.0, 1.5, 2.2, 4.0], 1.0)
    [(0, 1), (1, 2)]
    """
    ends = np.searchsorted(ranks, np.add(ranks, critical_difference), side="right") - 1
    groups: list[tuple[int, int]] = []
    for first, last in enumerate(ends.tolist()):
        if last > first and (not groups or last > groups[-1][1]):
            groups.append((first, last))
    return groups
