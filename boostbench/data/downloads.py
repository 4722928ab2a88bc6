"""Fetching from OpenML and the libsvm collection, once, into the cache folder.

A fetched OpenML set is kept as ``openml/<id>.csv.gz`` and a libsvm file under its own name, so that
from then on both are read as any file of the user's. An interrupted fetch leaves nothing behind.
"""

from __future__ import annotations

import gzip
import io
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from boostbench.data.cache import cache_dir
from boostbench.data.catalog import DatasetEntry
from boostbench.errors import BoostbenchError
from boostbench.whole_files import write_file

LIBSVM_URL = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets"
_TIMEOUT_SECONDS = 30


@dataclass(frozen=True)
class Download:
    """A source on the network."""

    title: str  # ``"OpenML 40670"``, for messages
    files: dict[Path, Callable[[], bytes]]  # where each is kept once fetched, and what fetches it

    @property
    def is_here(self) -> bool:
        """True if all files have been fetched."""
        return all(path.is_file() for path in self.files)

    def fetch(self) -> None:
        """Fetch the files that are not here yet.

        Raises
        ------
        OSError
            If the network or the server fails; nothing incomplete stays.
        BoostbenchError
            If what came cannot be used.
        """
        for path, fetch in self.files.items():
            if not path.is_file():
                fetched = fetch()
                path.parent.mkdir(parents=True, exist_ok=True)
                write_file(path, fetched)


def downloads_of(entry: DatasetEntry) -> list[Download]:
    """Return the network sources of an entry in the order they are tried.

    OpenML first; the libsvm collection first where only it has the official division.
    """
    sources: list[Download] = []
    folder = cache_dir() / "downloads"
    if entry.openml_id is not None:
        data_id = entry.openml_id
        path = folder / "openml" / f"{data_id}.csv.gz"
        sources.append(Download(f"OpenML {data_id}", {path: lambda: _openml_csv(data_id)}))
    if entry.libsvm is not None:
        parts = entry.libsvm.paths
        files = {folder / "libsvm" / part: partial(_libsvm_file, part) for part in parts}
        sources.append(Download(f"libsvm collection ({', '.join(parts)})", {**files}))
        if len(parts) == 2 and not entry.ordered:
            sources.reverse()
    return sources


def _libsvm_file(name: str) -> bytes:
    url = f"{LIBSVM_URL}/{name}"
    with urllib.request.urlopen(url, timeout=_TIMEOUT_SECONDS) as response:
        content: bytes = response.read()
        expected = response.headers.get("Content-Length")
    if expected is not None and len(content) != int(expected):
        raise OSError(f"{url}: {len(content)} of {expected} bytes came")
    return content


def _openml_csv(data_id: int) -> bytes:
    """Return an OpenML data set as packed CSV, label column last; `openml` has its own cache."""
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
    content = io.BytesIO()
    # No name and no time in the header: the same rows give the same checksum.
    with gzip.GzipFile(filename="", mode="wb", fileobj=content, mtime=0) as packed:
        packed.write(frame.to_csv(index=False).encode("utf-8"))
    return content.getvalue()
