"""The entries of a config: data sets, noises, boosters.

A model holds an entry in the form of the config. Its method ``read`` returns the compared values
(`DataSpec`, `BoosterSpec`, `Noise`), one for each combination of listed parameter values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from pydantic import ConfigDict, Field, GetJsonSchemaHandler, ValidationInfo, model_validator
from pydantic_core import CoreSchema

from boostbench import registry
from boostbench.data import DatasetEntry
from boostbench.data.downloads import members_of
from boostbench.errors import unknown
from boostbench.experiments.configs.components import check_component
from boostbench.experiments.configs.expressions import is_expression, texts_in
from boostbench.experiments.configs.fields import (
    CostMatrix,
    Encoding,
    Missing,
    Rate,
    Rounds,
    Seeds,
    Setting,
    SplitSpec,
    Text,
    setting_of,
)
from boostbench.experiments.configs.grids import (
    GridAxes,
    check_size,
    points_of,
    read_grid,
    with_point,
)
from boostbench.experiments.configs.sweeps import expand_sweeps, swept_label
from boostbench.experiments.runs import CLEAN, BoosterSpec, Data, Noise, Params
from boostbench.source import Place, show
from boostbench.validation import MistakesError, Model, OneOrMore

#: Key that holds the name of an entry, distinct from all options.
NAME = "<name>"
_MAX_NAME = 200


@dataclass(frozen=True)
class DataSpec:
    """A data set and the settings that apply to it alone."""

    data: Data
    split: str | Params | None = None
    rounds: int | None = None
    #: Parameters by the label or name of a booster.
    booster_params: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    extend: bool = True  # whether ranges of parameters may be extended
    #: Largest values of numeric parameters; boosters with a larger value are left out.
    at_most: Mapping[str, float] = field(default_factory=dict)
    seeds: tuple[int, ...] = ()  # replaces the seeds of the config unless empty


def name_and_options(value: Any, kind: str) -> tuple[str, Mapping[str, Any]]:
    """Return name and options of an entry written as a name or ``{name: {option: value}}``.

    Raises
    ------
    ValueError
        If the entry has another form; the message calls it a ``kind``.
    """
    if isinstance(value, str) and value:
        value = {value: None}
    if isinstance(value, dict) and len(value) == 1:
        name, options = next(iter(value.items()))
        if len(name) > _MAX_NAME:
            raise ValueError(f"the name {show(name)} is longer than {_MAX_NAME} characters")
        if options is None or isinstance(options, dict):
            return name, options or {}
        raise ValueError(f"the options of {name!r} must be a mapping, found {show(options)}")
    if isinstance(value, dict) and value and next(iter(value.values())) is None:
        name, *rest = value
        below = f"indent {', '.join(rest)} below {name!r}"
        raise ValueError(f"{below}: a {kind} is a name or {{name: {{...}}}}")
    raise ValueError(f"a {kind} is a name or {{name: {{...}}}}, found {show(value)}")


class Named(Model):
    """Base of entries written as a name or as ``{name: {option: value}}``."""

    #: Name of the kind of entry in messages.
    entry: ClassVar[str] = "entry"

    name: str = Field(alias="<name>", exclude=True)

    @classmethod
    def written(cls, value: Any) -> Any:
        """Return the options, with the name under the key `NAME`."""
        name, options = name_and_options(value, cls.entry)
        return {**options, NAME: name}

    @classmethod
    def known_names(cls) -> list[str]:
        """Return the names that an editor suggests; others may be valid too."""
        return []

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        options = handler.resolve_ref_schema(handler(schema))
        del options["properties"][NAME]
        options["required"] = [key for key in options.get("required", ()) if key != NAME]
        names = cls.known_names()
        return {
            "anyOf": [
                {"type": "string", "minLength": 1, "examples": names},
                {
                    "type": "object",
                    "minProperties": 1,
                    "maxProperties": 1,
                    "additionalProperties": {"anyOf": [dict(options), {"type": "null"}]},
                },
            ]
        }

    def extra(self) -> dict[str, Any]:
        """Return the parameters, that is, all keys that the model does not declare."""
        return dict(self.model_extra or {})


class DataSetEntry(Named):
    """A data set: a name, or {name: {options}}; options include parameters of a generator."""

    model_config = ConfigDict(extra="allow")
    entry: ClassVar[str] = "data set"

    label: Text | None = Field(None, alias="as", description="Name in tables.")
    cost: CostMatrix = Field((), description="Cost of a prediction (column) for a class (row).")
    encode: Encoding | None = Field(
        None, description="Conversion of categorical columns to numbers."
    )
    missing: Missing | None = Field(None, description="Replacement of missing values.")
    split: SplitSpec | None = Field(None, description="Division of the rows of this data set.")
    rounds: Rounds | None = Field(None, description="Number of rounds for this data set alone.")
    seeds: Seeds = Field((), description="Number of seeds or a list, for this data set alone.")
    boosters: Mapping[str, Mapping[str, Any]] = Field(
        {},
        description="Parameters for this data set alone, by booster.",
        json_schema_extra={"wanted": "{booster: {parameter: value}}"},
    )
    extend: bool = Field(True, description="Allow the extension of ranges of parameters.")
    at_most: Mapping[str, float] = Field(
        {},
        description="Leave out boosters in which a parameter is larger.",
        json_schema_extra={"wanted": "{parameter: number}"},
    )

    @classmethod
    def known_names(cls) -> list[str]:
        """Return the data sets of the shipped catalog and the generators."""
        from boostbench.data import catalog

        return sorted({*catalog(()), *registry.generators.names()})

    @model_validator(mode="after")
    def _check(self, info: ValidationInfo) -> DataSetEntry:
        mistakes = MistakesError()
        setting = setting_of(info)
        entry: DatasetEntry | None = mistakes.take(
            lambda name: [*map(setting.dataset, members_of(name))].pop(), self.name
        )
        if entry is not None and not entry.generator:
            known = [f.alias or key for key, f in type(self).model_fields.items() if key != "name"]
            mistakes.keys(self.extra(), known)
        elif entry is not None and setting.check_parameters:
            check_component(registry.generators, entry.generator, self.extra(), mistakes)
        mistakes.take(expand_sweeps, self.extra())
        for name, params in self.boosters.items():
            if "grid" in params:
                mistakes.take(read_grid, params["grid"], "boosters", name, "grid")
        mistakes.close()
        return self

    def read(self, setting: Setting) -> list[DataSpec]:
        """Return a data set for each combination of listed parameter values."""
        names = members_of(self.name)
        return [
            DataSpec(
                Data(
                    name=setting.dataset(name).name,
                    params=Params(variant),
                    encode=self.encode or "",
                    missing="" if self.missing is None else self.missing,
                    cost=self.cost,
                    label=swept_label(name if len(names) > 1 else self.label or name, swept),
                ),
                self.split,
                self.rounds,
                self.boosters,
                self.extend,
                self.at_most,
                self.seeds,
            )
            for name in names
            for variant, swept in expand_sweeps(self.extra())
        ]


class BoosterEntry(Named):
    """A booster: a name, FILE.py:Class, or {name: {parameters}}; a list of values is a sweep."""

    model_config = ConfigDict(extra="allow")
    entry: ClassVar[str] = "booster"

    label: Text | None = Field(None, description="Name in tables.")
    rounds: Rounds | None = Field(None, description="Number of rounds of this booster alone.")
    grid: GridAxes = Field((), description="Candidate values of parameters, for 'select'.")

    @classmethod
    def known_names(cls) -> list[str]:
        """Return the registered boosters."""
        return registry.boosters.names()

    @model_validator(mode="after")
    def _check(self, info: ValidationInfo) -> BoosterEntry:
        mistakes = MistakesError()
        setting = setting_of(info)
        source = setting.source_of(self.name)
        if ".py:" not in source and source not in registry.boosters:
            mistakes.add(unknown("booster", self.name, registry.boosters.names()))
        for place, item in texts_in(self.extra()):
            mistakes.take(is_expression, item, *place)
        mistakes.take(partial(check_size, self.grid), self.extra())
        mistakes.close()
        for booster in self.read(setting) if setting.check_parameters else ():
            for params in _variants_to_check(booster):
                if (source, params) not in setting.checked:
                    inner = MistakesError()
                    check_component(registry.boosters, source, params, inner, booster.name)
                    setting.checked[source, params] = inner.found
                for place, what in setting.checked[source, params]:
                    in_grid = ("grid",) if _is_in_grid(place, booster) else ()
                    mistakes.found.append(((*in_grid, *place), what))
        mistakes.found = list(dict.fromkeys(mistakes.found))
        mistakes.close()
        return self

    def read(self, setting: Setting) -> list[BoosterSpec]:
        """Return a booster for each combination of listed parameter values."""
        source, shown = setting.source_of(self.name), _without_folder(self.name)
        label = self.label or shown.rpartition(".py:")[2]
        return [
            BoosterSpec(
                shown, Params(params), swept_label(label, swept), source, self.rounds, self.grid
            )
            for params, swept in expand_sweeps(self.extra())
        ]


class NoiseEntry(Model):
    """Label noise of the training samples: none, or a model with its rate or rates."""

    model_config = ConfigDict(extra="allow")

    model: Text = Field(description="Noise model.")
    rate: OneOrMore[Rate] = Field(
        description="Fraction of the training samples chosen for corruption, or a list.",
        json_schema_extra={"wanted": "a number from 0 to 1"},
    )

    @classmethod
    def written(cls, value: Any) -> Any:
        """Return the mapping; ``none`` becomes a model of rate 0."""
        if value is None or value == "none":
            return {"model": "none", "rate": 0.0}
        if not isinstance(value, dict) or "model" not in value:
            example = "{model: exchange, rate: 0.2}"
            if isinstance(value, str) and value in registry.noise_models:
                raise ValueError(f"needs a rate: {example.replace('exchange', value)}")
            raise ValueError(f"must be 'none' or e.g. {example}, found {show(value)}")
        return value

    @model_validator(mode="after")
    def _check(self, info: ValidationInfo) -> NoiseEntry:
        mistakes = MistakesError()
        setting = setting_of(info)
        source = setting.source_of(self.model)
        if ".py:" not in source and source not in registry.noise_models and self.rate != (0.0,):
            names = registry.noise_models.names()
            mistakes.add(unknown("noise model", self.model, names), "model")
        elif setting.check_parameters and self.model != "none":
            check_component(registry.noise_models, source, self.model_extra or {}, mistakes)
        mistakes.close()
        return self

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        written = handler.resolve_ref_schema(handler(schema))
        written["properties"]["model"]["examples"] = registry.noise_models.names()
        return {"anyOf": [{"const": "none"}, {"type": "null"}, dict(written)]}

    def read(self, setting: Setting) -> list[Noise]:
        """Return the noise model at each rate; rate 0 is no noise."""
        source, params = setting.source_of(self.model), Params(self.model_extra)
        return [
            CLEAN if rate == 0 else Noise(_without_folder(self.model), rate, params, source)
            for rate in self.rate
        ]


def _without_folder(name: str) -> str:
    """Return a registered name, or the file name and attribute of a plugin without its folder."""
    return Path(name).name if ".py:" in name else name


def _variants_to_check(booster: BoosterSpec) -> list[Params]:
    """Return the parameters for every value of the grid, with the other axes at their first one."""
    first = points_of(booster.grid)[0]
    boosters = dict.fromkeys(
        with_point(booster, (*first[:index], value, *first[index + 1 :]))
        for index, axis in enumerate(booster.grid)
        for value in axis.values
    )
    return [variant.params for variant in boosters or (booster,)]


def _is_in_grid(place: Place, booster: BoosterSpec) -> bool:
    """Return whether a place is a parameter of the grid, or inside or around one."""
    return any(all(a == b for a, b in zip(place, axis.path, strict=False)) for axis in booster.grid)
