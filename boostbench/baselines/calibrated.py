r"""Temperature scaling of class probabilities, with temperatures chosen by cross-validation.

Guo, Pleiss, Sun & Weinberger, "On calibration of modern neural networks", 2017, Sec. 4.2.

=====================  ==================================  ==============================
paper                  here                                shape
=====================  ==================================  ==============================
z, logits              ``F``, scores                       (n, K)
sigma                  the booster's `probabilities`
T                      ``temperatures_``                   (n_rounds,)
=====================  ==================================  ==============================
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from boostbench.baselines.around import AroundClassifier
from boostbench.boosters.state import softmax
from boostbench.boosters.surface import BoostingClassifier
from boostbench.portable import exp, log
from boostbench.quantities.log_loss import LEAST_PROBABILITY, log_loss
from boostbench.quantities.predictions import probabilities_of
from boostbench.registry import boosters

Floats = NDArray[np.float64]

#: Bounds of the logarithm of the temperature.
_RANGE = (-5.0, 10.0)
_TOLERANCE = 1e-3


@boosters.register("calibrated", family="other-classifiers")
class Calibrated(AroundClassifier):
    r"""Classifier with probabilities calibrated by temperature scaling in cross-validation.

    The scores of a booster grow without bound if they separate the training samples, and the
    probabilities approach 0 or 1 even where predictions are wrong. After each round t the scores
    are divided by a temperature :math:`\tau_t`,

    .. math::
        p_t(x) = \sigma(F_t(x) / \tau_t), \qquad
        \tau_t = \operatorname*{arg\,min}_\tau \sum_i -\ln \sigma(F_t^{(-i)}(x_i) / \tau)_{y_i},

    where :math:`\sigma` is the booster's own link from scores to probabilities and
    :math:`F_t^{(-i)}` are the scores of a fit to the folds without sample i. Predicted labels do
    not change. For classifiers other than boosters, F is the logarithm of the probabilities and
    :math:`\sigma` is the soft-max.

    Parameters
    ----------
    classifier : str or dict, default="samme"
        A registered name, ``"package.module:Class"``, or a mapping ``{name: parameters}``; the
        classifier must have ``predict_proba``.

    Attributes
    ----------
    temperatures_ : ndarray of float64, shape (n_rounds,)
        Temperature of each round; n_rounds is the number of rounds of the longest fit.
    estimator_ : object
        Classifier fitted to all samples.
    classes_ : ndarray of shape (n_classes,)
        Class labels in sorted order.
    stop_reason_ : str
        Stop reason of the final fit.

    Notes
    -----
    The temperatures are chosen on the training labels. If these are noisy, the probabilities are
    calibrated to the noisy labels.

    References
    ----------
    Guo et al. 2017, Eq. (9).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> booster = Calibrated(20, random_state=0).fit(X, y)
    >>> bool(booster.temperatures_[-1] > 1), booster.score(X, y)
    (True, 1.0)
    """

    classifier: Annotated[Any, str, Mapping] = "samme"

    def _fit(self, X: Floats, y: NDArray[np.intp], rng: np.random.Generator) -> None:
        fits = list(self._cross_fitted(X, y, rng))
        stages = [_staged_scores(one, X[held]) for held, one in fits]
        latest: list[Any] = [None] * len(fits)
        temperatures = []
        while True:
            following = [next(stage, None) for stage in stages]
            if all(F is None for F in following):
                break
            # a fit that stopped early keeps its last scores
            latest = [
                old if new is None else new for old, new in zip(latest, following, strict=True)
            ]
            parts = [
                (one, F, y[held])
                for (held, one), F in zip(fits, latest, strict=True)
                if F is not None
            ]
            temperatures.append(_best_temperature(parts, len(self.classes_)))
        self.temperatures_ = np.array(temperatures or [1.0])
        self.estimator_ = self._make(rng).fit(X, y)

    def predict_proba(self, X: Any) -> Floats:
        """Return class probabilities, shape (n, n_classes)."""
        P = np.full((len(self._checked(X)), len(self.classes_)), 1.0 / len(self.classes_))
        for stage in self.staged_predict_proba(X):
            P = stage
        return P

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """Yield class probabilities after each round, shape (n, n_classes)."""
        for t, F in enumerate(_staged_scores(self.estimator_, self._checked(X))):
            temperature = self.temperatures_[min(t, len(self.temperatures_) - 1)]
            yield _probabilities(self.estimator_, F / temperature)


def _staged_scores(one: Any, X: Floats) -> Iterator[Floats]:
    """Yield scores after each round, or log-probabilities for classifiers without scores."""
    if isinstance(one, BoostingClassifier):
        yield from one.staged_scores(X)
        return
    is_staged = hasattr(one, "staged_predict_proba")
    for P in one.staged_predict_proba(X) if is_staged else [one.predict_proba(X)]:
        yield np.asarray(log(np.maximum(P, LEAST_PROBABILITY)))


def _probabilities(one: Any, F: Floats) -> Floats:
    P = one.probabilities(F) if isinstance(one, BoostingClassifier) else softmax(F)
    return np.asarray(P)


def _best_temperature(parts: list[tuple[Any, Floats, NDArray[np.intp]]], n_classes: int) -> float:
    """Return the temperature of minimal log loss.

    ``parts`` has the fitted classifier, the scores and the labels of each fold.
    """

    def loss(log_temperature: float) -> float:
        temperature = exp(log_temperature)
        return sum(
            len(y)
            * float(
                log_loss(probabilities_of(one, _probabilities(one, F / temperature), n_classes), y)
            )
            for one, F, y in parts
        )

    found = minimize_scalar(loss, bounds=_RANGE, method="bounded", options={"xatol": _TOLERANCE})
    return float(exp(found.x))
