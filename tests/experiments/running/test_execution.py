import base64
import dataclasses

import numpy as np
import pytest

from boostbench.boosters import make_booster
from boostbench.boosters.loop import Booster as Ensembled
from boostbench.data.loading import load
from boostbench.errors import BoostbenchError
from boostbench.experiments.running.execution import execute, prepare
from boostbench.experiments.runs import CLEAN, BoosterSpec, Data, Noise, Params, Run
from boostbench.experiments.streams import stream
from boostbench.theory.bounds import error_bound

HALF = Params({"holdout": 0.5})
RUN = Run(Data("iris"), HALF, Noise("exchange", 0.2), BoosterSpec("sm-boost"), rounds=12, seed=0)


@pytest.fixture(scope="module")
def outcome():
    return execute(RUN)


def test_the_record_has_the_sizes_and_a_value_for_every_round(outcome):
    assert (outcome["n_train"], outcome["n_test"]) == (75, 75)
    assert (outcome["n_classes"], outcome["n_features"]) == (3, 4)
    assert outcome["n_rounds"] == 12
    assert set(outcome["curves"]) == {
        "train_errors",
        "train_errors_clean",
        "test_errors",
        "loss",
        "edge",
    }
    assert {len(curve) for curve in outcome["curves"].values()} == {12}


@pytest.mark.parametrize(
    "run",
    [
        RUN,
        dataclasses.replace(RUN, booster=BoosterSpec("adaboost-mh", Params({"rule": "sign"}))),
        dataclasses.replace(
            RUN,
            data=Data("gaussians-spl", Params({"n_train": 100, "n_test": 100})),
            split="official",
            booster=BoosterSpec("martiboost", Params({"rule": "sampled"})),
        ),
    ],
    ids=lambda run: run.booster.name,
)
def test_the_curves_are_those_of_the_staged_predictions(run):
    problem = prepare(run)
    seed = int(stream(run, "booster").integers(2**31 - 1))
    name, own = run.booster.name, run.booster.params.plain()
    booster = make_booster(name, n_estimators=12, random_state=seed, **own)
    booster.fit(problem.X, problem.y)
    curves = execute(run)["curves"]
    train = list(map(np.copy, booster.staged_predict(problem.X)))
    test = list(booster.staged_predict(problem.X_test))
    assert curves["train_errors"] == [int((p != problem.y).sum()) for p in train]
    assert curves["train_errors_clean"] == [int((p != problem.y_clean).sum()) for p in train]
    assert curves["test_errors"] == [int((p != problem.y_test).sum()) for p in test]


def test_the_test_samples_are_predicted_in_one_timed_pass(outcome, monkeypatch):
    passes = []
    for name in ("_scores", "_staged_scores"):
        original = getattr(Ensembled, name)

        def noted(self, X, name=name, original=original):
            passes.append((name, len(X)))
            return original(self, X)

        monkeypatch.setattr(Ensembled, name, noted)
    again = execute(RUN)
    assert passes == [("_staged_scores", again["n_test"])]
    assert again == outcome


def test_the_noise_is_exact_and_recorded(outcome):
    noise = outcome["noise"]
    assert (noise["model"], noise["rate"], noise["n_chosen"]) == ("exchange", 0.2, 15)
    confusion = np.array(noise["confusion"])
    assert confusion.sum() == 75
    assert confusion.sum() - confusion.trace() == noise["n_changed"] > 0


def test_a_problem_may_hold_its_own_noise_rate():
    problem = Params({"n_train": 200, "n_test": 50})
    noise = Noise("exchange", "beta", Params({"exact": False}))
    run = dataclasses.replace(RUN, data=Data("madelon", problem), split="official", noise=noise)
    drawn = load("madelon", problem.plain(), rng=stream(run, "data")).extras["beta"]
    outcome = execute(run)
    assert outcome["noise"]["rate"] == drawn
    assert abs(outcome["noise"]["n_chosen"] / 200 - drawn) < 0.1
    unknown = dataclasses.replace(run, noise=dataclasses.replace(noise, rate="betta"))
    with pytest.raises(BoostbenchError, match="unknown noise rate 'betta'; did you mean 'beta'"):
        execute(unknown)


def test_costs_are_added_up_round_by_round(outcome):
    cost = ((0.0, 1.0, 1.0), (1.0, 0.0, 1.0), (2.5, 2.5, 0.0))
    run = dataclasses.replace(RUN, data=Data("iris", cost=cost))
    problem = prepare(run)
    priced = execute(run)
    assert priced["curves"]["test_errors"] == outcome["curves"]["test_errors"]
    seed = int(stream(run, "booster").integers(2**31 - 1))
    booster = make_booster("sm-boost", n_estimators=12, random_state=seed)
    booster.fit(problem.X, problem.y)
    matrix = np.array(cost)
    for part, X, y in (("train", problem.X, problem.y), ("test", problem.X_test, problem.y_test)):
        expected = [matrix[y, p].sum() for p in booster.staged_predict(X)]
        assert priced["curves"][f"{part}_costs"] == expected
    assert priced["round_zero"]["test_costs"] == matrix[problem.y_test, 0].sum()
    assert "test_costs" not in outcome["curves"]


def test_a_booster_may_take_the_costs_of_the_data():
    cost = ((0.0, 1.0, 1.0), (1.0, 0.0, 1.0), (9.0, 9.0, 0.0))
    run = dataclasses.replace(RUN, data=Data("iris", cost=cost))
    written = dataclasses.replace(run, booster=BoosterSpec("sm-boost", Params({"cost": cost})))
    taken = dataclasses.replace(run, booster=BoosterSpec("sm-boost", Params({"cost": "data"})))
    assert execute(taken)["curves"] == execute(written)["curves"] != execute(run)["curves"]


def test_class_weights_go_by_the_labels_of_the_data():
    def losses(weights):
        booster = BoosterSpec("samme", Params({"class_weight": weights}))
        return execute(dataclasses.replace(RUN, booster=booster))["curves"]["loss"]

    problem = prepare(RUN)
    booster = make_booster(
        "samme",
        n_estimators=12,
        random_state=int(stream(RUN, "booster").integers(2**31 - 1)),
        class_weight={0: 1, 1: 1, 2: 9},
    )
    seen = []
    booster.fit(problem.X, problem.y, on_round=lambda info: seen.append(info.loss))
    assert losses({"virginica": 9, "setosa": 1, "versicolor": 1}) == seen
    with pytest.raises(BoostbenchError, match="class_weight: unknown class '0'"):
        losses({"0": 2.0})


def test_a_cost_matrix_of_the_wrong_size_is_refused():
    run = dataclasses.replace(RUN, data=Data("iris", cost=((0.0, 1.0), (5.0, 0.0))))
    with pytest.raises(BoostbenchError, match="2 x 2 matrix, but the data set has 3 classes"):
        prepare(run)


def test_the_problem_depends_on_seed_and_noise_and_not_on_the_booster():
    one = prepare(RUN)
    other = prepare(dataclasses.replace(RUN, booster=BoosterSpec("samme"), rounds=3))
    assert np.array_equal(one.X, other.X)
    assert np.array_equal(one.y, other.y)
    few, many = (
        prepare(dataclasses.replace(RUN, noise=Noise("exchange", rate))) for rate in (0.1, 0.4)
    )
    assert np.array_equal(few.X, many.X)
    changed = few.y != few.y_clean  # noise is nested across rates
    assert changed.any()
    assert np.array_equal(few.y[changed], many.y[changed])
    assert not np.array_equal(one.X, prepare(dataclasses.replace(RUN, seed=1)).X)


def test_each_purpose_has_its_stream():
    purposes = ("data", "split", "noise", "booster", "other")
    first, second = ([stream(RUN, p).integers(2**32) for p in purposes] for _ in range(2))
    assert first == second
    assert len(set(first)) == 5


def test_an_early_stop_is_shown_and_never_padded():
    run = Run(Data("iris"), HALF, CLEAN, BoosterSpec("samme"), rounds=400, seed=0)
    booster = BoosterSpec("samme", Params({"weak_learner": {"tree": {"max_leaf_nodes": 200}}}))
    outcome = execute(dataclasses.replace(run, booster=booster))
    assert outcome["stop_reason"]
    assert outcome["n_rounds"] < 400
    assert len(outcome["curves"]["test_errors"]) == outcome["n_rounds"]


def test_parameters_may_speak_of_the_size_of_the_data():
    spec = {"weak_learner": {"tree": {"max_leaf_nodes": "K + 1"}}}
    worked_out = {"weak_learner": {"tree": {"max_leaf_nodes": 4}}}
    curves = [
        execute(dataclasses.replace(RUN, booster=BoosterSpec("samme", Params(params))))["curves"]
        for params in (spec, worked_out)
    ]
    assert curves[0] == curves[1]


def test_a_plain_classifier_with_staged_predict_will_do():
    outcome = execute(dataclasses.replace(RUN, booster=BoosterSpec("toy-centroids")))
    assert set(outcome["curves"]) == {"train_errors", "train_errors_clean", "test_errors"}
    assert outcome["n_rounds"] == 12


NO_CURVE = """\
class Forest:
    def __init__(self, n_estimators, random_state):
        self.n_estimators = n_estimators

    def fit(self, X, y):
        return self
"""


def test_a_class_that_tells_no_predictions_is_refused(tmp_path):
    path = tmp_path / "forest.py"
    path.write_text(NO_CURVE)
    booster = BoosterSpec("forest.py:Forest", source=f"{path}:Forest")
    with pytest.raises(BoostbenchError, match="has no staged_predict"):
        execute(dataclasses.replace(RUN, booster=booster))


def test_bounds_are_recorded_on_demand():
    run = dataclasses.replace(RUN, record=("bound",), booster=BoosterSpec("adaboost-mm"))
    outcome = execute(run)
    curves = outcome["curves"]
    error = np.array(curves["train_errors"]) / outcome["n_train"]
    bound, edge_bound = np.array(curves["bound"]), np.array(curves["edge_bound"])
    assert len(bound) == len(edge_bound) == outcome["n_rounds"]
    np.testing.assert_allclose(bound, curves["loss"])
    np.testing.assert_allclose(edge_bound, error_bound(curves["edge"], 3))
    assert (error <= bound + 1e-12).all()
    assert (bound <= edge_bound + 1e-12).all()


def test_boosters_without_a_bound_record_none():
    run = dataclasses.replace(RUN, record=("bound",), booster=BoosterSpec("samme"))
    assert not {"bound", "edge_bound"} & set(execute(run)["curves"])
    run = dataclasses.replace(run, booster=BoosterSpec("sm-boost"))
    assert "edge_bound" not in execute(run)["curves"]


def test_margins_are_recorded_on_demand():
    run = dataclasses.replace(RUN, record=("margins",), checkpoints=(1, 5, 50))
    outcome = execute(run)
    margins = outcome["at_checkpoints"]["margins"]
    assert set(margins) == {"1", "5"}
    assert len(margins["5"]) == 101
    assert -1 <= margins["5"][0] <= margins["5"][100] <= 1


def test_a_record_keeps_which_test_samples_were_right(outcome):
    right = outcome["at_checkpoints"]["right"]
    assert list(right) == ["1", "2", "5", "10", "12"]
    n = outcome["n_test"]
    for at, bits in right.items():
        packed = np.frombuffer(base64.b64decode(bits), dtype=np.uint8)
        n_right = int(np.unpackbits(packed, count=n).sum())
        assert n - n_right == outcome["curves"]["test_errors"][int(at) - 1]


def test_a_run_without_rounds_answers_the_first_label():
    spec = BoosterSpec("adaboost-m1", Params({"keep_first": False, "weak_learner": "stump"}))
    run = dataclasses.replace(RUN, data=Data("digits"), booster=spec)
    outcome = execute(run)
    assert outcome["n_rounds"] == 0  # the stump errs on more than half
    packed = np.frombuffer(base64.b64decode(outcome["at_checkpoints"]["right"]["0"]), np.uint8)
    right = np.unpackbits(packed, count=outcome["n_test"])
    np.testing.assert_array_equal(right, prepare(run).y_test == 0)


def test_test_scores_are_recorded_on_demand():
    run = dataclasses.replace(RUN, record=("scores",), checkpoints=(1, 12, 50))
    outcome = execute(run)
    found = outcome["at_checkpoints"]
    assert found["labels"] == prepare(run).y_test.tolist()
    assert set(found["scores"]) == {"1", "12"}
    answers = np.argmax(found["scores"]["12"], axis=1)
    wrong = np.count_nonzero(answers != found["labels"])
    assert wrong == outcome["curves"]["test_errors"][-1]


def test_the_errors_at_round_zero_are_those_of_the_first_label(outcome):
    y = prepare(RUN).y_test
    assert outcome["round_zero"]["test_errors"] == int((y != 0).sum())
