"""`boostbench report`: from a config and its records to the files of a report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boostbench.errors import BoostbenchError, ConfigError, PluginError
from boostbench.reports.claims.evidence import Studies
from boostbench.reports.claims.history import HISTORY, ClaimHistory
from boostbench.reports.claims.verdicts import Verdict, judge
from boostbench.reports.claims.writing import verdicts_list, verdicts_markdown
from boostbench.reports.figures.style import drawing_style, files_of, print_names
from boostbench.reports.files import write_file
from boostbench.reports.page import render_page
from boostbench.reports.summary import SUMMARY, ReportSummary
from boostbench.reports.tables.latex_writer import to_latex, to_macros
from boostbench.reports.tables.table import Table
from boostbench.reports.tables.writers import to_csv, to_markdown, to_terminal
from boostbench.reports.text import in_print
from boostbench.reports.values.frame import Study
from boostbench.reports.values.part_options import PartOptions

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

    from boostbench.experiments.configs.report_parts import ReportPart

#: The command that the reason of a skipped run names where its data may be had.
_FETCH = "boostbench data fetch"


@dataclass(frozen=True)
class Report:
    """Tables, figures and verdicts of an experiment."""

    study: Study
    tables: dict[str, Table]
    figures: dict[str, Figure]  # both by name, in the config's order
    values: dict[str, DataFrame]  # the values of figures that come with them, by name
    undrawn: dict[str, str]  # by name, why a part of the report could not be made
    verdicts: tuple[Verdict, ...]  # on the claims, in the config's order
    size: str = ""  # the size of the config that was taken; empty: the config itself

    def __repr__(self) -> str:
        parts = {"tables": [*self.tables], "figures": [*self.figures]}
        return f"Report({self.study.config.name!r}, {parts}, {len(self.verdicts)} verdicts)"

    @property
    def is_whole(self) -> bool:
        """True if every run has a result and every part could be made."""
        return not self.undrawn and all(result.ok for result in self.study.results)

    def main_table(self, *, colour: bool = False) -> str:
        """Return the first table as text for the terminal; empty if there is none."""
        tables = list(self.tables.values())
        return to_terminal(tables[0], colour=colour) if tables else ""

    def write(self, folder: Path | str) -> tuple[Path, ...]:
        """Write the report; return the files, the page last.

        Parameters
        ----------
        folder : Path
            Takes ``<name>.md``, ``.tex`` and ``.csv`` of each table, ``<name>.png``, ``.svg`` and
            ``.pdf`` of each figure, ``<name>.csv`` of its values, ``claims.md`` and
            ``claims-history.json`` if anything is claimed, ``summary.json`` for the overview of all
            results, and ``report.html``.

        Raises
        ------
        BoostbenchError
            If a file cannot be written, or the history of the claims cannot be read.

        Notes
        -----
        The same records and history give the same bytes. A figure that cannot be drawn is left
        out, and then named in `undrawn` too.
        """
        study, tables = self.study, self.tables
        history = ClaimHistory(Path(folder), study.config.path)
        verdicts = history.note(self.verdicts)
        with drawing_style(mathtext=False):
            figures = {}
            for name, figure in self.figures.items():
                try:
                    figures[name] = files_of(figure)
                except Exception as error:  # whatever a figure's own parts raise
                    self.undrawn[name] = f"{name}: raised {type(error).__name__}: {error}"
        contents = _table_files(study.config.name, tables, verdicts)
        for name, drawing in figures.items():
            contents |= {f"{name}.{kind}": getattr(drawing, kind) for kind in ("png", "svg", "pdf")}
        contents |= {f"{name}.csv": _csv(values) for name, values in self.values.items()}
        if verdicts:
            title = study.config.title or study.config.name
            contents["claims.md"] = verdicts_markdown(title, verdicts, history.withdrawn)
            contents[HISTORY] = history.text()
        contents[SUMMARY] = ReportSummary.of(study, tables, figures, verdicts, self.size).text()
        contents["report.html"] = render_page(
            study, tables, figures, self.undrawn, verdicts, history.withdrawn
        )
        return tuple(write_file(Path(folder) / name, content) for name, content in contents.items())


def make_report(study: Study, *, studies: Studies | None = None, size: str = "") -> Report:
    """Make the tables and figures that a study's config asks for, and judge its claims.

    A part that cannot be made costs itself alone.

    Parameters
    ----------
    study : Study
    studies : callable or None, default=None
        Gives the study of another config; claims that need one are undecided without.
    size : str, default=""
        The size of the config that was taken, for the overview.

    Raises
    ------
    BoostbenchError
        If no run has a result, or an option of a part is unknown.
    """
    if study.config.datasets and not any(result.ok for result in study.results):
        raise BoostbenchError(_nothing(study), where=study.config.name)
    tables: dict[str, Table] = {}
    figures: dict[str, Figure] = {}
    values: dict[str, DataFrame] = {}
    undrawn: dict[str, str] = {}
    for part in study.config.report:
        try:
            made = _make(part, study)
        except BoostbenchError as error:
            undrawn[part.name] = str(error)
            continue
        if isinstance(made, Table):
            tables[part.name] = made
        elif isinstance(made, tuple):
            figures[part.name], values[part.name] = made
        else:
            figures[part.name] = made
    return Report(study, tables, figures, values, undrawn, judge(study, studies), size)


def _make(part: ReportPart, study: Study) -> Table | Figure | tuple[Figure, DataFrame]:
    """Build a table or draw a figure, which may come with the values that it shows.

    Raises
    ------
    BoostbenchError
        If an option has no such value, the runs do not suffice, or a plugin raises.
    """
    where = f"{study.config.path}: report: {part.kind}"
    options = part.options
    assert isinstance(options, PartOptions)
    chosen = study.only(options.boosters, options.datasets, options.noises)
    try:
        if study.results and not chosen.results:
            raise BoostbenchError("its boosters, data sets and noises are not among the runs")
        with drawing_style(mathtext=False):
            made: Table | Figure | tuple[Figure, DataFrame]
            made = options.function(chosen, **options.arguments())
            figure = made[0] if isinstance(made, tuple) else made
            if not isinstance(figure, Table):
                print_names(figure)
                figure.set_label(figure.get_label() or _first_line(options.function))
    except ConfigError:
        raise
    except BoostbenchError as error:
        raise BoostbenchError(error.what, where=error.where or where) from error
    except Exception as error:
        what = f"raised {type(error).__name__}: {error}"
        if options.function.__module__.startswith("boostbench."):
            raise BoostbenchError(f"{what}; this is a bug in boostbench", where=where) from error
        raise PluginError(what, where=where) from error
    return made


def _first_line(function: Callable[..., Any]) -> str:
    return in_print((function.__doc__ or "").strip().partition("\n")[0])


def _table_files(
    config: str, tables: dict[str, Table], verdicts: Sequence[Verdict]
) -> dict[str, str | bytes]:
    contents: dict[str, str | bytes] = {}
    for name, table in tables.items():
        is_main = not contents
        below = verdicts_list(verdicts) if is_main else ""
        contents[f"{name}.md"] = to_markdown(table) + below
        contents[f"{name}.tex"] = to_latex(table, label=f"tab:{config}-{name}")
        if table.macros:
            contents[f"{name}-macros.tex"] = to_macros(table, f"{config}/{name}")
        contents[f"{name}.csv"] = to_csv(table)
    return contents


def _csv(values: DataFrame) -> str:
    """Return values as CSV, numbers with ten significant digits."""
    shown = values.map(lambda cell: f"{cell:.10g}" if isinstance(cell, float) else cell)
    text: str = shown.to_csv(index=False, lineterminator="\n")
    return text


def _nothing(study: Study) -> str:
    states = [result.status for result in study.results]
    counts = ", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(states))
    fetched = {r.run.data.name: None for r in study.results if _FETCH in r.reason}
    others = [r.reason for r in study.results if r.reason and _FETCH not in r.reason]
    because = f" ({others[0]})" if others else ""
    first = f"`{_FETCH} {' '.join(fetched)}` gets the data, then " if fetched else ""
    return f"no run has a result yet: {counts}{because}; {first}`boostbench run` makes them"
