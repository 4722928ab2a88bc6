"""Figures at the width of a column of a paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH, _POINTS = 3.3, 8.0  # inches, and size of all text
_BOTH = 6.8  # width of two columns, in inches
# In inches: line, letter and handle of a legend; smallest height of a single panel.
_LINE, _LETTER, _HANDLE, _SINGLE = 0.16, 0.062, 0.4, 1.9
_SHAPE = 0.85  # height of a panel among others, relative to its width
_FEW = 2  # texts in a panel for which half the width suffices


def fit_column(figure: Figure) -> bool:
    """Lay out a figure anew for a column of 3.3 inches: at most two panels in a row.

    Remarks within the figure are left out; its caption has them. Returns False for a diagram
    without axes, whose names need both columns.
    """
    from matplotlib.text import Text

    figure.supxlabel("")
    panels, height = figure.axes, figure.get_figheight()
    specs = [axes.get_subplotspec() for axes in panels]
    body = 0.8 * height if len(panels) == 1 else height * _WIDTH / figure.get_figwidth()
    if len(panels) > 1 and all(spec and spec.num1 == spec.num2 for spec in specs):
        # Names within a panel need its whole width.
        n_columns = 1 if any(len(axes.texts) > _FEW for axes in panels) else 2
        body = _SHAPE * _WIDTH / n_columns * _place(figure, panels, n_columns)
    for axes in panels:
        axes.tick_params(labelsize=_POINTS)
    body = max(body, _SINGLE)
    for text in figure.findobj(Text):
        text.set_fontsize(_POINTS)
    fits = all(axes.axison for axes in panels)
    figure.set_size_inches(
        _WIDTH if fits else _BOTH, (body if fits else height) + _LINE * _legend_below(figure)
    )
    return fits


def _place(figure: Figure, panels: Sequence[Axes], n_columns: int) -> int:
    """Place the panels, with labels on the outer axes; return the number of rows."""
    from matplotlib.gridspec import GridSpec

    n_rows = -(-len(panels) // n_columns)
    grid = GridSpec(n_rows, n_columns, figure=figure)
    y = _carried([axes.get_ylabel() for axes in panels])
    x = _carried([axes.get_xlabel() for axes in panels][::-1])[::-1]
    for place, axes in enumerate(panels):
        axes.set_subplotspec(grid[place])
        is_first = place % n_columns == 0
        is_last = place + n_columns >= len(panels)
        axes.set_ylabel(y[place] if is_first or y[place] != y[place - 1] else "")
        axes.set_xlabel(x[place] if is_last or x[place] != x[place + n_columns] else "")
        axes.tick_params(labelleft=True, labelbottom=True)
    return n_rows


def _carried(labels: Sequence[str]) -> list[str]:
    """Return labels, each empty one replaced by the one before it."""
    found = [""]
    for label in labels:
        found.append(label or found[-1])
    return found[1:]


def _legend_below(figure: Figure) -> int:
    """Write the legends of a figure below its panels; return the number of lines."""
    handles = {}
    for legend in figure.legends:
        for handle, text in zip(legend.legend_handles, legend.get_texts(), strict=True):
            if handle is not None and text.get_text().strip():
                handles[text.get_text()] = handle
        legend.set_visible(False)
    figure.legends.clear()
    if not handles:
        return 0
    width = _HANDLE + _LETTER * max(map(len, handles))
    n_columns = max(1, int(_WIDTH / width))
    figure.legend(
        [*handles.values()],
        [*handles],
        loc="outside lower center",
        ncols=n_columns,
        fontsize=_POINTS,
        columnspacing=1.0,
        handlelength=1.6,
        handletextpad=0.5,
    )
    return -(-len(handles) // n_columns) + 1
