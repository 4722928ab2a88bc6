"""Claims about printed values, `MatchesPaper`, and about ranks, `RanksWithin`."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
from pydantic import Field, model_validator

from boostbench.experiments.configs.kind_options import Scope
from boostbench.quantities import QUANTITIES
from boostbench.reports.claims.claim_options import At, Counts, Labels, PaperFile, Tolerance, Whole
from boostbench.reports.claims.evidence import Case, Cell, Evidence
from boostbench.reports.claims.inference import Outcome, State, equivalent, lower, near
from boostbench.reports.claims.kind import AboutValues
from boostbench.reports.values.agreement import PrintedComparison, compare_with_printed
from boostbench.reports.values.designs import Repeats
from boostbench.reports.values.frame import END
from boostbench.reports.values.paper import PaperValue
from boostbench.reports.values.rank_statistics import competition_ranks

_DECIMALS = 10


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
    within : Tolerance or None
        By default, a printed value agrees if it lies in the prediction interval around ours; with
        a tolerance, if ours is equivalent to it. The relative part refers to the printed value.
    """

    paper: PaperFile = None
    errors: Counts = Field({})
    boosters: Labels = ()
    within: Tolerance | None = None
    at: At = Field("checkpoints", validate_default=True)
    pooled: bool = True

    @model_validator(mode="after")
    def _is_printed(self) -> MatchesPaper:
        if (self.paper is None) == (not self.errors):
            raise ValueError("needs either 'paper' or 'errors'")
        if self.within is not None:
            self.within.check(QUANTITIES[self.value])
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
                continue
            value = evidence.printed(self.paper, cell, cell.datasets[0])
            if value is not None and value.error is not None:
                others = [replace(cell, booster=label) for label in columns]
                agreements = [
                    self._outcome(evidence, other, value)[0].state == "holds"
                    for other in others
                    if (theirs := evidence.printed(self.paper, other, cell.datasets[0])) is not None
                    and theirs.method != value.method
                ]
                placebo = sum(agreements) / len(agreements) if agreements else None
                yield replace(self._compared(evidence, cell, value), placebo=placebo)

    def _counted(self, evidence: Evidence, cell: Cell) -> Case:
        printed = self.errors[cell.booster][self.at.index(cell.at)]
        ours = evidence.sample(cell, counted=True)
        outcome = near(ours, Repeats.constant(printed, ours), 0.0)
        distinct = sorted({round(count) for count in ours.values.values()})
        text = ", ".join(map(str, distinct)) or "–"
        return evidence.case(cell, outcome, {"ours": text, "paper": str(printed)})

    def _compared(self, evidence: Evidence, cell: Cell, value: PaperValue) -> Case:
        outcome, ours, comparison = self._outcome(evidence, cell, value)
        numbers = {"ours": evidence.text(ours), "paper": value.text, "difference": "–"}
        if comparison is not None:
            numbers["difference"] = evidence.change(outcome)
            numbers["against the paper"] = comparison.agreement
        return evidence.case(cell, outcome, numbers)

    def _outcome(
        self, evidence: Evidence, cell: Cell, value: PaperValue
    ) -> tuple[Outcome, Repeats, PrintedComparison | None]:
        """Compare our runs in a cell with a printed value."""
        ours = evidence.sample(cell, rounds=value.rounds if cell.at == END else None)
        printed = Repeats.constant(value.error or 0.0, ours)
        comparison = compare_with_printed(ours, value, evidence.n_test(cell))
        if comparison is None:
            return lower(ours, printed), ours, None  # the outcome names the missing runs
        n, planned = len(ours.values), len(ours.design.units)
        estimate, agreement = comparison.estimate, comparison.agreement
        if self.within is not None:
            tolerance = self.within.of(value.error)
            outcome = equivalent(estimate, ours, printed, tolerance)
        else:
            agrees, is_off = agreement == "agrees", agreement.endswith("printed")
            tail = min(estimate.not_above(0.0), estimate.not_below(0.0))
            outcome = Outcome(
                "holds" if agrees else "fails" if is_off else "open",
                estimate.difference,
                estimate.interval,
                n,
                planned,
                here=agrees or (None if not is_off else False),
                test=estimate.test,
                p=(float(not agrees), tail if is_off else 1.0),
            )
        return outcome, ours, comparison


class RanksWithin(AboutValues):
    """A booster, or the best of several, has at most a given rank among all boosters.

    Boosters are ranked by their means over the runs that all of them have: 1 is best, and equal
    means share the better rank. Data sets are the sample.

    Attributes
    ----------
    booster : tuple of str
    within : int
    """

    fixed_unit = "sets"

    booster: Labels
    within: Whole = 1
    pooled: bool = True

    def in_print(self, scope: Scope, papers: Iterable[Path]) -> bool | None:
        """Return whether the printed errors satisfy the claim; None if some are not printed."""
        return self._in_print(scope, papers)

    @property
    def chance(self) -> float:
        """Chance that none of as many equal rivals as the rank allows takes the place."""
        return 1 - 1 / math.comb(len(self.booster) + self.within, self.within)

    def cases(self, evidence: Evidence) -> Iterable[Case]:
        """Yield the outcome on the best rank in each cell."""
        for cell, ranks in ranked(evidence):
            if ranks is None:
                yield _without_values(evidence, cell)
                continue
            best = min(self.booster, key=lambda label: ranks[label])
            holds = ranks[best] <= self.within
            state: State = "holds" if holds else "fails"
            outcome = Outcome(state, float(ranks[best] - self.within))
            yield evidence.case(cell, outcome, {"best of them": best, "rank": str(ranks[best])})


def ranked(evidence: Evidence) -> Iterator[tuple[Cell, dict[str, int] | None]]:
    """Yield the ranks of the boosters in each cell; None if they have no runs in common."""
    for cell in evidence.cells():
        samples = {label: evidence.sample(cell, label) for label in evidence.scope.boosters}
        units = sorted(set.intersection(*(set(sample.values) for sample in samples.values())))
        means = {
            label: round(statistics.fmean(sample.values[unit] for unit in units), _DECIMALS)
            for label, sample in samples.items()
            if units
        }
        yield cell, _ranks(evidence, means) if means else None


def _ranks(evidence: Evidence, values: Mapping[str, float]) -> dict[str, int]:
    """Return the ranks of boosters by a value of the metric of the claim."""
    errors = evidence.metric.shortfall(np.array([[*values.values()]]))
    return dict(zip(values, competition_ranks(errors)[0].tolist(), strict=True))


def _without_values(evidence: Evidence, cell: Cell) -> Case:
    """Return the case of a cell in which the boosters have no runs in common."""
    gaps = [gap for label in evidence.scope.boosters for gap in evidence.sample(cell, label).gaps]
    why = gaps[0] if gaps else "no runs in common"
    return evidence.case(cell, Outcome("missing", planned=1, why=why), {})
