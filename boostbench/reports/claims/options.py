"""Options of claims: how each is read, and what is said about a wrong one.

A kind of claim is a function; its keyword parameters are its options. A parameter annotated with
one of the types here is read and checked when the config is; any other is handed over as written.
The options of `Selection` and of the rule (`COMMON`) belong to all kinds.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from pydantic import ConfigDict, ValidationInfo, model_validator

from boostbench.errors import ConfigError
from boostbench.experiments.configs.claims import Scope
from boostbench.experiments.configs.config import Config
from boostbench.experiments.configs.fields import Notes, one_of, text, unknown, whole
from boostbench.experiments.configs.file import load_config
from boostbench.experiments.configs.options import Options, scope_of
from boostbench.experiments.runs import Noise
from boostbench.reports.claims.evidence import END
from boostbench.reports.claims.shapes import AtLeast, Boundary, Tolerance
from boostbench.reports.values.frame import noise_label
from boostbench.reports.values.metrics import METRICS
from boostbench.reports.values.paper import PaperValues, read_paper_values
from boostbench.source import show

__all__ = [
    "COMMON",
    "Amount",
    "Axis",
    "Bound",
    "ClaimOptions",
    "ErrorCounts",
    "Flag",
    "Label",
    "Labels",
    "Levels",
    "PaperFile",
    "Reader",
    "Rounds",
    "ShareOrCount",
    "Statistic",
    "Twin",
    "Within",
    "Words",
    "in_scope",
]

#: Reads what was written, in the scope of the claim; raises ValueError.
Reader = Callable[[Any, Scope], Any]


class ClaimOptions(Options):
    """Options of a claim, as written; `read_claim` reads them."""

    model_config = ConfigDict(extra="allow")
    is_derived = False

    @model_validator(mode="after")
    def _readable(self, info: ValidationInfo) -> ClaimOptions:
        from boostbench.reports.claims.reading import check_options

        scope = scope_of(info)
        if not scope.unknown:
            check_options(self.registered, dict(self.model_extra or {}), scope)
        return self


def in_scope(reader: Reader, scope: Scope) -> Callable[[Any], Any]:
    """Return what reads a value in this scope."""
    return lambda value: reader(value, scope)


def read_label(value: Any, scope: Scope) -> str:
    """Read the label of a booster."""
    name = text(value)
    if name not in scope.boosters:
        raise ValueError(unknown("booster", name, scope.boosters))
    return name


def read_labels(value: Any, scope: Scope) -> tuple[str, ...]:
    """Read one booster or a list of them."""
    return _listed(value, lambda item: read_label(item, scope), "boosters")


def read_levels(value: Any, scope: Scope) -> tuple[tuple[str, ...], ...]:
    """Read a list of boosters or of groups of boosters."""
    if not isinstance(value, list) or len(value) < 2:
        raise ValueError(f"must be a list of at least two boosters, found {show(value)}")
    return _listed(value, lambda item: read_labels(item, scope), "boosters")


def read_flag(value: Any, scope: Scope) -> bool:
    """Read true or false."""
    if not isinstance(value, bool):
        raise ValueError(f"must be true or false, found {show(value)}")
    return value


def read_value(value: Any, scope: Scope) -> str:
    """Read the name of a quantity."""
    name = text(value)
    if name not in METRICS:
        raise ValueError(unknown("metric", name, METRICS))
    return name


def read_round(value: Any, scope: Scope) -> int | str:
    """Read a number of rounds or ``end``."""
    if value == END:
        return END
    if isinstance(value, str):
        raise ValueError(f"must be a number of rounds or 'end', found {show(value)}")
    rounds = whole(1)(value)
    if rounds > scope.rounds:
        raise ValueError(f"at: {rounds} is beyond the {scope.rounds} rounds that are made")
    return rounds


def read_at(value: Any, scope: Scope) -> tuple[int | str, ...]:
    """Read one or several numbers of rounds, ``end`` or ``checkpoints``."""
    if value == "checkpoints":
        return scope.checkpoints
    return _listed(value, lambda item: read_round(item, scope), "rounds")


def read_dataset(value: Any, scope: Scope) -> str:
    """Read the label of a data set."""
    name = text(value)
    if name not in scope.datasets:
        raise ValueError(unknown("data set", name, scope.datasets))
    return name


def read_datasets(value: Any, scope: Scope) -> tuple[str, ...]:
    """Read one data set or a list of them."""
    return _listed(value, lambda item: read_dataset(item, scope), "data sets")


def read_noise(value: Any, scope: Scope) -> Noise:
    """Read a noise of the config by its label or its rate."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        found = [noise for noise in scope.noises if noise.rate == value]
        labels = [noise_label(noise) for noise in found]
        if len(found) > 1:
            raise ValueError(f"noise: {show(value)} is the rate of {', '.join(labels)}; name one")
    else:
        found = [noise for noise in scope.noises if noise_label(noise) == value]
    if not found:
        labels = [noise_label(noise) for noise in scope.noises]
        raise ValueError(unknown("noise", str(value), labels))
    noise: Noise = found[0]
    return noise


def read_noises(value: Any, scope: Scope) -> tuple[Noise, ...]:
    """Read one noise or a list of them; they are put in the order of their rates."""
    found = _listed(value, lambda item: read_noise(item, scope), "noises")
    return tuple(sorted(found, key=_rate))


def read_exceptions(value: Any, scope: Scope) -> tuple[dict[str, Any], ...]:
    """Read a list of what is left out."""
    readers: dict[str, Reader] = {
        "dataset": read_dataset,
        "noise": lambda item, scope: noise_label(read_noise(item, scope)),
        "at": read_round,
        "booster": read_label,
    }

    def read(item: Any) -> dict[str, Any]:
        if not isinstance(item, dict) or not item:
            raise ValueError(f"must be a list such as [{{dataset: letter}}], found {show(item)}")
        return _mapping(item, readers, scope)

    if not isinstance(value, list):
        raise ValueError(f"must be a list such as [{{dataset: letter}}], found {show(value)}")
    return _listed(value, read, "exceptions")


def read_at_least(value: Any, scope: Scope) -> AtLeast:
    """Read how many cases have to hold."""
    if value == "all":
        return AtLeast(share=1.0)
    if value == "most":
        return AtLeast(share=0.5 + 1e-6)
    if isinstance(value, float) and 0 < value < 1:
        return AtLeast(share=value)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        what = "must be a number of cases, a share such as 0.6, all or most"
        raise ValueError(f"{what}, found {show(value)}")
    return AtLeast(count=value)


def read_share_or_count(value: Any, scope: Scope) -> float | int:
    """Read a share below 1, or a number of runs."""
    if isinstance(value, float) and 0 < value <= 1:
        return value
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        what = "must be a share of the runs such as 0.9, or a number of runs"
        raise ValueError(f"{what}, found {show(value)}")
    return value


def read_amount(value: Any, scope: Scope) -> float:
    """Read a number, or a text such as ``15%``."""
    match = re.fullmatch(r"([-+]?\d+(?:\.\d+)?) ?%", value) if isinstance(value, str) else None
    if match is not None:
        return float(match[1]) / 100
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"must be a number such as 0.15 or 15%, found {show(value)}")
    return float(value)


def read_number(value: Any, scope: Scope) -> float:
    """Read a number that is not negative."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        raise ValueError(f"must be a number of at least 0, found {show(value)}")
    return float(value)


def read_tolerance(value: Any, scope: Scope) -> Tolerance:
    """Read how far two values may be apart."""
    if not isinstance(value, dict) or not value:
        what = "must be e.g. {points: 1.5} or {points: 1.5, relative: 0.25}"
        raise ValueError(f"{what}, found {show(value)}")
    return Tolerance(**_mapping(value, {"points": read_number, "relative": read_number}, scope))


def read_boundary(value: Any, scope: Scope) -> Boundary:
    """Read what a quantity is compared with."""
    if value == "noise_rate":
        return Boundary(is_rate=True)
    if not isinstance(value, dict):
        if isinstance(value, str) and not value[:1].isdigit():
            what = "must be a number, 15%, noise_rate or {booster: NAME, at: T}"
            raise ValueError(f"{what}, found {show(value)}")
        return Boundary(number=read_amount(value, scope))
    readers: dict[str, Reader] = {
        "booster": read_label,
        "noise": lambda item, scope: noise_label(read_noise(item, scope)),
        "value": read_value,
        "at": read_round,
        "times": read_number,
        "plus": read_amount,
    }
    found = _mapping(value, readers, scope)
    if not {"booster", "noise", "value", "at"} & found.keys():
        raise ValueError("must say what is another: booster, at, noise or value")
    return Boundary(**found)


def read_counts(value: Any, scope: Scope) -> dict[str, tuple[int, ...]]:
    """Read numbers of errors by booster."""
    if not isinstance(value, dict) or not value:
        raise ValueError(f"must be {{booster: [counts]}}, found {show(value)}")
    notes = Notes()
    found = {}
    for name, counts in value.items():
        notes.take(lambda item: read_label(item, scope), name, name)
        found[name] = notes.take(lambda item: _listed(item, whole(0), "counts"), counts, name)
    notes.close()
    return found


def read_paper(value: Any, scope: Scope) -> PaperValues:
    """Read a file of paper values beside the config."""
    path = _beside(value, scope)
    try:
        return read_paper_values(path)
    except ConfigError as error:
        raise ValueError("; ".join(map(str, error.complaints))) from error


def read_twin(value: Any, scope: Scope) -> Config:
    """Read another config, named by its path from this one."""
    path = _beside(value, scope)
    try:
        return load_config(path, check_parameters=False, with_claims=False)
    except ConfigError as error:
        raise ValueError("; ".join(map(str, error.complaints))) from error


Label = Annotated[str, read_label]
Labels = Annotated[tuple[str, ...], read_labels]
Levels = Annotated[tuple[tuple[str, ...], ...], read_levels]
Flag = Annotated[bool, read_flag]
Amount = Annotated[float, read_amount]
Bound = Annotated[Boundary, read_boundary]
Within = Annotated[Tolerance, read_tolerance]
Rounds = Annotated[int, lambda value, scope: whole(1)(value)]
Axis = Annotated[str, lambda value, scope: one_of("noise", "rounds")(value)]
Statistic = Annotated[str, lambda value, scope: one_of("mean", "median")(value)]
Words = Annotated[str, lambda value, scope: text(value)]
ErrorCounts = Annotated[dict[str, tuple[int, ...]], read_counts]
ShareOrCount = Annotated[float | int, read_share_or_count]
PaperFile = Annotated[PaperValues, read_paper]
Twin = Annotated[Config, read_twin]

#: Readers of the options that all kinds have.
COMMON: dict[str, Reader] = {
    "value": read_value,
    "at": read_at,
    "datasets": read_datasets,
    "noise": read_noises,
    "except": read_exceptions,
    "per": lambda value, scope: one_of("dataset", "mean")(value),
    "pooled": read_flag,
    "at_least": read_at_least,
    "of": lambda value, scope: whole(1)(value),
}


def _listed(value: Any, read: Callable[[Any], Any], kind: str) -> tuple[Any, ...]:
    """Read one thing or a list of things; a thing must not be listed twice."""
    if not isinstance(value, list):
        return (read(value),)
    if not value:
        raise ValueError(f"must name {kind}, found []")
    notes = Notes()
    found = [notes.take(read, item, index) for index, item in enumerate(value)]
    for index, item in enumerate(value):
        if kind != "counts" and item in value[:index]:
            notes.add(f"{show(item)} is listed twice", index)
    notes.close()
    return tuple(found)


def _mapping(value: dict[str, Any], readers: dict[str, Reader], scope: Scope) -> dict[str, Any]:
    notes = Notes()
    notes.keys(value, readers)
    found = {
        key: notes.take(in_scope(readers[key], scope), value[key], key)
        for key in value
        if key in readers
    }
    notes.close()
    return found


def _beside(value: Any, scope: Scope) -> Path:
    path = scope.path.parent / Path(text(value)).expanduser()
    if not path.is_file():
        raise ValueError(f"there is no file {path}")
    return path


def _rate(noise: Noise) -> float:
    return noise.rate if isinstance(noise.rate, int | float) else math.inf
