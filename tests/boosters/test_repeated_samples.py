"""Repeated samples count as often as they are repeated, in every booster and weak learner."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from boostbench.boosters import make_booster, surface
from boostbench.boosters.pairing import paired_learner
from boostbench.boosters.rows import canonical_rows
from boostbench.registry import weak_learners
from boostbench.weak_learners import WeightedLabels, make_weak_learner

from .games import each_round
from .test_common import BINARY, OF_EACH_KIND, TABLE

#: Learners with the parameters that make them count samples.
LEARNERS = {
    "default": None,
    "tree": {"tree": {"min_samples_leaf": 6, "max_leaf_nodes": 6}},
    "tree, random": {"tree": {"splitter": "random", "min_samples_leaf": 6, "max_leaf_nodes": 6}},
    "tree, few bins": {"tree": {"max_bins": 8, "max_leaf_nodes": 6}},
    "c45": "c45",
    "c45, simple": {"c45": {"version": "simple", "max_depth": 3}},
    "greedy": {"greedy": {"max_leaf_nodes": 6}},
    "greedy-info": {"greedy-info": {"max_leaf_nodes": 6, "max_bins": 8}},
    "multilabel-stump": "multilabel-stump",
    "multilabel-stump, real": {"multilabel-stump": {"answers": "real"}},
    "multilabel-stump, factored": {"multilabel-stump": {"answers": "factored"}},
    "regression-tree": {"regression-tree": {"min_samples_leaf": 6}},
    "stump": "stump",
    "scikit-learn": DecisionTreeClassifier(max_depth=1, min_samples_leaf=30, random_state=0),
}
#: What a booster draws for its rows is not what it draws for its samples.
WITHOUT_DRAWS = {"sm-boost": {"gradient": "exact"}}


def repeated(n_classes):
    """Return some 150 samples, 50 of them distinct; a few differ by their class alone."""
    rng = np.random.default_rng(11)
    X = rng.normal(size=(45, 3))
    X[rng.random(X.shape) < 0.05] = np.nan
    X = np.concatenate([X, X[:5]])
    y = (np.nan_to_num(X[:, 0]) > 0.0) + (np.nan_to_num(X[:, 1]) > 0.3) * (n_classes - 2)
    y = np.where(rng.random(50) < 0.2, rng.integers(0, n_classes, 50), y)
    count = rng.integers(1, 6, 50)
    return X.repeat(count, axis=0), y.repeat(count)


def unmerged(X, y, weight, made=None):
    """Return one row per sample: an idle column, which no weak learner sees, tells them apart."""
    return canonical_rows(np.column_stack([X, np.arange(len(X))]), y, weight, made)


def trees_of(booster):
    """Return the forests of a fitted booster."""
    if hasattr(booster, "estimators_"):
        return [forest for one in booster.estimators_ for forest in trees_of(one)]
    model = booster.model_
    return list(getattr(model, "_parts", None) or getattr(model, "_trees", [model]))


def meets(name, learner):
    """Return whether a weak learner can serve a booster."""
    booster = make_booster(name, **{**TABLE[name], "weak_learner": learner})
    try:
        return bool(paired_learner(booster.asking(), 2))
    except ValueError:
        return False


#: Every booster with its own learner, and every learner with a booster of each kind.
PAIRS = [
    (name, kind)
    for name in TABLE
    for kind in (LEARNERS if name in OF_EACH_KIND else ["default"])
    if meets(name, LEARNERS[kind])
]


def test_every_registered_weak_learner_is_among_the_pairs():
    kinds = {kind.split(",")[0] for _, kind in PAIRS}
    assert kinds >= set(weak_learners.names())
    assert {name for name, _ in PAIRS} == set(TABLE)


@pytest.mark.parametrize(("name", "kind"), PAIRS)
def test_repeated_samples_are_as_good_as_distinct_ones(name, kind, monkeypatch):
    X, y = repeated(2 if name in BINARY else 4)
    parameters = {**TABLE[name], **WITHOUT_DRAWS.get(name, {}), "random_state": 0}
    if LEARNERS[kind] is not None:
        parameters["weak_learner"] = LEARNERS[kind]
    # a fourth layer has a node that nothing but rounding errors of one label reaches
    booster = make_booster(name, n_estimators=3 if name == "martiboost" else 4, **parameters)
    staged = [F.copy() for F in booster.fit(X, y).staged_scores(X)]
    forests, reason = trees_of(booster), booster.stop_reason_
    monkeypatch.setattr(surface, "canonical_rows", unmerged)
    apart = [F.copy() for F in booster.fit(X, y).staged_scores(X)]
    assert (len(staged), reason) == (len(apart), booster.stop_reason_)
    for one, other in zip(forests, trees_of(booster), strict=True):
        for array in ("feature", "threshold", "missing_left", "left", "right"):
            if hasattr(one, array):
                assert_array_equal(getattr(one, array), getattr(other, array))
    # sums of a row's samples round differently, and boosters enlarge the difference
    largest = max((np.abs(F).max() for F in apart), default=1.0)
    for F, other in zip(staged, apart, strict=True):
        assert_allclose(F, other, rtol=1e-7, atol=1e-9 * largest)


@pytest.mark.parametrize("least", [2, 5, 9, 20])
def test_leaves_of_repeated_samples_are_scikit_learns(least):
    X, y = repeated(2)
    X = np.nan_to_num(X)
    limits = {"min_samples_leaf": least, "max_leaf_nodes": 6}
    booster = make_booster(
        "l2boost", n_estimators=1, learning_rate=1.0, weak_learner={"regression-tree": limits}
    )
    expected = DecisionTreeRegressor(**limits, random_state=0).fit(X, 2.0 * y - 1.0).predict(X)
    assert_allclose(booster.fit(X, y).decision_function(X), expected, rtol=1e-9, atol=1e-12)
    limits["max_leaf_nodes"] = 4
    classifier = make_booster("samme", n_estimators=1, weak_learner={"tree": limits}).fit(X, y)
    theirs = DecisionTreeClassifier(**limits, random_state=0).fit(X, y)
    assert_array_equal(classifier.predict(X), theirs.predict(X))


@pytest.mark.parametrize("kind", ["tree", "c45", "c45, simple", "scikit-learn"])
def test_drawn_samples_count_as_often_as_they_are_drawn(kind):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 3))
    y = ((X[:, 0] > 0.0) + (X[:, 1] > 0.5) + (rng.random(60) < 0.1)).astype(np.int32) % 3
    drawn = rng.multinomial(90, np.full(len(X), 1 / len(X)))
    learner = make_weak_learner(LEARNERS[kind])
    rows = WeightedLabels(y, drawn / 90, 3, drawn)
    h = learner.fit(learner.prepare(X), rows, rng)
    row = np.repeat(np.arange(len(X)), drawn)
    samples = WeightedLabels(y[row], np.full(90, 1 / 90), 3)
    apart = learner.fit(learner.prepare(X[row]), samples, rng)
    assert_array_equal(h.labels[row], apart.labels)


def test_boosters_tell_how_many_samples_they_draw():
    X, y = repeated(4)

    def demands_of(name, **own):
        booster = make_booster(name, n_estimators=2, random_state=0, **own)
        return each_round(booster, X, y, lambda _, demand: demand, lambda _, demand, h: demand)

    for demand in demands_of("adaboost-m1", resample=True):
        assert demand.count.sum() == len(X)
        assert_array_equal(demand.count, np.rint(demand.weight * len(X)))
    for demand in demands_of("sm-boost", subsample=0.25):
        assert demand.count.sum() == round(len(X) / 4)
        assert (demand.count[demand.signed_weight != 0.0] > 0).all()


def test_an_estimator_sees_every_sample():
    seen = []

    class Noting(DecisionTreeClassifier):
        def fit(self, X, y, sample_weight=None):
            seen.append((X, y, sample_weight))
            return super().fit(X, y, sample_weight)

    X, y = repeated(4)
    make_booster("samme", n_estimators=1, weak_learner=Noting(max_depth=2)).fit(X, y)
    ((rows, labels, weight),) = seen
    order, theirs = (np.lexsort((*x.T, k)) for x, k in ((X, y), (rows, labels)))
    assert_array_equal(rows[theirs], X[order])
    assert_array_equal(labels[theirs], y[order])
    assert_allclose(weight, 1 / len(X))


# ---- rows: distinct samples with their shares of the weight -------------------------------------


SAMPLES = st.integers(1, 12).flatmap(
    lambda n: st.tuples(
        hnp.arrays(np.float64, (n, 2), elements=st.sampled_from([0.0, -0.0, 1.5, np.nan])),
        hnp.arrays(np.int32, n, elements=st.integers(0, 1)),
        hnp.arrays(np.float64, n, elements=st.sampled_from([0.0, 1.0, 2.0])),
    )
)


def contents(X, y):
    return [
        (*(str(value + 0.0) for value in row), str(label)) for row, label in zip(X, y, strict=True)
    ]


# the first example compiles
@given(SAMPLES)
def test_rows_are_the_distinct_samples_with_their_share_of_the_weight(samples):
    X, y, weight = samples
    rows = canonical_rows(X, y, weight)
    expected = {}
    for content, w in zip(contents(X, y), weight, strict=True):
        if w > 0:
            expected[content] = expected.get(content, 0.0) + w
    found = contents(X[rows.representative], y[rows.representative])
    assert len(found) == len(set(found))
    shares = {content: w / weight.sum() for content, w in expected.items()}
    assert dict(zip(found, rows.weight.tolist(), strict=True)) == shares
    assert dict(zip(found, rows.count.tolist(), strict=True)) == expected  # weights are whole
    assert_array_equal(rows.row_of == -1, weight == 0)
    for content, row in zip(contents(X, y), rows.row_of, strict=True):
        assert row == -1 or found[row] == content


@given(SAMPLES, st.randoms(use_true_random=False))
def test_the_order_of_the_samples_does_not_matter(samples, random):
    X, y, weight = samples
    order = np.arange(len(y))
    random.shuffle(order)
    rows = canonical_rows(X, y, weight)
    permuted = canonical_rows(np.ascontiguousarray(X[order]), y[order], weight[order])
    before = contents(X[rows.representative], y[rows.representative])
    after = contents(X[order][permuted.representative], y[order][permuted.representative])
    assert before == after
    assert_array_equal(rows.weight, permuted.weight)


@pytest.mark.parametrize(
    ("weight", "expected"),
    [([0.0, 1.0, 3.0], [1, 3]), ([0.0, 1.5, 3.0], [1, 1]), ([0.0, 1e300, 1.0], [1, 1])],
)
def test_weights_count_samples_if_all_are_whole(weight, expected):
    rows = canonical_rows(np.eye(3), np.zeros(3, np.int32), np.array(weight))
    assert rows.count[rows.row_of[1:]].tolist() == expected


def test_rows_of_broken_weights_count_their_samples():
    X, y = np.array([[0.0], [1.0], [0.0], [0.0]]), np.array([0, 1, 0, 1], np.int32)
    rows = canonical_rows(X, y, np.full(4, 0.25))
    found = zip(X[rows.representative, 0], y[rows.representative], rows.count, strict=True)
    assert set(found) == {(0.0, 0, 2), (1.0, 1, 1), (0.0, 1, 1)}
    assert rows.weight.sum() == 1.0
