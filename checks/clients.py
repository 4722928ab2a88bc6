"""Clients of scikit-learn's interface, each tried with boosters of this package.

``python -m checks.clients [WORD ...]`` runs all of them, or those whose names contain a word, and
prints how many work, what fails and which packages are absent. ``make clients`` installs them.
"""

from __future__ import annotations

import copy
import importlib
import io
import pickle
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris

from boostbench import make_booster

matplotlib.use("Agg")

X, y = load_iris(return_X_y=True)
X2, y2 = load_breast_cancer(return_X_y=True)
X2, y2 = X2[:240, :6], y2[:240]
FRAME = pd.DataFrame(X, columns=["a", "b", "c", "d"])
TEXTS = ["red apple", "green apple", "red car", "blue car", "green car", "blue apple"] * 10
FRUIT = [text.endswith("apple") for text in TEXTS]


def booster(name: str = "samme", **parameters: Any) -> Any:
    return make_booster(name, n_estimators=8, random_state=0, **parameters)


def made(path: str, *args: Any, **kwargs: Any) -> Any:
    """Return an object of ``package.module:Class``."""
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)(*args, **kwargs)


def fits(path: str, *args: Any, data: Any = None, **kwargs: Any) -> Callable[[], bool]:
    """Return a client that is fitted to data, and predicts most of them rightly."""

    def client() -> bool:
        samples, labels = data or (X, y)
        fitted = made(path, *args, **kwargs).fit(samples, labels)
        return bool(np.mean(np.asarray(fitted.predict(samples)) == labels) > 0.8)

    return client


def transforms(path: str, *args: Any, data: Any = None, **kwargs: Any) -> Callable[[], bool]:
    """Return a client that chooses some of the features."""

    def client() -> bool:
        samples, labels = data or (X, y)
        kept = made(path, *args, **kwargs).fit(samples, labels).transform(samples)
        return len(kept) == len(samples) and 1 <= kept.shape[1] <= samples.shape[1]

    return client


def shows(path: str, *args: Any, **kwargs: Any) -> Callable[[], bool]:
    """Return a display that is drawn from an estimator."""

    def client() -> bool:
        display = getattr(importlib.import_module(path.partition(":")[0]), path.partition(":")[2])
        return display.from_estimator(booster().fit(X2, y2), *args, **kwargs) is not None

    return client


def scores(path: str, *args: Any, least: float = 0.8, **kwargs: Any) -> Callable[[], bool]:
    """Return a function whose result, or the part of it named test_score, is large on average."""

    def client() -> bool:
        found = made(path, booster(), *args, **kwargs)
        if isinstance(found, dict):
            found = found["test_score"]
        return bool(np.mean(found) > least)

    return client


GRID = {"weak_learner__max_leaf_nodes": [2, 4], "n_estimators": [4, 8]}
SELECTION, DISPLAYS = "sklearn.model_selection", "sklearn.metrics"


def pipeline(*steps: Any) -> Any:
    return made("sklearn.pipeline:make_pipeline", *steps, booster())


def of_texts(vectorizer: str) -> bool:
    fitted = pipeline(made(f"sklearn.feature_extraction.text:{vectorizer}")).fit(TEXTS, FRUIT)
    return bool(fitted.score(TEXTS, FRUIT) == 1.0)


def of_columns(step: Any, frame: Any) -> bool:
    return bool(pipeline(step).fit(frame, y).score(frame, y) > 0.8)


def words() -> Any:
    return pd.DataFrame({"kind": np.array(list("xyz"))[y], "other": np.array(list("uvu"))[y]})


def same(restored: Any, fitted: Any) -> bool:
    return bool(np.array_equal(restored.predict_proba(X), fitted.predict_proba(X)))


def kept(dump: Callable[[Any, Any], Any], load: Callable[[Any], Any]) -> bool:
    """Write a model to a file and read it."""
    fitted = booster().fit(X, y)
    with tempfile.TemporaryDirectory() as folder:
        dump(fitted, Path(folder) / "model")
        return same(load(Path(folder) / "model"), fitted)


def by_joblib() -> bool:
    joblib = importlib.import_module("joblib")
    return kept(joblib.dump, joblib.load)


def by_skops() -> bool:
    skops = importlib.import_module("skops.io")
    return kept(
        skops.dump, lambda file: skops.load(file, trusted=skops.get_untrusted_types(file=file))
    )


def by_cloudpickle() -> bool:
    cloudpickle = importlib.import_module("cloudpickle")
    fitted = booster().fit(X, y)
    return same(pickle.loads(cloudpickle.dumps(fitted)), fitted)


def by_processes() -> bool:
    joblib = importlib.import_module("joblib")
    jobs = (joblib.delayed(booster(n_jobs=1).fit)(X, y) for _ in range(2))
    one, other = joblib.Parallel(n_jobs=2)(jobs)
    return same(one, other)


def by_threads() -> bool:
    joblib = importlib.import_module("joblib")
    jobs = (joblib.delayed(booster().fit)(X, y) for _ in range(2))
    one, other = joblib.Parallel(n_jobs=2, prefer="threads")(jobs)
    return same(one, other)


def by_onnx() -> bool:
    runtime, fitted = importlib.import_module("onnxruntime"), booster().fit(X, y)
    session = runtime.InferenceSession(fitted.to_onnx().SerializeToString())
    return bool((session.run(["label"], {"X": X})[0] == fitted.predict(X)).all())


def routed() -> bool:
    """Hand sample weights through a search and a pipeline, by metadata routing."""
    sklearn = importlib.import_module("sklearn")
    with sklearn.config_context(enable_metadata_routing=True):
        inner = booster().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        search = made(f"{SELECTION}:GridSearchCV", inner, {"n_estimators": [4, 8]}, cv=2)
        return bool(search.fit(X, y, sample_weight=np.ones(len(y))).best_score_ > 0.8)


def frames_of(package: str) -> bool:
    if package == "polars":
        frame = importlib.import_module(package).from_pandas(FRAME)
    else:
        frame = importlib.import_module(package).Table.from_pandas(FRAME)
    fitted = booster().fit(frame, y)
    return list(fitted.feature_names_in_) == list("abcd") and bool(fitted.score(frame, y) > 0.8)


def callback(name: str) -> bool:
    options = {"scoring": "accuracy"} if name == "ScoringMonitor" else {}
    observed = booster(weak_learner="stump").set_callbacks(
        made(f"sklearn.callback:{name}", **options)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return bool(observed.fit(X, y).n_rounds_ == 8)


def explained(explainer: str, **options: Any) -> bool:
    shap, fitted = importlib.import_module("shap"), booster().fit(X2, y2)
    explain = getattr(shap, explainer)(fitted.decision_function, X2[:20], **options)
    if explainer == "KernelExplainer":
        values, base = explain.shap_values(X2[:3], silent=True), explain.expected_value
    else:
        found = explain(X2[:3])
        values, base = found.values, found.base_values
    return bool(np.allclose(values.sum(axis=1) + base, fitted.decision_function(X2[:3]), atol=1e-9))


def drawn_by_shap() -> bool:
    shap, fitted = importlib.import_module("shap"), booster().fit(X2, y2)
    values = fitted.shap_values(X2[:20], X2[:50])
    base = np.full(20, fitted.decision_function(X2[:50]).mean())
    shap.plots.beeswarm(shap.Explanation(values, base, X2[:20]), show=False)
    sums = values.sum(axis=1) + base
    return bool(np.allclose(sums, fitted.decision_function(X2[:20]), atol=1e-9))


def by_lime() -> bool:
    explainer = made("lime.lime_tabular:LimeTabularExplainer", X2, random_state=0)
    found = explainer.explain_instance(X2[0], booster().fit(X2, y2).predict_proba, num_samples=200)
    return len(found.as_list()) > 0


def conformal(name: str, **options: Any) -> bool:
    predictor = made(f"mapie.classification:{name}", booster("adaboost-mh"), **options)
    if name.startswith("Split"):
        predictor.fit(X[::2], y[::2]).conformalize(X[1::2], y[1::2])
    else:
        predictor.fit_conformalize(X, y)
    labels, sets = predictor.predict_set(X)
    covered = sets[np.arange(len(y)), y, 0]
    return bool(covered.mean() > 0.8 and np.mean(labels == y) > 0.8)


def by_crepes() -> bool:
    wrapped = made("crepes:WrapClassifier", booster("adaboost-mh"))
    wrapped.fit(X[::2], y[::2])
    wrapped.calibrate(X[1::2], y[1::2])
    sets = wrapped.predict_set(X)
    return bool(np.mean([label in each for label, each in zip(y, sets, strict=True)]) > 0.8)


def by_imblearn_pipeline(step: str) -> bool:
    inner = made("imblearn.pipeline:make_pipeline", made(step, random_state=0), booster())
    return bool(inner.fit(X, y).score(X, y) > 0.8)


def resampled() -> bool:
    options = {"estimator": booster(), "random_state": 0, "cv": 2}
    sampler = made("imblearn.under_sampling:InstanceHardnessThreshold", **options)
    kept_rows, _ = sampler.fit_resample(X2, y2)
    return bool(0 < len(kept_rows) <= len(X2))


def by_optuna() -> bool:
    optuna = importlib.import_module("optuna")
    optuna.logging.set_verbosity(optuna.logging.ERROR)

    def objective(trial: Any) -> float:
        inner = booster().set_params(weak_learner__max_leaf_nodes=trial.suggest_int("leaves", 2, 8))
        for round_, score in enumerate(inner.fit(X, y).staged_score(X, y)):
            trial.report(score, round_)
        return float(inner.score(X, y))

    study = optuna.create_study(direction="maximize")
    study.optimize(objective, n_trials=3)
    return bool(study.best_value > 0.8)


def by_hyperopt() -> bool:
    hyperopt = importlib.import_module("hyperopt")

    def loss(leaves: float) -> float:
        inner = booster().set_params(weak_learner__max_leaf_nodes=int(leaves))
        return -float(inner.fit(X, y).score(X, y))

    space = hyperopt.hp.quniform("leaves", 2, 8, 1)
    rng, suggest = np.random.default_rng(0), hyperopt.tpe.suggest
    best = hyperopt.fmin(loss, space, suggest, 3, rstate=rng, show_progressbar=False, verbose=False)
    return 2 <= best["leaves"] <= 8


def decomposed() -> bool:
    found = made(
        "mlxtend.evaluate:bias_variance_decomp", booster(), X[::2], y[::2], X[1::2], y[1::2],
        num_rounds=3, random_seed=0,
    )  # fmt: skip
    return bool(0.0 <= found[0] < 0.3)


def regions() -> bool:
    fitted = booster().fit(X[:, :2], y)
    return made("mlxtend.plotting:plot_decision_regions", X[:, :2], y, clf=fitted) is not None


def fair(path: str, **options: Any) -> bool:
    group = (X2[:, 0] > 14).astype(int)
    fitted = made(path, estimator=booster(), **options).fit(X2, y2, sensitive_features=group)
    more = {"sensitive_features": group} if "Threshold" in path else {}
    return bool(np.mean(fitted.predict(X2, random_state=0, **more) == y2) > 0.6)


def of_dask(path: str, *args: Any, **kwargs: Any) -> bool:
    array = importlib.import_module("dask.array")
    fitted = made(path, booster(), *args, **kwargs).fit(X, y)
    return bool(np.mean(np.asarray(fitted.predict(array.from_array(X, chunks=(50, 4)))) == y) > 0.8)


def cleaned() -> bool:
    seen = y.copy()
    seen[::15] = (seen[::15] + 1) % 3
    found = made("cleanlab.classification:CleanLearning", booster("adaboost-mh")).fit(X, seen)
    issues = found.get_label_issues()["is_label_issue"].to_numpy()
    return bool(issues[::15].mean() > 0.6)


def shown_as_html() -> bool:
    return "SAMME" in booster()._repr_html_()


def by_boruta() -> bool:
    chosen = made("boruta:BorutaPy", booster(), n_estimators=8, max_iter=4, random_state=0)
    return bool(chosen.fit(X2, y2).transform(X2).shape[0] == len(X2))


def partly_dependent() -> bool:
    found = made("sklearn.inspection:partial_dependence", booster().fit(X, y), X, [2])
    return found["average"].shape[0] == 3


def permuted() -> bool:
    inner = booster().fit(X, y)
    found = made("sklearn.inspection:permutation_importance", inner, X, y, n_repeats=2)
    return bool(found.importances_mean.max() > 0.1)


def cross_predicted() -> bool:
    found = made(f"{SELECTION}:cross_val_predict", booster(), X, y, method="predict_proba")
    return bool(np.mean(found.argmax(axis=1) == y) > 0.8)


def weighted_copies() -> bool:
    weight = np.arange(len(y)) % 3
    return same(booster().fit(X, y, weight), booster().fit(X.repeat(weight, 0), y.repeat(weight)))


def curve(name: str, **options: Any) -> bool:
    *_, found = made(f"{SELECTION}:{name}", booster(), X, y, cv=3, **options)
    return bool(np.mean(found) > 0.6)


CLIENTS: dict[str, Callable[[], bool]] = {
    "clone": lambda: same(clone(booster()).fit(X, y), booster().fit(X, y)),
    "copy.deepcopy": lambda: same(copy.deepcopy(f := booster().fit(X, y)), f),
    "pickle": lambda: same(pickle.loads(pickle.dumps(f := booster().fit(X, y))), f),
    "sample_weight": weighted_copies,
    "HTML in notebooks": shown_as_html,
    "cross_val_score": scores(f"{SELECTION}:cross_val_score", X, y),
    "cross_val_score, roc_auc_ovr": scores(
        f"{SELECTION}:cross_val_score", X, y, scoring="roc_auc_ovr"
    ),
    "cross_val_score, neg_log_loss": scores(
        f"{SELECTION}:cross_val_score", X, y, scoring="neg_log_loss", least=-2.0
    ),
    "cross_validate": scores(f"{SELECTION}:cross_validate", X, y),
    "cross_val_predict": cross_predicted,
    "StratifiedGroupKFold": scores(
        f"{SELECTION}:cross_val_score", X, y, groups=np.arange(150) // 3,
        cv=made(f"{SELECTION}:StratifiedGroupKFold", 3),
    ),
    "permutation_test_score": lambda: bool(
        made(f"{SELECTION}:permutation_test_score", booster(), X, y, n_permutations=3)[0] > 0.8
    ),
    "learning_curve": lambda: curve("learning_curve", train_sizes=[0.5, 1.0], shuffle=True),
    "validation_curve": lambda: curve(
        "validation_curve", param_name="n_estimators", param_range=[2, 4]
    ),
    "GridSearchCV": fits(f"{SELECTION}:GridSearchCV", booster(), GRID, cv=2),
    "RandomizedSearchCV": fits(
        f"{SELECTION}:RandomizedSearchCV", booster(), GRID, n_iter=2, cv=2, random_state=0
    ),
    "TunedThresholdClassifierCV": fits(
        f"{SELECTION}:TunedThresholdClassifierCV", booster(), data=(X2, y2)
    ),
    "FixedThresholdClassifier": fits(
        f"{SELECTION}:FixedThresholdClassifier", booster(), threshold=0.5, data=(X2, y2)
    ),
    "metadata routing": routed,
    "StandardScaler": lambda: of_columns(made("sklearn.preprocessing:StandardScaler"), X),
    "PCA": lambda: of_columns(made("sklearn.decomposition:PCA", 3), X),
    "KNNImputer": lambda: of_columns(
        made("sklearn.impute:KNNImputer"), np.where(X.min(0) < X, X, np.nan)
    ),
    "OneHotEncoder": lambda: of_columns(made("sklearn.preprocessing:OneHotEncoder"), words()),
    "OrdinalEncoder": lambda: of_columns(made("sklearn.preprocessing:OrdinalEncoder"), words()),
    "TargetEncoder": lambda: of_columns(
        made("sklearn.preprocessing:TargetEncoder", random_state=0), words()
    ),
    "ColumnTransformer": lambda: of_columns(
        made(
            "sklearn.compose:make_column_transformer",
            (made("sklearn.preprocessing:OneHotEncoder"), ["kind"]), remainder="passthrough",
        ),
        FRAME.assign(kind=words()["kind"]),
    ),
    "FeatureUnion": lambda: of_columns(
        made(
            "sklearn.pipeline:make_union", made("sklearn.decomposition:PCA", 2),
            made("sklearn.feature_selection:SelectKBest", k=2),
        ), X,
    ),
    "CountVectorizer": lambda: of_texts("CountVectorizer"),
    "TfidfVectorizer": lambda: of_texts("TfidfVectorizer"),
    "HashingVectorizer": lambda: of_texts("HashingVectorizer"),
    "CalibratedClassifierCV, sigmoid": fits(
        "sklearn.calibration:CalibratedClassifierCV", booster(), cv=3
    ),
    "CalibratedClassifierCV, isotonic": fits(
        "sklearn.calibration:CalibratedClassifierCV", booster(), method="isotonic", cv=3
    ),
    "CalibratedClassifierCV, temperature": fits(
        "sklearn.calibration:CalibratedClassifierCV", booster(), method="temperature", cv=3
    ),
    "FrozenEstimator": lambda: fits(
        "sklearn.calibration:CalibratedClassifierCV",
        made("sklearn.frozen:FrozenEstimator", booster().fit(X, y)),
    )(),
    **{
        f"VotingClassifier, {voting}": fits(
            "sklearn.ensemble:VotingClassifier",
            [("one", booster()), ("other", booster("adaboost-mh"))], voting=voting,
        )
        for voting in ("hard", "soft")
    },
    "StackingClassifier": fits(
        "sklearn.ensemble:StackingClassifier",
        [("one", booster()), ("other", booster("adaboost-mh"))], cv=2,
    ),
    "StackingClassifier, final": fits(
        "sklearn.ensemble:StackingClassifier", [("one", booster())], booster("sm-boost"), cv=2
    ),
    "BaggingClassifier": fits("sklearn.ensemble:BaggingClassifier", booster(), 3, random_state=0),
    "AdaBoostClassifier": fits("sklearn.ensemble:AdaBoostClassifier", booster(), n_estimators=2),
    "GradientBoostingClassifier, init": fits(
        "sklearn.ensemble:GradientBoostingClassifier", init=booster(), n_estimators=3
    ),
    "OneVsRestClassifier": fits("sklearn.multiclass:OneVsRestClassifier", booster("logitboost")),
    "OneVsOneClassifier": fits("sklearn.multiclass:OneVsOneClassifier", booster("logitboost")),
    "OutputCodeClassifier": fits(
        "sklearn.multiclass:OutputCodeClassifier", booster("logitboost"), random_state=0
    ),
    "MultiOutputClassifier": fits(
        "sklearn.multioutput:MultiOutputClassifier", booster(), data=(X, np.c_[y, y > 0])
    ),
    "ClassifierChain": fits(
        "sklearn.multioutput:ClassifierChain", booster(), data=(X, np.c_[y == 0, y > 1] * 1)
    ),
    "SelfTrainingClassifier": lambda: fits(
        "sklearn.semi_supervised:SelfTrainingClassifier", booster("adaboost-mh"),
        data=(X, np.where(np.arange(150) % 10 == 0, -1, y)),
    )(),
    "SelectFromModel": transforms("sklearn.feature_selection:SelectFromModel", booster()),
    "RFE": transforms("sklearn.feature_selection:RFE", booster(), n_features_to_select=2),
    "RFECV": transforms("sklearn.feature_selection:RFECV", booster(), cv=2),
    "SequentialFeatureSelector": transforms(
        "sklearn.feature_selection:SequentialFeatureSelector", booster(), cv=2
    ),
    "permutation_importance": permuted,
    "partial_dependence": partly_dependent,
    "PartialDependenceDisplay": shows("sklearn.inspection:PartialDependenceDisplay", X2, [0, 1]),
    "DecisionBoundaryDisplay": lambda: importlib.import_module(
        "sklearn.inspection"
    ).DecisionBoundaryDisplay.from_estimator(booster().fit(X[:, :2], y), X[:, :2]) is not None,
    "LearningCurveDisplay": lambda: importlib.import_module(
        SELECTION
    ).LearningCurveDisplay.from_estimator(booster(), X2, y2, cv=2) is not None,
    "ValidationCurveDisplay": lambda: importlib.import_module(
        SELECTION
    ).ValidationCurveDisplay.from_estimator(
        booster(), X2, y2, cv=2, param_name="n_estimators", param_range=[2, 4]
    ) is not None,
    "CalibrationDisplay": shows("sklearn.calibration:CalibrationDisplay", X2, y2),
    "ConfusionMatrixDisplay": shows(f"{DISPLAYS}:ConfusionMatrixDisplay", X2, y2),
    "RocCurveDisplay": shows(f"{DISPLAYS}:RocCurveDisplay", X2, y2),
    "PrecisionRecallDisplay": shows(f"{DISPLAYS}:PrecisionRecallDisplay", X2, y2),
    "DetCurveDisplay": shows(f"{DISPLAYS}:DetCurveDisplay", X2, y2),
    "callback ProgressBar": lambda: callback("ProgressBar"),
    "callback ScoringMonitor": lambda: callback("ScoringMonitor"),
    "pandas": lambda: bool(booster().fit(FRAME, y).score(FRAME, y) > 0.8),
    "polars": lambda: frames_of("polars"),
    "pyarrow": lambda: frames_of("pyarrow"),
    "joblib.dump": by_joblib,
    "joblib, processes": by_processes,
    "joblib, threads": by_threads,
    "cloudpickle": by_cloudpickle,
    "skops": by_skops,
    "onnxruntime": by_onnx,
    "shap.Explainer": lambda: explained("Explainer"),
    "shap.PermutationExplainer": lambda: explained("PermutationExplainer"),
    "shap.ExactExplainer": lambda: explained("ExactExplainer"),
    "shap.KernelExplainer": lambda: explained("KernelExplainer"),
    "shap, plots of shap_values": drawn_by_shap,
    "lime": by_lime,
    "mapie, split": lambda: conformal("SplitConformalClassifier", prefit=False),
    "mapie, cross": lambda: conformal("CrossConformalClassifier", cv=3),
    "crepes": by_crepes,
    "imblearn, RandomOverSampler": lambda: by_imblearn_pipeline(
        "imblearn.over_sampling:RandomOverSampler"
    ),
    "imblearn, SMOTE": lambda: by_imblearn_pipeline("imblearn.over_sampling:SMOTE"),
    "imblearn, BalancedBaggingClassifier": fits(
        "imblearn.ensemble:BalancedBaggingClassifier", booster(), 3, random_state=0
    ),
    "imblearn, EasyEnsembleClassifier": fits(
        "imblearn.ensemble:EasyEnsembleClassifier", 3, booster(), random_state=0
    ),
    "imblearn, RUSBoostClassifier": fits(
        "imblearn.ensemble:RUSBoostClassifier", booster(), n_estimators=2, random_state=0
    ),
    "imblearn, InstanceHardnessThreshold": resampled,
    "feature-engine, SelectByShuffling": transforms(
        "feature_engine.selection:SelectByShuffling", booster(), cv=2, scoring="accuracy",
        data=(FRAME, y),
    ),
    "feature-engine, RecursiveFeatureElimination": transforms(
        "feature_engine.selection:RecursiveFeatureElimination", booster(), cv=2, data=(FRAME, y)
    ),
    "feature-engine, RecursiveFeatureAddition": transforms(
        "feature_engine.selection:RecursiveFeatureAddition", booster(), cv=2, data=(FRAME, y)
    ),
    "feature-engine, SelectBySingleFeaturePerformance": transforms(
        "feature_engine.selection:SelectBySingleFeaturePerformance", booster(), cv=2,
        scoring="accuracy", data=(FRAME, y),
    ),
    "feature-engine, ProbeFeatureSelection": transforms(
        "feature_engine.selection:ProbeFeatureSelection", booster(), cv=2, random_state=0,
        scoring="accuracy", data=(FRAME, y),
    ),
    "category_encoders": lambda: of_columns(made("category_encoders:BinaryEncoder"), words()),
    "skrub, tabular_pipeline": lambda: bool(
        made("skrub:tabular_pipeline", booster()).fit(words(), y).score(words(), y) > 0.8
    ),
    "skrub, TableVectorizer": lambda: of_columns(made("skrub:TableVectorizer"), words()),
    "optuna": by_optuna,
    "optuna, OptunaSearchCV": lambda: fits(
        "optuna_integration:OptunaSearchCV", booster(),
        {"n_estimators": made("optuna.distributions:IntDistribution", 2, 8)}, n_trials=2, cv=2,
    )(),
    "scikit-optimize": fits(
        "skopt:BayesSearchCV", booster(), {"n_estimators": (2, 8)}, n_iter=2, cv=2, random_state=0
    ),
    "hyperopt": by_hyperopt,
    "dask-ml, GridSearchCV": lambda: of_dask(
        f"dask_ml.{SELECTION[8:]}:GridSearchCV", {"n_estimators": [2, 8]}, cv=2
    ),
    "dask-ml, ParallelPostFit": lambda: of_dask("dask_ml.wrappers:ParallelPostFit"),
    "cleanlab, CleanLearning": cleaned,
    "mlxtend, EnsembleVoteClassifier": lambda: fits(
        "mlxtend.classifier:EnsembleVoteClassifier", clfs=[booster(), booster("adaboost-mh")]
    )(),
    "mlxtend, StackingCVClassifier": lambda: fits(
        "mlxtend.classifier:StackingCVClassifier", [booster()], booster("adaboost-mh"), cv=2
    )(),
    "mlxtend, SequentialFeatureSelector": transforms(
        "mlxtend.feature_selection:SequentialFeatureSelector", booster(), k_features=2, cv=2
    ),
    "mlxtend, bias_variance_decomp": decomposed,
    "mlxtend, plot_decision_regions": regions,
    "fairlearn, ThresholdOptimizer": lambda: fair(
        "fairlearn.postprocessing:ThresholdOptimizer", predict_method="predict_proba"
    ),
    "fairlearn, ExponentiatedGradient": lambda: fair(
        "fairlearn.reductions:ExponentiatedGradient",
        constraints=made("fairlearn.reductions:DemographicParity"), max_iter=3,
    ),
    "scikit-lego, Thresholder": lambda: fits(
        "sklego.meta:Thresholder", booster(), threshold=0.5, data=(X2, y2)
    )(),
    "scikit-lego, GroupedClassifier": lambda: fits(
        "sklego.meta:GroupedClassifier", booster(), groups="a",
        data=(FRAME.assign(a=np.arange(150) % 2), y),
    )(),
    "boruta": by_boruta,
}  # fmt: skip


def main(wanted: list[str]) -> int:
    """Run the clients, and print the table."""
    works, failed, absent = [], [], []
    for name, client in CLIENTS.items():
        if wanted and not any(word in name for word in wanted):
            continue
        sink = io.StringIO()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                stdout, sys.stdout = sys.stdout, sink
                try:
                    right = client()
                finally:
                    sys.stdout = stdout
            (works if right else failed).append(name if right else f"{name}: a wrong answer")
        except ModuleNotFoundError as error:
            absent.append(f"{name} ({error.name})")
        except Exception as error:
            reason = str(error).strip().partition("\n")[0]
            failed.append(f"{name}: {type(error).__name__}: {reason}")
    print(f"{len(works)} of {len(works) + len(failed) + len(absent)} clients work")
    for title, names in (("fails", failed), ("not installed", absent)):
        for name in names:
            print(f"{title}: {name}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
