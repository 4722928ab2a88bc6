"""Files are replaced only by complete ones."""

import os

import pytest

from boostbench.whole_files import write_file


@pytest.mark.parametrize("call", ["fsync", "replace"])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_write_that_ends_early_leaves_the_old_file_alone(tmp_path, monkeypatch, call, error):
    path = tmp_path / "file"
    write_file(path, b"old")

    def failing(*_):
        raise error

    monkeypatch.setattr(os, call, failing)
    with pytest.raises(type(error)):
        write_file(path, b"new")
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == {"file": b"old"}


def test_a_folder_that_cannot_be_flushed_has_the_new_file(tmp_path, monkeypatch):
    flush = os.fsync

    def of_files_only(descriptor):
        if os.path.isdir(f"/proc/self/fd/{descriptor}"):
            raise OSError(22, "Invalid argument")
        flush(descriptor)

    monkeypatch.setattr(os, "fsync", of_files_only)
    write_file(tmp_path / "file", b"new")
    assert (tmp_path / "file").read_bytes() == b"new"
