r"""Drifting-game ("OS") booster: the optimal strategy for a known weak-learning condition.

Mukherjee & Schapire, "A Theory of Multiclass Boosting", 2013, Secs. 5 to 7.

================  ===================================  ==============================
paper             here                                 shape
================  ===================================  ==============================
s_i(l)            ``state.scores``, votes               (n, K)
phi_t(s)          `boostbench.theory.potentials`
C_t               ``demand.cost``                      (n, K)
T                 ``n_estimators``
================  ===================================  ==============================
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval

from boostbench.boosters.adaboost_mm import votes
from boostbench.boosters.loop import Booster
from boostbench.boosters.state import BoostState, Step, softmax
from boostbench.declared import Positive
from boostbench.portable import dot, log1p, row_sums, total
from boostbench.registry import boosters
from boostbench.theory.bounds import make_potential
from boostbench.theory.layout import own_labels, true_label_first
from boostbench.theory.potentials import ExponentialPotential, Potential
from boostbench.weak_learners import Costs

Floats = NDArray[np.float64]

#: A condition violated by less than this fraction of the potential counts as met.
_MET = 1e-12

#: Zero-one potentials that differ by at most this are treated as equal.
_DECIDED = 1e-14


@dataclass
class Game:
    """State of `DriftingGame`.

    Attributes
    ----------
    potential : Potential
        Potentials phi_t.
    budget : float
        Mean potential at the start of the current round.
    """

    potential: Potential
    budget: float = 0.0


@boosters.register("drifting-game", family="drifting-games")
class DriftingGame(Booster):
    r"""Optimal boosting for a known edge: costs from the potential function of a drifting game.

    The booster plays T rounds, each with an equal vote, against a weak learner that satisfies a
    weak-learning condition with edge :math:`\gamma`. The potential :math:`\phi_t(s)` is the best
    guaranteed loss of a sample with votes s and t rounds left. With the true label as label 0, and
    :math:`e_l` a vote for label l,

    .. math::
        C_{il} = \phi_{T-t}(s_i + e_l), \qquad
        \phi_t(s) = \langle b, \phi_{t-1}(s + e_\cdot)\rangle, \qquad
        \phi_0(s) = \sum_{l>0} e^{\eta (s_l - s_0)} \ \text{or}\ 1[s_0 \le \max_{l>0} s_l],

    with the uniform baseline :math:`b_0 = (1-\gamma)/K + \gamma, b_l = (1-\gamma)/K` or, under the
    minimal condition, with the worst b of edge :math:`\gamma`. While the weak learner satisfies
    :math:`\sum_i C_{i h(x_i)} \le \sum_i \phi_{T-t+1}(s_i)`, the mean potential does not increase;
    the final loss is then at most :math:`\phi_T(0)`.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of rounds, at least 1.
    weak_learner : str, dict, object or None, default=None
        None uses the paper's greedy tree, with 12 leaves because the paper gives no size.
    gamma : float, default=0.1
        Edge of the condition, in [0, 1).
    condition : {"uniform", "minimal"}, default="uniform"
        Weak-learning condition: ``"uniform"`` is edge over random with the uniform baseline.
        ``"minimal"`` requires a table of the potentials of all states and is limited to few
        classes or few rounds.
    loss : {"exponential", "zero-one"}, default="exponential"
        Final loss :math:`\phi_0`.
    eta : float or None, default=None
        Coefficient of a vote in the exponential loss, positive; None uses ``ln(1 + gamma)``.
    on_violation : {"go on", "stop"}, default="go on"
        Action if the weak learner violates the condition: continue or stop the training.

    Attributes
    ----------
    stop_reason_ : str
        May also be ``"condition missed"``.
    bound_ : float
        :math:`\phi_T(0)`, an upper bound on the training error if all rounds met the condition.
    slack_ : list of float
        Decrease of the mean potential in each round, non-negative iff the condition was met.

    References
    ----------
    Mukherjee & Schapire 2013, (23)-(33), Theorem 13, (47)-(51).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> booster = DriftingGame(n_estimators=30, gamma=0.4).fit(X, y)
    >>> booster.score(X, y) > 0.98, round(booster.bound_, 3)
    (True, 0.113)
    """

    gamma: Annotated[float, Interval(Real, 0, 1, closed="left")] = 0.1
    condition: Literal["uniform", "minimal"] = "uniform"
    loss: Literal["exponential", "zero-one"] = "exponential"
    eta: Positive | None = None
    on_violation: Literal["go on", "stop"] = "go on"

    nested_rounds: ClassVar[bool] = False
    paper_learner = "greedy", {"max_leaf_nodes": 12}  # Sec. 10

    def begin(self, state: BoostState) -> Game:
        """Return the potentials of the game; set `bound_` and `slack_`."""
        potential = make_potential(
            state.n_classes, self.gamma, condition=self.condition, eta=self._eta()
        )
        start = np.zeros((1, state.n_classes), dtype=np.int64)
        self.bound_ = float(potential.values(start, self.n_estimators)[0])
        self.slack_: list[float] = []
        return Game(potential)

    def ask(self, state: BoostState) -> Costs | None:
        """Return ``C_il = phi_{T-t}(s_i + e_l)`` (33, 48), or None if all rows are constant."""
        n_left = self._rounds_left(state)
        if n_left == 0:
            return None
        own: Game = state.own
        states, where = self._states(state), np.arange(len(state.y))
        # computed once per distinct state, except for the cheap exponential potential
        if not isinstance(own.potential, ExponentialPotential):
            states, where = np.unique(states, axis=0, return_inverse=True)
            where = where.ravel()
        cost = own.potential.costs(states, n_left)
        if self.loss == "zero-one" and np.ptp(cost, axis=1).max() <= _DECIDED:
            return None
        own.budget = dot(state.sample_weight, own.potential.values(states, n_left)[where])
        rows = own_labels(cost[where], state.y)
        return Costs(state.sample_weight[:, None] * rows)

    def answer(self, state: BoostState, demand: Costs, h: Any) -> Step:
        """Return the step 1, with an edge of at least gamma iff h meets the condition."""
        rows, budget = np.arange(len(state.y)), state.own.budget
        slack = budget - total(demand.cost[rows, h.labels])
        least = total(demand.cost[rows, state.y])
        edge = self.gamma + (1.0 - self.gamma) * slack / (budget - least)
        if self.on_violation == "stop" and slack < -_MET * budget:
            return Step(0.0, edge, stop="condition missed", keep=False)
        self.slack_.append(slack)
        return Step(1.0, edge)

    def objective(self, state: BoostState) -> float:
        """Return the mean potential for the rounds left, which is the mean loss at the end."""
        own: Game = state.own
        values = own.potential.values(self._states(state), self._rounds_left(state))
        return dot(state.sample_weight, values)

    def loss_if_wrong(self, state: BoostState) -> float:
        """Return 1: while the condition is met, the mean potential bounds the final error."""
        return 1.0

    def edge_bound(self, edges: Sequence[float], n_classes: int) -> NDArray[np.float64] | None:
        """Return ``phi_T(0)`` if all rounds met the condition, else None."""
        met = all(edge >= self.gamma - _MET for edge in edges)
        return np.full(len(edges), self.bound_) if met else None

    def probabilities(self, F: Floats) -> Floats:
        """Return the soft-max of ``2 eta F``, or the vote shares for the zero-one loss."""
        if self.loss == "exponential":
            return softmax(2.0 * float(self._eta() or 0.0) * F)
        F = F + (row_sums(F)[:, None] == 0.0)
        shares: Floats = F / row_sums(F)[:, None]
        return shares

    def _eta(self) -> float | None:
        if self.loss == "zero-one":
            if self.eta is not None:
                raise ValueError(f"the zero-one loss has no eta, found {self.eta}")
            return None
        if self.eta is None and self.gamma == 0.0:
            raise ValueError("the exponential loss with gamma=0 needs eta")
        return float(log1p(self.gamma)) if self.eta is None else self.eta

    def _states(self, state: BoostState) -> NDArray[np.int64]:
        votes_of = true_label_first(np.rint(state.scores), state.y)
        return votes_of.astype(np.int64)

    def _rounds_left(self, state: BoostState) -> int:
        return self.n_estimators - round(votes(state))
