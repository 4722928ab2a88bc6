"""Run records: one JSON file each, whole or not there.

The layout is ``<results>/runs/<data set>/<value>-<rounds>-<code>-<data>.json``. A file ends with a
digest of what precedes it, so that a damaged or edited record is noticed when it is read; it is
then set aside under ``*.json.damaged`` and named. Folders from several machines merge by copying.
"""

from __future__ import annotations

import errno
import os
import re
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, TypeVar

from pydantic import ValidationError

from boostbench.errors import BoostbenchError, DataError, RecordError
from boostbench.experiments.store.identity import Key
from boostbench.experiments.store.interrupts import uninterrupted
from boostbench.experiments.store.record import (
    FAILURES,
    FORMAT,
    Checkpoints,
    Record,
    Summary,
    complaint,
    signed,
    unsigned,
)
from boostbench.experiments.store.summaries import Summaries, stamp_of
from boostbench.whole_files import read_file, write_file

_BULK = ("round_zero", "noise", "curves", "at_checkpoints")
_BULK_BEGINS = b', "round_zero": '
_LEFTOVER_SECONDS = 600
_RECORD_NAME = re.compile(r"([0-9a-f]{1,64}-[1-9][0-9]{0,17}-[0-9a-f]{1,64}-[0-9a-z]{0,64})\.json")
AnyRecord = TypeVar("AnyRecord", bound=Summary)


class Found(NamedTuple):
    """A record by the name of its file, without a path of its own: there may be very many."""

    key: Key
    folder: Path

    @classmethod
    def of(cls, path: Path) -> Found:
        """Return the record of a file."""
        return cls(Key.parse(path.stem), path.parent)

    @property
    def path(self) -> Path:
        """The file."""
        return self.folder / f"{self.key}.json"


class _OtherFormatError(RecordError):
    """A record of another version of boostbench: nothing is wrong with it."""


class RecordStore:
    """The records of one results folder.

    Parameters
    ----------
    results_dir : path
        Need not exist before something is written.

    Attributes
    ----------
    folder : Path
        ``results_dir / "runs"``.
    damaged : list of str
        Damaged files, and the names under which they were set aside.
    """

    #: True if records count for a run whatever code and data there are here.
    is_archive = False

    def __init__(self, results_dir: str | Path) -> None:
        self.folder = Path(results_dir) / "runs"
        self.damaged: list[str] = []
        #: By data set and value.
        self._known: dict[str, dict[str, list[Found]]] = {}
        self._curves: dict[Path, tuple[str, Record]] = {}
        self._written: set[Path] = set()
        self._identity: tuple[int, int] | None = None
        self._summaries: dict[str, Summaries] = {}

    def path_of(self, dataset: str, key: Key) -> Path:
        """Return the file of a record."""
        return self.folder / folder_name(dataset) / f"{key}.json"

    def find(self, dataset: str, value: str, rounds: int = 1) -> list[Found]:
        """Return the records of a value, whatever their code and data.

        They have this many rounds, newest last, or more: then those of the most rounds come first.
        """
        found = [each for each in self._stored(dataset).get(value, ()) if each.key.rounds >= rounds]
        return sorted(found, key=lambda each: -each.key.rounds) if len(found) > 1 else found

    def write(self, record: Record) -> Path:
        """Write a record so that it is there whole or not at all.

        Raises
        ------
        BoostbenchError
            If the disk is full or the folder cannot be written; what was there stays as it was.
        """
        key, dataset = record.key, record.run.data.name
        path = self.path_of(dataset, key)
        content = encode(record)
        try:
            with uninterrupted():
                self._check_folder()
                path.parent.mkdir(exist_ok=True)
                write_file(path, content)
        except OSError as error:
            if isinstance(error, FileNotFoundError):  # the folder is made before each write
                raise self._gone() from error
            raise _unwritable(path, error) from error
        self._written.add(path)
        self.remember(record)
        return path

    def remember(self, record: Record) -> None:
        """Add a record that was written after its folder was listed."""
        key, dataset = record.key, record.run.data.name
        found = Found.of(self.path_of(dataset, key))
        self._curves.pop(found.path, None)
        of_value = self._stored(dataset).setdefault(key.value, [])
        of_value[:] = [*(known for known in of_value if known != found), found]

    def prepare(self) -> None:
        """Make sure that records can be written, and clear away what a killed process left.

        Raises
        ------
        BoostbenchError
            If the folder cannot be made or written.
        """
        probe = self.folder / f".probe.{os.getpid()}.tmp"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            probe.write_bytes(b"")
            probe.unlink()
            self._identity = _identity_of(self.folder)
        except OSError as error:
            raise _unwritable(self.folder, error) from error
        for leftover in self.folder.glob("*/.*.tmp"):
            with suppress(OSError):  # another process may be done with it meanwhile
                if time.time() - leftover.lstat().st_mtime > _LEFTOVER_SECONDS:
                    leftover.unlink()

    def check_written(self) -> None:
        """Make sure that the records written by this object are still there.

        Raises
        ------
        BoostbenchError
            If some were deleted or moved meanwhile.
        """
        n_gone = sum(not path.exists() for path in self._written)
        if n_gone:
            what = f"{n_gone} of the {len(self._written)} records written were deleted meanwhile"
            self._written.clear()
            raise BoostbenchError(f"{what}; run again", where=str(self.folder))

    def _check_folder(self) -> None:
        """Raise an error if the folder was deleted, moved or replaced since the first write."""
        if self._identity is None:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._identity = _identity_of(self.folder)
        try:
            is_there = _identity_of(self.folder) == self._identity
        except FileNotFoundError:
            is_there = False
        if not is_there:
            raise self._gone()

    def _gone(self) -> BoostbenchError:
        what = "the folder was deleted or replaced during the work; run again"
        return BoostbenchError(what, where=str(self.folder))

    def read(self, path: Path) -> Record | None:
        """Read a record; None if it is damaged: it has then been set aside, see `damaged`."""
        return self._read(path, Record)

    def summary(self, path: Path) -> Summary | None:
        """Read a record without its long parts, which is faster; None as by `read`."""
        if self.is_archive:
            return self._read(path, Summary)
        folder, name = os.path.split(path)
        known = self._summaries.get(folder)
        if known is None:
            known = self._summaries[folder] = Summaries(path.parent)
        stamp = stamp_of(path)
        summary = known.get(name, stamp)
        if summary is None:
            summary = self._read(path, Summary)
            if summary is not None:
                known.add(name, stamp, summary)
        return summary

    def keep_summaries(self) -> None:
        """Write down the summaries that were read, so that the next plan reads no records."""
        for known in self._summaries.values():
            known.keep()
        self._summaries.clear()

    def _read(self, path: Path, kind: type[AnyRecord]) -> AnyRecord | None:
        try:
            record = decode(self._content(path), path, kind)
            if record.status not in ("ok", *FAILURES):
                raise RecordError(f"the record has status {record.status!r}", where=str(path))
            return record
        except _OtherFormatError as error:
            self.damaged.append(str(error))
        except RecordError as error:
            self._set_aside(path, error)
        except DataError as error:
            self.damaged.append(f"{error}; it is passed over")
        return None

    def read_curve(self, path: Path, name: str) -> Record | None:
        """Read a record with one of its curves alone, once however often it is asked for."""
        known = self._curves.get(path)
        if known is None or known[0] != name:
            record = self.read(path)
            if record is None:
                return None
            kept = {
                "curves": {k: v for k, v in record.curves.items() if k == name},
                "round_zero": {k: v for k, v in record.round_zero.items() if k == name},
                "at_checkpoints": Checkpoints(),
            }
            known = self._curves[path] = name, record.model_copy(update=kept)
        return known[1]

    def all_paths(self) -> list[Path]:
        """Return every record file, sorted."""
        return [
            path
            for folder in sorted(self.folder.glob("*"))
            for path in sorted(found.path for found in _by_age(folder))
        ]

    def _content(self, path: Path) -> bytes:
        return read_file(path)

    def _stored(self, dataset: str) -> dict[str, list[Found]]:
        folder = folder_name(dataset)
        if folder not in self._known:
            self._known[folder] = _scan(self.folder / folder)
        return self._known[folder]

    def _set_aside(self, path: Path, error: RecordError) -> None:
        aside = path.with_name(f"{path.name}.damaged")
        try:
            path.replace(aside)
            where = f"set aside as {aside.name}"
        except OSError:
            where = "left where it is"
        self.damaged.append(f"{error}; {where}, the run will be done again")
        for of_folder in self._known.values():
            of_value = of_folder.get(path.name.partition("-")[0], [])
            of_value[:] = [known for known in of_value if known.path != path]


def encode(record: Record, *, digits: int = 64) -> bytes:
    """Return the bytes of a record: JSON, the long parts last, then a digest of all before it."""
    plain = record.plain()
    ordered = {name: plain[name] for name in plain if name not in _BULK}
    ordered |= {name: plain.get(name) for name in _BULK}
    return signed(ordered, digits=digits)


def decode(content: bytes, path: Path, kind: type[AnyRecord]) -> AnyRecord:
    """Return the record, or its summary, in the bytes of a file.

    Raises
    ------
    RecordError
        If they are not what was written, make no sense, or are not what the file's name says.
    """
    body = unsigned(content)
    if body is None:
        raise RecordError(
            "the record is damaged (cut off or changed after writing)", where=str(path)
        )
    if kind is Summary:
        body = body.partition(_BULK_BEGINS)[0]
    try:
        record = kind.model_validate_json(body + b"}")
    except ValidationError as error:
        first = error.errors()[0]
        if first["loc"] == ("format",) and type(first["input"]) is int:
            raise _OtherFormatError(
                f"the record has format {first['input']}, this version of boostbench reads format "
                f"{FORMAT}; the run will be done again",
                where=str(path),
            ) from None
        what = f"the record makes no sense ({complaint(error)})"
        raise RecordError(what, where=str(path)) from None
    if str(record.key) != path.name.removesuffix(".json"):
        raise RecordError(f"the record is that of {record.key}", where=str(path))
    return record


def folder_name(dataset: str) -> str:
    """Return a data set's name as it can name a folder."""
    return re.sub(r"[^\w.+-]+", "-", dataset).lstrip(".") or "-"


def _scan(folder: Path) -> dict[str, list[Found]]:
    found: dict[str, list[Found]] = {}
    for each in _by_age(folder):
        found.setdefault(each.key.value, []).append(each)
    return found


def _by_age(folder: Path) -> Iterable[Found]:
    files = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                # A link that leads nowhere, or to itself, has no age and no content.
                with suppress(OSError):
                    match = _RECORD_NAME.fullmatch(entry.name)
                    if match and entry.is_file():
                        files.append((entry.stat().st_mtime_ns, match[1]))
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            return
        raise BoostbenchError(f"cannot be read: {error.strerror}", where=str(folder)) from error
    for _, key in sorted(files):
        yield Found(Key.parse(key), folder)


def _identity_of(folder: Path) -> tuple[int, int]:
    status = folder.stat()
    return status.st_dev, status.st_ino


def _unwritable(path: Path, error: OSError) -> BoostbenchError:
    return BoostbenchError(
        f"cannot be written: {error.strerror}; finished runs are kept, make room or choose another "
        "folder with --results, then run again",
        where=str(path),
    )
