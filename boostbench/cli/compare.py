"""`boostbench compare`."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boostbench.cli.guard import INTERRUPTED
from boostbench.cli.options import Data, Jobs, Json, Plugins, Results, Retry, statuses_of
from boostbench.cli.output import complain, print_json, print_rows
from boostbench.cli.run import run_and_tell

if TYPE_CHECKING:
    from boostbench.reports.comparison import Comparison


@dataclass(frozen=True, kw_only=True)
class Asked:
    """Arguments of `boostbench.compare_boosters.comparison_experiment`."""

    boosters: Annotated[
        list[str],
        typer.Argument(
            metavar="BOOSTER",
            help="Names, FILE.py:Class, or with parameters NAME:PARAMETER=VALUE,...",
        ),
    ]
    on: Annotated[
        list[str],
        typer.Option(
            metavar="DATA", help="Data set, or a CSV, ARFF, parquet or libsvm file; repeatable."
        ),
    ]
    target: Annotated[
        str, typer.Option(metavar="COLUMN", help="Label column; target, else class, by default.")
    ] = ""
    noise: Annotated[
        str,
        typer.Option(
            metavar="NOISE",
            help="Share of the training labels exchanged, or MODEL:rate=RATE,PARAMETER=VALUE,...",
        ),
    ] = "0"
    folds: Annotated[int, typer.Option(metavar="N", help="Folds of a cross-validation.")] = 5
    repeats: Annotated[int, typer.Option(metavar="N", help="Cross-validations.")] = 5
    rounds: Annotated[int, typer.Option(metavar="N", help="Rounds of boosting.")] = 100
    data: Data
    results: Results = Path("results")
    plugins: Plugins


def compare(
    *,
    asked: Asked,
    rope: Annotated[
        float, typer.Option(metavar="POINTS", help="Errors so near are practically equivalent.")
    ] = 1.0,
    page: Annotated[
        Path | None, typer.Option(metavar="FILE", help="HTML file that the answer is written to.")
    ] = None,
    jobs: Jobs = None,
    retry: Retry,
    as_json: Json = False,
) -> int:
    """Tell which booster is best on your data, and how surely.

    Repeated stratified cross-validation; the answer in words, then mean errors with 95 % intervals
    and probabilities, by the correlated t test, over five data sets or more by a bootstrap over
    them. Finished runs are kept: more boosters or repeats do only what is missing.

    Examples:
      boostbench compare samme adaboost-mh --on wine
      boostbench compare samme sm-boost:subsample=0.5 --on patients.csv --target diagnosis --jobs 2
      boostbench compare samme sm-boost --on wine --noise uniform-other:rate=0.2 --page wine.html
    """
    from boostbench.compare_boosters import answer, comparison_experiment, numbering_features
    from boostbench.reports.comparison import check_rope

    check_rope(rope)
    experiment = comparison_experiment(**vars(asked))
    for file, column in numbering_features(experiment):
        complain(f"{file}: column {column!r} numbers the rows and is a feature; delete it there")
    with redirect_stdout(sys.stderr):  # the answer alone is the result
        code = run_and_tell(experiment, quiet=as_json, jobs=jobs, retry=statuses_of(retry))
    if code != INTERRUPTED:
        found = answer(experiment, rope, page)
        if as_json:
            print_json(found.plain())
        else:
            _print(found)
            if page is not None:
                print(f"\n{page}")
    return code


def _print(found: Comparison) -> None:
    print(found.sentence)
    for rows in found.shown().values():
        print()
        print_rows(rows)
    print("", *found.remarks, sep="\n")
