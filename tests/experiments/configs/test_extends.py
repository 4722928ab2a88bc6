import pytest

from boostbench.experiments.configs.file import load_config
from boostbench.experiments.planning.grid import expand

BASE = """\
name: base
title: Base
datasets: [wine, iris]
split: {holdout: 0.3}
boosters: [samme]
rounds: 10
limits: {time: 3m, memory: 2G}
sizes: {quick: {rounds: 5, seeds: 2}}
"""


@pytest.fixture
def load(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "base.yaml").write_text(BASE)

    def load(text, **options):
        (tmp_path / "own.yaml").write_text(f"name: own\nextends: base.yaml\n{text}")
        return load_config("own.yaml", check_parameters=False, **options)

    return load


def test_a_config_says_only_what_differs(load):
    own, base = load("rounds: 20\nlimits: {time: 1m}\n"), load_config("base.yaml")
    assert (own.name, own.title, own.rounds) == ("own", "Base", 20)
    assert (own.limits.time, own.limits.memory) == (60.0, 2**31)
    assert [run.booster for run in expand(own)] == [run.booster for run in expand(base)]


def test_lists_are_replaced_and_empty_values_remove_what_is_inherited(load):
    own = load("datasets: [wine]\nsplit: {holdout: null, folds: 3}\nlimits: null\n")
    assert [entry.data.name for entry in own.datasets] == ["wine"]
    assert own.split["folds"] == 3
    assert own.limits.time is None


def test_fewer_rounds_drop_later_checkpoints_that_are_inherited(load, tmp_path):
    (tmp_path / "base.yaml").write_text(BASE + "checkpoints: [4, 6, 10]\n")
    assert load("rounds: 5\n").checkpoints == (4, 5)


def test_sizes_are_merged(load):
    own = load("sizes: {quick: {rounds: 3}}\n", size="quick")
    assert (own.rounds, own.seeds) == (3, (0, 1))


def test_the_same_runs_have_the_same_values(load):
    own, base = expand(load("")), expand(load_config("base.yaml"))
    assert [run.value() for run in own] == [run.value() for run in base]


def test_files_beside_the_extended_config_are_found(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "far.yaml").write_text(BASE + "report: [table: {paper: values.csv}]\n")
    header = "dataset,method,T,noise,error,unit\n"
    (tmp_path / "far" / "values.csv").write_text(f"{header}wine,samme,10,0,3,percent\n")
    (tmp_path / "own.yaml").write_text("name: own\nextends: far/far.yaml\n")
    config = load_config("own.yaml", check_parameters=False)
    assert config.report[0].options.paper == str(tmp_path / "far" / "values.csv")
