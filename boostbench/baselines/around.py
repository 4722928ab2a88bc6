"""Base class of meta-classifiers, which wrap the classifier named by a parameter."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import field
from numbers import Integral
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import get_tags
from sklearn.utils._param_validation import Interval
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from boostbench.boosters.staged import StagedScore
from boostbench.declared import Count, Declared
from boostbench.registry import boosters


class AroundClassifier(Declared, StagedScore, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
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

    def fit(self, X: Any, y: ArrayLike) -> Any:
        """Cross-validate the classifier, and fit it to all samples or to those that are kept."""
        self._validate_params()
        X, y = validate_data(
            self, X, y, dtype=np.float64, ensure_all_finite=self._finite(), ensure_min_samples=2
        )
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"{type(self).__name__} needs at least two classes; found one class")
        seed = self.random_state
        rng = np.random.default_rng(
            seed.randint(2**31) if isinstance(seed, np.random.RandomState) else seed
        )
        self._fit(X, codes, rng)
        self.stop_reason_ = str(getattr(self.estimator_, "stop_reason_", ""))
        return self

    @abstractmethod
    def _fit(self, X: NDArray[np.float64], y: NDArray[np.intp], rng: np.random.Generator) -> None:
        """Cross-validate the classifier, and set `estimator_`."""

    def _checked(self, X: Any) -> NDArray[np.float64]:
        """Return samples whose features are those of the fit."""
        check_is_fitted(self)
        checked: NDArray[np.float64] = validate_data(
            self, X, dtype=np.float64, ensure_all_finite=self._finite(), reset=False
        )
        return checked

    def _finite(self) -> bool | str:
        return "allow-nan" if get_tags(self).input_tags.allow_nan else True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        with suppress(ModuleNotFoundError):
            of_inner = get_tags(self._make(np.random.default_rng(0)))
            tags.input_tags.allow_nan = of_inner.input_tags.allow_nan
            tags.classifier_tags.multi_class = of_inner.classifier_tags.multi_class
        return tags

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the predicted labels, shape (n,)."""
        X = self._checked(X)
        return np.asarray(self.classes_[self.estimator_.predict(X)])

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield the predicted labels after each round of the final fit, shape (n,)."""
        X = self._checked(X)
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
