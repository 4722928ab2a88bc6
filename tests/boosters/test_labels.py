"""Labels and scores of each round of a fit are those of staged predictions, and of refits."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.utils._param_validation import StrOptions

from boostbench.boosters import make_booster
from boostbench.boosters.state import largest_class
from boostbench.registry import boosters

from .test_common import BINARY, TABLE, problem


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
    for name in ("adaboost-mh", "adaboost-mh-label", "adaboost-mh-real"):
        assert (name, {"rule": "sign"}) in variants()
    assert ("martiboost", {"rule": "sampled"}) in variants()


@pytest.mark.parametrize(("name", "options"), variants(), ids=str)
def test_labels_and_scores_in_training_are_those_of_every_prediction(name, options):
    options = dict(options)
    X, y = problem(name if options.pop("n_classes", 4) == 4 else min(BINARY), 80)
    X = X.round(1)
    X[::7, 3] = np.nan
    X, y = np.concatenate([X, X[:30]]), np.concatenate([y, y[:30]])  # equal samples, too
    parameters = {"random_state": 3, **TABLE[name], **options}

    def fitted(T, on_round=None):
        return make_booster(name, n_estimators=T, **parameters).fit(X, y, on_round=on_round)

    told = []
    scores = []

    def note(info):
        told.append(info.labels)
        scores.append(info.scores[info.row_of])

    booster = fitted(5, note)
    assert_array_equal(told, list(booster.staged_predict(X)))
    walks = "sampled" in str(options)  # scores are chances in training, and one walk afterwards
    assert walks or np.array_equal(scores, [F.copy() for F in booster.staged_scores(X)])
    for T in range(1, len(told) + 1 if booster.nested_rounds else 1, 3):
        refit = fitted(T)
        assert_array_equal(told[T - 1], refit.predict(X))
        assert walks or np.array_equal(scores[T - 1], refit.scores(X))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(("n", "K"), [(1, 3), (256, 2), (700, 5)])
def test_the_first_class_of_the_largest_score_is_predicted(order, n, K):
    F = np.random.default_rng(0).integers(-1, 2, size=(n, K)).astype(np.float64, order=order)
    assert_array_equal(largest_class(F), F.argmax(axis=1))
