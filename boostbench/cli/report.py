"""`boostbench report`, `site` and `export`: the results in files and as CSV."""

from __future__ import annotations

import logging
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from functools import partial
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boostbench.cli.options import Jobs, Output, Results, SelectedRuns, flag, option, parse_rounds
from boostbench.cli.output import INCOMPLETE, OK, PrintedLog, print_error, write_table
from boostbench.data.catalog import find_entry
from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.shipped import read_extended, shipped_configs
from boostbench.threads import n_cores

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
    all_: Annotated[bool, flag("All shipped configs with a folder in --results.", "--all")] = False,
    pack: Annotated[bool, flag("Also pack the records into the report folder.", "--pack")] = False,
    paper: Annotated[
        bool,
        flag("Also write LaTeX tables, figures and the protocol for a paper of yours.", "--paper"),
    ] = False,
    output: _Output = None,
    jobs: Jobs = None,
    open_page: Annotated[bool, flag("Open the page in a web browser.", "--open")] = False,
) -> int:
    """Write tables, figures, verdicts and an offline page.

    Trains nothing, and prints the main table. Runs without a record are read from the packed
    records in the report folder. The exit code is 1 if runs lack a result or a table or figure
    could not be made. With --all, README.md and index.html list all reports, and --jobs processes
    make them, each of up to a gigabyte.

    Examples:
      boostbench report noise20 --open
      boostbench report configs/quickstart.yaml --results DIR
      boostbench report my-study.yaml --paper
      boostbench report --all --output DIR
    """
    if pack and selection.only:
        raise BoostbenchError("packs all runs of a config; leave --only out", where="--pack")
    if all_ == bool(selection.configs):
        raise BoostbenchError("name configs, or give --all", where="report")
    if all_ and selection.size:
        raise BoostbenchError("--all includes all sizes; leave --size out", where="report")
    if jobs and not all_:
        raise BoostbenchError("is for --all; leave it out", where="--jobs")
    if all_:
        make = partial(_printed, output=output, paper=paper, pack=pack)
        written = _write_all(selection, jobs or n_cores(), make)
    else:
        loaded = selection.load(check_parameters=False)
        written = (write_report(each, output, paper=paper, pack=pack)[1:] for each in loaded)
    codes = [OK]
    for code, page in written:
        codes.append(code)
        if open_page and page and typer.launch(page.resolve().as_uri()):
            print_error(f"no web browser found; open {page.resolve().as_uri()}")
    if all_:
        from boostbench.reports.overview import write_overview

        print(write_overview(output or selection.results))
    return max(codes)


def write_report(
    experiment: Experiment, output: Path | None = None, *, paper: bool = False, pack: bool = False
) -> tuple[Report, int, Path]:
    """Write a report, print its files and its main table; return it, its exit code and page."""
    from boostbench.experiments.store.records import PACKED
    from boostbench.reports.manuscript import for_paper
    from boostbench.reports.text import write_files

    made = experiment.report()
    folder = (output or experiment.report_folder.parent) / experiment.report_folder.name
    replaced = " (replaced)" * (folder / PACKED).is_file()
    # Before the report, which stays with its records if these must not be replaced.
    packed = f"{experiment.pack(folder)}{replaced}" if pack else ""
    written = made.write(folder)
    _print_table(made)
    print(*written, sep="\n")
    if paper:
        contents, remarks = for_paper(made)
        for remark in remarks:
            print_error(f"left out of the paper: {remark}")
        print(*write_files(folder / "paper", contents), sep="\n")
    if packed:
        print(packed)
    return made, OK if made.is_whole else INCOMPLETE, written[-1]


#: Exit code and page of a report, and what was printed on stderr and on stdout.
_Made = tuple[tuple[int, Path | None], str, str]


def _write_all(
    selection: SelectedRuns, jobs: int, make: Callable[[SelectedRuns], _Made]
) -> Iterator[tuple[int, Path | None]]:
    """Write and print the reports of all shipped configs, those of the most records first.

    With several jobs, processes make them. They have the same bytes for any number of jobs.
    """
    from joblib import Parallel, delayed

    from boostbench.experiments.store.records import PACKED

    parts = []
    for name, path in shipped_configs().items():
        written = read_extended(path, [])[0].data
        for size in (None, *written.get("sizes", ())):
            folder = selection.results / "-".join(filter(None, [written["name"], size]))
            if folder.is_dir():
                n_bytes = sum(packed.stat().st_size for packed in folder.glob(PACKED))
                parts.append((n_bytes, replace(selection, configs=[name], size=size)))
    largest_first = [part for _, part in sorted(parts, key=lambda each: -each[0])]
    n_processes = max(min(jobs, len(parts)), 1)
    made = Parallel(n_processes, return_as="generator")(delayed(make)(p) for p in largest_first)
    try:
        for outcome, complaints, text in made:
            print(complaints, end="", file=sys.stderr, flush=True)
            print(text, end="", flush=True)
            yield outcome
    except BrokenProcessPool:
        what = "a process that made reports was killed, maybe for lack of memory; try --jobs 1"
        raise BoostbenchError(what, where="report") from None


def _printed(selection: SelectedRuns, **options: Any) -> _Made:
    """Write a report by `write_report`; it is left out if the config or its records are wrong."""
    logging.getLogger("boostbench").handlers = [PrintedLog()]  # of this process
    outcome: tuple[int, Path | None] = INCOMPLETE, None
    with redirect_stderr(StringIO()) as complaints, redirect_stdout(StringIO()) as text:
        try:
            outcome = write_report(selection.load(check_parameters=False)[0], **options)[1:]
        except BoostbenchError as error:
            print_error(error)
    return outcome, complaints.getvalue(), text.getvalue()


def _print_table(report: Report) -> None:
    """Print the first table of a report; print failed parts and remarks on stderr."""
    for reason in report.undrawn.values():
        print_error(f"left out of the report: {reason}")
    results = report.study.results
    remarks = Counter(result.reason for result in results if result.ok and result.reason)
    for remark, n in remarks.items():
        print_error(f"{n} of {len(results)} results: {remark}")
    if table := report.main_table():
        print(table)


def site(
    *,
    results: Results = Path("results"),
    output: Annotated[Path, option("DIR", "Folder of the site.", "--output", "-o")] = Path("site"),
) -> None:
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
    the report reads. The exit code is 1 if runs have no result.

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
    write_table(frame, output, ("dataset", "booster"))
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
    for label, name in {r.run.dataset: r.run.data.component for r in results}.items():
        entry = find_entry(name, dirs)
        found["citation"][label] = entry.citation
        for download in downloads_of(entry)[:1]:
            found["source"][label] = download.title
            found["licence"][label] = download.licence or "none stated"
    return found
