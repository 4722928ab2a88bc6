r"""SPLBoost and its variants: self-paced boosters that ignore samples of large loss.

Wang, Wang, Zhao, Meng & Xu, "SPLBoost: an improved robust boosting algorithm based on self-paced
learning", Algorithm 1 and Sec. III; Sec. V announces the variants of LogitBoost and L2Boost.

=========  =======================================  ======
paper      here                                     shape
=========  =======================================  ======
l_i        ``loss.value(margins(state))``             (n,)
v_i        ``latent_weights(state)``                 (n,)
lambda     ``age``
=========  =======================================  ======

Self-pacing replaces the loss L of a booster by the latent loss :math:`\tilde F_\lambda(L)`. The
latent loss is majorised, up to a constant, by :math:`v^*(\lambda; L(F_0)) L(F)` (Theorem 1). A
round is therefore a round of the plain booster in which the weight of each row is multiplied by
:math:`v_i`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from numbers import Integral, Real
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval

from boostbench.boosters.adaboost import AdaBoost
from boostbench.boosters.binary import MarginBooster
from boostbench.boosters.l2boost import L2Boost
from boostbench.boosters.logitboost import LogitBoost
from boostbench.boosters.regularisers import REGULARISERS, Regulariser
from boostbench.boosters.state import BoostState, Step
from boostbench.declared import Count, Positive, PositiveOrInfinite, Share
from boostbench.portable import dot
from boostbench.registry import boosters

#: Largest change of the latent weights at convergence.
_TOLERANCE = 1e-8
#: Largest increase of the majoriser that is attributed to rounding.
_RISE = 1e-12


@dataclass
class Pace:
    """State of a self-paced booster.

    Attributes
    ----------
    regulariser : Regulariser
        Regulariser that defines the latent weights.
    rounds : int
        Number of completed rounds.
    v : ndarray of float64, shape (n,), or None
        Latent weights of the current round.
    perfect : bool
        True if the classifier of the last round had no weighted error.
    """

    regulariser: Regulariser
    rounds: int = 0
    v: NDArray[np.float64] | None = None
    perfect: bool = False


class SelfPacing(MarginBooster):
    """Mixin that makes a booster self-paced; it precedes the booster in the list of bases.

    Parameters
    ----------
    weak_learner : str, dict, object or None, default=None
        None uses the weak learner of the plain booster.
    regulariser : {"hard", "linear", "polynomial", "mixture", "logarithmic"}, default="hard"
        Regulariser, which defines the latent weight as a function of the loss; see
        `boostbench.boosters.regularisers`.
    age : float, default=2.0
        Age parameter lambda, positive. Samples with losses of at least age (mixture: age**2) are
        ignored. The paper tunes lambda in [1, 6].
    power : float, default=4.0
        Exponent t > 1 of ``"polynomial"``; 1.3 is the paper's "lowerconvex" and 4 its
        "upperconvex".
    gamma : float, default=1.0
        Parameter of ``"mixture"``, positive.
    zeta : float, default=0.1
        Parameter of ``"logarithmic"``, between 0 and 1.
    warm_start_rounds : int, default=3
        Number of initial rounds in which all latent weights are 1; 0 has the effect of 1.
    max_inner : int, default=1
        Maximum number of alternations between the weak learner and the latent weights in a round;
        1 in the paper.

    Attributes
    ----------
    stop_reason_ : str
        May also be ``"no active sample"``. ``"perfect weak learner"`` requires two consecutive
        classifiers without weighted error.

    Notes
    -----
    Classifiers without error on the samples of positive weight are frequent. The step of such a
    classifier minimises the objective as it grows; it is limited (to 11.5; in SPL-SAMME, to
    23 + ln(K - 1)), which outweighs all earlier classifiers unless their steps add up to more.
    `predict_proba` is not calibrated, because samples are ignored.
    """

    regulariser: Literal["hard", "linear", "polynomial", "mixture", "logarithmic"] = "hard"
    age: PositiveOrInfinite = 2.0
    power: Annotated[float, Interval(Real, 1, None, closed="neither")] = 4.0
    gamma: Positive = 1.0
    zeta: Share = 0.1
    warm_start_rounds: Annotated[int, Interval(Integral, 0, None, closed="left")] = 3
    max_inner: Count = 1

    def make_regulariser(self) -> Regulariser:
        """Return the regulariser with the parameters of the booster."""
        cls = REGULARISERS[self.regulariser]
        return cls(*(getattr(self, parameter.name) for parameter in fields(cls)))

    def begin(self, state: BoostState) -> Pace:
        """Return the state before the first round."""
        return Pace(self.make_regulariser())

    def latent_weights(self, state: BoostState) -> NDArray[np.float64]:
        """Return v of each row: 1 during the warm start, then v* of the row's loss (5)."""
        pace: Pace = state.own
        if pace.rounds < max(self.warm_start_rounds, 1):
            return np.ones(len(state.y))
        return pace.regulariser.weight(self.loss.value(self.margins(state)))

    def importance(self, state: BoostState) -> NDArray[np.float64]:
        """Return the sample weights times v."""
        pace: Pace = state.own
        return state.sample_weight * (self.latent_weights(state) if pace.v is None else pace.v)

    def run_round(self, state: BoostState, fit: Callable[[Any], Any]) -> tuple[Any, Step]:
        """Run rounds of the plain booster weighted by v, up to `max_inner` (Algorithm 1, 1-3).

        After a perfect classifier v changes, so that only the second one in a row ends the fit.
        """
        pace: Pace = state.own
        pace.v = self.latent_weights(state)
        if not self.importance(state).any():
            return None, Step(0.0, np.nan, stop="no active sample", keep=False)
        h, step = super().run_round(state, fit)
        if step.keep and self.max_inner > 1:
            h, step = self._alternate(state, fit, h, step)
        pace.v = None
        pace.rounds += 1
        before, pace.perfect = pace.perfect, step.stop == "perfect weak learner"
        warm = pace.rounds <= max(self.warm_start_rounds, 1)
        if pace.perfect and (warm or not before):
            step = replace(step, stop="")
        return h, step

    def _alternate(
        self, state: BoostState, fit: Callable[[Any], Any], h: Any, step: Step
    ) -> tuple[Any, Step]:
        """Alternate between latent weights and weak learner until v converges."""
        pace: Pace = state.own
        for _ in range(self.max_inner - 1):
            assert pace.v is not None
            v = self.latent_weights(_moved(state, h, step))
            if np.abs(v - pace.v).max() <= _TOLERANCE or not v.any():
                break
            pace.v = v
            h_new, step_new = super().run_round(state, fit)
            if not step_new.keep:
                break
            if self._majoriser(state, h_new, step_new) > self._majoriser(state, h, step) + _RISE:
                break
            h, step = h_new, step_new
        return h, step

    def _majoriser(self, state: BoostState, h: Any, step: Step) -> float:
        """Return the loss weighted by v after the step, divided by the loss before the step."""
        w = self.importance(state)
        before = dot(w, self.loss.value(self.margins(state)))
        return dot(w, self.loss.value(self.margins(_moved(state, h, step)))) / before

    def objective(self, state: BoostState) -> float:
        """Return the mean latent loss, which does not increase after the warm start."""
        latent = state.own.regulariser.latent
        return dot(state.sample_weight, latent(self.loss.value(self.margins(state))))

    def loss_if_wrong(self, state: BoostState) -> float:
        """Return the latent loss of the margin 0."""
        return float(state.own.regulariser.latent(self.loss.value(0.0)))


def _moved(state: BoostState, h: Any, step: Step) -> BoostState:
    return replace(state, scores=h.add_to(state.scores.copy(), step.size))


@boosters.register("splboost", printed="SPLBoost", family="robust", trial={"age": 4.0})
class SPLBoost(SelfPacing, AdaBoost):
    r"""AdaBoost with self-paced learning, robust to label noise.

    Each round minimises :math:`\sum_i v_i e^{-y_i (F(x_i) + \alpha f(x_i))} + \hat f(v_i; \lambda)`
    alternately over the latent weights v and over the classifier f with its step alpha. With
    :math:`v^*(\lambda; \ell)` the minimiser of :math:`v \ell + \hat f(v; \lambda)` for the
    self-paced regulariser :math:`\hat f`, the updates are

    .. math::
        v_i = v^*\!\left(\lambda; e^{-y_i F(x_i)}\right), \qquad
        w_i \propto v_i e^{-y_i F(x_i)}, \qquad
        \alpha = \tfrac12 \ln\frac{1 - \mathrm{err}}{\mathrm{err}}, \qquad
        F \leftarrow F + \alpha f .

    Samples with losses of at least lambda (with mixture weighting, lambda squared) have weight 0.
    The updates decrease the latent loss :math:`\tilde F_\lambda(e^{-yF})`, which is constant for
    these samples. In the limit of infinite lambda, SPLBoost equals AdaBoost, but for mixture
    weighting.

    Parameters
    ----------
    weak_learner : str, dict, object or None, default=None
        None uses the paper's C4.5, limited here to depth 3. With trees deep enough to fit wrong
        labels no sample keeps a large loss, and the result equals that of AdaBoost.

    References
    ----------
    Wang et al., Algorithm 1, Theorem 1.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> booster = SPLBoost(n_estimators=30, weak_learner="stump", age=3.0, regulariser="linear")
    >>> booster.fit(X, y).score(X, y) > 0.95
    True
    """


@boosters.register("spl-logitboost", printed="SPL-LogitBoost", family="robust")
class SPLLogitBoost(SelfPacing, LogitBoost):
    r"""LogitBoost with self-paced learning.

    A round is a round of LogitBoost with the weights :math:`v_i\, p_i (1 - p_i)`, where
    :math:`v_i = v^*(\lambda; \ln(1 + e^{-2 y_i F(x_i)}))`.

    With hard weighting, samples with margins below ``-ln(exp(age) - 1)/2`` are ignored. All losses
    start at ln 2 = 0.693, so that an age below 0.693 ignores all samples that are not yet
    classified correctly.

    References
    ----------
    Wang et al., Sec. V (announced); Friedman, Hastie & Tibshirani 2000, Algorithm 3.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> SPLLogitBoost(n_estimators=30).fit(X, y).score(X, y) > 0.95
    True
    """


@boosters.register(
    "spl-l2boost", printed="SPL-L2Boost", family="robust", trial={"learning_rate": 0.5, "age": 3.0}
)
class SPLL2Boost(SelfPacing, L2Boost):
    r"""L2Boost with self-paced learning.

    A round is a round of L2Boost with the weights :math:`v_i = v^*(\lambda; (y_i - F(x_i))^2)`. All
    losses start at 1. Samples with margins below :math:`1 - \sqrt\lambda` or above
    :math:`1 + \sqrt\lambda` are ignored (mixture: :math:`\lambda` in place of its square root).

    References
    ----------
    Wang et al., Sec. V (announced); Buehlmann & Yu 2003, Sec. 2.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> SPLL2Boost(n_estimators=30).fit(X, y).score(X, y) > 0.95
    True
    """
