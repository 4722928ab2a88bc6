"""`boostbench compare`."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from boostbench.cli.guard import INTERRUPTED
from boostbench.cli.options import (
    DataOptions,
    Jobs,
    Json,
    Results,
    Retry,
    argument,
    next_line,
    option,
    statuses_of,
)
from boostbench.cli.output import print_columns, print_json, print_rows
from boostbench.cli.run import run_and_print

if TYPE_CHECKING:
    from boostbench.reports.comparison import Comparison


@dataclass(frozen=True, kw_only=True)
class Options(DataOptions):
    """Arguments of `boostbench.compare_boosters.comparison_experiment`."""

    boosters: Annotated[
        list[str],
        argument("BOOSTER", "Name or FILE.py:Class, with parameters as NAME:PARAMETER=VALUE,..."),
    ]
    on: Annotated[
        list[str], option("DATA", "Data set, or CSV, ARFF, parquet or libsvm file; repeatable.")
    ]
    noise: Annotated[
        str,
        option(
            "NOISE",
            "Share of training labels to make wrong, or MODEL:rate=RATE,PARAMETER=VALUE,...",
        ),
    ] = "0"
    folds: Annotated[int, option("N", "Folds of each cross-validation.")] = 5
    repeats: Annotated[int, option("N", "Number of cross-validations.")] = 5
    metric: Annotated[str, option("NAME", "Metric to compare by, e.g. log_loss.")] = "error"
    results: Results = Path("results")


def compare(
    *,
    options: Options,
    rope: Annotated[
        float | None,
        option(
            "POINTS",
            "Smallest difference that matters; by default 1 point, or 0.01 if the metric is "
            "not in percent.",
        ),
    ] = None,
    page: Annotated[Path | None, option("FILE", "Also write the answer as a page.")] = None,
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

    given = options.given()
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
                on = winner["on"]
                file = f"{Path(on).name.partition('.')[0]}.skops"
                print(next_line("fit", winner["booster"], "--on", on, **winner, output=file))
    return code


def _print(comparison: Comparison) -> None:
    print(comparison.sentence)
    for rows in comparison.shown().values():
        print()
        print_rows(rows)
    print("", *comparison.remarks, sep="\n")
