"""Drawings of the computed figures of "A theory of multiclass boosting", Figs. 1 to 6.

Each function draws numbers computed in ``computed.py``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LightSource, ListedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from numpy.typing import NDArray

from boostbench.plugins import GREY, INK, SMALL, round_ticks

__all__ = [
    "draw_bounds",
    "draw_conditions",
    "draw_degrees",
    "draw_surfaces",
    "draw_table_and_curve",
]

_FIXED, _MINIMAL = "#0072B2", "#D55E00"
_SAMME, _MM = "#009E73", "#332288"
# Degree 3 is green and degree 2 black, as in the paper; pale if both attain the maximum.
_DEGREE_3, _DEGREE_2, _PALE_GREEN = "#009E73", "#222222", "#c4e3d8"
_DEGREES = ListedColormap([_DEGREE_2, _DEGREE_3, _PALE_GREEN])
_DOTS: dict[str, Any] = {"marker": "o", "markersize": 3.4, "linewidth": 1.2}
_PAPER: dict[str, Any] = {
    "marker": "D",
    "markersize": 6,
    "markerfacecolor": "none",
    "markeredgecolor": GREY,
    "markeredgewidth": 0.9,
    "linestyle": "none",
}


def draw_conditions(
    costs: NDArray[np.float64],
    y: NDArray[np.int64],
    edges: Mapping[str, float],
    games: Mapping[str, Any],
) -> Figure:
    """Draw Figure 1: the space, its edges, and boosting against a lazy weak learner.

    Parameters
    ----------
    costs : ndarray of float64, shape (2, 3)
        Cost matrix with which both constant classifiers cost more than the baseline.
    y : ndarray of int64, shape (2,)
        True labels.
    edges : mapping of str to float
        Largest edge of each condition.
    games : mapping of str to LazyGame
        Games of SAMME and AdaBoost.MM, by booster.
    """
    figure = Figure(figsize=(6.4, 2.35), layout="constrained")
    left, middle, right = figure.subplots(1, 3, width_ratios=[1.05, 1.2, 1.35])
    _draw_cost_matrix(left, costs, y)
    _draw_edges(middle, edges)
    _draw_games(right, games)
    return figure


def _draw_cost_matrix(axes: Axes, costs: NDArray[np.float64], y: NDArray[np.int64]) -> None:
    axes.set_title("costs of the two classifiers", loc="left", fontweight="bold")
    n, K = costs.shape
    for label, colour in enumerate((_FIXED, _MINIMAL)):
        axes.add_patch(Rectangle((label - 0.42, -0.5), 0.84, n, color=colour, alpha=0.13, lw=0))
        axes.text(
            label, -0.72, f"$h_{label + 1}$", ha="center", va="center", color=colour, fontsize=9
        )
    for (i, label), cost in np.ndenumerate(costs):
        is_true = label == y[i]
        weight = "bold" if is_true else "normal"
        axes.text(
            label, i, _signed(cost), ha="center", va="center_baseline", fontsize=10, weight=weight
        )
        if is_true:
            box = Rectangle((label - 0.28, i - 0.29), 0.56, 0.58, fill=False, color=INK, lw=0.9)
            axes.add_patch(box)
    axes.set_xlim(-0.6, K - 0.4)
    axes.set_ylim(n - 0.4, -1.0)
    axes.set_xticks(range(K), [f"label {label}" for label in range(K)])
    axes.set_yticks(range(n), [f"$x_{i + 1}$" for i in range(n)])
    axes.tick_params(length=0)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    axes.set_xlabel("true labels boxed", color=GREY, fontsize=SMALL)


def _draw_edges(axes: Axes, edges: Mapping[str, float]) -> None:
    axes.set_title("largest edge by condition", loc="left", fontweight="bold")
    place = np.arange(len(edges))
    value = np.array(list(edges.values()))
    colours = [_SAMME if edge > 0 else GREY if edge == 0 else _MINIMAL for edge in value]
    axes.axvline(0, color="#888888", linewidth=0.8, zorder=1)
    axes.hlines(place, 0, value, colors=colours, linewidth=2.2, zorder=2)
    axes.scatter(value, place, s=22, c=colours, zorder=3)
    for at, edge in zip(place, value, strict=True):
        axes.annotate(
            _signed(edge),
            (edge, at),
            xytext=(-5 if edge < 0 else 5, 0),
            textcoords="offset points",
            ha="right" if edge < 0 else "left",
            va="center_baseline",
            fontsize=7,
        )
    axes.set_xlim(-0.85, 0.55)
    axes.set_ylim(len(edges) - 0.5, -0.5)
    axes.set_yticks(place, list(edges))
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.xaxis.set_major_locator(round_ticks(5))
    axes.set_xlabel("edge $\\gamma$")


def _draw_games(axes: Axes, games: Mapping[str, Any]) -> None:
    axes.set_title("with a lazy weak learner", loc="left", fontweight="bold")
    last = 2 + max(len(game.error) for game in games.values() if game.error[-1] == 0)
    looks = ({"color": _PALE_GREEN, "linewidth": 5.0}, {"color": _MM, **_DOTS})
    for (name, game), look in zip(games.items(), looks, strict=True):
        shown = game.error[:last]
        axes.plot(np.arange(1, len(shown) + 1), shown, label=name, **look)
        if game.error[-1] == 0:
            axes.annotate(
                f"0 after {len(game.error)} rounds",
                (len(game.error), 0),
                xytext=(-6, 4),
                textcoords="offset points",
                ha="right",
                fontsize=7,
                color=_MM,
            )
    axes.set_ylim(-0.03, 0.62)
    axes.set_xlim(0, last + 0.5)
    axes.set_xlabel("round")
    axes.set_ylabel("training error")
    axes.legend(loc="center left", fontsize=7)


def _signed(value: float) -> str:
    return f"{value:g}".replace("-", "\N{MINUS SIGN}")


def draw_table_and_curve(
    bounds: NDArray[np.float64], printed: Sequence[float], by_class: Mapping[int, float]
) -> Figure:
    """Draw Figure 2: the bound by the number of rounds, with printed values, and of classes.

    Parameters
    ----------
    bounds : ndarray of float64
        Bounds for T = 0, 1, ...
    printed : sequence of float
        Values printed in the paper for the same rounds.
    by_class : mapping of int to float
        Bounds by the number of classes.
    """
    rounds = range(len(bounds))
    figure = Figure(figsize=(6.4, 2.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.set_title("over the rounds, K = 6, γ = 0", loc="left", fontweight="bold")
    left.plot(rounds, bounds, color=_FIXED, label="exact, rounded beside it", **_DOTS)
    left.plot(rounds, printed, label="printed in the paper", **_PAPER)
    for T, value, other in zip(rounds, bounds, printed, strict=True):
        is_trough = T in (1, rounds[-1])
        falls = T > 1 and value < bounds[T - 1] - 0.005
        left.annotate(
            f"{value:.2f}".removeprefix("0"),
            (T, min(value, other) if is_trough else max(value, other)),
            xytext=(5 if falls else 0, -13 if is_trough else 6),
            textcoords="offset points",
            ha="center",
            fontsize=SMALL,
        )
    left.set_ylim(0.8, 1.03)
    left.set_xlim(-0.7, rounds[-1] + 0.7)
    left.yaxis.set_major_locator(round_ticks(6))
    left.set_xticks(rounds)
    left.set_xlabel("rounds T")
    left.set_ylabel("error bound $\\phi_T(0)$")
    left.legend(loc="upper right")
    right.set_title("over the classes, γ = 0.1, T = 10", loc="left", fontweight="bold")
    right.plot([*by_class], [*by_class.values()], color=_FIXED, linewidth=1.4)
    top = max(by_class, key=lambda K: by_class[K])
    right.plot(top, by_class[top], "o", color=_FIXED, markersize=4)
    right.annotate(
        f"K = {top}: {by_class[top]:.3f}",
        (top, by_class[top]),
        xytext=(6, 5),
        textcoords="offset points",
        fontsize=7,
    )
    right.set_xlim(0, max(by_class) + 1)
    right.set_ylim(0.45, 0.85)
    right.set_xlabel("classes K")
    return figure


def draw_degrees(maps: Sequence[Any], titles: Sequence[tuple[str, str]]) -> Figure:
    """Draw degree maps, Figures 3 and 6.

    Parameters
    ----------
    maps : sequence of PixelMap (`pixels.py`)
    titles : sequence of (str, str)
        Title of each map, and a remark at the right of it.
    """
    n = len(maps)
    width = 6.6 / n
    figure = Figure(figsize=(6.6, width + 0.4), layout="constrained")
    panels = figure.subplots(1, n, squeeze=False)[0]
    for axes, pixels, (title, remark) in zip(panels, maps, titles, strict=True):
        code = np.where(pixels.tied, 2, pixels.degree - 2)
        end = pixels.coordinate[-1] + 0.5
        axes.imshow(
            code.T,
            origin="lower",
            extent=(-end, end, -end, end),
            cmap=_DEGREES,
            vmin=0,
            vmax=2,
            interpolation="nearest",
        )
        axes.set_title(title, loc="left", fontweight="bold")
        axes.set_title(remark, loc="right", fontsize=SMALL, color=GREY)
        axes.grid(visible=False)
        axes.set_xlabel("$x = s_1 - s_0$")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(round_ticks(4, integer=True))
    panels[0].set_ylabel("$y = s_2 - s_0$")
    entries = [(_DEGREE_3, "degree 3"), (_DEGREE_2, "degree 2")]
    entries += [(_PALE_GREEN, "both alike")] if any(pixels.tied.any() for pixels in maps) else []
    handles = [Patch(facecolor=colour, label=label) for colour, label in entries]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    return figure


def draw_surfaces(maps: Sequence[Any], titles: Sequence[str]) -> Figure:
    """Draw potentials over the pixels as surfaces, Figure 4."""
    n = len(maps)
    figure = Figure(figsize=(6.6, 3.0))
    for place, (pixels, title) in enumerate(zip(maps, titles, strict=True)):
        axes: Any = figure.add_axes((place / n + 0.015, 0.02, 0.95 / n, 0.96), projection="3d")
        x, y = np.meshgrid(pixels.coordinate, pixels.coordinate, indexing="ij")
        surface = axes.plot_surface(
            x, y, pixels.value, facecolors=_lit(pixels), rstride=1, cstride=1, shade=False
        )
        surface.set_antialiased(False)
        surface.set_rasterized(True)  # ten thousand facets as vectors would be a large file
        axes.view_init(elev=32, azim=-125)
        axes.set_box_aspect((1, 1, 0.6), zoom=0.96)
        axes.set_zlim(0, 1)
        axes.set_zticks([0, 0.5, 1])
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(round_ticks(4, integer=True))
        for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
            axis.set_pane_color((1, 1, 1, 0))
        axes.tick_params(pad=-2)
        axes.set_xlabel("$x = s_1 - s_0$", labelpad=-6)
        axes.set_ylabel("$y = s_2 - s_0$", labelpad=-6)
        axes.set_zlabel("$\\phi_T$", labelpad=-8)
        figure.text(place / n + 0.02, 0.92, title, fontsize=8.5, fontweight="bold")
    return figure


def _lit(pixels: Any) -> NDArray[np.float64]:
    """Return the colour of each facet: by its height, with a light from one side."""
    low, high = np.array([0.75, 0.87, 0.95]), np.array([0.0, 0.32, 0.56])
    rgb = low + (high - low) * pixels.value[..., None]
    height = pixels.value * pixels.coordinate[-1]
    lit: NDArray[np.float64] = LightSource(azdeg=250, altdeg=45).shade_rgb(
        rgb, height, blend_mode="soft", fraction=0.8
    )
    return lit


def draw_bounds(
    panels: Sequence[tuple[str, str, Mapping[int, tuple[float, float]]]],
) -> Figure:
    """Draw the bound of the minimal condition and the best fixed bound, Figure 5.

    Parameters
    ----------
    panels : sequence of (str, str, mapping)
        Title, label of the abscissa, and both bounds at each point of the abscissa.
    """
    figure = Figure(figsize=(6.4, 2.7), layout="constrained")
    for axes, (title, label, curve) in zip(
        figure.subplots(1, len(panels), sharey=True), panels, strict=True
    ):
        minimal, fixed = zip(*curve.values(), strict=True)
        axes.set_title(title, loc="left", fontweight="bold")
        axes.fill_between([*curve], fixed, minimal, color=_MINIMAL, alpha=0.12, linewidth=0)
        axes.plot([*curve], minimal, color=_MINIMAL, **_DOTS)
        axes.plot([*curve], fixed, color=_FIXED, **_DOTS)
        axes.set_xlabel(label)
        axes.xaxis.set_major_locator(round_ticks(10, integer=True))
    figure.axes[0].set_ylabel("error bound $\\phi_T(0)$")
    handles = [
        Line2D([], [], color=_MINIMAL, label="minimal condition", **_DOTS),
        Line2D([], [], color=_FIXED, label="best fixed edge-over-random condition", **_DOTS),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=2)
    return figure
