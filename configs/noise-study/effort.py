"""Table kind ``effort``: number of runs, sample sizes, rounds, times and memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, NamedTuple

import numpy as np

from boostbench.plugins import (
    BEYOND,
    NUMBERS,
    OneOrMore,
    Record,
    Row,
    Study,
    Table,
    TableCell,
    Title,
    one_of,
)


class _Column(NamedTuple):
    title: str
    read: Callable[[Record], float | None]
    format: str


_FACTS = {
    "n_train": _Column("training samples", lambda record: record.n_train, ".0f"),
    "n_test": _Column("test samples", lambda record: record.n_test, ".0f"),
    "rounds": _Column("rounds made", lambda record: record.n_rounds, ".0f"),
    "memory": _Column("memory (MB)", lambda record: record.peak_memory_mb, ".0f"),
}


def _columns() -> dict[str, _Column]:
    """Return the columns by name: facts of a record, and quantities of a whole run."""
    wholes = {name: each for name, each in NUMBERS.items() if each.kept == "once"}
    return _FACTS | {
        name: _Column(each.line, each.of_run, f".{min(2, each.decimals)}f")
        for name, each in wholes.items()
    }


def effort(
    study: Study,
    *,
    columns: OneOrMore[Annotated[str, one_of("metric", _columns)]] = (
        "n_train",
        "n_test",
        "rounds",
        "fit_time",
    ),
    title: Title = "",
) -> Table:
    """Build the table of the effort of the runs, one row per data set and booster.

    A cell is the median over seeds, folds and noises.

    Parameters
    ----------
    columns : str or sequence of str, default=("n_train", "n_test", "rounds", "fit_time")
        Any of the default columns, ``memory``, and quantities of a whole run, such as
        ``predict_time`` (for the test samples after every round) and ``model_size``.
    """
    rows, threads, known = [], 1, _columns()
    for dataset in study.datasets:
        for booster in study.boosters:
            results = study.only([booster], [dataset]).results
            if results:
                records = [r.record for r in results if r.ok and r.record is not None]
                n = len(records)
                threads = max([threads, *(r.threads.get("boostbench", 1) for r in records)])
                runs = f"{n}" if n == len(results) else f"{n} of {len(results)}"
                status = "" if records else results[0].status
                cells = (_cell(known[column], records, status) for column in columns)
                rows.append(Row((dataset, booster), (TableCell(runs, value=str(n)), *cells)))
    resources = "one thread" if threads == 1 else f"1 to {threads} threads"
    return Table(
        title=title or f"{study.config.title or study.config.name}: effort",
        names=("data set", "booster"),
        columns=("runs", *(known[column].title for column in columns)),
        rows=tuple(rows),
        footers=(f"Medians over the runs of a booster on a data set, each on {resources}.",),
    )


def _cell(column: _Column, records: Sequence[Record], status: str) -> TableCell:
    values = [value for value in map(column.read, records) if value is not None]
    if not values:
        return TableCell(status or BEYOND)
    text = format(float(np.median(values)), column.format)
    return TableCell(text, value=text)
