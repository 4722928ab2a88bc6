"""`boostbench export`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boostbench.cli.guard import INCOMPLETE, OK
from boostbench.cli.options import Configs, Data, Only, Plugins, Results, Settings, Size
from boostbench.cli.output import warn_of_damage
from boostbench.errors import BoostbenchError
from boostbench.reports.text import csv_text

if TYPE_CHECKING:
    import pandas as pd


def export(
    configs: Configs,
    *,
    results: Results = Path("results"),
    at: Annotated[
        str | None,
        typer.Option(
            metavar="ROUNDS", help="As in 10,100; all rounds by default.", show_default=False
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write .csv or .parquet instead of printing CSV.",
            show_default=False,
        ),
    ] = None,
    data: Data,
    only: Only,
    settings: Settings,
    size: Size = None,
    plugin: Plugins,
) -> int:
    """Print every error curve as tidy CSV.

    The columns are dataset, booster, parameters, noise_model, noise_rate, seed, round, metric,
    value, carried, and fold where splits have folds; train_error, train_error_clean and test_error
    are fractions. carried is True in the rounds after a run stopped early, which repeat the value
    of its last round. The exit code is 1 if runs have no result.

    Examples:
      boostbench export noise20 --at 10,100,1000 > errors.csv
      boostbench export quickstart --results DIR --output curves.parquet
    """
    rounds = _parse_rounds(at)
    if output is not None and output.suffix not in (".csv", ".parquet"):
        raise BoostbenchError("write to a .csv or .parquet file", where=f"--output {output}")

    from boostbench.api import load_experiments
    from boostbench.reports.values.frame import export_rows

    experiments = load_experiments(
        configs,
        results=results,
        data=data,
        overrides=settings,
        size=size,
        only=only,
        plugins=plugin,
        check_parameters=False,
    )
    all_results = [r for experiment in experiments for r in experiment.study().results]
    warn_of_damage(experiments[0].store)
    frame = export_rows(all_results, rounds)
    _write(frame, output)
    absent = sum(not result.ok for result in all_results)
    if absent:
        print(
            f"boostbench: {absent} of {len(all_results)} runs have no result; "
            "`boostbench status` lists them",
            file=sys.stderr,
        )
    return INCOMPLETE if absent else OK


def _write(frame: pd.DataFrame, output: Path | None) -> None:
    if output is None or output.suffix == ".csv":
        labels = {name: frame[name].map(csv_text) for name in ("dataset", "booster")}
        frame.assign(**labels).to_csv(output or sys.stdout, index=False, lineterminator="\n")
    else:
        try:
            frame.to_parquet(output, index=False)
        except ImportError as error:
            raise BoostbenchError(
                "parquet needs the package pyarrow: pip install 'boostbench[parquet]'",
                where=f"--output {output}",
            ) from error


def _parse_rounds(text: str | None) -> list[int] | None:
    if text is None:
        return None
    words = [word.strip() for word in text.split(",")]
    if not all(word.isascii() and word.isdigit() and int(word) > 0 for word in words):
        raise BoostbenchError(
            f"{text!r} is not a list of rounds; write for example 10,100", where="--at"
        )
    return [int(word) for word in words]
