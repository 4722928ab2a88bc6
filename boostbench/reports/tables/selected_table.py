"""Table of selected parameters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from statistics import median
from typing import Any

from boostbench.errors import BoostbenchError
from boostbench.experiments.planning.plans import Selected
from boostbench.registry import tables
from boostbench.reports.tables.table import BEYOND, Row, Table, TableCell
from boostbench.reports.text import duration, span
from boostbench.reports.values.frame import Study
from boostbench.reports.values.part_options import Title

#: Meaning of a selection, by `Select.way`.
WAYS = {
    "validation": "The fewest errors on the validation part; the test part is not looked at.",
    "folds": "The fewest errors of a cross-validation inside the training part; what was chosen is "
    "fitted once more to all of it.",
    "test": "The lowest mean TEST error over all seeds and folds, one choice for all of them: "
    "such a value is too low, and the more so the larger the grid.",
}


@tables.register("selected")
def build_selected_table(study: Study, *, at: int | None = None, title: Title = "") -> Table:
    """Build the table of selected parameters, a row per booster.

    A cell has each selected value, with the number of seeds and folds in which it was selected; of
    more than four numbers it has the median, the smallest and the largest. The last columns are
    the number of grid points, the number of fits and the time of all fits.

    Parameters
    ----------
    study : Study
        Study of a config with the key ``select``.
    at : int or None, default=None
        Round T of the selection; by default the last one.
    """
    if study.config.select is None:
        raise BoostbenchError("nothing is chosen in this config: it has no key 'select'")
    cells = {
        labels: [result.selected for result in results if result.ok and result.selected is not None]
        for labels, results in study.cells.items()
    }
    selections = list(chain(*cells.values()))
    grids = sorted((selected.grid for selected in selections), key=len)
    columns = list(dict.fromkeys(axis.name for grid in reversed(grids) for axis in grid))
    columns += ["rounds"] if study.config.select.rounds else []
    several = len(study.noises) > 1
    rows = []
    for labels, of in cells.items():
        values = [_chosen(selected, at) for selected in of]
        texts = [_count_values([each.get(name) for each in values]) for name in columns]
        n_points = [len(each.trials) for each in of]
        spent = [span(n_points), *_fits_and_time(of)] if of else [BEYOND] * 3
        row = (TableCell(text, value=text.removesuffix(BEYOND)) for text in (*texts, *spent))
        rows.append(Row(labels[not several :], tuple(row)))
    n_fits, time = _fits_and_time(selections)
    footers = [
        WAYS[study.config.select.way],
        f"{n_fits} fits in {time} of computing; points: of the grid as it grew.",
    ]
    if n_failed := sum(fit.status != "ok" for each in selections for fit in each.trials):
        footers.append(f"{n_failed} fits failed and were no candidates.")
    if n_open := len(study.results) - len(selections):
        footers.append(f"{n_open} of {len(study.results)} choices are not made yet.")
    return Table(
        title=title or "Chosen parameters",
        names=("noise", "data set", "booster")[not several :],
        columns=(*columns, "points", "fits", "time"),
        rows=tuple(rows),
        footers=tuple(footers),
    )


def _chosen(selected: Selected, at: int | None) -> dict[str, Any]:
    """Return the selected values for a T."""
    choices = {choice.at: choice for choice in selected.choices}
    if at is not None and at not in choices:
        what = f"at must be a T for which a choice was made ({', '.join(map(str, choices))})"
        raise BoostbenchError(f"{what}, found {at!r}")
    choice = selected.choices[-1] if at is None else choices[at]
    return {**choice.values, "rounds": choice.rounds}


def _fits_and_time(selections: Sequence[Selected]) -> tuple[str, str]:
    seconds = sum(fit.seconds or 0.0 for selected in selections for fit in selected.trials)
    return str(sum(selected.n_fits for selected in selections)), duration(seconds)


def _count_values(values: Sequence[Any]) -> str:
    """Return the distinct values with their counts, or the median and range of many numbers."""
    counts = Counter(f"{v:g}" if isinstance(v, float) else str(v) for v in values if v is not None)
    if not counts or len(values) == 1:
        return next(iter(counts), BEYOND)
    if len(counts) > 4 and all(isinstance(value, int | float) for value in values):
        return f"{median(values):g} ({span(values)})"
    return ", ".join(f"{value} ({n}x)" for value, n in counts.most_common())
