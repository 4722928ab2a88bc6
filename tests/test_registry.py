"""Names of components, and plugin files."""

import contextlib
import inspect
import os
import shutil
import sys
from pathlib import Path

import pytest

from boostbench.errors import PluginError
from boostbench.inputs import load_plugin
from boostbench.registry import (
    Declaration,
    Registry,
    boosters,
    claims,
    figures,
    noise_models,
    tables,
    weak_learners,
)
from boostbench.reports.text import in_print


@pytest.fixture
def registry():
    return Registry("toy", {"join": "os.path:join"})


def plugin_file(folder: Path, source: str, name: str = "plugin.py") -> Path:
    path = folder / name
    path.write_text(source)
    return path


def test_a_builtin_and_a_name_in_an_installed_package_are_imported_when_asked_for(registry):
    assert registry.get("join") is os.path.join
    assert "shutil:copy" in registry
    assert registry.get("shutil:copy") is shutil.copy
    assert registry.names() == ["join"]


def test_a_builtin_whose_package_lacks_a_library_is_named(tmp_path, monkeypatch):
    plugin_file(tmp_path, "raise OSError('libgomp.so.1: not here')\n", "lacks_a_library.py")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(PluginError, match=r"toy 'odd' cannot be loaded: OSError: libgomp"):
        Registry("toy", {"odd": "lacks_a_library:Odd"}).get("odd")


def test_a_decorator_registers_a_name_once(registry):
    for _ in range(2):  # the same class may come again
        assert registry.register("mine")(dict) is dict
    assert registry.get("mine") is dict
    assert list(registry) == ["join", "mine"]
    for taken in ("mine", "join"):
        with pytest.raises(PluginError, match=f"a toy '{taken}' exists already; choose another"):
            registry.register(taken)(list)


@pytest.mark.parametrize("kind", [boosters, weak_learners], ids=lambda kind: kind.kind)
def test_declarations_read_from_sources_are_those_that_python_executes(kind, monkeypatch):
    seen = {}

    def register(self, name, **told):
        if self is kind:  # modules of other kinds may be imported now
            seen[name] = told
        return lambda component: component

    monkeypatch.setattr(Registry, "register", register)
    for name in kind:
        module = kind.module(name)
        if module.startswith("boostbench.") and name not in seen:
            source = inspect.getsource(pytest.importorskip(module, exc_type=ImportError))
            exec(compile(source, module, "exec"), {"__name__": module})
    assert seen.keys() >= {name for name in kind if not kind.is_foreign(name)}
    for name, told in seen.items():
        found = kind.declarations[name]
        assert found == Declaration(found.origin, **told)


def test_a_plugin_declares_its_name_in_print():
    assert in_print("my-boost") == "my-boost"
    boosters.register("my-boost", printed="MyBoost", variants={"my-fast": ("MyFast", "")})(dict)
    assert in_print("my-boost, my-fast") == "MyBoost, MyFast"


def test_a_plugin_file_is_executed_once_and_another_of_its_name_is_another(tmp_path):
    path = plugin_file(tmp_path, "count = []\ncount.append(1)\n")
    module = load_plugin(path)
    assert load_plugin(path) is module
    assert module.count == [1]
    (tmp_path / "other").mkdir()
    assert load_plugin(plugin_file(tmp_path / "other", "x = 2")).x == 2


def test_a_plugin_file_that_fails_leaves_no_module(tmp_path):
    path = plugin_file(tmp_path, "x = 1\nraise RuntimeError('no')\n")
    with pytest.raises(PluginError, match=r"loaded: RuntimeError: no \(plugin\.py:2 in"):
        load_plugin(path, where="--plugin")
    assert not any(getattr(m, "__file__", None) == str(path) for m in sys.modules.values())


def test_the_line_of_a_plugin_is_told_also_if_another_file_is_no_python(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "no_python.py").write_text("\n\n\ndef f(:\n")
    path = plugin_file(tmp_path, "\nimport no_python\n")
    with pytest.raises(PluginError, match=r"SyntaxError: .*, line 4\) \(plugin\.py:2 in"):
        load_plugin(path)


@pytest.mark.parametrize("kind", [boosters, weak_learners, noise_models, figures, tables, claims])
def test_a_summary_read_from_the_source_is_that_of_the_docstring(kind):
    for name in kind.names():
        if not kind.module(name).startswith("boostbench."):
            continue
        with contextlib.suppress(ModuleNotFoundError):  # of a baseline that is not installed
            assert kind.summary(name) == inspect.getdoc(kind.get(name)).partition("\n")[0]
