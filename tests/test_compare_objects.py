"""Comparisons of classifier objects and classes, also of a notebook or of the running script."""

import ast
import importlib
import subprocess
import sys
import types
from pathlib import Path

import pytest

from boostbench import compare
from boostbench.compare_boosters import comparison_experiment
from boostbench.errors import BoostbenchError
from boostbench.inputs import write_plugin

pytestmark = pytest.mark.usefixtures("alone")
SMALL = {"folds": 2, "repeats": 1, "rounds": 2}
CELL = """\
import math
import numpy as np
from boostbench.boosters.samme import SAMME as Base
from boostbench.plugins import boosters

FACTOR = [0.5, 2]
LEAST: float = 0.0
START, SCALE = 0.0, 1.0
TABLE = np.zeros(3)


def shrink(x):
    return max(math.sqrt(FACTOR[0] * x) * SCALE, START, LEAST)


class Mine(Base):
    '''SAMME that calls a function of the cell.'''

    def answer(self, state, demand, h):
        shrink(1.0)
        return super().answer(state, demand, h)


@boosters.register("mine-of-a-cell")
class Registered(Mine):
    def answer(self, state, demand, h):
        return super().answer(state, demand, h)
"""


@pytest.fixture
def cell(monkeypatch):
    """Return the names of a cell that was executed as a notebook does it."""
    main = types.ModuleType("__main__")
    main.In = ["", "no (Python", *CELL.split("\n\n\n")]
    monkeypatch.setitem(sys.modules, "__main__", main)
    exec(CELL, vars(main))
    return main


def test_a_class_of_a_notebook_cell_is_compared(cell):
    asked = [cell.Mine(), "mine-of-a-cell", "samme"]
    found = compare(asked, "iris", **SMALL, executor="inline")
    assert set(found.boosters["booster"]) == {"Mine", "mine-of-a-cell", "samme"}
    assert found.boosters["error"].nunique() == 1
    html = found._repr_html_()
    assert html.count("<table") == 3
    assert "is best by test error" in html
    asked = ["mine-of-a-cell", "mine-of-a-cell:weak_learner=stump"]
    plain, changed = comparison_experiment(asked, "iris", **SMALL).config.boosters
    assert (plain.label, changed.label) == (asked[0], "mine-of-a-cell (weak_learner=stump)")
    assert (plain.params.plain(), changed.params.plain()) == ({}, {"weak_learner": "stump"})


def test_the_plugin_file_has_all_that_the_class_uses(cell):
    path = write_plugin(cell.Registered, Path("plugins"))
    names = [node for node in ast.parse(path.read_text()).body if hasattr(node, "name")]
    assert [node.name for node in names] == ["shrink", "Mine", "Registered"]
    assert all(not node.decorator_list for node in names)
    assert write_plugin(cell.Registered, Path("plugins")) == path
    assert "TABLE" not in path.read_text()
    with pytest.raises(BoostbenchError, match="the source of 'SAMME' is not known"):
        write_plugin(cell.Base, Path("plugins"))


def test_a_class_of_the_running_script_is_compared():
    call = f"print(compare([Mine(), 'samme'], 'iris', jobs=1, **{SMALL}).sentence)"
    script = f"from boostbench import compare\n{CELL}\n{call}\n"
    Path("mine.py").write_text(script)
    told = subprocess.check_output([sys.executable, "mine.py"], text=True)
    assert told.startswith("On iris, ")
    assert "Mine" in told
    assert told.count("\n") == 1  # the script was not executed again


def test_a_registered_class_of_an_imported_file_is_compared_and_its_file_may_be_named(monkeypatch):
    register = '@boosters.register("mine-of-a-file")\nclass'
    Path("my_own_file.py").write_text(CELL.rpartition("@")[0].replace("class", register))
    monkeypatch.syspath_prepend(Path.cwd())
    own = importlib.import_module("my_own_file")
    for asked in ("mine-of-a-file", own.Mine(), "my_own_file.py:Mine"):
        found = compare([asked, "samme"], "iris", **SMALL, jobs=1)
        assert found.boosters["error"].nunique() == 1
