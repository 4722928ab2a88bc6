"""Parts of one's own: the very files that the documentation shows, run through the command line."""

import re
from pathlib import Path

import pytest
import yaml
from sklearn.utils.estimator_checks import check_estimator

from boostbench.boosters.surface import EXPECTED_FAILED_CHECKS
from boostbench.plugin_files import load_plugin
from tests.experiments.tools import forget_code

DOCS = Path(__file__).resolve().parents[2] / "docs"


def write_example(page, folder):
    """Write the Python file and the config that a page shows; return their names."""
    text = (DOCS / page).read_text(encoding="utf-8")
    before, source = re.search(r"(.*?)```python\n(.*?)```", text, re.DOTALL).groups()
    plugin = re.findall(r"`([\w-]+\.py)`", before)[-1]
    (folder / plugin).write_text(source)
    blocks = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    config = next(block for block in blocks if "boosters:" in block)
    name = f"{yaml.safe_load(config)['name']}.yaml"
    (folder / name).write_text(config)
    assert f"run {name}\n" in text
    return plugin, name


def test_the_booster_of_the_docs_runs(boostbench, tmp_path):
    plugin, config = write_example("adding-a-booster.md", tmp_path)
    outcome = boostbench("run", config, "--executor", "inline")
    assert outcome.code == 0, outcome.err
    assert "boostbench:" not in outcome.err
    assert "12 ok" in outcome.out
    again = boostbench("run", config)
    assert "12 cached" in again.out
    path = tmp_path / plugin
    path.write_text(path.read_text().replace("1e-10", "1e-12"))
    forget_code()
    stale = boostbench("plan", config)
    assert "4 ok, 8 stale" in stale.out
    assert "the code changed since it was done" in stale.out


def test_the_booster_of_the_docs_is_a_scikit_learn_classifier(tmp_path):
    plugin, _ = write_example("adding-a-booster.md", tmp_path)
    module = load_plugin(tmp_path / plugin)
    booster = module.MadaBoost(n_estimators=5)
    check_estimator(booster, on_skip=None, expected_failed_checks=EXPECTED_FAILED_CHECKS)


def test_the_booster_of_the_docs_is_shown(boostbench, tmp_path):
    plugin, _ = write_example("adding-a-booster.md", tmp_path)
    outcome = boostbench("show", "madaboost", "--plugin", plugin)
    assert "cap: float, default 1.0" in outcome.out
    assert "Domingo & Watanabe 2000" in outcome.out


def test_a_booster_is_named_by_its_file_in_the_config(boostbench, tmp_path):
    plugin, config = write_example("adding-a-booster.md", tmp_path)
    text = (tmp_path / config).read_text()
    (tmp_path / "sub").mkdir()
    text = text.replace(f"plugins: {plugin}\n", "")
    (tmp_path / "sub" / config).write_text(text.replace("- madaboost:", f"- {plugin}:MadaBoost:"))
    (tmp_path / plugin).rename(tmp_path / "sub" / plugin)
    outcome = boostbench("run", f"sub/{config}", "--only", "wine", "--executor", "inline")
    assert outcome.code == 0, outcome.err
    assert "boostbench:" not in outcome.err
    assert "6 ok" in outcome.out


def test_plugins_of_a_config_are_seen_from_it_and_by_those_that_extend_it(boostbench, tmp_path):
    plugin, config = write_example("adding-a-booster.md", tmp_path)
    (tmp_path / "lib").mkdir()
    (tmp_path / plugin).rename(tmp_path / "lib" / plugin)
    text = (tmp_path / config).read_text().replace(plugin, f"lib/{plugin}")
    (tmp_path / config).write_text(text)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "other.yaml").write_text(f"name: other\nextends: ../{config}\nseeds: 1\n")
    for path, n in ((config, 12), ("sub/other.yaml", 6)):
        rows = boostbench("plan", path, "--json").json
        assert len(rows) == n
        assert {row["booster"] for row in rows} == {
            "samme",
            "madaboost (cap=1)",
            "madaboost (cap=10)",
        }


def test_a_plugin_is_executed_by_commands_that_train_nothing(boostbench, tiny, tmp_path):
    (tmp_path / "loud.py").write_text("import sys\nprint('executed', file=sys.stderr)\n")
    tiny.write_text(f"{tiny.read_text()}plugins: loud.py\n")
    assert "executed" in boostbench("plan", tiny).err


@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        ("gone.py", "plugins: plugin file /tmp"),
        ("[tiny.yaml]", "tiny.yaml is not a Python file (.py)"),
        ("broken.py", "broken.py:2 cannot be loaded: NameError"),
        ("[3]", "plugins must be text, found 3"),
    ],
)
def test_a_wrong_plugin_of_a_config_is_named_with_its_line(
    refused, tiny, tmp_path, written, complaint
):
    (tmp_path / "broken.py").write_text("x = 1\ny = z\n")
    tiny.write_text(f"{tiny.read_text()}plugins: {written}\n")
    err = refused("run", tiny)
    assert f"{tiny}:11: " in err
    assert complaint.replace("/tmp", str(tmp_path)) in err


def test_a_plugin_that_fails_is_named_with_its_line(refused, tiny, tmp_path):
    (tmp_path / "broken.py").write_text("1 / 0\n")
    said = "broken.py:1 cannot be loaded: ZeroDivisionError"
    assert said in refused("run", tiny, "--plugin", "broken.py")


def test_a_broken_installed_plugin_is_named_and_the_rest_is_listed(shell, tmp_path):
    info = tmp_path / "site" / "oldboost-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: oldboost\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[boostbench.boosters]\nold = oldboost:Old\n")
    (tmp_path / "site" / "oldboost.py").write_text("from numpy import nonesuch\n")
    outcome = shell("list", "boosters", PYTHONPATH=str(tmp_path / "site"))
    assert outcome.code == 0
    assert "sm-boost" in outcome.out
    assert "skipped booster 'old' of the package oldboost: ImportError" in outcome.err
