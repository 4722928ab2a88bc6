r"""Self-pacing as a part that any booster with a loss of the margin can have.

Wang et al., "SPLBoost", Sec. III; Sec. V announces the variants of LogitBoost and L2Boost.

=========  =======================================  ======
paper      here                                     shape
=========  =======================================  ======
l_i        ``loss.value(margins(state))``            (n,)
v_i        ``latent_weights(state)``                 (n,)
lambda     ``age``
=========  =======================================  ======

The booster's loss L becomes the latent loss :math:`\tilde F_\lambda(L)`. It is majorised, up to a
constant, by :math:`v^*(\lambda; L(F_0)) L(F)` (Theorem 1), so that a round is the plain booster's
round with each row's weight multiplied by its :math:`v_i`, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from numbers import Integral, Real
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval

from boostbench.boosters.binary import BinaryBooster, margins
from boostbench.boosters.declared import Count, Positive, PositiveOrInfinite, Share
from boostbench.boosters.self_paced import REGULARISERS, Regulariser
from boostbench.boosters.state import BoostState, Step
from boostbench.portable import dot

#: Latent weights that agree to this much have converged.
_TOLERANCE = 1e-8
#: A majoriser that rises by no more than this has not risen.
_RISE = 1e-12


class SelfPacing(BinaryBooster):
    """Mixed into a booster (before it), makes it self-paced.

    Parameters
    ----------
    weak_learner : str, dict, object or None, default=None
        None is the plain booster's.
    regulariser : {"hard", "linear", "polynomial", "mixture", "logarithmic"}, default="hard"
        How the latent weight falls with the loss; see `boostbench.boosters.self_paced`.
    age : float, default=2.0
        lambda, positive: samples of a larger loss are left out (mixture: larger than age**2).
    power : float, default=4.0
        t > 1 of "polynomial".
    gamma : float, default=1.0
        Positive, of "mixture".
    zeta : float, default=0.1
        Between 0 and 1, of "logarithmic".
    warm_start_rounds : int, default=3
        Rounds in which all samples count fully; the first one always is.
    max_inner : int, default=1
        Largest number of alternations between weak learner and latent weights in a round.
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

    def begin(self, state: BoostState) -> None:
        """Keep the regulariser; no round is made and no latent weights are held fast."""
        super().begin(state)
        state.memo |= {"regulariser": self.make_regulariser(), "rounds": 0, "v": None}

    def latent_weights(self, state: BoostState) -> NDArray[np.float64]:
        """Return v of each row: 1 in the warm start, then v* of its loss (5)."""
        if state.memo["rounds"] < max(self.warm_start_rounds, 1):
            return np.ones(len(state.y))
        regulariser: Regulariser = state.memo["regulariser"]
        return regulariser.weight(self.loss.value(margins(state)))

    def importance(self, state: BoostState) -> NDArray[np.float64]:
        """Return the sample weight times v."""
        v = self.latent_weights(state) if state.memo["v"] is None else state.memo["v"]
        return state.sample_weight * v

    def run_round(self, state: BoostState, fit: Callable[[Any], Any]) -> tuple[Any, Step]:
        """Play the plain booster's round under v, `max_inner` times (Algorithm 1, steps 1-3)."""
        state.memo["v"] = self.latent_weights(state)
        if not self.importance(state).any():
            return None, Step(0.0, np.nan, stop="no active sample", keep=False)
        h, step = super().run_round(state, fit)
        if step.keep and self.max_inner > 1:
            h, step = self._alternate(state, fit, h, step)
        state.memo["v"] = None
        state.memo["rounds"] += 1
        return h, step

    def _alternate(
        self, state: BoostState, fit: Callable[[Any], Any], h: Any, step: Step
    ) -> tuple[Any, Step]:
        """Alternate latent weights and weak learner until v stays as it is."""
        for _ in range(self.max_inner - 1):
            v = self.latent_weights(_moved(state, h, step))
            if np.abs(v - state.memo["v"]).max() <= _TOLERANCE or not v.any():
                break
            state.memo["v"] = v
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
        before = dot(w, self.loss.value(margins(state)))
        return dot(w, self.loss.value(margins(_moved(state, h, step)))) / before

    def objective(self, state: BoostState) -> float:
        """Return the mean latent loss, which does not rise once the warm start is over."""
        regulariser: Regulariser = state.memo["regulariser"]
        return dot(state.sample_weight, regulariser.latent(self.loss.value(margins(state))))

    def loss_if_wrong(self, state: BoostState) -> float:
        """Return the latent loss of the margin 0."""
        regulariser: Regulariser = state.memo["regulariser"]
        return float(regulariser.latent(self.loss.value(0.0)))


def _moved(state: BoostState, h: Any, step: Step) -> BoostState:
    return replace(state, scores=h.add_to(state.scores.copy(), step.size))
