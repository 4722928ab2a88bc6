"""Claims about losses of the margin, which no run has to show."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.claims import Scope
from boostbench.experiments.configs.fields import MistakesError, one_of
from boostbench.experiments.configs.margin_losses import NamedLoss, read_losses
from boostbench.reports.claims.evidence import Case, Evidence
from boostbench.reports.claims.samples import Opinion
from boostbench.reports.claims.shapes import shaped
from boostbench.source import show as shown

__all__ = ["loss_is", "losses_ordered"]

_WITHOUT = ("value", "at", "datasets", "noise", "except", "per", "pooled")
_N_POINTS = 601
_TINY = 1e-12
_THRESHOLD = "threshold"
Floats = NDArray[np.float64]


def _read(value: object, scope: Scope) -> list[NamedLoss]:
    try:
        return read_losses(value)
    except BoostbenchError as error:
        raise ValueError(error.what) from error


def _read_steps(value: object, scope: Scope) -> list[list[NamedLoss]]:
    if not isinstance(value, list) or not value:
        raise ValueError(f"must be a list of losses, found {shown(value)}")
    steps = [_read(item, scope) if isinstance(item, list) else None for item in value]
    alone = [[[loss] for loss in _read(item, scope)] for item in value if item is not None]
    found = [
        each
        for step, its in zip(steps, alone, strict=True)
        for each in ([step] if step is not None else its)
    ]
    if sum(map(len, found)) < 2:
        raise ValueError("must name at least two losses")
    return found


def _read_between(value: object, scope: Scope) -> tuple[float | str, float | str]:
    def fits(end: object) -> bool:
        return end == _THRESHOLD or (isinstance(end, int | float) and not isinstance(end, bool))

    if not isinstance(value, list) or len(value) != 2 or not all(map(fits, value)):
        what = "must be two margins, the lower first; 'threshold' is where samples are left out"
        raise ValueError(f"{what}, found {shown(value)}")
    return value[0], value[1]


_SHAPES: dict[str, Callable[[Floats], Any]] = {
    "zero": lambda values: np.abs(values).max() == 0.0,
    "positive": lambda values: values.min() > 0.0,
    "constant": lambda values: np.ptp(values) <= _TINY,
    "falling": lambda values: np.diff(values).max() < 0.0,
    "rising": lambda values: np.diff(values).min() > 0.0,
}

Losses = Annotated[list[NamedLoss], _read]
Steps = Annotated[list[list[NamedLoss]], _read_steps]
Shown = Annotated[str, lambda value, scope: one_of("loss", "weight")(value)]
Shape = Annotated[str, lambda value, scope: one_of(*_SHAPES)(value)]
Between = Annotated[tuple[float | str, float | str], _read_between]


@shaped(without=_WITHOUT)
def loss_is(
    evidence: Evidence,
    *,
    losses: Losses,
    shape: Shape,
    show: Shown = "loss",
    between: Between = (-3.0, 3.0),
) -> Iterable[Case]:
    """Losses, or the weights they give, have a shape over a range of margins.

    Parameters
    ----------
    evidence : Evidence
        Not looked at.
    losses : loss or list of losses
        Each is a case of its own.
    shape : {"zero", "positive", "constant", "falling", "rising"}
    show : {"loss", "weight"}, default="loss"
    between : list of two margins, default=[-3, 3]
        ``threshold`` is the margin below which a self-paced booster leaves a sample out; it
        itself is left out.
    """
    for loss in losses:
        if _THRESHOLD in between and not loss.is_latent:
            raise MistakesError([(("between",), f"the loss {loss.label!r} has no threshold")])
        low, high = (loss.threshold if end == _THRESHOLD else float(end) for end in between)
        m = np.linspace(low, high, _N_POINTS)
        # There exp(ln(age)) may miss the age by a rounding, to either side.
        m = m[between[0] == _THRESHOLD : len(m) - (between[1] == _THRESHOLD)]
        values = _values(loss, m, show)
        numbers = {
            "margins": f"{low:.4g} to {high:.4g}",
            show: f"{values.min():.4g} to {values.max():.4g}",
        }
        yield _case(loss.label, bool(_SHAPES[shape](values)), numbers)


@shaped(without=_WITHOUT)
def losses_ordered(
    evidence: Evidence, *, losses: Steps, show: Shown = "loss", between: Between = (-3.0, 3.0)
) -> Iterable[Case]:
    """Losses, or the weights they give, lie above each other in this order, lowest first.

    Parameters
    ----------
    evidence : Evidence
        Not looked at.
    losses : list of losses, or of lists of losses
        A list within shares a step: its losses are equal. They may touch the next step.
    show : {"loss", "weight"}, default="loss"
    between : list of two margins, default=[-3, 3]
    """
    if _THRESHOLD in between:
        raise MistakesError([(("between",), "must be two numbers: losses differ in thresholds")])
    m = np.linspace(float(between[0]), float(between[1]), _N_POINTS)
    for step in losses:
        for a, b in itertools.pairwise(step):
            gap = np.abs(_values(a, m, show) - _values(b, m, show)).max()
            numbers = {"difference": f"at most {gap:.4g}"}
            yield _case(f"{a.label} = {b.label}", gap <= _TINY, numbers)
    for lower, upper in itertools.pairwise(losses):
        gaps = _values(upper[0], m, show) - _values(lower[0], m, show)
        numbers = {"difference": f"{gaps.min() + 0.0:.4g} to {gaps.max():.4g}"}
        holds = gaps.min() >= -_TINY and gaps.max() > _TINY
        yield _case(f"{lower[0].label} \N{LESS-THAN OR EQUAL TO} {upper[0].label}", holds, numbers)


def _values(loss: NamedLoss, m: Floats, show: str) -> Floats:
    return loss.loss.weight(m) if show == "weight" else loss.loss.value(m)


def _case(subject: str, holds: bool, numbers: dict[str, str]) -> Case:
    return Case("", subject, Opinion("holds" if holds else "fails"), numbers)
