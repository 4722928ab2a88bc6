"""The table of chosen parameters and rounds, how often each was kept, and the cost of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

from boostbench.errors import BoostbenchError
from boostbench.reports.provenance import duration
from boostbench.reports.tables.table import BEYOND, Row, Table, TableCell
from boostbench.reports.values.frame import Result, Study

_WAYS = {
    "validation": "The fewest errors on the validation part; the test part is not looked at.",
    "folds": "The fewest errors of a cross-validation inside the training part; what was chosen is "
    "fitted once more to all of it.",
    "test": "The lowest mean TEST error over all seeds and folds, one choice for all of them: "
    "such a value is too low, and the more so the larger the grid.",
}
_COUNTS = ("points", "fits", "time")


def build_selected_table(study: Study, *, at: int | None = None, title: str = "") -> Table:
    """Build the table of chosen parameters, a row per booster.

    A cell holds each value that was kept with the number of seeds and folds in which it was; then
    follow the number of grid points and fits, and the time of all fits.

    Parameters
    ----------
    study : Study
        Of a config with the key ``select``.
    at : int or None, default=None
        Round T for which a choice was made; the last one by default.
    title : str, default=""
    """
    if study.config.select is None:
        raise BoostbenchError("nothing is chosen in this config: it has no key 'select'")
    results = [result for result in study.results if _selected(result)]
    chosen = [(result, _choice(result, at)) for result in results]
    grids = sorted(((_selected(result) or {})["grid"] for result in results), key=len)
    names = list(dict.fromkeys(name for grid in reversed(grids) for name in grid))
    shown = [*names, *(["rounds"] if study.config.select.rounds else [])]
    several = len(study.noises) > 1
    rows = [
        Row((noise, dataset, booster)[not several :], tuple(_cells(its, shown)))
        for noise, dataset, booster in product(study.noises, study.datasets, study.boosters)
        for its in [[c for c in chosen if _place(c[0]) == (noise, dataset, booster)]]
    ]
    return Table(
        title=title or "Chosen parameters",
        names=("noise", "data set", "booster")[not several :],
        columns=(*shown, *_COUNTS),
        rows=tuple(rows),
        footers=tuple(_footers(study, results)),
    )


def _place(result: Result) -> tuple[str, str, str]:
    return result.noise, result.run.dataset, result.run.method


def _selected(result: Result) -> Mapping[str, Any] | None:
    return result.record.selected if result.ok and result.record is not None else None


def _choice(result: Result, at: int | None) -> Mapping[str, Any]:
    choices = (_selected(result) or {})["choices"]
    if at is None:
        return dict(choices[-1])
    for choice in choices:
        if choice["at"] == at:
            return dict(choice)
    known = ", ".join(str(choice["at"]) for choice in choices)
    raise BoostbenchError(f"at must be a T for which a choice was made ({known}), found {at!r}")


def _cells(
    chosen: Sequence[tuple[Result, Mapping[str, Any]]], shown: Sequence[str]
) -> Iterable[TableCell]:
    if not chosen:
        yield from (TableCell(BEYOND) for _ in (*shown, *_COUNTS))
        return
    for name in shown:
        kept = [
            choice["rounds"] if name == "rounds" else choice["values"].get(name)
            for _, choice in chosen
        ]
        yield _cell(_told(kept))
    facts = [_selected(result) or {} for result, _ in chosen]
    n_points = sorted({its["n_points"] for its in facts})
    yield _cell(" to ".join(map(str, dict.fromkeys((n_points[0], n_points[-1])))))
    yield _cell(str(sum(its["n_fits"] for its in facts)))
    yield _cell(duration(sum(its["seconds"] for its in facts)))


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


def _footers(study: Study, results: Sequence[Result]) -> Iterable[str]:
    assert study.config.select is not None
    yield _WAYS[study.config.select.way]
    facts = [_selected(result) or {} for result in results]
    n_fits = sum(its["n_fits"] for its in facts)
    seconds = sum(its["seconds"] for its in facts)
    yield f"{n_fits} fits in {duration(seconds)} of computing; points: of the grid as it grew."
    failed = sum(its["n_failed"] for its in facts)
    if failed:
        yield f"{failed} fits failed and were no candidates."
    open_ones = len(study.results) - len(results)
    if open_ones:
        yield f"{open_ones} of {len(study.results)} choices are not made yet."
