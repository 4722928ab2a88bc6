"""Downloads, from a server on this machine; no test asks the network."""

import bz2
import hashlib
import sys
from contextlib import suppress
from time import sleep
from types import SimpleNamespace

import pandas as pd
import pytest

from boostbench.data import load, locate
from boostbench.errors import DataUnavailableError

TRAIN = "".join(f"{i % 11} 1:{i} 10:{i}\n" for i in range(528))
TEST = "".join(f"{i % 11} 1:{i} 10:{i}\n" for i in range(462))


@pytest.fixture
def server(web, monkeypatch):
    """A libsvm collection in a folder."""
    folder = web.folder / "multiclass"
    folder.mkdir()
    monkeypatch.setattr("boostbench.data.downloads.LIBSVM_URL", web.url)
    return folder


@pytest.fixture
def openml(monkeypatch):
    """An `openml` package that knows yeast (and no other set); counts the requests."""
    requests = []

    def get_dataset(data_id, **_):
        requests.append(data_id)
        if data_id != 181:
            raise ConnectionError("server is away")
        frame = pd.DataFrame({f"x{j}": [i * 0.1 for i in range(1484)] for j in range(8)})
        labels = pd.Series([f"c{i % 10}" for i in range(1484)], dtype="category")
        return SimpleNamespace(
            default_target_attribute="kind", get_data=lambda target: (frame, labels, None, None)
        )

    package = SimpleNamespace(
        datasets=SimpleNamespace(get_dataset=get_dataset),
        config=SimpleNamespace(set_root_cache_directory=lambda folder: None),
    )
    monkeypatch.setitem(sys.modules, "openml", package)
    return requests


def test_libsvm_files_are_fetched_once(server, openml):
    (server / "vowel.scale").write_text(TRAIN)
    (server / "vowel.scale.t").write_text(TEST)
    with pytest.raises(DataUnavailableError):
        locate("vowel")
    assert len(locate("vowel", allow_download=True).paths) == 2
    (server / "vowel.scale").unlink()
    data = load("vowel")
    assert [len(part) for part in data.official] == [528, 462]
    assert data.X.shape == (990, 10)
    assert not openml


def test_packed_libsvm_files_are_read_as_they_come(server):
    rows = bz2.compress(b"".join(b"%d 1:1\n" % (i % 10) for i in range(25010)))
    (server / "poker.bz2").write_bytes(rows)
    (server / "poker.t.bz2").write_bytes(
        bz2.compress(b"".join(b"%d 2:1\n" % (i % 10) for i in range(18488)))
    )
    locate("poker", allow_download=True)
    assert load("poker").X.shape == (43498, 10)


def test_an_interrupted_download_leaves_nothing(server, web, openml, tmp_path):
    (server / "vowel.scale").write_text(TRAIN)
    (server / "vowel.scale.t").write_text(TEST)

    def cut_short(request):
        request.send_response(200)
        request.send_header("Content-Length", str(len(TRAIN)))
        request.end_headers()
        request.wfile.write(TRAIN.encode()[:100])

    web.answers["multiclass/vowel.scale"] = cut_short
    with pytest.raises(DataUnavailableError) as caught:
        locate("vowel", allow_download=True)
    assert "100 bytes read" in str(caught.value)
    assert "OpenML 307 failed (ConnectionError: server is away)" in str(caught.value)
    assert not [p for p in (tmp_path / "cache").rglob("*") if p.is_file()]


ROWS = b"1 1:1\n2 1:2\n"


@pytest.fixture
def mine(server, web, put):
    """A data folder that describes a file of the libsvm collection, with its checksum."""
    (web.folder / "mine.svm").write_bytes(ROWS)
    sha256 = hashlib.sha256(ROWS).hexdigest()
    return put("mine.yaml", f"mine: {{libsvm: {{train: mine.svm, sha256: [{sha256}]}}}}")


def test_an_altered_file_is_refused_with_both_checksums(web, mine):
    (web.folder / "mine.svm").write_bytes(ROWS * 2)
    with pytest.raises(DataUnavailableError) as caught:
        locate("mine", None, [mine], allow_download=True)
    for content in (ROWS, ROWS * 2):
        assert hashlib.sha256(content).hexdigest() in str(caught.value)
    (web.folder / "mine.svm").unlink()
    with pytest.raises(DataUnavailableError, match="404"):
        locate("mine", None, [mine], allow_download=["libsvm"])


def test_a_download_is_tried_again(web, mine, monkeypatch):
    monkeypatch.setattr("boostbench.data.downloads.RETRIES", 1)
    monkeypatch.setattr("time.sleep", lambda seconds: None)

    def busy_once(request):
        del web.answers["mine.svm"]
        request.send_error(503)

    web.answers["mine.svm"] = busy_once
    locate("mine", None, [mine], allow_download=True)
    assert web.asked == ["mine.svm"] * 2


def test_a_download_has_limits_of_size_and_of_total_time(web, mine, monkeypatch):
    def endless(request):
        request.send_response(200)
        request.end_headers()
        with suppress(OSError):
            for _ in range(200):
                request.wfile.write(bytes(2**13))
                sleep(0.01)

    web.answers["mine.svm"] = endless
    monkeypatch.setattr("boostbench.data.downloads.LARGEST", 2**12)
    with pytest.raises(DataUnavailableError, match="the file has more than"):
        locate("mine", None, [mine], allow_download=True)
    monkeypatch.setattr("boostbench.data.downloads.LARGEST", 2**30)
    monkeypatch.setattr("boostbench.data.downloads.MOST_SECONDS", 0.2)
    with pytest.raises(DataUnavailableError, match="it takes more than"):
        locate("mine", None, [mine], allow_download=True)


def test_only_the_sources_asked_for_are_asked(web, openml, put):
    with pytest.raises(DataUnavailableError, match="OpenML 181 not asked"):
        locate("yeast", allow_download=["packages"])
    assert openml == []


def test_openml_is_asked_once_and_its_numbers_are_exact(openml):
    first = locate("yeast", allow_download=True)
    assert openml == [181]
    assert locate("yeast", allow_download=True) == first
    data = load("yeast")
    assert data.X[:, 0].tolist() == [i * 0.1 for i in range(1484)]
    assert data.n_classes == 10
    assert openml == [181]


def test_a_failed_source_is_followed_by_the_next(server, openml):
    with pytest.raises(DataUnavailableError) as caught:
        locate("letter", allow_download=True)
    message = str(caught.value)
    assert message.index("libsvm collection (multiclass/letter.scale") < message.index("OpenML 6")


def test_openml_comes_first_where_both_have_the_same_rows(openml, server):
    with pytest.raises(DataUnavailableError) as caught:
        locate("mnist", allow_download=True)
    message = str(caught.value)
    assert message.index("OpenML 554") < message.index("libsvm collection")


def test_a_file_of_the_user_comes_before_what_was_downloaded(openml, put):
    locate("yeast", allow_download=True)
    put("yeast.csv", "a,target\n")
    assert locate("yeast", None, [put("yeast.csv", "a,target\n")]).describe.endswith("yeast.csv")
