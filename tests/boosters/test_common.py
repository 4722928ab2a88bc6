"""Properties of every booster, tried with the parameters that it declares."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.utils import estimator_checks

from boostbench import list_boosters, make_booster
from boostbench.experiments.planning.planner import takes_two_classes
from boostbench.plugin_checks import EXPECTED_FAILED_CHECKS
from boostbench.registry import boosters
from tests.boosters.finite import noisy_problem

#: Parameters of each booster in the common checks.
TABLE = {name: dict(boosters.declarations[name].trial) for name in list_boosters()}
#: Boosters that take two classes only.
BINARY = {name for name in TABLE if takes_two_classes(boosters.get(name))}


def made(name, **parameters):
    return make_booster(name, **{"n_estimators": 15, **TABLE[name], **parameters})


def scores(name, X, y, weight=None, **parameters):
    """Return the scores of the training samples."""
    return made(name, **parameters).fit(X, y, weight).scores(X)


def problem(name, n=200):
    """Return a noisy problem of as many classes as the booster takes, four at most."""
    return noisy_problem(n, 2 if name in BINARY else 4, flip_y=0.2, n_features=6)


def flowers(name):
    """Return iris, of two classes for a binary booster."""
    X, y = load_iris(return_X_y=True)
    kept = y > 0 if name in BINARY else y >= 0
    return X[kept], y[kept]


every_booster = pytest.mark.parametrize("name", sorted(TABLE))


#: One booster of each loop, ensemble and shape of scores goes through all checks. The others have
#: other formulas in the `fit` of one of these.
OF_EACH_KIND = {
    "adaboost",
    "adaboost-mh",
    "cd-mcboost",
    "l2boost",
    "lpboost",
    "martiboost",
    "mdeepboost",
    "one-vs-all",
    "samme",
    "sm-boost",
    "splboost",
}


@pytest.mark.parametrize("name", sorted(OF_EACH_KIND))
def test_scikit_learn_checks(name):
    estimator_checks.check_estimator(
        made(name, n_estimators=4), on_skip=None, expected_failed_checks=EXPECTED_FAILED_CHECKS
    )


@pytest.mark.parametrize(
    "estimator",
    [
        *(made(name) for name in sorted(TABLE.keys() - OF_EACH_KIND)),
        made("adaboost-mh", weak_learner="multilabel-stump"),
        made("adaboost-mh", weak_learner={"multilabel-stump": {"answers": "factored"}}),
        made("cd-mcboost", loss="logistic", orientation="helmert"),
        made("cd-mcboost", step="newton"),
        made("drifting-game", loss="zero-one"),
        made("gd-mcboost", loss="logistic"),
    ],
    ids=str,
)
def test_variants_pass_the_checks_that_formulas_decide(estimator):
    name = type(estimator).__name__
    for check in (
        estimator_checks.check_parameters_default_constructible,
        estimator_checks.check_no_attributes_set_in_init,
        estimator_checks.check_classifiers_train,
        estimator_checks.check_sample_weight_equivalence_on_dense_data,
        estimator_checks.check_estimators_pickle,
        estimator_checks.check_fit_idempotent,
    ):
        check(name, clone(estimator))


@every_booster
def test_a_row_alone_has_the_scores_that_it_has_among_many(name):
    X, y = problem(name, 100)
    booster = made(name).fit(X, y)
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    assert_array_equal([booster.scores(row[None])[0] for row in X], booster.scores(X))


@every_booster
def test_staged_predictions_end_with_the_plain_ones(name):
    X, y = flowers(name)
    booster = made(name).fit(X, y)
    assert_array_equal(list(booster.staged_predict(X))[-1], booster.predict(X))
    assert_array_equal(list(booster.staged_predict_proba(X))[-1], booster.predict_proba(X))
    last = list(booster.staged_decision_function(X))[-1]
    assert_array_equal(last, booster.decision_function(X))


@every_booster
def test_permuting_the_samples_changes_nothing(name):
    X, y = problem(name, 100)
    order = np.random.default_rng(0).permutation(len(y))
    assert_array_equal(scores(name, X, y)[order], scores(name, X[order], y[order]))


@pytest.mark.parametrize("name", ["adaboost-cost", "adaboost-m1", "samme"])
def test_units_of_features_and_a_constant_column_change_last_bits_at_most(name):
    X, y = problem(name, 100)
    for other in (4 * X, np.column_stack([X, np.ones(100)])):
        assert_allclose(scores(name, other, y), scores(name, X, y), rtol=1e-12, atol=1e-14)


@every_booster
def test_whole_weights_are_repeated_samples(name):
    X, y = problem(name, 60)
    weight = np.random.default_rng(1).integers(0, 4, len(y))
    repeated = made(name).fit(X.repeat(weight, axis=0), y.repeat(weight))
    assert_array_equal(scores(name, X, y, weight), repeated.scores(X))


@every_booster
def test_class_weights_are_weights_of_the_samples(name):
    X, y = problem(name, 100)
    weights = dict(zip(np.unique(y).tolist(), [2.0, 1.0, 3.0, 1.0], strict=False))
    of_sample = np.array([weights[label] for label in y.tolist()])
    by_text = {str(label): weight for label, weight in weights.items()}  # as in a config
    for given in (weights, by_text):
        found = scores(name, X, y, class_weight=given)
        assert_array_equal(found, scores(name, X, y, of_sample))
    balanced = len(y) / (len(weights) * np.bincount(y))[y]
    found = scores(name, X, y, of_sample, class_weight="balanced")
    assert_array_equal(found, scores(name, X, y, balanced * of_sample))


@every_booster
def test_only_ratios_of_weights_matter_up_to_the_largest_floats(name):
    X, y = problem(name, 80)
    expected = scores(name, X, y)
    for size in (2.0**-1074, 2.0**1023):
        weight, by_class = np.full(len(y), size), dict.fromkeys(np.unique(y).tolist(), size)
        assert_array_equal(scores(name, X, y, weight), expected)
        assert_array_equal(scores(name, X, y, weight, class_weight=by_class), expected)


@every_booster
def test_weights_of_a_survey_are_no_numbers_of_copies(name):
    X, y = problem(name, 100)
    weight = np.random.default_rng(0).integers(2**30, 2**31, len(y))
    found = scores(name, X, y, weight)
    assert_allclose(found, scores(name, X, y, weight / 2.0**40), rtol=1e-9)


# elsewhere the order of the labels decides what is drawn, or which codeword is whose
@pytest.mark.parametrize("name", [n for n in TABLE if not boosters.get(n).class_order_matters])
def test_relabelling_the_classes_renames_them(name):
    X, y = problem(name)
    names = np.array([1, 0] if name in BINARY else [2, 0, 3, 1])
    weight = np.random.default_rng(0).random(len(y))  # no two labels tie in a leaf
    renamed = scores(name, X, names[y], weight)
    assert_allclose(scores(name, X, y, weight), renamed[:, names], atol=1e-9)


@every_booster
def test_labels_may_be_text(name):
    X, y = flowers(name)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    booster = made(name).fit(X, names)
    assert booster.classes_.tolist() == sorted(set(names))
    assert booster.score(X, names) > 0.95


@every_booster
def test_missing_values_are_accepted(name):
    X, y = flowers(name)
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.2, np.nan, X)
    assert made(name, n_estimators=50).fit(X, y).score(X, y) > 0.9


@every_booster
def test_labels_without_a_pattern_end_with_a_reason(name):
    K = 2 if name in BINARY else 3
    X, y = np.zeros((2 * K, 2)), np.tile(np.arange(K), 2)
    booster = made(name).fit(X, y)
    assert np.isfinite(booster.predict_proba(X)).all()
    if booster.n_rounds_ == 0:
        assert booster.predict(X[:1]).tolist() == [0]
        assert booster.stop_reason_ in {"no edge", "converged", "stationary"}
        assert_array_equal(booster.decision_function(X), 0.0)
        assert_allclose(booster.predict_proba(X), 1 / K)
        assert list(booster.staged_predict(X)) == []


@every_booster
def test_many_rounds_on_separable_data_stay_finite(name):
    X, y = load_iris(return_X_y=True)
    kept = y < 2 if name in BINARY else y < 3
    booster = made(name, n_estimators=60 if name == "martiboost" else 150).fit(X[kept], y[kept])
    assert np.isfinite(booster.scores(X)).all()
    assert np.isfinite(booster.predict_proba(X)).all()
    assert booster.score(X[kept], y[kept]) > (0.99 if name in BINARY else 0.9)


@every_booster
def test_a_fitted_booster_pickles_small(name):
    X, y = problem(name, 400)
    booster = made(name, n_estimators=20).fit(X, y)
    unused = pickle.dumps(booster)
    F = booster.scores(X)
    pickled = pickle.dumps(booster)
    assert len(pickled) < len(unused) + 100  # what predictions prepare is not in it
    assert_array_equal(pickle.loads(pickled).scores(X), F)
    parts = getattr(booster, "estimators_", [booster])
    assert len(pickled) < 60 * sum(part._grown()[0].n_leaves for part in parts) + 20_000


@every_booster
def test_importances_are_shares_of_the_features_that_are_split(name):
    X, y = problem(name)
    X = np.column_stack([X, np.zeros(len(X))])
    booster = made(name).fit(X, y)
    if name == "martiboost":  # a branching program
        assert not hasattr(booster, "feature_importances_")
        return
    importances = booster.feature_importances_
    assert importances.shape == (7,)
    assert importances.min() >= 0.0
    assert importances.sum() == pytest.approx(1.0)
    assert importances[-1] == 0.0
    assert_array_equal(pickle.loads(pickle.dumps(booster)).feature_importances_, importances)


@every_booster
def test_a_clone_with_the_same_seed_gives_the_same_model(name):
    X, y = problem(name)
    booster = made(
        name, random_state=7, weak_learner={"tree": {"splitter": "random", "max_leaf_nodes": 4}}
    )
    first = booster.fit(X, y).scores(X)
    assert_array_equal(first, clone(booster).fit(X, y).scores(X))
    other = clone(booster).set_params(random_state=8).fit(X, y).scores(X)
    assert not np.array_equal(first, other)
