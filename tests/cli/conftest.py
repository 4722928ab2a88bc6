"""Running the command line as a user types it."""

from __future__ import annotations

import json
import shutil
from contextlib import chdir
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from boostbench import Experiment
from boostbench.cli import main

TINY = """\
name: tiny
datasets: [iris, wine]
split: {holdout: 0.3, stratify: true}
noise: {model: exchange, rate: 0.2}
boosters: [adaboost-mh, samme, sm-boost]
rounds: 4
checkpoints: [1, 4]
report:
  - table: {columns: rounds, value: test_error}
"""
CURVES = "  - curves: {y: [train_error, test_error]}\n"


@dataclass
class Outcome:
    """Exit code and output of a command line."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture(autouse=True)
def alone(tmp_path, tmp_path_factory, monkeypatch):
    """Work in an empty folder, with no data folder named and the cache of these tests."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BOOSTBENCH_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))
    monkeypatch.delenv("BOOSTBENCH_DATA", raising=False)
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


@pytest.fixture
def boostbench(capfd):
    """Return a function that runs a command line in this process."""

    def run(*arguments: str | Path) -> Outcome:
        capfd.readouterr()
        code = main([str(argument) for argument in arguments])
        captured = capfd.readouterr()
        return Outcome(code, captured.out, captured.err)

    return run


@pytest.fixture
def tiny(tmp_path):
    """Return the path of a config that runs in seconds on bundled data."""
    path = tmp_path / "tiny.yaml"
    path.write_text(TINY)
    return path


@pytest.fixture(scope="session")
def results_of(tmp_path_factory):
    """Return a function that runs a config once for all tests, and returns its results."""

    @cache
    def run(text):
        folder = tmp_path_factory.mktemp("run")
        (folder / "tiny.yaml").write_text(text)
        with chdir(folder):
            Experiment.load("tiny.yaml").run(executor="inline")
        return folder / "results"

    return run


@pytest.fixture
def done(tiny, results_of):
    """Return a tiny experiment that has been run."""
    shutil.copytree(results_of(TINY), tiny.parent / "results")
    return tiny
