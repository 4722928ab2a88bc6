"""Tables, figures and claims of a config, with the options that each registered kind declares.

A kind of table or figure is a function; its keyword-only parameters, with their types and defaults,
are its options. This module derives a model from the parameters, on the base class named by the
registry of the kind; the model is validated with the rest of the config. Types that depend on the
config (the label of a booster, a file beside the config) read the `Scope` and the `Setting` from
the context of the validation. A kind of claim is itself the model of its options.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pkgutil import resolve_name
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, create_model

from boostbench import registry
from boostbench.errors import BoostbenchError, unknown
from boostbench.experiments.configs.entries import read_list, refuse_repeats
from boostbench.experiments.configs.fields import Text, is_number, setting_of
from boostbench.experiments.runs import Noise
from boostbench.registry import Registry, name_and_options
from boostbench.source import show
from boostbench.validation import MistakesError, Model

#: Keys of a config that a `Scope` describes.
_SCOPE_KEYS = {"datasets", "boosters", "noise", "rounds", "checkpoints", "seeds"}


class Scope:
    """Names and values of a config that options refer to.

    Parameters
    ----------
    data : mapping
        The valid keys of the config, with their values.

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

    def __init__(self, data: Mapping[str, Any] = MappingProxyType({})) -> None:
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
        #: Quantities that the runs record on request, by the key that asks for them.
        self.asked = {key: tuple(data[key]) for key in ("metrics", "record") if key in data}
        self.names = {**sets, **methods}
        self.unknown = _SCOPE_KEYS - data.keys()


def scope_of(info: ValidationInfo) -> Scope:
    """Return the scope of the config under validation."""
    scope: Scope = (info.context or {})["scope"]
    return scope


class Options(Model):
    """Options of one registered kind."""

    function: ClassVar[Callable[..., Any]]  # the function of the kind

    def check(self, scope: Scope) -> None:
        """Check valid options in combination, and against the rest of the config.

        Raises
        ------
        ValueError
            `MistakesError` with the places of several errors, or another.
        """

    def in_print(self, scope: Scope, papers: Iterable[Any]) -> bool | None:
        """Return whether printed values satisfy a claim; None if they cannot tell."""
        return None

    def arguments(self) -> dict[str, Any]:
        """Return the keyword arguments of the function."""
        names = inspect.signature(self.function).parameters.keys() & type(self).model_fields
        return {name: getattr(self, name) for name in names}


def options_model(kinds: Registry, name: str) -> type[Options]:
    """Return the model of the options of the table, figure or claim called ``name``.

    Raises
    ------
    BoostbenchError
        If the kind is unknown or cannot be loaded.
    """
    kind, base = kinds.get(name), resolve_name(kinds.base)
    if isinstance(kind, type) and issubclass(kind, base):
        return kind
    if kinds is registry.claims:
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
    fields: dict[str, Any] = {}
    for p in inspect.signature(function).parameters.values():
        if p.kind is p.KEYWORD_ONLY and p.name not in base.model_fields:
            kind = Any if p.annotation is p.empty else p.annotation
            kind = eval(kind, function.__globals__) if isinstance(kind, str) else kind
            kind = _LABELS.get(p.name, kind) if kind in (Any, str) else kind
            fields[p.name] = kind, ... if p.default is p.empty else p.default
    name = f"Options of {function.__name__}"
    model = create_model(name, __base__=base, __doc__=function.__doc__, **fields)
    model.function = staticmethod(function)
    return model


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
    by_rate, rates = is_number(value), {noise.full_label: noise.rate for noise in scope.noises}
    labels = [label for label, rate in rates.items() if (rate if by_rate else label) == value]
    if len(labels) > 1:
        raise ValueError(f"noise: {show(value)} is the rate of {', '.join(labels)}; name one")
    if not labels:
        raise ValueError(unknown("noise", str(value), rates))
    return labels[0]


#: Labels of the config; a noise may be given by its rate instead.
BoosterLabel = Annotated[str, _known("booster", "boosters")]
DataSetLabel = Annotated[str, _known("data set", "datasets")]
NoiseLabel = Annotated[str, BeforeValidator(_noise, json_schema_input_type=str | float)]
#: Types of options without one, or with str, by name.
_LABELS = {"booster": BoosterLabel, "dataset": DataSetLabel, "noise": NoiseLabel}

#: Source of a claim: the paper, this project, mathematics (runs can only confirm an identity), or
#: this project in contradiction to the paper.
Origin = Literal["paper", "ours", "identity", "against the paper"]


class ClaimWords(Model):
    """Wording and source of a claim."""

    says: Text = Field(description="The claim in words.")
    note: str = Field("", description="A remark for the reader of the verdict.")
    origin: Origin = Field("ours", description="Source of the claim.")
    section: str = Field("", description="Section, table or figure of the paper.")
    quote: str = Field("", description="Wording of the paper; ... marks an omission.")
    changed: str = Field(
        "", description="Change made after its results were seen, with its date; always shown."
    )
    misprint: str = Field(
        "", description="Reason why the paper's own values do not satisfy the claim; always shown."
    )


class Claim(ClaimWords):
    """A claim and its check."""

    kind: str  # registered name of the kind of claim
    options: Options
    scope: Scope = Field(default_factory=Scope)
    entry: Any = None  # the mapping in the config


def _context(info: ValidationInfo) -> Mapping[str, Any]:
    """Return the context in which options of a config are validated."""
    return {"setting": setting_of(info), "scope": Scope(info.data)}


def read_claims(value: Any, info: ValidationInfo) -> tuple[Claim, ...]:
    """Read the key ``claims``.

    Printed values that the tables and figures of the config show must satisfy the claims of the
    paper, unless a reason is given.
    """
    shown = (getattr(part.options, "paper", None) for part in info.data.get("report", ()))
    read = partial(_read_claim, _context(info), list(filter(None, shown)))
    return read_list(value, read, "a list of claims")


def _read_claim(context: Mapping[str, Any], papers: Sequence[Any], value: Any) -> list[Claim]:
    if not isinstance(value, dict) or "says" not in value:
        raise ValueError(f"a claim must have 'says: ...' in words, found {show(value)}")
    mistakes = MistakesError()
    words = {key: value[key] for key in ClaimWords.model_fields if key in value}
    told = mistakes.take(ClaimWords.model_validate, words)
    missing = [key for key in ("section", "quote") if told and not getattr(told, key)]
    if missing and "paper" in told.origin:
        what = f"a claim of origin {told.origin!r} must have {' and '.join(missing)}"
        mistakes.add(f"{what}: the place in the paper and its wording")
    kind, *others = [key for key in value if key not in words] or ["none"]
    if others or not isinstance(value.get(kind), dict):
        what = "a claim must have 'says' and one check such as 'compares: {...}', found"
        mistakes.add(f"{what} {', '.join((kind, *others))}")
    elif kind not in registry.claims:
        mistakes.add(unknown("kind of claim", kind, registry.claims.names()), kind)
    mistakes.close()
    source = context["setting"].source_of(kind)
    read = partial(read_options, registry.claims, source, context=context)
    options = mistakes.take(read, value[kind], kind)
    mistakes.close()
    claim = Claim(kind=kind, options=options, scope=context["scope"], entry=value, **words)
    is_asked = claim.origin == "paper" and papers
    is_printed = options.in_print(claim.scope, papers) if is_asked else None
    if is_printed is False and not claim.misprint:
        what = "the printed values do not satisfy it; correct it, or give the reason as"
        mistakes.add(f"{what} 'misprint'", kind)
    if is_printed and claim.misprint:
        mistakes.add("the printed values satisfy it", "misprint")
    mistakes.close()
    return [claim]


#: Names of files beside those of parts, and of sections of the page.
_TAKEN = {"answer", "claims", "paper", "protocol", "provenance"}


@dataclass(frozen=True)
class ReportPart:
    """A table or a figure of the report."""

    name: str  # name of the files, without suffix
    kind: str  # registered name, or ``FILE.py:function``
    options: Options
    written: Mapping[str, Any] = field(default_factory=dict, compare=False)


def read_parts(value: Any, info: ValidationInfo) -> tuple[ReportPart, ...]:
    """Read the key ``report``: a table and curves if it is empty.

    The name of a part is its option ``name`` or its kind.
    """
    read, value = partial(_read_part, _context(info)), value or ("table", "curves")
    parts = read_list(value, read, "a list of parts such as [table: {...}]")
    names = ((part.name, index) for index, part in enumerate(parts))
    refuse_repeats(names, "parts of the report", "name")
    return parts


def _read_part(context: Mapping[str, Any], entry: Any) -> list[ReportPart]:
    name, written = name_and_options(entry, "part of the report")
    kind = context["setting"].source_of(name)
    kinds = registry.tables if kind in registry.tables.names() else registry.figures
    if kind not in kinds:
        known = [*registry.tables.names(), *registry.figures.names()]
        raise ValueError(unknown("part of the report", kind, known))
    options = read_options(kinds, kind, written, context)
    own_name = getattr(options, "name", None) or kind.rpartition(":")[2]
    if own_name.lower() in _TAKEN:
        raise ValueError(f"{own_name!r} is a file or section of every report; give another 'name'")
    return [ReportPart(own_name, kind, options, written)]
