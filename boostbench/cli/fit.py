"""`boostbench fit`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from boostbench.cli.guard import OK
from boostbench.cli.options import DataOptions, Results, argument, next_line, option
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
