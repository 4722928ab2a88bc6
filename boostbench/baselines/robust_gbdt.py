"""Robust-GBDT: XGBoost with a bounded loss (`robust_focal_loss`)."""

from __future__ import annotations

from typing import Any

from xgboost import XGBClassifier

from boostbench.baselines.robust_focal_loss import Objective, RobustFocalLoss
from boostbench.registry import boosters


@boosters.register("robust-gbdt", printed="Robust-GBDT", family="other-classifiers")
class RobustGBDT(XGBClassifier):
    """XGBoost with the robust focal loss, which limits the influence of mislabelled samples.

    Parameters
    ----------
    r, q : float, default=0.0 and 0.5
        Parameters of `RobustFocalLoss`; the authors select r from {0, 0.5, 1} and q from
        {0, 0.1, 0.3, 0.5}.
    **kwargs
        Parameters of XGBoost except ``objective``.
    """

    def __init__(self, *, r: float = 0.0, q: float = 0.5, **kwargs: Any) -> None:
        self.r, self.q = r, q
        RobustFocalLoss(r, q)  # validates r and q
        super().__init__(**kwargs)

    def fit(self, X: Any, y: Any, **kwargs: Any) -> RobustGBDT:
        """Fit with the robust focal loss as the objective."""
        self.objective = Objective(RobustFocalLoss(self.r, self.q))
        super().fit(X, y, **kwargs)
        return self

    def get_xgb_params(self) -> dict[str, Any]:
        """Return the parameters of XGBoost, without r and q."""
        params: dict[str, Any] = super().get_xgb_params()
        return {name: value for name, value in params.items() if name not in ("r", "q")}
