"""Tests chosen by the design of the runs, against other implementations and hand computations."""

import math

import numpy as np
import pytest
from scipy import stats

from boostbench.experiments.planning.plans import Result
from boostbench.experiments.runs import CLEAN, BoosterSpec, Data, Params, Run
from boostbench.reports.claims.inference import lower, near
from boostbench.reports.values.estimates import NO_SAMPLES, estimate
from boostbench.reports.values.paper import PaperValue, compare_with_printed, hold, in_words
from boostbench.reports.values.samples import Design, Repeats, design_of, over_sets

RNG = np.random.default_rng(3)
LEFT, RIGHT = RNG.normal(0.2, 0.02, 10), RNG.normal(0.22, 0.02, 10)


def sample(values, source="fresh data", ratio=0.0, on_each=None, problem="p", n_test=1000):
    units = [(seed, 0) for seed in range(len(values))]
    design = Design(frozenset(units), source, ratio, True, problem, n_test)
    parts = {} if on_each is None else dict(zip(units, on_each, strict=True))
    return Repeats(dict(zip(units, values, strict=True)), design, on_each=parts)


def test_fresh_data_are_compared_by_the_paired_t_test():
    found = estimate(sample(LEFT), sample(RIGHT))
    expected = stats.ttest_rel(LEFT, RIGHT)
    assert found.test == "paired t test"
    assert found.interval == pytest.approx(expected.confidence_interval())
    assert 2 * found.not_below(0.0) == pytest.approx(expected.pvalue)


@pytest.mark.parametrize("rope", [0.005, 0.03])
def test_splits_agree_with_baycomps_correlated_t_test(rope):
    baycomp = pytest.importorskip("baycomp")
    # Nadeau and Bengio's ratio of test to training samples, 1 : 4, is a correlation of 1/5.
    expected = baycomp.CorrelatedTTest(LEFT, RIGHT, rope=rope, runs=2).probs()
    left, right = (sample(values, "splits", 1 / 4) for values in (LEFT, RIGHT))
    found = estimate(left, right)
    assert found.test == "corrected resampled t test (Nadeau & Bengio)"
    below, above = found.not_above(-rope), found.not_below(rope)
    # baycomp's third probability is that the right one is larger.
    assert (above, 1 - below - above, below) == pytest.approx(expected, abs=1e-6)
    outside, _ = near(left, right, rope).p
    assert outside == pytest.approx(expected[0] + expected[2], abs=1e-6)


@pytest.mark.parametrize(
    ("dataset", "split", "source"),
    [
        ("letter", {"official": True, "otherwise": {"holdout": 0.3}}, "one split"),
        ("nursery", {"official": True, "otherwise": {"holdout": 0.3}}, "splits"),
        ("mine", {"official": True, "otherwise": {"holdout": 0.3}}, "splits"),
        ("mine", {"official": True}, "one split"),
        ("letter", {"holdout": 0.3}, "splits"),
        ("waveform", {"official": True, "otherwise": {"holdout": 0.3}}, "fresh data"),
    ],
)
def test_the_design_is_one_split_only_where_the_data_set_is_divided(dataset, split, source):
    data, seeds = Data(dataset, label=dataset), range(3)
    runs = [Run(data, Params(split), CLEAN, BoosterSpec("samme"), 10, seed) for seed in seeds]
    assert design_of([Result(run, "missing") for run in runs]).source == source


def test_one_run_is_compared_by_mcnemars_exact_test():
    wrong = np.zeros((2, 100))
    wrong[0, :12] = wrong[1, 10:30] = 1.0
    left, right = (sample([w.mean()], "one split", on_each=[w]) for w in wrong)
    outcome = lower(left, right)
    assert outcome.test == "exact McNemar test on one run"
    assert outcome.p[0] == pytest.approx(stats.binomtest(10, 28, alternative="less").pvalue)
    assert outcome.difference == pytest.approx(-0.08)
    low, high = outcome.interval
    assert low < -0.08 < high
    assert high - low == pytest.approx(2 * 1.96 * math.sqrt(29 - 64 / 102) / 102, rel=1e-3)
    with_margin = lower(left, right, slack=0.01)  # McNemar's test knows no margin
    assert with_margin.test == "normal test on the test samples of one run"
    deviation = math.sqrt(29 - 64 / 102) / 102
    assert with_margin.p[0] == pytest.approx(stats.norm.cdf(-0.09 / deviation), rel=1e-3)
    assert near(left, right, 0.01).test == with_margin.test


@pytest.mark.parametrize("n_seeds", [1, 3])  # as of the log loss, on an official split
def test_samples_that_are_not_recorded_leave_it_untold(n_seeds):
    outcome = lower(*(sample([value] * n_seeds, "one split") for value in (0.1, 0.3)))
    assert (outcome.state, outcome.why) == ("open", NO_SAMPLES)
    assert outcome.difference == pytest.approx(-0.2)


def test_seeds_of_one_split_do_not_replace_test_samples():
    wrong = (RNG.random((2, 5, 200)) < np.array([0.2, 0.25])[:, None, None]).astype(float)
    wrong[:] = wrong[:, :1]  # every seed gives the same model, but for one sample
    wrong[0, :3, 0] = 1 - wrong[0, :3, 0]
    left, right = (sample(w.mean(axis=1), "one split", on_each=w) for w in wrong)
    found = estimate(left, right)
    naive = stats.ttest_rel(wrong[0].mean(axis=1), wrong[1].mean(axis=1))
    assert naive.pvalue < 0.01
    assert found.not_below(0.0) > 0.025


def test_data_sets_are_the_sample_and_not_their_runs():
    ones = [sample(0.1 + 0.01 * k + np.zeros(50)) for k in range(8)]
    others = [sample(0.1 + 0.01 * k + 0.02 * (-1) ** k + np.zeros(50)) for k in range(8)]
    outcome = lower(over_sets(ones), over_sets(others))
    assert outcome.test == "signed-rank test and t test for skewed values over data sets"
    assert outcome.state == "open"


def test_a_mean_over_data_sets_has_no_shared_test_samples():
    wrong = [np.zeros((1, n)) + k for k, n in enumerate((3, 5))]
    mean = over_sets([sample(w.mean(axis=1), "one split", on_each=w) for w in wrong])
    assert (mean.mean, len(mean.sets), mean.on_each) == (0.5, 2, {})


def test_runs_on_different_problems_are_not_tested():
    found = lower(sample(LEFT), sample(RIGHT, problem="another"))
    assert found.state == "open"
    assert found.why == "the runs are on different problems and cannot be paired"


def test_equivalence_is_no_failure_to_reject():
    wide = RNG.normal(0, 0.05, 10)
    outcome = near(sample(0.2 + wide), sample(0.2 + wide[::-1]), 0.02)
    assert lower(sample(0.2 + wide), sample(0.2 + wide[::-1])).state == "open"
    assert outcome.state == "open"
    assert near(sample(0.2 + wide / 50), sample(0.2 + wide[::-1] / 50), 0.02).state == "holds"


def printed(error, std=None, repeats=1, method="b"):
    text = "–" if error is None else f"{100 * error:g}"
    return PaperValue("a", method, 1, 0.0, error, text, "", "", std, repeats)


ONE, FOUR, FIVE = [0.1], [0.10, 0.101, 0.099, 0.1], [0.100, 0.101, 0.099, 0.1, 0.1]


@pytest.mark.parametrize(
    ("ours", "source", "theirs", "n_test", "agreement"),
    [
        (ONE, "one split", printed(0.12), 1000, "agrees"),  # sqrt(2 * 0.1 * 0.9 / 1000) is 0.013
        (ONE, "one split", printed(0.14), 1000, "better than printed"),
        (ONE, "one split", printed(0.06), 1000, "worse than printed"),
        (ONE, "one split", printed(0.12), 100, "cannot tell"),
        (ONE, "one split", printed(0.1), 50, "agrees"),  # the printed digits
        (FIVE, "one split", printed(0.1), 200, "agrees"),  # seeds show the spread
        (FIVE, "one split", printed(0.11), 200, "better than printed"),
        (FOUR, "splits", printed(0.115), 1000, "agrees"),
        (FOUR, "splits", printed(0.115, 0.001, 4), 1000, "better than printed"),  # a printed std
    ],
)
def test_a_printed_number_agrees_within_its_prediction_interval(
    ours, source, theirs, n_test, agreement
):
    ratio = 1 / 3 if source == "splits" else 0.0
    ours = sample(ours, source, ratio, n_test=n_test)
    assert compare_with_printed(ours, theirs)[1] == agreement


def test_a_printed_standard_deviation_takes_the_place_of_the_binomial_one():
    ours = sample(FOUR, "splits", 1 / 3)
    wide = compare_with_printed(ours, printed(0.12, 0.01))[0]
    variance = 0.01**2 * (1 + 1 / 3) + np.var(FOUR, ddof=1) * (1 / 4 + 1 / 3)
    assert wide.scale == pytest.approx(math.sqrt(variance), rel=0.05)  # and the rounding
    assert compare_with_printed(ours, printed(None)) == (None, "")


def test_beside_a_count_stands_what_a_wrong_column_would_meet():
    found = []
    for errors in ((0.2, 0.21), (0.2, 0.4)):
        columns = [
            (printed(error, method=method), sample([error], "one split"))
            for error, method in zip(errors, ("mh", "samme"), strict=True)
        ]
        found += [hold(*column, columns) for column in columns]
    assert [held.placebo for held in found] == [1.0, 1.0, 0.0, 0.0]
    placebo = "(2.0 would agree with another column of the table by chance)"
    assert in_words(found) == f"4 of 4 printed numbers agree {placebo}"
