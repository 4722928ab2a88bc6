"""Claim that a booster is more often among the best than others: `RankLeads`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import numpy as np
from pydantic import BeforeValidator

from boostbench.plugins import (
    AboutRuns,
    Case,
    Distinct,
    Evidence,
    Labels,
    Listed,
    MistakesError,
    Outcome,
    Scope,
    Whole,
    as_list,
    ranked,
    signed_rank_p,
)


class RankLeads(AboutRuns):
    """A booster is more often among the first n than every other booster.

    Attributes
    ----------
    booster : tuple of str
        Labels; each booster is a case for each n.
    within : tuple of int
        Values of n.
    against : tuple of str
        Labels of the others; all other boosters by default.
    ties : bool
        Whether equally often suffices.
    """

    fixed_unit = "mean"

    booster: Labels
    within: Annotated[Listed[Whole], BeforeValidator(as_list), Distinct]
    against: Labels = ()
    ties: bool = False

    def check(self, scope: Scope) -> None:
        """Check also that each n excludes somebody."""
        n = len(scope.boosters)
        if max(self.within) >= n and "boosters" not in scope.unknown:
            what = f"within: {max(self.within)} has all {n} boosters among the first"
            raise MistakesError((("within",), what))
        super().check(scope)

    def cases(self, evidence: Evidence) -> Iterable[Case]:
        """Yield a case per booster and n: whether it leads, by signed ranks over data sets."""
        others = self.against or self.others(evidence, *self.booster)
        cells = list(ranked(evidence))
        known = [(cell.datasets[0], found) for cell, found in cells if found]
        sets = list(dict.fromkeys(name for name, _ in known))
        is_missing = len(known) < len(cells)
        for n in self.within:
            often = {label: np.zeros(len(sets)) for label in evidence.scope.boosters}
            for name, found in known:
                for label, rank in found.items():
                    often[label][sets.index(name)] += rank <= n
            for label in self.booster:
                leads = {rival: often[label] - often[rival] for rival in others}
                best = min(others, key=lambda rival: leads[rival].sum())
                lead = int(leads[best].sum())
                p = (
                    max(signed_rank_p(-each) for each in leads.values()),
                    min(1.0, len(leads) * min(signed_rank_p(each) for each in leads.values())),
                )
                outcome = Outcome(
                    "missing" if is_missing else "open",
                    -lead,
                    here=None if is_missing else lead > 0 or (self.ties and lead == 0),
                    why="data sets without a result" * is_missing,
                    test=f"signed-rank test over {len(sets)} data sets",
                    p=p,
                )
                numbers = {
                    "times": f"{int(often[label].sum())} of {len(known)}",
                    "most of the others": f"{int(often[best].sum())} ({best})",
                }
                yield Case("", f"{label}, n = {n}", outcome, numbers)
