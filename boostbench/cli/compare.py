"""`boostbench compare`, `labels`, `fit` and `predict`: boosters on data of users."""

from __future__ import annotations

import math
import re
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib.metadata import requires
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from boostbench.cli.options import (
    DataOptions,
    Jobs,
    Json,
    Output,
    Plugins,
    Results,
    Retry,
    argument,
    flag,
    next_line,
    option,
)
from boostbench.cli.output import (
    check_output,
    is_fancy,
    print_columns,
    print_error,
    print_json,
    print_rows,
    write_table,
)
from boostbench.cli.run import run_and_print
from boostbench.errors import import_extra
from boostbench.whole_files import check_place

if TYPE_CHECKING:
    import pandas as pd

_DATA = "Data set, or CSV, ARFF, parquet or libsvm file"


@dataclass(frozen=True, kw_only=True)
class Options(DataOptions):
    """Options of `boostbench.compare_boosters.comparison_experiment`."""

    on: Annotated[list[str], option("DATA", f"{_DATA}; repeatable.")]
    noise: Annotated[
        str,
        option(
            "NOISE", "Share of training labels made wrong, or MODEL:rate=RATE,PARAMETER=VALUE,..."
        ),
    ] = "0"
    folds: Annotated[int, option("N", "Folds of each cross-validation.")] = 5
    repeats: Annotated[int, option("N", "Number of cross-validations.", min=1)] = 5
    metric: Annotated[str, option("NAME", "Metric to compare by, e.g. log_loss.")] = "error"
    results: Results = Path("results")


@dataclass(frozen=True, kw_only=True)
class LabelOptions(DataOptions):
    """Arguments of `boostbench.find_label_errors`."""

    booster: Annotated[str, option("NAME", "Booster that judges labels.")] = "random-forest"
    repeats: Annotated[int, option("N", "Number of cross-validations.", min=2)] = 4
    folds: Annotated[int, option("N", "Folds of each.", min=2)] = 5
    seed: Annotated[int, option("N", "Seed of folds and fits.", min=0)] = 0


def compare(
    boosters: Annotated[
        list[str],
        argument(
            "BOOSTER",
            "Name or FILE.py:Class, with parameters as NAME:PARAMETER=VALUE,...",
            many=True,
        ),
    ],
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
    advise: Annotated[bool, flag("Add what the noise study recommends.", "--advise")] = False,
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
      boostbench compare --advise --on patients.csv --target diagnosis
    """
    from boostbench import compare_boosters as comparing
    from boostbench.data.cautions import cautions

    if page is not None:
        check_place(page)
    given, named = options.given(), list[Any](boosters)
    with redirect_stdout(sys.stderr):  # stdout gets the result only
        if advise:
            rows, advised = comparing.advised(**given)
            named += advised
            print("The noise study (docs/noise-study.md) recommends for as many classes:")
            print_rows(rows)
            of_study = re.findall(r"(\w+)\S*; extra == .study", str(requires("boostbench")))
            for package in of_study:
                if package in str(advised):
                    import_extra(package, "study", where="--advise")
        experiment = comparing.comparison_experiment(named, rope=rope, **given)
        for label, dataset in comparing.data_of(experiment):
            if dataset.name.startswith(comparing.PREFIX):
                print(f"{label}:")
                print_columns(dataset.columns)
            for remark in cautions(dataset, options.folds):
                print(f"{label}: {remark}")
        code = run_and_print(experiment, experiment.plan(), quiet=as_json, jobs=jobs, retry=retry)
    comparison = comparing.answer(experiment, rope, page)
    winners = comparing.remember(experiment, comparison, **given)
    if as_json:
        print_json(comparison.plain())
        return code
    print(comparison.sentence)
    for rows in comparison.shown().values():
        print()
        print_rows(rows)
    print("", *comparison.remarks, sep="\n")
    if page is not None:
        print(f"\n{page}")
    for winner in winners:
        on = winner["on"]
        file = f"{Path(on).name.partition('.')[0]}.skops"
        print(next_line("fit", winner["booster"], "--on", on, **winner, output=file))
    return code


def labels(
    on: Annotated[str, argument("DATA", f"{_DATA}.")],
    *,
    options: LabelOptions,
    output: Output = None,
) -> None:
    """Estimate how many labels are wrong, and list suspicious rows.

    Prints the share of wrong labels with 95 % intervals, in total and by class, and the most
    suspicious rows, numbered from 1 below the header, with the label that models trained without
    them suggest. With --output, all suspicious rows are written.

    Examples:
      boostbench labels patients.csv --target diagnosis -o suspicious.csv
      boostbench labels letter --data DIR --repeats 6
    """
    from boostbench.label_errors import find_label_errors

    check_output(output)
    given = options.given()
    on_fit = _show_fits if is_fancy(sys.stderr) else None
    found, table = find_label_errors(on, on_fit=on_fit, **given)
    with redirect_stdout(sys.stderr):
        print_columns(found.columns)
    n = math.ceil(found.share * len(found.suspects))
    suspects = found.suspects.head(n)
    if output is not None:
        cells = table.iloc[suspects["row"] - 1].reset_index(drop=True)
        both = suspects.join(cells.rename(columns={c: f"{c} (file)" for c in suspects}))
        write_table(both, output)
    interval = f"95 % interval {100 * found.low:.1f} to {100 * found.high:.1f} %"
    about = f"About {100 * found.share:.1f} % of the labels of {on} are wrong ({interval})"
    print(f"{about}, fewer if classes overlap.\n")
    print_rows(_in_percent(found.classes))
    if found.left_out:
        print(f"\nNot judged, with fewer rows than folds: {', '.join(found.left_out)}.")
    print("" if n else "\nNo label looks wrong.")
    if n:
        print_rows(_in_percent(suspects.head(10)))
    if output is not None and n:
        print(f"\n{output}: the {n} most suspicious row{'s' * (n != 1)}")
    boosters = ("filter-and-refit", "random-forest", "sm-boost")
    noise = f"{found.share:.2f}" if found.share >= 0.005 else ""
    print(next_line("compare", *boosters, "--on", on, **given, noise=noise))


def _in_percent(table: pd.DataFrame) -> list[Any]:
    """Return the rows of a table with their shares and probabilities in percent."""
    shown = table.map(lambda cell: f"{100 * cell:.1f} %" if isinstance(cell, float) else cell)
    return shown.to_dict("records")


def _show_fits(done: int, total: int) -> None:
    end = "\r" if done < total else "\n"
    print(f"labels: {done} of {total} fits", end=end, file=sys.stderr, flush=True)


def fit(
    booster: Annotated[
        str, argument("BOOSTER", "As for compare; by default the best of the last compare.")
    ] = "",
    *,
    on: Annotated[str, option("DATA", f"{_DATA}.")] = "",
    options: DataOptions,
    seed: Annotated[int, option("N", "Seed of the booster.", min=0)] = 0,
    results: Results = Path("results"),
    output: Annotated[Path, option("FILE", "File of the model.", "--output", "-o")],
) -> None:
    """Fit a booster to all rows of a data set and write the model.

    The model holds the encoding of the columns, the booster and the classes. After compare, its
    best booster and its options are the defaults.

    Examples:
      boostbench fit sm-boost --on patients.csv --target diagnosis -o patients.skops
      boostbench fit -o patients.skops
    """
    from boostbench.compare_boosters import last_winner
    from boostbench.models import fit_model

    import_extra("skops.io", "serve", where="fit")
    check_place(output)  # before the work
    named = {key: name for key, name in {"booster": booster, "on": on}.items() if name}
    winner = {} if booster and on else last_winner(results, on)
    model = fit_model(**{**winner, **options.given(), **named}, seed=seed)
    model.save(output)
    facts, classes = model.facts, ", ".join(model.classes)
    with redirect_stdout(sys.stderr):
        print_columns(model.pipeline[0].columns)
    rounds = getattr(model.pipeline[-1], "n_rounds_", facts["rounds"])
    made = facts["booster"] + (f", {rounds} round{'s' * (rounds != 1)}" if rounds else "")
    print(f"{output}: {made}, {facts['rows']} rows of {facts['data']}, classes {classes}")
    plugins = facts["plugins"]
    print(next_line("predict", str(output), "NEW.csv", plugins=plugins, output="predicted.csv"))


def predict(
    model: Annotated[Path, argument("MODEL", "File written by fit.")],
    rows: Annotated[Path, argument("FILE", "CSV, ARFF or parquet file of new rows.")],
    *,
    proba: Annotated[bool, flag("Add the probability of each class.", "--proba")] = False,
    output: Output = None,
    plugins: Plugins,
) -> None:
    """Predict the labels of new rows by a model that fit wrote.

    They are printed, or written to a file. Columns are found by name; others are ignored. If a
    column is missing or of another type, nothing is predicted. A line names those with unknown
    values.

    Examples:
      boostbench predict patients.skops new.csv -o predicted.csv
      boostbench predict patients.skops new.csv --proba
    """
    from boostbench.models import load_model, predict_file

    table, remarks = predict_file(load_model(model, plugins=plugins), rows, proba=proba)
    print_error("\n".join(remarks))
    write_table(table, output)
    if output is not None:
        print(f"{output}: {len(table)} row{'s' * (len(table) != 1)}")
