import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boostbench.data.dataset import Dataset
from boostbench.data.splits import fold_ids, split, subsample


def rng(seed=0):
    return np.random.default_rng(seed)


def dataset(n=60, n_classes=3, n_train=None):
    y = np.arange(n) % n_classes
    return Dataset.from_arrays("toy", np.arange(n, dtype=float)[:, None], y, n_train=n_train)


RANDOM = [
    {"holdout": 0.3},
    {"holdout": 0.3, "stratify": True},
    {"shuffle": "official-sizes"},
    {"folds": 4, "fold": 1},
    {"folds": 4, "fold": 3, "stratify": True},
    {"holdout": 0.5, "max_train": 12, "max_test": 9},
    {"holdout": 0.5, "max_rows": 30},
]


@pytest.mark.parametrize("spec", RANDOM, ids=str)
def test_a_random_split_is_disjoint_and_depends_on_its_stream_alone(spec):
    data = dataset(n_train=40)
    (train, test), again = (split(data, spec, rng(1)) for _ in range(2))
    assert [train.tolist(), test.tolist()] == [part.tolist() for part in again]
    assert np.unique([*train, *test]).size == train.size + test.size
    if not any(key.startswith("max") for key in spec):
        assert np.sort(np.concatenate([train, test])).tolist() == list(range(60))
    assert split(data, spec, rng(2))[1].tolist() != test.tolist()


@pytest.mark.parametrize("spec", ["official", {"official": True}])
def test_the_official_split_keeps_its_order(spec):
    train, test = split(dataset(n_train=40), spec, rng())
    assert train.tolist() == list(range(40))
    assert test.tolist() == list(range(40, 60))


def test_shuffled_parts_have_the_official_sizes():
    train, test = split(dataset(n_train=40), {"shuffle": "official-sizes"}, rng())
    assert (len(train), len(test)) == (40, 20)
    assert set(test) != set(range(40, 60))


def test_a_set_without_a_division_is_split_otherwise():
    spec = {"official": True, "otherwise": {"holdout": 0.5}}
    assert len(split(dataset(), spec, rng())[0]) == 30
    assert len(split(dataset(n_train=40), spec, rng())[0]) == 40


@given(st.integers(2, 200), st.floats(0.05, 0.7), st.integers(2, 5), st.integers(0, 99))
def test_a_stratified_split_keeps_class_shares(n, share, n_classes, seed):
    data = dataset(n=max(n, 8 * n_classes), n_classes=n_classes)
    n_test = round(share * data.n_rows)
    _, test = split(data, {"holdout": share, "stratify": True}, rng(seed))
    counts = np.bincount(data.y[test], minlength=n_classes)
    expected = np.bincount(data.y) * n_test / data.n_rows
    assert len(test) == n_test
    assert np.abs(counts - expected).max() <= 1


@given(st.integers(3, 60), st.integers(2, 10), st.booleans(), st.integers(0, 99))
def test_folds_are_complete_and_even(n, folds, stratify, seed):
    y = np.arange(n, dtype=np.int64) % 3
    ids = fold_ids(n, folds, rng(seed), y=y if stratify else None)
    sizes = np.bincount(ids, minlength=folds)
    assert sizes.max() - sizes.min() <= 1
    if stratify:
        for k in range(3):
            of_class = np.bincount(ids[y == k], minlength=folds)
            assert of_class.max() - of_class.min() <= 1


def test_the_folds_of_one_stream_are_one_partition():
    parts = [split(dataset(), {"folds": 4, "fold": i}, rng(5))[1] for i in range(4)]
    assert np.sort(np.concatenate(parts)).tolist() == list(range(60))


def test_the_next_fold_validates():
    spec = {"folds": 4, "fold": 3, "validation": True}
    train, test = split(dataset(), spec, rng(5))
    train_again, validation = split(dataset(), {**spec, "part": "validation"}, rng(5))
    assert len(train) == 30
    assert train.tolist() == train_again.tolist()
    assert validation.tolist() == split(dataset(), {**spec, "fold": 0}, rng(5))[1].tolist()
    assert np.sort(np.concatenate([train, test, validation])).tolist() == list(range(60))


def test_caps_thin_the_parts_in_equal_shares():
    data = dataset(n_train=30)
    train, test = split(data, {"official": True, "max_train": 12, "max_test": 900}, rng())
    assert np.bincount(data.y[train]).tolist() == [4, 4, 4]
    assert (np.diff(train) > 0).all()
    assert test.tolist() == list(range(30, 60))


@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=60),
    st.integers(1, 70),
    st.integers(0, 99),
)
def test_a_subsample_has_exactly_the_asked_size(labels, n, seed):
    y = np.array(labels)
    rows = subsample(np.arange(len(y)), y, n, rng(seed))
    assert len(rows) == min(n, len(y))
    assert np.unique(rows).size == len(rows)
    counts = np.bincount(y[rows], minlength=4)
    assert np.abs(counts - np.bincount(y, minlength=4) * (len(rows) / len(y))).max() < 1 + 1e-9


def test_a_training_part_of_one_class_is_drawn_again():
    data = Dataset.from_arrays("rare", np.zeros((20, 1)), [0] * 18 + [1] * 2)
    for seed in range(30):
        train, _ = split(data, {"holdout": 0.8}, rng(seed))
        assert np.unique(data.y[train]).size == 2
