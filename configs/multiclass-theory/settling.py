"""Claim that boosters converge in about the same number of rounds: `SettlesAlike`."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from typing import Annotated

import numpy as np
from annotated_types import Gt

from boostbench.plugins import (
    AboutValues,
    Case,
    Evidence,
    Result,
    SeveralLabels,
    Tolerance,
    all_of,
    error_curve,
    near,
)


class SettlesAlike(AboutValues):
    """The values of boosters come near their last values at about the same round.

    Attributes
    ----------
    boosters : tuple of str
        Labels.
    within : Amount
        Largest distance above the last value; below it, if higher values are better.
    stays : bool
        Take the round from which on values stay within this distance, rather than the first round
        within it.
    factor : float
        Largest ratio of these rounds between two boosters.
    """

    boosters: SeveralLabels
    within: Tolerance = Tolerance(relative=0.1)
    stays: bool = False
    factor: Annotated[float, Gt(1)]

    def cases(self, evidence: Evidence) -> Iterable[Case]:
        """Yield a case per data set: whether the rounds agree."""

        def settled(result: Result) -> float:
            values = evidence.metric.shortfall(error_curve(result, self.value))
            is_near = values <= values[-1] + self.within.of(float(values[-1]))
            rounds = np.flatnonzero(~is_near)[-1:] + 1 if self.stays else [is_near.argmax()]
            return math.log(1 + int(sum(rounds)))

        for cell in evidence.cells():
            logs = {label: evidence.sample(cell, label, read=settled) for label in self.boosters}
            outcome = all_of(
                near(a, b, math.log(self.factor))
                for a, b in itertools.combinations(logs.values(), 2)
            )
            rounds = {
                label: "–" if log.mean is None else f"{math.exp(log.mean):.0f}"
                for label, log in logs.items()
            }
            yield evidence.case(cell, outcome, rounds)
