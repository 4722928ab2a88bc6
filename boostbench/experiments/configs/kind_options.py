"""Options of tables, figures and claims, declared by each registered kind.

A kind of table or figure is a function; its keyword-only parameters, with their types and defaults,
are its options. This module derives a model from the parameters, on the base class named by the
registry of the kind; the model is validated with the rest of the config. Types that depend on the
config (the label of a booster, a file beside the config) read the `Scope` and the `Setting` from
the context of the validation. A kind of claim is itself the model of its options.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, BeforeValidator, ValidationInfo, create_model

from boostbench.errors import BoostbenchError, unknown
from boostbench.experiments.runs import Noise
from boostbench.registry import Registry
from boostbench.source import show
from boostbench.validation import Model

#: Keys of a config that a `Scope` describes.
_SCOPE_KEYS = {"datasets", "boosters", "noise", "rounds", "checkpoints", "seeds"}


class Scope:
    """Names and values of a config that options refer to.

    Parameters
    ----------
    data : mapping
        The valid keys of the config, with their values.
    path : Path
        File of the config.

    Attributes
    ----------
    datasets, boosters : tuple of str
        Labels.
    noises : tuple of Noise
    rounds : int
        Largest number of rounds of any run.
    checkpoints, seeds : tuple of int
    names : dict of str to str
        Name of the data set or booster of each label.
    unknown : set of str
        Invalid keys of the config, whose values are not available to checks.
    """

    def __init__(self, data: Mapping[str, Any] = MappingProxyType({}), path: Path = Path()) -> None:
        entries, boosters = data.get("datasets", ()), data.get("boosters", ())
        own_rounds = [each.rounds or 0 for each in (*entries, *boosters)]
        sets = {entry.data.label or entry.data.name: entry.data.name for entry in entries}
        methods = {booster.label or booster.name: booster.name for booster in boosters}
        self.datasets: tuple[str, ...] = tuple(sets)
        self.boosters: tuple[str, ...] = tuple(methods)
        self.noises: tuple[Noise, ...] = tuple(data.get("noise", ()))
        self.rounds: int = max([data.get("rounds", 0), *own_rounds])
        self.checkpoints: tuple[int, ...] = data.get("checkpoints", ())
        self.seeds: tuple[int, ...] = data.get("seeds", ())
        self.path = path
        self.names = {**sets, **methods}
        self.unknown = _SCOPE_KEYS - data.keys()


def scope_of(info: ValidationInfo) -> Scope:
    """Return the scope of the config under validation."""
    scope: Scope = (info.context or {})["scope"]
    return scope


class Options(Model):
    """Options of one registered kind."""

    function: ClassVar[Callable[..., Any]]  # the function of the kind
    own: ClassVar[tuple[str, ...]] = ()  # options declared by the function
    #: True if the model is derived from a function; False if the kind itself is the model.
    is_derived: ClassVar[bool] = True

    def check(self, scope: Scope) -> None:
        """Check valid options in combination, and against the rest of the config.

        Raises
        ------
        ValueError
            `MistakesError` with the places of several errors, or another.
        """

    def in_print(self, scope: Scope, papers: Iterable[Path]) -> bool | None:
        """Return whether files of printed values satisfy a claim; None if they cannot tell."""
        return None

    def arguments(self) -> dict[str, Any]:
        """Return the keyword arguments of the function."""
        return {name: getattr(self, name) for name in self.own}


def options_model(kinds: Registry, name: str) -> type[Options]:
    """Return the model of the options of the table, figure or claim called ``name``.

    Raises
    ------
    BoostbenchError
        If the kind is unknown or cannot be loaded.
    """
    kind, base = kinds.get(name), kinds.options()
    if isinstance(kind, type) and issubclass(kind, base):
        return kind
    if not base.is_derived:
        what = f"{name!r} is not a {kinds.kind}: it is not a subclass of {base.__name__}"
        raise BoostbenchError(what)
    return _model(kind, base)


def read_options(kinds: Registry, name: str, written: Any, context: Mapping[str, Any]) -> Options:
    """Return the checked options of the table, figure or claim called ``name``.

    Raises
    ------
    ValueError
        If the kind cannot be loaded or an option is invalid.
    """
    options = options_model(kinds, name).model_validate(written, context=context)
    options.check(context["scope"])
    return options


@lru_cache(maxsize=500)
def _model(function: Callable[..., Any], base: type[Options]) -> type[Options]:
    parameters = inspect.signature(function).parameters.values()
    own = {p.name: p for p in parameters if p.kind is p.KEYWORD_ONLY}
    fields: dict[str, Any] = {
        key: (_type_of(p, function), ... if p.default is p.empty else p.default)
        for key, p in own.items()
        if key not in base.model_fields
    }
    model = create_model(f"Options of {function.__name__}", __base__=base, **fields)
    model.function = staticmethod(function)
    model.own = tuple(own)
    return model


def _type_of(parameter: inspect.Parameter, function: Callable[..., Any]) -> Any:
    written = Any if parameter.annotation is parameter.empty else parameter.annotation
    return eval(written, function.__globals__) if isinstance(written, str) else written


def _known(kind: str, key: str) -> AfterValidator:
    """Return a validator of labels of the config."""

    def check(value: str, info: ValidationInfo) -> str:
        scope = scope_of(info)
        labels: tuple[str, ...] = getattr(scope, key)
        if key not in scope.unknown and value not in labels:
            raise ValueError(unknown(kind, value, labels))
        return value

    return AfterValidator(check)


def _noise(value: Any, info: ValidationInfo) -> str:
    scope = scope_of(info)
    if "noise" in scope.unknown:
        return str(value)
    by_rate = isinstance(value, int | float) and not isinstance(value, bool)
    labels = [
        noise.full_label
        for noise in scope.noises
        if (noise.rate if by_rate else noise.full_label) == value
    ]
    if len(labels) > 1:
        raise ValueError(f"noise: {show(value)} is the rate of {', '.join(labels)}; name one")
    if not labels:
        raise ValueError(unknown("noise", str(value), [noise.full_label for noise in scope.noises]))
    return labels[0]


#: Labels of the config; a noise may be given by its rate instead.
BoosterLabel = Annotated[str, _known("booster", "boosters")]
DataSetLabel = Annotated[str, _known("data set", "datasets")]
NoiseLabel = Annotated[str, BeforeValidator(_noise, json_schema_input_type=str | float)]
