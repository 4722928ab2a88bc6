r"""RobustBoost: boosting in continuous time that gives up a preset fraction of samples by time 1.

Freund, "A more robust boosting algorithm", 2009 (arXiv:0905.2138).

==============  ==================================  ==============================
paper           here                                shape
==============  ==================================  ==============================
epsilon         ``epsilon``                         target error
theta           ``theta``                           margin goal
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
from boostbench.boosters.robustboost_step import MovingPotential, Potential, solve_step
from boostbench.boosters.state import TINY, BoostState, Step
from boostbench.declared import Positive, Share
from boostbench.portable import dot
from boostbench.registry import boosters
from boostbench.weak_learners import WeightedLabels

#: Remaining time at which training ends.
_TIME_LEFT = 1e-3


@dataclass
class Clock:
    """State of a `ClockedBooster`.

    Attributes
    ----------
    potential : Potential
        Potential Phi and weights w.
    time : float
        Time t, from 0 to 1.
    """

    potential: Potential
    time: float = 0.0


class ClockedBooster(BinaryBooster):
    """Base class of boosters in continuous time; a subclass defines `begin`."""

    paper_learner = CLASSIFIER  # Wang et al., Sec. IV

    def weights(self, state: BoostState) -> NDArray[np.float64]:
        """Return the weights w(m, t), normalised to sum to 1, or all 0."""
        own: Clock = state.own
        log_w = own.potential.log_weight(state.margins, own.time)
        return normalised_weights(state.sample_weight, log_w)

    def ask(self, state: BoostState) -> WeightedLabels | None:
        """Return labels weighted by ``w(m_i, t)``, or None if all weights are 0."""
        w = self.weights(state)
        return WeightedLabels(state.y, w, state.n_classes) if w.any() else None

    def answer(self, state: BoostState, demand: WeightedLabels, h: Any) -> Step:
        """Return the score step and the decay of the time step that solve both equations."""
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
        """Return the mean potential, which is constant until the last round."""
        own: Clock = state.own
        return dot(state.sample_weight, own.potential.value(state.margins, own.time))

    def loss_if_wrong(self, state: BoostState) -> float:
        """Return the potential of the margin 0 at the current time."""
        own: Clock = state.own
        return float(own.potential.value(np.zeros(1), own.time)[0])


@boosters.register(
    "robustboost", printed="RobustBoost", family="robust", trial={"epsilon": 0.02, "theta": 0.3}
)
class RobustBoost(ClockedBooster):
    r"""Robust boosting with a potential that approaches the 0-1 loss as time passes.

    Let :math:`m_i = y_i F(x_i)` be the margins. The potential
    :math:`\Phi(m, t) = \tfrac12 \mathrm{erfc}((m - \mu(t))/\sigma(t))` is the probability that a
    sample with margin m at time t ends with a margin below theta; see `MovingPotential` for
    :math:`\mu` and :math:`\sigma`. Each round fits a classifier h to the samples with weights
    :math:`w(m, t) = e^{-(m - \mu(t))^2/\sigma(t)^2}` and finds the steps :math:`\Delta s` in score
    and :math:`\Delta t` in time after which h has no edge and the mean potential is unchanged,

    .. math::
        m_i' = m_i e^{-\Delta t} + y_i h(x_i)\,\Delta s, \qquad
        \sum_i y_i h(x_i)\, w(m_i', t + \Delta t) = 0, \qquad
        \sum_i \Phi(m_i', t + \Delta t) = \sum_i \Phi(m_i, t) ,

    and updates :math:`F \leftarrow e^{-\Delta t} F + \Delta s\, h`, :math:`t \leftarrow t + \Delta
    t`. The initial potential is :math:`\Phi(0, 0) = \epsilon`. Training ends at t = 1, where about
    a fraction epsilon of the samples has margins below theta.

    Parameters
    ----------
    n_estimators : int, default=100
        Maximum number of rounds T, at least 1.
    weak_learner : str, dict, object or None, default=None
        None uses the C4.5 of Wang et al., limited here to depth 3. A weak learner with an error
        below epsilon ends the training after one round.
    epsilon : float, default=0.1
        Target error, in (0, 1); must be below 1/2 if theta = 0, unless `truncate` is set.
    theta : float, default=0.0
        Margin goal for all but a fraction epsilon of the samples.
    sigma_final : float, default=0.1
        Width of the potential at time 1, positive.
    truncate : bool, default=False
        If True, samples with margins below mu(t) are given up: weight 0, potential 1.

    Attributes
    ----------
    stop_reason_ : str
        May also be ``"time is up"`` or ``"no progress"``.
    time_ : float
        Time t at the end, in [0, 1].

    References
    ----------
    Freund 2009, Figs. 1-2, eqs. for mu and sigma in Sec. 5. The potential without truncation is
    the one of a common implementation; with `truncate` it is the author's.

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
        """Return a clock at time 0, with the rho of the potential."""
        potential = MovingPotential(self.epsilon, self.theta, self.sigma_final, self.truncate)
        if potential.rho <= 0.0:
            raise ValueError(
                f"epsilon={self.epsilon} is too large for theta={self.theta}: scores would have "
                f"to drift backwards (rho = {potential.rho:.3g}); lower epsilon or raise theta"
            )
        self.time_ = 0.0
        return Clock(potential)
