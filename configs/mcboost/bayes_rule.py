"""Bayes rule of a problem with Gaussian classes, with the interface of a booster of one round."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from boostbench.plugins import find_entry, log_densities


class BayesRule:
    """Bayes rule: the most probable class under the known densities.

    Parameters
    ----------
    problem : str, default="gaussians-mcboost"
        Catalog entry with the parameters ``means`` and ``covariances``.
    """

    def __init__(
        self,
        n_estimators: int = 1,
        *,
        problem: str = "gaussians-mcboost",
        random_state: int | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.problem = problem
        self.random_state = random_state

    def fit(self, X: NDArray[np.float64], y: NDArray[np.int64]) -> BayesRule:
        """Look up the problem; only the class labels are taken from the samples."""
        self.classes_ = np.unique(y)
        params = find_entry(self.problem, ()).params
        self._gaussians = params["means"], params["covariances"]
        return self

    def staged_scores(self, X: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
        """Yield the logarithms of the densities, once."""
        yield log_densities(X, *self._gaussians)

    def staged_predict(self, X: NDArray[np.float64]) -> Iterator[NDArray[np.int64]]:
        """Yield the predicted labels, once."""
        for scores in self.staged_scores(X):
            yield self.classes_[scores.argmax(axis=1)]

    def predict(self, X: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the predicted labels."""
        return next(iter(self.staged_predict(X)))
