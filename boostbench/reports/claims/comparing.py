"""Claims that compare values: of boosters, along the course of runs, with print, by ranks."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from pydantic import Field, ValidationInfo, model_validator

from boostbench.experiments.configs.kind_options import Scope, scope_of
from boostbench.quantities import QUANTITIES
from boostbench.registry import claims
from boostbench.reports.claims import claim_options as options
from boostbench.reports.claims.inference import (
    Outcome,
    all_of,
    any_of,
    at_least,
    equivalent,
    lower,
    near,
    never_above,
    outcome_of,
    turned,
)
from boostbench.reports.claims.kind import AboutMeans, AboutValues, Along, Case, Cell, Evidence
from boostbench.reports.text import listed
from boostbench.reports.values.estimates import DECIMALS, ROUNDING, UNSHARED, competition_ranks
from boostbench.reports.values.frame import END, Result, error_at
from boostbench.reports.values.paper import ONE_DRAW, PaperValue, compare_with_printed, placebo_of
from boostbench.reports.values.part_options import PaperFile
from boostbench.reports.values.samples import Repeats, combined, in_common, mean, over_sets

_BOUND = "compared with"  # name of a number, with its factor, among the values of boosters
#: Options that a bound of each kind takes.
_TAKEN = {order: {"ties", "by"} for order in ("lower_than", "higher_than")}
_TAKEN |= {"equal_to": {"within"}, "never_above": set()}
_ONE_DRAW = "one run on one split shows no spread between draws; further seeds do"


class Relation(AboutValues):
    """Relation between a booster and a bound.

    Attributes
    ----------
    booster : tuple of str
    lower_than, higher_than, equal_to : number, "noise_rate", boosters, "others" or OtherQuantity
        Exactly one bound is given. A relation to several boosters must hold for each; ``others``
        are all other boosters.
    within : Amount
        Tolerance of ``equal_to``.
    ties : bool
        Equal values count as lower or higher.
    """

    booster: options.Labels
    lower_than: options.Bound | None = None
    higher_than: options.Bound | None = None
    equal_to: options.Bound | None = None
    within: options.Tolerance = options.Tolerance()
    ties: bool = False

    @model_validator(mode="after")
    def _is_one(self) -> Relation:
        given = [name for name in _TAKEN if getattr(self, name, None) is not None]
        if len(given) != 1:
            bounds = [name for name in _TAKEN if name in type(self).model_fields]
            raise ValueError(f"needs one of {listed(bounds)}")
        if idle := {"ties", "within", "by"} & self.model_fields_set - _TAKEN[given[0]]:
            raise ValueError(f"{given[0]} takes no {min(idle)!r}, which would be ignored")
        if isinstance(self.bound, tuple) and (both := {*self.bound} & {*self.booster}):
            raise ValueError(f"{min(both)!r} is on both sides")
        if isinstance(self.bound, options.OtherQuantity):
            self.bound.plus.check(self.bound.value or self.value)
        return self

    @property
    def bound(self) -> options.Bound:
        """The given bound."""
        bounds: Iterator[options.Bound | None] = (getattr(self, name, None) for name in _TAKEN)
        return next(bound for bound in bounds if bound is not None)

    def rivals(self, evidence: Evidence, cell: Cell, mine: Sequence[str]) -> dict[str, Repeats]:
        """Return the samples to compare with those of the boosters ``mine``, by name."""
        bound = self.bound
        if bound == "others":
            bound = tuple(self.others(evidence, *mine))
        if isinstance(bound, tuple):
            return {label: evidence.sample(cell, label) for label in bound}
        if isinstance(bound, options.OtherQuantity):
            other = replace(cell, at=bound.at or cell.at, noise=bound.noise or cell.noise)
            sample = evidence.sample(other, bound.booster or mine[0], value=bound.value or "")
            times, plus = bound.times, bound.plus.of()
            return {bound.words: sample.map(lambda value: times * value + plus)}
        if isinstance(bound, float):
            return {_BOUND: Repeats.constant(bound, evidence.sample(cell, mine[0]))}
        rates = evidence.sample(cell, mine[0], read=lambda result: result.noise_rate)
        on_each = {unit: np.asarray(rate) for unit, rate in rates.values.items()}
        return {_BOUND: replace(rates, on_each=on_each)}


@claims.register("compares")
class Compares(Relation, AboutMeans):
    """A value is lower than, higher than or equal to other values.

    Attributes
    ----------
    never_above : bound
        Bound that no run exceeds, as of a theorem; nothing is left to chance.
    several : {"each", "any", "mean"}
        Treatment of several boosters: each is a case, one of them is enough, or their mean is
        compared.
    by : Amount
        Minimum difference, such as ``{points: 8}`` or ``{relative: 0.1}`` of the other value; a
        negative amount is a tolerance.
    """

    never_above: options.Bound | None = None
    several: Literal["each", "any", "mean"] = "each"
    by: options.Amount = options.Amount()

    @model_validator(mode="after")
    def _has_rivals(self) -> Compares:
        if self.several != "each" and not isinstance(self.bound, tuple) and self.bound != "others":
            raise ValueError(f"several: {self.several} needs boosters to compare with")
        if self.unit == "sets" and (self.equal_to is not None or self.never_above is not None):
            what = "never_above" if self.equal_to is None else "equality"
            raise ValueError(f"{what} is decided for each data set: unit must be runs or mean")
        return self

    @property
    def chance(self) -> float:
        """Chance that one of several equal boosters is below an equal rival."""
        m = len(self.booster) if self.several == "any" else 1
        return m / (m + 1)

    def cases(self, evidence: Evidence) -> Iterable[Case]:
        """Yield the outcome of the relation in each cell."""
        is_each = self.several == "each"
        share = 1 + (-1 if self.higher_than is None else 1) * self.by.relative
        of = f"{100 * share:g} % of " * (share != 1)
        for cell in evidence.cells(self.booster if is_each else ("",)):
            mine = (cell.booster,) if is_each else self.booster
            own = {label: evidence.sample(cell, label) for label in mine}
            if self.several == "mean":
                own = {f"mean of {len(mine)}": combined([*own.values()], mean)}
            rivals = {
                of * (name != _BOUND) + name: its.map(lambda value: share * value)
                for name, its in self.rivals(evidence, cell, mine).items()
            }
            outcome = any_of(
                all_of(self._judge(left, right) for right in rivals.values())
                for left in own.values()
            )
            if self.higher_than is not None:
                outcome = turned(outcome)  # the difference is left minus right again
            left = own if not is_each or len(self.booster) == 1 else {"value": own[mine[0]]}
            yield evidence.compared(cell, outcome, {**left, **rivals})

    def _judge(self, left: Repeats, right: Repeats) -> Outcome:
        """Decide on one pair; for ``higher_than``, the sides are exchanged."""
        if self.equal_to is not None:
            return near(left, right, self.within.of(right.mean))
        if self.never_above is not None:
            return never_above(left, right)
        pair = (left, right) if self.higher_than is None else (right, left)
        return lower(*pair, ties=self.ties, slack=-self.by.of())


@claims.register("share")
class ShareOfRuns(Relation):
    """The relation holds in at least a share of the runs.

    Attributes
    ----------
    runs : float
        Share of all possible runs, judged by the exact binomial test.
    """

    runs: options.Share

    def cases(self, evidence: Evidence) -> Iterable[Case]:
        """Yield the outcome on the share of runs in each cell."""
        for cell in evidence.cells(self.booster):
            own = evidence.sample(cell)
            rivals = self.rivals(evidence, cell, (cell.booster,)).values()
            successes = combined([own, *rivals], self._is_met, by_sample=False)
            outcome = at_least(successes, self.runs)
            yield evidence.case(cell, outcome, held_in(successes, outcome))

    def _is_met(self, values: Sequence[float]) -> float:
        """Return 1.0 if the first of the values of a run has the relation to all others."""
        own, *others = values
        if self.equal_to is not None:
            return float(all(abs(own - each) <= self.within.of(each) + ROUNDING for each in others))
        sign = 1 if self.higher_than is None else -1
        edge = ROUNDING if self.ties else -ROUNDING
        return float(all(sign * (own - each) <= edge for each in others))


@claims.register("ordered")
class Ordered(AboutMeans):
    """Boosters are in this order, lowest first; boosters in a nested list share a level.

    Attributes
    ----------
    boosters : tuple of tuple of str
    ties : bool
        Accept equal values.
    """

    boosters: options.Levels
    ties: bool = False

    def cases(self, evidence: Evidence) -> Iterable[Case]:
        """Yield the outcome on the order in each cell."""
        steps = [*itertools.pairwise(self.boosters)]
        for cell in evidence.cells():
            values = {each: evidence.sample(cell, each) for each in itertools.chain(*self.boosters)}
            pairs = (pair for step in steps for pair in itertools.product(*step))
            outcome = all_of(lower(values[a], values[b], ties=self.ties) for a, b in pairs)
            yield evidence.compared(cell, outcome, values)


@claims.register("agrees")
class Agrees(AboutMeans):
    """All values of several boosters lie within a tolerance of each other.

    Attributes
    ----------
    boosters : tuple of str
    within : Amount
        Its relative part refers to the booster of a pair that is named first.
    """

    boosters: options.SeveralLabels
    within: options.Tolerance
    unit: Literal["runs", "mean"] = "runs"  # agreement is decided for each data set

    def cases(self, evidence: Evidence) -> Iterable[Case]:
        """Yield the outcome on all pairs in each cell."""
        for cell in evidence.cells():
            values = {label: evidence.sample(cell, label) for label in self.boosters}
            pairs = itertools.combinations(values.values(), 2)
            outcome = all_of((near(b, a, self.within.of(a.mean)) for a, b in pairs), abs)
            yield evidence.compared(cell, outcome, values)


def held_in(successes: Repeats, outcome: Outcome) -> dict[str, str]:
    """Return the number and share of successful runs, with the interval of the share, as text."""
    values = successes.values.values()
    numbers = {"held in": f"{round(sum(values))} of {len(values)}"}
    if outcome.difference is not None and outcome.interval is not None:
        low, high = outcome.interval
        numbers["share"] = f"{100 * outcome.difference:.1f} %"
        numbers["interval"] = f"{100 * low:.1f} to {100 * high:.1f} %"
    return numbers


@claims.register("trend")
class Trend(AboutMeans):
    """A value rises or falls with the noise rate or with the rounds.

    Attributes
    ----------
    booster : tuple of str
        Each is a separate case.
    against : tuple of str
        If given, the value is the difference from the best of these boosters.
    direction : {"rises", "falls"}
    over : {"noise", "rounds"}
        Axis: the noises in order of their rates, or the rounds of ``at``.
    slack : Amount
        Tolerated change in the opposite direction; by default, every step must be strict.
    """

    booster: options.Labels
    against: options.Labels = ()
    direction: Literal["rises", "falls"]
    over: Literal["noise", "rounds"]
    slack: options.Tolerance = options.Tolerance()

    @model_validator(mode="after")
    def _has_steps(self, info: ValidationInfo) -> Trend:
        if len(self._steps) < 2:
            what = "rounds in 'at', such as [10, 1000]" if self.over == "rounds" else "noises"
            raise ValueError(f"needs at least two {what}")
        rates = [each.rate for each in scope_of(info).noises if each.full_label in self.noise]
        if self.over == "noise" and len({*rates}) < len(rates):
            raise ValueError("needs noises of different rates; name them in 'noise'")
        if both := {*self.against} & {*self.booster}:
            raise ValueError(f"{min(both)!r} is in 'booster' and in 'against'")
        return self

    @property
    def _steps(self) -> list[int | str]:
        """Noises in order of their rates, or rounds in ascending order with the end last."""
        if self.over == "noise":
            return [*self.noise]
        return sorted(self.at, key=lambda T: (T == END, T if isinstance(T, int) else 0))

    def cases(self, evidence: Evidence) -> Iterable[Case]:
        """Yield an outcome on all steps together."""
        steps = self._steps
        axis: Along = "at" if self.over == "rounds" else "noise"
        for cell in evidence.cells(self.booster, along=axis):
            cells = [replace(cell, **{axis: step}) for step in steps]  # type: ignore[arg-type]
            values = [self._value(evidence, each) for each in cells]
            outcome = all_of(self._step(*pair) for pair in itertools.pairwise(values))
            outcome = turned(outcome) if self.direction == "rises" else outcome
            name = f"{'distance ' if self.against else ''}at {steps[0]} to {steps[-1]}"
            texts = " → ".join(map(evidence.text, values))
            numbers = {name: texts, "worst step": evidence.change(outcome)}
            yield evidence.case(cell, outcome, numbers)

    def _value(self, evidence: Evidence, cell: Cell) -> Repeats:
        """Return the values, or differences from the best of ``against`` on each data set."""
        cells = [replace(cell, datasets=(name,)) for name in cell.datasets if self.against]
        distances, shortfall = [], evidence.metric.shortfall
        for each in cells:
            rivals = [evidence.sample(each, label) for label in self.against]
            # A rival without values leaves the best unknown.
            best = min(rivals, key=lambda r: (bool(r.values), shortfall(r.mean or 0)))
            distances.append(evidence.sample(each).minus(best))
        return over_sets(distances) if distances else evidence.sample(cell)

    def _step(self, before: Repeats, after: Repeats) -> Outcome:
        room = self.slack.of(before.mean)
        pair = (before, after) if self.direction == "rises" else (after, before)
        return lower(*pair, ties=room > 0, slack=room)


@claims.register("matches_paper")
class MatchesPaper(AboutValues):
    """Values agree with printed values, or numbers of errors equal printed numbers.

    Attributes
    ----------
    paper : PaperValues or None
        File of printed values. Each value for a data set, booster, T and noise of the claim is a
        case. At ``end`` it is the value of the largest printed T, which must be the last round of
        the runs.
    errors : dict of str to tuple of int
        Alternative to a file: numbers of errors by booster, one for each T of ``at``.
    boosters : tuple of str
        All by default.
    within : Amount or None
        By default, a printed value agrees if it lies in the prediction interval around ours; with
        a tolerance, if ours is equivalent to it. The relative part refers to the printed value.
    """

    paper: PaperFile = None
    errors: options.Counts = Field({})
    boosters: options.Labels = ()
    within: options.Tolerance | None = None
    at: options.At = Field("checkpoints", validate_default=True)
    pooled: bool = True

    @model_validator(mode="after")
    def _is_printed(self) -> MatchesPaper:
        if (self.paper is None) == (not self.errors):
            raise ValueError("needs either 'paper' or 'errors'")
        if self.errors and (idle := {"boosters", "within"} & self.model_fields_set):
            raise ValueError(f"errors takes no {min(idle)!r}, which would be ignored")
        counted = [name for name, each in QUANTITIES.items() if each.counted]
        if self.value not in (known := counted if self.errors else ["test_error"]):
            raise ValueError(f"value must be {' or '.join(known)}, found {self.value!r}")
        for label, counts in self.errors.items():
            if len(counts) != len(self.at):
                what = f"has {len(counts)} counts for the {len(self.at)} rounds of 'at'"
                raise ValueError(f"errors: {label!r} {what}")
        return self

    def cases(self, evidence: Evidence) -> Iterable[Case]:
        """Yield the outcome on each printed value."""
        labels = tuple(self.errors) or self.boosters or evidence.scope.boosters
        columns = labels if len(labels) > 1 else evidence.scope.boosters
        for cell in evidence.cells(labels, named=True):
            if self.errors:
                yield self._counted(evidence, cell)
            elif (value := evidence.printed(self.paper, cell)) and value.error is not None:
                cells = [replace(cell, booster=label) for label in columns]
                printed = [evidence.printed(self.paper, each) for each in cells]
                agree = [self._compared(evidence, value, c).outcome.here is True for c in cells]
                placebo = placebo_of(value, zip(printed, agree, strict=True))
                yield replace(self._compared(evidence, value, cell), placebo=placebo)

    def _counted(self, evidence: Evidence, cell: Cell) -> Case:
        printed = self.errors[cell.booster][self.at.index(cell.at)]
        size = evidence.metric.counted

        def count(result: Result) -> float:
            return error_at(result, self.value, cell.at) * float(getattr(result.record, size))

        ours = evidence.sample(cell, read=count)
        outcome = near(ours, Repeats.constant(printed, ours), 0.0)
        text = ", ".join(map(str, sorted({*map(round, ours.values.values())}))) or "–"
        return evidence.case(cell, outcome, {"ours": text, "paper": str(printed)})

    def _compared(self, evidence: Evidence, value: PaperValue, cell: Cell) -> Case:
        """Compare our runs in a cell with a printed value."""

        def read(result: Result) -> float:
            is_other = cell.at == END and result.run.rounds != value.rounds
            return math.nan if is_other else error_at(result, self.value, cell.at)

        ours = evidence.sample(cell, read=read)
        numbers = {"ours": evidence.text(ours), "paper": value.text, "difference": "–"}
        estimate, agreement = compare_with_printed(ours, value)
        if estimate is None:  # the outcome names the missing runs
            return evidence.case(cell, lower(ours, ours), numbers)
        if self.within is not None:
            outcome = equivalent(ours, estimate, self.within.of(value.error))
        else:
            here = {"agrees": True, "cannot tell": None}.get(agreement, False)
            is_open = here is True and estimate.test == ONE_DRAW
            tail = min(estimate.not_above(0.0), estimate.not_below(0.0))
            p = float(is_open or not here), tail if here is False else 1.0
            outcome = outcome_of(ours, estimate, p, here, 0.0)
            outcome = replace(outcome, why=_ONE_DRAW if is_open else "")
        numbers |= {"difference": evidence.change(outcome), "against the paper": agreement}
        return evidence.case(cell, outcome, numbers)


@claims.register("ranks_within")
class RanksWithin(AboutMeans):
    """A booster, or the best of several, has at most a given rank among all boosters.

    Boosters are ranked by their means over the runs that all of them have: 1 is best, and equal
    means share the better rank. Data sets are the sample.

    Attributes
    ----------
    booster : tuple of str
    within : int
    """

    unit: Literal["sets"] = "sets"
    booster: options.Labels
    within: options.Whole = 1
    pooled: bool = True

    def check(self, scope: Scope) -> None:
        """Check also that the rank excludes somebody."""
        n = len({*scope.boosters} - {*self.booster})
        if self.within > n and "boosters" not in scope.unknown:
            raise ValueError(f"within: {self.within} always holds; other boosters: {n}")
        super().check(scope)

    @property
    def chance(self) -> float:
        """Chance that none of as many equal rivals as the rank allows takes the place."""
        return 1 - 1 / math.comb(len(self.booster) + self.within, self.within)

    def cases(self, evidence: Evidence) -> Iterable[Case]:
        """Yield the outcome on the best rank in each cell."""
        for cell, ranks in ranked(evidence):
            if not ranks:
                samples = (evidence.sample(cell, label) for label in evidence.scope.boosters)
                why = next((gap for sample in samples for gap in sample.gaps), UNSHARED)
                yield evidence.case(cell, Outcome("missing", planned=1, why=why), {})
                continue
            best = min(self.booster, key=lambda label: ranks[label])
            excess = ranks[best] - self.within
            outcome = Outcome("open", float(excess), here=excess <= 0)  # not tested on one set
            yield evidence.case(cell, outcome, {"best of them": best, "rank": str(ranks[best])})


def ranked(evidence: Evidence) -> Iterator[tuple[Cell, dict[str, int]]]:
    """Yield the ranks of the boosters in each cell; none if they have no runs in common."""
    labels = evidence.scope.boosters
    for cell in evidence.cells():
        samples = in_common(evidence.sample(cell, label) for label in labels)
        means = [round(sample.mean, DECIMALS) for sample in samples if sample.mean is not None]
        ranks = competition_ranks(evidence.metric.shortfall(np.array([means])))[0].tolist()
        yield cell, dict(zip(labels, ranks, strict=False))
