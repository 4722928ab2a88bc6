"""`boostbench report`, `site` and `export`: the results in files and as CSV."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boostbench.cli.options import Output, Results, SelectedRuns, flag, option, parse_rounds
from boostbench.cli.output import INCOMPLETE, OK, print_error
from boostbench.data.catalog import find_entry
from boostbench.errors import BoostbenchError, import_extra
from boostbench.experiments.configs.shipped import read_extended, shipped_configs
from boostbench.reports.text import csv_text
from boostbench.whole_files import write_file

if TYPE_CHECKING:
    from boostbench.api import Experiment
    from boostbench.experiments.planning.plans import Result
    from boostbench.reports.experiment_report import Report

_DOCS = Path("docs/_build/html")
_Output = Annotated[
    Path | None,
    option("DIR", "Folder for the report folders; by default that of --results.", "--output", "-o"),
]


def report(
    *,
    selection: SelectedRuns,
    every: Annotated[
        bool, flag("All shipped configs with a folder in --results.", "--all")
    ] = False,
    pack: Annotated[bool, flag("Also pack the records into the report folder.", "--pack")] = False,
    paper: Annotated[
        bool,
        flag("Also write LaTeX tables, figures and the protocol for a paper of yours.", "--paper"),
    ] = False,
    output: _Output = None,
    open_page: Annotated[bool, flag("Open the page in a web browser.", "--open")] = False,
) -> int:
    """Write tables, figures, verdicts and an offline page.

    Trains nothing, and prints the main table. Runs without a record are read from the packed
    records in the report folder. The exit code is 1 if runs lack a result or a table or figure
    could not be made. With --all, README.md and index.html list all reports.

    Examples:
      boostbench report noise20 --open
      boostbench report configs/quickstart.yaml --results DIR
      boostbench report my-study.yaml --paper
      boostbench report --all --output DIR
    """
    if every == bool(selection.configs):
        raise BoostbenchError("name configs, or give --all", where="report")
    if every and selection.size:
        raise BoostbenchError("--all includes all sizes; leave --size out", where="report")
    codes = [OK]
    for part in _with_folders(selection) if every else [selection]:
        try:
            for experiment in part.load(check_parameters=False):
                _, code, page = write_report(experiment, output, paper=paper, pack=pack)
                codes.append(code)
                if open_page and typer.launch(page.resolve().as_uri()):
                    print_error(f"no web browser found; open {page.resolve().as_uri()}")
        except BoostbenchError as error:
            if not every:
                raise
            print_error(error)  # the other reports are written all the same
            codes.append(INCOMPLETE)
    if every:
        from boostbench.reports.overview import write_overview

        print(write_overview(output or selection.results))
    return max(codes)


def write_report(
    experiment: Experiment, output: Path | None = None, *, paper: bool = False, pack: bool = False
) -> tuple[Report, int, Path]:
    """Write a report, print its files and its main table; return it, its exit code and page."""
    from boostbench.reports.manuscript import for_paper
    from boostbench.reports.text import write_files

    made = experiment.report()
    folder = experiment.report_folder
    folder = folder if output is None else output / folder.name
    written = made.write(folder)
    _print_table(made)
    print(*written, sep="\n")
    if paper:
        contents, remarks = for_paper(made.study)
        for remark in remarks:
            print_error(f"left out of the paper: {remark}")
        print(*write_files(folder / "paper", contents), sep="\n")
    if pack:
        from boostbench.experiments.store.records import PACKED

        replaced = " (replaced)" * (folder / PACKED).is_file()
        print(f"{experiment.pack(folder)}{replaced}")
    return made, OK if made.is_whole else INCOMPLETE, written[-1]


def _with_folders(selection: SelectedRuns) -> Iterator[SelectedRuns]:
    """Yield a selection for each shipped config and size that has a folder in the results."""
    for name, path in shipped_configs().items():
        written = read_extended(path, [])[0].data
        for size in (None, *written.get("sizes", ())):
            if (selection.results / "-".join(filter(None, [written["name"], size]))).is_dir():
                yield replace(selection, configs=[name], size=size)


def _print_table(report: Report) -> None:
    """Print the main table of a report; print failed parts and remarks on stderr."""
    for reason in report.undrawn.values():
        print_error(f"left out of the report: {reason}")
    results = report.study.results
    remarks = Counter(result.reason for result in results if result.ok and result.reason)
    for remark, n in remarks.items():
        print_error(f"{n} of {len(results)} results: {remark}")
    if table := report.main_table():
        print(table.rstrip("\n"), end="\n\n")


def site(
    *,
    results: Results = Path("results"),
    output: Annotated[Path, option("DIR", "Folder of the site.", "--output", "-o")] = Path("site"),
) -> int:
    """Write the results as a site: one folder for any static host.

    The site begins with what was found, paper by paper, and has every report, the leaderboards and
    the documentation, if `make docs` built it here, with links between them. It opens from disk,
    too. Nothing is trained, and the pages are those that `boostbench report` wrote.

    Examples:
      boostbench site
      boostbench site --results DIR -o public
    """
    from boostbench.reports.overview import write_site

    docs = _DOCS if (_DOCS / "docs" / "index.html").is_file() else None
    print(write_site(results, output, docs))
    return OK


def export(
    *,
    selection: SelectedRuns,
    at: Annotated[
        str | None, option("ROUNDS", "Rounds, e.g. 10,100, or end; by default all.")
    ] = None,
    sources: Annotated[
        bool, flag("Add source, licence and citation of each data set.", "--sources")
    ] = False,
    output: Output = None,
) -> int:
    """Print the numbers behind the curves as CSV.

    A row has the value of a metric after a round of a run; errors are fractions. After an early
    stop the last value is repeated, and carried is True. Packed records have only the rounds that
    the report reads. The output may be parquet. The exit code is 1 if runs have no result.

    Examples:
      boostbench export noise20 --at 10,100,1000 > errors.csv
      boostbench export quickstart --results DIR
      boostbench export quickstart --at end --sources -o quickstart.parquet
    """
    rounds: Any = at if at in (None, "end") else parse_rounds(str(at))

    from boostbench.reports.values.frame import export_rows

    experiments = selection.load(check_parameters=False)
    results = [result for experiment in experiments for result in experiment.study().results]
    metrics = {name for experiment in experiments for name in experiment.config.metrics}
    frame = export_rows(results, rounds, metrics)
    if sources:
        for key, of in _sources(experiments, results).items():
            frame[key] = frame["dataset"].map(of)
    if output is not None and output.suffix == ".parquet":
        import_extra("pyarrow", "parquet", where=str(output))
        write_file(output, frame.to_parquet(index=False))
    else:
        labels = {name: frame[name].map(csv_text) for name in ("dataset", "booster")}
        text = frame.assign(**labels).to_csv(index=False, lineterminator="\n")
        if output is None:
            print(text, end="")
        else:
            write_file(output, text.encode())
    if n_absent := sum(not result.ok for result in results):
        what = f"{n_absent} of {len(results)} runs have no result"
        print_error(f"{what}; `boostbench status` lists them")
    return INCOMPLETE if n_absent else OK


def _sources(
    experiments: Sequence[Experiment], results: Sequence[Result]
) -> dict[str, dict[str, str]]:
    """Return source, licence and citation of each data set; a file of one's own has none."""
    from boostbench.data.downloads import downloads_of

    dirs = [folder for experiment in experiments for folder in experiment.data]
    found: dict[str, dict[str, str]] = {"source": {}, "licence": {}, "citation": {}}
    for result in results:
        label, entry = result.run.dataset, find_entry(result.run.data.component, dirs)
        if label not in found["citation"]:
            found["citation"][label] = entry.citation
            for download in downloads_of(entry)[:1]:
                found["source"][label] = download.title
                found["licence"][label] = download.licence or "none stated"
    return found
