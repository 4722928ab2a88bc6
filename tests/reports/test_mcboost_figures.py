"""MCBoost's figures and claims: codewords, predictions, excess over the Bayes rule."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from boostbench.errors import BoostbenchError
from boostbench.experiments.running.execution import execute, prepare
from boostbench.experiments.runs import BoosterSpec, Params
from boostbench.inputs import load_plugin
from boostbench.reports.claims.verdicts import judge
from boostbench.reports.values.frame import Study, collect
from boostbench.theory.codewords import codewords

from .claims.stating import CONFIGS, with_claims
from .synthetic import drawn, made, make_config, make_record, make_result, runs_of

FOLDER = Path(__file__).resolve().parents[2] / "configs" / "mcboost"
draw_codewords = load_plugin(FOLDER / "codewords.py").codewords
predictor = load_plugin(FOLDER / "predictor.py")
draw_predictions = load_plugin(FOLDER / "predictions.py").predictions
CD = BoosterSpec("cd-mcboost", label="cd")
HELMERT = BoosterSpec("cd-mcboost", Params({"orientation": "helmert"}), label="turned")
GD = BoosterSpec("gd-mcboost", Params({"weak_learner": {"tree": {"max_depth": 2}}}), label="gd")
REACH = CONFIGS / "mcboost/reach.py"


@pytest.fixture(scope="module")
def gaussians(tmp_path_factory):
    """Real runs on 200 of the paper's samples, two draws."""
    config = make_config(
        tmp_path_factory.mktemp("gaussians"),
        datasets=["gaussians-mcboost"],
        boosters=[CD, HELMERT, GD],
        rounds=8,
        checkpoints=[4, 8],
        seeds=2,
    )
    small = Params({"n_train": 200, "n_test": 200})
    planned = []
    for run in runs_of(config):
        data = dataclasses.replace(run.data, params=small)
        run = dataclasses.replace(run, data=data, record=("scores",), checkpoints=(4, 8))
        planned.append(make_result(run, record={**make_record(run), **execute(run)}))
    return collect(config, planned)


def result_of(study, label, seed=0):
    return next(r for r in study.results if (r.run.method, r.run.seed) == (label, seed))


@pytest.mark.parametrize("label", ["cd", "turned", "gd"])
def test_the_predictor_answers_as_the_booster(gaussians, label):
    result = result_of(gaussians, label)
    Y = codewords(3, "helmert" if label == "turned" else "recursive")
    for at in (4, 8):
        answers = (predictor.predictor_of(result, at) @ Y.T).argmax(axis=1)
        errors = np.count_nonzero(answers != predictor.labels_of(result))
        assert errors == result.record.curves["test_errors"][at - 1]
    assert not predictor.predictor_of(result, 0).any()


def test_predictions_of_cd_move_by_its_steps_along_one_axis(gaussians):
    result = result_of(gaussians, "cd")
    f = predictor.predictor_of(result, 4)
    for component in range(2):  # two stumps on each: at most three values
        assert len(np.unique(f[:, component].round(5))) <= 4


def test_margins_are_half_the_lead_of_the_right_class(gaussians):
    result = result_of(gaussians, "cd")
    s, y = predictor.predictor_of(result, 8) @ codewords(3).T, predictor.labels_of(result)
    for i in (0, 50, 100):
        expected = 0.5 * (s[i, y[i]] - max(s[i, k] for k in range(3) if k != y[i]))
        assert_allclose(predictor.margins_of(result, 8)[i], expected, atol=1e-4)


def test_predictions_are_drawn_above_the_samples(gaussians):
    figure = drawn(draw_predictions, gaussians, booster="cd", at=[4, 8])
    assert [axes.get_title(loc="left") for axes in figure.axes[:3]] == ["T = 0", "T = 4", "T = 8"]
    result = result_of(gaussians, "cd")
    upper, lower = figure.axes[2], figure.axes[5]
    y, X = predictor.labels_of(result), prepare(result.run).X_test
    clouds = [c.get_offsets() for c in upper.collections if len(c.get_offsets()) > 1]
    assert [len(cloud) for cloud in clouds] == np.bincount(y).tolist()
    assert_allclose(clouds[0], predictor.predictor_of(result, 8)[y == 0])
    assert sum(len(c.get_offsets()) for c in lower.collections[:3]) == len(X)
    assert "of all samples 11.45 %" in figure.axes[3].get_title(loc="right")


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"seed": 7}, "no run of 'cd' on 'gaussians-mcboost' with the seed 7"),
        ({"at": [5]}, "the scores of round 5 were not recorded; there are 4, 8"),
    ],
)
def test_wrong_options_of_predictions(gaussians, options, complaint):
    with pytest.raises(ValueError, match=complaint):
        made(f"{FOLDER}/predictions.py:predictions", gaussians, **options)


def test_predictions_need_scores_of_three_classes(gaussians):
    result = result_of(gaussians, "cd")
    record = result.record.model_copy(update={"n_classes": 4})
    wide = dataclasses.replace(result, record=record)
    with pytest.raises(BoostbenchError, match="drawn for three classes, found 4"):
        draw_predictions(Study(gaussians.config, (wide,)), at=[])
    broken = dataclasses.replace(result, status="timeout")
    with pytest.raises(BoostbenchError, match="has no result: timeout"):
        draw_predictions(Study(gaussians.config, (broken,)))


def test_codewords_are_points_of_unit_length(gaussians):
    figure = drawn(draw_codewords, gaussians, orientation=["recursive", "helmert"])
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles[:3] == ["K = 2, recursive", "K = 3, recursive", "K = 4, recursive"]
    assert len(titles) == 6
    tips = [text.xy for text in figure.axes[1].texts if hasattr(text, "xy")]
    assert_allclose(tips, codewords(3))
    *_, last = drawn(draw_codewords, gaussians).axes
    assert last.get_title(loc="left") == "K = 4"


def test_claims_about_predictions(gaussians):
    def status(kind, **options):
        claim = {"says": "a", f"{REACH}:{kind}": {"booster": "cd", **options}}
        study = Study(with_claims(gaussians.config, claim), gaussians.results)
        (verdict,) = judge(study)
        return verdict

    for measure in ("norm", "margin"):
        verdict = status("PredictionsGrow", measure=measure, at=[4, 8])
        assert verdict.status == "reproduced"
        assert verdict.cases[0].numbers["held in"] == "2 of 2"
    assert status("PredictionsGrow", measure="norm", at=[8]).status == "reproduced"
    wide = status("PredictionsWithin", component=2, between=[-50, 50], at=8, runs=1)
    assert wide.here
    narrow = status("PredictionsWithin", component=2, between=[-0.1, 0.1], at=8, runs=1)
    assert narrow.status == "not reproduced"
