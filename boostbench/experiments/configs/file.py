"""Reading and validation of config files, with all errors reported together."""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from boostbench.errors import BoostbenchError, ConfigError
from boostbench.experiments.configs.config import FILE, Config
from boostbench.experiments.configs.fields import Setting, is_file
from boostbench.experiments.configs.layers import (
    of_size,
    read_extended,
    sizes_of,
    varied,
    with_report,
)
from boostbench.experiments.configs.parts import Claim
from boostbench.experiments.configs.shipped import find_config
from boostbench.source import Keys, Place, Source, show
from boostbench.validation import TOP, mistakes_in

_MAX_COMPLAINTS = 50


def load_config(
    reference: Path | str | Mapping[str, Any], overrides: Sequence[str] = (), **options: Any
) -> Config:
    """Read and validate a config; the arguments are those of `load_configs`."""
    return load_configs([reference], overrides, **options)[0]


def load_configs(
    references: Iterable[Path | str | Mapping[str, Any]],
    overrides: Sequence[str] = (),
    *,
    check_parameters: bool = True,
    **options: Any,
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
    with_claims : bool, default=True
        Read the claims. False avoids infinite recursion if configs refer to each other in claims.

    Raises
    ------
    ConfigError
        With the errors of all configs: the problem, its line and the valid values. Equal names are
        an error, because their reports would be written into the same folder.
    """
    references = list(references)
    readings = [_Reading(each, overrides, check_parameters, **options) for each in references]
    complaints = [c for reading in readings for c in _sorted(reading.complaints)]
    if complaints and not check_parameters:  # report the errors in parameters, too
        return load_configs(references, overrides, **options)
    configs: dict[str, Config] = {}
    for config in (reading.config for reading in readings if reading.config is not None):
        other = configs.setdefault(config.name, config)
        if other is not config:
            what = f"the name {config.name!r} is also that of {other.path}; rename one"
            complaints.append(BoostbenchError(what, where=str(config.path)))
    if complaints:
        raise ConfigError(complaints)
    return list(configs.values())


class _Reading:
    """A config as it was read: the validated config, or what is wrong with it.

    Attributes
    ----------
    config : Config or None
        None if there are errors.
    complaints : list of BoostbenchError
    """

    def __init__(
        self,
        reference: Path | str | Mapping[str, Any],
        overrides: Sequence[str],
        check_parameters: bool,
        *,
        size: str | None = None,
        data_dirs: Sequence[Path | str] = (),
        with_claims: bool = True,
    ) -> None:
        self.config: Config | None = None
        self.complaints: list[BoostbenchError] = []
        try:
            content = find_config(reference) if isinstance(reference, str) else reference
            source, self.complaints, files = read_extended(content)
            if source.data is None:
                source.data = Keys()
            if not isinstance(source.data, Keys):
                what = f"a config is a mapping of keys, found {show(source.data)}"
                raise BoostbenchError(what, where=source.where(()))
        except BoostbenchError as error:
            found = error.complaints if isinstance(error, ConfigError) else [error]
            self.complaints = [*self.complaints, *found]
            return
        #: Locations of values that are not valid YAML, whose other errors would be consequences.
        self._unread = {complaint.where for complaint in self.complaints}
        self._setting = Setting(files, tuple(map(Path, data_dirs)), check_parameters)
        if not with_claims:
            source = _without(source, {"claims"})
        if size is None:  # report errors in all sizes
            for name, part in sizes_of(source).items():
                inherited = {"claims", "report"} - part.keys()
                self._validate(_without(of_size(source, name), inherited))
        of_report = [text for text in overrides if text.partition("=")[0].strip() == "report"]
        claims = None
        if size or overrides:
            stated = varied(copy.deepcopy(source), of_report, None, [])
            claims = self._claims_as_stated(stated, size)
        prepared = varied(source, overrides, size, self.complaints)
        if claims is not None:
            prepared = _without(prepared, {"claims"})
        config = self._validate(prepared)
        if config is not None and not self.complaints:
            self.config = config if claims is None else config.model_copy(update={"claims": claims})

    def _validate(self, source: Source, *, complain: bool = True) -> Config | None:
        setting, named = self._setting, source.data.get("report")
        if isinstance(named, str):
            file = setting.beside(named)
            file = file if is_file(file) else Path(named).expanduser()
            if not is_file(file):
                absent = (
                    f"report: there is no file {named!r}; it takes a list, or the name of a file"
                )
                self.complaints.append(BoostbenchError(absent, where=source.where(("report",))))
                return None
            setting = replace(setting, files=(*setting.files, file))
            try:
                source, complaints = with_report(source, file)
            except ConfigError as error:
                self.complaints += error.complaints
                return None
            self.complaints += complaints
        try:
            data = {**source.data, FILE: setting.path}
            return Config.model_validate(data, context={"setting": setting})
        except ValidationError as error:
            mistakes = mistakes_in(error) if complain else []
        for place, what in mistakes:
            found = what if isinstance(what, BoostbenchError) else _located(place, what, source)
            if found.where not in self._unread:
                self.complaints.append(found)
        return None

    def _claims_as_stated(self, source: Source, size: str | None) -> tuple[Claim, ...] | None:
        """Return the claims of the file, or of a size that has its own; None if it has errors.

        A claim refers to all data sets and rounds of the full config. A smaller variant has fewer
        runs to judge the claim by, but does not change the claim.
        """
        if size and "claims" in sizes_of(source).get(size, {}):
            source = of_size(source, size)
        config = self._validate(copy.deepcopy(source), complain=False)
        return None if config is None else config.claims


def _sorted(complaints: Iterable[BoostbenchError]) -> list[BoostbenchError]:
    """Return distinct errors by location, printable and limited in number.

    An error in the general part occurs in every size.
    """
    distinct = {str(complaint): complaint for complaint in map(_printable, complaints)}
    found = sorted(distinct.values(), key=_location)
    if len(found) > _MAX_COMPLAINTS:
        more = f"... and {len(found) - _MAX_COMPLAINTS:,} more errors"
        where = found[-1].where.partition(":")[0]
        found[_MAX_COMPLAINTS:] = [BoostbenchError(more, where=where)]
    return found


def _without(source: Source, keys: Collection[str]) -> Source:
    return replace(source, data=source.data.updated({}, without=keys))


def _located(place: Place, what: str, source: Source) -> BoostbenchError:
    if TOP in place:
        place = place[place.index(TOP) + 1 :]
    where = source.name if what.startswith("missing ") else source.where(place)
    return BoostbenchError(_with_key(what, source.resolve(place)), where=where)


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


def _location(complaint: BoostbenchError) -> tuple[str, int]:
    """Return the sort key of an error: file and line; errors about a whole file come first."""
    file, _, line = complaint.where.rpartition(":")
    return (file, int(line)) if line.isdecimal() else (complaint.where, 0)
