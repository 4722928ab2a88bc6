"""Conversion to rows with the true label first, uniform baseline, and argument checks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boostbench.errors import BoostbenchError


def true_label_first(rows: ArrayLike, y: ArrayLike) -> NDArray[Any]:
    """Move the true label of each row to column 0, followed by the wrong labels in order.

    Parameters
    ----------
    rows : array_like, shape (n, K)
        Costs, scores or counts of votes, with columns in the order of the labels 0..K-1.
    y : array_like of int, shape (n,)
        True labels.

    Returns
    -------
    rows : ndarray of the same dtype, shape (n, K)

    Examples
    --------
    >>> true_label_first([[1.0, 2.0, 3.0]], [1]).tolist()
    [[2.0, 1.0, 3.0]]
    """
    rows = np.asarray(rows)
    return np.take_along_axis(rows, _order(np.asarray(y), rows.shape[1]), axis=1)


def own_labels(rows: ArrayLike, y: ArrayLike) -> NDArray[Any]:
    """Invert `true_label_first`; a single row, shape (K,), is repeated for all samples.

    Examples
    --------
    >>> own_labels([0.5, 0.2, 0.3], [0, 1]).tolist()
    [[0.5, 0.2, 0.3], [0.2, 0.5, 0.3]]
    """
    y = np.asarray(y)
    rows = np.asarray(rows)
    rows = np.broadcast_to(rows, (len(y), rows.shape[-1]))
    result = np.empty(rows.shape, dtype=rows.dtype)
    np.put_along_axis(result, _order(y, rows.shape[1]), rows, axis=1)
    return result


def uniform_baseline(n_classes: int, gamma: float) -> NDArray[np.float64]:
    r"""Return the gamma-biased uniform distribution, true label first, shape (K,).

    .. math:: b_0 = (1-\gamma)/K + \gamma, \qquad b_l = (1-\gamma)/K .

    Examples
    --------
    >>> uniform_baseline(4, 0.2).round(3).tolist()
    [0.4, 0.2, 0.2, 0.2]
    """
    check_classes(n_classes)
    check_gamma(gamma)
    baseline = np.full(n_classes, (1.0 - gamma) / n_classes)
    baseline[0] += gamma
    return baseline


def require(holds: bool, what: str) -> None:
    """Raise a BoostbenchError with the message ``what`` unless ``holds``."""
    if not holds:
        raise BoostbenchError(what)


def check_classes(n_classes: int) -> None:
    """Raise an error for fewer than two classes."""
    require(n_classes >= 2, f"n_classes must be at least 2, found {n_classes}")


def check_gamma(gamma: float) -> None:
    """Raise an error for an edge outside [0, 1]."""
    require(0.0 <= gamma <= 1.0, f"gamma must lie in [0, 1], found {gamma}")


def check_eta(eta: float) -> None:
    """Raise an error if the coefficient of a vote is not positive."""
    require(eta > 0, f"eta must be positive, found {eta}")


def check_rounds(n_rounds: int, *, least: int = 0) -> None:
    """Raise an error for fewer than ``least`` rounds."""
    require(n_rounds >= least, f"the number of rounds must be at least {least}, found {n_rounds}")


def _order(y: NDArray[np.intp], n_classes: int) -> NDArray[np.intp]:
    column = np.arange(n_classes)
    order = column - (column <= y[:, None])
    order[:, 0] = y
    return order
