"""Cache of the summaries of the records in a folder, so that planning need not open each record.

The cache is one file per folder. Runs that differ by seed only share most of their summary, which
is stored once. An entry is valid while size and modification time of its record are unchanged. The
file may be outdated, damaged or deleted at any time: missing entries are read from the records, and
the file is rewritten.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path

from pydantic import BaseModel, ValidationError

from boostbench.experiments.store.identity import Key
from boostbench.experiments.store.record import Summary, signed, unsigned
from boostbench.whole_files import write_file

_NAME = ".summaries"
_MIN_NEW = 100  # number of new entries that justifies rewriting the file
#: Fields shared by runs that differ by seed only, as far as plans need them.
_SHARED = (
    *("format", "run", "status", "error", "nested_rounds", "versions", "inputs", "adopted"),
    *("n_train", "n_test", "n_validation", "n_classes", "n_features"),
)
#: Stamp, seed and seconds of a record.
_Own = tuple[str, int, dict[str, float]]


class _File(BaseModel):
    """Content of the file: entries by shared summary (JSON) and name of the record file."""

    fields: tuple[str, ...]  # `_SHARED` of the writing version; the file is ignored if it differs
    by_shared: dict[str, dict[str, _Own]]


class Summaries:
    """The summaries of the records in a folder.

    Parameters
    ----------
    folder : Path
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / _NAME
        #: Shared summary (JSON) and own values, by name of the record file.
        self._entries: dict[str, tuple[str, _Own]] = {}
        self._shared: dict[str, Summary | None] = {}
        self._n_new = 0
        with suppress(OSError, ValueError):
            body = unsigned(self._path.read_bytes()) or b""
            file = _File.model_validate_json(body + b"}")
            for shared, entries in file.by_shared.items() if file.fields == _SHARED else ():
                self._entries |= {name: (shared, own) for name, own in entries.items()}

    def get(self, name: str, stamp: str) -> Summary | None:
        """Return the summary of a record; None if it is unknown or its stamp differs."""
        shared, (known_stamp, seed, seconds) = self._entries.get(name, ("", ("", 0, {})))
        if not stamp or known_stamp != stamp:
            return None
        if shared not in self._shared:
            try:
                self._shared[shared] = Summary.model_validate_json(shared)
            except ValidationError:  # of another version of boostbench
                self._shared[shared] = None
        model = self._shared[shared]
        if model is None:
            return None
        key, run = Key.parse(name.removesuffix(".json")), model.run.with_seed(seed)
        return model.model_copy(update={"key": key, "run": run, "seconds": seconds})

    def add(self, name: str, stamp: str, summary: Summary) -> None:
        """Add the summary of a record."""
        plain = summary.plain()
        shared = {part: plain[part] for part in _SHARED if part in plain}
        shared |= {
            "key": str(Key("0", summary.run.rounds, "0", "0")),
            "run": plain["run"] | {"seed": 0},
            "seconds": {"load": 0},
        }
        with suppress(ValueError):  # NaN, not written by this program
            text = json.dumps(shared, allow_nan=False)
            self._entries[name] = text, (stamp, summary.run.seed, summary.seconds)
            self._n_new += 1

    def keep(self) -> None:
        """Write the file if many summaries are new; a read-only folder is ignored."""
        if self._n_new >= max(_MIN_NEW, len(self._entries) // 10):
            self._n_new = 0
            by_shared: dict[str, dict[str, _Own]] = {}
            for name, (shared, own) in self._entries.items():
                by_shared.setdefault(shared, {})[name] = own
            with suppress(OSError):
                write_file(self._path, signed({"fields": _SHARED, "by_shared": by_shared}))


def stamp_of(path: Path) -> str:
    """Return size and modification time of a file as text; empty if there is no file."""
    try:
        status = os.stat(path)
    except OSError:
        return ""
    return f"{status.st_size}-{status.st_mtime_ns}"
