"""Helpers of figures with several panels: grid, titles, remarks, empty panels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from boostbench.reports.figures.style import GREY, SMALL, booster_colours
from boostbench.reports.values.frame import Result, Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MARKERS = "osD^vP*XhpH"


def grid_of(
    n_panels: int, n_columns: int, panel: tuple[float, float], margins: tuple[float, float]
) -> tuple[Figure, list[Axes]]:
    """Return a figure and its panels row by row; ``panel`` and ``margins`` in inches."""
    from matplotlib.figure import Figure

    n_rows = -(-n_panels // n_columns)
    size = margins[0] + panel[0] * n_columns, margins[1] + panel[1] * n_rows
    figure = Figure(figsize=size, layout="constrained")
    return figure, [figure.add_subplot(n_rows, n_columns, i + 1) for i in range(n_panels)]


def label_outer(panels: list[Axes], n_columns: int, x: str, y: str) -> None:
    """Write the names of the axes at the left and at the bottom of a grid only."""
    for place, axes in enumerate(panels):
        if place % n_columns == 0:
            axes.set_ylabel(y)
        if place >= len(panels) - n_columns:
            axes.set_xlabel(x)


def title(axes: Axes, text: str, pad: float | None = None) -> None:
    """Write the title of a panel."""
    axes.set_title(text, loc="left", fontweight="bold", pad=pad)


def remark(figure: Figure, text: str) -> None:
    """Write a remark at the right end of a figure's bottom."""
    figure.supxlabel(text, fontsize=SMALL, color=GREY, x=0.99, ha="right")


def say_no_result(axes: Axes, results: Iterable[Result]) -> None:
    """Write into an empty panel what became of its runs."""
    text = f"no result: {', '.join(dict.fromkeys(result.status for result in results))}"
    axes.text(0.5, 0.5, text, transform=axes.transAxes, ha="center", color=GREY)
    axes.set_yticks([])
    axes.minorticks_off()


def colours_of(study: Study) -> dict[str, str]:
    """Return the colour of each booster of a study by its label."""
    names = {result.run.method: result.run.booster.name for result in study.results}
    return booster_colours([(label, names[label]) for label in study.boosters])
