"""Records of one experiment in one compressed file, with the interface of a record store.

``records.jsonl.xz`` holds one record per line, each with an abbreviated digest. Packed files may
omit parts of records that no table, figure or claim of the config reads; see `Experiment.pack`.

Within a line, a list of integers is stored as differences between consecutive integers, enclosed in
bytes of value 1. Most differences in curves of counts are small and take one byte, which reduces
the file by a quarter to a third.
"""

from __future__ import annotations

import logging
import lzma
import re
from collections.abc import Iterable
from itertools import accumulate, pairwise
from pathlib import Path

from boostbench.errors import BoostbenchError, DataError, RecordError
from boostbench.experiments.store.identity import Key
from boostbench.experiments.store.record import SHORT, Record
from boostbench.experiments.store.records import RecordFile, RecordStore, encode, folder_name
from boostbench.whole_files import open_file, read_bounded, write_file

_log = logging.getLogger(__name__)
PACKED = "records.jsonl.xz"
#: LZMA parameters suited to text with many numbers.
_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 4, "lp": 0, "pb": 0}]
_NUMBER = rb"(?:0|-?[1-9][0-9]{0,14})"
_NUMBERS = re.compile(rb"\[(%b(?:, %b){3,})\]" % (_NUMBER, _NUMBER))
#: JSON has no bytes below 32 except the line end.
_STEPS = re.compile(rb"\x01([^\x01]*)\x01")
_STEP = re.compile(rb"\x02(-?[0-9]{1,16})\x02|(.)", re.DOTALL)
_ZERO = 144  # byte that encodes a difference of 0
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
        self._lines: dict[Path, bytes] = {}
        self._of_value: dict[str, list[RecordFile]] = {}
        for line in _unpacked(file).splitlines(keepends=True):
            match = _KEY.match(line)
            if match is None:
                _log.warning("%s: a line that is not a record is ignored", file)
                continue
            key = Key.parse(match[1].decode())
            record_file = RecordFile(key, file)
            self._lines[record_file.path] = line
            self._of_value.setdefault(key.value, []).append(record_file)

    def all_paths(self) -> list[Path]:
        """Return a virtual path for each record, below the path of the file."""
        return list(self._lines)

    def write(self, record: Record) -> Path:
        """Raise BoostbenchError, because the store is read-only."""
        raise BoostbenchError("packed records cannot be added to", where=str(self.folder))

    def _stored(self, dataset: str) -> dict[str, list[RecordFile]]:
        return self._of_value

    def _content(self, path: Path) -> bytes:
        return _STEPS.sub(_as_numbers, self._lines[path])

    def _set_aside(self, path: Path, error: RecordError) -> None:
        _log.warning("%s; it is ignored", error)


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
        (folder_name(record.run.data.name), str(record.key)): _NUMBERS.sub(
            _as_steps, encode(record, digits=SHORT)
        )
        for record in records
    }
    content = b"".join(lines[key] for key in sorted(lines))
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_file(file, lzma.compress(content, filters=_FILTERS))
    except OSError as error:
        raise BoostbenchError(f"cannot be written: {error.strerror}", where=str(file)) from error


def _as_steps(match: re.Match[bytes]) -> bytes:
    steps = (n - before for before, n in pairwise((0, *map(int, match[1].split(b", ")))))
    encoded = (
        bytes([_ZERO + step]) if 32 <= _ZERO + step < 256 else b"\x02%d\x02" % step
        for step in steps
    )
    return b"\x01%b\x01" % b"".join(encoded)


def _as_numbers(match: re.Match[bytes]) -> bytes:
    steps = (int(large or small[0] - _ZERO) for large, small in _STEP.findall(match[1]))
    return b"[%b]" % b", ".join(b"%d" % number for number in accumulate(steps))


def _unpacked(file: Path) -> bytes:
    try:
        with open_file(file) as packed, lzma.open(packed) as lines:
            return read_bounded(lines, file)
    except (EOFError, OSError, lzma.LZMAError) as error:
        raise DataError(f"the file cannot be unpacked ({error})", where=str(file)) from error
