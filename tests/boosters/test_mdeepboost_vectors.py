"""The specification's worked examples of multi-class deep boosting, to all printed digits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from boostbench.boosters.deep_objectives import (
    EXPONENTIAL,
    LOGISTIC,
    CompSum,
    Max,
    MaxSum,
    Sum,
    closed_step,
)
from boostbench.boosters.mdeepboost import tree_complexity
from tests.boosters.descents import descend
from tests.boosters.vectors import read

VECTORS = read("deep_boosting")
X = np.column_stack([VECTORS["data"]["x1"], VECTORS["data"]["x2"]]).astype(float)
Y = np.array(VECTORS["data"]["y"])
EIGHT_DIGITS = {"rtol": 0, "atol": 1e-8}


def objective(name):
    surrogate, loss = name.split()
    if surrogate == "comp-sum":
        return CompSum()
    phi = EXPONENTIAL if loss == "exponential" else LOGISTIC
    return {"sum": Sum, "max-sum": MaxSum, "max": Max}[surrogate](phi)


@pytest.mark.parametrize(("eps", "alpha", "b", "eta"), VECTORS["steps"]["rows"])
def test_steps(eps, alpha, b, eta):
    assert closed_step(1 - eps, eps, b, alpha) == pytest.approx(eta, abs=1e-8)


@pytest.mark.parametrize(("d", "m", "n", "bound"), VECTORS["tree_complexity"]["rows"])
def test_complexity_of_trees(d, m, n, bound):
    assert tree_complexity(n, d, m) == pytest.approx(bound, abs=1e-8)


@pytest.mark.parametrize("kind", ["pairs", "rows"])
def test_distributions_and_losses(kind):
    F, y = np.array(VECTORS["weights"]["F"]), np.array(VECTORS["weights"]["y"], dtype=np.int32)
    third = np.full(3, 1 / 3)
    for name, vector in VECTORS["weights"][kind].items():
        part = objective(name)
        D = part.weigh(F, y, third)
        assert 3 * np.exp(D.log_scale) == pytest.approx(vector["S"], abs=1e-8), name
        assert_allclose(D.wrong if kind == "pairs" else D.right, vector["D"], **EIGHT_DIGITS)
        assert third @ part.losses(F, y) == pytest.approx(vector["loss"], abs=1e-8), name
        if "C" in vector:
            C = 2 * D.cost(y) - D.right[:, None]
            assert_allclose(C, vector["C"], **EIGHT_DIGITS)


RUNS = [(name, way) for name, run in VECTORS["runs"].items() for way in run["directions"]]


@pytest.mark.parametrize(("name", "direction"), RUNS)
def test_runs(name, direction):
    run = VECTORS["runs"][name]
    expected = run["rounds"]
    seen = descend(
        "mdeepboost", X, Y, run["max_depth"],
        n_estimators=len(expected), direction=direction, **run["parameters"],
    )  # fmt: skip
    digits = 1e-6 if name in "FG" else 1e-8  # F and G were made with a line search
    assert_allclose(seen.errors, [r[2] for r in expected], **EIGHT_DIGITS)
    assert_allclose(seen.steps, [r[3] for r in expected], rtol=0, atol=digits)
    assert_allclose(seen.losses, [r[4] for r in expected], **EIGHT_DIGITS)
    assert ["".join(map(str, labels)) for labels in seen.labels] == [r[5] for r in expected]
    sizes = [r[1] for r in expected if r[6] == "new"]
    assert seen.booster.tree_sizes_.tolist() == sizes
    part, before = seen.booster._loss_part(), [np.zeros((9, 3)), *seen.scores[:-1]]
    S = [9 * np.exp(part.weigh(F, Y, np.full(9, 1 / 9)).log_scale) for F in before]
    assert_allclose(S, [r[0] for r in expected], rtol=0, atol=digits)
