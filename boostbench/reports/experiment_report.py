"""Report of an experiment: tables, figures, verdicts and their files."""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

from boostbench.errors import BoostbenchError, ConfigError, PluginError
from boostbench.experiments.configs.shipped import read_extended, shipped_configs
from boostbench.experiments.runs import CLEAN
from boostbench.inputs import error_in_words, place_of
from boostbench.quantities import NUMBERS, Quantity
from boostbench.reports.claims import verdicts as claims
from boostbench.reports.figures.style import Chart, Drawing, drawing_of, drawing_style, print_names
from boostbench.reports.overview import LEADERBOARD, SUMMARY, ReportSummary, description
from boostbench.reports.protocol import provenance
from boostbench.reports.tables.table import Table, to_csv, to_markdown, to_terminal
from boostbench.reports.text import in_print, listed, render, write_files
from boostbench.reports.values.frame import Study, holds
from boostbench.reports.values.paper import Held, in_words
from boostbench.reports.values.part_options import PartOptions
from boostbench.reports.values.samples import samples_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

    from boostbench.experiments.configs.kind_options import ReportPart

#: Command named in the reason of a skipped run if its data can be downloaded.
_FETCH = "boostbench data fetch"
# Limits of the images of a page, and of its charts; tables and claims have some 300 kB at most.
_IMAGE_BYTES, _CHART_BYTES = 400_000, 300_000


@dataclass(frozen=True)
class Report:
    """Tables, figures and verdicts of an experiment."""

    study: Study
    tables: dict[str, Table]  # by name, in the order of the config
    figures: dict[str, Figure]  # by name, in the order of the config
    drawings: dict[str, Drawing]  # the drawn figures, by name
    values: dict[str, DataFrame]  # values behind a figure, for kinds that return them, by name
    undrawn: dict[str, str]  # errors of the parts that could not be made, by name
    verdicts: tuple[claims.Verdict, ...]  # on the claims, in the order of the config
    answers: tuple[str, ...] = ()  # sentences that the page begins with
    size: str = ""  # size variant of the config; empty: no variant

    def __repr__(self) -> str:
        return f"Report({self.study.config.name!r}, {[*self.tables, *self.figures]})"

    @property
    def is_whole(self) -> bool:
        """True if every run has a result and every part could be made."""
        return not self.undrawn and all(result.ok for result in self.study.results)

    def main_table(self) -> str:
        """Return the first table as text for the terminal; empty if there is none."""
        return next(map(to_terminal, self.tables.values()), "")

    @cached_property
    def summary(self) -> ReportSummary:
        """Return what the overview and the head of the page need."""
        config, results = self.study.config, self.study.results
        paper, part = (text.strip() for text in config.paper.partition(",")[::2])
        printed, readings = _compared(self.tables.values())
        return ReportSummary(
            config=config.name,
            title=config.title or config.name,
            paper=paper,
            described=description(config, paper),
            part=part,
            size=self.size,
            runs={"ok": sum(r.ok for r in results), "planned": len(results)},
            printed=printed,
            readings=readings,
            figures=tuple(self.drawings),
            claims=tuple(map(claims.view_of, self.verdicts)),
            answers=self.answers,
        )

    def page(self, leaderboard: str = "") -> str:
        """Return the page as HTML; images that would make it too large are only named.

        Parameters
        ----------
        leaderboard : str, default=""
            Name of the page beside this one that compares the boosters.
        """
        study, summary, path = self.study, self.summary, self.study.config.path
        counts = Counter(result.status for result in study.results)
        held = [each for numbers in summary.printed.values() for each in numbers.values()]
        facts = [held and in_words(held), summary.claims and claims.counts_in_words(summary.claims)]
        return render(
            "report.html.j2",
            summary=summary,
            report=self,
            leaderboard=leaderboard,
            counts=sorted(counts.items(), key=lambda item: (item[0] != "ok", item[0])),
            facts=facts,
            figures=_figures(self.drawings),
            claims=[*zip(summary.claims, map(claims.evidence_rows, self.verdicts), strict=True)],
            provenance=provenance(study),
            config_text=path.read_text(encoding="utf-8") if path.is_file() else "",
        )

    def write(self, folder: Path | str) -> tuple[Path, ...]:
        """Write the report; return the files, the page last.

        Parameters
        ----------
        folder : Path
            Folder of the files: ``<name>.md`` and ``.csv`` of each table, ``<name>.png``
            of each figure, ``<name>.csv`` of its values, ``claims.md`` if the config has claims,
            ``summary.json`` for the overview of all results, ``leaderboard.html`` if
            there are several boosters, data sets and noises, and ``report.html``.

        Raises
        ------
        BoostbenchError
            If a file cannot be written.

        Notes
        -----
        The same records give the same bytes.
        """
        summary = self.summary
        contents: dict[str, str | bytes] = {}
        for name, table in self.tables.items():
            contents[f"{name}.md"] = to_markdown(table)
            contents[f"{name}.csv"] = to_csv(table)
        contents |= {f"{name}.png": drawing.png for name, drawing in self.drawings.items()}
        for name, values in self.values.items():  # numbers with ten significant digits
            rounded = values.map(lambda cell: f"{cell:.10g}" if isinstance(cell, float) else cell)
            contents[f"{name}.csv"] = rounded.to_csv(index=False, lineterminator="\n")
        if self.verdicts:
            contents["claims.md"] = claims.verdicts_markdown(summary.title, self.verdicts)
        plain = summary.model_dump(mode="json")
        contents[SUMMARY] = json.dumps(plain, indent=1, ensure_ascii=False) + "\n"
        evidence = next((name for name, table in self.tables.items() if table.answer), "")
        if board := leaderboard_page(self.study, summary, evidence):
            contents[LEADERBOARD] = board
        contents["report.html"] = self.page(LEADERBOARD if board else "")
        return write_files(Path(folder), contents)


def _compared(
    tables: Iterable[Table],
) -> tuple[dict[str, dict[str, Held]], dict[str, dict[str, tuple[str, ...]]]]:
    """Return the comparisons with printed numbers, by column of the paper.

    The first with each number in a main table, and the numbers that agree by reading.
    """
    first: dict[str, dict[str, Held]] = {}
    agreeing: dict[str, dict[str, tuple[str, ...]]] = {}
    for table in tables:
        for (column, reading), numbers in table.held.items():
            if table.is_main:
                first[column] = {**numbers, **first.get(column, {})}
            agree = (number for number, held in numbers.items() if held.agreement == "agrees")
            agreeing.setdefault(column, {})[reading] = tuple(agree)
    return first, agreeing


def _figures(drawings: Mapping[str, Drawing]) -> list[dict[str, Any]]:
    """Return name, caption and image of each figure; no images beyond their limit.

    A figure of lines has their numbers instead, from which the page draws an interactive chart (its
    image lies beside the page, for print). If the numbers of all figures are too many, lines have
    fewer points.
    """
    every = 1 + len(json.dumps([drawing.chart for drawing in drawings.values()])) // _CHART_BYTES
    figures: list[dict[str, Any]] = []
    bytes_left = _IMAGE_BYTES
    for name, drawing in drawings.items():
        image = "" if drawing.chart else base64.b64encode(drawing.png).decode()
        bytes_left -= len(image)
        figures.append(
            {
                "name": name,
                "words": re.sub(r"[-_]|(?<=[a-z])(?=\d)", " ", name).capitalize(),
                "caption": drawing.caption,
                "image": image if bytes_left >= 0 else "",
                "chart": thinned(drawing.chart, every) if drawing.chart else None,
            }
        )
    return figures


def thinned(chart: Chart, every: int) -> Chart:
    """Return the chart with one of ``every`` points of each line, and its last; all marks stay.

    A line without ``x`` has that of the line before.
    """
    before: list[Any] = []

    def thin(line: Mapping[str, Any]) -> Mapping[str, Any]:
        kept = sorted({*range(0, len(line["x"]), every), len(line["x"]) - 1})
        names = [name for name in ("x", "y", "low", "high") if name in line and not line["marks"]]
        short = {**line, **{name: [line[name][place] for place in kept] for name in names}}
        if short["x"] == before:
            del short["x"]
        else:
            before[:] = short["x"]
        return short

    return [{**panel, "lines": [*map(thin, panel["lines"])]} for panel in chart]


def make_report(study: Study, *, size: str = "", packed: Sequence[str] = ()) -> Report:
    """Make the tables and figures of a study's config, and judge its claims.

    A part that cannot be made is left out, with its error in ``undrawn``.

    Parameters
    ----------
    study : Study
    size : str, default=""
        Size variant of the config, for the overview.
    packed : sequence of str, default=()
        Sizes of which there are packed records.

    Raises
    ------
    BoostbenchError
        If no run has a result.
    """
    if study.config.datasets and not any(result.ok for result in study.results):
        raise BoostbenchError(_no_result(study, packed), where=study.config.name)
    tables: dict[str, Table] = {}
    figures: dict[str, Figure] = {}
    drawings: dict[str, Drawing] = {}
    values: dict[str, DataFrame | None] = {}
    undrawn: dict[str, str] = {}
    for part in study.config.report:
        try:
            made = make_part(part, study)
        except BoostbenchError as error:
            undrawn[part.name] = str(error)
            continue
        if isinstance(made, Table):
            tables[part.name] = made
        else:
            figures[part.name], drawings[part.name], values[part.name] = made
    verdicts = claims.judge(study)
    of_tables = (table.answer for table in tables.values() if table.is_main or not verdicts)
    in_short = claims.in_short([*map(claims.view_of, verdicts)])
    answers = next(filter(None, of_tables), ()) or (in_short,) * bool(verdicts)
    answers += tuple(_left_out(study, size, judged=bool(verdicts)))
    recorded = {name: each for name, each in values.items() if each is not None}
    return Report(study, tables, figures, drawings, recorded, undrawn, verdicts, answers, size)


def _left_out(study: Study, size: str, *, judged: bool) -> Iterator[str]:
    """Yield a sentence on what a size, or a part of the runs, leaves out of the whole config."""
    config, results = study.config, study.results
    parts = []
    whole = read_extended(config.path, [])[0].data if size else {}
    for key, noun in (("datasets", "data sets"), ("rounds", "rounds"), ("seeds", "seeds")):
        now, then = getattr(config, key), whole.get(key)
        few, many = (len(n) if isinstance(n, list | tuple) else n or 0 for n in (now, then))
        parts += [f"{few} of {many} {noun}"] if few < many else []
    absent = [name for name in config.scope().datasets if name not in study.datasets]
    parts += [f"without {listed(absent)}"] if results and absent else []
    seeds, n_seeds = {result.run.seed for result in results}, len(config.scope().seeds)
    parts += [f"{len(seeds)} of {n_seeds} seeds"] if 0 < len(seeds) < n_seeds else []
    if parts:
        change = ", and verdicts may change with the whole" if judged and size == "quick" else ""
        yield f"This is only a part of the experiment{change}: {', '.join(parts)}."
    options = [part.options for part in config.report if isinstance(part.options, PartOptions)]
    shown = {label for its in options for label in study.only(its.boosters, (), ()).boosters}
    hidden = [in_print(label) for label in study.boosters if label not in shown]
    if shown and hidden:
        yield f"No table or figure lists {listed(hidden)} among its boosters."


def make_part(part: ReportPart, study: Study) -> Table | tuple[Figure, Drawing, DataFrame | None]:
    """Build a table, or draw a figure; some figures have values.

    Raises
    ------
    BoostbenchError
        If an option does not fit the runs, too few runs have a result, or a plugin raises.
    """
    where = f"{study.config.path.name}: report: {part.kind}"
    options = part.options
    assert isinstance(options, PartOptions)
    selected = study.only(options.boosters, options.datasets, options.noises)
    is_shipped = options.function.__module__.startswith("boostbench.")
    try:
        if not selected.results and (study.results or is_shipped):
            raise BoostbenchError("its boosters, data sets and noises are not among the runs")
        with drawing_style():
            made = options.function(selected, **options.arguments())
            if isinstance(made, Table):
                return made
            figure, values = made if isinstance(made, tuple) else (made, None)
            if not hasattr(figure, "savefig"):
                raise PluginError(f"returned {type(figure).__name__}, no Figure and no Table")
            first_line = (options.function.__doc__ or "").strip().partition("\n")[0]
            figure.set_label(figure.get_label() or in_print(first_line))
            print_names(figure, [*study.boosters, *study.datasets, *study.noises])
            return figure, drawing_of(figure), values
    except ConfigError:
        raise
    except BoostbenchError as error:
        raise BoostbenchError(error.what, where=error.where or where) from error
    except Exception as error:
        if isinstance(error, OSError) and not place_of(error):
            raise  # of a font, for example; the report of before stays
        bug = "; this is a bug in boostbench" * is_shipped
        raise PluginError(f"raised {error_in_words(error)}{bug}", where=where) from error


def _no_result(study: Study, packed: Sequence[str]) -> str:
    """Return an error message that counts the runs by status and names the next commands."""
    statuses = Counter(result.status for result in study.results)
    counts = ", ".join(f"{n} {status}" for status, n in statuses.items())
    downloads = dict.fromkeys(r.run.data.name for r in study.results if _FETCH in r.reason)
    others = [r.reason for r in study.results if r.reason and _FETCH not in r.reason]
    reason = f" ({others[0]})" if others else ""
    fetch = f"`{_FETCH} {' '.join(downloads)}` gets the data, then " if downloads else ""
    also = "".join(f"; `--size {size}` shows packed results" for size in packed)
    return f"no run has a result yet: {counts}{reason}; {fetch}`boostbench run` makes them{also}"


def leaderboard_page(study: Study, summary: ReportSummary, evidence: str = "") -> str:
    """Return the leaderboard of a study as a page that needs no other file.

    The page has the means and standard deviations of all cells; a script ranks the boosters on the
    chosen data sets and noises.

    Parameters
    ----------
    study : Study
    summary : ReportSummary
    evidence : str, default=""
        Name of the table of errors on the page of the report.

    Returns
    -------
    page : str
        Empty if there are not two boosters, data sets and noises with results.
    """
    study = replace(study, results=tuple(result for result in study.results if result.ok))
    if min(map(len, (study.boosters, study.datasets, study.noises))) < 2:
        return ""
    classes = {r.run.dataset: r.record.n_classes for r in study.results if r.record is not None}
    noises = {r.noise: {"model": r.run.noise.model, "rate": r.noise_rate} for r in study.results}
    board = {
        "methods": [in_print(label) for label in study.boosters],
        "sets": [{"name": name, "classes": classes[name]} for name in study.datasets],
        "noises": [{"name": name, **noises[name]} for name in study.noises],
        "clean": CLEAN.full_label,
        "measures": [
            _measure(study, name, quantity)
            for name, quantity in NUMBERS.items()
            if quantity.on_test and any(holds(result, name) for result in study.results)
        ],
    }
    # what commands call the config: its name if it is shipped, else its file
    names = {path.resolve(): name for name, path in shipped_configs().items()}
    return render(
        "leaderboard.html.j2",
        summary=summary,
        board=board,
        evidence=evidence,
        config=names.get(study.config.path.resolve(), study.config.path.name),
    )


def _measure(study: Study, name: str, quantity: Quantity) -> dict[str, Any]:
    """Return a quantity after the last round: mean and, of several runs, spread of each cell."""
    values = {}
    for labels, sample in samples_of(study, name).items():
        shown = [quantity.scale * value for value in sample.values.values()]
        spread = [float(f"{stdev(shown):.2g}")] if len(shown) > 1 else []
        values[labels] = [float(f"{fmean(shown):.4g}"), *spread] if shown else None
    return {
        "words": quantity.words,
        "unit": quantity.unit,
        "decimals": 1 if quantity.unit else 3,
        "higher": bool(quantity.higher),
        "values": [
            [[values.get((n, d, b)) for n in study.noises] for d in study.datasets]
            for b in study.boosters
        ],
    }
