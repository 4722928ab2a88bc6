r"""SPLBoost and its relatives: boosters that leave out samples they cannot learn.

Wang, Wang, Zhao, Meng & Xu, "SPLBoost: an improved robust boosting algorithm based on self-paced
learning", Algorithm 1; the table of symbols is in `boostbench.boosters.self_pacing`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from boostbench.boosters.adaboost import AdaBoost
from boostbench.boosters.l2boost import L2Boost
from boostbench.boosters.logitboost import LogitBoost
from boostbench.boosters.self_pacing import SelfPacing
from boostbench.boosters.state import BoostState, Step


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
    regulariser : {"hard", "linear", "polynomial", "mixture", "logarithmic"}, default="hard"
        How the latent weight falls with the loss; see `boostbench.boosters.self_paced`.
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
        Largest number of alternations in a round; the paper makes one.

    Attributes
    ----------
    stop_reason_ : str
        ``"perfect weak learner"`` (on the samples that count, twice), ``"no edge"``,
        ``"no active sample"`` or empty.

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
        perfect = step.stop == "perfect weak learner"
        before = state.memo.get("perfect", False)
        state.memo["perfect"] = perfect
        warm = state.memo["rounds"] <= max(self.warm_start_rounds, 1)
        if perfect and (warm or not before):
            step = replace(step, stop="")
        return h, step


class SPLLogitBoost(SelfPacing, LogitBoost):
    r"""LogitBoost with self-paced learning.

    LogitBoost's round with the weights :math:`v_i\, p_i (1 - p_i)`, where
    :math:`v_i = v^*(\lambda; \ln(1 + e^{-2 y_i F(x_i)}))`. The losses start at ln 2 = 0.693: with
    hard weighting, an age below that leaves out all samples that are not yet on the right side.

    Parameters
    ----------
    weak_learner : str, dict, object or None, default=None
        None is a least-squares tree of 8 leaves of at least 2 rows.
    regulariser : {"hard", "linear", "polynomial", "mixture", "logarithmic"}, default="hard"
        How the latent weight falls with the loss; see `boostbench.boosters.self_paced`.
    age : float, default=2.0
        lambda, positive: samples of a larger loss are left out (mixture: larger than age**2), the
        margin being below ``-ln(exp(age) - 1)/2``.
    power : float, default=4.0
        t > 1 of "polynomial".
    gamma : float, default=1.0
        Positive, of "mixture".
    zeta : float, default=0.1
        Between 0 and 1, of "logarithmic".
    warm_start_rounds : int, default=3
        Rounds in which all samples count fully; the first one always is.
    max_inner : int, default=1
        Largest number of alternations in a round.
    max_response : float, default=4.0
        Largest ``|z|``, positive, ``inf`` for no limit.
    halving : bool, default=False
        Whether a step that raises the loss of the samples that count is halved until it does not,
        at most 30 times.

    Attributes
    ----------
    stop_reason_ : str
        ``"converged"``, ``"no active sample"`` or empty.

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

    Parameters
    ----------
    weak_learner : str, dict, object or None, default=None
        None is a least-squares tree of 8 leaves of at least 2 rows.
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
        Largest number of alternations in a round.
    learning_rate : float, default=0.1
        nu, in (0, 1].

    Attributes
    ----------
    stop_reason_ : str
        ``"converged"``, ``"no active sample"`` or empty.

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
