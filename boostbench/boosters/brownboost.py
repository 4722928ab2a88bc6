r"""BrownBoost: boosting by majority in continuous time, with a preset time to spend.

Freund, "An adaptive version of the boost by majority algorithm", Machine Learning 43, 2001.

=====================  ====================================  ==============================
paper                  here                                  shape
=====================  ====================================  ==============================
c                      ``c``
s, time left           ``c * (1 - own.time)``                falls from c to 0
r(x, y) = y F          ``state.margins``                     (n,)
W = exp(-(r + s)^2/c)  ``exp(own.potential.log_weight)``     (n,)
1 - erf((r + s)/c^.5)  ``2 * own.potential.value``           (n,)
alpha                  ``step.size``
t                      ``c * dt`` of `solve_step`
=====================  ====================================  ==============================
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boostbench.boosters.declared import Positive
from boostbench.boosters.robustboost import Clock, ClockedBooster
from boostbench.boosters.robustboost_step import BrownianPotential
from boostbench.boosters.state import BoostState
from boostbench.portable import erfc


class BrownBoost(ClockedBooster):
    r"""Boosting that gives up the samples it has no time left to win.

    With the margins :math:`r_i = y_i F(x_i)` and the time s that is left, which starts at c, each
    round fits a classifier h to the weights :math:`W_i = e^{-(r_i + s)^2/c}`, finds the step alpha
    and the time t for which h is of no more use and the potential stays as it is,

    .. math::
        \sum_i y_i h(x_i)\, e^{-(r_i + \alpha y_i h(x_i) + s - t)^2/c} = 0, \qquad
        \sum_i \mathrm{erf}\frac{r_i + \alpha y_i h(x_i) + s - t}{\sqrt c}
        = \sum_i \mathrm{erf}\frac{r_i + s}{\sqrt c} ,

    and moves: :math:`F \leftarrow F + \alpha h`, :math:`s \leftarrow s - t`. The game is over when
    no time is left; by the second equation at most a share :math:`1 - \mathrm{erf}(\sqrt c)` of
    the samples is then on the wrong side. Samples far on the wrong side lose their weight.

    Parameters
    ----------
    n_estimators : int, default=100
        Largest number of rounds T, at least 1.
    weak_learner : str, dict, object or None, default=None
        None is C4.5, here of depth 3. A learner whose error is below the share above ends the game
        in a few rounds.
    c : float, default=1.35
        Time to spend, positive. The share :math:`1 - \mathrm{erf}(\sqrt c)` of samples to give up
        is 0.32 for c = 0.5, 0.16 for 1, 0.10 for 1.35, 0.05 for 1.92, 0.01 for 3.32. The larger c,
        the more like AdaBoost.

    Attributes
    ----------
    stop_reason_ : str
        Also ``"time is up"`` and ``"no progress"``.
    time_ : float
        Share of c that is spent at the end, 0..1.

    Notes
    -----
    The two equations are the end of the path that the differential equation of Fig. 1 describes,
    for the paper's nu, which stops a step short of it, going to 0 (Sec. 3).

    References
    ----------
    Freund 2001, Fig. 1 and Sec. 3.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> booster = BrownBoost(n_estimators=50, weak_learner="stump", c=3.0).fit(X, y)
    >>> booster.score(X, y) > 0.97
    True
    """

    c: Positive = 1.35

    def begin(self, state: BoostState) -> Clock:
        """Set the clock: all of c is left."""
        self.time_ = 0.0
        return Clock(BrownianPotential(float(self.c)))

    def probabilities(self, F: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return ``(1 + erf(F/sqrt(c)))/2``, the paper's answer in [0, 1], and its complement."""
        z = (F[:, 1] - F[:, 0]) / np.sqrt(self.c)
        return np.column_stack([0.5 * erfc(z), 0.5 * erfc(-z)])
