r"""Potentials and degrees of three classes over a plane.

The losses depend on a state of three classes only through the pixel
:math:`x = s_1 - s_0,\; y = s_2 - s_0`. A vote for the true label moves it by (-1, -1), one for a
wrong label by (+1, 0) or (0, +1). The zero-one loss is :math:`1[\max(x, y) \ge 0]`, the exponential
loss :math:`e^{\eta x} + e^{\eta y}`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boostbench.theory.layout import check_eta, check_gamma, check_rounds
from boostbench.theory.minimal import degree_of, worst_mean
from boostbench.theory.potentials import final_loss

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PixelMap:
    """Potentials and degrees with T rounds left at every pixel of [-T, T] x [-T, T].

    Attributes
    ----------
    coordinate : ndarray of int64, shape (2T+1,)
        -T..T, of both axes.
    value : ndarray of float64, shape (2T+1, 2T+1)
        The potential; rows are x, columns y.
    degree : ndarray of uint8, shape (2T+1, 2T+1)
        2 or 3; 3 where both attain the maximum.
    tied : ndarray of bool, shape (2T+1, 2T+1)
        True where both do, to ``1e-12 * max(1, value)``.
    """

    coordinate: NDArray[np.int64]
    value: Floats
    degree: NDArray[np.uint8]
    tied: NDArray[np.bool_]

    def half_width(self) -> int:
        """Return the largest w such that every pixel with ``|x - y| <= w`` has degree 3.

        It is 2T if the whole map has, -1 if the diagonal has not.
        """
        distance = np.abs(np.subtract.outer(self.coordinate, self.coordinate))
        outside = distance[self.degree == 2]
        return int(outside.min()) - 1 if outside.size else int(distance.max())


def pixel_map(n_rounds: int, gamma: float, eta: float | None = None) -> PixelMap:
    """Compute the minimal condition's potentials and degrees for three classes (47, 51).

    Parameters
    ----------
    n_rounds : int
        Rounds left, T, at least 1.
    gamma : float
        Edge in [0, 1].
    eta : float or None, default=None
        Weight of a vote in the exponential loss, ``2 * eta * n_rounds`` at most 700; None: the
        zero-one loss.

    Returns
    -------
    pixels : PixelMap

    Notes
    -----
    Time O(T^3).

    Examples
    --------
    >>> pixel_map(3, 0.1).degree[0].tolist()
    [3, 3, 2, 3, 2, 3, 3]
    """
    check_rounds(n_rounds, least=1)
    check_gamma(gamma)
    check_eta(eta, 2 * n_rounds)
    reach = np.arange(-2 * n_rounds, 2 * n_rounds + 1)
    x, y = np.meshgrid(reach, reach, indexing="ij")
    value = final_loss(np.stack([np.zeros_like(x), x, y], axis=-1), eta)
    for _ in range(n_rounds):
        own = value[:-2, :-2]
        wrong = np.stack([value[2:, 1:-1], value[1:-1, 2:]], axis=-1)
        value = gamma * own + (1.0 - gamma) * worst_mean(own, wrong)
    degree, tied = degree_of(own, wrong, gamma)
    return PixelMap(np.arange(-n_rounds, n_rounds + 1), value, degree, tied > 1)
