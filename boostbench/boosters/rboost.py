r"""RBoost1 and RBoost2: numerically stable boosting of a bounded loss.

Miao et al., "RBoost: label noise-robust boosting algorithm based on a nonconvex loss function and
the numerically stable base learners", IEEE TNNLS 27, 2016; Wang et al., "SPLBoost", Sec. II-A.

==============  ==================================  ==============================
paper           here                                shape
==============  ==================================  ==============================
phi(v)          `losses.SAVAGE2`
F               ``F[:, 1] - F[:, 0]``               (n,)
w               ``demand.weight``                   (n,) or (n, 1), sums to 1
f(x)            ``answers(h)``                      (n,)
==============  ==================================  ==============================

The algorithms are derived from the papers' descriptions: adaptive Newton steps on the Savage2
loss. The second derivative of this loss is negative for margins below -ln 2, which rules out plain
Newton steps. RBoost1 replaces the second derivative by the absolute first derivative, as in
GentleBoost, or by its expectation under the model.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from boostbench.boosters.binary import (
    CLASSIFIER,
    BinaryBooster,
    normalised_weights,
    working_response,
)
from boostbench.boosters.gentleboost import GentleBoost
from boostbench.boosters.losses import SAVAGE2, MarginLoss
from boostbench.boosters.state import TINY, BoostState, Step
from boostbench.declared import PositiveOrInfinite
from boostbench.portable import log, total
from boostbench.registry import boosters
from boostbench.weak_learners import Targets, WeightedLabels

#: Smallest p (1 - p).
_MIN_VARIANCE = 1e-12


@boosters.register(
    "rboost1", printed="RBoost1", family="robust", variants={"rboost": ("RBoost", "")}
)
class RBoost1(GentleBoost):
    r"""Adaptive Newton steps on the bounded Savage2 loss, for noisy labels.

    The loss of the margin :math:`m = y F(x)` is :math:`\phi(m) = (1 + e^m)^{-2}`. The step
    ``"gentle"`` is GentleBoost's step with the weights of this loss,

    .. math::
        w_i \propto -\phi'(m_i) \propto e^{m_i} / (1 + e^{m_i})^3, \qquad
        f = \arg\min_f \sum_i w_i (y_i - f(x_i))^2, \qquad
        F \leftarrow F + f, \quad f \in [-1, 1] .

    The step ``"fisher"`` uses the expected curvature :math:`2 p^2 (1 - p)^2` with
    :math:`p = 1/(1 + e^{-F})` and :math:`y^* = (y + 1)/2`:

    .. math::
        w = p^2 (1 - p)^2, \qquad z = \frac{y^* - p}{p (1 - p)}, \qquad
        f = \arg\min_f \sum_i w_i (z_i - f(x_i))^2, \qquad F \leftarrow F + f .

    Parameters
    ----------
    weak_learner : str, dict, object or None, default=None
        None uses the paper's CART, a least-squares tree, limited here to 8 leaves with at least 2
        rows each.
    step : {"gentle", "fisher"}, default="gentle"
        Curvature used in the Newton step.
    max_response : float, default=4.0
        Upper bound on ``|z|`` for ``step="fisher"``, positive, ``inf`` for no bound.

    References
    ----------
    Miao et al. 2016; Wang et al., Sec. II-A.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> RBoost1(n_estimators=30).fit(X, y).score(X, y) > 0.97
    True
    """

    step: Literal["gentle", "fisher"] = "gentle"
    max_response: PositiveOrInfinite = 4.0

    loss: ClassVar[MarginLoss] = SAVAGE2
    link_scale: ClassVar[float] = 1.0

    def ask(self, state: BoostState) -> Targets:
        """Return the weighted labels for ``step="gentle"``, else the working response."""
        if self.step == "gentle":
            return super().ask(state)
        F = state.scores[:, 1] - state.scores[:, 0]
        z, q = working_response(state.y, F, _MIN_VARIANCE, self.max_response)
        w = normalised_weights(self.importance(state), 2.0 * log(q))
        return Targets(z[:, None], w[:, None])


@boosters.register("rboost2", printed="RBoost2", family="robust")
class RBoost2(BinaryBooster):
    r"""RBoost1 for weak classifiers, with the projection of the labels on h as the step size.

    Each round fits a classifier h to the samples weighted by the slope of the Savage2 loss:

    .. math::
        w_i \propto -\phi'(m_i), \qquad
        \mathrm{err} = \sum_i w_i 1[h(x_i) \ne y_i], \qquad
        \alpha = 1 - 2\,\mathrm{err} \in (0, 1], \qquad F \leftarrow F + \alpha h .

    Parameters
    ----------
    weak_learner : str, dict, object or None, default=None
        None uses C4.5 of depth 3.

    References
    ----------
    Miao et al. 2016; Wang et al., Sec. II-A.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> RBoost2(n_estimators=30).fit(X, y).score(X, y) > 0.97
    True
    """

    loss: ClassVar[MarginLoss] = SAVAGE2
    link_scale: ClassVar[float] = 1.0
    paper_learner = CLASSIFIER

    def ask(self, state: BoostState) -> WeightedLabels:
        """Return labels weighted by ``-phi'(m_i)``."""
        return WeightedLabels(state.y, self.weights(state), state.n_classes)

    def answer(self, state: BoostState, demand: WeightedLabels, h: Any) -> Step:
        """Return ``alpha = 1 - 2 err``."""
        alpha = 1.0 - 2.0 * total(demand.weight[h.labels != state.y])
        if alpha <= TINY:
            return Step(0.0, alpha, stop="no edge", keep=False)
        return Step(alpha, alpha)
