"""Training loop shared by the boosters.

Boosting is a game between a booster and a weak learner (Mukherjee & Schapire 2013, Sec. 2)::

    F = 0                                          # scores, n x K
    repeat T times:
        demand = booster.ask(state)                # weights, costs or targets for the weak learner
        h      = weak_learner.fit(data, demand)    # a classifier or regressor
        h      = booster.refine(state, demand, h)  # replaces leaf values in some boosters
        step   = booster.answer(state, demand, h)  # step size; may stop the training
        F      = decay * F + step * h              # decay = 1 except in RobustBoost

The module of a booster defines `ask` and `answer`; the rest is in this module and in `surface`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from copy import copy, deepcopy
from dataclasses import replace
from functools import cache, partial
from typing import Any, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray

from boostbench.boosters.ensemble import Ensemble
from boostbench.boosters.pairing import paired_learner
from boostbench.boosters.rows import CanonicalRows
from boostbench.boosters.state import BoostState, Step
from boostbench.boosters.surface import BoostingClassifier
from boostbench.portable import row_sums, total
from boostbench.weak_learners import BinaryLabels, Costs, Demand, WeightedLabels


class Booster(BoostingClassifier):
    """Base class of boosters whose model is a weighted sum of weak hypotheses.

    A subclass declares its own parameters and defines `ask`, `answer`, `objective` and
    `paper_learner` (or `default_weak_learner`).

    Attributes
    ----------
    model_ : Ensemble
        Weak hypotheses and their step sizes.
    """

    def demands(self) -> tuple[type, ...]:
        """Return the types of demand in the return annotation of `ask`."""
        return _demands_of(type(self).ask)

    @abstractmethod
    def ask(self, state: BoostState) -> Any:
        """Return the demand of this round, or None to stop because nothing is left to learn."""

    @abstractmethod
    def answer(self, state: BoostState, demand: Any, h: Any) -> Step:
        """Return the step along the weak hypothesis ``h`` fitted to ``demand``."""

    def begin(self, state: BoostState) -> Any:
        """Return the booster's own state at the start of a fit, stored as ``state.own``."""
        return None

    def refine(self, state: BoostState, demand: Any, h: Any) -> Any:
        """Return the hypothesis to add: ``h`` by default, or ``h`` with other leaf values."""
        return h

    def take(self, state: BoostState, ensemble: Ensemble, h: Any, step: Step) -> None:
        """Add a step to the scores and to the model: ``F <- decay * F + size * h``."""
        if step.decay != 1.0:
            state.scores *= step.decay
        h.add_to(state.scores, step.size)
        ensemble.add(h.trees, step.size, step.decay)

    def run_round(self, state: BoostState, fit: Callable[[Any], Any]) -> tuple[Any, Step]:
        """Return the hypothesis and the step of one round: ask, fit, refine, answer.

        ``fit`` maps a demand to a hypothesis. The hypothesis is None if `ask` returns None.
        """
        demand = self.ask(state)
        if demand is None:
            return None, Step(0.0, np.nan, stop="converged", keep=False)
        h = self.refine(state, demand, fit(demand))
        return h, self.answer(state, demand, h)

    def weights(self, state: BoostState) -> NDArray[np.float64]:
        """Return the weight of each row in the demand of the next round; see `row_weights`."""
        aside = replace(state, rng=deepcopy(state.rng), own=copy(state.own))
        return row_weights(self.ask(aside), len(state.y))

    def _rounds(
        self, state: BoostState, X: NDArray[np.float64], rows: CanonicalRows
    ) -> Iterator[Step]:
        learner = paired_learner(self, state.n_classes)
        data = rows.prepare(learner, X)
        del X, rows  # frees what the weak learner does not keep
        self.model_ = Ensemble(state.n_classes)
        state.own = self.begin(state)
        fit = partial(learner.fit, data, rng=state.learner_rng)
        self.stop_reason_ = ""
        while not self.stop_reason_:
            h, step = self.run_round(state, fit)
            self.stop_reason_ = step.stop or ("" if step.keep else "no further hypothesis")
            if step.keep:
                self.take(state, self.model_, h, step)
                yield step
            h = None  # frees the leaf index of every row and tree before the next round


@cache  # reading the annotations takes as long as a round on a small data set
def _demands_of(ask: Callable[..., Any]) -> tuple[type, ...]:
    try:
        said = get_type_hints(ask).get("return")
    except NameError:  # a plugin's annotation refers to a name that is not imported
        return ()
    return tuple(kind for kind in get_args(said) or (said,) if kind in get_args(Demand))


def with_leaf_vectors(h: Any, vectors: NDArray[np.float64]) -> Any:
    """Return ``h`` with its leaf values replaced by vectors, shape (n_leaves, K)."""
    return replace(h, trees=h.trees.with_leaf_values(vectors))


def row_weights(demand: Demand | None, n: int) -> NDArray[np.float64]:
    r"""Return the relative weight of each row in a demand.

    =================  ===================================================================
    demand             weight of a row, before normalisation
    =================  ===================================================================
    weighted labels    its weight
    binary labels      sum of ``|signed weight|`` over the columns
    costs              sum over the answers of the cost minus the row's smallest cost
    targets            sum over the columns of weight times ``|target|``
    =================  ===================================================================

    Parameters
    ----------
    demand : Demand or None
        None gives weights of 0.
    n : int
        Number of rows.

    Returns
    -------
    weights : ndarray of float64, shape (n,)
        Weights that sum to 1, or zeros if no row has influence.

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
