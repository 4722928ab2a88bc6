"""History of claims, which marks changes made after results were seen.

Every report writes the claims that it judged to ``claims-history.json`` in its folder. The first
report in a folder continues the history that is shipped with the config, if there is one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path, PurePath
from typing import Any

from pydantic import BaseModel

from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.claims import Claim
from boostbench.experiments.configs.config import Config
from boostbench.reports.claims.claim_options import Rule
from boostbench.reports.claims.verdicts import Verdict
from boostbench.source import show

HISTORY = "claims-history.json"
#: Terms that do not identify a claim. Numbers in other terms do not either.
_LOOSE = ("origin", "at_least")
_PLAIN = (str, bool, int, float)


@dataclass(frozen=True)
class ClaimChange:
    """Terms of a claim that were changed after its results were seen."""

    date: str  # day of the first report with the new terms
    before: dict[str, Any]  # the changed terms by name; None if not given
    after: dict[str, Any]

    @property
    def text(self) -> str:
        """The change in words."""
        parts = [
            f"{name} {_difference(self.before[name], after)}" for name, after in self.after.items()
        ]
        return f"changed after its results were seen, {self.date}: {', '.join(parts)}"


@dataclass(frozen=True)
class PastClaim:
    """A claim, as in the last report that judged it."""

    says: str
    terms: dict[str, Any]  # origin, kind, and the options by their paths
    seen: bool  # True if any run had a result
    changes: tuple[ClaimChange, ...] = ()
    stated: str = ""  # day of the first report with it, if results had been seen before
    withdrawn: str = ""  # the day of the first report without it

    @property
    def marks(self) -> tuple[str, ...]:
        """Changes after results were seen, in words."""
        late = [f"stated after results were seen, {self.stated}"] if self.stated else []
        return (*late, *(change.text for change in self.changes))


class ClaimHistory:
    """The claims that the reports in a folder judged.

    Parameters
    ----------
    folder : Path
        Folder of the reports.
    config : Path or None, default=None
        Config NAME.yaml. A folder without a history continues ``NAME-claims-history.json`` beside
        the config, if that exists.

    Raises
    ------
    BoostbenchError
        If a file cannot be read.
    """

    def __init__(self, folder: Path, config: Path | None = None) -> None:
        self.claims = _read(folder / HISTORY)
        if not self.claims and config is not None:
            self.claims = _read(config.with_name(f"{config.stem}-{HISTORY}"))

    @property
    def withdrawn(self) -> list[PastClaim]:
        """Claims withdrawn after their results were seen."""
        return [claim for claim in self.claims if claim.withdrawn and claim.seen]

    def note(
        self, verdicts: Sequence[Verdict], *, today: date | None = None
    ) -> tuple[Verdict, ...]:
        """Record the claims of a report; return the verdicts with their marks.

        A claim is recognised by its words and terms, else by its terms, else by its words, else by
        its terms without numbers.

        Parameters
        ----------
        verdicts : sequence of Verdict
        today : date or None, default=None
            Date of the report; by default, the current date.
        """
        day = (today or date.today()).isoformat()
        any_seen = any(claim.seen for claim in self.claims)
        new = [
            PastClaim(
                verdict.claim.says,
                _terms(verdict.claim),
                any(case.outcome.n for case in verdict.cases),
            )
            for verdict in verdicts
        ]
        predecessors, unmatched = _matched(new, self.claims)
        current = [
            _continued(predecessors[index], claim, day)
            if index in predecessors
            else replace(claim, stated=day if any_seen else "")
            for index, claim in enumerate(new)
        ]
        # Withdrawn claims are kept, to be recognised if they are put back.
        past = [claim if claim.withdrawn else replace(claim, withdrawn=day) for claim in unmatched]
        self.claims = [*current, *past]
        pairs = zip(verdicts, current, strict=True)
        return tuple(replace(verdict, marks=claim.marks) for verdict, claim in pairs)

    def text(self) -> str:
        """Return the content of the file."""
        claims = [asdict(claim) for claim in self.claims]
        return json.dumps({"format": 2, "claims": claims}, indent=1, ensure_ascii=False) + "\n"


def _read(path: Path) -> list[PastClaim]:
    try:
        text = path.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise BoostbenchError(f"cannot be read: {error}", where=str(path)) from error
    try:
        return [_past(**value) for value in json.loads(text)["claims"]]
    except (ValueError, KeyError, TypeError) as error:
        what = "is not the history of a report's claims; restore it, or delete it to begin anew"
        raise BoostbenchError(what, where=str(path)) from error


def _past(changes: Iterable[dict[str, Any]] = (), **value: Any) -> PastClaim:
    return PastClaim(**value, changes=tuple(ClaimChange(**change) for change in changes))


def _matched(
    new: Sequence[PastClaim], old: Sequence[PastClaim]
) -> tuple[dict[int, PastClaim], list[PastClaim]]:
    """Return the predecessors of new claims by index, and the old claims without a successor."""
    keys: tuple[Callable[[PastClaim], object], ...] = (
        lambda claim: (claim.says, claim.terms),
        lambda claim: claim.terms,
        lambda claim: claim.says,
        lambda claim: _shape(claim.terms),
    )
    predecessors: dict[int, PastClaim] = {}
    unmatched = list(old)
    for key in keys:
        for index, claim in enumerate(new):
            match = next((past for past in unmatched if key(past) == key(claim)), None)
            if index not in predecessors and match is not None:
                predecessors[index] = match
                unmatched.remove(match)
    return predecessors, unmatched


def _continued(old: PastClaim, new: PastClaim, day: str) -> PastClaim:
    """Return a new claim with the history of its predecessor."""
    names = [
        name
        for name in dict.fromkeys([*old.terms, *new.terms])
        if old.terms.get(name) != new.terms.get(name)
    ]
    changes = old.changes
    if old.seen and names:
        before, after = ({name: c.terms.get(name) for name in names} for c in (old, new))
        changes = (*changes, ClaimChange(day, before, after))
    return replace(new, seen=old.seen or new.seen, changes=changes, stated=old.stated)


def _shape(terms: dict[str, Any]) -> dict[str, Any]:
    """Return the terms that identify a claim, without their numbers."""
    return {
        name: None if _is_number(value) else value
        for name, value in terms.items()
        if name not in _LOOSE
    }


def _is_number(value: Any) -> bool:
    if isinstance(value, list):
        return all(_is_number(each) for each in value)
    return isinstance(value, int | float) and not isinstance(value, bool)


def _terms(claim: Claim) -> dict[str, Any]:
    return {"origin": claim.origin, "kind": claim.kind, **dict(_flat(_given(claim.options), ""))}


def _given(options: BaseModel) -> Iterator[tuple[str, Any]]:
    """Yield the names and values of the options that were given, sorted by name."""
    for name in sorted(options.model_fields_set):
        yield type(options).model_fields[name].alias or name, getattr(options, name)


def _flat(items: Iterable[tuple[Any, Any]], path: str) -> Iterator[tuple[str, Any]]:
    """Yield the dotted paths and plain values of nested options."""
    for name, value in items:
        place = f"{path}.{name}" if path else str(name)
        if isinstance(value, Config):
            yield place, value.name
        elif isinstance(value, BaseModel):
            yield from _flat(_given(value), place)
        elif isinstance(value, dict):
            yield from _flat(value.items(), place)
        elif isinstance(value, list | tuple):
            is_plain = all(isinstance(each, _PLAIN) for each in value)
            yield from [(place, list(value))] if is_plain else _flat(enumerate(value), place)
        elif isinstance(value, Rule):
            yield place, value.count or repr(value)
        elif isinstance(value, PurePath):
            yield place, value.name
        else:
            is_plain = isinstance(value, _PLAIN) or value is None
            yield place, value if is_plain else type(value).__name__


def _difference(before: Any, after: Any) -> str:
    if isinstance(before, list) and isinstance(after, list):
        more = [value for value in after if value not in before]
        less = [value for value in before if value not in after]
        parts = [f"{sign} {_text(part)}" for sign, part in (("+", more), ("−", less)) if part]
        if parts:  # else only the order differs
            return " ".join(parts)
    return f"{_text(before)} → {_text(after)}"


def _text(value: Any) -> str:
    return "not given" if value is None else value if isinstance(value, str) else show(value)
