"""Plan a config's runs, including parameter selection.

Where nothing is chosen these are the runs of its grid. Where parameters are (the key ``select``),
every such run is a contest: the points of its booster's grid are runs with records of their own,
and a longer grid, or the fit of what was kept, follows from these. So runs are planned, done and
planned again until nothing is wanted; since a choice is a function of records alone, it does not
matter when or by whom they were made.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boostbench.experiments.configs.config import Config
from boostbench.experiments.configs.grids import points_of, with_point
from boostbench.experiments.configs.protocol import Select
from boostbench.experiments.planning.plan import Plan, PlannedRun, Planner, make_plan
from boostbench.experiments.planning.selection import (
    Choice,
    Errors,
    choose,
    extended,
    mean_errors,
)
from boostbench.experiments.runs import Run
from boostbench.experiments.store.record import FAILURES, Checkpoints, Record
from boostbench.experiments.store.records import RecordStore, StoredRecord

_CURVES = {"validation": "validation_errors", "folds": "validation_errors", "test": "test_errors"}
_SIZES = {"validation_errors": "n_validation", "test_errors": "n_test"}


@dataclass(frozen=True)
class Chosen:
    """Choice that a report shows for a method on one data set, noise, seed and fold.

    Attributes
    ----------
    run : Run
        With the parameters that were kept at the last round, under the label of the method.
    status, reason : str
        As of a `PlannedRun`.
    parts : tuple of (Choice, dict, PlannedRun)
        For each number of rounds that is looked at: the choice, the values kept, and the run that
        gives the test error.
    facts : dict
        What the choice was made from, for reports.
    """

    run: Run
    status: str
    reason: str
    parts: tuple[tuple[Choice, dict[str, Any], PlannedRun], ...]
    facts: dict[str, Any]

    def record(self) -> Record | None:
        """Return the record of what was kept, put together where it differs from T to T.

        ``selected`` tells the choices. After a number of rounds that was chosen, curves hold their
        value.
        """
        records = [planned.record() for _, _, planned in self.parts]
        if not records or any(record is None for record in records):
            return None
        found = [record for record in records if record is not None]
        if self.status != "ok":
            return found[-1]
        ends = [(choice.at, choice.rounds) for choice, _, _ in self.parts]
        joined: dict[str, Any] = {
            "at_checkpoints": _checkpoints(found, ends),
            "selected": {**self.facts, "choices": [self._told(*p) for p in self.parts]},
        }
        if len(ends) > 1 or ends[0][0] != ends[0][1]:
            joined["curves"] = _joined([record.curves for record in found], ends)
        return found[-1].model_copy(update=joined)

    def _told(self, choice: Choice, values: dict[str, Any], planned: PlannedRun) -> dict[str, Any]:
        return {
            "at": choice.at,
            "values": values,
            "rounds": choice.rounds,
            "errors": choice.errors,
            "n_ties": choice.n_ties,
        }


def plan_config(
    config: Config,
    heads: Iterable[Run],
    store: RecordStore,
    data_dirs: Sequence[str | Path] = (),
    *,
    check_packages: bool = False,
    strict: bool = False,
) -> Plan:
    """Compare what a config wants with the records there are.

    Parameters
    ----------
    config : Config
    heads : iterable of Run
        Those of `expand` that are asked for.
    store : RecordStore
    data_dirs : sequence of path, default=()
    check_packages, strict : bool, default=False
        See `make_plan`.

    Returns
    -------
    plan : Plan
    """
    if config.select is None:
        return make_plan(heads, store, data_dirs, check_packages=check_packages, strict=strict)
    planner = Planner(store, data_dirs, check_packages=check_packages, strict=strict)
    ledger = _Ledger(planner, _CURVES[config.select.way])
    contests = [_Contest(group, config, ledger) for group in _groups(heads, config.select)]
    planned = planner.planned(ledger.known)
    by_run = {each.run: each for each in planned}
    chosen = [contest.outcome(run, by_run) for contest in contests for run in contest.heads]
    n_open = sum(each.status == "missing" for each in chosen)
    return Plan(planned, tuple(chosen), n_open)


def _groups(heads: Iterable[Run], rule: Select) -> list[list[Run]]:
    """Put together what shares a grid, and with ``by: test`` the choice."""
    groups: dict[tuple[Any, ...], list[Run]] = {}
    for head in heads:
        seed = None if rule.by == "test" else head.seed
        place = (head.dataset, head.data, head.noise, head.method, head.rounds, seed)
        groups.setdefault(place, []).append(head)
    return list(groups.values())


class _Ledger:
    """Records of the runs that were asked about, in the order of asking."""

    def __init__(self, planner: Planner, curve: str) -> None:
        self.planner = planner
        self.curve = curve
        self.known: dict[Run, tuple[StoredRecord | None, Record | None]] = {}

    def look(self, run: Run) -> Record | None:
        """Return a run's record with the curve that decides alone."""
        if run not in self.known:
            read = self.planner.store.read_curve
            self.known[run] = self.planner.found(run, lambda path: read(path, self.curve))
        return self.known[run][1]

    def errors(self, run: Run, rounds: int) -> tuple[Errors, int] | None:
        """Return error counts after rounds 1 to ``rounds`` and of how many; None after a failure.

        A run that stopped early holds its last count.
        """
        record = self.look(run)
        if record is None or record.status != "ok":
            return None
        counts = record.curve(self.curve)
        held: Errors = counts[np.minimum(np.arange(rounds), len(counts) - 1)]
        return held, int(getattr(record, _SIZES[self.curve]))


class _Contest:
    """The choice for runs that share a grid.

    Attributes
    ----------
    heads : list of Run
    trials : dict of Run to list of Run
        The points of the grid, as far as it reaches yet.
    choices : dict of Run to list of (Choice or None), or None
        For each number of rounds that is looked at; None as long as trials are to be done. A
        choice is None if no point could be fitted.
    """

    def __init__(self, heads: list[Run], config: Config, ledger: _Ledger) -> None:
        assert config.select is not None
        self.heads = heads
        self.rule = config.select
        self.ledger = ledger
        self.rounds = heads[0].rounds
        self.ats = _looks(config, self.rounds)
        self.grid = heads[0].booster.grid
        self.reaches = self.rule.extend if _may_extend(config, heads[0]) else {}
        self.choices = self._settle()
        for head, choices in (self.choices or {}).items():
            for choice in choices:
                if choice is not None:
                    ledger.look(self.fit_of(head, choice))

    def _settle(self) -> dict[Run, list[Choice | None]] | None:
        while True:
            points = points_of(self.grid)
            self.trials = {head: [self._trial(head, p) for p in points] for head in self.heads}
            found = [self.ledger.look(run) for runs in self.trials.values() for run in runs]
            if any(record is None for record in found):
                return None
            choices = self._choose()
            kept = [points[c.index] for its in choices.values() for c in its if c is not None]
            longer = extended(self.grid, kept, self.reaches)
            if longer == self.grid:
                return choices
            self.grid = longer

    def _trial(self, head: Run, point: tuple[Any, ...]) -> Run:
        run = replace(head, booster=with_point(replace(head.booster, grid=self.grid), point))
        if self.rule.way == "folds":
            return replace(run, validation=self.rule.folds, record=(), checkpoints=())
        return run

    def fit_of(self, head: Run, choice: Choice) -> Run:
        """Return the run that gives the test error of a choice."""
        trial = self.trials[head][choice.index]
        return replace(trial, validation=None, record=head.record, checkpoints=head.checkpoints)

    def _choose(self) -> dict[Run, list[Choice | None]]:
        counted = {
            head: [self.ledger.errors(run, self.rounds) for run in runs]
            for head, runs in self.trials.items()
        }
        if self.rule.by != "test":
            return {
                head: self._of([None if found is None else found[0] for found in its])
                for head, its in counted.items()
            }
        means = [
            None
            if any(found is None for found in column)
            else mean_errors([f[0] for f in column if f], [f[1] for f in column if f])
            for column in zip(*counted.values(), strict=True)
        ]
        return dict.fromkeys(self.heads, self._of(means))

    def _of(self, errors: Sequence[Errors | None]) -> list[Choice | None]:
        rule = self.rule
        return [
            choose(self.grid, errors, at, prefer=rule.prefer, rounds=rule.rounds) for at in self.ats
        ]

    def outcome(self, head: Run, planned: dict[Run, PlannedRun]) -> Chosen:
        """Return what is to be shown of one of the runs."""
        trials = [planned[run] for run in self.trials[head]]
        everyone = [planned[run] for runs in self.trials.values() for run in runs]
        if self.choices is None:
            status, reason = _why_open(everyone)
            return Chosen(head, status, reason, (), {})
        kept = [choice for choice in self.choices[head] if choice is not None]
        if not kept:
            failure = next(trial for trial in trials if trial.status in FAILURES)
            return Chosen(head, failure.status, failure.reason, (), {})
        points = points_of(self.grid)
        names = [axis.name for axis in self.grid]
        parts = tuple(
            (
                choice,
                dict(zip(names, points[choice.index], strict=True)),
                planned[self.fit_of(head, choice)],
            )
            for choice in kept
        )
        last = parts[-1][2]
        run = replace(
            last.run, booster=replace(last.run.booster, label=head.method), rounds=head.rounds
        )
        worst = next((p for _, _, p in parts if p.status != "ok"), last)
        status, reason = worst.status, worst.reason
        if status in ("missing", "stale"):
            status, reason = "missing", "what was chosen is to be fitted again"
        return Chosen(run, status, reason, parts, self._facts(trials))

    def _facts(self, trials: Sequence[PlannedRun]) -> dict[str, Any]:
        folds = self.rule.folds["folds"] if self.rule.folds is not None else 1
        return {
            "by": self.rule.way,
            "grid": {axis.name: list(axis.values) for axis in self.grid},
            "n_points": len(trials),
            "n_failed": sum(trial.status != "ok" for trial in trials),
            "n_fits": len(trials) * folds,
            "seconds": sum(trial.seconds for trial in trials),
        }


def _may_extend(config: Config, head: Run) -> bool:
    return all(entry.extend for entry in config.datasets if entry.data.label == head.dataset)


def _looks(config: Config, rounds: int) -> tuple[int, ...]:
    """Return for how many rounds a choice is made: each checkpoint, and at the end."""
    assert config.select is not None
    if config.select.rounds:
        return (rounds,)
    return (*(at for at in config.checkpoints if at < rounds), rounds)


def _why_open(trials: Sequence[PlannedRun]) -> tuple[str, str]:
    absent = [trial for trial in trials if trial.status == "skipped"]
    if absent:
        return "skipped", absent[0].reason
    n_open = sum(trial.status in ("missing", "stale") for trial in trials)
    return "missing", f"{n_open} of {len(trials)} fits that the choice rests on are to be done"


def _joined(
    curves: Sequence[dict[str, NDArray[Any]]], ends: Sequence[tuple[int, int]]
) -> dict[str, NDArray[Any]]:
    """Return curves that up to each T are those of its choice, held after the rounds chosen."""
    begins = [0, *(at for at, _ in ends[:-1])]
    pieces = list(zip(curves, begins, ends, strict=True))
    return {
        name: np.concatenate(
            [
                its[name][np.minimum(np.arange(begin, at), min(rounds, len(its[name])) - 1)]
                for its, begin, (at, rounds) in pieces
            ]
        )
        for name in curves[-1]
        if all(len(its.get(name, ())) for its in curves)
    }


def _checkpoints(records: Sequence[Record], ends: Sequence[tuple[int, int]]) -> Checkpoints:
    joined: dict[str, Any] = {
        part: {
            at: values
            for record, (last, _) in zip(records, ends, strict=True)
            for at, values in getattr(record.at_checkpoints, part).items()
            if int(at) == last
        }
        for part in ("margins", "scores", "sample_weights")
    }
    joined["right"] = {}
    for record, (at, rounds) in zip(records, ends, strict=True):
        bits = record.at_checkpoints.right.get(str(min(rounds, record.n_rounds)))
        if bits is not None:
            joined["right"][str(min(at, records[-1].n_rounds))] = bits
    return records[-1].at_checkpoints.model_copy(update=joined)
