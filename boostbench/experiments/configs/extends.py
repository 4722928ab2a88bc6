"""The key ``extends``: a config that says only what differs from another.

Mappings are merged key by key, at any depth; a list or any other value takes the place of the
inherited one, and an empty value (null) removes the inherited key. The name is not inherited.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from boostbench.errors import BoostbenchError, ConfigError
from boostbench.experiments.configs.shipped import find_config
from boostbench.source import Keys, Source, read_source, show

_MAX_CHAIN = 5


def read_extended(
    path: Path, below: tuple[Path, ...] = ()
) -> tuple[Source, list[BoostbenchError], tuple[Path, ...]]:
    """Read a config with what it inherits.

    Parameters
    ----------
    path : Path
    below : tuple of Path, default=()
        The configs that extend this one.

    Returns
    -------
    source : Source
        Without the key ``extends``; every value knows the file it was written in.
    complaints : list of BoostbenchError
    files : tuple of Path
        The config and those it extends, one after the other.

    Raises
    ------
    ConfigError
        If a file cannot be read, or configs extend each other.
    """
    source, complaints = read_source(path)
    if not isinstance(source.data, Keys) or "extends" not in source.data:
        return source, complaints, (path,)
    reference = source.data.pop("extends")
    where = source.where(("extends",))
    try:
        parent = _find(reference, path, (*below, path))
    except BoostbenchError as error:
        mistake = BoostbenchError(f"extends: {error.what}", where=where)
        raise ConfigError([*complaints, mistake]) from error
    base, more, files = read_extended(parent, (*below, path))
    if not isinstance(base.data, Keys):
        what = f"extends: {base.name} is no config, a mapping of keys"
        raise ConfigError([*complaints, *more, BoostbenchError(what, where=where)])
    base.data.pop("name", None)
    source.data = _merged(base.data, source.data)
    return source, complaints + more, (path, *files)


def _find(reference: Any, path: Path, chain: tuple[Path, ...]) -> Path:
    if not isinstance(reference, str) or not reference:
        raise BoostbenchError(f"must be the path or the name of a config, found {show(reference)}")
    beside = path.parent / Path(os.path.expanduser(reference))
    try:
        found = beside if beside.is_file() else find_config(reference)
    except OSError as error:
        raise BoostbenchError(f"{show(reference)} is no name of a file") from error
    if found.resolve() in [known.resolve() for known in chain]:
        raise BoostbenchError(f"{reference} is this config, or extends it")
    if len(chain) > _MAX_CHAIN:
        raise BoostbenchError(f"more than {_MAX_CHAIN} configs extend each other")
    return found


def _merged(base: Keys, own: Keys) -> Keys:
    removed = [key for key in own if own[key] is None]
    merged = base.updated(own, without=removed)
    for key, value in own.items():
        if isinstance(value, Keys) and isinstance(base.get(key), Keys):
            merged[key] = _merged(base[key], value)
    return merged
