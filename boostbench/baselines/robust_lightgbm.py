"""Gradient boosting by LightGBM on the bounded loss of Robust-GBDT (`robust_focal_loss`)."""

from __future__ import annotations

from typing import Any

import numpy as np
from lightgbm import LGBMClassifier
from numpy.typing import NDArray

from boostbench.baselines.robust_focal_loss import Objective, RobustFocalLoss, probabilities


class RobustLightGBM(LGBMClassifier):
    """LightGBM on the robust focal loss, bounded: samples that stay wrong lose their influence.

    Parameters
    ----------
    r, q : float, default=0.0 and 0.5
        Of `RobustFocalLoss`, as for `robust-gbdt`.
    reg_lambda, min_child_weight : float, default=1.0
        As in XGBoost: the loss is not convex, so that a leaf's sum of second derivatives can be
        near 0, and with LightGBM's own defaults, 0 and 0.001, its step as long as it likes.
    **kwargs
        Parameters of LightGBM, except for ``objective``.
    """

    def __init__(
        self,
        *,
        r: float = 0.0,
        q: float = 0.5,
        reg_lambda: float = 1.0,
        min_child_weight: float = 1.0,
        **kwargs: Any,
    ) -> None:
        self.r, self.q = r, q
        RobustFocalLoss(r, q)  # refuses what is no loss
        super().__init__(reg_lambda=reg_lambda, min_child_weight=min_child_weight, **kwargs)

    def fit(self, X: Any, y: Any, **kwargs: Any) -> RobustLightGBM:
        """Fit with the loss as the objective."""
        self.set_params(objective=Objective(RobustFocalLoss(self.r, self.q)))
        super().fit(X, y, **kwargs)
        return self

    def predict_proba(
        self, X: Any, *, num_iteration: int | None = None, **kwargs: Any
    ) -> NDArray[np.float64]:
        """Return the probabilities of the scores after the first rounds, shape (n, n_classes)."""
        scores = super().predict_proba(X, raw_score=True, num_iteration=num_iteration, **kwargs)
        return probabilities(np.asarray(scores))

    def predict(self, X: Any, *, num_iteration: int | None = None, **kwargs: Any) -> NDArray[Any]:
        """Return the labels of the scores after the first rounds, shape (n,)."""
        P = self.predict_proba(X, num_iteration=num_iteration, **kwargs)
        return np.asarray(self.classes_[P.argmax(axis=1)])
