"""Downloads of data sets, from the network and from Python packages, into the cache folder.

Each file is downloaded once and then read like a file of the user. An interrupted download leaves
no file behind, and a file that does not agree with the catalog is rejected.
"""

from __future__ import annotations

import hashlib
import io
import json
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from http.client import HTTPException
from pathlib import Path
from threading import Thread
from typing import Any, Literal
from urllib.error import HTTPError
from urllib.request import urlopen

from boostbench.data.cache import cache_dir
from boostbench.data.catalog import DatasetEntry, PackageFile
from boostbench.data.official import rows_sha256
from boostbench.data.packages import MOST_SECONDS, packaged_csv
from boostbench.data.readers import parse_files
from boostbench.errors import BoostbenchError, DataError
from boostbench.whole_files import LARGEST, write_file

LIBSVM_URL = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets"
_TIMEOUT_SECONDS = 30  # without an answer
_BLOCK = 2**20

Kind = Literal["packages", "openml", "libsvm", "pickles"]


@dataclass(frozen=True)
class Download:
    """A source of a data set outside this machine."""

    kind: Kind
    title: str  # for messages, e.g. "OpenML 40670"
    files: dict[Path, Callable[[], bytes]]  # paths in the cache and functions that download
    licence: str = ""

    @property
    def is_here(self) -> bool:
        """True if all files have been downloaded."""
        return all(path.is_file() for path in self.files)

    def fetch(self) -> None:
        """Download the missing files.

        Raises
        ------
        OSError
            If the network or the server fails. No incomplete file remains.
        BoostbenchError
            If the downloaded content is invalid.
        """
        for path, fetch in self.files.items():
            if not path.is_file():
                write_file(path, fetch())


def downloads_of(entry: DatasetEntry) -> list[Download]:
    """Return the downloads of an entry, in the order in which they are tried.

    Packages come first, then OpenML, then the libsvm collection, which precedes OpenML if only it
    has the official split.
    """
    folder = cache_dir() / "downloads"
    known: list[Download] = []
    for source in entry.packages:
        path = folder / "packages" / f"{entry.name}-{source.package}.csv.gz"
        fetch = partial(_checked, entry, source, path)
        kind: Kind = "pickles" if source.read == "pickle" else "packages"
        known.append(Download(kind, f"package {source.package}", {path: fetch}, source.licence))
    others: list[Download] = []
    if (number := entry.openml_id) is not None:
        path = folder / "openml" / f"{number}.arff"
        both = {path.with_suffix(".json"): partial(_openml_keys, number)}
        both[path] = partial(_openml_arff, number)
        others.append(Download("openml", f"OpenML {number}", {**both}))
    if entry.libsvm is not None:
        parts = entry.libsvm.paths
        digests = entry.libsvm.sha256 or ("",) * len(parts)
        files = {
            folder / "libsvm" / part: partial(download, f"{LIBSVM_URL}/{part}", digest)
            for part, digest in zip(parts, digests, strict=True)
        }
        others.append(Download("libsvm", f"libsvm collection ({', '.join(parts)})", {**files}))
        if len(parts) == 2 and not entry.ordered:
            others.reverse()
    return known + others


def licence_note(entry: DatasetEntry, paths: Sequence[Path]) -> str:
    """Return a note on source, licence and citation of downloaded files; empty for others."""
    for source in downloads_of(entry):
        if tuple(source.files) == tuple(paths):
            licence = source.licence or "none stated"
            return f" ({source.title}, licence: {licence}; cite: {entry.citation})"
    return ""


def download(url: str, checksum: str = "") -> bytes:
    """Return the content of a file on the network, of at most `LARGEST` bytes.

    Parameters
    ----------
    url : str
    checksum : str, default=""
        Expected sha256 or md5; empty: not checked.

    Raises
    ------
    OSError
        If the download fails or takes more than `MOST_SECONDS`, or the content has another
        checksum.
    """
    received, end = io.BytesIO(), time.monotonic() + MOST_SECONDS
    try:
        with urlopen(url, timeout=_TIMEOUT_SECONDS) as answer:
            n_bytes = answer.headers["Content-Length"]
            while block := answer.read1(_BLOCK):
                received.write(block)
                if received.tell() > LARGEST:
                    raise OSError(f"the file has more than {LARGEST / 2**30:g} GiB")
                if time.monotonic() > end:
                    raise OSError(f"it takes more than {MOST_SECONDS / 60:g} minutes")
        if n_bytes not in (None, str(received.tell())):
            raise OSError(f"{received.tell()} bytes read, {n_bytes} expected")
    except (OSError, HTTPException) as error:
        if isinstance(error, HTTPError):
            error.close()
        raise OSError(f"{url}: {error}") from None
    content = received.getvalue()
    kind = "md5" if len(checksum) == 32 else "sha256"
    if checksum not in ("", found := hashlib.new(kind, content).hexdigest()):
        raise OSError(f"{url}: the file has the {kind} {found}, expected is {checksum}")
    return content


def _checked(entry: DatasetEntry, source: PackageFile, path: Path) -> bytes:
    """Return a data set of a package as CSV; raise DataError if its rows are not the official."""
    content = packaged_csv(entry, source)
    parsed = parse_files([(path, content)], entry)
    digest = rows_sha256(parsed, parsed.in_test)
    if entry.rows_sha256 not in ("", digest):
        raise DataError(
            f"the rows have the sha256 {digest}, but the catalog has {entry.rows_sha256}",
            where=entry.where,
        )
    return content


def _described(number: int) -> Any:
    """Return the description of an OpenML data set (an `openml.OpenMLDataset` without rows).

    Raises
    ------
    OSError
        If it is not available within `MOST_SECONDS`.
    """
    import openml

    openml.config.set_root_cache_directory(cache_dir() / "openml")
    found: Future[Any] = Future()

    def ask() -> None:
        try:
            found.set_result(openml.datasets.get_dataset(number, download_data=False))
        except Exception as error:  # of openml, requests or a parser
            found.set_exception(error)

    Thread(target=ask, daemon=True).start()  # openml waits without end; a daemon keeps nobody
    try:
        return found.result(MOST_SECONDS)
    except Exception as error:
        reason = str(error).strip().partition("\n")[0] or f"no answer in {MOST_SECONDS} s"
        raise OSError(f"{type(error).__name__}: {reason}") from error


def _openml_keys(number: int) -> bytes:
    """Return the catalog keys that say how a file of OpenML is read, as JSON.

    Raises
    ------
    BoostbenchError
        If the data set has no single label column.
    """
    found = _described(number)
    target = str(found.default_target_attribute or "")
    if not target or "," in target:
        raise BoostbenchError(f"OpenML {number} names no single label column")
    drop: list[str] = []
    for names in (found.row_id_attribute, found.ignore_attribute):
        drop += names.split(",") if isinstance(names, str) else names or []
    return json.dumps({"target": target, "drop": drop}).encode()


def _openml_arff(number: int) -> bytes:
    found = _described(number)
    return download(str(found.url), str(found.md5_checksum or ""))
