"""The scikit-learn surface that all boosters share: validation, scores, staged predictions."""

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
from boostbench.boosters.declared import Count, Declared
from boostbench.boosters.rows import CanonicalRows, canonical_rows
from boostbench.boosters.state import BoostState, Step, softmax
from boostbench.portable import log, total
from boostbench.threads import threads

#: Of scikit-learn's estimator checks, the one that boosters may fail, and why.
EXPECTED_FAILED_CHECKS = {
    "check_class_weight_classifiers": "trees and rounds go on until samples of hardly any weight "
    "are right too; a weak learner with min_weight_fraction_leaf and few rounds pass"
}


@dataclass(frozen=True)
class RoundInfo:
    """Argument of the ``on_round`` callback of `BoostingClassifier.fit`, after each round.

    Attributes
    ----------
    round : int
        1 for the first.
    row_of : ndarray of intp, shape (n_samples,)
        Distinct row of each training sample, -1 for a sample of weight 0: the scores of the
        samples are ``scores[row_of]``.
    step : Step
        The step just taken.
    state : BoostState
        The state after the step.
    booster : BoostingClassifier
    """

    round: int
    row_of: NDArray[np.intp]
    step: Step
    state: BoostState
    booster: BoostingClassifier

    @property
    def scores(self) -> NDArray[np.float64]:
        """Scores of the distinct rows, shape (n, K); copy to keep, never change."""
        return self.state.scores

    @cached_property
    def labels(self) -> NDArray[Any]:
        """Labels that `staged_predict` gives the training samples after this round."""
        return self.booster._training_labels(self.state, self.row_of)

    @cached_property
    def loss(self) -> float:
        """The booster's training objective after this round (computed when first asked for)."""
        return self.booster.objective(self.state)

    @property
    def bound(self) -> float:
        """A bound on the training error by the loss; NaN if the booster's loss gives none."""
        least = self.booster.loss_if_wrong(self.state)
        return self.loss / least if least > 0.0 else np.nan


#: Called after each round.
OnRound = Callable[[RoundInfo], None]


class BoostingClassifier(Declared, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A booster seen from outside; how it is trained is up to the subclass.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of rounds T, at least 1.
    weak_learner : str, dict, object or None, default=None
        A name (``"tree"``), a mapping ``{name: parameters}``, a weak-learner object, or a
        scikit-learn classifier that takes ``sample_weight`` where weighted labels are asked for.
        None is the paper's choice, whose parameters also fill those a mapping leaves out.
    random_state : int, RandomState or None, default=None
        Seed of the random streams of the booster and of the weak learner.
    n_jobs : int or None, default=None
        Threads of `fit`: trees of a round grow side by side. None is one thread, unless work
        around the fit was given more; -1 is one for each core. The model does not depend on it.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, by which those of their samples are multiplied, as in scikit-learn;
        ``"balanced"``: ``n_samples / (n_classes * np.bincount(y))``. In a config, where keys are
        texts, classes are numbered from "0".

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels in sorted order.
    n_rounds_ : int
        Rounds in the model, at most `n_estimators`.
    stop_reason_ : str
        Why training stopped early; empty when all rounds were made. ``"perfect weak learner"``:
        it makes no weighted error; ``"no edge"``: it is no better than chance; ``"converged"``:
        nothing is left to learn. Some boosters have reasons of their own.

    Notes
    -----
    Equal samples count as often as they are there, in every leaf's smallest size, in C4.5's cases
    and in the bins of a feature. If all sample weights are whole numbers, a weight of w is the
    sample repeated w times, also there. Otherwise weights only weigh, and every sample of positive
    weight counts as one, as in scikit-learn's trees; C4.5 scales them to sum to the number of
    samples.
    """

    #: True if the first t rounds of a fit are the fit of t rounds, so that one serves all.
    nested_rounds: ClassVar[bool] = True
    #: Name and parameters of the paper's weak learner.
    paper_learner: ClassVar[tuple[str, dict[str, Any]]]

    n_estimators: Count = field(default=100, kw_only=False)
    weak_learner: Any = None
    random_state: Annotated[Any, "random_state"] = None
    n_jobs: Annotated[int, Interval(Integral, None, -1, closed="right")] | Count | None = None
    class_weight: Annotated[Any, StrOptions({"balanced"}), dict, None] = None

    # ---- what a subclass defines ----------------------------------------------------------

    @abstractmethod
    def _rounds(
        self,
        state: BoostState,
        X: NDArray[np.float64],
        rows: CanonicalRows,
        rng: np.random.Generator,
    ) -> Iterator[Step]:
        """Train on the rows, yielding after each round; set `stop_reason_` and the model."""

    @abstractmethod
    def _scores(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the scores after the last round, shape (n_samples, n_classes)."""

    @abstractmethod
    def _staged_scores(self, X: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
        """Yield the scores after each round."""

    @abstractmethod
    def objective(self, state: BoostState) -> float:
        """Return the training objective at ``state.scores``."""

    @abstractmethod
    def weights(self, state: BoostState) -> NDArray[np.float64]:
        """Return the weight of each row in the next round, shape (n,).

        They sum to 1, or all are 0 when no row has influence any more. Nothing is changed by it.
        """

    def default_weak_learner(self, n_classes: int) -> tuple[str, dict[str, Any]]:
        """Return name and parameters of the paper's weak learner; `paper_learner` here."""
        return self.paper_learner

    def demands(self) -> tuple[type, ...]:
        """Return the demands that the weak learner may get; empty if that is not known."""
        return ()

    def loss_if_wrong(self, state: BoostState) -> float:
        """Return a lower bound on the objective of a misclassified sample; 0 if there is none.

        The objective divided by it bounds the training error.
        """
        return 0.0

    def edge_bound(self, edges: Sequence[float], n_classes: int) -> NDArray[np.float64] | None:
        """Return a bound on the training error after each round, where the edges give one.

        ``edges`` are those of the steps; the bound has shape (n_rounds,).
        """
        return None

    def _check_classes(self, n_classes: int) -> None:
        """Refuse a number of classes that the booster cannot take; all are fine by default."""

    def probabilities(self, F: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return class probabilities for scores F, shape (n_samples, n_classes); soft-max here."""
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
            Class labels, at least two different ones.
        sample_weight : array-like of shape (n_samples,), default=None
            Not negative. If all are whole numbers, w means the sample repeated w times; otherwise
            every sample of positive weight counts as one.
        on_round : callable, default=None
            Called with a `RoundInfo` after each round.

        Returns
        -------
        self : BoostingClassifier

        Raises
        ------
        ValueError
            If a parameter, X, y or the weights are out of range, or the weak learner cannot meet
            the booster's demands.
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
        rows = canonical_rows(content, y_codes, weights)
        seeds = np.random.SeedSequence(check_random_state(self.random_state).randint(2**31))
        booster_rng, learner_rng = (np.random.default_rng(seed) for seed in seeds.spawn(2))
        state = BoostState(
            y=y_codes[rows.representative],
            sample_weight=rows.weight / total(rows.weight),
            n_samples=int(rows.count.sum()),
            n_classes=n_classes,
            scores=np.zeros((len(rows.weight), n_classes), order="F"),
            rng=booster_rng,
            cost=None if own_cost is None else own_cost[rows.representative],
        )
        self.n_rounds_ = 0
        with threads(self.n_jobs):
            for step in self._rounds(state, X, rows, learner_rng):
                self.n_rounds_ += 1
                if on_round is not None:
                    on_round(RoundInfo(self.n_rounds_, rows.row_of, step, state, self))
        return self

    def _validate_training_data(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.float64]]:
        checked: NDArray[np.float64]
        checked, y = validate_data(
            self, X, y, dtype=np.float64, order="C", ensure_all_finite="allow-nan"
        )
        check_classification_targets(y)
        weights = _check_sample_weight(
            sample_weight, checked, dtype=np.float64, ensure_non_negative=True
        )
        self.classes_, y_codes = np.unique(y, return_inverse=True)
        if self.class_weight is not None:
            weights = weights * compute_sample_weight(self._class_weight(), y)
            if not (weights >= 0.0).all():
                raise ValueError(
                    f"class_weight has numbers that are not negative, found {self.class_weight!r}"
                )
        n_seen = len(np.unique(y_codes[weights > 0]))
        if n_seen < 2:
            raise ValueError(
                f"{type(self).__name__} needs samples of at least two classes with positive "
                f"sample_weight; found {'one class' if n_seen else 'no class'}"
            )
        self._check_classes(len(self.classes_))
        return checked, y_codes.astype(np.int32), weights

    def _class_weight(self) -> Any:
        """Return `class_weight` with labels in the place of their texts."""
        if isinstance(self.class_weight, str):
            return self.class_weight
        labels = {str(label): label for label in self.classes_.tolist()}
        return {labels.get(str(key), key): w for key, w in self.class_weight.items()}

    # ---- prediction -----------------------------------------------------------------------

    def scores(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the scores F of all classes, shape (n_samples, n_classes), whatever K is."""
        return self._scores(self._validate_test_data(X))

    def staged_scores(self, X: ArrayLike) -> Iterator[NDArray[np.float64]]:
        """Yield the scores F after each round; the array is reused, copy it to keep it."""
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
        """Share of each feature in what the trees' own criterion gained, shape (n_features,).

        Gains are divided by the sum of the round and weighted by the size of the step, as in
        scikit-learn's AdaBoost; the shares sum to 1. Features of many values are favoured:
        `sklearn.inspection.permutation_importance` does not. There are none where a gain is not
        known: trees of C4.5 with raised subtrees, branching programs, and weak learners of other
        packages.
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
        """Return the labels of the training samples; override it where equal ones may differ."""
        return self._labels(state.scores)[row_of]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
