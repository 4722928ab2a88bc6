r"""AdaBoost.MR, and its L1-regularised form: `MDeepBoost` without the price of complexity.

Schapire & Singer 1999, Sec. 8; Kuznetsov, Mohri & Syed 2014, Sec. 4 ("multi-class AdaBoost").

AdaBoost.MR keeps a distribution D over pairs of a row and a wrong label, and for a classifier
:math:`\tilde h = 2h - 1` of values in [-1, 1] takes

.. math::
    r = \tfrac12 \sum_{iy} D_{iy} (\tilde h(x_i, y_i) - \tilde h(x_i, y)), \qquad
    \alpha = \tfrac12 \ln\frac{1+r}{1-r}, \qquad
    D_{iy} \propto D_{iy}\, e^{-\frac{\alpha}{2} (\tilde h(x_i, y_i) - \tilde h(x_i, y))} .

That is Figure 1 with :math:`r = 1 - 2\epsilon` and :math:`\Lambda = 0`.
"""

from __future__ import annotations

from typing import Any

from boostbench.boosters.mdeepboost import MDeepBoost

__all__ = ["AdaBoostMR", "AdaBoostMRL1"]


class AdaBoostMR(MDeepBoost):
    """Boosting on the ranking loss over pairs of the right and a wrong label.

    It is `MDeepBoost` with the surrogate ``"sum"``, the exponential loss and no penalty, along the
    direction of Figure 1, since AdaBoost never takes a coefficient back.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of rounds T, at least 1.
    weak_learner : str, dict, object or None, default=None
        As of `MDeepBoost`.
    leaves : {"label", "distribution"}, default="label"
        As of `MDeepBoost`.
    step : {"bound", "exact"}, default="bound"
        ``"bound"`` is AdaBoost.MR's alpha.
    reuse : bool, default=True
        Whether a tree of an earlier round is taken where it is better than the new one, as
        in the paper's experiments; False is the classical algorithm.
    random_state : int, RandomState or None, default=None
        Only a weak learner that draws at random uses it.

    Attributes
    ----------
    classes_, n_rounds_, stop_reason_, model_, coefficients_, tree_sizes_
        As of `MDeepBoost`.

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

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        weak_learner: Any = None,
        leaves: str = "label",
        step: str = "bound",
        reuse: bool = True,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            n_estimators,
            complexity_penalty=0.0,
            l1_penalty=0.0,
            weak_learner=weak_learner,
            leaves=leaves,
            direction="figure1",
            step=step,
            reuse=reuse,
            random_state=random_state,
        )


class AdaBoostMRL1(MDeepBoost):
    """`AdaBoostMR` with an L1 penalty: every tree costs the same, whatever its size.

    It is `MDeepBoost` with the surrogate ``"sum"``, the exponential loss and lambda = 0.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of rounds T, at least 1.
    l1_penalty : float, default=1e-6
        beta, not negative.
    weak_learner, leaves, direction, step, reuse, random_state
        As of `MDeepBoost`.

    Attributes
    ----------
    classes_, n_rounds_, stop_reason_, model_, coefficients_, tree_sizes_
        As of `MDeepBoost`.

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

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        l1_penalty: float = 1e-6,
        weak_learner: Any = None,
        leaves: str = "label",
        direction: str = "projected",
        step: str = "bound",
        reuse: bool = True,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            n_estimators,
            complexity_penalty=0.0,
            l1_penalty=l1_penalty,
            weak_learner=weak_learner,
            leaves=leaves,
            direction=direction,
            step=step,
            reuse=reuse,
            random_state=random_state,
        )
