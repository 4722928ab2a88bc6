"""The numbers behind the paper's figures 2 to 6.

What the available text of the paper leaves open (numbers of rounds, of classes, edges) is a default
here: chosen so that the printed values come out where there are any, and recalled otherwise.
Figure 1 is `boostbench.theory.spaces.two_constants`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from boostbench.theory.bounds import potential_bound
from boostbench.theory.layout import check_classes, check_rounds, require
from boostbench.theory.pixels import PixelMap, pixel_map
from boostbench.theory.potentials import exact_zero_one_potential

__all__ = [
    "BoundCurve",
    "ExactTable",
    "bounds_over_classes",
    "bounds_over_rounds",
    "figure_2_curve",
    "figure_2_table",
    "figure_3_maps",
    "figure_4_surfaces",
    "figure_5_classes",
    "figure_5_rounds",
    "figure_6_maps",
]


@dataclass(frozen=True)
class ExactTable:
    """Error bounds as exact fractions.

    Attributes
    ----------
    n_rounds : tuple of int
    exact : tuple of Fraction
    value : ndarray of float64
        The same as floating-point numbers.
    """

    n_rounds: tuple[int, ...]
    exact: tuple[Fraction, ...]
    value: NDArray[np.float64]


@dataclass(frozen=True)
class BoundCurve:
    """Zero-one error bounds phi_T(0) along the rounds or the classes.

    Attributes
    ----------
    abscissa : ndarray of int64, shape (m,)
        Numbers of rounds, or of classes.
    fixed : ndarray of float64, shape (m,)
        With the uniform baseline, the largest of the fixed edge-over-random conditions.
    minimal : ndarray of float64, shape (m,), or None
        With the minimal condition, where asked for.
    """

    abscissa: NDArray[np.int64]
    fixed: NDArray[np.float64]
    minimal: NDArray[np.float64] | None


def figure_2_table(n_classes: int = 6, gamma: Fraction | int = 0, n_rounds: int = 10) -> ExactTable:
    """Return the table of Figure 2: exact error bounds of 0..T rounds with the uniform baseline.

    Parameters
    ----------
    n_classes : int, default=6
    gamma : Fraction or int, default=0
        Edge in [0, 1], exact. With K = 6 and edge 0 the paper's values of 0..9 rounds come out; for
        10 rounds the exact value rounds to 0.88 where the paper prints .89.
    n_rounds : int, default=10

    Returns
    -------
    table : ExactTable

    Examples
    --------
    >>> figure_2_table().exact[-1]
    Fraction(8917585, 10077696)
    """
    check_classes(n_classes)
    check_rounds(n_rounds)
    edge = Fraction(gamma)
    require(0 <= edge <= 1, f"gamma must lie in [0, 1], found {gamma}")
    wrong = (1 - edge) / n_classes
    baseline = [wrong + edge] + [wrong] * (n_classes - 1)
    rounds = tuple(range(n_rounds + 1))
    exact = tuple(exact_zero_one_potential(baseline, [0] * n_classes, T) for T in rounds)
    return ExactTable(rounds, exact, np.array([float(value) for value in exact]))


def bounds_over_rounds(
    n_classes: int, gamma: float, n_rounds: Sequence[int], *, minimal: bool = True
) -> BoundCurve:
    """Return the zero-one error bounds for several numbers of rounds."""
    return _curve(n_rounds, [(n_classes, T) for T in n_rounds], gamma, minimal)


def bounds_over_classes(
    n_classes: Sequence[int], gamma: float, n_rounds: int, *, minimal: bool = True
) -> BoundCurve:
    """Return the zero-one error bounds for several numbers of classes."""
    return _curve(n_classes, [(K, n_rounds) for K in n_classes], gamma, minimal)


def figure_2_curve(
    n_classes: Sequence[int] = range(2, 101), gamma: float = 0.1, n_rounds: int = 10
) -> BoundCurve:
    """Return the curve of Figure 2: the bound with the uniform baseline over the classes."""
    return bounds_over_classes(n_classes, gamma, n_rounds, minimal=False)


def figure_3_maps(
    settings: Sequence[tuple[int, float]] = ((10, 0.0), (50, 0.0), (50, 0.4)),
) -> list[PixelMap]:
    """Return the degree maps of Figure 3: zero-one loss, several (rounds, gamma)."""
    return [pixel_map(n_rounds, gamma) for n_rounds, gamma in settings]


def figure_4_surfaces(n_rounds: Sequence[int] = (10, 50), gamma: float = 0.0) -> list[PixelMap]:
    """Return the potential surfaces of Figure 4: zero-one loss, several numbers of rounds."""
    return [pixel_map(T, gamma) for T in n_rounds]


def figure_5_rounds(
    n_classes: int = 6, gamma: float = 0.0, n_rounds: Sequence[int] = range(21)
) -> BoundCurve:
    """Return Figure 5, left: minimal and best fixed bound over the rounds."""
    return bounds_over_rounds(n_classes, gamma, n_rounds)


def figure_5_classes(
    n_classes: Sequence[int] = range(2, 21), gamma: float = 0.0, n_rounds: int = 10
) -> BoundCurve:
    """Return Figure 5, right: minimal and best fixed bound over the classes."""
    return bounds_over_classes(n_classes, gamma, n_rounds)


def figure_6_maps(
    etas: Sequence[float] = (0.1, 0.2, 0.3, 0.5), gamma: float = 0.1, n_rounds: int = 10
) -> list[PixelMap]:
    """Return the degree maps of Figure 6: exponential loss, several weights."""
    return [pixel_map(n_rounds, gamma, "exponential", eta) for eta in etas]


def _curve(
    abscissa: Sequence[int], games: list[tuple[int, int]], gamma: float, minimal: bool
) -> BoundCurve:
    def bounds(condition: str) -> NDArray[np.float64]:
        return np.array([potential_bound(K, gamma, T, condition=condition).value for K, T in games])

    return BoundCurve(
        np.asarray(abscissa), bounds("uniform"), bounds("minimal") if minimal else None
    )
