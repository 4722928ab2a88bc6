"""`boostbench.plugins` has what plugins use, and plugins use nothing else."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from boostbench import plugins
from tests.experiments.tools import files_behind

ROOT = Path(__file__).parents[1]
PLUGINS = [
    *ROOT.glob("configs/*/*.py"),
    ROOT / "configs/plane.py",
    *ROOT.glob("boostbench/templates/[!_]*.py"),
]
DOCS = [*ROOT.glob("docs/adding-*.md"), ROOT / "docs/reports.md"]


def own_imports(source):
    """Yield module and names of each import from boostbench."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("boostbench"):
            yield node.module, {alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            yield from ((a.name, set()) for a in node.names if a.name.startswith("boostbench"))


@pytest.mark.parametrize("file", PLUGINS, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_a_plugin_imports_nothing_else_of_the_package(file):
    assert {module for module, _ in own_imports(file.read_text())} <= {"boostbench.plugins"}


def test_examples_of_plugins_import_nothing_else_of_the_package():
    blocks = [
        b for page in DOCS for b in re.findall(r"```python\n(.*?)```", page.read_text(), re.S)
    ]
    assert len(blocks) > 5
    assert {module for block in blocks for module, _ in own_imports(block)} == {
        "boostbench.plugins"
    }


def test_each_name_exists_and_is_used():
    sources = [file.read_text() for file in PLUGINS]
    used = {name for source in sources for _, names in own_imports(source) for name in names}
    pages = ROOT.glob("docs/**/*.md")
    used |= {word for page in pages for word in re.findall(r"\w+", page.read_text())}
    assert [name for name in dir(plugins) if name not in used] == []
    assert all(getattr(plugins, name) is not None for name in dir(plugins))


def test_a_booster_loads_no_drawings(tmp_path):
    file = tmp_path / "own.py"
    file.write_text("from boostbench.plugins import Booster, boosters\n")
    tells = "import own, sys; print('boostbench.reports' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", tells], cwd=tmp_path) == b"False\n"
    behind = {path.name for path in files_behind(str(file))}
    assert {"own.py", "loop.py", "surface.py"} <= behind
    assert not behind & {"plugins.py", "frame.py", "style.py", "adaboost_mm.py"}
