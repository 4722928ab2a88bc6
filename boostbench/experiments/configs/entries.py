"""The entries of a config: data sets, boosters and noises, each expanded into its variants.

A list in place of a parameter's value is a sweep: an entry for each combination of the listed
values. A grid holds the candidates from which the key ``select`` chooses.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from pydantic import Field, InstanceOf, ValidationInfo

from boostbench import registry
from boostbench.data.catalog import find_entry, folded
from boostbench.data.loading import is_undivided
from boostbench.data.splits import needs_official
from boostbench.errors import unknown
from boostbench.experiments.configs.components import parameter_names
from boostbench.experiments.configs.expressions import is_expression, texts_in
from boostbench.experiments.configs.fields import Seeds, Setting, SplitSpec, is_number, setting_of
from boostbench.experiments.runs import CLEAN, Axis, BoosterSpec, Data, Noise, Params, Rounds
from boostbench.source import show
from boostbench.validation import MistakesError, Model, validated

T = TypeVar("T")
Grid = tuple[Axis, ...]
#: A value for each axis of a grid, by its name.
Point = Mapping[str, Any]
Swept = tuple[tuple[str, Any], ...]

#: Largest number of variants of one entry, where each point of a grid counts as a variant.
MAX_VARIANTS = 1_000
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

    def adapted(self, booster: BoosterSpec) -> BoosterSpec:
        """Return a booster with the parameters and the grid for this data set alone."""
        own = {**self.boosters.get(booster.name, {}), **self.boosters.get(booster.label, {})}
        grid = read_grid(own.pop("grid")) if "grid" in own else booster.grid
        return replace(booster, params=Params({**booster.params.plain(), **own}), grid=grid)


_MOST_MISTAKES = 100  # in a list
DATA_SET_OPTIONS = (*DATA_OPTIONS, *(key for key in DataSet.model_fields if key != "data"))


def read_list(
    value: Any, read: Callable[[Any], Iterable[T]], wanted: str, *, least: int = 0
) -> tuple[T, ...]:
    """Return what ``read`` returns for the items of a list, joined.

    Raises
    ------
    ValueError
        If the value is not a list, or has fewer than ``least`` items. The empty tuple, which no
        file holds, is what a config without such entries is given.
    MistakesError
        With the errors of all items, at most about `_MOST_MISTAKES`.
    """
    if value != () and (not isinstance(value, list | tuple) or len(value) < least):
        raise ValueError(f"must be {wanted}, found {show(value)}")
    mistakes = MistakesError()
    items = itertools.takewhile(lambda _: len(mistakes.found) < _MOST_MISTAKES, enumerate(value))
    parts = [mistakes.take(read, item, i) or () for i, item in items]
    mistakes.close()
    return tuple(itertools.chain(*parts))


def read_datasets(value: Any, info: ValidationInfo) -> tuple[DataSet, ...]:
    """Read the key ``datasets``: a `DataSet` for each combination of listed parameter values."""
    read = partial(_read_data_set, setting_of(info), info.data)
    entries = read_list(value, read, "a list of at least one data set", least=1)
    contents = (
        (each.data.label, (each.data, repr(each.model_copy(update={"data": None}))))
        for each in entries
    )
    refuse_repeats(contents, "data sets", "as")
    return entries


def read_boosters(value: Any, info: ValidationInfo) -> tuple[BoosterSpec, ...]:
    """Read the key ``boosters``: a booster for each combination of listed parameter values."""
    read = partial(_read_booster, setting_of(info))
    boosters = read_list(value, read, "a list of at least one booster", least=1)
    contents = ((b.label, (b, b.rounds, repr(b.grid))) for b in boosters)
    refuse_repeats(contents, "boosters", "label")
    return boosters


def read_noise(value: Any, info: ValidationInfo) -> tuple[Noise, ...]:
    """Read the key ``noise``: none, a model with its rate or rates, or a list of them."""
    read = partial(_read_noise, setting_of(info), info.data.get("datasets", ()))
    wanted = "'none', a noise model, or a list of at least one of them"
    listed = value if isinstance(value, list) else [value]
    return tuple(dict.fromkeys(read_list(listed, read, wanted, least=1)))


def refuse_repeats(entries: Iterable[tuple[str, Hashable]], kind: str, key: str) -> None:
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


def _parted(
    options: Mapping[str, Any], own: Sequence[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the options called ``own`` that are not null, and all others, the parameters."""
    return (
        {key: options[key] for key in own if options.get(key) is not None},
        {key: item for key, item in options.items() if key not in own},
    )


def _read_data_set(setting: Setting, config: Mapping[str, Any], item: Any) -> list[DataSet]:
    name, options = registry.name_and_options(item, "data set")
    own, params = _parted(options, DATA_SET_OPTIONS)
    of_data, settings = _parted(own, DATA_OPTIONS)
    defaults = {key: config[key] for key in ("encode", "missing") if key in config}
    source, name = setting.source_of(name), registry.without_folder(name)
    named = {"name": name, "source": source, **defaults, **of_data}
    mistakes = MistakesError()
    found = mistakes.take(partial(find_entry, dirs=setting.data_dirs), source)
    if found and not found.generator:
        for key in params:
            mistakes.add(unknown("key", key, DATA_SET_OPTIONS), key)
    variants = mistakes.take(expand_sweeps, params)
    data = mistakes.take(partial(validated, Data), named)
    entry = mistakes.take(DataSet.model_validate, {"data": data or Data(name), **settings})
    boosters: Sequence[BoosterSpec] = config.get("boosters", ())
    for key in entry.boosters if entry and boosters else ():
        meant = [booster for booster in boosters if key in (booster.label, booster.name)]
        for booster in meant:
            mistakes.take(partial(_check_parameters, setting, entry), booster, "boosters", key)
        if not meant:
            known = {name for booster in boosters for name in (booster.label, booster.name)}
            mistakes.add(unknown("booster", key, known), "boosters", key)
    for key in entry.at_most if entry and boosters else ():
        limited = [entry.adapted(booster).parameter(key) for booster in boosters]
        if texts := [value for value in limited if isinstance(value, str)]:
            mistakes.add(f"needs numbers; a booster has {show(texts[0])}", "at_most", key)
        elif not any(map(is_number, limited)):
            mistakes.add(f"no booster is given a parameter {key!r}", "at_most", key)
    dependent = [booster.label for booster in boosters if booster.takes_cost_of_data]
    if dependent and data and not data.cost:
        what = f"requires the option 'cost', a matrix, because {dependent[0]} has 'cost: data'"
        mistakes.add(f"{data.label or name} {what}")
    split = entry and (entry.split or config.get("split"))
    if found and split and needs_official(split) and is_undivided(found, setting.data_dirs):
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
    name, options = registry.name_and_options(item, "booster")
    own, params = _parted(options, BOOSTER_OPTIONS)
    source, shown = setting.source_of(name), registry.without_folder(name)
    mistakes = MistakesError()
    if source not in registry.boosters:
        mistakes.add(registry.boosters.unknown(name).what)
    for place, text in texts_in(params):
        mistakes.take(is_expression, text, *place)
    grid = mistakes.take(read_grid, own.pop("grid"), "grid") if "grid" in own else ()
    points = math.prod(len(axis.values) for axis in grid or ())
    swept = mistakes.take(partial(expand_sweeps, most=MAX_VARIANTS // points), params)
    given = {"name": shown, "source": source, "label": shown.rpartition(".py:")[2], **own}
    booster = mistakes.take(partial(validated, BoosterSpec), given)
    mistakes.close()
    variants = [
        replace(booster, params=Params(variant), label=swept_label(booster.label, how), grid=grid)
        for variant, how in swept
    ]
    for variant in variants:
        mistakes.take(partial(_check_parameters, setting, None), variant)
    mistakes.close()
    return variants


def _check_parameters(setting: Setting, entry: DataSet | None, booster: BoosterSpec) -> None:
    """Check the parameters of a booster, or those for a data set, at each point of the grid."""
    mistakes, booster = MistakesError(), entry.adapted(booster) if entry else booster
    check = partial(setting.check, registry.boosters, booster.component, name=booster.name)
    for point in points_of(booster.grid):
        mistakes.take(lambda point: check(with_point(booster, point).params), point)
    mistakes.close()


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
    given = {"model": registry.without_folder(source), "source": source, "params": params}
    noises = [mistakes.take(partial(validated, Noise), {**given, "rate": rate}) for rate in rates]
    named = [rate for rate in rates if isinstance(rate, str)]
    for rate, entry in itertools.product(named, datasets):
        kinds, name = registry.generators, entry.data.component
        drawn = parameter_names(kinds, kinds.get(name)) if name in kinds else None
        if rate not in (drawn or ()):
            what = "must be a number from 0 to 1, or the name of a value that the problem draws"
            draws = f"found {rate!r}, which {entry.data.label} does not draw"
            mistakes.add(f"{what}, {draws}", "rate")
    mistakes.close()
    setting.check(registry.noise_models, source, Params(params))
    return [CLEAN if noise.rate == 0 else noise for noise in noises]


def expand_sweeps(
    params: Mapping[str, Any], most: int = MAX_VARIANTS
) -> list[tuple[dict[str, Any], Swept]]:
    """Return every combination of the listed values.

    Parameters
    ----------
    params : mapping of str to object
        Lists are swept, at any depth; ``{"value": [...]}`` denotes a parameter whose value is a
        list.
    most : int, default=MAX_VARIANTS
        Largest number of combinations.

    Returns
    -------
    variants : list of (params, swept)
        In the order of listing, the last list varying fastest; ``swept`` holds the name and the
        value of each swept parameter.

    Raises
    ------
    ValueError
        If there are more than ``most``, checked before they are created, or a list is empty.

    Examples
    --------
    >>> expand_sweeps({"M": [0.5, 1.0], "step": "K", "grid": {"value": [1, 2]}})[1]
    ({'M': 1.0, 'step': 'K', 'grid': [1, 2]}, (('M', 1.0),))
    """
    variants: list[tuple[dict[str, Any], Swept]] = [({}, ())]
    for key, value in params.items():
        if not (choices := _choices(key, value)):
            raise MistakesError(((key,), "must list at least one value, found []"))
        if len(variants) * len(choices) > most:
            raise ValueError(f"must make at most {MAX_VARIANTS:,} variants by its lists of values")
        variants = [
            ({**chosen, key: choice}, (*swept, *more))
            for chosen, swept in variants
            for choice, more in choices
        ]
    return variants


def _choices(key: str, value: Any) -> list[tuple[Any, Swept]]:
    if isinstance(value, dict):
        return [(value["value"], ())] if list(value) == ["value"] else [*expand_sweeps(value)]
    if not isinstance(value, list):
        return [(value, ())]
    choices = (
        (choice, ((key, choice), *more))
        for entry in value
        for choice, more in ([(entry, ())] if isinstance(entry, list) else _choices(key, entry))
    )
    return list(itertools.islice(choices, MAX_VARIANTS + 1))


def swept_label(label: str, swept: Swept) -> str:
    """Return the label of a variant.

    Examples
    --------
    >>> swept_label("sm-boost", (("gradient", "random"), ("M", 0.5)))
    'sm-boost (random, M=0.5)'
    >>> swept_label("sm-boost (random)", (("M", 0.5),))
    'sm-boost (random, M=0.5)'
    """
    shown = ", ".join(_shown(key, value) for key, value in swept)
    start = f"{label[:-1]}, " if label.endswith(")") else f"{label} ("
    return f"{start}{shown})" if swept else label


def _shown(key: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        named = ((f"{name} " if isinstance(v, dict) else "", name, v) for name, v in value.items())
        return " ".join(before + _shown(name, inner) for before, name, inner in named)
    return f"{key}={str(value).lower()}"  # True, False and None as in YAML


def read_grid(value: Any) -> Grid:
    """Return the axes of the key ``grid``: lists of values, at any depth of the parameters."""
    if not isinstance(value, dict) or not value:
        raise ValueError(f"must be {{parameter: [values]}}, found {show(value)}")
    mistakes = MistakesError()
    axes = tuple(_axes(value, (), mistakes))
    names = Counter(axis.name for axis in axes)
    for axis in axes:
        if names[axis.name] > 1:
            mistakes.add(f"two parameters of the grid are called {axis.name!r}", *axis.path)
    if math.prod(len(axis.values) for axis in axes) > MAX_VARIANTS:
        mistakes.add(f"must have at most {MAX_VARIANTS:,} combinations of values")
    mistakes.close()
    return axes


def _axes(
    value: Mapping[str, Any], path: tuple[str, ...], mistakes: MistakesError
) -> Iterator[Axis]:
    for key, item in value.items():
        place = (*path, key)
        if isinstance(item, dict) and item:
            yield from _axes(item, place, mistakes)
        elif not isinstance(item, list) or not item:
            mistakes.add(f"must be a list of values to choose from, found {show(item)}", *place)
        else:
            for index, choice in enumerate(item[:MAX_VARIANTS]):
                if choice in item[:index]:
                    mistakes.add(f"{show(choice)} is listed twice", *place, index)
            yield Axis(place, tuple(item))


def points_of(grid: Grid) -> list[Point]:
    """Return every combination of values in the order of listing, the last axis varying fastest.

    A grid without axes has one point, the empty mapping.
    """
    names = [axis.name for axis in grid]
    choices = itertools.product(*(axis.values for axis in grid))
    return [dict(zip(names, values, strict=True)) for values in choices]


def with_point(booster: BoosterSpec, point: Point) -> BoosterSpec:
    """Return the booster with the values of a point of its grid.

    Raises
    ------
    MistakesError
        If a parameter of the grid has a value besides those in the grid.
    """
    params = booster.params.plain()
    for axis in booster.grid:
        holder = params
        for key in axis.path[:-1]:
            if not isinstance(holder.get(key), dict):
                holder[key] = {}
            holder = holder[key]
        if holder.get(axis.name) is not None:
            what = f"has the value {show(holder[axis.name])} besides those in the grid"
            raise MistakesError((axis.path, f"{what}; leave out one"))
        holder[axis.name] = point[axis.name]
    label = swept_label(booster.label or booster.name, tuple(point.items()))
    return replace(booster, params=Params(params), label=label, grid=())
