"""Configs: what an experiment compares, read from YAML with every mistake named at once."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, ValidationError, ValidationInfo

from boostbench.errors import BoostbenchError, ConfigError
from boostbench.experiments import entries, fields
from boostbench.experiments.claims import Claim, read_claims, with_scope
from boostbench.experiments.entries import DataEntry, ReportPart, Setting
from boostbench.experiments.fields import MistakesError, Notes, unknown
from boostbench.experiments.overrides import apply_override
from boostbench.experiments.parameters import drawn_by
from boostbench.experiments.protocol import Select, check_select, read_select
from boostbench.experiments.runs import CLEAN, Booster, Noise, Params
from boostbench.source import Place, Source, read_source, show

__all__ = ["Config", "Limits", "checkpoint_ladder", "load_config"]

_FILE = "<file>"
_NEEDED = "name, datasets, boosters and rounds"


def _checked(check: Callable[[Any], Any]) -> PlainValidator:
    """Return a validator; pydantic collects ValueError only."""

    def validate(value: Any) -> Any:
        try:
            return check(value)
        except BoostbenchError as error:
            raise ValueError(error.what) from error

    return PlainValidator(validate)


def _in_setting(read: Callable[[Any, Setting], Any]) -> PlainValidator:
    def validate(value: Any, info: ValidationInfo) -> Any:
        return read(value, (info.context or {})["setting"])

    return PlainValidator(validate)


def _sizes(value: Any) -> dict[str, dict[str, Any]]:
    if not isinstance(value, dict) or not all(isinstance(part, dict) for part in value.values()):
        raise ValueError(
            f"must be {{quick: {{key: value}}}} with keys of a config, found {show(value)}"
        )
    known = [key for key in Config.model_fields if key not in ("sizes", "name", "path")]
    notes = Notes()
    notes.keys(value, ("quick", "standard", "full"))
    for size, part in value.items():
        notes.keys(part, known, size)
    notes.close()
    return value


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


class Limits(_Strict):
    """What one run may use.

    Attributes
    ----------
    time : float or None
        Seconds of wall time.
    memory : int or None
        Bytes.
    """

    time: Annotated[float | None, _checked(fields.duration)] = None
    memory: Annotated[int | None, _checked(fields.size)] = None


class Config(_Strict):
    """An experiment.

    Attributes
    ----------
    name : str
        Names the folder of its report.
    title, paper, description : str
    datasets : tuple of DataEntry
    encode, missing : str
        How categorical columns and missing values are read, unless a data set says otherwise.
    split : str or Params
    noise : tuple of Noise
    boosters : tuple of Booster
        Sweeps are written out.
    rounds : int
        Number of rounds T.
    checkpoints : tuple of int
        Rounds that tables show, ascending.
    seeds : tuple of int
    record : tuple of str
        What is recorded beside error curves, loss and edges.
    select : Select or None
        How parameters are chosen; None if nothing is.
    limits : Limits
    report : tuple of ReportPart
    claims : tuple of Claim
    sizes : dict
        Replacements of keys for ``--size``.
    path : Path
        The file.
    """

    name: Annotated[str, _checked(fields.slug)]
    title: Annotated[str, _checked(fields.text)] = ""
    paper: Annotated[str, _checked(fields.text)] = ""
    description: Annotated[str, _checked(fields.text)] = ""
    datasets: Annotated[tuple[DataEntry, ...], _in_setting(entries.data_entries)]
    encode: Annotated[str, _checked(fields.one_of(*entries.ENCODINGS))] = "ordinal"
    missing: Annotated[str | float, _checked(entries.missing_rule)] = "keep"
    split: Annotated[str | Params, _checked(entries.split_spec)] = "official"
    noise: Annotated[tuple[Noise, ...], _in_setting(entries.noises)] = (CLEAN,)
    boosters: Annotated[tuple[Booster, ...], _in_setting(entries.boosters)]
    rounds: Annotated[int, _checked(fields.whole(1))]
    checkpoints: Annotated[tuple[int, ...], _checked(fields.checkpoints)] = ()
    seeds: Annotated[tuple[int, ...], _checked(fields.seeds)] = (0,)
    record: Annotated[tuple[str, ...], _checked(fields.records)] = ()
    select: Annotated[Select | None, _checked(read_select)] = None
    limits: Limits = Limits()
    report: Annotated[tuple[ReportPart, ...], _in_setting(entries.report_parts)] = ()
    claims: Annotated[tuple[Claim, ...], _checked(read_claims)] = ()
    sizes: Annotated[dict[str, dict[str, Any]], _checked(_sizes)] = {}
    path: Path = Field(alias="<file>")


def checkpoint_ladder(rounds: int) -> tuple[int, ...]:
    """Return the rounds 1, 2, 5, 10, 20, 50, ... up to ``rounds``, which is always among them.

    Examples
    --------
    >>> checkpoint_ladder(150)
    (1, 2, 5, 10, 20, 50, 100, 150)
    """
    steps = (m * 10**e for e in range(len(str(rounds))) for m in (1, 2, 5))
    return (*(step for step in steps if step < rounds), rounds)


def load_config(
    path: Path | str,
    overrides: Sequence[str] = (),
    *,
    size: str | None = None,
    data_dirs: Sequence[Path | str] = (),
    check_parameters: bool = True,
) -> Config:
    """Read and check a config.

    Parameters
    ----------
    path : Path
    overrides : sequence of str, default=()
        ``key.key=value`` each, as after ``--set``.
    size : str or None, default=None
        Use this variant of the config's ``sizes``.
    data_dirs : sequence of Path, default=()
        Where data sets that the catalog does not know may lie.
    check_parameters : bool, default=True
        Whether the parameters of boosters, weak learners and noise models are checked, which
        imports them; a report needs no such check.

    Returns
    -------
    config : Config

    Raises
    ------
    ConfigError
        With every mistake found: what, in which line, and what would be right.
    """
    path = Path(path)
    source, complaints = read_source(path)
    folders = tuple(Path(folder) for folder in data_dirs)
    setting = Setting(path.parent, folders, check_parameters)
    if source.data is None:
        source.data = {}
    if not isinstance(source.data, dict):
        what = f"a config is a mapping of keys, found {show(source.data)}"
        raise ConfigError([*complaints, BoostbenchError(what, where=source.where(()))])
    variants = source.data.get("sizes")
    if isinstance(variants, dict) and size is None:
        for name in variants:  # what is wrong with a size is said even if it is not asked for
            if isinstance(variants[name], dict):
                _, found = _validate(_of_size(source, name), setting)
                complaints += found
    stated = _claims_as_stated(source, size, setting) if size or overrides else None
    prepared = _prepared(source, overrides, size, complaints)
    config, found = _validate(prepared, setting)
    complaints = _without_echoes(complaints + found)
    if complaints or config is None:
        raise ConfigError(complaints)
    if stated is None:
        return with_scope(config, prepared)
    return config.model_copy(update={"claims": stated})


def _claims_as_stated(
    source: Source, size: str | None, setting: Setting
) -> tuple[Claim, ...] | None:
    """Return the claims of the file, or of a size that has its own.

    A claim says something of all data sets and rounds of its config; a smaller variant does not
    change what is said, it only has fewer runs to judge by.
    """
    sizes = source.data.get("sizes")
    part = sizes.get(size) if isinstance(sizes, dict) and size else None
    if isinstance(part, dict) and "claims" in part:
        source = _of_size(source, str(size))
    config, found = _validate(copy.deepcopy(source), setting)
    return None if config is None or found else with_scope(config, source).claims


def _prepared(
    source: Source, overrides: Sequence[str], size: str | None, complaints: list[BoostbenchError]
) -> Source:
    """Return the source with size and overrides put in."""
    checkpoints = source.data.get("checkpoints")
    if size is not None:
        known = source.data.get("sizes") or {}
        if size not in known:
            what = unknown("size", size, known) if known else "this config has no 'sizes'"
            complaints.append(BoostbenchError(what, where=f"--size {size}"))
        else:
            source = _of_size(source, size)
    for override in overrides:
        complaint = apply_override(source, override)
        if complaint is not None:
            complaints.append(complaint)
    rounds = source.data.get("rounds")
    if (size or overrides) and source.data.get("checkpoints") is checkpoints and checkpoints:
        _cut_checkpoints(source, rounds)
    return source


def _cut_checkpoints(source: Source, rounds: Any) -> None:
    """Leave out the config's own checkpoints that fewer rounds, asked for later, cannot reach."""
    checkpoints = source.data["checkpoints"]
    if isinstance(rounds, int) and isinstance(checkpoints, list):
        kept = [c for c in checkpoints if not isinstance(c, int) or c <= rounds]
        if len(kept) < len(checkpoints):
            source.data["checkpoints"] = kept if rounds in kept else [*kept, rounds]


def _of_size(source: Source, size: str) -> Source:
    """Return the source with the keys of one size in the place of the general ones."""
    part = source.data["sizes"][size]
    places = {place: at for place, at in source.places.items() if not place or place[0] not in part}
    for place, at in source.places.items():
        if place[:2] == ("sizes", size) and len(place) > 2:
            places[place[2:]] = at
    merged = {**copy.deepcopy(source.data), **copy.deepcopy(part)}
    if "rounds" in part and "checkpoints" not in part and merged.get("checkpoints"):
        resized = Source(source.name, merged, places, source.refused)
        _cut_checkpoints(resized, merged["rounds"])
        return resized
    return Source(source.name, merged, places, source.refused)


def _validate(source: Source, setting: Setting) -> tuple[Config | None, list[BoostbenchError]]:
    try:
        data = {**source.data, _FILE: Path(source.name)}
        config = Config.model_validate(data, context={"setting": setting})
    except ValidationError as error:
        mistakes = error.errors()
        found = [c for mistake in mistakes for c in _complaints(mistake, source)]
        missing = [str(mistake["loc"][-1]) for mistake in mistakes if mistake["type"] == "missing"]
        if missing:
            keys = "key" if len(missing) == 1 else "keys"
            what = f"missing {keys} {', '.join(missing)}; a config needs {_NEEDED}"
            found.append(BoostbenchError(what, where=source.name))
        return None, found
    if not config.checkpoints:
        config = config.model_copy(update={"checkpoints": checkpoint_ladder(config.rounds)})
    return config, _cross_checks(config, source)


def _cross_checks(config: Config, source: Source) -> list[BoostbenchError]:
    """Return the complaints about keys that are right alone and wrong together."""
    found = []
    own = [entry.rounds or 0 for entry in config.datasets]
    own += [booster.rounds or 0 for booster in config.boosters]
    largest = max([config.rounds, *own])
    for index, checkpoint in enumerate(config.checkpoints):
        if checkpoint > largest:
            what = f"checkpoints: {checkpoint} is beyond the {largest} rounds that are made"
            found.append(BoostbenchError(what, where=source.where(("checkpoints", index))))
    labels = {booster.label for booster in config.boosters}
    labels |= {booster.name for booster in config.boosters}
    for index, entry in enumerate(config.datasets):
        for name in entry.booster_params:
            if name not in labels:
                where = source.where(("datasets", index, "boosters", name))
                found.append(BoostbenchError(unknown("booster", name, labels), where=where))
    found += check_select(config, source)
    return [*found, *_absent_costs(config, source), *_rates_of_problems(config, source)]


def _absent_costs(config: Config, source: Source) -> list[BoostbenchError]:
    """A booster can take the data sets' costs only if every one has them."""
    takers = [booster.label for booster in config.boosters if booster.takes_cost_of_data]
    return [
        BoostbenchError(
            f"{entry.data.label} needs a 'cost', a matrix, because {takers[0]} has 'cost: data'",
            where=source.where(("datasets", index)),
        )
        for index, entry in enumerate(config.datasets)
        if takers and not entry.data.cost
    ]


def _rates_of_problems(config: Config, source: Source) -> list[BoostbenchError]:
    """A noise rate may be the name of something that every generated problem draws for itself."""
    found = []
    for rate in (noise.rate for noise in config.noise if isinstance(noise.rate, str)):
        for entry in config.datasets:
            if rate not in drawn_by(entry.data.name):
                what = (
                    "must be a number from 0 to 1, or the name of a value that the problem draws, "
                    f"found {rate!r}, which {entry.data.label} does not draw"
                )
                where = source.where(("noise", "rate"))
                found.append(BoostbenchError(f"noise.rate {what}", where=where))
                break
    return found


def _complaints(mistake: Any, source: Source) -> list[BoostbenchError]:
    place: Place = tuple(mistake["loc"])
    cause = (mistake.get("ctx") or {}).get("error")
    if mistake["type"] == "extra_forbidden":
        known = _keys() if len(place) == 1 else list(Limits.model_fields)
        what = unknown("key", str(place[-1]), known)
        return [BoostbenchError(what, where=source.where(place))]
    if mistake["type"] == "missing":  # said once for all keys
        return []
    if isinstance(cause, MistakesError):
        parts = [((*place, *inner), what) for inner, what in cause.found]
    elif cause is not None:
        parts = [(place, str(cause))]
    else:
        parts = [(place, f"must be a mapping of its keys, found {show(mistake['input'])}")]
    return [
        BoostbenchError(_with_key(what, source.resolve(at)), where=source.where(at))
        for at, what in parts
        if source.resolve(at) not in source.refused
    ]


def _with_key(what: str, place: Place) -> str:
    """Put the key in front of a message that only says what the value must be."""
    if what.startswith(("unknown ", "a ", "two ")):
        return what
    key = ".".join(step for step in place if isinstance(step, str))
    return f"{key} {what}" if what.startswith(("must ", "needs ")) else f"{key}: {what}"


def _keys() -> list[str]:
    return [name for name in Config.model_fields if name != "path"]


def _without_echoes(complaints: list[BoostbenchError]) -> list[BoostbenchError]:
    """A mistake in the general part shows again in every size; say it once."""
    return list({str(complaint): complaint for complaint in complaints}.values())
