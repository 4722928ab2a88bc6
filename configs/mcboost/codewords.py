"""Figure kind ``codewords``: the codewords of the classes."""

from __future__ import annotations

import itertools
from typing import Annotated, Any, Literal

import numpy as np
from annotated_types import MinLen
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from boostbench.plugins import GREY, INK, SMALL, OneOrMore, Study
from boostbench.plugins import codewords as codewords_of

_Orientation = Literal["recursive", "helmert"]
_RAISED = "¹²³⁴"
_LIMITS = {2: 1.5, 3: 1.5, 4: 1.0}  # by the number of classes, as in the panels of the paper

# The colour-blind safe palette of Okabe & Ito, then darker colours from that of Paul Tol.
CLASS_COLOURS = (
    "#0072B2",
    "#009E73",
    "#D55E00",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#332288",
    "#882255",
    "#999933",
    "#444444",
)


def codewords(
    study: Study,
    *,
    orientation: Annotated[OneOrMore[_Orientation], MinLen(1)] = ("recursive",),
) -> Figure:
    """The vertices of the regular simplex that stand for 2, 3 or 4 classes.

    There is a column of panels per number of classes and a row per orientation.

    Parameters
    ----------
    study : Study
        Ignored, as codewords do not depend on any run.
    orientation : sequence of {"recursive", "helmert"}, default=("recursive",)
        Orientations of the simplex.
    """
    figure = Figure(
        figsize=(2.15 * len(_LIMITS), 0.15 + 2.15 * len(orientation)), layout="constrained"
    )
    panels = itertools.product(orientation, _LIMITS)
    for place, (its_orientation, K) in enumerate(panels, start=1):
        Y = codewords_of(K, its_orientation)
        shape: dict[str, Any] = {"projection": "3d"} if K == 4 else {}
        axes = figure.add_subplot(len(orientation), len(_LIMITS), place, **shape)
        words = f", {its_orientation}" if len(orientation) > 1 else ""
        axes.set_title(f"K = {K}{words}", loc="left", fontweight="bold")
        (_draw_tetrahedron if K == 4 else _draw_plane)(axes, Y, _LIMITS[K])
    return figure


def _draw_plane(axes: Axes, Y: NDArray[np.float64], limit: float) -> None:
    """Draw the line of two codewords or the triangle of three."""
    points = np.column_stack([Y, np.zeros(len(Y))])[:, :2]
    for (x0, y0), (x1, y1) in itertools.combinations(points.tolist(), 2):
        axes.plot([x0, x1], [y0, y1], color=GREY, linewidth=0.7, zorder=1)
    for k, ((x, y), colour) in enumerate(zip(points.tolist(), CLASS_COLOURS, strict=False)):
        arrow = {"arrowstyle": "-|>", "color": colour, "lw": 1.4, "shrinkB": 0}
        axes.annotate("", (x, y), (0, 0), arrowprops=arrow)
        va: Literal["bottom", "top"] = "bottom" if y >= 0 else "top"
        above = 0.08 if y >= 0 else -0.08
        axes.text(1.12 * x, 1.12 * y + above, f"y{_RAISED[k]}", ha="center", va=va)
    axes.set_xlim(-limit, limit)
    axes.set_ylim(-limit, limit)
    axes.set_aspect("equal")
    axes.set_xticks([-1, 0, 1])
    axes.set_yticks([-1, 0, 1])


def _draw_tetrahedron(axes: Any, Y: NDArray[np.float64], limit: float) -> None:
    """Draw four codewords in space."""
    for a, b in itertools.combinations(Y, 2):
        axes.plot(*np.transpose([a, b]), color=GREY, linewidth=0.7)
    for k, (y, colour) in enumerate(zip(Y, CLASS_COLOURS, strict=False)):
        axes.plot(*np.transpose([np.zeros(3), y]), color=colour, linewidth=1.4)
        axes.scatter(*y, color=colour, s=12, depthshade=False)
        axes.text(*(1.2 * y), f"y{_RAISED[k]}", color=INK, ha="center", va="center")
    axes.set(xlim=(-limit, limit), ylim=(-limit, limit), zlim=(-limit, limit))
    for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
        axis.set_ticks([-1, 0, 1])
        axis.set_tick_params(labelsize=SMALL, pad=-3)
        axis.pane.set_facecolor("white")
    axes.set_box_aspect((1, 1, 1), zoom=0.92)
    axes.view_init(elev=18, azim=-64)
