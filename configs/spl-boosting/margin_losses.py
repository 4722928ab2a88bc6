"""Losses of the margin in configs, for the figures and claims about losses.

A loss is a name, such as ``savage``, or ``{name: {parameters}}``, such as ``{linear: {age: 3}}``.
The name of a self-paced regulariser denotes the latent loss that it makes of the exponential loss.
A list as the value of a parameter gives one loss per item; ``label`` sets the label of a loss.
"""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from boostbench.plugins import (
    LOSSES,
    REGULARISERS,
    BoostbenchError,
    Latent,
    MarginLoss,
    UnknownNameError,
)

_LABELS = {
    "exponential": "exponential (AdaBoost)",
    "logistic": "logistic (LogitBoost)",
    "logistic-2": "logistic of 2m (LogitBoost)",
    "squared": "squared (L2Boost)",
    "savage": "Savage (SavageBoost)",
    "savage2": "Savage2 (RBoost)",
    "tangent": "tangent",
    "zero-one": "0-1",
}
_SYMBOLS = {"age": "\u03bb", "power": "t", "gamma": "\u03b3", "zeta": "\u03b6"}


@dataclass(frozen=True)
class NamedLoss:
    """A loss with its name and label.

    Attributes
    ----------
    name : str
        Name of the loss or of the regulariser.
    label : str
        Label in figures and tables.
    loss : MarginLoss
    """

    name: str
    label: str
    loss: MarginLoss

    @property
    def is_latent(self) -> bool:
        """True for the loss of a self-paced booster."""
        return isinstance(self.loss, Latent)

    @property
    def threshold(self) -> float:
        """Margin below which samples are left out; -inf if no sample is."""
        if not isinstance(self.loss, Latent):
            return -math.inf
        return -math.log(self.loss.regulariser.threshold)


def read_losses(value: Any) -> list[NamedLoss]:
    """Read one loss or a list of losses.

    Raises
    ------
    BoostbenchError
        If a name or a parameter is unknown, or a value is out of range.
    """
    listed = value if isinstance(value, list | tuple) else [value]
    return [loss for item in listed for loss in _read(item)]


def _read(item: Any) -> Iterable[NamedLoss]:
    if isinstance(item, Mapping) and len(item) == 1:
        ((name, params),) = item.items()
    else:
        name, params = item, {}
    if not isinstance(name, str) or not isinstance(params, Mapping):
        raise BoostbenchError(f"a loss is a name or {{name: {{parameters}}}}, found {item!r}")
    if name not in LOSSES and name not in REGULARISERS:
        raise UnknownNameError("loss", name, [*LOSSES, *REGULARISERS])
    label = params.get("label")
    own = {key: value for key, value in params.items() if key != "label"}
    for values in itertools.product(*map(_several, own.values())):
        chosen = dict(zip(own, values, strict=True))
        loss = _make(name, chosen)
        yield NamedLoss(name, str(label or _label(name, chosen)), loss)


def _make(name: str, params: Mapping[str, Any]) -> MarginLoss:
    known = inspect.signature(REGULARISERS[name]).parameters if name in REGULARISERS else {}
    for key, value in params.items():
        if key not in known:
            raise UnknownNameError(f"parameter of the loss {name!r}", key, known)
        if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
            raise BoostbenchError(f"{key} of the loss {name!r} must be positive, found {value!r}")
        if key == "power" and value <= 1:
            raise BoostbenchError(f"{key} of the loss {name!r} must exceed 1, found {value!r}")
    if name in LOSSES:
        return LOSSES[name]
    if "age" not in params:
        raise BoostbenchError(f"the loss {name!r} needs an age, {{{name}: {{age: 3}}}}")
    return Latent(REGULARISERS[name](**params))


def _label(name: str, params: Mapping[str, Any]) -> str:
    if name in LOSSES:
        return _LABELS[name]
    words = [f"{_SYMBOLS[key]} = {value:g}" for key, value in params.items() if key in _SYMBOLS]
    return ", ".join([name, *words])


def _several(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else [value]
