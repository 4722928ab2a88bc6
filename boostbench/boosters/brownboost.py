r"""BrownBoost: boosting by majority in continuous time, with a preset total time c.

Freund, "An adaptive version of the boost by majority algorithm", Machine Learning 43, 2001.

=====================  ====================================  ==============================
paper                  here                                  shape
=====================  ====================================  ==============================
c                      ``c``
s, remaining time      ``c * (1 - own.time)``                falls from c to 0
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

from boostbench.boosters.robustboost import Clock, ClockedBooster
from boostbench.boosters.robustboost_step import BrownianPotential
from boostbench.boosters.state import BoostState
from boostbench.declared import Positive
from boostbench.portable import erfc
from boostbench.registry import boosters


@boosters.register("brownboost", printed="BrownBoost", family="robust", trial={"c": 3.0})
class BrownBoost(ClockedBooster):
    r"""Robust boosting that gives up samples with margins too negative for the remaining time.

    Let :math:`r_i = y_i F(x_i)` be the margins and s the remaining time, initially c. Each round
    fits a classifier h to the weights :math:`W_i = e^{-(r_i + s)^2/c}` and finds the step alpha
    and the time t after which h has no edge and the potential is unchanged,

    .. math::
        \sum_i y_i h(x_i)\, e^{-(r_i + \alpha y_i h(x_i) + s - t)^2/c} = 0, \qquad
        \sum_i \mathrm{erf}\frac{r_i + \alpha y_i h(x_i) + s - t}{\sqrt c}
        = \sum_i \mathrm{erf}\frac{r_i + s}{\sqrt c} ,

    and updates :math:`F \leftarrow F + \alpha h`, :math:`s \leftarrow s - t`. Training ends at
    :math:`s = 0`. By the second equation, at most a fraction :math:`1 - \mathrm{erf}(\sqrt c)` of
    the samples is then misclassified. Samples with very negative margins lose their weight.

    Parameters
    ----------
    n_estimators : int, default=100
        Maximum number of rounds T, at least 1.
    weak_learner : str, dict, object or None, default=None
        None uses C4.5, limited here to depth 3. A weak learner with an error below the fraction
        above ends the training after a few rounds.
    c : float, default=1.35
        Total time, positive. The fraction :math:`1 - \mathrm{erf}(\sqrt c)` of samples to give up
        is 0.32 for c = 0.5, 0.16 for 1, 0.10 for 1.35, 0.05 for 1.92 and 0.01 for 3.32. For large
        c the booster approaches AdaBoost.

    Attributes
    ----------
    stop_reason_ : str
        May also be ``"time is up"`` or ``"no progress"``.
    time_ : float
        Elapsed time at the end as a fraction of c, in [0, 1].

    Notes
    -----
    The two equations define the end point of the differential equation of Fig. 1 in the limit
    nu -> 0 (Sec. 3); the paper's algorithm stops before that point for nu > 0.

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
        """Return a clock at time 0."""
        self.time_ = 0.0
        return Clock(BrownianPotential(float(self.c)))

    def probabilities(self, F: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return ``(1 + erf(F/sqrt(c)))/2``, the paper's output in [0, 1], and its complement."""
        z = (F[:, 1] - F[:, 0]) / np.sqrt(self.c)
        return np.column_stack([0.5 * erfc(z), 0.5 * erfc(-z)])
