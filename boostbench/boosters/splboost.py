r"""SPLBoost and its relatives: boosters that leave out samples they cannot learn.

Wang, Wang, Zhao, Meng & Xu, "SPLBoost: an improved robust boosting algorithm based on self-paced
learning", Algorithm 1 and Sec. III; Sec. V announces the variants of LogitBoost and L2Boost.

=========  =======================================  ======
paper      here                                     shape
=========  =======================================  ======
l_i        ``loss.value(state.margins)``             (n,)
v_i        ``latent_weights(state)``                 (n,)
lambda     ``age``
=========  =======================================  ======

The booster's loss L becomes the latent loss :math:`\tilde F_\lambda(L)`. It is majorised, up to a
constant, by :math:`v^*(\lambda; L(F_0)) L(F)` (Theorem 1), so that a round is the plain booster's
round with each row's weight multiplied by its :math:`v_i`, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval

from boostbench.boosters.adaboost import AdaBoost
from boostbench.boosters.binary import BinaryBooster
from boostbench.boosters.declared import Count, Positive, PositiveOrInfinite, Share
from boostbench.boosters.l2boost import L2Boost
from boostbench.boosters.logitboost import LogitBoost
from boostbench.boosters.regularisers import REGULARISERS, Regulariser
from boostbench.boosters.state import BoostState, Step
from boostbench.portable import dot

#: Latent weights that agree to this much have converged.
_TOLERANCE = 1e-8
#: A majoriser that rises by no more than this has not risen.
_RISE = 1e-12


@dataclass
class Pace:
    """State of a self-paced booster.

    Attributes
    ----------
    regulariser : Regulariser
    rounds : int
        Rounds made.
    v : ndarray of float64, shape (n,), or None
        Latent weights of the round that is under way.
    perfect : bool
        True if the last round's classifier made no error.
    """

    regulariser: Regulariser
    rounds: int = 0
    v: NDArray[np.float64] | None = None
    perfect: bool = False


class SelfPacing(BinaryBooster):
    """Mixed into a booster (before it), makes it self-paced.

    Parameters
    ----------
    weak_learner : str, dict, object or None, default=None
        None is the plain booster's.
    regulariser : {"hard", "linear", "polynomial", "mixture", "logarithmic"}, default="hard"
        Shape of the latent weight over the loss; see `boostbench.boosters.regularisers`.
    age : float, default=2.0
        lambda, positive: samples of a larger loss are left out (mixture: larger than age**2). The
        paper tunes it in [1, 6].
    power : float, default=4.0
        t > 1 of "polynomial"; the paper's "lowerconvex" is 1.3, its "upperconvex" 4.
    gamma : float, default=1.0
        Positive, of "mixture".
    zeta : float, default=0.1
        Between 0 and 1, of "logarithmic".
    warm_start_rounds : int, default=3
        Rounds in which all samples count fully; the first one always is.
    max_inner : int, default=1
        Largest number of alternations between weak learner and latent weights in a round; the
        paper makes one.

    Attributes
    ----------
    stop_reason_ : str
        Also ``"no active sample"``.
    """

    regulariser: Literal["hard", "linear", "polynomial", "mixture", "logarithmic"] = "hard"
    age: PositiveOrInfinite = 2.0
    power: Annotated[float, Interval(Real, 1, None, closed="neither")] = 4.0
    gamma: Positive = 1.0
    zeta: Share = 0.1
    warm_start_rounds: Annotated[int, Interval(Integral, 0, None, closed="left")] = 3
    max_inner: Count = 1

    def make_regulariser(self) -> Regulariser:
        """Return the regulariser that the parameters describe."""
        own = {"polynomial": ["power"], "mixture": ["gamma"], "logarithmic": ["zeta"]}
        parameters = {name: getattr(self, name) for name in own.get(self.regulariser, [])}
        return REGULARISERS[self.regulariser](self.age, **parameters)

    def begin(self, state: BoostState) -> Pace:
        """Return the pace before the first round."""
        return Pace(self.make_regulariser())

    def latent_weights(self, state: BoostState) -> NDArray[np.float64]:
        """Return v of each row: 1 in the warm start, then v* of its loss (5)."""
        pace: Pace = state.own
        if pace.rounds < max(self.warm_start_rounds, 1):
            return np.ones(len(state.y))
        return pace.regulariser.weight(self.loss.value(state.margins))

    def importance(self, state: BoostState) -> NDArray[np.float64]:
        """Return the sample weight times v."""
        pace: Pace = state.own
        return state.sample_weight * (self.latent_weights(state) if pace.v is None else pace.v)

    def run_round(self, state: BoostState, fit: Callable[[Any], Any]) -> tuple[Any, Step]:
        """Make the plain booster's round under v, `max_inner` times (Algorithm 1, steps 1-3)."""
        pace: Pace = state.own
        pace.v = self.latent_weights(state)
        if not self.importance(state).any():
            return None, Step(0.0, np.nan, stop="no active sample", keep=False)
        h, step = super().run_round(state, fit)
        if step.keep and self.max_inner > 1:
            h, step = self._alternate(state, fit, h, step)
        pace.v = None
        pace.rounds += 1
        return h, step

    def _alternate(
        self, state: BoostState, fit: Callable[[Any], Any], h: Any, step: Step
    ) -> tuple[Any, Step]:
        """Alternate latent weights and weak learner until v stays as it is."""
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
        """Return the loss under v after the step, relative to that before it."""
        w = self.importance(state)
        before = dot(w, self.loss.value(state.margins))
        return dot(w, self.loss.value(_moved(state, h, step).margins)) / before

    def objective(self, state: BoostState) -> float:
        """Return the mean latent loss, which does not rise once the warm start is over."""
        latent = state.own.regulariser.latent
        return dot(state.sample_weight, latent(self.loss.value(state.margins)))

    def loss_if_wrong(self, state: BoostState) -> float:
        """Return the latent loss of the margin 0."""
        return float(state.own.regulariser.latent(self.loss.value(0.0)))


def _moved(state: BoostState, h: Any, step: Step) -> BoostState:
    return replace(state, scores=h.add_to(state.scores.copy(), step.size))


class SPLBoost(SelfPacing, AdaBoost):
    r"""AdaBoost with self-paced learning.

    Each round minimises :math:`\sum_i v_i e^{-y_i (F(x_i) + \alpha f(x_i))} + \hat f(v_i; \lambda)`
    over the latent weights v, the classifier f and its step alpha, by turns:

    .. math::
        v_i = v^*\!\left(\lambda; e^{-y_i F(x_i)}\right), \qquad
        w_i \propto v_i e^{-y_i F(x_i)}, \qquad
        \alpha = \tfrac12 \ln\frac{1 - \mathrm{err}}{\mathrm{err}}, \qquad
        F \leftarrow F + \alpha f .

    A sample whose loss exceeds lambda has no weight; for lambda to infinity it is AdaBoost. It
    descends on the latent loss :math:`\tilde F_\lambda(e^{-yF})`, which is constant there.

    Parameters
    ----------
    weak_learner : str, dict, object or None, default=None
        None is the paper's C4.5, here of depth 3. A tree that is deep enough to fit wrong labels
        leaves nothing to be left out: the result is AdaBoost's.

    Attributes
    ----------
    stop_reason_ : str
        Also ``"no active sample"``; ``"perfect weak learner"`` after two in a row without error on
        the samples that count.

    Notes
    -----
    A classifier without error on the samples that count is frequent, and no accident: its step is
    so large that it becomes the ensemble, which is the minimiser. `predict_proba` is not
    calibrated, as samples are left out.

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

    def run_round(self, state: BoostState, fit: Callable[[Any], Any]) -> tuple[Any, Step]:
        """Stop at the second perfect classifier in a row: then v stays as it is too."""
        h, step = super().run_round(state, fit)
        pace: Pace = state.own
        before, pace.perfect = pace.perfect, step.stop == "perfect weak learner"
        warm = pace.rounds <= max(self.warm_start_rounds, 1)
        if pace.perfect and (warm or not before):
            step = replace(step, stop="")
        return h, step


class SPLLogitBoost(SelfPacing, LogitBoost):
    r"""LogitBoost with self-paced learning.

    LogitBoost's round with the weights :math:`v_i\, p_i (1 - p_i)`, where
    :math:`v_i = v^*(\lambda; \ln(1 + e^{-2 y_i F(x_i)}))`. The losses start at ln 2 = 0.693: with
    hard weighting, an age below that leaves out all samples that are not yet on the right side.

    With hard weighting a sample is left out for a margin below ``-ln(exp(age) - 1)/2``.

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


class SPLL2Boost(SelfPacing, L2Boost):
    r"""L2Boost with self-paced learning.

    L2Boost's round with the weights :math:`v_i = v^*(\lambda; (y_i - F(x_i))^2)`. The losses start
    at 1; a sample is left out for a margin below :math:`1 - \sqrt\lambda` or above
    :math:`1 + \sqrt\lambda`.

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
