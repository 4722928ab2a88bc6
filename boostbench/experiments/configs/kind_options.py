"""Options of what a report shows and of claims: each registered kind declares its own.

A kind of table, figure or claim is a function; its keyword-only parameters, with their types and
defaults, are its options. The model of the options is made of them here, on the base that the
registry of the kind names, and validated with the rest of the config. A type that has to know the
config (the label of a booster, a file beside it) finds its `Scope` and `Setting` in the context of
the validation. A kind whose options can be wrong together has a model that says so
(`with_options`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any, ClassVar, TypeVar, get_type_hints

from pydantic import AfterValidator, BeforeValidator, ConfigDict, ValidationInfo, create_model

from boostbench.errors import BoostbenchError, unknown
from boostbench.experiments.runs import Noise
from boostbench.registry import Registry
from boostbench.source import show
from boostbench.validation import Model

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Scope:
    """Names and values that options refer to: those of the config without size or ``--set``."""

    datasets: tuple[str, ...] = ()  # labels
    boosters: tuple[str, ...] = ()  # labels
    noises: tuple[Noise, ...] = ()
    rounds: int = 0  # the largest number that any run makes
    checkpoints: tuple[int, ...] = ()
    seeds: tuple[int, ...] = ()
    path: Path = Path()  # the config
    #: The plain name of what a label stands for.
    names: Mapping[str, str] = field(default_factory=dict)
    #: Keys of the config that are wrong, so that nothing can be said about them.
    unknown: frozenset[str] = frozenset()


def scope_of(info: ValidationInfo) -> Scope:
    """Return the scope of the config under validation."""
    scope: Scope = (info.context or {})["scope"]
    return scope


class Options(Model):
    """Options of one registered kind."""

    function: ClassVar[Callable[..., Any]]  # the kind
    registered: ClassVar[str] = ""  # its name
    own: ClassVar[tuple[str, ...]] = ()  # the names of the function's options
    #: True if the options are made of the parameters of a function; else the kind is their model.
    is_derived: ClassVar[bool] = True

    def check(self, scope: Scope) -> None:
        """Check what the options ask for as a whole, once each of them is right.

        Raises
        ------
        MistakesError
        """

    def arguments(self) -> dict[str, Any]:
        """Return the values of the function's keyword-only parameters."""
        return {name: getattr(self, name) for name in self.own} | dict(self.model_extra or {})


def options_model(kinds: Registry, name: str) -> type[Options]:
    """Return the model of the options of the table, figure or claim called ``name``.

    Raises
    ------
    BoostbenchError
        If there is no such kind or it cannot be loaded.
    """
    found, base = kinds.get(name), kinds.options()
    if isinstance(found, type) and issubclass(found, base):
        return found
    if not base.is_derived:
        raise BoostbenchError(f"{name!r} is no {kinds.kind}: it is no subclass of {base.__name__}")
    return _model(name, found, base)


def with_options(model: type[Options]) -> Callable[[Function], Function]:
    """Return a decorator that gives a kind a model with validators for its options."""

    def mark(function: Function) -> Function:
        function.options = model  # type: ignore[attr-defined]
        return function

    return mark


@lru_cache(maxsize=500)
def _model(name: str, function: Callable[..., Any], base: type[Options]) -> type[Options]:
    base = getattr(function, "options", base)
    parameters = inspect.signature(function).parameters.values()
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        base = type("AnyOptions", (base,), {"model_config": ConfigDict(extra="allow")})
    own = {p.name: p for p in parameters if p.kind is p.KEYWORD_ONLY}
    hints = get_type_hints(
        SimpleNamespace(
            __annotations__={
                key: Any if p.annotation is p.empty else p.annotation for key, p in own.items()
            }
        ),
        globalns=getattr(function, "__globals__", {}),
        include_extras=True,
    )
    fields: dict[str, Any] = {
        key: (hints[key], ... if p.default is p.empty else p.default)
        for key, p in own.items()
        if key not in base.model_fields
    }
    model = create_model(f"Options of {function.__name__}", __base__=base, **fields)
    model.function = staticmethod(function)
    model.registered = name
    model.own = tuple(own)
    return model


def _known(kind: str, key: str) -> AfterValidator:
    """Return a check that a label is among those of the config."""

    def check(value: str, info: ValidationInfo) -> str:
        scope = scope_of(info)
        labels: tuple[str, ...] = getattr(scope, key)
        if key not in scope.unknown and value not in labels:
            raise ValueError(unknown(kind, value, labels))
        return value

    return AfterValidator(check)


def _noise(value: Any, info: ValidationInfo) -> str:
    noises = scope_of(info).noises
    if "noise" in scope_of(info).unknown:
        return str(value)
    by_rate = isinstance(value, int | float) and not isinstance(value, bool)
    labels = [
        noise.full_label
        for noise in noises
        if (noise.rate if by_rate else noise.full_label) == value
    ]
    if len(labels) > 1:
        raise ValueError(f"noise: {show(value)} is the rate of {', '.join(labels)}; name one")
    if not labels:
        raise ValueError(unknown("noise", str(value), [noise.full_label for noise in noises]))
    return labels[0]


#: The label of a booster, of a data set, or of a noise (or its rate), of the config.
BoosterLabel = Annotated[str, _known("booster", "boosters")]
DataSetLabel = Annotated[str, _known("data set", "datasets")]
NoiseLabel = Annotated[str, BeforeValidator(_noise, json_schema_input_type=str | float)]
