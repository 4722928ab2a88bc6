"""The layers of a config: inherited keys, its own keys, the keys of a size, and ``--set``.

A config with the key ``extends`` inherits the keys of another config. Mappings are merged key by
key, at any depth; a list or scalar replaces the inherited value, and null removes the inherited
key. The name is not inherited. The keys of a size replace the general keys, and ``--set`` replaces
one value for one command. A file named under ``report`` holds the tables, figures and claims.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from boostbench.errors import BoostbenchError, ConfigError, unknown
from boostbench.experiments.configs.shipped import find_config
from boostbench.source import Items, Keys, Source, read_source, read_value, show, source_of

_REPORT_KEYS = ("report", "claims", "title", "description")


def read_extended(
    config: Path | Mapping[str, Any], below: tuple[Path, ...] = ()
) -> tuple[Source, list[BoostbenchError], tuple[Path, ...]]:
    """Read a config and merge it with the configs that it extends.

    Parameters
    ----------
    config : Path or mapping
        A file, or its content; files named in the content are relative to the working directory.
    below : tuple of Path, default=()
        Configs that extend this one.

    Returns
    -------
    source : Source
        Without the key ``extends``; every value has the file and line of its origin.
    complaints : list of BoostbenchError
    files : tuple of Path
        The config, followed by the configs that it extends.

    Raises
    ------
    ConfigError
        If a file cannot be read, or configs extend each other.
    """
    if isinstance(config, Path):
        path, (source, complaints) = config, read_source(config)
    else:
        path, complaints = Path(str(config.get("name", "config"))), []
        source = source_of(config, path.name)
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
        what = f"extends: {base.name} is not a config, which is a mapping of keys"
        raise ConfigError([*complaints, *more, BoostbenchError(what, where=where)])
    base.data.pop("name", None)
    own = source.data
    source.data = _merged(base.data, own)
    _cut_checkpoints(source.data, own)
    return source, complaints + more, (path, *files)


def _find(reference: Any, path: Path, chain: tuple[Path, ...]) -> Path:
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
    removed = [key for key in own if own[key] is None]
    merged = base.updated(own, without=removed)
    for key, value in own.items():
        if isinstance(value, Keys) and isinstance(base.get(key), Keys):
            merged[key] = _merged(base[key], value)
    return merged


def with_report(source: Source, file: Path) -> tuple[Source, list[BoostbenchError]]:
    """Return a source with the keys of a report file in place of its name, and complaints.

    Raises
    ------
    ConfigError
        If the file cannot be read or is not a mapping.
    """
    found, complaints = read_source(file)
    if not isinstance(found.data, Keys):
        what = f"a report file is a mapping of {', '.join(_REPORT_KEYS)}, found {show(found.data)}"
        raise ConfigError([BoostbenchError(what, where=found.at or found.name)])
    strange = [key for key in found.data if key not in _REPORT_KEYS]
    for key in strange:
        what = unknown("key of a report file", key, _REPORT_KEYS)
        complaints.append(BoostbenchError(what, where=found.data.at[key]))
    own = source.data.updated({}, without=("report",))
    return replace(source, data=own.updated(found.data, strange)), complaints


def sizes_of(source: Source) -> dict[str, dict[str, Any]]:
    """Return the well-formed entries of ``sizes``."""
    sizes = source.data.get("sizes")
    parts = sizes.items() if isinstance(sizes, dict) else ()
    return {name: part for name, part in parts if isinstance(part, dict)}


def varied(
    source: Source, overrides: Sequence[str], size: str | None, complaints: list[BoostbenchError]
) -> Source:
    """Return the source with the size and the overrides applied; append errors to complaints."""
    if size is not None:
        known = sizes_of(source)
        if size not in known:
            what = unknown("size", size, known) if known else "this config has no 'sizes'"
            complaints.append(BoostbenchError(what, where=f"--size {size}"))
        else:
            source = of_size(source, size)
    for override in overrides:
        complaint = apply_override(source, override)
        if complaint is not None:
            complaints.append(complaint)
    _cut_checkpoints(source.data, [text.partition("=")[0].strip() for text in overrides])
    return source


def _cut_checkpoints(data: Keys, given: Collection[str]) -> None:
    """Remove the checkpoints beyond the rounds, if a later layer replaced the rounds alone.

    ``given`` are the keys of the later layer.
    """
    rounds, checkpoints = data.get("rounds"), data.get("checkpoints")
    is_replaced = "rounds" in given and "checkpoints" not in given
    if is_replaced and isinstance(rounds, int) and isinstance(checkpoints, list):
        reached = [c for c in checkpoints if not isinstance(c, int) or c <= rounds]
        if len(reached) < len(checkpoints):
            data["checkpoints"] = reached if rounds in reached else [*reached, rounds]


def of_size(source: Source, size: str) -> Source:
    """Return the source with the keys of a size in place of the general keys."""
    part = source.data["sizes"][size]
    data = copy.deepcopy(source.data.updated(part))
    _cut_checkpoints(data, part)
    return replace(source, data=data)


def apply_override(source: Source, text: str) -> BoostbenchError | None:
    """Set one value, ``key.key=value``, in place; return an error if that is impossible.

    Mappings that are absent are created. A list is replaced as a whole; ``key+=value`` appends the
    items of a list to it.
    """
    where = f"--set {text}"
    dotted, equals, value_text = text.partition("=")
    *steps, key = (step.strip() for step in dotted.split("."))
    if not equals or not all((*steps, key)):
        return BoostbenchError("expected key=value, for example rounds=100", where=where)
    value, complaint = read_value(value_text, where)
    if complaint is not None:
        return complaint
    holder: Any = source.data
    for step in steps:
        if holder.get(step) is None:
            holder[step] = Keys()
            holder.at.setdefault(step, where)
        holder = holder[step]
        if not isinstance(holder, Keys):
            what = (
                f"{step!r} of {source.name} is not a mapping, and can only be replaced as a whole"
            )
            return BoostbenchError(what, where=where)
    if key.endswith("+"):
        key = key[:-1].rstrip()
        if not isinstance(holder.get(key), list) or not isinstance(value, list):
            return BoostbenchError(f"{key}+= appends a list, [...], to a list", where=where)
        value = Items([*holder[key], *value])
    holder[key] = value
    holder.at[key] = where
    return None
