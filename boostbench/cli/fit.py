"""`boostbench fit` and `predict`: models in files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from boostbench.cli.guard import OK
from boostbench.cli.options import DataOptions, Plugins, Results, argument, next_line, option
from boostbench.cli.output import print_error
from boostbench.errors import import_extra


def fit(
    booster: Annotated[
        str,
        argument(
            "BOOSTER",
            "As for compare; by default the best of the last compare.",
            show_default=False,
        ),
    ] = "",
    *,
    on: Annotated[str, option("DATA", "Data set, or CSV, ARFF, parquet or libsvm file.")] = "",
    options: DataOptions,
    seed: Annotated[int, option("N", "Seed of the booster.", min=0)] = 0,
    results: Results = Path("results"),
    output: Annotated[Path, option("FILE", "File of the model.", "--output", "-o")],
) -> int:
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
    named = {key: name for key, name in {"booster": booster, "on": on}.items() if name}
    given = {**options.given(), **named}
    if not booster or not on:
        given = {**last_winner(results, on), **given}
    model = fit_model(**given, seed=seed)
    model.save(output)
    facts = model.facts
    print(
        f"{output}: {facts['booster']}, {facts['rounds']} rounds, {facts['rows']} rows of "
        f"{facts['data']}, classes {', '.join(model.classes)}"
    )
    print(next_line("predict", str(output), "NEW.csv", output="predicted.csv"))
    return OK


def predict(
    model: Annotated[Path, argument("MODEL", "File written by fit.")],
    rows: Annotated[Path, argument("FILE", "CSV, ARFF or parquet file of new rows.")],
    *,
    proba: Annotated[
        bool, typer.Option("--proba", help="Add the probability of each class.")
    ] = False,
    output: Annotated[
        Path | None, option("FILE", "CSV file; by default printed.", "--output", "-o")
    ] = None,
    plugins: Plugins,
) -> int:
    """Predict the labels of new rows by a model that fit wrote.

    Columns are found by name; others are ignored. A line names each column that is missing, of
    another type, or has values that the training data did not have.

    Examples:
      boostbench predict patients.skops new.csv -o predicted.csv
      boostbench predict patients.skops new.csv --proba
    """
    from boostbench.models import load_model, predict_file
    from boostbench.whole_files import write_file

    loaded = load_model(model, plugins=plugins)
    table = predict_file(loaded, rows, proba=proba, on_remark=print_error)
    text = table.to_csv(index=False)
    if output is None:
        sys.stdout.write(text)
    else:
        write_file(output, text.encode("utf-8"))
        print(f"{output}: {len(table)} row{'s' * (len(table) != 1)}")
    return OK
