"""Bundles hold an experiment, and say whether it comes out the same here."""

import re
import shutil
import sys
import zipfile

import numpy as np
import pytest

from boostbench import Experiment
from boostbench.bundles import check_bundle, write_bundle
from boostbench.cli.app import main
from boostbench.errors import BoostbenchError

BASE = """\
name: base
datasets: [mine]
split: {holdout: 0.3}
boosters: [sm-boost, parts/plain.py:Plain]
rounds: 4
"""
CONFIG = """\
name: small
extends: base.yaml
report:
  - table: {rows: dataset, columns: rounds, value: test_error, paper: parts/paper.csv}
"""
PLUGIN = """\
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from helping_bundles import Base


class Plain(Base):
    def fit(self, X, y, sample_weight=None):
        return super().fit(X, y)
"""
HELP = "from boostbench.boosters.samme import SAMME as Base\n"
DATA = "a,b,target\n" + "".join(f"{i % 7},{(i * i) % 11},{'xyz'[i % 3]}\n" for i in range(60))


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with a config, what it extends and names, data, and a catalog of them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("BOOSTBENCH_DATA", raising=False)
    monkeypatch.setattr("sys.path", [*sys.path])
    monkeypatch.delitem(sys.modules, "helping_bundles", raising=False)
    (tmp_path / "study" / "parts").mkdir(parents=True)
    (tmp_path / "study" / "base.yaml").write_text(BASE)
    (tmp_path / "study" / "small.yaml").write_text(CONFIG)
    (tmp_path / "study" / "parts" / "plain.py").write_text(PLUGIN)
    (tmp_path / "study" / "parts" / "helping_bundles.py").write_text(HELP)
    (tmp_path / "study" / "parts" / "paper.csv").write_text(
        "dataset,method,T,noise,error,unit\nmine,samme,4,0,1,percent\n"
    )
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "rows.csv").write_text(DATA)
    (tmp_path / "data" / "mine.yaml").write_text("mine: {n_rows: 60, files: [rows.csv]}\n")
    return tmp_path


@pytest.fixture
def done(here):
    experiment = Experiment.load(here / "study" / "small.yaml", data=here / "data")
    assert experiment.run(executor="inline").counts == {"ok": 2}
    return experiment


@pytest.fixture
def elsewhere(here):
    """Returns a function that checks a bundle where nothing else is left."""

    def check(file, **options):
        for folder in ("study", "results"):
            shutil.rmtree(here / folder)
        (here / "data" / "mine.yaml").unlink()
        found = check_bundle(file, executor="inline", **options)
        return {compared.what.partition("/clean")[0]: compared for compared in found}

    return check


def bundled(experiment, here):
    write_bundle(experiment, here / "small.zip")
    return here / "small.zip"


def test_a_bundle_holds_what_the_config_names_and_no_data(done, here):
    with zipfile.ZipFile(bundled(done, here)) as archive:
        names = set(archive.namelist())
    assert names == {
        "bundle.json",
        *(f"configs/{name}" for name in ("small.yaml", "base.yaml")),
        *(f"configs/parts/{name}" for name in ("plain.py", "helping_bundles.py", "paper.csv")),
        "data/mine.yaml",
        "results/small/records.jsonl.xz",
    }


def test_a_bundle_is_done_again_with_the_values_that_replaced_those_of_the_config(here, elsewhere):
    config, overrides = here / "study" / "small.yaml", {"rounds": 2, "boosters": ["sm-boost"]}
    experiment = Experiment.load(config, data=here / "data", overrides=overrides)
    experiment.run(executor="inline")
    found = elsewhere(bundled(experiment, here), data=here / "data")
    assert found["mine/sm-boost"].verdict == "same to the bit"
    assert not any("plain" in name for name in found)


def test_the_same_experiment_gives_the_same_bytes(done, here):
    assert bundled(done, here).read_bytes() == bundled(done, here).read_bytes()


def test_runs_are_the_same_to_the_bit(done, here, elsewhere):
    found = elsewhere(bundled(done, here), data=here / "data")
    assert {(name, compared.verdict) for name, compared in found.items()} == {
        ("mine", "same to the bit"),
        ("mine/sm-boost", "same to the bit"),
        ("mine/Plain", "same to the bit"),
    }


def test_a_difference_is_said_by_its_size_or_its_place(done, here, elsewhere):
    for planned in done.plan().runs:
        record = planned.record()
        curves = {name: curve.copy() for name, curve in record.curves.items()}
        if planned.run.method == "sm-boost":
            curves["loss"] = curves["loss"] * (1 + 1e-13)
        else:
            curves["train_errors"] = np.minimum(curves["train_errors"] + 1, record.n_train)
        done.store.write(record.model_copy(update={"curves": curves}))
    found = elsewhere(bundled(done, here), data=here / "data")
    assert found["mine/sm-boost"].verdict == "same within"
    assert re.fullmatch(r"\d\.\de-1\d, relative", found["mine/sm-boost"].detail)
    assert found["mine/Plain"].verdict == "differs"
    assert found["mine/Plain"].detail.startswith("curves.train_errors at round 1: ")


def test_other_data_and_absent_data_are_told(done, here, elsewhere):
    file = bundled(done, here)
    (here / "data" / "rows.csv").write_text(DATA.replace("0,0,x\n", "0,1,x\n", 1))
    found = check_bundle(file, data=here / "data", executor="inline")
    assert found[0].verdict == "differs"
    (here / "data" / "rows.csv").write_text(DATA.replace("0,0,x\n", "0.0,0,x\n", 1))
    found = check_bundle(file, data=here / "data", executor="inline")
    assert (found[0].verdict, found[0].detail) == (
        "same to the bit",
        "the same rows in another file",
    )
    (here / "data" / "rows.csv").unlink()
    found = elsewhere(file)
    assert {compared.verdict for compared in found.values()} == {"not done"}


def test_an_altered_bundle_is_refused(done, here):
    file = bundled(done, here)
    with zipfile.ZipFile(file) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members["configs/base.yaml"] += b"seeds: 2\n"
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    with pytest.raises(BoostbenchError, match=r"configs/base.yaml was changed: sha256 \w+, exp"):
        check_bundle(file)


@pytest.mark.parametrize(
    "facts", [None, b"", b"[]", b'{"sha256": {"x": 1}}', b'{"sha256": 1}', b"\xff"]
)
def test_what_is_no_bundle_is_one_line(here, facts, capsys):
    if facts is None:
        (here / "x.zip").write_bytes(b"PK no zip")
    else:
        with zipfile.ZipFile(here / "x.zip", "w") as archive:
            archive.writestr("bundle.json", facts)
    assert main(["verify", "x.zip"]) == 2
    said = capsys.readouterr().err
    assert "x.zip: is not a bundle" in said
    assert said.count("\n") == 1


def test_an_absolute_path_cannot_be_bundled(here):
    config = here / "study" / "base.yaml"
    config.write_text(BASE.replace("parts/plain", f"{here}/study/parts/plain"))
    experiment = Experiment.load(config, data=here / "data")
    with pytest.raises(BoostbenchError, match="absolute path"):
        bundled(experiment, here)


def test_an_experiment_without_records_is_not_bundled(here):
    experiment = Experiment.load(here / "study" / "small.yaml", data=here / "data")
    with pytest.raises(BoostbenchError, match="no run has a record yet"):
        bundled(experiment, here)


def test_the_commands_bundle_and_verify(done, here, in_this_process, capsys):
    data = ["--data", str(here / "data")]
    assert main(["bundle", "study/small.yaml", *data]) == 0
    assert capsys.readouterr().out == "small.zip\n"
    assert main(["verify", "small.zip", *data, "--jobs", "1"]) == 0
    assert capsys.readouterr().out.count("same to the bit") == 3
    assert main(["verify", "small.zip", "study/small.yaml"]) == 2
    assert "not both at a time" in capsys.readouterr().err
