"""Predictions of boosters: scores, labels and probabilities, after each round and the last one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from boostbench.boosters.rows import canonical_form
from boostbench.boosters.staged import StagedScore
from boostbench.boosters.state import largest_class, softmax
from boostbench.models_only import models_only
from boostbench.portable import log

if TYPE_CHECKING:
    from boostbench.weak_learners import Forest
    from boostbench.weak_learners.drawing import FittedTree

#: Options of the validation of samples.
CHECKS: dict[str, Any] = {
    "accept_sparse": "csr",
    "dtype": np.float64,
    "order": "C",
    "ensure_all_finite": "allow-nan",
}


class Classifier(StagedScore, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Predictions of a booster from the scores of its model."""

    categories_: dict[str, list[Any]]
    categorical_features: Literal["from_dtype"] | None
    classes_: NDArray[Any]
    model_: Any
    n_rounds_: int

    def _scores(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the scores after the last round, shape (n_samples, n_classes)."""
        return np.asarray(self.model_.scores(X))

    def _staged_scores(self, X: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
        """Yield the scores after each round."""
        yield from self.model_.staged_scores(X)

    def probabilities(self, F: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return class probabilities for scores F, shape (n_samples, n_classes).

        The default is the soft-max of F.
        """
        return softmax(F)

    def scores(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the scores F, shape (n_samples, n_classes), also for two classes."""
        return self._scores(self._validate_test_data(X))

    def staged_scores(self, X: ArrayLike) -> Iterator[NDArray[np.float64]]:
        """Yield the scores F after each round, in an array that may be reused; copy to keep."""
        return self._staged_scores(self._validate_test_data(X))

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return F, shape (n_samples, n_classes), or F[:, 1] - F[:, 0] for two classes."""
        return self._decision(self.scores(X))

    def staged_decision_function(self, X: ArrayLike) -> Iterator[NDArray[np.float64]]:
        """Yield `decision_function` after each round."""
        return (self._decision(F).copy() for F in self.staged_scores(X))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class of the largest score, the first one on ties, shape (n_samples,)."""
        return self._labels(self.scores(X))

    def staged_predict(self, X: ArrayLike) -> Iterator[NDArray[Any]]:
        """Yield `predict` after each round."""
        return map(self._labels, self.staged_scores(X))

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return class probabilities, shape (n_samples, n_classes); rows sum to 1."""
        return self.probabilities(self.scores(X))

    def staged_predict_proba(self, X: ArrayLike) -> Iterator[NDArray[np.float64]]:
        """Yield `predict_proba` after each round."""
        return map(self.probabilities, self.staged_scores(X))

    def predict_log_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the logarithm of `predict_proba`."""
        return np.asarray(log(self.predict_proba(X)))

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each feature in the gain of the trees' split criterion, shape (n_features,).

        The gains of a round are divided by their sum and weighted by the step size, as in
        scikit-learn's AdaBoost; the shares sum to 1. They favour features with many distinct
        values, unlike `sklearn.inspection.permutation_importance`. The attribute does not exist
        if a gain is unknown: for C4.5 trees with raised subtrees, branching programs and weak
        learners of other packages.
        """
        check_is_fitted(self)
        found = self.model_.importances() if hasattr(self.model_, "importances") else None
        if found is None:
            raise AttributeError(
                f"this {type(self).__name__} keeps no gains of its splits; take "
                "sklearn.inspection.permutation_importance"
            )
        return np.asarray(found)

    @property
    @models_only
    def trees_(self) -> list[FittedTree]:
        """Trees of the model, in the order in which they were grown.

        Raises AttributeError for weak learners of other packages.
        """
        from boostbench.weak_learners.drawing import FittedTree

        check_is_fitted(self)
        forest, coefficients, rounds = self._grown()
        names = getattr(self, "feature_names_in_", None)
        classes = [str(label) for label in self.classes_.tolist()]
        each = enumerate(zip(coefficients.tolist(), rounds.tolist(), strict=True))
        return [FittedTree(forest[t], c, round_, names, classes) for t, (c, round_) in each]

    @models_only
    def shap_values(self, X: Any, background: Any) -> NDArray[np.float64]:
        """Return the exact Shapley value of each feature in `decision_function`.

        The values of features that a coalition lacks are those of the rows of a background
        (interventional TreeSHAP). The time is proportional to the number of rows of X, of rows of
        the background, and of leaves; a background of some hundred rows is usual.

        Parameters
        ----------
        X, background : array-like of shape (n_samples, n_features) and (m, n_features)

        Returns
        -------
        ndarray of float64, shape (n_samples, n_features, n_classes), or (n_samples, n_features)
            For two classes there is one value. The sum over the features is the decision function
            of the sample, less its mean over the background.

        Raises
        ------
        AttributeError
            If the scores are no sum of trees of this package.
        ValueError
            If X or the background is a sparse matrix.
        """
        from scipy.sparse import issparse

        from boostbench.weak_learners.explain import shapley_values

        forest, coefficients = self._sum_of_trees()
        rows, others = self._validate_test_data(X), self._validate_test_data(background)
        if issparse(rows) or issparse(others):
            raise ValueError("shap_values takes arrays or frames, no sparse matrices")
        values = shapley_values(forest, coefficients, len(self.classes_), rows, others)
        return values[:, :, 1] - values[:, :, 0] if len(self.classes_) == 2 else values

    @models_only
    def to_onnx(self) -> Any:
        """Return the model in the format ONNX, which `onnx.save` writes to a file.

        Its input ``X`` is float64, of shape (n, n_features), with NaN for missing values and the
        codes of `categories_` for categories. Its outputs are ``label`` and ``scores``, as of
        `predict` and `scores`: sums in another order, which differ in the last digits.

        Returns
        -------
        onnx.ModelProto

        Raises
        ------
        AttributeError
            If the scores are no sum of trees of this package.
        BoostbenchError
            If the package onnx is not installed.
        """
        from boostbench.weak_learners.onnx_model import onnx_model

        return onnx_model(*self._sum_of_trees(), self.classes_, self._by_sign())

    def _by_sign(self) -> bool:
        """Return whether labels depend on the signs of the scores alone."""
        return False

    @models_only
    def _grown(self) -> Any:
        """Return trees, coefficients and rounds; AttributeError for those of another package."""
        found = self.model_.grown(self.n_features_in_)
        if found is None:
            raise AttributeError(f"this {type(self).__name__} has no list of trees")
        return found

    @models_only
    def _sum_of_trees(self) -> tuple[Forest, NDArray[np.float64]]:
        """Return trees and coefficients whose weighted sum the scores are."""
        check_is_fitted(self)
        forest, coefficients, _ = self._grown()
        return forest, coefficients

    def _validate_test_data(self, X: Any) -> Any:
        check_is_fitted(self)
        checked = validate_data(self, self._numbers(X), reset=False, **CHECKS)
        return canonical_form(checked)

    def _numbers(self, X: Any, fit: bool = False) -> Any:
        """Return samples with codes in place of categories."""
        is_frame = hasattr(X, "columns") and self.categorical_features == "from_dtype"
        return self._coded(X, fit) if is_frame else X

    @models_only
    def _coded(self, X: Any, fit: bool) -> Any:
        from boostbench.boosters.frames import categories_of, coded, with_words

        frame = with_words(X)
        if frame is None:
            return X
        if fit:
            self.categories_ = categories_of(frame)
        return coded(frame, self.categories_)

    def _decision(self, F: NDArray[np.float64]) -> NDArray[np.float64]:
        return F[:, 1] - F[:, 0] if len(self.classes_) == 2 else F

    def _labels(self, F: NDArray[np.float64]) -> NDArray[Any]:
        labels: NDArray[Any] = self.classes_[largest_class(F)]
        return labels

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.sparse = True
        return tags
