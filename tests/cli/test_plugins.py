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
