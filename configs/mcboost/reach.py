"""Claims about the vector-valued predictors of MCBoost: `PredictionsGrow`, `PredictionsWithin`."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from annotated_types import Len
from pydantic import Field, field_validator

from boostbench.plugins import (
    END,
    AboutRuns,
    At,
    Case,
    Evidence,
    Labels,
    Listed,
    Repeats,
    Result,
    Whole,
    at_least,
    held_in,
    load_plugin,
    near,
)

predictor = load_plugin(Path(__file__).with_name("predictor.py"))


class _AboutPredictions(AboutRuns):
    """Base of claims about predictions on the test samples, of runs that recorded ``scores``."""

    booster: Labels
    at: At = Field("checkpoints", validate_default=True)
    reads: Literal["scores"] = "scores"  # of all runs, which packed records therefore keep

    @field_validator("at")
    @classmethod
    def _are_rounds(cls, at: tuple[int | str, ...]) -> tuple[int | str, ...]:
        if END in at:
            raise ValueError("must be numbers of rounds")
        return at


class PredictionsGrow(_AboutPredictions):
    """In every run, the predictions f(x) grow from round 0 on, at the rounds `at`.

    Attributes
    ----------
    booster : tuple of str
        Labels; each booster is a case.
    measure : {"norm", "margin"}
        Mean norm of f(x), or median margin.
    """

    measure: Literal["norm", "margin"]

    def cases(self, evidence: Evidence) -> Iterable[Case]:
        """Yield a case per booster: whether its predictions grow."""
        steps = [0, *sorted(map(int, self.at))]

        def reach(result: Result, T: int) -> float:
            if self.measure == "margin":
                return float(np.median(predictor.margins_of(result, T)))
            return float(np.linalg.norm(predictor.predictor_of(result, T), axis=1).mean())

        def grows(result: Result) -> float:
            values = [reach(result, T) for T in steps]
            return float(all(a < b for a, b in itertools.pairwise(values)))

        for cell in evidence.cells(self.booster, along="at"):
            held = evidence.sample(cell, read=grows)
            means = [evidence.sample(cell, read=partial(reach, T=T)).mean for T in steps]
            outcome = near(held, Repeats.constant(1.0, held), 0.0)
            numbers = {
                f"{self.measure} at T = {', '.join(map(str, steps))}": " → ".join(
                    "–" if mean is None else f"{mean:.3f}" for mean in means
                ),
                "held in": f"{round(sum(held.values.values()))} of {len(held.values)}",
            }
            yield evidence.case(cell, outcome, numbers)


class PredictionsWithin(_AboutPredictions):
    """In at least a share of the runs, a component of all predictions lies in a range.

    Attributes
    ----------
    booster : tuple of str
        Labels; each booster is a case.
    component : int
        Index of the component, 1..K-1.
    between : tuple of two numbers
        The range.
    runs : float
        Share of all possible runs, judged by the exact binomial test.
    """

    component: Whole
    between: Annotated[Listed[float], Len(2, 2)]
    runs: Annotated[float, Field(gt=0, le=1)] = 1.0

    @field_validator("between")
    @classmethod
    def _is_range(cls, between: tuple[float, float]) -> tuple[float, float]:
        if between[0] >= between[1]:
            raise ValueError("must be two numbers, the smaller first")
        return between

    def cases(self, evidence: Evidence) -> Iterable[Case]:
        """Yield a case per booster and round: whether the component often enough lies in range."""
        low, high = self.between

        def lies(result: Result, T: int) -> float:
            f = predictor.predictor_of(result, T)[:, self.component - 1]
            return float(low <= f.min() and f.max() <= high)

        for cell in evidence.cells(self.booster):
            held = evidence.sample(cell, read=partial(lies, T=int(cell.at)))
            outcome = at_least(held, self.runs)
            yield evidence.case(cell, outcome, held_in(held, outcome))
