"""Old numbers never pass for new ones: what changes a result makes a record stale."""

import importlib.util
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import zipfile

import pytest

from boostbench import inputs
from boostbench.data import cache
from boostbench.data.loading import load, locate
from boostbench.experiments.configs.file import load_config
from boostbench.experiments.planning.grid import expand
from boostbench.experiments.planning.planner import make_plan
from boostbench.experiments.running.conduct import run_plan
from boostbench.experiments.running.executors import InlineExecutor
from boostbench.experiments.store import record as records
from boostbench.experiments.store.records import RecordStore
from tests.experiments.tools import forget_code
from tests.golden import parametrized

CSV = "u,v,target\n" + "".join(f"{i % 7},{i % 3},{'abc'[i % 3]}\n" for i in range(60))
ARFF = "@relation r\n@attribute u real\n@attribute class {a,b}\n@data\n" + "1,a\n2,b\n" * 30


def plugin(answer="0", imports="", declared="pass"):
    """Return a booster that always predicts one class."""
    return f"""
import importlib
import json
import pathlib

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
{imports}


class Constant(ClassifierMixin, BaseEstimator):
    {declared}

    def __init__(self, n_estimators=10, shift=0, class_weight=None, random_state=None):
        self.n_estimators = n_estimators
        self.shift = shift
        self.class_weight = class_weight
        self.random_state = random_state

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.answer_ = self.classes_[int({answer})]
        return self

    def staged_predict(self, X):
        for _ in range(self.n_estimators):
            yield np.full(len(X), self.answer_)
"""


def config(**keys):
    plain = {"name": "attacked", "datasets": ["mine"], "split": {"holdout": 0.3}, "rounds": 2}
    return json.dumps({**plain, "boosters": ["constant.py:Constant"], **keys})


def zip_of(text):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        file.writestr("attacked_in_a_zip.py", text)
    return content.getvalue()


def library_of(shift):
    """Return an extension module; bytes behind its end change the file alone."""
    origin = importlib.util.find_spec("markupsafe._speedups").origin
    return pathlib.Path(origin).read_bytes() + bytes(shift)


def link(target):
    """Return a function that makes a file a link to another one."""

    def make(path):
        path.unlink(missing_ok=True)
        path.symlink_to(target)

    return make


def touched(text):
    """Return a function that replaces a text and keeps size and time of the file."""

    def make(path):
        times = os.stat(path)
        path.write_text(text)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))

    return make


class Attack:
    """An experiment of one run in a folder of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.dirs = [folder / "first", folder / "data"]
        self.store = RecordStore(folder / "results")
        self.write({"attacked.yaml": config(), "constant.py": plugin(), "data/mine.csv": CSV})
        self.dirs[0].mkdir()

    def write(self, files):
        """Write files, or make them by functions; None removes one.

        The files may be text as in a golden list, with expressions after ``= ``.
        """
        if isinstance(files, str):
            _, *parts = re.split(r"^--- (\S+)\n", files, flags=re.MULTILINE)
            files = dict(zip(*[iter(parts)] * 2, strict=True))
            files = {n: eval(t[2:]) if t.startswith("= ") else t for n, t in files.items()}
        for name, content in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if callable(content):
                content(path)
            elif content is None:
                path.unlink()
            else:
                path.unlink(missing_ok=True)  # a library that is in use must not be overwritten
                path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def plan(self):
        """Plan as a new process does."""
        forget_code()
        file = self.folder / "attacked.yaml"
        runs = expand(load_config(file, data_dirs=self.dirs, check_parameters=False))
        return make_plan(runs, RecordStore(self.folder / "results"), self.dirs)

    def run(self, plan):
        return run_plan(plan.todo(), self.store, InlineExecutor(self.dirs))


@pytest.fixture
def attack(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.syspath_prepend(tmp_path / "library")
    return Attack(tmp_path)


@parametrized(pathlib.Path(__file__).with_name("old_numbers.txt"))
def test_a_record_is_not_used_after_a_change_of(title, given, expected, attack):
    attack.write(given)
    outcome = attack.run(attack.plan())
    assert {*outcome.counts} == {"ok"}, outcome.failures[0][1].why
    assert {*attack.plan().counts()} == {"ok"}
    attack.write(expected)
    plan = attack.plan()
    assert "ok" not in plan.counts()
    if title == "a file":  # the run reads it, and not this process once
        attack.run(plan)
        assert attack.plan().counts() == {"ok": 1}


def test_a_key_has_64_bits_of_the_checksum_of_the_data(attack):
    checksum = locate("mine", None, attack.dirs).checksum
    assert attack.plan().runs[0].key.data == checksum[:16]


def test_a_table_that_another_version_parsed_is_parsed_anew(tmp_path, monkeypatch):
    monkeypatch.setenv("BOOSTBENCH_CACHE", str(tmp_path / "cache"))
    (tmp_path / "mine.csv").write_text(CSV + "1,2,a\n" * 20_000)
    load("mine", None, [tmp_path])
    monkeypatch.setattr(cache, "_readers", lambda: "other")
    load("mine", None, [tmp_path])
    assert len([*(tmp_path / "cache" / "columns").iterdir()]) == 2


@pytest.mark.parametrize("declared", ["pass", "nested_rounds = True"])
def test_a_record_of_more_rounds_counts_only_if_the_booster_says_so(attack, declared):
    attack.write({"constant.py": plugin(declared=declared)})
    attack.run(attack.plan())
    attack.write({"attacked.yaml": config(rounds=1)})
    assert attack.plan().counts() == {"missing" if declared == "pass" else "ok": 1}


def test_descriptive_keys_of_the_catalog_do_not_change_the_key_of_a_run(tmp_path):
    (tmp_path / "mine.csv").write_text(CSV)
    found = set()
    for facts in ("{n_rows: 60}", "{title: Mine, n_rows: 60, n_classes: 3, notes: none}"):
        (tmp_path / "mine.yaml").write_text(f"mine: {facts}\n")
        found.add(locate("mine", None, [tmp_path]).checksum)
    assert len(found) == 1


@pytest.mark.parametrize("put_back", [False, True])
@pytest.mark.parametrize("changed", ["data", "code"])
def test_what_changes_during_a_run_is_refused(attack, changed, put_back):
    files = {"data": "data/mine.csv", "code": "constant.py"}
    plan, old = attack.plan(), (attack.folder / files[changed]).read_text()
    attack.write({files[changed]: old.replace("a\n", "d\n").replace("int(0)", "int(1)")})
    outcome = attack.run(plan)
    if put_back:
        attack.write({files[changed]: old})
    assert outcome.counts == {"stale": 1}
    assert f"the {changed} changed during the run; run again" in outcome.failures[0][1].why
    assert attack.plan().counts() == {"missing": 1}


def test_an_edit_within_a_second_is_not_hidden_by_stored_bytecode(tmp_path):
    module = tmp_path / "twin_of_a_second.py"
    for text in ("x = 1\n", "x = 2\n"):
        module.write_text(text)
        os.utime(module, (1_700_000_000, 1_700_000_000))
        code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from boostbench import inputs; "
        code += (
            "inputs.watch(); import twin_of_a_second as m; print(m.x, inputs._executed[m.__file__])"
        )

        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        x, _, digest = done.stdout.strip().partition(" ")
    # Python executed the older bytecode: then it is not taken for the text on the disk.
    assert (x, digest) in (("1", ""), ("2", inputs.digest_of(str(module))))


def test_other_versions_of_the_packages_behind_a_record_are_told(attack, monkeypatch):
    attack.run(attack.plan())
    assert attack.plan().runs[0].versions == ""
    monkeypatch.setattr(records, "_version", lambda package: "99.0")
    plan = attack.plan()
    assert plan.counts() == {"ok": 1}
    assert "scikit-learn" in plan.runs[0].versions
    assert "(here 99.0)" in plan.runs[0].versions


def test_a_run_of_built_in_parts_notes_no_files(attack):
    attack.write({"attacked.yaml": config(boosters=["samme"])})
    attack.run(attack.plan())
    assert attack.plan().runs[0].record().inputs == {}
