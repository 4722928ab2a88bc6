r"""Additive multinomial logistic regression: `MDeepBoost` of the comp-sum without complexity.

Kuznetsov, Mohri & Syed 2014, Sec. 4. With :math:`V_{iy} = 1 - (F_{iy_i} - F_{iy})` the loss of row
i is :math:`\log_2(1 + \sum_{y \ne y_i} e^{V_{iy}})`; with offset 0 in place of the 1 it is
:math:`-\log_2 \mathrm{softmax}(F_i)_{y_i}`.
"""

from __future__ import annotations

from typing import Any

from boostbench.boosters.mdeepboost import MDeepBoost

__all__ = ["AdditiveLogistic", "AdditiveLogisticL1"]


class AdditiveLogistic(MDeepBoost):
    """Multinomial logistic regression on trees, one coordinate a round.

    It is `MDeepBoost` with the surrogate ``"comp-sum"`` and no penalty, along the direction of
    Figure 1.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of rounds T, at least 1.
    weak_learner, leaves, step, reuse, random_state
        As of `MDeepBoost`.
    offset : float, default=1.0
        1 as the paper's comp-sum; 0 is the textbook loss.

    Attributes
    ----------
    classes_, n_rounds_, stop_reason_, model_, coefficients_, tree_sizes_
        As of `MDeepBoost`.

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

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        weak_learner: Any = None,
        leaves: str = "label",
        step: str = "bound",
        reuse: bool = True,
        offset: float = 1.0,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            n_estimators,
            surrogate="comp-sum",
            complexity_penalty=0.0,
            l1_penalty=0.0,
            weak_learner=weak_learner,
            leaves=leaves,
            direction="figure1",
            step=step,
            reuse=reuse,
            offset=offset,
            random_state=random_state,
        )


class AdditiveLogisticL1(MDeepBoost):
    """`AdditiveLogistic` with an L1 penalty: every tree costs the same, whatever its size.

    It is `MDeepBoost` with the surrogate ``"comp-sum"`` and lambda = 0.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of rounds T, at least 1.
    l1_penalty : float, default=1e-6
        beta, not negative.
    weak_learner, leaves, direction, step, reuse, offset, random_state
        As of `MDeepBoost`.

    Attributes
    ----------
    classes_, n_rounds_, stop_reason_, model_, coefficients_, tree_sizes_
        As of `MDeepBoost`.

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
        offset: float = 1.0,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            n_estimators,
            surrogate="comp-sum",
            complexity_penalty=0.0,
            l1_penalty=l1_penalty,
            weak_learner=weak_learner,
            leaves=leaves,
            direction=direction,
            step=step,
            reuse=reuse,
            offset=offset,
            random_state=random_state,
        )
