"""Plans: the runs of an experiment with their statuses and results."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.entries import Grid
from boostbench.experiments.runs import Params, Run
from boostbench.experiments.store.identity import Key
from boostbench.experiments.store.record import FAILURES, Record
from boostbench.experiments.store.records import RecordStore

if TYPE_CHECKING:
    from boostbench.experiments.planning.selection import Selection

#: All statuses of a planned run, in display order.
STATUSES = ("ok", *FAILURES, "stale", "missing", "skipped")


@dataclass(frozen=True)
class Choice:
    """The selected point of a grid."""

    at: int  # largest number of rounds considered; the only one unless rounds are selected
    index: int  # index of the point in the order of `points_of`
    values: Mapping[str, Any]  # its parameter values by name
    rounds: int  # selected number of rounds


@dataclass(frozen=True)
class Selected:
    """The selection behind a result."""

    grid: Grid  # with all extensions
    choices: tuple[Choice, ...]  # ordered by `at`
    trials: tuple[PlannedRun, ...]  # one for each point of the grid
    n_fits: int  # several of each trial in a cross-validation


@dataclass(frozen=True, slots=True)
class Result:
    """A run, or a selection among several runs, and its record.

    The run of a selection has the parameters selected for the last round and the label of the
    method. Its record combines several records if the selected parameters vary with the rounds.
    """

    run: Run
    status: str  # one of `STATUSES`
    reason: str = ""  # explanation of the status, or a remark on a result
    record: Record | None = None  # present for failed runs too
    selected: Selected | None = None  # present for a complete selection

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
        """The reason as shown in reports: without folder names of this machine."""
        return self.reason.partition(": ")[0] if self.status == "skipped" else self.reason

    @property
    def noise(self) -> str:
        """Label of the noise, with its parameters."""
        return self.run.noise.full_label

    @property
    def noise_rate(self) -> float:
        """Noise rate; if drawn by the generator, from the record, or NaN without a record."""
        rate = self.run.noise.rate
        if isinstance(rate, str):
            noise = None if self.record is None else self.record.noise
            return np.nan if noise is None else noise.rate
        return float(rate)

    @property
    def fold(self) -> int:
        """Index of the test fold; 0 if the split has no folds."""
        split = self.run.split
        return int(split.get("fold", 0)) if isinstance(split, Params) else 0

    @property
    def stopped_at(self) -> int | None:
        """Last round of a run that stopped early; None for other runs."""
        if self.record is None or not self.ok or self.record.n_rounds >= self.run.rounds:
            return None
        return self.record.n_rounds


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """A run and its status."""

    run: Run
    #: ``ok``, a failure, ``stale`` (the record is of other code or data), ``missing`` (there is no
    #: record) or ``skipped`` (the data or a package is absent).
    status: str
    reason: str  # explanation of the status; empty for ``missing``
    key: Key  # of a run of the present code; with an empty data part if the data is absent
    seconds: float | None  # measured time; None without a valid record
    store: RecordStore
    recorded: Key | None = None  # of the valid record, or the newest of a stale run
    #: Numerical libraries whose installed version differs from that of the record.
    versions: str = ""

    @property
    def path(self) -> Path | None:
        """File of the record; None without a record."""
        key = self.recorded
        return None if key is None else self.store.path_of(self.run.data.name, key)

    def record(self) -> Record | None:
        """Read the valid record; None without one."""
        return None if self.status == "stale" else self.old_record()

    def old_record(self) -> Record | None:
        """Read the record, valid or not; None without one."""
        return None if self.path is None else self.store.read(self.path)


@dataclass(frozen=True)
class Plan:
    """All runs of an experiment."""

    runs: tuple[PlannedRun, ...]  # in the order of execution
    #: Selections of parameters that require the runs. Without any, each run has a result.
    selections: Sequence[Selection] = ()

    def __repr__(self) -> str:
        return f"Plan({len(self.runs)} runs: {self.counts()})"

    def results(
        self, keep: Callable[[Run, Record], Record] = lambda _, record: record
    ) -> list[Result]:
        """Read the results of the runs, or of the selections among them, reduced by ``keep``."""
        found = (Result.read(p.run, p.status, p.reason, p.record()) for p in self.runs)
        if self.selections:
            found = (each.result(head) for each in self.selections for head in each.heads)
        return [
            each if each.record is None else replace(each, record=keep(each.run, each.record))
            for each in found
        ]

    @property
    def n_open(self) -> int:
        """Number of incomplete selections, which may require further runs."""
        statuses = (each.status(head)[0] for each in self.selections for head in each.heads)
        return sum(status == "missing" for status in statuses)

    def records(self) -> Iterator[tuple[Run, Record]]:
        """Yield the runs that have a valid record, with their records.

        Records of trials that were not selected hold only the errors that were compared. They come
        first, so that they do not replace the record of an equal run with another label.
        """
        selected = {run for each in self.selections for run in each.selected()}
        tried = {run: each for each in self.selections for run in {*each.tried()} - selected}
        for planned in sorted(self.runs, key=lambda planned: planned.run not in tried):
            if (record := planned.record()) is not None:
                selection = tried.get(planned.run)
                yield planned.run, selection.compared(record) if selection else record

    def counts(self) -> dict[str, int]:
        """Return the number of runs of each status that occurs."""
        numbers = Counter(planned.status for planned in self.runs)
        return {status: numbers[status] for status in STATUSES if numbers[status]}

    def todo(self, *, retry: Collection[str] = (), fresh: bool = False) -> tuple[PlannedRun, ...]:
        """Return the runs to execute.

        Parameters
        ----------
        retry : collection of str, default=()
            Select the runs with these statuses. By default, missing and stale runs are selected.
        fresh : bool, default=False
            Select all runs that are not skipped, whatever ``retry`` holds.

        Raises
        ------
        BoostbenchError
            If ``retry`` holds a status other than a failure or ``stale``.
        """
        known = *FAILURES, "stale"
        for status in retry:
            if status not in known:
                what = f"cannot retry status {status!r}; choose from {', '.join(known)}"
                raise BoostbenchError(what, where="--retry")
        wanted = {*STATUSES} - {"skipped"} if fresh else retry or ("missing", "stale")
        return tuple(planned for planned in self.runs if planned.status in wanted)

    def rows(self) -> list[dict[str, Any]]:
        """Return each run with its status as a flat, JSON-able dict."""
        return [
            {
                "id": each.run.id,
                "dataset": each.run.dataset,
                "booster": each.run.method,
                "noise": each.run.noise.label,
                "seed": each.run.seed,
                "rounds": each.run.rounds,
                "status": each.status,
                "reason": each.reason,
                "seconds": each.seconds and round(each.seconds, 3),
                "key": str(each.key),
                "record": each.path and str(each.path),
                "versions": each.versions,
                "would_run": each.status in ("missing", "stale"),
            }
            for each in self.runs
        ]

    def shard(self, part: str) -> Plan:
        """Return a part of the runs; ``"i/n"`` is the i-th, from 1, of n to which they are dealt.

        The runs are dealt in the order of their keys, whether they are done or not, so that the
        sizes of the parts differ by at most one, and machines with other records agree.

        Raises
        ------
        BoostbenchError
            If ``part`` is no shard.
        """
        match = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", str(part))
        index, count = map(int, match.groups()) if match else (0, 0)
        if not 1 <= index <= count:
            what = f"{str(part)[:40]!r} is not a shard; write i/n with 1 <= i <= n, for example 2/8"
            raise BoostbenchError(what, where="--shard")
        dealt = sorted(self.runs, key=lambda planned: (planned.key.value, planned.key.rounds))
        own = {planned.run for planned in dealt[index - 1 :: count]}
        return replace(self, runs=tuple(planned for planned in self.runs if planned.run in own))

    def skipped(self) -> dict[str, int]:
        """Return the number of skipped runs by reason."""
        return Counter(planned.reason for planned in self.runs if planned.status == "skipped")
