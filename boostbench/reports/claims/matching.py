"""Claims about printed numbers, `MatchesPaper`, and about ranks, `RanksWithin`."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from pydantic import Field, model_validator

from boostbench.reports.claims.evidence import Case, Cell, Evidence
from boostbench.reports.claims.inference import Outcome, Sample, near
from boostbench.reports.claims.kind import AboutValues
from boostbench.reports.claims.options import At, Counts, Labels, PaperFile, Tolerance, Whole
from boostbench.reports.values.frame import noise_label
from boostbench.reports.values.metrics import END
from boostbench.reports.values.paper import PaperValue
from boostbench.reports.values.rank_statistics import competition_ranks

_DECIMALS = 10


class MatchesPaper(AboutValues):
    """Printed numbers are met within a tolerance, or printed counts of errors exactly.

    Attributes
    ----------
    paper : PaperValues or None
        A file of printed values. A case is a data set, a booster, a T and a noise for which it has
        one; at ``end`` the largest T that the file has for the others, which must be the last round
        of the runs.
    errors : dict of str to tuple of int
        In the place of a file: the counts of errors of boosters, one for each T of ``at``.
    boosters : tuple of str
        All by default.
    within : Tolerance
        Of values of a file; its share refers to the printed value.
    """

    paper: PaperFile = None
    errors: Counts = Field({})
    boosters: Labels = ()
    within: Tolerance = Tolerance(points=1.5, relative=0.25)
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
        """Yield the outcome on every printed number."""
        labels = tuple(self.errors) or self.boosters or evidence.scope.boosters
        for cell in evidence.cells(labels, named=True):
            if self.errors:
                right = self.errors[cell.booster][self.at.index(cell.at)]
                found = evidence.sample(cell, counted=True)
                outcome = near(found, Sample.constant(right, found), 0.0)
                distinct = sorted({round(count) for count in found.values.values()})
                ours, printed = ", ".join(map(str, distinct)) or "–", str(right)
            else:
                value = self._printed(evidence, cell)
                if value is None or value.error is None:
                    continue
                found = evidence.sample(cell, rounds=value.rounds if cell.at == END else None)
                tolerance = self.within.of(value.error, evidence.metric)
                outcome = near(found, Sample.constant(value.error, found), tolerance)
                ours, printed = evidence.text(found), value.text
            numbers = {"ours": ours, "paper": printed}
            if not self.errors:
                numbers["difference"] = evidence.change(outcome)
            yield evidence.case(cell, outcome, numbers)

    def _printed(self, evidence: Evidence, cell: Cell) -> PaperValue | None:
        names = evidence.scope.names
        (dataset,) = cell.datasets
        datasets = dataset, names.get(dataset, dataset)
        methods = cell.booster, names.get(cell.booster, cell.booster)
        rate = next(n.rate for n in evidence.scope.noises if noise_label(n) == cell.noise)
        # A rate that the problem draws is in no table.
        rate = -1.0 if isinstance(rate, str) else rate
        found: PaperValue | None
        if cell.at == END:
            found = self.paper.last(datasets, methods, rate)
        else:
            found = self.paper.find(datasets, methods, int(cell.at), rate)
        return found


class RanksWithin(AboutValues):
    """A booster, or the best of several, has at most a rank among all boosters.

    Ranks go by the means over the runs that all boosters have, as in papers: 1 is lowest, and
    equal means share the better rank.

    Attributes
    ----------
    booster : tuple of str
    within : int
    """

    booster: Labels
    within: Whole = 1
    pooled: bool = True

    def cases(self, evidence: Evidence) -> Iterable[Case]:
        """Yield the outcome on the best rank in every cell."""
        for cell, ranks in ranked(evidence):
            if ranks is None:
                yield without_values(evidence, cell, evidence.scope.boosters)
                continue
            best = min(self.booster, key=lambda label: ranks[label])
            beyond = ranks[best] - self.within
            outcome = by_means(beyond <= 0, beyond)
            yield evidence.case(cell, outcome, {"best of them": best, "rank": str(ranks[best])})


def ranked(evidence: Evidence) -> Iterator[tuple[Cell, dict[str, int] | None]]:
    """Yield the rank of every booster in each cell; None without runs that all of them have."""
    for cell in evidence.cells():
        means = common_means(evidence, cell, evidence.scope.boosters)
        if means is None:
            yield cell, None
            continue
        (ranks,) = competition_ranks(np.array([[*means.values()]])).tolist()
        yield cell, dict(zip(means, ranks, strict=True))


def common_means(evidence: Evidence, cell: Cell, labels: Sequence[str]) -> dict[str, float] | None:
    """Return each booster's mean over the runs that all have; None if there are none."""
    samples = {label: evidence.sample(cell, label) for label in labels}
    units = sorted(set.intersection(*(set(sample.values) for sample in samples.values())))
    if not units:
        return None
    return {
        label: round(statistics.fmean(sample.values[unit] for unit in units), _DECIMALS)
        for label, sample in samples.items()
    }


def without_values(evidence: Evidence, cell: Cell, labels: Sequence[str]) -> Case:
    """Return the case of a cell in which the boosters have no run in common."""
    gaps = [gap for label in labels for gap in evidence.sample(cell, label).gaps]
    why = gaps[0] if gaps else "no runs in common"
    return evidence.case(cell, Outcome("missing", planned=1, why=why), {})


def by_means(holds: bool, beyond: float) -> Outcome:
    """Return the outcome of means alone, which says nothing of their spread."""
    return Outcome("holds" if holds else "fails", float(beyond), leans=holds)
