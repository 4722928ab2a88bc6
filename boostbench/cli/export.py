"""`boostbench export`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from boostbench.cli.guard import INCOMPLETE, OK
from boostbench.cli.options import SelectedRuns, parse_numbers
from boostbench.cli.output import print_error
from boostbench.errors import BoostbenchError, import_extra
from boostbench.reports.text import csv_text

if TYPE_CHECKING:
    import pandas as pd


def export(
    *,
    selection: SelectedRuns,
    layout: Annotated[
        Literal["curves", "bencheval"],
        typer.Option(
            "--format",
            metavar="LAYOUT",
            help="curves: every round; bencheval: one row per run and metric, for bencheval.",
        ),
    ] = "curves",
    at: Annotated[
        str | None,
        typer.Option(
            metavar="ROUNDS",
            help="Rounds, e.g. 10,100 or 1..50; by default all or, for bencheval, the last.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write to this .csv or .parquet file instead of printing CSV.",
        ),
    ] = None,
) -> int:
    """Print all error curves as tidy CSV.

    The columns are dataset, booster, parameters, noise_model, noise_rate, seed, round, metric,
    value, carried and, for splits with folds, fold. train_error, train_error_clean and test_error
    are fractions. After a run stops early, the value of its last round is repeated and carried is
    True. The exit code is 1 if runs have no result.

    With --format bencheval the columns are method, task, seed, metric, value, metric_error,
    time_train_s and time_infer_s, with one row per run and metric of the test samples after the
    last round. Smaller values of metric_error are better; bencheval reads the rows of one metric.

    Examples:
      boostbench export noise20 --at 10,100,1000 > errors.csv
      boostbench export quickstart --results DIR --output curves.parquet
      boostbench export noise20 --format bencheval > scores.csv
    """
    rounds = None if at is None else parse_numbers(at, "--at", 1, 10**9)
    if output is not None and output.suffix not in (".csv", ".parquet"):
        raise BoostbenchError("write to a .csv or .parquet file", where=f"--output {output}")

    if layout == "bencheval" and rounds is not None and len(rounds) > 1:
        raise BoostbenchError("--format bencheval takes one round", where=f"--at {at}")

    from boostbench.reports.values.frame import export_rows, score_rows

    experiments = selection.load(check_parameters=False)
    results = [result for experiment in experiments for result in experiment.study().results]
    metrics = {name for experiment in experiments for name in experiment.config.metrics}
    rows = (
        score_rows(results, rounds[0] if rounds else None)
        if layout == "bencheval"
        else export_rows(results, rounds, metrics)
    )
    _write(rows, output)
    n_absent = sum(not result.ok for result in results)
    if n_absent:
        print_error(
            f"{n_absent} of {len(results)} runs have no result; `boostbench status` lists them"
        )
    return INCOMPLETE if n_absent else OK


def _write(frame: pd.DataFrame, output: Path | None) -> None:
    if output is None or output.suffix == ".csv":
        names = {"dataset", "booster", "method", "task"} & {*frame.columns}
        labels = {name: frame[name].map(csv_text) for name in sorted(names)}
        frame.assign(**labels).to_csv(output or sys.stdout, index=False, lineterminator="\n")
    else:
        import_extra("pyarrow", "parquet", where=f"--output {output}")
        frame.to_parquet(output, index=False)
