"""Plans: the runs of an experiment, the status of each, and its result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.grids import Grid, points_of
from boostbench.experiments.runs import Params, Run
from boostbench.experiments.store.identity import Key
from boostbench.experiments.store.record import FAILURES, Record, Summary
from boostbench.experiments.store.records import Found, RecordStore
from boostbench.experiments.store.versions import other_versions

#: All statuses of a planned run, in the order in which they are listed.
STATUSES = ("ok", *FAILURES, "stale", "missing", "skipped")


@dataclass(frozen=True)
class Choice:
    """Choice of a point of a grid."""

    at: int  # for ensembles of up to, or (unless rounds are chosen) of just so many rounds
    index: int  # which point, in the order of `points_of`
    rounds: int  # how many are used
    errors: int  # what decided
    n_ties: int  # points that reach the same, this one among them


@dataclass(frozen=True)
class Selected:
    """The choices behind a result, and what they took."""

    grid: Grid  # as far as it reaches
    choices: tuple[Choice, ...]  # by `at`
    n_points: int
    n_failed: int  # points that could not be fitted
    n_fits: int
    seconds: float

    def values(self, choice: Choice) -> dict[str, Any]:
        """Return the values of parameters that were kept, by name."""
        names = (axis.name for axis in self.grid)
        return dict(zip(names, points_of(self.grid)[choice.index], strict=True))


@dataclass(frozen=True, slots=True)
class Result:
    """A run, or the choice among several, and its record.

    The run of a choice has the parameters that were kept at the last round, under the label of the
    method; its record is put together of several where the choices differ.
    """

    run: Run
    status: str  # "ok", or why there is no result: "failed", "timeout", "missing" ...
    reason: str = ""  # the same in words, or a remark on a result
    record: Record | None = None  # also of a run that failed
    selected: Selected | None = None  # of a choice whose fits are done

    @classmethod
    def of(cls, record: Record) -> Result:
        """Return the result that a record holds, under the plain names of data set and booster."""
        return cls(record.run, record.status, record.why, record)

    @classmethod
    def read(cls, run: Run, status: str, reason: str, record: Record | None) -> Result:
        """Return the result of a planned run; a damaged record counts as missing."""
        if record is None and status == "ok":
            return cls(run, "missing", "its record is damaged")
        return cls(run, status, reason, record)

    @property
    def ok(self) -> bool:
        """True if there are error curves."""
        return self.status == "ok" and self.record is not None

    @property
    def reported_reason(self) -> str:
        """The reason as reports have it: of a skipped run without the folders of this machine."""
        return self.reason.partition(": ")[0] if self.status == "skipped" else self.reason

    @property
    def noise(self) -> str:
        """The noise in words, with its own parameters."""
        return self.run.noise.full_label

    @property
    def noise_rate(self) -> float:
        """The rate, also where the problem drew it; NaN if that is not known yet."""
        rate = self.run.noise.rate
        if isinstance(rate, str):
            noise = None if self.record is None else self.record.noise
            return np.nan if noise is None else noise.rate
        return float(rate)

    @property
    def fold(self) -> int:
        """Fold that is the test part; 0 if the split has no folds."""
        split = self.run.split
        return int(split.get("fold", 0)) if isinstance(split, Params) else 0

    @property
    def stopped_at(self) -> int | None:
        """The last round of a run that stopped early, else None."""
        if self.record is None or not self.ok or self.record.n_rounds >= self.run.rounds:
            return None
        return self.record.n_rounds


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """A run and its status."""

    run: Run
    #: ``ok``, a failure, ``stale`` (there is a record, of other code or data), ``missing``, or
    #: ``skipped`` (the data or a package is absent).
    status: str
    reason: str  # why, in words; empty for ``ok`` and ``missing``
    key: Key  # its data part is empty when the data is absent
    seconds: float  # what it took, or is expected to take
    store: RecordStore
    found: Found | None = None  # the record that counts; of a stale run the newest that does not
    #: Numerical libraries of which the record has other versions than there are here.
    versions: str = ""
    #: True if no run of the booster on the data set is done, so that ``seconds`` is a guess.
    is_guess: bool = False

    @classmethod
    def of(
        cls, record: Summary, found: Found, store: RecordStore, run: Run | None = None
    ) -> PlannedRun:
        """Return a run that has a record; by default the record's own run."""
        return cls(
            record.run if run is None else run,
            record.status,
            record.why,
            found.key,
            record.total_seconds,
            store,
            found,
            other_versions(record),
        )

    @property
    def path(self) -> Path | None:
        """The file of the record, None if there is none."""
        return self.found and self.found.path

    def row(self) -> dict[str, Any]:
        """Return the run and its status as flat, JSON-able values."""
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

    def record(self, curve: str | None = None) -> Record | None:
        """Read the record that counts, or one curve of it alone; None if there is none."""
        path = self.path
        if path is None or self.status == "stale":
            return None
        return self.store.read_curve(path, curve) if curve else self.store.read(path)

    def result(self, record: Record | None) -> Result:
        """Return the run with its record."""
        return Result.read(self.run, self.status, self.reason, record)


@dataclass(frozen=True)
class Plan:
    """All runs of an experiment."""

    runs: tuple[PlannedRun, ...]  # in the order in which they should be done
    #: Gives the results, of the runs or of the choices of parameters: one for each method, data
    #: set, noise, seed and fold. None: each is read from the record of its run.
    read_results: Callable[[], list[Result]] | None = None
    #: Number of choices of parameters that are not made yet. More runs may follow.
    n_open: int = 0
    #: Runs that were tried and not kept by any choice, and the curve that decided.
    tried: Mapping[Run, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Plan({len(self.runs)} runs: {self.counts()})"

    @classmethod
    def of(cls, store: RecordStore) -> Plan:
        """Return the runs of all records of a folder, of whatever config and code.

        Raises
        ------
        BoostbenchError
            If there are no records.
        """
        if not store.folder.is_dir():
            raise BoostbenchError(
                "there are no records here; `boostbench run CONFIG` makes some, --results names "
                "another folder",
                where=str(store.folder.parent),
            )
        found = [(store.summary(path), path) for path in store.all_paths()]
        store.keep_summaries()
        return cls(tuple(PlannedRun.of(r, Found.of(p), store) for r, p in found if r is not None))

    def results(self) -> list[Result]:
        """Read the results that a report shows: of the runs, or of the choices among them."""
        if self.read_results is not None:
            return self.read_results()
        return [each.result(each.record()) for each in self.runs]

    def records(self, *, whole: bool = True) -> Iterator[tuple[Run, Record]]:
        """Read the runs that have a record.

        Unless ``whole``, a trial that no choice kept has only the errors that decided. If it is the
        same as a run that was kept, under another label, that one comes later.
        """
        tried = {} if whole else self.tried
        for planned in sorted(self.runs, key=lambda planned: planned.run not in tried):
            record = planned.record(tried.get(planned.run))
            if record is not None:
                yield planned.run, record

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

    def sample(self, n: int) -> tuple[PlannedRun, ...]:
        """Return the runs to do so that n of each booster on each data set are done."""
        done = Counter((p.run.data, p.run.booster.name) for p in self.runs if p.status == "ok")
        found = []
        for planned in self.todo():
            kind = planned.run.data, planned.run.booster.name
            if done[kind] < n:
                done[kind] += 1
                found.append(planned)
        return tuple(found)

    def rows(self) -> list[dict[str, Any]]:
        """Return each run with its status as a flat, JSON-able dict, as for a DataFrame."""
        todo = {planned.run for planned in self.todo()}
        return [planned.row() | {"would_run": planned.run in todo} for planned in self.runs]

    def shard(self, index: int, count: int) -> Plan:
        """Return the ``index``-th of ``count`` parts, which share no run and leave none out."""
        mine = tuple(run for run in self.runs if int(run.key.value, 16) % count == index - 1)
        return replace(self, runs=mine)

    def groups(self) -> dict[tuple[str, str, str], list[PlannedRun]]:
        """Return the runs by data set, status and reason."""
        found: dict[tuple[str, str, str], list[PlannedRun]] = {}
        for planned in self.runs:
            place = (planned.run.dataset, planned.status, planned.reason)
            found.setdefault(place, []).append(planned)
        return found

    def skipped(self) -> dict[str, list[PlannedRun]]:
        """Return the runs that cannot be done here, by the reason."""
        found: dict[str, list[PlannedRun]] = {}
        for planned in self.runs:
            if planned.status == "skipped":
                found.setdefault(planned.reason, []).append(planned)
        return found
