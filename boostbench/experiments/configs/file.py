"""Reading and validation of config files, with all errors reported together.

The keys of a size replace the general keys, and ``--set`` replaces one value for one command.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from boostbench.errors import BoostbenchError, ConfigError, unknown
from boostbench.experiments.configs.config import FILE, Config
from boostbench.experiments.configs.fields import Setting
from boostbench.experiments.configs.shipped import cut_checkpoints, find_config, read_extended
from boostbench.source import Items, Keys, Place, Source, read_value
from boostbench.validation import TOP, mistakes_in

Reference = Path | str | Mapping[str, Any]


def load_config(reference: Reference, overrides: Sequence[str] = (), **options: Any) -> Config:
    """Read and validate a config; the arguments are those of `load_configs`."""
    return load_configs([reference], overrides, **options)[0]


def load_configs(
    references: Iterable[Reference], overrides: Sequence[str] = (), **options: Any
) -> list[Config]:
    """Read and validate configs.

    Parameters
    ----------
    references : iterable of Path, str or mapping
        Files, names of shipped configs, or the contents of configs; files named in a content are
        relative to the working directory.
    overrides : sequence of str, default=()
        Items ``key.key=value``, as after ``--set``.
    check_parameters : bool, default=True
        Check the parameters of boosters, weak learners, noise models and generators, which imports
        them. Reports need no check.
    size : str or None, default=None
        Name of a variant under the key ``sizes``.
    data_dirs : sequence of Path, default=()
        Folders of data sets that are not in the catalog.

    Raises
    ------
    ConfigError
        With the errors of all configs: the problem, its line and the valid values. Equal names are
        an error, because their reports would be written into the same folder.
    """
    references = list(references)
    complaints: list[BoostbenchError] = []
    configs: dict[str, Config] = {}
    for reference in references:
        found: list[BoostbenchError] = []
        config = _read(reference, overrides, found, **options)
        complaints += _sorted(found)
        if config is not None and (other := configs.setdefault(config.name, config)) is not config:
            what = f"the name {config.name!r} is also that of {other.path}; rename or leave out one"
            complaints.append(BoostbenchError(what, where=str(config.path)))
    if complaints and not options.get("check_parameters", True):  # those in parameters, too
        return load_configs(references, overrides, **{**options, "check_parameters": True})
    if complaints:
        raise ConfigError(complaints)
    return list(configs.values())


def _read(
    reference: Reference,
    overrides: Sequence[str],
    complaints: list[BoostbenchError],
    *,
    check_parameters: bool = True,
    size: str | None = None,
    data_dirs: Sequence[Path | str] = (),
) -> Config | None:
    """Return a config; append to ``complaints`` what is wrong with it."""
    try:
        content = reference if isinstance(reference, Mapping) else find_config(str(reference))
        source, files = read_extended(content, complaints)
    except BoostbenchError as error:
        complaints += error.complaints if isinstance(error, ConfigError) else [error]
        return None
    setting = Setting(files, tuple(map(Path, data_dirs)), check_parameters)
    #: Locations of values that are not valid YAML, whose other errors would be consequences.
    unread = {complaint.where for complaint in complaints}

    def validate(source: Source) -> tuple[Config | None, list[BoostbenchError]]:
        try:
            data = {key: value for key, value in source.data.items() if value is not None}
            data[FILE] = setting.files[0]
            return Config.model_validate(data, context={"setting": setting}), []
        except ValidationError as error:
            found = [_located(*mistake, source) for mistake in mistakes_in(error)]
            return None, [each for each in found if each.where not in unread]

    written = source.data.get("sizes")
    parts = written.items() if isinstance(written, dict) else ()
    sizes = {name: part for name, part in parts if isinstance(part, dict)}
    for name, key in product(sizes, ("name", "sizes")):
        if key in sizes[name]:
            where = source.where(("sizes", name, key))
            complaints.append(BoostbenchError(f"a size cannot have the key {key!r}", where=where))
    if size is None:  # report errors in all sizes
        for part in sizes.values():
            inherited = {"claims", "report"} - part.keys()
            complaints += validate(_with(source, part, inherited))[1]
    stated = None
    given = {re.split(r"[.+= ]", text.strip())[0] for text in overrides}
    if (size or given) and "claims" not in given:
        # A claim refers to all data sets and rounds of the full config, or of a size that has its
        # own. A smaller variant has fewer runs to judge the claim by, but does not change it.
        own = sizes.get(size or "", {})
        stated = validate(_with(source, own) if "claims" in own else source)[0]
    if size in sizes:
        source = _with(source, sizes[size])
    elif size is not None:
        what = unknown("size", size, sizes) if sizes else "this config has no 'sizes'"
        complaints.append(BoostbenchError(what, where=f"--size {size}"))
    for override in overrides:
        try:
            source = overridden(source, override)
        except BoostbenchError as error:
            complaints.append(error)
    cut_checkpoints(source.data, given)
    config, found = validate(source if stated is None else _with(source, {}, {"claims"}))
    complaints += found
    if config is None or complaints:
        return None
    return config if stated is None else config.model_copy(update={"claims": stated.claims})


def _with(source: Source, part: Mapping[str, Any], without: Collection[str] = ()) -> Source:
    """Return the source with the keys of a size in place of the general keys, without others."""
    data = source.data.updated(part, without)
    cut_checkpoints(data, part)
    return replace(source, data=data)


def overridden(source: Source, text: str) -> Source:
    """Return the source with one value replaced, ``key.key=value``.

    Mappings that are absent are created. A list is replaced as a whole; ``key+=value`` appends the
    items of a list to it.

    Raises
    ------
    BoostbenchError
        If that is impossible.
    """
    where = f"--set {_cut(text, 100)}"
    dotted, equals, value_text = text.partition("=")
    steps = [step.strip() for step in dotted.removesuffix("+").split(".")]
    if not equals or not all(steps):
        raise BoostbenchError("expected key=value, for example rounds=100", where=where)
    if steps[0] == "sizes":
        what = "cannot replace 'sizes', but keys of the size that is run, for example rounds=100"
        raise BoostbenchError(what, where=where)
    value = read_value(value_text, where)

    def put(holder: Keys, step: str, *below: str) -> Keys:
        own, item = holder.get(step), value
        if below and not isinstance(own, Keys | None):
            what = f"{step!r} of {source.name} is not a mapping, and can only be replaced"
            raise BoostbenchError(f"{what} as a whole", where=where)
        if below:
            item = put(own or Keys(), *below)
        elif dotted.endswith("+"):
            if not isinstance(own, list) or not isinstance(value, list):
                raise BoostbenchError(f"{step}+= appends a list, [...], to a list", where=where)
            item = Items([*own, *value])
        result = holder.updated({step: item})
        if not below or own is None:
            result.at[step] = where
        return result

    return replace(source, data=put(source.data, *steps))


def _sorted(complaints: Iterable[BoostbenchError]) -> list[BoostbenchError]:
    """Return distinct errors by location, printable and limited in length.

    An error in the general part occurs in every size.
    """
    short = (BoostbenchError(_cut(c.what, 600), where=_cut(c.where, 600)) for c in complaints)
    return sorted({str(complaint): complaint for complaint in short}.values(), key=_location)


def _cut(text: str, most: int) -> str:
    shown = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text[:most])
    return shown if len(text) <= most else f"{shown} ..."


def _location(complaint: BoostbenchError) -> tuple[str, int]:
    """Return the sort key of an error: file and line; errors about a whole file come first."""
    file, _, line = complaint.where.rpartition(":")
    return (file, int(line)) if line.isdecimal() else (complaint.where, 0)


def _located(place: Place, what: str | BoostbenchError, source: Source) -> BoostbenchError:
    """Return an error with its line, and its key if the message only states the valid values."""
    if isinstance(what, BoostbenchError):
        return what
    if TOP in place:
        place = place[place.index(TOP) + 1 :]
    where = source.where(place)
    place = source.resolve(place)
    is_rule = what.startswith(("must ", "needs "))
    if place[:1] == ("claims",):  # messages of claims begin with their kind
        place = place[2:] if is_rule else ()
    if place and not what.startswith(("unknown ", "a ", "two ", "select.")):
        key = ".".join(step for step in place if isinstance(step, str))
        what = f"{key} {what}" if is_rule else f"{key}: {what}"
    return BoostbenchError(what, where=where)
