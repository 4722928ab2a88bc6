"""Errors about the bad claims of bad_claims.txt are exactly those in that file.

``python -m tests.reports.claims.test_bad_claims`` rewrites the file with the current errors, to be
reviewed before a commit.
"""

import os
import re
from pathlib import Path

import pytest

from boostbench.errors import ConfigError
from boostbench.experiments.configs.file import load_config
from tests.golden import parametrized, rewrite
from tests.reports.claims.stating import CONFIGS

LIST = Path(__file__).with_name("bad_claims.txt")
CONFIG = """\
name: bad
datasets: [iris, wine, digits]
split: {holdout: 0.3}
noise: [none, {model: exchange, rate: [0.1, 0.2]}, {model: flip, rate: 0.1}]
boosters: [adaboost-mh, samme, sm-boost]
rounds: 100
checkpoints: [10, 100]
claims:
"""
FIRST = CONFIG.count("\n") + 1
TWIN = """\
name: twin
datasets: [iris, digits]
split: {holdout: 0.3}
boosters: [samme, sm-boost]
rounds: 9
"""


def errors_of(title, text):
    """Return the errors about a config with one claim, whose first line counts as line 1."""
    text = text.replace(" configs/", f" {CONFIGS}/")
    Path("bad.yaml").write_text(f"{CONFIG}{text}", encoding="utf-8")
    Path("twin.yaml").write_text(TWIN, encoding="utf-8")
    Path("paper.csv").write_text("dataset,method\n", encoding="utf-8")
    with pytest.raises(ConfigError) as error:
        load_config("bad.yaml", check_parameters=False)
    lines = re.sub(
        r"bad\.yaml:(\d+)", lambda line: f"bad.yaml:{int(line[1]) - FIRST + 1}", str(error.value)
    )
    return lines.replace(f"{os.getcwd()}/", "").replace(str(CONFIGS), "configs")


@parametrized(LIST)
def test_a_bad_claim_is_refused(title, given, expected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert errors_of(title, given) == expected


def test_a_size_does_not_change_what_is_claimed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    claim = "  - {says: a, stops: {booster: samme, before: 9, datasets: [iris, wine], of: 2}}\n"
    sizes = "sizes: {quick: {datasets: [iris], rounds: 20}}\n"
    Path("good.yaml").write_text(f"{CONFIG}{claim}{sizes}", encoding="utf-8")
    config = load_config("good.yaml", ["boosters=[samme]"], size="quick", check_parameters=False)
    assert config.claims[0].scope.datasets == ("iris", "wine", "digits")


if __name__ == "__main__":
    rewrite(LIST, errors_of)
