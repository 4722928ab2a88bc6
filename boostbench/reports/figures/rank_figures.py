"""Ranks and pairwise tests: the figure kinds ``ranks``, ``critical-difference`` and ``pairs``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from boostbench.errors import BoostbenchError
from boostbench.quantities import QUANTITIES
from boostbench.reports.figures.panels import (
    MARKERS,
    colours_of,
    describe,
    grid_of,
    label_outer,
    remark,
    title,
)
from boostbench.reports.figures.style import GREY, INK, SMALL
from boostbench.reports.text import span
from boostbench.reports.values.frame import Study
from boostbench.reports.values.part_options import AtRound, MetricName, check_compared, chosen_round
from boostbench.reports.values.rank_statistics import (
    Cases,
    RankTests,
    case_errors,
    compare_pairs,
    compare_ranks,
    competition_ranks,
    groups_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# In inches.
_PANEL, _LEGEND, _HEIGHT = 2.5, 1.75, 2.9  # ``ranks``: widths of panel and legend, panel height
_WIDTH, _LINE = 6.4, 0.2  # ``critical-difference``: width, height of a line
_MAX_NUMBERED = 15  # ``critical-difference``: with more methods, every other rank has a number
_CELL = 0.92, 0.6  # ``pairs``: size of a cell


def draw_ranks(
    study: Study,
    *,
    value: MetricName = "test_error",
    at: AtRound = None,
    panels: Literal["all", "noise"] = "all",
) -> Figure:
    """The share of cases in which a booster has at most rank n, for every n.

    A case is a data set with a noise. Boosters are ranked by their mean over repeats; 1 is best,
    and ties share the better rank.

    Parameters
    ----------
    study : Study
        With two or more boosters.
    panels : {"all", "noise"}, default="all"
        One panel for all cases, or one for each noise.
    """
    cases = _cases(study, value, at)
    present = {noise for _, noise in cases.keys}
    noises = [""] if panels == "all" else [noise for noise in study.noises if noise in present]
    n_columns = min(len(noises), 3)
    width = 1.5 * _PANEL if n_columns == 1 else _PANEL
    figure, grid = grid_of(len(noises), n_columns, (width, _HEIGHT), (0.3 + _LEGEND, 0.2))
    for axes, noise in zip(grid, noises, strict=True):
        rows = [i for i, (_, case_noise) in enumerate(cases.keys) if noise in ("", case_noise)]
        if noise:
            title(axes, noise)
            axes.set_title(f"{len(rows)} cases", loc="right", fontsize=SMALL, color=GREY)
        _draw_shares(axes, competition_ranks(cases.errors[rows]), cases.boosters, colours_of(study))
    label_outer(grid, n_columns, "n", "share of cases with rank \N{LESS-THAN OR EQUAL TO} n (%)")
    remark(figure, cases.words)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right upper", handlelength=2.4)
    describe(
        figure,
        f"Share of cases in which a method has at most rank n by its error; {cases.words}.",
        "A case is a data set at a noise.",
    )
    return figure


def draw_critical_difference(
    study: Study,
    *,
    value: MetricName = "test_error",
    at: AtRound = None,
    alpha: Annotated[float, Field(gt=0, lt=1)] = 0.05,
) -> Figure:
    """Mean ranks on a line; a bar joins boosters that do not differ by Nemenyi's test.

    The remark gives Friedman's test of the hypothesis that all boosters are equal. Both tests
    assume independent cases; a case is therefore a data set, with the mean over its noises.

    Parameters
    ----------
    study : Study
        With two or more boosters.
    alpha : float, default=0.05
        Level of Nemenyi's test.
    """
    from matplotlib.figure import Figure

    cases = _cases(study, value, at)
    errors = cases.by_set
    words = f"{len(errors)} data sets; {cases.words}"
    if len(errors) < 2:
        raise BoostbenchError("ranks are compared over two data sets or more")
    tests = compare_ranks(errors, alpha)
    n_lines = -(-tests.k // 2)
    groups = groups_of(tests.mean_ranks, tests.critical_difference)
    height = 0.95 + _LINE * (n_lines + 0.7 * len(groups))
    figure = Figure(figsize=(_WIDTH, height), layout="constrained")
    axes = figure.add_subplot()
    _draw_line(axes, tests, cases.boosters, colours_of(study), groups)
    p = f"p = {tests.p:.2g}" if tests.p >= 1e-4 else f"p = {tests.p:.0e}"
    friedman = f"Friedman: \u03c7\u00b2 = {tests.chi2:.1f}, {p}; {words}"
    remark(figure, friedman)
    describe(
        figure,
        f"Mean ranks over {len(errors)} data sets, 1 is the lowest error. A bar joins methods that "
        f"Nemenyi's test does not tell apart at the level {alpha:g}. {friedman}.",
    )
    return figure


def draw_pairs(
    study: Study,
    *,
    value: MetricName = "test_error",
    at: AtRound = None,
    alpha: Annotated[float, Field(gt=0, lt=1)] = 0.05,
) -> Figure:
    """Every booster against every other over data sets, as a matrix.

    A cell shows the mean difference, wins/ties/losses and the p-value of Wilcoxon's signed-rank
    test, in bold if at most ``alpha``. It depends only on its two boosters, not on the others
    shown. Boosters are sorted by their mean difference from the others (Ismail-Fawaz et al. 2023).

    Parameters
    ----------
    study : Study
        With two or more boosters.
    """
    from matplotlib.figure import Figure

    check_compared(study, value)
    pairs = [(a, b) for a in study.boosters for b in study.boosters if a != b]
    tests = compare_pairs(study, pairs, value, chosen_round(study, at))
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
        weight = "bold" if test.p <= alpha else "normal"
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
        f"adjusted, bold up to {alpha:g}. The first row has the lowest values.",
    )
    return figure


def _cases(study: Study, value: str, at: int | None) -> Cases:
    check_compared(study, value)
    return case_errors(study, study.contenders, value, chosen_round(study, at))


def _draw_shares(
    axes: Axes, ranks: NDArray[np.int64], boosters: Sequence[str], colours: dict[str, str]
) -> None:
    n = np.arange(1, len(boosters) + 1)
    for order, booster in enumerate(boosters):
        share = 100 * (ranks[:, order, None] <= n).mean(axis=0)
        axes.plot(
            n,
            share,
            color=colours[booster],
            marker=MARKERS[order % len(MARKERS)],
            markersize=3.6,
            linewidth=1.3,
            label=booster,
            zorder=4 - order / 100,
        )
    axes.set_xlim(0.7, len(boosters) + 0.3)
    axes.set_ylim(0, 103)
    axes.set_xticks(n)
    axes.set_yticks(range(0, 101, 20))


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
