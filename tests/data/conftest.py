import gzip

import pytest


@pytest.fixture(autouse=True)
def _own_folders(tmp_path, monkeypatch):
    """No data folder, no cache and no ./datasets but those of the test."""
    monkeypatch.delenv("BOOSTBENCH_DATA", raising=False)
    monkeypatch.setenv("BOOSTBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def folder(tmp_path):
    """A data folder with a catalog of one data set, `toy`: 4 train and 2 test rows, 2 classes."""
    path = tmp_path / "data"
    path.mkdir()
    (path / "toy.yaml").write_text(
        "toy: {n_train: 4, n_test: 2, n_features: 2, n_classes: 2, n_categorical: 0}\n"
    )
    return path


@pytest.fixture
def put(folder):
    """Write a file into the data folder; text is packed when the name ends in .gz."""

    def write(name, content):
        content = content.encode() if isinstance(content, str) else content
        if name.endswith(".gz"):
            content = gzip.compress(content, mtime=0)
        (folder / name).write_bytes(content)
        return folder

    return write
