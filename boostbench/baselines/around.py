"""Base class of meta-classifiers, which wrap the classifier named by a parameter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from numbers import Integral
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils._param_validation import Interval

from boostbench.declared import Count, Declared
from boostbench.registry import boosters


class AroundClassifier(Declared, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Base class of meta-classifiers that cross-validate a classifier before the final fit.

    The method `fit` of a subclass sets `estimator_` to the final fit, which is trained on labels
    encoded as indices into `classes_`.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of rounds T, also of the fits in cross-validation.
    classifier : str or dict, default="random-forest"
        A registered name, ``"package.module:Class"``, or a mapping ``{name: parameters}``; the
        classifier must have ``predict_proba``.
    folds : int, default=5
        Number of stratified folds of the cross-validation, at least 2.
    random_state : int or None, default=None
        Seed of the folds and of the fits.
    """

    n_estimators: Count = field(default=100, kw_only=False)
    classifier: Annotated[Any, str, Mapping] = "random-forest"
    folds: Annotated[int, Interval(Integral, 2, None, closed="left")] = 5
    random_state: Annotated[Any, "random_state"] = None

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the predicted labels, shape (n,)."""
        return np.asarray(self.classes_[self.estimator_.predict(X)])

    def staged_predict(self, X: ArrayLike) -> Iterator[NDArray[Any]]:
        """Yield the predicted labels after each round of the final fit, shape (n,)."""
        for labels in self.estimator_.staged_predict(X):
            yield np.asarray(self.classes_[labels])

    def _validate_params(self) -> None:
        super()._validate_params()
        name, _ = boosters.named(self.classifier)
        try:
            cls = boosters.get(name)
        except ModuleNotFoundError:  # skipped when runs are planned; reported by a fit
            return
        if not hasattr(getattr(cls, "classifier", None) or cls, "predict_proba"):
            raise ValueError(
                f"classifier {cls.__name__} has no predict_proba, which {type(self).__name__} needs"
            )

    def _make(self, rng: np.random.Generator) -> Any:
        name, parameters = boosters.named(self.classifier)
        common = {"n_estimators": self.n_estimators, "random_state": int(rng.integers(2**31 - 1))}
        return boosters.get(name)(**common | parameters)

    def _cross_fitted(
        self, X: NDArray[np.float64], y: NDArray[np.intp], rng: np.random.Generator
    ) -> Iterator[tuple[NDArray[np.bool_], Any]]:
        """Yield the mask of each fold and the classifier fitted to the remaining samples."""
        fold = np.empty(len(y), dtype=np.intp)
        for k in range(len(self.classes_)):
            own = rng.permutation(np.flatnonzero(y == k))
            fold[own] = (np.arange(len(own)) + rng.integers(self.folds)) % self.folds
        for held in (fold == f for f in range(self.folds)):
            if held.any():
                yield held, self._make(rng).fit(X[~held], y[~held])
