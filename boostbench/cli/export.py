"""`boostbench export`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boostbench.cli.guard import INCOMPLETE, OK
from boostbench.cli.options import SelectedRuns, parse_numbers
from boostbench.cli.output import print_error
from boostbench.errors import BoostbenchError, import_extra
from boostbench.reports.files import write_file
from boostbench.reports.text import csv_text

if TYPE_CHECKING:
    import pandas as pd


def export(
    *,
    selection: SelectedRuns,
    at: Annotated[
        str | None,
        typer.Option(
            metavar="ROUNDS",
            help="Rounds, e.g. 10,100 or 1..50; by default all.",
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

    Examples:
      boostbench export noise20 --at 10,100,1000 > errors.csv
      boostbench export quickstart --results DIR --output curves.parquet
    """
    rounds = None if at is None else parse_numbers(at, "--at", 1, 10**9)
    if output is not None and output.suffix not in (".csv", ".parquet"):
        raise BoostbenchError("write to a .csv or .parquet file", where=f"--output {output}")

    from boostbench.reports.values.frame import export_rows

    experiments = selection.load(check_parameters=False)
    results = [result for experiment in experiments for result in experiment.study().results]
    metrics = {name for experiment in experiments for name in experiment.config.metrics}
    _write(export_rows(results, rounds, metrics), output)
    n_absent = sum(not result.ok for result in results)
    if n_absent:
        print_error(
            f"{n_absent} of {len(results)} runs have no result; `boostbench status` lists them"
        )
    return INCOMPLETE if n_absent else OK


def _write(frame: pd.DataFrame, output: Path | None) -> None:
    if output is not None and output.suffix == ".parquet":
        import_extra("pyarrow", "parquet", where=f"--output {output}")
        write_file(output, frame.to_parquet(index=False))
        return
    labels = {name: frame[name].map(csv_text) for name in ("dataset", "booster")}
    frame = frame.assign(**labels)
    if output is None:
        frame.to_csv(sys.stdout, index=False, lineterminator="\n")
    else:
        write_file(output, frame.to_csv(index=False, lineterminator="\n"))
