"""Reductions of many classes to two, by scikit-learn, around AdaBoost: all pairs, output codes."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.multiclass import OneVsOneClassifier, OutputCodeClassifier

from boostbench.plugins import make_booster


class AllPairs(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A booster of two classes for each pair of classes, whose votes are counted.

    Parameters
    ----------
    n_estimators : int, default=100
        Rounds of each booster.
    random_state : int or None, default=None
    booster : str, default="adaboost"
    weak_learner : str, dict or None, default=None
        None: that of the booster.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    model_ : object
        The fitted reduction of scikit-learn.
    """

    def __init__(
        self,
        n_estimators: int = 100,
        random_state: int | None = None,
        booster: str = "adaboost",
        weak_learner: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.random_state = random_state
        self.booster = booster
        self.weak_learner = weak_learner

    def fit(self, X: Any, y: Any) -> AllPairs:
        """Fit a booster for each sub-problem."""
        one = make_booster(
            self.booster, n_estimators=self.n_estimators, weak_learner=self.weak_learner
        )
        self.model_ = self.reduction(one).fit(np.asarray(X), np.asarray(y))
        self.classes_ = self.model_.classes_
        return self

    def reduction(self, one: Any) -> Any:
        """Return scikit-learn's reduction around one booster."""
        return OneVsOneClassifier(one)

    def predict(self, X: Any) -> Any:
        """Return the labels."""
        return self.model_.predict(np.asarray(X))


class OutputCodes(AllPairs):
    """A booster for each bit of random code words of the classes; the nearest word is the answer.

    Parameters
    ----------
    code_size : float, default=1.0
        Number of bits as a multiple of the number of classes.
    """

    def __init__(
        self,
        n_estimators: int = 100,
        random_state: int | None = None,
        booster: str = "adaboost",
        weak_learner: Any = None,
        code_size: float = 1.0,
    ) -> None:
        super().__init__(n_estimators, random_state, booster, weak_learner)
        self.code_size = code_size

    def reduction(self, one: Any) -> Any:
        """Return scikit-learn's reduction around one booster."""
        return OutputCodeClassifier(one, code_size=self.code_size, random_state=self.random_state)
