"""Claims about printed values, `MatchesPaper`, and about ranks, `RanksWithin`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Literal

import numpy as np
from pydantic import Field, model_validator

from boostbench.registry import claims
from boostbench.reports.claims.claim_options import At, Counts, Labels, Tolerance, Whole
from boostbench.reports.claims.inference import Outcome, equivalent, lower, near, outcome_of
from boostbench.reports.claims.kind import AboutMeans, AboutValues, Case, Cell, Evidence
from boostbench.reports.values.frame import END, Result, error_at
from boostbench.reports.values.paper import (
    ONE_DRAW,
    PaperValue,
    compare_with_printed,
    placebo_of,
)
from boostbench.reports.values.part_options import PaperFile
from boostbench.reports.values.rank_statistics import competition_ranks
from boostbench.reports.values.samples import Repeats, in_common

_DECIMALS = 10
_ONE_DRAW = "one run on one split shows no spread between draws; further seeds do"


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
    errors: Counts = Field({})
    boosters: Labels = ()
    within: Tolerance | None = None
    at: At = Field("checkpoints", validate_default=True)
    pooled: bool = True

    @model_validator(mode="after")
    def _is_printed(self) -> MatchesPaper:
        if (self.paper is None) == (not self.errors):
            raise ValueError("needs either 'paper' or 'errors'")
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
                printed = (evidence.printed(self.paper, each, cell.datasets[0]) for each in others)
                agrees = partial(self._agrees, evidence, value)
                placebo = placebo_of(value, zip(printed, others, strict=True), agrees)
                yield replace(self._compared(evidence, value, cell), placebo=placebo)

    def _agrees(self, evidence: Evidence, value: PaperValue, cell: Cell) -> bool:
        return self._compared(evidence, value, cell).outcome.here is True

    def _counted(self, evidence: Evidence, cell: Cell) -> Case:
        printed = self.errors[cell.booster][self.at.index(cell.at)]
        size = evidence.metric.counted

        def count(result: Result) -> float:
            return error_at(result, self.value, cell.at) * float(getattr(result.record, size))

        ours = evidence.sample(cell, read=count)
        outcome = near(ours, Repeats.constant(printed, ours), 0.0)
        distinct = sorted({round(count) for count in ours.values.values()})
        text = ", ".join(map(str, distinct)) or "–"
        return evidence.case(cell, outcome, {"ours": text, "paper": str(printed)})

    def _compared(self, evidence: Evidence, value: PaperValue, cell: Cell) -> Case:
        """Compare our runs in a cell with a printed value."""

        def read(result: Result) -> float:
            is_other = cell.at == END and result.run.rounds != value.rounds
            return math.nan if is_other else error_at(result, self.value, cell.at)

        ours = evidence.sample(cell, read=read)
        numbers = {"ours": evidence.text(ours), "paper": value.text, "difference": "–"}
        compared = compare_with_printed(ours, value)
        if compared is None:  # the outcome names the missing runs
            return evidence.case(cell, lower(ours, ours), numbers)
        estimate, agreement = compared
        if self.within is not None:
            outcome = equivalent(ours, estimate, self.within.of(value.error))
        else:
            agrees, is_off = agreement == "agrees", agreement.endswith("printed")
            tail = min(estimate.not_above(0.0), estimate.not_below(0.0))
            is_open = agrees and estimate.test == ONE_DRAW
            p = float(is_open or not agrees), tail if is_off else 1.0
            outcome = outcome_of(ours, estimate, p, True if agrees else None, 0.0)
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
    booster: Labels
    within: Whole = 1
    pooled: bool = True

    @property
    def chance(self) -> float:
        """Chance that none of as many equal rivals as the rank allows takes the place."""
        return 1 - 1 / math.comb(len(self.booster) + self.within, self.within)

    def cases(self, evidence: Evidence) -> Iterable[Case]:
        """Yield the outcome on the best rank in each cell."""
        for cell, ranks in ranked(evidence):
            if not ranks:
                samples = [evidence.sample(cell, label) for label in evidence.scope.boosters]
                gaps = [gap for sample in samples for gap in sample.gaps]
                why = gaps[0] if gaps else "no runs in common"
                yield evidence.case(cell, Outcome("missing", planned=1, why=why), {})
                continue
            best = min(self.booster, key=lambda label: ranks[label])
            excess = ranks[best] - self.within
            outcome = Outcome("holds" if excess <= 0 else "fails", float(excess))
            yield evidence.case(cell, outcome, {"best of them": best, "rank": str(ranks[best])})


def ranked(evidence: Evidence) -> Iterator[tuple[Cell, dict[str, int]]]:
    """Yield the ranks of the boosters in each cell; none if they have no runs in common."""
    labels = evidence.scope.boosters
    for cell in evidence.cells():
        samples = in_common(evidence.sample(cell, label) for label in labels)
        means = [round(sample.mean, _DECIMALS) for sample in samples if sample.mean is not None]
        ranks = competition_ranks(evidence.metric.shortfall(np.array([means])))[0].tolist()
        yield cell, dict(zip(labels, ranks, strict=False))
