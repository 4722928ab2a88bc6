r"""Confident learning: removal of samples with likely wrong labels, followed by a second fit.

Northcutt, Jiang & Chuang, "Confident learning: estimating uncertainty in dataset labels", 2021.

=====================  ==================================  ==============================
paper                  here                                shape
=====================  ==================================  ==============================
p(j; x)                ``P``, out of fold                  (n, K)
t_j                    ``threshold``                       (K,)
C, confident joint     ``confident_joint(y, P)``           (K, K)
n Q, its calibration   ``calibrated(C, y)``                (K, K)
=====================  ==================================  ==============================
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import field
from numbers import Integral
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import get_tags
from sklearn.utils._param_validation import Interval
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from boostbench.boosters.staged import StagedScore
from boostbench.declared import Count, Declared
from boostbench.portable import mean
from boostbench.quantities.predictions import probabilities_of
from boostbench.registry import boosters

Labels = NDArray[np.intp]
Floats = NDArray[np.float64]


@boosters.register(
    "filter-and-refit",
    family="other-classifiers",
    variants={
        "filtered random-forest": ("filtered random-forest", "classifier: random-forest"),
        "filtered adaboost-mh": ("filtered AdaBoost.MH", "classifier: adaboost-mh"),
    },
)
class FilterAndRefit(Declared, StagedScore, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    r"""Classifier fitted after removing samples whose labels are likely wrong (confident learning).

    Let :math:`p_j(x)` be out-of-fold probabilities from cross-validation and :math:`X_j` the
    samples with label j. With the mean probability of each class as its threshold,

    .. math::
        t_j = \frac{1}{|X_j|} \sum_{x \in X_j} p_j(x), \qquad
        C_{ij} = \Bigl|\bigl\{x \in X_i : \operatorname*{arg\,max}_{l:\, p_l(x) \ge t_l} p_l(x)
        = j\bigr\}\Bigr|

    counts the samples with label i that likely belong to class j. For each pair :math:`i \ne j`,
    the :math:`|X_i|\, C_{ij} / \sum_l C_{il}` samples with label i and the largest
    :math:`p_j(x) - p_i(x)` are removed (prune by noise rate). The classifier is then fitted to the
    remaining samples.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of rounds T, also of the fits in cross-validation.
    classifier : str or dict, default="random-forest"
        A registered name, ``"package.module:Class"``, or a mapping ``{name: parameters}``; the
        classifier must have ``predict_proba``.
    folds : int, default=5
        Number of stratified folds of the cross-validation, at least 2.
    random_state : int, RandomState or None, default=None
        Seed of the folds and of the fits.

    Attributes
    ----------
    kept_ : ndarray of bool, shape (n_samples,)
        Samples used in the final fit.
    estimator_ : object
        Classifier fitted to these samples.
    classes_ : ndarray of shape (n_classes,)
        Class labels in sorted order.
    stop_reason_ : str
        Stop reason of the final fit.

    Notes
    -----
    As in the authors' package, a sample is kept if its label is the most probable class, and at
    least one sample of every class is kept.

    References
    ----------
    Northcutt, Jiang & Chuang 2021, Eqs. (1) to (3), Sec. 3.2.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> noisy = y.copy()
    >>> noisy[::10] = 2 - y[::10] // 2
    >>> filtered = FilterAndRefit(30, random_state=0).fit(X, noisy)
    >>> bool(filtered.kept_[noisy != y].mean() < 0.2), filtered.score(X, y) > 0.94
    (True, True)
    """

    n_estimators: Count = field(default=100, kw_only=False)
    classifier: Annotated[Any, str, Mapping] = "random-forest"
    folds: Annotated[int, Interval(Integral, 2, None, closed="left")] = 5
    random_state: Annotated[Any, "random_state"] = None

    #: The filter uses the same number of rounds as the final fit.
    nested_rounds: ClassVar[bool] = False

    def fit(self, X: Any, y: ArrayLike) -> Any:
        """Cross-validate the classifier, and fit it to the samples that are kept."""
        self._validate_params()
        X, y = self._checked(X, y=y, ensure_min_samples=2)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"{type(self).__name__} needs at least two classes; found one class")
        seed = self.random_state
        rng = np.random.default_rng(
            seed.randint(2**31) if isinstance(seed, np.random.RandomState) else seed
        )
        P = self._out_of_fold(X, codes, rng)
        self.kept_ = ~denied(codes, P, calibrated(confident_joint(codes, P), codes))
        self.estimator_ = self._make(rng).fit(X[self.kept_], codes[self.kept_])
        self.stop_reason_ = str(getattr(self.estimator_, "stop_reason_", ""))
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Return class probabilities, shape (n, n_classes)."""
        X = self._checked(X)
        P = self.estimator_.predict_proba(X)
        return probabilities_of(self.estimator_, P, len(self.classes_))

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """Yield class probabilities after each round of the final fit, shape (n, n_classes)."""
        X = self._checked(X)
        for P in self.estimator_.staged_predict_proba(X):
            yield probabilities_of(self.estimator_, P, len(self.classes_))

    def _checked(self, X: Any, **of_fit: Any) -> Any:
        """Return samples of a fit, with labels, or samples whose features are those of the fit."""
        if not of_fit:
            check_is_fitted(self)
        checks: Any = {"dtype": np.float64, "reset": bool(of_fit), **of_fit}
        finite = "allow-nan" if get_tags(self).input_tags.allow_nan else True
        return validate_data(self, X, ensure_all_finite=finite, **checks)

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

    def _out_of_fold(self, X: Floats, y: Labels, rng: np.random.Generator) -> Floats:
        """Return the probabilities by the classifiers that are not fitted to a sample's fold."""
        P = np.empty((len(y), len(self.classes_)))
        fold = np.empty(len(y), dtype=np.intp)
        for k in range(len(self.classes_)):
            own = rng.permutation(np.flatnonzero(y == k))
            fold[own] = (np.arange(len(own)) + rng.integers(self.folds)) % self.folds
        for held in (fold == f for f in range(self.folds)):
            if held.any():
                one = self._make(rng).fit(X[~held], y[~held])
                P[held] = probabilities_of(one, one.predict_proba(X[held]), len(self.classes_))
        return P


def confident_joint(y: Labels, P: Floats) -> NDArray[np.int64]:
    """Count the samples by label (row) and likely class (column), shape (K, K) (Eqs. 1 and 2)."""
    n, K = P.shape
    threshold = np.array([mean(P[y == j, j]) if (y == j).any() else np.inf for j in range(K)])
    confident = np.where(threshold <= P, P, -1.0)
    likely = confident.argmax(axis=1)
    counted = confident[np.arange(n), likely] >= 0.0
    C = np.zeros((K, K), dtype=np.int64)
    np.add.at(C, (y[counted], likely[counted]), 1)
    return C


def calibrated(C: NDArray[np.int64], y: Labels) -> NDArray[np.int64]:
    """Scale each row of C to the number of samples with its label (n times Eq. 3), and round."""
    seen = np.bincount(y, minlength=len(C))
    scaled = C * (seen / np.maximum(C.sum(axis=1), 1))[:, None]
    return np.asarray(np.rint(scaled), dtype=np.int64)


def denied(y: Labels, P: Floats, n_wrong: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return a mask of the samples to remove, by "prune by noise rate" (Sec. 3.2).

    ``n_wrong[i, j]`` is the estimated number of samples with label i that belong to class j.
    """
    mask: NDArray[np.bool_] = np.zeros(len(y), dtype=np.bool_)
    for i in range(len(n_wrong)):
        own = np.flatnonzero(y == i)
        for j in range(len(n_wrong)):
            if i != j:
                margin = P[own, j] - P[own, i]
                mask[own[np.argsort(-margin, kind="stable")[: n_wrong[i, j]]]] = True
        mask[own] &= P[own].argmax(axis=1) != i
        if len(own) and mask[own].all():
            mask[own[P[own, i].argmax()]] = False
    return mask
