"""The entries of a config: data sets, noise, boosters, splits, parts of the report.

Each function turns what was written into values, and notes every mistake with its place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from boostbench import registry
from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.expressions import is_expression
from boostbench.experiments.configs.fields import (
    MistakesError,
    Notes,
    cost_matrix,
    flag,
    noise_rate,
    one_of,
    seeds,
    text,
    unknown,
    whole,
)
from boostbench.experiments.configs.parameters import (
    check_booster_params,
    check_generator_params,
    check_noise_params,
)
from boostbench.experiments.configs.points import points_of, with_point
from boostbench.experiments.configs.protocol import read_grid
from boostbench.experiments.configs.sweeps import expand_sweeps, swept_label
from boostbench.experiments.runs import CLEAN, Booster, Data, Noise, Params
from boostbench.source import Place, show

__all__ = [
    "DataEntry",
    "ReportPart",
    "Setting",
    "boosters",
    "data_entries",
    "missing_rule",
    "noises",
    "report_parts",
    "split_spec",
]

ENCODINGS = ("ordinal", "one-hot")
_DATA_KEYS = (
    "as",
    "cost",
    "encode",
    "missing",
    "split",
    "rounds",
    "seeds",
    "boosters",
    "at_most",
    "extend",
)
_BOOSTER_KEYS = ("label", "rounds", "grid")


@dataclass(frozen=True)
class Setting:
    """Where a config is read: what names and files it may refer to."""

    folder: Path
    data_dirs: tuple[Path, ...] = ()
    check_parameters: bool = True


@dataclass(frozen=True)
class DataEntry:
    """One data set of a config and what holds for it alone.

    Attributes
    ----------
    data : Data
    split : str, Params or None
    rounds : int or None
    booster_params : dict
        Parameters by the label or name of a booster.
    extend : bool
        Whether ranges of parameters extend themselves.
    at_most : dict
        Largest values of numeric parameters; boosters beyond are left out.
    seeds : tuple of int
        In place of the config's; empty: those.
    """

    data: Data
    split: str | Params | None = None
    rounds: int | None = None
    booster_params: dict[str, dict[str, Any]] = field(default_factory=dict)
    extend: bool = True
    at_most: dict[str, float] = field(default_factory=dict)
    seeds: tuple[int, ...] = ()


@dataclass(frozen=True)
class ReportPart:
    """A table or a figure that the report shows.

    Attributes
    ----------
    kind : str
        The name of a kind of table or figure.
    options : dict
        As written; ``paper`` is a full path.
    """

    kind: str
    options: dict[str, Any]


def data_entries(value: Any, setting: Setting) -> tuple[DataEntry, ...]:
    """Read the key ``datasets``."""
    found = _each(value, "data set", lambda entry: _data_entry(entry, setting))
    _refuse_repeats([(entry.data.label, entry) for entry in found], "data sets", "as")
    return tuple(found)


def boosters(value: Any, setting: Setting) -> tuple[Booster, ...]:
    """Read the key ``boosters``, sweeps written out."""
    found = _each(value, "booster", lambda entry: _booster_variants(entry, setting))
    named = [(booster.label, (booster, booster.rounds, booster.grid)) for booster in found]
    _refuse_repeats(named, "boosters", "label")
    return tuple(found)


def noises(value: Any, setting: Setting) -> tuple[Noise, ...]:
    """Read the key ``noise``: nothing, one model, or a list of models and rates."""
    entries = value if isinstance(value, list) else [value]
    notes = Notes()
    found: list[Noise] = []
    for index, entry in enumerate(entries):
        place = (index,) if isinstance(value, list) else ()
        found += notes.take(lambda e: _noise_rates(e, setting), entry, *place) or []
    if not entries:
        notes.add("must name at least one noise, or be 'none'")
    notes.close()
    return tuple(dict.fromkeys(found))


def split_spec(value: Any) -> str | Params:
    """Read the key ``split``: ``official`` or the parameters of another way."""
    from boostbench.data import parse_split

    parse_split(value)
    return "official" if value == "official" else Params(value)


def report_parts(value: Any, setting: Setting) -> tuple[ReportPart, ...]:
    """Read the key ``report``: tables and figures."""
    if not isinstance(value, list):
        raise ValueError(f"must be a list such as [table: {{...}}], found {show(value)}")
    notes = Notes()
    parts: list[ReportPart] = []
    for index, entry in enumerate(value):
        named = notes.take(lambda e: _named(e, "part of the report"), entry, index)
        if named is None:
            continue
        kind, options = named
        kinds = [*registry.tables, *registry.figures]
        if kind not in kinds:
            notes.add(unknown("part of the report", kind, kinds), index, kind)
            continue
        if "paper" in options:
            find = partial(_beside, folder=setting.folder)
            paper = notes.take(find, options["paper"], index, "paper")
            options = {**options, "paper": paper}
        parts.append(ReportPart(kind, options))
    notes.close()
    return tuple(parts)


def missing_rule(value: Any) -> str | float:
    """Read what fills missing values: a rule or a number."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    return one_of("keep", "median", "most-frequent")(value)


def _data_entry(value: Any, setting: Setting) -> list[DataEntry]:
    from boostbench.data import find_entry

    name, options = _named(value, "data set")
    notes = Notes()
    entry = notes.take(lambda n: find_entry(n, setting.data_dirs), name)
    checks: dict[str, Callable[[Any], Any]] = {
        "as": text,
        "cost": cost_matrix,
        "encode": one_of(*ENCODINGS),
        "missing": missing_rule,
        "split": split_spec,
        "rounds": whole(1),
        "seeds": seeds,
        "boosters": _params_by_booster,
        "extend": flag,
        "at_most": _limits,
    }
    read = {k: notes.take(checks[k], options[k], k) for k in _DATA_KEYS if k in options}
    params = {key: item for key, item in options.items() if key not in _DATA_KEYS}
    if entry is not None and not entry.generator:
        notes.keys(options, _DATA_KEYS)
    elif entry is not None and setting.check_parameters:
        check_generator_params(entry.generator, params, notes)
    notes.close()
    label = read.get("as") or name
    return [
        DataEntry(
            Data(
                name=entry.name,
                params=Params(variant),
                encode=read.get("encode", ""),
                missing=read.get("missing", ""),
                cost=read.get("cost") or (),
                label=swept_label(label, swept),
            ),
            read.get("split"),
            read.get("rounds"),
            read.get("boosters", {}),
            read.get("extend", True),
            at_most=read.get("at_most", {}),
            seeds=read.get("seeds", ()),
        )
        for variant, swept in expand_sweeps(params)
    ]


def _params_by_booster(value: Any) -> dict[str, dict[str, Any]]:
    if not isinstance(value, dict) or not all(isinstance(item, dict) for item in value.values()):
        raise ValueError(f"must be {{booster: {{parameter: value}}}}, found {show(value)}")
    notes = Notes()
    for name, params in value.items():
        if "grid" in params:
            notes.take(read_grid, params["grid"], name, "grid")
    notes.close()
    return value


def _limits(value: Any) -> dict[str, float]:
    numbers = list(value.values()) if isinstance(value, dict) else [None]
    if any(isinstance(n, bool) or not isinstance(n, int | float) for n in numbers):
        raise ValueError(f"must be {{parameter: number}}, found {show(value)}")
    return {str(name): float(number) for name, number in value.items()}


def _booster_variants(value: Any, setting: Setting) -> list[Booster]:
    name, options = _named(value, "booster")
    notes = Notes()
    params = {key: item for key, item in options.items() if key not in _BOOSTER_KEYS}
    source = _source(name, setting.folder)
    shown = _short(name)
    label = notes.take(text, options["label"], "label") if "label" in options else None
    rounds = notes.take(whole(1), options["rounds"], "rounds") if "rounds" in options else None
    grid = notes.take(read_grid, options["grid"], "grid") if "grid" in options else ()
    if ".py:" not in source and source not in registry.boosters:
        notes.add(unknown("booster", name, registry.boosters.names()))
    for key, item in _texts(params):
        notes.take(is_expression, item, *key)
    notes.close()
    found = []
    for variant, swept in expand_sweeps(params):
        its_label = swept_label(label or _plain(shown), swept)
        booster = Booster(shown, Params(variant), its_label, source, rounds, grid)
        for one in _with_each_value(booster) if setting.check_parameters else ():
            mistakes = Notes()
            check_booster_params(source, shown, one.params.plain(), mistakes)
            for place, what in mistakes.found:
                notes.add(what, *(("grid",) if _is_chosen(place, booster) else ()), *place)
        found.append(booster)
    notes.found = list(dict.fromkeys(notes.found))
    notes.close()
    return found


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


def _noise_rates(value: Any, setting: Setting) -> list[Noise]:
    if value is None or value == "none":
        return [CLEAN]
    if not isinstance(value, dict) or "model" not in value:
        example = "{model: exchange, rate: 0.2}"
        if isinstance(value, str) and value in registry.noise_models:
            raise ValueError(f"needs a rate: {example.replace('exchange', value)}")
        raise ValueError(f"must be 'none' or e.g. {example}, found {show(value)}")
    notes = Notes()
    model = value["model"]
    params = {key: item for key, item in value.items() if key not in ("model", "rate")}
    if not isinstance(model, str) or model not in registry.noise_models:
        notes.add(unknown("noise model", str(model), registry.noise_models.names()), "model")
    elif setting.check_parameters:
        check_noise_params(model, params, notes)
    if "rate" not in value:
        notes.add("needs a rate, the share of the training samples that are chosen")
    rates = value.get("rate", [])
    listed = isinstance(rates, list)
    checked = [
        notes.take(noise_rate, rate, "rate", *([index] if listed else []))
        for index, rate in enumerate(rates if listed else [rates])
    ]
    notes.close()
    return [CLEAN if rate == 0 else Noise(model, rate, Params(params)) for rate in checked]


def _named(value: Any, kind: str) -> tuple[str, dict[str, Any]]:
    """Read ``name`` or ``{name: {option: value}}``."""
    if isinstance(value, str) and value:
        return value, {}
    if isinstance(value, dict) and len(value) == 1:
        name, options = next(iter(value.items()))
        if options is None or isinstance(options, dict):
            return name, options or {}
        raise ValueError(f"the options of {name!r} must be a mapping, found {show(options)}")
    if isinstance(value, dict) and value and next(iter(value.values())) is None:
        name, *rest = value
        raise ValueError(
            f"indent {', '.join(rest)} below {name!r}: a {kind} is a name or {{name: {{...}}}}"
        )
    raise ValueError(f"a {kind} is a name or {{name: {{...}}}}, found {show(value)}")


def _each(value: Any, kind: str, read: Callable[[Any], list[Any]]) -> list[Any]:
    if not isinstance(value, list) or not value:
        raise ValueError(f"must be a list of at least one {kind}, found {show(value)}")
    notes = Notes()
    found: list[Any] = []
    for index, entry in enumerate(value):
        found += notes.take(read, entry, index) or []
    notes.close()
    return found


def _refuse_repeats(found: Sequence[tuple[str, object]], kind: str, key: str) -> None:
    for position, (label, entry) in enumerate(found):
        for earlier_label, earlier in found[:position]:
            if label == earlier_label:
                what = f"two {kind} are called {label!r}; tell them apart by '{key}:'"
                raise MistakesError([((), what)])
            if entry == earlier:
                what = f"two {kind}, {earlier_label!r} and {label!r}, are the same; leave one out"
                raise MistakesError([((), what)])


def _texts(value: Any, place: Place = ()) -> list[tuple[Place, str]]:
    if isinstance(value, str):
        return [(place, value)]
    items: Any = ()
    if isinstance(value, Mapping):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    return [found for key, item in items for found in _texts(item, (*place, key))]


def _source(name: str, folder: Path) -> str:
    """Return what the registry is asked for; a plugin file is looked for beside the config."""
    file, separator, attribute = name.rpartition(".py:")
    if not separator:
        return name
    path = Path(f"{file}.py").expanduser()
    beside = folder / path
    return f"{(beside if beside.is_file() else path).resolve()}:{attribute}"


def _short(name: str) -> str:
    return name if ".py:" not in name else Path(name).name


def _plain(name: str) -> str:
    return name.rpartition(".py:")[2]


def _beside(value: Any, folder: Path) -> str:
    path = folder / Path(text(value)).expanduser()
    if not path.is_file():
        raise BoostbenchError(f"there is no file {path}")
    return str(path.resolve())
