"""Cost-sensitive predictions by the class probabilities of a booster trained without costs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from boostbench.plugins import label_costs, make_booster, row_sums


class LeastExpectedCost(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    r"""Predict the class of least expected cost by the class probabilities of a booster.

    The booster is trained without costs. The prediction is the class z with the smallest
    :math:`\sum_y p(y \mid x)\, c(y, z)`, the first one on ties.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of rounds T, at least 1.
    random_state : int or None, default=None
    booster : str, default="adaboost-mh"
        A registered name.
    cost : str or array-like of shape (n_classes, n_classes), default="zero-one"
        Costs c, with a row per true class and a column per predicted class, or a name.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels in sorted order.
    model_ : object
        The fitted booster.
    """

    def __init__(
        self,
        n_estimators: int = 100,
        random_state: int | None = None,
        booster: str = "adaboost-mh",
        cost: str | ArrayLike = "zero-one",
    ) -> None:
        self.n_estimators = n_estimators
        self.random_state = random_state
        self.booster = booster
        self.cost = cost

    def fit(self, X: ArrayLike, y: ArrayLike) -> LeastExpectedCost:
        """Train the booster; the costs affect predictions only."""
        self.model_ = make_booster(
            self.booster, n_estimators=self.n_estimators, random_state=self.random_state
        ).fit(X, y)
        self.classes_ = self.model_.classes_
        self.stop_reason_ = self.model_.stop_reason_
        self._cost = label_costs(self.cost, len(self.classes_))
        return self

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the predictions after the last round, shape (n_samples,)."""
        return self._answers(self.model_.predict_proba(X))

    def staged_predict(self, X: ArrayLike) -> Iterator[NDArray[Any]]:
        """Yield the predictions after each round."""
        return map(self._answers, self.model_.staged_predict_proba(X))

    def _answers(self, p: NDArray[np.float64]) -> NDArray[Any]:
        expected = np.column_stack([row_sums(p * column) for column in self._cost.T])
        return np.asarray(self.classes_[expected.argmin(axis=1)])
