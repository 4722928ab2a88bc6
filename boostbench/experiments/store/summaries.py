"""Summaries of the records of one folder in one file, so that a plan need not open each record.

Runs that differ by their seed alone share nearly all of their summaries, which is kept once. An
entry counts as long as its record has the size and the time of change that it had. The file has a
digest and may be old, damaged or deleted at any time: what it lacks is read from the records, and
it is written anew.
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
_LEAST_NEW = 100
#: Fields that a plan looks at, besides a record's own key, seed and seconds.
_SHARED = (
    *("format", "run", "status", "error", "nested_rounds", "versions", "inputs", "adopted"),
    *("n_train", "n_test", "n_validation", "n_classes", "n_features"),
)
#: Stamp of the record, seed, seconds.
_Own = tuple[str, int, dict[str, float]]


class _Kept(BaseModel):
    """The file: by a summary that is shared, as JSON, what its records have of their own."""

    fields: tuple[str, ...]  # of a version of boostbench that keeps others it counts for nothing
    by_shared: dict[str, dict[str, _Own]]


class Summaries:
    """The summaries of the records in a folder.

    Parameters
    ----------
    folder : Path
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / _NAME
        #: By the record's file name, with the JSON of what is shared.
        self._entries: dict[str, tuple[str, _Own]] = {}
        self._shared: dict[str, Summary | None] = {}
        self._n_new = 0
        with suppress(OSError, ValueError):
            body = unsigned(self._path.read_bytes()) or b""
            kept = _Kept.model_validate_json(body + b"}")
            for shared, entries in kept.by_shared.items() if kept.fields == _SHARED else ():
                self._entries |= {name: (shared, own) for name, own in entries.items()}

    def get(self, name: str, stamp: str) -> Summary | None:
        """Return the summary of a record, None if it is not known or the record changed."""
        shared, (known, seed, seconds) = self._entries.get(name, ("", ("", 0, {})))
        if not stamp or known != stamp:
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
        """Know the summary of a record."""
        plain = summary.plain()
        shared = {part: plain[part] for part in _SHARED if part in plain}
        shared |= {
            "key": str(Key("0", summary.run.rounds, "0", "0")),
            "run": plain["run"] | {"seed": 0},
            "seconds": {"load": 0},
        }
        with suppress(ValueError):  # it holds NaN, which no program wrote
            text = json.dumps(shared, allow_nan=False)
            self._entries[name] = text, (stamp, summary.run.seed, summary.seconds)
            self._n_new += 1

    def keep(self) -> None:
        """Write the file if many summaries are new; a folder that cannot be written is let be."""
        if self._n_new >= max(_LEAST_NEW, len(self._entries) // 10):
            self._n_new = 0
            by_shared: dict[str, dict[str, _Own]] = {}
            for name, (shared, own) in self._entries.items():
                by_shared.setdefault(shared, {})[name] = own
            with suppress(OSError):
                write_file(self._path, signed({"fields": _SHARED, "by_shared": by_shared}))


def stamp_of(path: Path) -> str:
    """Return size and time of the last change of a file; empty if there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return ""
    return f"{status.st_size}-{status.st_mtime_ns}"
