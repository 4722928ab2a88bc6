import sys
from pathlib import Path

import pytest

from boostbench import registry
from boostbench.experiments.configs.file import load_config
from boostbench.experiments.planning.grid import expand
from boostbench.inputs import load_plugin

#: Loaded as a plugin; importing it to look for doctests would register its boosters for good.
collect_ignore = ["toys.py"]

TOYS = Path(__file__).with_name("toys.py")


@pytest.fixture(autouse=True, scope="module")
def toys():
    """The boosters of toys.py, known for the tests of one module only."""
    before = set(registry.boosters.names())
    module = load_plugin(TOYS)
    yield module
    del sys.modules[module.__name__]
    for name in set(registry.boosters.names()) - before:
        registry.boosters.declarations.pop(name)


@pytest.fixture
def config_file(tmp_path):
    """Write a config and return its path."""

    def write(text, name="trial.yaml"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def runs_of(config_file):
    """Return the runs of a config given as text."""

    def expanded(text, **options):
        return expand(load_config(config_file(text), **options))

    return expanded


@pytest.fixture
def results(tmp_path):
    return tmp_path / "results"
