"""`boostbench fit`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from boostbench.cli.guard import OK
from boostbench.cli.options import Data, Drop, Encode, Plugins, Results, Types, program, types_of
from boostbench.errors import import_extra


def fit(
    booster: Annotated[
        str,
        typer.Argument(
            metavar="BOOSTER",
            help="As for compare; by default the best of the last compare.",
            show_default=False,
        ),
    ] = "",
    *,
    on: Annotated[
        str, typer.Option(metavar="DATA", help="Data set, or CSV, ARFF, parquet or libsvm file.")
    ] = "",
    target: Annotated[
        str, typer.Option(metavar="COLUMN", help="Label column; by default target, else class.")
    ] = "",
    drop: Drop,
    types: Types,
    encode: Encode = "",
    rounds: Annotated[int, typer.Option(metavar="N", help="Boosting rounds, by default 100.")] = 0,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Seed of the booster.")] = 0,
    data: Data,
    results: Results = Path("results"),
    plugins: Plugins,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="File of the model.")
    ],
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
    options: dict[str, Any] = {"on": on, "target": target, "drop": drop, "encode": encode}
    options |= {"types": types_of(types), "rounds": rounds, "data": data, "plugins": plugins}
    given = {key: value for key, value in options.items() if value}
    given |= {"booster": booster} if booster else {}
    if not booster or not on:
        given = {**last_winner(results, on), **given}
    model = fit_model(**given, seed=seed)
    model.save(output)
    facts = model.facts
    print(
        f"{output}: {facts['booster']}, {facts['rounds']} rounds, {facts['rows']} rows of "
        f"{facts['data']}, classes {', '.join(model.classes)}"
    )
    print(f"next: {program()} predict {output} NEW.csv -o predicted.csv")
    return OK
