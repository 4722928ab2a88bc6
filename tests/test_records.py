"""Packed records go into an archive and come back from a URL, with their digest checked."""

import hashlib
import io
import tarfile

import pytest

from checks.records import DIGEST, fetch, pack

CONTENT = {"one/records.jsonl.xz": b"first", "two/records.jsonl.xz": b"second"}


@pytest.fixture
def results(tmp_path):
    for name, content in CONTENT.items():
        (tmp_path / "results" / name).parent.mkdir(parents=True)
        (tmp_path / "results" / name).write_bytes(content)
    return tmp_path / "results"


def test_records_come_back_from_the_archive(results, tmp_path):
    archive = tmp_path / "records.tar"
    pack(results, archive)
    written = archive.read_bytes()
    pack(results, archive)
    assert archive.read_bytes() == written
    for name in CONTENT:
        (results / name).unlink()
    for source in (archive.as_uri(), str(archive)):
        assert fetch(results, source) == 2
        assert {name: (results / name).read_bytes() for name in CONTENT} == CONTENT


def test_an_archive_with_another_digest_or_other_files_is_refused(results, tmp_path):
    archive = tmp_path / "records.tar"
    with tarfile.open(archive, "w") as tar:
        member = tarfile.TarInfo("../elsewhere")
        member.size = 1
        tar.addfile(member, io.BytesIO(b"x"))
    pack(results, tmp_path / "right.tar")
    with pytest.raises(OSError, match="expected is"):
        fetch(results, archive.as_uri())
    (results / DIGEST).write_text(
        f"{hashlib.sha256(archive.read_bytes()).hexdigest()}  records.tar"
    )
    with pytest.raises(OSError, match=r"'\.\./elsewhere' is"):
        fetch(results, str(archive))
    assert not (tmp_path / "elsewhere").exists()
    for name in CONTENT:
        (results / name).unlink()
    with pytest.raises(OSError, match="no report has"):
        pack(results, archive)
