"""Keeping results when the code changed and the numbers did not.

A record counts only for the code that made it, so that every change of a booster asks for all its
runs again. After a change that is meant to leave results alone (faster, clearer), some runs of each
family are done again; if they give what the old records say, the others are adopted: copied under
the key of today's code, with a note of what was checked. If one differs, none is.
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

#: Result of a run; the other fields of a record say when, where and how long.
_RESULT = {
    *("stop_reason", "n_rounds", "n_train", "n_test"),
    *("round_zero", "noise", "curves", "at_checkpoints"),
}
#: Differences of real numbers up to this size, relative to the larger one or 1, are none.
RELATIVE = 1e-9


@dataclass(frozen=True)
class Difference:
    """A value of a result that is not the same in two records."""

    place: tuple[str | int, ...]
    old: Any
    new: Any

    @property
    def size(self) -> float:
        """Relative difference of two real numbers; infinite of counts and of all else."""
        if float not in (type(self.old), type(self.new)) or None in (self.old, self.new):
            return math.inf
        largest = max(1.0, abs(self.old), abs(self.new))
        return float(abs(self.old - self.new) / largest)

    def __str__(self) -> str:
        *names, last = self.place
        at = (
            f" at round {last + 1}"
            if isinstance(last, int) and names[0] == "curves"
            else f".{last}"
        )
        return f"{'.'.join(map(str, names))}{at}: {self.old!s:.60}, now {self.new!s:.60}"


#: Data set, booster and older code of some stale runs. The booster's parameters vary, the code
#: does not.
Family = tuple[str, str, str]


@dataclass
class Revalidated:
    """Outcome for the runs of one booster on one data set that share their older code."""

    dataset: str
    booster: str
    code: str  # fingerprint of the older code
    checked: int  # runs done again
    same: int  # how many of them gave what the old record says
    adopted: int = 0  # other records that now count
    stale: int = 0  # other records that do not

    @property
    def is_same(self) -> bool:
        """True if the change of the code left all results that were checked as they are."""
        return self.same == self.checked


def families(planned: Iterable[PlannedRun]) -> dict[Family, list[PlannedRun]]:
    """Put together the runs that are stale for the code alone and were done to the end.

    They are of as many rounds as their records, in a fixed order that mixes parameters, noises and
    seeds.
    """
    found: dict[Family, list[PlannedRun]] = {}
    for each in planned:
        if each.status != "stale" or each.found is None:
            continue
        old = each.found.key
        record = each.store.summary(each.found.path)
        is_old_code = old.code != each.key.code and old.data == each.key.data != ""
        if record is None or record.status != "ok" or not is_old_code:
            continue
        run = replace(each.run, rounds=old.rounds)
        member = replace(each, run=run, key=replace(each.key, rounds=old.rounds))
        found.setdefault((run.dataset, run.booster.name, old.code), []).append(member)
    return {name: sorted(its, key=lambda member: member.key.value) for name, its in found.items()}


def sample_of(members: Sequence[PlannedRun], share: float) -> Sequence[PlannedRun]:
    """Return a share of the members of a family, 0 to 1; at least one."""
    return members[: max(1, math.ceil(share * len(members) - 1e-9))]


def differences(old: Record, new: Record) -> Iterator[Difference]:
    """Yield what is not the same in the results of two records."""
    return _differences(old.model_dump(include=_RESULT), new.model_dump(include=_RESULT), ())


def same_result(old: Record, new: Record) -> bool:
    """Return whether two records say the same: counts exactly, real numbers to nine digits."""
    return all(difference.size <= RELATIVE for difference in differences(old, new))


def adopt(members: Sequence[PlannedRun], store: RecordStore, n_checked: int) -> int:
    """Copy the old records of some runs under today's keys; return how many.

    Parameters
    ----------
    members : sequence of PlannedRun
        Of one family.
    store : RecordStore
    n_checked : int
        Number of runs of the family that were done again and found the same.

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
    """Do a sample of each family again, and adopt the families whose sample came out the same.

    Parameters
    ----------
    plan : callable
        Compares the runs with the records as they are now. Where parameters are chosen, more runs
        of a family follow from what was adopted.
    do_again : callable
        Carries out runs.
    store : RecordStore
    share : float
        Of each family, 0 to 1.
    """
    judged: dict[Family, Revalidated] = {}
    while True:
        found = families(plan().runs)
        samples = {
            name: sample_of(members, share) for name, members in found.items() if name not in judged
        }
        more = [name for name in found if name in judged and judged[name].is_same]
        if not samples and not more:
            return list(judged.values())
        if samples:
            do_again([member for sample in samples.values() for member in sample])
        for name, sample in samples.items():
            judged[name] = _judged(name, sample, found[name][len(sample) :], store)
        for name in more:
            judged[name].adopted += adopt(found[name], store, judged[name].checked)


def _judged(
    name: Family, sample: Sequence[PlannedRun], rest: Sequence[PlannedRun], store: RecordStore
) -> Revalidated:
    n_same = sum(
        same_result(
            _read(store, member.path),
            _read(store, store.path_of(member.run.data.name, member.key)),
        )
        for member in sample
    )
    found = Revalidated(*name, checked=len(sample), same=n_same)
    if found.is_same:
        found.adopted = adopt(rest, store, len(sample))
    found.stale = len(rest) - found.adopted
    return found


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
