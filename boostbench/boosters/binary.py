r"""Common parts of the boosters for two classes: labels -1 and +1, margins, weights, leaf values.

=========  ============================================  =========
paper      here                                          shape
=========  ============================================  =========
y          ``state.signed_labels``                        (n,)
F          ``F[:, 1] - F[:, 0]`` of ``state.scores``     (n,)
m = y F    ``state.margins``                              (n,)
w          ``booster.weights(state)``, sums to 1          (n,)
f          ``answers(h)``                                 (n,)
=========  ============================================  =========

`decision_function` returns the paper's F. A weak classifier adds its step to the score of the
predicted class; a regression f adds -f/2 and f/2 to the two scores.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from boostbench.boosters.loop import Booster, with_leaf_vectors
from boostbench.boosters.losses import MarginLoss
from boostbench.boosters.state import BoostState, Step
from boostbench.boosters.surface import BoostingClassifier
from boostbench.portable import dot, exp, logistic, total
from boostbench.weak_learners import LEAVES, Targets

#: The papers' C4.5. Wang et al. give no size; a deep tree fits the wrong labels in one round.
CLASSIFIER: tuple[str, dict[str, Any]] = ("c45", {"version": "simple", "max_depth": 3})
#: The papers' CART for regression.
REGRESSION: tuple[str, dict[str, Any]] = ("regression-tree", {"max_leaf_nodes": 8})

#: A regression whose largest absolute value is at most this is treated as 0.
_ZERO = 1e-12


class TwoClasses(BoostingClassifier):
    """Booster for two classes; more classes raise ValueError."""

    def _check_classes(self, n_classes: int) -> None:
        if n_classes > 2:
            raise ValueError(
                f"Only binary classification is supported. {type(self).__name__} takes two "
                f"classes, found {n_classes}; for more, write "
                "one-vs-all: {booster: ...} in a config, or make_booster('one-vs-all', booster=...)"
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


class MarginBooster(Booster):
    """Base class of boosters that minimise the mean of a loss of the margin.

    A subclass sets `loss` and defines `margins`, `ask`, `answer` and `paper_learner`.
    """

    #: Loss phi(m) that the booster minimises; the sample weights are ``-phi'(m)``.
    loss: ClassVar[MarginLoss]

    @abstractmethod
    def margins(self, state: BoostState) -> NDArray[np.float64]:
        """Return the margin m of each row, shape (n,)."""

    def importance(self, state: BoostState) -> NDArray[np.float64]:
        """Return the weight of each row's loss in the objective, by default its sample weight."""
        return state.sample_weight

    def weights(self, state: BoostState) -> NDArray[np.float64]:
        """Return the weights ``-phi'(m)``, normalised to sum to 1, or all 0."""
        return normalised_weights(self.importance(state), self.loss.log_weight(self.margins(state)))

    def objective(self, state: BoostState) -> float:
        """Return the mean of ``phi(m)``."""
        return dot(state.sample_weight, self.loss.value(self.margins(state)))

    def loss_if_wrong(self, state: BoostState) -> float:
        """Return phi(0), a lower bound of phi(m) for m <= 0, since the losses decrease there."""
        return float(self.loss.value(0.0))


class BinaryBooster(TwoClasses, MarginBooster):
    """Base class of boosters for two classes that minimise a loss of the margin.

    A subclass sets `loss` and defines `ask`, `answer` and `paper_learner`.
    """

    #: Scale s in ``P(y = 1 | x) = 1 / (1 + exp(-s F(x)))``.
    link_scale: ClassVar[float] = 2.0

    def margins(self, state: BoostState) -> NDArray[np.float64]:
        """Return ``y F``."""
        return state.margins

    def probabilities(self, F: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return ``1 / (1 + exp(-s F))``, s = `link_scale`, and its complement."""
        z = self.link_scale * (F[:, 1] - F[:, 0])
        return np.column_stack([logistic(-z), logistic(z)])


class RegressionBooster(BinaryBooster):
    """Base class of boosters ``F <- F + size * f`` with a weighted least-squares fit f.

    A subclass defines `ask`, which returns `Targets` of one column, and optionally `size`.
    """

    paper_learner = REGRESSION
    needs = (LEAVES,)

    def size(self, state: BoostState, h: Any) -> float:
        """Return the step size along f, 1 by default."""
        return 1.0

    def refine(self, state: BoostState, demand: Targets, h: Any) -> Any:
        """Return the regression with leaf values -f/2 and f/2 for the two scores."""
        return with_leaf_values(h, h.trees.leaf_value[:, 0])

    def answer(self, state: BoostState, demand: Targets, h: Any) -> Step:
        """Return the step along f, with the weighted mean of ``y f(x)`` as its edge."""
        f = answers(h)
        edge = dot(demand.weight[:, 0], state.signed_labels * f)
        if np.abs(f).max() <= _ZERO:
            return Step(0.0, edge, stop="converged", keep=False)
        return Step(self.size(state, h), edge)


def answers(h: Any) -> NDArray[np.float64]:
    """Return f(x) of each row, shape (n,): -1 or +1 for a classifier, a real for a regression."""
    f = h.values(2)
    return np.asarray(f[:, 1] - f[:, 0])


def normalised_weights(
    importance: NDArray[np.float64], log_weight: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return ``importance * exp(log_weight)`` divided by its sum, or zeros if all weights are 0.

    The largest log weight among rows of positive importance is subtracted first, to prevent
    overflow and the underflow of all weights.

    Examples
    --------
    >>> normalised_weights(np.array([1.0, 1.0, 0.0]), np.array([800.0, 800.0, 900.0])).tolist()
    [0.5, 0.5, 0.0]
    """
    if importance.min() > 0.0 and log_weight.min() > -np.inf:
        w = np.asarray(importance * exp(log_weight - log_weight.max()))
        w /= total(w)
        return w
    counts = (importance > 0.0) & (log_weight > -np.inf)
    w = np.zeros_like(importance)
    if counts.any():
        shifted = log_weight[counts] - log_weight[counts].max()
        w[counts] = importance[counts] * exp(shifted)
        w /= total(w)
    return w


def with_leaf_values(h: Any, f: NDArray[np.float64]) -> Any:
    """Return ``h`` with the leaf values f of the paper's F, shape (n_leaves,).

    Each leaf adds -f/2 to the first score and f/2 to the second.
    """
    return with_leaf_vectors(h, np.column_stack([-0.5 * f, 0.5 * f]))


def working_response(
    y: NDArray[np.int32], log_odds: NDArray[np.float64], least: float, limit: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return ``z = (y - p)/(p (1 - p))`` and ``p (1 - p)`` for labels 0 and 1.

    1 - p is computed as a logistic function of its own, because the difference loses all digits
    for p near 1.

    Parameters
    ----------
    y : ndarray of int32, shape (n,)
        Labels 0 and 1.
    log_odds : ndarray of float64, shape (n,)
        Log-odds of ``p = 1/(1 + exp(-log_odds))``.
    least, limit : float
        Lower bound on ``p (1 - p)`` and upper bound on ``|z|``.
    """
    p, rest = logistic(log_odds), logistic(-log_odds)
    q = np.maximum(p * rest, least)
    z = np.where(y == 1, rest, -p) / q
    return np.maximum(np.minimum(z, limit), -limit), q
