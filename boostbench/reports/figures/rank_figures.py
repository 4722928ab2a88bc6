"""Mean ranks of boosters: the figure kind ``critical-difference``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from boostbench.errors import BoostbenchError
from boostbench.reports.figures.panels import colours_of, describe, remark
from boostbench.reports.figures.style import INK, shortened
from boostbench.reports.text import in_print
from boostbench.reports.values.frame import Study
from boostbench.reports.values.part_options import AtRound, MetricName, check_compared, chosen_round
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
_WIDTH, _LINE = 6.4, 0.2  # width of the figure and height of a line, in inches
_LONGEST = 28  # letters of a name for which the width suffices
_MAX_NUMBERED = 15  # with more methods, every other rank has a number


def draw_critical_difference(
    study: Study,
    *,
    value: MetricName = "test_error",
    at: AtRound = None,
) -> Figure:
    """Mean ranks on a line; a bar joins boosters that do not differ by Nemenyi's test.

    The level of the test is 0.05. The remark gives Friedman's test of the hypothesis that all
    boosters are equal. Both tests assume independent cases; a case is therefore a data set, with
    the mean over its noises.

    Parameters
    ----------
    study : Study
        With two or more boosters.
    """
    from matplotlib.figure import Figure

    check_compared(study, value)
    cases = case_errors(study, study.contenders, value, chosen_round(study, at))
    errors = cases.by_set
    words = f"{len(errors)} data sets; {cases.words}"
    if len(errors) < 2:
        raise BoostbenchError("ranks are compared over two data sets or more")
    tests = compare_ranks(errors, _LEVEL)
    n_lines = -(-tests.k // 2)
    groups = groups_of(tests.mean_ranks, tests.critical_difference)
    height = 0.95 + _LINE * (n_lines + 0.7 * len(groups))
    longest = max(len(shortened(in_print(name))) for name in cases.boosters)
    width = _WIDTH + 0.1 * max(0, longest - _LONGEST)
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.add_subplot()
    _draw_line(axes, tests, cases.boosters, colours_of(study), groups)
    p = f"p = {tests.p:.2g}" if tests.p >= 1e-4 else f"p = {tests.p:.0e}"
    friedman = f"Friedman: \u03c7\u00b2 = {tests.chi2:.1f}, {p}; {words}"
    remark(figure, friedman)
    describe(
        figure,
        f"Mean ranks over {len(errors)} data sets, 1 is the lowest error. A bar joins methods that "
        f"Nemenyi's test does not tell apart at the level {_LEVEL:g}. {friedman}.",
    )
    return figure


def _draw_line(
    axes: Axes,
    tests: RankTests,
    boosters: Sequence[str],
    colours: dict[str, str],
    groups: Sequence[tuple[int, int]],
) -> None:
    """Draw the diagram; x is the rank, and y counts lines of text."""
    k, cd = tests.k, tests.critical_difference
    ranks = tests.mean_ranks
    order = np.argsort(ranks, kind="stable")
    axes.set_axis_off()
    axes.plot([1, k], [0, 0], color=INK, linewidth=0.9)
    for rank in range(1, k + 1):
        axes.plot([rank, rank], [0, 0.35], color=INK, linewidth=0.9)
        if k <= _MAX_NUMBERED or rank % 2:
            axes.text(rank, 0.5, str(rank), ha="center", va="bottom", fontsize=7)
    axes.plot([1, 1 + cd], [2.1, 2.1], color=INK, linewidth=1.6, solid_capstyle="butt")
    gap = 0.08 * max(1.0, k / 9)
    axes.text(1 + cd + gap, 2.1, f"critical difference {cd:.2f}", va="center", fontsize=7)
    for level, (first, last) in enumerate(groups):
        y = -0.55 - 0.7 * level
        ends = ranks[order[first]] - 0.04, ranks[order[last]] + 0.04
        axes.plot(ends, [y, y], color=INK, linewidth=2.6, solid_capstyle="butt", zorder=5)
    below = 0.5 + 0.7 * len(groups)
    half = -(-k // 2)
    for place, index in enumerate(order):
        is_left = place < half
        y = -below - (place if is_left else k - 1 - place) - 0.4
        x_end = 1 - 0.15 if is_left else k + 0.15
        colour = colours[boosters[index]]
        axes.plot([ranks[index], ranks[index], x_end], [0, y, y], color=colour, linewidth=1.1)
        words = [boosters[index], f"{ranks[index]:.2f}"]
        text = "  ".join(words if is_left else words[::-1])
        side: dict[str, Any] = {"ha": "right" if is_left else "left", "va": "center"}
        axes.text(x_end + (-gap if is_left else gap), y, text, color=INK, fontsize=7.5, **side)
    axes.set_xlim(1 - 0.42 * k, k + 0.42 * k)
    axes.set_ylim(-below - half - 0.2, 2.8)
