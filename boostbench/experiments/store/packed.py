"""Records of one experiment in one small file, read like those of a results folder.

``records.jsonl.xz`` holds a record a line, each with the first digits of its digest. Nothing that
reads records knows the difference. A file that is to be committed lacks what no table, figure or
claim of its config reads: `Experiment.pack` says what.

In a line, a list of integers stands as the steps between them, most of which take a byte, between
two bytes 1: curves of counts move little, and take a quarter to a third less room so.
"""

from __future__ import annotations

import lzma
import re
from collections.abc import Iterable
from itertools import accumulate, pairwise
from pathlib import Path

from boostbench.errors import BoostbenchError, DataError, RecordError
from boostbench.experiments.store.identity import Key
from boostbench.experiments.store.record import SHORT, Record
from boostbench.experiments.store.records import Found, RecordStore, encode, folder_name
from boostbench.whole_files import open_file, read_bounded, write_file

PACKED = "records.jsonl.xz"
#: Those of text with many numbers.
_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 4, "lp": 0, "pb": 0}]
_NUMBER = rb"(?:0|-?[1-9][0-9]{0,14})"
_NUMBERS = re.compile(rb"\[(%b(?:, %b){3,})\]" % (_NUMBER, _NUMBER))
#: JSON holds no bytes below 32 but the last of a line.
_STEPS = re.compile(rb"\x01([^\x01]*)\x01")
_STEP = re.compile(rb"\x02(-?[0-9]{1,16})\x02|(.)", re.DOTALL)
_NO_STEP = 144  # the byte for 0
_KEY = re.compile(rb'\{"format": [0-9]+, "key": "([0-9a-f]{1,64}-[0-9]{1,18}-[0-9a-f]+-\w*)"')


class PackedRecords(RecordStore):
    """The records in a file, which is read once; none can be added.

    A record counts for a run of its value, whatever code and data there are here: it is what was
    published.

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
        self._of_value: dict[str, list[Found]] = {}
        for line in _unpacked(file).splitlines(keepends=True):
            match = _KEY.match(line)
            if match is None:
                self.damaged.append(f"{file}: holds a line that is no record; it is passed over")
                continue
            key = Key.parse(match[1].decode())
            found = Found(key, file)
            self._lines[found.path] = line
            self._of_value.setdefault(key.value, []).append(found)

    def all_paths(self) -> list[Path]:
        """Return a path for each record, below that of the file."""
        return list(self._lines)

    def write(self, record: Record) -> Path:
        """Raise an error: packed records cannot be added to."""
        raise BoostbenchError("packed records cannot be added to", where=str(self.folder))

    def _stored(self, dataset: str) -> dict[str, list[Found]]:
        return self._of_value

    def _content(self, path: Path) -> bytes:
        return _STEPS.sub(_as_numbers, self._lines[path])

    def _set_aside(self, path: Path, error: RecordError) -> None:
        self.damaged.append(f"{error}; it is passed over")


def pack(records: Iterable[Record], file: Path) -> None:
    """Write records into one file, in the order of their own files.

    The same records give the same bytes.

    Parameters
    ----------
    records : iterable of Record
    file : Path
        Its folder is made.

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


def _as_steps(list_: re.Match[bytes]) -> bytes:
    steps = (n - before for before, n in pairwise((0, *map(int, list_[1].split(b", ")))))
    written = (
        bytes([_NO_STEP + step]) if 32 <= _NO_STEP + step < 256 else b"\x02%d\x02" % step
        for step in steps
    )
    return b"\x01%b\x01" % b"".join(written)


def _as_numbers(written: re.Match[bytes]) -> bytes:
    steps = (int(far or near[0] - _NO_STEP) for far, near in _STEP.findall(written[1]))
    return b"[%b]" % b", ".join(b"%d" % number for number in accumulate(steps))


def _unpacked(file: Path) -> bytes:
    try:
        with open_file(file) as packed, lzma.open(packed) as lines:
            return read_bounded(lines, file)
    except (EOFError, OSError, lzma.LZMAError) as error:
        raise DataError(f"the file cannot be unpacked ({error})", where=str(file)) from error
