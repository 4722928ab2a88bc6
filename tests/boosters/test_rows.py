import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_array_equal

from boostbench.boosters.rows import canonical_rows

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
