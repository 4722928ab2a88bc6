"""The table of chosen parameters and rounds, how often each was kept, and the cost of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

from boostbench.errors import BoostbenchError
from boostbench.experiments.planning.plans import Choice, Selected
from boostbench.reports.provenance import duration
from boostbench.reports.tables.table import BEYOND, Row, Table, TableCell
from boostbench.reports.text import span
from boostbench.reports.values.frame import Result, Study
from boostbench.reports.values.part_options import Title

_WAYS = {
    "validation": "The fewest errors on the validation part; the test part is not looked at.",
    "folds": "The fewest errors of a cross-validation inside the training part; what was chosen is "
    "fitted once more to all of it.",
    "test": "The lowest mean TEST error over all seeds and folds, one choice for all of them: "
    "such a value is too low, and the more so the larger the grid.",
}
_COUNTS = ("points", "fits", "time")


def build_selected_table(study: Study, *, at: int | None = None, title: Title = "") -> Table:
    """Build the table of chosen parameters, a row per booster.

    A cell holds each value that was kept with the number of seeds and folds in which it was; then
    follow the number of grid points and fits, and the time of all fits.

    Parameters
    ----------
    study : Study
        Of a config with the key ``select``.
    at : int or None, default=None
        Round T for which a choice was made; the last one by default.
    """
    if study.config.select is None:
        raise BoostbenchError("nothing is chosen in this config: it has no key 'select'")
    chosen = [(_place(r), r.selected) for r in study.results if r.ok and r.selected is not None]
    kept: dict[tuple[str, str, str], list[tuple[Selected, Choice]]] = {}
    for place, its in chosen:
        kept.setdefault(place, []).append((its, _choice(its, at)))
    grids = sorted((its.grid for _, its in chosen), key=len)
    names = list(dict.fromkeys(axis.name for grid in reversed(grids) for axis in grid))
    shown = [*names, *(["rounds"] if study.config.select.rounds else [])]
    several = len(study.noises) > 1
    rows = [
        Row(place[not several :], tuple(_cells(kept.get(place, ()), shown)))
        for place in product(study.noises, study.datasets, study.boosters)
    ]
    return Table(
        title=title or "Chosen parameters",
        names=("noise", "data set", "booster")[not several :],
        columns=(*shown, *_COUNTS),
        rows=tuple(rows),
        footers=tuple(_footers(study, [its for _, its in chosen])),
    )


def _place(result: Result) -> tuple[str, str, str]:
    return result.noise, result.run.dataset, result.run.method


def _choice(selected: Selected, at: int | None) -> Choice:
    if at is None:
        return selected.choices[-1]
    for choice in selected.choices:
        if choice.at == at:
            return choice
    known = ", ".join(str(choice.at) for choice in selected.choices)
    raise BoostbenchError(f"at must be a T for which a choice was made ({known}), found {at!r}")


def _cells(kept: Sequence[tuple[Selected, Choice]], shown: Sequence[str]) -> Iterable[TableCell]:
    if not kept:
        yield from (TableCell(BEYOND) for _ in (*shown, *_COUNTS))
        return
    values = [{**its.values(choice), "rounds": choice.rounds} for its, choice in kept]
    for name in shown:
        yield _cell(_told([each.get(name) for each in values]))
    yield _cell(span([its.n_points for its, _ in kept]))
    yield _cell(str(sum(its.n_fits for its, _ in kept)))
    yield _cell(duration(sum(its.seconds for its, _ in kept)))


def _cell(text: str) -> TableCell:
    return TableCell(text, value=text)


def _told(kept: Sequence[Any]) -> str:
    """Return the values, the most frequent first, with how often each was kept."""
    counts = Counter(f"{v:g}" if isinstance(v, float) else str(v) for v in kept if v is not None)
    if not counts:
        return BEYOND
    if len(kept) == 1:
        return next(iter(counts))
    return ", ".join(f"{value} ({n}x)" for value, n in counts.most_common())


def _footers(study: Study, chosen: Sequence[Selected]) -> Iterable[str]:
    assert study.config.select is not None
    yield _WAYS[study.config.select.way]
    n_fits, seconds = sum(its.n_fits for its in chosen), sum(its.seconds for its in chosen)
    yield f"{n_fits} fits in {duration(seconds)} of computing; points: of the grid as it grew."
    failed = sum(its.n_failed for its in chosen)
    if failed:
        yield f"{failed} fits failed and were no candidates."
    open_ones = len(study.results) - len(chosen)
    if open_ones:
        yield f"{open_ones} of {len(study.results)} choices are not made yet."
