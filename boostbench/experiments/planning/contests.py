"""Plan a config's runs, including parameter selection.

Where nothing is chosen these are the runs of its grid. Where parameters are (the key ``select``),
every such run is a contest: the points of its booster's grid are runs with records of their own,
and a longer grid, or the fit of what was kept, follows from these. So runs are planned, done and
planned again until nothing is wanted; since a choice is a function of records alone, it does not
matter when or by whom they were made.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boostbench.experiments.configs.config import Config
from boostbench.experiments.configs.grids import points_of, with_point
from boostbench.experiments.configs.protocol import Reach, Select
from boostbench.experiments.planning.planner import Item, Plan, PlannedRun, Planner, make_plan
from boostbench.experiments.planning.selection import (
    Choice,
    Errors,
    choose,
    extended,
    mean_errors,
)
from boostbench.experiments.runs import Run
from boostbench.experiments.store.record import FAILURES, Checkpoints, Record
from boostbench.experiments.store.records import RecordStore

_CURVES = {"validation": "validation_errors", "folds": "validation_errors", "test": "test_errors"}
_COUNTED = {"validation_errors": "n_validation", "test_errors": "n_test"}


@dataclass(frozen=True)
class ChosenRun(Item):
    """Choice that a report shows for a method on one data set, noise, seed and fold.

    Its run has the parameters that were kept at the last round, under the label of the method.
    """

    #: For each number of rounds that is looked at: the choice, the values kept, and the run that
    #: gives the test error.
    parts: tuple[tuple[Choice, dict[str, Any], PlannedRun], ...] = ()
    #: What the choice was made from, for reports.
    facts: dict[str, Any] = field(default_factory=dict)

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
            "selected": {
                **self.facts,
                "choices": [{**asdict(c), "values": v} for c, v, _ in self.parts],
            },
        }
        if len(ends) > 1 or ends[0][0] != ends[0][1]:
            joined["curves"] = _joined([record.curves for record in found], ends)
        return found[-1].model_copy(update=joined)


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
    contests = [_Contest(group, config, planner) for group in _groups(heads, config.select)]
    planned = planner.planned()
    by_run = {each.run: each for each in planned}
    chosen = [contest.outcome(head, by_run) for contest in contests for head in contest.heads]
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


class _Contest:
    """The choice for runs that share a grid.

    Attributes
    ----------
    heads : list of Run
    grid : tuple of Axis
        As far as it reaches yet.
    trials : dict of Run to list of Run
        The points of the grid.
    choices : dict of Run to list of Choice, or None
        For each number of rounds that is looked at, if any point could be fitted; None as long as
        trials are to be done.
    """

    def __init__(self, heads: list[Run], config: Config, planner: Planner) -> None:
        assert config.select is not None
        self.heads = heads
        self.rule = config.select
        self.planner = planner
        self.curve = _CURVES[self.rule.way]
        self.rounds = heads[0].rounds
        self.ats = _looks(config, self.rounds)
        self.grid = heads[0].booster.grid
        self.choices = self._settle(self.rule.extend if _may_extend(config, heads[0]) else {})
        for head, choices in (self.choices or {}).items():
            for choice in choices:
                self._look(self.fit_of(head, choice))

    def _settle(self, reaches: Mapping[str, Reach]) -> dict[Run, list[Choice]] | None:
        while True:
            points = points_of(self.grid)
            self.trials = {head: [self._trial(head, p) for p in points] for head in self.heads}
            found = [self._look(run) for runs in self.trials.values() for run in runs]
            if any(record is None for record in found):
                return None
            choices = self._choose()
            kept = [points[choice.index] for its in choices.values() for choice in its]
            longer = extended(self.grid, kept, reaches)
            if longer == self.grid:
                return choices
            self.grid = longer

    def _look(self, run: Run) -> Record | None:
        """Return a run's record with the curve that decides alone."""
        read = self.planner.store.read_curve
        return self.planner.find(run, lambda path: read(path, self.curve))

    def _trial(self, head: Run, point: tuple[Any, ...]) -> Run:
        run = replace(head, booster=with_point(replace(head.booster, grid=self.grid), point))
        if self.rule.way == "folds":
            return replace(run, validation=self.rule.folds, record=(), checkpoints=())
        return run

    def fit_of(self, head: Run, choice: Choice) -> Run:
        """Return the run that gives the test error of a choice."""
        trial = self.trials[head][choice.index]
        return replace(trial, validation=None, record=head.record, checkpoints=head.checkpoints)

    def _choose(self) -> dict[Run, list[Choice]]:
        counts = {head: [self._errors(run) for run in runs] for head, runs in self.trials.items()}
        if self.rule.by == "test":
            sizes = [next((n for _, n in its if n), 0) for its in counts.values()]
            columns = zip(*([errors for errors, _ in its] for its in counts.values()), strict=True)
            means = [mean_errors(column, sizes) for column in columns]
            return dict.fromkeys(self.heads, self._choices(means))
        return {head: self._choices([errors for errors, _ in its]) for head, its in counts.items()}

    def _choices(self, errors: Sequence[Errors | None]) -> list[Choice]:
        prefer, rounds = self.rule.prefer, self.rule.rounds
        found = (choose(self.grid, errors, at, prefer=prefer, rounds=rounds) for at in self.ats)
        return [choice for choice in found if choice is not None]

    def _errors(self, run: Run) -> tuple[Errors | None, int]:
        """Return error counts after each round and of how many; None after a failure.

        A run that stopped early holds its last count.
        """
        record = self._look(run)
        if record is None or record.status != "ok":
            return None, 0
        counts = record.curve(self.curve)
        held: Errors = counts[np.minimum(np.arange(self.rounds), len(counts) - 1)]
        return held, int(getattr(record, _COUNTED[self.curve]))

    def outcome(self, head: Run, planned: dict[Run, PlannedRun]) -> ChosenRun:
        """Return what is to be shown of one of the runs."""
        trials = [planned[run] for run in self.trials[head]]
        everyone = [planned[run] for runs in self.trials.values() for run in runs]
        if self.choices is None:
            status, reason = _why_open(everyone)
            return ChosenRun(head, status, reason)
        kept = self.choices[head]
        if not kept:
            failure = next(trial for trial in trials if trial.status in FAILURES)
            return ChosenRun(head, failure.status, failure.reason)
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
        return ChosenRun(run, status, reason, parts, self._facts(trials))

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
