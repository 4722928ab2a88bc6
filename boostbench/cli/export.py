"""`boostbench export`."""

from __future__ import annotations

import sys
from typing import Annotated

from boostbench.cli.guard import INCOMPLETE, OK
from boostbench.cli.options import SelectedRuns, option, parse_rounds
from boostbench.cli.output import print_error
from boostbench.reports.text import csv_text


def export(
    *,
    selection: SelectedRuns,
    at: Annotated[str | None, option("ROUNDS", "Rounds, e.g. 10,100; by default all.")] = None,
) -> int:
    """Print the numbers behind the curves as CSV.

    A row has the value of a metric after a round of a run; errors are fractions. After an early
    stop the last value is repeated, and carried is True. Packed records have only the rounds that
    the report reads. The exit code is 1 if runs have no result.

    Examples:
      boostbench export noise20 --at 10,100,1000 > errors.csv
      boostbench export quickstart --results DIR
    """
    rounds = None if at is None else parse_rounds(at)

    from boostbench.reports.values.frame import export_rows

    experiments = selection.load(check_parameters=False)
    results = [result for experiment in experiments for result in experiment.study().results]
    metrics = {name for experiment in experiments for name in experiment.config.metrics}
    frame = export_rows(results, rounds, metrics)
    labels = {name: frame[name].map(csv_text) for name in ("dataset", "booster")}
    frame.assign(**labels).to_csv(sys.stdout, index=False, lineterminator="\n")
    n_absent = sum(not result.ok for result in results)
    if n_absent:
        what = f"{n_absent} of {len(results)} runs have no result"
        print_error(f"{what}; `boostbench status` lists them")
    return INCOMPLETE if n_absent else OK
