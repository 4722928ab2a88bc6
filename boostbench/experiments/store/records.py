"""Storage of run records, one JSON file each, or those of an experiment in one packed file.

The path of a record is ``<results>/runs/<data set>/<value>-<rounds>-<code>-<data>.json``. Files are
written atomically and end with a digest of the preceding text. A damaged or edited record is
detected on reading, reported, and ignored; the next record of the run replaces it. Folders from
several machines can be merged by copying.

A packed file, ``records.jsonl.xz``, holds one record per line, each with an abbreviated digest. It
lacks the parts of records that no table, figure or claim of the config reads; see
`Experiment.pack`.
"""

from __future__ import annotations

import errno
import hashlib
import json
import logging
import lzma
import os
import re
import tempfile
import time
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from boostbench.errors import BoostbenchError, DataError, RecordError
from boostbench.experiments.store.identity import Key
from boostbench.experiments.store.interrupts import uninterrupted
from boostbench.experiments.store.record import Record, Summary, complaint
from boostbench.experiments.streams import canonical_json
from boostbench.whole_files import open_file, read_bounded, read_file, write_file

_log = logging.getLogger(__name__)
#: Number of hex digits of digests in packed files, whose compression has a checksum too.
SHORT = 4
_DIGEST = b', "digest": "'
_BULK = ("round_zero", "noise", "curves", "at_checkpoints")
_BULK_BEGINS = b', "round_zero": '
_LEFTOVER_SECONDS = 600
_RECORD_NAME = re.compile(r"([0-9a-f]{1,64}-[1-9][0-9]{0,17}-[0-9a-f]{1,64}-[0-9a-z]{0,64})\.json")
PACKED = "records.jsonl.xz"
#: LZMA parameters suited to text with many numbers.
_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 4, "lp": 0, "pb": 0}]
#: Largest size of the content: a part that is always allowed, and a multiple of the packed size.
_LARGEST, _LARGEST_RATIO = 2**24, 500
_KEY = re.compile(rb'\{"format": [0-9]+, "key": "([0-9a-f]{1,64}-[0-9]{1,18}-[0-9a-f]+-\w*)"')
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
    _rest = "and `run` does the run again"

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
        path, content = self.path_of(record.run.data.name, record.key), encode(record)
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
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=self.folder).close()
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
            return decode(self._content(path), path, kind)
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
            _log.warning("%s; it is ignored, %s", error, self._rest)
        self._damaged.add(path)


def encode(record: Record, *, digits: int = 64) -> bytes:
    """Return the bytes of a record: JSON with the long parts last, then digits of a digest."""
    plain = record.plain()
    long = {name: plain.pop(name, None) for name in _BULK}
    text = json.dumps(plain | long, ensure_ascii=False, allow_nan=False)
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


class PackedRecords(RecordStore):
    """Store of the records in a packed file, which is read once.

    A record is valid for a run of equal value, whatever the current code and data, because packed
    records are published results. Adopted ones take the place of others here; `pack` writes a file.

    Parameters
    ----------
    file : Path

    Raises
    ------
    DataError
        If the file cannot be read or unpacked.
    """

    is_archive = True
    _rest = "as are all other damaged records of the file"

    def __init__(self, file: Path) -> None:
        super().__init__(file.parent)
        self.folder = file
        self._lines: dict[str, bytes] = {}  # by the name of the virtual file
        self._of_value: dict[str, list[Key]] = {}
        self._read_once = lru_cache(maxsize=1)(super().read)
        for number, line in enumerate(_unpacked(file).splitlines(keepends=True), start=1):
            match = _KEY.match(line)
            is_old = b"\x01" in line  # differences of integers; JSON has no such byte
            if match is None or is_old:
                what = "was packed by version 0.2; pack it again" if is_old else "is not a record"
                self._report(file, RecordError(f"the line {what}", where=f"{file}:{number}"))
                continue
            key = Key.parse(match[1].decode())
            self._lines[f"{key}.json"] = line
            self._of_value.setdefault(key.value, []).append(key)

    def all_paths(self) -> list[Path]:
        """Return a virtual path for each record, below the path of the file."""
        return [self.folder / name for name in self._lines]

    def path_of(self, dataset: str, key: Key) -> Path:
        """Return the virtual path of a record."""
        return self.folder / f"{key}.json"

    def stored(self, dataset: str) -> dict[str, list[Key]]:
        """Return the keys of all records by value, those of other data sets too."""
        return self._of_value

    def write(self, record: Record) -> Path:
        """Put an adopted record in the place of the record that it was."""
        assert record.adopted is not None
        old, new = Key.parse(record.adopted["key"]), record.key
        keys = self._of_value[old.value]
        self._of_value[old.value] = [new if key == old else key for key in keys]
        del self._lines[f"{old}.json"]
        self._lines[f"{new}.json"] = encode(record, digits=SHORT)
        return self.path_of("", new)

    def read(self, path: Path) -> Record | None:
        """Read a record; the latest is kept, since selections of parameters read each twice."""
        return self._read_once(path)

    def _content(self, path: Path) -> bytes:
        return self._lines[path.name]

    def _report(self, path: Path, error: BoostbenchError) -> None:
        super()._report(self.folder, error)  # once for the file


def pack(records: Iterable[Record], file: Path) -> None:
    """Write records into one file, by data set and run: records of similar runs pack better.

    Equal records give equal bytes.

    Parameters
    ----------
    records : iterable of Record
    file : Path
        Missing folders are created.

    Raises
    ------
    BoostbenchError
        If the file cannot be written.
    """
    lines: dict[tuple[str, ...], bytes] = {}
    for record in records:
        value = record.run.value()  # without labels, which records of a file lack
        place = canonical_json(value["dataset"]), canonical_json(value), str(record.key)
        lines[place] = encode(record, digits=SHORT)
    content = b"".join(lines[key] for key in sorted(lines))
    try:
        write_file(file, lzma.compress(content, filters=_FILTERS))
    except OSError as error:
        raise BoostbenchError(f"cannot be written: {error.strerror}", where=str(file)) from error


def _unpacked(file: Path) -> bytes:
    try:
        with open_file(file) as packed, lzma.open(packed) as lines:
            size = os.fstat(packed.fileno()).st_size
            return read_bounded(lines, file, _LARGEST + _LARGEST_RATIO * size)
    except (EOFError, OSError, lzma.LZMAError) as error:
        raise DataError(f"the file cannot be unpacked ({error})", where=str(file)) from error
