"""Any number of threads gives the same model, bit for bit."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.datasets import make_classification

from tests.boosters.test_common import BINARY, TABLE, made


@cache
def _fitted(name, n_jobs):
    """Return losses, edges and weights of the rounds, and the scores after each."""
    n_classes = 2 if name in BINARY else 4
    X, y = make_classification(
        90, 5, n_informative=4, n_redundant=0, n_classes=n_classes, flip_y=0.2, random_state=1
    )
    curve = []

    def note(info):
        curve.append([info.loss, info.step.edge, *info.booster.weights(info.state)])

    booster = made(name, n_estimators=4, random_state=3, n_jobs=n_jobs)
    booster.fit(X, y, on_round=note)
    return curve, [F.copy() for F in booster.staged_scores(X)]


@pytest.mark.parametrize("name", TABLE)
@settings(max_examples=4, deadline=None)
@given(n_jobs=st.integers(2, 7) | st.integers(-2, -1))
def test_the_number_of_threads_changes_no_bit(name, n_jobs):
    (curve, scores), (other_curve, other_scores) = _fitted(name, 1), _fitted(name, n_jobs)
    assert_array_equal(np.array(curve), np.array(other_curve))
    assert_array_equal(scores, other_scores)
