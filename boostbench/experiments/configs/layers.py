"""Configs that extend others: the keys of both in one mapping.

Mappings are merged key by key, at any depth; a list or scalar replaces the inherited value, and
null removes the inherited key. The name is not inherited.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.shipped import find_config
from boostbench.source import Keys, Source, read_source, show, source_of


def read_extended(
    config: Path | Mapping[str, Any],
    complaints: list[BoostbenchError],
    below: tuple[Path, ...] = (),
) -> tuple[Source, tuple[Path, ...]]:
    """Read a config and merge it with the configs that it extends.

    Parameters
    ----------
    config : Path or mapping
        A file, or its content; files named in the content are relative to the working directory.
    complaints : list of BoostbenchError
        Receives what is wrong with single values.
    below : tuple of Path, default=()
        Configs that extend this one.

    Returns
    -------
    source : Source
        Without the key ``extends``; every value has the file and line of its origin.
    files : tuple of Path
        The config, followed by the configs that it extends.

    Raises
    ------
    BoostbenchError
        If a file cannot be read, or configs extend each other.
    """
    if isinstance(config, Path):
        path, (source, found) = config, read_source(config)
        complaints += found
    else:
        path = Path(str(config.get("name", "config")))
        source = source_of(config, path.name)
    if not isinstance(source.data, Keys) or "extends" not in source.data:
        return replace(source, data=Keys() if source.data is None else source.data), (path,)
    where = source.where(("extends",))
    try:
        parent = _parent(source.data["extends"], path, (*below, path))
    except BoostbenchError as error:
        raise BoostbenchError(f"extends: {error.what}", where=where) from error
    base, files = read_extended(parent, complaints, (*below, path))
    if not isinstance(base.data, Keys):
        what = f"extends: {base.name} is not a config, which is a mapping of keys"
        raise BoostbenchError(what, where=where)
    own = source.data.updated({}, without={"extends"})
    data = _merged(base.data.updated({}, without={"name"}), own)
    cut_checkpoints(data, own)
    return replace(source, data=data), (path, *files)


def _parent(reference: Any, path: Path, chain: tuple[Path, ...]) -> Path:
    """Return the file of the config that the one at ``path`` extends."""
    if not isinstance(reference, str) or not reference:
        raise BoostbenchError(f"must be the path or the name of a config, found {show(reference)}")
    beside = path.parent / Path(os.path.expanduser(reference))
    try:
        parent = beside if beside.is_file() else find_config(reference)
    except OSError as error:
        raise BoostbenchError(f"{show(reference)} is not a valid file name") from error
    if parent.resolve() in [known.resolve() for known in chain]:
        raise BoostbenchError(f"{reference} is this config, or extends it")
    return parent


def _merged(base: Keys, own: Keys) -> Keys:
    merged = base.updated(own, without=[key for key in own if own[key] is None])
    for key, value in own.items():
        if isinstance(value, Keys) and isinstance(base.get(key), Keys):
            merged[key] = _merged(base[key], value)
    return merged


def cut_checkpoints(data: Keys, given: Collection[str]) -> None:
    """Remove the checkpoints beyond the rounds, if a later layer replaced the rounds alone.

    ``given`` are the keys of the later layer.
    """
    rounds, checkpoints = data.get("rounds"), data.get("checkpoints")
    is_replaced = "rounds" in given and "checkpoints" not in given
    if is_replaced and isinstance(rounds, int) and isinstance(checkpoints, list):
        reached = [c for c in checkpoints if not isinstance(c, int) or c <= rounds]
        if len(reached) < len(checkpoints):
            data["checkpoints"] = reached if rounds in reached else [*reached, rounds]
