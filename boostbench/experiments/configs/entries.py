"""The entries of a config: data sets, boosters and noises, each expanded into its variants."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, TypeVar

from pydantic import Field, InstanceOf, ValidationInfo

from boostbench import registry
from boostbench.data.catalog import find_entry, folded
from boostbench.data.sources import is_undivided
from boostbench.data.splits import needs_official
from boostbench.errors import unknown
from boostbench.experiments.configs.components import drawn_by
from boostbench.experiments.configs.expressions import is_expression, texts_in
from boostbench.experiments.configs.fields import Seeds, Setting, SplitSpec, setting_of
from boostbench.experiments.configs.variants import (
    check_size,
    expand_sweeps,
    points_of,
    read_grid,
    swept_label,
    with_point,
)
from boostbench.experiments.runs import CLEAN, BoosterSpec, Data, Noise, Params, Rounds
from boostbench.source import show
from boostbench.validation import MistakesError, Model, validated

T = TypeVar("T")

#: Options of a data set that belong to its `Data`.
DATA_OPTIONS = ("as", "encode", "missing", "cost")
BOOSTER_OPTIONS = ("label", "rounds", "grid")


class DataSet(Model):
    """A data set and the settings that apply to it alone."""

    data: InstanceOf[Data]
    split: SplitSpec | None = Field(None, description="Division of the rows of this data set.")
    rounds: Rounds | None = Field(None, description="Number of rounds for this data set alone.")
    #: Replaces the seeds of the config unless empty.
    seeds: Seeds = Field((), description="Number of seeds or a list, for this data set alone.")
    boosters: Mapping[str, Mapping[str, Any]] = Field(
        {},
        description="Parameters for this data set alone, by label or name of a booster.",
        json_schema_extra={"wanted": "{booster: {parameter: value}}"},
    )
    extend: bool = Field(True, description="Allow the extension of ranges of parameters.")
    at_most: Mapping[str, float] = Field(
        {},
        description="Leave out boosters in which a parameter is larger.",
        json_schema_extra={"wanted": "{parameter: number}"},
    )


DATA_SET_OPTIONS = (*DATA_OPTIONS, *(key for key in DataSet.model_fields if key != "data"))


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
        if options is None or isinstance(options, dict):
            return name, options or {}
        raise ValueError(f"the options of {name!r} must be a mapping, found {show(options)}")
    if isinstance(value, dict) and value and next(iter(value.values())) is None:
        name, *rest = value
        below = f"indent {', '.join(rest)} below {name!r}"
        raise ValueError(f"{below}: a {kind} is a name or {{name: {{...}}}}")
    raise ValueError(f"a {kind} is a name or {{name: {{...}}}}, found {show(value)}")


def read_list(
    value: Any,
    read: Callable[[Any], T],
    wanted: str,
    *,
    least: int = 0,
) -> tuple[T, ...]:
    """Return ``read(item)`` for each item of a list.

    Raises
    ------
    ValueError
        If the value is not a list, or has fewer than ``least`` items.
    MistakesError
        With the errors of all items.
    """
    if not isinstance(value, list | tuple) or len(value) < least:
        raise ValueError(f"must be {wanted}, found {show(value)}")
    mistakes = MistakesError()
    items = [mistakes.take(read, item, i) for i, item in enumerate(value)]
    mistakes.close()
    return tuple(items)


def read_datasets(value: Any, info: ValidationInfo) -> tuple[DataSet, ...]:
    """Read the key ``datasets``: a `DataSet` for each combination of listed parameter values."""
    read = partial(_read_data_set, setting_of(info), info.data)
    entries = _joined(read_list(value, read, "a list of at least one data set", least=1))
    labels = [entry.data.label for entry in entries]
    rest = [repr(entry.model_copy(update={"data": None})) for entry in entries]
    contents = zip((entry.data for entry in entries), rest, strict=True)
    _refuse_repeats(zip(labels, contents, strict=True), "data sets", "as")
    return entries


def read_boosters(value: Any, info: ValidationInfo) -> tuple[BoosterSpec, ...]:
    """Read the key ``boosters``: a booster for each combination of listed parameter values."""
    read = partial(_read_booster, setting_of(info))
    boosters = _joined(read_list(value, read, "a list of at least one booster", least=1))
    contents = ((b.label, (b, b.rounds, repr(b.grid))) for b in boosters)
    _refuse_repeats(contents, "boosters", "label")
    return boosters


def read_noises(value: Any, info: ValidationInfo) -> tuple[Noise, ...]:
    """Read the key ``noise``: none, a model with its rate or rates, or a list of them."""
    read = partial(_read_noise, setting_of(info), info.data.get("datasets", ()))
    wanted = "'none', a noise model, or a list of at least one of them"
    noises = read_list(value if isinstance(value, list) else [value], read, wanted, least=1)
    return tuple(dict.fromkeys(_joined(noises)))


def _refuse_repeats(entries: Iterable[tuple[str, Hashable]], kind: str, key: str) -> None:
    """Raise ValueError if two entries, given by label and content, have equal ones."""
    label_of: dict[Hashable, str] = {}
    known: dict[str, str] = {}
    for label, content in entries:
        other = known.setdefault(folded(label), label)
        if other != label or label in label_of.values():
            both = repr(label) if other == label else f"{other!r} and {label!r}, one name"
            raise ValueError(f"two {kind} are called {both}; give one another '{key}'")
        same = label_of.setdefault(content, label)
        if same != label:
            raise ValueError(f"two {kind}, {same!r} and {label!r}, are the same; leave one out")


def _joined(lists: Sequence[Sequence[T]]) -> tuple[T, ...]:
    return tuple(item for each in lists for item in each)


def _parted(
    options: Mapping[str, Any], own: Sequence[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the options called ``own`` that are not null, and all others, the parameters."""
    return (
        {key: options[key] for key in own if options.get(key) is not None},
        {key: item for key, item in options.items() if key not in own},
    )


def _read_data_set(setting: Setting, config: Mapping[str, Any], item: Any) -> list[DataSet]:
    name, options = name_and_options(item, "data set")
    own, params = _parted(options, DATA_SET_OPTIONS)
    of_data, settings = _parted(own, DATA_OPTIONS)
    defaults = {key: config[key] for key in ("encode", "missing") if key in config}
    mistakes = MistakesError()
    found = mistakes.take(partial(find_entry, dirs=setting.data_dirs), name)
    if found and not found.generator:
        mistakes.keys(params, DATA_SET_OPTIONS)
    variants = mistakes.take(expand_sweeps, params)
    data = mistakes.take(partial(validated, Data), {"name": name, **defaults, **of_data})
    entry = mistakes.take(DataSet.model_validate, {"data": data or Data(name), **settings})
    boosters: Sequence[BoosterSpec] = config.get("boosters", ())
    known = {label for booster in boosters for label in (booster.label, booster.name)}
    for booster, changes in entry.boosters.items() if entry else ():
        if known and booster not in known:
            mistakes.add(unknown("booster", booster, known), "boosters", booster)
        if "grid" in changes:
            mistakes.take(read_grid, changes["grid"], "boosters", booster, "grid")
    dependent = [booster.label for booster in boosters if booster.takes_cost_of_data]
    if dependent and data and not data.cost:
        what = f"requires the option 'cost', a matrix, because {dependent[0]} has 'cost: data'"
        mistakes.add(f"{data.label or name} {what}")
    split = settings.get("split", config.get("split"))
    if found and needs_official(split) and is_undivided(found, setting.data_dirs):
        what = f"{found.name} has no official split into training and test rows"
        place = ("split",) if "split" in settings else ()
        mistakes.add(f"{what}; give it a 'split' such as {{holdout: 0.3}}", *place)
    mistakes.close()
    if found.generator:
        setting.check(registry.generators, found.generator, Params(params))
    label = data.label or name
    values = [
        replace(data, name=found.name, params=Params(variant), label=swept_label(label, swept))
        for variant, swept in variants
    ]
    return [entry.model_copy(update={"data": value}) for value in values]


def _read_booster(setting: Setting, item: Any) -> list[BoosterSpec]:
    name, options = name_and_options(item, "booster")
    own, params = _parted(options, BOOSTER_OPTIONS)
    source, shown = setting.source_of(name), _without_folder(name)
    mistakes = MistakesError()
    if source not in registry.boosters:
        mistakes.add(registry.boosters.unknown(name).what)
    for place, text in texts_in(params):
        mistakes.take(is_expression, text, *place)
    grid = mistakes.take(read_grid, own.pop("grid"), "grid") if "grid" in own else ()
    mistakes.take(partial(check_size, grid or ()), params)
    given = {"name": shown, "source": source, "label": shown.rpartition(".py:")[2], **own}
    booster = mistakes.take(partial(validated, BoosterSpec), given)
    mistakes.close()
    variants = [
        replace(booster, params=Params(variant), label=swept_label(booster.label, swept), grid=grid)
        for variant, swept in expand_sweeps(params)
    ]
    for variant, point in product(variants, points_of(grid)):
        check = partial(setting.check, registry.boosters, source, name=shown, grid=grid)
        mistakes.take(check, with_point(variant, point).params)
    mistakes.close()
    return variants


def _read_noise(setting: Setting, datasets: Sequence[DataSet], item: Any) -> list[Noise]:
    if item is None or item == "none":
        return [CLEAN]
    if not isinstance(item, dict) or "model" not in item:
        example = "{model: exchange, rate: 0.2}"
        if isinstance(item, str) and item in registry.noise_models:
            raise ValueError(f"needs a rate: {example.replace('exchange', item)}")
        raise ValueError(f"must be 'none' or e.g. {example}, found {show(item)}")
    if "rate" not in item:
        what = "fraction of the training samples chosen for corruption, or a list"
        raise ValueError(f"needs 'rate': {what}")
    params = {key: value for key, value in item.items() if key not in ("model", "rate")}
    model, source = item["model"], setting.source_of(str(item["model"]))
    mistakes = MistakesError()
    if source not in registry.noise_models:
        mistakes.add(registry.noise_models.unknown(str(model)).what, "model")
    rates = (item["rate"] or [None]) if isinstance(item["rate"], list) else [item["rate"]]
    given = {"model": _without_folder(source), "source": source, "params": params}
    noises = [mistakes.take(partial(validated, Noise), {**given, "rate": rate}) for rate in rates]
    named = [rate for rate in rates if isinstance(rate, str)]
    for rate, entry in product(named, datasets):
        if rate not in drawn_by(entry.data.name):
            what = "must be a number from 0 to 1, or the name of a value that the problem draws"
            draws = f"found {rate!r}, which {entry.data.label} does not draw"
            mistakes.add(f"{what}, {draws}", "rate")
    mistakes.close()
    setting.check(registry.noise_models, source, Params(params))
    return [CLEAN if noise.rate == 0 else noise for noise in noises]


def _without_folder(name: str) -> str:
    """Return a registered name, or the file name and attribute of a plugin without its folder."""
    return Path(name).name if ".py:" in name else name
