"""The claim that boosters converge in about as many rounds: `SettlesAlike`."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from typing import Annotated

from annotated_types import Gt

from boostbench.reports.claims import AboutValues, Case, Evidence
from boostbench.reports.claims.claim_options import Amount, SeveralLabels
from boostbench.reports.claims.inference import all_of, near
from boostbench.reports.values.frame import Result, error_curve


class SettlesAlike(AboutValues):
    """Boosters come near to their own last value at about the same round.

    Attributes
    ----------
    boosters : tuple of str
    within : float
        How near, as a share of the last value.
    factor : float
        The rounds at which they first do differ at most by this factor.
    """

    boosters: SeveralLabels
    within: Amount = 0.1
    factor: Annotated[float, Gt(1)]

    def cases(self, evidence: Evidence) -> Iterable[Case]:
        """Yield whether the rounds agree on a data set."""

        def settled(result: Result) -> float:
            values = error_curve(result, self.value)
            return math.log(1 + int((values <= (1 + self.within) * values[-1]).argmax()))

        for cell in evidence.cells():
            logs = {label: evidence.gathered(cell, settled, label) for label in self.boosters}
            outcome = all_of(
                near(a, b, math.log(self.factor))
                for a, b in itertools.combinations(logs.values(), 2)
            )
            rounds = {
                label: "–" if log.mean is None else f"{math.exp(log.mean):.0f}"
                for label, log in logs.items()
            }
            yield evidence.case(cell, outcome, rounds)
