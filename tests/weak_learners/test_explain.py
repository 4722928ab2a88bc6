"""Trees one by one, and Shapley values against their definition."""

from __future__ import annotations

import json
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn import datasets
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

from boostbench import list_boosters, make_booster
from boostbench.weak_learners import drawing

X, y = make_classification(
    120, n_features=4, n_informative=4, n_redundant=0, n_classes=3, n_clusters_per_class=1,
    random_state=0,
)  # fmt: skip
X[::9, 1] = np.nan
#: Trees with a label, with a sign for each class, and with a distribution in each leaf; decays.
NAMES: list[tuple[str, dict[str, Any]]] = [
    ("samme", {"weak_learner": {"tree": {"max_leaf_nodes": 6}}}),
    ("adaboost-mh", {}),
    ("mdeepboost", {"leaves": "distribution"}),
    ("robustboost", {"epsilon": 0.05, "theta": 0.3}),
    ("one-vs-all", {"booster": "adaboost"}),
    ("one-vs-all", {"booster": "logitboost"}),
]


def fitted(name: str, options: dict[str, Any]) -> Any:
    labels = (y > 0) * 1 if name == "robustboost" else y
    return make_booster(name, n_estimators=4, **options).fit(X, labels)


def scores_of(node: dict[str, Any], x: np.ndarray) -> dict[int, float]:
    while "scores" not in node:
        value = x[node["feature"]]
        missing = np.isnan(value)
        side = node["missing"] if missing else "left" if value <= node["threshold"] else "right"
        node = node[side]
    return {int(k): v for k, v in node["scores"].items()}


@pytest.mark.parametrize(("name", "options"), NAMES)
def test_dicts_of_the_trees_give_the_scores(name: str, options: dict[str, Any]) -> None:
    booster = fitted(name, options)
    trees = [json.loads(json.dumps(tree.to_dict())) for tree in booster.trees_]
    F = np.zeros((len(X), len(booster.classes_)))
    for tree, made in zip(booster.trees_, trees, strict=True):
        assert 1 <= tree.round <= booster.n_rounds_
        for i, x in enumerate(X):
            for k, value in scores_of(made, x).items():
                F[i, k] += tree.coefficient * value
    np.testing.assert_allclose(F, booster.scores(X), atol=1e-12)


def test_a_tree_can_be_drawn_and_applied(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = fitted("adaboost-mh", {}).trees_[0]
    ax = Figure().add_subplot()
    assert tree.plot(ax) is ax
    assert len(ax.texts) == len(tree.forest.feature) + tree.forest.n_leaves
    assert not any(text.get_parse_math() for text in ax.texts)  # as in a class "<$50K"
    monkeypatch.setattr(drawing, "_MOST_INCHES", 4.5)
    assert tree.plot().figure.get_figwidth() == 4.5
    assert {*tree.apply(X)} == {*range(tree.forest.n_leaves)}


def by_definition(booster: Any, x: np.ndarray, background: np.ndarray) -> Any:
    """Return the mean over all orders in which the features get their values from x."""
    values: Any = 0.0
    orders = list(permutations(range(len(x))))
    for order in orders:
        rows = background.copy()
        scores = [booster.decision_function(rows).mean(axis=0)]
        for j in order:
            rows[:, j] = x[j]
            scores.append(booster.decision_function(rows).mean(axis=0))
        values += np.diff(scores, axis=0)[np.argsort(order)] / len(orders)
    return values


@pytest.mark.parametrize(("name", "options"), NAMES)
def test_shapley_values_are_those_of_the_definition(name: str, options: dict[str, Any]) -> None:
    booster, background = fitted(name, options), X[40:52]
    values = booster.shap_values(X[:5], background)
    for i in range(5):
        np.testing.assert_allclose(values[i], by_definition(booster, X[i], background), atol=1e-12)
    expected = booster.decision_function(X) - booster.decision_function(background).mean(axis=0)
    np.testing.assert_allclose(
        booster.shap_values(X, background).sum(axis=1), expected, atol=1e-9, rtol=0
    )


def test_models_of_other_learners_have_no_trees() -> None:
    booster = make_booster("samme", n_estimators=2, weak_learner=DecisionTreeClassifier())
    with pytest.raises(AttributeError, match="has no list of trees"):
        booster.fit(X, y).trees_  # noqa: B018


def test_nodes_of_a_branching_program_are_trees_whose_sum_nobody_takes() -> None:
    booster = make_booster("martiboost", n_estimators=3).fit(X, y > 0)
    assert [tree.round for tree in booster.trees_] == [1, 2, 2, 3, 3, 3]
    assert all(0.0 <= p <= 1.0 for t in booster.trees_ for p in t.forest.leaf_value[:, 0])
    both = make_booster("one-vs-all", booster="martiboost", n_estimators=3).fit(X, y)
    assert len(both.trees_) == 18
    for ask in (booster.to_onnx, both.to_onnx, lambda: both.shap_values(X, X)):
        with pytest.raises(AttributeError, match="no sum of trees"):
            ask()


def test_a_model_that_learnt_nothing_has_no_trees_and_no_shares() -> None:
    booster = make_booster("adaboost", n_estimators=2).fit(np.ones((6, 2)), [0, 1] * 3)
    assert (booster.trees_, booster.n_rounds_) == ([], 0)
    assert not booster.shap_values(np.ones((1, 2)), np.ones((3, 2))).any()


def onnx_answers(booster: Any, rows: np.ndarray) -> Any:
    """Return the labels and scores that the ONNX model of a booster gives."""
    runtime = pytest.importorskip("onnxruntime", reason="pip install 'boostbench[onnx]'")
    pytest.importorskip("onnx", reason="pip install 'boostbench[onnx]'")
    session = runtime.InferenceSession(booster.to_onnx().SerializeToString())
    return session.run(None, {"X": rows})


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *((name, "text") for name in sorted({*list_boosters()} - {"martiboost"})),
        *((name, kind) for name, _ in NAMES[:-1] for kind in ("wine", "breast_cancer")),
    ],
)
def test_onnx_gives_the_labels_of_the_model(name: str, kind: str) -> None:
    samples, labels = X, np.array(["ash", "birch", "cedar"])[y]
    if kind != "text":
        samples, labels = getattr(datasets, f"load_{kind}")(return_X_y=True)
    booster = make_booster(name, n_estimators=12)
    two = not booster.__sklearn_tags__().classifier_tags.multi_class
    booster.fit(samples, labels == labels[0] if two else labels)
    near = np.unique([tree.forest.threshold[0] for tree in booster.trees_ if tree.forest.gain.size])
    beside = [np.where(samples == t, np.nextafter(t, np.inf), samples) for t in near[:8]]
    rows = np.concatenate([samples, *beside])
    found, scores = onnx_answers(booster, rows)
    np.testing.assert_array_equal(found, booster.predict(rows))
    np.testing.assert_allclose(scores, booster.scores(rows), atol=1e-9)


def test_onnx_keeps_labels_by_sign_and_a_model_without_trees() -> None:
    by_sign = make_booster("adaboost-mh", n_estimators=2, rule="sign").fit(X, y)
    assert (by_sign.predict(X) != by_sign.classes_[by_sign.scores(X).argmax(axis=1)]).any()
    nothing = make_booster("adaboost", n_estimators=2).fit(np.ones((6, 4)), [0, 1] * 3)
    for booster in (by_sign, nothing):
        np.testing.assert_array_equal(onnx_answers(booster, X)[0], booster.predict(X))
