"""The record of sample weights: how much lies on corrupted samples."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from boostbench.experiments.running.execution import execute, prepare
from boostbench.experiments.runs import BoosterSpec, Data, Noise, Params, Run
from tests.experiments.tools import RUN

PACED = Run(
    Data("gaussians-spl", Params({"n_train": 200, "n_test": 100})),
    "official",
    Noise("flip", 0.15, Params({"per_class": True})),
    BoosterSpec("splboost", Params({"weak_learner": "stump", "age": 1.5})),
    rounds=12,
    seed=0,
    record=("sample_weights", "weights"),
    checkpoints=(4, 12),
)
SHARES = (
    "noisy_weight_share",
    "noisy_among_heaviest",
    "weightless_share",
    "noisy_among_weightless",
)


@pytest.fixture(scope="module")
def outcome():
    return execute(PACED)


def test_the_shares_are_those_of_the_weights_that_were_kept(outcome):
    problem = prepare(PACED)
    noisy = problem.y != problem.y_clean
    assert noisy.sum() == 30
    kept = outcome["at_checkpoints"]["sample_weights"]
    assert list(kept) == ["4", str(outcome["n_rounds"])]
    for at, weights in kept.items():
        w = np.array(weights)
        assert len(w) == 200
        shares = {name: outcome["curves"][name][int(at) - 1] for name in SHARES}
        assert_allclose(w.sum(), 1.0, rtol=1e-4)
        assert_allclose(shares["noisy_weight_share"], w[noisy].sum(), rtol=1e-4)
        assert shares["weightless_share"] == np.mean(w == 0.0)
        if shares["noisy_among_weightless"] is not None:
            assert shares["noisy_among_weightless"] == noisy[w == 0.0].mean()


def test_self_pacing_takes_weight_from_corrupted_samples(outcome):
    plain = BoosterSpec("adaboost", Params({"weak_learner": "stump"}))
    share = execute(replace(PACED, booster=plain))["curves"]["noisy_weight_share"][-1]
    assert outcome["curves"]["noisy_weight_share"][-1] < 0.15 < share


@pytest.mark.parametrize("name", ["adaboost-mh", "one-vs-all", "sm-boost"])
def test_boosters_of_many_classes_have_them_too(name):
    found = execute(replace(RUN, booster=BoosterSpec(name), rounds=5, record=("weights",)))
    shares = found["curves"]["noisy_weight_share"]
    assert len(shares) == 5
    assert all(0.0 < share < 1.0 for share in shares)
    assert set(found["at_checkpoints"]) == {"right"}
