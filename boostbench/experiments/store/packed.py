"""Records of one experiment in one compressed file, with the interface of a record store.

``records.jsonl.xz`` holds one record per line, each with an abbreviated digest. Packed files omit
the parts of records that no table, figure or claim of the config reads; see `Experiment.pack`.

Files written by version 0.2 hold lists of integers as differences between consecutive integers,
enclosed in bytes of value 1; they are read too.
"""

from __future__ import annotations

import logging
import lzma
import os
import re
from collections.abc import Iterable
from itertools import accumulate
from pathlib import Path

from boostbench.errors import BoostbenchError, DataError, RecordError
from boostbench.experiments.store.identity import Key
from boostbench.experiments.store.record import Record
from boostbench.experiments.store.records import SHORT, RecordStore, encode, folder_name
from boostbench.whole_files import open_file, read_bounded, write_file

_log = logging.getLogger(__name__)
PACKED = "records.jsonl.xz"
#: LZMA parameters suited to text with many numbers.
_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 4, "lp": 0, "pb": 0}]
#: Largest size of the content: a part that is always allowed, and a multiple of the packed size.
_LARGEST, _LARGEST_RATIO = 2**24, 500
#: Differences of version 0.2: one byte, `_ZERO` for 0, or a number between bytes of value 2. JSON
#: has no bytes below 32 except the line end.
_STEPS = re.compile(rb"\x01([^\x01]*)\x01")
_LARGE = re.compile(rb"\x02(-?[0-9]{1,16})\x02")
_ZERO = 144
_LONGEST_WITH_STEPS = 2**20  # length of a line, which expands to 17 times as much
_KEY = re.compile(rb'\{"format": [0-9]+, "key": "([0-9a-f]{1,64}-[0-9]{1,18}-[0-9a-f]+-\w*)"')


class PackedRecords(RecordStore):
    """Read-only store of the records in a packed file, which is read once.

    A record is valid for a run of equal value, whatever the current code and data, because packed
    records are published results.

    Parameters
    ----------
    file : Path

    Raises
    ------
    DataError
        If the file cannot be read or unpacked.
    """

    is_archive = True

    def __init__(self, file: Path) -> None:
        super().__init__(file.parent)
        self.folder = file
        self._lines: dict[str, bytes] = {}  # by the name of the virtual file
        self._of_value: dict[str, list[Key]] = {}
        self._latest: tuple[str, Record | None] | None = None
        for number, line in enumerate(_unpacked(file).splitlines(keepends=True), start=1):
            match = _KEY.match(line)
            if match is None or (b"\x01" in line and len(line) > _LONGEST_WITH_STEPS):
                error = RecordError("the line is not a record", where=f"{file}:{number}")
                self._report(file, error)
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

    def read(self, path: Path) -> Record | None:
        """Read a record; the latest is kept, since selections of parameters read each twice."""
        if self._latest is None or self._latest[0] != path.name:
            self._latest = path.name, super().read(path)
        return self._latest[1]

    def _content(self, path: Path) -> bytes:
        return _STEPS.sub(_as_numbers, self._lines[path.name])

    def _report(self, path: Path, error: BoostbenchError) -> None:
        if not self._damaged:
            what = "it is ignored, as are all other damaged records of the file"
            _log.warning("%s; %s", error, what)
        self._damaged.add(path)


def pack(records: Iterable[Record], file: Path) -> None:
    """Write records into one file, sorted by folder and key.

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
    lines = {
        (folder_name(record.run.data.name), str(record.key)): encode(record, digits=SHORT)
        for record in records
    }
    content = b"".join(lines[key] for key in sorted(lines))
    try:
        write_file(file, lzma.compress(content, filters=_FILTERS))
    except OSError as error:
        raise BoostbenchError(f"cannot be written: {error.strerror}", where=str(file)) from error


def _as_numbers(match: re.Match[bytes]) -> bytes:
    steps: list[int] = []
    for place, part in enumerate(_LARGE.split(match[1])):
        steps += [int(part)] if place % 2 else [byte - _ZERO for byte in part]
    return str([*accumulate(steps)]).encode()


def _unpacked(file: Path) -> bytes:
    try:
        with open_file(file) as packed, lzma.open(packed) as lines:
            size = os.fstat(packed.fileno()).st_size
            return read_bounded(lines, file, _LARGEST + _LARGEST_RATIO * size)
    except (EOFError, OSError, lzma.LZMAError) as error:
        raise DataError(f"the file cannot be unpacked ({error})", where=str(file)) from error
