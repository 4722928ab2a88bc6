"""Two-dimensional problems with Gaussian classes and their Bayes decision boundaries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from boostbench.plugins import INK, Result, find_entry, log_densities

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_GRID = 300  # grid points along each axis at which the Bayes rule is evaluated


def gaussians_of(result: Result) -> tuple[Any, Any] | None:
    """Return the class means and covariances of a Gaussian problem with two features.

    None for other problems.
    """
    entry = find_entry(result.run.data.name, ())
    if entry.generator != "gaussian-mixture":
        return None
    params = {**(entry.params or {}), **result.run.data.params.plain()}
    is_plane = len(params["means"][0]) == 2
    return (params["means"], params["covariances"]) if is_plane else None


def draw_bayes_boundaries(
    axes: Axes,
    gaussians: tuple[Any, Any],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
) -> None:
    """Draw the Bayes decision boundaries in the rectangle with corners ``low`` and ``high``."""
    grid = np.meshgrid(*np.linspace(low, high, _GRID).T)
    scores = log_densities(np.column_stack([part.ravel() for part in grid]), *gaussians)
    for k in range(scores.shape[1]):
        lead = scores[:, k] - np.delete(scores, k, axis=1).max(axis=1)
        axes.contour(*grid, lead.reshape(_GRID, _GRID), [0.0], colors=[INK], linewidths=0.9)
