from __future__ import annotations

import numpy as np
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


def contents(X: np.ndarray, y: np.ndarray) -> list[tuple[str, ...]]:
    return [
        (*(str(value + 0.0) for value in row), str(label)) for row, label in zip(X, y, strict=True)
    ]


@given(SAMPLES)
def test_rows_are_the_distinct_samples_with_their_summed_weights(samples: tuple) -> None:
    X, y, weight = samples
    rows = canonical_rows(X, y, weight)
    expected: dict[tuple[str, ...], float] = {}
    for content, w in zip(contents(X, y), weight, strict=True):
        if w > 0:
            expected[content] = expected.get(content, 0.0) + w
    found = contents(X[rows.representative], y[rows.representative])
    assert len(found) == len(set(found))
    assert dict(zip(found, rows.weight.tolist(), strict=True)) == expected
    assert_array_equal(rows.row_of == -1, weight == 0)
    for content, row in zip(contents(X, y), rows.row_of, strict=True):
        assert row == -1 or found[row] == content


@given(SAMPLES, st.randoms(use_true_random=False))
def test_the_order_of_the_samples_does_not_matter(samples: tuple, random: object) -> None:
    X, y, weight = samples
    order = np.arange(len(y))
    random.shuffle(order)  # type: ignore[attr-defined]
    rows = canonical_rows(X, y, weight)
    permuted = canonical_rows(np.ascontiguousarray(X[order]), y[order], weight[order])
    before = contents(X[rows.representative], y[rows.representative])
    after = contents(X[order][permuted.representative], y[order][permuted.representative])
    assert before == after
    assert_array_equal(rows.weight, permuted.weight)
