"""Parameters are chosen on validation errors, in one way whoever did the runs and when."""

from dataclasses import replace

import numpy as np
import pytest

from boostbench.experiments.configs.file import load_config
from boostbench.experiments.running.conduct import run_plan
from boostbench.experiments.running.executors import InlineExecutor
from boostbench.experiments.store.records import RecordStore
from tests.experiments.tools import load_plan

BASE = """
name: trial
datasets: [wine]
split: {folds: 3, validation: true}
boosters: [toy-centroids: {grid: {shape: [a, b], scale: [0.5, 1.0]}}]
rounds: 6
checkpoints: [6]
"""
VALIDATION = BASE + "select: {by: validation}\n"


@pytest.fixture
def finish(config_file, tmp_path):
    """Do what a config wants until nothing is; return the last plan and the runs of every pass."""

    def done(text, results=tmp_path, part=slice(None)):
        config, passes = load_config(config_file(text)), []
        while (plan := load_plan(config, results)).todo():
            run_plan(plan.todo()[part], RecordStore(results), InlineExecutor())
            passes.append(len(plan.todo()))
        assert plan.n_open == 0
        return plan, passes

    return done


def test_by_validation_every_point_is_fitted_once_and_the_best_is_kept(finish):
    plan, passes = finish(VALIDATION)
    assert passes == [12]
    assert len(plan.results()) == 3
    records = {p.run: p.record() for p in plan.runs}
    for fold, chosen in enumerate(plan.results()):
        assert chosen.status == "ok"
        assert chosen.run.method == "toy-centroids"
        assert chosen.run.split["fold"] == fold
        mine = [r for run, r in records.items() if run.split["fold"] == fold]
        lowest = min(record.curves["validation_errors"][-1] for record in mine)
        record = chosen.record
        assert record.curves["validation_errors"][-1] == lowest
        assert chosen.selected.n_fits == 4
        assert record.n_train + record.n_validation + record.n_test == 178
        assert record.plain()["curves"] == records[chosen.run].plain()["curves"]


def test_grid_points_are_shared_with_configs_that_select_differently(finish):
    finish(VALIDATION)
    plan, passes = finish(BASE + "select: {by: test}\n")
    assert passes == []
    assert len({chosen.run.booster.params for chosen in plan.results()}) == 1
    shares = {}
    for planned in plan.runs:
        record = planned.record()
        share = record.curves["test_errors"][-1] / record.n_test
        shares.setdefault(planned.run.booster.params, []).append(share)
    means = {params: np.mean(its) for params, its in shares.items()}
    assert means[plan.results()[0].run.booster.params] == pytest.approx(min(means.values()))


FOLDS = """
name: trial
datasets: [wine, iris]
split: {holdout: 0.3}
noise: {model: exchange, rate: 0.2}
boosters: [toy-centroids: {grid: {scale: [0.5, 1.0]}}, toy-centroids: {label: plain, shape: x}]
rounds: 8
seeds: 2
select: {by: {folds: 4, stratify: true}, rounds: true}
"""


def test_cross_validation_inside_the_training_part_and_one_more_fit(finish):
    plan, passes = finish(FOLDS)
    assert passes == [12, 8]
    fits = {planned.run: planned.record() for planned in plan.runs}
    for chosen in plan.results():
        record = chosen.record
        (choice,) = chosen.selected.choices
        assert chosen.selected.n_fits == 4 * (2 if chosen.run.method != "plain" else 1)
        curve = record.curves["test_errors"].tolist()
        fitted = fits[chosen.run].curves["test_errors"].tolist()
        assert curve[: choice.rounds] == fitted[: choice.rounds]
        assert curve[choice.rounds :] == [curve[choice.rounds - 1]] * (8 - choice.rounds)


def test_inner_folds_are_counted_on_noisy_labels_and_are_the_same_for_all(finish):
    by_problem = {}
    for planned in (p for p in finish(FOLDS)[0].runs if p.run.validation is not None):
        record = planned.record()
        assert len(record.curves["validation_errors"]) == 8
        assert record.n_validation == record.n_train
        assert set(record.curves) == {"validation_errors"}
        place = (planned.run.data.name, planned.run.seed)
        by_problem.setdefault(place, set()).add(tuple(record.curves["validation_errors"].tolist()))
    # `scale` and `shape` change nothing of what this booster answers
    assert {len(curves) for curves in by_problem.values()} == {1}


@pytest.mark.parametrize("most", [1, 5])
def test_selection_does_not_depend_on_order_or_interruptions(finish, tmp_path, most):
    fits = []
    for results, part in (("whole", slice(None)), ("parts", slice(-1, -1 - most, -1))):
        chosen = [each.selected for each in finish(FOLDS, tmp_path / results, part)[0].results()]
        fits += [[(fit.run, fit.status) for its in chosen for fit in its.trials]]
        fits += [[replace(its, trials=()) for its in chosen]]
    assert fits[:2] == fits[2:]


def test_a_grid_extends_itself_until_nothing_lies_at_an_end(finish):
    def chosen(plan):
        return [each.selected.choices[0].values for each in plan.results()]

    text = BASE.replace("shape: [a, b], scale: [0.5, 1.0]", "scale: [1.0, 10.0]")
    text += "select: {by: validation, extend: {scale: {factor: 10, within: [1, 1000]}}, "
    text += "prefer: {scale: largest}}\n"
    plan, passes = finish(text)
    assert passes == [6, 3, 3]  # all tie, so the largest is kept
    assert chosen(plan) == [{"scale": 1000.0}] * 3
    plan, _ = finish(text.replace("[wine]", "[wine: {extend: false}]"))
    assert chosen(plan) == [{"scale": 10.0}] * 3


def test_a_choice_is_open_until_all_its_points_are_done(config_file, tmp_path):
    config = load_config(config_file(VALIDATION))
    plan = load_plan(config, tmp_path)
    assert (len(plan.runs), plan.n_open) == (12, 3)
    run_plan(plan.todo()[:11], RecordStore(tmp_path), InlineExecutor())
    plan = load_plan(config, tmp_path)
    assert plan.n_open == 3  # the range could have to grow
    assert plan.results()[0].reason == "1 of 12 fits needed for the selection are missing"
    assert plan.results()[0].record is None


def test_points_that_fail_are_no_candidates(finish):
    plan, _ = finish(VALIDATION.replace("toy-centroids:", "toy-raises:"))
    assert {chosen.status for chosen in plan.results()} == {"failed"}
    assert {record.status for _, record in plan.records()} == {"failed"}  # as they are packed


FICKLE = """
from boostbench.registry import boosters
from sklearn.dummy import DummyClassifier


@boosters.register("fickle")
class Fickle(DummyClassifier):
    def __init__(self, n_estimators=1, *, want=0, random_state=None):
        super().__init__()
        self.n_estimators, self.want, self.random_state = n_estimators, want, random_state

    def fit(self, X, y):
        if self.random_state % 2 != self.want:
            raise RuntimeError(f"not {self.want}")
        return super().fit(X, y)

    def staged_predict(self, X):
        yield from [self.predict(X)] * self.n_estimators
"""


def test_a_point_that_fails_for_one_seed_is_none_for_any(config_file, finish):
    plugin = config_file(FICKLE, "fickle.py")
    text = BASE.replace("{folds: 3, validation: true}", "{holdout: 0.3}")
    text = text.replace("toy-centroids: {grid: {shape: [a, b], scale: [0.5, 1.0]}}", "fickle: GRID")
    text += f"seeds: 4\nplugins: {plugin}\nselect: {{by: test}}\n"
    plan, passes = finish(text.replace("GRID", "{grid: {want: [0, 1]}}"))
    assert passes == [8]
    assert plan.counts() == {"ok": 4, "failed": 4}
    assert {(r.status, r.reason[:21]) for r in plan.results()} == {
        ("failed", "RuntimeError: not 0 ("),
        ("failed", "RuntimeError: not 1 ("),
    }
    plan, _ = finish(text.replace("GRID", "{grid: {want: [0]}}"))
    assert 0 < plan.counts()["ok"] < 4
    assert {chosen.status for chosen in plan.results()} == {"failed"}


def test_each_checkpoint_has_a_choice_of_its_own(finish):
    plan, _ = finish(VALIDATION.replace("checkpoints: [6]", "checkpoints: [2, 6]"))
    for each in plan.results():
        assert [(its.at, its.rounds) for its in each.selected.choices] == [(2, 2), (6, 6)]


@pytest.mark.parametrize("by", ["validation", "{folds: 3}"])
def test_early_stopping_needs_no_grid_and_holds_all_that_was_recorded(finish, by):
    text = BASE.replace("toy-centroids: {grid: {shape: [a, b], scale: [0.5, 1.0]}}", "sm-boost")
    text += "metrics: [error, log_loss, confusion]\nnoise: {model: exchange, rate: 0.3}\n"
    plan, _ = finish(f"{text}select: {{by: {by}, rounds: true}}\n")
    fits = {planned.run: planned.record() for planned in plan.runs}
    n_early = 0
    for chosen in plan.results():
        record, fit = chosen.record, fits[chosen.run]
        (choice,) = chosen.selected.choices
        rounds = min(choice.rounds, fit.n_rounds)
        if by == "validation":
            assert rounds == fit.curves["validation_errors"].argmin() + 1
        for name in ("test_errors", "test_log_loss"):
            assert record.curve_at(name, np.array([6]))[0] == fit.curves[name][rounds - 1]
        there = fit.by_round("confusion").get(str(rounds))  # kept at some rounds alone
        assert record.by_round("confusion") == ({} if there is None else {"6": there})
        n_early += rounds < fit.n_rounds
    assert n_early
