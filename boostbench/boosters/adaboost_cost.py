"""AdaBoost-Cost: AdaBoost.MM as the MCBoost paper runs it against its own boosters."""

from __future__ import annotations

from typing import Any, ClassVar

from boostbench.boosters.adaboost_mm import AdaBoostMM


class AdaBoostCost(AdaBoostMM):
    """`AdaBoostMM` with its approximate step and trees of depth 2.

    The MCBoost paper's competitor is the algorithm of Mukherjee & Schapire's conference paper, with
    the step (70) of their journal paper. With the exact step it would be GD-MCBoost.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of rounds T, at least 1; the paper's Table 2 has 50.
    weak_learner : str, dict, object or None, default=None
        None is the paper's: a cost-minimising tree of depth 2.

    Attributes
    ----------
    stop_reason_ : str
        ``"perfect weak learner"``, ``"no edge"`` or empty.

    References
    ----------
    Mukherjee & Schapire 2010; Saberian & Vasconcelos 2011, Sec. 5.3.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> AdaBoostCost(n_estimators=20).fit(X, y).score(X, y) > 0.95
    True
    """

    step: ClassVar = "approximate"  # type: ignore[misc]

    def default_weak_learner(self, n_classes: int) -> tuple[str, dict[str, Any]]:
        """Return the tree of Sec. 5.3."""
        return "tree", {"max_depth": 2}
