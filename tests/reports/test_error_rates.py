"""False verdicts of every design on simulated experiments, and the differences that are found.

`checks.error_rates` simulates them, and does many more as a command.
"""

import math
from statistics import NormalDist

import numpy as np
import pytest

from boostbench.experiments.configs.claims import Claim
from boostbench.experiments.configs.kind_options import Options
from boostbench.reports.claims.claim_options import Rule
from boostbench.reports.claims.evidence import Case
from boostbench.reports.claims.inference import Outcome, lower, near, share_of
from boostbench.reports.claims.verdicts import verdict_on
from boostbench.reports.values.agreement import compare_with_printed
from boostbench.reports.values.designs import Design, Repeats
from boostbench.reports.values.paper import PaperValue
from checks.error_rates import (
    DESIGNS,
    false_share,
    found_share,
    fresh_data,
    holdout,
    naive,
    one_run,
    repeated_folds,
)

N = 400
CLAIM = Claim("a", "ranks_within", Options())
#: Two standard errors above 6 % of the simulations.
MOST = 0.06 + 2 * math.sqrt(0.06 * 0.94 / N)


@pytest.mark.parametrize("design", DESIGNS)
def test_few_verdicts_are_false_when_boosters_are_equal(design):
    assert sum(false_share(design, N)) <= MOST


@pytest.mark.parametrize("draw", [holdout, repeated_folds])
def test_overlapping_splits_that_are_taken_as_independent_fail_this_test(draw):
    rng = np.random.default_rng(0)
    states = [lower(*naive(draw(rng, 0.0))).state for _ in range(N)]
    assert 1 - states.count("open") / N > MOST


def test_few_verdicts_about_medians_are_false():
    rng = np.random.default_rng(0)
    states = [lower(*fresh_data(rng, 0.0), statistic="median").state for _ in range(N)]
    assert 1 - states.count("open") / N <= MOST


@pytest.mark.parametrize("draw", [fresh_data, holdout, one_run])
def test_few_verdicts_of_equivalence_are_false_at_the_edge_of_the_region(draw):
    rng = np.random.default_rng(0)
    states = [near(*draw(rng, -0.1), 0.1).state for _ in range(N)]
    assert states.count("holds") / N <= MOST / 2
    assert states.count("fails") / N <= MOST / 2


@pytest.mark.parametrize("share", [0.5, 0.9])
@pytest.mark.parametrize("n", [10, 100])
def test_few_verdicts_about_a_share_of_runs_are_false(share, n):
    rng = np.random.default_rng(0)
    design = Design(frozenset((seed, 0) for seed in range(n)))
    states = []
    for held in rng.random((N, n)) < share:
        values = {(seed, 0): float(yes) for seed, yes in enumerate(held)}
        states.append(share_of(Repeats(values, design), share).state)
    assert 1 - states.count("open") / N <= MOST


@pytest.mark.parametrize("design", DESIGNS)
def test_true_differences_are_found(design):
    assert found_share(design, 200) > 0.4


@pytest.mark.parametrize(("true", "least", "most"), [(0.0, 0.94, 1.0), (0.1, 0.0, 0.1)])
def test_a_printed_number_that_is_true_agrees(true, least, most):
    rng = np.random.default_rng(0)
    design = Design(frozenset([(0, 0)]), "one split", on_test=True)
    agree = 0
    for printed, ours in rng.binomial(800, [0.2, 0.2 + true], size=(N, 2)) / 800:
        value = PaperValue("a", "b", 1, 0.0, printed, "", "")
        comparison = compare_with_printed(Repeats({(0, 0): ours}, design), value, 800)
        agree += comparison.agreement == "agrees"
    assert least - 0.02 <= agree / N <= most


@pytest.mark.parametrize("n_sets", [5, 8, 15])
def test_few_verdicts_about_ranks_are_false(n_sets):
    """Two equal boosters; one is said to be first on at least half of the data sets."""
    rng = np.random.default_rng(0)
    rule = Rule(share=0.5)
    statuses = []
    for leads in rng.random((N, n_sets)) < 0.5:
        cases = [
            Case("", str(k), Outcome("holds" if lead else "fails"), dataset=str(k))
            for k, lead in enumerate(leads)
        ]
        statuses.append(verdict_on(CLAIM, cases, rule, unit="sets").status)
    assert statuses.count("reproduced") / N <= MOST
    assert statuses.count("not reproduced") / N <= MOST


@pytest.mark.parametrize("n_held", [0, 4])
def test_few_verdicts_about_many_sets_are_false(n_held):
    """At least five of eight sets, of which fewer hold and the others are equal."""
    rng = np.random.default_rng(0)
    wrong = 0
    for draws in rng.normal(size=(N, 8)):
        draws[:n_held] -= 10
        tails = [NormalDist().cdf(z) for z in draws]
        cases = [Case("", "", Outcome("open", p=(tail, 1 - tail))) for tail in tails]
        wrong += verdict_on(CLAIM, cases, Rule(count=5)).status == "reproduced"
    assert wrong / N <= MOST
