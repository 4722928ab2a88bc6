"""`boostbench labels`."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Annotated, Any

from boostbench.cli.guard import OK
from boostbench.cli.options import DataOptions, Json, argument, next_line, option
from boostbench.cli.output import is_fancy, print_json, print_rows


def labels(
    on: Annotated[str, argument("DATA", "Data set, or CSV, ARFF, parquet or libsvm file.")],
    *,
    options: DataOptions,
    booster: Annotated[
        str, option("NAME", "Booster that estimates probabilities.")
    ] = "random-forest",
    repeats: Annotated[int, option("N", "Number of cross-validations.", min=2)] = 4,
    folds: Annotated[int, option("N", "Folds of each.", min=2)] = 5,
    seed: Annotated[int, option("N", "Seed of folds and fits.", min=0)] = 0,
    output: Annotated[
        Path | None, option("FILE", "CSV file of the suspicious rows.", "--output", "-o")
    ] = None,
    rows: Annotated[int, option("N", "Rows to list; by default as many as are wrong.", min=0)] = 0,
    as_json: Json = False,
) -> int:
    """Estimate how many labels are wrong, and list suspicious rows.

    Prints the share of wrong labels with 95 % intervals, in total and by class, and the most
    suspicious rows with the label that models trained without them suggest.

    Examples:
      boostbench labels patients.csv --target diagnosis -o suspicious.csv
      boostbench labels letter --data DIR --repeats 6
    """
    from boostbench.label_errors import find_label_errors
    from boostbench.whole_files import write_file

    given = options.given()
    found, table = find_label_errors(
        on,
        booster=booster,
        repeats=repeats,
        folds=folds,
        seed=seed,
        on_fit=_show_fits if is_fancy(sys.stderr) else None,
        **given,
    )
    n = min(rows or math.ceil(found.share * len(found.suspects)), len(found.suspects))
    suspects = found.suspects.head(n)
    if output is not None:
        cells = table.iloc[suspects["row"] - 1].reset_index(drop=True)
        both = suspects.join(cells.drop(columns=[*suspects.columns], errors="ignore"))
        write_file(output, both.to_csv(index=False).encode())
    if as_json:
        head: dict[str, Any] = {"share": found.share, "low": found.low, "high": found.high}
        frames = {"classes": found.classes, "suspects": suspects}
        rows_of = {key: frame.to_dict("records") for key, frame in frames.items()}
        print_json({**head, **rows_of, "left_out": found.left_out})
        return OK
    interval = f"95 % interval {100 * found.low:.1f} to {100 * found.high:.1f} %"
    print(f"About {100 * found.share:.1f} % of the labels of {on} are wrong ({interval}).\n")
    print_rows([_in_percent(row) for row in found.classes.to_dict("records")])
    if found.left_out:
        few = f"Not judged, with fewer rows than folds: {', '.join(found.left_out)}."
        print(f"\n{few}")
    print()
    print_rows([_in_percent(row) for row in suspects.head(10).to_dict("records")])
    if output is not None:
        print(f"\n{output}: the {n} most suspicious rows")
    boosters = ("filter-and-refit", "random-forest", "sm-boost")
    print(next_line("compare", *boosters, "--on", on, **given, noise=f"{found.share:.2f}"))
    return OK


def _in_percent(row: dict[Any, Any]) -> dict[str, Any]:
    """Return a row with its shares and probabilities in percent."""
    return {
        str(key): f"{100 * value:.1f} %" if isinstance(value, float) else value
        for key, value in row.items()
    }


def _show_fits(done: int, total: int) -> None:
    end = "\r" if done < total else "\n"
    print(f"labels: {done} of {total} fits", end=end, file=sys.stderr, flush=True)
