r"""Potentials and degrees of three classes on a two-dimensional grid.

With three classes, the losses depend on a state only through the pixel
:math:`x = s_1 - s_0,\; y = s_2 - s_0`. A vote for the true label moves the pixel by (-1, -1), and a
vote for a wrong label by (+1, 0) or (0, +1). The zero-one loss is :math:`1[\max(x, y) \ge 0]`, and
the exponential loss is :math:`e^{\eta x} + e^{\eta y}`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boostbench.plugins import degree_of, final_loss, worst_mean

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PixelMap:
    """Potentials and degrees with T rounds left at every pixel of [-T, T] x [-T, T].

    Attributes
    ----------
    coordinate : ndarray of int64, shape (2T+1,)
        Coordinates -T..T of both axes.
    value : ndarray of float64, shape (2T+1, 2T+1)
        Potential at x (row) and y (column).
    degree : ndarray of uint8, shape (2T+1, 2T+1)
        Degree, 2 or 3; 3 if both degrees attain the maximum.
    tied : ndarray of bool, shape (2T+1, 2T+1)
        True if both degrees attain the maximum, up to ``1e-12 * max(1, value)``.
    """

    coordinate: NDArray[np.int64]
    value: Floats
    degree: NDArray[np.uint8]
    tied: NDArray[np.bool_]

    def half_width(self) -> int:
        """Return the largest w such that every pixel with ``|x - y| <= w`` has degree 3.

        The value is 2T if all pixels have degree 3, and -1 if a pixel of the diagonal has degree 2.
        """
        distance = np.abs(np.subtract.outer(self.coordinate, self.coordinate))
        outside = distance[self.degree == 2]
        return int(outside.min()) - 1 if outside.size else int(distance.max())


def pixel_map(n_rounds: int, gamma: float, eta: float | None = None) -> PixelMap:
    """Return the potentials and degrees of the minimal condition for three classes (47, 51).

    Parameters
    ----------
    n_rounds : int
        Number T of rounds left, at least 1.
    gamma : float
        Edge in [0, 1].
    eta : float or None, default=None
        Coefficient of a vote in the exponential loss, positive; None selects the zero-one loss.

    Returns
    -------
    pixels : PixelMap

    Notes
    -----
    Takes O(T^3) time.

    Examples
    --------
    >>> pixel_map(3, 0.1).degree[0].tolist()
    [3, 3, 2, 3, 2, 3, 3]
    """
    reach = np.arange(-2 * n_rounds, 2 * n_rounds + 1)
    x, y = np.meshgrid(reach, reach, indexing="ij")
    value = final_loss(np.stack([np.zeros_like(x), x, y], axis=-1), eta)
    for _ in range(n_rounds):
        own = value[:-2, :-2]
        wrong = np.stack([value[2:, 1:-1], value[1:-1, 2:]], axis=-1)
        value = gamma * own + (1.0 - gamma) * worst_mean(own, wrong)
    degree, tied = degree_of(own, wrong, gamma)
    return PixelMap(np.arange(-n_rounds, n_rounds + 1), value, degree, tied > 1)
