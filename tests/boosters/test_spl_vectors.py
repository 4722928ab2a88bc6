"""The boosters of the SPLBoost paper on the specification's ten rows, to all printed digits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from boostbench import make_booster
from tests.boosters.games import watch
from tests.boosters.vectors import read

VECTORS = read("spl_boosting")
X = np.column_stack([VECTORS["x1"], VECTORS["x2"]]).astype(float)
Y = np.array(VECTORS["y"])
SIX_DIGITS = {"rtol": 0, "atol": 6e-7}

#: The specification's stump minimises the weighted error.
STUMP = {"stump": {"criterion": "error"}}
REGRESSIONS = {"gentleboost", "logitboost", "rboost1", "spl-logitboost", "spl-l2boost"}

every_case = pytest.mark.parametrize(
    "case",
    VECTORS["cases"],
    ids=lambda case: f"{case['booster']}-{'-'.join(map(str, case['parameters'].values()))}",
)


def booster_of(case):
    learner = "stump" if case["booster"] in REGRESSIONS else STUMP
    return make_booster(
        case["booster"],
        n_estimators=len(case["rounds"]),
        weak_learner=learner,
        **case["parameters"],
    )


def answers_of(trees):
    """Return what a stump answers for <= and for >, in the paper's -1, +1 or real numbers."""
    leaves = [~trees.left[0], ~trees.right[0]]
    if trees.width == 2:
        return [float(np.diff(trees.leaf_value[leaf])[0]) for leaf in leaves]
    return [2.0 * trees.leaf_column[leaf] - 1.0 for leaf in leaves]


@every_case
def test_stumps_steps_losses_and_scores(case):
    seen = watch(booster_of(case), X, Y)
    assert len(seen.scores) == len(case["rounds"])
    for t, expected in enumerate(case["rounds"]):
        trees = seen.hypotheses[t]
        assert (trees.feature[0] + 1, trees.threshold[0]) == (
            expected["feature"],
            expected["threshold"],
        )
        assert_allclose(answers_of(trees), expected["answers"], **SIX_DIGITS)
        F = seen.scores[t][:, 1] - seen.scores[t][:, 0]
        assert_allclose(F, expected["F"], **SIX_DIGITS)
        if "step" in expected:
            assert_allclose(seen.sizes[t], expected["step"], **SIX_DIGITS)
        if "latent" in expected:
            assert_allclose(10 * seen.losses[t], expected["latent"], **SIX_DIGITS)


@every_case
def test_weights_latent_weights_and_times(case):
    booster = booster_of(case)
    latent = []
    times = []
    weights = []
    answer = booster.answer

    def listening_answer(state, demand, h):
        weights.append(demand.weight.ravel())
        return answer(state, demand, h)

    def on_round(info):
        if hasattr(booster, "latent_weights"):
            latent.append(booster.latent_weights(info.state)[info.row_of])
        times.append(getattr(info.state.own, "time", None))
        weights[-1] = weights[-1][info.row_of]
        if info.round == len(case["rounds"]):
            weights.append(booster.weights(info.state)[info.row_of])

    booster.answer = listening_answer
    booster.fit(X, Y, on_round=on_round)
    for t, expected in enumerate(case["rounds"]):
        assert_allclose(weights[t], expected["weights"], **SIX_DIGITS)
        if "latent_weights" in expected:
            assert_allclose(latent[t - 1], expected["latent_weights"], **SIX_DIGITS)
        if "time" in expected:
            assert times[t] == pytest.approx(expected["time"], abs=6e-7)
    assert_allclose(weights[-1], case["next_weights"], **SIX_DIGITS)
