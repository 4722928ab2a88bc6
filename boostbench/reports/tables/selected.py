"""Table of selected parameters and rounds, and the cost of the selection."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, product
from typing import Any

from boostbench.errors import BoostbenchError
from boostbench.experiments.planning.plans import Choice, Selected
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
_COUNTS = ("points", "fits", "time")


def build_selected_table(study: Study, *, at: int | None = None, title: Title = "") -> Table:
    """Build the table of selected parameters, a row per booster.

    A cell has each selected value, with the number of seeds and folds in which it was selected. The
    last columns are the number of grid points, the number of fits and the time of all fits.

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
    names = list(dict.fromkeys(axis.name for grid in reversed(grids) for axis in grid))
    columns = [*names, *(["rounds"] if study.config.select.rounds else [])]
    several = len(study.noises) > 1
    rows = [
        Row(labels[not several :], tuple(_cells(cells.get(labels, ()), columns, at)))
        for labels in product(study.noises, study.datasets, study.boosters)
    ]
    return Table(
        title=title or "Chosen parameters",
        names=("noise", "data set", "booster")[not several :],
        columns=(*columns, *_COUNTS),
        rows=tuple(rows),
        footers=tuple(_footers(study, selections)),
    )


def _choice_at(selected: Selected, at: int | None) -> Choice:
    if at is None:
        return selected.choices[-1]
    for choice in selected.choices:
        if choice.at == at:
            return choice
    known = ", ".join(str(choice.at) for choice in selected.choices)
    raise BoostbenchError(f"at must be a T for which a choice was made ({known}), found {at!r}")


def _cells(
    selections: Sequence[Selected], columns: Sequence[str], at: int | None
) -> Iterable[TableCell]:
    if not selections:
        yield from (TableCell(BEYOND) for _ in (*columns, *_COUNTS))
        return
    choices = [(selected, _choice_at(selected, at)) for selected in selections]
    values = [{**selected.values(choice), "rounds": choice.rounds} for selected, choice in choices]
    for name in columns:
        yield _cell(_count_values([each.get(name) for each in values]))
    yield _cell(span([selected.n_points for selected in selections]))
    yield _cell(str(sum(selected.n_fits for selected in selections)))
    yield _cell(duration(sum(selected.seconds for selected in selections)))


def _cell(text: str) -> TableCell:
    return TableCell(text, value=text)


def _count_values(values: Sequence[Any]) -> str:
    """Return the distinct values with their counts, the most frequent first."""
    counts = Counter(f"{v:g}" if isinstance(v, float) else str(v) for v in values if v is not None)
    if not counts:
        return BEYOND
    if len(values) == 1:
        return next(iter(counts))
    return ", ".join(f"{value} ({n}x)" for value, n in counts.most_common())


def _footers(study: Study, selections: Sequence[Selected]) -> Iterable[str]:
    assert study.config.select is not None
    yield WAYS[study.config.select.way]
    n_fits = sum(selected.n_fits for selected in selections)
    seconds = sum(selected.seconds for selected in selections)
    yield f"{n_fits} fits in {duration(seconds)} of computing; points: of the grid as it grew."
    n_failed = sum(selected.n_failed for selected in selections)
    if n_failed:
        yield f"{n_failed} fits failed and were no candidates."
    n_open = len(study.results) - len(selections)
    if n_open:
        yield f"{n_open} of {len(study.results)} choices are not made yet."
