"""Storage of run records, one JSON file each.

The path of a record is ``<results>/runs/<data set>/<value>-<rounds>-<code>-<data>.json``. Files are
written atomically and end with a digest of the preceding text. A damaged or edited record is
detected on reading, reported, and ignored; the next record of the run replaces it. Folders from
several machines can be merged by copying.
"""

from __future__ import annotations

import errno
import hashlib
import json
import logging
import os
import re
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from boostbench.errors import BoostbenchError, DataError, RecordError
from boostbench.experiments.store.identity import Key
from boostbench.experiments.store.interrupts import uninterrupted
from boostbench.experiments.store.record import FAILURES, Record, Summary, complaint
from boostbench.whole_files import read_file, write_file

_log = logging.getLogger(__name__)
#: Number of hex digits of digests in packed files, whose compression has a checksum too.
SHORT = 4
_DIGEST = b', "digest": "'
_BULK = ("round_zero", "noise", "curves", "at_checkpoints")
_BULK_BEGINS = b', "round_zero": '
_LEFTOVER_SECONDS = 600
_RECORD_NAME = re.compile(r"([0-9a-f]{1,64}-[1-9][0-9]{0,17}-[0-9a-f]{1,64}-[0-9a-z]{0,64})\.json")
AnyRecord = TypeVar("AnyRecord", bound=Summary)


class RecordStore:
    """The records of one results folder.

    Parameters
    ----------
    results_dir : path
        Created by the first write if absent.

    Attributes
    ----------
    folder : Path
        ``results_dir / "runs"``.
    """

    #: True if records are valid whatever the current code and data.
    is_archive = False

    def __init__(self, results_dir: str | Path) -> None:
        self.folder = Path(results_dir) / "runs"
        self._damaged: set[Path] = set()

    def path_of(self, dataset: str, key: Key) -> Path:
        """Return the file of a record."""
        return self.folder / folder_name(dataset) / f"{key}.json"

    def stored(self, dataset: str) -> dict[str, list[Key]]:
        """Return the keys of the records of a data set by value, each from oldest to newest."""
        by_value: dict[str, list[Key]] = {}
        for key in _by_age(self.folder / folder_name(dataset)):
            by_value.setdefault(key.value, []).append(key)
        return by_value

    def write(self, record: Record) -> Path:
        """Write a record atomically.

        Raises
        ------
        BoostbenchError
            If the disk is full or the folder cannot be written; an old file is unchanged.
        """
        key, dataset = record.key, record.run.data.name
        path = self.path_of(dataset, key)
        content = encode(record)
        try:
            with uninterrupted():
                write_file(path, content)
        except OSError as error:
            raise _unwritable(path, error) from error
        return path

    def prepare(self) -> None:
        """Ensure that records can be written, and remove temporary files of killed processes.

        Raises
        ------
        BoostbenchError
            If the folder cannot be created or written.
        """
        probe = self.folder / f".probe.{os.urandom(8).hex()}.tmp"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            probe.write_bytes(b"")
            probe.unlink()
        except OSError as error:
            raise _unwritable(self.folder, error) from error
        for leftover in self.folder.glob("*/.*.tmp"):
            with suppress(OSError):  # another process may finish the file now
                if time.time() - leftover.lstat().st_mtime > _LEFTOVER_SECONDS:
                    leftover.unlink()

    def read(self, path: Path) -> Record | None:
        """Read a record; None, with a warning in the log, if it is damaged."""
        return self._read(path, Record)

    def summary(self, path: Path) -> Summary | None:
        """Read the summary of a record, which is faster than `read`; None if it is damaged."""
        return self._read(path, Summary)

    def _read(self, path: Path, kind: type[AnyRecord]) -> AnyRecord | None:
        try:
            record = decode(self._content(path), path, kind)
            if record.status not in ("ok", *FAILURES):
                raise RecordError(f"the record has status {record.status!r}", where=str(path))
            return record
        except (RecordError, DataError) as error:
            self._report(path, error)
        return None

    def all_paths(self) -> list[Path]:
        """Return the paths of all records, sorted."""
        return [
            path
            for folder in sorted(self.folder.glob("*"))
            for path in sorted(folder / f"{key}.json" for key in _by_age(folder))
        ]

    def _content(self, path: Path) -> bytes:
        return read_file(path)

    def _report(self, path: Path, error: BoostbenchError) -> None:
        """Report a damaged record once. `run` replaces it."""
        if path not in self._damaged:
            _log.warning("%s; it is ignored, and `run` does the run again", error)
        self._damaged.add(path)


def encode(record: Record, *, digits: int = 64) -> bytes:
    """Return the bytes of a record: JSON with the long parts last, then digits of a digest."""
    plain = record.plain()
    ordered = {name: plain[name] for name in plain if name not in _BULK}
    ordered |= {name: plain.get(name) for name in _BULK}
    text = json.dumps(ordered, ensure_ascii=False, allow_nan=False)
    # UTF-8 cannot encode lone surrogates; they are escaped as in JSON.
    body = text.encode("utf-8", "backslashreplace")[:-1]
    return body + _DIGEST + _digest(body)[:digits] + b'"}\n'


def decode(content: bytes, path: Path, kind: type[AnyRecord]) -> AnyRecord:
    """Return the record, or the summary, in the bytes of a file.

    Raises
    ------
    RecordError
        If the bytes are damaged, or the record is invalid or does not match the file name.
    """
    body, _, rest = content.rpartition(_DIGEST)
    digest = _digest(body)
    if rest not in (digest + b'"}\n', digest[:SHORT] + b'"}\n'):
        what = "the record is damaged (cut off or changed after writing)"
        raise RecordError(what, where=str(path))
    if kind is Summary:
        body = body.partition(_BULK_BEGINS)[0]
    try:
        record = kind.model_validate_json(body + b"}")
    except ValidationError as error:
        raise RecordError(f"invalid record: {complaint(error)}", where=str(path)) from None
    if str(record.key) != path.name.removesuffix(".json"):
        raise RecordError(f"the record is that of {record.key}", where=str(path))
    return record


def _digest(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest().encode()


def folder_name(dataset: str) -> str:
    """Return the name of the folder for the records of a data set."""
    return re.sub(r"[^\w.+-]+", "-", dataset).lstrip(".") or "-"


def _by_age(folder: Path) -> Iterable[Key]:
    files = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                # Dangling and circular links raise OSError.
                with suppress(OSError):
                    match = _RECORD_NAME.fullmatch(entry.name)
                    if match and entry.is_file():
                        files.append((entry.stat().st_mtime_ns, match[1]))
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            return
        raise BoostbenchError(f"cannot be read: {error.strerror}", where=str(folder)) from error
    for _, key in sorted(files):
        yield Key.parse(key)


def _unwritable(path: Path, error: OSError) -> BoostbenchError:
    return BoostbenchError(
        f"cannot be written: {error.strerror}; finished runs are kept, make room or choose another "
        "folder with --results, then run again",
        where=str(path),
    )
