"""Methods of the noise study that no package offers as one class."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import BaggingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from boostbench.plugins import make_booster

#: Rounds without a better value of the validation part, before a fit stops.
PATIENCE = 20
#: Share of the training part, with its wrong labels, on which a fit is watched.
VALIDATION = 0.1


class Fitted(ClassifierMixin, BaseEstimator):
    """Base class of classifiers that fit another one, `model_`, to labels 0..K-1.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of rounds, at most.
    random_state : int or None, default=None
        Seed of the fit and of the validation part.
    """

    def __init__(self, n_estimators: int = 100, random_state: int | None = None) -> None:
        self.n_estimators = n_estimators
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Any:
        """Fit the model."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.model_ = self.fitted(np.asarray(X, dtype=np.float64), codes)
        return self

    def fitted(self, X: Any, y: Any) -> Any:
        """Return the fitted model of labels 0..K-1."""
        raise NotImplementedError

    def predict_proba(self, X: Any) -> Any:
        """Return the probabilities of the model."""
        check_is_fitted(self, "model_")
        return self.model_.predict_proba(np.asarray(X, dtype=np.float64))

    def predict(self, X: Any) -> Any:
        """Return the labels of the largest probabilities."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


class Stopped(Fitted):
    """Base class of gradient boosting that stops early on a part of the noisy training rows."""

    def fitted(self, X: Any, y: Any) -> Any:
        """Return the model fitted to nine tenths of the rows that stopped by the others."""
        # a class of one row cannot be divided; its row then decides by chance on which side it is
        strata = y if np.bincount(y).min() > 1 else None
        parts = train_test_split(
            X, y, test_size=VALIDATION, stratify=strata, random_state=self.random_state
        )
        X_fit, X_held, y_fit, y_held = parts
        if len(np.unique(y_fit)) < len(self.classes_):  # the libraries need every class
            X_fit, y_fit = X, y
        return self.watched(X_fit, y_fit, X_held, y_held)

    def watched(self, X: Any, y: Any, X_held: Any, y_held: Any) -> Any:
        """Return the model fitted to X, y that stopped by X_held, y_held."""
        raise NotImplementedError


class LightGBMStopped(Stopped):
    """LightGBM with early stopping on noisy labels; see `Stopped`."""

    def watched(self, X: Any, y: Any, X_held: Any, y_held: Any) -> Any:
        """Return the fitted model."""
        from lightgbm import LGBMClassifier, early_stopping

        model = LGBMClassifier(
            n_estimators=self.n_estimators, random_state=self.random_state, n_jobs=1, verbosity=-1
        )
        stop = [early_stopping(PATIENCE, verbose=False)]
        return model.fit(X, y, eval_X=X_held, eval_y=y_held, callbacks=stop)


class XGBoostStopped(Stopped):
    """XGBoost with early stopping on noisy labels; see `Stopped`."""

    def watched(self, X: Any, y: Any, X_held: Any, y_held: Any) -> Any:
        """Return the fitted model."""
        from xgboost import XGBClassifier

        model = XGBClassifier(
            n_estimators=self.n_estimators,
            random_state=self.random_state,
            n_jobs=1,
            early_stopping_rounds=PATIENCE,
        )
        return model.fit(X, y, eval_set=[(X_held, y_held)], verbose=False)


class CatBoostStopped(Stopped):
    """CatBoost with early stopping on noisy labels; see `Stopped`."""

    def watched(self, X: Any, y: Any, X_held: Any, y_held: Any) -> Any:
        """Return the fitted model."""
        from catboost import CatBoostClassifier

        model = CatBoostClassifier(
            iterations=self.n_estimators,
            random_seed=self.random_state,
            thread_count=1,
            verbose=False,
            allow_writing_files=False,
        )
        return model.fit(X, y, eval_set=(X_held, y_held), early_stopping_rounds=PATIENCE)


class BaggedAdaBoostMH(Fitted):
    """Ten AdaBoost.MH of bootstrap samples, each with a tenth of the rounds."""

    def fitted(self, X: Any, y: Any) -> Any:
        """Return the fitted model."""
        each = make_booster("adaboost-mh", n_estimators=max(1, self.n_estimators // 10))
        model = BaggingClassifier(clone(each), n_estimators=10, random_state=self.random_state)
        return model.fit(X, y)


class StandardLogisticRegression(Fitted):
    """Logistic regression of standardised features; missing values become the mean."""

    def fitted(self, X: Any, y: Any) -> Any:
        """Return the fitted model."""
        from sklearn.impute import SimpleImputer

        model = make_pipeline(
            SimpleImputer(keep_empty_features=True),
            StandardScaler(),
            LogisticRegression(max_iter=1000),
        )
        return model.fit(X, y)


class Perpetual(Fitted):
    """PerpetualBooster, which chooses the number of its rounds by itself."""

    def fitted(self, X: Any, y: Any) -> Any:
        """Return the fitted model."""
        from perpetual import PerpetualBooster

        model = PerpetualBooster(objective="LogLoss", num_threads=1, iteration_limit=1000)
        model.fit(X, y)
        return model


class ChimeraBoost(Fitted):
    """ChimeraBoost with its defaults; it stops early on a part of its own."""

    def fitted(self, X: Any, y: Any) -> Any:
        """Return the fitted model."""
        from chimeraboost import ChimeraBoostClassifier

        model = ChimeraBoostClassifier(random_state=self.random_state, thread_count=1)
        return model.fit(X, y)


class YDF(Fitted):
    """Gradient boosted trees of Yggdrasil Decision Forests; they stop early by themselves."""

    def fitted(self, X: Any, y: Any) -> Any:
        """Return the fitted model."""
        import ydf

        learner = ydf.GradientBoostedTreesLearner(
            label="y",
            num_trees=self.n_estimators,
            num_threads=1,
            random_seed=self.random_state or 0,
        )
        return _Probabilities(learner.train({"X": X, "y": y}, verbose=0), len(self.classes_))


class _Probabilities:
    """Probabilities of a YDF model in the form of scikit-learn."""

    def __init__(self, model: Any, n_classes: int) -> None:
        self.model = model
        self.n_classes = n_classes

    def predict_proba(self, X: Any) -> Any:
        p = np.asarray(self.model.predict({"X": X}))
        return np.column_stack([1.0 - p, p]) if self.n_classes == 2 else p
