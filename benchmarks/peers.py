"""Other libraries, configured to do the same work as boostbench with one thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.data import Data
from benchmarks.timing import Contestant, Stopwatch

#: Twelve leaves and no other limits, except LightGBM's default limit on the hessian, without which
#: training fails once all rows are fitted. LightGBM chooses col-wise or row-wise histograms itself.
LIGHTGBM = {
    "num_leaves": 12,
    "max_bin": 255,
    "min_data_in_leaf": 1,
    "num_threads": 1,
    "verbosity": -1,
}


class PeerMissingError(Exception):
    """Raised if a peer is not installed."""


def lightgbm() -> Any:
    """Import LightGBM."""
    try:
        import lightgbm
    except ImportError:
        raise PeerMissingError("lightgbm") from None
    return lightgbm


def lightgbm_tree(data: Data, n_trees: int) -> Contestant:
    """Return a contestant that grows trees for one class against the others.

    The data set and the booster are made beforehand; only LightGBM's training loop is timed:
    gradients, the tree, and new scores.
    """
    lgb = lightgbm()
    dataset = lgb.Dataset(data.X, (data.y == 0).astype(float), params=LIGHTGBM).construct()

    def contestant() -> float:
        booster = lgb.Booster({**LIGHTGBM, "objective": "binary"}, dataset)
        watch = Stopwatch()
        with watch:
            for _ in range(n_trees):
                booster.update()
        return watch.seconds / n_trees

    return contestant


def lightgbm_multiclass(data: Data, rounds: int, learning_rate: float = 0.1) -> Any:
    """Train LightGBM for all classes, binning included."""
    lgb = lightgbm()
    params = {**LIGHTGBM, "objective": "multiclass", "num_class": data.n_classes}
    params["learning_rate"] = learning_rate
    return lgb.train(params, lgb.Dataset(data.X, data.y), rounds)


def one_thread_classifiers(rounds: int) -> dict[str, Callable[[], Any]]:
    """Return functions that make classifiers of up to 12 leaves a tree, or raise an ImportError."""

    def hist_gradient_boosting() -> Any:
        from sklearn.ensemble import HistGradientBoostingClassifier

        return HistGradientBoostingClassifier(
            max_iter=rounds, max_leaf_nodes=12, early_stopping=False
        )

    def lightgbm() -> Any:
        from lightgbm import LGBMClassifier

        return LGBMClassifier(n_estimators=rounds, num_leaves=12, n_jobs=1, verbosity=-1)

    def xgboost() -> Any:
        from xgboost import XGBClassifier

        limits = {"grow_policy": "lossguide", "max_leaves": 12, "max_depth": 0}
        return XGBClassifier(n_estimators=rounds, n_jobs=1, **limits)

    def catboost() -> Any:
        from catboost import CatBoostClassifier

        return CatBoostClassifier(
            iterations=rounds, depth=4, thread_count=1, verbose=False, allow_writing_files=False
        )

    def chimeraboost() -> Any:
        from chimeraboost import ChimeraBoostClassifier

        return ChimeraBoostClassifier(
            n_estimators=rounds, depth=4, thread_count=1, early_stopping=False, n_ensembles=1
        )

    return {
        "HistGradientBoosting": hist_gradient_boosting,
        "LightGBM": lightgbm,
        "XGBoost": xgboost,
        "CatBoost": catboost,
        "ChimeraBoost": chimeraboost,
    }


def sklearn_tree(data: Data, weights: list[np.ndarray]) -> Contestant:
    """Return a contestant that grows one CART of 12 leaves per vector of weights."""
    from sklearn.tree import DecisionTreeClassifier

    X, y = data.X.astype(np.float32), data.y == 0  # scikit-learn's type, to avoid a conversion

    def contestant() -> float:
        watch = Stopwatch()
        for weight in weights:
            with watch:
                DecisionTreeClassifier(max_leaf_nodes=12).fit(X, y, sample_weight=weight)
        return watch.seconds / len(weights)

    return contestant


def sklearn_samme(data: Data, rounds: int) -> Callable[[], Any]:
    """Return a function that trains scikit-learn's AdaBoost on trees of 12 (K - 1) leaves."""
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.tree import DecisionTreeClassifier

    tree = DecisionTreeClassifier(max_leaf_nodes=12 * (data.n_classes - 1))
    return lambda: AdaBoostClassifier(tree, n_estimators=rounds, random_state=0).fit(data.X, data.y)
