"""Figure kind ``losses``: losses, or the weights that they give, against the margin."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from boostbench.plugins import GREY, INK, BoostbenchError, Study, lay_out, load_plugin, round_ticks

margin_losses = load_plugin(Path(__file__).with_name("margin_losses.py"))
NamedLoss = margin_losses.NamedLoss

_PANEL, _HEIGHT = 3.5, 2.9
_N_POINTS = 1201
#: Colours and dashes of the classical losses.
_STYLES: dict[str, tuple[str, Any]] = {
    "exponential": ("#0072B2", (0, (4, 1.6))),
    "logistic": ("#009E73", (0, (1, 1.2))),
    "logistic-2": ("#009E73", (0, (1, 1.2))),
    "squared": ("#882255", (0, (6, 1.2, 1, 1.2))),
    "savage": ("#D55E00", (0, (3, 1.2, 1, 1.2))),
    "savage2": ("#CC79A7", (0, (8, 2))),
    "tangent": ("#999933", (0, (3, 1.2, 1, 1.2, 1, 1.2))),
    "zero-one": (GREY, (0, (2, 1))),
}
_AXES = {"weights": "weight \N{MINUS SIGN}\u03c6\u2032(m)", "losses": "loss \u03c6(m)"}


def losses(
    study: Study,
    *,
    panels: Sequence[Any],
    show: Literal["weights", "losses"] = "losses",
    top: float = 4.0,
) -> Figure:
    """Losses as functions of the margin, or the weights of a sample.

    Classical losses are dashed; latent losses of self-paced boosters are solid, with a dot at the
    margin below which samples are left out.

    Parameters
    ----------
    study : Study
        Ignored, as losses do not depend on any run.
    panels : list of lists
        Losses of each panel: a name (exponential, logistic, logistic-2, squared, savage, savage2,
        tangent, zero-one), or ``{regulariser: {age: ...}}``.
    show : {"losses", "weights"}, default="losses"
        Whether to draw losses or weights.
    top : float, default=4.0
        Upper end of the axis, which cuts off the exponential loss.
    """
    if not isinstance(panels, list | tuple) or not panels:
        raise BoostbenchError(f"panels must be a list of lists of losses, found {panels!r}")
    read = [margin_losses.read_losses(panel) for panel in panels]
    m = np.linspace(-3.0, 3.0, _N_POINTS)
    titles = [f"({chr(ord('a') + place)})" * (len(read) > 1) for place in range(len(read))]
    labels = "margin m = y F(x)", _AXES[show]
    figure, grid = lay_out(titles, len(read), (_PANEL, _HEIGHT), (0.3, 0.0), labels)
    for axes, losses in zip(grid, read, strict=True):
        _draw_panel(axes, losses, m, show, top)
        axes.legend(loc="upper right", fontsize=7, handlelength=2.2, labelspacing=0.3)
    return figure


def _draw_panel(
    axes: Axes, losses: Sequence[NamedLoss], m: NDArray[np.float64], show: str, top: float
) -> None:
    axes.axvline(0, color=GREY, linewidth=0.6, zorder=1)
    latent = [its for its in losses if its.is_latent]
    shades = matplotlib.colormaps["plasma"](np.linspace(0.0, 0.8, max(2, len(latent))))
    for its in losses:
        values = its.loss.weight(m) if show == "weights" else its.loss.value(m)
        shown = np.where(values <= 1.5 * top, values, np.nan)
        if not its.is_latent:
            colour, dashes = _STYLES[its.name]
            look: dict[str, Any] = {"color": colour, "linestyle": dashes, "linewidth": 1.2}
            axes.plot(m, shown, label=its.label, zorder=3, **look)
            continue
        colour = shades[latent.index(its)]
        axes.plot(m, shown, color=colour, label=its.label, linewidth=1.3, zorder=4)
        edge = np.array([its.threshold])
        if m[0] < its.threshold < m[-1]:
            at = its.loss.weight(edge) if show == "weights" else its.loss.value(edge)
            axes.plot(edge, at, "o", color=colour, markersize=3.2, zorder=5)
    axes.set_xlim(m[0], m[-1])
    axes.set_ylim(-0.02 * top, top)
    axes.xaxis.set_major_locator(round_ticks(6))
    axes.yaxis.set_major_locator(round_ticks(5))
    axes.tick_params(colors=INK)
