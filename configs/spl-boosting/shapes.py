"""Claims about losses of the margin, which need no runs: `LossIs` and `LossesOrdered`."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from annotated_types import Len
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field, model_validator

from boostbench.plugins import (
    BoostbenchError,
    Case,
    Evidence,
    Kind,
    Listed,
    MistakesError,
    Outcome,
    load_plugin,
)

margin_losses = load_plugin(Path(__file__).with_name("margin_losses.py"))
NamedLoss = margin_losses.NamedLoss

_N_POINTS = 601
_TINY = 1e-12
_MARGINS: Any = Field(
    json_schema_extra={
        "wanted": "two margins, the lower first; of one loss 'threshold' is where samples are left "
        "out"
    }
)
Floats = NDArray[np.float64]
_SHAPES: dict[str, Callable[[Floats], Any]] = {
    "zero": lambda values: np.abs(values).max() == 0.0,
    "positive": lambda values: values.min() > 0.0,
    "constant": lambda values: np.ptp(values) <= _TINY,
    "falling": lambda values: np.diff(values).max() < 0.0,
    "rising": lambda values: np.diff(values).min() > 0.0,
}


def _losses(value: Any) -> list[NamedLoss]:
    """Read one loss or a list of them."""
    try:
        return margin_losses.read_losses(value)
    except BoostbenchError as error:
        raise ValueError(error.what) from error


def _steps(value: Any) -> list[list[NamedLoss]]:
    """Read the steps of an order of losses.

    A list is one step of equal losses. Another item is a step, or several if it describes several
    losses by a list of parameter values.
    """
    mistakes = MistakesError()
    steps: list[list[NamedLoss]] = []
    for index, item in enumerate(value if isinstance(value, list) else [value]):
        losses = mistakes.take(_losses, item, index) or []
        steps += [losses] if isinstance(item, list) else [[loss] for loss in losses]
    mistakes.close()
    if sum(map(len, steps)) < 2:
        raise ValueError("must name at least two losses")
    return steps


class _AboutLosses(Kind):
    """Base of claims about losses, or the weights that they give, over a range of margins."""

    show: Literal["losses", "weights"] = "losses"

    def values(self, loss: NamedLoss, m: Floats) -> Floats:
        return loss.loss.weight(m) if self.show == "weights" else loss.loss.value(m)


class LossIs(_AboutLosses):
    """Losses have a shape over a range of margins.

    Attributes
    ----------
    losses : list of NamedLoss
        Each loss is a case.
    shape : {"zero", "positive", "constant", "falling", "rising"}
    show : {"losses", "weights"}
    between : tuple of two margins
        Range of the margin. ``threshold`` is the margin below which a self-paced booster leaves
        samples out; the threshold itself is excluded from the range.
    """

    losses: Annotated[list[Any], BeforeValidator(_losses)]
    shape: Literal["zero", "positive", "constant", "falling", "rising"]
    between: Annotated[Listed[float | Literal["threshold"]], Len(2, 2), _MARGINS] = (-3.0, 3.0)

    @model_validator(mode="after")
    def _has_thresholds(self) -> LossIs:
        for loss in self.losses:
            if "threshold" in self.between and not loss.is_latent:
                raise ValueError(f"the loss {loss.label!r} has no threshold")
        return self

    def cases(self, evidence: Evidence) -> Iterable[Case]:
        """Yield a case per loss: whether it has the shape."""
        for loss in self.losses:
            low, high = (loss.threshold if end == "threshold" else end for end in self.between)
            m = np.linspace(low, high, _N_POINTS)
            # At the threshold, exp(ln(age)) may differ from the age by rounding.
            m = m[self.between[0] == "threshold" : len(m) - (self.between[1] == "threshold")]
            values = self.values(loss, m)
            numbers = {
                "margins": f"{low:.4g} to {high:.4g}",
                self.show: f"{values.min():.4g} to {values.max():.4g}",
            }
            yield _case(loss.label, bool(_SHAPES[self.shape](values)), numbers)


class LossesOrdered(_AboutLosses):
    """Losses are in the given order, lowest first, over a range of margins.

    Attributes
    ----------
    losses : list of list of NamedLoss
        Steps of the order. The losses of a step are equal, and may touch those of the next step.
    show : {"losses", "weights"}
    between : tuple of two margins
        Range of the margin.
    """

    losses: Annotated[list[list[Any]], BeforeValidator(_steps)]
    between: Annotated[Listed[float], Len(2, 2), _MARGINS] = (-3.0, 3.0)

    def cases(self, evidence: Evidence) -> Iterable[Case]:
        """Yield a case per pair of losses: whether they are equal or in order."""
        m = np.linspace(self.between[0], self.between[1], _N_POINTS)
        for step in self.losses:
            for a, b in itertools.pairwise(step):
                gap = np.abs(self.values(a, m) - self.values(b, m)).max()
                numbers = {"difference": f"at most {gap:.4g}"}
                yield _case(f"{a.label} = {b.label}", bool(gap <= _TINY), numbers)
        for (lower, *_), (upper, *_) in itertools.pairwise(self.losses):
            gaps = self.values(upper, m) - self.values(lower, m)
            numbers = {"difference": f"{gaps.min() + 0.0:.4g} to {gaps.max():.4g}"}
            holds = bool(gaps.min() >= -_TINY and gaps.max() > _TINY)
            yield _case(f"{lower.label} \N{LESS-THAN OR EQUAL TO} {upper.label}", holds, numbers)


def _case(subject: str, holds: bool, numbers: dict[str, str]) -> Case:
    return Case("", subject, Outcome("holds" if holds else "fails"), numbers)
