"""Files of configs: their lookup by path or name, and configs that extend others.

The keys of a config and of one that it extends make one mapping: mappings are merged key by key, at
any depth; a list or scalar replaces the inherited value, and null removes the inherited key. The
name is not inherited.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import replace
from glob import glob
from pathlib import Path
from typing import Any

from boostbench.errors import BoostbenchError, nearest
from boostbench.resources import shipped
from boostbench.source import Keys, Source, read_source, show, source_of
from boostbench.whole_files import in_home


def shipped_configs() -> dict[str, Path]:
    """Return the shipped configs by name: ``"noise20"``, ``"softmax-boosting/table2"``."""
    folder = shipped("configs")
    paths = sorted(folder.rglob("*.yaml"))
    return {path.relative_to(folder).with_suffix("").as_posix(): path for path in paths}


def paper_of(path: Path) -> str:
    """Return the paper that a config names; empty without one."""
    return str(read_extended(path, [])[0].data.get("paper", ""))


def find_config(reference: str) -> Path:
    """Return the file of a config given as a path or as the name of a shipped config.

    Raises
    ------
    BoostbenchError
        If there is no such file or name; the message suggests a similar one.
    """
    path = in_home(reference)
    if os.path.exists(path) and not path.is_dir():
        return path
    known = shipped_configs()
    if reference in known:
        return known[reference]
    if os.path.isdir(path):
        raise BoostbenchError("is a folder; name the configs in it", where=reference)
    raise BoostbenchError(f"no such config file{_hint(path, known)}", where=reference)


def _hint(path: Path, known: dict[str, Path]) -> str:
    siblings = glob("*.y*ml", root_dir=path.parent) if os.path.isdir(path.parent) else ()
    if close := nearest(path.name, siblings):
        return f"; did you mean '{path.parent / close}'?"
    if close := nearest(path.with_suffix("").as_posix(), known):
        return f"; did you mean the shipped config {close!r}?"
    return "; `boostbench list configs` names those that ship with boostbench"


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
        If a file cannot be read or is no mapping, or configs extend each other.
    """
    if isinstance(config, Path):
        path, (source, found) = config, read_source(config)
        complaints += found
    else:
        path = Path(str(config.get("name", "config")))
        source = source_of(config, path.name)
    keys = Keys() if source.data is None else source.data
    if not isinstance(keys, Keys):
        what = f"a config is a mapping of keys, found {show(keys)}"
        raise BoostbenchError(what, where=source.where(()))
    if "extends" not in keys:
        return replace(source, data=keys), (path,)
    where = source.where(("extends",))
    try:
        parent = _parent(keys["extends"], path, (*below, path))
    except BoostbenchError as error:
        raise BoostbenchError(f"extends: {error.what}", where=where) from error
    base, files = read_extended(parent, complaints, (*below, path))
    own = keys.updated({}, without={"extends"})
    data = _merged(base.data.updated({}, without={"name"}), own)
    cut_checkpoints(data, own)
    return replace(source, data=data), (path, *files)


def _parent(reference: Any, path: Path, chain: tuple[Path, ...]) -> Path:
    """Return the file of the config that the one at ``path`` extends."""
    if not isinstance(reference, str) or not reference:
        raise BoostbenchError(f"must be the path or the name of a config, found {show(reference)}")
    beside = path.parent / in_home(reference)
    parent = beside if os.path.isfile(beside) else find_config(reference)
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
