r"""Codewords of the classes: vertices of a regular simplex.

Saberian & Vasconcelos 2011, Sec. 2.3: K unit vectors :math:`y_1, \dots, y_K` in K-1 dimensions
with the largest possible smallest distance,

.. math::
    \langle y_k, y_l\rangle = -\frac{1}{K-1}, \qquad \sum_k y_k = 0, \qquad
    Y^\top Y = \frac{K}{K-1} I .
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: Named orientations of the simplex.
ORIENTATIONS = ("recursive", "helmert")


def codewords(n_classes: int, orientation: str = "recursive") -> NDArray[np.float64]:
    r"""Return the codewords of K classes, one per row.

    With 1-based rows k and columns j the recursive construction is

    .. math::
        Y_{kj} = 0\ (k < j), \qquad
        Y_{jj} = p_j = \sqrt{\frac{K(K-j)}{(K-1)(K-j+1)}}, \qquad
        Y_{kj} = -\frac{p_j}{K-j}\ (k > j),

    so that component j separates class j from all later classes.

    Parameters
    ----------
    n_classes : int
        Number K of classes, at least 2.
    orientation : {"recursive", "helmert"}, default="recursive"
        ``"recursive"`` has the first codeword ``(1, 0, ..., 0)``. ``"helmert"`` has the columns
        ``sqrt(K / ((K-1) j (j+1))) * (1, ..., 1, -j, 0, ..., 0)`` with j ones.

    Returns
    -------
    Y : ndarray of float64, shape (n_classes, n_classes - 1)

    Raises
    ------
    ValueError
        If there are fewer than two classes or the orientation is unknown.

    Examples
    --------
    >>> codewords(3).round(4).tolist()
    [[1.0, 0.0], [-0.5, 0.866], [-0.5, -0.866]]
    """
    if n_classes < 2:
        raise ValueError(f"n_classes must be at least 2, found {n_classes}")
    if orientation not in ORIENTATIONS:
        known = " or ".join(map(repr, ORIENTATIONS))
        raise ValueError(f"orientation must be {known}, found {orientation!r}")
    K = n_classes
    k, j = np.arange(1, K + 1)[:, None], np.arange(1, K)
    if orientation == "helmert":
        column = np.where(k <= j, 1.0, np.where(k == j + 1, -j, 0.0))
        scaled: NDArray[np.float64] = np.sqrt(K / ((K - 1) * j * (j + 1))) * column
        return scaled
    p = np.sqrt(K * (K - j) / ((K - 1) * (K - j + 1)))
    Y: NDArray[np.float64] = np.where(k < j, 0.0, np.where(k == j, p, -p / (K - j)))
    return Y
