"""The loop that the boosters share.

Boosting is a game between a booster and a weak learner (Mukherjee & Schapire 2013, Sec. 2)::

    F = 0                                          # scores, n x K
    repeat T times:
        demand = booster.ask(state)                # what should the weak learner be good at?
        h      = weak_learner.fit(data, demand)    # a classifier or regressor
        h      = booster.refine(state, demand, h)  # other values in the leaves? seldom
        step   = booster.answer(state, demand, h)  # how far to go; may stop
        F      = decay * F + step * h              # decay = 1, but for RobustBoost

A booster's own module holds its `ask` and its `answer`; everything else is here and in `surface`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from copy import copy, deepcopy
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray

from boostbench.boosters.ensemble import Ensemble
from boostbench.boosters.rows import CanonicalRows
from boostbench.boosters.state import BoostState, Step
from boostbench.boosters.surface import BoostingClassifier
from boostbench.portable import row_sums, total
from boostbench.weak_learners import (
    BinaryLabels,
    Costs,
    Demand,
    Forest,
    WeightedLabels,
    make_weak_learner,
)


class Booster(BoostingClassifier):
    """Base class of the boosters that add up weak hypotheses.

    A subclass declares its own parameters, and defines `ask`, `answer`, `objective` and
    `paper_learner` (or `default_weak_learner`).

    Attributes
    ----------
    model_ : Ensemble
        The weak hypotheses and their steps.
    needs_tree_per_question : bool
        True if one tree that answers for all classes is of no use.
    """

    needs_tree_per_question: ClassVar[bool] = False

    def demands(self) -> tuple[type, ...]:
        """Return the demands that `ask` may return, as its annotation says."""
        try:
            said = get_type_hints(type(self).ask).get("return")
        except NameError:  # an annotation of somebody's that names what is not imported
            return ()
        return tuple(kind for kind in get_args(said) or (said,) if kind in get_args(Demand))

    @abstractmethod
    def ask(self, state: BoostState) -> Any:
        """Return the demand of this round, or None when there is nothing left to learn."""

    @abstractmethod
    def answer(self, state: BoostState, demand: Any, h: Any) -> Step:
        """Return the step along the weak hypothesis ``h`` that was fitted to ``demand``."""

    def begin(self, state: BoostState) -> Any:
        """Return what the booster computes once per fit, which becomes ``state.own``."""
        return None

    def refine(self, state: BoostState, demand: Any, h: Any) -> Any:
        """Return the hypothesis to add, for example ``h`` with other leaf values; ``h`` here."""
        return h

    def take(self, state: BoostState, ensemble: Ensemble, h: Any, step: Step) -> None:
        """Add a step to the scores and to the model: ``F <- decay * F + size * h``."""
        if step.decay != 1.0:
            state.scores *= step.decay
        h.add_to(state.scores, step.size)
        ensemble.add(h.trees, step.size, step.decay)

    def run_round(self, state: BoostState, fit: Callable[[Any], Any]) -> tuple[Any, Step]:
        """Return the hypothesis and the step of one round: ask, fit, refine, answer.

        ``fit`` makes a hypothesis of a demand. The hypothesis is None if there was nothing to ask.
        """
        demand = self.ask(state)
        if demand is None:
            return None, Step(0.0, np.nan, stop="converged", keep=False)
        h = self.refine(state, demand, fit(demand))
        return h, self.answer(state, demand, h)

    def weights(self, state: BoostState) -> NDArray[np.float64]:
        """Return what the next round's demand puts on each row; see `row_weights`."""
        aside = replace(state, rng=deepcopy(state.rng), own=copy(state.own))
        return row_weights(self.ask(aside), len(state.y))

    def _rounds(
        self,
        state: BoostState,
        X: NDArray[np.float64],
        rows: CanonicalRows,
        rng: np.random.Generator,
    ) -> Iterator[Step]:
        learner = make_weak_learner(self.weak_learner, self.default_weak_learner(state.n_classes))
        if self.needs_tree_per_question and getattr(learner, "joins_questions", False):
            name = type(self).__name__
            raise ValueError(f"{name} trains a tree for each class; {learner!r} joins them")
        data = learner.prepare(X, rows.representative, rows.count)
        ensemble = Ensemble(state.n_classes)
        state.own = self.begin(state)
        fit = partial(self._fit_learner, learner, data, rng)
        self.stop_reason_ = ""
        for _ in range(self.n_estimators):
            h, step = self.run_round(state, fit)
            self.stop_reason_ = step.stop
            if step.keep:
                self.take(state, ensemble, h, step)
                yield step
            h = None  # a leaf per row and tree, which the next round has no use for
            if step.stop:
                break
        self.model_ = ensemble.seal()

    def _fit_learner(self, learner: Any, data: Any, rng: np.random.Generator, demand: Any) -> Any:
        if not isinstance(demand, learner.accepts):
            met = " or ".join(kind.__name__ for kind in learner.accepts)
            raise ValueError(
                f"weak learner {learner!r} cannot meet {type(demand).__name__}, which "
                f"{type(self).__name__} asks for; it meets {met}"
            )
        return learner.fit(data, demand, rng)

    def _scores(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.model_.scores(X)

    def _staged_scores(self, X: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
        return self.model_.staged_scores(X)


def with_leaf_vectors(h: Any, vectors: NDArray[np.float64]) -> Any:
    """Return a hypothesis with the same trees whose leaves add vectors, shape (n_leaves, K)."""
    trees = h.trees
    if not isinstance(trees, Forest):
        raise ValueError(f"the leaves of a tree are to be given vectors; {trees!r} has none")
    return replace(h, trees=trees.with_leaf_values(vectors))


def row_weights(demand: Demand | None, n: int) -> NDArray[np.float64]:
    r"""Return the share of each row in a demand.

    =================  ===================================================================
    weighted labels    the weight
    binary labels      the sum of the magnitudes over all questions
    costs              the sum over all answers of their cost above the row's cheapest one
    targets            weight times ``|target|``: the gradient of a regression's loss
    =================  ===================================================================

    Parameters
    ----------
    demand : Demand or None
        None asks nothing.
    n : int
        Number of rows.

    Returns
    -------
    weights : ndarray of float64, shape (n,)
        They sum to 1, or all are 0 when no row has influence.

    Examples
    --------
    >>> row_weights(Costs(np.array([[-1.0, 0.5, 0.5], [2.0, 2.0, 3.0]])), 2).tolist()
    [0.75, 0.25]
    """
    if demand is None:
        return np.zeros(n)
    if isinstance(demand, WeightedLabels):
        w = demand.weight
    elif isinstance(demand, BinaryLabels):
        w = row_sums(np.abs(demand.signed_weight))
    elif isinstance(demand, Costs):
        w = row_sums(demand.cost - demand.cost.min(axis=1, keepdims=True))
    else:
        w = row_sums(demand.weight * np.abs(demand.target))
    size = total(w)
    return w / size if size > 0.0 else np.zeros(n)
