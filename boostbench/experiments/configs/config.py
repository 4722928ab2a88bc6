"""The validated config of an experiment."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, InstanceOf, ValidationInfo

from boostbench import registry
from boostbench.errors import BoostbenchError, unknown
from boostbench.experiments.configs import fields
from boostbench.experiments.configs.entries import DataSet, read_boosters, read_datasets, read_noise
from boostbench.experiments.configs.kind_options import (
    Claim,
    ReportPart,
    Scope,
    read_claims,
    read_parts,
)
from boostbench.experiments.runs import CLEAN, BoosterSpec, Encoding, Missing, Noise, Params, Rounds
from boostbench.inputs import load_plugin
from boostbench.quantities import QUANTITIES
from boostbench.validation import TOP, Distinct, Listed, MistakesError, Model, OneOrMore

#: Alias of `Config.path`, distinct from all keys of a config.
FILE = "<file>"

#: Values in a config whose report needs no runs.
_NO_RUNS: Mapping[str, Any] = {"boosters": (), "datasets": (), "rounds": 1}


def _read_by(read: Callable[[Any, ValidationInfo], Any]) -> BeforeValidator:
    """Return a validator that reads a list; `config_schema` describes its entries."""
    return BeforeValidator(read, json_schema_input_type=list[Any])


# Each check belongs to the last key it needs, so that errors in other keys do not suppress it.


def _checked_record(names: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
    """Return the names in order, without those that are in every record and change no run."""
    asked, mistakes = QUANTITIES.asked_by("record"), MistakesError()
    record = tuple(sorted(name for name in names if not QUANTITIES[asked[name]].always))
    quantities = QUANTITIES.recorded((), record)
    needed = {name: each.method for name, each in quantities.items() if each.method}
    boosters = info.data.get("boosters", ()) if fields.setting_of(info).check_parameters else ()
    for booster, (name, method) in product(boosters, needed.items()):
        with suppress(BoostbenchError):  # of an absent booster, whose runs are skipped
            if not hasattr(registry.boosters.get(booster.component), method):
                what = f"has no method {method!r}, which recording {name!r} requires"
                mistakes.add(f"booster {booster.label!r} {what}")
    mistakes.close()
    return record


def _checked_checkpoints(rounds: tuple[int, ...], info: ValidationInfo) -> tuple[int, ...]:
    """Return the checkpoints in order."""
    ordered = tuple(sorted(rounds))
    if {"rounds", "datasets", "boosters"} <= info.data.keys():
        largest = Scope(info.data).rounds
        if ordered[-1] > largest:
            raise ValueError(f"{ordered[-1]} exceeds the number of rounds, {largest}")
    return ordered


def _load_plugin(value: str, info: ValidationInfo) -> str:
    path = fields.setting_of(info).beside(value)
    load_plugin(path)
    return str(path.resolve())


def _checked_name(value: str, info: ValidationInfo) -> str:
    """Return the name of a quantity that the key under validation can ask for."""
    known = QUANTITIES.asked_by(info.field_name)  # type: ignore[arg-type]
    if value not in known:
        raise ValueError(unknown("quantity", value, known))
    return value


_Asked = Listed[Annotated[str, AfterValidator(_checked_name)]]
#: A plugin file, named relative to the config; validation loads it and returns its full path.
Plugin = Annotated[str, AfterValidator(_load_plugin)]


class Folds(Model):
    """Cross-validation within the training part."""

    folds: Annotated[int, Field(ge=2, le=1_000, description="Number of parts.")]
    stratify: bool = Field(False, description="Preserve the class proportions in each part.")


class Reach(Model):
    """Extension of a range of values when the selected value is at one of its ends."""

    step: Annotated[float, Field(gt=0)] | None = Field(
        None, description="Increment beyond the last value."
    )
    factor: Annotated[float, Field(gt=1)] | None = Field(
        None, description="Ratio to the last value."
    )
    within: Annotated[Listed[float], Field(min_length=2, max_length=2)] = Field(
        description="Smallest and largest value to try.", examples=[[1, 10]]
    )


class Select(Model):
    """Selection of the parameters, and optionally the number of rounds, of every booster."""

    by: Annotated[
        Literal["validation", "test"] | InstanceOf[Folds],
        BeforeValidator(lambda by: Folds.model_validate(by) if isinstance(by, dict) else by),
    ] = Field(
        description="Criterion: errors on the validation part of the split, in a cross-validation "
        "within the training part, or on the test part, averaged over all seeds and folds.",
        json_schema_extra={"wanted": "validation, test or e.g. {folds: 5, stratify: true}"},
    )
    rounds: bool = Field(False, description="Select the number of rounds too.")
    extend: Mapping[str, Reach] = Field({}, description="Extensible ranges, by parameter.")
    prefer: Mapping[str, Literal["smallest", "largest"]] = Field(
        {}, description="Preferred value among ties; the first parameter takes precedence."
    )

    @property
    def way(self) -> Literal["validation", "folds", "test"]:
        """The kind of errors that the selection minimises."""
        return "folds" if isinstance(self.by, Folds) else self.by

    @property
    def folds(self) -> Params | None:
        """The cross-validation in the form of `Run.validation`; None for other criteria."""
        return Params(self.by.model_dump()) if isinstance(self.by, Folds) else None


def _checked_select(select: Select | None, info: ValidationInfo) -> Select | None:
    """Check a selection against the boosters, data sets and splits."""
    if not {"boosters", "datasets", "split"} <= info.data.keys():
        return select
    boosters, datasets = info.data["boosters"], info.data["datasets"]
    adapted = (entry.adapted(spec) for entry in datasets if entry.boosters for spec in boosters)
    searched = [booster for booster in (*boosters, *adapted) if booster.grid]
    if select is None and searched:
        what = f"the 'grid' of {searched[0].label!r} requires the key 'select', which says how"
        raise MistakesError(((TOP, "boosters"), f"{what} its values are selected"))
    if select is None:
        return None
    mistakes = MistakesError()
    if not searched and not select.rounds:
        mistakes.add("nothing to select: no booster has a 'grid', and 'rounds' is not true")
    axes = [axis for booster in searched for axis in booster.grid]
    texts = {axis.name for axis in axes if not all(map(fields.is_number, axis.values))}
    for key in ("extend", "prefer"):
        for name in getattr(select, key):
            if name not in (known := {axis.name for axis in axes}):
                mistakes.add(unknown("parameter", name, known, of="a grid"), key, name)
            elif name in texts:
                mistakes.add("needs numbers; the grid has other values", key, name)
    for name, reach in select.extend.items():
        if (reach.step is None) == (reach.factor is None):
            what = "must be {factor: 10, within: [1e-12, 1]} or {step: 1, within: [1, 10]}"
            mistakes.add(what, "extend", name)
    for index, entry in enumerate(datasets if select.by == "validation" else ()):
        split = entry.split or info.data["split"]
        if not (isinstance(split, Params) and split.get("validation")):
            what = "select.by: validation needs a split with a validation part, such as {folds: 4, "
            what += f"validation: true}}; {entry.data.label} has none"
            at = ("datasets", index, "split") if entry.split else ("split",)
            mistakes.add(what, TOP, *at)
    mistakes.close()
    return select


class Config(Model):
    """An experiment: data sets, boosters, repetitions, report and claims."""

    @classmethod
    def written(cls, value: Any) -> Any:
        """Return the keys, completed for a report without data sets and boosters."""
        if isinstance(value, dict) and "report" in value and not _NO_RUNS.keys() & value.keys():
            return {**value, **_NO_RUNS}
        return value

    name: fields.Slug = Field(description="Name of the experiment and of the folder of its report.")
    title: str = Field("", description="Heading of the report.")
    paper: str = Field("", description="Reference of the reproduced paper.")
    description: str = Field("", description="Introduction of the report.")
    plugins: Annotated[OneOrMore[Plugin], Distinct] = Field(
        (), description="Python files that register boosters or other components."
    )
    boosters: Annotated[tuple[InstanceOf[BoosterSpec], ...], _read_by(read_boosters)] = Field(
        description="Boosters to compare; a list as the value of a parameter is a sweep."
    )
    rounds: Rounds = Field(description="Number of rounds T.")
    encode: Encoding = "ordinal"
    missing: Missing = "keep"
    split: fields.SplitSpec = Field(
        "official", description="Division of the rows into training and test part."
    )
    datasets: Annotated[tuple[InstanceOf[DataSet], ...], _read_by(read_datasets)] = Field(
        description="Data sets of the catalog, files in a data folder, or generators."
    )
    noise: Annotated[tuple[InstanceOf[Noise], ...], _read_by(read_noise)] = Field(
        default_factory=lambda: (CLEAN,),
        description="Noise of the training labels: none, a model, or a list.",
    )
    checkpoints: Annotated[
        Listed[Rounds],
        Field(min_length=1, examples=[[10, 100]]),
        Distinct,
        AfterValidator(_checked_checkpoints),
    ] = Field(
        default_factory=lambda data: checkpoint_ladder(data.get("rounds", 1)),
        description="Rounds that tables report; 1, 2, 5, 10, ... by default.",
    )
    seeds: fields.Seeds = Field(
        (0,), description="Number of seeds, or a list of them.", validate_default=True
    )
    record: Annotated[_Asked, Distinct, AfterValidator(_checked_record)] = Field(
        (), description="Quantities recorded besides errors, loss and edges."
    )
    metrics: Annotated[_Asked, Distinct] = Field(
        ("error",), description="Metrics of the predictions on the test part."
    )
    select: Annotated[Select | None, AfterValidator(_checked_select)] = Field(
        None, description="Selection of parameter values from a 'grid'.", validate_default=True
    )
    limits: fields.Limits = Field(default_factory=fields.Limits, description="Limits of one run.")
    report: Annotated[tuple[InstanceOf[ReportPart], ...], _read_by(read_parts)] = Field(
        (), description="Tables and figures, in order.", validate_default=True
    )
    claims: Annotated[tuple[InstanceOf[Claim], ...], _read_by(read_claims)] = Field(
        (), description="Claims, each with its check."
    )
    sizes: Mapping[Literal["quick", "standard", "full"], Mapping[str, Any]] = Field(
        {},
        description="Keys that --size replaces.",
        json_schema_extra={"wanted": "{quick: {key: value}} with keys of a config"},
    )
    path: Path = Field(alias="<file>", exclude=True)

    def scope(self) -> Scope:
        """Return the names and values that options of tables, figures and claims refer to."""
        return Scope(dict(self))


def checkpoint_ladder(rounds: int) -> tuple[int, ...]:
    """Return the rounds 1, 2, 5, 10, 20, 50, ... below ``rounds``, and ``rounds`` itself.

    Examples
    --------
    >>> checkpoint_ladder(150)
    (1, 2, 5, 10, 20, 50, 100, 150)
    """
    steps = (m * 10**e for e in range(len(str(rounds))) for m in (1, 2, 5))
    return (*(step for step in steps if step < rounds), rounds)
