"""Claims about means over the repeats: `RankLeads` and `RangeWithin`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from pydantic import BeforeValidator

from boostbench.reports.claims import AboutRuns, AboutValues, Case, Evidence, Outcome
from boostbench.reports.claims.matching import by_means, common_means, ranked, without_values
from boostbench.reports.claims.options import (
    Labels,
    Number,
    SeveralLabels,
    Whole,
    listed,
)
from boostbench.validation import Distinct, Listed


class RankLeads(AboutRuns):
    """A booster is more often among the first n than every one of the others.

    Attributes
    ----------
    booster : tuple of str
        Each is a case of its own, at each n.
    within : tuple of int
        n.
    against : tuple of str
        All other boosters by default.
    ties : bool
        Whether equally often counts.
    """

    booster: Labels
    within: Annotated[Listed[Whole], BeforeValidator(listed), Distinct]
    against: Labels = ()
    ties: bool = False

    def cases(self, evidence: Evidence) -> Iterable[Case]:
        """Yield whether a booster leads the others at n."""
        others = self.against or self.others(evidence, *self.booster)
        ranks = [found for _, found in ranked(evidence)]
        known = [found for found in ranks if found is not None]
        n_missing = len(ranks) - len(known)
        for n in self.within:
            often = {
                label: sum(found[label] <= n for found in known)
                for label in evidence.scope.boosters
            }
            for label in self.booster:
                nearest = max(others, key=lambda other: often[other])
                lead = often[label] - often[nearest]
                outcome = by_means(lead > 0 or (self.ties and lead == 0), -lead)
                if n_missing and abs(lead) <= n_missing:
                    outcome = Outcome("missing", planned=1, why=f"{n_missing} cases")
                numbers = {
                    "times": f"{often[label]} of {len(known)}",
                    "most of the others": f"{often[nearest]} ({nearest})",
                }
                yield Case("", f"{label}, n = {n}", outcome, numbers)


class RangeWithin(AboutValues):
    """The means of several boosters over runs differ by at most so many points.

    Attributes
    ----------
    boosters : tuple of str
    points : float
        Percent points of errors; of other quantities in their own unit.
    """

    boosters: SeveralLabels
    points: Number

    def cases(self, evidence: Evidence) -> Iterable[Case]:
        """Yield whether the means lie close together."""
        for cell in evidence.cells():
            means = common_means(evidence, cell, self.boosters)
            if means is None:
                yield without_values(evidence, cell, self.boosters)
                continue
            span = evidence.metric.scale * (max(means.values()) - min(means.values()))
            texts = {label: evidence.metric.text(value) for label, value in means.items()}
            outcome = by_means(span <= self.points + 1e-10, span - self.points)
            yield evidence.case(cell, outcome, {**texts, "range": f"{span:.2f}"})
