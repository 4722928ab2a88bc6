"""Robust-GBDT: gradient boosting by XGBoost on a bounded loss (`robust_focal_loss`)."""

from __future__ import annotations

from typing import Any

from xgboost import XGBClassifier

from boostbench.baselines.robust_focal_loss import Objective, RobustFocalLoss


class RobustGBDT(XGBClassifier):
    """XGBoost on the robust focal loss, bounded: samples that stay wrong lose their influence.

    Parameters
    ----------
    r, q : float, default=0.0 and 0.5
        Of `RobustFocalLoss`; the authors choose r in {0, 0.5, 1} and q in {0, 0.1, 0.3, 0.5}.
    **kwargs
        Parameters of XGBoost, except for ``objective``.
    """

    def __init__(self, *, r: float = 0.0, q: float = 0.5, **kwargs: Any) -> None:
        self.r, self.q = r, q
        RobustFocalLoss(r, q)  # refuses what is no loss
        super().__init__(**kwargs)

    def fit(self, X: Any, y: Any, **kwargs: Any) -> RobustGBDT:
        """Fit with the loss as the objective."""
        self.objective = Objective(RobustFocalLoss(self.r, self.q))
        super().fit(X, y, **kwargs)
        return self

    def get_xgb_params(self) -> dict[str, Any]:
        """Return the parameters of the library alone."""
        params: dict[str, Any] = super().get_xgb_params()
        return {name: value for name, value in params.items() if name not in ("r", "q")}
