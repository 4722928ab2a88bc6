"""`boostbench compare`."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boostbench.cli.guard import INTERRUPTED
from boostbench.cli.options import (
    Data,
    Drop,
    Jobs,
    Json,
    Plugins,
    Results,
    Retry,
    Types,
    statuses_of,
    types_of,
)
from boostbench.cli.output import print_json, print_rows
from boostbench.cli.run import run_and_print

if TYPE_CHECKING:
    from boostbench.reports.comparison import Comparison


@dataclass(frozen=True, kw_only=True)
class Options:
    """Arguments of `boostbench.compare_boosters.comparison_experiment`."""

    boosters: Annotated[
        list[str],
        typer.Argument(
            metavar="BOOSTER",
            help="Name, FILE.py:Class, or with parameters NAME:PARAMETER=VALUE,...",
        ),
    ]
    on: Annotated[
        list[str],
        typer.Option(
            metavar="DATA", help="Data set, or CSV, ARFF, parquet or libsvm file; repeatable."
        ),
    ]
    target: Annotated[
        str, typer.Option(metavar="COLUMN", help="Label column; by default target, else class.")
    ] = ""
    noise: Annotated[
        str,
        typer.Option(
            metavar="NOISE",
            help="Share of exchanged training labels, or MODEL:rate=RATE,PARAMETER=VALUE,...",
        ),
    ] = "0"
    folds: Annotated[int, typer.Option(metavar="N", help="Folds of each cross-validation.")] = 5
    repeats: Annotated[int, typer.Option(metavar="N", help="Number of cross-validations.")] = 5
    rounds: Annotated[int, typer.Option(metavar="N", help="Boosting rounds.")] = 100
    metric: Annotated[
        str, typer.Option(metavar="NAME", help="Metric of a config to compare by, as log_loss.")
    ] = "error"
    drop: Drop
    types: Types
    data: Data
    results: Results = Path("results")
    plugins: Plugins


def compare(
    *,
    options: Options,
    rope: Annotated[
        float | None,
        typer.Option(
            metavar="POINTS",
            help="Largest practically irrelevant difference; by default 1 point, or 0.01 if the "
            "metric is not in percent.",
        ),
    ] = None,
    page: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write the result to this HTML file.")
    ] = None,
    jobs: Jobs = None,
    retry: Retry,
    as_json: Json = False,
) -> int:
    """Compare boosters on your data by cross-validation.

    Uses repeated stratified cross-validation and prints the result in words, then the means with
    95 % intervals and probabilities. These are from the correlated t test or, for five or more data
    sets, from a bootstrap over the data sets. Finished runs are kept: with more boosters or repeats
    only the missing runs are done.

    Examples:
      boostbench compare samme adaboost-mh --on wine
      boostbench compare samme sm-boost:subsample=0.5 --on patients.csv --target diagnosis --jobs 2
      boostbench compare samme sm-boost --on wine --noise uniform-other:rate=0.2 --page wine.html
    """
    from boostbench.compare_boosters import answer, comparison_experiment, file_columns
    from boostbench.data.columns import column_rows
    from boostbench.reports.comparison import rope_of

    given = vars(options) | {"types": types_of(options.types)}
    experiment = comparison_experiment(**given)
    rope = rope_of(rope, options.metric)
    with redirect_stdout(sys.stderr):  # stdout gets the result only
        for file, columns in file_columns(experiment):
            print(f"{file}:")
            print_rows(column_rows(columns))
        code = run_and_print(experiment, quiet=as_json, jobs=jobs, retry=statuses_of(retry))
    if code != INTERRUPTED:
        comparison = answer(experiment, rope, page)
        if as_json:
            print_json(comparison.plain())
        else:
            _print(comparison)
            if page is not None:
                print(f"\n{page}")
    return code


def _print(comparison: Comparison) -> None:
    print(comparison.sentence)
    for rows in comparison.shown().values():
        print()
        print_rows(rows)
    print("", *comparison.remarks, sep="\n")
