"""Downloads, from a server on this machine; no test asks the network."""

import bz2
import hashlib
from contextlib import suppress
from time import sleep

import openml as openml_package
import pytest

from boostbench.data.loading import load, locate
from tests.data.conftest import unavailable

TRAIN = "".join(f"{i % 11} 1:{i} 10:{i}\n" for i in range(528))
TEST = "".join(f"{i % 11} 1:{i} 10:{i}\n" for i in range(462))


@pytest.fixture
def server(web, monkeypatch):
    """A libsvm collection in a folder."""
    folder = web.folder / "multiclass"
    folder.mkdir()
    monkeypatch.setattr("boostbench.data.downloads.LIBSVM_URL", web.url)
    return folder


ARFF = (
    "@relation yeast\n@attribute 'row id' numeric\n@attribute kind {a,b,c,d,e,f,g,h,i,j}\n"
    + "".join(f"@attribute x{j} {'{0,1,7}' if j == 7 else 'numeric'}\n" for j in range(8))
    + "@data\n"
    + "".join(
        f"{i},{'abcdefghij'[i % 10]},{','.join([repr(i * 0.1)] * 7)},{(0, 1, 7)[i % 3]}\n"
        for i in range(1484)
    )
)


@pytest.fixture
def openml(web, monkeypatch):
    """OpenML, which knows yeast (and no other set)."""
    facts = {
        "id": 181,
        "name": "yeast",
        "version": 1,
        "format": "ARFF",
        "url": f"{web.url}/yeast.arff",
        "md5_checksum": hashlib.md5(ARFF.encode()).hexdigest(),
        "default_target_attribute": "kind",
        "row_id_attribute": "row id",
    }
    (web.folder / "data").mkdir()
    (web.folder / "data/181").write_text(
        '<oml:data_set_description xmlns:oml="http://openml.org/openml">'
        + "".join(f"<oml:{key}>{value}</oml:{key}>" for key, value in facts.items())
        + "</oml:data_set_description>"
    )
    monkeypatch.setattr(openml_package.config, "server", web.url)
    monkeypatch.setattr(openml_package.config, "connection_n_retries", 1)
    (web.folder / "yeast.arff").write_text(ARFF)
    return web


def test_libsvm_files_are_fetched_once(server, openml):
    (server / "vowel.scale").write_text(TRAIN)
    (server / "vowel.scale.t").write_text(TEST)
    assert unavailable("vowel", sources=False)
    assert len(locate("vowel", allow_download=True).paths) == 2
    (server / "vowel.scale").unlink()
    data = load("vowel")
    assert [len(part) for part in data.official] == [528, 462]
    assert data.X.shape == (990, 10)
    assert not any("openml" in path for path in openml.asked)


def test_packed_libsvm_files_are_read_as_they_come(server):
    for part, j, n in (("", 1, 25010), (".t", 2, 18488)):
        rows = b"".join(b"%d %d:1\n" % (i % 10, j) for i in range(n))
        (server / f"poker{part}.bz2").write_bytes(bz2.compress(rows))
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
    told = unavailable("vowel")
    assert "100 bytes read" in told
    assert "OpenML 307 failed (" in told
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
    told = unavailable("mine", mine)
    for content in (ROWS, ROWS * 2):
        assert hashlib.sha256(content).hexdigest() in told
    (web.folder / "mine.svm").unlink()
    assert "404" in unavailable("mine", mine, sources=["libsvm"])


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
    assert "the file has more than" in unavailable("mine", mine)
    monkeypatch.setattr("boostbench.data.downloads.LARGEST", 2**30)
    monkeypatch.setattr("boostbench.data.downloads.MOST_SECONDS", 0.2)
    assert "it takes more than" in unavailable("mine", mine)


def test_only_the_sources_asked_for_are_asked(web, openml, put):
    assert "downloads it from OpenML 181" in unavailable("yeast", sources=["packages"])
    assert openml.asked == []


def test_openml_is_asked_once_and_its_numbers_are_exact(openml):
    first = locate("yeast", allow_download=True)
    asked = len(openml.asked)
    assert locate("yeast", allow_download=True) == first
    data = load("yeast")
    assert data.X[:, 0].tolist() == [i * 0.1 for i in range(1484)]
    assert data.X[:3, 7].tolist() == [0, 1, 7]  # the catalog expects numbers
    assert data.classes == (*"abcdefghij",)
    assert len(openml.asked) == asked


def test_columns_that_openml_declares_categories_are_categories(openml, put):
    folder = put("mine.yaml", "mine: {openml_id: 181}")
    locate("mine", None, [folder], allow_download=True)
    data = load("mine", None, [folder])
    assert data.feature_names[-1] == "x7"
    assert data.categorical.tolist() == [False] * 7 + [True]


def test_a_set_of_openml_without_labels_is_refused(openml):
    description = openml.folder / "data/181"
    description.write_text(description.read_text().replace(">kind<", ">kind,x1<"))
    assert "OpenML 181 names no single label column" in unavailable("yeast")


def test_an_altered_set_of_openml_is_refused(openml):
    (openml.folder / "yeast.arff").write_text(ARFF.replace("0.1,", "0.2,"))
    assert "has the md5" in unavailable("yeast")


def test_openml_is_not_waited_for_without_end(openml, monkeypatch):
    openml.answers["data/181"] = lambda request: sleep(1)
    monkeypatch.setattr("boostbench.data.downloads.MOST_SECONDS", 0.1)
    assert "TimeoutError: no answer in 0.1 s" in unavailable("yeast")


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        ("letter", "libsvm collection (multiclass/letter.scale", "OpenML 6"),
        ("mnist", "OpenML 554", "libsvm collection"),  # both have the same rows
    ],
)
def test_a_failed_source_is_followed_by_the_next(server, openml, name, first, second):
    told = unavailable(name)
    assert told.index(first) < told.index(second)


def test_a_file_of_the_user_comes_before_what_was_downloaded(openml, put):
    locate("yeast", allow_download=True)
    assert locate("yeast", None, [put("yeast.csv", "a,target\n")]).describe.endswith("yeast.csv")
