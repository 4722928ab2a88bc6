"""Repetition of a sample of recorded runs, and comparison of the results with the records.

The records may be valid ones, stale ones, or those of a packed file. Adoption rests on the
comparison: a record is valid only for the code that made it, so that every change of a booster
makes its records stale. If a sample of the stale runs gives the recorded results, their other
records are copied under the keys of the current code, with a note of the check. A packed file is
written anew.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from boostbench.experiments.planning.plans import Plan, PlannedRun
from boostbench.experiments.runs import Run
from boostbench.experiments.store.identity import folder_of
from boostbench.experiments.store.record import Record

#: Fields of a record that hold results; the other fields hold words, time, place and duration.
_RESULT = {"n_rounds", "n_train", "n_test", "round_zero", "noise", "curves", "at_checkpoints"}
#: Tolerance for real numbers, relative to the larger absolute value, or to 1 if that is smaller.
RELATIVE = 1e-9
#: Data set, booster (whatever its parameters) and fingerprints of code and data of the records.
Family = tuple[str, str, str, str]
#: Runs with a record by family, in a fixed order that mixes parameters, noises and seeds.
Families = dict[Family, list[PlannedRun]]
#: Executes the runs that have no record of the current code, and returns their plan.
Repeat = Callable[[Sequence[Run]], Plan]


@dataclass
class Repeated:
    """Outcome for the recorded runs of a booster on a data set, made by the same code.

    Attributes
    ----------
    dataset, booster : str
    code, data : str
        Fingerprints of the code and the data behind the records.
    runs : int
        Number of recorded runs.
    sample : int
        Number of runs to repeat among them.
    done : int
        Number of runs of the sample that could be repeated.
    same : int
        Number of repeated runs whose results are those of the record: counts exactly, real numbers
        up to `RELATIVE`.
    exact : int
        Number of repeated runs that are the same to the bit.
    why : str
        The first difference, or the reason why a run could not be repeated.
    adopted : int
        Number of records copied under the keys of the current code.
    """

    dataset: str
    booster: str
    code: str
    data: str
    runs: int
    sample: int
    done: int = 0
    same: int = 0
    exact: int = 0
    why: str = ""
    adopted: int = 0

    @property
    def agrees(self) -> bool:
        """True if all runs of the sample gave the recorded results."""
        return self.same == self.sample > 0


def in_words(outcomes: Sequence[Repeated]) -> str:
    """Return the outcome for all families as text.

    Examples
    --------
    >>> outcome = Repeated("iris", "samme", "a1", "d2", runs=40, sample=2, done=2, same=2, exact=1)
    >>> in_words([outcome])
    'repeated 2 of 40 runs: 1 same to the bit, 1 same within 1e-09'
    """
    names = ("runs", "sample", "done", "same", "exact", "adopted")
    runs, sample, done, same, exact, adopted = (
        sum(getattr(outcome, name) for outcome in outcomes) for name in names
    )
    counts = {
        "same to the bit": exact,
        f"same within {RELATIVE:g}": same - exact,
        "not the same": done - same,
        "could not be repeated": sample - done,
    }
    found = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
    ending = f"; adopted {adopted} records" if adopted else ""
    return f"repeated {done} of {runs} runs: {found}{ending}"


def differences(old: Record, new: Record, *, partial: bool = False) -> Iterator[tuple[str, float]]:
    """Yield the recorded results that another record, which may hold further ones, does not have.

    Parameters
    ----------
    old, new : Record
    partial : bool, default=False
        NaN in the old record stands for a value that was left out, as in packed records.

    Yields
    ------
    what : str
        Place of a value, the value and that of the other record.
    size : float
        Relative difference of two real numbers; infinite for counts and other values.
    """
    found = dict(_values(new.model_dump(include=_RESULT)))
    for place, value in _values(old.model_dump(include=_RESULT)):
        other, size = found.get(place, "absent"), math.inf
        if value == other or (partial and value is None):
            continue
        if {type(value), type(other)} in ({float}, {float, int}):
            size = abs(value - other) / max(1.0, abs(value), abs(other))
        yield f"{place}: {value!s:.60}, now {other!s:.60}", size


def _values(results: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the single values in results, each with its place in words."""
    if isinstance(results, dict):
        for key, value in results.items():
            yield from _values(value, f"{place}.{key}" if place else key)
    elif isinstance(results, list):
        yield f"{place} (length)", len(results)
        step = " at round " if place.startswith("curves") else "."
        for number, value in enumerate(results, start=1):
            yield from _values(value, f"{place}{step}{number}")
    else:
        yield place, results


def of_other_code(planned: Iterable[PlannedRun]) -> Iterator[PlannedRun]:
    """Yield the finished runs whose record, stale or packed, is of other code.

    The fingerprint of the data of a packed record may be another one, as in 0.2: all runs of a
    family are of one data set, and a repeated run has the same results only with the same data.
    """
    for stale in planned:
        old, key = stale.recorded, stale.key
        if not stale.path or not old or not key.data:
            continue
        if stale.store.is_archive:
            is_other = stale.reason != ""
        else:
            is_other = stale.status == "stale" and old.code != key.code and old.data != ""
            is_other = is_other and key.data.startswith(old.data)
        record = stale.store.summary(stale.path) if is_other else None
        if record is not None and record.status == "ok":
            yield stale


def families(recorded: Iterable[PlannedRun]) -> Families:
    """Group runs with a record by family; each member has the number of rounds of its record."""
    groups: Families = {}
    for planned in {planned.path: planned for planned in recorded}.values():
        assert planned.recorded is not None
        old = planned.recorded
        run, key = replace(planned.run, rounds=old.rounds), replace(planned.key, rounds=old.rounds)
        members = groups.setdefault((run.dataset, run.booster.name, old.code, old.data), [])
        members.append(replace(planned, run=run, key=key))
    for members in groups.values():
        members.sort(key=lambda member: member.key.value)
    return groups


def repeat_sample(groups: Families, share: float, do: Repeat) -> dict[Family, Repeated]:
    """Repeat a sample of each family, and compare the results with the records.

    Parameters
    ----------
    groups : dict
        Recorded runs by family; the first members are repeated.
    share : float
        Fraction of each family to repeat, from 0 to 1; at least one run.
    do : Repeat
    """
    samples = {
        family: members[: max(1, math.ceil(share * len(members) - 1e-9))]
        for family, members in groups.items()
    }
    runs = [member.run for sample in samples.values() for member in sample]
    again = {planned.run: planned for planned in do(runs).runs}
    outcomes = {}
    for family, sample in samples.items():
        outcome = Repeated(*family, runs=len(groups[family]), sample=len(sample))
        for member in sample:
            _compare(member, again[member.run], outcome)
        outcomes[family] = outcome
    return outcomes


def adopt(plan: Callable[[], Plan], share: float, do: Repeat) -> list[Repeated]:
    """Adopt the stale records of each family whose sample gives the recorded results.

    Parameters
    ----------
    plan : callable
        Compares the runs of the experiment with the current records, which may be packed. Where
        parameters are selected, adopted records may lead to further runs of a family.
    share, do
        As for `repeat_sample`; ``do`` has the same store, or another one for packed records.

    Raises
    ------
    BoostbenchError
        If a record cannot be written.
    """
    outcomes: dict[Family, Repeated] = {}
    while True:
        stale = families(of_other_code(plan().runs))
        if new := {family: stale[family] for family in stale if family not in outcomes}:
            outcomes |= repeat_sample(new, share, do)
            continue
        written = [member.store.write(record) for member, record in _adopted(stale, outcomes)]
        if not written:
            return list(outcomes.values())


def _adopted(
    groups: Families, outcomes: Mapping[Family, Repeated]
) -> Iterator[tuple[PlannedRun, Record]]:
    """Yield the old records of families that agree, under keys of the current code, with a note.

    Files that their runs read may have changed with the code; repeated runs read those of now.
    """
    for family, members in groups.items():
        outcome = outcomes[family]
        for member in members if outcome.agrees else ():
            if (record := member.old_record()) is not None:
                outcome.adopted += 1
                note = {"key": str(record.key), "checked": outcome.sample, "of": outcome.runs}
                now = record.inputs_now(folder_of(member.run))
                update = {"key": member.key, "adopted": note, "inputs": now}
                yield member, record.model_copy(update=update)


def _compare(recorded: PlannedRun, again: PlannedRun, outcome: Repeated) -> None:
    """Add the comparison of a repeated run with its record to the outcome of its family."""
    old, new = recorded.old_record(), again.record()
    if old is None or new is None or new.status != "ok":
        reason = "its record is damaged" if old is None else f"{again.status}: {again.reason}"
        outcome.why = outcome.why or f"{again.run.id}: {reason.removesuffix(': ')}"
        return
    found = list(differences(old, new, partial=recorded.store.is_archive))
    large = [what for what, size in found if size > RELATIVE]
    outcome.done += 1
    outcome.exact += not found
    outcome.same += not large
    if large:
        more = f" (and {len(large) - 1} more)" if len(large) > 1 else ""
        outcome.why = outcome.why or f"{again.run.id}: {large[0]}{more}"
