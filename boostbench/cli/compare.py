"""`boostbench compare`."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boostbench.cli.guard import INTERRUPTED
from boostbench.cli.options import (
    Data,
    Drop,
    Encode,
    Jobs,
    Json,
    Plugins,
    Results,
    Retry,
    Types,
    program,
    statuses_of,
    types_of,
)
from boostbench.cli.output import print_columns, print_json, print_rows
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
            help="Name or FILE.py:Class, with parameters as NAME:PARAMETER=VALUE,...",
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
            help="Share of training labels to make wrong, or MODEL:rate=RATE,PARAMETER=VALUE,...",
        ),
    ] = "0"
    folds: Annotated[int, typer.Option(metavar="N", help="Folds of each cross-validation.")] = 5
    repeats: Annotated[int, typer.Option(metavar="N", help="Number of cross-validations.")] = 5
    rounds: Annotated[int, typer.Option(metavar="N", help="Boosting rounds.")] = 100
    metric: Annotated[
        str, typer.Option(metavar="NAME", help="Metric to compare by, e.g. log_loss.")
    ] = "error"
    drop: Drop
    types: Types
    encode: Encode = "ordinal"
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
            help="Smallest difference that matters; by default 1 point, or 0.01 if the metric is "
            "not in percent.",
        ),
    ] = None,
    page: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write the answer as a page.")
    ] = None,
    jobs: Jobs = None,
    retry: Retry,
    as_json: Json = False,
) -> int:
    """Compare boosters on your data by cross-validation.

    Repeats stratified cross-validation, and prints the answer in words, the mean errors with 95 %
    intervals, and the probability that each booster is best. Finished runs are kept.

    Examples:
      boostbench compare samme adaboost-mh --on wine
      boostbench compare samme sm-boost:subsample=0.5 --on patients.csv --target diagnosis --jobs 2
      boostbench compare samme sm-boost --on wine --noise uniform-other:rate=0.2 --page wine.html
    """
    from boostbench.compare_boosters import (
        answer,
        comparison_experiment,
        data_of,
        is_file_of_user,
        rare_classes,
        remember,
    )
    from boostbench.reports.comparison import rope_of

    given = vars(options) | {"types": types_of(options.types)}
    experiment = comparison_experiment(**given)
    rope = rope_of(rope, options.metric)
    with redirect_stdout(sys.stderr):  # stdout gets the result only
        for label, dataset in data_of(experiment):
            if is_file_of_user(dataset):
                print(f"{label}:")
                print_columns(dataset.columns)
            for remark in rare_classes(dataset, options.folds):
                print(f"{label}: {remark}")
        code = run_and_print(experiment, quiet=as_json, jobs=jobs, retry=statuses_of(retry))
    if code != INTERRUPTED:
        comparison = answer(experiment, rope, page)
        winners = remember(experiment, comparison, **given)
        if as_json:
            print_json(comparison.plain())
        else:
            _print(comparison)
            if page is not None:
                print(f"\n{page}")
            for winner in winners:
                print(f"next: {fit_command(winner)}")
    return code


def fit_command(options: Mapping[str, Any]) -> str:
    """Return the command line of fit for the options of a model."""
    words = [program(), "fit", options["booster"], "--on", options["on"]]
    flags = {"drop": "--drop", "data": "--data", "plugins": "--plugin"}
    for key, flag in flags.items():
        words += [word for value in options.get(key, ()) for word in (flag, str(value))]
    for column, kind in options.get("types", {}).items():
        words += ["--type", f"{column}={kind}"]
    defaults = {"target": "", "encode": "ordinal", "rounds": 100}
    for key, default in defaults.items():
        if options.get(key, default) != default:
            words += [f"--{key}", str(options[key])]
    stem = Path(options["on"]).name.partition(".")[0]
    return shlex.join([*words, "-o", f"{stem}.skops"])


def _print(comparison: Comparison) -> None:
    print(comparison.sentence)
    for rows in comparison.shown().values():
        print()
        print_rows(rows)
    print("", *comparison.remarks, sep="\n")
