"""Ranks over cases: the statistics against scipy and a table."""

import numpy as np
from numpy.testing import assert_allclose
from scipy.stats import friedmanchisquare

from boostbench.reports.figures.rank_figures import (
    case_errors,
    compare_ranks,
)

from .told import study_told


def test_friedman_s_statistic_is_that_of_scipy_with_and_without_ties():
    rng = np.random.default_rng(0)
    errors = rng.normal(size=(12, 5)) + np.arange(5) / 3
    for values in (errors, errors.round(0)):
        assert_allclose(compare_ranks(values)[0], friedmanchisquare(*values.T).statistic)


def test_nemenyi_s_critical_difference_is_that_of_the_table():
    # Demsar 2006, Table 5(a): q for k = 4 and 9 is 2.569 and 3.102
    four, nine = (compare_ranks(np.eye(*size))[2] for size in ((14, 4), (85, 9)))
    assert_allclose(four, 2.569 * np.sqrt(4 * 5 / (6 * 14)), rtol=1e-3)
    assert_allclose(nine, 3.102 * np.sqrt(9 * 10 / (6 * 85)), rtol=1e-3)


def test_cases_are_means_over_the_repeats_that_all_have(tmp_path):
    absent = {"x/one/clean/seed-1": "timeout: 30 s", "y/two/flip-0.2/*": "missing"}
    errors, words = case_errors(study_told("six cases", tmp_path, absent=absent), "test_error")
    assert len(errors) == 5
    assert ("flip 0.2", "y") not in errors.index
    assert errors.loc["clean", "x"].tolist() == [0.05, 0.05, 0.06]
    assert words == "5 cases of 6 with a result, means of 1 to 2 repeats"


def test_cases_of_a_metric_that_is_better_if_high_are_what_is_lacking_of_1(tmp_path):
    errors, _ = case_errors(study_told("two metrics", tmp_path), "test_auc")
    assert errors.to_numpy().tolist() == [[0.25, 0.125]] * 2
