"""False verdicts of every design on simulated experiments, and the power that claims announce.

`checks.error_rates` simulates them, and does many more as a command.
"""

import math

import numpy as np
import pytest

from boostbench.reports.claims.inference import lower
from boostbench.reports.values.agreement import against
from boostbench.reports.values.designs import Design, Repeats
from boostbench.reports.values.paper import PaperValue
from checks.error_rates import DESIGNS, false_share, holdout, naive, power

N = 1200
#: Two standard errors above 6 % of the simulations.
MOST = 0.06 + 2 * math.sqrt(0.06 * 0.94 / N)


@pytest.mark.parametrize("design", DESIGNS)
def test_few_verdicts_are_false_when_boosters_are_equal(design):
    assert sum(false_share(design, N)) <= MOST


def test_overlapping_splits_that_are_taken_as_independent_fail_this_test():
    rng = np.random.default_rng(0)
    states = [lower(*naive(holdout(rng, 0.0))).state for _ in range(N)]
    assert 1 - states.count("open") / N > 2 * MOST


@pytest.mark.parametrize("design", DESIGNS)
def test_the_power_is_as_announced(design):
    found, announced = power(design, 500)
    assert found > 0.4
    assert abs(found - announced) <= 0.05 + 2 * math.sqrt(0.25 / 500)


@pytest.mark.parametrize(("true", "least", "most"), [(0.0, 0.94, 1.0), (0.1, 0.0, 0.1)])
def test_a_printed_number_that_is_true_agrees(true, least, most):
    rng = np.random.default_rng(0)
    design = Design(frozenset([(0, 0)]), "one split", on_test=True)
    agree = 0
    for printed, ours in rng.binomial(800, [0.2, 0.2 + true], size=(N, 2)) / 800:
        value = PaperValue("a", "b", 1, 0.0, printed, "", "")
        agree += against(Repeats({(0, 0): ours}, design), value, 800).agreement == "agrees"
    assert least - 0.02 <= agree / N <= most
