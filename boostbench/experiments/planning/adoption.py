"""Adoption of stale records after a code change that leaves results unchanged.

A record is valid only for the code that made it, so that every change of a booster makes its
records stale. After a change that should preserve results (an optimisation, a clarification), a
sample of each family of stale runs is repeated. If all repeated runs reproduce their old records,
the remaining records of the family are adopted: copied under the key of the current code, with a
note of the check. If one differs, none of the family is adopted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from boostbench.errors import BoostbenchError
from boostbench.experiments.planning.plans import Plan, PlannedRun
from boostbench.experiments.store.record import Record
from boostbench.experiments.store.records import RecordStore

#: Fields of a record that hold results; the other fields hold time, place and duration.
_RESULT = {
    *("stop_reason", "n_rounds", "n_train", "n_test"),
    *("round_zero", "noise", "curves", "at_checkpoints"),
}
#: Tolerance for real numbers, relative to the larger absolute value, or to 1 if that is smaller.
RELATIVE = 1e-9


@dataclass(frozen=True)
class Difference:
    """A value that differs between the results of two records."""

    place: tuple[str | int, ...]
    old: Any
    new: Any

    @property
    def size(self) -> float:
        """Relative difference of two real numbers; infinite for counts and other values."""
        if float not in (type(self.old), type(self.new)) or None in (self.old, self.new):
            return math.inf
        largest = max(1.0, abs(self.old), abs(self.new))
        return float(abs(self.old - self.new) / largest)

    def __str__(self) -> str:
        *names, last = self.place
        end = f".{last}"
        if isinstance(last, int) and names[0] == "curves":
            end = f" at round {last + 1}"
        return f"{'.'.join(map(str, names))}{end}: {self.old!s:.60}, now {self.new!s:.60}"


#: Data set, booster and old code fingerprint of stale runs, whatever the booster's parameters.
Family = tuple[str, str, str]


@dataclass
class Revalidated:
    """Outcome for a family of runs."""

    dataset: str
    booster: str
    code: str  # fingerprint of the old code
    checked: int  # number of repeated runs
    same: int  # number of repeated runs that reproduced their old record
    adopted: int = 0  # number of adopted records
    stale: int = 0  # number of records that remain stale

    @property
    def is_same(self) -> bool:
        """True if all repeated runs reproduced their old records."""
        return self.same == self.checked


def families(planned: Iterable[PlannedRun]) -> dict[Family, list[PlannedRun]]:
    """Group the finished runs that are stale because of the code alone.

    Each member has the number of rounds of its record. Members are in a fixed order that mixes
    parameters, noises and seeds.
    """
    groups: dict[Family, list[PlannedRun]] = {}
    for stale in planned:
        if stale.status != "stale" or stale.record_file is None:
            continue
        old = stale.record_file.key
        record = stale.store.summary(stale.record_file.path)
        is_old_code = old.code != stale.key.code and old.data == stale.key.data != ""
        if record is None or record.status != "ok" or not is_old_code:
            continue
        run = replace(stale.run, rounds=old.rounds)
        member = replace(stale, run=run, key=replace(stale.key, rounds=old.rounds))
        groups.setdefault((run.dataset, run.booster.name, old.code), []).append(member)
    return {
        family: sorted(members, key=lambda member: member.key.value)
        for family, members in groups.items()
    }


def sample_of(members: Sequence[PlannedRun], share: float) -> Sequence[PlannedRun]:
    """Return a fraction of the members of a family, from 0 to 1; at least one member."""
    return members[: max(1, math.ceil(share * len(members) - 1e-9))]


def differences(old: Record, new: Record) -> Iterator[Difference]:
    """Yield the differences between the results of two records."""
    return _differences(old.model_dump(include=_RESULT), new.model_dump(include=_RESULT), ())


def same_result(old: Record, new: Record) -> bool:
    """Return whether two results agree: counts exactly, real numbers up to `RELATIVE`."""
    return all(difference.size <= RELATIVE for difference in differences(old, new))


def adopt(members: Sequence[PlannedRun], store: RecordStore, n_checked: int) -> int:
    """Copy old records under the keys of the current code; return the number of copies.

    Parameters
    ----------
    members : sequence of PlannedRun
        Members of one family.
    store : RecordStore
    n_checked : int
        Number of runs of the family that were repeated successfully.

    Raises
    ------
    BoostbenchError
        If a record cannot be written.
    """
    n_adopted = 0
    for member in members:
        assert member.path is not None
        record = store.read(member.path)
        if record is None:
            continue
        note = {"key": str(record.key), "checked": n_checked, "of": n_checked + len(members)}
        store.write(record.model_copy(update={"key": member.key, "adopted": note}))
        n_adopted += 1
    return n_adopted


def revalidate(
    plan: Callable[[], Plan],
    do_again: Callable[[Sequence[PlannedRun]], None],
    store: RecordStore,
    share: float,
) -> list[Revalidated]:
    """Repeat a sample of each family, and adopt the families whose sample is reproduced.

    Parameters
    ----------
    plan : callable
        Compares the runs with the current records. Where parameters are selected, adopted records
        may lead to further runs of a family.
    do_again : callable
        Executes runs.
    store : RecordStore
    share : float
        Fraction of each family to repeat, from 0 to 1.
    """
    outcomes: dict[Family, Revalidated] = {}
    while True:
        stale = families(plan().runs)
        samples = {
            family: sample_of(members, share)
            for family, members in stale.items()
            if family not in outcomes
        }
        further = [family for family in stale if family in outcomes and outcomes[family].is_same]
        if not samples and not further:
            return list(outcomes.values())
        if samples:
            do_again([member for sample in samples.values() for member in sample])
        for family, sample in samples.items():
            rest = stale[family][len(sample) :]
            outcomes[family] = _compare_and_adopt(family, sample, rest, store)
        for family in further:
            outcomes[family].adopted += adopt(stale[family], store, outcomes[family].checked)


def _compare_and_adopt(
    family: Family, sample: Sequence[PlannedRun], rest: Sequence[PlannedRun], store: RecordStore
) -> Revalidated:
    n_same = sum(
        same_result(
            _read(store, member.path),
            _read(store, store.path_of(member.run.data.name, member.key)),
        )
        for member in sample
    )
    outcome = Revalidated(*family, checked=len(sample), same=n_same)
    if outcome.is_same:
        outcome.adopted = adopt(rest, store, len(sample))
    outcome.stale = len(rest) - outcome.adopted
    return outcome


def _read(store: RecordStore, path: Path | None) -> Record:
    record = None if path is None else store.read(path)
    if record is None:
        raise BoostbenchError("the record cannot be read", where=str(path))
    return record


def _differences(old: Any, new: Any, place: tuple[str | int, ...]) -> Iterator[Difference]:
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        for key in old:
            yield from _differences(old[key], new[key], (*place, key))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, pair in enumerate(zip(old, new, strict=True)):
            yield from _differences(*pair, (*place, index))
    elif old != new:
        yield Difference(place, old, new)
