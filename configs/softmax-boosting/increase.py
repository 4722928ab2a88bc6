"""Claim that noise affects one booster less than others: `SmallestIncrease`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, ValidationInfo, model_validator

from boostbench.plugins import (
    BESIDE,
    AboutMeans,
    BoosterLabel,
    Case,
    Evidence,
    Labels,
    UnitOfTest,
    UnknownNameError,
    all_of,
    load_config,
    lower,
    scope_of,
)


def _twin(path: str) -> Any:
    """Read another config without its claims, which may refer back to the first config."""
    return load_config(Path(path), ["claims="], check_parameters=False)


class SmallestIncrease(AboutMeans):
    """The increase over the runs of another config is smaller for a booster than for others.

    Attributes
    ----------
    booster : str
        Label of the booster.
    against : tuple of str
        Labels of the others; all other boosters by default.
    over : path
        The other config, relative to the folder of this one. Its clean runs are compared with, or
        those of its first noise model if there are none.
    """

    booster: BoosterLabel
    against: Labels = ()
    over: Annotated[Any, BESIDE, AfterValidator(_twin)]
    unit: UnitOfTest = "mean"

    @model_validator(mode="after")
    def _is_known_there(self, info: ValidationInfo) -> SmallestIncrease:
        here, there = scope_of(info), self.over.scope()
        boosters = (self.booster, *self.against) if self.against else here.boosters
        wanted = [("booster", name, there.boosters) for name in boosters]
        wanted += [("data set", name, there.datasets) for name in self.datasets or here.datasets]
        for kind, name, known in wanted:
            if name not in known:
                raise ValueError(f"{self.over.path}: {UnknownNameError(kind, name, known)}")
        return self

    def cases(self, evidence: Evidence) -> Iterable[Case]:
        """Yield whether the increase is the smallest, on average or for each data set."""
        others = self.against or self.others(evidence, self.booster)
        before = self._before(evidence)
        for cell in evidence.cells():
            there = replace(cell, noise=before.options.noise[0])
            increases = {
                label: evidence.sample(cell, label).minus(before.sample(there, label))
                for label in (self.booster, *others)
            }
            outcome = all_of(lower(increases[self.booster], increases[label]) for label in others)
            yield evidence.compared(cell, outcome, increases)

    def _before(self, evidence: Evidence) -> Evidence:
        """Return the evidence of the other config, of its clean noises if it has any."""
        scope = self.over.scope()
        clean = [noise for noise in scope.noises if noise.model == "none"]
        labels = tuple(noise.full_label for noise in clean or scope.noises)
        options = self.model_copy(update={"noise": labels})
        study_of = evidence.study and evidence.study.study_of
        return Evidence(scope, options, study_of and study_of(self.over))
