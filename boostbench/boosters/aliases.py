r"""Special cases of `MDeepBoost` with fixed parameters.

Kuznetsov, Mohri & Syed 2014, Sec. 4, compare their algorithm with four special cases without the
complexity penalty (lambda = 0).

AdaBoost.MR (Schapire & Singer 1999, Sec. 8) maintains a distribution D over pairs of a row and a
wrong label. For a classifier :math:`\tilde h = 2h - 1` with values in [-1, 1] it computes

.. math::
    r = \tfrac12 \sum_{iy} D_{iy} (\tilde h(x_i, y_i) - \tilde h(x_i, y)), \qquad
    \alpha = \tfrac12 \ln\frac{1+r}{1-r}, \qquad
    D_{iy} \propto D_{iy}\, e^{-\frac{\alpha}{2} (\tilde h(x_i, y_i) - \tilde h(x_i, y))} .

This is Figure 1 with :math:`r = 1 - 2\epsilon` and :math:`\Lambda = 0`.

In additive logistic regression the loss of row i is
:math:`\log_2(1 + \sum_{y \ne y_i} e^{V_{iy}})` with :math:`V_{iy} = 1 - (F_{iy_i} - F_{iy})`. With
the offset 0 in place of the 1 in V, the loss is :math:`-\log_2 \mathrm{softmax}(F_i)_{y_i}`.
"""

from __future__ import annotations

from boostbench.boosters.mdeepboost import MDeepBoost
from boostbench.boosters.surface import BoostingClassifier
from boostbench.registry import boosters

_OWN = (*BoostingClassifier._parameter_constraints, "leaves", "step", "reuse")


@boosters.register("adaboost-mr", printed="AdaBoost.MR", family="deep-boosting")
class AdaBoostMR(MDeepBoost, takes=_OWN):
    """Boosting on the ranking loss over pairs of the right and a wrong label.

    The surrogate is ``"sum"``, the loss exponential; there is no penalty. With ``reuse=False`` it
    is the classical algorithm; the paper's experiments take an earlier tree where it is better.

    References
    ----------
    Schapire & Singer 1999, Sec. 8; Kuznetsov, Mohri & Syed 2014, Sec. 4.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> AdaBoostMR(n_estimators=20).fit(X, y).score(X, y)
    1.0
    """

    complexity_penalty = 0.0
    l1_penalty = 0.0
    direction = "figure1"  # the classical algorithm never shrinks a coefficient


@boosters.register("adaboost-mr-l1", printed="AdaBoost.MR-L1", family="deep-boosting")
class AdaBoostMRL1(MDeepBoost, takes=(*_OWN, "direction", "l1_penalty")):
    """`AdaBoostMR` with an L1 penalty: every tree costs the same, whatever its size.

    References
    ----------
    Kuznetsov, Mohri & Syed 2014, Sec. 4; Rätsch, Mika & Warmuth 2001.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> AdaBoostMRL1(n_estimators=20, l1_penalty=0.01).fit(X, y).score(X, y) > 0.98
    True
    """

    complexity_penalty = 0.0


@boosters.register("additive-logistic", printed="Additive Logistic", family="deep-boosting")
class AdditiveLogistic(MDeepBoost, takes=(*_OWN, "offset")):
    """Multinomial logistic regression on trees, one coordinate a round.

    The surrogate is ``"comp-sum"``, with ``offset=0`` the textbook loss; there is no penalty.

    References
    ----------
    Kuznetsov, Mohri & Syed 2014, Sec. 4.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> AdditiveLogistic(n_estimators=20).fit(X, y).score(X, y)
    1.0
    """

    complexity_penalty = 0.0
    l1_penalty = 0.0
    direction = "figure1"
    surrogate = "comp-sum"


@boosters.register("additive-logistic-l1", printed="Additive Logistic-L1", family="deep-boosting")
class AdditiveLogisticL1(MDeepBoost, takes=(*_OWN, "direction", "l1_penalty", "offset")):
    """`AdditiveLogistic` with an L1 penalty: every tree costs the same, whatever its size.

    References
    ----------
    Kuznetsov, Mohri & Syed 2014, Sec. 4.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> AdditiveLogisticL1(n_estimators=20, l1_penalty=0.01).fit(X, y).score(X, y) > 0.98
    True
    """

    complexity_penalty = 0.0
    surrogate = "comp-sum"
