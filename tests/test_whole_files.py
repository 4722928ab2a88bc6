"""Files are replaced only by complete ones."""

import os

import pytest

from boostbench.whole_files import write_file, write_files


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
    assert getattr(error, "filename", str(path)) == str(path)
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


def test_of_several_files_all_or_none_are_written(tmp_path, monkeypatch):
    paths = [tmp_path / name for name in "abc"]
    write_files(dict.fromkeys(paths[:2], b"old"))
    flushed = []

    def third_fails(descriptor):
        flushed.append(descriptor)
        if len(flushed) == 3:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", third_fails)
    with pytest.raises(OSError, match="No space"):
        write_files(dict.fromkeys(paths, b"new"))
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == {
        "a": b"old",
        "b": b"old",
    }


@pytest.mark.parametrize(
    ("make", "what"), [(os.mkfifo, "a pipe or device"), (os.mkdir, "a folder")]
)
def test_a_pipe_or_a_folder_is_not_replaced_by_a_file(tmp_path, make, what):
    path = tmp_path / "taken"
    make(path)
    before = path.stat()
    with pytest.raises(OSError, match=f"{what}, where a file is to be"):
        write_files({tmp_path / "file": b"new", path: b"new"})
    assert not (tmp_path / "file").exists()
    assert path.stat().st_mode == before.st_mode
