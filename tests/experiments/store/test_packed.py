import lzma

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boostbench.errors import BoostbenchError, DataError
from boostbench.experiments.store import packed
from boostbench.experiments.store.packed import PACKED, PackedRecords, pack
from boostbench.experiments.store.record import Checkpoints
from boostbench.experiments.store.records import RecordStore, encode
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
    return record.model_copy(update={"curves": kept, "at_checkpoints": Checkpoints()})


def test_whole_records_come_back_to_the_bit(done, results, tmp_path):
    pack(done, tmp_path / PACKED)
    store, files = PackedRecords(tmp_path / PACKED), RecordStore(results)
    assert [path.name for path in store.all_paths()] == [path.name for path in files.all_paths()]
    for path, own in zip(store.all_paths(), files.all_paths(), strict=True):
        assert encode(store.read(path)) == own.read_bytes()
        assert store.summary(path) == files.summary(own)


def test_what_a_record_is_packed_without_is_absent_and_the_rest_whole(done, tmp_path):
    pack((less(each, "loss") for each in done), tmp_path / PACKED)
    store = PackedRecords(tmp_path / PACKED)
    for record, path in zip(done, store.all_paths(), strict=True):
        packed = store.read(path)
        assert packed.at_checkpoints.right == {}
        assert set(packed.curves) == set(record.curves) - {"loss"}
        for name, curve in packed.curves.items():
            np.testing.assert_array_equal(curve, record.curves[name])


def test_a_record_with_the_errors_alone_that_decided_is_read(done, results, tmp_path):
    files = RecordStore(results)
    pack((files.read_curve(path, "test_errors") for path in files.all_paths()), tmp_path / PACKED)
    store = PackedRecords(tmp_path / PACKED)
    for record, path in zip(done, store.all_paths(), strict=True):
        packed = store.read(path)
        assert set(packed.curves) == {"test_errors"}
        np.testing.assert_array_equal(packed.curves["test_errors"], record.curves["test_errors"])
        assert packed.seconds == record.seconds


def test_a_record_with_one_other_curve_is_passed_over(done, tmp_path, caplog):
    pack([less(done[0], *({*done[0].curves} - {"loss"}))], tmp_path / PACKED)
    store = PackedRecords(tmp_path / PACKED)
    assert [store.read(path) for path in store.all_paths()] == [None]
    assert "errors is missing" in caplog.messages[0]


@given(st.lists(st.integers(-(10**15), 10**15) | st.integers(-150, 150)))
def test_lists_of_integers_come_back_from_their_steps(numbers):
    line = f'{{"a": {numbers}, "b": [[0, 1, 2, 3], [-0, 1, 2, 3], [01, 2, 3, 4]]}}\n'.encode()
    short = packed._NUMBERS.sub(packed._as_steps, line)
    assert short.count(b"\n") == 1
    assert packed._STEPS.sub(packed._as_numbers, short) == line


def test_packing_again_gives_the_same_bytes_whatever_the_order(done, tmp_path):
    pack(done, tmp_path / "a" / PACKED)
    store = PackedRecords(tmp_path / "a" / PACKED)
    pack([store.read(path) for path in reversed(store.all_paths())], tmp_path / "b" / PACKED)
    assert (tmp_path / "a" / PACKED).read_bytes() == (tmp_path / "b" / PACKED).read_bytes()


def test_an_edited_record_is_passed_over_and_told(done, tmp_path, caplog):
    file = tmp_path / PACKED
    pack(done, file)
    lines = lzma.decompress(file.read_bytes()).splitlines(keepends=True)
    lines[0] = lines[0].replace(b'"n_test": ', b'"n_test": 1')
    file.write_bytes(lzma.compress(b"".join([*lines, b"no record\n"])))
    store = PackedRecords(file)
    assert [store.read(path) is None for path in store.all_paths()] == [True, False]
    assert "a line that is not a record is ignored" in caplog.messages[0]
    assert "changed after writing" in caplog.messages[1]


@pytest.mark.parametrize("content", [b"", b"no xz", lzma.compress(b"x" * 99)[:-20]])
def test_a_file_that_is_cut_off_is_refused(content, tmp_path):
    (tmp_path / PACKED).write_bytes(content)
    with pytest.raises(DataError, match=PACKED):
        PackedRecords(tmp_path / PACKED)


def test_nothing_is_added_to_packed_records(done, tmp_path):
    pack(done, tmp_path / PACKED)
    with pytest.raises(BoostbenchError, match="cannot be added to"):
        PackedRecords(tmp_path / PACKED).write(done[0])
