"""Plugin of pytest that puts our boosters in the place of another package's classifier.

``pytest -p checks.peers.adapters`` with ``PEERS_SUITE=NAME PEERS_REPORT=FILE`` in the environment
writes a line of JSON for each test that made one of our boosters: its name, outcome and error.
"""

from __future__ import annotations

import importlib
import inspect
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from boostbench.registry import boosters

#: Parameters of our early stopping that scikit-learn has too.
_STOPPING = ("validation_fraction", "n_iter_no_change", "tol", "verbose", "warm_start")
_COMMON = {"random_state": "random_state", "class_weight": "class_weight"}
#: Parameters of trees that scikit-learn has too.
_TREE = {
    name: f"tree.{name}"
    for name in ("max_depth", "max_leaf_nodes", "min_samples_leaf", "max_features")
}


@dataclass(frozen=True)
class Suite:
    """A test module of another package, and the booster that its tests get.

    Attributes
    ----------
    package : str
        Distribution whose version is told.
    module : str
        Module for ``--pyargs``, or file within the clone of a repository.
    peer : str
        Class that is replaced, as ``package.module:Class``.
    booster : str
    parameters : mapping of str to str
        Parameters of the peer, with ours; ``tree.NAME`` is one of the weak learner, and an empty
        name one that has no effect.
    defaults : mapping of str to object
        Defaults of the peer, by its names.
    attributes : mapping of str to str
        Attributes of the peer's fitted models, with ours.
    regressor : str
        Regressor of the peer whose tests take long, and are skipped.
    repository, version : str
        Where the tests are, if not in the installed package: a tag or a commit.
    """

    package: str
    module: str
    peer: str
    booster: str
    parameters: Mapping[str, str]
    defaults: Mapping[str, Any]
    attributes: Mapping[str, str] = field(default_factory=dict)
    regressor: str = ""
    repository: str = ""
    version: str = ""


SUITES = {
    "AdaBoost": Suite(
        package="scikit-learn",
        module="sklearn.ensemble.tests.test_weight_boosting",
        peer="sklearn.ensemble:AdaBoostClassifier",
        booster="samme",
        parameters={"estimator": "weak_learner", "n_estimators": "n_estimators", **_COMMON},
        defaults={"n_estimators": 50, "estimator": "stump"},
    ),
    "tree": Suite(
        package="scikit-learn",
        module="sklearn.tree.tests.test_tree",
        peer="sklearn.tree:DecisionTreeClassifier",
        booster="samme",
        parameters={
            **{"criterion": "tree.criterion", "splitter": "tree.splitter", **_TREE, **_COMMON},
            "min_weight_fraction_leaf": "tree.min_weight_fraction_leaf",
            "n_estimators": "n_estimators",
        },
        defaults={
            **{"n_estimators": 1, "criterion": "gini", "splitter": "best"},
            **{"min_samples_leaf": 1, "min_weight_fraction_leaf": 0.0},
        },
    ),
    "gradient boosting": Suite(
        package="scikit-learn",
        module="sklearn.ensemble.tests.test_gradient_boosting",
        peer="sklearn.ensemble:GradientBoostingClassifier",
        booster="sm-boost",
        parameters={
            **{name: name for name in ("learning_rate", "n_estimators", "subsample", *_STOPPING)},
            **_TREE,
            "random_state": "random_state",
        },
        defaults={"learning_rate": 0.1, "subsample": 1.0, "max_depth": 3, "min_samples_leaf": 1},
        attributes={"n_estimators_": "n_rounds_"},
    ),
    "hist gradient boosting": Suite(
        package="scikit-learn",
        module="sklearn.ensemble._hist_gradient_boosting.tests.test_gradient_boosting",
        peer="sklearn.ensemble:HistGradientBoostingClassifier",
        booster="sm-boost",
        parameters={
            **{name: name for name in ("learning_rate", "early_stopping", "scoring", *_STOPPING)},
            **{"max_iter": "n_estimators", "categorical_features": "categorical_features"},
            **{"max_bins": "tree.max_bins", **_TREE, **_COMMON},
        },
        defaults={
            **{"max_iter": 100, "learning_rate": 0.1, "scoring": "loss", "max_bins": 255},
            **{"max_leaf_nodes": 31, "min_samples_leaf": 20, "early_stopping": "auto"},
        },
        attributes={"n_iter_": "n_rounds_"},
        regressor="HistGradientBoostingRegressor",
    ),
    "LightGBM": Suite(
        package="lightgbm",
        module="tests/python_package_test/test_sklearn.py",
        peer="lightgbm:LGBMClassifier",
        booster="sm-boost",
        parameters={
            **{name: name for name in ("n_estimators", "learning_rate", "subsample", "n_jobs")},
            **{"num_leaves": "tree.max_leaf_nodes", "min_child_samples": "tree.min_samples_leaf"},
            **{"max_depth": "tree.max_depth", "verbose": "", **_COMMON},
        },
        defaults={
            **{"learning_rate": 0.1, "subsample": 1.0, "num_leaves": 31},
            **{"min_child_samples": 20},
        },
        attributes={
            **{"n_estimators_": "n_rounds_", "n_iter_": "n_rounds_"},
            **{"n_features_": "n_features_in_", "feature_name_": "feature_names_in_"},
        },
        regressor="LGBMRegressor",
        repository="https://github.com/microsoft/LightGBM",
        version="v4.6.0",
    ),
    "cleanlab": Suite(
        package="cleanlab",
        module="tests/test_classification.py",
        peer="sklearn.linear_model:LogisticRegression",
        booster="adaboost-mh",
        parameters={"solver": "", **_COMMON},
        defaults={},
        repository="https://github.com/cleanlab/cleanlab",
        version="v2.9.0",
    ),
}

#: Whether the test in progress made a booster.
_made = [False]


def adapted(suite: Suite) -> type:
    """Return a subclass of the booster with the name and the parameters of the peer."""
    booster = boosters.get(suite.booster)
    its_own = booster().get_params(deep=False)
    known = {
        name: suite.defaults.get(name, its_own.get(ours)) for name, ours in suite.parameters.items()
    }
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    signature = inspect.Signature(
        [inspect.Parameter(name, kind, default=default) for name, default in known.items()]
    )

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        _made[0] = True
        booster.__init__(self)
        given = signature.bind(*args, **kwargs)
        given.apply_defaults()
        vars(self).update(given.arguments)

    def _validate_params(self: Any) -> None:
        tree = {}
        for name, ours in suite.parameters.items():
            if ours.startswith("tree."):
                value = getattr(self, name)
                tree[ours.removeprefix("tree.")] = "entropy" if value == "log_loss" else value
            elif ours:
                setattr(self, ours, getattr(self, name))
        if getattr(self, "scoring", "") is None:  # the score of the classifier
            self.scoring = "accuracy"
        if tree:
            self.weak_learner = {"tree": tree}
        booster._validate_params(self)

    own = inspect.Parameter("self", kind)
    __init__.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[own, *signature.parameters.values()]
    )
    members = {"__init__": __init__, "_validate_params": _validate_params, "__module__": __name__}
    members |= {peer: property(attrgetter(ours)) for peer, ours in suite.attributes.items()}
    members["_parameter_constraints"] = {
        name: constraint
        for name, constraint in booster._parameter_constraints.items()
        if suite.parameters.get(name) != ""
    }
    members["_more_tags"] = lambda self: {"_xfail_checks": {}}  # LightGBM asks when it collects
    made = type(suite.peer.partition(":")[2], (booster,), members)
    globals()[made.__name__] = made  # pickle finds it
    return made


def _put(suite: Suite) -> None:
    module, _, name = suite.peer.partition(":")
    ours = adapted(suite)
    replaced = getattr(importlib.import_module(module), name)
    setattr(importlib.import_module(module), name, ours)
    setattr(importlib.import_module(replaced.__module__), name, ours)
    if suite.regressor:
        regressor: Any = getattr(importlib.import_module(module), suite.regressor)
        regressor.fit = lambda *_, **__: pytest.skip("a regressor")


def pytest_configure() -> None:
    """Replace the peer's class before its tests import it."""
    _put(SUITES[os.environ["PEERS_SUITE"]])


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Write the outcome of a test that made a booster."""
    outcome: Any = yield
    if call.when == "setup":
        _made[0] = False
    if call.when != "call" or not _made[0]:
        return
    report, error = outcome.get_result(), ""
    if call.excinfo is not None:
        lines = f"{call.excinfo.typename}: {call.excinfo.value}".strip().splitlines()
        error = " ".join(line.strip() for line in lines)[:600]
    told = {"test": item.nodeid.partition("::")[2], "outcome": report.outcome, "error": error}
    with Path(os.environ["PEERS_REPORT"]).open("a", encoding="utf-8") as file:
        file.write(json.dumps(told) + "\n")
