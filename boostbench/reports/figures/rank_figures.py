"""Mean ranks of boosters: the figure kind ``critical-difference``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from boostbench.errors import BoostbenchError
from boostbench.reports.figures.panels import colours_of, describe, remark
from boostbench.reports.figures.style import INK, round_ticks
from boostbench.reports.values.frame import Study
from boostbench.reports.values.part_options import AtRound, MetricName
from boostbench.reports.values.rank_statistics import (
    RankTests,
    case_errors,
    compare_ranks,
    groups_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LEVEL = 0.05  # of the tests
_WIDTH, _LINE = 5.0, 0.19  # width of the figure and height of a row, in inches


def draw_critical_difference(
    study: Study,
    *,
    value: MetricName = "test_error",
    at: AtRound = None,
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

    cases = case_errors(study, value, at)
    errors = cases.by_set
    words = f"{len(errors)} data sets; {cases.words}"
    if len(errors) < 2:
        raise BoostbenchError("ranks are compared over two data sets or more")
    tests = compare_ranks(errors, _LEVEL)
    groups = groups_of(tests.mean_ranks, tests.critical_difference)
    figure = Figure(figsize=(_WIDTH, 0.95 + _LINE * tests.k), layout="constrained")
    _draw(figure.add_subplot(), tests, cases.boosters, colours_of(study), groups)
    p = f"p = {tests.p:.2g}" if tests.p >= 1e-4 else f"p = {tests.p:.0e}"
    friedman = f"Friedman: \u03c7\u00b2 = {tests.chi2:.1f}, {p}; {words}"
    remark(figure, friedman)
    describe(
        figure,
        f"Mean ranks over {len(errors)} data sets, 1 is the lowest error. A bar joins methods that "
        f"Nemenyi's test does not tell apart at the level {_LEVEL:g}. {friedman}.",
    )
    return figure


def _draw(
    axes: Axes,
    tests: RankTests,
    boosters: Sequence[str],
    colours: dict[str, str],
    groups: Sequence[tuple[int, int]],
) -> None:
    """Draw a row for each booster, the first at the top, and the groups beside them."""
    order = np.argsort(tests.mean_ranks, kind="stable").tolist()
    for row, index in enumerate(order):
        rank, colour = tests.mean_ranks[index], colours[boosters[index]]
        axes.plot([1, rank], [row, row], color=colour, linewidth=1.1)
        axes.plot([rank], [row], "o", color=colour, markersize=4)
        place: dict[str, Any] = {"xytext": (5, 0), "textcoords": "offset points", "va": "center"}
        axes.annotate(f"{rank:.2f}", (rank, row), color=INK, fontsize=7, **place)
    step = 0.025 * tests.k
    for level, (first, last) in enumerate(groups):
        x = tests.k + (4 + level) * step
        ends = [first - 0.2, last + 0.2]
        axes.plot([x, x], ends, color=INK, linewidth=2.6, solid_capstyle="butt")
    axes.set_yticks(range(tests.k), [boosters[index] for index in order])
    axes.invert_yaxis()
    axes.set_xlim(1, tests.k + (5 + len(groups)) * step)
    axes.xaxis.set_major_locator(round_ticks(8, integer=True))
    axes.set_xlabel(f"mean rank (critical difference {tests.critical_difference:.2f})")
