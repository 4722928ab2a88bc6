"""Choosing parameters on validation errors (the key ``select``): a function of records alone.

Every run of a config's grid stands for a choice among the points of its booster's grid. The
protocol is that of "Multi-class deep boosting" (Sec. 6.2 of its reading) and SPLBoost (Sec. 9.4):

    1  every point of the grid is fitted; the errors of its staged predictions are counted
    2  the point (and number of rounds) of the fewest validation errors is kept; ties go by
       preference, then to the point listed first, then to fewer rounds
    3  where a value kept lies at an end of its range, the range grows there: from 1 again
    4  the test error of what was kept is reported

Points, and the fits of what was kept, are runs with records of their own. So runs are planned, done
and planned again until nothing is wanted; it does not matter when or by whom they were made.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boostbench.experiments.configs.config import Config
from boostbench.experiments.configs.grids import Grid, Point, points_of, with_point
from boostbench.experiments.configs.protocol import Reach, Select
from boostbench.experiments.planning.plans import Choice, PlannedRun, Result, Selected
from boostbench.experiments.runs import Axis, Run
from boostbench.experiments.store.record import FAILURES, SIZE_OF, Checkpoints, Record

#: Error counts after each round, of whole numbers of any size.
Errors = NDArray[Any]

_DIGITS = 12  # of a value that a range was extended by


def choose(
    grid: Grid,
    errors: Sequence[Errors | None],
    at: int,
    *,
    prefer: Mapping[str, str] = MappingProxyType({}),
    rounds: bool = False,
) -> Choice | None:
    """Keep the point of the fewest errors.

    Parameters
    ----------
    grid : tuple of Axis
    errors : sequence of (ndarray of shape (T,) or None)
        Of each point after each round; None for a point that could not be fitted.
    at : int
        Rounds to look at, at most T.
    prefer : mapping of name to {"smallest", "largest"}, default={}
        Decides among equals.
    rounds : bool, default=False
        Choose among all rounds up to ``at``.

    Returns
    -------
    choice : Choice or None
        None if no point could be fitted.
    """
    first = 0 if rounds else at - 1
    usable = {index: counts[first:at] for index, counts in enumerate(errors) if counts is not None}
    order = [index for index in _by_preference(grid, prefer) if index in usable]
    if not order:
        return None
    lowest = [usable[index].min() for index in order]
    best = min(lowest)
    index = order[lowest.index(best)]
    found = first + 1 + int(usable[index].argmin())
    return Choice(at, index, found, int(best), lowest.count(best))


def mean_errors(counts: Sequence[Errors | None], sizes: Sequence[int]) -> Errors | None:
    """Return whole numbers that are ordered as the mean error rates of several test parts are.

    None if one of the fits failed.
    """
    multiple = math.lcm(*sizes)
    parts = [(errors, n) for errors, n in zip(counts, sizes, strict=True) if errors is not None]
    if len(parts) < len(sizes):
        return None
    total: Errors = np.sum([c.astype(object) * (multiple // n) for c, n in parts], axis=0)
    return total


def extended(grid: Grid, kept: Iterable[Point], reaches: Mapping[str, Reach]) -> Grid:
    """Return the grid with a further value wherever a kept one lies at an end of its range.

    A parameter with one value alone has no range.
    """
    kept = list(kept)
    axes = []
    for place, axis in enumerate(grid):
        reach = reaches.get(axis.name)
        if reach is not None and len(axis.values) > 1:
            axis = _longer(axis, {point[place] for point in kept}, reach)
        axes.append(axis)
    return tuple(axes)


def groups_of(heads: Iterable[Run], rule: Select) -> list[list[Run]]:
    """Group the runs that share a grid, and with ``by: test`` the choice."""
    groups: dict[tuple[Any, ...], list[Run]] = {}
    for head in heads:
        seed = None if rule.by == "test" else head.seed
        place = (head.dataset, head.data, head.noise, head.method, head.rounds, seed)
        groups.setdefault(place, []).append(head)
    return list(groups.values())


class Selection:
    """The choice for runs that share a grid.

    Parameters
    ----------
    heads : list of Run
    config : Config
        With the key ``select``.
    read : callable
        Takes a run and the name of the curve that decides; returns the run's record with this curve
        alone, None if there is none. Whatever it is asked for is wanted.

    Attributes
    ----------
    grid : tuple of Axis
        As far as it reaches yet.
    trials : dict of Run to list of Run
        For each head, the points of the grid.
    choices : dict of Run to list of Choice, or None
        For each number of rounds that is looked at, if any point could be fitted; None as long as
        trials are to be done.
    """

    def __init__(
        self, heads: list[Run], config: Config, read: Callable[[Run, str], Record | None]
    ) -> None:
        assert config.select is not None
        self.heads = heads
        self.rule = config.select
        self.curve = "test_errors" if self.rule.by == "test" else "validation_errors"
        self._read = read
        self.rounds = heads[0].rounds
        #: For how many rounds a choice is made: each checkpoint, and at the end.
        before = [] if self.rule.rounds else [at for at in config.checkpoints if at < self.rounds]
        self.ats = (*before, self.rounds)
        self.grid = heads[0].booster.grid
        its_data = [entry for entry in config.datasets if entry.data.label == heads[0].dataset]
        self.choices = self._settle(self.rule.extend if all(e.extend for e in its_data) else {})
        for head, choices in (self.choices or {}).items():
            for choice in choices:
                self._look(self._fit_of(head, choice))

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
        return self._read(run, self.curve)

    def _trial(self, head: Run, point: Point) -> Run:
        run = replace(head, booster=with_point(replace(head.booster, grid=self.grid), point))
        if self.rule.folds is not None:
            return replace(run, validation=self.rule.folds, record=(), checkpoints=(), metrics=())
        return run

    def _fit_of(self, head: Run, choice: Choice) -> Run:
        """Return the run that gives the test error of a choice."""
        trial = self.trials[head][choice.index]
        return replace(
            trial,
            validation=None,
            record=head.record,
            checkpoints=head.checkpoints,
            metrics=head.metrics,
        )

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
        """Return error counts after each round and of how many; None after a failure."""
        record = self._look(run)
        if record is None or record.status != "ok":
            return None, 0
        counts = record.curve_at(self.curve, np.arange(1, self.rounds + 1))
        return counts, int(getattr(record, SIZE_OF[self.curve]))

    def tried(self) -> set[Run]:
        """Return the trials that no choice kept."""
        choices = self.choices or {}
        kept = {self._fit_of(head, choice) for head, its in choices.items() for choice in its}
        return {run for runs in self.trials.values() for run in runs} - kept

    def status(self, head: Run, planned: Mapping[Run, PlannedRun]) -> tuple[str, str]:
        """Return the status of the choice for one of the runs, and why, in words."""
        if self.choices is None:
            trials = [planned[run] for runs in self.trials.values() for run in runs]
            absent = [trial for trial in trials if trial.status == "skipped"]
            if absent:
                return "skipped", absent[0].reason
            n_open = sum(trial.status in ("missing", "stale") for trial in trials)
            what = f"{n_open} of {len(trials)} fits that the choice rests on are to be done"
            return "missing", what
        fits = [planned[self._fit_of(head, choice)] for choice in self.choices[head]]
        if not fits:
            trials = [planned[run] for run in self.trials[head]]
            return next((t.status, t.reason) for t in trials if t.status in FAILURES)
        worst = next((fit for fit in fits if fit.status != "ok"), fits[-1])
        if worst.status in ("missing", "stale"):
            return "missing", "what was chosen is to be fitted again"
        return worst.status, worst.reason

    def result(self, head: Run, planned: Mapping[Run, PlannedRun]) -> Result:
        """Read the record of what was kept, put together where it differs from T to T.

        After a number of rounds that was chosen, curves hold their value.
        """
        status, reason = self.status(head, planned)
        choices = (self.choices or {}).get(head)
        if not choices:
            return Result(head, status, reason)
        fits = [self._fit_of(head, choice) for choice in choices]
        booster = replace(fits[-1].booster, label=head.method)
        run = replace(fits[-1], booster=booster, rounds=head.rounds)
        records = [record for fit in fits if (record := planned[fit].record()) is not None]
        if len(records) < len(fits) or status != "ok":
            whole = len(records) == len(fits)
            return Result.read(run, status, reason, records[-1] if whole else None)
        if any("test_errors" not in record.curves for record in records):
            what = "other choices were packed: its record has the errors alone that decided"
            return Result(head, "missing", what)
        update: dict[str, Any] = {"at_checkpoints": _checkpoints(records, choices)}
        if len(choices) > 1 or choices[0].at != choices[0].rounds:
            update["curves"] = _joined(records, choices)
        record = records[-1].model_copy(update=update)
        return Result(run, status, reason, record, self._selected(head, choices, planned))

    def _selected(
        self, head: Run, choices: Sequence[Choice], planned: Mapping[Run, PlannedRun]
    ) -> Selected:
        trials = [planned[run] for run in self.trials[head]]
        folds = self.rule.folds["folds"] if self.rule.folds is not None else 1
        return Selected(
            self.grid,
            tuple(choices),
            n_points=len(trials),
            n_failed=sum(trial.status != "ok" for trial in trials),
            n_fits=len(trials) * folds,
            seconds=sum(trial.seconds for trial in trials),
        )


def _joined(records: Sequence[Record], choices: Sequence[Choice]) -> dict[str, NDArray[Any]]:
    """Return curves that up to each T are those of its choice, held after the rounds chosen."""
    begins = [0, *(choice.at for choice in choices[:-1])]
    rounds = [
        np.minimum(np.arange(begin, choice.at) + 1, choice.rounds)
        for begin, choice in zip(begins, choices, strict=True)
    ]
    return {
        name: np.concatenate([r.curve_at(name, at) for r, at in zip(records, rounds, strict=True)])
        for name in records[-1].curves
        if all(len(record.curves.get(name, ())) for record in records)
    }


def _checkpoints(records: Sequence[Record], choices: Sequence[Choice]) -> Checkpoints:
    joined: dict[str, Any] = {
        part: {
            at: values
            for record, choice in zip(records, choices, strict=True)
            for at, values in getattr(record.at_checkpoints, part).items()
            if int(at) == choice.at
        }
        for part in ("margins", "scores", "sample_weights")
    }
    for part in ("right", "confusion"):
        joined[part] = {}
        for record, choice in zip(records, choices, strict=True):
            kept = getattr(record.at_checkpoints, part)
            its = kept.get(str(min(choice.rounds, record.n_rounds)))
            if its is not None:
                joined[part][str(min(choice.at, records[-1].n_rounds))] = its
    return records[-1].at_checkpoints.model_copy(update=joined)


def _by_preference(grid: Grid, prefer: Mapping[str, str]) -> list[int]:
    places = {axis.name: place for place, axis in enumerate(grid)}
    rules = [
        (places[name], 1 if end == "smallest" else -1)
        for name, end in prefer.items()
        if name in places
    ]
    points = points_of(grid)
    return sorted(
        range(len(points)),
        key=lambda index: tuple(sign * points[index][place] for place, sign in rules),
    )


def _longer(axis: Axis, kept: set[Any], reach: Reach) -> Axis:
    smallest, largest = min(axis.values), max(axis.values)
    if reach.step is not None:
        below, above = smallest - reach.step, largest + reach.step
    else:
        assert reach.factor is not None
        below, above = smallest / reach.factor, largest * reach.factor
    ends_below = smallest in kept and below < smallest and _is_within(below, reach)
    smaller = [_rounded(below)] if ends_below else []
    larger = [_rounded(above)] if largest in kept and _is_within(above, reach) else []
    if axis.values[0] == largest:  # listed downwards
        return replace(axis, values=(*larger, *axis.values, *smaller))
    return replace(axis, values=(*smaller, *axis.values, *larger))


def _is_within(value: float, reach: Reach) -> bool:
    slack = 10.0 ** (1 - _DIGITS)
    low, high = reach.within
    return low * (1 - slack) <= value <= high * (1 + slack)


def _rounded(value: float) -> float:
    return value if isinstance(value, int) else float(f"{value:.{_DIGITS}g}")
