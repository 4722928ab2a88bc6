r"""The drifting-game ("OS") booster: the optimal strategy for a known weak-learning condition.

Mukherjee & Schapire, "A Theory of Multiclass Boosting", 2013, Sec. 3 to 6.

================  ===================================  ==============================
paper             here                                 shape
================  ===================================  ==============================
s_i(l)            ``state.scores``, votes               (n, K)
phi_t(s)          `boostbench.theory.potentials`
C_t               ``demand.cost``                      (n, K)
T                 ``horizon``
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
from boostbench.boosters.declared import Count, Positive
from boostbench.boosters.loop import Booster
from boostbench.boosters.state import BoostState, Step, softmax
from boostbench.portable import dot, row_sums, total
from boostbench.theory.bounds import default_eta, make_potential
from boostbench.theory.layout import own_labels, true_label_first
from boostbench.theory.potentials import ExponentialPotential, Potential
from boostbench.weak_learners import Costs

Floats = NDArray[np.float64]

#: A condition missed by less than this share of the potential is taken to be met.
_MET = 1e-12

#: Zero-one potentials this near to each other are the same but for rounding.
_DECIDED = 1e-14


@dataclass
class Game:
    """State of `DriftingGame`.

    Attributes
    ----------
    potential : Potential
        phi_t.
    horizon : int
        T.
    budget : float
        Mean potential before the round that is under way.
    """

    potential: Potential
    horizon: int
    budget: float = 0.0


class DriftingGame(Booster):
    r"""Boosting by potentials: the costs say what each answer makes of the final loss.

    A weak learner that satisfies the condition with edge :math:`\gamma` is played T rounds of equal
    votes. :math:`\phi_t(s)` is the loss that can be guaranteed for a sample with votes s and t
    rounds left; the true label is label 0 here:

    .. math::
        C_{il} = \phi_{T-t}(s_i + e_l), \qquad
        \phi_t(s) = \langle b, \phi_{t-1}(s + e_\cdot)\rangle, \qquad
        \phi_0(s) = \sum_{l>0} e^{\eta (s_l - s_0)} \ \text{or}\ 1[s_0 \le \max_{l>0} s_l],

    with the uniform baseline :math:`b_0 = (1-\gamma)/K + \gamma, b_l = (1-\gamma)/K`, or under the
    minimal condition with the worst b of edge :math:`\gamma`. As long as the weak learner meets
    :math:`\sum_i C_{i h(x_i)} \le \sum_i \phi_{T-t+1}(s_i)` the mean potential does not rise, so
    that the final loss is at most :math:`\phi_T(0)`.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of rounds, at least 1.
    weak_learner : str, dict, object or None, default=None
        None is the paper's greedy tree; it names no size, which is 12 leaves here.
    gamma : float, default=0.1
        Edge of the condition, in [0, 1).
    condition : {"uniform", "minimal"}, default="uniform"
        Edge over random with the uniform baseline, or the minimal condition, whose potentials need
        a table of all states: few classes or few rounds.
    loss : {"exponential", "zero-one"}, default="exponential"
    eta : float or None, default=None
        Weight of a vote in the exponential loss, positive; None is ``ln(1 + gamma)``.
    horizon : int or None, default=None
        Length T of the state, at least `n_estimators`, which is taken for None. With the zero-one
        loss or the minimal condition the costs depend on the rounds left: after t < T rounds the
        model is not that of a game of t rounds.
    on_violation : {"go on", "stop"}, default="go on"
        Reaction to a weak learner that misses the condition.

    Attributes
    ----------
    stop_reason_ : str
        Also ``"condition missed"``.
    bound_ : float
        :math:`\phi_T(0)`, which bounds the training error if every round met the condition.
    slack_ : list of float
        Of each round, by how much the mean potential fell: not negative iff the condition was met.

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
    horizon: Count | None = None
    on_violation: Literal["go on", "stop"] = "go on"

    nested_rounds: ClassVar[bool] = False
    paper_learner = "greedy", {"max_leaf_nodes": 12}  # Sec. 9

    def begin(self, state: BoostState) -> Game:
        """Prepare the potentials."""
        horizon = self.n_estimators if self.horizon is None else self.horizon
        if horizon < self.n_estimators:
            raise ValueError(
                f"horizon must be at least n_estimators ({self.n_estimators}), found {horizon}"
            )
        potential = make_potential(
            state.n_classes, self.gamma, condition=self.condition, eta=self._eta()
        )
        start = np.zeros((1, state.n_classes), dtype=np.int64)
        self.bound_ = float(potential.values(start, horizon)[0])
        self.slack_: list[float] = []
        return Game(potential, horizon)

    def ask(self, state: BoostState) -> Costs | None:
        """Return ``C_il = phi_{T-t}(s_i + e_l)`` (33, 48), or None if no answer matters."""
        n_left = self._rounds_left(state)
        if n_left == 0:
            return None
        own: Game = state.own
        states, where = self._states(state), np.arange(len(state.y))
        if not isinstance(own.potential, ExponentialPotential):  # costly: once for equal states
            states, where = np.unique(states, axis=0, return_inverse=True)
            where = where.ravel()
        cost = own.potential.costs(states, n_left)
        if self.loss == "zero-one" and np.ptp(cost, axis=1).max() <= _DECIDED:
            return None
        own.budget = dot(state.sample_weight, own.potential.values(states, n_left)[where])
        rows = own_labels(cost[where], state.y)
        return Costs(state.sample_weight[:, None] * rows)

    def answer(self, state: BoostState, demand: Costs, h: Any) -> Step:
        """Return the step 1; the edge is at least gamma iff h meets the condition."""
        rows = np.arange(len(state.y))
        own: Game = state.own
        budget = own.budget
        slack = budget - total(demand.cost[rows, h.labels])
        least = total(demand.cost[rows, state.y])
        edge = self.gamma + (1.0 - self.gamma) * slack / (budget - least)
        met = slack >= -_MET * budget
        if not met and self.on_violation == "stop":
            return Step(0.0, edge, stop="condition missed", keep=False)
        self.slack_.append(slack)
        return Step(1.0, edge)

    def objective(self, state: BoostState) -> float:
        """Return the mean potential with the rounds that are left; at the end, the mean loss."""
        own: Game = state.own
        values = own.potential.values(self._states(state), self._rounds_left(state))
        return dot(state.sample_weight, values)

    def loss_if_wrong(self, state: BoostState) -> float:
        """Return 1: while the condition is met, the mean potential bounds the error at the end."""
        return 1.0

    def edge_bound(self, edges: Sequence[float], n_classes: int) -> NDArray[np.float64] | None:
        """Return ``phi_T(0)``, if every round met the condition."""
        met = all(edge >= self.gamma - _MET for edge in edges)
        return np.full(len(edges), self.bound_) if met else None

    def probabilities(self, F: Floats) -> Floats:
        """Return soft-max of ``2 eta F``, or for the zero-one loss the shares of the votes."""
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
        return default_eta(self.gamma) if self.eta is None else self.eta

    def _states(self, state: BoostState) -> NDArray[np.int64]:
        votes_of = true_label_first(np.rint(state.scores), state.y)
        return votes_of.astype(np.int64)

    def _rounds_left(self, state: BoostState) -> int:
        own: Game = state.own
        return own.horizon - round(votes(state))
