"""scikit-learn interface of all boosters: validation, scores, staged predictions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Integral
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from boostbench.boosters.cost_matrices import sample_costs
from boostbench.boosters.rows import CanonicalRows, canonical_rows
from boostbench.boosters.state import BoostState, Step, softmax
from boostbench.declared import Count, Declared
from boostbench.portable import log
from boostbench.threads import threads

#: scikit-learn estimator checks that boosters are allowed to fail, with the reason.
EXPECTED_FAILED_CHECKS = {
    "check_class_weight_classifiers": "fits samples even if their class weight is tiny; "
    "a weak learner with min_weight_fraction_leaf and few rounds pass"
}


@dataclass(frozen=True)
class RoundInfo:
    """Argument of the ``on_round`` callback of `BoostingClassifier.fit`.

    Attributes
    ----------
    round : int
        Number of the round, from 1.
    row_of : ndarray of intp, shape (n_samples,)
        Distinct row of each training sample, -1 for a sample of weight 0. The scores of the
        samples are ``scores[row_of]``.
    step : Step
        Step of this round.
    state : BoostState
        State after the step.
    booster : BoostingClassifier
        Booster that is being fitted.
    """

    round: int
    row_of: NDArray[np.intp]
    step: Step
    state: BoostState
    booster: BoostingClassifier

    @property
    def scores(self) -> NDArray[np.float64]:
        """Scores of the distinct rows, shape (n, K); read-only, and overwritten by later rounds."""
        return self.state.scores

    @cached_property
    def labels(self) -> NDArray[Any]:
        """Predicted labels of the training samples after this round, as by `staged_predict`."""
        return self.booster._training_labels(self.state, self.row_of)

    @cached_property
    def loss(self) -> float:
        """Training objective after this round, computed on first access."""
        return self.booster.objective(self.state)

    @property
    def bound(self) -> float:
        """Upper bound on the training error from the loss; NaN if the loss gives no bound."""
        least = self.booster.loss_if_wrong(self.state)
        return self.loss / least if least > 0.0 else np.nan


#: Called after each round.
OnRound = Callable[[RoundInfo], None]


class BoostingClassifier(Declared, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Base class of all boosters: parameters, validation and prediction.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of rounds T, at least 1.
    weak_learner : str, dict, object or None, default=None
        A name (``"tree"``), a mapping ``{name: parameters}``, a weak-learner object, or, for
        boosters that pass weighted labels, a scikit-learn classifier that accepts
        ``sample_weight``. None uses the paper's weak learner. If the name is that of the paper's
        weak learner, omitted parameters keep the paper's values.
    random_state : int, RandomState or None, default=None
        Seed of the random streams of the booster and of the weak learner.
    n_jobs : int or None, default=None
        Number of threads used by `fit` to grow the trees of a round. None uses one thread, or
        as many as the enclosing context allows; -1 uses all cores. The model does not depend on
        the number of threads.
    class_weight : dict, "balanced" or None, default=None
        Factors by which the sample weights of each class are multiplied, as in scikit-learn;
        ``"balanced"`` uses ``n_samples / (n_classes * np.bincount(y))``. In a config, the keys
        are the labels of the data set.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels in sorted order.
    n_rounds_ : int
        Number of rounds in the model, at most `n_estimators`.
    stop_reason_ : str
        Reason for an early stop; empty if all rounds were run. ``"perfect weak learner"``: the
        weak learner has no weighted error; ``"no edge"``: the weak learner is no better than
        chance; ``"converged"``: nothing is left to learn. Some boosters define further reasons.

    Notes
    -----
    Sample counts (the minimum size of a leaf, the cases of C4.5, the bins of a feature) include
    duplicate samples. If all sample weights are integers, a sample of weight w counts as w
    samples. Otherwise every sample of positive weight counts as one, as in scikit-learn's trees;
    C4.5 scales the weights to sum to the number of samples.
    """

    #: True if the first t rounds of a fit equal a fit of t rounds.
    nested_rounds: ClassVar[bool] = True
    #: Needs of the booster from a weak learner beyond answers: `LEAVES`, `TREE_PER_CLASS` or
    #: `NESTED_TREES` of `boostbench.weak_learners`.
    needs: ClassVar[tuple[str, ...]] = ()
    #: True if the numbers depend on the order of the class labels.
    class_order_matters: ClassVar[bool] = False
    #: Name and parameters of the paper's weak learner.
    paper_learner: ClassVar[tuple[str, dict[str, Any]]]

    n_estimators: Count = field(default=100, kw_only=False)
    weak_learner: Any = None
    random_state: Annotated[Any, "random_state"] = None
    n_jobs: Annotated[int, Interval(Integral, None, -1, closed="right")] | Count | None = None
    class_weight: Annotated[Any, StrOptions({"balanced"}), dict, None] = None

    # ---- methods of subclasses ------------------------------------------------------------

    @abstractmethod
    def _rounds(
        self,
        state: BoostState,
        X: NDArray[np.float64],
        rows: CanonicalRows,
        rng: np.random.Generator,
    ) -> Iterator[Step]:
        """Train on the rows, yield the step of each round; set `stop_reason_` and the model."""

    def _scores(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the scores after the last round, shape (n_samples, n_classes)."""
        return np.asarray(self.model_.scores(X))

    def _staged_scores(self, X: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
        """Yield the scores after each round."""
        yield from self.model_.staged_scores(X)

    @abstractmethod
    def objective(self, state: BoostState) -> float:
        """Return the training objective at ``state.scores``."""

    @abstractmethod
    def weights(self, state: BoostState) -> NDArray[np.float64]:
        """Return the weight of each row in the next round, shape (n,).

        The weights sum to 1, or are all 0 if no row has influence. The state is not changed.
        """

    def default_weak_learner(self, n_classes: int) -> tuple[str, dict[str, Any]]:
        """Return name and parameters of the paper's weak learner, `paper_learner` by default."""
        return self.paper_learner

    def asking(self) -> Any:
        """Return the booster that uses the weak learner: this one, or one that it wraps."""
        return self

    def demands(self) -> tuple[type, ...]:
        """Return the types of demand passed to the weak learner; empty if unknown."""
        return ()

    def loss_if_wrong(self, state: BoostState) -> float:
        """Return a lower bound on the loss of a misclassified sample; 0 if there is none.

        The objective divided by this value is an upper bound on the training error.
        """
        return 0.0

    def edge_bound(self, edges: Sequence[float], n_classes: int) -> NDArray[np.float64] | None:
        """Return the bound on the training error implied by the edges of the steps, or None.

        The bound has one value per round, shape (n_rounds,).
        """
        return None

    def _check_classes(self, n_classes: int) -> None:
        """Raise ValueError if the booster does not support this number of classes."""

    def probabilities(self, F: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return class probabilities for scores F, shape (n_samples, n_classes).

        The default is the soft-max of F.
        """
        return softmax(F)

    # ---- training -------------------------------------------------------------------------

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        on_round: OnRound | None = None,
    ) -> Any:
        """Fit the ensemble.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers, or NaN where a value is missing.
        y : array-like of shape (n_samples,)
            Class labels, of at least two classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights. If all are integers, of at most 1000 on average, a sample of
            weight w is equivalent to w copies of the sample; otherwise every sample of positive
            weight counts as one sample, and only the ratios of the weights matter.
        on_round : callable, default=None
            Called with a `RoundInfo` after each round.

        Returns
        -------
        self : BoostingClassifier

        Raises
        ------
        ValueError
            If a parameter, X, y or the weights are invalid, or the weak learner does not support
            the demands of the booster.
        """
        return self._fit(X, y, sample_weight, on_round)

    def _fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
        on_round: OnRound | None,
        cost: ArrayLike | Callable[..., ArrayLike] | None = None,
    ) -> Any:
        self._validate_params()
        X, y_codes, weights = self._validate_training_data(X, y, sample_weight)
        n_classes = len(self.classes_)
        own_cost = (
            None if cost is None else sample_costs(cost, X, self.classes_[y_codes], n_classes)
        )
        content = X if own_cost is None else np.column_stack([X, own_cost])
        with threads(self.n_jobs):
            rows = canonical_rows(content, y_codes, weights)
        seeds = np.random.SeedSequence(check_random_state(self.random_state).randint(2**31))
        booster_rng, learner_rng = (np.random.default_rng(seed) for seed in seeds.spawn(2))
        state = BoostState(
            y=y_codes[rows.representative],
            sample_weight=rows.weight,
            n_samples=int(rows.count.sum()),
            n_classes=n_classes,
            scores=np.zeros((len(rows.weight), n_classes), order="F"),
            rng=booster_rng,
            cost=None if own_cost is None else own_cost[rows.representative],
        )
        self.n_rounds_ = 0
        steps = self._rounds(state, X, rows, learner_rng)
        row_of = np.empty(0, np.intp) if on_round is None else rows.row_of
        del X, y_codes, weights, own_cost, content, rows  # frees what the rounds do not keep
        with threads(self.n_jobs):
            for step in steps:
                self.n_rounds_ += 1
                if on_round is not None:
                    on_round(RoundInfo(self.n_rounds_, row_of, step, state, self))
        return self

    def _validate_training_data(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.float64]]:
        checked: NDArray[np.float64]
        checked, y = validate_data(
            self, X, y, dtype=np.float64, order="C", ensure_all_finite="allow-nan"
        )
        check_classification_targets(y)
        weights = np.broadcast_to(1.0, len(checked))  # takes the memory of one number
        if sample_weight is not None:
            weights = _check_sample_weight(
                sample_weight, checked, dtype=np.float64, ensure_non_negative=True
            )
        self.classes_, y_codes = np.unique(y, return_inverse=True)
        if self.class_weight is not None:
            of_class = compute_sample_weight(self._class_weight(), y)
            if not ((of_class >= 0.0) & np.isfinite(of_class)).all():
                raise ValueError(
                    f"class_weight has finite numbers that are not negative, "
                    f"found {self.class_weight!r}"
                )
            weights = _product(weights, of_class)
        n_seen = len(np.unique(y_codes[weights > 0]))
        if n_seen < 2:
            raise ValueError(
                f"{type(self).__name__} needs samples of at least two classes with positive "
                f"sample_weight; found {'one class' if n_seen else 'no class'}"
            )
        self._check_classes(len(self.classes_))
        return checked, y_codes.astype(np.int32), weights

    def _class_weight(self) -> Any:
        """Return `class_weight` with class labels as keys, where a config has strings."""
        if isinstance(self.class_weight, str):
            return self.class_weight
        labels = {str(label): label for label in self.classes_.tolist()}
        return {labels.get(str(key), key): w for key, w in self.class_weight.items()}

    # ---- prediction -----------------------------------------------------------------------

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
        for F in self.staged_scores(X):
            yield self._decision(F).copy()

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class of the largest score, the first one on ties, shape (n_samples,)."""
        return self._labels(self.scores(X))

    def staged_predict(self, X: ArrayLike) -> Iterator[NDArray[Any]]:
        """Yield `predict` after each round."""
        for F in self.staged_scores(X):
            yield self._labels(F)

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return class probabilities, shape (n_samples, n_classes); rows sum to 1."""
        return self.probabilities(self.scores(X))

    def staged_predict_proba(self, X: ArrayLike) -> Iterator[NDArray[np.float64]]:
        """Yield `predict_proba` after each round."""
        for F in self.staged_scores(X):
            yield self.probabilities(F)

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

    def _validate_test_data(self, X: ArrayLike) -> NDArray[np.float64]:
        check_is_fitted(self)
        checked: NDArray[np.float64] = validate_data(
            self, X, dtype=np.float64, order="C", ensure_all_finite="allow-nan", reset=False
        )
        return checked

    def _decision(self, F: NDArray[np.float64]) -> NDArray[np.float64]:
        return F[:, 1] - F[:, 0] if len(self.classes_) == 2 else F

    def _labels(self, F: NDArray[np.float64]) -> NDArray[Any]:
        labels: NDArray[Any] = self.classes_[F.argmax(axis=1)]
        return labels

    def _training_labels(self, state: BoostState, row_of: NDArray[np.intp]) -> NDArray[Any]:
        """Return the predicted labels of the training samples.

        To be overridden if equal samples may have different labels.
        """
        return self._labels(state.scores)[row_of]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _product(u: NDArray[np.float64], v: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return u v, or a multiple of it if a product overflows or vanishes."""
    with np.errstate(over="ignore", under="ignore"):
        product = u * v
    if np.isfinite(product).all() and ((product > 0.0) == ((u > 0.0) & (v > 0.0))).all():
        return product
    (a, i), (b, j) = np.frexp(u), np.frexp(v)
    exponent = np.where((a > 0.0) & (b > 0.0), i + j, np.iinfo(np.int32).min)
    scaled: NDArray[np.float64] = np.ldexp(a * b, np.maximum(exponent - exponent.max(), -2000))
    return scaled
