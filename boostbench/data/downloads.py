"""Fetching from OpenML and the libsvm collection, once, into the cache folder.

A fetched OpenML set is kept as ``openml/<id>.csv.gz`` and a libsvm file under its own name, so that
from then on both are read as any file of the user's. An interrupted fetch leaves nothing behind.
"""

from __future__ import annotations

import gzip
import shutil
import urllib.request
from abc import ABC, abstractmethod
from pathlib import Path
from typing import IO

from boostbench.data.cache import cache_dir, write_atomically
from boostbench.data.catalog import DatasetEntry
from boostbench.errors import BoostbenchError

LIBSVM_URL = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets"
_TIMEOUT_SECONDS = 30


class Download(ABC):
    """A source on the network.

    Attributes
    ----------
    title : str
        ``"OpenML 40670"``, for messages.
    paths : tuple of Path
        Where its files are kept once fetched.
    """

    title: str
    paths: tuple[Path, ...]

    @property
    def is_here(self) -> bool:
        """Whether all files have been fetched."""
        return all(path.is_file() for path in self.paths)

    @abstractmethod
    def fetch(self) -> None:
        """Fetch the files that are not here yet.

        Raises
        ------
        OSError
            If the network or the server fails; nothing incomplete stays.
        BoostbenchError
            If what came cannot be used.
        """


class _LibsvmDownload(Download):
    def __init__(self, files: tuple[str, ...]) -> None:
        self.title = f"libsvm collection ({', '.join(files)})"
        self.paths = tuple(cache_dir() / "downloads" / "libsvm" / file for file in files)
        self._urls = tuple(f"{LIBSVM_URL}/{file}" for file in files)

    def fetch(self) -> None:
        for url, path in zip(self._urls, self.paths, strict=True):
            if not path.is_file():
                write_atomically(path, lambda file, url=url: _copy_url(url, file))  # type: ignore[misc]


class _OpenmlDownload(Download):
    def __init__(self, data_id: int) -> None:
        self.title = f"OpenML {data_id}"
        self.paths = (cache_dir() / "downloads" / "openml" / f"{data_id}.csv.gz",)
        self._id = data_id

    def fetch(self) -> None:
        if not self.is_here:
            table = _openml_csv(self._id)
            write_atomically(self.paths[0], lambda file: _write_packed(table, file))


def downloads_of(entry: DatasetEntry) -> list[Download]:
    """Return the network sources of an entry in the order they are tried.

    OpenML first; the libsvm collection first where only it has the official division.
    """
    sources: list[Download] = []
    if entry.openml_id is not None:
        sources.append(_OpenmlDownload(entry.openml_id))
    if entry.libsvm is not None:
        parts = tuple(file for file in (entry.libsvm.train, entry.libsvm.test) if file)
        sources.append(_LibsvmDownload(parts))
        if len(parts) == 2 and not entry.ordered:
            sources.reverse()
    return sources


def _copy_url(url: str, file: IO[bytes]) -> None:
    with urllib.request.urlopen(url, timeout=_TIMEOUT_SECONDS) as response:
        shutil.copyfileobj(response, file)
        expected = response.headers.get("Content-Length")
    if expected is not None and file.tell() != int(expected):
        raise OSError(f"{url}: {file.tell()} of {expected} bytes came")


def _openml_csv(data_id: int) -> bytes:
    """Return an OpenML data set as CSV, label column last; `openml` keeps its own cache."""
    import openml
    import pandas as pd

    try:
        data = openml.datasets.get_dataset(data_id, download_data=True)
        target = data.default_target_attribute
        if not target or "," in target:
            raise BoostbenchError(f"OpenML {data_id} names no single label column")
        features, labels, _, _ = data.get_data(target=target)
        frame = pd.DataFrame(features)
    except BoostbenchError:
        raise
    except Exception as error:  # openml raises its own, requests' and its parsers' errors
        raise OSError(f"{type(error).__name__}: {error}") from error
    frame = frame.drop(columns=[column for column in frame if column in ("target", "split")])
    frame["target"] = labels
    return bytes(frame.to_csv(index=False).encode("utf-8"))


def _write_packed(table: bytes, file: IO[bytes]) -> None:
    # No name and no time in the header: the same rows give the same checksum.
    with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
        packed.write(table)
