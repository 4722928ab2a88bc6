"""Selection of parameters by validation errors (the key ``select``), from records alone.

A run of a booster with a grid, the head of a selection, stands for the selection of a point of the
grid. The protocol follows "Multi-class deep boosting" (Sec. 6.2 of its reading) and SPLBoost
(Sec. 9.4):

    1  fit every point of the grid, and count the errors of its staged predictions
    2  select the point (and the number of rounds) with the fewest validation errors; break ties by
       preference, then by the order of the points, then by fewer rounds
    3  if a selected value is at an end of its range, extend the range at that end and go to step 1
    4  report the test error of the selected point

Trials of points and fits of selected points are runs with records. They are planned, executed and
planned again until no run is missing. The result does not depend on when or where they were
executed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boostbench.experiments.configs.config import Config, Reach, Select
from boostbench.experiments.configs.entries import Grid, Point, points_of, with_point
from boostbench.experiments.planning.plans import Choice, PlannedRun, Result, Selected
from boostbench.experiments.runs import Axis, Run
from boostbench.experiments.store.record import FAILURES, SIZE_OF, Record
from boostbench.quantities import QUANTITIES

#: Error counts after each round, as integers of any size.
Errors = NDArray[Any]

_DIGITS = 12  # significant digits of values added to a range


def choose(grid: Grid, errors: Sequence[Errors | None], at: int, rule: Select) -> Choice | None:
    """Select the point with the fewest errors and, by some rules, a number of rounds up to ``at``.

    Parameters
    ----------
    grid : tuple of Axis
    errors : sequence of (ndarray of shape (T,) or None)
        Errors of each point after each round; None for a point that could not be fitted.
    at : int
        Number of rounds, at most T.
    rule : Select
        Says whether rounds are selected too, and which values are preferred among ties.

    Returns
    -------
    choice : Choice or None
        None if no point could be fitted.
    """
    first = 0 if rule.rounds else at - 1
    usable = {index: counts[first:at] for index, counts in enumerate(errors) if counts is not None}
    if not usable:
        return None
    best = min(counts.min() for counts in usable.values())
    tied = [index for index, counts in usable.items() if counts.min() == best]
    points = points_of(grid)
    signs = {n: 1 if end == "smallest" else -1 for n, end in rule.prefer.items() if n in points[0]}
    index = min(tied, key=lambda place: [sign * points[place][n] for n, sign in signs.items()])
    return Choice(at, index, points[index], first + 1 + int(usable[index].argmin()))


def mean_errors(trials: Sequence[tuple[Errors | None, int]]) -> Errors | None:
    """Return integers proportional to the mean error rates on test parts of the given sizes.

    None if one of the fits failed.
    """
    multiple = math.lcm(*(n for _, n in trials))
    parts = [errors.astype(object) * (multiple // n) for errors, n in trials if errors is not None]
    return np.sum(parts, axis=0) if len(parts) == len(trials) else None


def extended(grid: Grid, selected: Sequence[Point], reaches: Mapping[str, Reach]) -> Grid:
    """Return the grid, with a further value at each end of a range where a selected value is.

    Parameters with a single value have no range.
    """
    return tuple(
        _longer(axis, {point[axis.name] for point in selected}, reaches[axis.name])
        if axis.name in reaches and len(axis.values) > 1
        else axis
        for axis in grid
    )


def groups_of(heads: Iterable[Run], rule: Select) -> list[list[Run]]:
    """Group the runs that share a grid: the folds of a seed or, with ``by: test``, of all seeds."""
    groups: dict[tuple[Any, ...], list[Run]] = {}
    for head in heads:
        seed = None if rule.by == "test" else head.seed
        group = (head.dataset, head.data, head.noise, head.method, head.rounds, seed)
        groups.setdefault(group, []).append(head)
    return list(groups.values())


@dataclass(eq=False)
class Selection:
    """The selection of parameters for runs that share a grid.

    Parameters
    ----------
    heads : list of Run
    config : Config
        With the key ``select``.
    find : callable
        Takes a run and returns it with its status. Every run it is called with is required.
    of_any_seed : dict
        Trials made so far, shared with the selections of other seeds.

    Attributes
    ----------
    grid : tuple of Axis
        With the extensions made so far.
    trials : dict of Run to list of Run
        For each head, the runs of the points of the grid.
    choices : dict of Run to list of Choice, or None
        For each head, a choice for each number of rounds in ``ats``, unless no point could be
        fitted. None while trials are missing.
    """

    heads: list[Run]
    config: Config
    find: Callable[[Run], PlannedRun]
    of_any_seed: dict[tuple[Any, ...], Run]

    def __post_init__(self) -> None:
        head, config = self.heads[0], self.config
        assert config.select is not None
        self.rule = config.select
        self.curve = "test_errors" if self.rule.by == "test" else "validation_errors"
        #: Errors of each trial after each round, and size of the sample; (None, 0) after a failure.
        self._found: dict[Run, tuple[Errors | None, int]] = {}
        #: Numbers of rounds to select parameters for: the checkpoints and the last round.
        before = [] if self.rule.rounds else [at for at in config.checkpoints if at < head.rounds]
        self.ats = (*before, head.rounds)
        self.grid = head.booster.grid
        entries = [entry for entry in config.datasets if entry.data.label == head.dataset]
        self.choices = self._select(self.rule.extend if all(e.extend for e in entries) else {})
        for run in self.selected():
            self.find(run)

    def _select(self, reaches: Mapping[str, Reach]) -> dict[Run, list[Choice]] | None:
        """Select points, extending the grid as needed; None if a trial is missing."""
        while True:
            points = points_of(self.grid)
            self.trials = {head: [self._trial(head, p) for p in points] for head in self.heads}
            if sum(not self._has_record(run) for run in self.tried()):  # of all: each is planned
                return None
            choices = self._choose()
            selected = [choice.values for of_head in choices.values() for choice in of_head]
            longer = extended(self.grid, selected, reaches)
            if longer == self.grid:
                return choices
            self.grid = longer

    def _trial(self, head: Run, point: Point) -> Run:
        like = head.around_seed, head.dataset, head.method, head.rounds, str(point)
        if like not in self.of_any_seed:
            booster = with_point(replace(head.booster, grid=self.grid), point)
            run, folds = replace(head, booster=booster), self.rule.folds
            if folds is not None:
                run = replace(run, validation=folds, record=(), checkpoints=(), metrics=())
            self.of_any_seed[like] = run
        return self.of_any_seed[like].with_seed(head.seed)

    def _fit_of(self, head: Run, choice: Choice) -> Run:
        """Return the run whose test error a choice reports."""
        trial = self.trials[head][choice.index]
        return trial if self.rule.folds is None else replace(head, booster=trial.booster)

    def _choose(self) -> dict[Run, list[Choice]]:
        found = {head: [self._found[run] for run in runs] for head, runs in self.trials.items()}
        if self.rule.by == "test":
            means = [mean_errors(trials) for trials in zip(*found.values(), strict=True)]
            return dict.fromkeys(self.heads, self._choices(means))
        return {head: self._choices([errors for errors, _ in t]) for head, t in found.items()}

    def _choices(self, errors: Sequence[Errors | None]) -> list[Choice]:
        choices = (choose(self.grid, errors, at, self.rule) for at in self.ats)
        return [choice for choice in choices if choice is not None]

    def _has_record(self, run: Run) -> bool:
        """Return whether a trial has a record; keep what the selection needs of it."""
        if run not in self._found and (record := self.find(run).record()) is not None:
            found: tuple[Errors | None, int] = None, 0
            if record.status == "ok":
                errors = record.curve_at(self.curve, np.arange(1, run.rounds + 1))
                is_left_out = np.isnan(errors)  # in a packed record
                if not self.rule.rounds and is_left_out[[at - 1 for at in self.ats]].any():
                    return False
                errors = np.where(is_left_out, np.inf, errors) if is_left_out.any() else errors
                found = errors, int(getattr(record, SIZE_OF[self.curve]))
            self._found[run] = found
        return run in self._found

    def tried(self) -> list[Run]:
        """Return the trials."""
        return [run for runs in self.trials.values() for run in runs]

    def compared(self, record: Record) -> Record:
        """Return the record of a trial with only the errors that decide whether it is selected.

        Where rounds are selected too, these are the errors that are lower than all before.
        """
        if record.status != "ok":
            return record
        errors, zero = record.curves[self.curve], record.round_zero[self.curve]
        if self.rule.rounds and self.rule.by != "test":  # which compares means of several trials
            fewest = np.fmin.accumulate(np.concatenate([[np.inf], errors[:-1]]))
            errors = np.where(errors < fewest, errors, np.nan)
        part = {"curves": {self.curve: errors}, "round_zero": {self.curve: zero}}
        return record.model_copy(update={**part, "at_checkpoints": {}})

    def selected(self) -> list[Run]:
        """Return the runs whose test errors are reported, one for each choice."""
        choices = (self.choices or {}).items()
        return [self._fit_of(head, choice) for head, of_head in choices for choice in of_head]

    def status(self, head: Run) -> tuple[str, str]:
        """Return the status of the selection for a head, and its explanation."""
        if self.choices is None:
            tried = self.tried()
            for trial in map(self.find, tried):
                if trial.status == "skipped":
                    return "skipped", trial.reason
            n_open = sum(run not in self._found for run in tried)
            return "missing", f"{n_open} of {len(tried)} fits needed for the selection are missing"
        fits = [self.find(self._fit_of(head, choice)) for choice in self.choices[head]]
        if not fits:  # with `by: test`, maybe because of trials of other seeds or folds alone
            trials = map(self.find, (*self.trials[head], *self.tried()))
            return next((t.status, t.reason) for t in trials if t.status in FAILURES)
        worst = next((fit for fit in fits if fit.status != "ok"), fits[-1])
        if worst.status in ("missing", "stale"):
            return "missing", "the selected parameters must be refitted"
        return worst.status, worst.reason

    def result(self, head: Run) -> Result:
        """Read the record of the selected fits, combined if they vary with the rounds.

        Curves are constant after the selected number of rounds.
        """
        status, reason = self.status(head)
        if not (choices := (self.choices or {}).get(head)):
            return Result(head, status, reason)
        fits = [self._fit_of(head, choice) for choice in choices]
        run = replace(fits[-1], booster=replace(fits[-1].booster, label=head.method))
        records = [record for fit in fits if (record := self.find(fit).record()) is not None]
        record = records[-1] if len(records) == len(fits) else None
        if record is None or status != "ok":
            return Result.read(run, status, reason, record)
        if any("test_errors" not in record.curves for record in records):
            what = "the packed record of this selection holds only the errors that were compared"
            return Result(head, "missing", what)
        update: dict[str, Any] = {"at_checkpoints": _checkpoints(records, choices)}
        if len(choices) > 1 or choices[0].at != choices[0].rounds:
            update["curves"] = _joined(records, choices)
        trials = tuple(map(self.find, self.trials[head]))
        n_fits = len(trials) * (1 if self.rule.folds is None else self.rule.folds["folds"])
        selected = Selected(self.grid, tuple(choices), trials, n_fits)
        return Result(run, status, reason, record.model_copy(update=update), selected)


def _joined(records: Sequence[Record], choices: Sequence[Choice]) -> dict[str, NDArray[Any]]:
    """Return curves that follow each choice up to its ``at``, constant after its ``rounds``."""
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


def _checkpoints(records: Sequence[Record], choices: Sequence[Choice]) -> dict[str, Any]:
    parts = [each for each in QUANTITIES.values() if each.at_checkpoints]
    joined: dict[str, dict[str, Any]] = {each.curve: {} for each in parts}
    for record, choice in zip(records, choices, strict=True):
        for each in parts:
            values = record.by_round(each.curve)
            if each.kept == "ladder":  # kept at the last round, too
                if (last := values.get(str(min(choice.rounds, record.n_rounds)))) is not None:
                    joined[each.curve][str(min(choice.at, records[-1].n_rounds))] = last
            else:
                joined[each.curve] |= {at: v for at, v in values.items() if int(at) == choice.at}
    return {**records[-1].at_checkpoints, **joined}


def _longer(axis: Axis, selected: set[Any], reach: Reach) -> Axis:
    smallest, largest = min(axis.values), max(axis.values)
    step, factor = reach.step or 0, reach.factor or 1
    ends = smallest / factor - step, largest * factor + step
    is_whole = all(isinstance(value, int) for value in axis.values)
    below, above = (
        int(x) if is_whole and float(x).is_integer() else float(f"{x:.{_DIGITS}g}") for x in ends
    )
    smaller = [below] * (smallest in selected and below < smallest and _is_within(below, reach))
    larger = [above] * (largest in selected and above > largest and _is_within(above, reach))
    if axis.values[0] == largest:  # in descending order
        return replace(axis, values=(*larger, *axis.values, *smaller))
    return replace(axis, values=(*smaller, *axis.values, *larger))


def _is_within(value: float, reach: Reach) -> bool:
    slack = 10.0 ** (1 - _DIGITS)
    low, high = sorted(reach.within)
    return low - slack * abs(low) <= value <= high + slack * abs(high)
