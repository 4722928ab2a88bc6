from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.components import mistakes_of
from boostbench.noise import corrupt
from boostbench.registry import noise_models

T = [[0.7, 0.2, 0.1], [0.0, 1.0, 0.0], [0.5, 0.5, 0.0]]
PARAMS = {"matrix": {"transition": T}}
BY_LABEL = ["exchange", "uniform-other", "pair", "matrix"]
THREE_CLASSES = [*BY_LABEL, "permute", "one-sided", "rater"]


def rng(seed=0):
    return np.random.default_rng(seed)


def labels(n=150, n_classes=3):
    return np.arange(n) % n_classes


def features(n=150):
    return rng(7).normal(size=(n, 2)) + labels(n)[:, None]


def noisy(model, rate, seed=0, y=None, **params):
    y = labels() if y is None else y
    return corrupt(
        y, 3, model, rate, rng(seed), X=features(len(y)), **{**PARAMS.get(model, {}), **params}
    )


def test_every_registered_model_is_tested():
    assert set(noise_models.names()) == {*THREE_CLASSES, "flip"}


@pytest.mark.parametrize("model", THREE_CLASSES)
@settings(max_examples=20)
@given(
    rate=st.floats(0, 1),
    seed=st.integers(0, 2**32),
    y=st.lists(st.integers(0, 2), min_size=6, max_size=40),
)
def test_the_share_is_exact_and_the_confusion_tells_all(model, rate, seed, y):
    y = np.array([0, 1, 2, *y])
    clean = y.copy()
    result = noisy(model, rate, seed, y)
    assert np.array_equal(y, clean)
    assert abs(result.n_chosen - rate * len(y)) <= 0.5 + 1e-6
    assert np.unique(result.chosen).size == result.n_chosen
    others = np.setdiff1d(np.arange(len(y)), result.chosen)
    assert np.array_equal(result.y[others], y[others])
    assert np.array_equal(result.confusion.sum(axis=1), np.bincount(y, minlength=3))
    assert np.array_equal(result.confusion.sum(axis=0), np.bincount(result.y, minlength=3))
    assert result.n_changed == np.sum(result.y != y)


def test_fifteen_of_a_hundred_and_fifty():
    for model in THREE_CLASSES:
        assert noisy(model, 0.1).n_chosen == 15
    assert noisy("exchange", 0.15).n_chosen == 23  # halves upwards
    assert noisy("exchange", 0.29, y=labels(50)).n_chosen == 15


@pytest.mark.parametrize(
    ("model", "how"),
    [
        (model, how)
        for model in THREE_CLASSES
        for how in ({}, {"exact": False}, {"per_class": True})
        if model != "rater" or "exact" not in how  # by rank there are exact counts only
    ],
    ids=str,
)
def test_a_lower_rate_is_nested_in_a_higher_one(model, how):
    results = [noisy(model, rate, 3, **how) for rate in (0.05, 0.1, 0.3, 0.8, 1.0)]
    for low, high in pairwise(results):
        assert np.isin(low.chosen, high.chosen).all()
        if model != "permute":
            assert np.array_equal(low.y[low.chosen], high.y[low.chosen])


@pytest.mark.parametrize("model", THREE_CLASSES)
def test_noise_depends_on_its_stream_alone(model):
    assert np.array_equal(noisy(model, 0.3, 1).y, noisy(model, 0.3, 1).y)
    assert not np.array_equal(noisy(model, 0.3, 1).y, noisy(model, 0.3, 2).y)


@pytest.mark.parametrize(
    ("model", "shares"),
    [
        ("exchange", np.full((3, 3), 1 / 3)),
        ("uniform-other", (1 - np.eye(3)) / 2),
        ("pair", np.eye(3)[[1, 2, 0]]),
        ("matrix", np.array(T)),
    ],
)
def test_chosen_labels_are_drawn_with_the_probabilities_of_the_model(model, shares):
    confusion = noisy(model, 1.0, y=labels(30_000)).confusion
    np.testing.assert_allclose(confusion / 10_000, shares, atol=0.02)
    assert not confusion[shares == 0.0].any()


def test_permute_keeps_class_counts():
    y = np.repeat([0, 1, 2], [100, 40, 10])
    result = noisy("permute", 0.5, y=y)
    assert np.bincount(result.y).tolist() == [100, 40, 10]
    assert result.n_changed > 0


def test_matrix_draws_no_class_of_probability_zero():
    class Largest:
        def random(self, n):
            return np.full(n, 1 - 2**-53)

    T = np.tile([1 / 3, 1 / 3, 1 / 3 - 1e-9, 0.0], (4, 1))
    seen = corrupt(np.arange(4), 4, "matrix", 1.0, Largest(), transition=T).y
    assert seen.tolist() == [2, 2, 2, 2]


def test_flip_is_for_two_classes():
    result = corrupt(labels(100, 2), 2, "flip", 0.2, rng())
    assert result.n_changed == 20


def test_each_label_by_itself():
    y = labels(4000, 2)
    counts = [corrupt(y, 2, "flip", 0.1, rng(seed), exact=False).n_chosen for seed in range(30)]
    assert len(set(counts)) > 5
    assert np.mean(counts) == pytest.approx(400, abs=4 * 19 / np.sqrt(30))
    assert corrupt(y, 2, "flip", 0.0, rng(), exact=False).n_chosen == 0
    assert corrupt(y, 2, "flip", 1.0, rng(), exact=False).n_chosen == 4000


def test_exact_counts_in_every_class():
    y = np.repeat([0, 1, 2], [100, 40, 10])
    result = noisy("uniform-other", 0.1, y=y, per_class=True)
    assert np.bincount(y[result.chosen]).tolist() == [10, 4, 1]


def test_one_sided_noise_leaves_the_other_classes_alone():
    result = noisy("one-sided", 0.4, y=labels(300), source=1, per_class=True)
    assert result.confusion.tolist()[0] == [100, 0, 0]
    assert result.confusion.tolist()[2] == [0, 0, 100]
    assert result.confusion[1, 1] == 60
    assert min(result.confusion[1]) > 10


def test_raters_prefer_rows_near_a_boundary():
    x = labels(900) + rng(4).normal(scale=0.35, size=900)  # of three classes in a row
    X = np.stack([x, np.full(900, 7.0)], axis=1)  # one feature is of no use
    result = corrupt(labels(900), 3, "rater", 0.1, rng(5), X=X)
    distance = np.minimum(np.abs(x - 0.5), np.abs(x - 1.5))
    others = np.setdiff1d(np.arange(len(x)), result.chosen)
    assert distance[others].mean() > 1.3 * distance[result.chosen].mean()
    far = result.confusion[0, 2] + result.confusion[2, 0]
    assert far < 0.2 * result.n_changed


def test_gaps_constant_columns_and_absent_classes_are_taken():
    X = np.stack([rng(2).normal(size=40), np.full(40, 3.0), np.full(40, np.nan)], axis=1)
    X[::3, 0] = np.nan
    result = corrupt(labels(40, 2), 4, "rater", 0.5, rng(), X=X)
    assert result.n_chosen == result.n_changed == 20
    assert corrupt(labels(1), 3, "rater", 1.0, rng(), X=X[:1]).n_chosen == 1


def test_a_parameter_of_a_plugin_is_needed_only_without_a_default():
    @noise_models.register("some")
    def some(y, n_classes, rng, X, *others, kept, classes=()):
        """Classes, by default all."""
        return y

    assert mistakes_of(noise_models, "some", {}).found == [((), "needs 'kept'")]
    assert mistakes_of(noise_models, "some", {"kept": 1}).found == []
    (_, what), *others = mistakes_of(noise_models, "matrix", {}).found
    assert (what, others) == ("needs 'transition': array-like, shape (K, K)", [])


def test_a_plugin_may_return_just_labels():
    @noise_models.register("all-zero")
    def all_zero(y, n_classes, rng, X, label=0):
        return np.full(len(y), label)

    assert corrupt(labels(), 3, "all-zero", 1.0, rng(), label=2).confusion[:, 2].sum() == 150


@pytest.mark.parametrize("proposed", [labels()[:-1], labels()[:, None], labels() - 1, labels() + 1])
def test_what_a_model_proposes_is_checked(proposed, monkeypatch):
    monkeypatch.setattr(
        noise_models, "get", lambda name, where: lambda y, n_classes, rng, X: proposed
    )
    with pytest.raises(BoostbenchError, match="noise: 'mine' must propose 150 labels from 0 to 2"):
        noisy("mine", 0.5)
