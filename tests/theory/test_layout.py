"""Rows with the true label first, and the uniform baseline."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from boostbench.theory.layout import own_labels, true_label_first, uniform_baseline


@pytest.mark.parametrize("dtype", [float, int])
def test_the_two_orders_undo_each_other_and_keep_the_type(dtype):
    rng = np.random.default_rng(0)
    rows, y = rng.integers(9, size=(20, 5)).astype(dtype), rng.integers(5, size=20)
    first = true_label_first(rows, y)
    assert_array_equal(first[:, 0], rows[np.arange(20), y])
    assert_array_equal(own_labels(first, y), rows)
    assert own_labels(first, y).dtype == first.dtype == dtype


@pytest.mark.parametrize("gamma", [0.0, 0.25, 1.0])
def test_the_true_label_leads_the_uniform_baseline_by_gamma(gamma):
    b = uniform_baseline(5, gamma)
    assert_allclose(b.sum(), 1.0)
    assert_allclose(b[0] - b[1:], gamma)
