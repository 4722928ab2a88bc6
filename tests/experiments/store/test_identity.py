import dataclasses
import shutil
import textwrap
from functools import cache

import pytest

from boostbench import registry
from boostbench.errors import BoostbenchError
from boostbench.experiments.running.execution import execute
from boostbench.experiments.runs import CLEAN, BoosterSpec, Data, Params, Run
from boostbench.experiments.store import identity
from boostbench.experiments.store.identity import code_fingerprint, code_of, value_of
from boostbench.inputs import digest_of_text
from tests.experiments.tools import files_behind, forget_code

RUN = Run(Data("wine"), "official", CLEAN, BoosterSpec("samme"), rounds=10, seed=0)


@pytest.mark.parametrize(
    "change",
    [
        {"data": Data("iris")},
        {"booster": BoosterSpec("sm-boost")},
        {"validation": Params({"folds": 5, "stratify": True})},
    ],
)
def test_whatever_may_change_the_result_changes_the_value(change):
    assert value_of(dataclasses.replace(RUN, **change)) != value_of(RUN)


def test_labels_and_the_folder_of_a_plugin_do_not_change_the_value():
    other = BoosterSpec("samme", label="SAMME", source="/elsewhere/samme")
    assert value_of(dataclasses.replace(RUN, booster=other)) == value_of(RUN)


def names_behind(module):
    return {"/".join(path.parts[-2:]) for path in files_behind(module)}


def test_a_booster_brings_its_weak_learner_and_not_the_other_boosters():
    behind = names_behind("boostbench.boosters.samme")
    assert {"boosters/samme.py", "boosters/loop.py", "weak_learners/tree.py"} <= behind
    assert {"weak_learners/growing.py", "weak_learners/forest.py"} <= behind
    assert not {"boosters/sm_boost.py", "boosters/adaboost_mh.py", "boosters/__init__.py"} & behind


def test_code_that_only_models_need_is_in_no_key():
    for_models = {"boosters/frames.py", "boosters/stopping.py"}
    for_models |= {"weak_learners/drawing.py", "weak_learners/explain.py"}
    for name in registry.boosters:
        for origin in registry.boosters.origins(name):
            assert not for_models & names_behind(origin), name


def test_a_run_cannot_call_code_that_only_models_need():
    booster = BoosterSpec("samme", Params({"early_stopping": True}), source="samme")
    split = Params({"holdout": 0.3, "stratify": True})
    with pytest.raises(BoostbenchError, match=r"is for models; a run cannot call it"):
        execute(dataclasses.replace(RUN, split=split, booster=booster))


def test_the_pipeline_brings_data_and_noise():
    behind = names_behind("boostbench.experiments.running.execution")
    assert {"data/splits.py", "data/loading.py", "experiments/streams.py"} <= behind
    assert {"boostbench/noise.py", "running/curves.py"} <= behind
    others = {"running/conduct.py", "configs/config.py", "boostbench/errors.py"}
    assert not others & behind


def one_vs_all(booster):
    return dataclasses.replace(RUN, booster=BoosterSpec("one-vs-all", Params({"booster": booster})))


def test_the_key_of_a_composed_booster_includes_its_parts():
    plain = code_of(dataclasses.replace(RUN, booster=BoosterSpec("one-vs-all")))
    robust = code_of(one_vs_all({"robustboost": {}}))
    assert code_of(one_vs_all("robustboost")) == robust
    assert robust not in (plain, code_of(one_vs_all({"splboost": {"age": 3.0}})))
    # a weak learner that no module of these boosters names by itself
    on_stumps = code_of(one_vs_all({"samme": {"weak_learner": {"multilabel-stump": {}}}}))
    assert on_stumps != code_of(one_vs_all("samme"))


@pytest.mark.parametrize("odd", [["tree"], 3, None])
def test_a_part_that_is_no_name_is_refused_elsewhere(odd):
    booster = BoosterSpec("samme", Params({"weak_learner": odd}))
    assert code_of(dataclasses.replace(RUN, booster=booster)) == code_of(RUN)


@pytest.fixture
def plugin(tmp_path):
    """A plugin of two files; returns a function that rewrites one and gives the fingerprint."""

    def rewritten(name, text):
        (tmp_path / name).write_text(textwrap.dedent(text), encoding="utf-8")
        forget_code()
        return code_fingerprint(str(tmp_path / "mine.py"))

    rewritten("helper.py", "def step(x):\n    return x / 2\n")
    rewritten("mine.py", "from helper import step\n\ndef fit(x):\n    return step(x)\n")
    return rewritten


HELPER = """
from typing import TYPE_CHECKING

def step(x):
    if x < 0:
        what = "must not be negative"
        raise ValueError(what)
    return x / 2
"""


@pytest.mark.parametrize(
    ("old", "new", "stale_in_plugin", "stale_in_package"),
    [
        ("return x / 2", "return x / 3", True, True),
        ("if x < 0", "if x < 1", True, True),
        ("ValueError", "TypeError", True, True),
        ("must not be negative", "is negative", True, False),
        ("raise ValueError(what)", "raise ValueError(x, what) from None", True, False),
        ("return x / 2", "return (x\n        / 2)  # the half", False, False),
        ("def step(x):", 'def step(x):\n    """Halve x."""', False, False),
        ("KING\n", "KING\nif TYPE_CHECKING:\n    import other\n", False, False),
    ],
)
def test_the_code_fingerprint_follows_what_decides_numbers(
    plugin, tmp_path, monkeypatch, old, new, stale_in_plugin, stale_in_package
):
    for package, is_stale in ((None, stale_in_plugin), (tmp_path, stale_in_package)):
        if package is not None:
            monkeypatch.setattr(identity, "_PACKAGE", package)
        before = plugin("helper.py", HELPER)
        after = plugin("helper.py", HELPER.replace(old, new))
        assert (after != before) is is_stale


def test_a_module_that_gives_the_same_numbers_counts_as_its_earlier_text(
    plugin, tmp_path, monkeypatch
):
    monkeypatch.setattr(identity, "_PACKAGE", tmp_path)
    before = plugin("helper.py", HELPER)
    (helper,) = (path for path in files_behind(str(tmp_path / "mine.py")) if path.stem == "helper")
    earlier = list(identity._facts_of(helper))
    rewritten = HELPER.replace("return x / 2", "return 0.5 * x")
    assert plugin("helper.py", rewritten) != before
    digest = digest_of_text(identity._facts_of(helper).essence.encode())
    monkeypatch.setattr(identity, "_earlier_facts", cache(lambda: {digest: earlier}))
    assert plugin("helper.py", rewritten) == before
    assert plugin("helper.py", f"# commented\n{rewritten}") == before
    assert plugin("helper.py", rewritten.replace("0.5", "0.25")) != before


@pytest.mark.parametrize("broken", ["def step(:\n", "x = 1\0\n"])
def test_a_file_that_python_cannot_read_counts_as_text(plugin, broken):
    before = plugin("helper.py", broken)
    assert plugin("helper.py", broken) == before
    assert plugin("helper.py", f"# changed\n{broken}") != before


def test_a_project_may_move(plugin, tmp_path):
    before = plugin("mine.py", "from helper import step\n")
    moved = shutil.copytree(tmp_path, tmp_path / "moved")
    assert code_fingerprint(str(moved / "mine.py")) == before


def test_the_code_behind_a_plugin_is_what_it_imports_and_names(tmp_path):
    plugin = tmp_path / "plugin.py"
    plugin.write_text("from boostbench.boosters import Booster\nbase = 'martiboost'\n")
    behind = names_behind(str(plugin))
    assert {"boosters/loop.py", "boosters/martiboost.py"} <= behind
    assert not behind & {"boostbench/api.py", "boostbench/registry.py", "boosters/samme.py"}


def test_parsed_data_are_cached_and_a_damaged_cache_is_ignored(plugin, tmp_path, monkeypatch):
    monkeypatch.setenv("BOOSTBENCH_CACHE", str(tmp_path / "cache"))
    text = "def step(x):\n    return x / 4\n"
    before = plugin("helper.py", text)
    monkeypatch.setattr("ast.parse", None)
    assert plugin("helper.py", text) == before
    monkeypatch.undo()
    for kept in (tmp_path / "cache").rglob("*.json"):
        kept.write_bytes(kept.read_bytes().replace(b"4", b"5"))
    monkeypatch.setenv("BOOSTBENCH_CACHE", str(tmp_path / "cache"))
    assert plugin("helper.py", text) == before


def test_a_file_beside_that_is_not_imported_does_not_matter(plugin):
    before = plugin("other.py", "x = 1\n")
    assert plugin("other.py", "x = 2\n") == before
