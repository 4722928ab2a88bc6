"""A disk that is full or cannot be written: one clear line, and nothing that was there is lost."""

import os
import resource
import signal
from contextlib import contextmanager

import pytest

from boostbench.errors import BoostbenchError
from boostbench.experiments.planning.planner import make_plan
from boostbench.experiments.store.records import RecordStore
from tests.experiments.tools import SMALL, carry_out, records_of


@contextmanager
def file_size_limit(n_bytes):
    """Let every write beyond ``n_bytes`` of a file fail, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def test_a_full_disk_ends_the_work_and_keeps_what_was_finished(runs_of, tmp_path):
    runs = runs_of(SMALL)
    carry_out(runs[:3], tmp_path)
    before = records_of(tmp_path)
    with file_size_limit(700), pytest.raises(BoostbenchError) as error:
        carry_out(runs, tmp_path)
    assert "cannot be written: File too large; finished runs are kept" in str(error.value)
    assert "\n" not in str(error.value)
    assert records_of(tmp_path) == before
    assert not list((tmp_path / "runs").rglob("*.tmp"))
    assert carry_out(runs, tmp_path).counts == {"ok": 5}


def test_no_space_left_is_reported_with_the_file(runs_of, tmp_path, monkeypatch):
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full here")
    runs = runs_of(SMALL)
    store = RecordStore(tmp_path)
    carry_out(runs[:1], tmp_path)
    record = store.read(store.all_paths()[0])
    monkeypatch.setattr(os, "urandom", bytes)  # zeros, which name the temporary file
    store.all_paths()[0].with_name(f".{bytes(16).hex()}.tmp").symlink_to("/dev/full")
    with pytest.raises(BoostbenchError, match="cannot be written: No space left on device"):
        store.write(record)
    assert store.read(store.all_paths()[0]).status == "ok"


def test_a_read_only_folder_is_reported_before_any_training(runs_of, tmp_path):
    runs = runs_of(SMALL)
    carry_out(runs[:1], tmp_path)
    folder = tmp_path / "runs"
    folder.chmod(0o500)
    try:
        if os.access(folder, os.W_OK):
            pytest.skip("this user may write everywhere")
        with pytest.raises(BoostbenchError, match="cannot be written: Permission denied"):
            carry_out(runs, tmp_path)
    finally:
        folder.chmod(0o700)
    assert make_plan(runs, RecordStore(tmp_path)).counts() == {"ok": 1, "missing": 7}
