"""Elementary functions of arrays."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boostbench.portable import elementary
from boostbench.threads import in_parts

Floats = NDArray[np.float64]


def _of_each(loop: Any, x: ArrayLike) -> Any:
    """Apply a compiled loop to all numbers of x; return an array of the same shape, or a number."""
    numbers: Floats = np.asarray(x, dtype=np.float64)
    if not numbers.flags.forc:
        numbers = np.ascontiguousarray(numbers)
    values = np.empty_like(numbers)
    flat, found = numbers, values
    if numbers.ndim != 1:
        flat, found = numbers.ravel(order="K"), values.ravel(order="K")
    in_parts(lambda part: loop(flat[part], found[part]), flat.size, flat.size)
    return values if values.ndim else values[()]


def exp(x: ArrayLike) -> Any:
    """Return e^x of each number.

    Examples
    --------
    >>> exp([0.0, 1.0, 1000.0]).tolist()
    [1.0, 2.718281828459045, inf]
    """
    return _of_each(elementary.each_exp, x)


def expm1(x: ArrayLike) -> Any:
    """Return e^x - 1 of each number, accurate near 0 too."""
    return _of_each(elementary.each_expm1, x)


def log(x: ArrayLike) -> Any:
    """Return ln x of each number: -inf at 0 and NaN below, without a warning.

    Examples
    --------
    >>> log([1.0, 0.0, -1.0]).tolist()
    [0.0, -inf, nan]
    """
    return _of_each(elementary.each_log, x)


def log1p(x: ArrayLike) -> Any:
    """Return ln(1 + x) of each number, accurate near 0 too."""
    return _of_each(elementary.each_log1p, x)


def log2(x: ArrayLike) -> Any:
    """Return the logarithm to base 2 of each number.

    Examples
    --------
    >>> log2(0.125)
    np.float64(-3.0)
    """
    return _of_each(elementary.each_log2, x)


def log1pexp(x: ArrayLike) -> Any:
    """Return ``ln(1 + e^x)`` of each number, without overflow."""
    return _of_each(elementary.each_log1pexp, x)


def logistic(x: ArrayLike) -> Any:
    """Return ``1 / (1 + e^-x)`` of each number, without overflow.

    Examples
    --------
    >>> logistic([-800.0, 0.0, 800.0]).tolist()
    [0.0, 0.5, 1.0]
    """
    return _of_each(elementary.each_logistic, x)


def power(x: ArrayLike, y: float) -> Any:
    """Return x^y of each number x >= 0 for y > 0; the relative error grows with ``|y ln x|``.

    Examples
    --------
    >>> power([0.0, 1.0, 4.0], 0.5).tolist()
    [0.0, 1.0, 2.0]
    """
    return exp(y * log(x))


def arctan(x: ArrayLike) -> Any:
    """Return the inverse tangent of each number."""
    return _of_each(elementary.each_arctan, x)


def erfc(x: ArrayLike) -> Any:
    """Return the complement of the error function, ``1 - erf(x)``, of each number."""
    return _of_each(elementary.each_erfc, x)


@functools.cache  # all trees of a booster use the same p
def erfc_inverse(p: float) -> float:
    """Return the x with ``erfc(x) = p``, for p in (0, 2), by Newton's method.

    Examples
    --------
    >>> round(erfc_inverse(0.01), 12), erfc_inverse(1.0)
    (1.821386367718, 0.0)
    """
    if p > 1.0:
        return -erfc_inverse(2.0 - p)
    x = 0.0
    for _ in range(200):  # erfc is convex for x > 0, so steps from the left never overshoot
        step = 0.5 * math.sqrt(math.pi) * float((erfc(x) - p) * exp(x * x))
        if step <= 1e-16 * x:
            break
        x += step
    return x
