"""Data that cannot be read or divided are refused before training."""

import re

import pytest

from boostbench import Experiment
from boostbench.errors import ConfigError
from boostbench.experiments.planning.planner import check_data

CONFIG = {
    "name": "own",
    "datasets": ["first", {"second": {"split": "official"}}],
    "split": {"holdout": 0.3},
    "boosters": [{"samme": {"class_weight": {"a": 2.0}}}],
    "rounds": 2,
}
ROWS = "u,target\n" + "1,a\n2,b\n" * 20
HALVES = "u,target,split\n" + "1,a,train\n2,b,train\n2,b,test\n" * 20
WRONG = {
    "u,label\n1,a\n": ("first.csv:1: there is no column 'target'", "second.csv:1: there is no"),
    "u,target\n1\n": ("first.csv:2: the row has 1 cells", "second.csv:2: the row has 1 cells"),
    ROWS: ("^second: .* has no official split",),
    HALVES.replace("a,t", "c,t"): ("^class_weight: unknown class 'a'",),
}


def own_data(folder, text):
    for name in ("first", "second"):
        (folder / f"{name}.csv").write_text(text)
    results = folder / "results"
    return Experiment.load(CONFIG, data=folder, results=results), results


@pytest.mark.parametrize(("text", "expected"), WRONG.items())
def test_wrong_data_are_refused_before_training(text, expected, tmp_path):
    experiment, results = own_data(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        experiment.run(executor="inline")
    for line, words in zip(str(caught.value).splitlines(), expected, strict=True):
        assert re.search(words, line)
    assert not results.exists()


def test_data_of_recorded_runs_are_not_read_again(tmp_path):
    experiment, _ = own_data(tmp_path, HALVES)
    assert experiment.run(executor="inline").counts == {"ok": 2}
    plan = experiment.plan()
    for file in tmp_path.glob("*.csv"):
        file.unlink()
    check_data(plan, plan.todo(fresh=True), [tmp_path])
