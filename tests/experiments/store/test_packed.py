import lzma
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from boostbench.errors import DataError
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


def less(record, *curves):
    """Return a record without some curves and the samples that were right."""
    kept = {name: curve for name, curve in record.curves.items() if name not in curves}
    return record.model_copy(update={"curves": kept, "at_checkpoints": {}})


def test_whole_records_come_back_to_the_bit(done, results, tmp_path):
    pack(done, tmp_path / PACKED)
    store, files = PackedRecords(tmp_path / PACKED), RecordStore(results)
    packed = sorted(store.all_paths())
    assert [path.name for path in packed] == [path.name for path in files.all_paths()]
    for path, own in zip(packed, files.all_paths(), strict=True):
        assert encode(store.read(path)) == own.read_bytes()
        assert store.summary(path) == files.summary(own)


def test_records_of_similar_runs_lie_together_whatever_their_order(done, tmp_path):
    for name, records in (("ab", done), ("ba", done[::-1])):
        pack(records, tmp_path / name)
    assert (tmp_path / "ab").read_bytes() == (tmp_path / "ba").read_bytes()
    keys = [path.stem for path in PackedRecords(tmp_path / "ab").all_paths()]
    by_run = sorted(done, key=lambda record: canonical_json(record.run.value()))
    assert keys == [str(record.key) for record in by_run]


@pytest.mark.parametrize(
    ("reduced", "left"),
    [
        (lambda record: less(record, "loss"), {"train_errors", "test_errors", "edge"}),
        (lambda record: less(record, *{*record.curves} - {"test_errors"}), {"test_errors"}),
    ],
    ids=["what a report reads", "what a selection compared"],
)
def test_packed_records_lack_only_what_was_left_out(done, tmp_path, reduced, left):
    pack(map(reduced, done), tmp_path / PACKED)
    store = PackedRecords(tmp_path / PACKED)
    for record, path in zip(done, sorted(store.all_paths()), strict=True):
        packed = store.read(path)
        assert packed.by_round("right") == {}
        assert left <= set(packed.curves) < set(record.curves)
        assert packed.seconds == record.seconds
        for name, curve in packed.curves.items():
            np.testing.assert_array_equal(curve, record.curves[name])


def test_a_record_with_one_other_curve_is_passed_over(done, tmp_path, caplog):
    pack([less(done[0], *({*done[0].curves} - {"loss"}))], tmp_path / PACKED)
    store = PackedRecords(tmp_path / PACKED)
    assert [store.read(path) for path in store.all_paths()] == [None]
    assert "errors is missing" in caplog.messages[0]


def test_records_packed_by_version_0_2_are_named_and_passed_over(done, tmp_path, caplog):
    pack(done, tmp_path / PACKED)
    lines = lzma.decompress((tmp_path / PACKED).read_bytes()).splitlines(keepends=True)
    lines[1] = lines[1].replace(b"[", b"\x01", 1).replace(b"]", b"\x01", 1)
    (tmp_path / PACKED).write_bytes(lzma.compress(b"".join(lines)))
    assert len(PackedRecords(tmp_path / PACKED).all_paths()) == len(done) - 1
    assert "records.jsonl.xz:2: the line was packed by version 0.2; pack it" in caplog.messages[0]


def test_published_records_are_read():
    results = Path(__file__).resolve().parents[3] / "results"
    file = min(results.glob(f"mcboost-*/{PACKED}"), key=lambda file: file.stat().st_size)
    store = PackedRecords(file)
    records = [store.read(path) for path in store.all_paths()]
    assert records
    assert None not in records


def test_packing_again_gives_the_same_bytes_whatever_the_order(done, tmp_path):
    pack(done, tmp_path / "a" / PACKED)
    store = PackedRecords(tmp_path / "a" / PACKED)
    pack([store.read(path) for path in reversed(store.all_paths())], tmp_path / "b" / PACKED)
    assert (tmp_path / "a" / PACKED).read_bytes() == (tmp_path / "b" / PACKED).read_bytes()


def test_an_adopted_record_takes_the_place_of_all_its_copies(done, tmp_path):
    pack(done, tmp_path / PACKED)
    lines = lzma.decompress((tmp_path / PACKED).read_bytes())
    (tmp_path / PACKED).write_bytes(lzma.compress(2 * lines))
    store, new = PackedRecords(tmp_path / PACKED), replace(done[0].key, code="0fda7a00")
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


def test_many_damaged_lines_make_one_message(done, tmp_path, caplog):
    file = tmp_path / PACKED
    pack(done, file)
    lines = lzma.decompress(file.read_bytes()).splitlines(keepends=True)
    other = [lines[0].replace(b"-8-", b"-%d-" % n) for n in range(100, 200)]
    lines[0] = lines[0].replace(b'"n_test": ', b'"n_test": 1')
    file.write_bytes(lzma.compress(b"".join([*lines, *[b"no record\n"] * 999, *other])))
    store = PackedRecords(file)
    assert [store.read(path) is None for path in store.all_paths()] == [True, False, *[True] * 100]
    assert len(caplog.messages) == 1  # for the changed record too
    lost = f"{file}:3: the line is not a record; it is ignored, as are all other"
    assert lost in caplog.messages[0]


def test_a_file_that_expands_too_far_is_refused(tmp_path):
    (tmp_path / PACKED).write_bytes(lzma.compress(b"0" * 2**26))
    with pytest.raises(DataError, match=r"more than \d\d MiB, unpacked"):
        PackedRecords(tmp_path / PACKED)


@pytest.mark.parametrize("content", [b"", b"no xz", lzma.compress(b"x" * 99)[:-20]])
def test_a_file_that_is_cut_off_is_refused(content, tmp_path):
    (tmp_path / PACKED).write_bytes(content)
    with pytest.raises(DataError, match=PACKED):
        PackedRecords(tmp_path / PACKED)
