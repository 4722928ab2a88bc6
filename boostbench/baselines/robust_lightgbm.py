"""LightGBM with the bounded loss of Robust-GBDT (`robust_focal_loss`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from lightgbm import LGBMClassifier
from numpy.typing import NDArray

from boostbench.baselines.robust_focal_loss import Objective, RobustFocalLoss, probabilities
from boostbench.registry import boosters


@boosters.register("robust-lightgbm", printed="robust LightGBM", family="other-classifiers")
class RobustLightGBM(LGBMClassifier):
    """LightGBM with the robust focal loss, which limits the influence of mislabelled samples.

    Parameters
    ----------
    r, q : float, default=0.0 and 0.5
        Parameters of `RobustFocalLoss`, as for `robust-gbdt`.
    reg_lambda, min_child_weight : float, default=1.0
        Regularisation of leaves, with the defaults of XGBoost. The loss is not convex, so that the
        sum of second derivatives in a leaf may be close to 0; with LightGBM's defaults 0 and 0.001
        the step is then unbounded.
    **kwargs
        Parameters of LightGBM except ``objective``.
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
        RobustFocalLoss(r, q)  # validates r and q
        super().__init__(reg_lambda=reg_lambda, min_child_weight=min_child_weight, **kwargs)

    def fit(self, X: Any, y: Any, **kwargs: Any) -> RobustLightGBM:
        """Fit with the robust focal loss as the objective."""
        self.set_params(objective=Objective(RobustFocalLoss(self.r, self.q)))
        if len(y) < (least := 2 * self.min_child_samples):  # LightGBM prints an error of its own
            raise ValueError(f"{len(y)} samples; a split needs 2 * min_child_samples = {least}")
        super().fit(X, y, **kwargs)
        return self

    def predict_proba(
        self, X: Any, *, num_iteration: int | None = None, **kwargs: Any
    ) -> NDArray[np.float64]:
        """Return class probabilities after ``num_iteration`` rounds, shape (n, n_classes)."""
        scores = super().predict_proba(X, raw_score=True, num_iteration=num_iteration, **kwargs)
        return probabilities(np.asarray(scores))

    def predict(self, X: Any, *, num_iteration: int | None = None, **kwargs: Any) -> NDArray[Any]:
        """Return the predicted labels after ``num_iteration`` rounds, shape (n,)."""
        P = self.predict_proba(X, num_iteration=num_iteration, **kwargs)
        return np.asarray(self.classes_[P.argmax(axis=1)])

    def staged_predict_proba(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Yield class probabilities after each round, shape (n, n_classes)."""
        scores: Any = 0.0
        for t in range(self.booster_.current_iteration()):
            this: dict[str, Any] = {"raw_score": True, "start_iteration": t, "num_iteration": 1}
            scores = scores + super().predict_proba(X, **this)
            yield probabilities(scores)

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield the predicted labels after each round, shape (n,)."""
        for P in self.staged_predict_proba(X):
            yield np.asarray(self.classes_[P.argmax(axis=1)])
