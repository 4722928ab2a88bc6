"""The entries of a config: data sets, noises, boosters.

A model holds an entry as it is written; ``read`` makes the values of runs of it, one for each
combination of listed parameter values.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from pydantic import ConfigDict, Field, GetJsonSchemaHandler, ValidationInfo, model_validator
from pydantic_core import CoreSchema

from boostbench import registry
from boostbench.data import DatasetEntry, find_entry
from boostbench.experiments.configs.expressions import is_expression
from boostbench.experiments.configs.fields import (
    MAX_VARIANTS,
    Costs,
    Encoding,
    Missing,
    Rate,
    Rounds,
    Seeds,
    SplitSpec,
    Text,
)
from boostbench.experiments.configs.mistakes import Notes, unknown
from boostbench.experiments.configs.models import Model, OneOrMore
from boostbench.experiments.configs.parameters import (
    check_booster_params,
    check_generator_params,
    check_noise_params,
)
from boostbench.experiments.configs.points import points_of, with_point
from boostbench.experiments.configs.protocol import GridAxes, read_grid
from boostbench.experiments.configs.sweeps import count_variants, expand_sweeps, swept_label
from boostbench.experiments.runs import CLEAN, Booster, Data, Noise, Params
from boostbench.source import Place, show

#: Key of an entry's own name among its keys: no key of YAML is confused with it.
NAME = "<name>"
_MAX_NAME = 200


@dataclass(frozen=True)
class Setting:
    """Setting in which a config is read: the names and files it may refer to.

    Attributes
    ----------
    files : tuple of Path
        The config, and those it extends.
    data_dirs : tuple of Path
    check_parameters : bool
    """

    files: tuple[Path, ...]
    data_dirs: tuple[Path, ...] = ()
    check_parameters: bool = True
    _found: dict[str, DatasetEntry] = field(default_factory=dict, compare=False)

    @property
    def path(self) -> Path:
        """The config."""
        return self.files[0]

    def beside(self, name: str) -> Path:
        """Return a file that is named by its path from the config, or from one it extends."""
        paths = [file.parent / Path(os.path.expanduser(name)) for file in self.files]
        return next((path for path in paths if is_file(path)), paths[0])

    def dataset(self, name: str) -> DatasetEntry:
        """Return what the catalog says of a data set; the folders are looked at once."""
        if name not in self._found:
            self._found[name] = find_entry(name, self.data_dirs)
        return self._found[name]


@dataclass(frozen=True)
class DataEntry:
    """One data set of a config and what holds for it alone.

    Attributes
    ----------
    data : Data
    split : str, Params or None
    rounds : int or None
    booster_params : mapping
        Parameters by the label or name of a booster.
    extend : bool
        Whether ranges of parameters extend themselves.
    at_most : mapping
        Largest values of numeric parameters; boosters beyond are left out.
    seeds : tuple of int
        In place of the config's; empty: those.
    """

    data: Data
    split: str | Params | None = None
    rounds: int | None = None
    booster_params: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    extend: bool = True
    at_most: Mapping[str, float] = field(default_factory=dict)
    seeds: tuple[int, ...] = ()


def is_file(path: Path) -> bool:
    """Tell whether there is such a file; no file has a name that the system refuses."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


class Named(Model):
    """An entry that is written as a name or as ``{name: {option: value}}``."""

    #: Names the entry in messages.
    entry: ClassVar[str] = "entry"

    name: str = Field(alias="<name>", exclude=True)

    @classmethod
    def written(cls, value: Any) -> Any:
        """Return the options with the name among them."""
        if isinstance(value, str) and value:
            value = {value: None}
        if isinstance(value, dict) and len(value) == 1:
            name, options = next(iter(value.items()))
            if len(name) > _MAX_NAME:
                raise ValueError(f"the name {show(name)} is longer than {_MAX_NAME} characters")
            if options is None or isinstance(options, dict):
                return {**(options or {}), NAME: name}
            raise ValueError(f"the options of {name!r} must be a mapping, found {show(options)}")
        if isinstance(value, dict) and value and next(iter(value.values())) is None:
            name, *rest = value
            raise ValueError(
                f"indent {', '.join(rest)} below {name!r}: a {cls.entry} is a name or "
                "{name: {...}}"
            )
        raise ValueError(f"a {cls.entry} is a name or {{name: {{...}}}}, found {show(value)}")

    @classmethod
    def known_names(cls) -> list[str]:
        """Return the names that an editor offers; others may be right too."""
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
        """Return the parameters that are no keys of the entry itself."""
        return dict(self.model_extra or {})


class DataSetEntry(Named):
    """A data set: a name, or {name: {options}}; a generator's parameters stand among them."""

    model_config = ConfigDict(extra="allow")
    entry: ClassVar[str] = "data set"

    label: Text | None = Field(None, alias="as", description="Name in tables.")
    cost: Costs = Field((), description="Cost of an answer (column) for a true class (row).")
    encode: Encoding | None = Field(None, description="How categorical columns become numbers.")
    missing: Missing | None = Field(None, description="What fills missing values.")
    split: SplitSpec | None = Field(None, description="How rows are divided, for this set alone.")
    rounds: Rounds | None = Field(None, description="Number of rounds for this set alone.")
    seeds: Seeds = Field((), description="Number of seeds or a list, for this set alone.")
    boosters: Mapping[str, Mapping[str, Any]] = Field(
        {},
        description="Parameters for this set alone, by booster.",
        json_schema_extra={"wanted": "{booster: {parameter: value}}"},
    )
    extend: bool = Field(True, description="Let ranges of parameters grow.")
    at_most: Mapping[str, float] = Field(
        {},
        description="Leave out boosters in which a parameter is larger.",
        json_schema_extra={"wanted": "{parameter: number}"},
    )

    @classmethod
    def known_names(cls) -> list[str]:
        """Return the names of the shipped catalog and of generators."""
        from boostbench.data import catalog

        return sorted({*catalog(()), *registry.generators.names()})

    @model_validator(mode="after")
    def _check(self, info: ValidationInfo) -> DataSetEntry:
        notes = Notes()
        setting: Setting = (info.context or {})["setting"]
        found: DatasetEntry | None = notes.take(setting.dataset, self.name)
        if found is not None and not found.generator:
            known = [f.alias or key for key, f in type(self).model_fields.items() if key != "name"]
            notes.keys(self.extra(), known)
        elif found is not None and setting.check_parameters:
            check_generator_params(found.generator, self.extra(), notes)
        _check_variants(self.extra(), notes)
        for name, params in self.boosters.items():
            if "grid" in params:
                notes.take(read_grid, params["grid"], "boosters", name, "grid")
        notes.close()
        return self

    def read(self, setting: Setting) -> list[DataEntry]:
        """Return the data set, or one for each combination of listed parameters."""
        name = setting.dataset(self.name).name
        return [
            DataEntry(
                Data(
                    name=name,
                    params=Params(variant),
                    encode=self.encode or "",
                    missing="" if self.missing is None else self.missing,
                    cost=self.cost,
                    label=swept_label(self.label or self.name, swept),
                ),
                self.split,
                self.rounds,
                self.boosters,
                self.extend,
                self.at_most,
                self.seeds,
            )
            for variant, swept in expand_sweeps(self.extra())
        ]


class BoosterEntry(Named):
    """A booster: a name, FILE.py:Class, or {name: {parameters}}; a list of values is a sweep."""

    model_config = ConfigDict(extra="allow")
    entry: ClassVar[str] = "booster"

    label: Text | None = Field(None, description="Name in tables.")
    rounds: Rounds | None = Field(None, description="Number of rounds of this booster alone.")
    grid: GridAxes = Field((), description="Candidates of parameters that 'select' chooses from.")

    @classmethod
    def known_names(cls) -> list[str]:
        """Return the registered names."""
        return registry.boosters.names()

    @model_validator(mode="after")
    def _check(self, info: ValidationInfo) -> BoosterEntry:
        notes = Notes()
        setting: Setting = (info.context or {})["setting"]
        source = source_of(self.name, setting)
        if ".py:" not in source and source not in registry.boosters:
            notes.add(unknown("booster", self.name, registry.boosters.names()))
        for place, item in _texts(self.extra()):
            notes.take(is_expression, item, *place)
        _check_variants(self.extra(), notes)
        notes.close()
        if setting.check_parameters:
            for booster in self.read(setting):
                for one in _with_each_value(booster):
                    mistakes = Notes()
                    check_booster_params(source, booster.name, one.params.plain(), mistakes)
                    for place, what in mistakes.found:
                        in_grid = ("grid",) if _is_chosen(place, booster) else ()
                        notes.found.append(((*in_grid, *place), what))
        notes.found = list(dict.fromkeys(notes.found))
        notes.close()
        return self

    def read(self, setting: Setting) -> list[Booster]:
        """Return the booster, or one for each combination of listed parameters."""
        source = source_of(self.name, setting)
        shown = self.name if ".py:" not in self.name else Path(self.name).name
        label = self.label or shown.rpartition(".py:")[2]
        return [
            Booster(shown, Params(v), swept_label(label, swept), source, self.rounds, self.grid)
            for v, swept in expand_sweeps(self.extra())
        ]


class NoiseEntry(Model):
    """Label noise of the training samples: none, or a model with its rate or rates."""

    model_config = ConfigDict(extra="allow")

    model: Text = Field(description="A noise model.")
    rate: OneOrMore[Rate] = Field(
        description="The share of the training samples that are chosen, or a list of shares."
    )

    @classmethod
    def written(cls, value: Any) -> Any:
        """Return ``none`` as a model of rate 0, and one rate as a list of one."""
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
        notes = Notes()
        params = dict(self.model_extra or {})
        if self.model not in registry.noise_models and self.rate != (0.0,):
            notes.add(unknown("noise model", self.model, registry.noise_models.names()), "model")
        elif (info.context or {})["setting"].check_parameters and self.model != "none":
            check_noise_params(self.model, params, notes)
        notes.close()
        return self

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        written = handler.resolve_ref_schema(handler(schema))
        written["properties"]["model"]["examples"] = registry.noise_models.names()
        return {"anyOf": [{"const": "none"}, {"type": "null"}, dict(written)]}

    def read(self) -> list[Noise]:
        """Return the model at each of its rates; rate 0 is no noise."""
        params = Params(self.model_extra)
        return [CLEAN if rate == 0 else Noise(self.model, rate, params) for rate in self.rate]


def source_of(name: str, setting: Setting) -> str:
    """Return what the registry is asked for; a plugin file is looked for beside the config."""
    file, separator, attribute = name.rpartition(".py:")
    if not separator:
        return name
    beside = setting.beside(f"{file}.py")
    path = beside if is_file(beside) else Path(os.path.expanduser(f"{file}.py"))
    return f"{path.resolve()}:{attribute}"


def _check_variants(params: Mapping[str, Any], notes: Notes) -> None:
    if count_variants(params) > MAX_VARIANTS:
        notes.add(f"must make at most {MAX_VARIANTS:,} variants by its lists of values")
        notes.close()


def _with_each_value(booster: Booster) -> list[Booster]:
    """Return the booster with every value of its grid once, the others as listed first."""
    first = points_of(booster.grid)[0]
    found = {
        with_point(booster, (*first[:index], value, *first[index + 1 :])): None
        for index, axis in enumerate(booster.grid)
        for value in axis.values
    }
    return list(found) or [booster]


def _is_chosen(place: Place, booster: Booster) -> bool:
    """Tell whether a place among the parameters is one that the grid fills."""
    return any(all(a == b for a, b in zip(place, axis.path, strict=False)) for axis in booster.grid)


def _texts(value: Any, place: Place = ()) -> Iterator[tuple[Place, str]]:
    if isinstance(value, str):
        yield place, value
    items: Any = ()
    if isinstance(value, Mapping):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    for key, item in items:
        yield from _texts(item, (*place, key))
