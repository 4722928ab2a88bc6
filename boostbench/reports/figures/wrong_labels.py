"""Figure of label noise: samples with wrong labels, and confusion of classes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from boostbench.errors import BoostbenchError
from boostbench.experiments.running.execution import Problem, prepare
from boostbench.experiments.runs import CLEAN, Run
from boostbench.noise import standardised
from boostbench.reports.figures.panels import describe, grid_of, title
from boostbench.reports.figures.style import GREY, INK, SMALL, class_colours, drawing_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PANEL = (3.0, 2.8)
#: Largest number of classes for which the confusion matrix contains numbers.
_MOST_NUMBERS = 10
#: Largest number of samples in a panel, so that samples can be told apart.
_MOST_SAMPLES = 1000
#: Largest number of panels in a row or column; images are limited to 2^16 pixels.
_MOST_PANELS = 60


def draw_noise(runs: Iterable[Run], data_dirs: Sequence[Path] = ()) -> Figure:
    """Draw the noisy training labels of the first seed and fold, for each data set and noise.

    Parameters
    ----------
    runs : iterable of Run
    data_dirs : sequence of path, default=()
        Folders with data files.

    Raises
    ------
    BoostbenchError
        If no run has noise, data are missing, or there are too many panels for one figure.
    """
    first: dict[tuple[str, str], Run] = {}
    for run in runs:
        if run.noise != CLEAN:
            first.setdefault((run.dataset, run.noise.full_label), run)
    if not first:
        raise BoostbenchError("no run has wrong labels", where="noise")
    with drawing_style(mathtext=False):
        return draw_wrong_labels(
            [(*names, prepare(run, data_dirs)) for names, run in first.items()]
        )


def draw_wrong_labels(problems: Sequence[tuple[str, str, Problem]]) -> Figure:
    """Draw the noise of training labels, in a column for each noise and two rows per data set.

    The upper panel shows the samples in the plane of their two features or, with more features, of
    the first two principal components of the standardised features. The lower panel shows the share
    of each clean class (row) that receives each label (column), in percent.

    Parameters
    ----------
    problems : sequence of (data set, noise, Problem)
        Names of data set and noise, and training data with clean and noisy labels.

    Raises
    ------
    BoostbenchError
        If there is no problem, or too many for one figure.
    """
    datasets = list(dict.fromkeys(dataset for dataset, _, _ in problems))
    noises = list(dict.fromkeys(noise for _, noise, _ in problems))
    if not problems or max(2 * len(datasets), len(noises)) > _MOST_PANELS:
        raise BoostbenchError(
            f"{len(noises)} kinds of noise on {len(datasets)} data sets; a figure takes 1 to "
            f"{_MOST_PANELS} on 1 to {_MOST_PANELS // 2}"
        )
    shares = [_shares(problem) for _, _, problem in problems]
    highest = max(float(np.where(np.eye(len(P)), 0.0, P).max()) for P in shares)
    figure, grid = grid_of(2 * len(datasets) * len(noises), len(noises), _PANEL, (0.3, 0.3))
    for (dataset, noise, problem), P in zip(problems, shares, strict=True):
        place = 2 * datasets.index(dataset) * len(noises) + noises.index(noise)
        above, below = grid[place], grid[place + len(noises)]
        title(above, f"{dataset}, {noise}")
        wrong = np.count_nonzero(problem.y != problem.y_clean)
        note = f"{wrong} of {len(problem.y)} wrong"
        above.set_title(note, loc="right", fontsize=SMALL, color=GREY, y=-0.24)
        _draw_samples(above, problem)
        _draw_confusion(below, P, highest)
    describe(
        figure,
        f"Training labels. Above: up to {_MOST_SAMPLES:,} samples, pale with their clean label and "
        "dark with a wrong one; the colour is that of the label seen. Below: percent of each clean "
        "class (row) that is seen as each class (column); the darker, the more.",
    )
    return figure


def _draw_samples(axes: Axes, problem: Problem) -> None:
    plane, (x, y) = _plane(problem.X)
    n = len(plane)
    drawn = np.unique(np.linspace(0, n - 1, min(n, _MOST_SAMPLES)).round().astype(np.intp))
    colours = np.array(class_colours(problem.n_classes))[problem.y]
    wrong = problem.y != problem.y_clean
    pale, dark = drawn[~wrong[drawn]], drawn[wrong[drawn]]
    axes.scatter(plane[pale, 0], plane[pale, 1], s=7, c=colours[pale], alpha=0.35, linewidths=0)
    axes.scatter(
        plane[dark, 0], plane[dark, 1], s=10, c=colours[dark], edgecolors=INK, linewidths=0.5
    )
    axes.set(xlabel=x, ylabel=y, xticks=[], yticks=[])


def _plane(X: NDArray[np.float64]) -> tuple[NDArray[np.float64], tuple[str, str]]:
    """Return two coordinates of each sample, shape (n, 2), and the labels of the axes."""
    if X.shape[1] == 1:
        return np.column_stack([X, np.zeros(len(X))]), ("feature 1", "")
    if X.shape[1] == 2:
        return X, ("feature 1", "feature 2")
    Z = standardised(X)
    spread, directions = np.linalg.eigh(Z.T @ Z)  # ascending
    share = 100 * spread[::-1] / max(spread.sum(), 1e-300)
    components = directions[:, :-3:-1]
    # Fix the sign of each component by its largest coefficient.
    components = components * np.sign(components[np.abs(components).argmax(axis=0), [0, 1]])
    names = [f"component {k + 1} ({share[k]:.0f} % of the variance)" for k in (0, 1)]
    return Z @ components, (names[0], names[1])


def _shares(problem: Problem) -> NDArray[np.float64]:
    """Return the percentage of each clean class (row) that has each noisy label (column)."""
    counts = np.zeros((problem.n_classes, problem.n_classes))
    np.add.at(counts, (problem.y_clean, problem.y), 1)
    return np.asarray(100 * counts / np.maximum(counts.sum(axis=1, keepdims=True), 1))


def _draw_confusion(axes: Axes, shares: NDArray[np.float64], highest: float) -> None:
    K = len(shares)
    off_diagonal = np.where(np.eye(K, dtype=np.bool_), np.nan, shares)
    axes.imshow(off_diagonal, cmap="Oranges", vmin=0.0, vmax=1.6 * max(highest, 1e-9))
    axes.grid(visible=False)
    if K <= _MOST_NUMBERS:
        axes.set(xticks=range(K), yticks=range(K))
        for (i, j), share in np.ndenumerate(shares):
            text = f"{share:.0f}" if share else ""
            axes.text(j, i, text, ha="center", va="center", fontsize=SMALL, color=INK)
    axes.set(xlabel="class seen", ylabel="clean class")
    axes.tick_params(length=0)
