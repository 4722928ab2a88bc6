r"""RobustBoost: a boosting game that ends at time 1 with a preset share of samples given up.

Freund, "A more robust boosting algorithm", 2009 (arXiv:0905.2138).

==============  ==================================  ==============================
paper           here                                shape
==============  ==================================  ==============================
epsilon         ``epsilon``                         target error
theta           ``theta``                           margin to reach
sigma_f         ``sigma_final``
t               ``own.time``                        rises from 0 to 1
m = y F         ``state.margins``                   (n,)
mu, sigma       ``own.potential.mu``, ``.sigma``
Phi(m, t)       ``own.potential.value``             (n,)
w(m, t)         ``exp(own.potential.log_weight)``   (n,)
Delta s         ``step.size``
Delta t         ``dt``; ``step.decay`` is exp(-dt)
==============  ==================================  ==============================
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval

from boostbench.boosters.binary import (
    CLASSIFIER,
    BinaryBooster,
    answers,
    normalised_weights,
)
from boostbench.boosters.declared import Positive, Share
from boostbench.boosters.robustboost_step import MovingPotential, Potential, solve_step
from boostbench.boosters.state import TINY, BoostState, Step
from boostbench.portable import dot
from boostbench.weak_learners import WeightedLabels

#: Time left at which the game is over.
_TIME_LEFT = 1e-3


@dataclass
class Clock:
    """State of a `ClockedBooster`.

    Attributes
    ----------
    potential : Potential
    time : float
        t, from 0 to 1.
    """

    potential: Potential
    time: float = 0.0


class ClockedBooster(BinaryBooster):
    """Base of the boosters that play against a clock; a subclass defines `begin`."""

    paper_learner = CLASSIFIER  # Wang et al., Sec. IV

    def weights(self, state: BoostState) -> NDArray[np.float64]:
        """Return the weights w(m, t), which sum to 1, or all are 0."""
        own: Clock = state.own
        log_w = own.potential.log_weight(state.margins, own.time)
        return normalised_weights(state.sample_weight, log_w)

    def ask(self, state: BoostState) -> WeightedLabels | None:
        """Return labels weighted by ``w(m_i, t)``, or None if all are given up."""
        w = self.weights(state)
        return WeightedLabels(state.y, w, state.n_classes) if w.any() else None

    def answer(self, state: BoostState, demand: WeightedLabels, h: Any) -> Step:
        """Return the step in score, and the decay of that in time, which solve both equations."""
        u = state.signed_labels * answers(h)
        edge = dot(demand.weight, u)
        if edge <= TINY:
            return Step(0.0, edge, stop="no edge", keep=False)
        own: Clock = state.own
        ds, dt = solve_step(own.potential, state.margins, u, state.sample_weight, own.time)
        if ds < TINY and dt < TINY:
            return Step(0.0, edge, stop="no progress", keep=False)
        self.time_ = own.time = min(own.time + dt, 1.0)
        stop = "time is up" if 1.0 - self.time_ < _TIME_LEFT else ""
        return Step(ds, edge, stop=stop, decay=own.potential.decay(dt))

    def objective(self, state: BoostState) -> float:
        """Return the mean potential, which stays as it is until the last round."""
        own: Clock = state.own
        return dot(state.sample_weight, own.potential.value(state.margins, own.time))

    def loss_if_wrong(self, state: BoostState) -> float:
        """Return the potential of the margin 0 at this time."""
        own: Clock = state.own
        return float(own.potential.value(np.zeros(1), own.time)[0])


class RobustBoost(ClockedBooster):
    r"""Boosting in which margins decay, and whose loss moves with time towards the 0-1 loss.

    With the margins :math:`m_i = y_i F(x_i)` and the weights
    :math:`w(m, t) = e^{-(m - \mu(t))^2/\sigma(t)^2}` each round fits a classifier h, finds the
    step in score and in time for which h is of no more use and the mean potential stays as it is,

    .. math::
        m_i' = m_i e^{-\Delta t} + y_i h(x_i)\,\Delta s, \qquad
        \sum_i y_i h(x_i)\, w(m_i', t + \Delta t) = 0, \qquad
        \sum_i \Phi(m_i', t + \Delta t) = \sum_i \Phi(m_i, t) ,

    and moves: :math:`F \leftarrow e^{-\Delta t} F + \Delta s\, h`, :math:`t \leftarrow t + \Delta
    t`. The game starts at :math:`\Phi(0, 0) = \epsilon` and is over at t = 1, where about a share
    epsilon of the samples has margins below theta.

    Parameters
    ----------
    n_estimators : int, default=100
        Largest number of rounds T, at least 1.
    weak_learner : str, dict, object or None, default=None
        None is the paper's C4.5, here of depth 3. A learner whose error is below epsilon ends the
        game in one round.
    epsilon : float, default=0.1
        Target error, in (0, 1); with theta = 0, below 1/2.
    theta : float, default=0.0
        Margin that all but epsilon of the samples shall reach.
    sigma_final : float, default=0.1
        Spread of the potential at time 1, positive.
    truncate : bool, default=False
        True gives up samples below mu(t) altogether (weight 0, potential 1).

    Attributes
    ----------
    stop_reason_ : str
        Also ``"time is up"`` and ``"no progress"``.
    time_ : float
        Time t at the end, 0..1.

    References
    ----------
    Freund 2009, Figs. 1-2, eqs. for mu and sigma in Sec. 5. The untruncated potential is that of a
    common implementation; with `truncate` it is the author's.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> booster = RobustBoost(n_estimators=50, weak_learner="stump", epsilon=0.02, theta=0.3)
    >>> booster.fit(X, y).score(X, y) > 0.95
    True
    """

    epsilon: Share = 0.1
    theta: Annotated[float, Interval(Real, None, None, closed="neither")] = 0.0
    sigma_final: Positive = 0.1
    truncate: bool = False

    def begin(self, state: BoostState) -> Clock:
        """Set the clock to 0 and find rho."""
        potential = MovingPotential(self.epsilon, self.theta, self.sigma_final, self.truncate)
        if potential.rho <= 0.0:
            raise ValueError(
                f"epsilon={self.epsilon} is too large for theta={self.theta}: scores would have "
                f"to drift backwards (rho = {potential.rho:.3g}); lower epsilon or raise theta"
            )
        self.time_ = 0.0
        return Clock(potential)
