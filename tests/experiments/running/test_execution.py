import base64
from dataclasses import replace

import numpy as np
import pytest

from boostbench.boosters.loop import Booster as Ensembled
from boostbench.data.loading import load
from boostbench.errors import BoostbenchError
from boostbench.experiments.running.execution import execute, prepare
from boostbench.experiments.runs import CLEAN, BoosterSpec, Data, Noise, Params
from boostbench.experiments.streams import stream
from boostbench.theory.bounds import error_bound
from tests.experiments.tools import RUN, fitted

COST = ((0.0, 1.0, 1.0), (1.0, 0.0, 1.0), (2.5, 2.5, 0.0))
PRICED = replace(RUN, data=Data("iris", cost=COST))


@pytest.fixture(scope="module")
def outcome():
    return execute(RUN)


def boosted(name, **params):
    return replace(RUN, booster=BoosterSpec(name, Params(params)))


def right_of(outcome, at):
    """Return which test samples were right after a round."""
    bits = base64.b64decode(outcome["at_checkpoints"]["right"][at])
    return np.unpackbits(np.frombuffer(bits, dtype=np.uint8), count=outcome["n_test"])


def test_the_record_has_the_sizes_and_a_value_for_every_round(outcome):
    sizes = ("n_train", "n_test", "n_classes", "n_features", "n_rounds")
    assert [outcome[size] for size in sizes] == [75, 75, 3, 4, 12]
    names = ("train_errors", "train_errors_clean", "test_errors", "loss", "edge")
    lengths = {name: len(curve) for name, curve in outcome["curves"].items()}
    assert lengths == dict.fromkeys(names, 12)
    first = np.count_nonzero(prepare(RUN).y_test != 0)
    assert outcome["round_zero"]["test_errors"] == first  # of the first label


@pytest.mark.parametrize(
    "run",
    [
        RUN,
        boosted("adaboost-mh", rule="sign"),
        replace(
            boosted("martiboost", rule="sampled"),
            data=Data("gaussians-spl", Params({"n_train": 100, "n_test": 100})),
            split="official",
        ),
    ],
    ids=lambda run: run.booster.name,
)
def test_the_curves_are_those_of_the_staged_predictions(run):
    problem, booster = fitted(run)
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
    run = replace(RUN, data=Data("madelon", problem), split="official", noise=noise)
    drawn = load("madelon", problem.plain(), rng=stream(run, "data")).extras["beta"]
    outcome = execute(run)
    assert outcome["noise"]["rate"] == drawn
    assert abs(outcome["noise"]["n_chosen"] / 200 - drawn) < 0.1
    unknown = replace(run, noise=replace(noise, rate="betta"))
    with pytest.raises(BoostbenchError, match="unknown noise rate 'betta'; did you mean 'beta'"):
        execute(unknown)


def test_costs_are_added_up_round_by_round(outcome):
    priced, (problem, booster), matrix = execute(PRICED), fitted(PRICED), np.array(COST)
    assert priced["curves"]["test_errors"] == outcome["curves"]["test_errors"]
    for part, X, y in (("train", problem.X, problem.y), ("test", problem.X_test, problem.y_test)):
        expected = [matrix[y, p].sum() for p in booster.staged_predict(X)]
        assert priced["curves"][f"{part}_costs"] == expected
    assert priced["round_zero"]["test_costs"] == matrix[problem.y_test, 0].sum()
    assert "test_costs" not in outcome["curves"]


def test_a_booster_may_take_the_costs_of_the_data():
    written, taken = (
        execute(replace(boosted("sm-boost", cost=cost), data=PRICED.data))["curves"]
        for cost in (COST, "data")
    )
    assert taken == written != execute(PRICED)["curves"]


def test_class_weights_go_by_the_labels_of_the_data():
    def losses(weights):
        return execute(boosted("samme", class_weight=weights))["curves"]["loss"]

    problem, booster = fitted(boosted("samme"))
    seen = []
    booster.set_params(class_weight={0: 1, 1: 1, 2: 9})
    booster.fit(problem.X, problem.y, on_round=lambda info: seen.append(info.loss))
    assert losses({"virginica": 9, "setosa": 1, "versicolor": 1}) == seen
    with pytest.raises(BoostbenchError, match="class_weight: unknown class '0'"):
        losses({"0": 2.0})


def test_a_cost_matrix_of_the_wrong_size_is_refused():
    with pytest.raises(BoostbenchError, match="2 x 2 matrix, but the data set has 3 classes"):
        prepare(replace(RUN, data=Data("iris", cost=((0.0, 1.0), (5.0, 0.0)))))


def test_the_problem_depends_on_seed_and_noise_and_not_on_the_booster():
    one, other = prepare(RUN), prepare(replace(boosted("samme"), rounds=3))
    assert np.array_equal(one.X, other.X)
    assert np.array_equal(one.y, other.y)
    few, many = (prepare(replace(RUN, noise=Noise("exchange", rate))) for rate in (0.1, 0.4))
    assert np.array_equal(few.X, many.X)
    changed = few.y != few.y_clean  # noise is nested across rates
    assert changed.any()
    assert np.array_equal(few.y[changed], many.y[changed])
    assert not np.array_equal(one.X, prepare(replace(RUN, seed=1)).X)


def test_each_purpose_has_its_stream():
    purposes = ("data", "split", "noise", "booster", "other")
    first, second = ([stream(RUN, p).integers(2**32) for p in purposes] for _ in range(2))
    assert first == second
    assert len(set(first)) == 5


def test_an_early_stop_is_shown_and_never_padded():
    run = boosted("samme", weak_learner={"tree": {"max_leaf_nodes": 200}})
    outcome = execute(replace(run, noise=CLEAN, rounds=400))
    assert outcome["stop_reason"]
    assert outcome["n_rounds"] < 400
    assert len(outcome["curves"]["test_errors"]) == outcome["n_rounds"]


def test_parameters_may_speak_of_the_size_of_the_data():
    spoken, worked_out = (
        execute(boosted("samme", weak_learner={"tree": {"max_leaf_nodes": size}}))["curves"]
        for size in ("K + 1", 4)
    )
    assert spoken == worked_out


def test_a_plain_classifier_with_staged_predict_will_do():
    outcome = execute(boosted("toy-centroids"))
    assert set(outcome["curves"]) == {"train_errors", "train_errors_clean", "test_errors"}
    assert outcome["n_rounds"] == 12


def test_a_class_that_tells_no_predictions_is_refused():
    with pytest.raises(BoostbenchError, match="has no staged_predict"):
        execute(boosted("sklearn.ensemble:RandomTreesEmbedding"))


def test_bounds_are_recorded_on_demand():
    outcome = execute(replace(boosted("adaboost-mm"), record=("bound",)))
    curves = outcome["curves"]
    error = np.array(curves["train_errors"]) / outcome["n_train"]
    bound, edge_bound = np.array(curves["bound"]), np.array(curves["edge_bound"])
    assert len(bound) == len(edge_bound) == outcome["n_rounds"]
    np.testing.assert_allclose(bound, curves["loss"])
    np.testing.assert_allclose(edge_bound, error_bound(curves["edge"], 3))
    assert (error <= bound + 1e-12).all()
    assert (bound <= edge_bound + 1e-12).all()


def test_boosters_without_a_bound_record_none():
    curves = execute(replace(boosted("samme"), record=("bound",)))["curves"]
    assert not {"bound", "edge_bound"} & set(curves)
    assert "edge_bound" not in execute(replace(RUN, record=("bound",)))["curves"]


def test_a_record_keeps_which_test_samples_were_right(outcome):
    assert list(outcome["at_checkpoints"]["right"]) == ["1", "2", "5", "10", "12"]
    for at in outcome["at_checkpoints"]["right"]:
        n_wrong = np.count_nonzero(right_of(outcome, at) == 0)
        assert n_wrong == outcome["curves"]["test_errors"][int(at) - 1]


def test_a_run_without_rounds_answers_the_first_label():
    run = boosted("adaboost-m1", keep_first=False, weak_learner="stump")
    run = replace(run, data=Data("digits"))
    outcome = execute(run)
    assert outcome["n_rounds"] == 0  # the stump errs on more than half
    np.testing.assert_array_equal(right_of(outcome, "0"), prepare(run).y_test == 0)


def test_margins_and_test_scores_are_recorded_on_demand():
    outcome = execute(replace(RUN, record=("margins", "scores"), checkpoints=(1, 12, 50)))
    found = outcome["at_checkpoints"]
    assert set(found["margins"]) == set(found["scores"]) == {"1", "12"}
    assert len(found["margins"]["12"]) == 101
    assert -1 <= found["margins"]["12"][0] <= found["margins"]["12"][100] <= 1
    assert found["labels"] == prepare(RUN).y_test.tolist()
    answers = np.argmax(found["scores"]["12"], axis=1)
    wrong = np.count_nonzero(answers != found["labels"])
    assert wrong == outcome["curves"]["test_errors"][-1]
