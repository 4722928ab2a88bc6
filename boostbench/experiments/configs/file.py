"""Configs as files: read, checked, and every mistake named at once."""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from boostbench.errors import BoostbenchError, ConfigError
from boostbench.experiments.configs.claims import Claim
from boostbench.experiments.configs.config import FILE, Config
from boostbench.experiments.configs.expressions import texts_in
from boostbench.experiments.configs.fields import Setting
from boostbench.experiments.configs.layers import of_size, read_extended, sizes_of, varied
from boostbench.experiments.configs.shipped import find_config
from boostbench.source import Keys, Place, Refused, Source, show
from boostbench.validation import TOP, mistakes_in

_MAX_COMPLAINTS = 50


def load_config(
    config: Path | str | Mapping[str, Any],
    overrides: Sequence[str] = (),
    *,
    size: str | None = None,
    data_dirs: Sequence[Path | str] = (),
    check_parameters: bool = True,
    with_claims: bool = True,
) -> Config:
    """Read and check a config.

    Parameters
    ----------
    config : Path or mapping
        A file, or its content; files that this names are looked for in the working directory.
    overrides : sequence of str, default=()
        ``key.key=value`` each, as after ``--set``.
    size : str or None, default=None
        Use this variant of the config's ``sizes``.
    data_dirs : sequence of Path, default=()
        Where data sets that the catalog does not know may lie.
    check_parameters : bool, default=True
        Check the parameters of boosters, weak learners and noise models, which imports them; a
        report needs no such check.
    with_claims : bool, default=True
        Read the claims; one may look at another config, and that at this one.

    Returns
    -------
    config : Config

    Raises
    ------
    ConfigError
        With every mistake found: what, in which line, and what would be right.
    """
    source, complaints, files = read_extended(Path(config) if isinstance(config, str) else config)
    setting = Setting(files, tuple(map(Path, data_dirs)), check_parameters)
    if source.data is None:
        source.data = Keys()
    if not isinstance(source.data, Keys):
        what = f"a config is a mapping of keys, found {show(source.data)}"
        raise ConfigError([*complaints, BoostbenchError(what, where=source.where(()))])
    if not with_claims:
        source = _without(source, {"claims"})
    if size is None:  # what is wrong with a size is said even if it is not asked for
        for name, part in sizes_of(source).items():
            variant = of_size(source, name)
            inherited = {"claims", "report"} - part.keys()
            _, found = _validate(_without(variant, inherited), setting)
            complaints += found
    stated = _claims_as_stated(source, size, setting) if size or overrides else None
    prepared = varied(source, overrides, size, complaints)
    if stated is not None:
        prepared = _without(prepared, {"claims"})
    checked, found = _validate(prepared, setting)
    complaints = sorted(_without_echoes(map(_printable, complaints + found)), key=_line)
    if len(complaints) > _MAX_COMPLAINTS:
        more = f"... and {len(complaints) - _MAX_COMPLAINTS:,} mistakes more"
        complaints[_MAX_COMPLAINTS:] = [BoostbenchError(more, where=source.name)]
    if complaints or checked is None:
        raise ConfigError(complaints)
    return checked if stated is None else checked.model_copy(update={"claims": stated})


def load_configs(
    references: Iterable[str | Mapping[str, Any]], *args: Any, **options: Any
) -> list[Config]:
    """Read and check configs, each given by its path, the name of a shipped one, or its content.

    Parameters
    ----------
    references : iterable of str or mapping
    *args, **options
        As for `load_config`.

    Raises
    ------
    ConfigError
        With the mistakes of all of them, also if two have one name: they would write their reports
        into one folder.
    """
    loaded: dict[str, Config] = {}
    complaints: list[BoostbenchError] = []
    for reference in references:
        try:
            given = find_config(reference) if isinstance(reference, str) else reference
            config = load_config(given, *args, **options)
            other = loaded.setdefault(config.name, config)
            if other is not config:
                what = f"the name {config.name!r} is that of {other.path} too; one needs another"
                complaints.append(BoostbenchError(what, where=str(config.path)))
        except ConfigError as error:
            complaints += error.complaints
        except BoostbenchError as error:
            complaints.append(error)
    if complaints:
        raise ConfigError(complaints)
    return list(loaded.values())


def _claims_as_stated(
    source: Source, size: str | None, setting: Setting
) -> tuple[Claim, ...] | None:
    """Return the claims of the file, or of a size that has its own.

    A claim says something of all data sets and rounds of its config; a smaller variant does not
    change what is said, it only has fewer runs to judge by.
    """
    if size and "claims" in sizes_of(source).get(size, {}):
        source = of_size(source, size)
    config, found = _validate(copy.deepcopy(source), setting)
    return None if config is None or found else config.claims


def _without(source: Source, keys: Collection[str]) -> Source:
    return replace(source, data=source.data.updated({}, without=keys))


def _validate(source: Source, setting: Setting) -> tuple[Config | None, list[BoostbenchError]]:
    try:
        data = {**source.data, FILE: setting.path}
        return Config.model_validate(data, context={"setting": setting}), []
    except ValidationError as error:
        found = mistakes_in(error)
    return None, [c for place, what in found for c in _complaints(place, what, source)]


def _complaints(place: Place, what: str | BoostbenchError, source: Source) -> list[BoostbenchError]:
    if isinstance(what, BoostbenchError):  # it has a place of its own, in another file
        return [what]
    if TOP in place:
        place = place[place.index(TOP) + 1 :]
    written = source.resolve(place)
    if source.is_refused(place):
        return []
    if what.startswith("two ") and any(isinstance(t, Refused) for _, t in texts_in(source.data)):
        return []  # entries may only look the same without what is refused
    where = source.name if what.startswith("missing ") else source.where(place)
    return [BoostbenchError(_with_key(what, written), where=where)]


def _with_key(what: str, place: Place) -> str:
    """Put the key in front of a message that only says what the value must be."""
    if what.startswith(("unknown ", "a ", "two ", "missing ", "select.")):
        return what
    if place[:1] == ("claims",):  # a claim's messages name their kind
        place = place[2:] if what.startswith(("must ", "needs ")) else ()
    if not place:
        return what
    key = ".".join(step for step in place if isinstance(step, str))
    return f"{key} {what}" if what.startswith(("must ", "needs ")) else f"{key}: {what}"


def _printable(complaint: BoostbenchError) -> BoostbenchError:
    """Return a complaint in one line of limited length, whatever it cites."""
    what, where = (
        "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text[:most])
        + (" ..." if len(text) > most else "")
        for text, most in ((complaint.what, 600), (complaint.where, 200))
    )
    return BoostbenchError(what, where=where)


def _without_echoes(complaints: Iterable[BoostbenchError]) -> list[BoostbenchError]:
    """Return complaints once each: a mistake in the general part shows again in every size."""
    return list({str(complaint): complaint for complaint in complaints}.values())


def _line(complaint: BoostbenchError) -> tuple[str, int]:
    """Return the key that complaints are sorted by; those about a whole file come first."""
    file, _, line = complaint.where.rpartition(":")
    return (file, int(line)) if line.isdecimal() else (complaint.where, 0)
