"""The parts of a report as the config lists them: what each is called, drawn and checked by."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from boostbench import registry
from boostbench.errors import BoostbenchError, ConfigError, PluginError, UnknownNameError, nearest
from boostbench.experiments.configs.config import Config
from boostbench.experiments.configs.entries import ReportPart
from boostbench.reports.tables.data_sets import DEFAULT_COLUMNS, read_paper_sizes
from boostbench.reports.tables.errors import Table
from boostbench.reports.values.frame import Study
from boostbench.reports.values.paper import read_paper_values

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DEFAULT = (ReportPart("table", {}), ReportPart("curves", {}))
#: What every kind of part takes.
_COMMON = ("name", "boosters", "datasets")


@dataclass(frozen=True)
class Part:
    """A table or a figure of a report.

    Attributes
    ----------
    name : str
        Of its files, without suffix.
    kind : str
        The name of a kind of table or figure.
    options : mapping
        Of this kind.
    choice : mapping
        Which ``boosters`` and ``datasets`` it is about, see `Study.only`.
    where : str
        For messages.
    """

    name: str
    kind: str
    options: Mapping[str, Any]
    choice: Mapping[str, Sequence[str]]
    where: str

    @property
    def is_table(self) -> bool:
        """Whether it is a table rather than a figure."""
        return self.kind in registry.tables

    def make(self, study: Study) -> Table | Figure:
        """Build the table or draw the figure.

        Raises
        ------
        BoostbenchError
            If an option has no such value, the runs do not suffice, or a plugin raises.
        """
        from boostbench.reports.figures.style import drawing_style

        kinds = registry.tables if self.is_table else registry.figures
        function = kinds.get(self.kind, where=self.where)
        chosen = study.only(**self.choice)
        try:
            if not chosen.results:
                raise BoostbenchError("its boosters and data sets are not among the runs")
            with drawing_style(mathtext=False):
                made: Table | Figure = function(chosen, **self.options)
        except ConfigError:
            raise
        except BoostbenchError as error:
            raise BoostbenchError(error.what, where=error.where or self.where) from error
        except Exception as error:
            if kinds.module(self.kind).startswith("boostbench."):
                raise  # a bug of ours
            what = f"raised {type(error).__name__}: {error}"
            raise PluginError(what, where=self.where) from error
        return made


def named_parts(config: Config) -> list[Part]:
    """Return the parts of a config's report, each with a name of its own.

    A part is named by its option ``name``, else by its kind; several of one kind are told apart by
    the first option in which all differ, else by their number.

    Raises
    ------
    ConfigError
        If an option is not known or two parts have one name.
    """
    listed = config.report or _DEFAULT
    complaints: list[BoostbenchError] = []
    parts: list[Part] = []
    for index, part in enumerate(listed):
        where = f"{config.path}: report: {part.kind}"
        complaints += _unknown_options(part, where)
        name = str(part.options.get("name") or _name(part, index, listed, where))
        options = {key: value for key, value in part.options.items() if key not in _COMMON}
        choice, unknown = _choice(part, config, where)
        complaints += unknown
        if not re.fullmatch(r"[\w][\w.+-]*", name):
            what = f"name must be made of letters, digits, '-', '_' and '.', found {name!r}"
            complaints.append(BoostbenchError(what, where=where))
        if name in [other.name for other in parts]:
            what = f"two parts of the report are called {name!r}; give one another 'name'"
            complaints.append(BoostbenchError(what, where=where))
        parts.append(Part(name, part.kind, options, choice, where))
    if complaints:
        raise ConfigError(complaints)
    return parts


def check_report(config: Config) -> None:
    """Find mistakes in a config's report before anything is trained.

    Raises
    ------
    ConfigError
        If an option is not known, two parts share a name, or a file of paper values is wrong.
    """
    complaints: list[BoostbenchError] = []
    for part in named_parts(config):
        path = part.options.get("paper")
        try:
            if path and part.kind == "datasets":
                read_paper_sizes(path, part.options.get("columns", DEFAULT_COLUMNS))
            elif path:
                read_paper_values(path)
        except ConfigError as error:
            complaints += error.complaints
    if complaints:
        raise ConfigError(list({str(error): error for error in complaints}.values()))


def _parameters(kind: str, where: str) -> Mapping[str, inspect.Parameter]:
    """Return the options that a kind of part has, as parameters."""
    kinds = registry.tables if kind in registry.tables else registry.figures
    function = kinds.get(kind, where=where)
    parameters = inspect.signature(function).parameters
    return {
        name: parameter
        for name, parameter in parameters.items()
        if parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_KEYWORD)
    }


def _unknown_options(part: ReportPart, where: str) -> list[BoostbenchError]:
    parameters = _parameters(part.kind, where)
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        return []
    known = [*parameters, *_COMMON]
    found: list[BoostbenchError] = []
    for option in part.options:
        if option not in known:
            close = nearest(str(option), known)
            hint = f"did you mean {close!r}?" if close else f"it has {', '.join(sorted(known))}"
            found.append(BoostbenchError(f"unknown option {option!r}; {hint}", where=where))
    return found


def _choice(
    part: ReportPart, config: Config, where: str
) -> tuple[dict[str, Sequence[str]], list[BoostbenchError]]:
    """Return which boosters and data sets a part is about, and what is wrong with their names."""
    known = {
        "boosters": [booster.label or booster.name for booster in config.boosters],
        "datasets": [entry.data.label or entry.data.name for entry in config.datasets],
    }
    choice: dict[str, Sequence[str]] = {}
    complaints: list[BoostbenchError] = []
    for key, labels in known.items():
        named = part.options.get(key, [])
        choice[key] = [named] if isinstance(named, str) else list(named)
        for name in choice[key]:
            if name not in labels:
                kind = "booster" if key == "boosters" else "data set"
                complaints.append(UnknownNameError(kind, str(name), labels, where=where))
    return choice, complaints


def _name(part: ReportPart, index: int, listed: Sequence[ReportPart], where: str) -> str:
    alike = [other for other in listed if other.kind == part.kind]
    if len(alike) == 1:
        return part.kind
    defaults = {name: its.default for name, its in _parameters(part.kind, where).items()}
    written = dict.fromkeys(option for other in alike for option in other.options)
    for option in written:
        values = [_slug({**defaults, **other.options}.get(option)) for other in alike]
        if len(set(values)) == len(alike) and all(values):
            return f"{part.kind}-{_slug({**defaults, **part.options}[option])}"
    number = sum(other.kind == part.kind for other in listed[: index + 1])
    return f"{part.kind}-{number}"


def _slug(value: Any) -> str:
    text = "-".join(map(str, value)) if isinstance(value, list | tuple) else str(value or "")
    return re.sub(r"[^\w.+-]+", "-", text).strip("-.")[:60]
