"""Finite spaces of weak classifiers, and the counter-examples of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, floor

import numpy as np
from numpy.typing import NDArray

from boostbench.theory.layout import check_classes, require

#: Largest number of predictions (samples times classifiers) of a space.
MAX_PREDICTIONS = 20_000_000


@dataclass(frozen=True)
class Space:
    """Samples with a finite space of weak classifiers.

    Parameters
    ----------
    name : str
        Name of the space.
    y : ndarray of int, shape (n,)
        True labels, 0..K-1.
    predictions : ndarray of int, shape (n, n_classifiers)
        Label predicted by each classifier (column) for each sample (row).
    n_classes : int
        Number K of classes, at least 2.
    classes, classifiers : sequence of str, default=()
        Names of the labels and of the classifiers; numbered by default.

    Raises
    ------
    BoostbenchError
        If a shape or a label is invalid.
    """

    name: str
    y: NDArray[np.int64]
    predictions: NDArray[np.int64]
    n_classes: int
    classes: Sequence[str] = ()
    classifiers: Sequence[str] = ()

    def __post_init__(self) -> None:
        check_classes(self.n_classes)
        h, y = self.predictions, self.y
        require(
            h.ndim == 2 and h.size > 0 and y.shape == h.shape[:1],
            f"predictions must have shape (n_samples, n_classifiers) and y (n_samples,), "
            f"found {h.shape} and {y.shape}",
        )
        for name, labels in (("predictions", h), ("y", y)):
            require(labels.dtype.kind in "iu", f"{name} must hold integers, found {labels.dtype}")
            within = labels.min() >= 0 and labels.max() < self.n_classes
            require(bool(within), f"labels must lie in 0..{self.n_classes - 1}")
        classes = self.classes or [str(k) for k in range(self.n_classes)]
        classifiers = self.classifiers or [f"h{j + 1}" for j in range(h.shape[1])]
        object.__setattr__(self, "classes", classes)
        object.__setattr__(self, "classifiers", classifiers)


def two_constants() -> Space:
    """Return the space of Figure 1, which satisfies SAMME's condition but is not boostable.

    The space has three classes, two samples with labels 0 and 1, and two classifiers that predict
    always 0 and always 1.
    """
    return Space("two-constants", np.array([0, 1]), np.array([[0, 1], [0, 1]]), 3)


def subsets(n: int = 6, n_classes: int = 3, n_right: int = 3) -> Space:
    """Return a space for which AdaBoost.MH's condition is too strong (section 4).

    For every set of ``n_right`` of the n samples and every d = 1..K-1, the space contains the
    classifier that is correct on the set and predicts ``(y_i + d) mod K`` elsewhere. The shifts d
    balance the wrong votes. With ``n_right = n ((1-gamma)/K + gamma)``, the conditions
    edge-over-random (uniform), MR and minimal hold with edge exactly gamma, whereas M1 and MH hold
    only with edge ``2 n_right / n - 1``.

    Parameters
    ----------
    n : int
        Number of samples; sample i has the label ``i mod K``.
    n_classes : int
        Number K of classes.
    n_right : int
        Number of samples on which a classifier is correct, from 0 to n.

    Raises
    ------
    BoostbenchError
        If a parameter is out of range or there would be too many classifiers.
    """
    check_classes(n_classes)
    require(0 <= n_right <= n and n >= 1, f"n_right must lie in 0..n, found {n_right} of {n}")
    n_classifiers = comb(n, n_right) * (n_classes - 1)
    require(
        n * n_classifiers <= MAX_PREDICTIONS,
        f"a space of {n_classifiers} classifiers on {n} samples is too large; it may hold at most "
        f"{MAX_PREDICTIONS} predictions",
    )
    y = np.arange(n) % n_classes
    columns = []
    for chosen in combinations(range(n), n_right):
        wrong = np.ones(n, dtype=np.int64)
        wrong[list(chosen)] = 0
        columns += [(y + wrong * d) % n_classes for d in range(1, n_classes)]
    return Space("subsets", y, np.stack(columns, axis=1), n_classes)


def windows(n: int = 11, n_classes: int = 3, gamma: float = 0.3) -> Space:
    """Return a boostable space that fails an edge-over-random condition (Theorem 5).

    There are n classifiers. Classifier j is correct on ``w = floor(n (1/2 + gamma/K))`` consecutive
    samples from j on, cyclically, and predicts the lowest wrong label elsewhere, which is (15) for
    the uniform baseline. Since w > n/2, the plurality vote is always correct.

    Parameters
    ----------
    n : int
        Number of samples, more than K / gamma; sample i has the label ``i mod K``.
    n_classes : int
        Number K of classes; the condition fails for K >= 3.
    gamma : float
        Edge of the condition, in (0, 1).

    Raises
    ------
    BoostbenchError
        If a parameter is out of range.
    """
    check_classes(n_classes)
    require(0 < gamma < 1, f"gamma must lie in (0, 1), found {gamma}")
    require(n > n_classes / gamma, f"n must exceed K / gamma = {n_classes / gamma:g}, found {n}")
    y = np.arange(n) % n_classes
    lowest_wrong = (y == 0).astype(np.int64)
    width = floor(n * (0.5 + gamma / n_classes) + 1e-9)
    sample, first = np.ogrid[:n, :n]
    right = (sample - first) % n < width
    return Space("windows", y, np.where(right, y[:, None], lowest_wrong[:, None]), n_classes)
