"""For two classes these boosters are AdaBoost, round for round."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer

from boostbench import make_booster
from tests.boosters.finite import noisy_stumps

BY_ERROR = {"tree": {"criterion": "error", "max_depth": 2}}
BY_COST = {"tree": {"max_depth": 2}}
#: Name, parameters, weak learner, and what its scores' difference is in AdaBoost's.
SAME = [
    ("adaboost-m1", {}, BY_ERROR, 2.0),
    ("adaboost-mh", {}, BY_ERROR, 2.0),
    ("adaboost-mm", {}, BY_COST, 1.0),
    ("adaboost-mm", {"step": "exact"}, BY_COST, 1.0),
    ("adaboost-mr", {"reuse": False}, {"greedy": {"max_depth": 2}}, 1.0),
    ("cd-mcboost", {}, BY_ERROR, 2.0),
    ("gd-mcboost", {}, BY_COST, 1.0),
    ("one-vs-all", {"booster": "adaboost"}, BY_ERROR, 1.0),
    ("samme", {}, BY_ERROR, 2.0),
]


@pytest.mark.parametrize(("name", "parameters", "learner", "factor"), SAME)
def test_it_is_adaboost(name, parameters, learner, factor):
    for X, y in (noisy_stumps(2), load_breast_cancer(return_X_y=True)):
        X = X.round(1)
        boosters = [
            make_booster("adaboost", n_estimators=20, weak_learner=BY_ERROR),
            make_booster(name, n_estimators=20, weak_learner=learner, **parameters),
        ]
        ours, other = (
            list(map(np.copy, b.fit(X, y).staged_decision_function(X))) for b in boosters
        )
        assert len(ours) == 20
        assert_allclose(other, factor * np.array(ours), rtol=1e-6, atol=1e-8)
