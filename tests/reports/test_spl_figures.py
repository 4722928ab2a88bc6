"""Losses against the margin, and sample weights in the plane."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from matplotlib.collections import PathCollection
from numpy.testing import assert_allclose

from boostbench.errors import BoostbenchError
from boostbench.experiments.running.execution import execute, prepare
from boostbench.experiments.runs import BoosterSpec, Noise, Params
from boostbench.inputs import load_plugin
from boostbench.reports.claims.verdicts import judge
from boostbench.reports.figures.lines import draw_curves
from boostbench.reports.values.frame import collect

from .claims.stating import CONFIGS, with_claims
from .synthetic import drawn, make_config, make_record, make_result, runs_of, study_of, with_records

FOLDER = Path(__file__).resolve().parents[2] / "configs" / "spl-boosting"
read_losses = load_plugin(FOLDER / "margin_losses.py").read_losses
draw_weights = load_plugin(FOLDER / "weights.py").weights
#: Weights at the margins -1, 0 and 1, and the loss far on the wrong side.
LOSSES = {
    "savage": ([0.36991, 0.5, 0.05006], 1.0),
    "linear 3": ([0.25526, 0.66667, 0.32277], 1.5),
    "polynomial 3 1.3": ([0.00102, 0.25884, 0.23786], 0.692308),
    "hard 3": ([2.71828, 1, 0.36788], 3.0),
}
FLIPPED = Noise("flip", 0.15, Params({"per_class": True}))
STUMP = {"weak_learner": "stump"}
SHAPES = CONFIGS / "spl-boosting/shapes.py"


def spec(text):
    """Return a loss as a config has it."""
    name, *numbers = text.split()
    own = dict(zip(("age", "power"), map(float, numbers), strict=False))
    return {name: own} if own else name


@pytest.mark.parametrize("name", LOSSES)
def test_a_loss_is_named_with_its_parameters(name):
    (loss,) = read_losses(spec(name))
    weights, far_out = LOSSES[name]
    assert_allclose(loss.loss.weight([-1, 0, 1]), weights, atol=6e-6)
    assert_allclose(loss.loss.value([-9]), far_out, atol=1e-6)
    assert name == "savage" or loss.threshold == -np.log(3)


def test_claims_about_losses_are_judged_without_runs(tmp_path):
    claims = [
        {f"{SHAPES}:LossIs": {"losses": ["savage"], "show": "weights", "shape": "falling"}},
        {f"{SHAPES}:LossIs": {"losses": [{"hard": {"age": 3}}], "shape": "constant",
                     "between": [-3, "threshold"]}},
        {f"{SHAPES}:LossIs": {"losses": "zero-one", "show": "weights", "shape": "zero"}},
        {f"{SHAPES}:LossesOrdered": {"losses": ["savage", "exponential"]}},
        {f"{SHAPES}:LossesOrdered": {"losses": [["exponential", {"hard": {"age": 1e6}}]]}},
        {f"{SHAPES}:LossesOrdered": {"losses": ["exponential", {"linear": {"age": 2}}]}},
    ]  # fmt: skip
    config = with_claims(make_config(tmp_path), *({"says": "a", **claim} for claim in claims))
    found = [verdict.status for verdict in judge(study_of(config, absent={"*": "missing"}))]
    yes, no = "reproduced", "not reproduced"
    assert found == [no, yes, yes, yes, yes, no]


@pytest.fixture(scope="module")
def gaussians(tmp_path_factory):
    """Two boosters on the paper's Gaussians, with their weights."""
    spl = BoosterSpec("splboost", Params({**STUMP, "age": 1.5}), label="spl")
    config = make_config(
        tmp_path_factory.mktemp("gaussians"),
        datasets=["gaussians-spl"],
        boosters=[BoosterSpec("adaboost", Params(STUMP), label="ada"), spl],
        noise=(FLIPPED,),
        rounds=6,
        checkpoints=[3, 6],
    )
    planned = []
    for run in runs_of(config):
        run = dataclasses.replace(
            run, noise=FLIPPED, record=("sample_weights", "weights"), checkpoints=(3, 6)
        )
        planned.append(make_result(run, record={**make_record(run), **execute(run)}))
    return collect(config, planned)


def test_marks_are_as_large_as_samples_are_heavy(gaussians):
    figure = drawn(draw_weights, gaussians)
    samples, ada, spl = figure.axes
    problem = prepare(gaussians.results[0].run)
    w = np.array(gaussians.results[0].record.by_round("sample_weights")["6"])
    marks = [c for c in ada.collections if isinstance(c, PathCollection) and len(c.get_offsets())]
    assert sum(len(c.get_offsets()) for c in marks) == 200
    sizes = {
        tuple(place): size
        for mark in marks
        for place, size in zip(mark.get_offsets(), mark.get_sizes(), strict=True)
    }
    found = np.array([sizes[tuple(xy)] for xy in problem.X])
    assert_allclose(found / found.sum(), w / w.sum(), rtol=1e-6)
    assert any("30 of 200 corrupted" in text.get_text() for text in samples.texts)
    assert any("without weight" in text.get_text() for text in spl.texts)


def test_weights_that_were_not_kept_are_asked_for(gaussians, tmp_path):
    bare = with_records(gaussians, lambda _: {"at_checkpoints": {}})
    with pytest.raises(BoostbenchError, match=r"record: \[sample_weights\]"):
        draw_weights(bare)
    with pytest.raises(BoostbenchError, match="no run on 'gaussians-spl' with the seed 7"):
        draw_weights(gaussians, seed=7)


def test_the_share_of_weight_is_a_curve_like_others(gaussians):
    figure = drawn(draw_curves, gaussians, y=["noisy_weight_share"])
    (axes,) = figure.axes
    assert axes.get_ylabel() == "weight on corrupted samples (%)"
    last = [line.get_ydata()[-1] for line in axes.lines]
    kept = [100 * r.record.curves["noisy_weight_share"][-1] for r in gaussians.results]
    assert_allclose(last, kept)
    with pytest.raises(BoostbenchError, match="share an axis"):
        draw_curves(gaussians, y=["noisy_weight_share", "test_error"])
