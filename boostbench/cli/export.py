"""`boostbench export`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from boostbench.cli.guard import INCOMPLETE, OK
from boostbench.cli.options import SelectedRuns, parse_numbers
from boostbench.cli.output import complain, warn_of_damage
from boostbench.errors import BoostbenchError
from boostbench.reports.text import csv_text

if TYPE_CHECKING:
    import pandas as pd


def export(
    *,
    asked: SelectedRuns,
    layout: Annotated[
        Literal["curves", "bencheval"],
        typer.Option(
            "--format",
            metavar="LAYOUT",
            help="Every round, or one row per run and metric, as bencheval reads.",
        ),
    ] = "curves",
    at: Annotated[
        str | None,
        typer.Option(metavar="ROUNDS", help="As in 10,100 or 1..50; by default all, or the last."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write .csv or .parquet instead of printing CSV.",
        ),
    ] = None,
) -> int:
    """Print every error curve as tidy CSV.

    The columns are dataset, booster, parameters, noise_model, noise_rate, seed, round, metric,
    value, carried, and fold where splits have folds; train_error, train_error_clean and test_error
    are fractions. carried is True in the rounds after a run stopped early, which repeat the value
    of its last round. The exit code is 1 if runs have no result.

    With --format bencheval the columns are method, task, seed, metric, value, metric_error,
    time_train_s, time_infer_s: a row for each run and metric of the test samples after the last
    round. metric_error is better low; give bencheval the rows of one metric.

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

    experiments = asked.load(check_parameters=False)
    results = [result for experiment in experiments for result in experiment.study().results]
    warn_of_damage(experiments[0].store)
    named = {name for experiment in experiments for name in experiment.config.metrics}
    rows = (
        score_rows(results, rounds[0] if rounds else None)
        if layout == "bencheval"
        else export_rows(results, rounds, named)
    )
    _write(rows, output)
    absent = sum(not result.ok for result in results)
    if absent:
        complain(f"{absent} of {len(results)} runs have no result; `boostbench status` lists them")
    return INCOMPLETE if absent else OK


def _write(frame: pd.DataFrame, output: Path | None) -> None:
    if output is None or output.suffix == ".csv":
        names = {"dataset", "booster", "method", "task"} & {*frame.columns}
        labels = {name: frame[name].map(csv_text) for name in sorted(names)}
        frame.assign(**labels).to_csv(output or sys.stdout, index=False, lineterminator="\n")
    else:
        try:
            frame.to_parquet(output, index=False)
        except ImportError as error:
            raise BoostbenchError(
                "parquet needs the package pyarrow: pip install 'boostbench[parquet]'",
                where=f"--output {output}",
            ) from error
