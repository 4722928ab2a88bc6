r"""One-vs-all: K two-class boosters, one for each class against the rest.

=========  ==================================  ==============================
symbol     here                                shape
=========  ==================================  ==============================
F_k        F of ``estimators_[k]``             (n,)
F          ``scores(X)``                       (n, K)
=========  ==================================  ==============================
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from boostbench.boosters.rows import CanonicalRows
from boostbench.boosters.state import BoostState, Step
from boostbench.boosters.surface import BoostingClassifier, RoundInfo
from boostbench.portable import row_sums, total
from boostbench.registry import boosters


@dataclass
class _Course:
    """Record of the fit of one booster, filled by its `on_round` callback.

    Attributes
    ----------
    state : BoostState or None
        State after the last round; None before the first.
    row_of : ndarray of intp, shape (n_samples,)
        Row of each sample in the state, -1 for samples of weight 0.
    told : list of (float, float, float)
        Edge, objective and bound of each round.
    own : list of object
        Copy of ``state.own`` after each round.
    """

    state: BoostState | None = None
    row_of: NDArray[np.intp] = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    told: list[tuple[float, float, float]] = field(default_factory=list)
    own: list[Any] = field(default_factory=list)

    def __call__(self, info: RoundInfo) -> None:
        self.state, self.row_of = info.state, info.row_of
        self.told.append((info.step.edge, info.loss, info.bound))
        self.own.append(copy(info.state.own))

    def weights(self, one: Any, t: int, F: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weight of each sample after t rounds, per unit of sample weight.

        ``F`` has the scores of the samples. The result is undefined for samples of weight 0.
        """
        assert self.state is not None
        used = np.flatnonzero(self.row_of >= 0)
        of_row = np.empty(len(self.state.y), dtype=np.intp)
        of_row[self.row_of[used]] = used
        own = self.own[min(t, len(self.own)) - 1]
        w = one.weights(replace(self.state, scores=F[of_row], own=own))
        return np.asarray((w / self.state.sample_weight)[self.row_of])


@dataclass(frozen=True)
class _Side:
    """State of `OneVsAll` after a round of all boosters.

    Attributes
    ----------
    courses : list of _Course
        Records of the boosters.
    sample : ndarray of intp, shape (n,)
        Index of one sample of each row.
    round : int
        Number of the round, from 1.
    parts : list of ndarray of float64, shape (n_samples, 2)
        Scores of each booster.
    F : ndarray of float64, shape (n_samples, K)
        Joint scores.
    loss, bound : float
        Mean of the objectives, and sum of the bounds on the training error, or NaN.
    """

    courses: list[_Course]
    sample: NDArray[np.intp]
    round: int
    parts: list[NDArray[np.float64]]
    F: NDArray[np.float64]
    loss: float
    bound: float


@boosters.register("one-vs-all", family="robust")
class OneVsAll(BoostingClassifier):
    r"""Reduction of K classes to K two-class problems, for any booster.

    For each class k, a booster learns scores :math:`F_k` on the labels "k" and "not k"; the
    prediction is :math:`\arg\max_k F_k(x)`. With two classes a single booster is trained, and its
    predictions are returned.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of rounds T of each booster, at least 1.
    booster : str, dict or BoostingClassifier, default="adaboost"
        A registered name, a mapping ``{name: parameters}``, or a booster, which is cloned.
    weak_learner : str, dict, object or None, default=None
        None uses the weak learner of the booster.
    random_state : int, RandomState or None, default=None
        Seed from which the seeds of the boosters are drawn.

    Attributes
    ----------
    estimators_ : list of BoostingClassifier
        One booster per class, or a single booster for two classes.
    n_rounds_ : int
        Largest number of rounds of a booster; boosters with fewer rounds keep their last scores.
    stop_reason_ : str
        Stop reasons of the boosters if all stopped early, else empty.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> OneVsAll(n_estimators=20, booster={"splboost": {"age": 3.0}}).fit(X, y).score(X, y) > 0.95
    True
    """

    booster: Annotated[Any, str, Mapping, BoostingClassifier] = "adaboost"

    def _rounds(
        self,
        state: BoostState,
        X: NDArray[np.float64],
        rows: CanonicalRows,
        rng: np.random.Generator,
    ) -> Iterator[Step]:
        y = state.y[rows.row_of]  # the label of a sample of weight 0 does not matter
        targets = [1] if state.n_classes == 2 else range(state.n_classes)
        self.estimators_ = []
        courses = [_Course() for _ in targets]
        for k, course in zip(targets, courses, strict=True):
            one = self._make_one(int(rng.integers(2**31)))
            one.fit(X, y == k, rows.sample_weight, on_round=course)
            self.estimators_.append(one)
        reasons = {one.stop_reason_ for one in self.estimators_}
        self.stop_reason_ = "" if "" in reasons else ", ".join(sorted(reasons))
        # replay the rounds of all boosters in parallel
        for t, parts in enumerate(self._staged_parts(X), start=1):
            F = self._joined(parts)
            state.scores = F[rows.representative]
            # boosters without any round have no record
            told = [course.told for course in courses if course.told]
            last = [its[min(t, len(its)) - 1] for its in told]
            edge, loss, bound = (row_sums(np.transpose(last)) / len(last)).tolist()
            # a misclassified sample is an error of at least one booster
            bound = bound * len(told) if len(told) == len(courses) else np.nan
            state.own = _Side(courses, rows.representative, t, parts, F, loss, bound)
            yield Step(1.0, edge)

    def _make_one(self, seed: int) -> Any:
        """Return an unfitted booster for one class."""
        if isinstance(self.booster, BoostingClassifier):
            one = clone(self.booster)
        else:
            name, parameters = boosters.named(self.booster)
            one = boosters.get(name)(**parameters)
        one.set_params(n_estimators=self.n_estimators, random_state=seed)
        if self.weak_learner is not None:
            one.set_params(weak_learner=self.weak_learner)
        return one

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Mean of the feature importances of the boosters, shape (n_features,)."""
        check_is_fitted(self)
        of_each = np.array([one.feature_importances_ for one in self.estimators_])
        return np.asarray(row_sums(of_each.T) / len(of_each))

    def _scores(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        return self._joined([one._scores(X) for one in self.estimators_])

    def _staged_scores(self, X: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
        return map(self._joined, self._staged_parts(X))

    def _staged_parts(self, X: NDArray[np.float64]) -> Iterator[list[NDArray[np.float64]]]:
        parts = [np.zeros((len(X), 2)) for _ in self.estimators_]
        stages = [one._staged_scores(X) for one in self.estimators_]
        for _ in range(max(one.n_rounds_ for one in self.estimators_)):
            parts = [next(stage, part) for stage, part in zip(stages, parts, strict=True)]
            yield parts

    def _joined(self, parts: list[NDArray[np.float64]]) -> NDArray[np.float64]:
        """Return the scores of all classes, given the scores of each booster, shape (n, 2)."""
        if len(parts) == 1:
            return parts[0]
        return np.column_stack([F[:, 1] - F[:, 0] for F in parts])

    def _labels(self, F: NDArray[np.float64]) -> NDArray[Any]:
        if len(self.estimators_) > 1:
            return super()._labels(F)
        labels: NDArray[Any] = self.classes_[self.estimators_[0]._labels(F).astype(np.intp)]
        return labels

    def _training_labels(self, state: BoostState, row_of: NDArray[np.intp]) -> NDArray[Any]:
        own: _Side = state.own
        return self._labels(own.F)

    def probabilities(self, F: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return each booster's probability of its class, normalised over the classes."""
        if len(self.estimators_) == 1:
            return np.asarray(self.estimators_[0].probabilities(F))
        p = np.empty_like(F)
        for k, one in enumerate(self.estimators_):
            p[:, k] = one.probabilities(np.column_stack([-0.5 * F[:, k], 0.5 * F[:, k]]))[:, 1]
        sums = row_sums(p)[:, None]
        uniform = np.full_like(p, 1.0 / F.shape[1])
        return np.asarray(np.divide(p, sums, out=uniform, where=sums > 0.0))

    def weights(self, state: BoostState) -> NDArray[np.float64]:
        """Return the weight of each row, averaged over the boosters."""
        own: _Side = state.own
        w = np.zeros(len(own.sample))
        for one, course, F in zip(self.estimators_, own.courses, own.parts, strict=True):
            if course.told:
                w += course.weights(one, own.round, F)[own.sample]
        w *= state.sample_weight
        return np.asarray(w / (total(w) or 1.0))

    def objective(self, state: BoostState) -> float:
        """Return the mean of the boosters' objectives after the round."""
        own: _Side = state.own
        return own.loss

    def loss_if_wrong(self, state: BoostState) -> float:
        """Return the objective divided by the sum of the boosters' bounds on the error."""
        own: _Side = state.own
        return own.loss / own.bound if own.bound > 0.0 else 0.0

    def default_weak_learner(self, n_classes: int) -> tuple[str, dict[str, Any]]:
        """Return the default weak learner of the two-class booster."""
        name, parameters = self.asking().default_weak_learner(2)
        return str(name), dict(parameters)

    def asking(self) -> Any:
        """Return an unfitted two-class booster."""
        return self._make_one(0)
