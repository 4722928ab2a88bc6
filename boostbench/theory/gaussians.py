r"""Bayes rule for Gaussian classes, and its error in two dimensions.

If class k has probability :math:`p_k` and x has the distribution :math:`N(m_k, S_k)`, the rule is

.. math::
    \arg\max_k\; \ln p_k - \tfrac12 (x - m_k)^\top S_k^{-1} (x - m_k) - \tfrac12 \ln\det S_k .
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boostbench.portable import cholesky, exp, log, row_sums, total

#: Number of standard deviations beyond which the mass of a Gaussian is neglected.
_REACH = 7.0


def log_densities(
    X: NDArray[np.float64],
    means: ArrayLike,
    covariances: ArrayLike,
    priors: Sequence[float] | None = None,
) -> NDArray[np.float64]:
    """Return ``ln(p_k N(x; m_k, S_k))``; the Bayes rule predicts the class of the largest value.

    Parameters
    ----------
    X : ndarray of float64, shape (n, d)
        Samples.
    means : array-like, shape (K, d)
        Class means.
    covariances : array-like, shape (K, d, d)
        Class covariances, symmetric and positive definite.
    priors : sequence of K floats or None, default=None
        Class probabilities; None uses equal probabilities.

    Returns
    -------
    scores : ndarray of float64, shape (n, K)

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [3.0, 0.0]])
    >>> log_densities(X, [[0, 0], [3, 0]], [np.eye(2), np.eye(2)]).argmax(axis=1)
    array([0, 1])
    """
    centres, spreads = np.asarray(means, float), np.asarray(covariances, float)
    K, d = centres.shape
    shares = np.full(K, 1.0 / K) if priors is None else np.asarray(priors, float)
    scores = np.empty((len(X), K))
    for k in range(K):
        root = cholesky(spreads[k])
        standard = X - centres[k]
        for j in range(d):  # solve root z = x - mean
            standard[:, j] /= root[j, j]
            standard[:, j + 1 :] -= standard[:, j : j + 1] * root[j + 1 :, j]
        scores[:, k] = -0.5 * row_sums(np.square(standard))
        scores[:, k] += log(shares[k]) - total(log(root.diagonal()))
    scores -= 0.5 * d * log(2.0 * np.pi)
    return scores


def bayes_error(
    means: ArrayLike,
    covariances: ArrayLike,
    priors: Sequence[float] | None = None,
    n_steps: int = 1000,
) -> float:
    r"""Return the Bayes error in two dimensions, :math:`1 - \int \max_k p_k N_k(x) dx`.

    Parameters
    ----------
    means : array-like, shape (K, 2)
        Class means.
    covariances : array-like, shape (K, 2, 2)
        Class covariances, symmetric and positive definite.
    priors : sequence of K floats or None, default=None
        Class probabilities; None uses equal probabilities.
    n_steps : int, default=1000
        Number of points of the midpoint rule along each axis; 1000 give five digits.

    Returns
    -------
    error : float
        Error, from 0 to 1.

    Examples
    --------
    Two circular Gaussians at distance 2: the error is Phi(-1).

    >>> round(bayes_error([[-1, 0], [1, 0]], [np.eye(2), np.eye(2)]), 4)
    0.1587
    """
    centres, spreads = np.asarray(means, float), np.asarray(covariances, float)
    if centres.ndim != 2 or centres.shape[1] != 2:
        raise ValueError(f"means must be points of the plane, found shape {centres.shape}")
    reach = _REACH * np.sqrt(spreads.diagonal(axis1=1, axis2=2))
    low, high = (centres - reach).min(axis=0), (centres + reach).max(axis=0)
    step = (high - low) / n_steps
    x, y = (low[:, None] + step[:, None] * (np.arange(n_steps) + 0.5)).tolist()
    right = 0.0
    for value in x:
        line = np.column_stack([np.full(n_steps, value), y])
        right += total(exp(log_densities(line, centres, spreads, priors).max(axis=1)))
    return 1.0 - right * float(step[0] * step[1])
