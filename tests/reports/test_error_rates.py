"""False answers to claims of every kind and design on simulated experiments, and edge cases.

`checks.error_rates` simulates them, and does many more as a command.
"""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from boostbench.reports.claims.inference import lower, near
from boostbench.reports.figures.rank_figures import compare_ranks
from boostbench.reports.values.estimates import signed_rank_p
from boostbench.reports.values.samples import Design, Repeats, over_sets
from checks.error_rates import (
    DESIGNS,
    NULLS,
    false_share,
    found_share,
    most,
)

#: Simulations of each kind and design; the command does many more.
FEW = 100


@pytest.mark.parametrize(("kind", "design"), NULLS, ids=map(", ".join, NULLS))
def test_few_answers_are_false(kind, design):
    assert false_share(kind, design, FEW) <= most(FEW)


@pytest.mark.parametrize("design", [name for name, (_, true) in DESIGNS.items() if true])
def test_true_differences_are_found(design):
    assert found_share(design, 100) > 0.4


def sample(values, source, n_test=20):
    units = [(k, 0) for k in range(len(values))]
    known = {unit: value for unit, value in zip(units, values, strict=True) if value is not None}
    rows = np.arange(n_test)
    on_each = {unit: (rows < round(n_test * value)).astype(float) for unit, value in known.items()}
    design = Design(frozenset(units), source, 0.4 * (source == "splits"), True, "p")
    return Repeats(known, design, on_each=on_each if source == "one split" else {})


@pytest.mark.parametrize("source", ["fresh data", "splits", "one split"])
@pytest.mark.parametrize(
    ("left", "right"),
    [
        ([0.1, 0.1], [0.2, 0.2]),  # no spread
        ([0.1, 0.1, 0.1], [0.2, 0.2, 0.2]),
        ([0.1, 0.2], [0.1, 0.2]),  # ties
        ([0.2], [0.2]),
        ([None, None], [0.2, 0.3]),  # nothing in common
        ([None, 0.1], [0.2, 0.3]),
    ],
)
def test_few_or_equal_or_absent_runs_decide_nothing(source, left, right):
    left, right = sample(left, source), sample(right, source)
    for outcome in (lower(left, right), lower(right, left), near(left, right, 0.01)):
        assert outcome.state in ("open", "missing")
        assert all(0.025 < p <= 1.0 for p in outcome.p)


@pytest.mark.parametrize("m", [2, 3, 4, 5])
def test_few_data_sets_decide_nothing(m):
    low, high = ([sample([error] * 4, "fresh data")] * m for error in (0.1, 0.4))
    assert lower(over_sets(low), over_sets(high)).state == "open"


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=8))
def test_the_signed_rank_test_is_that_of_all_signs(differences):
    nonzero = np.array([each for each in differences if each])
    if not len(nonzero):
        assert signed_rank_p(np.array(differences)) == 1.0
        return
    ranks = rankdata(np.abs(nonzero))
    found = ranks[nonzero > 0].sum()
    signs = itertools.product([0, 1], repeat=len(nonzero))
    expected = np.mean([ranks @ np.array(each) <= found + 1e-9 for each in signs])
    assert signed_rank_p(np.array(differences)) == pytest.approx(expected)


def test_friedmans_test_of_few_cases_is_that_of_all_permutations():
    errors = np.array([[0.1, 0.2, 0.3], [0.1, 0.3, 0.2], [0.2, 0.1, 0.3]])
    rows = [[*itertools.permutations(row)] for row in rankdata(errors, axis=1)]
    found = np.square(rankdata(errors, axis=1).sum(axis=0) - 6).sum()
    all_sums = (np.sum(each, axis=0) for each in itertools.product(*rows))
    expected = np.mean([np.square(sums - 6).sum() >= found for sums in all_sums])
    assert compare_ranks(errors)[1] == pytest.approx(expected)
    assert compare_ranks(np.ones((3, 3)))[1] == 1.0
