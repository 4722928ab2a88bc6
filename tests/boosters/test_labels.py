"""Rounds of a fit: labels and scores are those of any prediction, with any number of threads."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.utils._param_validation import StrOptions

from boostbench.boosters import make_booster
from boostbench.boosters.state import largest_class
from boostbench.registry import boosters

from .games import each_round
from .test_common import BINARY, TABLE, every_booster, made, problem


def variants():
    """Return every booster with its defaults, and with every value of every option, one by one."""
    found = []
    for name in sorted(TABLE):
        found.append((name, {}))
        cls = boosters.get(name)
        constraints, defaults = cls._parameter_constraints, cls().get_params(deep=False)
        for key in sorted(defaults.keys() - {"early_stopping", "scoring", "warm_start"}):
            options = constraints.get(key, ())
            values = {True, False} if "boolean" in options else set()
            for option in options:
                values |= option.options if isinstance(option, StrOptions) else set()
            found += [(name, {key: value}) for value in sorted(values - {defaults[key]})]
    sampled = {"martiboost": {"rule": "sampled"}}
    return [
        *found,
        ("martiboost", {"rule": "sampled", "route": "sampled"}),
        ("martiboost", {"weak_learner": {"tree": {"max_leaf_nodes": 4}}}),
        ("adaboost-m1", {"weak_learner": "c45"}),
        ("samme", {"weak_learner": "c45"}),
        ("one-vs-all", {"booster": sampled}),
        ("one-vs-all", {"booster": sampled, "n_classes": 2}),
        ("one-vs-all", {"booster": {"adaboost-mh": {"rule": "sign"}}, "n_classes": 2}),
    ]


def test_the_options_that_change_labels_are_among_the_variants():
    assert ("martiboost", {"rule": "sampled"}) in variants()
    for name in ("adaboost-mh", "adaboost-mh-label", "adaboost-mh-real"):
        assert (name, {"rule": "sign"}) in variants()


@pytest.mark.parametrize(("name", "options"), variants(), ids=str)
def test_labels_and_scores_in_training_are_those_of_every_prediction(name, options):
    options = dict(options)
    X, y = problem(name if options.pop("n_classes", 4) == 4 else min(BINARY), 80)
    X = X.round(1)
    X[::7, 3] = np.nan
    X, y = np.concatenate([X, X[:30]]), np.concatenate([y, y[:30]])  # equal samples, too
    parameters = {"random_state": 3, **TABLE[name], **options}

    booster = make_booster(name, n_estimators=5, **parameters)
    rounds = each_round(booster, X, y, lambda info: (info.labels, info.scores[info.row_of]))
    told, scores = zip(*rounds, strict=True)
    assert_array_equal(told, list(booster.staged_predict(X)))
    walks = "sampled" in str(options)  # scores are chances in training, and one walk afterwards
    assert walks or np.array_equal(scores, [F.copy() for F in booster.staged_scores(X)])
    for T in range(1, len(told) + 1 if booster.nested_rounds else 1, 3):
        refit = make_booster(name, n_estimators=T, **parameters).fit(X, y)
        assert_array_equal(told[T - 1], refit.predict(X))
        assert walks or np.array_equal(scores[T - 1], refit.scores(X))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(("n", "K"), [(1, 3), (256, 2), (700, 5)])
def test_the_first_class_of_the_largest_score_is_predicted(order, n, K):
    F = np.random.default_rng(0).integers(-1, 2, size=(n, K)).astype(np.float64, order=order)
    assert_array_equal(largest_class(F), F.argmax(axis=1))


@cache
def rounds_with(name, n_jobs):
    """Return losses, edges and weights of the rounds, and the scores after each."""
    X, y = problem(name, 90)
    booster = made(name, n_estimators=4, random_state=3, n_jobs=n_jobs)

    def told(info):
        return [info.loss, info.step.edge, *booster.weights(info.state)]

    return each_round(booster, X, y, told), [F.copy() for F in booster.staged_scores(X)]


@every_booster
@settings(max_examples=4, deadline=None)
@given(n_jobs=st.integers(2, 7) | st.integers(-2, -1))
def test_the_number_of_threads_changes_no_bit(name, n_jobs):
    for expected, found in zip(rounds_with(name, 1), rounds_with(name, n_jobs), strict=True):
        assert_array_equal(np.array(expected), np.array(found))
