"""Run records: one JSON file each, whole or not there.

The layout is ``<results>/runs/<data set>/<value>-<rounds>-<code>-<data>.json``. A file ends with a
digest of what precedes it, so that a damaged or edited record is noticed when it is read; it is
then set aside under ``*.json.damaged`` and named. Folders from several machines merge by copying.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boostbench.errors import BoostbenchError, RecordError
from boostbench.experiments.runs import Run
from boostbench.experiments.store.identity import Key, value_of

__all__ = ["FORMAT", "Record", "RecordStore", "StoredRecord"]

FORMAT = 1
#: What `boostbench.experiments.running.worker` makes of a run; see docs/architecture.md.
Record = dict[str, Any]

_BULK = ("round_zero", "noise", "curves", "at_checkpoints")
_BULK_BEGINS = b', "round_zero": '
_DIGEST = b', "digest": "'
_LEFTOVER_SECONDS = 600


@dataclass(frozen=True)
class StoredRecord:
    """A record file, known by its name alone.

    Attributes
    ----------
    key : Key
    path : Path
    """

    key: Key
    path: Path


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
        What was found damaged, and under which name it was set aside.
    """

    def __init__(self, results_dir: str | Path) -> None:
        self.folder = Path(results_dir) / "runs"
        self.damaged: list[str] = []
        self._known: dict[str, dict[str, list[StoredRecord]]] = {}
        self._curves: dict[Path, Record] = {}

    def path_of(self, dataset: str, key: Key) -> Path:
        """Return the file of a record."""
        return self.folder / folder_name(dataset) / f"{key}.json"

    def find(self, run: Run) -> list[StoredRecord]:
        """Return the records of a run's value, whatever their code and data.

        They have as many rounds as the run, newest last, or more: then those of the most rounds
        come first.
        """
        stored = self._stored(run.data.name).get(value_of(run), ())
        enough = [record for record in stored if record.key.rounds >= run.rounds]
        return sorted(enough, key=lambda record: -record.key.rounds)

    def write(self, record: Record) -> Path:
        """Write a record so that it is there whole or not at all.

        Raises
        ------
        BoostbenchError
            If the disk is full or the folder cannot be written; what was there stays as it was.
        """
        key = Key.parse(record["key"])
        dataset = record["run"]["dataset"]["name"]
        path = self.path_of(dataset, key)
        temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with temporary.open("wb") as file:
                file.write(encode(record))
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        except OSError as error:
            temporary.unlink(missing_ok=True)
            raise _unwritable(path, error) from error
        self._curves.pop(path, None)
        of_value = self._stored(dataset).setdefault(key.value, [])
        of_value[:] = [
            *(known for known in of_value if known.path != path),
            StoredRecord(key, path),
        ]
        return path

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
            for leftover in self.folder.glob("*/.*.tmp"):
                if time.time() - leftover.stat().st_mtime > _LEFTOVER_SECONDS:
                    leftover.unlink(missing_ok=True)
        except OSError as error:
            raise _unwritable(self.folder, error) from error

    def read(self, path: Path, *, summary: bool = False) -> Record | None:
        """Read a record.

        Parameters
        ----------
        path : Path
        summary : bool, default=False
            Leave out the curves and the other long parts, which is several times faster.

        Returns
        -------
        record : dict or None
            None if the file is damaged; it has then been set aside and is named in `damaged`.
        """
        try:
            record = decode(path.read_bytes(), path, summary=summary)
            if record.get("format") == FORMAT:
                return record
            self.damaged.append(
                f"{path}: the record has format {record.get('format')}, this version of boostbench "
                f"reads format {FORMAT}; the run will be done again"
            )
        except RecordError as error:
            self._set_aside(path, error)
        except OSError as error:
            self.damaged.append(f"{path}: cannot be read ({error.strerror})")
        return None

    def read_curve(self, path: Path, name: str) -> Record | None:
        """Read a record's summary with one of its curves, once however often it is asked for.

        Returns
        -------
        record : dict or None
            Its ``curves`` and ``round_zero`` hold what is known of ``name`` alone; None as by
            `read`.
        """
        known = self._curves.get(path)
        if known is None or name not in known["curves"]:
            record = self.read(path)
            if record is None:
                return None
            known = {key: value for key, value in record.items() if key not in _BULK}
            for part in ("curves", "round_zero"):
                known[part] = {name: (record.get(part) or {}).get(name)}
            self._curves[path] = known
        return known

    def all_paths(self) -> list[Path]:
        """Return every record file, sorted."""
        return sorted(self.folder.glob("*/*.json"))

    def _stored(self, dataset: str) -> dict[str, list[StoredRecord]]:
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
            for of_value in of_folder.values():
                of_value[:] = [known for known in of_value if known.path != path]


def encode(record: Record) -> bytes:
    """Return the bytes of a record: JSON, the long parts last, then a digest of all before it."""
    short = {name: value for name, value in record.items() if name not in _BULK}
    bulk = {name: record.get(name) for name in _BULK}
    body = json.dumps({**short, **bulk}, ensure_ascii=False, allow_nan=False).encode()[:-1]
    return body + _DIGEST + hashlib.sha256(body).hexdigest().encode() + b'"}\n'


def decode(content: bytes, path: Path, *, summary: bool = False) -> Record:
    """Return the record in the bytes of a file.

    Raises
    ------
    RecordError
        If they are not what was written, or not the record that the file's name says.
    """
    body, found, rest = content.rpartition(_DIGEST)
    if not found or rest != hashlib.sha256(body).hexdigest().encode() + b'"}\n':
        raise RecordError(
            "the record is damaged (cut off or changed after writing)", where=str(path)
        )
    if summary:
        body = body.partition(_BULK_BEGINS)[0]
    record: Record = json.loads(body + b"}")
    if record["key"] != path.name.removesuffix(".json"):
        raise RecordError(f"the record is that of {record['key']}", where=str(path))
    return record


def folder_name(dataset: str) -> str:
    """Return a data set's name as it can name a folder."""
    return re.sub(r"[^\w.+-]+", "-", dataset).lstrip(".") or "-"


def _scan(folder: Path) -> dict[str, list[StoredRecord]]:
    found: dict[str, list[StoredRecord]] = {}
    for stored in _by_age(folder):
        found.setdefault(stored.key.value, []).append(stored)
    return found


def _by_age(folder: Path) -> Iterable[StoredRecord]:
    try:
        with os.scandir(folder) as entries:
            files = [
                (entry.stat().st_mtime_ns, entry.name) for entry in entries if _is_record(entry)
            ]
    except FileNotFoundError:
        return
    except OSError as error:
        raise BoostbenchError(f"cannot be read: {error.strerror}", where=str(folder)) from error
    for _, name in sorted(files):
        yield StoredRecord(Key.parse(name.removesuffix(".json")), folder / name)


def _is_record(entry: os.DirEntry[str]) -> bool:
    return re.fullmatch(r"[0-9a-f]+-[0-9]+-[0-9a-f]+-[0-9a-z]*\.json", entry.name) is not None


def _unwritable(path: Path, error: OSError) -> BoostbenchError:
    return BoostbenchError(
        f"cannot be written: {error.strerror}; finished runs are kept, make room or choose another "
        "folder with --results, then run again",
        where=str(path),
    )
