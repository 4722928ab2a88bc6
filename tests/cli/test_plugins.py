"""Plugins in configs and installed packages, as a user types the commands."""

from tests.cli.conftest import TINY

PRIOR = """
from sklearn.dummy import DummyClassifier


class Prior(DummyClassifier):
    def __init__(self, n_estimators=1, random_state=None):
        super().__init__()
        self.n_estimators = n_estimators
        self.random_state = random_state

    def staged_predict(self, X):
        for _ in range(self.n_estimators):
            yield self.predict(X)
"""


def test_a_plugin_is_found_from_its_config_and_from_those_that_extend_it(boostbench, tmp_path):
    for folder in ("base/lib", "sub"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "base/lib/prior.py").write_text(PRIOR)
    boosters = ("[adaboost-mh, samme, sm-boost]", "['lib/prior.py:Prior']")
    (tmp_path / "base/base.yaml").write_text(TINY.replace(*boosters))
    (tmp_path / "sub/own.yaml").write_text("name: own\nextends: ../base/base.yaml\nseeds: 2\n")
    outcome = boostbench("run", "sub/own.yaml", "--executor", "inline")
    assert "boostbench:" not in outcome.err
    assert "4 ok" in outcome.out
    assert "2 cached" in boostbench("run", "base/base.yaml").out


def test_runs_are_stale_after_an_edit_of_a_file_that_their_plugin_loads(boostbench, tiny, tmp_path):
    (tmp_path / "part.py").write_text("N = 1\n")
    loads = "from pathlib import Path\nfrom boostbench.plugins import load_plugin\n"
    loads += "load_plugin(Path(__file__).with_name('part.py'))\n"
    (tmp_path / "prior.py").write_text(loads + PRIOR)
    tiny.write_text(tiny.read_text().replace("adaboost-mh, samme, sm-boost", "'prior.py:Prior'"))
    assert "2 ok" in boostbench("run", "tiny.yaml", "--executor", "inline").out
    assert "2 ok" in boostbench("status", "tiny.yaml").out
    (tmp_path / "part.py").write_text("N = 2\n")
    assert "part.py, which it read, changed" in boostbench("status", "tiny.yaml").out


def test_a_metric_without_a_number_fails_its_runs(boostbench, tiny, tmp_path):
    declared = '@metric("none", words="test none", needs="labels", higher=True)'
    source = f"from boostbench.plugins import metric\n\n\n{declared}\ndef none(confusion): pass\n"
    (tmp_path / "none.py").write_text(source)
    tiny.write_text(f"{tiny.read_text()}plugins: none.py\nmetrics: [none]\n")
    outcome = boostbench("run", "tiny.yaml", "--executor", "inline", "--only", "samme")
    assert "test_none: returned NoneType, no number" in outcome.err
    assert outcome.code == 1


def test_a_plugin_is_executed_by_commands_that_train_nothing(boostbench, tiny, tmp_path):
    (tmp_path / "loud.py").write_text("import sys\nprint('executed', file=sys.stderr)\n")
    tiny.write_text(f"{tiny.read_text()}plugins: loud.py\n")
    assert "executed" in boostbench("plan", tiny).err


def test_without_plugins_no_code_that_a_config_names_is_executed(boostbench, tiny, tmp_path):
    (tmp_path / "loud.py").write_text("print('executed')\nraise SystemExit\n")
    named = "[samme, 'loud.py:Loud', 'loud:Loud']\nplugins: loud.py"
    tiny.write_text(tiny.read_text().replace("[adaboost-mh, samme, sm-boost]", named))
    outcome = boostbench("plan", "tiny.yaml", "--no-plugins")
    assert outcome.code == 2
    assert "executed\n" not in outcome.out + outcome.err
    refusals = [line for line in outcome.err.splitlines() if "because of --no-plugins" in line]
    assert len(refusals) == len(outcome.err.splitlines()) == 3
    assert all(line.startswith("boostbench: tiny.yaml:") for line in refusals)
