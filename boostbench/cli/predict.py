"""`boostbench predict`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from boostbench.cli.guard import OK
from boostbench.cli.options import Plugins, argument, option, repeatable
from boostbench.cli.output import print_error


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
    trust: Annotated[
        list[str],
        repeatable(
            "--trust", "NAME", "Class or function of another package that the model may use"
        ),
    ],
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

    loaded = load_model(model, trust=trust, plugins=plugins)
    table = predict_file(loaded, rows, proba=proba, on_remark=print_error)
    text = table.to_csv(index=False)
    if output is None:
        sys.stdout.write(text)
    else:
        write_file(output, text.encode("utf-8"))
        print(f"{output}: {len(table)} row{'s' * (len(table) != 1)}")
    return OK
