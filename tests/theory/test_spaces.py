"""The example spaces, edges of single classifiers, and the lazy learner."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from boostbench.theory.bounds import error_bound
from boostbench.theory.conditions import decide
from tests.theory.vectors import LAZY, VECTORS, subsets, windows


def test_windows_have_the_specified_classifiers():
    vector = VECTORS["windows"]
    space = windows(vector["n"], vector["n_classes"], vector["gamma"])
    assert_array_equal(space.predictions[:, 0], vector["first"])
    right = space.predictions == space.y[:, None]
    assert (right.sum(axis=0) == vector["width"]).all()
    assert (right.sum(axis=1) == vector["width"]).all()


def test_windows_answer_the_lowest_wrong_label_elsewhere():
    space = windows(13, 4, 0.4)
    assert decide(space, "minimal").gamma > 1e-9
    wrong = space.predictions != space.y[:, None]
    lowest = np.where(space.y == 0, 1, 0)
    assert_array_equal(space.predictions[wrong], np.broadcast_to(lowest[:, None], (13, 13))[wrong])


def test_a_lazy_learner_holds_samme_and_not_mm():
    samme = LAZY.play_lazy("samme", n_rounds=60)
    assert len(samme.chosen) == 60
    assert set(samme.chosen.tolist()) == {0, 1}
    assert (samme.error == 0.5).all()
    mm = LAZY.play_lazy("adaboost-mm", n_rounds=60)
    assert len(mm.error) == 22
    assert mm.error[-1] == 0.0


def test_the_lazy_space_has_each_classifier_once_and_tries_the_constants_first():
    answers = [*map(tuple, LAZY.lazy_space().predictions.T.tolist())]
    assert answers[:2] == [(0, 0), (1, 1)]
    assert sorted(answers) == [*product(range(3), range(3))]


@pytest.mark.parametrize(("n", "K", "r"), [(5, 4, 2), (7, 5, 2), (6, 3, 3)])
def test_mm_needs_no_more_than_the_edge_of_the_subsets(n, K, r):
    space = subsets(n, K, r)
    assert decide(space, "m1").gamma <= 1e-9
    gamma = decide(space, "minimal").gamma
    game = LAZY.play_lazy("adaboost-mm", n_rounds=1000, gamma=gamma - 1e-9, space=space)
    assert game.error[-1] == 0.0
    bound = error_bound(np.full(1000, gamma), K)
    assert len(game.error) <= np.argmax(bound < 1 / n) + 1
