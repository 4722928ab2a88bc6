"""History of the thresholds of claims, so that one changed after its results were seen is marked.

Every report keeps the claims that it judged, in ``claims-history.json`` beside it. A claim is known
again by its kind and by all of its options but the numbers in them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from boostbench.errors import BoostbenchError
from boostbench.reports.claims.claim_options import Rule
from boostbench.reports.claims.verdicts import Verdict
from boostbench.source import show

HISTORY = "claims-history.json"
_NUMBER = "#"


@dataclass(frozen=True)
class ThresholdChange:
    """Thresholds of a claim that were changed after its results were seen."""

    date: str  # day of the first report with the new ones
    before: dict[str, Any]  # those that differ, by the place among the options
    after: dict[str, Any]

    @property
    def text(self) -> str:
        """The change in words."""
        parts = [
            f"{name} {show(self.before[name])} → {show(self.after[name])}" for name in self.after
        ]
        return f"changed after its results were seen, {self.date}: {', '.join(parts)}"


@dataclass(frozen=True)
class _Entry:
    says: str
    shape: str
    thresholds: dict[str, Any]
    seen: bool  # whether any run had a result
    changes: tuple[ThresholdChange, ...] = ()


class ClaimHistory:
    """The claims that the reports in a folder judged.

    Parameters
    ----------
    folder : Path

    Raises
    ------
    BoostbenchError
        If the file there cannot be read.
    """

    def __init__(self, folder: Path) -> None:
        path = folder / HISTORY
        self._entries: list[_Entry] = []
        try:
            text = path.read_text(encoding="utf-8")
        except (FileNotFoundError, NotADirectoryError):
            return
        except (OSError, UnicodeDecodeError) as error:
            raise BoostbenchError(f"cannot be read: {error}", where=str(path)) from error
        try:
            self._entries = [_entry(**value) for value in json.loads(text)["claims"]]
        except (ValueError, KeyError, TypeError) as error:
            what = "is not the history of a report's claims; restore it, or delete it to begin anew"
            raise BoostbenchError(what, where=str(path)) from error

    def note(
        self, verdicts: Sequence[Verdict], *, today: date | None = None
    ) -> list[tuple[ThresholdChange, ...]]:
        """Note the claims of a report; return the changes of each.

        Parameters
        ----------
        verdicts : sequence of Verdict
        today : date or None, default=None
            Taken from the clock by default.
        """
        known = list(self._entries)
        noted = []
        for verdict in verdicts:
            claim, seen = verdict.claim, any(case.outcome.n for case in verdict.cases)
            shape, thresholds = _split(claim.kind, claim.options)
            entry = _Entry(claim.says, shape, thresholds, seen)
            same = [old for old in known if old.shape == shape]
            # Of several, the one with the same numbers or the same words.
            same.sort(key=lambda old: (old.thresholds != thresholds, old.says != claim.says))
            if same:
                known.remove(same[0])
                entry = _following(same[0], entry, today or date.today())
            noted.append(entry)
        # Claims of another time stay: one that is taken out and put back is the same.
        self._entries = [*noted, *known]
        return [entry.changes for entry in noted]

    def text(self) -> str:
        """Return the file."""
        claims = [asdict(entry) for entry in self._entries]
        return json.dumps({"format": 1, "claims": claims}, indent=1, ensure_ascii=False) + "\n"


def _entry(changes: Iterable[dict[str, Any]] = (), **value: Any) -> _Entry:
    return _Entry(**value, changes=tuple(ThresholdChange(**change) for change in changes))


def _following(old: _Entry, new: _Entry, today: date) -> _Entry:
    """Return what is known of a claim after one more report."""
    seen, changes = old.seen or new.seen, old.changes
    names = [name for name, value in new.thresholds.items() if old.thresholds.get(name) != value]
    if old.seen and names:
        before, after = ({name: entry.thresholds[name] for name in names} for entry in (old, new))
        changes = (*changes, ThresholdChange(today.isoformat(), before, after))
    return _Entry(new.says, new.shape, new.thresholds, seen, changes)


def _split(kind: str, options: BaseModel) -> tuple[str, dict[str, Any]]:
    """Return the options of a claim without their numbers, as text, and the numbers by place."""
    thresholds: dict[str, Any] = {}
    plain = dict(_without_numbers(_given(options), "", thresholds))
    return json.dumps([kind, plain], sort_keys=True, ensure_ascii=False), thresholds


def _given(options: BaseModel) -> Iterator[tuple[str, Any]]:
    """Yield the options that were written, in a fixed order."""
    for name in sorted(options.model_fields_set):
        yield name, getattr(options, name)


def _without_numbers(
    items: Iterable[tuple[Any, Any]], path: str, thresholds: dict[str, Any]
) -> Iterator[tuple[str, Any]]:
    for name, value in items:
        place = f"{path}.{name}" if path else str(name)
        if isinstance(value, Rule):
            value = value.count or value.share
        if isinstance(value, BaseModel):
            yield str(name), dict(_without_numbers(_given(value), place, thresholds))
        elif isinstance(value, dict):
            yield str(name), dict(_without_numbers(value.items(), place, thresholds))
        elif isinstance(value, list | tuple):
            yield str(name), dict(_without_numbers(enumerate(value), place, thresholds))
        elif isinstance(value, int | float) and not isinstance(value, bool):
            thresholds[place] = value
            yield str(name), _NUMBER
        else:
            is_plain = isinstance(value, str | bool) or value is None
            yield str(name), value if is_plain else type(value).__name__
