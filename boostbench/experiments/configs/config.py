"""Configs: what an experiment compares."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, InstanceOf, TypeAdapter, ValidationInfo, field_validator

from boostbench.experiments.configs.claims import Claim, ClaimEntry, read_claims
from boostbench.experiments.configs.entries import (
    BoosterEntry,
    DataEntry,
    DataSetEntry,
    NoiseEntry,
    Setting,
)
from boostbench.experiments.configs.fields import (
    MAX_RUNS,
    MAX_VARIANTS,
    Checkpoints,
    Duration,
    Encoding,
    Missing,
    Records,
    Rounds,
    Seeds,
    Size,
    Slug,
    SplitSpec,
    is_number,
)
from boostbench.experiments.configs.mistakes import TOP, MistakesError, Notes, unknown
from boostbench.experiments.configs.models import Listed, Model, OneOrMore, Read
from boostbench.experiments.configs.options import Scope
from boostbench.experiments.configs.parameters import drawn_by
from boostbench.experiments.configs.protocol import Select
from boostbench.experiments.configs.report import PartEntry, ReportPart, read_parts
from boostbench.experiments.runs import CLEAN, Booster, Noise, Params

#: The alias of `Config.path`: no key of YAML is confused with it.
FILE = "<file>"
SizeName = Literal["quick", "standard", "full"]

#: Keys of which `Scope` tells.
_ABOUT = ("datasets", "boosters", "noise", "rounds", "checkpoints", "seeds")


#: Of a config that computes what it reports and trains nothing.
_NO_RUNS: Mapping[str, Any] = {"boosters": (), "datasets": (), "rounds": 1}
_LENGTH = Field(min_length=1, max_length=MAX_VARIANTS)
_DataSets = Annotated[Listed[DataSetEntry], _LENGTH]
_Boosters = Annotated[Listed[BoosterEntry], _LENGTH]
_Noises = Annotated[OneOrMore[NoiseEntry], _LENGTH]
_DATA_SETS: TypeAdapter[tuple[DataSetEntry, ...]] = TypeAdapter(_DataSets)
_BOOSTERS: TypeAdapter[tuple[BoosterEntry, ...]] = TypeAdapter(_Boosters)
_NOISES: TypeAdapter[tuple[NoiseEntry, ...]] = TypeAdapter(_Noises)


class Limits(Model):
    """Limits of one run."""

    time: Duration = Field(None, description="Wall time, such as 90s, 30m or 1h30m.")
    memory: Size = Field(None, description="Memory, such as 512M or 4G.")


def _read_datasets(value: Any, info: ValidationInfo) -> tuple[DataEntry, ...]:
    if value == ():
        return ()
    entries = _DATA_SETS.validate_python(value, context=info.context)
    found = tuple(data for entry in entries for data in entry.read(_setting(info)))
    named = [(e.data.label, repr(replace(e, data=replace(e.data, label="")))) for e in found]
    _refuse_repeats(named, "data sets", "as")
    return found


def _read_boosters(value: Any, info: ValidationInfo) -> tuple[Booster, ...]:
    if value == ():
        return ()
    entries = _BOOSTERS.validate_python(value, context=info.context)
    found = tuple(booster for entry in entries for booster in entry.read(_setting(info)))
    named = [(booster.label, repr(replace(booster, label="", source=""))) for booster in found]
    _refuse_repeats(named, "boosters", "label")
    return found


def _read_noises(value: Any, info: ValidationInfo) -> tuple[Noise, ...]:
    entries = _NOISES.validate_python(value, context=info.context)
    return tuple(dict.fromkeys(noise for entry in entries for noise in entry.read()))


def _read_parts(value: Any, info: ValidationInfo) -> tuple[ReportPart, ...]:
    return read_parts(value or ("table", "curves"), _context(info))


def _read_claims(value: Any, info: ValidationInfo) -> tuple[Claim, ...]:
    return read_claims(value, _context(info))


class Config(Model):
    """An experiment: what is compared, how often, and what is reported."""

    kind: ClassVar[str] = "a config"

    @classmethod
    def written(cls, value: Any) -> Any:
        """Return what was written; a report without runs has neither data sets nor boosters."""
        if isinstance(value, dict) and "report" in value and not _NO_RUNS.keys() & value.keys():
            return {**value, **_NO_RUNS}
        return value

    name: Slug = Field(description="Names the folder of the report.")
    title: str = Field("", description="Heading of the report.")
    paper: str = Field("", description="The paper that is reproduced.")
    description: str = Field("", description="Shown in the report.")
    boosters: Annotated[tuple[InstanceOf[Booster], ...], Read(_read_boosters, _Boosters)] = Field(
        description="What is compared; a list as the value of a parameter is a sweep.",
        json_schema_extra={"wanted": "a list of at least one booster"},
    )
    rounds: Rounds = Field(description="Number of rounds T.")
    datasets: Annotated[tuple[InstanceOf[DataEntry], ...], Read(_read_datasets, _DataSets)] = Field(
        description="Data sets of the catalog, files in a data folder, or generators.",
        json_schema_extra={"wanted": "a list of at least one data set"},
    )
    encode: Encoding = Field("ordinal", description="How categorical columns become numbers.")
    missing: Missing = Field("keep", description="What fills missing values.")
    split: SplitSpec = Field("official", description="How rows are divided into two parts.")
    noise: Annotated[tuple[InstanceOf[Noise], ...], Read(_read_noises, _Noises)] = Field(
        default_factory=lambda: (CLEAN,),
        description="Noise of the training labels: none, a model, or a list.",
        json_schema_extra={"wanted": "'none', a noise model, or a list of at least one of them"},
    )
    checkpoints: Checkpoints = Field(
        default_factory=lambda data: checkpoint_ladder(data.get("rounds", 1)),
        description="Rounds at which tables look; 1, 2, 5, 10, ... by default.",
    )
    seeds: Seeds = Field(
        (0,), description="Number of seeds, or a list of them.", validate_default=True
    )
    record: Records = Field((), description="What is recorded beside errors, loss and edges.")
    select: Select | None = Field(
        None, description="How values of a 'grid' are chosen.", validate_default=True
    )
    limits: Limits = Field(
        default_factory=lambda: Limits.model_validate({}), description="What one run may use."
    )
    report: Annotated[tuple[InstanceOf[ReportPart], ...], Read(_read_parts, list[PartEntry])] = (
        Field((), description="Tables and figures, in order.", validate_default=True)
    )
    claims: Annotated[tuple[InstanceOf[Claim], ...], Read(_read_claims, list[ClaimEntry])] = Field(
        (), description="What the paper says, and what would check it."
    )
    sizes: Mapping[SizeName, Mapping[str, Any]] = Field(
        {},
        description="Keys to replace by --size.",
        json_schema_extra={"wanted": "{quick: {key: value}} with keys of a config"},
    )
    path: Path = Field(alias="<file>", exclude=True)

    def scope(self) -> Scope:
        """Return what the config is about."""
        return _scope(dict(self), self.path)

    # Each check stands at the last key that it needs: what is wrong elsewhere is said besides.

    @field_validator("datasets")
    @classmethod
    def _known_boosters(
        cls, datasets: tuple[DataEntry, ...], info: ValidationInfo
    ) -> tuple[DataEntry, ...]:
        boosters: Sequence[Booster] = info.data.get("boosters", ())
        labels = {name for booster in boosters for name in (booster.label, booster.name)}
        notes = Notes()
        for index, entry in enumerate(datasets if labels else ()):
            for name in entry.booster_params:
                if name not in labels:
                    notes.add(unknown("booster", name, labels), index, "boosters", name)
        takers = [booster.label for booster in boosters if booster.takes_cost_of_data]
        for index, entry in enumerate(datasets if takers else ()):
            if not entry.data.cost:
                what = f"needs a 'cost', a matrix, because {takers[0]} has 'cost: data'"
                notes.add(f"{entry.data.label} {what}", index)
        notes.close()
        return datasets

    @field_validator("noise")
    @classmethod
    def _drawn_rates(cls, noises: tuple[Noise, ...], info: ValidationInfo) -> tuple[Noise, ...]:
        """A noise rate may be the name of something that every generated problem draws."""
        for rate in (noise.rate for noise in noises if isinstance(noise.rate, str)):
            for entry in info.data.get("datasets", ()):
                if rate not in drawn_by(entry.data.name):
                    what = (
                        "must be a number from 0 to 1, or the name of a value that the problem "
                        f"draws, found {rate!r}, which {entry.data.label} does not draw"
                    )
                    raise MistakesError([((0, "rate"), what)])
        return noises

    @field_validator("checkpoints")
    @classmethod
    def _reached(cls, checkpoints: tuple[int, ...], info: ValidationInfo) -> tuple[int, ...]:
        if {"rounds", "datasets", "boosters"} <= info.data.keys():
            data = info.data
            largest = _most_rounds(data["rounds"], data["datasets"], data["boosters"])
            beyond = [checkpoint for checkpoint in checkpoints if checkpoint > largest]
            if beyond:
                what = f"{beyond[0]} is beyond the {largest} rounds that are made"
                raise ValueError(what)
        return checkpoints

    @field_validator("seeds")
    @classmethod
    def _countable(cls, seeds: tuple[int, ...], info: ValidationInfo) -> tuple[int, ...]:
        if {"boosters", "datasets", "split", "noise"} <= info.data.keys():
            own = {seed for entry in info.data["datasets"] for seed in entry.seeds}
            folds = max(
                (_n_folds(entry.split or info.data["split"]) for entry in info.data["datasets"]),
                default=1,
            )
            lists = ("boosters", "datasets", "noise")
            n = len({*seeds, *own}) * folds * math.prod(len(info.data[key]) for key in lists)
            if n > MAX_RUNS:
                raise ValueError(f"must make at most {MAX_RUNS:,} runs, found up to {n:,}")
        return seeds

    @field_validator("select")
    @classmethod
    def _choosable(cls, select: Select | None, info: ValidationInfo) -> Select | None:
        if not {"boosters", "datasets", "split"} <= info.data.keys():
            return select
        boosters, datasets = info.data["boosters"], info.data["datasets"]
        grids = {booster.label: booster.grid for booster in boosters if booster.grid}
        notes = Notes()
        if select is None:
            for label in list(grids)[:1]:
                what = f"a 'grid', as that of {label!r}, needs the key 'select', which says how its"
                notes.add(f"{what} values are chosen", TOP, "boosters")
            notes.close()
            return None
        own = any("grid" in p for entry in datasets for p in entry.booster_params.values())
        if not grids and not select.rounds and not own:
            what = "there is nothing to choose: no booster has a 'grid', and 'rounds' is not true"
            notes.add(what)
        values = {axis.name: axis.values for grid in grids.values() for axis in grid}
        for key, name in [
            *(("extend", n) for n in select.extend),
            *(("prefer", n) for n in select.prefer),
        ]:
            if grids and name not in values:
                notes.add(unknown("parameter", name, values, of="a grid"), key, name)
            elif not all(map(is_number, values.get(name, ()))):
                notes.add("needs numbers; the grid has other values", key, name)
        for index, entry in enumerate(datasets if select.by == "validation" else ()):
            split = entry.split or info.data["split"]
            if not (isinstance(split, Params) and split.get("validation")):
                what = (
                    "select.by: validation needs a split with a validation part, such as "
                    f"{{folds: 4, validation: true}}; {entry.data.label} has none"
                )
                at = ("datasets", index, "split") if entry.split else ("split",)
                notes.add(what, TOP, *at)
        notes.close()
        return select

    @field_validator("sizes")
    @classmethod
    def _keys_of_sizes(cls, sizes: Mapping[str, Mapping[str, Any]]) -> Any:
        known = [key for key in cls.model_fields if key not in ("sizes", "name", "path")]
        notes = Notes()
        for size, part in sizes.items():
            notes.keys(part, known, size)
        notes.close()
        return sizes


def checkpoint_ladder(rounds: int) -> tuple[int, ...]:
    """Return the rounds 1, 2, 5, 10, 20, 50, ... up to ``rounds``, which is always among them.

    Examples
    --------
    >>> checkpoint_ladder(150)
    (1, 2, 5, 10, 20, 50, 100, 150)
    """
    steps = (m * 10**e for e in range(len(str(rounds))) for m in (1, 2, 5))
    return (*(step for step in steps if step < rounds), rounds)


def _most_rounds(rounds: int, datasets: Sequence[DataEntry], boosters: Sequence[Booster]) -> int:
    own = [entry.rounds or 0 for entry in datasets] + [booster.rounds or 0 for booster in boosters]
    return max([rounds, *own])


def _n_folds(split: str | Params) -> int:
    return split.get("folds", 1) if isinstance(split, Params) and "fold" not in split else 1


def _refuse_repeats(found: Sequence[tuple[str, str]], kind: str, key: str) -> None:
    """Refuse two entries of one label, and two of one content."""
    labels: set[str] = set()
    contents: dict[str, str] = {}
    for label, content in found:
        if label in labels:
            raise ValueError(f"two {kind} are called {label!r}; tell them apart by '{key}:'")
        labels.add(label)
        same = contents.setdefault(content, label)
        if same != label:
            raise ValueError(f"two {kind}, {same!r} and {label!r}, are the same; leave one out")


def _context(info: ValidationInfo) -> Mapping[str, Any]:
    setting = _setting(info)
    return {"setting": setting, "scope": _scope(info.data, setting.path)}


def _setting(info: ValidationInfo) -> Setting:
    setting: Setting = (info.context or {})["setting"]
    return setting


def _scope(data: Mapping[str, Any], path: Path) -> Scope:
    """Return what a config is about, as far as it is right."""
    datasets, boosters = data.get("datasets", ()), data.get("boosters", ())
    rounds = data.get("rounds", 0)
    return Scope(
        tuple(entry.data.label or entry.data.name for entry in datasets),
        tuple(booster.label or booster.name for booster in boosters),
        tuple(data.get("noise", ())),
        _most_rounds(rounds, datasets, boosters),
        data.get("checkpoints", ()),
        data.get("seeds", ()),
        path,
        {
            **{entry.data.label: entry.data.name for entry in datasets},
            **{booster.label: booster.name for booster in boosters},
        },
        frozenset(key for key in _ABOUT if key not in data),
    )
