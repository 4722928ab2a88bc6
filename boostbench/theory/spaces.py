"""Finite spaces of weak classifiers, and the first counter-example of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boostbench.theory.layout import check_classes, require


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
    classifiers : sequence of str, default=()
        Names of the classifiers; numbered by default.

    Raises
    ------
    BoostbenchError
        If a shape or a label is invalid.
    """

    name: str
    y: NDArray[np.int64]
    predictions: NDArray[np.int64]
    n_classes: int
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
        classifiers = self.classifiers or [f"h{j + 1}" for j in range(h.shape[1])]
        object.__setattr__(self, "classifiers", classifiers)


def two_constants() -> Space:
    """Return the space of Figure 1, which satisfies SAMME's condition but is not boostable.

    The space has three classes, two samples with labels 0 and 1, and two classifiers that predict
    always 0 and always 1.
    """
    return Space("two-constants", np.array([0, 1]), np.array([[0, 1], [0, 1]]), 3)
