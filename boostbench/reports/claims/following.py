"""Claims about the course of runs: `Trend` of a value along an axis, and `Stops` before a round."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

from pydantic import model_validator

from boostbench.quantities import QUANTITIES
from boostbench.reports.claims.claim_options import Labels, Tolerance, Whole
from boostbench.reports.claims.evidence import Case, Cell, Evidence
from boostbench.reports.claims.inference import (
    Outcome,
    all_of,
    lower,
    near,
    turned,
)
from boostbench.reports.claims.kind import AboutMeans, AboutRuns
from boostbench.reports.text import span
from boostbench.reports.values.designs import Repeats, over_sets
from boostbench.reports.values.frame import END, Result


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

    booster: Labels
    against: Labels = ()
    direction: Literal["rises", "falls"]
    over: Literal["noise", "rounds"]
    slack: Tolerance = Tolerance()

    @model_validator(mode="after")
    def _has_steps(self) -> Trend:
        if len(self._steps) < 2:
            what = "rounds in 'at', such as [10, 1000]" if self.over == "rounds" else "noises"
            raise ValueError(f"needs at least two {what}")
        self.slack.check(QUANTITIES[self.value])
        for label in self.against:
            if label in self.booster:
                raise ValueError(f"{label!r} is in 'booster' and in 'against'")
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
        for cell in evidence.cells(self.booster, along=self.over):
            key = "at" if self.over == "rounds" else "noise"
            cells = [replace(cell, **{key: step}) for step in steps]  # type: ignore[arg-type]
            values = [self._value(evidence, each) for each in cells]
            outcome = all_of(self._step(evidence, a, b) for a, b in itertools.pairwise(values))
            texts = [evidence.text(value) for value in values]
            name = f"{'distance ' if self.against else ''}at {steps[0]} to {steps[-1]}"
            numbers = {name: " → ".join(texts), "worst step": evidence.change(outcome)}
            yield evidence.case(cell, outcome, numbers)

    def _value(self, evidence: Evidence, cell: Cell) -> Repeats:
        """Return the values, or differences from the best of ``against`` on each data set."""
        cells = [replace(cell, datasets=(name,)) for name in cell.datasets if self.against]
        distances = []
        for each in cells:
            rivals = [evidence.sample(each, label) for label in self.against]
            # A rival without values leaves the best unknown.
            best = min(rivals, key=lambda r: (bool(r.values), r.mean or 0.0))
            distances.append(evidence.sample(each).minus(best))
        return over_sets(distances) if distances else evidence.sample(cell)

    def _step(self, evidence: Evidence, before: Repeats, after: Repeats) -> Outcome:
        room = self.slack.of(before.mean)
        if self.direction == "rises":
            before, after = after, before
        outcome = lower(after, before, ties=room > 0, slack=room)
        return turned(outcome) if self.direction == "rises" else outcome


class Stops(AboutRuns):
    """Every run stops before a given round.

    Attributes
    ----------
    booster : tuple of str
        Each is a separate case.
    before : int
        Every run makes fewer rounds than this.
    reason : str
        Text that the stop reason contains; by default, any reason.
    """

    booster: Labels
    before: Whole
    reason: str = ""

    def cases(self, evidence: Evidence) -> Iterable[Case]:
        """Yield an outcome on all runs of each cell."""
        for cell in evidence.cells(self.booster):
            stopped = evidence.sample(cell, read=self._is_stopped)
            made = evidence.sample(cell, read=_rounds_made).values
            outcome = near(stopped, Repeats.constant(1.0, stopped), 0.0)
            numbers = {"rounds made": span([int(n) for n in made.values()]) if made else "–"}
            yield evidence.case(cell, outcome, numbers)

    def _is_stopped(self, result: Result) -> float:
        assert result.record is not None
        is_early = result.record.n_rounds < min(self.before, result.run.rounds)
        return float(is_early and self.reason in result.record.stop_reason)


def _rounds_made(result: Result) -> float:
    assert result.record is not None
    return float(result.record.n_rounds)
