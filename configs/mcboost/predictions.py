"""Figure kind ``predictions``: test samples in the plane of a vector-valued predictor."""

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
    BoosterLabel,
    OneOrMore,
    Result,
    Study,
    add_legend,
    bayes_error,
    chosen_rounds,
    error_curve,
    lay_out,
    load_plugin,
    log_densities,
    prepare,
    round_ticks,
)

plane = load_plugin(Path(__file__).parents[1] / "plane.py")
CLASS_COLOURS = load_plugin(Path(__file__).with_name("codewords.py")).CLASS_COLOURS
predictor = load_plugin(Path(__file__).with_name("predictor.py"))
_PANEL, _LEFT, _BOTTOM = 2.15, 0.4, 0.35
_CODEWORD: dict[str, Any] = {"s": 22, "facecolor": "white", "linewidths": 1.2, "zorder": 4}


def predictions(
    study: Study,
    *,
    booster: BoosterLabel | None = None,
    seed: int | None = None,
    at: OneOrMore[int] | None = None,
) -> Figure:
    """Predictions f(x) of three classes on the test samples at T = 0 and later, one column each.

    In the upper row, a point is a prediction in the colour of the class of the sample, and dashed
    rays are the codewords of the classes. If the classes are known Gaussians in the plane, points
    in the lower row are the samples, in the colour of the class at T = 0 and of the predicted class
    later; lines are the boundaries of the Bayes rule, and circled predictions differ from it.

    Parameters
    ----------
    study : Study
        Study with runs of ``cd-mcboost`` or ``gd-mcboost`` that recorded ``scores``.
    booster : str or None, default=None
        Label; the first booster of the config by default.
    seed : int or None, default=None
        Seed of the run; the first one by default.
    at : sequence of int or None, default=None
        Rounds T in addition to 0; the checkpoints of the config by default.
    """
    result = _chosen_result(study, booster, seed)
    rounds = [0, *chosen_rounds(study, at)]
    predictions = [predictor.predictor_of(result, T) for T in rounds]
    if predictions[0].shape[1] != 2:
        n_classes = predictions[0].shape[1] + 1
        raise BoostbenchError(f"predictions are drawn for three classes, found {n_classes}")
    gaussians = plane.gaussians_of(result)
    titles = [f"T = {T}" for T in rounds] + [""] * (gaussians is not None) * len(rounds)
    size, margins = (_PANEL, _PANEL + 0.15), (_LEFT, _BOTTOM)
    figure, grid = lay_out(titles, len(rounds), size, margins, ("x₁", "x₂"))
    for place, (T, f) in enumerate(zip(rounds, predictions, strict=True)):
        axes = grid[place]
        axes.set_title(_error(result, T), loc="right", fontsize=SMALL, color=GREY)
        _draw_predictor(axes, f, result)
        axes.set(xlabel="f₁(x)", ylabel="f₂(x)" * (place == 0))
        if gaussians is not None:
            answers = (f @ predictor.codewords_of(result).T).argmax(axis=1) if T else None
            _draw_plane(grid[len(rounds) + place], result, gaussians, answers)
    note = f"{result.run.dataset}, {result.run.method}, draw {result.run.seed}"
    handles = _handles(predictions[0].shape[1] + 1, with_plane=gaussians is not None)
    add_legend(figure, handles, note=note)
    return figure


def _handles(n_classes: int, *, with_plane: bool) -> list[Line2D]:
    """Return the legend: a dot for each class, the rays of the codewords, the Bayes rule."""
    dots = [
        Line2D([], [], color=colour, marker="o", linestyle="none", label=f"class {k}")
        for k, colour in enumerate(CLASS_COLOURS[:n_classes], start=1)
    ]
    handles = [*dots, Line2D([], [], color=GREY, linestyle="--", label="codeword")]
    line = Line2D([], [], color=INK, linewidth=0.9, label="boundary of the Bayes rule")
    return [*handles, line] if with_plane else handles


def _chosen_result(study: Study, booster: str | None, seed: int | None) -> Result:
    """Return the first result that fits, on the first data set."""
    label, name = booster or study.boosters[0], study.datasets[0]
    fitting = [
        result
        for result in study.results
        if (result.run.method, result.run.dataset) == (label, name)
        and seed in (None, result.run.seed)
    ]
    if not fitting:
        raise BoostbenchError(f"there is no run of {label!r} on {name!r} with the seed {seed!r}")
    if not fitting[0].ok:
        raise BoostbenchError(f"the run {fitting[0].run.id} has no result: {fitting[0].status}")
    return fitting[0]


def _limits(points: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the corners of a square around predictions and all codewords."""
    everything = np.concatenate([points, [[-1.0, -1.0], [1.0, 1.0]]])
    low, high = everything.min(axis=0), everything.max(axis=0)
    half = 0.55 * float((high - low).max())
    middle = (low + high) / 2
    return middle - half, middle + half


def _error(result: Result, T: int) -> str:
    if T == 0:
        return ""
    return f"test error {100 * float(error_curve(result, 'test_error', [T])[0]):.2f} %"


def _draw_predictor(axes: Axes, f: NDArray[np.float64], result: Result) -> None:
    low, high = _limits(f)
    Y, y = predictor.codewords_of(result), predictor.labels_of(result)
    far = 2.0 * float((high - low).max())
    for k, colour in enumerate(CLASS_COLOURS[: len(Y)]):
        axes.plot(
            [0, far * Y[k, 0]], [0, far * Y[k, 1]], color=colour, linestyle="--", linewidth=0.9
        )
        f1, f2 = f[y == k].T
        axes.scatter(f1, f2, s=5, color=colour, alpha=0.5, linewidths=0, zorder=3)
        axes.scatter(*Y[k].tolist(), **_CODEWORD, edgecolor=colour)
    axes.set_xlim(low[0], high[0])
    axes.set_ylim(low[1], high[1])
    axes.set_aspect("equal")
    axes.xaxis.set_major_locator(round_ticks(5))
    axes.yaxis.set_major_locator(round_ticks(5))


def _draw_plane(
    axes: Axes, result: Result, gaussians: tuple[Any, Any], answers: NDArray[np.int64] | None
) -> None:
    """Draw samples by predicted class (true class if `answers` is None), and the Bayes rule."""
    X = prepare(result.run).X_test  # the generator draws the same samples again
    bayes, y = log_densities(X, *gaussians).argmax(axis=1), predictor.labels_of(result)
    shown = y if answers is None else answers
    for k, colour in enumerate(CLASS_COLOURS[: len(gaussians[0])]):
        x1, x2 = X[shown == k].T
        axes.scatter(x1, x2, s=5, color=colour, alpha=0.5, linewidths=0, zorder=3)
    low, high = X.min(axis=0) - 0.3, X.max(axis=0) + 0.3
    plane.draw_bayes_boundaries(axes, gaussians, low, high)
    if answers is None:
        error, population = 100 * np.mean(bayes != y), 100 * bayes_error(*gaussians)
        words = f"classes; Bayes error {error:.2f} %, of all samples {population:.2f} %"
    else:
        x1, x2 = X[answers != bayes].T
        axes.scatter(x1, x2, s=14, facecolor="none", edgecolor=INK, linewidths=0.4, zorder=4)
        words = f"answers; circled, {100 * np.mean(answers != bayes):.1f} %: not the Bayes rule's"
    axes.set_title(words, loc="right", fontsize=SMALL, color=GREY)
    axes.set_xlim(low[0], high[0])
    axes.set_ylim(low[1], high[1])
    axes.xaxis.set_major_locator(round_ticks(5))
    axes.yaxis.set_major_locator(round_ticks(5))
