"""Configs as files: read, varied by size and ``--set``, and every mistake named at once."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from boostbench.errors import BoostbenchError, ConfigError
from boostbench.experiments.configs.checks import cross_checks
from boostbench.experiments.configs.claims import Claim
from boostbench.experiments.configs.config import Config, Limits, checkpoint_ladder
from boostbench.experiments.configs.entries import Setting
from boostbench.experiments.configs.fields import MistakesError, unknown
from boostbench.experiments.configs.overrides import apply_override
from boostbench.source import Place, Source, read_source, show

__all__ = ["load_config", "with_scope"]

_FILE = str(Config.model_fields["path"].alias)
_NEEDED = "name, datasets, boosters and rounds"


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


def with_scope(config: Config, source: Source) -> Config:
    """Return the config with claims that know their lines and what the config is about."""
    scope = config.scope()
    found = tuple(
        replace(claim, places=_places(source, index), scope=scope)
        for index, claim in enumerate(config.claims)
    )
    return config.model_copy(update={"claims": found})


def _places(source: Source, index: int) -> dict[Place, str]:
    above: Place = ("claims", index)
    return {place[2:]: at for place, at in source.places.items() if place[:2] == above}


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
    return config, cross_checks(config, source)


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
