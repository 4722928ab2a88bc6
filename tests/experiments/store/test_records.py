import hashlib
import json
import os
import shutil
import time

import numpy as np
import pytest

from boostbench.errors import BoostbenchError
from boostbench.experiments.planning.planner import make_plan
from boostbench.experiments.planning.repeating import differences
from boostbench.experiments.store.identity import Key
from boostbench.experiments.store.records import RecordStore
from tests.experiments.tools import SMALL, carry_out, plan_of

TWO = """
name: two
datasets: [iris]
split: {holdout: 0.3}
boosters: [toy-centroids]
rounds: 4
seeds: 2
"""


@pytest.fixture
def done(runs_of, results):
    """Two finished runs in ``results``."""
    runs = runs_of(TWO)
    carry_out(runs, results)
    return runs


@pytest.fixture
def path(done, results):
    """The file of one of the two."""
    path, _ = RecordStore(results).all_paths()
    return path


@pytest.fixture
def record(path, results):
    return RecordStore(results).read(path)


def test_a_record_is_one_json_file_named_by_its_key(path, results):
    assert path.parent == results / "runs" / "iris"
    record = json.loads(path.read_text(encoding="utf-8"))
    facts = {name: record[name] for name in ("key", "format", "status")}
    assert facts == {"key": path.stem, "format": 1, "status": "ok"}
    assert record["run"]["booster"] == {"name": "toy-centroids", "params": {}}


def test_a_curve_that_is_not_recorded_is_nan(record):
    name = "train_errors_clean"
    others = {other: curve for other, curve in record.curves.items() if other != name}
    packed = record.model_copy(update={"curves": others})
    assert np.isnan(packed.curve(name)).all()
    assert not np.isnan(record.curve(name)).any()
    unboosted = packed.model_copy(update={"n_rounds": 0})
    assert unboosted.curve(name).tolist() == [record.round_zero[name]]


def test_a_summary_leaves_out_the_curves(path, record, results):
    facts = RecordStore(results).summary(path).model_dump()
    assert not {"round_zero", "noise", "curves", "at_checkpoints"} & set(facts)
    assert facts == record.model_dump(include=set(facts))


DAMAGES = {
    "cut": lambda content: content[: len(content) // 2],
    "empty": lambda content: b"",
    "edited": lambda content: content.replace(b'"stop_reason": ""', b'"stop_reason": "x"'),
    "garbage": lambda content: os.urandom(500),
    "renamed": bytes,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_record_is_set_aside_named_and_done_again(damage, done, path, results, caplog):
    content = path.read_bytes()
    path.unlink()
    damaged = path.with_name("0" * 16 + path.name[16:]) if damage == "renamed" else path
    damaged.write_bytes(DAMAGES[damage](content))
    store = RecordStore(results)
    assert store.read(damaged) is None
    [message] = caplog.messages
    assert str(damaged) in message
    assert make_plan(done, store).counts() == {"ok": 1, "missing": 1}
    assert carry_out(done, results).counts == {"ok": 1}


def test_a_record_of_another_format_is_left_alone_and_named(path, record, results, caplog):
    RecordStore(results).write(record.model_copy(update={"format": 99}))
    assert RecordStore(results).read(path) is None
    assert "invalid record: format" in caplog.messages[0]
    assert path.exists()


def test_writing_the_same_record_again_replaces_it(record, results):
    store = RecordStore(results)
    store.write(record)
    assert len(store.all_paths()) == 2
    assert store.stored("iris")[record.key.value] == [record.key]


def test_what_a_killed_process_left_half_written_is_cleared_away(done, results):
    old = results / "runs" / "iris" / ".x.json.1.tmp"
    young = results / "runs" / "iris" / ".y.json.2.tmp"
    for path in (old, young):
        path.write_text("{")
    os.utime(old, (time.time() - 3600,) * 2)
    RecordStore(results).prepare()
    assert not old.exists()
    assert young.exists()  # another process may be writing it


def test_the_name_of_a_data_set_may_hold_anything(results):
    store = RecordStore(results)
    path = store.path_of("a b/../ü:c.py:d", Key("0" * 16, 5, "1" * 8, "2" * 8))
    assert path.parent.parent == results / "runs"


def test_a_file_in_the_place_of_the_folder_is_reported(results):
    results.write_text("")
    with pytest.raises(BoostbenchError, match="cannot be written: "):
        RecordStore(results).prepare()


def signed(record):
    body = json.dumps({k: v for k, v in record.items() if k != "digest"}).encode()[:-1]
    return body + b', "digest": "' + hashlib.sha256(body).hexdigest().encode() + b'"}\n'


NONSENSE = {
    "no status": {"status": None},
    "no error of a failure": {"status": "failed"},
    "null seconds": {"seconds": {"fit": None}},
    "a size that is missing": {"n_test": 0},
    "too many rounds": {"n_rounds": 5},
    "a key of other rounds": {"key": f"{'0' * 16}-5-{'0' * 8}-"},
    "no curves": {"curves": None},
    "short curves": {"curves": {"train_errors": [1], "test_errors": [1]}},
    "too many errors": {"curves": {"train_errors": [1] * 4, "test_errors": [10**6] * 4}},
    "not a number": {"curves": {"train_errors": [1] * 4, "test_errors": [float("nan")] * 4}},
    "samples right that contradict the errors": {"at_checkpoints": {"right": {"4": ""}}},
    "samples right after a round that was not made": {"at_checkpoints": {"right": {"9": "/w=="}}},
    "a run of no data set": {"run": {"rounds": 4}},
}


@pytest.mark.parametrize("case", NONSENSE)
def test_a_well_signed_record_that_makes_no_sense_is_ignored(case, path, results, caplog):
    path.write_bytes(signed({**json.loads(path.read_text()), **NONSENSE[case]}))
    assert RecordStore(results).read(path) is None
    [line] = caplog.messages
    assert "invalid record: " in line


def test_files_that_only_look_like_records_are_ignored(done, path, results):
    folder = path.parent
    name = f"{'0' * 16}-4-{'0' * 8}-{'%08x'}.json"
    (folder / (name % 1)).symlink_to("nowhere")
    (folder / (name % 2)).symlink_to(name % 2)
    (folder / (name % 3)).mkdir()
    folder.with_name("loop").symlink_to("loop")
    assert plan_of(done, results).counts() == {"ok": 2}
    assert len(RecordStore(results).all_paths()) == 2


def test_a_value_and_none_are_different_results(record):
    def with_loss(*loss):
        curves = {**record.curves, "loss": np.array(loss)}
        return record.model_copy(update={"curves": curves})

    first, second = with_loss(np.nan, 0.5, 0.25, 0.125), with_loss(1.0, 0.5, 0.25, 0.125)
    assert not [*differences(first, first)]
    assert [size for _, size in differences(first, second)] == [np.inf]
    assert [size for _, size in differences(second, first)] == [np.inf]
    assert not [*differences(first, second, partial=True)]


def test_folders_of_two_machines_merge_by_copying(runs_of, tmp_path):
    runs = runs_of(SMALL)
    carry_out(runs[:4], tmp_path / "one")
    carry_out(runs[4:], tmp_path / "two")
    shutil.copytree(tmp_path / "two", tmp_path / "one", dirs_exist_ok=True, symlinks=True)
    assert plan_of(runs, tmp_path / "one").counts() == {"ok": 8}
