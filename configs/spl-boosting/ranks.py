"""Claim that a booster is more often among the best than others: `RankLeads`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import numpy as np
from pydantic import BeforeValidator

from boostbench.reports.claims import AboutRuns, Case, Evidence, Outcome
from boostbench.reports.claims.claim_options import Labels, Whole, as_list
from boostbench.reports.claims.matching import ranked
from boostbench.reports.values.differences import FEWEST_SETS, LEVEL, resampled_sets
from boostbench.validation import Distinct, Listed


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

    booster: Labels
    within: Annotated[Listed[Whole], BeforeValidator(as_list), Distinct]
    against: Labels = ()
    ties: bool = False

    def cases(self, evidence: Evidence) -> Iterable[Case]:
        """Yield a case per booster and n: whether it leads, by a bootstrap over data sets."""
        labels = evidence.scope.boosters
        others = self.against or self.others(evidence, *self.booster)
        cells = list(ranked(evidence))
        known = [(cell.datasets[0], found) for cell, found in cells if found is not None]
        sets = list(dict.fromkeys(name for name, _ in known))
        n_missing = len(cells) - len(known)
        drawn = resampled_sets(len(sets)) if len(sets) >= FEWEST_SETS else np.zeros((1, len(sets)))
        for n in self.within:
            often = np.zeros((len(sets), len(labels)), dtype=np.int64)
            for name, found in known:
                often[sets.index(name)] += [found[label] <= n for label in labels]
            rivals = [labels.index(label) for label in others]
            for label in self.booster:
                mine = labels.index(label)
                counts = drawn @ often
                leads = counts[:, mine] - counts[:, rivals].max(axis=1)
                there = often.sum(axis=0)
                best = max(rivals, key=lambda rival: there[rival])
                lead = int(there[mine] - there[best])
                needed = 0 if self.ties else 1
                p = (
                    float((leads - n_missing < needed).mean()),
                    float((leads + n_missing >= needed).mean()),
                )
                state = "holds" if p[0] <= LEVEL else "fails" if p[1] <= LEVEL else "open"
                why = ""
                if len(sets) < FEWEST_SETS:
                    state, p = "missing", (1.0, 1.0)
                    why = f"fewer than {FEWEST_SETS} data sets with a result"
                outcome = Outcome(
                    state,
                    -lead,
                    leans=lead >= needed,
                    why=why,
                    test=f"bootstrap over {len(sets)} data sets",
                    p=p,
                )
                numbers = {
                    "times": f"{there[mine]} of {len(known)}",
                    "most of the others": f"{there[best]} ({labels[best]})",
                    "leads in resamples": f"{100 * (leads >= needed).mean():.0f} %",
                }
                yield Case("", f"{label}, n = {n}", outcome, numbers)
