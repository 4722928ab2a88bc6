import lzma
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from boostbench.experiments.store.records import PACKED, PackedRecords, RecordStore, encode, pack
from boostbench.experiments.streams import canonical_json
from tests.experiments.tools import carry_out

TWO = """
name: two
datasets: [iris]
split: {holdout: 0.3}
boosters: [sm-boost]
rounds: 8
checkpoints: [4, 8]
seeds: 2
"""


@pytest.fixture
def done(runs_of, results):
    """The records of two finished runs."""
    carry_out(runs_of(TWO), results)
    store = RecordStore(results)
    return [store.read(path) for path in store.all_paths()]


@pytest.fixture
def file(done, tmp_path):
    """The two records, packed."""
    pack(done, tmp_path / PACKED)
    return tmp_path / PACKED


def lines_of(file):
    return lzma.decompress(file.read_bytes()).splitlines(keepends=True)


def less(record, *curves):
    """Return a record without some curves and the samples that were right."""
    kept = {name: curve for name, curve in record.curves.items() if name not in curves}
    return record.model_copy(update={"curves": kept, "at_checkpoints": {}})


def test_whole_records_come_back_to_the_bit(results, file):
    store, files = PackedRecords(file), RecordStore(results)
    paths = sorted(store.all_paths())
    assert [path.name for path in paths] == [path.name for path in files.all_paths()]
    for path, own in zip(paths, files.all_paths(), strict=True):
        assert encode(store.read(path)) == own.read_bytes()
        assert store.summary(path) == files.summary(own)


def test_records_of_similar_runs_lie_together_whatever_their_order(done, file, tmp_path):
    store = PackedRecords(file)
    by_run = sorted(done, key=lambda record: canonical_json(record.run.value()))
    assert [path.stem for path in store.all_paths()] == [str(record.key) for record in by_run]
    for records in (done[::-1], [store.read(path) for path in reversed(store.all_paths())]):
        pack(records, tmp_path / "again" / PACKED)
        assert (tmp_path / "again" / PACKED).read_bytes() == file.read_bytes()


@pytest.mark.parametrize(
    ("reduced", "left"),
    [
        (lambda record: less(record, "loss"), {"train_errors", "test_errors", "edge"}),
        (lambda record: less(record, *{*record.curves} - {"test_errors"}), {"test_errors"}),
    ],
    ids=["what a report reads", "what a selection compared"],
)
def test_packed_records_lack_only_what_was_left_out(done, file, reduced, left):
    pack(map(reduced, done), file)
    store = PackedRecords(file)
    for record, path in zip(done, sorted(store.all_paths()), strict=True):
        found = store.read(path)
        assert found.by_round("right") == {}
        assert left <= set(found.curves) < set(record.curves)
        assert found.seconds == record.seconds
        for name, curve in found.curves.items():
            np.testing.assert_array_equal(curve, record.curves[name])


def test_a_record_with_one_other_curve_is_passed_over(done, file, caplog):
    pack([less(done[0], *({*done[0].curves} - {"loss"}))], file)
    store = PackedRecords(file)
    assert [store.read(path) for path in store.all_paths()] == [None]
    assert "errors is missing" in caplog.messages[0]


def test_records_packed_by_version_0_2_are_named_and_passed_over(file, caplog):
    first, second = lines_of(file)
    second = second.replace(b"[", b"\x01", 1).replace(b"]", b"\x01", 1)
    file.write_bytes(lzma.compress(first + second))
    assert len(PackedRecords(file).all_paths()) == 1
    assert "records.jsonl.xz:2: the line was packed by version 0.2; pack it" in caplog.messages[0]


def test_published_records_are_read():
    published = (Path(__file__).resolve().parents[3] / "results").glob(f"mcboost-*/{PACKED}")
    store = PackedRecords(min(published, key=lambda file: file.stat().st_size))
    records = [store.read(path) for path in store.all_paths()]
    assert records
    assert None not in records


def test_an_adopted_record_takes_the_place_of_all_its_copies(done, file):
    file.write_bytes(lzma.compress(b"".join(2 * lines_of(file))))
    store, new = PackedRecords(file), replace(done[0].key, code="0fda7a00")
    note = {"key": str(done[0].key), "checked": 1, "of": 1}
    store.write(done[0].model_copy(update={"key": new, "adopted": note}))
    keys = {key for of_value in store.stored("iris").values() for key in of_value}
    assert keys == {new, done[1].key}
    assert {store.read(store.path_of("iris", key)).key for key in keys} == keys


def test_labels_do_not_change_the_bytes(runs_of, results, tmp_path):
    runs = runs_of(TWO.replace("[iris]", "[iris: {as: z}, wine: {as: a}]"))
    carry_out(runs, results)
    store = RecordStore(results)
    unlabelled = [store.read(path) for path in store.all_paths()]
    by_key = {record.run: record for record in unlabelled}
    labelled = [by_key[run].model_copy(update={"run": run}) for run in runs]
    assert {record.run.dataset for record in labelled} == {"a", "z"}
    for name, records in (("a", unlabelled), ("b", labelled)):
        pack(records, tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_many_damaged_lines_make_one_message(file, caplog):
    lines = lines_of(file)
    other = [lines[0].replace(b"-8-", b"-%d-" % n) for n in range(100, 200)]
    lines[0] = lines[0].replace(b'"n_test": ', b'"n_test": 1')
    file.write_bytes(lzma.compress(b"".join([*lines, *[b"no record\n"] * 999, *other])))
    store = PackedRecords(file)
    assert [store.read(path) is None for path in store.all_paths()] == [True, False, *[True] * 100]
    assert len(caplog.messages) == 1  # for the changed record too
    lost = f"{file}:3: the line is not a record; it is ignored, as are all other"
    assert lost in caplog.messages[0]
