"""Comparison of boosters: probabilities against baycomp and simulations, and the sentences."""

import math
import re

import numpy as np
import pytest

from boostbench.errors import BoostbenchError
from boostbench.reports.comparison import compare_values
from boostbench.reports.values.estimates import estimate, joint_draws
from boostbench.reports.values.samples import Design, Repeats, over_sets

FOLDS, REPEATS, N = 5, 3, 150
UNITS = [(seed, fold) for seed in range(REPEATS) for fold in range(FOLDS)]


def sample(errors, source="splits"):
    units = UNITS[: len(errors)]
    design = Design(frozenset(units), source, 1 / (FOLDS - 1), True, "one problem")
    return Repeats(dict(zip(units, map(float, errors), strict=True)), design)


def cross_validated(rng, true, spread=1.5):
    """Return errors with given true means, correlated as the correlated t test assumes."""
    shared = rng.normal(size=(len(UNITS), 1))
    of_set = math.sqrt(1 / FOLDS) * rng.normal(size=len(true))
    of_fold = math.sqrt(1 - 1 / FOLDS) * rng.normal(size=(len(UNITS), len(true)))
    return 20 + np.asarray(true) + 2 * shared + spread * (of_set + of_fold)


def compared(errors, source="splits", rope=1.0):
    samples = {f"b{column}": sample(values, source) for column, values in enumerate(errors.T)}
    return compare_values({"a": samples}, rope)


def test_probabilities_come_true_as_often_as_they_say():
    rng = np.random.default_rng(1)
    told = []
    for _ in range(N):
        true = rng.normal(scale=6.0, size=3)  # so wide that a flat prior is right
        found = compared(cross_validated(rng, true), rope=3.0)
        names = dict(zip(("b0", "b1", "b2"), true, strict=True))
        for row in found.boosters.to_dict("records"):
            mine = names[row["booster"]]
            told.append(("best", row["best"], mine == min(true)))
            told.append(("near_best", row["near_best"], mine <= min(true) + 3.0))
        for row in found.pairs.to_dict("records"):
            lead = names[row["right"]] - names[row["left"]]
            told.append(("left_better", row["left_better"], lead > 3.0))
            told.append(("equivalent", row["equivalent"], abs(lead) <= 3.0))
    for kind in ("best", "near_best", "left_better", "equivalent"):
        for low, high in ((0.0, 0.05), (0.05, 0.4), (0.4, 0.8), (0.8, 0.95), (0.95, 1.0)):
            its = [(p, came) for name, p, came in told if name == kind and low <= p <= high]
            announced, true = np.mean(its, axis=0)
            assert abs(announced - true) <= 0.03 + 2.5 * math.sqrt(0.25 / len(its)), (kind, low)


def test_probabilities_of_a_pair_are_those_of_baycomp():
    baycomp = pytest.importorskip("baycomp")
    errors = cross_validated(np.random.default_rng(2), (0.0, 1.0))
    (row,) = compared(errors).pairs.to_dict("records")
    left, right = (errors[:, int(row[side][1])] for side in ("left", "right"))
    # baycomp's third probability is that the right one is larger.
    expected = baycomp.CorrelatedTTest(left, right, rope=1.0, runs=REPEATS).probs()
    found = [row[key] for key in ("right_better", "equivalent", "left_better")]
    assert found == pytest.approx(expected, abs=1e-6)


def test_no_interval_is_wider_than_errors_can_differ():
    (row,) = compared(np.array([[0.0, 90.0], [80.0, 0.0]])).pairs.to_dict("records")
    assert (row["low"], row["high"]) == (-100.0, 100.0)


@pytest.mark.parametrize("n_sets", [1, 6])
def test_joint_draws_differ_as_the_test_of_each_pair_says(n_sets):
    rng = np.random.default_rng(3)
    tables = [cross_validated(rng, (0.0, 0.5, 1.0)) for _ in range(n_sets)]
    samples = [over_sets([sample(table[:, column]) for table in tables]) for column in range(3)]
    draws = joint_draws(samples)
    for a, b in ((0, 1), (0, 2), (1, 2)):
        found = estimate(samples[a], samples[b])
        for bound in (-1.0, 0.0, 1.0):
            share = (draws[:, a] - draws[:, b] >= bound).mean()
            assert share == pytest.approx(found.above(bound), abs=0.015)


def test_rows_are_in_order_and_intervals_hold_the_errors():
    found = compared(cross_validated(np.random.default_rng(4), (5.0, 0.0, 2.0)))
    boosters, pairs = found.boosters, found.pairs
    assert boosters["error"].is_monotonic_increasing
    assert ((boosters["low"] < boosters["error"]) & (boosters["error"] < boosters["high"])).all()
    assert boosters["best"].sum() == pytest.approx(1.0)
    assert (boosters["near_best"] >= boosters["best"]).all()
    assert (pairs["lead"] >= 0).all()
    sums = pairs[["left_better", "equivalent", "right_better"]].sum(axis=1)
    assert sums.to_numpy() == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("true", "spread", "words"),
    [
        (
            (0.0, 9.0),
            0.3,
            r"b0 is best by test error with probability 1\.00; it is better than b1 \(difference ",
        ),
        ((0.0, 0.1), 0.3, r"it and b\d are practically equivalent \(.* within ±1 point\)\.$"),
        ((0.0, 0.5), 9.0, r"the runs cannot tell it from b\d \(.* of more than 1 point, "),
        (
            (0.0, 9.0, 9.5),
            0.3,
            r"it is better than b1 and b2 \(difference of b1, the best of these, ",
        ),
    ],
)
def test_the_answer_in_words(true, spread, words):
    found = compared(cross_validated(np.random.default_rng(5), true, spread))
    first = found.boosters.iloc[0]
    assert found.sentence.startswith(
        f"On a, {first.booster} is best by test error with probability {first.best:.2f}; "
    )
    assert re.search(words, found.sentence), found.sentence


def test_equal_boosters_are_equivalent_and_share_the_first_place():
    errors = np.repeat(cross_validated(np.random.default_rng(6), (0.0,)), 2, axis=1)
    found = compared(errors, rope=0.0)
    assert found.boosters["best"].tolist() == [0.5, 0.5]
    assert found.pairs["equivalent"].tolist() == [1.0]
    assert found.pairs["test"].tolist() == [
        "exact sign test, since differences are equal in all runs"
    ]


def test_equal_differences_in_few_runs_decide_nothing():
    found = compared(np.array([[10.0, 13.3]] * 2))
    assert "the runs cannot tell it from b1" in found.sentence
    assert found.boosters["best"].max() < 0.8
    many = compared(np.array([[10.0, 13.3]] * len(UNITS)), source="fresh data")
    assert "it is better than b1" in many.sentence


def test_several_sets_have_an_answer_each_and_six_one_for_all():
    rng = np.random.default_rng(7)
    tables = {
        name: {b: sample(v) for b, v in zip("xy", cross_validated(rng, (0.0, 4.0)).T, strict=True)}
        for name in "abcdef"
    }
    few = compare_values({name: tables[name] for name in "abcde"})
    assert [line[:6] for line in few.sentence.split("\n")] == [f"On {name}, " for name in "abcde"]
    found = compare_values(tables)
    assert found.sentence.startswith("On 6 data sets, x is best by test error with probability ")
    assert found.boosters["dataset"].unique().tolist() == ["6 data sets", *"abcdef"]
    assert found.pairs["test"].tolist() == ["bootstrap over data sets"]
    assert found.boosters["runs"].tolist()[0] == 6 * len(UNITS)
    equal = {name: dict.fromkeys("xy", samples["x"]) for name, samples in tables.items()}
    (row,) = compare_values(equal, 0.0).pairs.to_dict("records")
    assert (row["left_better"], row["equivalent"], row["right_better"]) == (0.0, 1.0, 0.0)


def test_data_sets_without_a_fold_in_common_have_an_answer_each():
    tables = {}
    for place, name in enumerate("abcdef"):
        errors = cross_validated(np.random.default_rng(place), (0.0, 4.0))
        units = UNITS[:5] if name == "a" else UNITS[5:]
        tables[name] = {
            b: Repeats(dict(zip(units, values.tolist(), strict=False)), sample(values).design)
            for b, values in zip("xy", errors.T, strict=True)
        }
    assert compare_values(tables).sentence.count("\n") == 5


def test_only_folds_finished_by_all_candidates_count():
    errors = cross_validated(np.random.default_rng(8), (0.0, 1.0))
    whole, part = sample(errors[:, 0]), sample(errors[:10, 1])
    failed = Repeats({}, whole.design, ("c: timeout",))
    found = compare_values({"a": {"a": whole, "b": part, "c": failed}})
    assert found.boosters["runs"].tolist() == [10, 10]
    assert found.sentence.endswith(" Left out for want of results: c.")
    with pytest.raises(BoostbenchError, match="two boosters with two results are needed; c: time"):
        compare_values({"a": {"a": whole, "c": failed}})
    first, second = compare_values(
        {"s": {"a": whole, "b": part}, "t": {"a": whole, "b": failed}}
    ).sentence.split("\n")
    assert " is best by test error with probability " in first
    assert second == "No answer on t: two boosters with two results are needed; c: timeout"
