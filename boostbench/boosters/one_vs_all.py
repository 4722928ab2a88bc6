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
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from boostbench.boosters.rows import CanonicalRows, Made
from boostbench.boosters.state import BoostState, Step
from boostbench.boosters.surface import BoostingClassifier, Training
from boostbench.models_only import models_only
from boostbench.portable import row_sums, total
from boostbench.registry import boosters
from boostbench.weak_learners import Forest


@dataclass
class Sides:
    """State of `OneVsAll`.

    Attributes
    ----------
    fits : list of Training
        Fit of each booster.
    sample : ndarray of intp, shape (n,)
        Index of one sample of each row.
    loss, bound : float
        Mean of the objectives, and sum of the bounds on the training error, or NaN.
    """

    fits: list[Training]
    sample: NDArray[np.intp]
    loss: float = np.nan
    bound: float = np.nan


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
        self, state: BoostState, X: NDArray[np.float64], rows: CanonicalRows
    ) -> Iterator[Step]:
        y = state.y[rows.row_of]  # the label of a sample of weight 0 does not matter
        targets = [1] if state.n_classes == 2 else range(state.n_classes)
        self.estimators_ = [self._make_one(int(state.learner_rng.integers(2**31))) for _ in targets]
        made: Made = []  # boosters of equal rows share the bins of the features
        state.own = own = Sides(
            [
                one._start(X, y == k, rows.sample_weight, made=made)
                for k, one in zip(targets, self.estimators_, strict=True)
            ],
            rows.representative,
        )
        del X, y, rows
        told: dict[int, tuple[float, float, float]] = {}  # boosters without any round tell nothing
        while True:
            infos = [one._next(fit) for one, fit in zip(self.estimators_, own.fits, strict=True)]
            made.clear()
            reasons = {one.stop_reason_ for one in self.estimators_}
            self.stop_reason_ = "" if "" in reasons else ", ".join(sorted(reasons))
            if not any(infos):
                return
            for k, info in enumerate(infos):
                if info is not None:
                    told[k] = (info.step.edge, info.loss, info.bound)
            edge, own.loss, bound = (row_sums(np.transpose([*told.values()])) / len(told)).tolist()
            # a misclassified sample is an error of at least one booster
            own.bound = bound * len(told) if len(told) == len(infos) else np.nan
            state.scores = self._of_samples(own)[own.sample]
            yield Step(1.0, edge)

    def _seal(self) -> None:
        for one in self.estimators_:
            one._seal()

    def _make_one(self, seed: int) -> Any:
        """Return an unfitted booster for one class."""
        if isinstance(self.booster, BoostingClassifier):
            one = clone(self.booster)
        else:
            name, parameters = boosters.named(self.booster)
            one = boosters.get(name)(**parameters)
        if not isinstance(one, BoostingClassifier):
            raise ValueError(f"booster {self.booster!r} is of another package, and has no scores")
        for name in ("early_stopping", "warm_start", "verbose"):
            if getattr(one, name, False):
                what = f"{name}={getattr(one, name)!r} is a parameter of one-vs-all"
                raise ValueError(f"{what}, not of the booster within: all end in the same round")
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

    @models_only
    def _grown(self) -> Any:
        """Return the trees of all boosters, each with the difference F of its leaves."""
        if len(self.estimators_) == 1:
            return self.estimators_[0]._grown()
        each = [one._grown() for one in self.estimators_]
        forests = []
        for k, (forest, _, _) in enumerate(each):
            value, column = forest.leaf_value, np.full(forest.n_leaves, k, dtype=np.int32)
            if forest.width > 1:
                value = value[:, 1:] - value[:, :1]
            else:
                value = value * (2.0 * forest.leaf_column[:, None] - 1.0)
            forests.append(forest.with_leaf_values(value, column))
        coefficients, rounds = (np.concatenate(part) for part in [*zip(*each, strict=True)][1:])
        return Forest.concatenate(forests), coefficients, rounds

    @models_only
    def _sum_of_trees(self) -> tuple[Forest, NDArray[np.float64]]:
        for one in self.estimators_:  # those whose scores are no sum of trees say so
            one._sum_of_trees()
        return super()._sum_of_trees()

    def _by_sign(self) -> bool:
        return len(self.estimators_) == 1 and self.estimators_[0]._by_sign()

    def _scores(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        return self._joined([one._scores(X) for one in self.estimators_])

    def _staged_scores(self, X: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
        stages = [one._staged_scores(X) for one in self.estimators_]
        return islice(self._side_by_side(stages, X), self.n_rounds_)

    def _follow(self, X: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
        yield from self._side_by_side([one._follow(X) for one in self.estimators_], X)

    def _side_by_side(
        self, stages: list[Iterator[NDArray[np.float64]]], X: NDArray[np.float64]
    ) -> Iterator[NDArray[np.float64]]:
        """Yield joint scores without end; a booster that has ended keeps its last scores."""
        parts = [np.zeros((X.shape[0], 2)) for _ in stages]
        while True:
            parts = [next(stage, part) for stage, part in zip(stages, parts, strict=True)]
            yield self._joined(parts)

    def _cut(self, n_rounds: int) -> None:
        for one in self.estimators_:
            if one.n_rounds_ > n_rounds:
                one._cut(n_rounds)
        self.n_rounds_ = n_rounds

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

    def _training_scores(self, training: Training) -> tuple[NDArray[np.float64], Any]:
        return self._of_samples(training.state.own), slice(None)

    def _of_samples(self, own: Sides) -> NDArray[np.float64]:
        """Return the scores of all training samples."""
        each = zip(self.estimators_, own.fits, strict=True)
        parts = [one._training_scores(fit) for one, fit in each]
        return self._joined([F[of_sample] for F, of_sample in parts])

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
        own: Sides = state.own
        w = np.zeros(len(own.sample))
        for one, fit in zip(self.estimators_, own.fits, strict=True):
            if one.n_rounds_:
                per_weight = one.weights(fit.state) / fit.state.sample_weight
                w += per_weight[fit.row_of[own.sample]]
        w *= state.sample_weight
        return np.asarray(w / (total(w) or 1.0))

    def objective(self, state: BoostState) -> float:
        """Return the mean of the boosters' objectives after the round."""
        own: Sides = state.own
        return own.loss

    def loss_if_wrong(self, state: BoostState) -> float:
        """Return the objective divided by the sum of the boosters' bounds on the error."""
        own: Sides = state.own
        return own.loss / own.bound if own.bound > 0.0 else 0.0

    def default_weak_learner(self, n_classes: int) -> tuple[str, dict[str, Any]]:
        """Return the default weak learner of the two-class booster."""
        name, parameters = self.asking().default_weak_learner(2)
        return str(name), dict(parameters)

    def asking(self) -> Any:
        """Return an unfitted two-class booster."""
        return self._make_one(0)
