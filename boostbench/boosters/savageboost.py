r"""SavageBoost: boosting of class-probability trees under a bounded loss.

Masnadi-Shirazi & Vasconcelos, "On the design of loss functions for classification", NIPS 2008;
Wang et al., "SPLBoost", Sec. II-A.

==============  ==================================  ==============================
paper           here                                shape
==============  ==================================  ==============================
phi(v)          `boostbench.boosters.losses.SAVAGE`
F               ``F[:, 1] - F[:, 0]``               (n,)
w               ``demand.weight``                   (n,), sums to 1
G(x)            ``answers(h)``                      (n,)
==============  ==================================  ==============================
"""

from __future__ import annotations

from typing import ClassVar

from boostbench.boosters.losses import SAVAGE, MarginLoss
from boostbench.boosters.real_adaboost import RealAdaBoost


class SavageBoost(RealAdaBoost):
    r"""Real AdaBoost with the weights of the Savage loss :math:`\phi(m) = (1 + e^{2m})^{-2}`.

    The weights :math:`w_i \propto -\phi'(m_i) \propto e^{2m_i} / (1 + e^{2m_i})^3` fall again for
    samples that are far on the wrong side. The minimiser of the conditional risk
    :math:`\eta\,\phi(F + G) + (1 - \eta)\,\phi(-F - G)` over G is

    .. math::
        G(x) = \tfrac12 \ln\frac{P_w(y = 1 \mid x)}{P_w(y = -1 \mid x)}, \qquad F \leftarrow F + G ,

    because the weights at x of the two labels have the ratio :math:`e^{-2F(x)}`.

    Parameters
    ----------
    weak_learner : str, dict, object or None, default=None
        None is C4.5 of depth 3; must be a tree, of which the partition is used.
    smoothing : float or None, default=None
        Added to the weight of each class in a leaf, as a fraction of all weight, not negative;
        None is 1/(2 n_samples). The steps of pure leaves are huge and the loss is flat there, so
        a larger value, such as 0.05, may be better.
    max_answer : float or None, default=None
        Largest ``|G(x)|``, positive; None for no limit.

    Attributes
    ----------
    stop_reason_ : str
        ``"converged"`` when all answers are 0, or empty.

    References
    ----------
    Masnadi-Shirazi & Vasconcelos 2008, Sec. 4.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> booster = SavageBoost(n_estimators=30, weak_learner="stump", smoothing=0.05)
    >>> booster.fit(X, y).score(X, y) > 0.97
    True
    """

    loss: ClassVar[MarginLoss] = SAVAGE
