"""Old numbers never pass for new ones: what changes a result makes a record stale."""

import importlib.util
import io
import json
import os
import pathlib
import subprocess
import sys
import textwrap
import zipfile

import pytest

from boostbench import inputs
from boostbench.data.loading import load
from boostbench.data.sources import locate
from boostbench.experiments.configs.file import load_config
from boostbench.experiments.planning.grid import expand
from boostbench.experiments.planning.planner import make_plan
from boostbench.experiments.running.conduct import run_plan
from boostbench.experiments.running.executors import InlineExecutor
from boostbench.experiments.store import record as records
from boostbench.experiments.store.records import RecordStore
from tests.experiments.tools import forget_code

PLUGIN = """
import importlib
import json
import pathlib

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
{imports}


class Constant(ClassifierMixin, BaseEstimator):
    def __init__(self, n_estimators=10, random_state=None):
        self.n_estimators = n_estimators

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.answer_ = self.classes_[{answer}]
        return self

    def staged_predict(self, X):
        for _ in range(self.n_estimators):
            yield np.full(len(X), self.answer_)
"""
CONFIG = """
name: attacked
datasets: [DATA]
split: {holdout: 0.3}
boosters: ['constant.py:Constant']
rounds: 2
"""
CSV = "u,v,target\n" + "".join(f"{i % 7},{i % 3},{'abc'[i % 3]}\n" for i in range(60))


class Attack:
    """An experiment of one run in a folder of its own."""

    def __init__(self, folder, data="iris"):
        self.folder = folder
        self.data = folder / "data"
        self.data.mkdir()
        self.store = RecordStore(folder / "results")
        (folder / "attacked.yaml").write_text(CONFIG.replace("DATA", data))

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(textwrap.dedent(text))
        return path

    def plan(self, **options):
        """Plan as a new process does."""
        forget_code()
        config = load_config(
            self.folder / "attacked.yaml", data_dirs=[self.data], check_parameters=False
        )
        store = RecordStore(self.folder / "results")
        return make_plan(expand(config), store, [self.data], **options)

    def run(self, plan):
        return run_plan(plan.todo(), self.store, InlineExecutor([self.data]))


@pytest.fixture
def attack(tmp_path):
    return Attack(tmp_path)


def test_the_sizes_of_an_ordered_set_are_part_of_its_checksum(tmp_path):
    (tmp_path / "mine.csv").write_text(CSV)
    catalog = tmp_path / "mine.yaml"
    found = []
    for n_train in (20, 40):
        catalog.write_text(f"mine: {{ordered: true, n_train: {n_train}, n_test: {60 - n_train}}}\n")
        data = load("mine", None, [tmp_path])
        assert len(data.official[0]) == n_train
        assert data.checksum == locate("mine", None, [tmp_path]).checksum
        found.append(data.checksum)
    assert found[0] != found[1]


def test_descriptive_keys_of_the_catalog_do_not_change_the_key_of_a_run(tmp_path):
    (tmp_path / "mine.csv").write_text(CSV)
    found = set()
    for facts in ("{n_rows: 60}", "{title: Mine, n_rows: 60, n_classes: 3, notes: none}"):
        (tmp_path / "mine.yaml").write_text(f"mine: {facts}\n")
        found.add(locate("mine", None, [tmp_path]).checksum)
    assert len(found) == 1


@pytest.mark.parametrize("put_back", [False, True])
def test_data_replaced_during_a_run_are_refused(tmp_path, monkeypatch, put_back):
    attack = Attack(tmp_path, "mine")
    attack.write("constant.py", PLUGIN.format(imports="", answer="0"))
    path = attack.write("data/mine.csv", CSV)
    plan = attack.plan()
    path.write_text(CSV.replace("a\n", "d\n"))
    outcome = attack.run(plan)
    if put_back:
        path.write_text(CSV)
    assert outcome.counts == {"stale": 1}
    assert "mine.csv: the data changed during the run; run again" in outcome.failures[0][1].why
    assert attack.plan().counts() == {"missing": 1}


def test_replaced_data_of_the_same_size_and_time_are_seen(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text(CSV)
    before, times = locate("mine", None, [tmp_path]).checksum, os.stat(path)
    path.write_text(CSV.replace("a\n", "d\n"))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert locate("mine", None, [tmp_path]).checksum != before


@pytest.mark.parametrize("put_back", [False, True])
def test_source_edited_before_a_worker_imports_it_is_refused(attack, put_back):
    old, new = (PLUGIN.format(imports="", answer=answer) for answer in "01")
    attack.write("constant.py", old)
    plan = attack.plan()
    path = attack.write("constant.py", new)
    outcome = attack.run(plan)
    if put_back:
        path.write_text(old)
    assert outcome.counts == {"stale": 1}
    assert "constant.py: the code changed during the run" in outcome.failures[0][1].why
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


def module_of(shift):
    return f"shift = {shift}\n".encode()


def zip_of(shift):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        file.writestr("attacked_in_a_zip.py", module_of(shift))
    return content.getvalue()


def library_of(shift):
    """Return an extension module; bytes behind its end change the file alone."""
    origin = importlib.util.find_spec("markupsafe._speedups").origin
    return pathlib.Path(origin).read_bytes() + bytes(shift)


#: What a plugin reads: its imports, its answer, the file, and the content of the file.
HELPERS = {
    "a package beside": ("from {name}.step import shift", "shift", "{name}/step.py", module_of),
    "a module on the path": ("import {name} as helper", "helper.shift", "{name}.py", module_of),
    "a module by a computed name": (
        "helper = importlib.import_module('{name}'[:3] + '{name}'[3:])",
        "helper.shift",
        "{name}.py",
        module_of,
    ),
    "a module that a function imports": (
        "def late():\n    import {name}\n    return {name}.shift",
        "late()",
        "{name}.py",
        module_of,
    ),
    "a module in a zip": (
        "import sys; sys.path.append('{folder}/{name}.zip'); import attacked_in_a_zip as helper",
        "helper.shift",
        "{name}.zip",
        zip_of,
    ),
    "a text that is executed": (
        "exec(pathlib.Path('{folder}/{name}.txt').read_text())",
        "shift",
        "{name}.txt",
        module_of,
    ),
    "a file": (
        "",
        "json.loads(pathlib.Path(__file__).with_name('{name}.json').read_text())['shift']",
        "{name}.json",
        lambda shift: json.dumps({"shift": shift}).encode(),
    ),
    "a file descriptor": (
        "import os; descriptor = os.open('{folder}/{name}.txt', os.O_RDONLY)",
        "int(os.read(descriptor, 1))",
        "{name}.txt",
        lambda shift: str(shift).encode(),
    ),
    "an array in a file": (
        "table = np.fromfile('{folder}/{name}.bin', dtype=np.int8)",
        "table[0]",
        "{name}.bin",
        lambda shift: bytes([shift]),
    ),
    "an extension module": ("from {name} import _speedups", "0", "{name}/_speedups.so", library_of),
    "a library": (
        "import ctypes; ctypes.CDLL('{folder}/{name}.so')",
        "0",
        "{name}.so",
        library_of,
    ),
}


@pytest.mark.parametrize("kind", HELPERS)
def test_records_depend_on_the_files_that_a_plugin_reads(attack, monkeypatch, kind):
    library = attack.folder / "library" if kind == "a module on the path" else attack.folder
    names = {"name": f"attacked_{'_'.join(kind.split())}", "folder": library}
    imports, answer, file = (part.format(**names) for part in HELPERS[kind][:3])
    content = HELPERS[kind][3]
    library.mkdir(exist_ok=True)
    monkeypatch.syspath_prepend(library)
    (library / file).parent.mkdir(exist_ok=True)
    (library / file).parent.joinpath("__init__.py").touch()
    (library / file).write_bytes(content(0))
    attack.write("constant.py", PLUGIN.format(imports=imports, answer=answer))
    outcome = attack.run(attack.plan())
    assert outcome.counts == {"ok": 1}, outcome.failures[0][1].why
    again = attack.plan().runs[0]
    assert again.status == "ok", again.reason
    (library / file).unlink()  # a library that is in use must not be overwritten
    (library / file).write_bytes(content(1))
    plan = attack.plan()
    assert plan.counts() == {"stale": 1}
    assert "changed since it was done" in plan.runs[0].reason
    if kind == "a file":  # the run reads it, and not this process once
        attack.run(plan)
        assert attack.plan().counts() == {"ok": 1}


def test_a_record_depends_on_the_users_module_that_has_the_booster(attack, monkeypatch):
    monkeypatch.syspath_prepend(attack.folder)
    package = "attacked_package"
    attack.write(f"{package}/__init__.py", "")
    attack.write(f"{package}/shifts.py", "shift = 0\n")
    imports = f"from {package}.shifts import shift"
    attack.write(f"{package}/constants.py", PLUGIN.format(imports=imports, answer="shift"))
    config = CONFIG.replace("constant.py:Constant", f"{package}.constants:Constant")
    (attack.folder / "attacked.yaml").write_text(config.replace("DATA", "iris"))
    outcome = attack.run(attack.plan())
    assert outcome.counts == {"ok": 1}, outcome.failures[0][1].why
    assert attack.plan().counts() == {"ok": 1}
    attack.write(f"{package}/shifts.py", "shift = 1\n")
    assert attack.plan().counts() == {"stale": 1}


@pytest.mark.parametrize(("declared", "status"), [("", "missing"), ("nested_rounds = True", "ok")])
def test_a_record_of_more_rounds_counts_if_the_booster_says_so(attack, declared, status):
    text = PLUGIN.format(imports="", answer="0")
    attack.write(
        "constant.py", text.replace("    def __init__", f"    {declared}\n    def __init__")
    )
    attack.run(attack.plan())
    config = attack.folder / "attacked.yaml"
    config.write_text(config.read_text().replace("rounds: 2", "rounds: 1"))
    assert attack.plan().counts() == {status: 1}


def test_other_versions_of_the_packages_behind_a_record_are_told(attack, monkeypatch):
    attack.write("constant.py", PLUGIN.format(imports="", answer="0"))
    attack.run(attack.plan())
    assert attack.plan().runs[0].versions == ""
    monkeypatch.setattr(records, "_version", lambda package: "99.0")
    plan = attack.plan()
    assert plan.counts() == {"ok": 1}
    assert "scikit-learn" in plan.runs[0].versions
    assert "(here 99.0)" in plan.runs[0].versions


def test_a_run_of_built_in_parts_notes_no_files(attack):
    (attack.folder / "attacked.yaml").write_text(
        CONFIG.replace("DATA", "iris").replace("'constant.py:Constant'", "samme")
    )
    attack.run(attack.plan())
    assert attack.plan().runs[0].record().inputs == {}
