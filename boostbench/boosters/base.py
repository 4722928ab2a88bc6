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
from copy import deepcopy
from dataclasses import replace
from functools import partial
from typing import Any, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray

from boostbench.boosters.ensemble import Ensemble
from boostbench.boosters.row_weights import row_weights
from boostbench.boosters.rows import CanonicalRows
from boostbench.boosters.state import BoostState, Step
from boostbench.boosters.surface import BoostingClassifier, OnRound, RoundInfo
from boostbench.weak_learners import Demand, make_weak_learner


class Booster(BoostingClassifier):
    """Base class of the boosters that add up weak hypotheses.

    A subclass adds its own parameters in ``__init__`` and their ranges in
    `_parameter_constraints`, and defines `ask`, `answer`, `objective` and
    `default_weak_learner`.

    Attributes
    ----------
    model_ : Ensemble
        The weak hypotheses and their steps.
    """

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

    def begin(self, state: BoostState) -> None:
        """Prepare a fit, for example by filling ``state.memo``; nothing by default."""

    def refine(self, state: BoostState, demand: Any, h: Any) -> Any:
        """Return the hypothesis to add, for example ``h`` with other leaf values; ``h`` here."""
        return h

    def run_round(self, state: BoostState, fit: Callable[[Any], Any]) -> tuple[Any, Step]:
        """Play one round: ask, let the weak learner fit, refine, answer.

        Parameters
        ----------
        state : BoostState
        fit : callable
            From a demand to the weak learner's hypothesis.

        Returns
        -------
        h : Hypothesis or None
            None if there was nothing to ask.
        step : Step
        """
        demand = self.ask(state)
        if demand is None:
            return None, Step(0.0, np.nan, stop="converged", keep=False)
        h = self.refine(state, demand, fit(demand))
        return h, self.answer(state, demand, h)

    def weights(self, state: BoostState) -> NDArray[np.float64]:
        """Return what the next round's demand puts on each row; see `row_weights`."""
        aside = replace(state, rng=deepcopy(state.rng), memo=dict(state.memo))
        return row_weights(self.ask(aside), len(state.y))

    def _train(
        self,
        state: BoostState,
        X: NDArray[np.float64],
        rows: CanonicalRows,
        rng: np.random.Generator,
        on_round: OnRound,
    ) -> None:
        learner = make_weak_learner(self.weak_learner, self.default_weak_learner(state.n_classes))
        data = learner.prepare(X, rows.representative, rows.count)
        ensemble = Ensemble(state.n_classes)
        stop = ""
        self.begin(state)
        fit = partial(self._fit_learner, learner, data, rng)
        for t in range(1, self.n_estimators + 1):
            h, step = self.run_round(state, fit)
            if step.keep:
                if step.decay != 1.0:
                    state.scores *= step.decay
                h.add_to(state.scores, step.size)
                ensemble.add(h.trees, step.size, step.decay)
                on_round(RoundInfo(t, rows.row_of, step, state, self))
            h = None  # a leaf per row and tree, which the next round has no use for
            stop = step.stop
            if stop:
                break
        self.model_ = ensemble.seal()
        self.n_rounds_ = ensemble.n_rounds
        self.stop_reason_ = stop

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
