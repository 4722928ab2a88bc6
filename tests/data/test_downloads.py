"""Downloads, from a server on this machine; no test asks the network."""

import bz2
import hashlib
from contextlib import suppress
from time import sleep

import openml as openml_package
import pytest

from boostbench.data.loading import load, locate
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
    with pytest.raises(DataUnavailableError):
        locate("vowel")
    assert len(locate("vowel", allow_download=True).paths) == 2
    (server / "vowel.scale").unlink()
    data = load("vowel")
    assert [len(part) for part in data.official] == [528, 462]
    assert data.X.shape == (990, 10)
    assert not any("openml" in path for path in openml.asked)


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
    assert "OpenML 307 failed (" in str(caught.value)
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
    with pytest.raises(DataUnavailableError, match="downloads it from OpenML 181"):
        locate("yeast", allow_download=["packages"])
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
    with pytest.raises(DataUnavailableError, match="OpenML 181 names no single label column"):
        locate("yeast", allow_download=True)


def test_an_altered_set_of_openml_is_refused(openml):
    (openml.folder / "yeast.arff").write_text(ARFF.replace("0.1,", "0.2,"))
    with pytest.raises(DataUnavailableError, match="has the md5"):
        locate("yeast", allow_download=True)


def test_openml_is_not_waited_for_without_end(openml, monkeypatch):
    openml.answers["data/181"] = lambda request: sleep(1)
    monkeypatch.setattr("boostbench.data.downloads.MOST_SECONDS", 0.1)
    with pytest.raises(DataUnavailableError, match=r"TimeoutError: no answer in 0\.1 s"):
        locate("yeast", allow_download=True)


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
