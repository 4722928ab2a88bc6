"""Plans: the runs of an experiment compared with the records there are."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from boostbench import registry
from boostbench.errors import (
    BoostbenchError,
    ConfigError,
    DataError,
    DataUnavailableError,
    PluginError,
)
from boostbench.experiments.planning.run_times import Estimates, work
from boostbench.experiments.runs import BoosterSpec, Data, Params, Run
from boostbench.experiments.store.identity import Key, code_of, value_of
from boostbench.experiments.store.record import FAILURES, Record, Summary
from boostbench.experiments.store.records import AnyRecord, RecordStore
from boostbench.inputs import digest_of

if TYPE_CHECKING:
    from boostbench.data import DatasetEntry

#: All statuses of a planned run, in the order in which they are listed.
STATUSES = ("ok", *FAILURES, "stale", "missing", "skipped")

#: Packages whose version may change the last digits of a result; no part of a key.
_NUMERICAL = ("numpy", "scipy", "scikit-learn", "numba")
#: Share of a data set's rows that are taken to be for training.
_TRAINING = 0.7
_GUESS = {"n_train": 2000, "n_features": 20, "n_classes": 5}


@dataclass(frozen=True)
class Item:
    """Item of a report: a run, or the choice among several, and its status."""

    run: Run  # or the method with the parameters that were chosen
    #: ``ok``, a failure, ``stale`` (there is a record, of other code or data), ``missing``, or
    #: ``skipped`` (the data or a package is absent).
    status: str
    reason: str  # why, in words; empty for ``ok`` and ``missing``

    def record(self) -> Record | None:
        """Return what is recorded; None if nothing is."""
        raise NotImplementedError


@dataclass(frozen=True)
class PlannedRun(Item):
    """A run and where it stands."""

    key: Key  # its data part is empty when the data is absent
    seconds: float  # what it took, or is expected to take
    path: Path | None  # of the record that counts; of a stale run the newest one that does not
    store: RecordStore
    #: Numerical libraries of which the record has other versions than there are here.
    versions: str = ""

    def row(self) -> dict[str, Any]:
        """Return where the run stands as flat, JSON-able values."""
        run = self.run
        return {
            "id": run.id,
            "dataset": run.dataset,
            "booster": run.method,
            "noise": run.noise.label,
            "seed": run.seed,
            "rounds": run.rounds,
            "status": self.status,
            "reason": self.reason,
            "seconds": round(self.seconds, 3),
            "key": str(self.key),
            "record": None if self.path is None else str(self.path),
            "versions": self.versions,
        }

    def record(self) -> Record | None:
        """Read the record that counts; None if there is none."""
        return None if self.path is None or self.status == "stale" else self.store.read(self.path)


@dataclass(frozen=True)
class Plan:
    """All runs of an experiment."""

    runs: tuple[PlannedRun, ...]  # in the order in which they should be done
    #: Where parameters are chosen: what the report is of, one for each method, data set, noise,
    #: seed and fold.
    chosen: tuple[Item, ...] | None = None
    #: Number of choices of parameters that are not made yet. More runs may follow.
    n_open: int = 0

    @property
    def results(self) -> tuple[Item, ...]:
        """Items of a report: the runs, or the choices among them."""
        return self.runs if self.chosen is None else self.chosen

    def counts(self) -> dict[str, int]:
        """Return the number of runs of each status that occurs."""
        counted = Counter(planned.status for planned in self.runs)
        return {status: counted[status] for status in STATUSES if counted[status]}

    def todo(
        self, *, retry: Collection[str] | None = None, fresh: bool = False
    ) -> tuple[PlannedRun, ...]:
        """Return the runs to do.

        Parameters
        ----------
        retry : collection of str or None, default=None
            Exactly the runs of these statuses; None: what is missing or stale.
        fresh : bool, default=False
            All runs whose data and packages are there.

        Raises
        ------
        BoostbenchError
            If ``retry`` holds a status that cannot be done again.
        """
        if fresh:
            return tuple(planned for planned in self.runs if planned.status != "skipped")
        for status in retry or ():
            if status not in (*FAILURES, "stale"):
                choices = ", ".join((*FAILURES, "stale"))
                raise BoostbenchError(
                    f"{status!r} cannot be done again; choose from {choices}", where="--retry"
                )
        wanted = ("missing", "stale") if retry is None else retry
        return tuple(planned for planned in self.runs if planned.status in wanted)

    def rows(self) -> list[dict[str, Any]]:
        """Return where each run stands, one flat JSON-able dict each, as for a DataFrame."""
        todo = {planned.run for planned in self.todo()}
        return [planned.row() | {"would_run": planned.run in todo} for planned in self.runs]

    def shard(self, index: int, count: int) -> Plan:
        """Return the ``index``-th of ``count`` parts, which share no run and leave none out."""
        mine = tuple(run for run in self.runs if int(run.key.value, 16) % count == index - 1)
        return replace(self, runs=mine)

    def skipped(self) -> dict[str, list[PlannedRun]]:
        """Return the runs that cannot be done here, by the reason."""
        found: dict[str, list[PlannedRun]] = {}
        for planned in self.runs:
            if planned.status == "skipped":
                found.setdefault(planned.reason, []).append(planned)
        return found


def make_plan(
    runs: Iterable[Run],
    store: RecordStore,
    data_dirs: Sequence[str | Path] = (),
    *,
    check_packages: bool = False,
    strict: bool = False,
) -> Plan:
    """Compare runs with the records there are.

    Parameters
    ----------
    runs : iterable of Run
    store : RecordStore
    data_dirs : sequence of path, default=()
    check_packages : bool, default=False
        Import the boosters, so that a run whose package is absent is skipped.
    strict : bool, default=False
        A record made with other versions of the numerical libraries does not count.

    Returns
    -------
    plan : Plan

    Notes
    -----
    A record counts for a run if value, code and data agree; one of more rounds does too, if the
    booster's first rounds do not depend on how many follow. Where the data is absent, as it may be
    on the machine that writes the report, the newest record of the same value and code counts.
    """
    planner = Planner(store, data_dirs, check_packages=check_packages, strict=strict)
    for run in runs:
        planner.find(run, store.summary)
    return Plan(planner.planned())


def check_data(planned: Iterable[PlannedRun], data_dirs: Sequence[str | Path] = ()) -> None:
    """Read the data of some runs once, before the first of them is trained.

    Raises
    ------
    ConfigError
        With what is wrong with each data set.
    """
    from boostbench.data import load, locate

    complaints = []
    for data in dict.fromkeys(each.run.data for each in planned):
        params = data.params.plain()
        try:
            if locate(data.name, params, data_dirs).kind != "generator":
                load(data.name, params, data_dirs)
        except DataError as error:
            complaints.append(error)
    if complaints:
        raise ConfigError(complaints)


def sample_of(plan: Plan, n: int) -> tuple[PlannedRun, ...]:
    """Return the runs to do so that n of each booster on each data set are done."""
    done = Counter((p.run.data, p.run.booster.name) for p in plan.runs if p.status == "ok")
    found = []
    for planned in plan.todo():
        kind = planned.run.data, planned.run.booster.name
        if done[kind] < n:
            done[kind] += 1
            found.append(planned)
    return tuple(found)


@dataclass(frozen=True)
class _Source:
    """Facts about a data set before it is read."""

    checksum: str
    reason: str  # why it is absent
    entry: DatasetEntry


@dataclass(frozen=True)
class _Found:
    """A record of a run; one that does not count has a reason."""

    path: Path
    record: Summary
    reason: str = ""


class Planner:
    """Compares runs with records, and looks everything up once for all runs.

    Parameters
    ----------
    store : RecordStore
    data_dirs : sequence of path, default=()
    check_packages, strict : bool, default=False
        See `make_plan`.
    """

    def __init__(
        self,
        store: RecordStore,
        data_dirs: Sequence[str | Path] = (),
        *,
        check_packages: bool = False,
        strict: bool = False,
    ) -> None:
        self.store = store
        self.data_dirs = tuple(data_dirs)
        self.check_packages = check_packages
        self.strict = strict
        self._found: dict[Run, _Found | None] = {}
        self._keys: dict[Run, Key] = {}
        self._sources: dict[Data, _Source] = {}
        self._packages: dict[str, str] = {}

    def find(self, run: Run, read: Callable[[Path], AnyRecord | None]) -> AnyRecord | None:
        """Return what ``read`` returns of the record that counts for a run, None if none does.

        A run is looked up once.
        """
        if run not in self._found:
            self._found[run] = self._look_up(run, read)
        found = self._found[run]
        return None if found is None or found.reason else cast("AnyRecord", found.record)

    def _look_up(self, run: Run, read: Callable[[Path], Summary | None]) -> _Found | None:
        key, found = self.key_of(run), None
        for path in reversed(self.store.find(run)):
            other = Key.of(path)
            if other.code != key.code or key.data not in ("", other.data):
                continue
            record = read(path)
            if record is not None and (other.rounds == run.rounds or record.nested_rounds):
                found = _Found(path, record, self._outdated(record))
                if not found.reason:
                    return found
        return found

    def _outdated(self, record: Summary) -> str:
        """Return what else changed since a record was made; empty if nothing did.

        A file that is not here, as on the machine that writes the report, is passed over.
        """
        for path, digest in record.inputs.items():
            if digest_of(path) not in ("", digest):
                return f"{path}, which it read, changed since it was done"
        others = other_versions(record) if self.strict else ""
        return f"it was done with {others}" if others else ""

    def planned(self) -> tuple[PlannedRun, ...]:
        """Return where the runs stand that were looked up, in that order."""
        counting = (found for found in self._found.values() if found and not found.reason)
        estimates = Estimates(found.record for found in counting)
        return tuple(self._planned(run, found, estimates) for run, found in self._found.items())

    def _planned(self, run: Run, found: _Found | None, estimates: Estimates) -> PlannedRun:
        key = self.key_of(run)
        if found is not None and not found.reason:
            record = found.record
            reason = record.why
            if not key.data:
                reason = reason or "the data is absent; the newest record counts"
            return PlannedRun(
                run,
                record.status,
                reason,
                Key.of(found.path),
                record.total_seconds,
                found.path,
                self.store,
                other_versions(record),
            )
        seconds = estimates.seconds(run.booster.name, run.data.name, self._work(run))
        absent = self._source(run).reason or self._absent_package(run.booster)
        if absent:
            return PlannedRun(run, "skipped", absent, key, seconds, None, self.store)
        others = [path for path in self.store.find(run) if _difference(Key.of(path), key)]
        if found is not None:
            path, reason = found.path, found.reason
        elif others:
            path, reason = others[-1], _difference(Key.of(others[-1]), key)
        else:
            return PlannedRun(run, "missing", "", key, seconds, None, self.store)
        return PlannedRun(run, "stale", reason, key, seconds, path, self.store)

    def key_of(self, run: Run) -> Key:
        """Return the key that a record of the run must have."""
        if run not in self._keys:
            source = self._source(run)
            code = code_of(run, source.entry.generator)
            self._keys[run] = Key(value_of(run), run.rounds, code, source.checksum[:8])
        return self._keys[run]

    def _source(self, run: Run) -> _Source:
        from boostbench.data import find_entry, locate

        if run.data not in self._sources:
            entry = find_entry(run.data.name, self.data_dirs)
            checksum, reason = "", ""
            try:
                located = locate(run.data.name, run.data.params.plain(), self.data_dirs)
                checksum = located.checksum
            except DataUnavailableError as error:
                reason = error.what
            self._sources[run.data] = _Source(checksum, reason, entry)
        return self._sources[run.data]

    def _work(self, run: Run) -> float:
        entry = self._source(run).entry
        split = run.split if isinstance(run.split, Params) else Params()
        n_train = min(
            entry.n_train or round((entry.n_rows or 0) * _TRAINING) or _GUESS["n_train"],
            split.get("max_train") or math.inf,
            _TRAINING * (split.get("max_rows") or math.inf),
        )
        n_fits = 1 if run.validation is None else run.validation["folds"] - 1  # in training sets
        return work(
            round(n_train) * n_fits,
            entry.n_features or _GUESS["n_features"],
            entry.n_classes or _GUESS["n_classes"],
            run.rounds,
        )

    def _absent_package(self, booster: BoosterSpec) -> str:
        """Return which package the booster lacks; empty if none, or if nobody asks."""
        name = booster.component
        if not self.check_packages:
            return ""
        if name not in self._packages:
            try:
                registry.boosters.get(name)
                self._packages[name] = ""
            except ModuleNotFoundError as error:
                self._packages[name] = (
                    f"booster {booster.name!r} needs the package {error.name!r}, which is not "
                    "installed"
                )
            except PluginError as error:
                self._packages[name] = error.what
        return self._packages[name]


def other_versions(summary: Summary) -> str:
    """Return the numerical libraries of which a record has other versions than there are here.

    Empty if there are none, as where this version of boostbench knows of no version.
    """
    pairs = ((name, summary.versions.get(name), _version(name)) for name in _NUMERICAL)
    return ", ".join(f"{name} {old} (here {new})" for name, old, new in pairs if old and old != new)


@cache
def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "absent"


def _difference(old: Key, new: Key) -> str:
    changed = [name for name in ("code", "data") if getattr(old, name) != getattr(new, name)]
    return f"the {' and the '.join(changed)} changed since it was done" if changed else ""
