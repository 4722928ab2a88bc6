"""Figure kind ``weights``: sample weights as sizes of marks in the plane."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from boostbench.plugins import (
    GREY,
    INK,
    SMALL,
    BoostbenchError,
    Problem,
    Result,
    Study,
    lay_out,
    load_plugin,
    prepare,
    round_ticks,
)

plane = load_plugin(Path(__file__).parents[1] / "plane.py")
_PANEL, _BOTTOM = 2.35, 0.8
_MEAN_AREA = 14.0  # mean area of a mark, in square points
_WEIGHTLESS = 16.0
#: Mark, colour and description by true and observed label. Marks of corrupted samples are filled.
_MARKS: dict[tuple[int, int], tuple[str, str, str]] = {
    (1, 1): ("+", "#777777", "positive"),
    (0, 0): ("x", "#777777", "negative"),
    (0, 1): ("s", "#0072B2", "negative, labelled positive"),
    (1, 0): ("o", "#D55E00", "positive, labelled negative"),
}


def weights(study: Study, *, seed: int | None = None, columns: int = 3) -> Figure:
    """Training samples of two classes in the plane, as heavy as each booster has them at the end.

    The first panel shows the samples, and each other panel the weights of one booster, by areas of
    marks. Filled marks are samples with corrupted labels, black circles of a fixed size are samples
    of weight 0, and the line is the decision boundary of the Bayes rule.

    Parameters
    ----------
    study : Study
        Study with runs that recorded ``sample_weights``.
    seed : int or None, default=None
        Seed of the runs; the smallest one by default.
    columns : int, default=3
        Number of panels side by side.
    """
    chosen = _chosen(study, seed)
    gaussians = plane.gaussians_of(chosen[0])
    problem = prepare(chosen[0].run)
    if gaussians is None or problem.n_classes != 2:
        raise BoostbenchError("weights are drawn for two classes of Gaussians in the plane")
    titles, size = ["samples", *(result.run.method for result in chosen)], (_PANEL, _PANEL)
    n_columns, labels = min(columns, len(titles)), ("x₁", "x₂")
    figure, grid = lay_out(titles, n_columns, size, (0.3, _BOTTOM), labels, pad=21)
    low, high = problem.X.min(axis=0) - 0.6, problem.X.max(axis=0) + 0.6
    for axes, result in zip(grid, [None, *chosen], strict=True):
        n = len(problem.y)
        w = np.full(n, 1.0 / n) if result is None else _weights_of(result)
        noisy = problem.y != problem.y_clean
        words = (
            f"{noisy.sum()} of {n} corrupted\nall of one weight"
            if result is None
            else _words(w, noisy)
        )
        style: dict[str, Any] = {"transform": axes.transAxes, "fontsize": SMALL, "color": GREY}
        axes.text(0.0, 1.02, words, in_layout=False, va="bottom", **style)
        _draw_samples(axes, problem, w)
        plane.draw_bayes_boundaries(axes, gaussians, low, high)
        axes.set_xlim(low[0], high[0])
        axes.set_ylim(low[1], high[1])
        axes.xaxis.set_major_locator(round_ticks(5))
        axes.yaxis.set_major_locator(round_ticks(5))
        axes.grid(visible=False)
    figure.legend(handles=_handles(), loc="outside lower center", ncols=3, columnspacing=1.6)
    return figure


def _chosen(study: Study, seed: int | None) -> list[Result]:
    """Return the runs with results for a seed, on the first data set and noise."""
    its_seed = min(r.run.seed for r in study.results) if seed is None else seed
    chosen = study.only(datasets=study.datasets[:1], noises=study.noises[:1])
    found = [r for r in chosen.results if r.ok and r.run.seed == its_seed]
    if not found:
        raise BoostbenchError(f"there is no run on {study.datasets[0]!r} with the seed {its_seed}")
    return found


def _weights_of(result: Result) -> NDArray[np.float64]:
    """Return the weights after the last round."""
    kept = {} if result.record is None else result.record.by_round("sample_weights")
    if not kept:
        raise BoostbenchError("no weights were kept; give the config 'record: [sample_weights]'")
    return np.asarray(kept[max(kept, key=int)], dtype=np.float64)


def _words(w: NDArray[np.float64], noisy: NDArray[np.bool_]) -> str:
    """Describe the shares of corrupted samples in the weight and in the samples of weight 0."""
    total = w.sum()
    share = 100 * w[noisy].sum() / total if total > 0.0 else 0.0
    weightless = w == 0.0
    n, n_noisy = int(weightless.sum()), int(noisy[weightless].sum())
    gone = f"{n}, of which {n_noisy} corrupted" if n else "none"
    return f"weight on corrupted samples: {share:.0f} %\nwithout weight: {gone}"


def _draw_samples(axes: Axes, problem: Problem, w: NDArray[np.float64]) -> None:
    area = _MEAN_AREA * len(w) * w / (w.sum() or 1.0)
    weightless = w == 0.0
    for (drawn, seen), (mark, colour, _) in _MARKS.items():
        is_here = (problem.y_clean == drawn) & (problem.y == seen)
        own, gone = is_here & ~weightless, is_here & weightless
        is_noisy = drawn != seen
        style: dict[str, Any] = {"alpha": 0.75 if is_noisy else 0.9, "zorder": 4 if is_noisy else 3}
        style["linewidths"] = 0 if is_noisy else 0.7
        x1, x2 = problem.X[own].T
        axes.scatter(x1, x2, s=area[own], marker=mark, color=colour, **style)
        x1, x2 = problem.X[gone].T
        axes.scatter(
            x1,
            x2,
            s=_WEIGHTLESS,
            facecolor=colour if is_noisy else "none",
            edgecolor=INK,
            linewidths=0.8,
            zorder=5,
        )


def _handles() -> list[Line2D]:
    style: dict[str, Any] = {"linestyle": "none", "markersize": 5.5}
    handles = [
        Line2D(
            [],
            [],
            marker=mark,
            color=colour,
            markeredgewidth=0.0 if drawn != seen else 0.9,
            label=words,
            **style,
        )
        for (drawn, seen), (mark, colour, words) in _MARKS.items()
    ]
    circle: dict[str, Any] = {"marker": "o", "markerfacecolor": "none", "markeredgecolor": INK}
    return [
        *handles,
        Line2D([], [], label="weight 0 (filled: corrupted)", **circle, **style),
        Line2D([], [], color=INK, linewidth=0.9, label="Bayes rule"),
    ]
