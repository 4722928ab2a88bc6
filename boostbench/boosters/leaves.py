"""Trees whose leaves add a whole vector to the scores."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boostbench.weak_learners import Forest


def with_leaf_vectors(h: Any, vectors: NDArray[np.float64]) -> Any:
    """Return a hypothesis with the same trees and other answers.

    Parameters
    ----------
    h : Hypothesis
    vectors : ndarray of float64, shape (n_leaves, K)
        What each leaf adds to the scores.

    Returns
    -------
    h : Hypothesis

    Raises
    ------
    ValueError
        If the hypothesis has no trees of this package.
    """
    trees = h.trees
    if not isinstance(trees, Forest):
        raise ValueError(f"the leaves of a tree are to be given vectors; {trees!r} has none")
    return replace(h, trees=trees.with_leaf_values(vectors))
