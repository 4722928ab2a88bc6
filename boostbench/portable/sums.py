"""Compiled sums with a fixed order of additions, and functions based on them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boostbench.compiled import kernel

Floats = NDArray[np.float64]


@kernel
def _dot(x: Floats, y: Floats) -> float:  # pragma: no cover
    a = b = c = d = e = f = g = h = 0.0
    whole = x.shape[0] - x.shape[0] % 8
    for i in range(0, whole, 8):
        a += x[i] * y[i]
        b += x[i + 1] * y[i + 1]
        c += x[i + 2] * y[i + 2]
        d += x[i + 3] * y[i + 3]
        e += x[i + 4] * y[i + 4]
        f += x[i + 5] * y[i + 5]
        g += x[i + 6] * y[i + 6]
        h += x[i + 7] * y[i + 7]
    rest = 0.0
    for i in range(whole, x.shape[0]):
        rest += x[i] * y[i]
    return ((a + e) + (c + g)) + ((b + f) + (d + h)) + rest


@kernel
def _total(x: Floats) -> float:  # pragma: no cover
    a = b = c = d = e = f = g = h = 0.0
    whole = x.shape[0] - x.shape[0] % 8
    for i in range(0, whole, 8):
        a += x[i]
        b += x[i + 1]
        c += x[i + 2]
        d += x[i + 3]
        e += x[i + 4]
        f += x[i + 5]
        g += x[i + 6]
        h += x[i + 7]
    rest = 0.0
    for i in range(whole, x.shape[0]):
        rest += x[i]
    return ((a + e) + (c + g)) + ((b + f) + (d + h)) + rest


def _flat(x: ArrayLike) -> Floats:
    numbers: Floats = np.asarray(x, dtype=np.float64)
    return numbers if numbers.ndim == 1 and numbers.flags.forc else numbers.ravel(order="K")


def total(x: ArrayLike) -> float:
    """Return the sum of all numbers, as eight interleaved partial sums in memory order.

    Examples
    --------
    >>> total([[1.0, 2.0], [3.0, 4.0]])
    10.0
    """
    return float(_total(_flat(x)))


def dot(x: Floats, y: Floats) -> float:
    """Return the sum of the products of two vectors; see `total`.

    Examples
    --------
    >>> dot(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    11.0
    """
    return float(_dot(np.ascontiguousarray(x), np.ascontiguousarray(y)))


def mean(x: ArrayLike) -> float:
    """Return the mean of all numbers; see `total`."""
    numbers = np.asarray(x)
    return total(numbers) / numbers.size


def row_sums(A: NDArray[Any]) -> Floats:
    """Return the sums over the last axis, added from left to right.

    Examples
    --------
    >>> row_sums(np.array([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [3.0, 7.0]
    """
    sums = A[..., 0].astype(np.float64)
    for k in range(1, A.shape[-1]):
        sums += A[..., k]
    return sums


def cholesky(A: Floats) -> Floats:
    """Return the lower triangular L with ``A = L L^T``.

    Raises
    ------
    ValueError
        If A is not positive definite.

    Examples
    --------
    >>> cholesky(np.array([[4.0, 2.0], [2.0, 5.0]])).tolist()
    [[2.0, 0.0], [1.0, 2.0]]
    """
    L = np.zeros(A.shape)
    for j in range(len(A)):
        rest = A[j:, j] - (row_sums(L[j:, :j] * L[j, :j]) if j else 0.0)
        if not rest[0] > 0.0:
            raise ValueError("a matrix is not positive definite")
        L[j:, j] = rest / np.sqrt(rest[0])
    return L
