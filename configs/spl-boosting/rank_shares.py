"""Share of cases in which a booster is among the first n (Fig. 5 of the paper)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from boostbench.plugins import (
    GREY,
    SMALL,
    AtRound,
    MetricName,
    Study,
    case_errors,
    competition_ranks,
    describe,
    lay_out,
    remark,
    styles_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PANEL, _LEGEND, _HEIGHT = 2.5, 1.75, 2.9  # widths of panel and legend, panel height, in inches


def ranks(
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
    errors, words = case_errors(study, value, at)
    present = errors.index.unique("noise")
    noises = [""] if panels == "all" else [noise for noise in study.noises if noise in present]
    n_columns = min(len(noises), 3)
    width = 1.5 * _PANEL if n_columns == 1 else _PANEL
    labels = "n", "share of cases with rank \N{LESS-THAN OR EQUAL TO} n (%)"
    figure, grid = lay_out(noises, n_columns, (width, _HEIGHT), (0.3 + _LEGEND, 0.2), labels)
    for axes, noise in zip(grid, noises, strict=True):
        its = errors.xs(noise, level="noise") if noise else errors
        if noise:
            axes.set_title(f"{len(its)} cases", loc="right", fontsize=SMALL, color=GREY)
        _draw_shares(axes, competition_ranks(its.to_numpy()), [*its.columns], styles_of(study))
    remark(figure, words)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right upper", handlelength=2.4)
    describe(
        figure,
        f"Share of cases in which a method has at most rank n by its error; {words}.",
        "A case is a data set at a noise.",
    )
    return figure


def _draw_shares(
    axes: Axes,
    ranks: NDArray[np.int64],
    boosters: Sequence[str],
    styles: dict[str, dict[str, Any]],
) -> None:
    n = np.arange(1, len(boosters) + 1)
    for order, booster in enumerate(boosters):
        share = 100 * (ranks[:, order, None] <= n).mean(axis=0)
        axes.plot(
            n,
            share,
            markersize=3.6,
            linewidth=1.3,
            label=booster,
            zorder=4 - order / 100,
            **styles[booster],
        )
    axes.set_xlim(0.7, len(boosters) + 0.3)
    axes.set_ylim(0, 103)
    axes.set_xticks(n)
    axes.set_yticks(range(0, 101, 20))
