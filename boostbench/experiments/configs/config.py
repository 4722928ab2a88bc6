"""Configs: what an experiment compares."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import (
    BeforeValidator,
    Field,
    InstanceOf,
    TypeAdapter,
    ValidationInfo,
    field_validator,
)

from boostbench.errors import unknown
from boostbench.experiments.configs.claims import Claim, ClaimWords, read_claims
from boostbench.experiments.configs.components import drawn_by
from boostbench.experiments.configs.entries import (
    BoosterEntry,
    DataSetEntry,
    DataSpec,
    NoiseEntry,
)
from boostbench.experiments.configs.fields import (
    MAX_RUNS,
    CheckpointRounds,
    Duration,
    Encoding,
    MemorySize,
    Metrics,
    Missing,
    Plugin,
    Records,
    Rounds,
    Seeds,
    Slug,
    SplitSpec,
    Threads,
    is_number,
    setting_of,
)
from boostbench.experiments.configs.kind_options import Scope
from boostbench.experiments.configs.protocol import Select
from boostbench.experiments.configs.report_parts import ReportPart, read_parts
from boostbench.experiments.configs.sweeps import MAX_VARIANTS
from boostbench.experiments.runs import CLEAN, BoosterSpec, Noise, Params
from boostbench.metrics import CONFUSION, MEASURES, curve_of
from boostbench.validation import TOP, Distinct, Listed, MistakesError, Model, OneOrMore

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


class Limits(Model):
    """Limits of one run."""

    time: Duration = Field(None, description="Wall time, such as 90s, 30m or 1h30m.")
    memory: MemorySize = Field(None, description="Memory, such as 512M or 4G.")
    threads: Threads | None = Field(None, description="Threads of this package's boosters.")

    def replaced(self, time: float | None = None, memory: int | None = None) -> dict[str, Any]:
        """Return the limits as arguments of an executor, those that are given in their place."""
        return {
            "time_limit": time or self.time,
            "memory_limit": memory or self.memory,
            "threads": self.threads,
        }


def _values_of(entries: Any) -> BeforeValidator:
    """Return a validator that reads entries, as ``entries`` types them, and makes their values."""
    adapter: TypeAdapter[tuple[Any, ...]] = TypeAdapter(entries)

    def read(value: Any, info: ValidationInfo) -> tuple[Any, ...]:
        found = () if value == () else adapter.validate_python(value, context=info.context)
        return tuple(each for entry in found for each in entry.read(setting_of(info)))

    return BeforeValidator(read, json_schema_input_type=entries)


def _read_parts(value: Any, info: ValidationInfo) -> tuple[ReportPart, ...]:
    tables = [
        name if name == CONFUSION else {"table": {"value": curve_of(name)}}
        for name in info.data.get("metrics", ())
        if name in (*MEASURES, CONFUSION)
    ]
    return read_parts(value or ("table", *tables, "curves"), _context(info))


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
    plugins: Annotated[OneOrMore[Plugin], Distinct] = Field(
        (), description="Python files that register boosters or other parts, seen from the config."
    )
    boosters: Annotated[tuple[InstanceOf[BoosterSpec], ...], _values_of(_Boosters)] = Field(
        description="Boosters to compare; a list as the value of a parameter is a sweep.",
        json_schema_extra={"wanted": "a list of at least one booster"},
    )
    rounds: Rounds = Field(description="Number of rounds T.")
    datasets: Annotated[tuple[InstanceOf[DataSpec], ...], _values_of(_DataSets)] = Field(
        description="Data sets of the catalog, files in a data folder, or generators.",
        json_schema_extra={"wanted": "a list of at least one data set"},
    )
    encode: Encoding = Field("ordinal", description="Conversion of categorical columns to numbers.")
    missing: Missing = Field("keep", description="Value in the place of missing ones.")
    split: SplitSpec = Field(
        "official", description="Division of the rows into training and test part."
    )
    noise: Annotated[tuple[InstanceOf[Noise], ...], _values_of(_Noises)] = Field(
        default_factory=lambda: (CLEAN,),
        description="Noise of the training labels: none, a model, or a list.",
        json_schema_extra={"wanted": "'none', a noise model, or a list of at least one of them"},
    )
    checkpoints: CheckpointRounds = Field(
        default_factory=lambda data: checkpoint_ladder(data.get("rounds", 1)),
        description="Rounds at which tables look; 1, 2, 5, 10, ... by default.",
    )
    seeds: Seeds = Field(
        (0,), description="Number of seeds, or a list of them.", validate_default=True
    )
    record: Records = Field((), description="Quantities recorded beside errors, loss and edges.")
    metrics: Metrics = Field(("error",), description="Metrics of the answers on test samples.")
    select: Select | None = Field(
        None, description="Rule by which values of a 'grid' are chosen.", validate_default=True
    )
    limits: Limits = Field(
        default_factory=lambda: Limits.model_validate({}), description="Limits of one run."
    )
    report: Annotated[
        tuple[InstanceOf[ReportPart], ...],
        BeforeValidator(_read_parts, json_schema_input_type=list[Any]),
    ] = Field((), description="Tables and figures, in order.", validate_default=True)
    claims: Annotated[
        tuple[InstanceOf[Claim], ...],
        BeforeValidator(_read_claims, json_schema_input_type=list[ClaimWords]),
    ] = Field((), description="Claims of the paper, each with its check.")
    sizes: Mapping[SizeName, Mapping[str, Any]] = Field(
        {},
        description="Keys to replace by --size.",
        json_schema_extra={"wanted": "{quick: {key: value}} with keys of a config"},
    )
    path: Path = Field(alias="<file>", exclude=True)

    def scope(self) -> Scope:
        """Return the names and values of the config that options refer to."""
        return _scope(dict(self), self.path)

    # Each check stands at the last key that it needs: what is wrong elsewhere is said besides.

    @field_validator("boosters")
    @classmethod
    def _distinct_boosters(cls, boosters: tuple[BoosterSpec, ...]) -> tuple[BoosterSpec, ...]:
        named = [(b.label, repr(replace(b, label="", source=""))) for b in boosters]
        _refuse_repeats(named, "boosters", "label")
        return boosters

    @field_validator("datasets")
    @classmethod
    def _distinct_data(cls, datasets: tuple[DataSpec, ...]) -> tuple[DataSpec, ...]:
        named = [(e.data.label, repr(replace(e, data=replace(e.data, label="")))) for e in datasets]
        _refuse_repeats(named, "data sets", "as")
        return datasets

    @field_validator("datasets")
    @classmethod
    def _known_boosters(
        cls, datasets: tuple[DataSpec, ...], info: ValidationInfo
    ) -> tuple[DataSpec, ...]:
        boosters: Sequence[BoosterSpec] = info.data.get("boosters", ())
        labels = {name for booster in boosters for name in (booster.label, booster.name)}
        mistakes = MistakesError()
        for index, entry in enumerate(datasets if labels else ()):
            for name in entry.booster_params:
                if name not in labels:
                    mistakes.add(unknown("booster", name, labels), index, "boosters", name)
        takers = [booster.label for booster in boosters if booster.takes_cost_of_data]
        for index, entry in enumerate(datasets if takers else ()):
            if not entry.data.cost:
                what = f"needs a 'cost', a matrix, because {takers[0]} has 'cost: data'"
                mistakes.add(f"{entry.data.label} {what}", index)
        mistakes.close()
        return datasets

    @field_validator("noise")
    @classmethod
    def _drawn_rates(cls, noises: tuple[Noise, ...], info: ValidationInfo) -> tuple[Noise, ...]:
        """Check rates that are names: every generated problem must draw a value of the name."""
        for rate in (noise.rate for noise in noises if isinstance(noise.rate, str)):
            for entry in info.data.get("datasets", ()):
                if rate not in drawn_by(entry.data.name):
                    what = (
                        "must be a number from 0 to 1, or the name of a value that the problem "
                        f"draws, found {rate!r}, which {entry.data.label} does not draw"
                    )
                    raise MistakesError(((0, "rate"), what))
        return tuple(dict.fromkeys(noises))

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
        mistakes = MistakesError()
        if select is None:
            for label in list(grids)[:1]:
                what = f"a 'grid', as that of {label!r}, needs the key 'select', which says how its"
                mistakes.add(f"{what} values are chosen", TOP, "boosters")
            mistakes.close()
            return None
        own = any("grid" in p for entry in datasets for p in entry.booster_params.values())
        if not grids and not select.rounds and not own:
            what = "there is nothing to choose: no booster has a 'grid', and 'rounds' is not true"
            mistakes.add(what)
        values = {axis.name: axis.values for grid in grids.values() for axis in grid}
        for key, name in [
            *(("extend", n) for n in select.extend),
            *(("prefer", n) for n in select.prefer),
        ]:
            if grids and name not in values:
                mistakes.add(unknown("parameter", name, values, of="a grid"), key, name)
            elif not all(map(is_number, values.get(name, ()))):
                mistakes.add("needs numbers; the grid has other values", key, name)
        for index, entry in enumerate(datasets if select.by == "validation" else ()):
            split = entry.split or info.data["split"]
            if not (isinstance(split, Params) and split.get("validation")):
                what = (
                    "select.by: validation needs a split with a validation part, such as "
                    f"{{folds: 4, validation: true}}; {entry.data.label} has none"
                )
                at = ("datasets", index, "split") if entry.split else ("split",)
                mistakes.add(what, TOP, *at)
        mistakes.close()
        return select

    @field_validator("sizes")
    @classmethod
    def _keys_of_sizes(cls, sizes: Mapping[str, Mapping[str, Any]]) -> Any:
        known = [key for key in cls.model_fields if key not in ("sizes", "name", "path")]
        mistakes = MistakesError()
        for size, part in sizes.items():
            mistakes.keys(part, known, size)
        mistakes.close()
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


def _most_rounds(rounds: int, datasets: Sequence[DataSpec], boosters: Sequence[BoosterSpec]) -> int:
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
    setting = setting_of(info)
    return {"setting": setting, "scope": _scope(info.data, setting.path)}


def _scope(data: Mapping[str, Any], path: Path) -> Scope:
    """Return the scope of a config, made of the keys that are right."""
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
