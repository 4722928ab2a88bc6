"""Reading and validation of config files, with all errors reported together."""

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
    """Read and validate a config.

    Parameters
    ----------
    config : Path or mapping
        A file, or its content; files named in the content are relative to the working directory.
    overrides : sequence of str, default=()
        Items ``key.key=value``, as after ``--set``.
    size : str or None, default=None
        Name of a variant under the key ``sizes``.
    data_dirs : sequence of Path, default=()
        Folders of data sets that are not in the catalog.
    check_parameters : bool, default=True
        Check the parameters of boosters, weak learners and noise models, which imports them.
        Reports need no check.
    with_claims : bool, default=True
        Read the claims. False avoids infinite recursion if configs refer to each other in claims.

    Returns
    -------
    config : Config

    Raises
    ------
    ConfigError
        With every error: the problem, its line and the valid values.
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
    if size is None:  # report errors in all sizes
        for name, part in sizes_of(source).items():
            variant = of_size(source, name)
            inherited = {"claims", "report"} - part.keys()
            complaints += _validate(_without(variant, inherited), setting)[1]
    claims = _claims_as_stated(source, size, setting) if size or overrides else None
    prepared = varied(source, overrides, size, complaints)
    if claims is not None:
        prepared = _without(prepared, {"claims"})
    validated, errors = _validate(prepared, setting)
    complaints = sorted(_without_repeats(map(_printable, complaints + errors)), key=_location)
    if len(complaints) > _MAX_COMPLAINTS:
        more = f"... and {len(complaints) - _MAX_COMPLAINTS:,} more errors"
        complaints[_MAX_COMPLAINTS:] = [BoostbenchError(more, where=source.name)]
    if complaints or validated is None:
        raise ConfigError(complaints)
    return validated if claims is None else validated.model_copy(update={"claims": claims})


def load_configs(
    references: Iterable[str | Mapping[str, Any]], *args: Any, **options: Any
) -> list[Config]:
    """Read and validate configs given by path, name of a shipped config, or content.

    Parameters
    ----------
    references : iterable of str or mapping
    *args, **options
        As for `load_config`.

    Raises
    ------
    ConfigError
        With the errors of all configs. Equal names are an error, because their reports would be
        written into the same folder.
    """
    loaded: dict[str, Config] = {}
    complaints: list[BoostbenchError] = []
    for reference in references:
        try:
            content = find_config(reference) if isinstance(reference, str) else reference
            config = load_config(content, *args, **options)
            other = loaded.setdefault(config.name, config)
            if other is not config:
                what = f"the name {config.name!r} is also that of {other.path}; rename one"
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
    """Return the claims of the file, or of a size with its own claims; None if it has errors.

    A claim refers to all data sets and rounds of the full config. A smaller variant has fewer runs
    to judge the claim by, but does not change the claim.
    """
    if size and "claims" in sizes_of(source).get(size, {}):
        source = of_size(source, size)
    config, _ = _validate(copy.deepcopy(source), setting)
    return None if config is None else config.claims


def _without(source: Source, keys: Collection[str]) -> Source:
    return replace(source, data=source.data.updated({}, without=keys))


def _validate(source: Source, setting: Setting) -> tuple[Config | None, list[BoostbenchError]]:
    try:
        data = {**source.data, FILE: setting.path}
        return Config.model_validate(data, context={"setting": setting}), []
    except ValidationError as error:
        mistakes = mistakes_in(error)
    return None, [c for place, what in mistakes for c in _complaints(place, what, source)]


def _complaints(place: Place, what: str | BoostbenchError, source: Source) -> list[BoostbenchError]:
    if isinstance(what, BoostbenchError):  # an error located in another file
        return [what]
    if TOP in place:
        place = place[place.index(TOP) + 1 :]
    written = source.resolve(place)
    if source.is_refused(place):
        return []
    if what.startswith("two ") and any(isinstance(t, Refused) for _, t in texts_in(source.data)):
        return []  # entries may differ in the refused values
    where = source.name if what.startswith("missing ") else source.where(place)
    return [BoostbenchError(_with_key(what, written), where=where)]


def _with_key(what: str, place: Place) -> str:
    """Prefix the key to a message that only states the valid values."""
    if what.startswith(("unknown ", "a ", "two ", "missing ", "select.")):
        return what
    if place[:1] == ("claims",):  # messages of claims begin with their kind
        place = place[2:] if what.startswith(("must ", "needs ")) else ()
    if not place:
        return what
    key = ".".join(step for step in place if isinstance(step, str))
    return f"{key} {what}" if what.startswith(("must ", "needs ")) else f"{key}: {what}"


def _printable(complaint: BoostbenchError) -> BoostbenchError:
    """Return an error with its texts printable and of limited length."""
    what, where = (
        "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text[:most])
        + (" ..." if len(text) > most else "")
        for text, most in ((complaint.what, 600), (complaint.where, 200))
    )
    return BoostbenchError(what, where=where)


def _without_repeats(complaints: Iterable[BoostbenchError]) -> list[BoostbenchError]:
    """Return distinct errors; an error in the general part occurs in every size."""
    return list({str(complaint): complaint for complaint in complaints}.values())


def _location(complaint: BoostbenchError) -> tuple[str, int]:
    """Return the sort key of an error: file and line; errors about a whole file come first."""
    file, _, line = complaint.where.rpartition(":")
    return (file, int(line)) if line.isdecimal() else (complaint.where, 0)
